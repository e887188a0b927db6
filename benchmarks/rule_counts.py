"""What counting the rules and looking at a rater's history add to one save.

Run: .venv/bin/python benchmarks/rule_counts.py

A measurement, not a test: it asserts nothing. In one published study the counts of a save are added (one upsert of some
thirty rows, in a savepoint) and the history is looked up behind 0, 100 and 5,000 earlier saves of the rater; medians
of 500, in an open write transaction, as in a save. The promise it looks at: a few tenths of a millisecond, whatever the
history.
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter_ns

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sqlmodel import Session  # noqa: E402

from app.domain.tally import tally_of  # noqa: E402
from app.services import counting  # noqa: E402
from app.services.access import get_own_assignment  # noqa: E402
from app.services.people import get_actor  # noqa: E402
from app.storage import migrating, rule_counts  # noqa: E402
from app.storage.engine import Database  # noqa: E402
from app.storage.tables import AssignmentRow, CodingRow  # noqa: E402
from benchmarks.save_coding import NOW, assignments, publish  # noqa: E402

ROUNDS = 500
RULES = [f"H{n:02}" for n in range(1, 31)]


def add_history(session: Session, rater_id: int, model: AssignmentRow, places: range) -> None:
    """Append further codings of the rater, each of a claim of its own."""
    for place in places:
        row = {**model.model_dump(), "id": f"{place:064d}", "position": place, "blind_claim_id": f"c{place}"}
        session.add(AssignmentRow(**row))
    session.flush()
    same = {"derived_tiers_json": "[]", "codebook_version": "0.5", "codebook_sha256": "", "shown_sha256": ""}
    same |= {"answer_json": json.dumps({"verdict": "SUPPORTED", "note": "x" * 200}), "created_at": NOW.isoformat()}
    for place in places:
        key = {"assignment_id": f"{place:064d}", "revision": 1, "rater_id": rater_id, "client_token": "t"}
        session.add(CodingRow(**same, **key, previous_sha256="", sha256=""))
    session.flush()


def main() -> None:
    """Print one line a length of history, and one for the counts."""
    with TemporaryDirectory() as name:
        database = Database(f"sqlite:///{Path(name) / 'speed.db'}")
        migrating.upgrade(database)
        publish(database, Path(name))
        assignment_id = next(iter(assignments(database).values()))
        tally = tally_of(RULES, [], [])
        with database.writing() as session:
            rater = get_actor(session, "r.one")
            own = get_own_assignment(session, rater, assignment_id, made_elsewhere=True)
            n_before = 0
            for n in (0, 100, 5000):
                add_history(session, rater.user_id, own.assignment, range(1000 + n_before, 1000 + n))
                n_before = max(n_before, n)
                taken = []
                for _ in range(ROUNDS):
                    start = perf_counter_ns()
                    counting.history_of(session, own, None, 30.0, "human")
                    taken.append(perf_counter_ns() - start)
                print(f"history of {n:>4} saves: {statistics.median(taken) / 1e6:.2f} ms")
            taken = []
            for _ in range(ROUNDS):
                start = perf_counter_ns()
                with session.begin_nested():
                    rule_counts.add(session, own.study.id, "human", tally)
                taken.append(perf_counter_ns() - start)
            print(f"counts of {len(tally)} rules:   {statistics.median(taken) / 1e6:.2f} ms")
        database.close()


if __name__ == "__main__":
    main()
