"""coverage.yaml: what it declares, and where it is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.domain.errors import BadInput, NotFound
from app.domain.turnlog.run import Gap
from app.readers.coverage_file import load_coverage, parse_coverage

GOOD = b"""runs:
  one:
    channels: {shell: full, file_write: full, email: none, "tool:refund": gapped}
    gaps:
      - {channel: shell, from_turn: 40, to_turn: 60}
      - {channel: "tool:refund", from_turn: 3, to_turn: 3}
  two:
    channels: {reasoning: none}
"""


def refusal(text: str, **runs: int) -> str:
    with pytest.raises(BadInput) as caught:
        parse_coverage(text.encode(), "coverage.yaml", runs or None)
    return str(caught.value)


def test_maps_and_gaps_are_read(tmp_path: Path) -> None:
    (tmp_path / "coverage.yaml").write_bytes(GOOD)
    found = load_coverage(tmp_path / "coverage.yaml", {"one": 61, "two": 5, "three": 9})
    assert list(found) == ["one", "two"]
    assert dict(found["one"].channels) == {
        "shell": "full",
        "file_write": "full",
        "email": "none",
        "tool:refund": "gapped",
    }
    assert found["one"].gaps == (Gap("tool:refund", 3, 3), Gap("shell", 40, 60))
    assert found["two"].gaps == ()


def test_runs_may_be_known_by_name_only_or_not_at_all() -> None:
    assert set(parse_coverage(GOOD, "c.yaml", ["one", "two"])) == {"one", "two"}
    assert set(parse_coverage(GOOD, "c.yaml")) == {"one", "two"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rns: {}", "coverage.yaml line 1: rns: is no key"),
        ("{}", "lacks the key runs"),
        ("runs:\n  other: {channels: {}}", 'line 2: runs.other: the log has no run "other"'),
        ("runs:\n  one:\n    chanels: {}", "line 3: runs.one.chanels: is no key"),
        ("runs:\n  one:\n    gaps: []", "lacks the key channels"),
        ("runs:\n  one:\n    channels: {shel: full}", 'line 3: runs.one.channels.shel: "shel" is no channel'),
        ('runs:\n  one:\n    channels: {"tool:": full}', '"tool:" is no channel'),
        (
            "runs:\n  one:\n    channels: {shell: most}",
            'line 3: runs.one.channels.shell: "most" is not one of full, gapped',
        ),
        ("runs:\n  one:\n    channels: {shell: }", "runs.one.channels.shell: takes a text"),
        ("runs: {one: {channels: {}, gaps: [{channel: x, from_turn: 1, to_turn: 2}]}}", '"x" is no channel'),
        ("runs: {one: {channels: {}, gaps: [{channel: shell, from_turn: 1}]}}", "lacks the key to_turn"),
        ("runs: {one: {channels: {}, gaps: [{channel: shell, from_turn: a, to_turn: 2}]}}", "takes a whole number"),
        (
            "runs: {one: {channels: {}, gaps: [{channel: shell, from_turn: 3, to_turn: 2}]}}",
            "ends at 2, before it begins",
        ),
        ("runs: {one: {channels: {}, gaps: [{channel: shell, from_turn: 3, to_turn: 9}]}}", "the run has 9 turns"),
        ("runs: {one: {channels: {shell: full, shell: none}}}", "stands here twice"),
        ("", "holds nothing"),
    ],
)
def test_what_is_wrong_is_named_by_line_and_key(text: str, said: str) -> None:
    assert said in refusal(text, one=9)


def test_an_absent_file_is_said_to_be_absent(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        load_coverage(tmp_path / "coverage.yaml")
