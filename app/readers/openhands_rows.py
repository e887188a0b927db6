"""One OpenHands v0 event → its row: the agent's own words apart from what the harness writes around them.

The agent speaks in `args.thought`, `args.content`, `args.final_thought`; `message` is made by the harness. Which events
are one model response, and which observation answers which action, is `openhands_events.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.domain.turnlog.turns import Attachment, Turn
from app.readers.media import attachment_of
from app.readers.pieces import extra_json, inside, int32_or_none, text_or_none, time_columns, tool_call, tool_result

_READ = ("id", "timestamp", "source", "args", "action", "content", "observation", "cause")
_STATE_ACTIONS = (
    *("recall", "change_agent_state", "null", "initialize", "start", "pause", "resume", "stop", "rag_search"),
    *("condensation_request", "push", "send_pr", "read_state"),
)
_STATE_OBSERVATIONS = ("recall", "agent_state_changed", "null", "status", "condense", "success", "message", "chat")


def row_of(event: Mapping[str, Any], call_id: str | None) -> Turn:
    """Return the event's row. `call_id` is the id of the call an action makes or of the one an observation answers."""
    if "observation" in event:
        return _observation_row(event, call_id)
    action, args = event.get("action"), event.get("args")
    given: Mapping[str, Any] = args if isinstance(args, Mapping) else {}
    if isinstance(action, str) and action in _SPOKEN:
        return _SPOKEN[action](event, given)
    if action in _STATE_ACTIONS or event.get("source") not in ("agent", "user"):
        return _turn(event, "event", None, kind="state", in_context=False, left=given)
    return _call_row(event, given, call_id)


def _without(args: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in args.items() if key not in names}


def _turn(event: Mapping[str, Any], role: str, text: str | None, **columns: Any) -> Turn:
    left = columns.pop("left", None)
    what = {key: event.get(key) for key in ("action", "observation", "source", "cause")}
    rest = {key: value for key, value in event.items() if key not in _READ}
    return Turn(
        session_id="",
        turn_index=0,
        role=role,
        text=text,
        turn_id=text_or_none(event.get("id")),
        model=text_or_none(inside(event, "tool_call_metadata", "model_response", "model"))
        if role == "assistant"
        else None,
        extra_json=extra_json({**what, **rest, "args": dict(left) if left else None}),
        **time_columns(event.get("timestamp")),
        **columns,
    )


def _message_row(event: Mapping[str, Any], args: Mapping[str, Any]) -> Turn:
    role = "assistant" if event.get("source") == "agent" else "user"
    urls = args.get("image_urls")
    pictures = [attachment_of({"type": "image", "image": url}) for url in urls] if isinstance(urls, list) else []
    attached: tuple[Attachment, ...] = tuple(picture for picture in pictures if picture)
    left = _without(args, "content", *(["image_urls"] if attached else []))
    return _turn(event, role, text_or_none(args.get("content")), attachments=attached, left=left)


def _system_row(event: Mapping[str, Any], args: Mapping[str, Any]) -> Turn:
    return _turn(event, "system", text_or_none(args.get("content")), left=_without(args, "content"))


def _summary_row(event: Mapping[str, Any], args: Mapping[str, Any]) -> Turn:
    text = text_or_none(args.get("summary"))
    return _turn(event, "event", text, kind="summary", left=_without(args, "summary"))


def _final_row(event: Mapping[str, Any], args: Mapping[str, Any]) -> Turn:
    words = (args.get("final_thought"), args.get("thought"), inside(args, "outputs", "content"))
    spoken = [text for text in words if isinstance(text, str)]
    text = next((text for text in spoken if text), spoken[0] if spoken else None)
    return _turn(event, "assistant", text, kind="final", left=args)


_SPOKEN = {
    "system": _system_row,
    "message": _message_row,
    "condensation": _summary_row,
    "finish": _final_row,
    "reject": _final_row,
}


def _call_row(event: Mapping[str, Any], args: Mapping[str, Any], call_id: str | None) -> Turn:
    by_user = event.get("source") == "user"
    call = tool_call(event.get("action"), _without(args, "thought"), call_id, "user" if by_user else None)
    return _turn(event, "user" if by_user else "assistant", text_or_none(args.get("thought")), tool_calls=(call,))


def _observation_row(event: Mapping[str, Any], call_id: str | None) -> Turn:
    kind, content = event.get("observation"), text_or_none(event.get("content"))
    if kind in _STATE_OBSERVATIONS:
        return _turn(event, "event", content, kind="state", in_context=False)
    code = inside(event, "extras", "metadata", "exit_code")
    code = inside(event, "extras", "exit_code") if code is None else code
    failed = {"error": "error", "user_rejected": "rejected"}.get(str(kind))
    result = tool_result(
        content,
        call_id=call_id,
        match="id",
        exit_code=int32_or_none(code),
        is_error=True if failed else None,
        error_kind=text_or_none(inside(event, "extras", "error_id")) or failed if failed else None,
    )
    return _turn(event, "tool", None, kind="tool_result", tool_results=(result,))
