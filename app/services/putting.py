"""Computed files put into a folder beside whatever lies there: each whole or not at all.

For results that belong to no study. An export, whose files belong together, is `bundle`'s matter.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from app.domain.errors import BadInput
from app.domain.export.manifest import Artifact


def put_files(folder: Path, files: Sequence[Artifact]) -> list[str]:
    """Write the files into `folder` (made if absent), in place of earlier ones of their names; return the names.

    Raises `BadInput` where the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for artifact in files:
            beside = folder / f".{artifact.path}.{secrets.token_hex(4)}"
            beside.write_bytes(artifact.data)
            os.replace(beside, folder / artifact.path)
    except OSError as problem:
        raise BadInput(f"nothing can be written to {folder}: {problem.strerror or problem}") from problem
    return [artifact.path for artifact in files]
