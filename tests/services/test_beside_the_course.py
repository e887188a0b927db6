"""What a study must hold beside its straight course: two adjudicators, arms in an own column, claims taken out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.config import codebook_dir
from app.domain.adjudication import CAUSES
from app.domain.errors import BadInput, Conflict, Refused
from app.readers.codings_file import RawCoding
from app.readers.study_file import load_study
from app.services import adjudicating, building, importing, locking, recording, registering, releasing
from app.services.adjudicating import Ruling
from app.services.coding import Submission
from app.services.intake import read_intake
from app.services.releasing import Settlement
from app.storage import adjudications, packets, studies
from app.storage.engine import Database
from tests.conftest import Clock
from tests.services.conftest import Published, assignments
from tests.services.test_coding import save
from tests.services.test_study_life import REASON, lock, lock_both, registering_actor
from tests.small_study import KEY, START, add_people, coding_for, write_inputs


def test_a_second_adjudicator_commits_before_seeing_the_codings(
    database: Database, tmp_path: Path, clock: Clock
) -> None:
    from app.services.people import OPERATOR, add_user
    from tests.small_study import actor, publish

    with database.writing() as session:
        add_user(session, OPERATOR, "a.two", ["adjudicator"], START)
    publish(database, tmp_path / "two", codebook_dir(), adjudicators=["a.one", "a.two"])
    people = Published("small", *(actor(database, name) for name in ("l.one", "r.one", "r.two", "a.one", "c.one")))
    other = actor(database, "a.two")
    lock_both(database, people, clock)
    with database.writing() as session:
        adjudicating.open_adjudication(session, people.lead, "small", clock())
    with database.reading() as session:
        item = adjudicating.adjudicator_home(session, people.adjudicator).items[0]
    sent = Submission(coding_for(item.text), 0, "p1")
    with database.writing() as session:
        adjudicating.submit_provisional(session, people.adjudicator, item.item_id, sent, clock())
    with database.reading() as session:
        page = adjudicating.adjudication_page(session, other, item.item_id, "t")
    assert (page.stage, page.codings, page.provisional, dict(page.form.answer)) == ("provisional", (), None, {})
    final = (replace(sent, client_token="d2"), Ruling(REASON, "H16", CAUSES[0]))
    with pytest.raises(Refused, match="your own provisional"), database.writing() as session:
        adjudicating.decide(session, other, item.item_id, final, clock())
    with database.writing() as session:
        adjudicating.submit_provisional(session, other, item.item_id, replace(sent, client_token="p2"), clock())
        adjudicating.decide(session, other, item.item_id, final, clock())
    with database.reading() as session:
        study = studies.list_studies(session)[0]
        kept = [
            d for d in recording.load_record(session, study).decisions if d.selected_by and d.stage == "provisional"
        ]
        rows = [row for _, row in adjudications.list_decisions(session, "small")]
    assert len(kept) == 1
    assert [(row.stage, row.adjudicator_id == other.user_id) for row in rows] == [
        ("provisional", False),
        ("provisional", True),
        ("final", True),
    ]
    again = (replace(sent, client_token="d1"), Ruling(REASON, "H16", CAUSES[0]))
    with pytest.raises(Conflict, match="decided already"), database.writing() as session:
        adjudicating.decide(session, people.adjudicator, item.item_id, again, clock())


def test_a_declared_arms_column_is_hidden(database: Database, tmp_path: Path, clock: Clock) -> None:
    """Arms in the lead's own column: named in a text, they are not served; a column that is not there is told."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from app.domain.turnlog.turns import Turn
    from app.readers.turnlog_file import open_turn_log

    path = write_inputs(tmp_path / "arms", blinding={"terms": [], "arms_column": "condition"})
    with pytest.raises(BadInput, match=r"line \d+: blinding\.arms_column: .* condition"):
        read_intake(load_study(path), codebook_dir(), tmp_path / "data")
    table = pq.read_table(tmp_path / "arms" / "turnlog.parquet")
    plain = [
        {name: row[name] for name in ("session_id", "turn_index", "role", "text")} | {"condition": "violet-lantern"}
        for row in table.to_pylist()
    ]
    for row in plain:
        row["text"] = row["text"] or "2 failed, 36 passed"
    plain[1]["text"] = "Fix the parser, you of the Violet-Lantern group."
    pq.write_table(pa.Table.from_pylist(plain), tmp_path / "arms" / "turnlog.parquet")
    intake = read_intake(load_study(path), codebook_dir(), tmp_path / "data")
    assert {pinned.name for pinned in intake.inputs} == {"log", "log_source", "claims", "coverage"}
    assert isinstance(open_turn_log(Path(intake.inputs[0].path)).turns(intake.claims[0].session_id)[0], Turn)
    with database.writing() as session:
        add_people(session)
        lead = registering_actor(session, "l.one")
        registering.create_study(session, lead, intake, KEY, START)
        building.build_packets(session, lead, "small", clock())
        assert releasing.scan_packets(session, lead, "small", clock()) == ()
        bodies = [
            body
            for run in packets.list_blind_runs(session, "small")
            for body in packets.list_blind_turns(session, "small", run.blind_run_id)
        ]
    assert not [body for body in bodies if "violet" in body.lower()]
    assert any("⟨" in body for body in bodies)


def test_a_title_that_names_an_arm_is_refused(tmp_path: Path) -> None:
    path = write_inputs(tmp_path / "t", title="What canary-arm-blue said")
    with pytest.raises(BadInput, match=r"line \d+: title: .*hidden arm"):
        read_intake(load_study(path), codebook_dir(), tmp_path / "data")


def test_a_withdrawn_claim_is_not_asked_for(database: Database, published: Published, clock: Clock) -> None:
    ids = list(assignments(database, published.one).items())
    leaking = {**coding_for(ids[0][1]), "flags": ["blinding_leak"], "note": "the prompt names the condition"}
    save(database, published.one, ids[0][0], Submission(leaking, 0, "t"), clock)
    with database.reading() as session:
        claim_id = releasing.custody_page(session, published.custodian, "small").paused[0]["blind_claim_id"]
    with database.writing() as session:
        releasing.settle_paused(
            session, published.custodian, "small", Settlement(claim_id, "withdraw", REASON), clock()
        )
    for assignment_id, text in ids[1:]:
        saved = save(database, published.one, assignment_id, Submission(coding_for(text), 0, assignment_id), clock)
    assert saved.next_id is None
    assert lock(database, published.one, clock).n_rows == 6
    with database.reading() as session:
        home = locking.rater_home(session, published.two).packets[0]
        assert claim_id != packets.find_assignment(session, home.continue_id or "").blind_claim_id
    for place, (assignment_id, text) in enumerate(assignments(database, published.two).items()):
        with database.reading() as session:
            if packets.find_assignment(session, assignment_id).blind_claim_id == claim_id:
                continue
        save(database, published.two, assignment_id, Submission(coding_for(text), 0, f"u{place}"), clock)
    assert lock(database, published.two, clock).n_rows == 5


def test_an_import_takes_its_own_slots_rows_and_is_on_record(
    database: Database, published: Published, clock: Clock
) -> None:
    from app.storage import audit

    texts = {"edit": "I edited parser.py.", "pass": "The tests pass.", "docs": "did not touch the docs"}
    rows = [
        RawCoding(place, f"{name}{n}", dict(coding_for(texts[name])), coder_slot=slot)
        for place, (slot, name, n) in enumerate(
            [(s, t, n) for s in ("R1", "R2") for t in texts for n in (1, 2)], start=1
        )
    ]
    with database.writing() as session:
        account = importing.import_codings(session, published.lead, ("small", "r.one"), rows, clock())
    assert account.n_imported == 6
    with database.reading() as session:
        assert locking.rater_home(session, published.two).packets[0].n_coded == 0
        last = audit.list_events(session, "small")[-1]
    assert (last.action, last.actor) == ("import_codings", "l.one")
    with pytest.raises(BadInput, match="coded in row 1 already"), database.writing() as session:
        importing.import_codings(
            session, published.lead, ("small", "r.two"), [replace(rows[0], coder_slot=None)] * 2, clock()
        )


def test_an_arm_that_is_a_common_word_waits_for_the_custodian(tmp_path: Path, database: Database, clock: Clock) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = write_inputs(tmp_path / "common")
    rows = [
        {"session_id": r["session_id"], "turn_index": r["turn_index"], "role": r["role"], "arm": "control"}
        | {"text": (r["text"] or "output") + (" You are in the control group." if r["turn_index"] == 1 else "")}
        for r in pq.read_table(tmp_path / "common" / "turnlog.parquet").to_pylist()
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "common" / "turnlog.parquet")
    intake = read_intake(load_study(path), codebook_dir(), tmp_path / "data")
    with database.writing() as session:
        add_people(session)
        lead = registering_actor(session, "l.one")
        registering.create_study(session, lead, intake, KEY, START)
        building.build_packets(session, lead, "small", clock())
        assert [f.kind for f in releasing.scan_packets(session, lead, "small", clock())] == ["common word"]
        with pytest.raises(Refused, match="H29"):
            releasing.publish_packets(session, lead, "small", clock())
