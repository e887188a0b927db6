"""Agreement of any long table of ratings, without a study: read, compute, return the document.

Responsible for joining the reader and the statistics. It asks for no permission, because it touches nothing but the
file it is given, and it stores nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from app.domain.stats.document import agreement_document
from app.domain.stats.resampling import Bootstrap
from app.readers.rating_export import Asked
from app.readers.rating_formats import read_any
from app.readers.ratings_file import read_weights


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


def agreement_of_table(paths: Sequence[Path], question: TableQuestion) -> dict[str, Any]:
    """Return the `agreement/1` document of a long table or of the files of one annotation tool's export.

    Raises `BadInput` naming file, row and column or question.
    """
    ratings = read_any(paths, question.asked, question.categories, question.format_name)
    weights = None
    if question.weights is not None:
        weights = np.array(read_weights(question.weights, ratings.n_categories), dtype=np.float64)
    return agreement_document(ratings, question.level, weights, question.bootstrap)
