"""The seeds of a study's draws: its own stream for the runs, one seed for every study's permutation null."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from app.domain.accounting import list_cases
from app.domain.export.reliability import agreement_documents
from app.domain.export.study_agreement import study_bootstrap
from app.domain.packets.seeds import BOOTSTRAP, generator
from app.services.redraw import redrawn
from tests.services.studies import study


def seeds_in(node: Any, under: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every stated seed with the key of what states it."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        if key == "seed":
            yield under, value
        else:
            yield from seeds_in(value, str(key))


def verdicts(seed: int) -> dict[str, Any]:
    # `study` draws by a seed of its own, so the study's is put in afterwards.
    made = study(10)
    given = type(made)(**{**vars(made), "seed": seed})
    return agreement_documents(given, list_cases(given))["verdict"]["0.5"]


def test_runs_are_drawn_from_the_studys_stream_and_say_so() -> None:
    stated = list(seeds_in(verdicts(7)))
    assert {json.dumps(seed) for key, seed in stated if key in ("bootstrap", "ci95_cluster")} == {"[7, 10, 0]"}
    assert {seed for key, seed in stated if key.startswith("permutation_null")} == {20260725}


def test_the_stream_is_the_one_of_purpose_10() -> None:
    first = np.random.default_rng(study_bootstrap(7).stated_seed).integers(0, 1000, 20)
    assert (first == generator(7, BOOTSTRAP).integers(0, 1000, 20)).all()
    assert BOOTSTRAP == 10


def test_two_studies_share_no_draws_but_the_null() -> None:
    one, other = verdicts(7)["pairs"][0], verdicts(8)["pairs"][0]
    assert one["permutation_null"] == other["permutation_null"]
    assert one["cohen_kappa"]["ci95_cluster"] != other["cohen_kappa"]["ci95_cluster"]


def test_the_draws_of_a_document_can_be_made_again_from_its_list_of_numbers() -> None:
    document = verdicts(7)
    chance = redrawn(document)
    assert chance is not None
    expected = np.random.default_rng([7, 10, 0]).integers(0, 5, size=(5000, 5))
    assert (np.array(chance.runs(5)) == expected).all()
    assert next(iter(chance.orders(9))) == np.random.default_rng(20260725).permutation(9).tolist()
