"""A list of bare turns may say which part of a row it means; the form carries that on, and never loses it."""

from __future__ import annotations

from app.config import codebook_dir, templates_dir
from app.domain.coding import normalise
from app.readers.codebook_file import get_codebook
from app.web.forms import answer_to_form, read_answer
from app.web.rendering import make_environment

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
