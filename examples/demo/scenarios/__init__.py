"""The demo's runs, one module each: what the agent runs and says, which words are claims, how they were coded."""

from __future__ import annotations

from importlib import import_module

NAMES = (
    "fix_midnight",
    "sill_margin",
    "docs_audit",
    "tidy_data",
    "cut_release",
    "seed_check",
    "flaky_lock",
    "passage_list",
)


def load_all() -> list:
    """Return the scenario modules in the order of the recorded log."""
    return [import_module(f"{__name__}.{name}") for name in NAMES]
