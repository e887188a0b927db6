"""Whether a person may code under a codebook version: how an attempt is graded, and what comes next.

Pure: answers and attempts come in, figures and a step go out. It knows no person and no clock; no figure of it enters
any denominator of a study.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from app.domain.codebook.model import Codebook
from app.domain.coding import NOT_CODABLE, label_of
from app.domain.errors import BadInput
from app.domain.practice import QUALIFICATION, TRAINING, PracticeItem

ROUNDS = 2
"""One retry, on a fresh set and after training again; failing that excludes (protocol, phase 4)."""


@dataclass(frozen=True)
class Thresholds:
    """What an attempt must reach: macro-F1 and codability agreement at least, critical errors at most.

    Exact fractions, so that 27 of 30 is 0.90 and not a hair below it.
    """

    macro_f1: Fraction = Fraction(80, 100)
    critical: int = 0
    codability: Fraction = Fraction(90, 100)


THRESHOLDS = Thresholds()


@dataclass(frozen=True)
class Grade:
    """The figures of one attempt. `macro_f1` is the mean over the `n_labels` labels that occur in gold.

    `n_same` of `n_items` answers have gold's main label, `n_codability` of them gold's codability; `n_critical` is the
    number of answers that are a critical error. `why_not` says, a sentence each, what was not reached; no sentence
    names an item or a label.
    """

    macro_f1: float
    n_labels: int
    n_critical: int
    n_codability: int
    n_same: int
    n_items: int
    passed: bool
    why_not: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the plain JSON form that is stored with the attempt."""
        return {**asdict(self), "why_not": list(self.why_not)}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Grade:
        """Return the grade of which `stored` is the plain form."""
        return cls(**{**stored, "why_not": tuple(stored["why_not"])})


def grade(
    codebook: Codebook,
    items: Sequence[PracticeItem],
    answers: Mapping[str, Mapping[str, Any]],
    thresholds: Thresholds = THRESHOLDS,
) -> Grade:
    """Return the figures of one attempt; `answers` maps an item's id to the answer as stored.

    Macro-F1 is the unweighted mean of F1 = 2TP / (2TP + FP + FN) (van Rijsbergen 1979, as averaged by scikit-learn's
    `f1_score(average="macro")`) over the codebook's main labels, verdicts and `not_codable`, that occur in gold. For
    those F1 is always defined: what gold holds is a true positive or a false negative, and a label never coded scores
    0. A label that gold does not hold has no F1 of its own (undefined or 0 by one wrong answer alone) and is left out
    of the mean; coding it still costs the label that was right.

    Raises `BadInput` for an item without an answer or a set without items: an attempt is graded whole.
    """
    pairs = _pairs(items, answers)
    present = [label for label in codebook.labels if any(gold == label for gold, _ in pairs)]
    macro = sum((_f1(pairs, label) for label in present), Fraction(0)) / len(present)
    n_critical = sum(pair in set(codebook.critical_pairs) for pair in pairs)
    same_codability = sum((gold == NOT_CODABLE) == (coded == NOT_CODABLE) for gold, coded in pairs)
    why_not = tuple(_why_not(macro, n_critical, Fraction(same_codability, len(pairs)), thresholds))
    return Grade(
        macro_f1=float(macro),
        n_labels=len(present),
        n_critical=n_critical,
        n_codability=same_codability,
        n_same=sum(gold == coded for gold, coded in pairs),
        n_items=len(pairs),
        passed=not why_not,
        why_not=why_not,
    )


def _pairs(items: Sequence[PracticeItem], answers: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str]]:
    missing = sum(item.id not in answers for item in items)
    if missing or not items:
        raise BadInput(f"{missing} of {len(items)} items have no answer yet: an attempt is graded whole")
    return [(item.label, label_of(answers[item.id])) for item in items]


def _f1(pairs: Sequence[tuple[str, str]], label: str) -> Fraction:
    right = sum(gold == coded == label for gold, coded in pairs)
    named = sum((gold == label) + (coded == label) for gold, coded in pairs)
    return Fraction(2 * right, named)


def _why_not(macro: Fraction, n_critical: int, codability: Fraction, wanted: Thresholds) -> Iterable[str]:
    if macro < wanted.macro_f1:
        yield f"macro-F1 is {cut(macro)}; at least {cut(wanted.macro_f1)} is needed"
    if n_critical > wanted.critical:
        yield f"{n_critical} critical error{'s' * (n_critical > 1)}; at most {wanted.critical} may be made"
    if codability < wanted.codability:
        yield f"codability agrees in {cut(codability)}; at least {cut(wanted.codability)} is needed"


def cut(value: Fraction | float) -> str:
    """Return two decimals, never rounded up: what is below a threshold must not look like it.

    >>> cut(Fraction(799, 1000)), cut(0.29), cut(1.0)
    ('0.79', '0.29', '1.00')
    """
    exact = Fraction(value).limit_denominator(10**9)
    hundredths = exact.numerator * 100 // exact.denominator
    return f"{hundredths // 100}.{hundredths % 100:02d}"


class Step(StrEnum):
    """What comes next for one person under one codebook version; the values are stored nowhere."""

    READ = "read"
    TRAIN = "train"
    QUALIFY = "qualify"
    RETRAIN = "retrain"
    RETRY = "retry"
    EXCLUDED = "excluded"
    QUALIFIED = "qualified"


@dataclass(frozen=True)
class Attempt:
    """One attempt as far as the order of steps needs it; `passed` is None while it is open, and for training."""

    purpose: str
    round: int
    finished: bool
    passed: bool | None = None
    after_failures: int = 0


def count_failures(attempts: Iterable[Attempt]) -> int:
    """Return how many qualification rounds were finished and not passed."""
    return sum(one.purpose == QUALIFICATION and one.finished and not one.passed for one in attempts)


def standing(read: bool, attempts: Sequence[Attempt]) -> Step:
    """Return what comes next: `read` says whether the codebook was opened, `attempts` are all there are, open or not.

    Read, train, qualify; after a failure train again and retry on the other set; after a second failure excluded. A
    round passed stays passed: whoever is qualified and trains again stays qualified.
    """
    if any(one.purpose == QUALIFICATION and one.passed for one in attempts):
        return Step.QUALIFIED
    failures = count_failures(attempts)
    if failures >= ROUNDS:
        return Step.EXCLUDED
    if not read:
        return Step.READ
    trained = [one.after_failures for one in attempts if one.purpose == TRAINING and one.finished]
    if failures:
        return Step.RETRY if max(trained, default=0) >= failures else Step.RETRAIN
    return Step.QUALIFY if trained else Step.TRAIN
