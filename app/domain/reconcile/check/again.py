"""Implementation B: the whole document of figures from the plain registration and plain columns.

Same shape as the first implementation's document, nothing of its code. The content hash is not rebuilt here: a second
CSV writer would test itself, not the publisher's.
"""

from __future__ import annotations

from app.domain.reconcile.check.declared import Tree, families_by_column
from app.domain.reconcile.check.executors import executors
from app.domain.reconcile.check.judging import Matched, class_cells, count_by_class, judge_all
from app.domain.reconcile.check.matching import Columns, key_labels, map_benchmarks, readable, row_order, search_keys
from app.domain.reconcile.check.null_again import null_again
from app.domain.reconcile.check.summaries import by_row, census, columns, largest, policies, ties
from app.domain.reconcile.check.values import Groups, all_values


def reconcile_again(spec: Tree, target: Columns, source: Columns) -> Tree:
    """Return all figures; `spec` is the registration as plain YAML values, the tables are lists by column."""
    matched, joins, mapping, ordered = matched_tables(spec, target, source)
    cells = class_cells(matched)
    classes = count_by_class(cells)
    named = largest(matched)
    own = executors(matched, ordered[spec["rows"]["executor_column"]], named)
    return {
        "schema": "reconcile/1",
        "spec": spec["id"],
        "shape": {
            "rows": len(matched.rows),
            "columns": len(spec["tables"]["target"]["columns"]),
            "cells": len(cells),
        },
        "census": census(spec, {"target": ordered, "source": source}),
        "join": joins,
        "mapping": mapping,
        "columns": columns(matched),
        "policies": policies(matched),
        "cells": cells,
        "classes": classes,
        "sum": sum(classes.values()),
        "rows": by_row(matched, cells),
        "mentions": {
            "largest_deviations": named,
            "join_failures": [row for row, group in zip(matched.rows, matched.group_of, strict=True) if group is None],
            "executor_rows": sorted({line["row"] for entry in own for line in entry["rows"]}),
        },
        "executors": own,
        "ranking": ties(matched),
        "null": null_again(matched),
    }


def matched_tables(spec: Tree, given: Columns, source: Columns) -> tuple[Matched, Tree, Tree, Columns]:
    """Return the joined and judged tables, the key search, the mapping, and the target in row order."""
    order = row_order(spec, given)
    target = {name: [values[i] for i in order] for name, values in given.items()}
    labels = key_labels(target, spec["tables"]["target"]["unique"], False)
    rows = [readable(label or "") for label in labels]
    joins = search_keys(spec, target, source, rows)
    key = next(key for key in spec["join"] if key["id"] == joins["winner"])
    fold = bool(key.get("fold_case", False))
    mapping = map_benchmarks(spec, source)
    usable = {name: p for name, p in mapping["decided"].items() if p in spec["mapping"]["prefixes"]}
    prefixes = [usable.get(name) for name in source[spec["mapping"]["benchmark"]]]
    groups = Groups(source, key_labels(source, key["source"], fold), prefixes)
    wanted = key_labels(target, key["target"], fold)
    matched = Matched(
        spec=spec,
        rows=rows,
        key=key,
        group_of=[label if label is not None and label in groups.whole else None for label in wanted],
        groups=groups,
        published={column: target[column] for column in families_by_column(spec)},
        values=all_values(spec, groups),
    )
    judge_all(matched)
    return matched, joins, mapping, target
