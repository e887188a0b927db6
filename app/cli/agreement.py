"""`saydo agreement`: agreement of any long table of ratings, or of the locked codings of a study.

Responsible for the options and for the words a person reads. No value is judged: there is no adjective for a kappa.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.context import AsName, JsonFlag, acting, open_database
from app.cli.edge import emit
from app.domain.errors import BadInput

PAIR_ROWS = {
    "cohen_kappa": "Cohen's kappa",
    "cohen_kappa_linear": "Cohen's kappa, linear weights",
    "cohen_kappa_quadratic": "Cohen's kappa, quadratic weights",
    "cohen_kappa_custom": "Cohen's kappa, own weights",
    "cohen_kappa_max": "highest kappa these marginals allow",
    "scott_pi": "Scott's pi",
    "bennett_s": "Bennett's S",
    "gwet_ac1": "Gwet's AC1",
    "pabak": "PABAK",
    "prevalence_index": "prevalence index",
    "bias_index": "bias index",
    "positive_agreement": "positive agreement",
    "negative_agreement": "negative agreement",
}


def agreement(
    ratings: Annotated[Path | None, typer.Argument(help="A CSV with one rating a row.", show_default=False)] = None,
    study: Annotated[str | None, typer.Option("--study", help="A study instead of a file.")] = None,
    unit: Annotated[str, typer.Option("--unit", help="Column of the unit.")] = "unit",
    rater: Annotated[str, typer.Option("--rater", help="Column of the rater.")] = "rater",
    label: Annotated[str, typer.Option("--label", help="Column of the label.")] = "label",
    cluster: Annotated[
        str | None, typer.Option("--cluster", help="Column of the run [default: run, if there].")
    ] = None,
    categories: Annotated[
        str | None, typer.Option("--categories", help="a,b,c in order, or @FILE, one a line.")
    ] = None,
    level: Annotated[str, typer.Option("--level", help="nominal, ordinal, interval or ratio.")] = "nominal",
    weights: Annotated[Path | None, typer.Option("--weights", help="CSV of disagreement weights, square.")] = None,
    resamples: Annotated[int, typer.Option("--resamples", min=0, help="Resamples of the runs.")] = 5000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of resamples and permutations.")] = 20260725,
    as_name: AsName = None,
    as_json: JsonFlag = False,
) -> None:
    """Show how far raters agree: exact agreement first, then every coefficient with its interval.

    Example: saydo agreement ratings.csv --cluster run --categories no,partly,yes --level ordinal

    Example: saydo agreement --study pilot-1 --as l.one --json
    """
    if (ratings is None) == (study is None):
        raise BadInput("give either a CSV of ratings or --study ID")
    if study is not None:
        _of_study(study, as_name, as_json)
        return
    from app.domain.stats.resampling import Bootstrap
    from app.readers.ratings_file import RatingColumns, read_categories
    from app.services.agreement_table import TableQuestion, agreement_of_table

    question = TableQuestion(
        RatingColumns(unit, rater, label, cluster),
        None if categories is None else read_categories(categories),
        level,
        weights,
        Bootstrap(resamples=resamples, seed=seed),
    )
    document = agreement_of_table(Path(ratings or ""), question)
    emit(document, as_json, told(document))


def _of_study(study: str, as_name: str | None, as_json: bool) -> None:
    from app.services.agreement import agreement_of_study

    with open_database().reading() as session:
        documents = agreement_of_study(session, acting(session, as_name), study)
    emit(documents, as_json, _told_by_field(documents))


def _told_by_field(documents: dict[str, Any]) -> Iterator[str]:
    for name, versions in documents.items():
        for version, document in versions.items():
            yield f"== {name}, codebook {version}"
            yield from told(document)
            yield ""


def told(document: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of one `agreement/1` document for a person."""
    runs = f", {document['n_runs']} runs" if document["n_runs"] is not None else ""
    yield f"{document['n_units']} units{runs}, {document['n_raters']} raters, level {document['level']}"
    for warning in document["warnings"]:
        yield f"note: {warning}"
    for pair in document["pairs"]:
        yield ""
        yield from _told_pair(pair, document["categories"])
    yield ""
    yield "all raters"
    for name, value in document["overall"].items():
        yield _row(name.replace("_", " "), value)


def _told_pair(pair: dict[str, Any], categories: list[str]) -> Iterator[str]:
    exact = pair["exact_agreement"]
    yield f"{pair['raters'][0]} (down) and {pair['raters'][1]} (across): {pair['n']} units rated by both"
    if not pair["n"]:
        yield "  nothing to compare: no unit was rated by both"
        return
    yield f"  {'exact agreement':<38}{shown(exact['value'])}  ({exact['num']}/{exact['den']})"
    for name, words in PAIR_ROWS.items():
        if name in pair and pair[name]["undefined_reason"] != "not_two_categories":
            yield _row(words, pair[name])
    width = max(len(name) for name in (*categories, *(str(c) for row in pair["confusion"] for c in row))) + 2
    yield "  " + " " * width + "".join(f"{name:>{width}}" for name in categories)
    for name, row in zip(categories, pair["confusion"], strict=True):
        yield f"  {name:<{width}}" + "".join(f"{count:>{width}}" for count in row)


def _row(words: str, value: dict[str, Any]) -> str:
    from app.domain.stats.statistic import sentence

    start = f"  {words:<38}"
    if value["value"] is None:
        return start + sentence(value["undefined_reason"])
    text = start + shown(value["value"])
    limits = value.get("ci95")
    if limits and limits[0] is not None:
        text += f"  95 % {shown(limits[0])} to {shown(limits[1])} ({value['ci_method'].replace('_', ' ')})"
    resampled = value.get("ci95_cluster")
    if resampled and resampled["lo"] is not None:
        text += f"  resampled {shown(resampled['lo'])} to {shown(resampled['hi'])}"
    return text


def shown(number: float) -> str:
    """Return a number with four decimals, minus zero as 0.0000.

    >>> shown(-0.00001), shown(0.68421)
    ('0.0000', '0.6842')
    """
    text = f"{number:.4f}"
    return text[1:] if text == "-0.0000" else text
