"""What looks like a secret is told by its place and kind, never by its value; ordinary text is not accused."""

from __future__ import annotations

import pytest

from app.domain.turnlog.linking import link_turns
from app.domain.turnlog.schema import table_from_turns
from app.domain.turnlog.turns import ToolCall, ToolResult, Turn
from app.readers.notes import Notes
from app.readers.secret_scan import warn_of_secrets

# Made up here, in the published shapes of such keys; none is or was a key of anything.
MADE_UP = [
    ("-----BEGIN " + "RSA PRIVATE KEY-----\nMIIB", "a private key"),
    ("key = sk-" + "Ab1" * 12, "an API key"),
    ("sk-" + "ant-api03-" + "x" * 40, "an API key"),
    ("ghp" + "_" + "a1B2" * 9, "a GitHub token"),
    ("id AK" + "IA" + "ABCD" * 4 + " end", "a cloud access key"),
    ("xo" + "xb-" + "1234567890-abcdefghij", "a chat token"),
    ("h" + "f_" + "aB" * 17, "a hub token"),
]


def warnings(*turns: Turn) -> list[str]:
    notes = Notes()
    warn_of_secrets(table_from_turns(link_turns(turns)), notes)
    return notes.warnings()


@pytest.mark.parametrize(("words", "kind"), MADE_UP)
def test_each_kind_is_told_by_its_place_and_never_shown(words: str, kind: str) -> None:
    told = warnings(Turn("s", 0, "user", "nothing"), Turn("s", 1, "assistant", f"see {words}"))
    assert told == [f"session s turn 1, text: holds what looks like {kind}"]
    assert words not in told[0]


def test_arguments_outputs_and_left_overs_are_looked_at_too() -> None:
    words = MADE_UP[1][0]
    calls = (ToolCall("", "bash", "{}"), ToolCall("", "bash", f'{{"k": "{words}"}}'))
    told = warnings(
        Turn("s", 0, "assistant", None, tool_calls=calls, reasoning=words),
        Turn("s", 1, "tool", None, tool_results=(ToolResult(words, "none", 9),), extra_json=words),
    )
    assert [line.split(":")[0] for line in told] == [
        "session s turn 0, reasoning",
        "session s turn 1, extra_json",
        "session s turn 0, tool_calls.args_json",
        "session s turn 1, tool_results.output",
    ]


@pytest.mark.parametrize("words", ["task-" + "a" * 40, "sk-short", "AKIA", "a ghp_ prefix", None, ""])
def test_ordinary_text_is_not_accused(words: str | None) -> None:
    assert warnings(Turn("s", 0, "user", words)) == []
