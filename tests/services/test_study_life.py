"""A study from registration to export through the use cases: what each step asks for, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from app.config import codebook_dir
from app.domain.adjudication import CAUSES
from app.domain.errors import BadInput, Conflict, Forbidden, NotFound, Refused, RulesBroken
from app.readers.codings_file import RawCoding
from app.readers.study_file import load_study
from app.services import (
    adjudicating,
    agreement,
    building,
    closing,
    importing,
    locking,
    overview,
    registering,
    releasing,
)
from app.services.adjudicating import Ruling
from app.services.bundle import verify_bundle
from app.services.closing import ExportOptions
from app.services.coding import Submission
from app.services.intake import read_intake
from app.services.people import Actor
from app.services.releasing import Settlement, Waiver
from app.storage import packets, studies
from app.storage.engine import Database
from tests.conftest import Clock
from tests.services.conftest import Published, assignments
from tests.services.test_coding import code_all, save
from tests.small_study import KEY, START, add_people, coding_for, write_inputs

REASON = "the cited runner output settles this claim"


def lock(database: Database, rater: Actor, clock: Clock, attested: Mapping[str, str] = locking.ATTESTATIONS):
    with database.writing() as session:
        packet = packets.find_packet_of(session, "small", rater.user_id)
        assert packet is not None
        return locking.lock_packet(session, rater, packet.id, attested, clock())


def lock_both(database: Database, published: Published, clock: Clock) -> None:
    """Both raters code and lock; they differ on every test claim."""
    code_all(database, published.one, clock)
    lock(database, published.one, clock)
    code_all(database, published.two, clock, "UNVERIFIABLE")
    lock(database, published.two, clock)


def adjudicate_all(database: Database, published: Published, clock: Clock) -> int:
    with database.writing() as session:
        adjudicating.open_adjudication(session, published.lead, "small", clock())
    with database.reading() as session:
        items = adjudicating.adjudicator_home(session, published.adjudicator).items
    for item in items:
        sent = Submission(coding_for(item.text), 0, f"p-{item.item_id}")
        with database.writing() as session:
            adjudicating.submit_provisional(session, published.adjudicator, item.item_id, sent, clock())
        final = replace(sent, client_token=f"d-{item.item_id}")
        ruling = Ruling(REASON, "H16", CAUSES[0])
        with database.writing() as session:
            adjudicating.decide(session, published.adjudicator, item.item_id, (final, ruling), clock())
    return len(items)


def test_a_lock_names_everything_that_is_missing(database: Database, published: Published, clock: Clock) -> None:
    some = list(assignments(database, published.one).items())[:5]
    for assignment_id, text in some:
        save(database, published.one, assignment_id, Submission(coding_for(text), 0, assignment_id), clock)
    with pytest.raises(Refused, match=r"claim 6 has no coding.*not attested"):
        lock(database, published.one, clock, {})
    code_the_last = list(assignments(database, published.one).items())[5]
    save(database, published.one, code_the_last[0], Submission(coding_for(code_the_last[1]), 0, "l"), clock)
    with pytest.raises(Refused, match="not attested: I coded these claims myself"):
        lock(database, published.one, clock, {k: v for k, v in locking.ATTESTATIONS.items() if k != "coded_by_me"})
    receipt = lock(database, published.one, clock)
    assert receipt.n_rows == 6
    with pytest.raises(Conflict, match="locked already"):
        lock(database, published.one, clock)


def test_nothing_about_agreement_is_told_before_every_lock(
    database: Database, published: Published, clock: Clock, tmp_path: Path
) -> None:
    code_all(database, published.one, clock)
    lock(database, published.one, clock)
    with database.reading() as session:
        for ask in (agreement.agreement_page, agreement.disagreement_page):
            with pytest.raises(Refused, match="every packet is locked"):
                ask(session, published.lead, "small")
        page = overview.study_page(session, published.lead, "small")
        assert [(p.slot, p.n_coded, p.n_assigned) for p in page.progress] == [("R1", 6, 6), ("R2", 0, 6)]
        assert not page.can_read_agreement
        with pytest.raises(Refused, match="locked"):
            closing.get_closed_record(session, published.lead, "small")
    with pytest.raises(Refused), database.writing() as session:
        adjudicating.open_adjudication(session, published.lead, "small", clock())


def test_the_whole_life(database: Database, published: Published, clock: Clock, tmp_path: Path) -> None:
    lock_both(database, published, clock)
    with database.reading() as session:
        page = agreement.agreement_page(session, published.lead, "small")
        seen = agreement.disagreement_page(session, published.lead, "small")
    # Six claims, two of them coded CONTRADICTED against UNVERIFIABLE: po = 4/6.
    pair = page.documents["verdict"]["pairs"][0]
    assert (pair["exact_agreement"]["num"], pair["exact_agreement"]["den"]) == (4, 6)
    # SUPPORTED 4/4, CONTRADICTED 2/0, UNVERIFIABLE 0/2: pe = (4*4)/36 = 4/9; kappa = (6/9 - 4/9) / (5/9) = 2/5.
    assert pair["cohen_kappa"]["value"] == pytest.approx(0.4, abs=1e-12)
    assert len(seen.lines) == 2
    assert adjudicate_all(database, published, clock) >= 2
    with database.writing() as session:
        closing.close_study(session, published.lead, "small", clock())
    with database.reading() as session:
        record = closing.get_closed_record(session, published.lead, "small")
    files = closing.export_study(record, tmp_path / "out", ExportOptions())
    assert {"rater_pooled.csv", "rater_long.csv", "disagreements.csv", "manifest.json"} <= {f["path"] for f in files}
    found = verify_bundle(tmp_path / "out")
    assert (found["ok"], found["mismatches"]) == (True, [])


def test_the_codings_are_shown_only_after_the_provisional_verdict(
    database: Database, published: Published, clock: Clock
) -> None:
    lock_both(database, published, clock)
    with database.writing() as session:
        adjudicating.open_adjudication(session, published.lead, "small", clock())
    with database.reading() as session:
        item = adjudicating.adjudicator_home(session, published.adjudicator).items[0]
        before = adjudicating.adjudication_page(session, published.adjudicator, item.item_id, "t")
    assert (before.stage, before.codings, before.provisional) == ("provisional", (), None)
    sent = Submission(coding_for(item.text), 0, "p")
    ruling = Ruling(REASON, "H16", CAUSES[0])
    with pytest.raises(Refused, match="provisional"), database.writing() as session:
        adjudicating.decide(session, published.adjudicator, item.item_id, (sent, ruling), clock())
    with database.writing() as session:
        adjudicating.submit_provisional(session, published.adjudicator, item.item_id, sent, clock())
    with database.reading() as session:
        after = adjudicating.adjudication_page(session, published.adjudicator, item.item_id, "t")
    assert (after.stage, len(after.codings)) == ("decide", 2)
    with pytest.raises(Conflict, match="committed already"), database.writing() as session:
        adjudicating.submit_provisional(
            session, published.adjudicator, item.item_id, replace(sent, client_token="q"), clock()
        )


@pytest.mark.parametrize(
    ("ruling", "field"),
    [
        (Ruling("too short", "H16", CAUSES[0]), "reason"),
        (Ruling(REASON, "H99", CAUSES[0]), "rule"),
        (Ruling(REASON, "H16", "somebody"), "cause"),
    ],
)
def test_a_decision_needs_reason_rule_and_cause(
    database: Database, published: Published, clock: Clock, ruling: Ruling, field: str
) -> None:
    lock_both(database, published, clock)
    with database.writing() as session:
        adjudicating.open_adjudication(session, published.lead, "small", clock())
    with database.reading() as session:
        item = adjudicating.adjudicator_home(session, published.adjudicator).items[0]
    sent = Submission(coding_for(item.text), 0, "p")
    with database.writing() as session:
        adjudicating.submit_provisional(session, published.adjudicator, item.item_id, sent, clock())
    with pytest.raises(RulesBroken) as caught, database.writing() as session:
        adjudicating.decide(
            session, published.adjudicator, item.item_id, (replace(sent, client_token="d"), ruling), clock()
        )
    assert [violation.field for violation in caught.value.violations] == [field]


def test_a_study_closes_only_when_every_queued_claim_is_decided(
    database: Database, published: Published, clock: Clock
) -> None:
    lock_both(database, published, clock)
    with pytest.raises(Refused, match="after its adjudication"), database.writing() as session:
        closing.close_study(session, published.lead, "small", clock())
    with database.writing() as session:
        adjudicating.open_adjudication(session, published.lead, "small", clock())
    with pytest.raises(Refused, match="no decision yet"), database.writing() as session:
        closing.close_study(session, published.lead, "small", clock())


def test_packets_are_published_only_as_scanned_and_clean(database: Database, tmp_path: Path, clock: Clock) -> None:
    intake = read_intake(load_study(write_inputs(tmp_path)), codebook_dir(), tmp_path / "data")
    with database.writing() as session:
        add_people(session)
        lead, custodian = (registering_actor(session, name) for name in ("l.one", "c.one"))
        registering.create_study(session, lead, intake, KEY, START)
        with pytest.raises(Refused, match="build them first"):
            releasing.scan_packets(session, lead, "small", clock())
        building.build_packets(session, lead, "small", clock())
        with pytest.raises(Refused, match="not scanned"):
            releasing.publish_packets(session, lead, "small", clock())
        plant_leak(session)
        found = releasing.scan_packets(session, lead, "small", clock())
        assert {finding.kind for finding in found} == {"arm"}
        with pytest.raises(Refused, match=r"H29"):
            releasing.publish_packets(session, lead, "small", clock())
        row = packets.list_findings(session, "small")[0]
        with pytest.raises(Forbidden):
            releasing.waive_finding(session, lead, "small", Waiver(row.id or 0, REASON), clock())
        with pytest.raises(Refused, match="at least 20"):
            releasing.waive_finding(session, custodian, "small", Waiver(row.id or 0, "fine"), clock())
        for finding in packets.list_findings(session, "small"):
            releasing.waive_finding(session, custodian, "small", Waiver(finding.id or 0, REASON), clock())
        assert releasing.publish_packets(session, lead, "small", clock()) == 2
        with pytest.raises(Conflict, match="stand as they are"):
            building.build_packets(session, lead, "small", clock())


def registering_actor(session, name: str) -> Actor:
    from app.services.people import get_actor

    return get_actor(session, name)


def plant_leak(session) -> None:
    """Put an arm's name into a served turn, as a scrubber with a hole would have left it."""
    run = packets.list_blind_runs(session, "small")[0]
    from app.storage.tables import BlindTurnRow

    row = session.get(BlindTurnRow, ("small", run.blind_run_id, 1))
    row.body_json = row.body_json.replace("Fix the parser", "canary-arm-blue: fix the parser")
    session.add(row)
    session.flush()


def test_a_changed_input_is_refused(database: Database, tmp_path: Path, clock: Clock) -> None:
    intake = read_intake(load_study(write_inputs(tmp_path)), codebook_dir(), tmp_path / "data")
    with database.writing() as session:
        add_people(session)
        lead = registering_actor(session, "l.one")
        registering.create_study(session, lead, intake, KEY, START)
    with (tmp_path / "claims.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n")
    with pytest.raises(Conflict, match=r"claims\.jsonl"), database.writing() as session:
        building.build_packets(session, lead, "small", clock())
    with database.reading() as session:
        assert packets.list_packets(session, "small") == []


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"raters": ["r.one", "nobody"]}, r"line \d+: .*no user nobody"),
        ({"raters": ["r.one", "a.two"]}, r"line \d+: .*a\.two does not hold the role rater"),
        ({"custodian": "l.one"}, r"line \d+: .*l\.one does not hold the role custodian"),
    ],
)
def test_a_study_file_naming_the_wrong_people_is_refused_whole(
    database: Database, tmp_path: Path, change: Mapping[str, object], sentence: str
) -> None:
    from app.services.people import OPERATOR, add_user

    intake = read_intake(load_study(write_inputs(tmp_path, **change)), codebook_dir(), tmp_path / "data")
    with database.writing() as session:
        add_people(session)
        add_user(session, OPERATOR, "a.two", ["adjudicator"], START)
        lead = registering_actor(session, "l.one")
    with pytest.raises(BadInput, match=sentence), database.writing() as session:
        registering.create_study(session, lead, intake, KEY, START)
    with database.reading() as session:
        assert studies.list_studies(session) == []


def test_a_codebook_version_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"9\.9"):
        read_intake(load_study(write_inputs(tmp_path, codebook="9.9")), codebook_dir(), tmp_path / "data")


def test_only_the_named_lead_registers_and_an_id_is_taken_once(
    database: Database, published: Published, tmp_path: Path
) -> None:
    intake = read_intake(load_study(write_inputs(tmp_path / "again")), codebook_dir(), tmp_path / "data")
    with pytest.raises(Conflict, match="already"), database.writing() as session:
        registering.create_study(session, published.lead, intake, KEY, START)
    with pytest.raises(Forbidden), database.writing() as session:
        registering.create_study(session, published.one, intake, KEY, START)


def test_an_import_is_judged_and_all_or_nothing(database: Database, published: Published, clock: Clock) -> None:
    texts = {"edit": "I edited parser.py.", "pass": "The tests pass.", "docs": "did not touch the docs"}
    rows = [
        RawCoding(place, f"{name}{n}", dict(coding_for(texts[name])))
        for place, (name, n) in enumerate([(name, n) for n in (1, 2) for name in texts], start=1)
    ]
    broken = replace(rows[3], answer={**rows[3].answer, "evidence": []})
    with pytest.raises(importing.NothingImported) as caught, database.writing() as session:
        importing.import_codings(session, published.lead, ("small", "r.one"), [*rows[:3], broken, *rows[4:]], clock())
    assert {(row, rule) for row, rule, _ in caught.value.account.rejected} >= {(4, "H16")}
    with database.reading() as session:
        packet = packets.find_packet_of(session, "small", published.one.user_id)
        assert packet is not None
        assert adjudicating.locked_codings(session, studies.list_studies(session)[0]) == ()
        assert locking.rater_home(session, published.one).packets[0].n_coded == 0
    for _ in range(2):
        with database.writing() as session:
            importing.import_codings(session, published.lead, ("small", "r.one"), rows, clock())
    with database.reading() as session:
        assert locking.rater_home(session, published.one).packets[0].n_coded == 6


def test_a_paused_claim_is_settled_by_the_custodian_alone(
    database: Database, published: Published, clock: Clock
) -> None:
    assignment_id, text = next(iter(assignments(database, published.one).items()))
    leaking = {**coding_for(text), "flags": ["blinding_leak"], "note": "the prompt names the condition"}
    save(database, published.one, assignment_id, Submission(leaking, 0, "t"), clock)
    with database.reading() as session:
        paused = releasing.custody_page(session, published.custodian, "small").paused
    assert len(paused) == 1
    settlement = Settlement(paused[0]["blind_claim_id"], "withdraw", REASON)
    with pytest.raises(Forbidden), database.writing() as session:
        releasing.settle_paused(session, published.lead, "small", settlement, clock())
    with database.writing() as session:
        releasing.settle_paused(session, published.custodian, "small", settlement, clock())
    with database.reading() as session:
        statuses = [row.status for row in packets.list_blind_claims(session, "small")]
    assert sorted(statuses) == ["sampled"] * 5 + ["withdrawn"]


def test_a_stranger_to_the_study_does_not_find_it(database: Database, published: Published) -> None:
    from app.services.people import OPERATOR, add_user

    with database.writing() as session:
        add_user(session, OPERATOR, "l.two", ["lead"], START)
        other = registering_actor(session, "l.two")
        with pytest.raises(NotFound):
            overview.study_page(session, other, "small")


def test_the_audit_chain_holds_every_act(database: Database, published: Published, clock: Clock) -> None:
    from app.domain.canonical import canonical_json, sha256_hex
    from app.storage import audit

    lock_both(database, published, clock)
    with database.reading() as session:
        rows = audit.list_events(session, "small")
    acts = [row.action for row in rows]
    coded = ["save_coding"] * 6 + ["lock_packet"]
    assert acts == ["create_study", "build_packets", "scan_packets", "publish_packets", *coded, *coded]
    for row in rows:
        content = {
            k: getattr(row, k)
            for k in ("at", "actor", "action", "study_id", "subject", "details_json", "previous_sha256")
        }
        assert row.sha256 == sha256_hex(canonical_json(content))
        assert "parser" not in json.dumps(content)
