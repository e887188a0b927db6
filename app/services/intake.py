"""Reading what a study file names: pinned, parsed, held against each other. Nothing is stored here.

Everything that can be wrong with the files is found before the first row is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.domain.blinding.leaks import scan
from app.domain.blinding.terms import study_terms
from app.domain.claims.check import require_claims
from app.domain.claims.claim import Claim
from app.domain.codebook.model import Codebook
from app.domain.errors import BadInput, NotFound
from app.domain.practice import QUALIFICATION
from app.domain.stats.gaps import gap_measures, primary_measure
from app.domain.study import StudySpec, with_gaps
from app.domain.study_faults import find_gap_fault
from app.domain.turnlog.coverage import Coverage, derive_coverage
from app.readers.claims_file import load_claims
from app.readers.codebook_file import get_codebook
from app.readers.coverage_file import load_coverage
from app.readers.located_yaml import parse_yaml
from app.readers.logs import read_logs
from app.readers.practice_file import find_practice
from app.readers.turnlog_file import TurnLog, open_turn_log, pin, write_turn_log
from app.services.identities import identities_of


@dataclass(frozen=True)
class PinnedInput:
    """One input file as it was when the study was registered."""

    name: str
    path: str
    sha256: str
    bytes: int
    rows: int | None


@dataclass(frozen=True)
class RunCoverage:
    """One run's coverage map and where it comes from: `declared` or `derived`."""

    coverage: Coverage
    origin: str


@dataclass(frozen=True)
class Intake:
    """Everything a registration freezes. `practice` holds id and hash of the sets its raters qualify by; none where the
    codebook has no qualification or the study waives it."""

    spec: StudySpec
    codebook: Codebook
    inputs: tuple[PinnedInput, ...]
    claims: tuple[Claim, ...]
    runs: Mapping[str, RunCoverage]
    practice: tuple[tuple[str, str], ...] = ()


def read_intake(spec: StudySpec, codebook_folder: Path, data_dir: Path) -> Intake:
    """Return a study's inputs, read and checked.

    A log in another form than the canonical one is converted into `data_dir`; both files are pinned then. Raises
    `BadInput` with one sentence naming file, row and column for anything that does not hold, also for a codebook
    version that is not in the folder.
    """
    codebook = _codebook(spec, codebook_folder)
    spec = _with_gaps(spec, codebook)
    _refuse_unwoven(spec)
    log, inputs = _open_log(spec, data_dir)
    _refuse_telling_names(spec, log)
    claims_path = _path(spec, "claims")
    raw = load_claims(claims_path)
    inputs.append(_pinned("claims", claims_path, len(raw)))
    known = set(log.session_ids())
    wanted = sorted({item.session_id for item in raw if item.session_id in known and item.session_id})
    turns = {session_id: log.turns(session_id) for session_id in wanted}
    claims = require_claims(raw, turns, claims_path.name)
    if not claims:
        raise BadInput(f"{claims_path.name} holds no claim: a study needs at least one")
    runs = _coverage(spec, log, turns)
    if spec.coverage is not None:
        inputs.append(_pinned("coverage", _path(spec, "coverage"), None))
    return Intake(spec, codebook, tuple(inputs), claims, runs, _practice(spec, codebook, codebook_folder))


def _practice(spec: StudySpec, codebook: Codebook, folder: Path) -> tuple[tuple[str, str], ...]:
    """Return the sets that make raters qualify: training alone qualifies nobody."""
    sets = () if spec.qualification.waived else find_practice(folder, codebook)
    asked = any(practice.purpose == QUALIFICATION for practice in sets)
    return tuple((practice.id, practice.sha256) for practice in sets) if asked else ()


def _with_gaps(spec: StudySpec, codebook: Codebook) -> StudySpec:
    """Return the study with the gap policies of its codebook; raises `BadInput` for one the codebook does not have."""
    measures = gap_measures(codebook)
    spec = with_gaps(spec, measures, primary_measure(codebook))
    fault = find_gap_fault(spec, measures)
    if fault is not None:
        raise parse_yaml(spec.text.encode("utf-8"), "the study file").at(fault.path).fault(fault.message)
    return spec


def _line(spec: StudySpec, name: str) -> int:
    return parse_yaml(spec.text.encode("utf-8"), "the study file").at((name,)).line


def _codebook(spec: StudySpec, folder: Path) -> Codebook:
    try:
        return get_codebook(folder, spec.codebook)
    except NotFound as error:
        raise BadInput(f"the study file line {_line(spec, 'codebook')}: codebook: {error}") from error


def _open_log(spec: StudySpec, data_dir: Path) -> tuple[TurnLog, list[PinnedInput]]:
    """Return the canonical log with its pins: the file named, or what it converts to, named by the source's hash."""
    path = _path(spec, "log")
    source = _pinned("log", path, None)
    try:
        log = open_turn_log(path)
    except BadInput:
        # Not canonical, or broken: reading it as any log tells which, in one sentence.
        table = read_logs([path]).table
        target = data_dir.resolve() / "inputs" / f"{source.sha256}.parquet"
        target.parent.mkdir(parents=True, exist_ok=True)
        write_turn_log(target, table)
        log = open_turn_log(target)
        return log, [_pinned("log", target, log.count_turns()), replace(source, name="log_source")]
    return log, [replace(source, rows=log.count_turns())]


def _refuse_unwoven(spec: StudySpec) -> None:
    """Refuse what would be declared and then not done: a declaration nobody acts on is worse than none."""
    for name in ("calibration", "controls"):
        if getattr(spec, name) is not None:
            where = f"the study file line {_line(spec, name)}: {name}"
            raise BadInput(f"{where}: packets hold no {name} claims yet; leave the key out")


def _refuse_telling_names(spec: StudySpec, log: TurnLog) -> None:
    """Refuse an id or title that names what blinding hides: raters read both, and neither is scrubbed later."""
    terms = study_terms(identities_of(log, spec), spec.blinding.terms)
    for name in ("id", "title"):
        found = scan([(name, getattr(spec, name) or spec.id)], terms)
        if found:
            line = _line(spec, name) if name == "id" or spec.title != spec.id else _line(spec, "id")
            kinds = ", ".join(sorted({finding.kind for finding in found}))
            raise BadInput(
                f"the study file line {line}: {name}: raters read it, and it names a hidden {kinds}; reword it"
            )


def _path(spec: StudySpec, name: str) -> Path:
    found = spec.path_of(name)
    assert found is not None, "only inputs that the study file names are opened"
    path = Path(found)
    if not path.is_file():
        raise BadInput(f"{name}: {getattr(spec, name)} does not exist beside the study file")
    return path.resolve()


def _pinned(name: str, path: Path, rows: int | None) -> PinnedInput:
    pinned = pin(path)
    return PinnedInput(name, str(path), pinned.sha256, pinned.bytes, rows)


def _coverage(spec: StudySpec, log: TurnLog, turns: Mapping[str, Any]) -> dict[str, RunCoverage]:
    declared: Mapping[str, Coverage] = {}
    if spec.coverage is not None:
        declared = load_coverage(_path(spec, "coverage"), log.session_ids())
    found = {}
    for session_id, of_run in turns.items():
        if session_id in declared:
            found[session_id] = RunCoverage(declared[session_id], "declared")
        else:
            found[session_id] = RunCoverage(derive_coverage(of_run), "derived")
    return found
