"""The seeded streams of a study: one purpose, one stream, so that no two draws ever share random numbers.

It does not choose seeds; the registration does.
"""

from __future__ import annotations

import numpy as np

SAMPLING = 1
ASSIGNMENT = 2
RUN_ORDER = 3
CLAIM_ORDER = 4
REPEATS = 5
CONTROLS = 6
QUEUE_ORDER = 7
CODING_ORDER = 8
AUDIT = 9
BOOTSTRAP = 10
PERMUTATION = 11


def generator(study_seed: int, purpose: int, slot: int = 0) -> np.random.Generator:
    """Return `numpy.random.default_rng([study_seed, purpose, slot])`; `slot` is 0 where no rater is concerned.

    Raises `ValueError` (NumPy's own) for a negative number.
    """
    return np.random.default_rng([study_seed, purpose, slot])


def slot_number(slot: str) -> int:
    """Return the number of a slot: `R3` is 3.

    >>> slot_number("R12")
    12
    """
    return int(slot.lstrip("R"))
