"""The pages around the work: people, errors."""

from __future__ import annotations

from dataclasses import dataclass

from app.services.pages.bench import Person


@dataclass(frozen=True)
class PeoplePage:
    """`/people`: users and roles; `link` is a fresh one-time sign-in link, shown once."""

    people: tuple[Person, ...]
    link: str | None = None
    link_for: str | None = None


@dataclass(frozen=True)
class ErrorPage:
    """Every error page: what happened, what to do (`link`, where there is one place to go), a reference for a fault."""

    status: int
    title: str
    sentence: str
    reference: str | None = None
    link: str | None = None
    link_words: str = ""
