"""Blinded runs made ready for judging, kept in this process from one request to the next.

A save must neither decode a run's turns nor index them: here they are kept, under a bound of memory, by study and by
the hash of the run as served, so that what is kept can never be older than what is shown. Only blinded values come in;
what a judgement is, and who may see what, is decided elsewhere.
"""

from __future__ import annotations

import json
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlmodel import Session

from app.domain.packets.facts import run_from_dicts
from app.domain.turnlog.positions import RunView
from app.domain.turnlog.tiers import tier_in
from app.storage import packets
from app.storage.tables import BlindRunRow

MAX_BYTES = 32 * 1024 * 1024
"""The most memory all kept runs take together, by `weight_of`; a run that is larger alone is not kept."""

_BYTES_PER_PART = 1_500
"""What a part costs beside its texts: the value itself, its places in the index, its tiers (measured: 1,200)."""

Key = tuple[str, str, str, str]
Tiers = dict[int, dict[str, str]]


@dataclass(frozen=True)
class PreparedRun:
    """One run as served, indexed. Shared between threads: nobody changes it."""

    view: RunView

    @cached_property
    def tiers(self) -> Tiers:
        """Turn → part → derived tier, for every part that can be cited."""
        return tiers_in(self.view)


class PreparedRuns:
    """The runs used last, under a bound of memory. Any number of threads may ask at once."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self.max_bytes = max_bytes
        self.n_bytes = 0
        self._lock = threading.Lock()
        self._runs: OrderedDict[Key, tuple[PreparedRun, int]] = OrderedDict()

    def get(self, key: Key, make: Callable[[], PreparedRun]) -> PreparedRun:
        """Return the run kept under a key, or make and keep it.

        Making is not under the lock: two threads that miss at once both make the run, and the first one kept stays.
        """
        with self._lock:
            if key in self._runs:
                self._runs.move_to_end(key)
                return self._runs[key][0]
        made = make()
        with self._lock:
            return self._keep(key, made)

    def _keep(self, key: Key, made: PreparedRun) -> PreparedRun:
        if key in self._runs:
            return self._runs[key][0]
        weight = weight_of(made.view)
        if weight <= self.max_bytes:
            while self.n_bytes + weight > self.max_bytes:
                _, (_, dropped) = self._runs.popitem(last=False)
                self.n_bytes -= dropped
            self._runs[key] = (made, weight)
            self.n_bytes += weight
        return made

    def __len__(self) -> int:
        return len(self._runs)


KEPT = PreparedRuns()
"""This process's own. Two installations in one process share it without harm: equal keys hold equal runs."""


def weight_of(view: RunView) -> int:
    """Return about how many bytes a prepared run takes, rather too many than too few."""
    texts = (getattr(row, name) for row in view.turns for name in ("text", "args", "name", "call_id"))
    return len(view.turns) * _BYTES_PER_PART + sum(sys.getsizeof(text) for text in texts if text)


def prepared_run(session: Session, run: BlindRunRow, turns: Sequence[dict[str, Any]] | None = None) -> PreparedRun:
    """Return a served run ready for judging. `turns` are its stored turns where the caller has decoded them already."""

    def make() -> PreparedRun:
        bodies = turns if turns is not None else list_turns(session, run)
        found = run_from_dicts(bodies, json.loads(run.coverage_json), json.loads(run.gaps_json))
        return PreparedRun(RunView(found).prepared())

    return KEPT.get((run.study_id, run.sha256, run.coverage_json, run.gaps_json), make)


def list_turns(session: Session, run: BlindRunRow) -> tuple[dict[str, Any], ...]:
    """Return a run's turns as served, in log order."""
    return tuple(json.loads(body) for body in packets.list_blind_turns(session, run.study_id, run.blind_run_id))


def tiers_in(view: RunView) -> Tiers:
    """Return turn → part → derived tier, for every part of the run that can be cited."""
    found: Tiers = {}
    for row in view.turns:
        parts: tuple[str, ...]
        if row.role == "tool":
            parts = ("result",)
        elif row.role == "assistant":
            parts = ("call", "text") if row.call else ("text",)
        else:
            parts = ("text",)
        tiers = {part: tier_in(view, row.turn, part) for part in parts}
        found.setdefault(row.turn, {}).update({part: tier for part, tier in tiers.items() if tier})
    return found
