"""Rows to rows and benchmarks to columns, by loops: the key search and the mapping of categories, a second time."""

from __future__ import annotations

from typing import Any

from app.domain.reconcile.check.declared import Tree

Columns = dict[str, list[Any]]


def key_labels(table: Columns, names: list[str], fold: bool) -> list[str | None]:
    """Return the key of each row as one text, None where a part is missing."""
    labels: list[str | None] = []
    for parts in zip(*(table[name] for name in names), strict=True):
        if any(part is None for part in parts):
            labels.append(None)
            continue
        text = "\x1f".join(parts)
        labels.append(text.lower() if fold else text)
    return labels


def readable(label: str) -> str:
    """Return a key as it is printed."""
    return " · ".join(label.split("\x1f"))


def row_order(spec: Tree, target: Columns) -> list[int]:
    """Return the target's row numbers in the order of their row keys."""
    labels = key_labels(target, spec["tables"]["target"]["unique"], False)
    return sorted(range(len(labels)), key=lambda i: labels[i] or "")


def search_keys(spec: Tree, target: Columns, source: Columns, rows: list[str]) -> Tree:
    """Return coverage, uniqueness and both directions of every candidate key; the target is in row order."""
    entries = []
    for key in spec["join"]:
        fold = bool(key.get("fold_case", False))
        mine = key_labels(target, key["target"], fold)
        theirs = {label for label in key_labels(source, key["source"], fold) if label is not None}
        entries.append(_judge_key(key["id"], mine, theirs, rows))
    best = 0
    for n, entry in enumerate(entries):
        if entry["score"] > entries[best]["score"]:
            best = n
    others = [n for n in range(len(entries)) if n != best]
    second = None
    for n in others:
        if second is None or entries[n]["score"] > entries[second]["score"]:
            second = n
    return {
        "candidates": entries,
        "winner": entries[best]["id"],
        "runner_up": None if second is None else entries[second]["id"],
        "tied_with_winner": [entries[n]["id"] for n in others if entries[n]["score"] == entries[best]["score"]],
    }


def _judge_key(name: str, mine: list[str | None], theirs: set[str], rows: list[str]) -> Tree:
    covered = [label is not None and label in theirs for label in mine]
    times: dict[str, int] = {}
    for label in mine:
        if label is not None:
            times[label] = times.get(label, 0) + 1
    alone = sum(1 for label, is_covered in zip(mine, covered, strict=True) if is_covered and times[label or ""] == 1)
    n_covered = sum(covered)
    coverage = n_covered / len(mine)
    uniqueness = alone / n_covered if n_covered else 0.0
    return {
        "id": name,
        "coverage": coverage,
        "uniqueness": uniqueness,
        "unique": n_covered > 0 and alone == n_covered,
        "score": coverage * uniqueness,
        "n_groups": len(theirs),
        "targets_without_groups": [row for row, is_covered in zip(rows, covered, strict=True) if not is_covered],
        "groups_without_targets": [readable(label) for label in sorted(theirs) if label not in times],
    }


def map_benchmarks(spec: Tree, source: Columns) -> Tree:
    """Return what each mapping candidate says and what is decided."""
    rule = spec["mapping"]
    pairs: dict[tuple[str, str], int] = {}
    for benchmark, category in zip(source[rule["benchmark"]], source[rule["category"]], strict=True):
        if benchmark is not None and category is not None:
            pair = (benchmark, _slug(category, "_"))
            pairs[pair] = pairs.get(pair, 0) + 1
    seen, several = _most_frequent(pairs)
    says: dict[str, dict[str, str]] = {}
    for candidate in rule["candidates"]:
        said = seen if candidate["pairs"] == "observed" else candidate["pairs"]
        says[candidate["id"]] = {_slug(name, "-"): _slug(partner, "_") for name, partner in said.items()}
    names = sorted({name for name in source[rule["benchmark"]] if name is not None})
    chosen = {name: says[rule["decides"]].get(_slug(name, "-")) for name in names}
    turned = {(p, name): pairs.get((name, p), 0) for name, p in chosen.items() if p is not None}
    owners, shared = _most_frequent(turned)
    decided = {owners[prefix]: prefix for prefix in owners}
    return {
        "candidates": says,
        "decides": rule["decides"],
        "decided": decided,
        "several_categories": several,
        "several_benchmarks": shared,
        "disagreements": _differing(says),
        "benchmarks_without_columns": [name for name in names if chosen[name] not in rule["prefixes"]],
        "prefixes_without_benchmark": [p for p in rule["prefixes"] if p not in owners],
    }


def _slug(text: str, space: str) -> str:
    return text.lower().replace(" ", space)


def _most_frequent(pairs: dict[tuple[str, str], int]) -> tuple[dict[str, str], list[Tree]]:
    """For each first name the second it is paired with most often; the first in order at a tie."""
    taken: dict[str, str] = {}
    several: list[Tree] = []
    for name in sorted({first for first, _ in pairs}):
        rows = {second: n for (first, second), n in pairs.items() if first == name}
        best = None
        for second in sorted(rows):
            if best is None or rows[second] > rows[best]:
                best = second
        taken[name] = best or ""
        if len(rows) > 1:
            tie = sum(1 for n in rows.values() if n == rows[taken[name]]) > 1
            several.append({"name": name, "rows": rows, "taken": taken[name], "tie": tie})
    return taken, several


def _differing(says: dict[str, dict[str, str]]) -> list[Tree]:
    names: set[str] = set()
    for mapping in says.values():
        names.update(mapping)
    lines = []
    for name in sorted(names):
        answers = {who: mapping.get(name) for who, mapping in says.items()}
        if len(set(answers.values())) > 1:
            lines.append({"benchmark": name, "says": answers})
    return lines
