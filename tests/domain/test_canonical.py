"""One form for everything that is hashed."""

from __future__ import annotations

import doctest
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain import canonical, moments
from app.domain.canonical import canonical_json, cell, round_half_even


@pytest.mark.parametrize("module", [canonical, moments])
def test_the_examples_in_the_docstrings_hold(module) -> None:
    assert doctest.testmod(module).failed == 0


@given(st.dictionaries(st.text(), st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()))
def test_json_is_the_same_in_any_order_and_reads_back(value: dict) -> None:
    turned = dict(reversed(list(value.items())))
    assert canonical_json(value) == canonical_json(turned)
    assert json.loads(canonical_json(value)) == value


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_an_undefined_number_is_never_written(value: float) -> None:
    with pytest.raises(ValueError, match=r"finite|compliant"):
        canonical_json({"kappa": value})
    with pytest.raises(ValueError, match="finite"):
        cell(value)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx", "\rx"])
def test_a_text_that_a_spreadsheet_would_run_is_guarded(text: str) -> None:
    assert cell(text) == "'" + text


def test_rounding_is_half_to_even_on_the_decimal_form() -> None:
    # 2.675 is 2.67499999999999982236431605997495353221893310546875 in binary; its shortest decimal form rounds up.
    assert [round_half_even(x, 2) for x in (0.125, 0.135, 2.675, -0.125)] == [0.12, 0.14, 2.68, -0.12]
