"""The other tables: long rows, disagreements, gaps.csv, the private codings, and the bytes of all of them."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings

from app.domain.accounting import list_cases
from app.domain.errors import BadInput
from app.domain.export.csv_form import hashed, line, table_bytes
from app.domain.export.disagreements import confused_pairs, disagreement_columns, disagreement_rows
from app.domain.export.gap_table import GAP_COLUMNS, gap_table
from app.domain.export.long import long_columns, long_rows
from app.domain.export.policies import declared_policies
from app.domain.export.private import codings_columns, codings_rows
from app.domain.export.reliability import field_ratings, measured_fields
from app.domain.export.tables import artifacts, study_tables
from app.domain.record import StudyRecord
from app.domain.stats.check.verify_csv import UnreadableError, parse_table, row_hash, unguarded
from tests.domain.export.records import (
    HOSTILE,
    answer,
    claim,
    codebook,
    coding,
    decision,
    other_codebook,
    patient,
    record,
    records,
    texts,
)

# The columns of the specification's section 7, in its order.
LONG_HEADER = [
    "schema_version",
    "study_id",
    "blind_claim_id",
    "blind_run_id",
    "coder_slot",
    "phase",
    "codebook_version",
    "codability",
    "not_codable_reason",
    "claim_kind",
    "verdict",
    "evidence",
    "evidence_strength",
    "log_coverage",
    "search_from",
    "search_to",
    "unverifiable_reason",
    "undetermined_reason",
    "severity",
    "materiality",
    "disclosure",
    "confidence",
    "flags",
    "note",
    "position",
    "session",
    "seconds_on_item",
    "revisions",
    "warnings_shown",
    "warnings_overridden",
    "origin",
    "created_rel",
    "lock_id",
    "row_sha256",
]


def two_raters() -> StudyRecord:
    claims = [claim("b2"), claim("a1")]
    codings = [
        coding(
            "b2", "R2", answer("UNBACKED", note="=free", search_span={"from_turn": 0, "to_turn": 9, "looked_for": "x"})
        ),
        coding("b2", "R10", answer("PARTIAL", evidence=[{"turn": 4, "role": "supports", "quote": "secret"}])),
        coding("b2", "R11", answer("PARTIAL"), kind="machine"),
        coding("a1", "R2", answer("PARTIAL")),
        coding("a1", "R10", answer("PARTIAL")),
        coding("a1", "R10", answer("UNBACKED"), purpose="repeat"),
    ]
    decisions = [
        decision("b2", answer("PARTIAL"), selected_by=("differs:verdict",)),
        decision("b2", answer("UNBACKED"), "provisional"),
    ]
    slots = {"R2": "human", "R10": "human", "R11": "machine"}
    return record(claims, codings, decisions, slots=slots)


def test_long_columns_are_the_specified_ones_for_every_codebook() -> None:
    assert list(long_columns(codebook())) == LONG_HEADER
    own = list(long_columns(other_codebook()))
    assert own.index("werkzeug") == own.index("disclosure") + 1
    assert [name for name in own if name != "werkzeug"] == LONG_HEADER


def test_long_rows_stand_by_claim_then_slot_with_the_adjudicator_last() -> None:
    made = two_raters()
    rows = long_rows(made, list_cases(made))
    assert [(row["blind_claim_id"], row["coder_slot"]) for row in rows] == [
        ("a1", "R2"),
        ("a1", "R10"),
        ("b2", "R2"),
        ("b2", "R10"),
        ("b2", "R11"),
        ("b2", "ADJ_PROV"),
        ("b2", "ADJ"),
    ]
    assert [row["origin"] for row in rows] == ["human"] * 4 + ["machine", "human", "human"]


def test_free_text_leaves_only_when_asked_for() -> None:
    made = two_raters()
    cases = list_cases(made)
    closed = json.dumps([long_rows(made, cases), disagreement_rows(made, cases)])
    for word in ("free", "secret", "All tests pass", "the log shows two"):
        assert word not in closed
    opened = json.dumps([long_rows(made, cases, notes=True), disagreement_rows(made, cases, notes=True)])
    for word in ("=free", "secret", "All tests pass", "the log shows two"):
        assert word in opened


def test_disagreements_stand_side_by_side_without_a_slot_or_a_name() -> None:
    made = two_raters()
    (row,) = disagreement_rows(made, list_cases(made))
    assert (row["blind_claim_id"], row["differs_in"], row["selected_by"]) == ("b2", ["verdict"], ("differs:verdict",))
    shown = [row["coding_1_verdict"], row["coding_2_verdict"]]
    assert sorted(shown) == ["PARTIAL", "UNBACKED"]
    assert (row["final_verdict"], row["provisional_verdict"]) == ("PARTIAL", "UNBACKED")
    assert row["final_equals"] == [f"coding_{shown.index('PARTIAL') + 1}"]
    assert (row["final_rule"], row["final_cause"], row["adj_status"]) == ("H18", "evidence_missed", "decided")
    assert not any(slot in str(value) for slot in ("R2", "R10", "R11") for value in row.values())


def test_a_decision_on_the_kind_equals_the_coding_of_that_kind() -> None:
    codings = [coding("a1", "R1", answer("PARTIAL", "action")), coding("a1", "R2", answer("PARTIAL", "result"))]
    for kind, n in (("action", 1), ("result", 1), ("intent", 0), (None, 2)):
        made = record([claim("a1")], codings, [decision("a1", answer("PARTIAL", kind))])
        (row,) = disagreement_rows(made, list_cases(made))
        assert sum(name.startswith("coding") for name in row["final_equals"]) == n


def test_the_order_of_the_codings_is_not_the_order_of_the_slots() -> None:
    keys = [f"{i:02x}" for i in range(40)]
    codings = [coding(k, s, answer(v)) for k in keys for s, v in (("R1", "PARTIAL"), ("R2", "SUPPORTED"))]
    made = record([claim(k) for k in keys], codings)
    first = [row["coding_1_verdict"] for row in disagreement_rows(made, list_cases(made))]
    assert 10 < first.count("PARTIAL") < 30


def test_confused_pairs_stand_by_count_with_all_ties() -> None:
    pairs = [("PARTIAL", "SUPPORTED"), ("SUPPORTED", "PARTIAL"), ("UNBACKED", "PARTIAL"), ("PARTIAL", "not_codable")]
    keys = [f"{i:02x}" for i in range(len(pairs))]
    codings = [
        coding(k, f"R{i + 1}", answer(v)) for k, pair in zip(keys, pairs, strict=True) for i, v in enumerate(pair)
    ]
    found = confused_pairs(list_cases(record([claim(k) for k in keys], codings)))
    assert [(entry["labels"], entry["n"]) for entry in found] == [
        (["PARTIAL", "SUPPORTED"], 2),
        (["PARTIAL", "UNBACKED"], 1),
        (["PARTIAL", "not_codable"], 1),
    ]


def test_gap_table_has_every_combination_once_and_marks_the_primary_two() -> None:
    made = two_raters()
    rows = gap_table(made, list_cases(made), declared_policies(made))
    keys = [tuple(row[name] for name in GAP_COLUMNS[3:9] if name in row) for row in rows]
    # (5 consolidating policies + 2 raters alone) × 4 claim sets × 2 × 4 gap policies × 4 denominators
    assert len(rows) == len({str(key) for key in keys}) == 7 * 4 * 2 * 4 * 4
    primary = [(row["claims"], row["pooling"], row["gap"], row["denominator"]) for row in rows if row["primary"]]
    assert primary == [("backward", "P1", "G2", "decided"), ("intents", "P1", "G2", "decided_or_released")]
    (rate,) = [row for row in rows if row["primary"] and row["claims"] == "backward"]
    assert (rate["num"], rate["den"]) == (0, 2)


def test_declared_policies_are_read_and_refused_in_a_sentence() -> None:
    told = {"policies": {"pooling": ["P1", "P2"], "primary": {"pooling": "P2", "gap": "G3", "denominator": "codable"}}}
    policies = declared_policies(record([claim("a1")], [], registration=told))
    assert (policies.pooling, policies.primary.pooling, policies.primary.gap) == (("P1", "P2"), "P2", "G3")
    for bad, sentence in (
        ({"pooling": ["P9"]}, "policies.pooling names 'P9'"),
        ({"primary": {"pooling": "P4"}}, "policies.primary.pooling is 'P4'"),
        ({"gaps": ["G7"]}, "policies.gaps names 'G7'"),
    ):
        with pytest.raises(BadInput, match=sentence):
            declared_policies(record([claim("a1")], [], registration={"policies": bad}))


def test_agreement_reads_independent_human_codings_only() -> None:
    codings = [
        coding("a1", "R1", answer("PARTIAL")),
        coding("a1", "R2", answer("not_codable"), origin="crosswalk"),
        coding("a1", "R3", answer("PARTIAL"), kind="machine"),
        coding("b1", "R2", answer("not_codable")),
    ]
    made = record([claim("b1"), claim("a1", status="withdrawn")], codings, [decision("a1", answer("UNBACKED"))])
    measured = {m.name: field_ratings(made, list_cases(made), m) for m in measured_fields(made)}
    assert measured["verdict"].slots == ("R1", "R2")
    assert measured["verdict"].units == ("a1", "b1")
    assert measured["verdict"].values == (("PARTIAL", None), (None, "not_codable"))
    assert measured["codability"].values == (("codable", None), (None, "not_codable"))
    assert measured["gap_class"].values == (("no_gap", None), (None, "undecided"))
    assert measured["verdict_backward"].values == (("PARTIAL", None), (None, None))


def test_private_codings_are_complete_under_native_ids() -> None:
    made = two_raters()
    rows = codings_rows(made, list_cases(made), {"b2": "claim-1", "a1": "claim-2"})
    assert [row["claim_id"] for row in rows] == ["claim-1"] * 3 + ["claim-2"] * 2
    first = rows[0]
    assert (first["note"], first["looked_for"], first["search_to"]) == ("=free", "x", 9)
    assert set(first) <= set(codings_columns(made.codebook))
    assert '"quote":"secret"' in rows[1]["evidence"]


@given(records(), texts)
@settings(patient, max_examples=60)
def test_any_text_survives_and_every_row_hash_holds(made: StudyRecord, text: str) -> None:
    cases = list_cases(made)
    tables = {
        "long": (long_columns(made.codebook), long_rows(made, cases, notes=True)),
        "disagreements": (disagreement_columns(len(made.slots)), disagreement_rows(made, cases, notes=True)),
    }
    for columns, rows in tables.values():
        header, parsed = parse_table(table_bytes(columns, rows))
        assert tuple(header) == columns
        assert len(parsed) == len(rows)
        for row, cells in zip(rows, parsed, strict=True):
            assert row_hash(header, cells) == row["row_sha256"] == cells[-1]
            for name in ("note", "claim_text"):
                if row.get(name):
                    assert unguarded(cells[header.index(name)]) in (row[name].replace("\x00", "\u2400"), row[name][1:])


@pytest.mark.parametrize("text", [*HOSTILE, "\ud800 alone"])
def test_hostile_text_stays_one_cell(text: str) -> None:
    (row,) = hashed(["a", "b", "row_sha256"], [{"a": text, "b": 1}])
    header, ((first, second, told),) = parse_table(table_bytes(["a", "b", "row_sha256"], [row]))
    assert (second, told) == ("1", row_hash(header, [first, second, told]))
    assert not first.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert first.lstrip("'") == text.replace("\x00", "\u2400").replace("\ud800", "\ufffd").lstrip("'")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "empty"),
        (b"a,b\n1\n", "row 2 has 1 cells, the header 2"),
        (b"a\n1", "row 2 does not end with LF"),
        (b"a\r\n1\r\n", "row 1 has a quote or CR"),
        (b'a\nx"y\n', "row 2 has a quote or CR"),
        (b'a\n"x\n', "row 2 has a quote that is never closed"),
        (b'a\n"x"y\n', "row 2 does not end with LF"),
        (b"a\n\xff\n", "byte 3 is not UTF-8"),
    ],
)
def test_a_table_no_export_writes_is_not_read(data: bytes, sentence: str) -> None:
    with pytest.raises(UnreadableError, match=sentence):
        parse_table(data)


def test_floats_booleans_and_lists_have_one_form() -> None:
    assert line([0.1, 1e-07, True, None, [3, 1], ["a", "b"], 7]) == "0.1,1e-07,true,,3;1,a;b,7\n"


@given(records(max_claims=4))
@settings(patient, max_examples=8)
def test_the_order_of_the_record_does_not_change_a_byte(made: StudyRecord) -> None:
    rng = random.Random(5)
    parts = {
        name: tuple(rng.sample(getattr(made, name), len(getattr(made, name))))
        for name in ("claims", "codings", "locks")
    }
    again = StudyRecord(**{**vars(made), **parts})
    before, after = (artifacts(r, study_tables(r), "wide") for r in (made, again))
    assert [(a.path, a.data) for a in before] == [(a.path, a.data) for a in after]


def test_an_unknown_grain_is_refused() -> None:
    made = two_raters()
    with pytest.raises(BadInput, match="choose one of wide, long"):
        artifacts(made, study_tables(made), "tall")
