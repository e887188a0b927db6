"""Where the prose of a message stands and where its sentences end."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.claims.prose import prose_blocks, split_sentences

calm = settings(deadline=None)

FORMS = (
    *("# Head\n", "```\n", "x = 1\n", "\n", "- item. ", "1. One", "All pass!", " e.g. this", "@@ -1 +1 @@\n", "+a\n"),
    *(
        "| a | ✅ |\n",
        "|---|---|\n",
        "    code\n",
        "> quoted\n",
        "<think>",
        "</think>\n",
        "`a. b` ",
        "👍 Ok.\n",
        "\r\n",
        "?",
    ),
)
PIECES = st.lists(st.sampled_from(FORMS) | st.text(max_size=8), max_size=25)


def sentences(text: str) -> list[str]:
    return [text[a:b] for a, b in split_sentences(text, 0, len(text))]


def blocks(text: str) -> list[tuple[str, str]]:
    return [(block.kind, text[block.start : block.end]) for block in prose_blocks(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I ran it. It passed.", ["I ran it.", "It passed."]),
        ("See https://a.b/c.d?x=1.2 now. Done.", ["See https://a.b/c.d?x=1.2 now.", "Done."]),
        ("Bumped v1.2.3 to v1.3. Tests pass.", ["Bumped v1.2.3 to v1.3.", "Tests pass."]),
        ("Edited src/a.b.py. Then ran it.", ["Edited src/a.b.py.", "Then ran it."]),
        ("Used `a. B! c` here. Done.", ["Used `a. B! c` here.", "Done."]),
        ("Used a tool, e.g. Ruff, etc. and more.", ["Used a tool, e.g. Ruff, etc. and more."]),
        ("Fig. 2 shows it. No. 5 too.", ["Fig. 2 shows it.", "No. 5 too."]),
        ("Great! All tests pass.", ["Great!", "All tests pass."]),
        ("Wait... it failed. Hm.", ["Wait... it failed.", "Hm."]),
        ('It returns "??" as a fallback. Good.', ['It returns "??" as a fallback.', "Good."]),
        ("He said (twice!). Then left.", ["He said (twice!).", "Then left."]),
        ("**Done.** All pass.", ["**Done.**", "All pass."]),
        ("1. It works", ["1. It works"]),
        ("J. Smith ran it. Yes.", ["J. Smith ran it.", "Yes."]),
        ("Fixed the bug\nAll tests pass", ["Fixed the bug", "All tests pass"]),
        (f"{'word ' * 14}goes\nOn in the next line.", [f"{'word ' * 14}goes\nOn in the next line."]),
        ("fixed it and\nthe rest", ["fixed it and\nthe rest"]),
        ("Erledigt… Alles grün.", ["Erledigt…", "Alles grün."]),
        ("", []),
        ("  \n ", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# All tests pass\nI ran it.", [("prose", "I ran it.")]),
        ("**Summary:**\nI ran it.", [("prose", "I ran it.")]),
        ("**All tests pass.**", [("prose", "**All tests pass.**")]),
        ("```python\nI ran it.\n```\nDone.", [("prose", "Done.")]),
        ("~~~\n```\nx\n~~~\nDone.", [("prose", "Done.")]),
        ("```\nnever closed. I ran it.", []),
        ("Text.\n\n    code here\n\nMore.", [("prose", "Text."), ("prose", "More.")]),
        ("- a\n\n    still a", [("item", "a"), ("prose", "    still a")]),
        ("diff --git a/x b/x\n@@ -1 +1 @@\n-I ran it.\n+I ran it.\nDone.", [("prose", "Done.")]),
        ("- one\n- two\n  more two\n1. three", [("item", "one"), ("item", "two\n  more two"), ("item", "three")]),
        ("- [x] ran it\n- [ ] ship it", [("ticked", "ran it"), ("unticked", "ship it")]),
        ("✅ ran it", [("ticked", "✅ ran it")]),
        ("| task | state |\n|---|---|\n| docs | done |\n| ship | open |", [("row", "| docs | done |")]),
        ("> you said so\nYes.", [("prose", "Yes.")]),
        ("The output was:\n```\n38 passed\n```", [("prose", "The output was:"), ("output", "38 passed")]),
        ("Run this:\n```\npytest\n```", [("prose", "Run this:")]),
        ("Go <function=bash>\n<parameter=c>I ran it.</parameter>\n</function>\nDone.", [("prose", "Done.")]),
        ("<think>\nI ran it.\n</think>\nDone.", [("prose", "Done.")]),
        ("a\n---\nb", [("prose", "a"), ("prose", "b")]),
        ("a\r\n\r\nb", [("prose", "a\r"), ("prose", "b")]),
    ],
)
def test_what_is_not_prose_is_left_out(text: str, expected: list[tuple[str, str]]) -> None:
    assert blocks(text) == expected


@calm
@given(PIECES)
def test_blocks_and_sentences_are_ordered_ranges_of_the_text_itself(pieces: list[str]) -> None:
    text = "".join(pieces)
    end = 0
    for block in prose_blocks(text):
        assert end <= block.start < block.end <= len(text)
        end = block.end
        last = block.start
        for a, b in split_sentences(text, block.start, block.end):
            assert last <= a < b <= block.end
            assert text[a:b] == text[a:b].strip() != ""
            last = b


@calm
@given(PIECES)
def test_no_word_of_a_block_is_lost_between_sentences(pieces: list[str]) -> None:
    text = "".join(pieces)
    for block in prose_blocks(text):
        kept = "".join(text[a:b] for a, b in split_sentences(text, block.start, block.end))
        assert "".join(kept.split()) == "".join(text[block.start : block.end].split())
