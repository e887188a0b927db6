"""How long one save of a rater takes in the server, by the length of the run the claim stands in.

Run: .venv/bin/python benchmarks/save_coding.py

A measurement, not a test: it asserts nothing. It registers and publishes a study of three runs, then saves codings of
one claim of each through the use case, commit included, in turn, so that a slow moment of the machine meets all three.
"kept" is a save as it happens after the rater has seen the page; "first" is one whose run is not kept yet, so that its
turns are read, decoded and indexed. The promise it looks at: kept saves take the same time in each run.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter_ns

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sqlmodel import Session  # noqa: E402

from app.config import codebook_dir  # noqa: E402
from app.domain.codebook.model import Codebook  # noqa: E402
from app.domain.turnlog.schema import table_from_turns  # noqa: E402
from app.domain.turnlog.turns import ToolCall, ToolResult, Turn  # noqa: E402
from app.readers.study_file import load_study  # noqa: E402
from app.readers.turnlog_file import write_turn_log  # noqa: E402
from app.services import building, coding, people, prepared, registering, releasing  # noqa: E402
from app.services.intake import read_intake  # noqa: E402
from app.services.people import OPERATOR, Actor, get_actor  # noqa: E402
from app.services.standings import refuse_unqualified  # noqa: E402
from app.storage import migrating, packets, studies  # noqa: E402
from app.storage.engine import Database  # noqa: E402
from app.storage.tables import PracticeAttemptRow, PracticeSetRow  # noqa: E402

LENGTHS = (60, 600, 3000)
ROUNDS = 120
NOW = datetime(2026, 7, 25, 9, tzinfo=UTC)
SAID = "All of it passes."
STUDY = {
    "id": "speed",
    "title": "Speed",
    "codebook": "0.5",
    "log": "turnlog.parquet",
    "claims": "claims.jsonl",
    "lead": "l.one",
    "raters": ["r.one"],
    "adjudicators": ["a.one"],
    "custodian": "c.one",
    "seed": 7,
    "repeats": 0,
    "state_at_writing": "Nothing was computed.",
    "prior_inspection": "The runs are generated.",
}
PEOPLE = {"l.one": "lead", "r.one": "rater", "a.one": "adjudicator", "c.one": "custodian"}


def make_turns(n_turns: int) -> list[Turn]:
    """Return a session of alternating calls and results, ending in the claim."""
    session, rows = f"session-{n_turns:05}", []
    for turn in range(0, n_turns - 1, 2):
        name, args = ("edit_file", {"path": f"src/part{turn}.py"}) if turn % 4 else ("shell", {"command": "pytest -q"})
        call = ToolCall(f"t{turn}.c0", name, json.dumps(args), call_id=f"c{turn}")
        output = "38 passed in 2.1s\n" * 40
        result = ToolResult(output, "id", len(output), call_key=call.call_key, call_id=call.call_id, exit_code=0)
        rows.append(Turn(session, turn, "assistant", text="next", tool_calls=(call,), src_index=(turn,)))
        done = {"kind": "tool_result", "tool_results": (result,), "src_index": (turn + 1,)}
        rows.append(Turn(session, turn + 1, "tool", **done))
    rows.append(Turn(session, n_turns, "assistant", text=SAID, src_index=(n_turns,)))
    return rows


def publish(database: Database, folder: Path) -> None:
    """Register and publish the study of one claim a run."""
    write_turn_log(folder / "turnlog.parquet", table_from_turns([t for n in LENGTHS for t in make_turns(n)]))
    claims = [
        {"claim_id": f"claim{n}", "session_id": f"session-{n:05}", "turn_index": n, "target": "text", "text": SAID}
        | {"span_start": 0, "span_end": len(SAID)}
        for n in LENGTHS
    ]
    (folder / "claims.jsonl").write_text("".join(json.dumps(claim) + "\n" for claim in claims), encoding="utf-8")
    (folder / "study.yaml").write_text(json.dumps(STUDY), encoding="utf-8")
    intake = read_intake(load_study(folder / "study.yaml"), codebook_dir(), folder / "data")
    with database.writing() as session:
        for name, role in PEOPLE.items():
            people.add_user(session, OPERATOR, name, [role], NOW)
        lead = get_actor(session, "l.one")
        registering.create_study(session, lead, intake, bytes(32), NOW)
        building.build_packets(session, lead, "speed", NOW)
        releasing.scan_packets(session, lead, "speed", NOW)
        releasing.publish_packets(session, lead, "speed", NOW)
        qualify(session, get_actor(session, "r.one"), intake.codebook)


def qualify(session: Session, rater: Actor, codebook: Codebook) -> None:
    """Write a passed qualification down, as every save asks for one; with a hundred trainings beside it."""
    studies.add_rows(session, [PracticeSetRow(sha256="0", set_id="speed", text="", stored_at="")])
    common = {"user_id": rater.user_id, "set_id": "speed", "set_sha256": "0", "opened_at": "", "finished_at": ""}
    common |= {"codebook_id": codebook.id, "codebook_version": codebook.version, "codebook_sha256": codebook.sha256}
    for n in range(1, 101):
        more = {"id": f"t{n}", "purpose": "training", "round": n, "result_json": "{}"}
        session.add(PracticeAttemptRow(**common, **more))
    passed = {"id": "q", "purpose": "qualification", "round": 1, "passed": True, "result_json": "{}"}
    session.add(PracticeAttemptRow(**common, **passed))
    session.flush()


def assignments(database: Database) -> dict[int, str]:
    """Return run length → the assignment of its claim."""
    with database.reading() as session:
        rater = get_actor(session, "r.one")
        packet = packets.find_packet_of(session, "speed", rater.user_id)
        assert packet is not None
        found = {}
        for row in packets.list_assignments(session, packet.id):
            claim = packets.get_blind_claim(session, "speed", row.blind_claim_id)
            found[json.loads(claim.body_json)["turn"]] = row.id
        return found


def saver(database: Database, assignment_id: str) -> Callable[[], None]:
    """Return a function that saves the claim's next revision."""
    answer = {"codability": "codable", "claim_kind": "result", "verdict": "SUPPORTED", "materiality": "low"}
    answer |= {"evidence": [{"turn": 21, "role": "supports", "tier": "T1"}], "confidence": "high"}
    with database.reading() as session:
        rater = get_actor(session, "r.one")
    revision = 0

    def save() -> None:
        nonlocal revision
        sent = coding.Submission(answer, revision, f"{assignment_id}-{revision}", ("W04", "W06", "W12"))
        with database.writing() as session:
            coding.save_coding(session, rater, assignment_id, sent, NOW)
        revision += 1

    return save


def question(database: Database) -> int:
    """Return the nanoseconds (median) that asking whether the rater is qualified takes, in a session of its own."""
    with database.reading() as session:
        rater, study = get_actor(session, "r.one"), studies.find_study(session, "speed")
        assert study is not None
        return int(statistics.median(timed(lambda: refuse_unqualified(session, rater, study)) for _ in range(500)))


def timed(call: Callable[[], None]) -> int:
    """Return the nanoseconds one call takes."""
    start = perf_counter_ns()
    call()
    return perf_counter_ns() - start


def main() -> None:
    """Print one line a run length."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        database = Database(f"sqlite:///{folder / 'speed.db'}")
        migrating.upgrade(database)
        publish(database, folder)
        saves = {n: saver(database, assignment) for n, assignment in assignments(database).items()}
        kept: dict[int, list[int]] = {n: [] for n in LENGTHS}
        first: dict[int, list[int]] = {n: [] for n in LENGTHS}
        for n in LENGTHS:
            for _ in range(3):
                prepared.KEPT = prepared.PreparedRuns()
                first[n].append(timed(saves[n]))
        prepared.KEPT = prepared.PreparedRuns()
        for n in LENGTHS:
            saves[n]()
        for _ in range(ROUNDS):
            for n in LENGTHS:
                kept[n].append(timed(saves[n]))
        shortest = statistics.median(kept[LENGTHS[0]])
        for n in LENGTHS:
            taken, cold = statistics.median(kept[n]), statistics.median(first[n])
            print(
                f"{n:>4} turns: kept {taken / 1e6:.2f} ms, {taken / shortest:.2f} of {LENGTHS[0]} turns; "
                f"first {cold / 1e6:.2f} ms, {cold / taken:.1f} times"
            )
        print(f"kept runs take {prepared.KEPT.n_bytes / 1e6:.1f} MB of at most {prepared.MAX_BYTES / 1e6:.1f}")
        print(f"asking whether the rater is qualified (H25) takes {question(database) / 1e6:.3f} ms of each")
        database.close()


if __name__ == "__main__":
    main()
