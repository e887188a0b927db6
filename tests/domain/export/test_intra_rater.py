"""Hidden repeats beside the first coding: counted, hashed, and never part of anything else."""

from __future__ import annotations

from dataclasses import replace

from app.domain.export.intra_rater import INTRA_COLUMNS, intra_rater_rows, self_agreement
from app.domain.export.tables import study_tables
from tests.services.studies import study


def with_repeats(n: int, change: int):
    """A study in which R1 codes the first `n` claims again, the first `change` of them differently."""
    record = study()
    plain = replace(record, codings=tuple(c for c in record.codings if c.purpose == "main"))
    own = [c for c in plain.codings if c.slot == "R1"][:n]
    again = []
    for place, first in enumerate(own):
        answer = {"codability": "not_codable", "not_codable_reason": "no_assertion"} if place < change else first.answer
        again.append(replace(first, purpose="repeat", position=first.position + 100, answer=answer))
    return plain, replace(plain, codings=(*plain.codings, *again))


def test_each_repeat_is_a_row_beside_its_first_coding() -> None:
    _, record = with_repeats(4, 1)
    rows = intra_rater_rows(record)
    assert len(rows) == 4
    assert all(tuple(row) == INTRA_COLUMNS for row in rows)
    assert all(row["repeat_position"] == row["first_position"] + 100 for row in rows)
    # Three of the four got the same label again.
    assert self_agreement(rows) == {"R1": (3, 4)}


def test_repeats_change_nothing_else() -> None:
    without, record = with_repeats(4, 2)
    one, two = study_tables(without), study_tables(record)
    assert (one.pooled, one.long, one.agreement) == (two.pooled, two.long, two.agreement)
    assert (one.intra_rater, self_agreement(one.intra_rater)) == ([], {})
