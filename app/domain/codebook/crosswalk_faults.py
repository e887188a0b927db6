"""Whether a crosswalk is whole: every name refers to something, and every old coding is taken by exactly one row.

The rows are held against every label and every value of the fields they ask for; each condition is taken as able to
hold or not, whatever the others do. Reading the file, and the lines faults stand on, are not this module's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from app.domain.canonical import canonical_json
from app.domain.codebook.crosswalk_conditions import CONDITIONS, PLACES
from app.domain.codebook.crosswalk_model import AUTO, CarriedField, Crosswalk, CrosswalkRow
from app.domain.codebook.model import Codebook, Field
from app.domain.codebook.reach import list_labels, shows
from app.domain.codebook.subject import EVIDENCE_TYPES

Fault = tuple[tuple[str | int, ...], str]
MOST_CONDITIONS = 12
_CARRIED_TYPES = ("enum", "flags", "text")


def find_crosswalk_faults(crosswalk: Crosswalk) -> tuple[Fault, ...]:
    """Return every fault as path and sentence; what the rows leave or take twice only where their names are sound."""
    named = [fault for check in (_exempt, _carried, _rows, _classes) for fault in check(crosswalk)]
    return tuple(named or [*_cover(crosswalk), *_values(crosswalk), *_moved(crosswalk)])


def _exempt(crosswalk: Crosswalk) -> Iterator[Fault]:
    hard = {rule.id for rule in crosswalk.new.rules if rule.level == "hard"}
    for place, rule in enumerate(crosswalk.exempt):
        if rule not in hard:
            yield ("exempt", place), f"{rule} is no hard rule of version {crosswalk.new.version}"


def _carried(crosswalk: Crosswalk) -> Iterator[Fault]:
    for one in crosswalk.carried:
        path = ("kinds",) if one.name == "claim_kind" else ("carry", one.name)
        source, target = crosswalk.old.field(one.source), crosswalk.new.field(one.name)
        if target is None or target.type not in _CARRIED_TYPES:
            yield path, f"{one.name} is no field of version {crosswalk.new.version} that can be carried"
        elif source is None or source.type != target.type:
            yield path, f"{one.source} is no field of version {crosswalk.old.version} of type {target.type}"
        else:
            yield from _mapped(path, one, source, target)


def _mapped(path: tuple[str, ...], one: CarriedField, source: Field, target: Field) -> Iterator[Fault]:
    inside = path if path[0] == "kinds" else (*path, "values")
    for old, new in (one.values or {}).items():
        if old not in source.codes:
            yield (*inside, old), f"{old} is no value of {source.name} in the old codebook"
        if new not in target.codes:
            yield (*inside, old), f"{new} is no value of {target.name} in the new codebook"


def _rows(crosswalk: Crosswalk) -> Iterator[Fault]:
    seen: set[str] = set()
    for place, row in enumerate(crosswalk.rows):
        path = ("rows", place)
        if row.id in seen:
            yield (*path, "id"), f"{row.id} is a row already"
        seen.add(row.id)
        if row.label not in list_labels(crosswalk.old):
            yield (*path, "label"), f"{row.label} is no label of version {crosswalk.old.version}"
        yield from _when(crosswalk.old, row, path)
        yield from _conditions(crosswalk, row, path)
        yield from _target(crosswalk.new, row, path)


def _when(old: Codebook, row: CrosswalkRow, path: tuple[str | int, ...]) -> Iterator[Fault]:
    for name, values in row.when.items():
        asked = old.field(name)
        if asked is None or asked.type != "enum":
            yield (*path, "when", name), f"{name} is no closed question of version {old.version}"
            continue
        for value in values:
            if value not in asked.codes:
                yield (*path, "when", name), f"{value} is no value of {name}"


def _conditions(crosswalk: Crosswalk, row: CrosswalkRow, path: tuple[str | int, ...]) -> Iterator[Fault]:
    if row.otherwise and (row.require or row.unless):
        yield (*path, "otherwise"), "takes what other rows leave, and has no conditions of its own"
    for key in ("require", "unless"):
        for place, one in enumerate(getattr(row, key)):
            fault = _condition_fault(crosswalk, one)
            if fault:
                yield (*path, key, place), fault


def _condition_fault(crosswalk: Crosswalk, one: Mapping[str, Any]) -> str | None:
    if len(one) != 1:
        return f"takes exactly one condition, and has {', '.join(one) or 'none'}"
    ((name, parameter),) = one.items()
    if name not in CONDITIONS:
        return f"{name}: there is no such condition; there are {', '.join(sorted(CONDITIONS))}"
    fault = CONDITIONS[name].takes(crosswalk, parameter)
    return f"{name}: {fault}" if fault else None


def _target(new: Codebook, row: CrosswalkRow, path: tuple[str | int, ...]) -> Iterator[Fault]:
    if (row.how == AUTO) != (row.to is not None):
        yield (*path, "how"), "an automatic row names the new label under to, and only that one does"
        return
    if row.to is None:
        if row.sets or row.cites:
            yield path, "a claim that is coded again begins with an empty form: no set and no cites"
        return
    if row.to not in list_labels(new):
        yield (*path, "to"), f"{row.to} is no label of version {new.version}"
        return
    for name, value in row.sets.items():
        asked = new.field(name)
        if asked is None or value not in asked.codes:
            yield (*path, "set", name), f"{value} is no value of {name} in version {new.version}"
        elif not shows(new, asked, row.to):
            yield (*path, "set", name), f"{name} does not belong to an answer of {row.to}"
    yield from _cites(new, row, path)


def _cites(new: Codebook, row: CrosswalkRow, path: tuple[str | int, ...]) -> Iterator[Fault]:
    evidence = next((field for field in new.fields if field.type in EVIDENCE_TYPES), None)
    roles = evidence.roles if evidence else ()
    for place, one in enumerate(row.cites):
        if one.where not in PLACES:
            yield (*path, "cites", place, "where"), f"{one.where} is none of {', '.join(PLACES)}"
        if one.role not in roles:
            yield (*path, "cites", place, "role"), f"{one.role} is no citation role of version {new.version}"


def _classes(crosswalk: Crosswalk) -> Iterator[Fault]:
    for side, codebook in (("old", crosswalk.old), ("new", crosswalk.new)):
        labels = list_labels(codebook)
        listed = [(place, label) for place, one in enumerate(crosswalk.harmonised) for label in getattr(one, side)]
        seen: set[str] = set()
        for place, label in listed:
            if label not in labels:
                yield ("harmonised", place, side), f"{label} is no label of version {codebook.version}"
            if label in seen:
                yield ("harmonised", place, side), f"{label} stands in a class already"
            seen.add(label)
        missing = [label for label in labels if label not in seen]
        if missing:
            yield ("harmonised",), f"{', '.join(missing)} of version {codebook.version} stand in no class"


def _cover(crosswalk: Crosswalk) -> Iterator[Fault]:
    """Every label with every value asked for, and every way its conditions can fall, is taken by exactly one row."""
    needed: set[str] = set()
    for label in list_labels(crosswalk.old):
        rows = [row for row in crosswalk.rows if row.label == label]
        if not rows:
            yield ("rows",), f"no row takes {label}"
        for cell in _cells(crosswalk.old, label, rows):
            yield from _cell_faults(crosswalk, label, cell, needed)
    for place, row in enumerate(crosswalk.rows):
        if row.otherwise and row.id not in needed:
            yield ("rows", place, "otherwise"), f"{row.id} takes nothing: other rows take all of its codings already"


def _cells(old: Codebook, label: str, rows: Iterable[CrosswalkRow]) -> Iterator[dict[str, str]]:
    """Yield every combination of values of the fields that the rows of a label ask for."""
    names = sorted({name for row in rows for name in row.when})
    asked = [field for name in names if (field := old.field(name)) is not None and shows(old, field, label)]
    for values in product(*(field.codes for field in asked)):
        yield dict(zip((field.name for field in asked), values, strict=True))


def _cell_faults(crosswalk: Crosswalk, label: str, cell: Mapping[str, str], needed: set[str]) -> Iterator[Fault]:
    rows = [row for row in crosswalk.rows if row.label == label and _meets(row, cell)]
    told = " ".join([label, *(f"with {name} {value}" for name, value in cell.items())])
    conditioned, rest = [row for row in rows if not row.otherwise], [row for row in rows if row.otherwise]
    atoms = sorted({canonical_json(dict(one)) for row in conditioned for one in (*row.require, *row.unless)})
    if len(atoms) > MOST_CONDITIONS:
        yield ("rows",), f"{told}: rows ask for more than {MOST_CONDITIONS} conditions together"
        return
    taken = [
        _taken(conditioned, dict(zip(atoms, held, strict=True))) for held in product((True, False), repeat=len(atoms))
    ]
    twice = next((rows for rows in taken if len(rows) > 1), [])
    left = any(not rows for rows in taken)
    if twice:
        yield _at(crosswalk, twice[1]), f"{told} can be taken by {twice[0].id} and by {twice[1].id}"
    elif len(rest) > 1:
        yield _at(crosswalk, rest[1]), f"{told} is left to {rest[0].id} and to {rest[1].id}"
    elif left and not rest:
        yield _at(crosswalk, rows[0]) if rows else ("rows",), f"no row takes every {told}; add one with otherwise: true"
    if left:
        needed.update(row.id for row in rest)


def _meets(row: CrosswalkRow, cell: Mapping[str, str]) -> bool:
    return all(cell.get(name) in values for name, values in row.when.items())


def _taken(rows: Sequence[CrosswalkRow], held: Mapping[str, bool]) -> list[CrosswalkRow]:
    return [
        row
        for row in rows
        if all(held[canonical_json(dict(one))] for one in row.require)
        and not any(held[canonical_json(dict(one))] for one in row.unless)
    ]


def _at(crosswalk: Crosswalk, row: CrosswalkRow) -> tuple[str | int, ...]:
    return ("rows", crosswalk.rows.index(row))


def _values(crosswalk: Crosswalk) -> Iterator[Fault]:
    """Whatever an automatic row takes has a value in the new codebook."""
    for place, row in enumerate(crosswalk.rows):
        for one in crosswalk.carried if row.to is not None else ():
            source, target = crosswalk.old.field(one.source), crosswalk.new.field(one.name)
            if source is None or target is None or not _carries(crosswalk, row, source, target):
                continue
            kept = one.values if one.values is not None else {code: code for code in target.codes}
            lost = [code for code in _possible(row, source) if code not in kept]
            if lost:
                yield ("rows", place), f"takes {', '.join(lost)} for {source.name}, which has no value in {one.name}"


def _carries(crosswalk: Crosswalk, row: CrosswalkRow, source: Field, target: Field) -> bool:
    listed = target.type in ("enum", "flags") and target.name not in row.sets
    return listed and shows(crosswalk.old, source, row.label) and shows(crosswalk.new, target, str(row.to))


def _possible(row: CrosswalkRow, source: Field) -> Sequence[str]:
    if source.name in row.when:
        return row.when[source.name]
    refused = {flag for one in row.require for flag in one.get("no_flag", ())} if source.type == "flags" else set()
    return [code for code in source.codes if code not in refused]


def _moved(crosswalk: Crosswalk) -> Iterator[Fault]:
    """What is carried over automatically stays in its class: a coding that changes class is coded again."""
    for place, row in enumerate(crosswalk.rows):
        if row.to is not None and not any(row.label in one.old and row.to in one.new for one in crosswalk.harmonised):
            yield ("rows", place, "to"), f"{row.label} and {row.to} stand in two classes of the harmonised scale"
