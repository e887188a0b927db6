"""Coefficients over all raters at once, as functions of the additive sums.

Responsible for percent agreement, Fleiss, Conger, Gwet AC1/AC2, Brennan–Prediger and Krippendorff's alpha, vectorised
over any leading axes; NaN stands for undefined inside these arrays only. Light's kappa is the mean of pair kappas, put
together where the pairs are.
Sources: Gwet 2014, Handbook of Inter-Rater Reliability (the forms with missing ratings); Fleiss 1971; Conger 1980;
Brennan and Prediger 1981; Krippendorff 2004 and 2011.
"""

from __future__ import annotations

import numpy as np

from app.domain.stats.ratings import Floats
from app.domain.stats.scales import Scale, interval_distance, ordinal_distance, ratio_distance
from app.domain.stats.sums import Sums
from app.domain.stats.two_raters import quotient


def overall_coefficients(sums: Sums, scale: Scale) -> dict[str, Floats]:
    """Return every coefficient over all raters by name, NaN where undefined.

    The weighted forms `_linear` and `_quadratic` are there from the ordinal level on. AC with weights is called AC2.
    """
    units = sums.agreement.sum(axis=(-1, -2))
    values = {"percent_agreement": quotient(np.trace(sums.agreement, axis1=-2, axis2=-1), units)}
    pi = quotient(sums.shares, sums.n_rated[..., None])
    for form, disagreement in scale.forms.items():
        observed = quotient((sums.agreement * disagreement).sum(axis=(-1, -2)), units)
        fleiss = np.einsum("...i,ij,...j->...", pi, disagreement, pi)
        values[f"fleiss_kappa{form}"] = 1.0 - quotient(observed, fleiss)
        values[f"conger_kappa{form}"] = 1.0 - quotient(observed, _conger_chance(sums.rater_counts, disagreement))
        values[f"gwet_ac2{form}" if form else "gwet_ac1"] = 1.0 - quotient(observed, _gwet_chance(pi, disagreement))
        values[f"brennan_prediger{form}"] = 1.0 - quotient(observed, np.full_like(observed, disagreement.mean()))
    return values | krippendorff_alphas(sums.coincidence, scale)


def krippendorff_alphas(coincidence: Floats, scale: Scale) -> dict[str, Floats]:
    """Return alpha for every level the scale asks for: α = 1 − (n − 1) Σ o_ck δ²_ck / Σ n_c n_k δ²_ck."""
    totals = coincidence.sum(axis=-1)
    distances = {"nominal": scale.forms[""]}
    if scale.level != "nominal":
        distances["ordinal"] = ordinal_distance(totals)
    if scale.values is not None:
        distances["interval"] = interval_distance(scale.values)
        ratio = ratio_distance(scale.values)
        distances["ratio"] = np.full_like(scale.forms[""], np.nan) if ratio is None else ratio
    if scale.custom is not None and np.array_equal(scale.custom, scale.custom.T):
        distances["custom"] = scale.custom
    return {f"krippendorff_alpha_{name}": _alpha(coincidence, totals, d) for name, d in distances.items()}


def category_kappas(sums: Sums) -> Floats:
    """Return Fleiss' kappa of each category against all others, (…, q); 2 raters or more."""
    units = sums.agreement.sum(axis=(-1, -2))
    pi = quotient(sums.shares, sums.n_rated[..., None])
    mixed = sums.agreement.sum(axis=-1) - np.diagonal(sums.agreement, axis1=-2, axis2=-1)
    others = pi @ (1.0 - np.eye(pi.shape[-1]))  # not 1 - π: a sum that should be exactly 0 must be exactly 0
    return 1.0 - quotient(quotient(mixed, units[..., None]), pi * others)


def _alpha(coincidence: Floats, totals: Floats, distance: Floats) -> Floats:
    n = totals.sum(axis=-1)
    observed = (coincidence * distance).sum(axis=(-1, -2))
    expected = (totals[..., :, None] * totals[..., None, :] * distance).sum(axis=(-1, -2))
    return 1.0 - quotient((n - 1) * observed, expected)


def _conger_chance(rater_counts: Floats, disagreement: Floats) -> Floats:
    """Return the disagreement expected between two different raters, averaged over ordered pairs of raters.

    Gwet's p̄_k p̄_l − s²_kl/r is this average; a rater without ratings (or without one in a resample) is left out.
    """
    given = rater_counts.sum(axis=-1)
    shares = np.divide(rater_counts, given[..., None], out=np.zeros_like(rater_counts), where=given[..., None] > 0)
    raters = (given > 0).sum(axis=-1)
    together = shares.sum(axis=-2)
    all_pairs = np.einsum("...i,ij,...j->...", together, disagreement, together)
    same = np.einsum("...gi,ij,...gj->...", shares, disagreement, shares)
    return quotient(all_pairs - same, raters * (raters - 1.0))


def _gwet_chance(pi: Floats, disagreement: Floats) -> Floats:
    """Return 1 − pe with pe = T_w/(q(q−1)) Σ π(1−π), T_w the sum of the agreement weights; NaN for one category."""
    q = pi.shape[-1]
    if q < 2:
        return np.full(pi.shape[:-1], np.nan)
    total = (1.0 - disagreement).sum()
    return np.asarray(1.0 - total / (q * (q - 1.0)) * (pi * (1 - pi)).sum(axis=-1))
