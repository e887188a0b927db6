"""`saydo codebook diff`: two versions, two files, one of each; words marked; the counts of the page."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from app.domain.codebook.difference import difference_of
from app.readers.codebook_file import get_codebook
from tests.cli.test_codebook import FOLDER, Call, saydo
from tests.domain.codebook.test_third_codebook import ACME

__all__ = ["saydo"]


@pytest.fixture
def acme(tmp_path: Path) -> Path:
    path = tmp_path / "acme-1.0.yaml"
    path.write_text(ACME, encoding="utf-8")
    return path


@pytest.mark.parametrize(("a", "b"), tuple(product(("0.4", "0.5", "acme"), repeat=2)))
def test_any_two_are_compared_and_counted(saydo: Call, acme: Path, a: str, b: str) -> None:
    names = [acme if name == "acme" else name for name in (a, b)]
    code, out, err = saydo("diff", *names, "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    books = [get_codebook(acme.parent, "1.0") if name == "acme" else get_codebook(FOLDER, name) for name in (a, b)]
    assert told["counts"] == difference_of(*books).counts()
    assert (told["from"]["sha256"], told["to"]["sha256"]) == (books[0].sha256, books[1].sha256)
    assert told["same"] == (a == b)
    n_changes = sum(n for group in told["counts"].values() for how, n in group.items() if how != "unchanged")
    assert len(told["changes"]) == n_changes


def test_a_person_reads_marked_words(saydo: Call) -> None:
    code, out, _ = saydo("diff", "0.4", "0.5")
    assert code == 0
    assert "label: 3 added, 1 removed, 5 changed, 1 unchanged" in out
    assert "+ verdict UNBACKED\n    definition: No material part is established" in out
    assert "    definition - The text claims nothing of this run[-, or an intent that was openly withdrawn-];" in out
    assert "    when + Applies where the verdict is {+supported+} or partial." in out


def test_what_is_not_there_is_told_in_one_sentence(saydo: Call, tmp_path: Path) -> None:
    for arguments in (("0.4", "9.9"), ("0.4", tmp_path / "none.yaml")):
        code, out, err = saydo("diff", *arguments)
        assert (code, out) == (2, "")
        assert err.count("\n") == 1
