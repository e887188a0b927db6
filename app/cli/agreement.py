"""`saydo agreement`: agreement of any long table of ratings, or of the locked codings of a study.

Responsible for the options. The words a person reads are in `agreement_words`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.agreement_words import told, told_in_brief
from app.cli.context import AsName, JsonFlag, acting, open_database
from app.cli.edge import emit
from app.domain.errors import BadInput

Files = Annotated[
    list[Path] | None,
    typer.Argument(
        help="A long CSV, one rating a row; or an export of Label Studio, Potato, Argilla or doccano (of the last and "
        "of older Potato releases one file a rater).",
        show_default=False,
    ),
]
Study = Annotated[str | None, typer.Option("--study", help="A study instead of a file.")]
Unit = Annotated[str | None, typer.Option("--unit", help="Column of the unit [default: unit; an export's item id].")]
Rater = Annotated[str | None, typer.Option("--rater", help="Column of the rater [default: rater].")]
Label = Annotated[
    str | None, typer.Option("--label", help="Column of the label [default: label]; an export's question.")
]
Cluster = Annotated[str | None, typer.Option("--cluster", help="Column of the run [default: run, if there].")]
FormatName = Annotated[
    str | None, typer.Option("--format", help="table, label-studio, potato, argilla, doccano [default: as it looks].")
]
Categories = Annotated[str | None, typer.Option("--categories", help="a,b,c in order, or @FILE, one a line.")]
Level = Annotated[str, typer.Option("--level", help="nominal, ordinal, interval or ratio.")]
Weights = Annotated[Path | None, typer.Option("--weights", help="CSV of disagreement weights, square.")]
Resamples = Annotated[int, typer.Option("--resamples", min=0, help="Resamples of the runs.")]
Out = Annotated[
    Path | None, typer.Option("--out", help="Folder for agreement.json and the ratings as tables for R and Python.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of resamples and permutations.")]


def agreement(
    ratings: Files = None,
    study: Study = None,
    unit: Unit = None,
    rater: Rater = None,
    label: Label = None,
    cluster: Cluster = None,
    format_name: FormatName = None,
    categories: Categories = None,
    level: Level = "nominal",
    weights: Weights = None,
    resamples: Resamples = 5000,
    seed: Seed = 20260725,
    out: Out = None,
    as_name: AsName = None,
    as_json: JsonFlag = False,
) -> None:
    """Show how far raters agree: exact agreement first, then every coefficient with its interval.

    Example: saydo agreement ratings.csv --cluster run --categories no,partly,yes --level ordinal

    Example: saydo agreement project-3.json --label verdict --categories no,yes

    Example: saydo agreement --study pilot-1 --as l.one
    """
    if bool(ratings) == (study is not None):
        raise BadInput("give either a CSV of ratings or --study ID")
    if study is not None and out is not None:
        raise BadInput("--out is for a file of ratings; a study's tables are written by saydo export")
    if study is not None:
        _of_study(study, as_name, as_json)
        return
    from app.domain.stats.resampling import Bootstrap
    from app.readers.rating_export import Asked
    from app.readers.ratings_file import read_categories
    from app.services.agreement_table import TableQuestion, agreement_of_table

    question = TableQuestion(
        Asked(unit, rater, label, cluster),
        None if categories is None else read_categories(categories),
        level,
        weights,
        Bootstrap(resamples=resamples, seed=seed),
        format_name,
    )
    document = agreement_of_table(ratings or [], question, out)
    emit(document, as_json, told(document))


def _of_study(study: str, as_name: str | None, as_json: bool) -> None:
    from app.services.agreement import agreement_of_study

    with open_database().reading() as session:
        documents = agreement_of_study(session, acting(session, as_name), study)
    emit(documents, as_json, told_in_brief(documents))
