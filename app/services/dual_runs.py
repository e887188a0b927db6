"""Two implementations, two processes each: started, waited for, their outputs compared byte by byte.

Responsible for processes alone. A process is this Python running one of our modules with the implementation's name, the
arguments and the file to write. What the outputs mean is the caller's business.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.domain.canonical import sha256_hex
from app.domain.errors import BadInput, Refused

_SOURCES = Path(__file__).resolve().parents[2]
_BAD_INPUT = 2


@dataclass(frozen=True)
class Runs:
    """The bytes that two processes of one implementation wrote."""

    first: bytes
    second: bytes

    @property
    def identical(self) -> bool:
        """Whether they are the same bytes."""
        return self.first == self.second

    def as_dict(self) -> dict[str, object]:
        """Return what a record keeps of it."""
        return {"identical": self.identical, "sha256": [sha256_hex(self.first), sha256_hex(self.second)]}


def run_twice(
    module: str,
    implementations: Sequence[str],
    arguments: Sequence[str],
    on_done: Callable[[str], None] = lambda _: None,
) -> dict[str, Runs]:
    """Run every implementation twice and return its outputs; the implementations run beside one another.

    `module` is started as `module IMPLEMENTATION ARGUMENTS... OUT`. Raises `BadInput` where a process ends with 2 and
    `Refused` where it fails otherwise, with the last line it wrote.
    """
    with tempfile.TemporaryDirectory(prefix="saydo-runs-") as folder:
        outputs: dict[str, list[bytes]] = {name: [] for name in implementations}
        for turn in (1, 2):
            files = {name: Path(folder) / f"{name}.{turn}" for name in implementations}
            commands = [(name, [module, name, *arguments, str(file)]) for name, file in files.items()]
            with _started(commands) as running:
                for name, process in running:
                    _finish(name, process)
                    outputs[name].append(files[name].read_bytes())
                    on_done(f"implementation {name}, process {turn}")
    return {name: Runs(found[0], found[1]) for name, found in outputs.items()}


@contextmanager
def _started(commands: Sequence[tuple[str, list[str]]]) -> Iterator[list[tuple[str, subprocess.Popen[str]]]]:
    """Start the processes, and leave none behind."""
    known = os.environ.get("PYTHONPATH")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(_SOURCES), *([known] if known else [])])}
    running: list[tuple[str, subprocess.Popen[str]]] = []
    try:
        for name, command in commands:
            # -P: a folder called app where the command is run is not ours.
            started = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-P", "-m", *command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                env=environment,
            )
            running.append((name, started))
        yield running
    finally:
        for _, process in running:
            if process.poll() is None:
                process.kill()
            with process:  # closes its pipe and waits for its end
                pass


def _finish(name: str, process: subprocess.Popen[str]) -> None:
    _, told = process.communicate()
    if process.returncode:
        lines = [line for line in told.splitlines() if line.strip()]
        last = lines[-1] if lines else f"exit code {process.returncode}"
        if process.returncode == _BAD_INPUT:
            raise BadInput(last)
        raise Refused(f"implementation {name} stopped before its end: {last}")
