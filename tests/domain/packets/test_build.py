"""Blinding a run: the allow-list holds, no canary is left in any byte, spans and positions stay right."""

from __future__ import annotations

import json
import random
from dataclasses import fields, replace

import pytest

from app.domain.blinding.fold import fold_plain
from app.domain.blinding.leaks import scan
from app.domain.blinding.scrub import Replacement, Scrubber
from app.domain.blinding.seal import blind_id
from app.domain.blinding.terms import study_terms
from app.domain.claims.claim import Claim
from app.domain.errors import BadInput
from app.domain.packets.build import blind_claim, blind_coverage, blind_turns
from app.domain.packets.packet import BlindCall, BlindClaim, BlindResult, BlindTurn
from app.domain.turnlog.run import Gap
from app.domain.turnlog.turns import ToolCall, Turn
from tests.domain.packets.planted import CANARIES, IDENTITIES, LISTED, UNLISTED, planted_run, sentence

KEY = b"the study's key"
TERMS = study_terms(IDENTITIES, LISTED, key=KEY)
SCRUBBER = Scrubber(TERMS)


def served(turns: list[BlindTurn]) -> str:
    return json.dumps([turn.as_dict() for turn in turns], ensure_ascii=False)


def test_no_canary_is_left_in_the_served_json() -> None:
    text = served(blind_turns(planted_run(), SCRUBBER))
    folded = fold_plain(text.replace("\\\\", "\\"))
    parts = ("canaryvendor", "canary-model-9", "canary_file_8", "canary-source", "canary-agent")
    for canary in (*CANARIES.values(), *LISTED, *UNLISTED, *parts):
        assert canary.lower() not in folded
    assert "canary" not in folded
    assert scan([("turns", text), ("ascii", json.dumps(text))], TERMS) == []


def test_what_base64_hides_is_for_the_scan_to_report() -> None:
    run = [replace(turn, text=sentence(encoded=True)) for turn in planted_run()[:1]]
    findings = scan([("turns", served(blind_turns(run, SCRUBBER)))], TERMS)
    assert {finding.reading for finding in findings} == {"base64"}
    known = {term.text: term.placeholder for term in TERMS if term.origin == "study"}
    assert {finding.placeholder for finding in findings} >= {known[value.lower()] for value in CANARIES.values()}


def test_the_allow_list_is_all_there_is() -> None:
    shown = {
        BlindTurn: "turn role kind thread speaker text reasoning calls results attachments offset_seconds in_context",
        BlindCall: "key name args args_ok",
        BlindResult: "key name output match bytes is_error error_kind exit_code truncated truncated_by",
        BlindClaim: "blind_claim_id blind_run_id turn target span_start span_end text resolved_text unit_parts"
        " repeat_of polarity scope_end_turn conditional condition_turn claim_source",
    }
    for kind, names in shown.items():
        assert [field.name for field in fields(kind)] == names.split()
    assert {tuple(one) for turn in blind_turns(planted_run(), SCRUBBER) for one in turn.attachments} == {
        ("kind", "mime", "bytes")
    }


def test_positions_speakers_threads_and_times() -> None:
    turns = blind_turns(planted_run(), SCRUBBER)
    assert [turn.turn for turn in turns] == list(range(7))
    assert [turn.speaker for turn in turns] == ["system", "user", "agent", "tool", "agent", "harness", "agent"]
    assert [turn.thread for turn in turns] == ["main"] * 4 + ["thread-1", "main", "thread-2"]
    assert [turn.offset_seconds for turn in turns] == [0.0, None, 2.5, None, 0.0, None, None]
    assert [turn.in_context for turn in turns] == [True] * 5 + [False, True]
    assert blind_turns([], SCRUBBER) == []


def test_without_any_time_there_is_no_offset() -> None:
    assert {turn.offset_seconds for turn in blind_turns([replace(t, ts=None) for t in planted_run()], SCRUBBER)} == {
        None
    }


def test_call_keys_are_positions_and_results_keep_their_call() -> None:
    turns = blind_turns(planted_run(), SCRUBBER)
    assert [call.key for call in turns[2].calls] == ["t2.c0", "t2.c1"]
    assert [result.key for result in turns[3].results] == ["t2.c0", "t2.c1", None]
    assert [result.match for result in turns[3].results] == ["id", "order", "none"]
    assert [result.exit_code for result in turns[3].results] == [0, 2, None]
    assert (turns[3].results[1].truncated, turns[3].results[1].truncated_by) == (True, "source")
    assert turns[2].calls[0].name == "⟨ARM-1⟩_shell"
    assert turns[2].calls[1].name == "shell"


def test_arguments_and_json_results_stay_json() -> None:
    turns = blind_turns(planted_run(), SCRUBBER)
    assert json.loads(turns[2].calls[0].args or "")["n"] == 3
    assert json.loads(turns[3].results[1].output or "")["n"] == 3


def test_null_and_empty_texts_stay_apart() -> None:
    turn = Turn("s", 0, "assistant", text=None)
    assert blind_turns([turn], SCRUBBER)[0].text is None
    assert blind_turns([replace(turn, text="")], SCRUBBER)[0].text == ""


def test_input_order_does_not_matter_and_two_runs_are_refused() -> None:
    run = planted_run()
    mixed = random.Random(1).sample(run, len(run))
    assert blind_turns(mixed, SCRUBBER) == blind_turns(run, SCRUBBER)
    with pytest.raises(ValueError, match="several runs"):
        blind_turns([run[0], replace(run[1], session_id="another")], SCRUBBER)


def test_the_ledger_says_where_and_what_without_the_words() -> None:
    ledger: list[Replacement] = []
    blind_turns(planted_run(), SCRUBBER, ledger, place="9f3a ")
    places = {"9f3a t0.text", "9f3a t2.reasoning", "9f3a t2.c0.name", "9f3a t2.c0.args", "9f3a t3.r0.output"}
    assert {entry.where for entry in ledger} >= places
    assert "canary" not in str(ledger).lower()
    assert all(len(entry.original_sha256) == 64 for entry in ledger)


def claim_on(turn: Turn, target: str, text: str, words: str, **more: object) -> Claim:
    start = text.index(words)
    return Claim("canary-claim-1", turn.session_id, turn.turn_index, target, start, start + len(words), words, **more)  # type: ignore[arg-type]


def test_a_claim_in_words_moves_with_its_text() -> None:
    text = "Before canaryarm. I ran canary-run-42 to the end. After."
    turn = replace(planted_run()[4], text=text)
    words = "I ran canary-run-42 to the end."
    claim = claim_on(turn, "text", text, words, resolved_text="Canary-run-42 was run", repeat_of="c0", unit_parts=2)
    blind, shown = blind_claim(claim, turn, SCRUBBER, KEY), blind_turns([turn], SCRUBBER)[0]
    assert blind.text == (shown.text or "")[blind.span_start : blind.span_end]
    assert blind.text.startswith("I ran ⟨RUN-")
    assert blind.text.endswith("⟩ to the end.")
    assert "canary" not in json.dumps(blind.__dict__).lower()
    assert blind.blind_claim_id == blind_id(KEY, "canary-claim-1")
    assert blind.blind_run_id == blind_id(KEY, CANARIES["session_id"])
    assert blind.repeat_of == blind_id(KEY, "c0")
    assert (blind.turn, blind.target, blind.unit_parts) == (4, "text", 2)


def test_a_claim_inside_arguments_moves_with_them() -> None:
    args = json.dumps({"a": "mail\njo@frobnic.dev", "message": "Done: “canary-run-42”\nall pass", "z": "canaryarm"})
    turn = replace(planted_run()[2], tool_calls=(ToolCall("native-key-1", "finish", args),))
    words = args[args.index("Done") : args.index('", "z"')]
    blind = blind_claim(claim_on(turn, "args:native-key-1", args, words), turn, SCRUBBER, KEY)
    shown = blind_turns([turn], SCRUBBER)[0].calls[0].args or ""
    assert blind.target == "args:t2.c0"
    assert blind.text == shown[blind.span_start : blind.span_end]
    assert blind.text.endswith("all pass")
    assert blind.text.startswith("Done: ")


def test_a_replacement_over_the_edge_of_a_claim_is_included_whole() -> None:
    text = "arm canaryarm wins"
    turn = replace(planted_run()[4], text=text)
    blind = blind_claim(claim_on(turn, "text", text, "arm wins"), turn, SCRUBBER, KEY)
    assert blind.text == "⟨ARM-1⟩ wins"


def test_a_claim_that_does_not_cut_its_text_is_refused_by_name() -> None:
    turn = replace(planted_run()[4], text="one two")
    good = claim_on(turn, "text", "one two", "two")
    for bad in (
        replace(good, span_start=3, span_end=6),
        replace(good, target="reasoning"),
        replace(good, target="args:t9.c9"),
        replace(good, turn_index=3),
        replace(good, span_start=7, span_end=7, text=""),
    ):
        with pytest.raises(BadInput, match="canary-claim-1"):
            blind_claim(bad, replace(turn, reasoning=None), SCRUBBER, KEY)


def test_tool_channels_are_scrubbed_like_tool_names() -> None:
    coverage, gaps = blind_coverage(
        {"shell": "full", "tool:canaryarm_search": "gapped"}, [Gap("tool:canaryarm_search", 2, 4)], SCRUBBER
    )
    assert coverage == {"shell": "full", "tool:⟨ARM-1⟩_search": "gapped"}
    assert gaps == (Gap("tool:⟨ARM-1⟩_search", 2, 4),)
