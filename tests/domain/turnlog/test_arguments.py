"""The map between a call's argument source and what a person reads of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.turnlog.arguments import argument_parts, decode_span, find_readable

calm = settings(deadline=None)  # a busy machine is no fault of the text
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


@calm
@given(VALUES, st.booleans())
def test_every_leaf_is_found_in_order_with_its_text(value: Any, ascii_only: bool) -> None:
    source = json.dumps(value, ensure_ascii=ascii_only)
    expected = [leaf if isinstance(leaf, str) else json.dumps(leaf) for leaf in leaves(value)]
    assert [part.text for part in argument_parts(source)] == expected


@calm
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.booleans(), st.data())
def test_a_readable_range_and_its_raw_range_are_two_views_of_one_text(
    text: str, ascii_only: bool, data: st.DataObject
) -> None:
    source = json.dumps({"message": text}, ensure_ascii=ascii_only)
    [part] = argument_parts(source)
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    raw = part.raw_span(start, end)
    assert json.loads('"' + source[slice(*raw)] + '"') == text[start:end]
    assert part.readable_span(*raw) == (start, end)
    assert decode_span(source, *raw) == text[start:end]


@calm
@given(st.text(alphabet='{}[]",:\\u0d8e1 truefalsn\n\t-.E+', max_size=30))
def test_only_what_is_json_is_taken_apart(source: str) -> None:
    try:
        json.loads(source, strict=False)
    except ValueError:
        assert [(part.path, part.text) for part in argument_parts(source)] == [("", source)]
    else:
        assert all(part.text != source or not part.path for part in argument_parts(source))


def test_paths_say_where_a_leaf_stands() -> None:
    source = '{"todos": [{"content": "a", "a b": 1}], "": {"x.y": true}, "n": [[null]]}'
    paths = [part.path for part in argument_parts(source)]
    assert paths == ["todos[0].content", 'todos[0]."a b"', '""."x.y"', "n[0][0]"]


@pytest.mark.parametrize("source", ["", "{", "[1,]", '{"a" 1}', '{"a": 1} x', "01", '"\\x"', "ls -la", "{'a': 1}"])
def test_broken_arguments_are_one_part_as_they_stand(source: str) -> None:
    [part] = argument_parts(source)
    assert (part.path, part.text, part.raw_start, part.raw_end) == ("", source, 0, len(source))


def test_half_a_surrogate_pair_reads_as_one_replacement_character() -> None:
    source = '{"a": "x\\ud83dy\\ud83d\\ude00"}'
    [part] = argument_parts(source)
    assert part.text == "x\ufffdy😀"
    assert source[slice(*part.raw_span(3, 4))] == "\\ud83d\\ude00"


def test_a_span_that_cuts_an_escape_takes_it_whole() -> None:
    source = '{"a": "x\\ny"}'
    assert decode_span(source, 7, 9) == "x\n"
    assert decode_span(source, 9, 11) == "\ny"


def test_a_span_over_several_leaves_reads_with_their_names() -> None:
    source = '{"content": "Test the layout", "status": "completed"}'
    assert decode_span(source, 0, len(source) - 1) == "content: Test the layout; status: completed"


def test_punctuation_alone_reads_as_it_stands() -> None:
    assert decode_span('{"a": []}', 0, 9) == '{"a": []}'


def test_very_deep_arguments_are_left_as_they_are() -> None:
    source = "[" * 100_000 + "]" * 100_000
    [part] = argument_parts(source)
    assert part.text == source


def test_a_text_is_found_as_written_and_as_read() -> None:
    source = json.dumps({"a": 'say "hi"\nnow', "b": "now"}, ensure_ascii=True)
    assert [source[a:b] for a, b in find_readable(source, 'say "hi"\nnow')] == ['say \\"hi\\"\\nnow']
    assert len(find_readable(source, "now")) == 2
    assert find_readable(source, "") == []
    assert find_readable(source, "absent") == []
