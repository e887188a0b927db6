"""The pieces every row is made of: caps and truncation marks, arguments as they stood, times, left-overs."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.readers.media import without_media
from app.readers.pieces import OUTPUT_CAP, extra_json, time_columns, tool_call, tool_result


@pytest.mark.parametrize(
    "output",
    [
        "a<response clipped><NOTE>",
        "a\n[... Observation truncated due to length ...]\nb",
        "... [127 lines truncated] ...",
        "<START_TOOL_OUTPUT>\nx\n<END_TOOL_OUTPUT>",
        "<output_head>a</output_head><elided_chars>\n9\n</elided_chars>",
        "[... omitted 10 of 300 lines ...]",
    ],
)
def test_the_sources_own_marks_say_truncated(output: str) -> None:
    result = tool_result(output)
    assert (result.truncated, result.truncated_by, result.output) == (True, "source", output)


def test_an_ordinary_output_is_whole_and_kept_raw() -> None:
    raw = "\x1b[31mred\x1b[0m\r50%\r100%\x00 end "
    result = tool_result(raw)
    assert (result.output, result.truncated, result.truncated_by, result.bytes) == (raw, False, None, len(raw))
    assert (tool_result(None).output, tool_result(None).bytes, tool_result("").output) == (None, 0, "")


def test_a_huge_output_keeps_head_and_tail_and_its_full_size() -> None:
    whole = "H" * 10 + "é" * OUTPUT_CAP + "T" * 10
    result = tool_result(whole)
    assert result.output is not None
    assert result.output.startswith("HHHHHHHHHHé")
    assert result.output.endswith("éTTTTTTTTTT")
    assert result.bytes == 2 * OUTPUT_CAP + 20
    assert f"[... {OUTPUT_CAP + 20} bytes left out at import ...]" in result.output
    assert (result.truncated, result.truncated_by) == (True, "importer")
    assert len(result.output.encode()) < OUTPUT_CAP + 100
    assert tool_result("x" * OUTPUT_CAP).truncated is False


@pytest.mark.parametrize(
    ("given_", "text", "ok"),
    [
        ('{"a":1}', '{"a":1}', True),
        ('{"a":', '{"a":', False),
        ("", "", False),
        (None, None, True),
        ({"a": "é", "b": None}, '{"a": "é", "b": null}', True),
        ([1], "[1]", True),
        ('{"a": "\\ud83d"}', '{"a": "\\ud83d"}', True),
    ],
)
def test_arguments_stand_as_they_stood(given_: Any, text: str | None, ok: bool) -> None:
    call = tool_call("bash", given_)
    assert (call.args_json, call.args_ok) == (text, ok)


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none()))
def test_an_object_of_arguments_becomes_json_that_reads_back(arguments: dict[str, Any]) -> None:
    call = tool_call("bash", arguments)
    assert json.loads(call.args_json or "") == arguments
    assert call.args_json == json.dumps(arguments, ensure_ascii=False)


NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "columns"),
    [
        ("2026-01-02T12:00:00Z", {"ts": NOON, "ts_raw": "2026-01-02T12:00:00Z"}),
        ("2026-01-02T13:00:00+01:00", {"ts": NOON, "ts_raw": "2026-01-02T13:00:00+01:00"}),
        ("2026-01-02T12:00:00.123", {"ts": None, "ts_raw": "2026-01-02T12:00:00.123"}),
        ("yesterday", {"ts": None, "ts_raw": "yesterday"}),
        ("0001-01-01T00:00:00+14:00", {"ts": None, "ts_raw": "0001-01-01T00:00:00+14:00"}),
        (1767355200, {"ts": NOON, "ts_raw": "1767355200"}),
        (1767355200000, {"ts": NOON, "ts_raw": "1767355200000"}),
        (1e300, {"ts_raw": "1e+300"}),
        (float("nan"), {"ts_raw": "nan"}),
        (None, {}),
        (True, {}),
        ({"at": 1}, {}),
    ],
)
def test_a_time_is_a_moment_only_with_a_zone(value: Any, columns: dict[str, Any]) -> None:
    assert time_columns(value) == columns


def test_left_overs_lose_nulls_and_base64_only() -> None:
    data = "QUJD" * 200
    assert extra_json({"a": None}) is None
    left = json.loads(extra_json({"b": {"c": None}, "file": {"base64": data}, "note": data}) or "")
    assert left["b"] == {"c": None}
    assert left["file"]["base64"].startswith("[data: 600 bytes, sha256 ")
    assert left["note"] == data
    assert without_media([f"data:image/png;base64,{data}"])[0].startswith("[data: image/png, 600 bytes")
