"""One coding with its little run, as a JSON file: what `saydo codebook judge` reads.

Responsible for the shape of the file: a malformed one is an error that names the key. Whether the coding is allowed is
for the rules; the coding is handed on as sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.domain.errors import BadInput
from app.domain.turnlog.run import ClaimUnit, Gap, Run, RunTurn
from app.domain.turnlog.turns import KINDS, ROLES
from app.readers.located_yaml import read_limited

_MAX_BYTES = 64_000_000
_TURN_KEYS = ("turn", "role", "kind", "text", "is_error", "call", "call_id", "name", "args", "exit_code", "truncated")
_CLAIM_WHOLES = ("unit_parts", "scope_end_turn", "condition_turn")
_CLAIM_KEYS = ("turn", "text", "polarity", "conditional", "target", *_CLAIM_WHOLES)
_CASE_KEYS = ("codebook", "run", "claim", "coding")
_RUN_KEYS = ("turns", "coverage", "gaps")
_GAP_KEYS = ("channel", "from_turn", "to_turn")


@dataclass(frozen=True)
class Case:
    """One case: the codebook version asked for, the run, the claim, the coding as sent, and keys nobody reads."""

    codebook: str
    run: Run
    claim: ClaimUnit
    coding: Mapping[str, Any]
    ignored_keys: tuple[str, ...] = ()


def read_case(path: Path) -> Case:
    """Return the case of a file. Raises `NotFound` without the file, `BadInput` naming line or key otherwise."""
    return build_case(_parsed(read_limited(path, _MAX_BYTES), path.name), path.name)


def _parsed(data: bytes, name: str) -> Any:
    try:
        text = data.decode("utf-8-sig")
        return _mended(json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant))
    except UnicodeDecodeError:
        raise BadInput(f"{name} is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise BadInput(f"{name} line {error.lineno} column {error.colno}: is not JSON: {error.msg}") from None
    except RecursionError:
        raise BadInput(f"{name} nests too deeply") from None
    except ValueError as error:
        raise BadInput(f"{name}: {error}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} stands twice in one object")
        found[key] = value
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _mended(value: Any) -> Any:
    """Replace lone surrogates, which JSON lets through and nothing after it can write."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_mended(item) for item in value]
    return {_mended(k): _mended(v) for k, v in value.items()} if isinstance(value, dict) else value


class _Reading:
    """Reads typed values of one file and remembers the keys that nothing reads."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.ignored: list[str] = []

    def fault(self, where: str, sentence: str) -> BadInput:
        return BadInput(f"{self.name}: {where}: {sentence}")

    def mapping(self, value: Any, where: str, known: Iterable[str] | None = None) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.fault(where, "takes an object")
        if known is not None:
            self.ignored.extend(f"{where}.{key}" for key in value if key not in known)
        return {key: item for key, item in value.items() if item is not None}

    def items(self, value: Any, where: str) -> list[Any]:
        if not isinstance(value, list):
            raise self.fault(where, "takes a list")
        return value

    def whole(self, entries: Mapping[str, Any], key: str, where: str) -> int:
        value = entries.get(key)
        if type(value) is not int or not 0 <= value < 2**31:
            raise self.fault(f"{where}.{key}", "takes a whole number from 0 on")
        return value

    def text(self, entries: Mapping[str, Any], key: str, where: str) -> str:
        value = entries.get(key)
        if not isinstance(value, str):
            raise self.fault(f"{where}.{key}", "takes a text")
        return value

    def text_or_none(self, entries: Mapping[str, Any], key: str, where: str) -> str | None:
        return self.text(entries, key, where) if key in entries else None

    def one_of(self, entries: Mapping[str, Any], key: str, allowed: Iterable[str], where: str) -> str:
        value = self.text(entries, key, where)
        if value not in allowed:
            raise self.fault(f"{where}.{key}", f"takes one of {', '.join(allowed)}")
        return value

    def truth(self, entries: Mapping[str, Any], key: str, where: str) -> bool:
        value = entries.get(key, False)
        if not isinstance(value, bool):
            raise self.fault(f"{where}.{key}", "takes true or false")
        return value


def build_case(document: Any, name: str) -> Case:
    """Return the case of a parsed document; `name` is what errors call it. Raises `BadInput` naming the key."""
    read = _Reading(name)
    entries = read.mapping(document, "case", _CASE_KEYS)
    for key in _CASE_KEYS:
        if key not in entries:
            raise read.fault("case", f"lacks the key {key}")
    return Case(
        codebook=read.text(entries, "codebook", "case"),
        run=_run(read, entries["run"]),
        claim=_claim(read, entries["claim"]),
        coding=read.mapping(entries["coding"], "coding"),
        ignored_keys=tuple(read.ignored),
    )


def _run(read: _Reading, value: Any) -> Run:
    entries = read.mapping(value, "run", _RUN_KEYS)
    turns = [
        _turn(read, item, f"run.turns[{n}]") for n, item in enumerate(read.items(entries.get("turns"), "run.turns"))
    ]
    gaps = [
        _gap(read, item, f"run.gaps[{n}]") for n, item in enumerate(read.items(entries.get("gaps", []), "run.gaps"))
    ]
    turns.sort(key=lambda row: row.turn)
    return Run(tuple(turns), _coverage(read, entries.get("coverage")), tuple(gaps))


def _coverage(read: _Reading, value: Any) -> dict[str, str] | None:
    if value is None:
        return None
    entries = read.mapping(value, "run.coverage")
    return {channel: read.one_of(entries, channel, ("full", "gapped", "none"), "run.coverage") for channel in entries}


def _gap(read: _Reading, value: Any, where: str) -> Gap:
    entries = read.mapping(value, where, _GAP_KEYS)
    gap = Gap(read.text(entries, "channel", where), *(read.whole(entries, key, where) for key in _GAP_KEYS[1:]))
    if gap.from_turn > gap.to_turn:
        raise read.fault(where, "ends before it begins")
    return gap


def _turn(read: _Reading, value: Any, where: str) -> RunTurn:
    entries = read.mapping(value, where, _TURN_KEYS)
    role = read.one_of(entries, "role", ROLES, where)
    call = read.truth(entries, "call", where)
    if call and role != "assistant":
        raise read.fault(f"{where}.call", f"only an assistant row makes a call, and this one is {role}")
    return RunTurn(
        turn=read.whole(entries, "turn", where),
        role=role,
        kind=_kind(read, entries, where),
        text=read.text_or_none(entries, "text", where),
        is_error=read.truth(entries, "is_error", where),
        call=call,
        call_id=read.text_or_none(entries, "call_id", where),
        name=read.text_or_none(entries, "name", where),
        args=_arguments(entries.get("args")),
        exit_code=_exit_code(read, entries, where),
        truncated=read.truth(entries, "truncated", where),
    )


def _kind(read: _Reading, entries: Mapping[str, Any], where: str) -> str:
    """A kind no turn log has means nothing to any rule; it is told among the ignored keys rather than refused."""
    kind = read.text_or_none(entries, "kind", where) or "message"
    if kind in KINDS:
        return kind
    read.ignored.append(f"{where}.kind={kind}")
    return "other"


def _arguments(value: Any) -> str | None:
    """Arguments may be given as the text the call carried, or as the object it stands for."""
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _exit_code(read: _Reading, entries: Mapping[str, Any], where: str) -> int | None:
    value = entries.get("exit_code")
    if value is not None and type(value) is not int:
        raise read.fault(f"{where}.exit_code", "takes a whole number")
    return value


def _claim(read: _Reading, value: Any) -> ClaimUnit:
    entries = read.mapping(value, "claim", _CLAIM_KEYS)
    wholes = {key: read.whole(entries, key, "claim") for key in _CLAIM_WHOLES if key in entries}
    return ClaimUnit(
        turn=read.whole(entries, "turn", "claim"),
        text=read.text(entries, "text", "claim") if "text" in entries else "",
        polarity=read.one_of(entries, "polarity", ("do", "not_do"), "claim") if "polarity" in entries else None,
        conditional=read.truth(entries, "conditional", "claim"),
        target=read.text(entries, "target", "claim") if "target" in entries else "text",
        scope_end_turn=wholes.get("scope_end_turn"),
        condition_turn=wholes.get("condition_turn"),
        unit_parts=wholes.get("unit_parts", 1),
    )
