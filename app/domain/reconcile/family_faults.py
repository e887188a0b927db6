"""What a family of columns may not declare: a policy without its column, a combination that is not paired, no primary.

Responsible for families and their policies alone; the rest of a spec is judged in `faults`.
"""

from __future__ import annotations

from collections.abc import Iterator

from app.domain.reconcile.spec import (
    AGGREGATIONS,
    CATEGORY,
    COUNT_RULES,
    KINDS,
    OVER,
    TEXT_RULES,
    Family,
    Formula,
    Pairing,
    Path,
    Policy,
    Spec,
    expand,
)

_SCOPES = ("category", "row")
_LARGEST_SCALE = 1_000_000
Fault = tuple[Path, str]


def family_faults(spec: Spec) -> Iterator[Fault]:
    """Yield (path of the key, sentence) of every declaration of a family that cannot stand."""
    seen: set[str] = set()
    for n, family in enumerate(spec.families):
        at: Path = ("families", n)
        if family.id in seen:
            yield (*at, "id"), f'"{family.id}" is there already'
        seen.add(family.id)
        yield from _family(spec, family, at)
        yield from _policies(spec, family, at)


def _family(spec: Spec, family: Family, at: Path) -> Iterator[Fault]:
    if family.scope not in _SCOPES:
        yield (*at, "scope"), f'"{family.scope}" is not one of {", ".join(_SCOPES)}'
    if family.tolerance not in spec.tolerances:
        yield (*at, "tolerance"), f'"{family.tolerance}" is no tolerance table'
    elif spec.tolerances[family.tolerance].rows[0].equal != ("rounded" if family.kind == "number" else "exactly"):
        yield (*at, "tolerance"), "takes a table whose T0 is rounded for numbers, exactly for anything else"
    yield from _decimals(family, at)
    yield from _kinds(spec, family, at)
    yield from _values(spec, family, at)
    for i, pairing in enumerate(family.pairings):
        yield from _declared(spec, pairing, (*at, "pairings", i))


def _decimals(family: Family, at: Path) -> Iterator[Fault]:
    if family.kind == "number" and family.decimals is None:
        yield at, "lacks the key decimals: to how many the columns are published"
    if (family.decimals or 0) > 15:
        yield (*at, "decimals"), "takes at most 15"
    for i, digits in enumerate(family.rounding):
        if digits is not None and digits > 15:
            yield (*at, "rounding", i), "takes none or at most 15 decimals"


def _kinds(spec: Spec, family: Family, at: Path) -> Iterator[Fault]:
    if family.kind not in KINDS or family.kind == "truth":
        yield (*at, "kind"), "takes text, number or whole"
    for i, name in enumerate(family.columns):
        if (CATEGORY in name) != (family.scope == "category"):
            yield (*at, "columns", i), f"a family of scope category, and no other, has {CATEGORY} in its columns"
        for column in expand((name,), spec.mapping.prefixes):
            found = spec.target.columns.get(column)
            if found != family.kind:
                yield (*at, "columns", i), f'"{column}" is declared as {found}, the family as {family.kind}'


def _values(spec: Spec, family: Family, at: Path) -> Iterator[Fault]:
    """The source columns the family's policies read."""
    source = spec.source
    if family.kind == "text":
        for i, name in enumerate(family.columns):
            if source.columns.get(name) != "text":
                yield (*at, "columns", i), f'needs the text column "{name}", which is not in {source.file}'
    elif family.value is None:
        yield at, "lacks the key value: the source column the policies read"
    elif family.value not in source.columns:
        yield (*at, "value"), f'needs the column "{family.value}", which is not in {source.file}'


def _policies(spec: Spec, family: Family, at: Path) -> Iterator[Fault]:
    ids: set[str] = set()
    for i, policy in enumerate(family.policies):
        here: Path = (*at, "policies", i)
        if policy.id in ids:
            yield (*here, "id"), f'"{policy.id}" is there already'
        ids.add(policy.id)
        yield from _policy(family, policy, here)
        for key, formula in (("formula", policy.formula), ("macro", policy.macro)):
            if formula is not None:
                yield from _formula(spec, family, formula, (*here, key))
    if family.primary not in ids:
        yield (*at, "primary"), f'"{family.primary}" is none of the policies {", ".join(sorted(ids))}'


def _policy(family: Family, policy: Policy, here: Path) -> Iterator[Fault]:
    suits = {
        "number": policy.formula is not None or (policy.macro is not None and family.scope == "row"),
        "whole": policy.distinct_having is not None,
        "text": policy.text_rule is not None,
    }
    if not suits.get(family.kind, False):
        yield here, f"does not give a {family.kind} of scope {family.scope}"
    if (policy.macro is None) != (policy.over is None) or policy.over not in (None, *OVER):
        yield here, f"a macro, and nothing else, takes over: {' or '.join(OVER)}"
    if policy.text_rule not in (None, *TEXT_RULES):
        yield (*here, "text_rule"), f"takes {' or '.join(TEXT_RULES)}"
    if policy.distinct_having not in (None, *COUNT_RULES):
        yield (*here, "distinct_having"), f"takes {' or '.join(COUNT_RULES)}"


def _formula(spec: Spec, family: Family, formula: Formula, here: Path) -> Iterator[Fault]:
    if formula.aggregation not in AGGREGATIONS:
        yield (*here, "aggregation"), f'"{formula.aggregation}" is not one of {", ".join(AGGREGATIONS)}'
    pairing = Pairing(formula.aggregation, formula.missing, formula.denominator)
    yield from _declared(spec, pairing, here)
    if pairing not in family.pairings:
        said = f"{pairing.aggregation}, {pairing.missing}, {pairing.denominator or 'no denominator'}"
        yield here, f"combines {said}, which is none of the family's pairings"
    if (formula.aggregation == "median") == (formula.denominator is not None):
        yield here, "a median has no denominator; everything else has one"
    needed = "truth" if formula.aggregation == "share" else "number"
    if spec.source.columns.get(family.value or "") != needed:
        yield here, f'a {formula.aggregation} needs a column of kind {needed}, and "{family.value}" is none'
    becomes = spec.missing.get(formula.missing)
    if becomes == ("zero" if formula.aggregation == "share" else "false"):
        yield (*here, "missing"), f"a {formula.aggregation} does not take a null as {becomes}"
    if not 0 < formula.scale <= _LARGEST_SCALE:
        yield (*here, "scale"), f"takes a number above 0, at most {_LARGEST_SCALE:,}"
    if (formula.rounded_to or 0) > 15:
        yield (*here, "rounded_to"), "takes at most 15 decimals"


def _declared(spec: Spec, pairing: Pairing, here: Path) -> Iterator[Fault]:
    if pairing.missing not in spec.missing:
        yield (*here, "missing"), f'"{pairing.missing}" is no missing policy'
    if pairing.denominator is not None and pairing.denominator not in spec.denominators:
        yield (*here, "denominator"), f'"{pairing.denominator}" is no denominator'
