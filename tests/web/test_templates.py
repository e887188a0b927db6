"""Every page, in every state it has: it renders, asks nothing it may not ask, and hides what is not yet to be seen."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment
from jinja2.exceptions import UndefinedError

from app.services.pages import Person
from app.web.rendering import make_environment
from tests.web import sample_pages as sample

ROOT = Path(__file__).resolve().parents[2]
PAGES = sample.every_page()
EVERYONE = Person("l.one", ("rater", "lead", "adjudicator", "custodian", "administrator"))


@pytest.fixture(scope="module")
def environment() -> Environment:
    return make_environment(ROOT / "templates")


class Elements(HTMLParser):
    """Every start tag of a page with its attributes, in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.found if name == tag]


def render(environment: Environment, template: str, page: Any, person: Person | None = EVERYONE) -> str:
    return environment.get_template(template).render(page=page, person=person)


@pytest.mark.parametrize("name", PAGES)
def test_every_page_renders_for_a_person_and_for_nobody(environment: Environment, name: str) -> None:
    for person in (EVERYONE, None):
        html = render(environment, *PAGES[name], person)
        assert html.count("<h1") == 1
        assert '<html lang="en">' in html


@pytest.mark.parametrize("name", PAGES)
def test_no_id_stands_twice_and_every_fragment_leads_somewhere(environment: Environment, name: str) -> None:
    elements = Elements(render(environment, *PAGES[name]))
    ids = [str(attrs["id"]) for _, attrs in elements.found if "id" in attrs]
    assert len(ids) == len(set(ids))
    fragments = [str(attrs["href"])[1:] for attrs in elements.of("a") if str(attrs.get("href")).startswith("#")]
    assert set(fragments) <= set(ids)


@pytest.mark.parametrize("name", PAGES)
def test_the_page_holds_to_its_security_policy(environment: Environment, name: str) -> None:
    elements = Elements(render(environment, *PAGES[name]))
    for tag, attrs in elements.found:
        assert "style" not in attrs
        assert not [key for key in attrs if key.startswith("on")]
        assert tag != "style"
        if tag in ("script", "img", "link"):
            assert str(attrs.get("src") or attrs.get("href")).startswith("/static/")


@pytest.mark.parametrize("name", PAGES)
def test_what_comes_from_a_log_never_becomes_markup(environment: Environment, name: str) -> None:
    html = render(environment, *PAGES[name])
    assert "<script>alert" not in html
    assert "<img src=x" not in html
    assert "pilot <1>" not in html
    assert "<b>note</b>" not in html
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\x00-\x08\x0b-\x1f\x7f]", html)


def chosen(html: str) -> list[dict[str, str | None]]:
    elements = Elements(html)
    boxes = [a for a in elements.of("input") if a.get("type") in ("radio", "checkbox") and "checked" in a]
    return boxes + [a for a in elements.of("option") if "selected" in a]


def test_nothing_is_chosen_before_the_person_chooses(environment: Environment) -> None:
    for version in ("0.4", "0.5"):
        html = render(environment, "rater/code.html", sample.rating(version=version))
        assert chosen(html) == []
        fields = {a.get("name"): a.get("value") for a in Elements(html).of("input") if a.get("type") is None}
        assert set(fields.values()) <= {"", None}
    assert chosen(render(environment, "adjudicator/decide.html", sample.adjudication("provisional"))) == []


def test_what_only_an_intent_has_is_told_only_of_an_intent(environment: Environment) -> None:
    """Polarity, condition and window would give the kind away: they wait until the rater calls it an intent."""
    page = sample.rating()
    bench = replace(page.bench, claim=sample.claim(polarity="not_do", conditional=True, scope_end_turn=11))
    html = render(environment, "rater/code.html", replace(page, bench=bench))
    shown = re.sub(r"<(p|li)[^>]* data-window>.*?</\1>", "", html, flags=re.DOTALL)
    for word in ("promises not", "is conditional", "end its scope", "window closes"):
        assert word in html
        assert word not in shown
    assert 'class="bench"' in html
    chosen_intent = replace(page, bench=bench, form=sample.form({"codability": "codable", "claim_kind": "intent"}))
    assert 'class="bench show-window"' in render(environment, "rater/code.html", chosen_intent)


def test_what_was_entered_is_shown_again(environment: Environment) -> None:
    html = render(environment, "rater/code.html", sample.rating(sample.form(sample.FULL)))
    values = {(a.get("name"), a.get("value")) for a in chosen(html)}
    assert {("verdict", "SUPPORTED"), ("claim_kind", "result"), ("flags", "hedged"), (None, "T1")} <= values
    assert 'name="evidence.0.turn" value="7"' in html
    assert "a &lt;b&gt;note&lt;/b&gt;</textarea>" in html


def hidden_fields(html: str) -> set[str]:
    return {str(a["id"]) for a in Elements(html).of("fieldset") if "hidden" in a}


def test_a_question_is_shown_only_where_it_belongs(environment: Environment) -> None:
    new = hidden_fields(render(environment, "rater/code.html", sample.rating()))
    assert {"claim_kind", "verdict", "evidence", "not_codable_reason", "disclosure"} <= new
    full = hidden_fields(render(environment, "rater/code.html", sample.rating(sample.form(sample.FULL))))
    assert "verdict" not in full
    assert "disclosure" in full


def test_a_hard_message_names_its_rule_and_leads_to_its_field(environment: Environment) -> None:
    html = render(environment, *PAGES["code, hard"])
    assert re.search(r'id="msg-H16b">.*H16b.*tier T1 or T2\. <a href="#evidence"', html)
    assert "Save and next" in html
    assert 'name="confirm"' not in html


def test_a_soft_message_is_confirmed_by_saving_again(environment: Environment) -> None:
    html = render(environment, *PAGES["code, soft"])
    assert "Save anyway (W03)" in html
    assert '<input type="hidden" name="confirm" value="W03">' in html


def test_a_locked_claim_offers_no_control(environment: Environment) -> None:
    html = render(environment, *PAGES["code, locked"])
    assert not re.search(r'type="radio"|name="cite"|name="action" value="save"', html)
    assert "SUPPORTED" in html.upper()


def test_the_codings_come_only_after_the_provisional_verdict(environment: Environment) -> None:
    before = render(environment, *PAGES["adjudication, provisional"])
    assert "Coding 1" not in before
    assert "only one folder was run" not in before
    after = render(environment, *PAGES["adjudication, decide"])
    assert "Coding 1" in after
    assert re.findall(r'rowgroup"[^>]*>([^<]*) <b class="differs">differs', after) == ["What does the run say of it?"]


def test_codings_that_came_too_early_would_still_not_be_shown(environment: Environment) -> None:
    early = replace(sample.adjudication("decide"), stage="provisional")
    assert "Coding 1" not in render(environment, "adjudicator/decide.html", early)


def test_every_turn_can_be_cited_without_a_script(environment: Environment) -> None:
    html = render(environment, "rater/code.html", sample.rating())
    cites = [a.get("value") for a in Elements(html).of("button") if a.get("name") == "cite"]
    assert cites == [str(t["turn"]) for t in sample.run()]


def test_enter_in_a_text_keeps_the_form_and_cites_nothing(environment: Environment) -> None:
    """A browser presses the form's first submit button; it must not be one of the transcript's."""
    html = render(environment, "rater/code.html", sample.rating())
    form_body = html[html.index('<form id="form"') :]
    first = Elements(form_body).of("button")[0]
    assert (first.get("name"), first.get("value")) == ("action", "refresh")
    transcript = html[: html.index('<form id="form"')]
    assert all(a.get("form") == "form" for a in Elements(transcript).of("button") if a.get("name") == "cite")


def test_undefined_agreement_says_why_and_is_no_number(environment: Environment) -> None:
    html = render(environment, *PAGES["agreement"])
    assert html.count('<span class="undefined">undefined</span>') == 1
    assert "0.000" not in html
    assert "only one category was used" in html
    assert "0.740" in html
    assert "0.500 to 0.900" in html
    assert "nan" not in html.lower().replace("explanation", "")


def test_the_lead_sees_progress_and_no_verdict(environment: Environment) -> None:
    html = render(environment, *PAGES["study"])
    assert "36 of 120" in html
    assert not [code for code in sample.codebook().labels if code in html]


def test_a_phase_without_a_met_gate_is_not_shown_as_done(environment: Environment) -> None:
    html = render(environment, *PAGES["study"])
    assert '<li class="failed">freeze' in html
    assert '<li class="done">scan' in html


def test_a_name_the_page_does_not_have_is_an_error_not_a_blank(environment: Environment) -> None:
    with pytest.raises(UndefinedError):
        environment.from_string("{{ page.nothing_like_it }}").render(page=PAGES["home"][1])


def test_sign_in_pages(environment: Environment) -> None:
    good = environment.get_template("signin/confirm.html").render(person=None, name="r.one", token="abc")
    assert 'action="/signin/abc"' in good
    spent = environment.get_template("signin/confirm.html").render(person=None, name=None, token="abc")
    assert "<form" not in spent
    assert "<h1>" in environment.get_template("signin/explain.html").render(person=None)


def test_every_message_of_a_rule_can_be_shown_at_a_field(environment: Environment) -> None:
    for version in ("0.4", "0.5"):
        book = sample.codebook(version)
        names = {field.name for field in book.fields}
        assert {rule.field.split(".")[0] for rule in book.rules} <= names
