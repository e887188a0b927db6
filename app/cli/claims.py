"""`saydo claims`: propose claims from a log, hold a list against its log, compare two extractors' lists.

Thin: what a claim is and whether it holds is `app.domain.claims`; files are `app.readers`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.edge import emit

if TYPE_CHECKING:
    from app.domain.claims.propose import Proposal
    from app.domain.claims.raw import RawClaim
    from app.readers.turnlog_file import TurnLog

commands = typer.Typer(help="Claims: proposing, checking, comparing two lists.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
_SHOWN = ("claim_id", "session_id", "turn_index", "target", "span_start", "span_end", "text")
MOST_SHOWN = 20


@commands.command("propose")
def propose(
    log: Annotated[Path, typer.Argument(metavar="F.parquet", help="The canonical turn log.")],
    out: Annotated[Path, typer.Option("--out", help="The claim list to write (.parquet, .csv or .jsonl).")],
    as_json: AsJson = False,
) -> None:
    """Propose claims for the lead to accept, split, merge or drop; the same log gives the same file.

    Kind guess and cue stand in their own columns and never reach a rater.

    Example: saydo claims propose turnlog.parquet --out claims.parquet
    """
    from app.readers.claims_writer import write_proposals
    from app.readers.turnlog_file import open_turn_log

    by_kind: Counter[str] = Counter()
    without: list[str] = []
    opened = open_turn_log(log)
    n_claims = write_proposals(out, _proposals(opened, by_kind, without))
    document = {"claims": n_claims, "by_kind": dict(sorted(by_kind.items())), "sessions_without_claims": len(without)}
    lines = [
        f"{out.name}: {n_claims} claims proposed in {len(opened.session_ids())} sessions",
        *(f"  {kind}: {count}" for kind, count in sorted(by_kind.items())),
        f"{len(without)} sessions without claims" + (": " + ", ".join(without[:MOST_SHOWN]) if without else ""),
    ]
    emit(document, as_json, lines)


def _proposals(log: TurnLog, by_kind: Counter[str], without: list[str]) -> Iterator[Proposal]:
    """Yield session after session, counting on the way, so that a log of any size costs the memory of one session."""
    from app.domain.claims.propose import propose_claims

    for session_id in _progress(log.session_ids(), "proposing"):
        proposals = propose_claims(log.turns(session_id))
        by_kind.update(proposal.kind_guess for proposal in proposals)
        if not proposals:
            without.append(session_id)
        yield from proposals


@commands.command("compare")
def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="One extractor's claims (parquet, CSV, JSONL).")],
    second: Annotated[Path, typer.Argument(metavar="B", help="The other's.")],
    as_json: AsJson = False,
) -> None:
    """Say how far two lists mark the same units: F1 on exact spans, and on spans that overlap by half or more.

    Example: saydo claims compare mine.csv theirs.parquet --json
    """
    from app.domain.claims.units import compare_units

    found = compare_units(_with_spans(first), _with_spans(second))
    document = {
        "exact_f1": found.exact_f1,
        "overlap_f1": found.overlap_f1,
        "only_a": [_shown(unit) for unit in found.only_a],
        "only_b": [_shown(unit) for unit in found.only_b],
        "n_a": found.n_a,
        "n_b": found.n_b,
        "n_exact": found.n_exact,
        "n_overlapping": found.n_overlapping,
        "undefined_reason": found.undefined_reason,
    }
    total = f"of {found.n_a} units in {first.name} and {found.n_b} in {second.name}"
    lines = [
        f"exact F1    {_score(found.exact_f1)} ({found.n_exact} {total})",
        f"overlap F1  {_score(found.overlap_f1)} ({found.n_overlapping} {total})",
        *_listed(f"only in {first.name}", found.only_a),
        *_listed(f"only in {second.name}", found.only_b),
    ]
    emit(document, as_json, lines)


@commands.command("check")
def check(
    claims: Annotated[Path, typer.Argument(metavar="C", help="The claim list (parquet, CSV, JSONL).")],
    log: Annotated[Path, typer.Option("--log", metavar="F.parquet", help="The turn log the claims are about.")],
    as_json: AsJson = False,
) -> None:
    """Check that spans cut the exact text, turns exist and ids are unique; name row and column of each fault.

    Rows count from 1, a header is not counted. Exit 1 if there are faults, 2 if a file cannot be read.

    Example: saydo claims check claims.csv --log turnlog.parquet
    """
    from app.domain.claims.check import resolve_claims
    from app.readers.claims_file import load_claims
    from app.readers.turnlog_file import open_turn_log

    raw = load_claims(claims)
    opened = open_turn_log(log)
    known = set(opened.session_ids())
    wanted = sorted({item.session_id for item in raw if item.session_id is not None and item.session_id in known})
    turns = {session_id: opened.turns(session_id) for session_id in _progress(wanted, "checking")}
    _, faults = resolve_claims(raw, turns)
    document = {
        "ok": not faults,
        "claims": len(raw),
        "faults": [{"row": f.row, "column": f.column, "message": f.message, "claim_id": f.claim_id} for f in faults],
    }
    verdict = f"{claims.name}: {len(raw)} claims, " + (f"{len(faults)} faults" if faults else "ok")
    emit(document, as_json, [*(fault.sentence(claims.name) for fault in faults[1:]), verdict])
    if faults:
        sys.stderr.write(faults[0].sentence(claims.name) + "\n")
        raise typer.Exit(1)


def _with_spans(path: Path) -> list[RawClaim]:
    """Return a list whose every row says where it stands; comparing needs no log, so nothing can be looked up."""
    from app.domain.errors import BadInput
    from app.readers.claims_file import load_claims

    raw = load_claims(path)
    for item in raw:
        empty = next((name for name in _SHOWN[1:6] if getattr(item, name) is None), None)
        if empty is not None:
            raise BadInput(f"{path.name}, row {item.row}, column {empty}: is empty; comparing needs every span")
    return raw


def _shown(unit: RawClaim) -> dict[str, Any]:
    return {"row": unit.row, **{name: getattr(unit, name) for name in _SHOWN}}


def _score(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _listed(title: str, units: tuple[RawClaim, ...]) -> list[str]:
    lines = [f"{title}: {len(units)}"]
    lines += [f"  row {unit.row}, {unit.session_id} turn {unit.turn_index}: {unit.text}" for unit in units[:MOST_SHOWN]]
    return lines + ([f"  ... and {len(units) - MOST_SHOWN} more"] if len(units) > MOST_SHOWN else [])


def _progress(names: list[str], what: str) -> Iterable[str]:
    """Yield the names behind a bar on a terminal, bare in a pipe."""
    if not sys.stderr.isatty():
        return names
    from rich.console import Console
    from rich.progress import track

    return track(names, description=what, console=Console(stderr=True), transient=True)
