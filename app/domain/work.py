"""What a rater's saves say of the time worked: one value a save, without what was coded.

Active seconds are the page's own count (in front, something done within two minutes); a save without a count was made
without JavaScript, through the programs' interface or by an import. No rule and no form lives here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Save:
    """One saved revision of a human rater: slot, working session, the item's place, active seconds (None: unmeasured).

    `created_seconds` counts from the publication of the packets.
    """

    slot: str
    session: int
    position: int
    seconds: float | None
    created_seconds: float
