"""Which format a file is in, and why. The order of `FORMATS` matters: the more particular first.

Adding a format is one file and one line here. Reading is the formats' matter.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.errors import BadInput
from app.readers import (
    anthropic_messages,
    atif,
    claude_code,
    codex_exec,
    codex_rollout,
    gemini_cli,
    inspect_eval,
    mini_swe_agent,
    openai_chat,
    openhands_events,
    parquet_long,
    parquet_wide,
    session_rows,
    swe_agent,
    tau_bench,
)
from app.readers.format import Format
from app.readers.parquet_input import is_parquet, open_parquet
from app.readers.source import Source

FORMATS: tuple[Format, ...] = (
    parquet_long.CANONICAL,
    parquet_long.FORMAT,
    parquet_wide.FORMAT,
    claude_code.FORMAT,
    codex_rollout.FORMAT,
    codex_exec.FORMAT,
    mini_swe_agent.FORMAT,
    inspect_eval.FORMAT,
    swe_agent.FORMAT,
    atif.FORMAT,
    gemini_cli.FORMAT,
    openhands_events.FORMAT,
    tau_bench.FORMAT,
    session_rows.FORMAT,
    anthropic_messages.FORMAT,
    openai_chat.FORMAT,
)


@dataclass(frozen=True)
class Recognised:
    """A file's format and the reason it was taken for it."""

    format: Format
    reason: str


def _could_be_a_log(source: Source) -> bool:
    return is_parquet(source) or source.is_binary or source.text.lstrip()[:1] in ("{", "[")


def get_format(name: str) -> Format:
    """Return the format of that name. Raises `BadInput` listing the names there are."""
    found = next((form for form in FORMATS if form.name == name), None)
    if found is None:
        raise BadInput(f"there is no log format {name!r}; known are {', '.join(form.name for form in FORMATS)}")
    return found


def find_format(source: Source) -> Recognised | None:
    """Return the first format that recognises the file, or None. Raises `BadInput` for a file that is broken."""
    if not _could_be_a_log(source):
        return None
    for form in FORMATS:
        reason = form.recognise(source)
        if reason:
            return Recognised(form, reason)
    return None


def recognise(source: Source) -> Recognised:
    """Return the first format that recognises the file. Raises `BadInput` saying what the file lacks."""
    found = find_format(source)
    if found is not None:
        return found
    if is_parquet(source):
        names = ", ".join(open_parquet(source).schema_arrow.names[:8])
        raise BadInput(
            f"{source.name}: a parquet file without turns (its columns: {names}, ...); a turn log needs the columns "
            "session_id, turn_index, role and text, or one row a session with a column of messages"
        )
    if not _could_be_a_log(source):
        raise BadInput(f"{source.name}: no known log format, it is neither parquet nor JSON nor an archive")
    raise BadInput(
        f"{source.name}: no known log format; name it with --format if it is one (saydo log formats lists them)"
    )
