"""Short words for carrying one 0.4 coding over to 0.5, so that a test reads like its row of the crosswalk."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from app.domain.codebook.crosswalk import Carried, carry
from app.domain.codebook.crosswalk_conditions import OldCoding
from app.domain.codebook.crosswalk_model import Crosswalk
from app.domain.turnlog.positions import RunView
from app.domain.turnlog.run import ClaimUnit, Run
from app.readers.crosswalk_file import load_crosswalk
from tests.domain.codebook.little_runs import FOLDER

FILE = FOLDER / "crosswalk-0.4-0.5.yaml"


@lru_cache(maxsize=1)
def shipped() -> Crosswalk:
    return load_crosswalk(FILE)


def old(the_run: Run, the_claim: ClaimUnit, answer: Mapping[str, Any], words: str = "") -> OldCoding:
    return OldCoding(shipped(), RunView(the_run), the_claim, answer, words)


def carried(the_run: Run, the_claim: ClaimUnit, answer: Mapping[str, Any], words: str = "") -> Carried:
    return carry(old(the_run, the_claim, answer, words))
