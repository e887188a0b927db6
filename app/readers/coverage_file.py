"""coverage.yaml: the lead's channel coverage maps, read and checked, every fault named by file, line and key.

Responsible for the file alone. Where a study brings none, the maps are derived (`domain.turnlog.coverage`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from app.domain.turnlog.channels import CHANNELS, LEVELS, NAMED_BY_LEAD, TOOL, is_channel
from app.domain.turnlog.coverage import Coverage
from app.domain.turnlog.run import Gap
from app.readers.located_yaml import Located, parse_yaml, read_limited

_LARGEST = 50_000_000  # bytes: a map of twenty thousand runs with a dozen channels each
_GAP = ("channel", "from_turn", "to_turn")

Runs = Mapping[str, int | None] | Iterable[str]


def load_coverage(path: Path, runs: Runs | None = None) -> dict[str, Coverage]:
    """Return run → coverage map of the file at `path`; `runs` and the errors as in `parse_coverage`."""
    return parse_coverage(read_limited(path, _LARGEST), path.name, runs)


def parse_coverage(data: bytes, name: str, runs: Runs | None = None) -> dict[str, Coverage]:
    """Return run → coverage map, runs and channels in file order, gaps by turn.

    `runs` are the log's runs, by name or with their number of turns; a run that is not among them is refused, and so is
    a gap beyond a known number of turns. Runs of the log that the file leaves out are simply absent from the answer.
    Raises `BadInput` with file, line and key: unknown key, run, channel or level, a gap that ends before it begins.
    """
    known = dict(runs) if isinstance(runs, Mapping) else None if runs is None else dict.fromkeys(runs)
    entries = parse_yaml(data, name).mapping(("runs",))["runs"].entries()
    found: dict[str, Coverage] = {}
    for session_id, node in entries.items():
        if known is not None and session_id not in known:
            raise node.fault(f'the log has no run "{session_id}"')
        found[session_id] = _coverage(node, known.get(session_id) if known else None)
    return found


def _coverage(node: Located, n_turns: int | None) -> Coverage:
    keys = node.mapping(("channels",), ("gaps",))
    channels = {_channel(name, entry): _level(entry) for name, entry in keys["channels"].entries().items()}
    listed = keys["gaps"].items() if "gaps" in keys and keys["gaps"].value is not None else []
    gaps = sorted((_gap(item, n_turns) for item in listed), key=lambda gap: (gap.from_turn, gap.to_turn, gap.channel))
    return Coverage(channels, tuple(gaps))


def _channel(name: str, node: Located) -> str:
    if not is_channel(name):
        raise node.fault(
            f'"{name}" is no channel; channels are {", ".join((*CHANNELS, *NAMED_BY_LEAD))} and {TOOL}<name>'
        )
    return name


def _level(node: Located) -> str:
    level = node.text()
    if level not in LEVELS:
        raise node.fault(f'"{level}" is not one of {", ".join(LEVELS)}')
    return level


def _gap(node: Located, n_turns: int | None) -> Gap:
    keys = node.mapping(_GAP)
    gap = Gap(_channel(keys["channel"].text(), keys["channel"]), keys["from_turn"].whole(), keys["to_turn"].whole())
    if gap.to_turn < gap.from_turn:
        raise keys["to_turn"].fault(f"the gap ends at {gap.to_turn}, before it begins at {gap.from_turn}")
    if n_turns is not None and gap.to_turn >= n_turns:
        raise keys["to_turn"].fault(f"the run has {n_turns} turns, the last is {n_turns - 1}")
    return gap
