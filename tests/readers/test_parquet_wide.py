"""Parquet with one row a session: list columns and JSON text, ids, what the run's fields become."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.domain.errors import BadInput
from app.readers.logs import read_logs
from tests.readers.conftest import turns_of

CALL = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Act.", "tool_calls": None, "tool_call_id": None, "name": None},
    {"role": "user", "content": "List.", "tool_calls": None, "tool_call_id": None, "name": None},
    {"role": "assistant", "content": None, "tool_calls": [CALL], "tool_call_id": None, "name": None},
    {"role": "tool", "content": "a b", "tool_calls": None, "tool_call_id": "c1", "name": "bash"},
    {"role": "assistant", "content": "Done: a and b.", "tool_calls": None, "tool_call_id": None, "name": None},
]


def write(tmp_path: Path, columns: dict[str, Any]) -> Path:
    path = tmp_path / "wide.parquet"
    pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize("column", ["messages", "trajectory", "conversations", "traj", "history", "steps"])
@pytest.mark.parametrize("as_text", [False, True])
def test_a_list_or_json_text_column_of_any_known_name_is_read(tmp_path: Path, column: str, as_text: bool) -> None:
    cells = [json.dumps(MESSAGES) if as_text else MESSAGES]
    logs = read_logs([write(tmp_path, {"trajectory_id": ["t-1"], column: cells})])
    assert logs.format == "parquet-wide"
    (turns,) = turns_of(logs).values()
    assert [(t.session_id, t.role, t.text, t.src_index) for t in turns] == [
        ("t-1", "system", "Act.", (0,)),
        ("t-1", "user", "List.", (1,)),
        ("t-1", "assistant", None, (2,)),
        ("t-1", "tool", None, (3,)),
        ("t-1", "assistant", "Done: a and b.", (4,)),
    ]
    assert [(r.call_key, r.match, r.output) for r in turns[3].tool_results] == [("t2.c0", "id", "a b")]
    assert turns[2].tool_calls[0].args_json == '{"command": "ls"}'
    assert all(t.extra_json is None or "null" not in t.extra_json for t in turns)


def test_a_row_without_an_id_is_named_by_instance_and_place(tmp_path: Path) -> None:
    path = write(tmp_path, {"instance_id": ["x", "x", None], "messages": [MESSAGES] * 3})
    assert list(turns_of(read_logs([path]))) == ["wide#2", "x#0", "x#1"]


def test_the_runs_fields_find_their_columns_and_the_rest_is_kept(tmp_path: Path) -> None:
    columns = {
        "run_id": ["gpt-4o-2024-08-06_maxiter_50_N_v2.1-run_1"],
        "instance_id": ["org__repo-1"],
        "resolved": [True],
        "exit_status": ["ok"],
        "trial": [2],
        "agent": ["openhands"],
        "licence": ["MIT"],
        "messages": [MESSAGES],
    }
    (turns,) = turns_of(read_logs([write(tmp_path, columns)])).values()
    first = turns[0]
    assert (first.run_id, first.task_id, first.repeat, first.agent) == (
        columns["run_id"][0],
        "org__repo-1",
        2,
        "openhands",
    )
    assert [t.model for t in turns] == [None, None, "gpt-4o-2024-08-06", None, "gpt-4o-2024-08-06"]
    assert json.loads(first.outcome_json or "") == {"resolved": True, "exit_status": "ok"}
    assert json.loads(first.extra_json or "") == {"session": {"licence": "MIT"}}


def test_sharegpt_and_ai_roles_are_known(tmp_path: Path) -> None:
    pairs = [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "ho"}]
    (turns,) = turns_of(read_logs([write(tmp_path, {"conversations": [pairs]})])).values()
    assert [(t.role, t.text) for t in turns] == [("user", "hi"), ("assistant", "ho")]
    assert json.loads(turns[1].extra_json or "") == {"source_role": "gpt"}


def test_rows_without_messages_are_left_out_and_told(tmp_path: Path) -> None:
    logs = read_logs([write(tmp_path, {"id": ["a", "b", "c"], "messages": [MESSAGES, None, []]})])
    assert list(turns_of(logs)) == ["a"]
    assert logs.warnings == (
        "wide.parquet row 1, column messages: a session without messages was left out",
        "wide.parquet row 2, column messages: a session without messages was left out",
    )


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (['[{"role": "user", "content": "x"}]', "[{"], r"wide\.parquet row 1, column messages: not valid JSON"),
        (["{}", "[]"], r"wide\.parquet row 0, column messages: not a list of messages"),
        (["[1]"], r"wide\.parquet row 0, column messages: message 0 is not an object"),
        (['[{"role": "boss", "content": "x"}]'], r"row 0, column messages: message 0 has the unknown role 'boss'"),
        (['[{"content": "x"}]'], r"row 0, column messages: message 0 has the unknown role None"),
    ],
)
def test_what_is_no_message_is_refused_with_row_and_column(tmp_path: Path, cells: list[str], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        read_logs([write(tmp_path, {"messages": cells})])


def test_lone_surrogates_in_json_text_are_repaired_and_told(tmp_path: Path) -> None:
    cell = '[{"role": "user", "content": "half \\ud83d, whole \\ud83d\\ude00"}]'
    logs = read_logs([write(tmp_path, {"messages": [cell]})])
    (turns,) = turns_of(logs).values()
    assert turns[0].text == "half \ufffd, whole \U0001f600"
    assert logs.warnings == ("wide.parquet row 0, column messages: 1 lone surrogates were replaced by U+FFFD",)
