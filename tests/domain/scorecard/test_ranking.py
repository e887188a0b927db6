"""Ranks and how often they are taken, ties worked by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.domain.scorecard.check.means_again import ranks
from app.domain.scorecard.ranking import competition_ranks, rank_frequencies
from app.domain.scorecard.spec import Resampling
from tests.domain.scorecard.small import SPEC, card, scored, sheet


def test_tied_models_share_the_best_place_and_the_next_is_skipped() -> None:
    scores = [70.0, 80.0, 80.0 + 1e-12, 60.0, np.nan]
    assert competition_ranks(np.array(scores)) == [3, 1, 1, 4, None]
    named = {"a": 70.0, "b": 80.0, "c": 80.0 + 1e-12, "d": 60.0, "e": None}
    assert list(ranks(named).values()) == [3, 1, 1, 4, None]


def test_a_tie_is_a_billionth_wide() -> None:
    assert competition_ranks(np.array([1.0, 1.0 + 2e-9])) == [2, 1]
    assert competition_ranks(np.array([1.0, 1.0 + 0.5e-9])) == [1, 1]


def test_tied_models_share_the_places_they_take() -> None:
    drawn = np.array([[3.0, 3.0, 1.0], [1.0, 2.0, 3.0]])
    # First draw: a and b share ranks 1 and 2, half each; c is third. Second: c, b, a. Over two draws:
    assert rank_frequencies(drawn).tolist() == [[0.25, 0.25, 0.5], [0.25, 0.75, 0.0], [0.5, 0.0, 0.5]]


def test_every_rank_and_every_model_is_taken_once_a_draw() -> None:
    drawn = np.random.default_rng(1).integers(0, 4, size=(300, 6)).astype(np.float64)
    shares = rank_frequencies(drawn)
    assert shares.sum(axis=0) == pytest.approx(np.ones(6))
    assert shares.sum(axis=1) == pytest.approx(np.ones(6))


def test_rank_frequencies_are_of_the_declared_draws() -> None:
    gold = {"q1": "a:core", "q2": "a:core"}
    # m1 is better on q1 by 40 points, m2 on q2: the draw (q1, q1) gives m1, (q2, q2) m2, a mixed one a tie.
    sheets = [
        sheet(f"{m} {q} j1", "a:stated" if ok else "a:partial")
        for m, q, ok in (("m1", "q1", 1), ("m1", "q2", 0), ("m2", "q1", 0), ("m2", "q2", 1))
    ]
    spec = replace(SPEC, resampling={**SPEC.resampling, "ranks": Resampling(30, 5)})
    of = scored(card(gold, sheets), spec)["ranks"]
    drawn = np.random.default_rng(5).integers(0, 2, size=(30, 2)).sum(axis=1)  # how many times q2
    alone, tied = int((drawn == 0).sum()), int((drawn == 1).sum())
    first = of["models"]["m1"]["first"]
    assert (first["num"], first["den"]) == (pytest.approx(alone + tied / 2), 30)
    assert (of["draws"], of["seed"], of["n_questions"], of["excluded"]) == (30, 5, 2, [])
