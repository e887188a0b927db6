"""Recording: the scripted agent's session, row by row, in the shape of the canonical turn log.

`say` really runs the calls it is given and writes down what came back. Rows can be named, so that claims and codings
point at names instead of numbers. Nothing here decides what is true.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from .scratch import Scratch

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Call:
    """One tool call. `lost`: made, but the recorder kept no result. `expect` must stand in what really came back."""

    name: str
    args: dict[str, Any]
    expect: tuple[str, ...] = ()
    exit: int = 0
    lost: bool = False
    reply: str | None = None


def shell(command: str, *expect: str, exit: int = 0, lost: bool = False) -> Call:
    """Run a command; the script fails if the exit code or an expected stretch of output differs."""
    return Call("shell", {"command": command}, expect, exit, lost)


def write(path: str, content: str) -> Call:
    """Write a whole file."""
    return Call("write_file", {"path": path, "content": content})


def edit(path: str, old: str, new: str) -> Call:
    """Replace one stretch of a file that stands there exactly once."""
    return Call("edit_file", {"path": path, "old": old, "new": new})


def todo(*items: str) -> Call:
    """Set the agent's own list; the harness only counts it."""
    return Call("todo", {"items": list(items)}, reply=f"{len(items)} items")


def message(to: str, body: str) -> Call:
    """Send a message out of the run; the harness says it was queued and nothing more."""
    return Call("send_message", {"to": to, "body": body}, reply="queued")


def delegate(task: str, reply: str) -> Call:
    """Hand a task to a helper agent whose own log is not part of this one."""
    return Call("delegate", {"task": task}, reply=reply)


def finish(text: str) -> Call:
    """End the run with a report to the user."""
    return Call("finish", {"message": text}, reply="run closed")


@dataclass(frozen=True)
class Identity:
    """What blinding hides about a run."""

    session_id: str
    model: str
    arm: str
    run_id: str
    task_id: str
    outcome: dict[str, Any]
    day: int


@dataclass
class Session:
    """One run while it is being played: its rows so far and the names given to them."""

    identity: Identity
    scratch: Scratch
    rows: list[dict[str, Any]] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    clock: datetime = START

    def __post_init__(self) -> None:
        self.clock = START + timedelta(days=self.identity.day)

    def system(self, text: str) -> None:
        """The harness's policy text."""
        self._row("system", text, seconds=0)

    def user(self, text: str, at: str = "") -> None:
        """The user speaks."""
        self._row("user", text, seconds=40, at=at)

    def event(self, text: str, at: str = "") -> None:
        """The harness notes something the agent does not see."""
        self._row("event", text, seconds=1, at=at, kind="state", in_context=False)

    def say(self, text: str, *calls: Call, at: str = "") -> None:
        """The agent speaks and acts; each call's result follows as its own row, named `at>` (or `at>1`, `at>2` …)."""
        turn = len(self.rows)
        listed = [
            {"call_key": f"t{turn}.c{n}", "call_id": f"call_{turn:02d}_{n}", "name": call.name,
             "args_json": json.dumps(call.args, ensure_ascii=False), "args_ok": True}
            for n, call in enumerate(calls)
        ]  # fmt: skip
        closing = any(call.name == "finish" for call in calls)
        kind = "final" if closing else "message"
        self._row("assistant", text or None, seconds=5 + len(text) // 30, at=at, kind=kind, tool_calls=listed)
        for n, call in enumerate(calls):
            self._answer(call, listed[n], f"{at}>{n + 1 if len(calls) > 1 else ''}" if at else "")

    def _answer(self, call: Call, listed: dict[str, Any], at: str) -> None:
        output, code = self._perform(call)
        where = f"{self.identity.session_id}: {call.name} {call.args}"
        if code != call.exit:
            raise SystemExit(f"{where} ended with {code}, the script says {call.exit}:\n{output}")
        for stretch in call.expect:
            if stretch not in output:
                raise SystemExit(f"{where} printed no {stretch!r}:\n{output}")
        if call.lost:
            return
        result = {
            "call_key": listed["call_key"], "call_id": listed["call_id"], "name": call.name, "output": output,
            "is_error": code != 0, "exit_code": code if call.name == "shell" else None,
            "bytes": len(output.encode()), "truncated": False, "match": "id",
        }  # fmt: skip
        self._row("tool", None, seconds=2 + len(output) // 400, at=at, kind="tool_result", tool_results=[result])

    def _perform(self, call: Call) -> tuple[str, int]:
        if call.reply is not None:
            return call.reply, 0
        if call.name == "shell":
            return self.scratch.run(call.args["command"])
        path = call.args["path"]
        if call.name == "write_file":
            self.scratch.write(path, call.args["content"])
            return f"wrote {len(call.args['content'].encode())} bytes to {path}", 0
        before = self.scratch.read(path)
        if before.count(call.args["old"]) != 1:
            raise SystemExit(f"{path} does not hold the old text exactly once: {call.args['old']!r}")
        self.scratch.write(path, before.replace(call.args["old"], call.args["new"]))
        return f"replaced 1 occurrence in {path}", 0

    def _row(self, role: str, text: str | None, *, seconds: int, at: str = "", **more: Any) -> None:
        self.clock += timedelta(seconds=seconds)
        turn = len(self.rows)
        if at:
            if at in self.names:
                raise SystemExit(f"{self.identity.session_id}: two rows are called {at}")
            self.names[at] = turn
        row: dict[str, Any] = {"session_id": self.identity.session_id, "turn_index": turn, "role": role, "text": text}
        row.update(kind="message", in_context=True, tool_calls=[], tool_results=[])
        row.update(more)
        row.update(ts=self.clock.isoformat().replace("+00:00", "Z"), arm=self.identity.arm, run_id=self.identity.run_id)
        row.update(task_id=self.identity.task_id, agent="harbour-harness 4.2")
        row["model"] = self.identity.model if role == "assistant" else None
        row["outcome_json"] = json.dumps(self.identity.outcome, sort_keys=True) if turn == 0 else None
        self.rows.append(row)
