"""A reconciliation spec (YAML) read into `domain.reconcile.spec`, every fault named by file, line and key.

Responsible for keys and types; what the values mean together is `domain.reconcile.faults`. It opens no table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from app.domain.reconcile.faults import find_fault
from app.domain.reconcile.spec import (
    Addition,
    CategoryMapping,
    ContentHash,
    Denominator,
    Executor,
    KeyCandidate,
    MappingCandidate,
    NoAntecedent,
    NullScheme,
    RowRules,
    Spec,
    Stated,
    Table,
    TierRow,
    Tolerance,
    Words,
)
from app.readers.located_yaml import Located, parse_yaml, read_limited
from app.readers.reconcile_families import read_family

SCHEMA = "reconcile/1"
KEYS = (
    *("schema", "id", "title", "written", "arm", "state_at_writing", "prior_inspection", "statements"),
    *("tables", "join", "mapping", "no_antecedent", "denominators", "missing", "families", "tolerances"),
    *("gate", "null", "precedence", "all_undefined", "rows", "content_hash", "additions", "boundaries", "not_shown"),
)
_T = TypeVar("_T")


@dataclass(frozen=True)
class ReadSpec:
    """A spec with its verbatim text and the tree that knows the line of every key."""

    spec: Spec
    root: Located
    text: str


def load_spec(path: Path) -> ReadSpec:
    """Return the spec file at `path`. Raises `NotFound` without the file, else as `parse_spec`."""
    data = read_limited(path)
    return parse_spec(data, path.name)


def parse_spec(data: bytes, name: str) -> ReadSpec:
    """Return the spec in `data`; `name` is what messages call the file.

    Raises `BadInput` with file, line and key: unknown, missing or doubled key, wrong type, a value that is not known,
    declarations that contradict one another.
    """
    root = parse_yaml(data, name)
    spec = _spec(root.mapping(KEYS))
    fault = find_fault(spec)
    if fault is not None:
        raise root.at(fault.path).fault(fault.message)
    return ReadSpec(spec, root, data.decode("utf-8-sig"))


def _spec(keys: dict[str, Located]) -> Spec:
    if keys["schema"].value != SCHEMA:
        raise keys["schema"].fault(f"takes {SCHEMA}")
    tables = keys["tables"].mapping(("target", "source"))
    undefined = keys["all_undefined"].mapping(("class", "reason"))
    if undefined["class"].text() != "no antecedent":
        raise undefined["class"].fault("takes no antecedent: where no policy gives a value nothing can diverge")
    return Spec(
        id=keys["id"].text(),
        target=_table("target", tables["target"]),
        source=_table("source", tables["source"]),
        keys=_each(keys["join"], _key),
        mapping=_mapping(keys["mapping"]),
        no_antecedent=_each(keys["no_antecedent"], _no_antecedent),
        denominators={name: _denominator(node) for name, node in keys["denominators"].entries().items()},
        missing={name: node.text() for name, node in keys["missing"].entries().items()},
        families=_each(keys["families"], read_family),
        tolerances={name: _tolerance(node) for name, node in keys["tolerances"].entries().items()},
        null=_null(keys["null"]),
        precedence=keys["precedence"].texts(),
        all_undefined_reason=undefined["reason"].text(),
        rows=_rows(keys["rows"]),
        content_hash=_content_hash(keys["content_hash"]),
        gate=_gate(keys["gate"]),
        additions=_each(keys["additions"], _addition),
        words=_words(keys),
    )


def _each(node: Located, read: Callable[[Located], _T]) -> tuple[_T, ...]:
    return tuple(read(item) for item in node.items())


def _words(keys: dict[str, Located]) -> Words:
    return Words(
        title=keys["title"].text(),
        written=keys["written"].text(),
        arm=keys["arm"].text(),
        state_at_writing=keys["state_at_writing"].text(),
        prior_inspection=keys["prior_inspection"].texts(),
        statements=keys["statements"].texts(),
        boundaries=keys["boundaries"].texts(),
        not_shown=keys["not_shown"].texts(),
    )


def _table(role: str, node: Located) -> Table:
    keys = node.mapping(("file", "unique", "columns"), ("stated",))
    stated = keys["stated"].mapping((), ("rows", "columns", "nulls", "decimals")) if "stated" in keys else {}
    return Table(
        role=role,
        file=keys["file"].text(),
        columns={name: kind.text() for name, kind in keys["columns"].entries().items()},
        unique=keys["unique"].texts(),
        stated=Stated(
            rows=stated["rows"].whole() if "rows" in stated else None,
            columns=stated["columns"].whole() if "columns" in stated else None,
            nulls=_wholes(stated.get("nulls")),
            decimals=_wholes(stated.get("decimals")),
        ),
    )


def _wholes(node: Located | None) -> dict[str, int]:
    return {} if node is None else {name: entry.whole() for name, entry in node.entries().items()}


def _key(node: Located) -> KeyCandidate:
    keys = node.mapping(("id", "target", "source"), ("fold_case",))
    folds = keys["fold_case"].truth() if "fold_case" in keys else False
    return KeyCandidate(keys["id"].text(), keys["target"].texts(), keys["source"].texts(), folds)


def _mapping(node: Located) -> CategoryMapping:
    keys = node.mapping(("benchmark", "category", "prefixes", "decides", "candidates"))
    return CategoryMapping(
        benchmark=keys["benchmark"].text(),
        category=keys["category"].text(),
        prefixes=keys["prefixes"].texts(),
        decides=keys["decides"].text(),
        candidates=_each(keys["candidates"], _candidate),
    )


def _candidate(node: Located) -> MappingCandidate:
    keys = node.mapping(("id", "origin", "pairs"))
    pairs = keys["pairs"]
    if pairs.value == "observed":
        return MappingCandidate(keys["id"].text(), None, keys["origin"].text())
    said = {name: entry.text() for name, entry in pairs.entries().items()}
    return MappingCandidate(keys["id"].text(), said, keys["origin"].text())


def _no_antecedent(node: Located) -> NoAntecedent:
    keys = node.mapping(("columns", "reason"))
    return NoAntecedent(keys["columns"].texts(), keys["reason"].text())


def _denominator(node: Located) -> Denominator:
    keys = node.mapping(("counts",), ("column",))
    return Denominator(keys["counts"].text(), keys["column"].text() if "column" in keys else None)


def _tolerance(node: Located) -> Tolerance:
    keys = node.mapping(("unit", "tiers"))
    return Tolerance(keys["unit"].text(), _each(keys["tiers"], _tier))


def _tier(node: Located) -> TierRow:
    keys = node.mapping(("tier",), ("equal", "above", "up_to"))
    return TierRow(
        tier=keys["tier"].text(),
        equal=keys["equal"].text() if "equal" in keys else None,
        above=_number(keys.get("above")),
        up_to=_number(keys.get("up_to")),
    )


def _number(node: Located | None) -> float | None:
    if node is None:
        return None
    number = node.number_or_null()
    if number is None:
        raise node.fault("takes a number")
    return number


def _gate(node: Located) -> float:
    keys = node.mapping(("absolute", "processes"))
    if keys["processes"].whole() != 2:
        raise keys["processes"].fault("takes 2: each implementation runs in two processes")
    return _number(keys["absolute"]) or 0.0


def _null(node: Located) -> NullScheme:
    keys = node.mapping(("permute", "generator", "seed", "draws", "statistics", "quantiles"))
    for name, only in (("permute", "groups over rows"), ("generator", "default_rng")):
        if keys[name].text() != only:
            raise keys[name].fault(f"takes {only}")
    return NullScheme(
        seed=keys["seed"].whole(),
        draws=keys["draws"].whole(),
        statistics=keys["statistics"].texts(),
        quantiles=tuple(item.whole() for item in keys["quantiles"].items()),
    )


def _rows(node: Located) -> RowRules:
    keys = node.mapping(("largest_deviation", "ranked_by", "executor_column", "executors"))
    largest = keys["largest_deviation"].mapping(("under", "tie_decimals"))
    if largest["under"].text() != "primary":
        raise largest["under"].fault("takes primary")
    return RowRules(
        tie_decimals=largest["tie_decimals"].whole(),
        ranked_by=keys["ranked_by"].text(),
        executor_column=keys["executor_column"].text(),
        executors=_each(keys["executors"], _executor),
    )


def _executor(node: Located) -> Executor:
    names = ("model", "fallback", "starts_with", "note")
    keys = node.mapping(("id",), names)
    given: dict[str, Any] = {name: keys[name].text() for name in names if name in keys}
    return Executor(id=keys["id"].text(), **given)


def _content_hash(node: Located) -> ContentHash:
    keys = node.mapping(("tables", "float_format", "joined_by", "shipped"))
    return ContentHash(
        tables=keys["tables"].texts(),
        float_format=keys["float_format"].text(),
        joined_by=keys["joined_by"].text(),
        shipped=keys["shipped"].text(),
    )


def _addition(node: Located) -> Addition:
    keys = node.mapping(("id", "date", "text"))
    return Addition(keys["id"].text(), keys["date"].text(), keys["text"].text())
