"""The command line's edge: how a result is printed and how a named error becomes a sentence and an exit code.

Exit 0 done, 1 the work itself says no, 2 bad usage or bad input. No traceback for a named error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from app.domain.errors import BadInput, NotFound, SaydoError


def emit(document: Any, as_json: bool, lines: Iterable[str]) -> None:
    """Print one JSON document (sorted keys, nothing else) or the lines meant for a person."""
    if as_json:
        sys.stdout.write(json.dumps(document, sort_keys=True, ensure_ascii=False, allow_nan=False, indent=2) + "\n")
        return
    for line in lines:
        sys.stdout.write(line + "\n")


def exit_code(error: SaydoError) -> int:
    """Return 2 for input that cannot be used or found, 1 where the work itself says no."""
    return 2 if isinstance(error, BadInput | NotFound) else 1


def tell(error: SaydoError) -> int:
    """Write the error's sentence to stderr and return its exit code."""
    sys.stderr.write(" ".join(str(error).split("\n")) + "\n")
    return exit_code(error)


@contextmanager
def moving_line(what: str) -> Iterator[Callable[[str], None] | None]:
    """Show a moving line on a terminal, nothing in a pipe; yields what may add a word to it."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda name: progress.update(task, description=f"{what} {name}")
