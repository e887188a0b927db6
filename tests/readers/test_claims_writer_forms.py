"""A claim list reads back the same from every form it is written in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.claims.claim import Claim
from app.domain.errors import BadInput
from app.readers.claims_file import load_claims
from app.readers.claims_writer import write_claims

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1)


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl"])
def test_claims_read_back_from_every_form(suffix: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("claims")

    @given(TEXTS, TEXTS)
    def reads_back(text: str, resolved: str) -> None:
        claim = Claim("c1", "s", 3, "text", 0, len(text), text, "0" * 64, resolved_text=resolved, conditional=True)
        write_claims(folder / f"c{suffix}", [claim, replace(claim, claim_id="c2", scope_end_turn=9)])
        one, two = load_claims(folder / f"c{suffix}")
        # A CSV cell that was guarded is kept with its guard beside the text without it.
        assert text in (one.text, one.unguarded_text)
        assert (one.claim_id, one.turn_index, one.conditional, two.scope_end_turn) == ("c1", 3, True, 9)

    reads_back()


def test_a_name_that_says_another_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"\.parquet, \.csv or \.jsonl"):
        write_claims(tmp_path / "claims.txt", [])
    assert list(tmp_path.iterdir()) == []
