"""The Jinja environment of every page: strict, escaping, with the few functions templates may call.

Only drawing is on offer here: a template gets its page value and can look nothing up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.templating import Jinja2Templates

from app.domain.codebook.wording import option_title
from app.domain.coding import shown_fields
from app.domain.errors import Violation
from app.domain.turnlog.arguments import decode_span
from app.services.pages import FormState, Workbench
from app.web import figures, words
from app.web.forms import default_part
from app.web.keys import COMMANDS, option_keys
from app.web.marking import marked
from app.web.markup import visible
from app.web.needs import evidence_field, is_foldable, list_needs, list_role_hints, needed_fields
from app.web.transcript import TranscriptView, read_transcript
from app.web.turn_markup import draw_turns


def draw_transcript(bench: Workbench) -> TranscriptView:
    """Return the transcript of a workbench as the template draws it."""
    return read_transcript(bench.turns, bench.claim, tiers=bench.tiers, gaps=bench.gaps, window=bench.window)


def claim_words(bench: Workbench) -> str:
    """Return the claim's own words as people read them: inside tool arguments, with the escapes decoded."""
    claim = bench.claim
    target = str(claim["target"])
    if target.startswith("args:"):
        for turn in bench.turns:
            for call in turn["calls"]:
                if call["key"] == target.removeprefix("args:") and call["args"]:
                    return decode_span(call["args"], claim["span_start"], claim["span_end"])
    return str(claim["text"])


def cited_roles(bench: Workbench, form: FormState) -> dict[int, str]:
    """Return turn → what this person's form cites it as (`cited` where no role is chosen)."""
    field = evidence_field(bench.codebook)
    roles: dict[int, str] = {}
    for row in form.answer.get(field.name, ()) if field else ():
        turn = row.get("turn") if isinstance(row, Mapping) else row
        role = row.get("role") if isinstance(row, Mapping) else None
        if isinstance(turn, int):
            roles[turn] = f"{roles[turn]}, {role or 'cited'}" if turn in roles else str(role or "cited")
    return roles


def problem_field(codebook_fields: tuple[Any, ...], violation: Violation) -> str:
    """Return the name of the form field a message points at: `evidence` for `evidence.1.tier`."""
    head = violation.field.split(".")[0]
    return head if any(field.name == head for field in codebook_fields) else ""


def codebook_address(bench: Workbench) -> str:
    """Return where the codebook of a workbench is read: the text registered with its study, else the folder's file."""
    if bench.study_id:
        return f"/studies/{bench.study_id}/codebook"
    return f"/codebook/{bench.codebook.id}-{bench.codebook.version}"


def is_window_shown(bench: Workbench, form: FormState) -> bool:
    """Return whether the intent's window is drawn: there is one, and the kind chosen is an intent."""
    return bench.window is not None and form.answer.get("claim_kind") in bench.codebook.forward_kinds


FILTERS: Mapping[str, Callable[..., Any]] = {
    "attribute_json": words.attribute_json,
    "clock": words.clock,
    "time_of_day": words.time_of_day,
    "marked": marked,
    "number": words.number,
    "fixed": words.fixed,
    "visible": visible,
    "reason": words.reason_words,
}
GLOBALS: Mapping[str, Any] = {
    "COMMANDS": COMMANDS,
    "answer_lines": words.answer_lines,
    "cited_roles": cited_roles,
    "claim_words": claim_words,
    "codebook_address": codebook_address,
    "default_part": default_part,
    "draw_transcript": draw_transcript,
    "draw_turns": draw_turns,
    "evidence_field": evidence_field,
    "group_coverage": words.group_coverage,
    "heat": words.heat,
    "interval_figure": figures.interval_figure,
    "is_foldable": is_foldable,
    "is_window_shown": is_window_shown,
    "letters": words.letters,
    "list_needs": list_needs,
    "list_role_hints": list_role_hints,
    "needed_fields": needed_fields,
    "option_keys": option_keys,
    "option_title": option_title,
    "problem_field": problem_field,
    "readable": words.readable,
    "share": words.share,
    "shown_fields": shown_fields,
    "tone": words.tone,
}


def make_environment(folder: Path) -> Environment:
    """Return the environment over a template folder: undefined names raise, everything is escaped."""
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= FILTERS
    environment.globals |= GLOBALS
    return environment


def make_templates(folder: Path) -> Jinja2Templates:
    """Return the templates of the web application over `make_environment`."""
    return Jinja2Templates(env=make_environment(folder))
