"""What the form carries of a citation: the part of a row that a bare turn means, and a tier only where there is one."""

from __future__ import annotations

from pathlib import Path

from app.config import codebook_dir, templates_dir
from app.domain.coding import normalise
from app.readers.codebook_file import get_codebook
from app.web.forms import answer_to_form, cite, read_answer
from app.web.rendering import make_environment
from tests.replacing.books import odd_book

BOOK = get_codebook(codebook_dir(), "0.4")
GIVEN = {"evidence": [{"turn": 4, "part": "text"}, {"turn": 6}]}


def test_the_part_of_a_cited_turn_goes_through_the_form() -> None:
    assert read_answer(BOOK, answer_to_form(BOOK, GIVEN)) == normalise(GIVEN)


def test_the_form_holds_the_part_it_was_given_and_says_so() -> None:
    form = make_environment(templates_dir()).get_template("_form.html").module
    drawn = str(form.citations(BOOK.field("evidence"), normalise(GIVEN)["evidence"], {}))  # type: ignore[attr-defined]
    assert 'name="evidence.0.part" value="text"' in drawn
    assert "its words" in drawn
    assert "evidence.1.part" not in drawn


def test_a_turn_is_cited_without_a_tier_the_codebook_does_not_have(tmp_path: Path) -> None:
    """The log's tiers are T1 to T5: the button that cites a turn fills none of them in where a codebook has its own."""
    (tmp_path / "odd-2.0.yaml").write_text(odd_book(), encoding="utf-8")
    odd, own = get_codebook(tmp_path, "2.0"), get_codebook(codebook_dir(), "0.5")
    tiers = {5: {"result": "T1"}}
    assert cite(odd, {}, 5, tiers) == {"stellen": [{"turn": 5}]}
    assert cite(own, {}, 5, tiers) == {"evidence": [{"turn": 5, "tier": "T1"}]}
