"""A plan for a wanted interval: the answer, what it would be under other expectations, the curve, and their files.

Responsible for rater hours, for the document and for writing its files whole or not at all. The widths are
`domain.stats.plan`'s. No study and no permission is involved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from app.domain.canonical import canonical_file
from app.domain.errors import BadInput
from app.domain.export.csv_form import table_bytes
from app.domain.export.manifest import Artifact
from app.domain.stats.intervals import LEAST_ICC, PRIMARY_INTERVAL
from app.domain.stats.plan import (
    MOST_RUNS,
    Answer,
    Expected,
    Width,
    checked,
    curve,
    kappa_of_agreement,
    smallest,
)
from app.domain.stats.statistic import REASONS
from app.services.planning_figure import curve_svg
from app.services.putting import put_files

SCHEMA = "plan/1"
CURVE_COLUMNS = ("runs", "claims", "half_width", "low", "high", "hours_per_rater", "hours_all_raters")
WHAT_IF_COLUMNS = ("kappa", "icc", "runs", "claims", "hours_per_rater", "hours_all_raters", "undefined_reason")
_TOO_FEW = "too_few_runs"
_STEPS, _ICCS, _KAPPAS = 40, (LEAST_ICC, 0.2, 0.3), (-0.1, 0.0, 0.1)

METHOD = (
    "Each number of runs is given its expected table: two raters with the label shares and kappa expected.",
    f"Its interval is the primary one of every report, {PRIMARY_INTERVAL}: counts divided by the design effect (the "
    f"ICC taken as {LEAST_ICC} at least), 2/q² added to every cell, kappa ± t with runs − 1 degrees of freedom.",
    "This is the half-width to be expected, not one that is certain: about half of all samples give a wider interval.",
)


@dataclass(frozen=True)
class Wanted:
    """What is wanted and what coding costs: the half-width, minutes a claim, raters who code every claim, most runs."""

    half_width: float
    minutes_per_claim: float
    raters: int = 2
    most_runs: int = MOST_RUNS


def expected_of(
    shares: Sequence[float], kappa: float | None, agreement: float | None, runs: tuple[float, float, float]
) -> Expected:
    """Return what is expected, from kappa or from exact agreement; `runs` is (claims per run, ICC, run spread).

    Where one label has all the shares there is no kappa: then 0 stands in, and the plan says it is undefined. Raises
    `BadInput` unless exactly one of the two is given and lies where it can.
    """
    if (kappa is None) == (agreement is None):
        raise BadInput("give either the kappa or the exact agreement you expect (--kappa or --agreement)")
    if agreement is not None:
        if not 0 <= agreement <= 1:
            raise BadInput(f"agreement: {agreement!r} does not lie between 0 and 1")
        kappa = kappa_of_agreement(agreement, shares)
    per_run, icc, spread = runs
    return checked(Expected(tuple(shares), 0.0 if kappa is None else kappa, per_run, icc, spread))


def plan(expected: Expected, wanted: Wanted) -> dict[str, Any]:
    """Return the `plan/1` document: the answer, other expectations, the curve; null with a reason where unreachable.

    Raises `BadInput` naming the part of what is wanted that cannot be.
    """
    if not wanted.minutes_per_claim > 0 or wanted.minutes_per_claim > 1e6:
        raise BadInput(f"minutes: {wanted.minutes_per_claim!r} minutes a claim is not a time; give one above 0")
    if wanted.raters < 2:
        raise BadInput(f"raters: {wanted.raters} cannot be compared; two or more code every claim")
    answer = smallest(expected, wanted.half_width, wanted.most_runs)
    drawn = [] if answer.last is None else curve(expected, _far_enough(answer, wanted), _STEPS)
    return {
        "schema": SCHEMA,
        "expected": {**asdict(expected), "shares": list(expected.shares)},
        "wanted": asdict(wanted),
        "method": {"interval": PRIMARY_INTERVAL, "least_icc": LEAST_ICC, "said": list(METHOD)},
        "answer": _answer(answer, wanted),
        "what_if": [_what_if(other, wanted) for other in _others(expected)] if answer.last else [],
        "curve": [{**_line(width), **_hours(width.claims, wanted)} for width in drawn],
    }


def sentence(answer: Mapping[str, Any]) -> str:
    """Return why a plan has no answer."""
    if answer["undefined_reason"] != _TOO_FEW:
        return f"undefined: {REASONS[answer['undefined_reason']]}"
    last = answer["at_most_runs"]
    return (
        f"not reached: with {last['runs']} runs and {last['claims']} claims the interval is still kappa ± "
        f"{last['half_width']:.3f}; more runs are needed, or a wider interval"
    )


def write_plan(document: Mapping[str, Any], folder: Path) -> list[str]:
    """Write plan.json, plan_curve.csv, plan_what_if.csv and plan.svg into `folder` (made if absent); return the names.

    Raises `BadInput` where the folder cannot be written.
    """
    files = [
        Artifact("plan.json", canonical_file(document)),
        Artifact("plan_curve.csv", table_bytes(CURVE_COLUMNS, document["curve"])),
        Artifact("plan_what_if.csv", table_bytes(WHAT_IF_COLUMNS, document["what_if"])),
        Artifact("plan.svg", curve_svg(document).encode("utf-8")),
    ]
    return put_files(folder, files)


def _answer(answer: Answer, wanted: Wanted) -> dict[str, Any]:
    nothing = dict.fromkeys(("runs", "claims", "half_width", "low", "high", "hours_per_rater", "hours_all_raters"))
    found = {} if answer.found is None else {**_line(answer.found), **_hours(answer.found.claims, wanted)}
    last = None if answer.reason != _TOO_FEW or answer.last is None else _line(answer.last)
    return {**nothing, **found, "undefined_reason": answer.reason, "at_most_runs": last}


def _line(width: Width) -> dict[str, Any]:
    return asdict(width)


def _hours(claims: int, wanted: Wanted) -> dict[str, float]:
    each = claims * wanted.minutes_per_claim / 60
    return {"hours_per_rater": each, "hours_all_raters": each * wanted.raters}


def _far_enough(answer: Answer, wanted: Wanted) -> int:
    """Return where the curve ends: at four times the answer, so that what more claims would bring is seen."""
    return wanted.most_runs if answer.found is None else min(wanted.most_runs, 4 * answer.found.runs)


def _others(expected: Expected) -> list[Expected]:
    """Return the same expectation with other kappas and correlations, those that cannot be left out."""
    kappas = sorted({round(expected.kappa + step, 6) if step else expected.kappa for step in _KAPPAS})
    iccs = sorted({*_ICCS, expected.icc} if expected.icc > LEAST_ICC else _ICCS)
    found = []
    for kappa in kappas:
        for icc in iccs:
            try:
                found.append(checked(replace(expected, kappa=kappa, icc=icc)))
            except BadInput:  # a kappa beyond what these shares can have
                continue
    return found


def _what_if(expected: Expected, wanted: Wanted) -> dict[str, Any]:
    answer = smallest(expected, wanted.half_width, wanted.most_runs)
    found = answer.found
    more: dict[str, Any] = {"runs": None, "claims": None, "hours_per_rater": None, "hours_all_raters": None}
    if found is not None:
        more = {"runs": found.runs, "claims": found.claims, **_hours(found.claims, wanted)}
    return {"kappa": expected.kappa, "icc": expected.icc, **more, "undefined_reason": answer.reason}
