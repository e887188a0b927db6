"""How the report writes numbers, and the tables of agreement and gap rates it shows.

Rounding happens here and nowhere before: three decimals, half to even. No rate is written without its n/N, no undefined
value without its reason, and no value gets an adjective.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.canonical import round_half_even
from app.domain.export.policies import Policies
from app.domain.stats.statistic import REASONS

_HEAT_STEPS = 6


@dataclass(frozen=True)
class MatrixCell:
    """One cell of a confusion matrix: its count, how strongly it is shaded (0–6) and whether it is agreement."""

    count: int
    heat: int
    agrees: bool


@dataclass(frozen=True)
class PairTable:
    """One pair's matrix, first rater down, with row and column sums, and its figures as text."""

    first: str
    second: str
    labels: tuple[str, ...]
    cells: tuple[tuple[MatrixCell, ...], ...]
    row_sums: tuple[int, ...]
    column_sums: tuple[int, ...]
    n: int
    figures: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class FieldLine:
    """One field and pair in the table of all fields."""

    field: str
    pair: str
    n: int
    exact: str
    kappa: str
    interval: str
    alpha: str


@dataclass(frozen=True)
class GapLine:
    """One policy's rates in gap-policy order, each as `value n/N`; `primary` names the column that is primary."""

    pooling: str
    denominator: str
    repeats_of: str
    rates: tuple[str, ...]
    primary: str | None
    declared: bool


def number(value: float | None) -> str:
    """Return a value at three decimals, half to even; minus zero as zero."""
    if value is None:
        return "undefined"
    rounded = round_half_even(float(value), 3)
    return f"{rounded + 0.0 if rounded else 0.0:.3f}"


def told(statistic: Mapping[str, Any] | None) -> str:
    """Return a statistic's value, or `undefined` with its reason in words."""
    if statistic is None:
        return "not computed"
    if statistic.get("value") is not None:
        return number(statistic["value"])
    reason = str(statistic.get("undefined_reason"))
    return f"undefined: {REASONS.get(reason, reason)}"


def briefly(statistic: Mapping[str, Any] | None) -> str:
    """Return a statistic's value, or `undefined` with the code of its reason, for a narrow column."""
    if statistic is None or statistic.get("value") is not None:
        return told(statistic)
    return f"undefined: {str(statistic.get('undefined_reason')).replace('_', ' ')}"


def ratio(num: float, den: float, value: float | None) -> str:
    """Return `value (n/N)`, whole counts without decimals.

    >>> ratio(3, 12, 0.25), ratio(0, 0, None)
    ('0.250 (3/12)', 'undefined (0/0)')
    """
    return f"{number(value)} ({_plain(num)}/{_plain(den)})"


def interval(kappa: Mapping[str, Any]) -> str:
    """Return the primary 95 % interval with its method, or `undefined`."""
    limits = kappa.get("ci95") or [None, None]
    if limits[0] is None or limits[1] is None:
        return "undefined"
    return f"[{number(limits[0])}, {number(limits[1])}]"


def pair_tables(document: Mapping[str, Any]) -> list[PairTable]:
    """Return every pair of a document as a table."""
    return [_pair_table(document, pair) for pair in document["pairs"]]


def field_lines(agreement: Mapping[str, Mapping[str, Any]], version: str) -> list[FieldLine]:
    """Return one line a field and pair that have a common unit; the others stand in `agreement.json` alone."""
    lines = []
    for field, by_version in agreement.items():
        document = by_version[version]
        alpha = briefly((document.get("overall") or {}).get("krippendorff_alpha_nominal"))
        for pair in document["pairs"]:
            if pair["n"]:
                exact, kappa = pair["exact_agreement"], pair["cohen_kappa"]
                names = " and ".join(pair["raters"])
                shown = ratio(exact["num"], exact["den"], exact["value"])
                lines.append(FieldLine(field, names, pair["n"], shown, briefly(kappa), interval(kappa), alpha))
    return lines


def gap_lines(rows: Sequence[Mapping[str, Any]], claims: str) -> list[GapLine]:
    """Return the gap rates of one claim set, one line a pooling, denominator and repeats policy, in file order."""
    lines: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["claims"] == claims:
            pooling = f"{row['pooling']}, {row['coder_slot']} alone" if row.get("coder_slot") else str(row["pooling"])
            lines.setdefault((pooling, row["denominator"], row["repeats_of"]), []).append(row)
    return [_gap_line(key, found) for key, found in lines.items()]


def gap_columns(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the gap policies in file order."""
    return list(dict.fromkeys(str(row["gap"]) for row in rows))


def undeclared(rows: Sequence[Mapping[str, Any]], policies: Policies) -> list[str]:
    """Return the policies that were computed although the registration did not declare them."""
    pooling = [f"pooling {p}" for p in dict.fromkeys(r["pooling"] for r in rows) if p not in policies.pooling]
    gaps = [f"gap policy {g}" for g in dict.fromkeys(r["gap"] for r in rows) if g not in policies.gaps]
    named = (*policies.denominators, "decided_or_released" if "decided" in policies.denominators else "")
    found = [f"denominator {d}" for d in dict.fromkeys(r["denominator"] for r in rows) if d not in named]
    repeats = [f"repeats: {r}" for r in dict.fromkeys(r["repeats_of"] for r in rows) if r not in policies.repeats_of]
    return [*pooling, *gaps, *found, *repeats]


def _gap_line(key: tuple[str, str, str], rows: Sequence[Mapping[str, Any]]) -> GapLine:
    rates = tuple(ratio(row["num"], row["den"], row["value"]) for row in rows)
    primary = next((str(row["gap"]) for row in rows if row["primary"]), None)
    return GapLine(*key, rates, primary, any(row["declared"] for row in rows))


def _pair_table(document: Mapping[str, Any], pair: Mapping[str, Any]) -> PairTable:
    counts: list[list[int]] = pair["confusion"]
    top = max((n for row in counts for n in row), default=0)
    cells = tuple(
        tuple(MatrixCell(n, -(-n * _HEAT_STEPS // top) if top else 0, i == j) for j, n in enumerate(row))
        for i, row in enumerate(counts)
    )
    exact, kappa = pair["exact_agreement"], pair["cohen_kappa"]
    figures = [
        ("Claims coded by both", str(pair["n"])),
        ("Exact agreement", ratio(exact["num"], exact["den"], exact["value"])),
        ("Agreement expected by chance", told(pair.get("chance_agreement"))),
        ("Cohen’s κ, unweighted", told(kappa)),
        (f"95 % interval of κ ({_method(kappa)})", interval(kappa)),
        ("Gwet’s AC1", told(pair.get("gwet_ac1"))),
        ("Bennett’s S (prevalence-adjusted)", told(pair.get("bennett_s"))),
        *_cluster(kappa),
        *_null(pair),
    ]
    return PairTable(
        first=str(pair["raters"][0]),
        second=str(pair["raters"][1]),
        labels=tuple(document["categories"]),
        cells=cells,
        row_sums=tuple(sum(row) for row in counts),
        column_sums=tuple(sum(row[j] for row in counts) for j in range(len(counts))),
        n=pair["n"],
        figures=tuple(figures),
    )


def _method(kappa: Mapping[str, Any]) -> str:
    return str(kappa.get("ci_method") or "none").replace("_", " ")


def _cluster(kappa: Mapping[str, Any]) -> list[tuple[str, str]]:
    given = kappa.get("ci95_cluster")
    if not given:
        return []
    name = f"95 % interval of κ, runs resampled (B {given['B']}, seed {given['seed']})"
    if given["lo"] is None:
        return [(name, told({"value": None, "undefined_reason": given.get("undefined_reason")}))]
    return [
        (name, f"[{number(given['lo'])}, {number(given['hi'])}], {given['undefined_resamples']} undefined resamples")
    ]


def _null(pair: Mapping[str, Any]) -> list[tuple[str, str]]:
    null = pair.get("permutation_null")
    if not null:
        return []
    name = f"κ under permutation: median, 5th, 95th ({null['draws']} draws, seed {null['seed']})"
    if null["median"] is None:
        return [(name, "undefined (structural)")]
    return [(name, f"{number(null['median'])}, {number(null['p5'])}, {number(null['p95'])}")]


def _plain(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else number(value).rstrip("0")
