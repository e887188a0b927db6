"""One process of a reconciliation: one implementation, from the spec and the tables to the canonical bytes of a file.

Started by `running` as `python -m app.services.reconcile.process A|B SPEC FOLDER OUT`. It judges no input: that is done
before it is started.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from app.domain.canonical import canonical_file
from app.domain.errors import BadInput, SaydoError
from app.readers.reconcile_spec import ReadSpec, load_spec
from app.readers.reconcile_tables import read_columns, read_frame, read_published_frame


def figures_a(read: ReadSpec, folder: Path) -> dict[str, Any]:
    """Return implementation A's document, with the content hash."""
    from app.domain.reconcile.content_hash import rebuild_content_hash
    from app.domain.reconcile.engine import reconcile

    files = {table.role: folder / table.file for table in (read.spec.target, read.spec.source)}
    document = reconcile(read.spec, read_frame(files["target"]), read_frame(files["source"]))
    frames = {role: read_published_frame(file) for role, file in files.items()}
    return {**document, "content_hash": rebuild_content_hash(read.spec.content_hash, frames)}


def figures_b(read: ReadSpec, folder: Path) -> dict[str, Any]:
    """Return implementation B's document."""
    from app.domain.reconcile.check.again import reconcile_again

    plain = read.root.plain()
    tables = {role: read_columns(folder / plain["tables"][role]["file"]) for role in ("target", "source")}
    return reconcile_again(plain, tables["target"], tables["source"])


FIGURES = {"A": figures_a, "B": figures_b}


def main(arguments: list[str]) -> int:
    """Write one implementation's document and return the exit code."""
    implementation, spec, folder, out = arguments
    try:
        document = FIGURES[implementation](load_spec(Path(spec)), Path(folder))
        Path(out).write_bytes(canonical_file(document))
    except SaydoError as error:
        sys.stderr.write(f"{error}\n")
        return 2 if isinstance(error, BadInput) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
