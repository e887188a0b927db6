"""Whether a codebook means something as a whole: every name refers to something, every label can be reached.

Two kinds of faults: those that stop a file from being loaded (`stops`), and those a careful author wants to know.
Reading files, and the lines faults stand on, are not this module's business: a fault names its path in the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import app.domain.codebook.predicates  # noqa: F401 - registers the predicates
from app.domain.codebook.columns import column_fault
from app.domain.codebook.model import Codebook, Field, Rule
from app.domain.codebook.reach import unreachable
from app.domain.codebook.requirements import condition_fault, requirement_fault
from app.domain.codebook.subject import COMPUTED
from app.domain.turnlog.windows import MODES

# Columns of the exported and imported tables, documents of the agreement and controls of the form that are not fields:
# a field of that name would hide one.
# fmt: off
RESERVED_NAMES = frozenset((
    "schema_version", "study_id", "blind_claim_id", "blind_run_id", "claim_id", "coder_slot", "phase",
    "codebook_version", "search_from", "search_to", "looked_for", "position", "session", "seconds_on_item",
    "revisions", "warnings_shown", "warnings_overridden", "warnings_confirmed", "origin", "created_rel",
    "lock_id", "row_sha256", "needs",
    "claim_source", "claim_turn", "unit_parts", "repeat_of", "codebook_sha256", "packet_sha256", "n_raters",
    "decided", "credit", "evidence_turns", "best_tier", "lock_ids",
    "gap_class", "verdict_backward", "verdict_intents",
    # controls and places of the pages that hold a coding form
    "action", "cause", "cite", "claim", "client_token", "codings", "confirm", "feedback", "form", "main", "messages",
    "reason", "revision", "rule", "seconds_active", "sheet", "uncite",
))
# fmt: on
_TURN_PLACE = re.compile(r"t[0-9]+\Z")
_RESERVED_BEGINNING = re.compile(r"(?:r[0-9]+|adj|agree|gap|pooled)_")
_POLICY = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}\Z")
_CREDIT_MEAN = "G4"
_WINDOW_TRUTHS = ("stop_at_user_turn", "explicit_scope_overrides", "restraint_runs_to_end")
_WINDOW_KEYS = ("mode", "max_action_turns", *_WINDOW_TRUTHS)
_IDENTIFIER = re.compile(r"[a-z][a-z0-9_]*\Z")


@dataclass(frozen=True)
class Fault:
    """One thing wrong: the path in the document, a sentence, and whether it stops the file from being loaded."""

    path: tuple[str | int, ...]
    sentence: str
    stops: bool = True


def find_faults(codebook: Codebook) -> tuple[Fault, ...]:
    """Return every fault of a codebook: those that stop it first, in document order; none for a sound one."""
    stopping = [fault for check in _CHECKS for fault in check(codebook)]
    if stopping:
        return tuple(stopping)
    advice = [Fault(path, sentence, stops=False) for path, sentence in unreachable(codebook)]
    return tuple([*advice, *_collisions(codebook)])


def _repeated(names: Iterable[str]) -> Iterator[int]:
    seen: set[str] = set()
    for place, name in enumerate(names):
        if name in seen:
            yield place
        seen.add(name)


def _fields(codebook: Codebook) -> Iterator[Fault]:
    for place in _repeated(field.name for field in codebook.fields):
        yield Fault(("fields", place, "name"), f"{codebook.fields[place].name} is a field already")
    for place, field in enumerate(codebook.fields):
        path = ("fields", place)
        if field.name in RESERVED_NAMES or field.name in COMPUTED:
            yield Fault((*path, "name"), f"{field.name} is the name of a column, condition or control of its own")
        if _RESERVED_BEGINNING.match(field.name) or _TURN_PLACE.match(field.name):
            yield Fault((*path, "name"), f"{field.name} looks like the name of a column or of a turn; choose another")
        if not _IDENTIFIER.match(field.name):
            yield Fault((*path, "name"), "is written in small letters, digits and underscores")
        taken = column_fault(codebook, field)
        if taken:
            yield Fault((*path, "name"), taken)
        yield from _options(codebook, field, path)
        fault = condition_fault(codebook, field.when)
        computed = next((name for name in field.when if name in COMPUTED), None)
        if fault or computed:
            yield Fault((*path, "when"), fault or f"{computed}: a form can only look at its own fields")


def _options(codebook: Codebook, field: Field, path: tuple[str | int, ...]) -> Iterator[Fault]:
    listed = field.type in ("enum", "flags")
    if listed != bool(field.options):
        yield Fault(path, f"a field of type {field.type} {'needs' if listed else 'has no'} options")
    if field.type == "citation_list" and not field.roles:
        yield Fault(path, "a citation list needs roles")
    for place in _repeated(field.codes):
        yield Fault((*path, "options", place, "code"), f"{field.codes[place]} is an option of {field.name} already")
    kinds = (*codebook.backward_kinds, *codebook.forward_kinds)
    for place, option in enumerate(field.options):
        strange = next((kind for kind in option.kinds or () if kind not in kinds), None)
        if strange is not None:
            yield Fault((*path, "options", place, "kinds"), f"{strange} is no claim kind of this codebook")


def _cycles(codebook: Codebook) -> Iterator[Fault]:
    asks = {field.name: [name for name in field.when if codebook.field(name)] for field in codebook.fields}
    for place, field in enumerate(codebook.fields):
        seen: set[str] = set()
        ahead = list(asks[field.name])
        while ahead:
            name = ahead.pop()
            if name not in seen:
                seen.add(name)
                ahead.extend(asks[name])
        if field.name in seen:
            yield Fault(("fields", place, "when"), f"{field.name} is shown only where it has a value itself: a cycle")


def _roles(codebook: Codebook) -> Iterator[Fault]:
    verdict, codability = codebook.field("verdict"), codebook.field("codability")
    if verdict is None or verdict.type != "enum":
        yield Fault(("fields",), "a codebook has an enum field named verdict: the label that is compared and pooled")
    elif "not_codable" in verdict.codes:
        yield Fault(("fields",), "not_codable is an option of codability, never a verdict")
    if codability is not None and "not_codable" not in codability.codes:
        yield Fault(("fields",), "the field codability has the option not_codable")
    kinds, found = codebook.field("claim_kind"), (*codebook.backward_kinds, *codebook.forward_kinds)
    if sorted(kinds.codes if kinds else ()) != sorted(found):
        yield Fault(
            ("kinds",), "backward and forward kinds together are the options of the field claim_kind, each once"
        )


def _labels(codebook: Codebook) -> Iterator[Fault]:
    verdicts = tuple(option.code for option in codebook.verdicts)
    named: list[tuple[tuple[str | int, ...], Iterable[str], tuple[str, ...]]] = [
        (("decision_order",), codebook.decision_order, codebook.labels),
        (("ordinal",), codebook.ordinal, verdicts),
        *((("gap_policies", name), labels, verdicts) for name, labels in codebook.gap_policies.items()),
        *((("critical_pairs", n), pair, codebook.labels) for n, pair in enumerate(codebook.critical_pairs)),
    ]
    for path, labels, known in named:
        there = frozenset(known)
        for label in labels:
            if label not in there:
                yield Fault(path, f"{label} is no label of this codebook")
    for place in _repeated(codebook.ordinal):
        yield Fault(("ordinal", place), f"{codebook.ordinal[place]} stands on the scale already")
    if codebook.gap_policies and codebook.primary_gap not in codebook.gap_policies:
        yield Fault(("primary_gap",), "names one of the gap policies")
    for place, name in enumerate(codebook.pooled_fields):
        if codebook.field(name) is None:
            yield Fault(("pooled_fields", place), f"{name} is no field of this codebook")


def _policies(codebook: Codebook) -> Iterator[Fault]:
    """Each policy is a column of the tables, whose names tell no large letters from small ones."""
    for name in codebook.gap_policies:
        first = next(other for other in codebook.gap_policies if other.lower() == name.lower())
        if not _POLICY.match(name) or name == _CREDIT_MEAN or first != name:
            said = f"letters, digits and underscores, once, and not {_CREDIT_MEAN}, which is the mean credit"
            yield Fault(("gap_policies", name), f"a gap policy is named in {said}")


def _window(codebook: Codebook) -> Iterator[Fault]:
    for name, value in codebook.window.items():
        sound = {
            "mode": value in MODES,
            "max_action_turns": type(value) is int and value > 0,
        }.get(name, isinstance(value, bool))
        if name not in _WINDOW_KEYS or not sound:
            yield Fault(("window", name), f"is no window parameter; known are {', '.join(_WINDOW_KEYS)}")


def _rules(codebook: Codebook) -> Iterator[Fault]:
    for place in _repeated(rule.id for rule in codebook.rules):
        yield Fault(("rules", place, "id"), f"{codebook.rules[place].id} is a rule already")
    for place, rule in enumerate(codebook.rules):
        if codebook.field(rule.field) is None:
            yield Fault(("rules", place, "field"), f"{rule.field} is no field of this codebook")
        yield from _requirements(codebook, rule, ("rules", place))


def _requirements(codebook: Codebook, rule: Rule, path: tuple[str | int, ...]) -> Iterator[Fault]:
    fault = condition_fault(codebook, rule.when)
    if fault:
        yield Fault((*path, "when"), fault)
    for place, requirement in enumerate(rule.require):
        fault = requirement_fault(codebook, requirement)
        if fault:
            yield Fault((*path, "require", place), fault)


def _collisions(codebook: Codebook) -> Iterator[Fault]:
    for place, field in enumerate(codebook.fields):
        for mark, marks in (
            ("key", [option.key for option in field.options]),
            ("shape", [option.shape for option in field.options]),
            ("letter", [option.letter for option in field.options]),
        ):
            for n in _repeated(value or f"none-{n}" for n, value in enumerate(marks)):
                yield Fault(
                    ("fields", place, "options", n, mark),
                    f"{marks[n]} is the {mark} of another option of {field.name} already",
                    stops=False,
                )


_CHECKS = (_fields, _cycles, _roles, _labels, _policies, _window, _rules)
