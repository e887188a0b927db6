"""Second implementation of the whole agreement document: every number again, from the raw ratings.

Responsible for saying which numbers of an `agreement/1` document do not follow from the ratings beside it. Standard
library only. Random draws are handed in by the caller, made as the document says they were made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.domain.stats.check.counted import NONE, Patterns, count_patterns, identity
from app.domain.stats.check.intervals import resampled_limits
from app.domain.stats.check.many_raters import category_numbers, overall_numbers
from app.domain.stats.check.pair_again import analytic, nulls, plain_counts
from app.domain.stats.check.raw import Chance, Raw, blocks
from app.domain.stats.check.two_raters import Numbers, cells_of, cohen, pair_numbers

Path = tuple[str | int, ...]
Found = dict[Path, float | None]


def mismatches(
    document: Mapping[str, Any], raw: Raw, chance: Chance | None = None, tolerance: float = 1e-9
) -> list[str]:
    """Return a sentence for every number of the document that the raw ratings do not give; [] where all agree."""
    wrong = []
    for path, number in recompute(raw, chance).items():
        claimed = _at(document, path)
        if not _same(claimed, number, tolerance):
            told = "/".join(map(str, path))
            wrong.append(f"{told}: the document says {claimed!r}, the ratings give {number!r}")
    return wrong


def recompute(raw: Raw, chance: Chance | None = None) -> Found:
    """Return every number by its path in the document, such as `("pairs", 0, "cohen_kappa", "value")`."""
    patterns = count_patterns(raw.rows, raw.categories)
    found: Found = {}
    overall = overall_numbers(patterns, raw.categories, raw.level, raw.disagreement)
    found |= {("overall", name, "value"): value for name, value in overall.items()}
    by_category = category_numbers(patterns, len(raw.categories))
    for label, value in zip(raw.categories, by_category, strict=True):
        found["category_kappa", label, "value"] = value
    pairs = [(a, b) for a in range(len(raw.rows)) for b in range(a + 1, len(raw.rows))]
    for at, pair in enumerate(pairs):
        for path, value in _pair(raw, patterns, pair, chance).items():
            found["pairs", at, *path] = value
    if chance is not None and chance.all_coefficients and pairs:
        again = _limits(raw, chance, lambda drawn: overall_numbers(drawn, raw.categories, raw.level, raw.disagreement))
        found |= {("overall", *path): value for path, value in again.items() if overall[str(path[0])] is not None}
    return found


def _pair(raw: Raw, patterns: Patterns, pair: tuple[int, int], chance: Chance | None) -> Found:
    values = pair_numbers(patterns, pair, raw.categories, raw.level, raw.disagreement)
    found: Found = {(name, "value"): value for name, value in values.items()}
    found |= plain_counts(raw, patterns, pair)
    found |= analytic(raw, patterns, pair)
    if chance is None:
        return found

    def coefficients(drawn: Patterns) -> Numbers:
        if chance.all_coefficients:
            return pair_numbers(drawn, pair, raw.categories, raw.level, raw.disagreement)
        q = len(raw.categories)
        return {"cohen_kappa": cohen(cells_of(drawn, *pair, q), identity(q))}

    again = _limits(raw, chance, coefficients, pair)
    found |= {path: value for path, value in again.items() if values[str(path[0])] is not None}
    return found | nulls(raw, pair, chance)


def _limits(
    raw: Raw, chance: Chance, coefficients: Callable[[Patterns], Numbers], pair: tuple[int, int] | None = None
) -> Found:
    drawn_from = blocks(raw)
    touched = drawn_from
    if pair is not None:
        touched = [b for b in drawn_from if any(NONE not in (p[pair[0]], p[pair[1]]) for p in b)]
    too_few = raw.runs is not None and len(touched) < 2
    found: Found = {}
    for name, (limits, undefined) in resampled_limits(drawn_from, chance.runs(len(drawn_from)), coefficients).items():
        low, high = (None, None) if too_few or limits is None else limits
        found |= {(name, "ci95_cluster", "lo"): low, (name, "ci95_cluster", "hi"): high}
        found[name, "ci95_cluster", "undefined_resamples"] = undefined
    return found


def _at(document: Any, path: Sequence[str | int]) -> Any:
    for step in path:
        if document is None:
            return None
        document = document[int(step)] if isinstance(document, list) else document.get(step)
    return document


def _same(claimed: Any, number: float | None, tolerance: float) -> bool:
    if claimed is None or number is None:
        return claimed is None and number is None
    return bool(abs(claimed - number) <= tolerance)
