"""The seal: known HMAC value, no collisions between kinds of id, no id without a key."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.blinding.seal import blind_id, derived_id


def test_a_blind_id_is_the_hmac_of_the_native_id() -> None:
    # RFC 4231, test case 2: key "Jefe", data "what do ya want for nothing?"
    expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    assert blind_id(b"Jefe", "what do ya want for nothing?") == expected


def test_without_a_key_there_is_no_id() -> None:
    with pytest.raises(ValueError, match="empty"):
        blind_id(b"", "run-1")
    with pytest.raises(ValueError, match="empty"):
        derived_id(b"", "packet", "R1")
    with pytest.raises(ValueError, match="at least one part"):
        derived_id(b"k")


@settings(deadline=None)
@given(st.lists(st.text(), min_size=1, max_size=4), st.lists(st.text(), min_size=1, max_size=4))
def test_different_parts_give_different_ids(a: list[str], b: list[str]) -> None:
    assert (derived_id(b"k", *a) == derived_id(b"k", *b)) == (a == b)


def test_parts_are_set_apart_and_ids_look_alike() -> None:
    ids = {derived_id(b"k", "ab", "c"), derived_id(b"k", "a", "bc"), blind_id(b"k", "abc"), derived_id(b"k", "abc")}
    assert len(ids) == 4
    assert all(len(one) == 64 and set(one) <= set("0123456789abcdef") for one in ids)
