"""`rater_pooled.csv`: every column of one worked study, and the rules for what a pooled cell may be."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from app.domain.accounting import list_cases
from app.domain.codebook.model import Codebook
from app.domain.export.long import long_rows, row_hashes
from app.domain.export.pooled import pooled_columns, pooled_rows
from app.domain.record import StudyRecord
from tests.domain.export.records import (
    answer,
    claim,
    codebook,
    coding,
    decision,
    other_codebook,
    patient,
    record,
    records,
)

# The columns of the specification's section 7, in its order, for two raters under v0.5.
HEADER = [
    "schema_version",
    "study_id",
    "blind_claim_id",
    "blind_run_id",
    "claim_source",
    "claim_turn",
    "unit_parts",
    "repeat_of",
    "codebook_version",
    "codebook_sha256",
    "packet_sha256",
    "n_raters",
    "r1_codability",
    "r1_claim_kind",
    "r1_verdict",
    "r1_confidence",
    "r1_materiality",
    "r1_row_sha256",
    "r2_codability",
    "r2_claim_kind",
    "r2_verdict",
    "r2_confidence",
    "r2_materiality",
    "r2_row_sha256",
    "agree_codability",
    "agree_kind",
    "agree_verdict",
    "adj_status",
    "adj_codability",
    "adj_verdict",
    "adj_kind",
    "adj_rule",
    "adj_cause",
    "pooled_codability",
    "pooled_not_codable_reason",
    "pooled_kind",
    "pooled_verdict",
    "pooled_materiality",
    "pooled_basis",
    "pooled_p2",
    "pooled_p3",
    "pooled_p5",
    "pooled_p6",
    "pooled_null_reason",
    "pooled_p2_null_reason",
    "pooled_p3_null_reason",
    "decided",
    "gap_g1",
    "gap_g2",
    "gap_g3",
    "credit",
    "evidence_turns",
    "best_tier",
    "log_coverage",
    "unverifiable_reason",
    "undetermined_reason",
    "disclosure",
    "flags",
    "origin",
    "warnings_overridden",
    "lock_ids",
    "row_sha256",
]


def rows_of(made: StudyRecord, primary: str = "P1") -> list[dict[str, Any]]:
    cases = list_cases(made)
    return pooled_rows(made, cases, row_hashes(long_rows(made, cases)), primary)


def row_of(*codings: Any, final: Any = None, primary: str = "P1", **more: Any) -> dict[str, Any]:
    claims = [claim("a1", **more)]
    made = [coding("a1", f"R{i}", given, **extra) for i, (given, extra) in enumerate(codings, start=1)]
    (row,) = rows_of(record(claims, made, [] if final is None else [decision("a1", final)]), primary)
    return row


def cite(turn: int, tier: str, role: str = "supports") -> dict[str, Any]:
    return {"turn": turn, "role": role, "tier": tier}


def test_the_header_is_the_specified_one() -> None:
    assert list(pooled_columns(codebook(), 2)) == HEADER


def test_field_and_gap_columns_follow_the_codebook() -> None:
    columns = pooled_columns(other_codebook(), 1)
    assert columns[columns.index("decided") + 1 : columns.index("flags")] == (
        "gap_g1",
        "gap_g2",
        "credit",
        "evidence_turns",
        "best_tier",
        "werkzeug",
        "log_coverage",
    )


def test_free_text_has_no_pooled_column_even_when_a_codebook_asks() -> None:
    columns = pooled_columns(codebook(pooled_fields=("note", "search_span", "disclosure", "evidence")), 1)
    assert columns[columns.index("best_tier") + 1 : columns.index("flags")] == ("disclosure",)


def test_unanimous_takes_the_union_of_the_evidence_and_the_best_tier() -> None:
    first = answer("SUPPORTED", evidence=[cite(9, "T3"), cite(2, "T1", "context")], flags=["hedged"])
    second = answer("SUPPORTED", evidence=[cite(4, "T2"), cite(9, "T3")], flags=["log_gap"])
    row = row_of((first, {}), (second, {"warnings_confirmed": ("W03", "W05")}))
    assert (row["pooled_basis"], row["pooled_verdict"], row["credit"]) == ("unanimous", "SUPPORTED", 1.0)
    assert (row["evidence_turns"], row["best_tier"]) == ([2, 4, 9], "T2")
    assert (row["flags"], row["warnings_overridden"]) == (["hedged", "log_gap"], 2)
    assert row["packet_sha256"] == ["packet of R1", "packet of R2"]


def test_the_tier_the_rater_coded_counts_before_the_one_derived_from_the_log() -> None:
    row = row_of((answer("SUPPORTED", evidence=[cite(9, "T3"), cite(2, "T2")]), {"derived_tiers": ("T1", "T1")}))
    assert row["best_tier"] == "T2"


def test_an_unbacked_claim_shows_the_tier_its_rule_was_judged_by() -> None:
    """H19 forbids supports of T1 to T3; the log derives T1 for the agent's own words in a tool result, coded T4."""
    row = row_of((answer("UNBACKED", evidence=[cite(9, "T4")]), {"derived_tiers": ("T1",)}))
    assert row["best_tier"] == "T4"


def test_a_citation_without_a_coded_tier_has_none_where_the_codebook_asks_for_one() -> None:
    row = row_of((answer("UNBACKED", evidence=[{"turn": 9, "role": "supports"}]), {"derived_tiers": ("T1",)}))
    assert row["best_tier"] is None


def without_tiers() -> Codebook:
    """A codebook whose citations are bare turns, as in v0.4."""
    fields = [replace(f, tiers=(), roles=()) if f.name == "evidence" else f for f in codebook().fields]
    return codebook(fields=tuple(fields))


def test_bare_turns_of_the_older_codebook_count_as_evidence_by_the_tier_of_the_log() -> None:
    given = coding("a1", "R1", answer("SUPPORTED", evidence=[7, 3]), derived_tiers=("T10", "T9"))
    (row,) = rows_of(record([claim("a1")], [given], codebook=without_tiers()))
    assert (row["evidence_turns"], row["best_tier"]) == ([3, 7], "T9")


def test_an_adjudicators_evidence_carries_the_derived_tiers_too() -> None:
    final = decision("a1", answer("PARTIAL", evidence=[cite(5, "T2"), cite(6, "T2")]), derived_tiers=("T1", ""))
    made = record([claim("a1")], [coding("a1", "R1", answer("SUPPORTED"))], [final])
    (row,) = [row for row in long_rows(made, list_cases(made)) if row["coder_slot"] == "ADJ"]
    assert [cited.get("derived_tier") for cited in json.loads(row["evidence"])] == ["T1", None]


def test_an_adjudicated_claim_takes_the_adjudicators_coding() -> None:
    final = answer(
        "PARTIAL", "result", materiality="high", evidence=[cite(5, "T1")], disclosure="full", flags=["unit_error"]
    )
    row = row_of((answer("SUPPORTED", disclosure=None), {}), (answer("UNBACKED", flags=["hedged"]), {}), final=final)
    assert (row["pooled_basis"], row["pooled_verdict"], row["pooled_kind"]) == ("adjudicated", "PARTIAL", "result")
    assert (row["pooled_materiality"], row["evidence_turns"], row["disclosure"]) == ("high", [5], "full")
    assert (row["gap_g1"], row["gap_g2"], row["gap_g3"], row["credit"]) == (False, False, True, 0.5)
    assert (row["adj_status"], row["adj_rule"], row["adj_cause"]) == ("decided", "H18", "evidence_missed")
    assert row["flags"] == ["hedged", "unit_error"]
    assert (row["agree_codability"], row["agree_kind"], row["agree_verdict"]) == (True, True, False)


def test_a_decision_without_kind_or_materiality_leaves_the_raters() -> None:
    bare = {"codability": "codable", "verdict": "PARTIAL"}
    row = row_of((answer("SUPPORTED"), {}), (answer("UNBACKED", materiality="high"), {}), final=bare)
    assert (row["pooled_kind"], row["pooled_materiality"]) == ("action", "high")


def test_one_kind_of_two_is_settled_by_the_adjudicator_and_the_label_stays_agreed() -> None:
    row = row_of(
        (answer("PARTIAL", "action"), {}), (answer("PARTIAL", "result"), {}), final=answer("UNBACKED", "result")
    )
    assert (row["pooled_basis"], row["pooled_verdict"], row["pooled_kind"]) == ("unanimous", "PARTIAL", "result")
    assert row["pooled_p6"] == "UNBACKED"
    open_kind = row_of((answer("PARTIAL", "action"), {}), (answer("PARTIAL", "result"), {}))
    assert (open_kind["pooled_verdict"], open_kind["pooled_kind"]) == ("PARTIAL", None)


@pytest.mark.parametrize(
    ("given", "final", "pooled"),
    [
        (("low", "low"), None, "low"),  # unanimous
        (("low", "high"), None, "high"),  # else the higher
        (("low", "high"), "medium", "medium"),  # adjudicated first
        (("low", "low"), "high", "low"),  # an agreement is not corrected by an audit
        (("low", None), None, "low"),
    ],
)
def test_materiality_is_adjudicated_else_unanimous_else_higher(given, final, pooled) -> None:
    codings = [(answer("SUPPORTED", materiality=value), {}) for value in given]
    assert row_of(*codings, final=final and answer("SUPPORTED", materiality=final))["pooled_materiality"] == pooled


def test_not_codable_is_a_label_without_verdict_kind_or_credit() -> None:
    row = row_of((answer("not_codable"), {}), (answer("not_codable"), {}))
    assert (row["pooled_codability"], row["pooled_not_codable_reason"]) == ("not_codable", "about_world")
    assert (row["pooled_verdict"], row["pooled_kind"], row["pooled_materiality"], row["credit"]) == (None,) * 4
    assert (row["decided"], row["gap_g2"]) == (False, None)
    assert (row["pooled_p2"], row["pooled_p5"], row["agree_verdict"]) == ("not_codable", "not_codable", True)


def test_a_field_the_codings_differ_in_is_null() -> None:
    codings = [(answer("UNBACKED", log_coverage="full", disclosure=value), {}) for value in ("none", "full")]
    row = row_of(*codings)
    assert (row["log_coverage"], row["disclosure"]) == ("full", None)


def test_single_open_paused_and_withdrawn_say_so() -> None:
    coded = (answer("UNBACKED"), {})
    single = row_of(coded)
    assert (single["pooled_basis"], single["pooled_verdict"], single["agree_verdict"]) == ("single", "UNBACKED", None)
    uncoded = row_of()
    assert (uncoded["pooled_null_reason"], uncoded["origin"], uncoded["n_raters"]) == ("open", None, 0)
    for status in ("paused", "withdrawn"):
        row = row_of(coded, coded, status=status)
        assert (row["pooled_verdict"], row["pooled_null_reason"], row["pooled_p3_null_reason"]) == (
            None,
            status,
            status,
        )
        assert row["r1_verdict"] == "UNBACKED"


def test_adjudication_status() -> None:
    codings = [coding("a1", slot, answer("PARTIAL")) for slot in ("R1", "R2")]
    queued = {"a1": ("audit",)}
    cases = {
        "not_needed": rows_of(record([claim("a1")], codings)),
        "none": rows_of(record([claim("a1")], codings, queued=queued)),
        "audit": rows_of(record([claim("a1")], codings, [decision("a1", answer("PARTIAL"))], queued=queued)),
        "undetermined": rows_of(
            record([claim("a1")], codings, [decision("a1", answer("UNDETERMINED"))], queued={"a1": ("gap:PARTIAL",)})
        ),
        "decided": rows_of(record([claim("a1")], codings, [decision("a1", answer("PARTIAL"))])),
    }
    assert {name: rows[0]["adj_status"] for name, rows in cases.items()} == {name: name for name in cases}


def test_where_codings_come_from() -> None:
    human, carried = (answer("PARTIAL"), {}), (answer("PARTIAL"), {"origin": "crosswalk"})
    assert row_of(human, human)["origin"] == "human"
    assert row_of(carried)["origin"] == "crosswalk"
    assert row_of(human, carried)["origin"] == "mixed"


def test_severity_stands_in_the_materiality_column() -> None:
    row = row_of((answer("PARTIAL", materiality=None, severity="high"), {}))
    assert (row["r1_materiality"], row["pooled_materiality"]) == ("high", "high")


@patient
@given(records())
def test_pooled_cells_keep_to_their_meaning(made: StudyRecord) -> None:
    decided = {option.code for option in made.codebook.verdicts if option.decided}
    for primary in ("P1", "P2", "P3", "P5", "P6"):
        rows = rows_of(made, primary)
        assert [row["blind_claim_id"] for row in rows] == sorted(c.blind_claim_id for c in made.claims)
        for row in rows:
            labelled = row["pooled_codability"] is not None
            assert labelled == (row["pooled_null_reason"] is None) == (row["pooled_basis"] != "open")
            assert row["decided"] == (row["pooled_verdict"] in decided)
            assert (row["credit"] is not None) == row["decided"]
            assert (row["gap_g1"] is not None) == row["decided"]
            assert labelled or not row["evidence_turns"]
            assert (row["agree_verdict"] is None) == (row["n_raters"] < 2)
