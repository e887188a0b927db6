"""The scorecard once more in a process of its own: the same inputs must give the same bytes.

Responsible for starting that process, for what it prints (the hash of each implementation's canonical bytes) and for
comparing. The process draws its own hash seed, so that an order which rests on chance shows.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.domain.canonical import canonical_json, sha256_hex
from app.services.scorecard.computing import Computed, compute_twice

NAMES = ("first_implementation", "second_implementation")


def start_second_run(spec: Path, folder: Path) -> subprocess.Popen[bytes]:
    """Start the second run and return its process; `finish_second_run` reads what it found."""
    command = [sys.executable, "-m", "app.services.scorecard.second_run", str(spec), str(folder)]
    surroundings = {**os.environ, "PYTHONHASHSEED": "random"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=surroundings)  # noqa: S603


def finish_second_run(process: subprocess.Popen[bytes], computed: Computed) -> dict[str, Any]:
    """Return `{identical, first_implementation, second_implementation}`, each implementation's hashes of both runs."""
    out, _ = process.communicate()
    again: Mapping[str, str] = json.loads(out) if process.returncode == 0 else {}
    here = digests(computed)
    runs = {name: {"first_run": here[name], "second_run": again.get(name)} for name in NAMES}
    return {"identical": all(run["first_run"] == run["second_run"] for run in runs.values()), **runs}


def digests(computed: Computed) -> dict[str, str]:
    """Return the hash of each implementation's canonical bytes."""
    parts = (computed.figures, computed.found)
    return {name: sha256_hex(canonical_json(part)) for name, part in zip(NAMES, parts, strict=True)}


def main(arguments: list[str]) -> None:
    """Compute the scorecard named by the arguments and print the hashes."""
    spec, folder = arguments
    sys.stdout.write(json.dumps(digests(compute_twice(Path(spec), Path(folder)))))


if __name__ == "__main__":
    main(sys.argv[1:])
