"""From a sent form to a submission: what was entered, what the form's own conditions hide, what a button asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from starlette.datastructures import FormData

from app.domain.codebook.model import Codebook
from app.domain.coding import drop_hidden
from app.services.coding import Submission
from app.web.forms import Command, cite, read_answer, read_command, read_form, uncite
from app.web.needs import evidence_field


def command_of(form: FormData) -> Command:
    """Return what the sender wants done."""
    return read_command(form.multi_items())


def stays(command: Command) -> bool:
    """Return whether the form is to be shown again rather than submitted."""
    return command.action in {"refresh", "draft"} or command.cite is not None or command.uncite is not None


def read_submission(codebook: Codebook, form: FormData) -> Submission:
    """Return what a form submits. Fields that its own conditions hide are left out, and named in `dropped`.

    Only the HTML form drops: a program's coding is judged as sent. Raises `BadInput` for a number that is none.
    """
    answer, dropped = drop_hidden(codebook, read_answer(codebook, form.multi_items()))
    return replace(_submission(command_of(form), answer), dropped=dropped)


def read_draft(codebook: Codebook, form: FormData, tiers: Mapping[int, Mapping[str, str]]) -> tuple[Submission, str]:
    """Return what a form holds after the pressed button, hidden fields included, and the place to return to."""
    command = command_of(form)
    answer = read_form(codebook, form.multi_items()).answer
    place = "#form"
    if command.cite is not None:
        answer, place = cite(codebook, answer, command.cite, tiers), f"#t{command.cite}"
    elif command.uncite is not None:
        field = evidence_field(codebook)
        answer, place = uncite(codebook, answer, command.uncite), f"#{field.name}" if field else "#form"
    return _submission(command, answer), place


def _submission(command: Command, answer: dict[str, Any]) -> Submission:
    return Submission(answer, command.revision, command.client_token, command.confirm, command.seconds_active)
