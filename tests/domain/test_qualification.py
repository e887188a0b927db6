"""Grading and the order of steps: against scikit-learn, against a plain second implementation, at the thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.config import codebook_dir
from app.domain.codebook.model import Codebook
from app.domain.errors import BadInput
from app.domain.qualification import (
    ROUNDS,
    THRESHOLDS,
    Attempt,
    Grade,
    Step,
    Thresholds,
    count_failures,
    cut,
    grade,
    standing,
)
from app.readers.codebook_file import get_codebook
from tests.practice_sets import LABELS

BOOK = get_codebook(codebook_dir(), "0.5")


def answer(label: str) -> dict[str, Any]:
    return {"codability": "not_codable"} if label == "not_codable" else {"codability": "codable", "verdict": label}


def graded(gold: Sequence[str], coded: Sequence[str], book: Codebook = BOOK, **wanted: Any) -> Grade:
    items = [SimpleNamespace(id=str(n), label=label) for n, label in enumerate(gold)]
    answers = {str(n): answer(label) for n, label in enumerate(coded)}
    return grade(book, items, answers, Thresholds(**wanted) if wanted else THRESHOLDS)  # type: ignore[arg-type]


def plain_grade(gold: Sequence[str], coded: Sequence[str], critical: set[tuple[str, str]]) -> dict[str, Any]:
    """The same once more, from precision and recall in plain loops; imports nothing of what it checks."""
    scores = []
    for label in sorted(set(gold)):
        hit = claimed = there = 0
        for true, said in zip(gold, coded, strict=True):
            there += true == label
            claimed += said == label
            hit += true == label and said == label
        if hit == 0:
            scores.append(Fraction(0))
            continue
        precision, recall = Fraction(hit, claimed), Fraction(hit, there)
        scores.append(2 * precision * recall / (precision + recall))
    wrong = [(true, said) for true, said in zip(gold, coded, strict=True) if (true, said) in critical]
    same = [t for t, s in zip(gold, coded, strict=True) if (t == "not_codable") == (s == "not_codable")]
    macro = sum(scores) / len(scores)
    passed = macro >= Fraction(8, 10) and not wrong and Fraction(len(same), len(gold)) >= Fraction(9, 10)
    return {"macro": macro, "critical": len(wrong), "codability": len(same), "passed": passed}


pairs = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=40)
mostly_right = st.lists(
    st.sampled_from(LABELS).flatmap(lambda gold: st.tuples(st.just(gold), st.sampled_from([gold] * 9 + [*LABELS]))),
    min_size=8,
    max_size=40,
)


@given(st.one_of(pairs, mostly_right))
def test_macro_f1_is_scikit_learns_and_the_second_implementations(coded: list[tuple[str, str]]) -> None:
    from sklearn.metrics import f1_score

    gold, said = [pair[0] for pair in coded], [pair[1] for pair in coded]
    found = graded(gold, said)
    expected = f1_score(gold, said, labels=sorted(set(gold)), average="macro", zero_division=0)
    assert found.macro_f1 == pytest.approx(expected, abs=1e-12)
    again = plain_grade(gold, said, {("CONTRADICTED", "SUPPORTED"), ("UNBACKED", "SUPPORTED")})
    assert found.macro_f1 == pytest.approx(float(again["macro"]), abs=1e-12)
    assert (found.n_critical, found.n_codability) == (again["critical"], again["codability"])
    assert found.passed == again["passed"]
    assert found.n_labels == len(set(gold))
    assert found.n_same == sum(a == b for a, b in coded)


def test_everything_right_passes() -> None:
    gold = [label for label in LABELS for _ in range(4)]
    assert graded(gold, gold) == Grade(1.0, 8, 0, 32, 32, 32, True, ())


@pytest.mark.parametrize("true", ["CONTRADICTED", "UNBACKED"])
def test_one_critical_error_fails_whatever_the_rest(true: str) -> None:
    """1 of 200 wrong: macro-F1 0.99 and more, codability 1, and not passed."""
    gold = [label for label in LABELS for _ in range(25)]
    coded = list(gold)
    coded[gold.index(true)] = "SUPPORTED"
    found = graded(gold, coded)
    assert found.macro_f1 > 0.99
    assert (found.n_critical, found.passed) == (1, False)
    assert found.why_not == ("1 critical error; at most 0 may be made",)


def test_the_other_way_round_is_no_critical_error() -> None:
    gold = [label for label in LABELS for _ in range(25)]
    coded = list(gold)
    coded[0] = "CONTRADICTED"
    assert graded(gold, coded).n_critical == 0
    assert graded(gold, coded).passed


def test_the_thresholds_themselves_pass_and_a_hair_below_does_not() -> None:
    """Codability 27 of 30 is 0.90, 26 of 29 is 0.8965; as floats 0.9 and 1 - 0.1 differ, as fractions they do not."""
    always = {"macro_f1": Fraction(0)}
    assert graded(["PARTIAL"] * 30, ["PARTIAL"] * 27 + ["not_codable"] * 3, **always).passed
    below = graded(["PARTIAL"] * 29, ["PARTIAL"] * 26 + ["not_codable"] * 3, **always)
    assert below.why_not == ("codability agrees in 0.89; at least 0.90 is needed",)
    # One label, 2 of 3 right: F1 = 2*2/(2*2 + 0 + 1) = 0.8 exactly.
    assert graded(["PARTIAL"] * 3, ["PARTIAL", "PARTIAL", "UNBACKED"]).passed
    # 199 of 301 right: F1 = 398/500 = 0.796.
    close = graded(["PARTIAL"] * 301, ["PARTIAL"] * 199 + ["UNBACKED"] * 102)
    assert close.why_not == ("macro-F1 is 0.79; at least 0.80 is needed",)


def test_a_label_that_gold_lacks_is_not_averaged_and_still_costs() -> None:
    """Gold A A B B, coded A C B B: A 2/3, B 1, C not averaged; the mean is 5/6."""
    found = graded(["PARTIAL", "PARTIAL", "UNBACKED", "UNBACKED"], ["PARTIAL", "RELEASED", "UNBACKED", "UNBACKED"])
    assert found.n_labels == 2
    assert found.macro_f1 == pytest.approx(5 / 6)


def test_an_attempt_is_graded_whole() -> None:
    items = [SimpleNamespace(id="a", label="PARTIAL"), SimpleNamespace(id="b", label="PARTIAL")]
    with pytest.raises(BadInput, match="1 of 2 items have no answer"):
        grade(BOOK, items, {"a": answer("PARTIAL")})  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="0 of 0"):
        grade(BOOK, [], {})


def test_the_sentences_name_no_label_and_no_item() -> None:
    gold = [label for label in LABELS for _ in range(4)]
    found = graded(gold, ["SUPPORTED"] * 32)
    assert len(found.why_not) == 3
    said = " ".join(found.why_not).lower()
    assert not any(label.lower() in said for label in LABELS)


def test_a_grade_comes_back_from_its_plain_form() -> None:
    found = graded(["PARTIAL"] * 3, ["UNBACKED"] * 3)
    assert Grade.from_dict(found.as_dict()) == found


@pytest.mark.parametrize(
    ("value", "told"), [(0.29, "0.29"), (0.7999, "0.79"), (Fraction(2, 3), "0.66"), (1.0, "1.00"), (0, "0.00")]
)
def test_no_figure_is_rounded_up(value: float, told: str) -> None:
    assert cut(value) == told


# ---- the order of steps ---------------------------------------------------------------------------------------------

TRAINED = Attempt("training", 1, True)
RETRAINED = Attempt("training", 2, True, after_failures=1)
FAILED_1 = Attempt("qualification", 1, True, False)
FAILED_2 = Attempt("qualification", 2, True, False, 1)
PASSED_1 = Attempt("qualification", 1, True, True)
PASSED_2 = Attempt("qualification", 2, True, True, 1)


@pytest.mark.parametrize(
    ("read", "attempts", "step"),
    [
        (False, [], Step.READ),
        (False, [TRAINED], Step.READ),
        (True, [], Step.TRAIN),
        (True, [Attempt("training", 1, False)], Step.TRAIN),
        (True, [TRAINED], Step.QUALIFY),
        (True, [TRAINED, Attempt("qualification", 1, False)], Step.QUALIFY),
        (True, [TRAINED, PASSED_1], Step.QUALIFIED),
        (True, [TRAINED, FAILED_1], Step.RETRAIN),
        (True, [TRAINED, FAILED_1, Attempt("training", 2, False, after_failures=1)], Step.RETRAIN),
        # A second training begun before the failure, and finished after it, is no retraining.
        (True, [TRAINED, Attempt("training", 2, True), FAILED_1], Step.RETRAIN),
        (True, [TRAINED, FAILED_1, RETRAINED], Step.RETRY),
        (True, [TRAINED, FAILED_1, RETRAINED, Attempt("qualification", 2, False, after_failures=1)], Step.RETRY),
        (True, [TRAINED, FAILED_1, RETRAINED, PASSED_2], Step.QUALIFIED),
        (True, [TRAINED, FAILED_1, RETRAINED, FAILED_2], Step.EXCLUDED),
        (True, [TRAINED, FAILED_1, RETRAINED, FAILED_2, RETRAINED], Step.EXCLUDED),
        (True, [TRAINED, PASSED_1, Attempt("training", 2, False)], Step.QUALIFIED),
    ],
)
def test_what_comes_next(read: bool, attempts: list[Attempt], step: Step) -> None:
    assert standing(read, attempts) is step


def test_nobody_is_qualified_without_a_pass_and_nobody_retries_twice() -> None:
    """Every subset of what can happen, by a rule said the other way round."""
    every = (TRAINED, RETRAINED, FAILED_1, FAILED_2, PASSED_1, PASSED_2)
    for read, *taken in product([False, True], repeat=7):
        attempts = [one for one, there in zip(every, taken, strict=True) if there]
        step = standing(read, attempts)
        assert (step is Step.QUALIFIED) == any(one.passed for one in attempts)
        if step is Step.RETRY:
            assert count_failures(attempts) == 1
            assert RETRAINED in attempts
        if count_failures(attempts) == ROUNDS and not any(one.passed for one in attempts):
            assert step is Step.EXCLUDED
