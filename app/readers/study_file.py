"""A study file (YAML) read into the declarations of `domain.study`, every fault named by file, line and key.

Responsible for keys and types; what the values mean together is the domain's. It does not look whether the files, users
or codebook that are named exist.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from app.domain.study import (
    OPTIONAL,
    REQUIRED,
    Blinding,
    Overlap,
    Policies,
    PrimaryPolicy,
    Qualification,
    Sampling,
    StudySpec,
    Thresholds,
)
from app.domain.study_faults import find_fault
from app.readers.located_yaml import Located, parse_yaml, read_limited

_Declared = TypeVar("_Declared", Sampling, Overlap, PrimaryPolicy, Policies, Thresholds, Blinding, Qualification)
_TEXTS = (
    "id",
    "title",
    "codebook",
    "log",
    "claims",
    "coverage",
    "lead",
    "custodian",
    "calibration",
    "controls",
    "order",
    "state_at_writing",
    "prior_inspection",
)
_LISTS = ("raters", "machine_raters", "adjudicators")
_LEAST_SHARED = 100  # claims: the floor of a partial overlap where the file names none (protocol: never fewer)


def load_study(path: Path) -> StudySpec:
    """Return the study file at `path`. Raises `NotFound` without the file, else as `parse_study`."""
    data = read_limited(path)
    parse_yaml(data, path.name)  # names the line of a byte that is not UTF-8 before the text is taken
    return replace(parse_study(data.decode("utf-8-sig"), path.name), folder=str(path.parent))


def parse_study(text: str, name: str) -> StudySpec:
    """Return the declarations in `text`; `name` is what messages call the file.

    Raises `BadInput` with file, line and key: unknown, missing or doubled key, wrong type, a value that is not allowed,
    a rater named twice, a person who codes and also adjudicates or holds the seal.
    """
    root = parse_yaml(text.encode("utf-8", errors="surrogatepass"), name)
    keys = root.mapping(REQUIRED, OPTIONAL)
    values: dict[str, Any] = {key: _value(key, node) for key, node in keys.items() if not _is_left_out(key, node)}
    values.setdefault("title", values["id"])
    spec = StudySpec(**values, text=text, folder=str(Path(name).parent))
    fault = find_fault(spec)
    if fault is not None:
        raise root.at(fault.path).fault(fault.message)
    return spec


def _is_left_out(key: str, node: Located) -> bool:
    return key in OPTIONAL and node.value is None


def _value(key: str, node: Located) -> Any:
    if key in _TEXTS:
        return node.text()
    if key in _LISTS:
        return node.texts()
    return _READ[key](node)


def _part(kind: type[_Declared], node: Located) -> _Declared:
    """Return one nested declaration; what it leaves out keeps its default."""
    known = {entry.name: entry.type for entry in fields(kind)}
    given = {name: _typed(str(known[name]), item) for name, item in node.mapping((), known).items()}
    if kind is Sampling and "n" in given:
        given.setdefault("frame", None)
    return kind(**given)


def _typed(kind: str, node: Located) -> Any:
    if kind.startswith("tuple"):
        return node.texts()
    if kind.startswith("int"):
        return node.whole()
    return _number(node) if kind.startswith("float") else node.text()


def _overlap(node: Located) -> Overlap:
    node.mapping(("design",), ("share", "min_claims", "k"))
    overlap = _part(Overlap, node)
    needs_floor = overlap.design == "partial" and overlap.min_claims is None
    return replace(overlap, min_claims=_LEAST_SHARED) if needs_floor else overlap


def _policies(node: Located) -> Policies:
    names = ("pooling", "gaps", "denominators", "repeats_of")
    entries = node.mapping((), (*names, "primary"))
    given: dict[str, Any] = {name: entries[name].texts() for name in names if name in entries}
    if "primary" in entries:
        given["primary"] = _part(PrimaryPolicy, entries["primary"])
    return Policies(**given)


def _number(node: Located) -> float:
    number = node.number_or_null()
    if number is None:
        raise node.fault("takes a number")
    return number


def _amendment(node: Located) -> Any:
    if not isinstance(node.value, dict | str):
        raise node.fault("takes a text or a mapping")
    return node.plain()


def _amendments(node: Located) -> tuple[Any, ...]:
    return tuple(_amendment(item) for item in node.items())


_READ: Mapping[str, Callable[[Located], Any]] = {
    "seed": Located.whole,
    "repeats": _number,
    "sampling": partial(_part, Sampling),
    "overlap": _overlap,
    "policies": _policies,
    "thresholds": partial(_part, Thresholds),
    "blinding": partial(_part, Blinding),
    "qualification": partial(_part, Qualification),
    "amendments": _amendments,
}
