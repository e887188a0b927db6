"""What columns of several tables share."""

from __future__ import annotations

from sqlalchemy import CheckConstraint


def one_of(column: str, *values: str) -> CheckConstraint:
    """Return the CHECK that a text column holds one of these values."""
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=f"{column}_is_known")
