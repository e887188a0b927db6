"""Agreement of any long table of ratings, without a study: read, compute, return the document.

Responsible for joining the reader and the statistics. It asks for no permission, because it touches nothing but the
file it is given; what it writes are the files it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from app.domain.canonical import canonical_file
from app.domain.export.manifest import Artifact
from app.domain.export.ratings_tables import ratings_artifacts, table_field
from app.domain.stats.document import agreement_document
from app.domain.stats.ratings import Ratings
from app.domain.stats.resampling import Bootstrap
from app.readers.rating_export import Asked
from app.readers.rating_formats import read_any
from app.readers.ratings_file import read_weights
from app.services.putting import put_files


@dataclass(frozen=True)
class TableQuestion:
    """What is asked of a table: its columns or question, declared categories (None = those that occur), level, weights.

    `format_name` None: the file says what it is.
    """

    asked: Asked = field(default_factory=Asked)
    categories: Sequence[str] | None = None
    level: str = "nominal"
    weights: Path | None = None
    bootstrap: Bootstrap = field(default_factory=Bootstrap)
    format_name: str | None = None


def agreement_of_table(paths: Sequence[Path], question: TableQuestion, out: Path | None = None) -> dict[str, Any]:
    """Return the `agreement/1` document of a long table or of the files of one annotation tool's export.

    With `out`, the document and the ratings tables for other programs are written into that folder. Raises `BadInput`
    naming file, row and column or question, or the folder that cannot be written.
    """
    ratings = read_any(paths, question.asked, question.categories, question.format_name)
    document = _document(ratings, question)
    if out is not None:
        field = table_field(ratings, question.asked.label or "label", question.level)
        put_files(out, [*ratings_artifacts([field]), Artifact("agreement.json", canonical_file(document))])
    return document


def _document(ratings: Ratings, question: TableQuestion) -> dict[str, Any]:
    weights = None
    if question.weights is not None:
        weights = np.array(read_weights(question.weights, ratings.n_categories), dtype=np.float64)
    return agreement_document(ratings, question.level, weights, question.bootstrap)
