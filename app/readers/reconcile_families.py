"""The families and policies of a reconciliation spec, read from its tree; keys and types only."""

from __future__ import annotations

from app.domain.reconcile.spec import Family, Formula, Pairing, Policy
from app.readers.located_yaml import Located

_REQUIRED = ("id", "columns", "kind", "scope", "tolerance", "primary", "policies")
_OPTIONAL = ("value", "decimals", "rounding", "pairings", "structural_as_key")
_WAYS = ("formula", "macro", "text_rule", "distinct_having")


def read_family(node: Located) -> Family:
    """Return one family. Raises `BadInput` with file, line and key for a wrong key or type."""
    keys = node.mapping(_REQUIRED, _OPTIONAL)
    return Family(
        id=keys["id"].text(),
        columns=keys["columns"].texts(),
        kind=keys["kind"].text(),
        scope=keys["scope"].text(),
        tolerance=keys["tolerance"].text(),
        primary=keys["primary"].text(),
        policies=tuple(_policy(item) for item in keys["policies"].items()),
        value=keys["value"].text() if "value" in keys else None,
        decimals=keys["decimals"].whole() if "decimals" in keys else None,
        rounding=tuple(_rounding(item) for item in keys["rounding"].items()) if "rounding" in keys else (),
        pairings=tuple(_pairing(item) for item in keys["pairings"].items()) if "pairings" in keys else (),
        structural_as_key=keys["structural_as_key"].truth() if "structural_as_key" in keys else False,
    )


def _rounding(node: Located) -> int | None:
    return None if node.value == "none" else node.whole()


def _pairing(node: Located) -> Pairing:
    keys = node.mapping(("aggregation", "missing"), ("denominator",))
    denominator = keys["denominator"].text() if "denominator" in keys else None
    return Pairing(keys["aggregation"].text(), keys["missing"].text(), denominator)


def _policy(node: Located) -> Policy:
    keys = node.mapping(("id",), (*_WAYS, "over"))
    ways = [way for way in _WAYS if way in keys]
    if len(ways) != 1:
        raise node.fault(f"takes exactly one of {', '.join(_WAYS)}")
    return Policy(
        id=keys["id"].text(),
        formula=_formula(keys["formula"]) if "formula" in keys else None,
        macro=_formula(keys["macro"]) if "macro" in keys else None,
        over=keys["over"].text() if "over" in keys else None,
        text_rule=keys["text_rule"].text() if "text_rule" in keys else None,
        distinct_having=keys["distinct_having"].text() if "distinct_having" in keys else None,
    )


def _formula(node: Located) -> Formula:
    keys = node.mapping(("aggregation", "missing"), ("denominator", "scale", "rounded_to"))
    scale = keys["scale"].number_or_null() if "scale" in keys else 1.0
    if scale is None:
        raise keys["scale"].fault("takes a number")
    return Formula(
        aggregation=keys["aggregation"].text(),
        missing=keys["missing"].text(),
        denominator=keys["denominator"].text() if "denominator" in keys else None,
        scale=scale,
        rounded_to=keys["rounded_to"].whole() if "rounded_to" in keys else None,
    )
