"""From a sent form to a submission: the fields of the codebook, the hidden ones, and what the buttons ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.datastructures import FormData

from app.domain.codebook.model import Codebook, Field
from app.domain.coding import drop_hidden
from app.domain.errors import BadInput
from app.services.coding import Submission
from app.web.deps import text_of, texts_of
from app.web.forms import read_answer


def read_submission(codebook: Codebook, form: FormData, *, drop: bool) -> Submission:
    """Return what a form submits. With `drop`, fields that the form's own conditions hide are left out and named.

    Only the HTML form drops: a program's coding is judged as sent. Raises `BadInput` for a number that is none.
    """
    answer = read_answer(codebook, form.multi_items())
    dropped: tuple[str, ...] = ()
    if drop:
        answer, dropped = drop_hidden(codebook, answer)
    return Submission(
        answer=answer,
        base_revision=_whole(form, "revision"),
        client_token=text_of(form, "client_token"),
        confirmed=tuple(texts_of(form, "confirm")),
        seconds_on_item=float(_whole(form, "seconds_active")) if text_of(form, "seconds_active") else None,
        dropped=dropped,
    )


def _whole(form: FormData, name: str) -> int:
    text = text_of(form, name) or "0"
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise BadInput(f"the field {name} must be a whole number, not {text!r}")
    return int(text)


def with_button(
    codebook: Codebook, answer: dict[str, Any], form: FormData, tiers: Mapping[int, Mapping[str, str]]
) -> tuple[dict[str, Any], str]:
    """Return the answer after the pressed button, and the place on the page to return to.

    `cite=TURN` adds a citation of that turn with its derived tier, `uncite=N` takes the N-th (from 0) away.
    """
    field = next((f for f in codebook.fields if f.type in {"citation_list", "turn_list"}), None)
    cited, removed = text_of(form, "cite"), text_of(form, "uncite")
    if field is None or not (cited or removed):
        return answer, "#form"
    rows = list(answer.get(field.name) or [])
    if removed:
        rows = [row for index, row in enumerate(rows) if str(index) != removed]
    elif cited.isdigit() and int(cited) in tiers:
        rows.append(_citation(field, int(cited), tiers[int(cited)]))
    return {**answer, field.name: rows}, f"#t{cited}" if cited else f"#{field.name}"


def _citation(field: Field, turn: int, parts: Mapping[str, str]) -> dict[str, Any]:
    if field.type == "turn_list":
        return {"turn": turn}
    tier = parts.get("call") or parts.get("result") or parts.get("text")
    return {"turn": turn, "role": field.roles[0] if field.roles else None, "tier": tier}
