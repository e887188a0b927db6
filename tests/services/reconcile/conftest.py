"""One finished run of the shipped example, shared by the tests that only read it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.services.reconcile.running import Asked, reconcile
from tests.domain.reconcile.small import SPEC


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The folder of a run of the example, and the document that was printed. Read only: copy it to change it."""
    out = tmp_path_factory.mktemp("reconcile") / "small"
    return out, json.loads(json.dumps(reconcile(Asked(SPEC, None, out))))
