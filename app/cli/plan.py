"""`saydo plan`: how many claims, runs and rater hours a wanted interval of kappa costs.

Responsible for the options and the words. The plan is made in `services.planning`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.context import JsonFlag
from app.cli.edge import emit
from app.domain.errors import BadInput

Shares = Annotated[str, typer.Option("--shares", help="Expected share of each label: 0.6,0.3,0.1.")]
HalfWidth = Annotated[float, typer.Option("--half-width", help="Wanted: kappa ± this, in the primary interval.")]
PerRun = Annotated[float, typer.Option("--claims-per-run", help="Claims a run has on average.")]
Minutes = Annotated[float, typer.Option("--minutes", help="Minutes a rater needs for a claim.")]
Kappa = Annotated[float | None, typer.Option("--kappa", help="Expected kappa of two raters.")]
Agreement = Annotated[float | None, typer.Option("--agreement", help="Expected exact agreement, in place of kappa.")]
Icc = Annotated[float, typer.Option("--icc", help="Intra-run correlation of agreeing; below 0.1 it counts as 0.1.")]
Spread = Annotated[float, typer.Option("--run-spread", help="Coefficient of variation of run sizes.")]
Raters = Annotated[int, typer.Option("--raters", help="Raters who code every claim.")]
MostRuns = Annotated[int, typer.Option("--most-runs", help="No more runs than these exist.")]
Out = Annotated[
    Path | None, typer.Option("--out", help="Folder for plan.json, plan_curve.csv, plan_what_if.csv, plan.svg.")
]


def plan(
    shares: Shares,
    half_width: HalfWidth,
    claims_per_run: PerRun,
    minutes: Minutes,
    kappa: Kappa = None,
    agreement: Agreement = None,
    icc: Icc = 0.1,
    run_spread: Spread = 0.0,
    raters: Raters = 2,
    most_runs: MostRuns = 100_000,
    out: Out = None,
    as_json: JsonFlag = False,
) -> None:
    """Say how many claims, runs and rater hours an interval of kappa costs, before anything is coded.

    Example: saydo plan --kappa 0.7 --shares 0.5,0.2,0.15,0.1,0.05 --claims-per-run 12 --half-width 0.1 --minutes 3
    """
    from app.services import planning

    expected = planning.expected_of(_numbers(shares), kappa, agreement, (claims_per_run, icc, run_spread))
    document = planning.plan(expected, planning.Wanted(half_width, minutes, raters, most_runs))
    written = planning.write_plan(document, out) if out is not None else []
    emit(document, as_json, [*_told(document), *(f"written: {name}" for name in written)])


def _numbers(text: str) -> list[float]:
    from app.domain.stats.ratings import number_of

    numbers = [number_of(part) for part in text.split(",")]
    if None in numbers:
        at = numbers.index(None)
        raise BadInput(f"shares: {text.split(',')[at].strip()!r} in place {at + 1} is not a number; write 0.6,0.3,0.1")
    return [number for number in numbers if number is not None]


def _told(document: Mapping[str, Any]) -> Iterator[str]:
    from app.services.planning import sentence

    expected, wanted, answer = document["expected"], document["wanted"], document["answer"]
    shares = ", ".join(f"{share:g}" for share in expected["shares"])
    yield f"expected: kappa {expected['kappa']:.3f}, label shares {shares}"
    yield f"          {expected['claims_per_run']:g} claims a run, intra-run correlation {expected['icc']:g}"
    yield f"wanted:   kappa ± {wanted['half_width']:g} in the interval {document['method']['interval']}"
    yield ""
    if answer["undefined_reason"]:
        yield sentence(answer)
    else:
        yield f"{answer['claims']} claims in {answer['runs']} runs, coded by {wanted['raters']} raters"
        yield (
            f"{answer['hours_per_rater']:.1f} hours a rater, {answer['hours_all_raters']:.1f} hours in all, at "
            f"{wanted['minutes_per_claim']:g} minutes a claim"
        )
        yield f"the interval to expect: {answer['low']:.3f} to {answer['high']:.3f} (± {answer['half_width']:.3f})"
    yield from _what_if(document["what_if"])
    yield ""
    yield from document["method"]["said"]


def _what_if(rows: list[Mapping[str, Any]]) -> Iterator[str]:
    if not rows:
        return
    yield ""
    yield f"{'if kappa is':>12}{'and the ICC':>13}{'claims':>10}{'runs':>8}{'hours in all':>14}"
    for row in rows:
        start = f"{row['kappa']:>12.3f}{row['icc']:>13g}"
        if row["claims"] is None:
            yield f"{start}{'not reached':>18}"
        else:
            yield f"{start}{row['claims']:>10}{row['runs']:>8}{row['hours_all_raters']:>14.1f}"
