"""Reading, training, qualifying: in that order, graded once, refused where it is not due, and counted nowhere."""

from __future__ import annotations

import csv
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlmodel import select

from app.domain.errors import Conflict, Forbidden, NotFound, NotQualified, Refused, RulesBroken
from app.domain.moments import iso
from app.domain.qualification import Grade
from app.domain.rater_standing import QualificationRecord
from app.services import closing, locking, overview, practice_pages, practising
from app.services import coding as coding_service
from app.services.closing import ExportOptions, export_study, get_closed_record
from app.services.coding import Submission
from app.services.importing import import_codings
from app.services.people import get_actor
from app.services.practising import Opening
from app.services.standings import record_of
from app.storage import packets, studies
from app.storage.engine import Database
from app.storage.tables import AuditRow, CodingRow, PracticeAnswerRow, PracticeAttemptRow, StudyRow
from tests.conftest import START, Clock
from tests.practice_sets import codebooks_with, coding, sets_for, write_sets
from tests.services.conftest import Published, assignments
from tests.services.practising import Rater, as_label, own_note
from tests.services.test_study_life import adjudicate_all, lock_both
from tests.small_study import actor, coding_for, publish

FAIL = as_label("SUPPORTED", where="UNBACKED")
"""Four critical errors; everything else as the reference."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return codebooks_with(tmp_path / "codebooks", "0.5", "0.4")


@pytest.fixture
def study(database: Database, tmp_path: Path, folder: Path) -> Published:
    """The small study, whose raters must qualify."""
    study_id = publish(database, tmp_path / "inputs", folder, qualification=None)
    return Published(study_id, *(actor(database, name) for name in ("l.one", "r.one", "r.two", "a.one", "c.one")))


@pytest.fixture
def rater(database: Database, study: Published, folder: Path) -> Rater:
    return Rater(database, study.one, folder)


def count(database: Database, table: type) -> int:
    with database.reading() as session:
        return len(session.exec(select(table)).all())


def refused_everywhere(database: Database, who: Published, rater_name: str = "r.one") -> list[str]:
    """Try every way to a claim; return the sentences of the refusals, all of H25."""
    rater = actor(database, rater_name)
    assignment_id, text = next(iter(assignments(database, rater, who.study_id).items()))
    sent = Submission(coding_for(text), 0, "t")

    def packet_id() -> str:
        with database.reading() as session:
            packet = packets.find_packet_of(session, who.study_id, rater.user_id)
            assert packet is not None
            return packet.id

    ways: list[Callable[[object], object]] = [
        lambda s: coding_service.rating_page(s, rater, assignment_id, "t"),
        lambda s: coding_service.refused_page(s, rater, assignment_id, None),  # type: ignore[arg-type]
        lambda s: coding_service.codebook_for(s, rater, assignment_id),
        lambda s: coding_service.tiers_for(s, rater, assignment_id),
        lambda s: coding_service.save_draft(s, rater, assignment_id, sent, START),
        lambda s: coding_service.save_coding(s, rater, assignment_id, sent, START),
        lambda s: locking.lock_page(s, rater, packet_id()),
        lambda s: locking.lock_packet(s, rater, packet_id(), (), START),
    ]
    said = []
    for way in ways:
        with pytest.raises(NotQualified) as refusal, database.writing() as session:
            way(session)
        said.append(str(refusal.value))
    assert count(database, CodingRow) == 0
    return said


def open_claim(database: Database, who: Published) -> None:
    """See one's first claim; raises where that is refused."""
    assignment_id = next(iter(assignments(database, who.one, who.study_id)))
    with database.reading() as session:
        coding_service.rating_page(session, who.one, assignment_id, "t")


# ---- the order ------------------------------------------------------------------------------------------------------


def test_nobody_sees_a_claim_before_qualifying(database: Database, study: Published, rater: Rater) -> None:
    for sentence in refused_everywhere(database, study):
        assert sentence.startswith("H25: ")
        assert "/practice" in sentence
    rater.read()
    refused_everywhere(database, study)
    rater.train()
    refused_everywhere(database, study)
    assert rater.qualify().passed
    open_claim(database, study)


def test_each_step_waits_for_the_one_before(rater: Rater) -> None:
    with pytest.raises(Refused, match="open the codebook first"):
        rater.open("training")
    with pytest.raises(Refused, match="open the codebook first"):
        rater.open("qualification")
    rater.read()
    with pytest.raises(Refused, match="complete the training first"):
        rater.open("qualification")
    training = rater.open("training")
    rater.answer(training, 1, own_note(rater.items(training)[0]))
    with pytest.raises(Refused, match="complete the training first"):
        rater.open("qualification")
    assert rater.open("training") == training
    rater.answer_all(training)
    assert rater.qualify().passed
    with pytest.raises(Refused, match="you are qualified already"):
        rater.open("qualification")


def test_reading_is_recorded_once_and_by_raters_of_the_codebook_alone(
    database: Database, study: Published, rater: Rater, clock: Clock
) -> None:
    rater.read()
    rater.now = clock.now.replace(hour=15)
    rater.read()
    with database.reading() as session:
        opened = [row.at for row in session.exec(select(AuditRow).where(AuditRow.action == "open_codebook"))]
        assert opened == ["2026-07-25T09:00:00.000000Z"]
        assert not practising.is_reading_due(session, study.one, rater.codebook_sha256)
        assert practising.is_reading_due(session, study.two, rater.codebook_sha256)
        assert not practising.is_reading_due(session, study.lead, rater.codebook_sha256)
        assert not practising.is_reading_due(session, study.two, "another")


def test_a_failure_is_followed_by_training_and_a_fresh_set(rater: Rater, database: Database) -> None:
    rater.read()
    rater.train()
    first = rater.qualify(FAIL)
    assert (first.passed, first.n_critical) == (False, 4)
    with pytest.raises(Refused, match="train again before the second try"):
        rater.open("qualification")
    rater.train()
    second = rater.open("qualification")
    with database.reading() as session:
        used = [(row.purpose, row.round, row.set_id) for row in session.exec(select(PracticeAttemptRow))]
    assert sorted(used) == [
        ("qualification", 1, "test-0.5-qualification-1"),
        ("qualification", 2, "test-0.5-qualification-2"),
        ("training", 1, "test-0.5-training"),
        ("training", 2, "test-0.5-training"),
    ]
    rater.answer_all(second)
    assert rater.hand_in(second).passed


def test_a_training_begun_before_the_failure_is_not_the_retraining(rater: Rater) -> None:
    rater.read()
    rater.train()
    begun = rater.open("training")
    rater.qualify(FAIL)
    rater.answer_all(begun)
    with pytest.raises(Refused, match="train again before the second try"):
        rater.open("qualification")
    assert rater.open("training") != begun


def test_a_second_failure_excludes_and_the_lead_is_told(database: Database, study: Published, rater: Rater) -> None:
    rater.read()
    rater.train()
    rater.qualify(FAIL)
    rater.train()
    assert not rater.qualify(FAIL).passed
    with pytest.raises(Refused, match="both tries are used up"):
        rater.open("qualification")
    said = refused_everywhere(database, study)
    assert set(said) == {
        "H25: you did not qualify for codebook 0.5 in two tries and do not code in this phase; the lead of the study "
        "sees it"
    }
    with database.reading() as session:
        page = overview.study_page(session, study.lead, study.study_id)
        events = session.exec(select(AuditRow).where(AuditRow.action == "exclude_rater")).all()
    assert [(line.slot, line.name, line.step) for line in page.standings] == [
        ("R1", "r.one", "excluded after two tries"),
        ("R2", "r.two", "has not opened the codebook"),
    ]
    assert [(event.study_id, event.subject) for event in events] == [(study.study_id, "r.one")]
    qualify = dict(page.gates)["qualify"]
    assert [gate.met for gate in qualify] == [False, False]
    assert qualify[0].actual.startswith(
        "excluded: failed at the second try: macro-F1 0.83, critical 4, codability 32/32"
    )
    # Training stays open to them, and changes nothing.
    rater.train()
    refused_everywhere(database, study)


def test_one_critical_error_fails_a_round_that_is_right_otherwise(rater: Rater) -> None:
    rater.read()
    rater.train()
    attempt = rater.open("qualification")
    items = rater.items(attempt)
    wrong = next(item.id for item in items if item.label == "CONTRADICTED")
    rater.answer_all(attempt, lambda item: coding("SUPPORTED") if item.id == wrong else own_note(item))
    grade = rater.hand_in(attempt)
    assert grade.macro_f1 > 0.96
    assert (grade.passed, grade.n_critical, grade.n_codability) == (False, 1, 32)


def test_whoever_is_qualified_may_train_again_and_stays_so(database: Database, study: Published, rater: Rater) -> None:
    rater.read()
    rater.train()
    rater.qualify()
    rater.train()
    open_claim(database, study)


def test_no_training_while_a_qualification_is_open(rater: Rater) -> None:
    rater.read()
    rater.train()
    rater.open("qualification")
    with pytest.raises(Refused, match="hand it in before you train again"):
        rater.open("training")


# ---- answers --------------------------------------------------------------------------------------------------------


def test_an_answer_is_judged_by_the_same_rules(rater: Rater, database: Database) -> None:
    rater.read()
    training = rater.open("training")
    with pytest.raises(RulesBroken) as broken:
        rater.answer(training, 1, {"codability": "codable"})
    assert {violation.rule for violation in broken.value.violations} >= {"H02", "H13b"}
    assert count(database, PracticeAnswerRow) == 0


def test_a_training_answer_stands_and_a_qualification_answer_can_be_changed(rater: Rater, database: Database) -> None:
    rater.read()
    training = rater.open("training")
    rater.answer(training, 1, coding("not_codable"), "a")
    with pytest.raises(Conflict, match="the first answer stands"):
        rater.answer(training, 1, coding("SUPPORTED"), "b", base=1)
    rater.answer_all_but_first(training)
    examined = rater.open("qualification")
    rater.answer(examined, 1, coding("not_codable"), "a")
    rater.answer(examined, 1, coding("SUPPORTED"), "b", base=1)
    with pytest.raises(Conflict, match="another window"):
        rater.answer(examined, 1, coding("PARTIAL"), "c", base=1)
    with database.reading() as session:
        rows = session.exec(select(PracticeAnswerRow).where(PracticeAnswerRow.attempt_id == examined)).all()
    assert [row.revision for row in rows] == [1, 2]


def test_a_token_stores_once_and_never_another_answer(rater: Rater, database: Database) -> None:
    rater.read()
    training = rater.open("training")
    first = rater.answer(training, 1, coding("not_codable"), "same")
    again = rater.answer(training, 1, coding("not_codable"), "same")
    assert first == again
    with pytest.raises(Conflict, match="with another answer"):
        rater.answer(training, 1, coding("SUPPORTED"), "same")
    assert count(database, PracticeAnswerRow) == 1


def test_a_qualification_is_handed_in_whole_and_then_closed(rater: Rater, database: Database, study: Published) -> None:
    rater.read()
    rater.train()
    attempt = rater.open("qualification")
    with pytest.raises(Refused, match=r"item 1, 2, .*32 has no answer"):
        rater.hand_in(attempt)
    rater.answer_all(attempt)
    with database.writing() as session:
        draft = Submission({"codability": "codable"}, 1, "d")
        practising.save_practice_draft(session, study.one, (attempt, 5), draft, START)
    with pytest.raises(Refused, match="item 5 has changes that were not saved as an answer"):
        rater.hand_in(attempt)
    rater.answer(attempt, 5, own_note(rater.items(attempt)[4]), "again", base=1)
    assert rater.hand_in(attempt).passed
    with pytest.raises(Conflict, match="nothing in it changes any more"):
        rater.answer(attempt, 5, coding("not_codable"), "late", base=2)


def test_finishing_twice_at_once_counts_one_attempt(rater: Rater, database: Database) -> None:
    """Twelve threads on two connections hand the same qualification in; one grade, one end, one act on the chain."""
    rater.read()
    rater.train()
    attempt = rater.open("qualification")
    rater.answer_all(attempt, FAIL)
    other = Database(database.url)
    grades: list[Grade] = []
    barrier = threading.Barrier(12)

    def finish(through: Database) -> None:
        own = Rater(through, rater.actor, rater.folder)
        barrier.wait()
        grades.append(own.hand_in(attempt))

    threads = [threading.Thread(target=finish, args=(db,)) for db in (database, other) * 6]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.close()
    assert len(grades) == 12
    assert len(set(grades)) == 1
    with database.reading() as session:
        rounds = session.exec(select(PracticeAttemptRow).where(PracticeAttemptRow.purpose == "qualification")).all()
        acts = session.exec(select(AuditRow).where(AuditRow.action == "finish_qualification")).all()
    assert (len(rounds), len(acts)) == (1, 1)


def test_opening_twice_at_once_opens_one_attempt(rater: Rater, database: Database) -> None:
    rater.read()
    found: list[str] = []
    barrier = threading.Barrier(8)

    def begin(n: int) -> None:
        barrier.wait()
        with database.writing() as session:
            opening = Opening(rater.codebook_sha256, "training", f"id-{n}")
            found.append(practising.open_attempt(session, rater.actor, opening, rater.folder, START))

    threads = [threading.Thread(target=begin, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def test_an_attempt_is_its_own_raters_alone(database: Database, study: Published, rater: Rater) -> None:
    rater.read()
    training = rater.open("training")
    for who in (study.two, study.lead, study.adjudicator):
        with pytest.raises((NotFound, Forbidden)), database.reading() as session:
            practice_pages.attempt_page(session, who, training)
    with pytest.raises(NotFound, match="items 1 to 3"), database.reading() as session:
        practice_pages.item_page(session, study.one, (training, 4), "t")


def test_the_order_is_the_raters_own_and_stays(database: Database, study: Published, rater: Rater) -> None:
    other = Rater(database, study.two, rater.folder)
    orders = []
    for one in (rater, other):
        one.read()
        one.train()
        attempt = one.open("qualification")
        orders.append([item.id for item in one.items(attempt)])
        assert orders[-1] == [item.id for item in one.items(attempt)]
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]
    assert orders[0] != sorted(orders[0])


# ---- sets -----------------------------------------------------------------------------------------------------------


def test_an_attempt_keeps_its_set_as_it_was(rater: Rater) -> None:
    rater.read()
    training = rater.open("training")
    before = rater.items(training)
    for path in (rater.folder / "practice").iterdir():
        path.unlink()
    assert rater.items(training) == before
    rater.answer_all(training)
    with pytest.raises(NotFound, match="has no qualification set"):
        rater.open("qualification")


def test_what_is_wrong_with_a_set_is_not_told_to_a_rater(rater: Rater) -> None:
    """The sentence that authors get names the item, its rule and so its answer."""
    name = "test-0.5-training-1.yaml"
    broken = sets_for()[name]
    broken["practice"]["items"][0]["gold"] = {}
    write_sets(rater.folder, {name: broken})
    rater.read()
    with pytest.raises(Refused) as refusal:
        rater.open("training")
    assert str(refusal.value).endswith("with: saydo codebook practice 0.5")
    assert not any(word in str(refusal.value) for word in ("i001", "gold", "H0", "yaml"))


# ---- what a study asks ----------------------------------------------------------------------------------------------


def standing_in_db(database: Database, study_id: str) -> str:
    with database.reading() as session:
        row = session.get(StudyRow, study_id)
        assert row is not None
        return row.qualification


def test_a_study_registered_before_goes_on(database: Database, study: Published) -> None:
    """What a migrated installation holds: `not_asked`, and a registration without the key."""
    with database.writing() as session:
        row = studies.find_study(session, study.study_id)
        assert row is not None
        for (name,) in (
            session.connection()
            .exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'study'")
            .fetchall()
        ):
            session.connection().exec_driver_sql(f"DROP TRIGGER {name}")
        row.qualification = "not_asked"
        row.registration_json = row.registration_json.replace('"qualification"', '"formerly"')
        session.add(row)
    open_claim(database, study)
    with database.reading() as session:
        page = overview.study_page(session, study.lead, study.study_id)
    assert dict(page.gates)["qualify"][0].actual == "not asked: registered before qualification was asked"


def test_a_codebook_without_sets_asks_nothing_and_says_so(database: Database, tmp_path: Path) -> None:
    bare = codebooks_with(tmp_path / "bare")
    study_id = publish(database, tmp_path / "inputs", bare, qualification=None)
    assert standing_in_db(database, study_id) == "not_asked"
    lead = actor(database, "l.one")
    with database.reading() as session:
        page = overview.study_page(session, lead, study_id)
    gates = dict(page.gates)
    assert gates["qualify"][0].actual == "not asked: this codebook has no qualification set"
    assert [gates["train"][0].met, gates["qualify"][0].met] == [False, False]
    # Sets that come later change no running study.
    write_sets(bare, sets_for())
    assert standing_in_db(database, study_id) == "not_asked"


def test_a_waiver_lets_in_and_is_told_with_its_reason(database: Database, published: Published) -> None:
    assert standing_in_db(database, published.study_id) == "waived"
    open_claim(database, published)
    with database.reading() as session:
        page = overview.study_page(session, published.lead, published.study_id)
    gate = dict(page.gates)["qualify"][0]
    assert (gate.met, gate.actual) == (False, "waived: a little study that tests set up and walk through")
    assert page.standings == ()


def test_sets_that_go_later_let_nobody_in(database: Database, study: Published, rater: Rater) -> None:
    for path in (rater.folder / "practice").iterdir():
        path.unlink()
    refused_everywhere(database, study)


def test_qualification_is_per_version(database: Database, study: Published, tmp_path: Path, folder: Path) -> None:
    """Qualified for 0.4 is not qualified for 0.5, and the other way round."""
    old = publish(database, tmp_path / "old", folder, id="old", codebook="0.4", qualification=None)
    rater = Rater(database, study.one, folder)
    rater.under("0.4").read()
    rater.train()
    assert rater.qualify().passed
    open_claim(database, Published(old, study.lead, study.one, study.two, study.adjudicator, study.custodian))
    refused_everywhere(database, study)
    with pytest.raises(Refused, match="open the codebook first"):
        rater.under("0.5").open("training")


def test_a_machine_rater_is_exempt(database: Database, study: Published, tmp_path: Path, folder: Path) -> None:
    from app.services import people
    from app.services.people import OPERATOR

    with database.writing() as session:
        people.add_user(session, OPERATOR, "m.one", ["rater"], START, kind="machine")
    publish(database, tmp_path / "m", folder, id="mach", qualification=None, machine_raters=["m.one"])
    machine = actor(database, "m.one")
    assignment_id = next(iter(assignments(database, machine, "mach")))
    with database.reading() as session:
        assert coding_service.rating_page(session, machine, assignment_id, "t").bench.turns
        gates = dict(overview.study_page(session, study.lead, "mach").gates)
    assert [gate.name for gate in gates["qualify"]] == ["R1 qualified", "R2 qualified"]


def test_codings_made_elsewhere_come_in_and_the_gate_says_so(
    database: Database, study: Published, tmp_path: Path
) -> None:
    from app.readers.codings_file import load_codings
    from app.services.importing import codebook_of_study

    path = tmp_path / "codings.csv"
    evidence = '[{"turn": 3, "role": "supports", "tier": "T1"}]'
    columns = ("claim_id", "codability", "claim_kind", "verdict", "materiality", "confidence", "evidence")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerow(["edit1", "codable", "action", "SUPPORTED", "medium", "high", evidence])
    with database.writing() as session:
        rows = load_codings(path, codebook_of_study(session, study.lead, study.study_id))
        assert import_codings(session, study.lead, (study.study_id, "r.one"), rows, START).n_imported == 1
        page = overview.study_page(session, study.lead, study.study_id)
    first, second = dict(page.gates)["qualify"]
    assert (first.actual, first.met) == ("not yet; made elsewhere and imported: 1 of the codings", False)
    assert second.actual == "not yet"
    with pytest.raises(NotQualified), database.reading() as session:
        locking.lock_page(session, study.one, packets.list_packets(session, study.study_id)[0].id)


# ---- what practice must not touch -----------------------------------------------------------------------------------


def exported(database: Database, study: Published, target: Path) -> dict[str, bytes]:
    with database.reading() as session:
        record = get_closed_record(session, get_actor(session, "l.one"), study.study_id)
    export_study(record, target, ExportOptions())
    return {path.name: path.read_bytes() for path in sorted(target.iterdir())}


def finish_study(database: Database, study: Published) -> None:
    """Code, lock, adjudicate and close, on a clock of its own."""
    clock = Clock()
    lock_both(database, study, clock)
    adjudicate_all(database, study, clock)
    with database.writing() as session:
        closing.close_study(session, study.lead, study.study_id, clock())


def practise_a_lot(database: Database, study: Published, folder: Path) -> None:
    """Both raters read, train twice, fail, train and pass; their answers name every label."""
    for who in (study.one, study.two):
        one = Rater(database, who, folder)
        one.read()
        one.train()
        one.train()
        one.qualify(FAIL)
        one.train()
        assert one.qualify().passed
        one.train()


def walked(database: Database, tmp_path: Path, folder: Path, *, practised: bool) -> dict[str, bytes]:
    """Walk the waived study to its close, with a lot of practice before, while and after, or with none."""
    study_id = publish(database, tmp_path / "inputs", folder)
    study = Published(study_id, *(actor(database, name) for name in ("l.one", "r.one", "r.two", "a.one", "c.one")))
    if practised:
        practise_a_lot(database, study, folder)
    finish_study(database, study)
    found = exported(database, study, tmp_path / "first")
    if practised:
        assert count(database, PracticeAnswerRow) > 150
        Rater(database, study.one, folder).train()
        assert exported(database, study, tmp_path / "second") == found
    return found


def test_practice_changes_no_figure_and_no_byte_of_any_export(
    tmp_path: Path, folder: Path, template_database: Path
) -> None:
    import shutil

    found = []
    for name, practised in (("without", False), ("with", True)):
        (tmp_path / name).mkdir()
        shutil.copyfile(template_database, tmp_path / name / "saydo.db")
        database = Database(f"sqlite:///{tmp_path / name / 'saydo.db'}")
        found.append(walked(database, tmp_path / name, folder, practised=practised))
        database.close()
    assert found[0].keys() == found[1].keys()
    assert {"rater_pooled.csv", "rater_long.csv", "agreement.json", "report.html", "manifest.json"} <= found[0].keys()
    assert [name for name in found[0] if found[0][name] != found[1][name]] == []


def test_practice_after_the_close_changes_no_export(database: Database, study: Published, folder: Path) -> None:
    """The report tells where raters stood when the study closed, whatever they practise later."""
    raters = [Rater(database, who, folder) for who in (study.one, study.two)]
    for one in raters:
        one.read()
        one.train()
        one.qualify()
    finish_study(database, study)
    first = exported(database, study, folder.parent / "first")
    assert b"passed at the first try: macro-F1 1.00, critical 0, codability 32/32" in first["report.html"]
    later = raters[0]
    later.now = START.replace(year=2027)
    later.answer_all(later.open("training"), lambda item: coding("not_codable"))
    assert exported(database, study, folder.parent / "second") == first


def test_of_a_closed_study_is_told_what_was_so_when_it_closed(
    database: Database, study: Published, rater: Rater, clock: Clock
) -> None:
    """A rater of imported codings may qualify years later: no export of the closed study says so."""
    with database.writing() as session:
        row = studies.find_study(session, study.study_id)
        assert row is not None
        row.closed_at = iso(clock())
        session.add(row)
    before = told_of(database, study)
    rater.now = START.replace(year=2027)
    rater.read()
    rater.train()
    assert rater.qualify().passed
    assert told_of(database, study) == before
    assert (before.raters[0].read_at, before.raters[0].training, before.raters[0].rounds) == (None, None, ())


def told_of(database: Database, study: Published) -> QualificationRecord:
    with database.reading() as session:
        row = studies.find_study(session, study.study_id)
        assert row is not None
        return record_of(session, row)
