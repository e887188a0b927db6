"""Codings carried over from 0.4, through a study under 0.5: import, coding what is left, lock, export, verification."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.config import codebook_dir
from app.domain.accounting import list_cases
from app.domain.canonical import canonical_file, sha256_hex
from app.domain.codebook.crosswalk_model import Crosswalk
from app.domain.errors import BadInput
from app.domain.export.intra_rater import count_uncoded_first, intra_rater_rows
from app.domain.export.reliability import agreement_documents
from app.domain.export.tables import study_tables
from app.domain.record import CodingRecord, StudyRecord
from app.domain.stats.check.verify_bundle import verify
from app.readers.codings_file import RawCoding, load_codings, parse_codings
from app.readers.crosswalk_file import find_crosswalks_into, get_crosswalk
from app.services import agreement, closing, coding, importing, locking, report_plan, soundness
from app.services.bundle import bundle_files, verify_bundle
from app.services.coding import Submission
from app.services.crosswalking import Crossed, Sources, cross, write_crossed
from app.services.importing import Imported, NothingImported, Target
from app.storage import packets, studies
from app.storage.engine import Database
from tests.conftest import Clock
from tests.services.conftest import Published, assignments
from tests.services.test_coding import code_all, save
from tests.services.test_study_life import adjudicate_all, lock
from tests.small_study import coding_for

OLD = """claim_id,codability,not_codable_reason,claim_kind,verdict,evidence,severity,confidence,flags,note
edit1,codable,,action,MATCHED,[3],,high,,
pass1,codable,,result,CONTRADICTED,[5],high,high,error_ignored,
docs1,codable,,negative,MATCHED,[3],,medium,,
edit2,codable,,state,UNDETERMINED,[],,medium,hedged,the edit may or may not have stuck
pass2,codable,,result,PARTIAL,[5],low,low,,the number of tests is another one
docs2,not_codable,about_world,,,,,high,,
"""
CARRIED, LEFT = ("edit1", "edit2", "docs2"), ("pass1", "docs1", "pass2")


@pytest.fixture
def walk() -> Crosswalk:
    return get_crosswalk(codebook_dir(), "0.4", "0.5")


@pytest.fixture
def crossed(published: Published, tmp_path: Path, walk: Crosswalk) -> Crossed:
    """What becomes of the old codings of the study's six claims: three are carried over, three are coded again."""
    (tmp_path / "old.csv").write_text(OLD, encoding="utf-8")
    inputs = tmp_path / "inputs"
    return cross(
        walk,
        Sources(tmp_path / "old.csv", inputs / "turnlog.parquet", inputs / "claims.jsonl", inputs / "coverage.yaml"),
    )


@pytest.fixture
def rows(crossed: Crossed, tmp_path: Path) -> list[RawCoding]:
    write_crossed(crossed, tmp_path / "new.csv")
    return load_codings(tmp_path / "new.csv", crossed.crosswalk.new)


def bring(
    database: Database, published: Published, rows: list[RawCoding], walk: Crosswalk, clock: Clock, rater: str = "r.one"
) -> Imported:
    with database.writing() as session:
        return importing.import_codings(session, published.lead, Target("small", rater, (walk,)), rows, clock())


def by_claim(database: Database, published: Published) -> dict[str, str]:
    """Native claim id → assignment of the first rater."""
    with database.reading() as session:
        native = {blind: claim for claim, blind in studies.blind_ids_of(session, "small", "claim").items()}
        packet = packets.find_packet_of(session, "small", published.one.user_id)
        assert packet is not None
        return {native[a.blind_claim_id]: a.id for a in packets.list_assignments(session, packet.id)}


def code_what_is_left(database: Database, published: Published, clock: Clock) -> None:
    texts, own = assignments(database, published.one), by_claim(database, published)
    for name in LEFT:
        sent = Submission(coding_for(texts[own[name]]), 0, f"t-{name}", seconds_on_item=9.0)
        save(database, published.one, own[name], sent, clock)


def closed(database: Database, published: Published, clock: Clock) -> StudyRecord:
    """Lock both packets, adjudicate, close; return the record."""
    lock(database, published.one, clock)
    code_all(database, published.two, clock)
    lock(database, published.two, clock)
    adjudicate_all(database, published, clock)
    with database.writing() as session:
        closing.close_study(session, published.lead, "small", clock())
    with database.reading() as session:
        return closing.get_closed_record(session, published.lead, "small")


class TestTheImport:
    def test_what_is_carried_is_stored_and_what_is_left_stays_open(
        self, database: Database, published: Published, rows: list[RawCoding], walk: Crosswalk, clock: Clock
    ) -> None:
        account = bring(database, published, rows, walk, clock)
        assert (account.n_imported, account.n_carried, account.n_recode) == (3, 3, 3)
        own = by_claim(database, published)
        with database.reading() as session:
            stored = {name: coding.codings.find_current(session, own[name]) for name in own}
            forms = {name: coding.rating_page(session, published.one, own[name], "x").form for name in own}
            packet = packets.find_packet_of(session, "small", published.one.user_id)
            assert packet is not None
            states = {
                c.assignment_id: (c.state, c.label) for c in locking.lock_page(session, published.one, packet.id).claims
            }
            assert locking.rater_home(session, published.one).packets[0].n_coded == 3
        for name in CARRIED:
            row = stored[name]
            assert row is not None
            assert (row.origin, row.revision, row.warnings_shown_json, row.seconds_on_item) == (
                "crosswalk",
                1,
                "[]",
                None,
            )
            assert states[own[name]] == ("carried", "")
        assert all(stored[name] is None and states[own[name]] == ("open", "") for name in LEFT)
        # No form begins with an answer: neither where the claim is coded again nor where it may be coded afresh.
        assert all(form.answer == {} for form in forms.values())
        assert [forms[name].status for name in (*CARRIED, *LEFT)] == ["carried"] * 3 + ["new"] * 3

    def test_the_same_file_again_changes_nothing(
        self, database: Database, published: Published, rows: list[RawCoding], walk: Crosswalk, clock: Clock
    ) -> None:
        for _ in range(2):
            bring(database, published, rows, walk, clock)
        own = by_claim(database, published)
        with database.reading() as session:
            assert [coding.codings.find_current(session, own[name]).revision for name in CARRIED] == [1, 1, 1]

    @pytest.mark.parametrize(
        ("change", "rule"),
        [
            ({"confidence": None}, "H11"),
            ({"evidence": [{"turn": 77, "role": "supports", "tier": "T1"}]}, "H04"),
            ({"evidence": [{"turn": 3, "role": "conflicts", "tier": "T1"}]}, "H17"),
            ({"verdict": "PARTIAL"}, "H18"),
            ({"unverifiable_reason": "third_party"}, "H33"),
            ({"flags": ["other"]}, "H12"),
            ({"claim_kind": "negative"}, "H02"),
        ],
    )
    def test_every_other_hard_rule_holds_and_then_nothing_is_stored(
        self,
        database: Database,
        published: Published,
        rows: list[RawCoding],
        walk: Crosswalk,
        clock: Clock,
        change: dict[str, Any],
        rule: str,
    ) -> None:
        broken = [replace(row, answer={**row.answer, **change}) if row.claim_id == "edit1" else row for row in rows]
        with pytest.raises(NothingImported) as caught:
            bring(database, published, broken, walk, clock)
        account = caught.value.account
        assert rule in {found for _, found, _ in account.rejected}
        assert {row for row, _, _ in account.rejected} == {1}
        assert (account.n_imported, account.n_carried, account.n_recode) == (0, 0, 0)
        with database.reading() as session:
            assert locking.rater_home(session, published.one).packets[0].n_coded == 0

    @pytest.mark.parametrize(
        "change",
        [
            {"evidence": []},
            {"evidence": [{"turn": 3, "role": "context", "tier": "T1"}]},
            {"flags": ["stale_evidence"]},
            {"claim_kind": "order"},
            {
                "verdict": "CONTRADICTED",
                "evidence": [{"turn": 3, "role": "conflicts", "tier": "T1"}],
                "disclosure": "none",
            },
            {"verdict": "UNVERIFIABLE", "unverifiable_reason": "third_party", "log_coverage": "none"},
            {"materiality": "high"},
        ],
    )
    def test_a_coding_that_no_crosswalk_makes_is_not_taken_as_carried(
        self,
        database: Database,
        published: Published,
        rows: list[RawCoding],
        walk: Crosswalk,
        clock: Clock,
        change: dict[str, Any],
    ) -> None:
        """Exempt from rules, such a row would be a way round them: each of these keeps every rule that still holds."""
        forged = [replace(row, answer={**row.answer, **change}) if row.claim_id == "edit1" else row for row in rows]
        with pytest.raises(NothingImported) as caught:
            bring(database, published, forged, walk, clock)
        assert [(row, rule) for row, rule, _ in caught.value.account.rejected] == [(1, "H28")]

    def test_the_exemptions_are_those_of_the_crosswalk(
        self, database: Database, published: Published, rows: list[RawCoding], walk: Crosswalk, clock: Clock
    ) -> None:
        narrower = replace(walk, exempt=tuple(rule for rule in walk.exempt if rule != "H13b"))
        with pytest.raises(NothingImported) as caught:
            bring(database, published, rows, narrower, clock)
        assert {(row, rule) for row, rule, _ in caught.value.account.rejected} == {(1, "H13b"), (4, "H13b")}

    def test_a_coding_that_calls_itself_carried_needs_a_crosswalk(
        self, database: Database, published: Published, rows: list[RawCoding], clock: Clock
    ) -> None:
        with pytest.raises(BadInput, match="row 1, column origin: no crosswalk"), database.writing() as session:
            importing.import_codings(session, published.lead, ("small", "r.one"), rows, clock())
        with database.reading() as session:
            book = importing.codebook_of_study(session, published.lead, "small")
        assert [one.id for one in find_crosswalks_into(codebook_dir(), book)] == ["saydo-0.4-0.5"]

    def test_a_raters_own_coding_is_never_replaced(
        self, database: Database, published: Published, rows: list[RawCoding], walk: Crosswalk, clock: Clock
    ) -> None:
        own, texts = by_claim(database, published), assignments(database, published.one)
        save(database, published.one, own["edit1"], Submission(coding_for(texts[own["edit1"]]), 0, "mine"), clock)
        with pytest.raises(NothingImported) as caught:
            bring(database, published, rows, walk, clock)
        assert [(row, rule) for row, rule, _ in caught.value.account.rejected] == [(1, "H28")]
        rest = [row for row in rows if row.claim_id != "edit1"]
        assert bring(database, published, rest, walk, clock).n_carried == 2

    def test_what_a_rater_has_begun_is_not_replaced_either(
        self, database: Database, published: Published, rows: list[RawCoding], walk: Crosswalk, clock: Clock
    ) -> None:
        own = by_claim(database, published)
        begun = Submission({"codability": "codable"}, 0, "d")
        with database.writing() as session:
            coding.save_draft(session, published.one, own["docs2"], begun, clock())
        with pytest.raises(NothingImported) as caught:
            bring(database, published, rows, walk, clock)
        assert [(row, rule) for row, rule, _ in caught.value.account.rejected] == [(6, "H28")]

    def test_a_rater_may_code_a_carried_claim_afresh_under_all_rules(
        self, database: Database, published: Published, rows: list[RawCoding], walk: Crosswalk, clock: Clock
    ) -> None:
        bring(database, published, rows, walk, clock)
        own, texts = by_claim(database, published), assignments(database, published.one)
        sent = Submission(coding_for(texts[own["edit1"]]), 1, "afresh")
        save(database, published.one, own["edit1"], sent, clock)
        with database.reading() as session:
            row = coding.codings.find_current(session, own["edit1"])
            assert row is not None
            assert (row.origin, row.revision) == ("human", 2)
            form = coding.rating_page(session, published.one, own["edit1"], "x").form
        assert form.answer["materiality"] == "medium"


class TestTheStudy:
    def test_from_import_to_a_verified_export(
        self,
        database: Database,
        published: Published,
        rows: list[RawCoding],
        walk: Crosswalk,
        clock: Clock,
        tmp_path: Path,
    ) -> None:
        bring(database, published, rows, walk, clock)
        code_what_is_left(database, published, clock)
        record = closed(database, published, clock)
        closing.export_study(record, tmp_path / "out", closing.ExportOptions())
        found = verify_bundle(tmp_path / "out")
        assert (found["ok"], found["mismatches"]) == (True, [])
        with database.reading() as session:
            assert list(soundness.find_alterations(session)) == []

        with (tmp_path / "out/rater_long.csv").open(encoding="utf-8", newline="") as lines:
            long = [row for row in csv.DictReader(lines) if not row["coder_slot"].startswith("ADJ")]
        carried = [row for row in long if row["origin"] == "crosswalk"]
        assert {row["coder_slot"] for row in carried} == {"R1"}
        assert sorted(row["needs"] for row in carried) == [
            "",
            "needs_materiality",
            "needs_materiality;needs_undetermined_reason",
        ]
        assert not any(row["materiality"] or row["undetermined_reason"] for row in carried)
        assert all(row["needs"] == "" for row in long if row["origin"] == "human")

        with (tmp_path / "out/rater_pooled.csv").open(encoding="utf-8", newline="") as lines:
            pooled = list(csv.DictReader(lines))
        assert sorted(row["origin"] for row in pooled) == ["human"] * 3 + ["mixed"] * 3
        for row in pooled:
            mixed = row["origin"] == "mixed"
            assert row["n_raters"] == ("1" if mixed else "2")
            assert (row["agree_verdict"] == "") == mixed

        manifest = json.loads((tmp_path / "out/manifest.json").read_text(encoding="utf-8"))
        assert (manifest["accounting"]["codings"], manifest["accounting"]["carried_over"]) == (12, 3)
        assert [(one["id"], one["sha256"]) for one in manifest["crosswalks"]] == [(walk.id, walk.sha256)]
        assert manifest["crosswalks"][0]["exempt"] == list(walk.exempt)

    def test_agreement_is_that_of_the_human_codings_alone(
        self, database: Database, published: Published, rows: list[RawCoding], walk: Crosswalk, clock: Clock
    ) -> None:
        bring(database, published, rows, walk, clock)
        code_what_is_left(database, published, clock)
        record = closed(database, published, clock)
        documents = agreement_documents(record, list_cases(record))
        pair = documents["verdict"]["0.5"]["pairs"][0]
        assert pair["n"] == 3
        without = replace(record, codings=tuple(c for c in record.codings if c.origin == "human"))
        alone = agreement_documents(without, list_cases(without))
        for field, versions in documents.items():
            told, bare = dict(versions["0.5"]), dict(alone[field]["0.5"])
            assert told.pop("left_out") == {"crosswalk": {"codings": 3, "claims": 3}}
            assert bare.pop("left_out") == {"crosswalk": {"codings": 0, "claims": 0}}
            said = told.pop("warnings")
            assert said == [
                *bare.pop("warnings"),
                "3 codings of 3 claims, carried over by a crosswalk, are left out",
            ]
            assert told == bare

    def test_whatever_was_carried_over_changes_no_coefficient(
        self, database: Database, published: Published, rows: list[RawCoding], walk: Crosswalk, clock: Clock
    ) -> None:
        """A carried coding of any label leaves every number where it is; the same coding by a human does not."""
        bring(database, published, rows, walk, clock)
        code_what_is_left(database, published, clock)
        record = closed(database, published, clock)
        kappa = _numbers(record)
        turned = replace(record, codings=tuple(_turned(c) if c.origin == "crosswalk" else c for c in record.codings))
        assert _numbers(turned) == kappa
        own = replace(record, codings=tuple(replace(c, origin="human") for c in record.codings))
        assert _numbers(own) != kappa

    def test_the_pages_and_the_report_compare_human_codings_alone(
        self, database: Database, published: Published, rows: list[RawCoding], walk: Crosswalk, clock: Clock
    ) -> None:
        bring(database, published, rows, walk, clock)
        code_what_is_left(database, published, clock)
        record = closed(database, published, clock)
        tables = study_tables(record)
        with database.reading() as session:
            page = agreement.disagreement_page(session, published.lead, "small")
        # R1's carried UNDETERMINED and not_codable differ from R2's codings, and are nobody's second opinion.
        assert (page.n_compared, page.lines, page.pairs) == (3, (), ())
        assert list(tables.disagreements) == []
        gates = {gate.name: gate for gate in report_plan.planned_versus_completed(record, tables)}
        assert gates["Overlap"].actual == "3 of 6"
        assert gates["Carried over"].actual == "3 of 12 codings by saydo-0.4-0.5, in no agreement"
        html = next(f.data for f in bundle_files(record) if f.path == "report.html").decode("utf-8")
        assert "3 codings of 3 claims, carried over by a crosswalk, are left out" in html

    def test_what_differs_from_a_carried_coding_is_still_settled(
        self, database: Database, published: Published, rows: list[RawCoding], walk: Crosswalk, clock: Clock
    ) -> None:
        bring(database, published, rows, walk, clock)
        code_what_is_left(database, published, clock)
        record = closed(database, published, clock)
        mixed = [case for case in list_cases(record) if {c.origin for c in case.codings} == {"human", "crosswalk"}]
        assert any("differs:verdict" in case.selected_by for case in mixed)
        assert all(case.final is not None for case in mixed if "differs:verdict" in case.selected_by)

    def test_the_custodians_codings_come_back_as_they_were(
        self,
        database: Database,
        published: Published,
        rows: list[RawCoding],
        walk: Crosswalk,
        clock: Clock,
    ) -> None:
        bring(database, published, rows, walk, clock)
        code_what_is_left(database, published, clock)
        record = closed(database, published, clock)
        with database.reading() as session:
            native = closing.native_claim_ids(session, published.custodian, "small")
        data = next(f.data for f in bundle_files(record, private=native) if f.path == "codings.csv")
        back = [row for row in parse_codings(data, "codings.csv", record.codebook) if row.coder_slot == "R1"]
        assert {row.claim_id for row in back if row.origin == "crosswalk"} == set(CARRIED)
        before = {row.claim_id: row.answer for row in rows if row.origin}
        assert {row.claim_id: row.answer for row in back if row.origin} == before
        assert {row.claim_id: row.needs for row in back if row.origin} == {
            r.claim_id: r.needs for r in rows if r.origin
        }


def _turned(made: CodingRecord) -> CodingRecord:
    other = {"codability": "codable", "claim_kind": "action", "verdict": "CONTRADICTED", "confidence": "low"}
    return replace(made, answer=other, derived_tiers=())


def _numbers(record: StudyRecord) -> dict[str, Any]:
    documents = agreement_documents(record, list_cases(record))
    return {
        field: {key: value for key, value in versions["0.5"].items() if key not in ("left_out", "warnings")}
        for field, versions in documents.items()
    }


@pytest.fixture
def exported(
    database: Database, published: Published, rows: list[RawCoding], walk: Crosswalk, clock: Clock
) -> dict[str, bytes]:
    bring(database, published, rows, walk, clock)
    code_what_is_left(database, published, clock)
    return {f.path: f.data for f in bundle_files(closed(database, published, clock))}


def resealed(files: dict[str, bytes]) -> dict[str, bytes]:
    """The folder with its hashes made right again, as somebody would who alters it with care."""
    manifest = json.loads(files["manifest.json"])
    for entry in manifest["files"]:
        data = files[entry["path"]]
        entry |= {"sha256": sha256_hex(data), "bytes": len(data)}
    del manifest["manifest_sha256"]
    manifest["manifest_sha256"] = sha256_hex(canonical_file(manifest))
    return {**files, "manifest.json": canonical_file(manifest)}


def columns_at_fault(files: dict[str, bytes]) -> set[str]:
    return {str(found["column"]) for found in verify(resealed(files))["mismatches"]}


class TestVerification:
    def test_an_untouched_folder_is_right(self, exported: dict[str, bytes]) -> None:
        assert verify(resealed(exported))["mismatches"] == []

    def test_a_count_of_left_out_codings_that_is_not_true_is_found(self, exported: dict[str, bytes]) -> None:
        documents = json.loads(exported["agreement.json"])
        documents["verdict"]["0.5"]["left_out"]["crosswalk"]["codings"] = 2
        assert "left_out" in columns_at_fault({**exported, "agreement.json": canonical_file(documents)})

    def test_an_accounting_without_the_carried_codings_is_found(self, exported: dict[str, bytes]) -> None:
        manifest = json.loads(exported["manifest.json"])
        manifest["accounting"]["carried_over"] = 0
        assert "accounting.carried_over" in columns_at_fault({**exported, "manifest.json": canonical_file(manifest)})

    def test_a_carried_coding_passed_off_as_a_raters_own_is_found(self, exported: dict[str, bytes]) -> None:
        text = exported["rater_long.csv"].decode("utf-8")
        assert text.count(",crosswalk,") == 3
        found = columns_at_fault({**exported, "rater_long.csv": text.replace(",crosswalk,", ",human,").encode("utf-8")})
        assert {"row_sha256", "left_out", "needs", "origin", "n_raters"} <= found

    def test_a_need_that_is_none_is_found(self, exported: dict[str, bytes]) -> None:
        text = exported["rater_long.csv"].decode("utf-8").replace(",needs_materiality,", ",needs_verdict,")
        assert "needs" in columns_at_fault({**exported, "rater_long.csv": text.encode("utf-8")})

    def test_a_crosswalk_to_another_codebook_is_found(self, exported: dict[str, bytes]) -> None:
        manifest = json.loads(exported["manifest.json"])
        manifest["crosswalks"][0]["to"]["sha256"] = "0" * 64
        assert "crosswalks.0.to.sha256" in columns_at_fault({**exported, "manifest.json": canonical_file(manifest)})


class TestHiddenRepeats:
    """A repeat is compared with a first coding of the rater's own, or with nothing."""

    @pytest.fixture
    def repeated(
        self, database: Database, published: Published, rows: list[RawCoding], walk: Crosswalk, clock: Clock
    ) -> StudyRecord:
        """The record, each of R1's claims coded by R1 once more as a hidden repeat."""
        bring(database, published, rows, walk, clock)
        code_what_is_left(database, published, clock)
        record = closed(database, published, clock)
        again = tuple(replace(c, purpose="repeat", origin="human") for c in record.codings if c.slot == "R1")
        return replace(record, codings=(*record.codings, *again))

    def test_a_repeat_of_a_carried_claim_is_left_out_and_counted(self, repeated: StudyRecord) -> None:
        assert len(intra_rater_rows(repeated)) == 3
        assert count_uncoded_first(repeated) == 3
        first = {c.blind_claim_id for c in repeated.codings if c.origin == "crosswalk"}
        assert not first & {row["blind_claim_id"] for row in intra_rater_rows(repeated)}
        gates = {g.name: g for g in report_plan.planned_versus_completed(repeated, study_tables(repeated))}
        assert gates["Agreement with oneself"].actual.endswith("; 3 repeats of carried claims left out")

    def test_the_verification_knows_it_too(self, repeated: StudyRecord) -> None:
        files = {f.path: f.data for f in bundle_files(repeated)}
        assert verify(files)["mismatches"] == []
        own = replace(repeated, codings=tuple(replace(c, origin="human") for c in repeated.codings))
        more = next(f.data for f in bundle_files(own) if f.path == "intra_rater.csv")
        assert more.count(b"\n") == 7
        manifest = json.loads(files["manifest.json"])
        for entry in manifest["files"]:
            if entry["path"] == "intra_rater.csv":
                entry["rows"] = 6
        altered = {**files, "intra_rater.csv": more, "manifest.json": canonical_file(manifest)}
        assert "coder_slot" in columns_at_fault(altered)


def test_two_versions_never_meet_in_one_coefficient(
    database: Database, published: Published, rows: list[RawCoding], walk: Crosswalk, clock: Clock
) -> None:
    bring(database, published, rows, walk, clock)
    code_what_is_left(database, published, clock)
    record = closed(database, published, clock)
    older = replace(record.codings[0], codebook_version="0.4", codebook_sha256=walk.old.sha256)
    with pytest.raises(BadInput, match=r"was made under codebook 0\.4, the study's is 0\.5"):
        list_cases(replace(record, codings=(older, *record.codings[1:])))
    changed = replace(record.codings[0], codebook_sha256="0" * 64)
    mixed = replace(record, codings=(changed, *record.codings[1:]))
    with pytest.raises(BadInput, match="no agreement is computed across codebooks"):
        agreement_documents(mixed, list_cases(mixed))
