"""One statistic: a number, or the reason why there is none.

Responsible for the reason codes and for the form a statistic takes in JSON. It computes nothing; an undefined value is
null with a code, never 0, 1 or NaN, and a code becomes a sentence only here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

REASONS: Mapping[str, str] = {
    "single_category_used": "only one category was used, so nothing could have disagreed by chance (0/0)",
    "no_overlap": "no unit was rated twice",
    "one_declared_category": "only one category is declared, so there was nothing to decide",
    "one_rater": "there is only one rater",
    "one_cluster": "all units belong to one run, so nothing can be said about other runs",
    "too_few_clusters": "the units rated by both lie in fewer than two runs",
    "pair_undefined": "the kappa of at least one pair of raters is undefined",
    "not_two_categories": "defined for two declared categories only",
    "label_used_too_rarely": "a rater used this label fewer than ten times among the units rated by both",
    "negative_value": "the ratio distance is defined for values of zero and above only",
    "no_distance": "the categories in use are all at distance 0 from one another",
    "asymmetric_weights": "the weights depend on which rater is which, and this coefficient has no first rater",
    "no_defined_resample": "the coefficient is undefined in every resample",
    "no_valid_answer": "there is no valid answer",
    "not_in_any_answer": "it is defined in none of the valid answers, or none of them is graded",
    "answer_without_score": "a valid answer has no score, so there is no mean over all questions",
    "no_such_question": "no question is left to average over",
    "too_few_points": "fewer than three answers have both values",
    "no_variation": "one of the two never varies, so nothing can go along with it",
    "no_repeat": "no answer was graded twice by the same judge",
    "too_few_models": "fewer than two models were graded by both",
    "no_value_kept": "no call kept this value",
    "nothing_named": "there is no entity to count on that side",
}

Json = dict[str, Any]


def tidy(value: float) -> float:
    """Return a plain float; rounding dust below 1e-15 and minus zero become 0.0.

    >>> tidy(-0.0), tidy(1e-17), tidy(0.5)
    (0.0, 0.0, 0.5)
    """
    number = float(value)
    return 0.0 if abs(number) < 1e-15 else number


def statistic(value: float, reason: str | None = None, **more: Any) -> Json:
    """Return `{value, undefined_reason, ...}`; a NaN value takes `reason`, a defined one has none.

    Raises `ValueError` where a value is undefined and no reason is known: that is a fault of the caller.
    """
    if not math.isfinite(value):
        if reason not in REASONS:
            raise ValueError(f"an undefined statistic needs a known reason, not {reason!r}")
        return {"value": None, "undefined_reason": reason, **more}
    return {"value": tidy(value), "undefined_reason": None, **more}


def sentence(reason: str) -> str:
    """Return the sentence of a reason code for a report."""
    return f"undefined: {REASONS[reason]}"
