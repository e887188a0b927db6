"""Play the demo's scenarios and write its recorded files.

    python -m examples.demo.generate              # writes beside this file
    python examples/demo/generate.py --out DIR

Every command in the log is really run, in a scratch repository that is thrown away afterwards. The same files come out
byte for byte each time.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

if __package__ in (None, ""):  # started as a file: make the packages importable, then go on as a module
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    __package__ = "examples.demo"

from examples.demo.recorded import (
    STUDY,
    Played,
    claims_text,
    clock_bytes,
    codings_text,
    coverage_text,
    decisions_text,
    log_parquet,
    log_text,
)
from examples.demo.scenarios import load_all
from examples.demo.scratch import Scratch
from examples.demo.session import Session

HERE = Path(__file__).resolve().parent


def play_all() -> list[Played]:
    """Play every scenario in a fresh repository; return the sessions with their claims."""
    played = []
    for scenario in load_all():
        with tempfile.TemporaryDirectory(prefix="tidetable-") as folder:
            session = Session(scenario.IDENTITY, Scratch(Path(folder).resolve() / "scratch", scenario.EXTRA))
            scenario.prepare(session)
            scenario.play(session)
        played.append(Played(session, scenario.CLAIMS, scenario.COVERAGE, getattr(scenario, "GAP", None)))
    return played


def recorded_files(played: list[Played]) -> dict[str, bytes]:
    """Return file name → bytes of everything that is recorded."""
    texts = {
        "runs.jsonl": log_text(played),
        "claims.csv": claims_text(played),
        "coverage.yaml": coverage_text(played),
        "study.yaml": STUDY,
        "gold.csv": codings_text(played, "gold"),
        "codings-r1.csv": codings_text(played, "r1"),
        "codings-r2.csv": codings_text(played, "r2"),
        "again-r1.csv": codings_text(played, "again1"),
        "again-r2.csv": codings_text(played, "again2"),
        "adjudication.csv": decisions_text(played),
    }
    files = {name: text.encode("utf-8") for name, text in texts.items()}
    return {**files, "runs.parquet": log_parquet(played), "clock.json": clock_bytes(played)}


def main(arguments: list[str] | None = None) -> None:
    """Write the recorded files to `--out`."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=HERE, help="folder to write to (default: beside this file)")
    out: Path = parser.parse_args(arguments).out
    files = recorded_files(play_all())
    out.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (out / name).write_bytes(data)
        print(f"{name}  {len(data)} bytes")


if __name__ == "__main__":
    main()
