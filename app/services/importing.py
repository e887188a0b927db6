"""Codings made elsewhere: judged by the same rules as the form's, stored all or nothing in the rater's packet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from app.domain.canonical import canonical_json, sha256_hex
from app.domain.codebook.model import Codebook
from app.domain.errors import BadInput, NotFound, RulesBroken, SaydoError, Unconfirmed
from app.domain.moments import iso
from app.domain.roles import Action
from app.readers.codings_file import RawCoding
from app.services.access import codebook_of, get_study_for
from app.services.coding import Submission, save_coding
from app.services.people import Actor, get_actor
from app.storage import audit, codings, packets, studies
from app.storage.tables import PacketRow


@dataclass(frozen=True)
class Imported:
    """What an import did: `rejected` and `unconfirmed` hold (row, rule, message); when either is not empty, nothing
    was stored and `n_imported` is 0."""

    n_imported: int
    rejected: tuple[tuple[int, str, str], ...]
    unconfirmed: tuple[tuple[int, str, str], ...]


class NothingImported(SaydoError):
    """At least one row does not hold; carries the whole account so that the transaction can be rolled back."""

    def __init__(self, account: Imported) -> None:
        self.account = account
        n_bad = len({row for row, _, _ in (*account.rejected, *account.unconfirmed)})
        super().__init__(f"nothing was imported: {n_bad} rows do not hold")


def codebook_of_study(session: Session, actor: Actor, study_id: str) -> Codebook:
    """Return the codebook an import into this study is read with."""
    return codebook_of(get_study_for(session, actor, study_id, Action.IMPORT_CODINGS))


def import_codings(
    session: Session, actor: Actor, target: tuple[str, str], rows: Sequence[RawCoding], now: datetime
) -> Imported:
    """Store a rater's codings; `target` is (study, rater). All or nothing: raises `NothingImported` with the account.

    A row that holds what is stored already is skipped, so importing a file twice changes nothing.
    """
    study_id, rater_name = target
    get_study_for(session, actor, study_id, Action.IMPORT_CODINGS)
    rater = get_actor(session, rater_name)
    packet = packets.find_packet_of(session, study_id, rater.user_id)
    if packet is None or packet.published_at is None:
        raise NotFound(f"{rater_name} has no published packet in {study_id}")
    by_native = _assignments(session, study_id, packet)
    rows = _rows_of_slot(rows, packet.slot)
    rejected: list[tuple[int, str, str]] = []
    unconfirmed: list[tuple[int, str, str]] = []
    n_imported = 0
    for row in rows:
        assignment_id = by_native.get(row.claim_id)
        if assignment_id is None:
            rejected.append((row.row, "H25", f"claim {row.claim_id} is not in the packet of {rater_name}"))
            continue
        try:
            save_coding(session, rater, assignment_id, _submission(session, assignment_id, row), now)
            n_imported += 1
        except RulesBroken as error:
            rejected.extend((row.row, v.rule, v.message) for v in error.violations)
        except Unconfirmed as error:
            unconfirmed.extend((row.row, v.rule, v.message) for v in error.warnings)
    account = Imported(0 if rejected or unconfirmed else n_imported, tuple(rejected), tuple(unconfirmed))
    if rejected or unconfirmed:
        raise NothingImported(account)
    event = {"at": iso(now), "actor": actor.name, "action": "import_codings", "study_id": study_id}
    details = {"n_imported": n_imported, "rater": rater_name}
    audit.record(session, {**event, "subject": packet.id, "details": details})
    return account


def _rows_of_slot(rows: Sequence[RawCoding], slot: str) -> list[RawCoding]:
    """Return the rows that are this rater's: those of the slot where the file names slots, else all.

    Raises `BadInput` for a claim that is coded twice: which of the two would count is nobody's to guess.
    """
    own = [row for row in rows if row.coder_slot in (None, "", slot)]
    seen: dict[str, int] = {}
    for row in own:
        if row.claim_id in seen:
            raise BadInput(
                f"row {row.row}, column claim_id: {row.claim_id} is coded in row {seen[row.claim_id]} already"
            )
        seen[row.claim_id] = row.row
    return own


def _assignments(session: Session, study_id: str, packet: PacketRow) -> dict[str, str]:
    native = {blind: claim for claim, blind in studies.blind_ids_of(session, study_id, "claim").items()}
    return {native[a.blind_claim_id]: a.id for a in packets.list_assignments(session, packet.id) if a.purpose == "main"}


def _submission(session: Session, assignment_id: str, row: RawCoding) -> Submission:
    """The client token is the row's own content, so that the same row sent twice is one coding."""
    current = codings.find_current(session, assignment_id)
    content = canonical_json([row.claim_id, row.answer, list(row.warnings_confirmed)])
    return Submission(
        answer=row.answer,
        base_revision=current.revision if current else 0,
        client_token=f"import-{sha256_hex(content)}",
        confirmed=row.warnings_confirmed,
        origin="import",
    )
