"""The registration as the second implementation reads it: the plain tree of the YAML file, no types of the first.

Responsible for writing `<cat>` out and for finding a column's family. The tree was judged before it came here.
"""

from __future__ import annotations

from typing import Any

Tree = dict[str, Any]


def written_out(names: list[str], spec: Tree) -> list[str]:
    """Return the column names with `<cat>` replaced by every prefix."""
    columns: list[str] = []
    for name in names:
        if "<cat>" in name:
            for prefix in spec["mapping"]["prefixes"]:
                columns.append(name.replace("<cat>", prefix))
        else:
            columns.append(name)
    return columns


def families_by_column(spec: Tree) -> dict[str, Tree]:
    """Return target column → its family, in the order of the target's columns."""
    owners: dict[str, Tree] = {}
    for family in spec["families"]:
        for column in written_out(family["columns"], spec):
            owners[column] = family
    return {column: owners[column] for column in spec["tables"]["target"]["columns"] if column in owners}


def category_of(column: str, family: Tree, spec: Tree) -> str | None:
    """Return the prefix a column of a category family stands for."""
    if family["scope"] != "category":
        return None
    for prefix in spec["mapping"]["prefixes"]:
        for name in family["columns"]:
            if name.replace("<cat>", prefix) == column:
                return str(prefix)
    return None


def unit_of(family: Tree, spec: Tree) -> str:
    """Return the unit a family's deviations are in."""
    return str(spec["tolerances"][family["tolerance"]]["unit"])
