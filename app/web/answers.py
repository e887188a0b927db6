"""From a sent form to a submission: what was entered, what the form's own conditions hide, what a button asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from starlette.datastructures import FormData

from app.domain.codebook.model import Codebook
from app.domain.coding import drop_hidden
from app.domain.errors import Conflict, RulesBroken, Unconfirmed, Violation
from app.services.coding import Submission
from app.services.pages import FormState
from app.web.forms import Command, cite, read_command, read_form, uncite
from app.web.needs import evidence_field


def command_of(form: FormData) -> Command:
    """Return what the sender wants done."""
    return read_command(form.multi_items())


def stays(command: Command) -> bool:
    """Return whether the form is to be shown again rather than submitted."""
    return command.action in {"refresh", "draft"} or command.cite is not None or command.uncite is not None


def read_submission(codebook: Codebook, form: FormData) -> tuple[Submission, tuple[Violation, ...]]:
    """Return what a form submits, and what in it cannot be read (then it must not be stored, only shown again).

    Fields that the form's own conditions hide are left out, and named in `dropped`. Only the HTML form drops: a
    program's coding is judged as sent.
    """
    reading = read_form(codebook, form.multi_items())
    answer, dropped = drop_hidden(codebook, reading.answer)
    return replace(_submission(command_of(form), answer), dropped=dropped), reading.problems


def read_draft(
    codebook: Codebook, form: FormData, tiers: Mapping[int, Mapping[str, str]]
) -> tuple[Submission, tuple[Violation, ...], str]:
    """Return what a form holds after the pressed button, hidden fields included; the unreadable; where to return."""
    command = command_of(form)
    reading = read_form(codebook, form.multi_items())
    answer, place = reading.answer, "#form"
    if command.cite is not None:
        answer, place = cite(codebook, answer, command.cite, tiers), f"#t{command.cite}"
    elif command.uncite is not None:
        field = evidence_field(codebook)
        answer, place = uncite(codebook, answer, command.uncite), f"#{field.name}" if field else "#form"
    return _submission(command, answer), reading.problems, place


def form_again(submission: Submission, error: RulesBroken | Unconfirmed | Conflict, client_token: str) -> FormState:
    """Return the form exactly as it was entered, with what stands against it."""
    return FormState(
        answer=submission.answer,
        revision=submission.base_revision,
        client_token=client_token,
        violations=error.violations if isinstance(error, RulesBroken) else (),
        warnings=error.warnings if isinstance(error, Unconfirmed) else (),
        status="refused",
        seconds_active=submission.seconds_on_item,
        message=None if isinstance(error, RulesBroken | Unconfirmed) else str(error),
    )


def _submission(command: Command, answer: dict[str, Any]) -> Submission:
    return Submission(answer, command.revision, command.client_token, command.confirm, command.seconds_active)
