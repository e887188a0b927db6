"""Agreement of the locked codings, for the lead: pages and documents. Nothing is computed before every lock is in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlmodel import Session

from app.domain.accounting import Case, account, human_slots, label_of, list_cases
from app.domain.errors import Refused
from app.domain.export.disagreements import confused_pairs
from app.domain.export.policies import primary_pooling
from app.domain.export.reliability import agreement_documents, differs_in
from app.domain.record import StudyRecord
from app.domain.roles import Action
from app.domain.stats.coefficients import pair_kappa
from app.services.access import get_study_for
from app.services.adjudicating import all_locked
from app.services.pages import AgreementPage, DisagreementLine, DisagreementPage
from app.services.people import Actor
from app.services.recording import load_record
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


def primary_kappa(session: Session, study: StudyRow) -> tuple[float | None, str | None]:
    """Return the lowest pairwise Cohen's kappa on the label, or None with the reason why it is undefined."""
    record = load_record(session, study)
    cases, slots = list_cases(record), human_slots(record)
    found: list[tuple[float | None, str | None]] = []
    for place, one in enumerate(slots):
        for other in slots[place + 1 :]:
            pairs = [(a, b) for a, b in (_labels(case, one, other) for case in cases) if a and b]
            statistic = pair_kappa([a for a, _ in pairs], [b for _, b in pairs], record.codebook.labels)
            found.append((statistic["value"], statistic["undefined_reason"]))
    if not found:
        return None, "one_rater"
    undefined = next((reason for value, reason in found if value is None), None)
    values = [value for value, _ in found if value is not None]
    return (None, undefined) if undefined else (min(values), None)


def _labels(case: Case, one: str, other: str) -> tuple[str | None, str | None]:
    by_slot = {coding.slot: label_of(coding.answer) for coding in case.codings}
    return by_slot.get(one), by_slot.get(other)


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
    return sum(len(case.codings) > 1 for case in cases)


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
