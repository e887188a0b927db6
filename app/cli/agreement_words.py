"""An `agreement/1` document in words for a person at a terminal: one table at length, or a study's fields in brief.

No value is judged: there is no adjective for a kappa. Undefined is a sentence. It computes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.domain.stats.statistic import sentence

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


def told_in_brief(documents: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[str]:
    """Yield the lines of a study's fields: for each pair n, exact agreement with n/N, kappa and its interval.

    `documents` is `{field: {codebook version: agreement/1}}`.
    """
    rows: list[tuple[str, ...]] = [("field", "raters", "n", "exact agreement", "kappa", "95 % interval")]
    for name, versions in documents.items():
        for document in versions.values():
            rows += [_brief(name, pair) for pair in document["pairs"]] or [(name, "-", "0", "", sentence("one_rater"))]
    yield from _headings(documents)
    yield ""
    widths = [max(len(row[i]) for row in rows if len(row) > i) for i in range(4)]
    widths.append(max(len(row[4]) for row in rows if len(row) == len(rows[0])))
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield "  ".join([*cells, *row[len(widths) :]]).rstrip()


def _headings(documents: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[str]:
    """Yield what holds for every field: the first field's units, and what is printed elsewhere."""
    for version, document in next(iter(documents.values()), {}).items():
        runs = f", {document['n_runs']} runs" if document["n_runs"] is not None else ""
        raters = ", ".join(document["raters"])
        yield f"codebook {version}: {document['n_units']} claims{runs}, raters {raters}, locked codings only"
        yield f"kappa is Cohen's, unweighted; the interval is {document['primary_interval']}"
    yield "--json prints every coefficient, matrix and null of every field"


def _brief(field: str, pair: Mapping[str, Any]) -> tuple[str, ...]:
    exact, kappa = pair["exact_agreement"], pair["cohen_kappa"]
    start: tuple[str, ...] = (field, " and ".join(pair["raters"]), str(pair["n"]))
    if not pair["n"]:
        return (*start, "", sentence("no_overlap"))
    start = (*start, f"{exact['num']}/{exact['den']} = {shown(exact['value'])}")
    if kappa["value"] is None:
        return (*start, sentence(kappa["undefined_reason"]))
    low, high = kappa["ci95"]
    limits = "undefined below two runs" if low is None else f"{shown(low)} to {shown(high)}"
    return (*start, shown(kappa["value"]), limits)


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
