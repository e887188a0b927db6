"""Between a coding form and an answer: reading what was sent, writing an answer back into controls, citing.

Generic over the codebook's field types; nothing is named after any particular label. It reads, it does not judge: what
an answer may be is the rule engine's question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.codebook.model import EVIDENCE_TYPES, Codebook, Field
from app.domain.coding import normalise
from app.domain.errors import BadInput, Violation
from app.web.needs import evidence_field, role_for

Items = Mapping[str, Any] | Iterable[tuple[str, Any]]
_INTEGER = re.compile(r"-?[0-9]{1,9}")
_CITATION_TEXTS = ("role", "tier", "part", "quote")
_SPAN_TURNS = ("from_turn", "to_turn")
ACTIONS = ("save", "refresh", "draft", "provisional", "decide")


@dataclass(frozen=True)
class Reading:
    """What a form held: the answer as far as it can be read, and what could not be (`field` names the control).

    An unreadable number stands in the answer as the text that was typed, so that the form can show it again; such an
    answer must not be stored.
    """

    answer: dict[str, Any]
    problems: tuple[Violation, ...] = ()


@dataclass(frozen=True)
class Command:
    """What the sender wants done: `action`, a turn to cite, a citation to take back; and the form's bookkeeping."""

    action: str
    cite: int | None
    uncite: int | None
    confirm: tuple[str, ...]
    revision: int
    client_token: str
    seconds_active: float | None


class _Sent:
    """The sent pairs by name, in order; uploads are not text and are left out."""

    def __init__(self, items: Items) -> None:
        self.values: dict[str, list[str]] = {}
        self.problems: list[Violation] = []
        pairs = items.items() if isinstance(items, Mapping) else items
        for name, value in pairs:
            many = value if isinstance(value, list | tuple) else [value]
            self.values.setdefault(name, []).extend(_plain(text) for text in many if isinstance(text, str))

    def texts(self, name: str) -> list[str]:
        return [text for text in self.values.get(name, ()) if text]

    def text(self, name: str) -> str:
        """Return the one value of a control; two different ones are a problem, not a choice."""
        found = list(dict.fromkeys(self.texts(name)))
        if len(found) > 1:
            self.problem(name, f"{name} was sent {len(found)} times with different values: send one")
        return found[-1] if found else ""

    def number(self, name: str) -> int | str | None:
        """Return the integer of a control (`41` or `t41`), the text as typed where it is none, None where empty."""
        text = self.text(name).strip()
        if not text:
            return None
        if _INTEGER.fullmatch(text.removeprefix("t")):
            return int(text.removeprefix("t"))
        self.problem(name, f"{name} must be a turn number, not {text[:40]!r}")
        return text

    def problem(self, name: str, message: str) -> None:
        self.problems.append(Violation("form", "hard", name, message))


def _plain(text: str) -> str:
    """Return a control's text with the line ends a person typed: browsers send every line feed as CR LF."""
    return text.replace("\r\n", "\n")


def _rows(sent: _Sent, name: str) -> list[int]:
    pattern = re.compile(re.escape(name) + r"\.([0-9]{1,4})\.[a-z_]+")
    return sorted({int(found.group(1)) for key in sent.values if (found := pattern.fullmatch(key))})


def _read_citation(sent: _Sent, prefix: str, texts: Sequence[str]) -> dict[str, Any]:
    citation: dict[str, Any] = {key: sent.text(f"{prefix}.{key}") for key in texts}
    citation = {key: text for key, text in citation.items() if text}
    turn = sent.number(f"{prefix}.turn")
    if turn is not None:
        return {"turn": turn, **citation}
    if citation:
        sent.problem(f"{prefix}.turn", f"{prefix} names no turn: say which turn it cites, or empty the row")
    return citation


def _read_citations(sent: _Sent, field: Field) -> list[Any]:
    texts = _CITATION_TEXTS if field.type == "citation_list" else ("part",)
    rows = [_read_citation(sent, f"{field.name}.{number}", texts) for number in _rows(sent, field.name)]
    return [row for row in rows if row]


def _read_span(sent: _Sent, field: Field) -> dict[str, Any]:
    span: dict[str, Any] = {key: sent.number(f"{field.name}.{key}") for key in _SPAN_TURNS}
    span["looked_for"] = sent.text(f"{field.name}.looked_for")
    return {key: value for key, value in span.items() if value not in (None, "")}


def _read_field(sent: _Sent, field: Field) -> Any:
    if field.type in EVIDENCE_TYPES:
        return _read_citations(sent, field)
    if field.type == "span":
        return _read_span(sent, field)
    if field.type == "flags":
        return sent.texts(field.name)
    return sent.text(field.name)


def read_form(codebook: Codebook, items: Items) -> Reading:
    """Return what the form held, in the answer's canonical form, with what could not be read beside it."""
    sent = _Sent(items)
    answer = {field.name: _read_field(sent, field) for field in codebook.fields}
    return Reading(normalise(answer), tuple(sent.problems))


def read_answer(codebook: Codebook, items: Items) -> dict[str, Any]:
    """Return the answer a form holds, in canonical form: absent and empty values left out, turns as integers.

    Raises `BadInput` naming the control for a turn that is no integer, an evidence row without a turn, or a control
    sent twice with different values. Values outside their list pass: the rules refuse them by name.
    """
    reading = read_form(codebook, items)
    if reading.problems:
        first = reading.problems[0]
        raise BadInput(f"{first.field}: {first.message}")
    return reading.answer


def _sent_text(value: Any) -> str:
    """Return a value as a browser would send it."""
    return str(value).replace("\n", "\r\n")


def _mapping_items(prefix: str, value: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(f"{prefix}.{key}", _sent_text(value[key])) for key in value]


def answer_to_form(codebook: Codebook, answer: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the pairs a browser would send for an answer; `read_answer` of them is `normalise(answer)`."""
    items: list[tuple[str, str]] = []
    for field in codebook.fields:
        value = normalise(answer).get(field.name)
        if value is None:
            continue
        if field.type in EVIDENCE_TYPES:
            for number, row in enumerate(value):
                items.extend(_mapping_items(f"{field.name}.{number}", row))
        elif field.type == "span":
            items.extend(_mapping_items(field.name, value))
        elif field.type == "flags":
            items.extend((field.name, _sent_text(flag)) for flag in value)
        else:
            items.append((field.name, _sent_text(value)))
    return items


def read_command(items: Items) -> Command:
    """Return what the sender wants done. No action named is `save`; raises `BadInput` for numbers that are none."""
    sent = _Sent(items)
    numbers = {name: sent.number(name) for name in ("cite", "uncite", "revision")}
    action = sent.text("action") or "save"
    if sent.problems:
        raise BadInput(sent.problems[0].message)
    if action not in ACTIONS:
        raise BadInput(f"action must be one of {', '.join(ACTIONS)}, not {action[:40]!r}")
    seconds = sent.text("seconds_active")
    found = {name: value if isinstance(value, int) else None for name, value in numbers.items()}
    return Command(
        action=action,
        cite=found["cite"],
        uncite=found["uncite"],
        confirm=tuple(sent.texts("confirm")),
        revision=found["revision"] or 0,
        client_token=sent.text("client_token"),
        seconds_active=float(seconds) if re.fullmatch(r"[0-9]{1,7}(\.[0-9]{1,3})?", seconds) else None,
    )


def default_part(parts: Mapping[str, str]) -> str | None:
    """Return the part a bare citation of a row means: its call where it makes one, else its first."""
    return "call" if "call" in parts else next(iter(parts), None)


def cite(
    codebook: Codebook, answer: Mapping[str, Any], turn: int, tiers: Mapping[int, Mapping[str, str]]
) -> dict[str, Any]:
    """Return the answer with one more citation of `turn`: tier as derived, role as the chosen verdict needs it.

    A codebook with tiers of its own gets none from the log. Both stay correctable. A turn already cited is not cited
    twice. Raises `BadInput` for a turn the run does not have.
    """
    field = evidence_field(codebook)
    if field is None:
        raise BadInput("this codebook has no evidence field to cite in")
    if turn not in tiers:
        raise BadInput(f"turn {turn} is not in this run: cite a turn that is shown")
    rows = list(normalise(answer).get(field.name, ()))
    if any(row.get("turn") == turn for row in rows if isinstance(row, Mapping)):
        return dict(normalise(answer))
    row: dict[str, Any] = {"turn": turn}
    if field.type == "citation_list":
        part = default_part(tiers[turn])
        derived = tiers[turn].get(part) if part else None
        row |= {"role": role_for(codebook, answer), "tier": derived if derived in field.tiers else None}
    return normalise({**answer, field.name: [*rows, row]})


def uncite(codebook: Codebook, answer: Mapping[str, Any], index: int) -> dict[str, Any]:
    """Return the answer without its citation number `index` (from 0, in canonical order); others stay."""
    field = evidence_field(codebook)
    rows: Sequence[Any] = normalise(answer).get(field.name, ()) if field else ()
    if field is None or not 0 <= index < len(rows):
        return normalise(answer)
    return normalise({**answer, field.name: [row for place, row in enumerate(rows) if place != index]})
