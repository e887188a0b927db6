"""Codings made elsewhere: judged by the same rules as the form's, stored all or nothing in the rater's packet.

Codings that a crosswalk carried over are among them: stored with their origin, exempt from the rules their crosswalk
names. A claim that is to be coded again stays open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlmodel import Session

from app.domain.canonical import canonical_json, sha256_hex
from app.domain.codebook.crosswalk_model import AUTO, CROSSWALK, RECODE, Crosswalk
from app.domain.codebook.crosswalk_origin import could_be_carried
from app.domain.codebook.model import Codebook
from app.domain.errors import BadInput, NotFound, RulesBroken, SaydoError, Unconfirmed
from app.domain.moments import iso
from app.domain.roles import Action
from app.readers.codings_file import RawCoding
from app.services.access import codebook_of, get_study_for
from app.services.bench import load_unshown_case
from app.services.carried import IMPORTED, crosswalk_facts, exempt_rules
from app.services.coding import Submission, save_coding
from app.services.people import Actor, get_actor
from app.storage import audit, codings, packets, studies
from app.storage.tables import PacketRow, StudyRow


@dataclass(frozen=True)
class Imported:
    """What an import did: `rejected` and `unconfirmed` hold (row, rule, message); when either is not empty, nothing
    was stored and the counts are 0. Of the `n_imported` codings `n_carried` were carried over by a crosswalk, and
    `n_recode` claims beside them are left to be coded again."""

    n_imported: int
    rejected: tuple[tuple[int, str, str], ...]
    unconfirmed: tuple[tuple[int, str, str], ...]
    n_carried: int = 0
    n_recode: int = 0


class Target(NamedTuple):
    """Where codings go: the study, the rater, and the crosswalks that lead to the study's codebook."""

    study_id: str
    rater_name: str
    crosswalks: Sequence[Crosswalk] = ()


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
    session: Session, actor: Actor, target: Target | tuple[str, str], rows: Sequence[RawCoding], now: datetime
) -> Imported:
    """Store a rater's codings. All or nothing: raises `NothingImported` with the account.

    A row that holds what is stored already is skipped, so importing a file twice changes nothing. A coding that was
    carried over never replaces what the rater coded or began; a claim to code again stays open. Raises `BadInput` for
    carried codings without a crosswalk that leads to the study's codebook.
    """
    study_id, rater_name, crosswalks = Target(*target)
    study = get_study_for(session, actor, study_id, Action.IMPORT_CODINGS)
    rater = get_actor(session, rater_name)
    packet = packets.find_packet_of(session, study_id, rater.user_id)
    if packet is None or packet.published_at is None:
        raise NotFound(f"{rater_name} has no published packet in {study_id}")
    rows = _rows_of_slot(rows, packet.slot)
    facts = _crosswalks_of(rows, crosswalks)
    desk = _Desk(
        session, rater, _assignments(session, study_id, packet), _Ways(study, crosswalks, exempt_rules(facts)), now
    )
    for row in rows:
        desk.take(row)
    account = desk.account()
    if account.rejected or account.unconfirmed:
        raise NothingImported(account)
    event = {"at": iso(now), "actor": actor.name, "action": IMPORTED, "study_id": study_id}
    details: dict[str, Any] = {"n_imported": account.n_imported, "rater": rater_name}
    if facts or account.n_recode:
        details |= {"n_carried": account.n_carried, "n_recode": account.n_recode, "crosswalks": facts}
    audit.record(session, {**event, "subject": packet.id, "details": details})
    return account


def _crosswalks_of(rows: Sequence[RawCoding], crosswalks: Sequence[Crosswalk]) -> list[dict[str, Any]]:
    """Return the facts of the crosswalks that rows of this file were carried over by; none where none was."""
    carried = next((row for row in rows if row.how == AUTO), None)
    if carried is None:
        return []
    if not crosswalks:
        raise BadInput(
            f"row {carried.row}, column origin: no crosswalk in the folder of codebooks leads to the study's codebook; "
            "put the one that carried this coding over beside the codebooks"
        )
    return [crosswalk_facts(crosswalk) for crosswalk in crosswalks]


class _Ways(NamedTuple):
    """The study that codings come into, and how carried ones may have come there."""

    study: StudyRow
    crosswalks: Sequence[Crosswalk]
    exempt: tuple[str, ...]


class _Desk:
    """Takes the rows of one file, one by one, and keeps the account."""

    def __init__(self, session: Session, rater: Actor, by_native: dict[str, str], ways: _Ways, now: datetime) -> None:
        self._session, self._rater, self._by_native = session, rater, by_native
        self._ways, self._now = ways, now
        self._rejected: list[tuple[int, str, str]] = []
        self._unconfirmed: list[tuple[int, str, str]] = []
        self._counts = {"n_imported": 0, "n_carried": 0, "n_recode": 0}

    def take(self, row: RawCoding) -> None:
        """Store one coding, or note what stands against it."""
        assignment_id = self._by_native.get(row.claim_id)
        if assignment_id is None:
            self._reject(row, "H25", f"claim {row.claim_id} is not in the packet of {self._rater.name}")
        elif row.how == RECODE:
            self._counts["n_recode"] += 1
        elif row.how == AUTO and _has_own(self._session, assignment_id):
            self._reject(row, "H28", f"{self._rater.name} has coded or begun claim {row.claim_id}; leave this row out")
        else:
            self._save(row, _submission(self._session, assignment_id, row, self._ways.exempt), assignment_id)

    def _save(self, row: RawCoding, submission: Submission, assignment_id: str) -> None:
        try:
            save_coding(self._session, self._rater, assignment_id, submission, self._now)
            self._counts["n_imported"] += 1
            if row.how == AUTO:
                self._counts["n_carried"] += 1
                self._refuse_handwritten(row, assignment_id)
        except RulesBroken as error:
            self._rejected.extend((row.row, v.rule, v.message) for v in error.violations)
        except Unconfirmed as error:
            self._unconfirmed.extend((row.row, v.rule, v.message) for v in error.warnings)

    def _refuse_handwritten(self, row: RawCoding, assignment_id: str) -> None:
        """A carried coding is exempt from rules, so it must be one that its crosswalk can make."""
        assignment = packets.find_assignment(self._session, assignment_id)
        assert assignment is not None, "the claim stands in the rater's packet"
        case = load_unshown_case(self._session, self._ways.study, assignment.blind_claim_id)
        words = "\n".join(text for text in (case.claim.text, case.claim.resolved_text) if text)
        ways = self._ways.crosswalks
        if not any(could_be_carried(way, case.prepared.view, case.unit, row.answer, words) for way in ways):
            names = " or ".join(way.id for way in ways)
            self._reject(row, "H28", f"crosswalk {names} carries no coding over to this one; code the claim instead")

    def _reject(self, row: RawCoding, rule: str, message: str) -> None:
        self._rejected.append((row.row, rule, message))

    def account(self) -> Imported:
        """Return what was done; nothing counts where anything does not hold."""
        bad = bool(self._rejected or self._unconfirmed)
        counts = dict.fromkeys(self._counts, 0) if bad else self._counts
        return Imported(rejected=tuple(self._rejected), unconfirmed=tuple(self._unconfirmed), **counts)


def _has_own(session: Session, assignment_id: str) -> bool:
    """Whether the newest coding of a claim is the rater's own, or the rater has begun one."""
    current = codings.find_current(session, assignment_id)
    own = current is not None and current.origin != CROSSWALK
    return own or codings.find_draft(session, assignment_id) is not None


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


def _submission(session: Session, assignment_id: str, row: RawCoding, exempt: tuple[str, ...]) -> Submission:
    """The client token is the row's own content, so that the same row sent twice is one coding."""
    current = codings.find_current(session, assignment_id)
    content = sha256_hex(canonical_json([row.claim_id, row.answer, list(row.warnings_confirmed)]))
    carried = row.how == AUTO
    return Submission(
        answer=row.answer,
        base_revision=current.revision if current else 0,
        client_token=f"{CROSSWALK if carried else 'import'}-{content}",
        confirmed=row.warnings_confirmed,
        origin=CROSSWALK if carried else "import",
        exempt=exempt if carried else None,
    )
