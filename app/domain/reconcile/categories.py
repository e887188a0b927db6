"""Which benchmark of the source fills which columns of the target, by every declared mapping, and where they differ.

Responsible for the mapping as observed in the rows, the mappings that others claim, and the one that decides. A
category becomes a prefix in lower case with underscores; a benchmark's name is compared in lower case with hyphens.
"""

from __future__ import annotations

from typing import Any

from app.domain.reconcile.spec import MappingCandidate, Spec


def prefix_of(category: str) -> str:
    """Return the column prefix of a category.

    >>> prefix_of("Issue Resolution")
    'issue_resolution'
    """
    return category.lower().replace(" ", "_")


def plain_name(benchmark: str) -> str:
    """Return a benchmark's name in the form in which mappings are compared.

    >>> plain_name("SWE-Bench Multimodal")
    'swe-bench-multimodal'
    """
    return benchmark.lower().replace(" ", "-")


def map_categories(spec: Spec, source: Any) -> tuple[dict[str, str], dict[str, Any]]:
    """Return benchmark → prefix as decided (prefixes with columns only), and the census of the mappings.

    A benchmark that is paired with several categories goes by the majority of its rows, and a category that several
    benchmarks are paired with by the majority of the category's rows; at a tie the first in code-point order is taken
    and the tie is reported.
    """
    counts = _pair_counts(spec, source)
    observed, several = _majority(counts, of=0)
    said = {candidate.id: _said(candidate, observed) for candidate in spec.mapping.candidates}
    names = sorted({str(name) for name in source[spec.mapping.benchmark].dropna().unique()})
    chosen = {name: said[spec.mapping.decides].get(plain_name(name)) for name in names}
    decided, shared = _one_benchmark_each({n: p for n, p in chosen.items() if p is not None}, counts)
    return {name: p for name, p in decided.items() if p in spec.mapping.prefixes}, {
        "candidates": said,
        "decides": spec.mapping.decides,
        "decided": decided,
        "several_categories": several,
        "several_benchmarks": shared,
        "disagreements": _disagreements(said),
        "benchmarks_without_columns": sorted(n for n in names if chosen[n] not in spec.mapping.prefixes),
        "prefixes_without_benchmark": [p for p in spec.mapping.prefixes if p not in decided.values()],
    }


def _pair_counts(spec: Spec, source: Any) -> dict[tuple[str, str], int]:
    columns = [spec.mapping.benchmark, spec.mapping.category]
    sizes = source.dropna(subset=columns).groupby(columns, observed=True).size()
    counts: dict[tuple[str, str], int] = {}
    for (benchmark, category), n in sizes.items():
        pair = (str(benchmark), prefix_of(str(category)))
        counts[pair] = counts.get(pair, 0) + int(n)
    return counts


def _majority(counts: dict[tuple[str, str], int], of: int) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Return each name on side `of` with its most frequent partner, and those with several partners."""
    partners: dict[str, dict[str, int]] = {}
    for pair, n in counts.items():
        partners.setdefault(pair[of], {})[pair[1 - of]] = n
    chosen, several = {}, []
    for name in sorted(partners):
        most = max(partners[name].values())
        best = sorted(partner for partner, n in partners[name].items() if n == most)
        chosen[name] = best[0]
        if len(partners[name]) > 1:
            several.append({"name": name, "rows": partners[name], "taken": best[0], "tie": len(best) > 1})
    return chosen, several


def _said(candidate: MappingCandidate, observed: dict[str, str]) -> dict[str, str]:
    if candidate.pairs is None:
        return {plain_name(benchmark): prefix for benchmark, prefix in observed.items()}
    return {plain_name(benchmark): prefix_of(category) for benchmark, category in candidate.pairs.items()}


def _one_benchmark_each(
    chosen: dict[str, str], counts: dict[tuple[str, str], int]
) -> tuple[dict[str, str], list[dict[str, Any]]]:
    taken, shared = _majority({(name, prefix): counts.get((name, prefix), 0) for name, prefix in chosen.items()}, of=1)
    return {name: prefix for prefix, name in sorted(taken.items(), key=lambda item: item[1])}, shared


def _disagreements(said: dict[str, dict[str, str]]) -> list[dict[str, Any]]:
    names = sorted({name for mapping in said.values() for name in mapping})
    answers = {name: {who: mapping.get(name) for who, mapping in said.items()} for name in names}
    return [{"benchmark": name, "says": says} for name, says in answers.items() if len(set(says.values())) > 1]
