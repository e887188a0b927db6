"""A run in which every hidden field carries a canary and every shown text contains canaries in some disguise."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime, timedelta

from app.domain.turnlog.turns import Attachment, ToolCall, ToolResult, Turn

CANARIES = {
    "session_id": "canary-session-5f1",
    "src_file": "in/canary-source-77/canary_file_8.traj.json",
    "author": "Canary Author",
    "model": "canaryvendor/canary-model-9-20260115",
    "arm": "canaryarm",
    "run_id": "canary-run-42",
    "task_id": "canary__task-17",
    "agent": "canary-agent/3.1",
}
UNLISTED = ("canary-turn-id", "canary-parent", "canary-thread", "canary-call-id", "canary-requestor", "canary-ref")
IDENTITIES = {name: [value] for name, value in CANARIES.items()}
LISTED = ["canaryhost"]
START = datetime(2026, 7, 25, 9, 0, tzinfo=UTC)


def disguises(value: str) -> list[str]:
    """Return a value as logs may hold it: cases, paths, words, split by codes, escaped, full width."""
    half = len(value) // 2
    return [
        value,
        value.upper(),
        value.title(),
        f"/srv/{value}/x.py",
        f"my_{value}_copy",
        f"{value[:half]}\x1b[31m{value[half:]}\x1b[0m",
        "\u200b".join(value),
        "".join(f"\\u{ord(char):04x}" for char in value),
        "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in value),
    ]


def sentence(*, encoded: bool = False) -> str:
    """Return a text with every canary in every disguise; `encoded` adds them in base64, which is for the scan."""
    words = [one for value in (*CANARIES.values(), *LISTED) for one in disguises(value)]
    if encoded:
        words += [base64.b64encode(f"it is {value} here".encode()).decode() for value in CANARIES.values()]
    return "I ran it: " + "; ".join(words) + "."


def arguments() -> str:
    values = {value: [{"path": f"/a/{value}/b"}, value.upper()] for value in CANARIES.values()}
    return json.dumps({"message": sentence(), "todo": values, "n": 3})


def planted_run() -> list[Turn]:
    hidden = {
        "session_id": CANARIES["session_id"],
        "src_file": CANARIES["src_file"],
        "author": CANARIES["author"],
        "model": CANARIES["model"],
        "arm": CANARIES["arm"],
        "run_id": CANARIES["run_id"],
        "task_id": CANARIES["task_id"],
        "agent": CANARIES["agent"],
        "turn_id": "canary-turn-id",
        "parent_turn_id": "canary-parent",
        "ts_raw": "2026-07-25T09:00:00Z canaryarm",
        "repeat": 3,
        "outcome_json": json.dumps({"reward": 1.0, "arm": "canaryarm"}),
        "extra_json": json.dumps({"model": CANARIES["model"]}),
    }
    calls = (
        ToolCall("native-key-1", "canaryarm_shell", arguments(), True, "canary-call-id", "canary-requestor"),
        ToolCall("native-key-2", "shell", '{"cmd": "ls canary__task-17', False, "canary-call-id"),
    )
    results = (
        ToolResult(sentence(), "id", 9000, "native-key-1", "canary-call-id", "canaryarm_shell", False, None, 0),
        ToolResult(
            arguments(), "order", 77, "native-key-2", None, "shell", True, "canary-agent/3.1 failed", 2, True, "source"
        ),
        ToolResult("orphan of canary-run-42", "none", 23, "unknown-key"),
    )
    image = Attachment("image", "image/png", "ab" * 32, 1024, "canary-ref/canaryarm.png")
    return [
        Turn(turn_index=0, role="system", text=f"You are {CANARIES['agent']}. " + sentence(), ts=START, **hidden),
        Turn(turn_index=1, role="user", text=sentence(), attachments=(image,), **hidden),
        Turn(
            turn_index=2,
            role="assistant",
            text=sentence(),
            reasoning=sentence(),
            tool_calls=calls,
            ts=START + timedelta(seconds=2.5),
            **hidden,
        ),
        Turn(turn_index=3, role="tool", kind="tool_result", tool_results=results, **hidden),
        Turn(turn_index=4, role="assistant", thread_id="canary-thread", text=sentence(), ts=START, **hidden),
        Turn(turn_index=5, role="event", kind="state", text="canaryarm state", in_context=False, **hidden),
        Turn(turn_index=6, role="assistant", kind="final", thread_id="canary-thread-2", text="All done.", **hidden),
    ]
