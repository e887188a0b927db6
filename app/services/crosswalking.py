"""Carrying a file of old codings over to another codebook: read, held against log, claims and coverage, written whole.

Responsible for joining the readers and the crosswalk. It asks for no permission, because it touches nothing but the
files it is given, and it stores nothing in a study.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.domain.blinding.scrub import Scrubber
from app.domain.claims.check import require_claims
from app.domain.claims.claim import Claim
from app.domain.codebook.crosswalk import AUTO, CROSSWALK, Carried, carry, reading_fault
from app.domain.codebook.crosswalk_conditions import OldCoding
from app.domain.codebook.crosswalk_model import Crosswalk, harmonise
from app.domain.coding import label_of
from app.domain.errors import BadInput
from app.domain.packets.build import blind_turns
from app.domain.packets.facts import run_of
from app.domain.turnlog.coverage import derive_coverage
from app.domain.turnlog.positions import RunView
from app.domain.turnlog.run import ClaimUnit
from app.domain.turnlog.turns import Turn
from app.readers.claims_file import load_claims
from app.readers.codings_file import RawCoding, codings_csv
from app.readers.coverage_file import load_coverage
from app.readers.old_codings import load_old_codings
from app.readers.turnlog_file import open_turn_log

Watch = Callable[[Iterable[RawCoding]], Iterable[RawCoding]]


@dataclass(frozen=True)
class Sources:
    """The files a crosswalk works on."""

    codings: Path
    log: Path
    claims: Path
    coverage: Path


@dataclass(frozen=True)
class Crossed:
    """Every old coding with what became of it, in file order."""

    crosswalk: Crosswalk
    codings: tuple[tuple[RawCoding, Carried], ...]

    @property
    def n_auto(self) -> int:
        """How many were carried over."""
        return sum(carried.how == AUTO for _, carried in self.codings)

    @property
    def n_recode(self) -> int:
        """How many are to be coded again."""
        return len(self.codings) - self.n_auto


def cross(crosswalk: Crosswalk, sources: Sources, watch: Watch = iter) -> Crossed:
    """Return what becomes of every coding of a file. `watch` is handed the codings and hands them on, one by one.

    Runs that the coverage file leaves out get the map their log shows, as in a study. Raises `BadInput` naming file,
    row and column for codings that cannot be understood and for claims, log and coverage that do not fit together.
    """
    codings = load_old_codings(sources.codings, crosswalk.old)
    runs = _Runs(sources)
    done = [(coding, _carried(crosswalk, runs, coding, sources.codings.name)) for coding in watch(codings)]
    return Crossed(crosswalk, tuple(done))


class _Runs:
    """The claims of the codings, and their runs as the rules see them, each indexed once."""

    def __init__(self, sources: Sources) -> None:
        log = open_turn_log(sources.log)
        raw = load_claims(sources.claims)
        known = set(log.session_ids())
        wanted = sorted({item.session_id for item in raw if item.session_id is not None and item.session_id in known})
        self._turns: Mapping[str, list[Turn]] = {session_id: log.turns(session_id) for session_id in wanted}
        claims = require_claims(raw, self._turns, sources.claims.name)
        self.claims: Mapping[str, Claim] = {claim.claim_id: claim for claim in claims}
        self.claims_file = sources.claims.name
        n_turns = {session_id: len(turns) for session_id, turns in self._turns.items()}
        self._coverage = load_coverage(sources.coverage, dict.fromkeys(known) | n_turns)
        self._views: dict[str, RunView] = {}

    def view(self, session_id: str) -> RunView:
        """Return a run as raters' packets hold it, but for the names that packets hide."""
        if session_id not in self._views:
            turns = self._turns[session_id]
            coverage = self._coverage.get(session_id) or derive_coverage(turns)
            run = run_of(blind_turns(turns, Scrubber(())), coverage.channels, coverage.gaps)
            self._views[session_id] = RunView(run)
        return self._views[session_id]


def _carried(crosswalk: Crosswalk, runs: _Runs, coding: RawCoding, name: str) -> Carried:
    where = f"{name}, row {coding.row}, column"
    claim = runs.claims.get(coding.claim_id)
    if claim is None:
        raise BadInput(f'{where} claim_id: "{coding.claim_id}" is no claim of {runs.claims_file}')
    words = "\n".join(text for text in (claim.text, claim.resolved_text) if text)
    old = OldCoding(crosswalk, runs.view(claim.session_id), _unit(claim), coding.answer, words)
    field, sentence = reading_fault(old) or ("", "")
    if sentence:
        raise BadInput(f"{where} {'search_from' if field == 'search_span' else field}: {sentence}")
    return carry(old)


def _unit(claim: Claim) -> ClaimUnit:
    return ClaimUnit(
        turn=claim.turn_index,
        text=claim.text,
        unit_parts=claim.unit_parts,
        polarity=claim.polarity,
        scope_end_turn=claim.scope_end_turn,
        conditional=claim.conditional,
        condition_turn=claim.condition_turn,
        target=claim.target,
    )


def write_crossed(crossed: Crossed, path: Path) -> None:
    """Write the codings as a file that `saydo codings import` reads: every old coding once, in its order.

    A coding carried over stands in its row; a claim to code again has its row, its reason and no coding. Raises
    `BadInput` where the file cannot be written; nothing half-written is left then.
    """
    text = codings_csv(_rows(crossed), crossed.crosswalk.new)
    try:
        handle, part = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(text.encode("utf-8"))
            Path(part).chmod(0o644)
            Path(part).replace(path)
        finally:
            Path(part).unlink(missing_ok=True)
    except OSError as problem:
        raise BadInput(f"{path.name}: cannot be written ({problem.strerror or problem})") from problem


def _rows(crossed: Crossed) -> Iterator[RawCoding]:
    for coding, carried in crossed.codings:
        row = RawCoding(coding.row, coding.claim_id, dict(carried.answer), coder_slot=coding.coder_slot)
        origin = CROSSWALK if carried.how == AUTO else ""
        yield replace(row, origin=origin, how=carried.how, reason=carried.reason, needs=carried.needs)


def list_classes(crossed: Crossed) -> list[dict[str, Any]]:
    """Return, for every class of the harmonised scale in its order, how many old codings fall in it, of how many.

    Each entry: `class`, the `old` and `new` labels of it, `n`, `of`, and of the `n` how many are carried over (`auto`)
    and how many are coded again (`recode`).
    """
    crosswalk = crossed.crosswalk
    found = [
        (harmonise(crosswalk, crosswalk.old.version, label_of(coding.answer)), carried)
        for coding, carried in crossed.codings
    ]
    return [
        {
            "class": one.name,
            "old": list(one.old),
            "new": list(one.new),
            "n": sum(name == one.name for name, _ in found),
            "of": len(found),
            "auto": sum(name == one.name and carried.how == AUTO for name, carried in found),
            "recode": sum(name == one.name and carried.how != AUTO for name, carried in found),
        }
        for one in crosswalk.harmonised
    ]


def list_taken(crossed: Crossed) -> list[dict[str, Any]]:
    """Return every row of the crosswalk in file order, how many codings it took, and how many of them automatically."""
    taken = [carried for _, carried in crossed.codings]
    return [
        {
            "row": row.id,
            "label": row.label,
            "to": row.to,
            "n": sum(carried.row is row for carried in taken),
            "auto": sum(carried.row is row and carried.how == AUTO for carried in taken),
            "reason": row.reason,
        }
        for row in crossed.crosswalk.rows
    ]
