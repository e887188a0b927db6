"""What a rater coded last, for the rules that look at it: one indexed query, whatever the length of the history."""

from __future__ import annotations

from sqlalchemy import text
from sqlmodel import Session

N_SAVES = 60
"""Of a rater's newest saves so many are looked at, in whatever study; those of another packet are then left out."""

# Written out: asked at every save, where building it anew would cost more than running it.
_RECENT = text(
    """
    SELECT newest.answer_json, newest.warnings_confirmed_json
    FROM (SELECT * FROM coding WHERE rater_id = :rater_id ORDER BY id DESC LIMIT :n_saves) AS newest
    JOIN assignment ON assignment.id = newest.assignment_id
    WHERE assignment.packet_id = :packet_id AND newest.assignment_id <> :besides AND newest.origin = 'human'
      AND NOT EXISTS (
        SELECT 1 FROM coding AS later
        WHERE later.assignment_id = newest.assignment_id AND later.revision > newest.revision
      )
    ORDER BY newest.id DESC
    LIMIT :n_codings
    """
)


def list_recent(session: Session, rater_id: int, packet_id: str, besides: str, limit: int) -> list[tuple[str, str]]:
    """Return (answer, rules confirmed), as stored JSON, of a rater's last codings of a packet, newest first.

    Each claim stands once, by its current coding; the assignment `besides` is left out, so are codings made elsewhere.
    At most `limit`, and only what is among the rater's last `N_SAVES` saves: the cost is the same on the first day and
    the hundredth.
    """
    asked = {"rater_id": rater_id, "packet_id": packet_id, "besides": besides}
    found = session.connection().execute(_RECENT, asked | {"n_saves": N_SAVES, "n_codings": limit})
    return [(answer, confirmed) for answer, confirmed in found]
