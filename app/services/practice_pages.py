"""The pages of practice: the way to the first claim, an attempt's items, one item on the workbench.

This is the only place that lets gold out: of a training item, after the rater's own answer to it is stored. Of a
qualification nothing leaves but three figures, once it is handed in.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlmodel import Session

from app.domain.canonical import sha256_hex
from app.domain.coding import label_of
from app.domain.practice import QUALIFICATION, TRAINING, PracticeItem
from app.domain.qualification import Grade, cut
from app.services.bench import bench_of
from app.services.pages import AttemptPage, Feedback, Figures, FormState, ItemLine, PracticeItemPage
from app.services.people import Actor
from app.services.practice_access import OwnAttempt, case_of, get_own_attempt, next_open
from app.storage import practice
from app.storage.tables import PracticeAnswerRow


def figures_of(graded: Grade, round_: int) -> Figures:
    """Return what is told of a finished round."""
    return Figures(
        round=round_,
        macro_f1=cut(graded.macro_f1),
        n_labels=graded.n_labels,
        n_critical=graded.n_critical,
        n_codability=graded.n_codability,
        n_items=graded.n_items,
        passed=graded.passed,
        why_not=graded.why_not,
    )


def attempt_page(session: Session, actor: Actor, attempt_id: str, problems: tuple[str, ...] = ()) -> AttemptPage:
    """Return an attempt with its items in the rater's order, each with its state and the rater's own label."""
    own = get_own_attempt(session, actor, attempt_id)
    answered = practice.list_current_answers(session, own.row.id)
    drafts = practice.list_draft_ids(session, own.row.id)
    graded = Grade.from_dict(json.loads(own.row.result_json)) if own.row.result_json else None
    examined = own.row.purpose == QUALIFICATION
    return AttemptPage(
        attempt_id=own.row.id,
        title=own.practice.title,
        purpose=own.row.purpose,
        round=own.row.round,
        codebook_version=own.codebook.version,
        items=tuple(_line(own, number, answered, drafts) for number in range(1, len(own.items) + 1)),
        n_answered=len(answered),
        next_number=next_open(own, set(answered)),
        finished=own.row.finished_at is not None,
        figures=figures_of(graded, own.row.round) if graded and examined else None,
        n_same=graded.n_same if graded and not examined else None,
        problems=problems,
    )


def _line(own: OwnAttempt, number: int, answered: Mapping[str, PracticeAnswerRow], drafts: set[str]) -> ItemLine:
    item = own.items[number - 1]
    row = answered.get(item.id)
    state = "draft" if item.id in drafts else "answered" if row else "open"
    label = label_of(json.loads(row.answer_json)) if row else ""
    same = label == item.label if row and own.row.purpose == TRAINING else None
    return ItemLine(number, item.claim.text, state, label, same)


def item_page(session: Session, actor: Actor, place: tuple[str, int], client_token: str) -> PracticeItemPage:
    """Return one item, `place` being (attempt, number), with what this rater has entered so far."""
    own = get_own_attempt(session, actor, place[0])
    return _page(session, own, place[1], _stored_form(session, own, own.item(place[1]), client_token))


def refused_item_page(session: Session, actor: Actor, place: tuple[str, int], form: FormState) -> PracticeItemPage:
    """Return one item with a form that was just refused, exactly as it was entered."""
    return _page(session, get_own_attempt(session, actor, place[0]), place[1], form)


def practice_tiers(session: Session, actor: Actor, place: tuple[str, int]) -> dict[int, dict[str, str]]:
    """Return turn → part → derived tier for an item's run, so that a citation can be filled in."""
    own = get_own_attempt(session, actor, place[0])
    return case_of(own, own.item(place[1])).prepared.tiers


def _page(session: Session, own: OwnAttempt, number: int, form: FormState) -> PracticeItemPage:
    item = own.item(number)
    answered = practice.list_current_answers(session, own.row.id)
    stored = answered.get(item.id)
    taught = stored is not None and own.row.purpose == TRAINING
    bench = bench_of(own.practice.title, case_of(own, item), str(number))
    alias = sha256_hex(f"{own.practice.sha256} {item.id}")[:4]
    return PracticeItemPage(
        attempt_id=own.row.id,
        number=number,
        n_items=len(own.items),
        n_answered=len(answered),
        purpose=own.row.purpose,
        closed=taught or own.row.finished_at is not None,
        next_open=next_open(own, set(answered), number),
        bench=replace(bench, run_alias=alias, claim={**bench.claim, "blind_run_id": alias}, study_id=own.study_id),
        form=form,
        feedback=_feedback(item, json.loads(stored.answer_json)) if stored is not None and taught else None,
    )


def _feedback(item: PracticeItem, answer: Mapping[str, Any]) -> Feedback:
    own_label = label_of(answer)
    return Feedback(item.label, own_label, own_label == item.label, item.feedback, item.teaches, item.gold)


def _stored_form(session: Session, own: OwnAttempt, item: PracticeItem, client_token: str) -> FormState:
    current = practice.find_answer(session, own.row.id, item.id)
    draft = practice.find_draft(session, own.row.id, item.id)
    revision = current.revision if current else 0
    if draft is not None:
        return FormState(
            answer=json.loads(draft.answer_json),
            revision=revision,
            client_token=client_token,
            status="draft",
            seconds_active=draft.seconds_on_item,
            saved_at=draft.saved_at,
        )
    if current is not None:
        answer = json.loads(current.answer_json)
        return FormState(answer, revision, client_token, status="coded", saved_at=current.created_at)
    return FormState({}, 0, client_token)
