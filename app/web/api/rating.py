"""The rater's JSON interface: the same packets, rules and answers as the pages, for programs with a bearer token."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, BeforeValidator, Field

from app.domain.attestations import ATTESTATIONS
from app.services import coding, locking, practice_home
from app.services.coding import Submission
from app.web import saving
from app.web.deps import ApiActorDep, WiringDep

router = APIRouter(prefix="/api/v1")


class CodingIn(BaseModel):
    """One coding as sent: judged exactly as it stands."""

    coding: Annotated[dict[str, Any], BeforeValidator(coding.mended)]
    revision: Annotated[int, Field(ge=0, description="the stored revision this answers, 0 for none")] = 0
    client_token: Annotated[
        str,
        BeforeValidator(coding.mended),
        Field(min_length=1, max_length=200, description="the same token stores once"),
    ]
    confirm: Annotated[list[str], BeforeValidator(coding.mended)] = Field(
        default_factory=list, description="ids of soft rules that are confirmed"
    )
    seconds_on_item: Annotated[float, Field(ge=0, le=1e6)] | None = None


class LockIn(BaseModel):
    """The attestations given at the lock, by key."""

    attested: Annotated[
        list[str], BeforeValidator(coding.mended), Field(description="every key of: " + ", ".join(ATTESTATIONS))
    ]


@router.get("/packets")
def list_packets(actor: ApiActorDep, wiring: WiringDep) -> list[dict[str, Any]]:
    """List the caller's published packets with what is left; `continue_id` is the next assignment."""
    with wiring.database.reading() as session:
        return [line.__dict__ for line in practice_home.rater_home(session, actor).packets]


@router.get("/assignments/next")
def next_assignment(actor: ApiActorDep, wiring: WiringDep) -> dict[str, str | None]:
    """Answer the next assignment without a coding, null when there is none."""
    with wiring.database.reading() as session:
        packets = practice_home.rater_home(session, actor).packets
    return {"assignment_id": next((line.continue_id for line in packets if line.continue_id), None)}


@router.get("/assignments/{assignment_id}")
def read_assignment(assignment_id: str, actor: ApiActorDep, wiring: WiringDep) -> dict[str, Any]:
    """Answer one claim with its run as served, and what this rater has stored."""
    with wiring.database.reading() as session:
        page = coding.rating_page(session, actor, assignment_id, wiring.secret())
    bench = page.bench
    return {
        "assignment_id": assignment_id,
        "position": page.position,
        "n_assigned": page.n_assigned,
        "codebook": {"version": bench.codebook.version, "sha256": bench.codebook.sha256},
        "claim": bench.claim,
        "turns": bench.turns,
        "coverage": bench.coverage,
        "gaps": bench.gaps,
        "window": bench.window,
        "coding": page.form.answer,
        "revision": page.form.revision,
        "client_token": page.form.client_token,
    }


@router.post("/assignments/{assignment_id}/coding")
def save_coding(assignment_id: str, sent: CodingIn, actor: ApiActorDep, wiring: WiringDep) -> dict[str, Any]:
    """Judge and append one coding; answered only after the commit. 422 names broken rules, 409 unconfirmed ones."""
    submission = Submission(sent.coding, sent.revision, sent.client_token, tuple(sent.confirm), sent.seconds_on_item)
    saved = saving.save_coding(wiring, actor, assignment_id, submission)
    return {**saved.__dict__}


@router.post("/packets/{packet_id}/lock")
def lock_packet(packet_id: str, sent: LockIn, actor: ApiActorDep, wiring: WiringDep) -> dict[str, Any]:
    """Lock the caller's packet; answers the receipt."""
    with wiring.database.writing() as session:
        receipt = locking.lock_packet(session, actor, packet_id, sent.attested, wiring.clock())
    return {**receipt.__dict__}
