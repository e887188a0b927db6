"""Folding: what is read is right, and every read stretch maps back to exactly what it was read from."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.blinding.fold import WALL, fold, fold_json, fold_plain

AS_STORED = [
    ("zep\x1b[1;31mpelin\x1b[0m", "zeppelin"),
    ("zep\u200bpe\u2060lin\ufeff", "zeppelin"),
    ("ｚｅｐｐｅｌｉｎ", "zeppelin"),
    ("𝐙eppelin", "zeppelin"),
    ("zеppеlіn", "zeppelin"),  # Cyrillic е, е, і
    ("zéppelin", "zeppelin"),
    ("ze\u0301ppelin", "zeppelin"),
    ("zep\x00pelin", "zeppelin"),
    ("zep\\u001b[31mpelin", "zeppelin"),
    ("zep\\x1b[31mpelin", "zeppelin"),
    ("zep\\033[31mpelin", "zeppelin"),
    ("\\u007aeppelin", "zeppelin"),
    ("%7Aeppelin", "zeppelin"),
    ("zep\u00adpelin", "zeppelin"),
    ("run\u20117", "run-7"),
    ("\x1b]0;title\x07zeppelin", "zeppelin"),
    ("100% effort %s %d", "100% effort %s %d"),
    ("C:\\new\\table", "c:\\new\\table"),
    ("naïve 数据", "naive 数据"),
]


@pytest.mark.parametrize(("stored", "read"), AS_STORED)
def test_disguises_are_read_through(stored: str, read: str) -> None:
    assert fold_plain(stored) == read


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from('aZ\x1b[31m \\u0061%7Aéе\u200b①İß數\n"')))
def test_pieces_map_back_in_order_without_overlap(text: str) -> None:
    folded = fold(text)
    assert len(folded.cased) == len(folded.lower)
    last = 0
    for at in range(len(folded.cased)):
        start, end = folded.origin(at, at + 1)
        assert 0 <= start < end <= len(text)
        assert end >= last
        last = end


@settings(deadline=None)
@given(st.text())
def test_plain_ascii_maps_to_itself(text: str) -> None:
    plain = "".join(char for char in text if char.isascii() and char.isprintable() and char not in "\\%")
    folded = fold(plain)
    assert folded.cased == plain
    assert all(folded.origin(at, at + 1) == (at, at + 1) for at in range(len(plain)))


_leaves = st.none() | st.booleans() | st.integers() | st.text()
_documents = st.recursive(_leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)


@settings(deadline=None)
@given(_documents, st.booleans())
def test_json_strings_are_read_unescaped_and_walled_off(document: object, raw: bool) -> None:
    text = json.dumps(document, ensure_ascii=not raw)
    folded = fold_json(text)
    for at, char in enumerate(folded.cased):
        if char != WALL:
            start, end = folded.origin(at, at + 1)
            changed = text[:start] + "x" + text[end:]
            json.loads(changed)


def test_a_long_text_folds_in_linear_time() -> None:
    for piece in ("plain words ", "\x1b]", "\x1b[31mé\u200b", "\\u00", "%7", "данные "):
        text = piece * (200_000 // len(piece))
        begin = time.perf_counter()
        fold(text)
        assert time.perf_counter() - begin < 2.0
