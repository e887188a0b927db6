"""The registration as a blinded report may print it: without people's names and without the study's blinding terms.

It withholds what the registration itself lists, wherever that is spelled; it searches for nothing the registration does
not name. What was registered stays as it is, and its hash stands beside what is printed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from app.domain.record import StudyRecord

_EDGES = {"letter": r"[^\W\d_]", "digit": r"\d"}


def printed_registration(record: StudyRecord) -> str:
    """Return the registration's text with every name and blinding term of it replaced (`withheld`)."""
    return withheld(record, record.registration_text)


def withheld(record: StudyRecord, text: str) -> str:
    """Return a text with people as `⟨lead⟩`, `⟨R1⟩`, `⟨adjudicator-1⟩`, `⟨custodian⟩` and terms as `⟨term-1⟩`, ….

    Raters are numbered as their slots, machine raters after them, the rest in the order registered. Capitals make no
    difference. Terms are replaced wherever they stand, inside words too. A name is replaced where it is not a part of
    a longer word or number (`ada`, not `adapter`): there the rest of the word would spell it.
    """
    spelled: dict[str, str] = {}
    patterns: dict[str, str] = {}
    for value, shown in _terms(record.registration):
        for form in _forms(value):
            spelled.setdefault(form.casefold(), shown)
            patterns.setdefault(form, re.escape(form))
    for value, shown in _people(record.registration):
        for form in _forms(value):
            spelled.setdefault(form.casefold(), shown)
            patterns.setdefault(form, _whole(form))
    if not patterns:
        return text
    # The longest first: where one name begins with another, the shorter must not take its place.
    longest = sorted(patterns, key=lambda form: (-len(form), form))
    searched = re.compile("|".join(patterns[form] for form in longest), re.IGNORECASE)
    return searched.sub(lambda found: spelled.get(found[0].casefold(), "⟨withheld⟩"), text)


def _people(registration: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    raters = [*(registration.get("raters") or ()), *(registration.get("machine_raters") or ())]
    listed = [
        (registration.get("lead"), "⟨lead⟩"),
        *((name, f"⟨R{place}⟩") for place, name in enumerate(raters, start=1)),
        *((n, f"⟨adjudicator-{i}⟩") for i, n in enumerate(registration.get("adjudicators") or (), start=1)),
        (registration.get("custodian"), "⟨custodian⟩"),
    ]
    yield from ((str(name), shown) for name, shown in listed if name)


def _terms(registration: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    terms = (registration.get("blinding") or {}).get("terms") or ()
    yield from ((str(term), f"⟨term-{place}⟩") for place, term in enumerate(terms, start=1) if str(term).strip())


def _forms(value: str) -> list[str]:
    """Return how a study file can spell a value: plain, in single quotes, in double quotes with or without escapes."""
    quoted = (json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1])
    return list(dict.fromkeys([value, value.replace("'", "''"), *quoted]))


def _whole(form: str) -> str:
    before, after = (_edge(form[0]), _edge(form[-1]))
    return (f"(?<!{before})" if before else "") + re.escape(form) + (f"(?!{after})" if after else "")


def _edge(char: str) -> str | None:
    return _EDGES["letter"] if char.isalpha() else _EDGES["digit"] if char.isdigit() else None
