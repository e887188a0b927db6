"""Agreement of the locked codings, for the lead: pages and documents. Nothing is computed before every lock is in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlmodel import Session

from app.domain.accounting import Case, account, label_of, list_cases
from app.domain.errors import Refused
from app.domain.export.disagreements import confused_pairs
from app.domain.export.policies import primary_pooling
from app.domain.export.reliability import agreement_documents, differs_in, independent
from app.domain.record import StudyRecord
from app.domain.roles import Action
from app.services.access import get_study_for
from app.services.adjudicating import all_locked
from app.services.pages import AgreementPage, DisagreementLine, DisagreementPage
from app.services.people import Actor
from app.services.recording import load_record
from app.storage import packets
from app.storage.tables import StudyRow


def get_locked_record(session: Session, actor: Actor, study_id: str, action: Action) -> StudyRecord:
    """Return the record of a study whose every packet is locked; raises `Refused` before that."""
    study = get_study_for(session, actor, study_id, action)
    if not all_locked(session, study_id):
        raise Refused(f"agreement in {study_id} is computed when every packet is locked, and not shown before")
    return load_record(session, study)


def agreement_of_study(session: Session, actor: Actor, study_id: str) -> dict[str, Any]:
    """Return `{field: {codebook version: agreement/1}}` over the locked codings."""
    record = get_locked_record(session, actor, study_id, Action.READ_AGREEMENT)
    return agreement_documents(record, list_cases(record))


_known: dict[tuple[str, ...], dict[str, tuple[float | None, str | None]]] = {}
"""Reliability by lock ids: what is locked never changes; resampling it for every page view would cost seconds."""
_MOST_KNOWN = 64


def reliability_of(session: Session, study: StudyRow) -> dict[str, tuple[float | None, str | None]]:
    """Return `kappa`, `kappa_lower` and `codability` of the lowest pair, each a value or None with the reason.

    A codebook that does not ask for codability has none of it to agree on: the key is absent.
    """
    key = tuple(lock.id for lock in packets.list_locks(session, study.id))
    if key not in _known:
        record = load_record(session, study)
        documents = agreement_documents(record, list_cases(record))
        version = record.codebook.version
        pairs = {name: documents[name][version]["pairs"] for name in ("verdict", "codability") if name in documents}
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[key] = {
            "kappa": _lowest(pairs["verdict"], _point),
            "kappa_lower": _lowest(pairs["verdict"], _lower),
            **({"codability": _lowest(pairs["codability"], _point)} if "codability" in pairs else {}),
        }
    return _known[key]


def _point(kappa: Mapping[str, Any]) -> float | None:
    value: float | None = kappa["value"]
    return value


def _lower(kappa: Mapping[str, Any]) -> float | None:
    limits = kappa.get("ci95") or [None]
    return None if limits[0] is None else float(limits[0])


def _lowest(
    pairs: Sequence[Mapping[str, Any]], read: Callable[[Mapping[str, Any]], float | None]
) -> tuple[float | None, str | None]:
    """Return the lowest pair's value; one undefined pair leaves it undefined."""
    if not pairs:
        return None, "one_rater"
    values = [read(pair["cohen_kappa"]) for pair in pairs]
    if any(value is None for value in values):
        reasons = [pair["cohen_kappa"]["undefined_reason"] for pair in pairs]
        return None, next((reason for reason in reasons if reason), "pair_undefined")
    return min(value for value in values if value is not None), None


def agreement_page(session: Session, actor: Actor, study_id: str) -> AgreementPage:
    """Return the agreement of every field, and the accounting of the claims."""
    record = get_locked_record(session, actor, study_id, Action.READ_AGREEMENT)
    cases = list_cases(record)
    documents = {
        name: versions[record.codebook.version] for name, versions in agreement_documents(record, cases).items()
    }
    accounting = account(cases, record.codebook.ordinal, primary_pooling(record))
    return AgreementPage(record.study_id, record.title, documents, accounting)


def disagreement_page(session: Session, actor: Actor, study_id: str) -> DisagreementPage:
    """Return every claim on which the codings differ, in blind-id order, and the label pairs set against each other."""
    record = get_locked_record(session, actor, study_id, Action.READ_DISAGREEMENTS)
    cases = list_cases(record)
    pairs = tuple((*pair["labels"], pair["n"]) for pair in confused_pairs(cases))
    lines = tuple(_line(case) for case in cases if differs_in(case))
    return DisagreementPage(record.study_id, record.title, pairs, lines, _n_compared(cases))


def _n_compared(cases: Sequence[Case]) -> int:
    return sum(len(independent(case.codings)) > 1 for case in cases)


def _line(case: Case) -> DisagreementLine:
    return DisagreementLine(
        blind_claim_id=case.claim.blind_claim_id,
        text=case.claim.text,
        labels=tuple(label_of(coding.answer) or "" for coding in case.codings),
        kinds=tuple(str(coding.answer.get("claim_kind") or "") for coding in case.codings),
        rule=", ".join(case.selected_by),
        final=label_of(case.final.answer) if case.final else None,
        cause=case.final.cause if case.final else None,
    )
