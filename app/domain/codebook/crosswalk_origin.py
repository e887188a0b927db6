"""Whether a coding that calls itself carried over can have come from its crosswalk. Pure.

A carried coding is exempt from rules, so it must not be written by hand. From the new coding every old one that could
lie behind it is rebuilt and carried over again: one of them must give exactly this coding. That such an old coding was
really made is for whoever hands it in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from app.domain.codebook.crosswalk import AUTO, carry, reading_fault
from app.domain.codebook.crosswalk_conditions import OldCoding
from app.domain.codebook.crosswalk_model import CarriedField, Crosswalk, CrosswalkRow
from app.domain.codebook.subject import EVIDENCE_TYPES
from app.domain.coding import NOT_CODABLE, label_of, normalise
from app.domain.turnlog.positions import RunView
from app.domain.turnlog.run import ClaimUnit


def could_be_carried(
    crosswalk: Crosswalk, view: RunView, claim: ClaimUnit, answer: Mapping[str, Any], words: str = ""
) -> bool:
    """Return whether some old coding is carried over to exactly this answer. `words` as for `OldCoding`."""
    wanted = normalise(answer)
    rows = [row for row in crosswalk.rows if row.how == AUTO and row.to == label_of(wanted)]
    for old in (old for row in rows for old in _behind(crosswalk, row, wanted)):
        coding = OldCoding(crosswalk, view, claim, old, words)
        made = carry(coding) if reading_fault(coding) is None else None
        if made is not None and made.how == AUTO and made.answer == wanted:
            return True
    return False


def _behind(crosswalk: Crosswalk, row: CrosswalkRow, answer: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the old answers that a row may have made this answer from."""
    old = _old_label(crosswalk, row.label)
    for carried in crosswalk.carried:
        if carried.name in answer and carried.name not in row.sets:
            old[carried.source] = _before(carried, answer[carried.name])
    old |= _old_evidence(crosswalk, answer)
    free = [name for name in row.when if name not in old]
    for values in product(*(row.when[name] for name in free)):
        yield old | dict(zip(free, values, strict=True))


def _old_label(crosswalk: Crosswalk, label: str) -> dict[str, Any]:
    codability = crosswalk.old.field("codability")
    if label == NOT_CODABLE:
        return {"codability": NOT_CODABLE}
    codable = next((code for code in codability.codes if code != NOT_CODABLE), None) if codability else None
    return {"verdict": label} | ({"codability": codable} if codable else {})


def _before(carried: CarriedField, value: Any) -> Any:
    """Return an old value that is carried to this one; the value itself where values are carried as they are."""
    if carried.values is None:
        return value
    back = {new: old for old, new in carried.values.items()}
    return [back.get(item, item) for item in value] if isinstance(value, list) else back.get(value, value)


def _old_evidence(crosswalk: Crosswalk, answer: Mapping[str, Any]) -> dict[str, Any]:
    """The citations without what the crosswalk gave them: their turns and parts."""
    names = [
        next((field.name for field in book.fields if field.type in EVIDENCE_TYPES), None)
        for book in (crosswalk.old, crosswalk.new)
    ]
    sent = answer.get(names[1]) if names[1] else None
    if names[0] is None or not isinstance(sent, list):
        return {}
    cited = [item for item in sent if isinstance(item, dict)]
    return {names[0]: [{key: item[key] for key in ("turn", "part") if key in item} for item in cited]}
