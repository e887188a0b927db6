"""Scrubbing: nothing hidden is left, spans move right, JSON stays JSON, ordinary words stay."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.blinding.fold import fold_plain
from app.domain.blinding.scrub import Scrubber
from app.domain.blinding.term import Term
from app.domain.blinding.terms import study_terms
from app.domain.canonical import sha256_hex

IDENTITIES = {
    "model": ["acme/zorblax-9-mini-20260115"],
    "arm": ["zeppelin", "q7"],
    "run_id": ["run-1", "x9k"],
    "agent": ["burrow-agent/2.0"],
}
TERMS = study_terms(IDENTITIES, ["housename"], key=b"key")
SCRUBBER = Scrubber(TERMS)
ARM = next(term.placeholder for term in TERMS if term.text == "zeppelin")
RUN = next(term.placeholder for term in TERMS if term.text == "run-1")
CODE = next(term.placeholder for term in TERMS if term.text == "x9k")


def scrubbed(text: str) -> str:
    return SCRUBBER.scrub(text).text


@pytest.mark.parametrize(
    "text",
    [
        *(
            "zeppelin",
            "Zeppelin",
            "ZEPPELIN",
            "zEPPELIN",
            "my_zeppelin",
            "zeppelin-2",
            "src/zeppelin/a.py",
            "a.zeppelin.b",
        ),
        *(
            "zeppelins",
            "runZeppelin",
            "ZeppelinRun",
            "LEDZeppelin",
            "zeppelin2",
            "2zeppelin",
            "ZEPPELINRun",
            "\\nzeppelin",
        ),
        *(
            "zep\x1b[1mpelin",
            "zep\u200bpelin",
            "ｚｅｐｐｅｌｉｎ",
            "zеppelin",
            "%7Aeppelin",
            "\\u007aeppelin",
            "%2Fzeppelin",
        ),
        "--arm=zeppelin",
    ],
)
def test_a_plain_word_is_found_wherever_it_is_a_word(text: str) -> None:
    assert ARM in scrubbed(text)
    assert "zeppelin" not in fold_plain(scrubbed(text))


def test_a_plain_word_inside_another_word_stays_for_the_scan_to_report() -> None:
    assert scrubbed("superzeppelin zeppelinesque") == "superzeppelin zeppelinesque"


@pytest.mark.parametrize(
    "text", ["zorblax-9-mini", "xZorblax-9-MiniX", "zorblax_9_mini", "zorblax 9 mini", "acme/zorblax-9-mini-20260115"]
)
def test_a_mixed_value_is_found_anywhere(text: str) -> None:
    assert "zorblax" not in scrubbed(text).lower()


def test_a_short_code_is_found_only_on_its_own() -> None:
    assert scrubbed("x9k _x9k- runX9k") == f"{CODE} _{CODE}- run{CODE}"
    assert scrubbed("3fx9k1 ax9k x9k0") == "3fx9k1 ax9k x9k0"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("I am Claude, made by Anthropic.", ("claude", "anthropic")),
        ("as an AI assistant developed by Frobnicate Labs I cannot", ("frobnicate",)),
        ("using gpt-4o-2024-08-06, Gemini 2.5 Pro and Sonnet 4.5", ("gpt", "gemini", "sonnet", "2.5")),
        ("model llama-3.1-70b-instruct; qwen2.5-coder-32b; o3-mini", ("llama", "qwen", "o3", "70b")),
        ("frobnic-3-large-20260101 answered", ("frobnic",)),
        (
            "id toolu_01A09q90qw90lq917835lq9 msg_01XFDUDYJgAACzvnptvVoYEL call_9pw3Xk2LmN0aBcDeFgHiJkLm",
            ("toolu", "msg_", "call_9"),
        ),
        ("chatcmpl-eb656a29-537e-44c3-a2a0-6311c6e0a111", ("chatcmpl",)),
        ("Co-Authored-By: Some Bot <bot@frobnic.dev>", ("some bot", "frobnic")),
        ("commit by dependabot[bot]", ("dependabot",)),
        ("Author: Jo Doe <jo@frobnic.dev>\nDate: now", ("jo doe", "frobnic")),
        ("cd /home/jdoe/work && ls /Users/jdoe C:\\Users\\jdoe\\x", ("jdoe",)),
        ('{"cwd": "C:\\\\Users\\\\J Doe\\\\x"}', ("j doe",)),
        ('HOME=/home/jdoe {"cwd": "/home/jdoe"} open("/home/jdoe/x") /home/jdoe.', ("jdoe",)),
        ("-Users-jdoe-project", ("jdoe",)),
        ("mail jo.doe@frobnic.dev now", ("jo.doe", "frobnic")),
        ("jdoe@devbox:~/src$ ls", ("jdoe", "devbox")),
        ("POST https://api.anthropic.com/v1", ("anthropic",)),
        ("connect 10.12.0.5:8080 failed", ("10.12",)),
        (
            "key sk-proj-abc123def456ghi789jkl, AKIAABCDEFGHIJKLMNOP, ghp_abcdefghijklmnopqrstuvwxyz0123456789",
            ("sk-", "akia", "ghp_"),
        ),
        ("Authorization: Bearer abcdef123456789", ("abcdef123",)),
        ("x-request-id: req-9f8e7d6c", ("9f8e7d6c",)),
        ("my knowledge cutoff is April 2024", ("april", "2024")),
        ("run with claude-code, OpenHands and mini-swe-agent", ("claude", "openhands", "swe-agent", "swe agent")),
    ],
)
def test_shapes_that_give_an_author_away_are_hidden(text: str, left: tuple[str, ...]) -> None:
    out = scrubbed(text).lower()
    assert not [word for word in left if word in out]


@pytest.mark.parametrize(
    "text",
    [
        *("octopus, magnum opus, a haiku and a sonnet", "conn.cursor() moves the cursor", "phi = (1 + 5**0.5) / 2"),
        *(
            "import falcon; nova.show(); palm tree; command -v ls",
            "git clone git@github.com:org/repo.git",
            "gcc -O3 -o a a.c",
        ),
        *(
            "user@example.com, a@test.invalid",
            "Chrome/120.0.0.0 v1.2.3.4 127.0.0.1 0.0.0.0 203.0.113.9",
            "a 1.2.3.4.5 b",
        ),
        *(
            "call_initialization_function(run_tests_in_order)",
            "backup-1-20240101.tar.gz",
            "pip install x==1.2.3",
            "x @ w.T + y@z",
        ),
        *(
            "the index of the first run is 0",
            "GET /api/users/17",
            "templates/home/index.html",
            "e3b0c44298fc1c149afbf4c8996fb924",
        ),
        *(
            "minimax search with alpha beta",
            "cohere, grok the pattern, a granite slab",
            "continue; goose chase; the bard",
        ),
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    assert scrubbed(text) == text


def test_the_same_thing_gets_the_same_placeholder_and_the_ledger_never_holds_the_words() -> None:
    out = SCRUBBER.scrub("Zeppelin then zeppelin; jo@frobnic.dev, jo@frobnic.dev", where="t3.text")
    assert out.text.count(ARM) == 2
    assert out.replacements[2].placeholder == out.replacements[3].placeholder
    first = out.replacements[0]
    assert (first.where, first.start, first.end, first.kind) == ("t3.text", 0, 8, "arm")
    assert first.original_sha256 == sha256_hex("Zeppelin")
    assert "frobnic" not in str(out.replacements)


def test_overlapping_terms_become_one_replacement() -> None:
    out = SCRUBBER.scrub("burrow-agent/2.0 and zorblax-9-mini-20260115 to run-1@frobnic.dev")
    assert [one.kind for one in out.replacements] == ["agent", "model", "run"]  # the study's own term names the union
    assert out.text == f"⟨AGENT-1⟩ and ⟨MODEL-1⟩ to {RUN}"


def test_a_word_right_beside_another_hit_is_found_too() -> None:
    assert scrubbed("zeppelinrun-1zeppelin") == f"{ARM}{RUN}{ARM}"


def test_scrubbing_twice_changes_nothing_even_when_a_name_looks_like_a_placeholder() -> None:
    once = scrubbed("run-1, arm zeppelin, model zorblax-9-mini, jo@frobnic.dev")
    assert RUN in once
    assert scrubbed(once) == once


def test_known_spans() -> None:
    text = "ran zeppelin now"  # zeppelin is 4..12
    out = SCRUBBER.scrub(text)
    wide = 4 + len(ARM)
    assert out.map_span(0, 4) == (0, 4)
    assert out.map_span(0, 3) == (0, 3)
    assert out.map_span(4, 12) == (4, wide)
    assert out.map_span(6, 7) == (4, wide)
    assert out.map_span(0, 6) == (0, wide)
    assert out.map_span(8, 16) == (4, wide + 4)
    assert out.map_span(12, 16) == (wide, wide + 4)
    assert out.map_span(13, 13) == (wide + 1, wide + 1)
    with pytest.raises(ValueError, match="not a span"):
        out.map_span(3, 2)


PIECES = st.sampled_from(
    ["zeppelin", "zorblax-9-mini", "run-1", " ", "-", "é", "a", "\x1b[31m", "\u200b", "😀", "\n", "x"]
)
TEXTS = st.lists(PIECES, max_size=14).map("".join)


@settings(deadline=None)
@given(TEXTS, st.data())
def test_what_a_span_covers_is_what_the_moved_span_covers(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    out = SCRUBBER.scrub(text)
    moved_start, moved_end = out.map_span(start, end)
    assert 0 <= moved_start <= moved_end <= len(out.text)
    inside = [one for one in out.replacements if one.start < end and one.end > start and start < end]
    low = min([start, *(one.start for one in inside)])
    high = max([end, *(one.end for one in inside)])
    expected, at = "", low
    for one in inside:
        expected, at = expected + text[at : one.start] + one.placeholder, one.end
    if start < end:
        assert out.text[moved_start:moved_end] == expected + text[at:high]


@settings(deadline=None)
@given(TEXTS)
def test_nothing_is_left_and_the_rest_is_untouched(text: str) -> None:
    out = SCRUBBER.scrub(text)
    rebuilt, at, kept = "", 0, out.text
    for one in out.replacements:
        assert one.start >= at
        rebuilt += text[at : one.start] + one.placeholder
        at = one.end
    assert rebuilt + text[at:] == kept
    assert "zorblax-9-mini" not in fold_plain(kept)
    assert "run-1" not in fold_plain(kept).replace(RUN.lower(), "")
    assert scrubbed(kept) == kept


_leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | TEXTS
    | st.sampled_from(['say "zeppelin"', "\\zeppelin\\", "a\tzeppelin"])
)
_documents = st.recursive(
    _leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)
)


@settings(deadline=None)
@given(_documents, st.booleans())
def test_json_stays_json_of_the_same_shape_with_keys_and_values_scrubbed(document: object, raw: bool) -> None:
    text = json.dumps(document, ensure_ascii=raw)
    out = SCRUBBER.scrub_json(text).text
    after = json.loads(out)
    assert shape(after) == shape(document) or isinstance(document, dict)
    assert "zorblax" not in json.dumps(after, ensure_ascii=False).lower()
    assert after == json.loads(json.dumps(cleaned(document)))


def shape(value: object) -> object:
    if isinstance(value, list):
        return [shape(one) for one in value]
    return len(value) if isinstance(value, dict) else type(value).__name__


def cleaned(value: object) -> object:
    if isinstance(value, str):
        return scrubbed(value)
    if isinstance(value, list):
        return [cleaned(one) for one in value]
    return {scrubbed(k): cleaned(v) for k, v in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("text", ['{"a": "zeppelin', "zeppelin", "[" * 100_000 + "zeppelin", '{"a": 1} zeppelin', ""])
def test_arguments_that_are_not_json_are_scrubbed_as_text(text: str) -> None:
    assert SCRUBBER.scrub_json(text).text == text.replace("zeppelin", ARM)


def test_a_shape_does_not_reach_over_the_end_of_a_json_string() -> None:
    text = json.dumps({"log": "Co-Authored-By: Jo", "next": "stays", "list": ["Author: ", "<b>"]})
    after = json.loads(SCRUBBER.scrub_json(text).text)
    assert (after["next"], after["list"]) == ("stays", ["Author: ", "<b>"])
    assert "Jo" not in after["log"]
    greedy = Scrubber((Term("start.*", "term", "TERM", "pattern"),))
    assert json.loads(greedy.scrub_json('{"a": "start of it", "b": "stays"}').text)["b"] == "stays"


def test_an_escape_is_replaced_whole() -> None:
    text = '{"\\u007aeppelin": "\\nzeppelin\\u0021", "nested": "{\\"a\\": \\"zeppelin\\"}"}'
    assert json.loads(SCRUBBER.scrub_json(text).text) == {ARM: f"\n{ARM}!", "nested": f'{{"a": "{ARM}"}}'}


WORST = [
    "plain words of a log ",
    "zeppelin ",
    "zeppeli",
    "a@",
    "jo@frobnic.dev ",
    "/home/",
    "sk-",
    "eyJ.",
    "-by: ",
    "\x1b]0",
    "é\u200b",
]


@pytest.mark.parametrize(
    "piece",
    [*WORST, "msg_aaaaaaaaaaaaaaaa", "aaaaaaaa", "a-a-a-3-20260101x", "1.2.3.4", "gpt-4", '"', "[bot]", "\\u00"],
)
def test_two_hundred_kilobytes_scrub_well_under_a_second_with_two_hundred_terms(piece: str) -> None:
    many = study_terms({"run_id": [f"session-{i:04d}x" for i in range(200)], "arm": ["zeppelin"]}, key=b"k")
    scrubber = Scrubber(many)
    text = piece * (200_000 // len(piece))
    took = min(timed(scrubber, text) for _ in range(2))
    assert took < 0.9


def timed(scrubber: Scrubber, text: str) -> float:
    begin = time.process_time()
    scrubber.scrub(text)
    return time.process_time() - begin
