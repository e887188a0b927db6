"""The derived evidence tier of a cited row and part: what the log alone says about how strong a citation is.

T1 executed call with its result, T2 record by harness, environment or another party, T3 text that would produce the
act, T4 the agent's own contemporaneous words, T5 its later summaries. A rater's tier may differ (W02 asks); nothing
here reads the words of a row.
"""

from __future__ import annotations

from app.domain.turnlog.positions import RunView
from app.domain.turnlog.run import Run

TIERS = ("T1", "T2", "T3", "T4", "T5")
_LATER_WORDS = ("final", "summary", "copied")
_RECORDS = ("state", "error")


def tier_in(view: RunView, turn: int, part: str | None = None) -> str | None:
    """Return the derived tier of a cited position in a run already indexed; None where the run has no such position.

    `part` is `call`, `text` or `reasoning`; absent, the call of a row that makes one, else its text. A row of kind
    final, summary or copied is T5 whatever its role and part. Source: the tier table of the codebooks' section 4.2.
    """
    places = view.places.get(turn)
    if not places:
        return None
    return min(_tier_of_row(view, place, part) for place in places)


def _tier_of_row(view: RunView, place: int, part: str | None) -> str:
    row = view.turns[place]
    if row.kind in _LATER_WORDS:
        return "T5"
    if row.role == "tool":
        return "T1" if view.is_matched(place) else "T2"
    if row.role != "assistant" or row.kind in _RECORDS:
        return "T2"
    return "T3" if row.call and view.part(row.turn, part) == "call" else "T4"


def derived_tier(run: Run, turn: int, part: str | None = None) -> str | None:
    """Return the derived tier of one citation, `T1` to `T5`; None where the run has no such position."""
    return tier_in(RunView(run), turn, part)


def list_tiers(run: Run) -> dict[int, str]:
    """Return position → derived tier of its default part, for every position of the run."""
    view = RunView(run)
    return {turn: tier for turn in view.places if (tier := tier_in(view, turn))}
