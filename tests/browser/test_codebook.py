"""The codebook on screen and paper: found while one types, linked from the workbench, printed without the frame."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from app.config import codebook_dir
from app.domain.codebook.document import document_of
from app.domain.codebook.search import find
from app.readers.codebook_file import get_codebook
from tests.browser.conftest import Visitor
from tests.browser.journeys import code_by_keys, open_claim

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("study_id")]
Visit = Callable[..., Visitor]
QUERIES = ("stale", "tier T1", "H19", '"search span"', "(", "UNBACKED", "nothing like it", "a", "kind CLAIM kind")
IN_SIGHT = """[...document.querySelectorAll("[data-entry]")].filter((one) => !one.classList.contains("is-out"))
  .map((one) => one.id || one.dataset.entry)"""
# The field the page counts in is put out of its reach, so that what is sent stays at two.
TWO_SECONDS = "one => { one.after(one.cloneNode()); one.nextSibling.value = '2'; one.removeAttribute('name'); }"
PAINTED = "CSS.highlights.get('found')?.size ?? 0"


def sentence(n_places: int, n_entries: int) -> str:
    places, entries = "place" if n_places == 1 else "places", "entry" if n_entries == 1 else "entries"
    return f"{n_places:,} {places} in {n_entries:,} {entries}; the rest is out of sight."


def test_typing_finds_what_the_server_finds_and_back_shows_it_again(visit: Visit) -> None:
    sections = document_of(get_codebook(codebook_dir(), "0.5"))
    rater = visit("r.one")
    rater.go("/codebook/0.5")
    everything = rater.page.evaluate(IN_SIGHT)
    for query in QUERIES:
        found = find(sections, query)
        rater.page.fill("#q", query)
        assert sorted(rater.page.evaluate(IN_SIGHT)) == sorted(found.hits), query
        told = rater.page.inner_text("[data-found]")
        if found.hits:
            assert told == sentence(found.n_hits, len(found.hits)), query
            assert rater.page.evaluate(PAINTED) == min(found.n_hits, 5000)
        else:
            assert told.startswith("Nothing in this codebook holds")
    rater.page.fill("#q", "stale")
    assert rater.page.url.endswith("/codebook/0.5?q=stale")
    rater.page.reload()
    assert rater.page.inner_text("[data-found]") == sentence(find(sections, "stale").n_hits, 4)
    rater.page.fill("#q", "")
    assert rater.page.evaluate(IN_SIGHT) == everything
    assert rater.page.locator("[data-book] mark").count() == 0
    assert rater.page.url.endswith("/codebook/0.5")
    assert rater.complaints == []
    assert rater.elsewhere == []


@pytest.mark.parametrize("scripts", [True, False])
def test_the_contents_lead_on_during_a_search_and_a_search_leads_to_its_first_hit(visit: Visit, scripts: bool) -> None:
    rater = visit("r.one" if scripts else "r.two", java_script_enabled=scripts)
    page = rater.page
    rater.go("/codebook/0.5?q=stale")
    assert page.locator("#rule-H19").is_hidden()
    page.click(".toc a[href='#rule-H19']")
    assert page.locator("#rule-H19").is_visible()
    assert page.locator("#rule-H20").is_hidden()
    page.click(".toc a[href='#field-claim_kind']")
    assert page.locator("#field-claim_kind [data-entry]").last.is_visible()
    if scripts:
        page.fill("#q", "stale evidence")
        assert page.locator("#rule-H19").is_hidden()
        first = page.locator("[data-entry]:not(.is-out)").first
        top = first.evaluate("one => one.getBoundingClientRect().top")
        assert 0 <= top < page.viewport_size["height"]  # type: ignore[index]
        assert page.evaluate("document.activeElement.id") == "q"
        assert page.url.endswith("/codebook/0.5?q=stale+evidence")


def test_without_scripts_the_form_finds_the_same(visit: Visit) -> None:
    found = find(document_of(get_codebook(codebook_dir(), "0.5")), "tier T1")
    rater = visit("r.two", java_script_enabled=False)
    rater.go("/studies/small/codebook")
    rater.page.fill("#q", "tier T1")
    rater.page.click(".search button")
    assert rater.page.inner_text("[data-found]") == sentence(found.n_hits, len(found.hits))
    assert rater.page.locator("[data-book] mark:visible").count() == found.n_hits
    rater.page.click("text=Show the whole codebook")
    assert rater.page.locator("[data-book] mark").count() == 0


def test_an_address_is_shown_on_focus_and_leads_to_its_place(visit: Visit) -> None:
    rater = visit("r.one")
    rater.go("/codebook/0.5")
    link = rater.page.locator("#rule-H19 .perma")
    opacity = "one => getComputedStyle(one).opacity"
    assert link.evaluate(opacity) == "0"
    link.focus()
    rater.press("Tab", "Shift+Tab")
    assert link.evaluate(opacity) == "1"
    rater.press("Enter")
    assert rater.page.url.endswith("/codebook/0.5#rule-H19")
    top = rater.page.locator("#rule-H19").evaluate("one => one.getBoundingClientRect().top")
    assert 0 <= top < 100
    rater.page.hover("#label-verdict-UNBACKED h3")
    assert rater.page.locator("#label-verdict-UNBACKED h3 .perma").evaluate(opacity) == "1"


def test_a_message_opens_its_rule_beside_the_workbench(visit: Visit) -> None:
    rater = visit("r.one")
    rater.page.click("a.main")
    open_claim(rater)
    rater.press("c", "2", "2", "1", "Enter")
    rater.page.wait_for_selector("#messages")
    link = rater.page.locator("#messages .message b a").first
    rule = link.inner_text()
    with rater.context.expect_page() as opened:
        link.click()
    opened.value.wait_for_load_state()
    assert opened.value.url.endswith(f"/studies/small/codebook#rule-{rule}")
    assert opened.value.locator(f"#rule-{rule}").is_visible()
    assert rater.page.locator("#messages").is_visible()  # the form is still there, as it was


def test_a_definition_leads_to_its_label(visit: Visit) -> None:
    rater = visit("r.one")
    rater.page.click("a.main")
    open_claim(rater)
    rater.press("c", "2", "2")
    rater.page.locator("#verdict .row .def summary").nth(2).click()
    link = rater.page.locator("#verdict .row .def .in-book:visible")
    assert (link.get_attribute("href") or "").endswith("/studies/small/codebook#label-verdict-UNBACKED")


def test_a_quick_save_asks_once_and_is_saved_by_pressing_again(visit: Visit) -> None:
    rater = visit("r.one")
    rater.page.click("a.main")
    open_claim(rater)
    code_by_keys(rater)
    rater.page.eval_on_selector("[name=seconds_active]", TWO_SECONDS)
    rater.press("Enter")
    rater.page.locator("#msg-W08").wait_for()
    assert "Less than 5 seconds" in rater.page.inner_text("#msg-W08")
    assert "Save anyway (W08)" in rater.page.inner_text("[data-save]")
    rater.press("Escape", "Enter")
    rater.page.locator("[data-state]").get_by_text("claim 1 of 6 saved ✓").wait_for()


def test_on_paper_only_the_document_is_left(visit: Visit) -> None:
    rater = visit("r.one")
    rater.go("/studies/small/codebook")
    rater.page.emulate_media(media="print")
    for gone in (".top", ".search", "#rule-H19 .perma"):
        assert not rater.page.locator(gone).first.is_visible(), gone
    for there in ("h1", ".imprint", ".toc", "#label-verdict-SUPPORTED .cases", "#rule-W15"):
        assert rater.page.locator(there).first.is_visible(), there
    printed = rater.page.pdf(prefer_css_page_size=True)
    n_pages = len(re.findall(rb"/Type\s*/Page\b", printed))
    assert 12 <= n_pages <= 40
    box = re.search(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)", printed)
    assert box is not None
    assert [round(float(side)) for side in box.groups()] == [595, 842]
