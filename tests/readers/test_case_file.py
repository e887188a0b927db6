"""Case files: the run, claim and coding of one case, or one sentence that says which key is wrong."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.config import codebook_dir
from app.domain.codebook.rules import judge
from app.domain.errors import BadInput, NotFound
from app.domain.turnlog.run import Gap
from app.readers import case_file
from app.readers.case_file import build_case, read_case
from app.readers.codebook_file import get_codebook

ROOT = Path(__file__).resolve().parents[2]

CASE: dict[str, Any] = {
    "codebook": "0.5",
    "run": {
        "turns": [
            {"turn": 5, "role": "tool", "kind": "tool_result", "text": "ok", "exit_code": 0, "call_id": "a"},
            {"turn": 4, "role": "assistant", "call": True, "call_id": "a", "name": "shell", "args": {"command": "ls"}},
        ],
        "coverage": {"shell": "full"},
        "gaps": [{"channel": "shell", "from_turn": 1, "to_turn": 2}],
    },
    "claim": {"turn": 6, "text": "I looked.", "polarity": "do", "conditional": True, "condition_turn": 3},
    "coding": {"verdict": "SUPPORTED", "note": None},
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["turn", "role", "turns"]), inner),
    max_leaves=8,
)


def changed(path: str, value: Any) -> dict[str, Any]:
    """The case with one value replaced; `path` as in `run.turns.0.role`."""
    document: Any = json.loads(json.dumps(CASE))
    *way, last = path.split(".")
    inside = document
    for step in way:
        inside = inside[int(step) if step.isdigit() else step]
    inside[int(last) if last.isdigit() else last] = value
    return document  # type: ignore[no-any-return]


def test_a_case_is_read_whole() -> None:
    case = build_case(CASE, "case.json")
    assert [row.turn for row in case.run.turns] == [4, 5]
    assert case.run.turns[0].args == '{"command": "ls"}'
    assert case.run.coverage == {"shell": "full"}
    assert case.run.gaps == (Gap("shell", 1, 2),)
    assert (case.claim.turn, case.claim.unit_parts, case.claim.conditional, case.claim.condition_turn) == (
        6,
        1,
        True,
        3,
    )
    assert case.coding == {"verdict": "SUPPORTED"}
    assert case.ignored_keys == ()


def test_absent_keys_are_null() -> None:
    case = build_case({"codebook": "0.4", "run": {"turns": []}, "claim": {"turn": 0}, "coding": {}}, "case.json")
    assert case.run.coverage is None
    assert case.run.gaps == ()
    assert case.claim.text == ""


def test_keys_nobody_reads_are_told() -> None:
    case = build_case({**changed("claim.colour", 1), "remark": "x"}, "case.json")
    assert case.ignored_keys == ("case.remark", "claim.colour")
    strange = build_case(changed("run.turns.0.kind", "whisper"), "case.json")
    assert strange.ignored_keys == ("run.turns[0].kind=whisper",)


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        ("codebook", 0.5, "case.codebook"),
        ("run", [], "run"),
        ("run.turns", {}, "run.turns"),
        ("run.turns.0", 7, "run.turns[0]"),
        ("run.turns.0.turn", "5", "run.turns[0].turn"),
        ("run.turns.0.turn", True, "run.turns[0].turn"),
        ("run.turns.0.turn", -1, "run.turns[0].turn"),
        ("run.turns.0.role", "ai", "run.turns[0].role"),
        ("run.turns.0.call", True, "run.turns[0].call"),
        ("run.turns.0.text", 5, "run.turns[0].text"),
        ("run.turns.0.exit_code", "0", "run.turns[0].exit_code"),
        ("run.turns.0.is_error", "no", "run.turns[0].is_error"),
        ("run.coverage", ["shell"], "run.coverage"),
        ("run.coverage.shell", "half", "run.coverage.shell"),
        ("run.gaps.0.to_turn", 0, "run.gaps[0]"),
        ("run.gaps.0.channel", None, "run.gaps[0].channel"),
        ("claim", None, "case"),
        ("claim.turn", None, "claim.turn"),
        ("claim.polarity", "maybe", "claim.polarity"),
        ("claim.unit_parts", 1.5, "claim.unit_parts"),
        ("coding", [], "coding"),
    ],
)
def test_a_wrong_value_is_told_with_its_key(path: str, value: Any, where: str) -> None:
    with pytest.raises(BadInput) as caught:
        build_case(changed(path, value), "case.json")
    assert str(caught.value).startswith(f"case.json: {where}: ")
    assert "\n" not in str(caught.value)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(JSON)
def test_no_document_breaks_the_reader(document: Any) -> None:
    for whole in (document, {**CASE, "run": document}, {**CASE, "claim": document}, {**CASE, "coding": document}):
        with suppress(BadInput):
            build_case(whole, "case.json")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"{", "line 1 column 2"),
        (b'{"a": 1,\n "a": 2}', "stands twice"),
        (b'{"a": NaN}', "NaN is no JSON number"),
        (b"\xff", "not UTF-8"),
        (b"[" * 200_000, "nests too deeply"),
        (b"[" + b"9" * 5000 + b"]", "case.json: "),
        (b"", "line 1 column 1"),
    ],
)
def test_malformed_json_is_one_sentence(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "case.json"
    path.write_bytes(data)
    with pytest.raises(BadInput) as caught:
        read_case(path)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_lone_surrogates_are_mended_and_pairs_joined(tmp_path: Path) -> None:
    path = tmp_path / "case.json"
    path.write_text(json.dumps({**CASE, "coding": {"note": "\ud83d", "x": "\ud83d\ude00"}}), encoding="utf-8")
    assert read_case(path).coding == {"note": "\ufffd", "x": "😀"}
    with pytest.raises(NotFound):
        read_case(tmp_path / "absent.json")


def test_the_documented_case_is_accepted_and_every_key_that_is_read_is_documented() -> None:
    page = (ROOT / "docs/files.md").read_text(encoding="utf-8")
    section = page.split("## Case (JSON)")[1].split("\n## ")[0]
    case = build_case(json.loads(section.split("```json")[1].split("```")[0]), "the example")
    judged = judge(get_codebook(codebook_dir(), case.codebook), case.run, case.claim, case.coding)
    assert (judged.violations, case.ignored_keys) == ((), ())
    assert judged.derived_tiers == ("T1",)
    keys = {*case_file._TURN_KEYS, *case_file._CLAIM_KEYS, *case_file._RUN_KEYS, *case_file._CASE_KEYS}
    assert sorted(key for key in keys if f"`{key}`" not in section and f".{key}`" not in section) == []
