"""An installation whose folder of codebooks a test fills."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.replacing.course import Course


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Course]:
    opened = Course(tmp_path, monkeypatch, capsys)
    yield opened
    opened.close()
