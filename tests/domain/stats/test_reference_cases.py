"""Seventy-seven worked cases with expected values at full precision, against both implementations, to 1e-9."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.domain.stats.check.raw import Raw
from app.domain.stats.check.recompute import mismatches, recompute
from app.domain.stats.document import agreement_document
from app.domain.stats.resampling import Bootstrap, resample
from app.domain.stats.scales import scale_of
from tests.domain.stats.agreeing import ratings

REFERENCE = Path(__file__).resolve().parents[3] / "../shared/data/agreement/reference.json"
N_CASES = 77

pytestmark = pytest.mark.real_data


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    if not REFERENCE.exists():
        pytest.skip(f"the reference cases are not there: {REFERENCE}")
    return list(json.loads(REFERENCE.read_text(encoding="utf-8")))


def rows_of(case: dict[str, Any]) -> list[list[str | None]]:
    return [[None if label is None else str(label) for label in row] for row in case["ratings"]]


def weights_of(case: dict[str, Any]) -> list[list[float]] | None:
    """Return the case's own weights as disagreements."""
    given = case.get("custom_weights")
    if given is None or case["custom_weights_kind"] == "disagreement":
        return given
    return [[1 - w for w in row] for row in given]


def first(case: dict[str, Any], bootstrap: Bootstrap | None = None) -> dict[str, Any]:
    weights = weights_of(case)
    own = None if weights is None else np.array(weights, dtype=np.float64)
    names = [str(c) for c in case["categories"]]
    return agreement_document(ratings(rows_of(case), names), case["level"], own, bootstrap)


def raw(case: dict[str, Any]) -> Raw:
    return Raw(rows_of(case), [str(c) for c in case["categories"]], case["level"], weights_of(case))


def path_of(name: str, document: dict[str, Any]) -> tuple[str | int, ...]:
    """Return where a reference coefficient stands in the document."""
    if name.startswith(("se_", "se0_")):
        error, _, coefficient = name.partition("_")
        return ("pairs", 0, coefficient, error)
    if name.startswith("category_kappa"):
        return ("category_kappa", name.removeprefix("category_kappa[").removesuffix("]"), "value")
    if document["n_raters"] == 2 and name in document["pairs"][0]:
        return ("pairs", 0, name, "value")
    return ("overall", name, "value")


def at(document: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        document = document[step]
    return document


def test_all_cases_are_there(cases: list[dict[str, Any]]) -> None:
    assert len(cases) == N_CASES


@pytest.mark.parametrize("number", range(N_CASES))
def test_every_coefficient_of_a_case(cases: list[dict[str, Any]], number: int) -> None:
    case = cases[number]
    document, again = first(case), recompute(raw(case))
    for name, expected in case["expected"].items():
        path = path_of(name, document)
        for found in (at(document, path), again[path]):
            assert (found is None) == (expected is None), (case["name"], name)
            if expected is not None:
                assert found == pytest.approx(expected, abs=1e-9, rel=0), (case["name"], name)
    assert mismatches(document, raw(case)) == [], case["name"]


@pytest.mark.parametrize("number", range(N_CASES))
def test_the_intervals_of_a_case(cases: list[dict[str, Any]], number: int) -> None:
    case = cases[number]
    expected = case.get("intervals_unweighted_kappa")
    if not expected:
        return
    kappa = first(case, Bootstrap(permutations=0))["pairs"][0]["cohen_kappa"]
    assert kappa["ci_method"] == "small_sample"
    assert kappa["ci95"] == pytest.approx(expected["ci_smooth2"], abs=1e-9)
    assert kappa["ci95_fce"] == pytest.approx(expected["ci_fce"], abs=1e-9)
    drawn = kappa["ci95_cluster"]
    limits = expected["bootstrap_items_percentile_B5000_seed20260725"]
    assert [drawn["lo"], drawn["hi"]] == pytest.approx(limits, abs=1e-9)
    assert (drawn["B"], drawn["seed"], drawn["method"]) == (5000, 20260725, "unit_bootstrap_percentile")


# Printed on the design page, four decimals: percentile limits over units and the bootstrap error, same seed.
MULTI = {
    "krippendorff2011_C_4x12": ((0.4169, 1.0, 0.1444), (0.4342, 1.0, 0.1390), (0.5173, 1.0, 0.1183)),
    "fleiss1971_diagnoses": ((0.3196, 0.5285, 0.0534), (0.3158, 0.5259, 0.0537), (0.3469, 0.5578, 0.0541)),
    "irrcac_raw5observers": ((0.2288, 0.6753, 0.1118), (0.1956, 0.6619, 0.1195), (0.2692, 0.7337, 0.1159)),
    "warrens2010_8x30": ((0.6847, 0.9471, 0.0672), (0.6834, 0.9469, 0.0675), (0.7095, 0.9528, 0.0631)),
}


@pytest.mark.parametrize("name", MULTI)
def test_resampled_limits_of_many_raters(cases: list[dict[str, Any]], name: str) -> None:
    case = next(c for c in cases if c["name"] == name)
    given = ratings(rows_of(case), [str(c) for c in case["categories"]])
    drawn = resample(given, scale_of(given.categories, "nominal"), Bootstrap()).overall
    for coefficient, (low, high, error) in zip(
        ("krippendorff_alpha_nominal", "fleiss_kappa", "gwet_ac1"), MULTI[name], strict=True
    ):
        values = drawn[coefficient][~np.isnan(drawn[coefficient])]
        assert np.percentile(values, [2.5, 97.5]) == pytest.approx([low, high], abs=6e-5)
        assert values.std(ddof=1) == pytest.approx(error, abs=6e-5)
