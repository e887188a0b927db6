"""The transcript loses nothing, runs nothing, folds nothing silently, and marks the claim exactly."""

from __future__ import annotations

import html as html_module
import json
import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.web.ansi import read_ansi
from app.web.blocks import OUTPUT, TROUBLED, WORDS, draw_output, draw_words, human_size
from app.web.calls import draw_arguments, edit_size, read_leaves
from app.web.diffs import line_classes
from app.web.layout import cut_json, cut_lines, plan_folds
from app.web.markup import Stretch, paint, visible
from app.web.transcript import TranscriptView, read_transcript
from app.web.turn_markup import draw_turns
from tests.web import sample_pages as sample

SUMMARY = re.compile(r"<summary>.*?</summary>")
CONTROL = re.compile(r'<span class="ctl" data-u="([0-9a-f]+)"[^>]*>[^<]*</span>')
TAG = re.compile(r"<[^>]*>")


def source_of(markup: str) -> str:
    """The text a reader was given, read back from the markup: labels become their characters again."""
    text = CONTROL.sub(lambda found: f"&#x{found.group(1)};" if int(found.group(1), 16) > 0x9F else
                       f"\ue000{found.group(1)}\ue001", SUMMARY.sub("", markup))  # fmt: skip
    plain = html_module.unescape(TAG.sub("", text))
    return re.sub("\ue000([0-9a-f]+)\ue001", lambda found: chr(int(found.group(1), 16)), plain)


# U+E000/E001 are this test's own marks, and the HTML parser here refuses surrogates.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\ue000\ue001"), max_size=300)
pieces = [
    "\x1b[31m",
    "\x1b[0m",
    "\n" * 40,
    "x" * 5000,
    "@@ -1 +1 @@\n-a\n+b\n",
    "`a`",
    "```\nb\n```\n",
    "\r\n",
    "error\n",
]
logs = st.lists(st.one_of(texts, st.sampled_from(pieces)), max_size=12).map("".join)


@given(logs)
def test_every_character_of_an_output_is_there(output: str) -> None:
    for shape in (OUTPUT, TROUBLED):
        assert source_of(draw_output(output, shape)) == read_ansi(output)[0]


@given(logs, st.data())
def test_every_character_of_words_is_there_and_the_mark_cuts_the_claim(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    claim = (Stretch(start, end, "claim", mark=True, anchor="claim"),) if end > start else ()
    drawn = str(draw_words(text, claim))
    assert source_of(drawn) == text
    marked = "".join(re.findall(r"<mark[^>]*>(.*?)</mark>", drawn, re.DOTALL))
    assert source_of(marked) == text[start:end]
    assert drawn.count(' id="claim"') == len(claim)
    folded = "".join(re.findall(r"<details.*?</details>", drawn, re.DOTALL))
    assert "<mark" not in folded


@given(texts)
def test_nothing_hidden_and_no_live_markup_reaches_the_page(text: str) -> None:
    drawn = str(visible(text))
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]", drawn)
    assert "<" not in CONTROL.sub("", drawn)


def test_lone_surrogates_are_labelled_for_no_page_could_carry_them() -> None:
    drawn = str(visible("a\ud800b"))
    assert "U+D800" in drawn
    drawn.encode("utf-8")


def test_hostile_output_is_shown_not_run() -> None:
    drawn = str(draw_output(sample.HOSTILE, OUTPUT))
    assert "&lt;script&gt;" in drawn
    for label in ("⟨RLO⟩", "⟨PDF⟩", "⟨BEL⟩", "⟨ESC⟩", "⟨ZWSP⟩"):
        assert label in drawn


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=20),
                    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=8), inner, max_size=6),
                    max_leaves=40))  # fmt: skip
def test_laid_out_json_is_the_same_text(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False)
    lines = cut_json(text)
    if lines is not None:
        assert "".join(text[line.start : line.end] for line in lines) == text
        assert [line.start for line in lines[1:]] == [line.end for line in lines[:-1]]


def test_json_keeps_its_numbers_and_doubled_keys() -> None:
    text = '{"n": 1.10e3, "n": 1E400, "list": [1, 2, 3], "deep": {"a": {"b": "' + "x" * 80 + '"}}}'
    lines = cut_json(text)
    assert lines is not None
    assert [text[x.start : x.end].strip() for x in lines][:4] == [
        "{",
        '"n": 1.10e3,',
        '"n": 1E400,',
        '"list": [1, 2, 3],',
    ]
    assert max(line.indent for line in lines) == 3


def test_a_diff_is_classed_by_its_own_line_counts() -> None:
    text = f"{sample.DIFF}- a bullet, not a removal\n"
    classes = line_classes(text.splitlines())
    assert classes == ["file", "file", "file", "hunk", "", "del", "add", ""]
    drawn = str(draw_output(sample.DIFF, OUTPUT))
    assert '<span class="l del">-    return 1\n</span>' in drawn


@given(st.text(alphabet="ab\n\r", max_size=400))
def test_lines_are_cuts_into_the_text(text: str) -> None:
    lines = cut_lines(text)
    assert "".join(text[line.start : line.end] for line in lines) == text


@given(st.integers(0, 3000), st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 3000)), max_size=4))
def test_folds_cover_every_line_once(n: int, kept: list[tuple[int, int]]) -> None:
    folds = plan_folds(n, kept, 8)
    assert [line for fold in folds for line in range(fold.first, fold.last)] == list(range(n))
    hidden = {line for fold in folds if fold.folded for line in range(fold.first, fold.last)}
    assert not any(line in hidden for a, b in kept for line in range(a, min(b, n)))


def test_a_fold_says_what_it_hides() -> None:
    output = (
        "".join(f"line {n}\n" for n in range(100)) + "ERROR: disk full\n" + "".join(f"end {n}\n" for n in range(12))
    )
    drawn = str(draw_output(output, OUTPUT))
    # 113 lines: 6 open at the head, 6 at the tail, 7-107 folded.
    hidden = "".join(output.splitlines(keepends=True)[6:107])
    expected = f"<summary>lines 7–107 of 113 · {human_size(len(hidden))} · 1 line with an error word</summary>"
    assert expected in drawn


def test_a_failed_result_shows_more_and_says_so() -> None:
    view = read(results=[("t2.c0", "x\n" * 60, 1)])
    block = next(b for t in view.turns for b in t.blocks if b.kind == "output" and b.troubled)
    assert block.facts[0] == "exit 1"
    assert "lines 13–36 of 60" in block.body
    assert view.has_errors


def test_ansi_becomes_classes_and_other_sequences_stay_text() -> None:
    text, stretches = read_ansi("\x1b[1;31mbad\x1b[22m still red\x1b[0m \x1b[38;5;196mplain\x1b[m\x1b[2K")
    assert text == "bad still red plain\x1b[2K"
    assert [(s.start, s.end, s.css) for s in stretches] == [(0, 3, "f-red a-bold"), (3, 13, "f-red")]


def test_layers_cross_without_losing_either() -> None:
    drawn = paint("abcdef", 0, 6, ([Stretch(0, 4, "one")], [Stretch(2, 6, "two", mark=True, anchor="here")]))
    assert drawn == (
        '<span class="one">ab</span><mark class="two" id="here"><span class="one">cd</span></mark>'
        '<mark class="two">ef</mark>'
    )


def read(**more: Any) -> TranscriptView:
    turns = sample.run()
    if "results" in more:
        turns[3] = sample.turn(3, "tool", kind="tool_result", results=more.pop("results"))
    return read_transcript(turns, sample.claim(**more), tiers=sample.tiers())


def test_calls_and_results_name_each_other() -> None:
    view = read()
    call = next(b for b in view.turns[2].blocks if b.kind == "call")
    answer = next(b for b in view.turns[3].blocks if b.kind == "output")
    assert (call.link, answer.link) == (3, 2)
    orphan = next(b for b in view.turns[8].blocks if b.kind == "output")
    assert "no call in this log asked for it" in orphan.facts
    assert (view.n_shown, view.n_turns) == (12, 12)


def test_a_call_without_a_result_says_so() -> None:
    turns = [sample.turn(0, "assistant", "Go.", calls=[("shell", {"command": "x"})])]
    view = read_transcript(turns, sample.claim(turn=0, span_start=0, span_end=2), tiers={})
    assert "no result in this log" in view.turns[0].blocks[1].facts


def test_what_was_cut_before_import_is_told() -> None:
    cut = sample.result("t2.c0", "abc", truncated=True, truncated_by="source") | {"bytes": 90_000}
    view = read_transcript([sample.turn(0, "tool") | {"results": [cut]}], sample.claim(turn=0), tiers={})
    assert view.turns[0].blocks[0].facts == ("exit 0", "1 line", "90.0 kB", "cut by the source: 3 B of it held here")


def test_the_claim_stands_between_before_and_after() -> None:
    view = read()
    claim_turn = view.turns[9]
    assert [m.kind for m in claim_turn.before] == ["before-claim"]
    assert [m.kind for m in claim_turn.after] == ["after-claim"]
    assert "claim-turn" in claim_turn.css
    assert "is-before" in view.turns[8].css
    assert "is-after" in view.turns[10].css


def test_window_gap_and_thread_are_drawn_where_they_are() -> None:
    bench = sample.bench()
    view = read_transcript(bench.turns, bench.claim, tiers=bench.tiers, gaps=bench.gaps, window=bench.window)
    before = {t.turn: [m.text for m in t.before] for t in view.turns if t.before}
    assert before[10] == ["not recorded from here: sub_agents, turns 10–11", "the intent's window opens: turn 10"]
    assert before[11] == ["thread: helper-1"]
    assert "in-window" in view.turns[10].css
    assert "in-window" not in view.turns[11].css
    assert [m.text for m in view.turns[10].after] == ["the intent's window closes: the next user turn"]


def test_a_claim_in_escaped_arguments_is_marked_where_people_read_it() -> None:
    call = sample.run()[4]["calls"][0]
    start = call["args"].index("return 2")
    end = start + len(r"return 2\n    # why")
    leaves = read_leaves(call["args"], (Stretch(start, end, "claim", mark=True, anchor="claim"),))
    drawn = str(draw_arguments(leaves))
    marked = "".join(re.findall(r"<mark[^>]*>(.*?)</mark>", drawn, re.DOTALL))
    assert marked == "return 2\n    # why"
    assert drawn.count('id="claim"') == 1


def test_edits_show_both_sides_signed() -> None:
    leaves = read_leaves(sample.run()[4]["calls"][0]["args"], ())
    assert edit_size(leaves) == "+2 −1"
    drawn = str(draw_arguments(leaves))
    assert '<span class="l del">    return 1\n</span>' in drawn
    assert '<span class="l add">    # why\n</span>' in drawn


def test_arguments_that_are_no_json_are_shown_as_they_came() -> None:
    leaves = read_leaves('{"command": "x', ())
    assert [leaf.text for leaf in leaves] == ['{"command": "x']
    doubled = read_leaves('{"a": "1", "a": "2"}', ())
    assert [(leaf.path, leaf.text) for leaf in doubled] == [("a", "1"), ("a", "2")]


def test_private_reasoning_is_marked_as_such() -> None:
    block = read().turns[2].blocks[0]
    assert (block.kind, source_of(str(block.body))) == ("reasoning", "start small")


def test_a_long_report_keeps_its_claim_in_sight() -> None:
    text = "filler\n" * 300 + "the claim" + "\nfiller" * 300
    start = text.index("the claim")
    drawn = str(draw_words(text, (Stretch(start, start + 9, "claim", mark=True, anchor="claim"),), WORDS))
    outside = re.sub(r"<details.*?</details>", "", drawn, flags=re.DOTALL)
    assert "<mark" in outside


def long_run(n: int) -> list[dict[str, Any]]:
    base = sample.run()[1:9]
    turns = []
    for number in range(n):
        one = base[number % len(base)]
        results = [r | {"output": f"{number}\n{r['output']}"} for r in one["results"]]
        turns.append(one | {"turn": number, "results": results, "text": one["text"] and f"{one['text']} {number}"})
    return turns


@pytest.mark.parametrize("n", [7000])
def test_a_run_of_seven_thousand_turns_is_drawn_in_well_under_a_second_and_a_half(n: int) -> None:
    turns = long_run(n)
    claim = sample.claim(turn=n - 8, span_start=0, span_end=3)
    began = time.process_time()
    drawn = draw_turns(read_transcript(turns, claim, tiers={}), {}, citing=True)
    assert time.process_time() - began < 1.5
    assert drawn.count('<li class="turn ') == n
    assert 'class="turns is-long"' in drawn
