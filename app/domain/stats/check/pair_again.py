"""Second implementation: what a pair's report says beside its coefficients.

Responsible for counts, marginals, analytic errors and intervals, labels one against the rest, and the permutation
nulls. Standard library only.
"""

from __future__ import annotations

from app.domain.stats.check.counted import Patterns, agreement_from, forms, identity
from app.domain.stats.check.intervals import (
    null_numbers,
    primary_limits,
    small_sample_limits,
    spread_over_runs,
    wald_limits,
    within_strata,
)
from app.domain.stats.check.raw import Chance, Raw, blocks
from app.domain.stats.check.two_raters import Cells, cells_of, cohen, cohen_errors, margins

Found = dict[tuple[str | int, ...], float | None]
LEAST_USE = 10


def plain_counts(raw: Raw, patterns: Patterns, pair: tuple[int, int]) -> Found:
    """Return n, the matrix, the marginals, exact and chance agreement, and every label against the rest."""
    q = len(raw.categories)
    cells = cells_of(patterns, *pair, q)
    n, rows, columns = margins(cells)
    agreeing = sum(cells[k][k] for k in range(q))
    found: Found = {("n",): n, ("exact_agreement", "num"): agreeing, ("exact_agreement", "den"): n}
    found["chance_agreement", "value"] = sum(rows[k] * columns[k] for k in range(q)) / (n * n) if n else None
    for k in range(q):
        found |= {("confusion", k, m): cells[k][m] for m in range(q)}
        found |= {("marginals", 0, k): rows[k], ("marginals", 1, k): columns[k]}
        found |= {("one_versus_rest", k, *path): value for path, value in _against_the_rest(cells, k).items()}
    if raw.runs is not None:
        runs, _, icc, effect = spread_over_runs([cells_of(block, *pair, q) for block in blocks(raw)])
        known = runs > 1
        found["runs", "n_runs"] = runs
        found["runs", "icc"], found["runs", "design_effect"] = (icc, effect) if known else (None, None)
    return found


def analytic(raw: Raw, patterns: Patterns, pair: tuple[int, int]) -> Found:
    """Return the standard errors and analytic intervals of each Cohen kappa."""
    q = len(raw.categories)
    weights = {f"cohen_kappa{ending}": w for ending, w in forms(raw.categories, raw.level).items()}
    if raw.disagreement is not None:
        weights["cohen_kappa_custom"] = agreement_from(raw.disagreement)
    cells = cells_of(patterns, *pair, q)
    by_run = None if raw.runs is None else [cells_of(block, *pair, q) for block in blocks(raw)]
    found: Found = {}
    for name, w in weights.items():
        found[name, "se"], found[name, "se0"] = cohen_errors(cells, w) or (None, None)
        limits = {
            "ci95": primary_limits(cells, w, by_run),
            "ci95_fce": wald_limits(cells, w),
            "ci95_small_sample": small_sample_limits(cells, w, by_run),
        }
        for key, pair_of_limits in limits.items():
            found[name, key, 0], found[name, key, 1] = pair_of_limits or (None, None)
    return found


def nulls(raw: Raw, pair: tuple[int, int], chance: Chance) -> Found:
    """Return the permutation null of Cohen's kappa, and the one within strata where the ratings name them."""
    place = {label: k for k, label in enumerate(raw.categories)}
    rows = (raw.rows[pair[0]], raw.rows[pair[1]])
    both = [i for i, labels in enumerate(zip(*rows, strict=True)) if None not in labels]
    first, second = ([place[str(row[i])] for i in both] for row in rows)
    q = len(raw.categories)
    plain = null_numbers(first, second, q, chance.orders(len(both)), identity(q))
    found: Found = {("permutation_null", name): value for name, value in plain.items()}
    if raw.strata is not None:
        strata = [raw.strata[i] for i in both]
        orders = (within_strata(order, strata) for order in chance.orders(len(both)))
        inside = null_numbers(first, second, q, orders, identity(q))
        found |= {("permutation_null_within", name): value for name, value in inside.items()}
    return found


def _against_the_rest(cells: Cells, k: int) -> Found:
    n, rows, columns = margins(cells)
    both = cells[k][k]
    two = [[both, rows[k] - both], [columns[k] - both, n - rows[k] - columns[k] + both]]
    kappa = cohen(two, identity(2)) if min(rows[k], columns[k]) >= LEAST_USE else None
    return {
        ("counts", "both"): both,
        ("counts", "first_only"): two[0][1],
        ("counts", "second_only"): two[1][0],
        ("counts", "neither"): two[1][1],
        ("cohen_kappa", "value"): kappa,
    }
