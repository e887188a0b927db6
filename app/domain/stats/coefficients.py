"""Point estimates of a pair and of all raters, ready for use elsewhere: the front door of the formulas.

Responsible for guarding the undefined cases, for taking Cohen's kappa from scikit-learn, and for the reason beside
every value that does not exist. Intervals are added by `pair_report` and `document`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from app.domain.errors import BadInput
from app.domain.stats.many_raters import category_kappas, overall_coefficients
from app.domain.stats.ratings import Floats, Ratings
from app.domain.stats.scales import Scale
from app.domain.stats.statistic import Json, statistic
from app.domain.stats.sums import Sums, grouped_tables, total_sums
from app.domain.stats.two_raters import chance_agreement, pair_coefficients, weighted_kappa

ONE_CATEGORY_IS_ENOUGH = ("exact_agreement", "percent_agreement")
TWO_CATEGORIES_ONLY = ("pabak", "prevalence_index", "bias_index", "positive_agreement", "negative_agreement")
_SKLEARN_WEIGHTS = {"": None, "_linear": "linear", "_quadratic": "quadratic"}


def confusion(labels_a: Sequence[str], labels_b: Sequence[str], categories: Sequence[str]) -> list[list[int]]:
    """Return the counts of two equally long label lists over the declared categories, `labels_a` down.

    >>> confusion(["a", "a", "b"], ["a", "b", "b"], ["a", "b"])
    [[1, 1], [0, 1]]

    Raises `BadInput` for lists of different length or a label that is not declared.
    """
    if len(labels_a) != len(labels_b):
        raise BadInput(f"two lists of labels of {len(labels_a)} and {len(labels_b)} entries cannot be compared")
    index = {name: i for i, name in enumerate(categories)}
    table = [[0] * len(categories) for _ in categories]
    for at, (a, b) in enumerate(zip(labels_a, labels_b, strict=True)):
        for label in (a, b):
            if label not in index:
                raise BadInput(f"entry {at + 1}: label {label!r} is not one of the declared categories")
        table[index[a]][index[b]] += 1
    return table


def pair_kappa(labels_a: Sequence[str], labels_b: Sequence[str], categories: Sequence[str]) -> Json:
    """Return unweighted Cohen's kappa of two label lists as `{value, undefined_reason, n, exact_agreement}`.

    >>> pair_kappa(["a"], ["a"], ["a", "b"])["undefined_reason"]
    'single_category_used'
    """
    table = np.array(confusion(labels_a, labels_b, categories), dtype=np.float64).reshape(len(categories), -1)
    exact = exact_agreement(table)
    return statistic(
        kappa_estimate(table, ""), undefined_reason("cohen_kappa", table), n=exact["den"], exact_agreement=exact
    )


def kappa_estimate(table: Floats, form: str) -> float:
    """Return Cohen's kappa of one table of counts from scikit-learn; NaN where undefined, decided before it is called.

    `form` is "", "_linear" or "_quadratic" by position. scikit-learn is given every cell once with its count as weight,
    which is the same table at a cost that does not grow with the number of units.
    """
    q = table.shape[0]
    used = (table.sum(axis=1) > 0) | (table.sum(axis=0) > 0)
    if q < 2 or np.count_nonzero(used) < 2:
        return float("nan")
    from sklearn.metrics import cohen_kappa_score

    positions = np.arange(q)
    return float(
        cohen_kappa_score(
            np.repeat(positions, q),
            np.tile(positions, q),
            labels=positions,
            weights=_SKLEARN_WEIGHTS[form],
            sample_weight=table.reshape(-1),
        )
    )


def pair_estimates(table: Floats, alone: Floats, scale: Scale) -> dict[str, float]:
    """Return every coefficient of one pair, NaN where undefined; Cohen's from scikit-learn if it knows the weights."""
    values = {name: float(value) for name, value in pair_coefficients(table, alone, scale).items()}
    for form in scale.forms:
        if form == "" or scale.by_position:
            values[f"cohen_kappa{form}"] = kappa_estimate(table, form)
    return values


def overall_estimates(ratings: Ratings, scale: Scale) -> Mapping[str, Json]:
    """Return every coefficient over all raters as a statistic; one rater, no overlap and one category say so."""
    sums = total_sums(ratings)
    values = {name: float(value) for name, value in overall_coefficients(sums, scale).items()}
    kappas = [float(weighted_kappa(pair_table(ratings, *pair), scale.forms[""])) for pair in ratings.pairs]
    values["light_kappa"] = float(np.mean(kappas)) if kappas else float("nan")
    return {name: statistic(value, overall_reason(name, ratings, sums, scale)) for name, value in values.items()}


def category_estimates(ratings: Ratings) -> dict[str, Json]:
    """Return Fleiss' kappa of each declared category against all others, by label."""
    sums = total_sums(ratings)
    reason = _count_reason(ratings, sums) or "single_category_used"
    values = category_kappas(sums) if ratings.n_categories > 1 else np.array([np.nan])
    return {
        label: statistic(float(value), reason if ratings.n_categories > 1 else "one_declared_category")
        for label, value in zip(ratings.categories, values, strict=True)
    }


def pair_table(ratings: Ratings, first: int, second: int) -> Floats:
    """Return the confusion table of a pair over the units both rated, (q, q), first rater down."""
    one_group = np.zeros(len(ratings.units), dtype=np.int64)
    return np.asarray(grouped_tables(ratings, first, second, one_group, 1)[0])


def exact_agreement(table: Floats) -> Json:
    """Return `{value, num, den, undefined_reason}` of the share of units on which the pair agrees."""
    agreeing, n = int(np.trace(table)), int(table.sum())
    return statistic(agreeing / n if n else float("nan"), "no_overlap", num=agreeing, den=n)


def expected_agreement(table: Floats) -> Json:
    """Return the agreement expected by chance from the two raters' marginals."""
    return statistic(float(chance_agreement(table)), "no_overlap")


def undefined_reason(name: str, table: Floats) -> str:
    """Return why the coefficient of a pair with this table has no value, if it has none."""
    if not table.sum():
        return "no_overlap"
    if table.shape[0] == 1:
        return "one_declared_category"
    if name in TWO_CATEGORIES_ONLY and table.shape[0] != 2:
        return "not_two_categories"
    used = np.count_nonzero((table.sum(axis=1) > 0) | (table.sum(axis=0) > 0))
    return "single_category_used" if used < 2 or name in TWO_CATEGORIES_ONLY else "no_distance"


def overall_reason(name: str, ratings: Ratings, sums: Sums, scale: Scale) -> str:
    """Return why a coefficient over all raters has no value, if it has none."""
    counted = _count_reason(ratings, sums)
    if counted or name in ONE_CATEGORY_IS_ENOUGH:
        return counted or "no_overlap"
    if ratings.n_categories == 1:
        return "one_declared_category"
    if name == "light_kappa":
        return "pair_undefined"
    if name == "krippendorff_alpha_ratio" and scale.values is not None and bool(np.any(scale.values < 0)):
        return "negative_value"
    used = np.count_nonzero(sums.coincidence.sum(axis=-1) if "alpha" in name else sums.shares)
    return "single_category_used" if used < 2 else "no_distance"


def _count_reason(ratings: Ratings, sums: Sums) -> str | None:
    if len(ratings.raters) < 2:
        return "one_rater"
    return None if sums.agreement.any() else "no_overlap"
