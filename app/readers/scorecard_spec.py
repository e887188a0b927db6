"""A scorecard file (YAML) read into the declarations of `domain.scorecard.spec`, every fault named by file, line, key.

Responsible for keys and types; what the values mean together is the domain's. It opens none of the tables it names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from app.domain.scorecard.spec import (
    DEFAULT_RESAMPLINGS,
    OPTIONAL_TABLES,
    ORIGINAL,
    REQUIRED_TABLES,
    RESAMPLINGS,
    THE_ORIGINAL,
    Disclosure,
    Focus,
    Length,
    Planned,
    Resampling,
    Rule,
    Salience,
    ScorecardSpec,
    Slice,
    Step,
    Thresholds,
    Weights,
)
from app.domain.scorecard.spec_faults import find_fault
from app.readers.located_yaml import Located, parse_yaml, read_limited

REQUIRED = ("id", "state_at_writing", "tables")


def load_scorecard(path: Path) -> ScorecardSpec:
    """Return the scorecard file at `path`. Raises `NotFound` without the file, else as `parse_scorecard`."""
    return parse_scorecard(read_limited(path), path.name)


def parse_scorecard(data: bytes, name: str) -> ScorecardSpec:
    """Return the declarations in `data`; `name` is what messages call the file.

    Raises `BadInput` with file, line and key: unknown, missing or doubled key, wrong type, a value that is not allowed,
    weights that do not sum to a score of 100, an altered original.
    """
    root = parse_yaml(data, name)
    keys = root.mapping(REQUIRED, tuple(_READ))
    languages = keys["languages"].texts() if "languages" in keys else None
    if languages is not None and len(languages) != 2:
        raise keys["languages"].fault("takes two languages, each scored from 1 to 10")
    values: dict[str, Any] = {
        key: _READ[key](node) for key, node in keys.items() if key != "scenarios" and not _is_left_out(key, node)
    }
    if "scenarios" in keys:
        values["scenarios"] = _scenarios(keys["scenarios"], values.get("languages", ScorecardSpec.languages))
    values.setdefault("title", values["id"])
    spec = ScorecardSpec(**values, text=data.decode("utf-8-sig"))
    fault = find_fault(spec)
    if fault is not None:
        raise root.at(fault.path).fault(fault.message)
    return spec


def _is_left_out(key: str, node: Located) -> bool:
    return key not in REQUIRED and node.value is None


def _scenarios(node: Located, languages: tuple[str, str]) -> dict[str, Weights]:
    """The original first, stated or not; the others in the order of the file."""
    found = {ORIGINAL: THE_ORIGINAL}
    for name, entry in node.entries().items():
        weights = entry.mapping(("core", "precision", *languages))
        first, second = (_number(weights[language]) for language in languages)
        found[name] = Weights(_number(weights["core"]), _number(weights["precision"]), (first, second))
    return found


def _number(node: Located) -> float:
    number = node.number_or_null()
    if number is None:
        raise node.fault("takes a number")
    return number


def _tables(node: Located) -> dict[str, str]:
    return {name: _file(entry) for name, entry in node.mapping(REQUIRED_TABLES, OPTIONAL_TABLES).items()}


def _file(node: Located) -> str:
    name = node.text()
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise node.fault("takes a file inside the data folder, without a leading slash or ..")
    return name


def _salience(node: Located) -> Salience:
    keys = node.mapping((), ("core", "supporting", "other"))
    given: dict[str, Any] = {name: keys[name].text() for name in ("core", "supporting") if name in keys}
    if "other" in keys:
        given["other"] = keys["other"].texts()
    return Salience(**given)


def _resampling(node: Located) -> dict[str, Resampling]:
    found = dict(DEFAULT_RESAMPLINGS)
    for name, entry in node.mapping((), RESAMPLINGS).items():
        keys = entry.mapping(("draws", "seed"))
        found[name] = Resampling(keys["draws"].whole(), keys["seed"].whole())
    return found


def _slices(node: Located) -> tuple[Slice, ...]:
    found = []
    for item in node.items():
        keys = item.mapping(("name", "column", "value"))
        found.append(Slice(*(keys[name].text() for name in ("name", "column", "value"))))
    return tuple(found)


def _focus(node: Located) -> Focus:
    keys = node.mapping(("name", "models"), ("criteria",))
    criteria = keys["criteria"].texts() if "criteria" in keys else ()
    return Focus(keys["name"].text(), keys["models"].texts(), criteria)


def _length(node: Located) -> Length:
    keys = node.mapping(("columns", "unit"))
    return Length(keys["columns"].texts(), keys["unit"].text())


def _thresholds(node: Located) -> Thresholds:
    keys = node.mapping((), ("intra_label_agreement", "inter_rank_correlation"))
    return Thresholds(**{name: _number(entry) for name, entry in keys.items()})


def _settings(node: Located) -> dict[str, str]:
    """Stated values as the run headers spell them: text, or a number, true or false as written."""
    found = {}
    for name, entry in node.entries().items():
        value = entry.value
        if isinstance(value, bool):
            found[name] = "true" if value else "false"
        elif isinstance(value, int | float):
            found[name] = str(value)
        else:
            found[name] = entry.text()
    return found


def _rules(node: Located) -> tuple[Rule, ...]:
    found = []
    for item in node.items():
        keys = item.mapping(("name", "column", "enforced"))
        found.append(Rule(keys["name"].text(), keys["column"].text(), keys["enforced"].truth()))
    return tuple(found)


def _planned(node: Located) -> Planned:
    counts = ("models", "questions", "judges", "repeats", "reviews")
    keys = node.mapping((), (*counts, "steps"))
    given: dict[str, Any] = {name: keys[name].whole() for name in counts if name in keys}
    if "steps" in keys:
        steps = [item.mapping(("name", "file")) for item in keys["steps"].items()]
        given["steps"] = tuple(Step(step["name"].text(), _file(step["file"])) for step in steps)
    return Planned(**given)


def _disclosures(node: Located) -> tuple[Disclosure, ...]:
    names = ("concern", "planned", "completed")
    found = [item.mapping(names) for item in node.items()]
    return tuple(Disclosure(*(keys[name].text() for name in names)) for keys in found)


def _ignored(node: Located) -> dict[str, tuple[str, ...]]:
    return {name: entry.texts() for name, entry in node.entries().items()}


def _pair(node: Located) -> tuple[str, ...]:
    return node.texts()


_READ: Mapping[str, Callable[[Located], Any]] = {
    "id": Located.text,
    "title": Located.text,
    "state_at_writing": Located.text,
    "prior_inspection": Located.text,
    "public_registration": Located.text,
    "tables": _tables,
    "languages": _pair,
    "salience": _salience,
    "scenarios": Located.entries,
    "precision_of_nothing": Located.text,
    "resampling": _resampling,
    "slices": _slices,
    "focus": _focus,
    "length": _length,
    "consensus_of": Located.whole,
    "thresholds": _thresholds,
    "currency": Located.text,
    "stated_settings": _settings,
    "inventory": Located.texts,
    "rules": _rules,
    "saved_tolerance": _number,
    "planned": _planned,
    "disclosures": _disclosures,
    "ignored_columns": _ignored,
}
