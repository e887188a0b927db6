"""What the rules of the work say of one coding at its save, beside what the codebook's own rules say.

H25 and H32 are enforced where codings are stored; here they are only told to have applied. The history's soft rules are
judged in `history` and join the coding's own, so that they are asked, confirmed and recorded alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.domain.codebook.history import History, hear
from app.domain.codebook.model import Codebook
from app.domain.codebook.rules import Judgement

LEAK = "blinding_leak"
"""The flag by which a coder reports that something shown gives an identity away (H32)."""


def with_history(
    judgement: Judgement, codebook: Codebook, answer: Mapping[str, Any], history: History | None
) -> Judgement:
    """Return the judgement with what the history asks; unchanged where there is no history to look at."""
    if history is None:
        return judgement
    heard = hear(codebook, answer, history)
    return replace(
        judgement,
        applied=(*judgement.applied, *heard.applied),
        violations=(*judgement.violations, *heard.violations),
    )


def rules_of_a_save(codebook: Codebook, answer: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the hard rules of the work that apply to the save of this answer, kept or broken."""
    flags = next((answer.get(field.name) for field in codebook.fields if field.type == "flags"), None)
    return ("H25", "H32") if isinstance(flags, list) and LEAK in flags else ("H25",)
