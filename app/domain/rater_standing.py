"""What is on record of training and qualification in one study, and how it is told: by slot, in plain sentences.

Gates, the report and the lead's page all say it with these words. No name, no answer and no label is in it; the grades
are those of `qualification`. Machine raters are exempt and stand here only so that this is said.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.moments import to_the_minute
from app.domain.qualification import THRESHOLDS, Grade, Step, cut

REQUIRED, WAIVED, NOT_ASKED = "required", "waived", "not_asked"
NO_SET = "this codebook has no qualification set"
BEFORE = "registered before qualification was asked"
PLANNED_TRAINING = "codebook opened, training complete"
PLANNED_QUALIFICATION = (
    f"macro-F1 ≥ {cut(THRESHOLDS.macro_f1)}, critical {THRESHOLDS.critical}, "
    f"codability ≥ {cut(THRESHOLDS.codability)}, in two tries"
)
_TRIES = ("first", "second")
_STEPS = {
    Step.READ: "has not opened the codebook",
    Step.TRAIN: "in training",
    Step.QUALIFY: "trained, not yet qualified",
    Step.RETRAIN: "trains again after the first try",
    Step.RETRY: "trained again, second try open",
    Step.EXCLUDED: "excluded after two tries",
    Step.QUALIFIED: "qualified",
}


@dataclass(frozen=True)
class RaterStanding:
    """One human rater under the study's codebook. `rounds` are the finished qualification rounds in their order.

    `training` is the first complete training; `n_imported` counts codings of this rater that were made elsewhere,
    which no qualification was asked for.
    """

    slot: str
    step: Step
    read_at: str | None = None
    training: Grade | None = None
    rounds: tuple[Grade, ...] = ()
    n_imported: int = 0


@dataclass(frozen=True)
class QualificationRecord:
    """All of a study: what was asked of its raters and why not, where each stands, which slots are machines."""

    asked: str = NOT_ASKED
    reason: str = BEFORE
    raters: tuple[RaterStanding, ...] = ()
    machines: tuple[str, ...] = ()

    @property
    def exemption(self) -> str:
        """Why nobody had to qualify, as a gate says it; empty where everybody had to."""
        if self.asked == REQUIRED:
            return ""
        return f"waived: {self.reason}" if self.asked == WAIVED else f"not asked: {self.reason}"


def step_words(step: Step) -> str:
    """Return where a rater stands, in words for the lead."""
    return _STEPS[step]


def figures(grade: Grade) -> str:
    """Return the three figures of one round.

    >>> figures(Grade(0.914, 8, 0, 31, 30, 32, True, ()))
    'macro-F1 0.91, critical 0, codability 31/32'
    """
    return (
        f"macro-F1 {cut(grade.macro_f1)}, critical {grade.n_critical}, codability {grade.n_codability}/{grade.n_items}"
    )


def training_told(rater: RaterStanding) -> str:
    """Return what is on record of reading and training."""
    read = f"codebook opened {to_the_minute(rater.read_at)}" if rater.read_at else "codebook not opened"
    if rater.training is None:
        return f"{read}, training not complete"
    return f"{read}, training complete: {rater.training.n_same} of {rater.training.n_items} labels as the reference"


def qualification_told(rater: RaterStanding) -> str:
    """Return what is on record of qualification, every finished round with its figures."""
    tries = [
        f"{'passed' if one.passed else 'failed'} at the {_TRIES[n]} try: {figures(one)}"
        for n, one in enumerate(rater.rounds)
    ]
    told = "; ".join(reversed(tries)) or "not yet"
    if rater.step is Step.EXCLUDED:
        told = f"excluded: {told}"
    return told + (f"; made elsewhere and imported: {rater.n_imported} of the codings" if rater.n_imported else "")


def is_trained(rater: RaterStanding) -> bool:
    """Return whether the rater has opened the codebook and completed a training."""
    return rater.read_at is not None and rater.training is not None


def is_qualified(rater: RaterStanding) -> bool:
    """Return whether the rater has passed a round."""
    return rater.step is Step.QUALIFIED
