"""The timesheet: by rater and session, from every save; and controls, beside their known answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.accounting import list_cases
from app.domain.export.control_table import control_rows
from app.domain.export.timesheet import timesheet_rows
from app.domain.record import StudyRecord
from app.domain.work import Save
from tests.domain.export.records import answer, claim, coding, record


def worked(*saves: Save, **more: object) -> StudyRecord:
    keys = ["a1", "b2", "c3"]
    codings = [
        coding(k, "R1", answer("PARTIAL"), position=i, session=1 + (i == 2), seconds_on_item=20.0)
        for i, k in enumerate(keys)
    ]
    return record([claim(k) for k in keys], codings, work=saves, **more)


def rows(made: StudyRecord) -> list[dict]:
    return timesheet_rows(made, list_cases(made))


def test_active_idle_and_span_worked_by_hand() -> None:
    """Three saves at 100, 160 and 400 s with 30, 50 and 40 active: from 70 to 400 are 330 s, 120 active, 210 idle."""
    first, _ = rows(worked(Save("R1", 1, 0, 30.0, 100.0), Save("R1", 1, 1, 50.0, 160.0), Save("R1", 1, 0, 40.0, 400.0)))
    assert (first["coder_slot"], first["session"], first["items"], first["saves"]) == ("R1", 1, 2, 3)
    assert (first["seconds_active"], first["seconds_span"], first["seconds_idle"]) == (120.0, 330.0, 210.0)
    assert (first["first_rel"], first["last_rel"], first["undefined_reason"]) == (70.0, 400.0, None)
    assert (first["claims"], first["claims_seconds"]) == (2, 40.0)


def test_every_revision_is_paid_and_not_only_the_last() -> None:
    one = rows(worked(Save("R1", 1, 0, 30.0, 100.0)))[0]
    twice = rows(worked(Save("R1", 1, 0, 30.0, 100.0), Save("R1", 1, 0, 25.0, 150.0)))[0]
    assert twice["seconds_active"] - one["seconds_active"] == 25.0
    assert twice["claims_seconds"] == one["claims_seconds"], "the claims' seconds are those of their current codings"


def test_a_save_without_a_measured_time_leaves_idle_undefined_with_its_reason() -> None:
    first = rows(worked(Save("R1", 1, 0, 30.0, 100.0), Save("R1", 1, 1, None, 160.0)))[0]
    assert (first["seconds_active"], first["seconds_idle"]) == (30.0, None)
    assert (first["unmeasured_saves"], first["undefined_reason"]) == (1, "not_measured")
    none = rows(worked(Save("R1", 1, 0, None, 100.0), Save("R1", 1, 1, None, 160.0)))[0]
    assert (none["seconds_active"], none["seconds_idle"], none["seconds_span"]) == (None, None, 60.0)


def test_more_active_than_elapsed_is_no_negative_idle() -> None:
    """A draft begun in an earlier session brings its seconds with it."""
    first = rows(worked(Save("R1", 1, 0, 30.0, 100.0), Save("R1", 1, 1, 900.0, 160.0)))[0]
    assert first["seconds_idle"] == 0.0


def test_sessions_and_raters_stand_apart_and_machines_are_not_paid() -> None:
    made = worked(
        Save("R1", 2, 0, 1.0, 900.0),
        Save("R1", 1, 0, 1.0, 100.0),
        Save("R2", 1, 0, 1.0, 50.0),
        Save("R9", 1, 0, 1.0, 50.0),
        slots={"R1": "human", "R2": "human", "R9": "machine"},
    )
    assert [(row["coder_slot"], row["session"]) for row in rows(made)] == [("R1", 1), ("R1", 2), ("R2", 1)]


def test_nobody_worked() -> None:
    assert rows(record([claim("a1")], [])) == []


def test_controls_stand_beside_what_is_known() -> None:
    codings = [
        coding("k2", "R1", answer("PARTIAL"), purpose="control"),
        coding("k1", "R2", answer("not_codable"), purpose="control"),
        coding("k1", "R1", answer("SUPPORTED", "result"), purpose="control"),
        coding("a1", "R1", answer("SUPPORTED")),
    ]
    known = {
        "k1": {"codability": "codable", "verdict": "SUPPORTED", "claim_kind": "action"},
        "k2": {"codability": "codable", "verdict": "CONTRADICTED"},
    }
    made = replace(record([claim(k) for k in ("a1", "k1", "k2")], codings), controls=known)
    found = [
        (r["blind_claim_id"], r["coder_slot"], r["known_label"], r["given_label"], r["agree_label"], r["agree_kind"])
        for r in control_rows(made)
    ]
    assert found == [
        ("k1", "R1", "SUPPORTED", "SUPPORTED", True, False),
        ("k1", "R2", "SUPPORTED", "not_codable", False, False),
        ("k2", "R1", "CONTRADICTED", "PARTIAL", False, None),
    ]


@pytest.mark.parametrize("known", [{}, {"k9": {"verdict": "PARTIAL", "codability": "codable"}}])
def test_without_controls_there_is_no_row(known: dict) -> None:
    assert control_rows(replace(record([claim("a1")], []), controls=known)) == []
