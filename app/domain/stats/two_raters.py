"""Coefficients of one pair of raters, as functions of their confusion table.

Responsible for the formulas, vectorised over any leading axes, so that one table and five thousand resampled ones take
the same path. NaN stands for undefined inside these arrays only; `pair_report` turns it into null with a reason.
Sources: Cohen 1960 and 1968; Scott 1955; Bennett, Alpert and Goldstein 1954; Byrt, Bishop and Carlin 1993 (PABAK and
the indices); Cicchetti and Feinstein 1990 (positive and negative agreement); Gwet 2008 and 2014 (AC1).
"""

from __future__ import annotations

import numpy as np

from app.domain.stats.ratings import Floats
from app.domain.stats.scales import Scale


def quotient(above: Floats, below: Floats) -> Floats:
    """Return above/below, NaN where below is 0 (undefined)."""
    above, below = np.broadcast_arrays(np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64))
    return np.asarray(np.divide(above, below, out=np.full(above.shape, np.nan), where=below != 0))


def weighted_kappa(table: Floats, disagreement: Floats) -> Floats:
    """Return Cohen's kappa of tables (…, q, q) under disagreement weights: 1 − Σ d·n_ij·n / Σ d·n_i.·n_.j.

    Undefined (NaN) where no disagreement could occur by chance. Sums of counts are exact, so the test for 0 is too.
    """
    rows, columns, n = table.sum(axis=-1), table.sum(axis=-2), table.sum(axis=(-1, -2))
    observed = n * (table * disagreement).sum(axis=(-1, -2))
    expected = np.einsum("...i,ij,...j->...", rows, disagreement, columns)
    return 1.0 - quotient(observed, expected)


def pair_coefficients(table: Floats, alone: Floats, scale: Scale) -> dict[str, Floats]:
    """Return every coefficient of a pair by name, NaN where undefined.

    `table` (…, q, q) holds the units both rated; `alone` (…, q) counts the ratings either gave to units the other did
    not (AC1 takes its category shares over all rated units, as Gwet 2014 does).
    """
    n, agreeing = table.sum(axis=(-1, -2)), np.trace(table, axis1=-2, axis2=-1)
    values = {"exact_agreement": quotient(agreeing, n)}
    for form, disagreement in scale.forms.items():
        values[f"cohen_kappa{form}"] = weighted_kappa(table, disagreement)
    if scale.custom is not None:
        values["cohen_kappa_custom"] = weighted_kappa(table, scale.custom)
    return values | _chance_models(table, n, agreeing) | {"gwet_ac1": _ac1(table, alone)} | _two_by_two(table, n)


def chance_agreement(table: Floats) -> Floats:
    """Return the agreement expected from Cohen's marginals, Σ p_i.·p_.i."""
    n = table.sum(axis=(-1, -2))
    return quotient((table.sum(axis=-1) * table.sum(axis=-2)).sum(axis=-1), n * n)


def _chance_models(table: Floats, n: Floats, agreeing: Floats) -> dict[str, Floats]:
    q = table.shape[-1]
    rows, columns = table.sum(axis=-1), table.sum(axis=-2)
    both = rows + columns
    # Scott: 1 − pe = 1 − Σ((r+c)/2n)²; with whole counts, 4n² − Σ(r+c)² is exactly 0 when one category holds all.
    pi = 1.0 - quotient((n - agreeing) * 4 * n, 4 * n * n - (both**2).sum(axis=-1))
    chance = (rows * columns).sum(axis=-1)
    most = np.minimum(rows, columns).sum(axis=-1)
    bennett = 1.0 - quotient((n - agreeing) * q, n * (q - 1.0))
    return {"scott_pi": pi, "bennett_s": bennett, "cohen_kappa_max": 1.0 - quotient((n - most) * n, n * n - chance)}


def _ac1(table: Floats, alone: Floats) -> Floats:
    q = table.shape[-1]
    n = table.sum(axis=(-1, -2))
    shares = (table.sum(axis=-1) + table.sum(axis=-2)) / 2 + alone
    rated = shares.sum(axis=-1)
    pi = quotient(shares, rated[..., None])
    chance = (pi * (1 - pi)).sum(axis=-1) / (q - 1.0) if q > 1 else np.ones_like(n)
    disagreeing = quotient(n - np.trace(table, axis1=-2, axis2=-1), n)
    return 1.0 - quotient(disagreeing, 1.0 - chance)


def _two_by_two(table: Floats, n: Floats) -> dict[str, Floats]:
    names = ("pabak", "prevalence_index", "bias_index", "positive_agreement", "negative_agreement")
    if table.shape[-1] != 2:
        return {name: np.full(n.shape, np.nan) for name in names}
    a, b, c, d = table[..., 0, 0], table[..., 0, 1], table[..., 1, 0], table[..., 1, 1]
    values = (
        quotient(2 * (a + d) - n, n),
        quotient(a - d, n),
        quotient(b - c, n),
        quotient(2 * a, 2 * a + b + c),
        quotient(2 * d, 2 * d + b + c),
    )
    return dict(zip(names, values, strict=True))
