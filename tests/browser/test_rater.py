"""The rater's journey: by keyboard alone, without scripts, with the server gone, in two tabs."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.browser.conftest import Server, Visitor
from tests.browser.journeys import answer_now, claim_text, code_by_clicks, code_by_keys, open_claim

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("study_id")]
Visit = Callable[..., Visitor]


def begin(visitor: Visitor) -> None:
    visitor.page.click("a.main")
    open_claim(visitor)


def test_six_claims_and_the_lock_by_keyboard_alone(visit: Visit) -> None:
    rater = visit("r.one")
    rater.press("Enter")  # the button that begins has the focus
    open_claim(rater)
    for number in range(1, 7):
        open_claim(rater)
        assert f"claim {number} of 6" in rater.page.inner_text(".strip .progress")
        text = claim_text(rater)
        pressed = code_by_keys(rater)
        if len(answer_now(rater).get("evidence", ())) == 1:
            assert pressed + 1 <= 8, text  # and Enter
        rater.press("Enter")
        if number < 6:
            rater.page.locator(".strip .progress").get_by_text(f"{number} coded").wait_for()
            assert f"claim {number} of 6 saved ✓" in rater.page.inner_text("[data-state]")
    rater.page.wait_for_url("**/rate/packets/*")
    assert "supported" in rater.page.locator(".claims .own").all_inner_texts()
    assert rater.page.locator(".claims .own").count() == 6
    boxes = rater.page.locator('[name^="attest."]')
    boxes.first.focus()
    for _ in range(boxes.count()):
        rater.press("Space", "Tab")
    rater.press("Enter")
    rater.page.wait_for_selector("text=Receipt")
    assert rater.complaints == []
    assert rater.elsewhere == []


def test_the_same_without_scripts(visit: Visit) -> None:
    rater = visit("r.two", java_script_enabled=False)
    rater.page.click("a.main")
    for number in range(1, 7):
        assert f"claim {number} of 6" in rater.page.inner_text(".strip .progress")
        code_by_clicks(rater)
    assert "6 of 6 coded" in rater.page.inner_text(".lead")
    for box in rater.page.locator('[name^="attest."]').all():
        box.check()
    rater.page.click("text=Lock 6 codings")
    assert "Receipt" in rater.page.inner_text("main")


def test_nothing_is_lost_while_the_server_is_gone(visit: Visit, server: Server) -> None:
    rater = visit("r.one")
    begin(rater)
    state = rater.page.locator("[data-state]")
    code_by_keys(rater)
    server.stop()
    rater.press("m")
    rater.page.keyboard.type("typed while nobody listened")
    state.get_by_text("no connection").wait_for()
    rater.press("Escape", "Enter")
    state.get_by_text("not saved: no connection").wait_for()
    assert rater.page.input_value('[name="note"]') == "typed while nobody listened"
    server.start()
    rater.press("Enter")
    state.get_by_text("claim 1 of 6 saved ✓").wait_for()
    rater.press("[")
    rater.page.wait_for_selector(".turn.is-here")
    rater.page.locator(".strip .progress").get_by_text("claim 1 of 6").wait_for()
    assert rater.page.input_value('[name="note"]') == "typed while nobody listened"


def test_a_draft_is_kept_as_typed_and_waits_in_another_browser(visit: Visit) -> None:
    rater = visit("r.one")
    begin(rater)
    address = rater.page.url
    rater.press("c", "2")
    rater.page.locator("[data-state]").get_by_text(re.compile("draft kept .* ✓")).wait_for()
    elsewhere = visit("r.one")
    elsewhere.page.goto(address)
    open_claim(elsewhere)
    assert elsewhere.page.is_checked('[name="claim_kind"][value="result"]')
    assert "draft kept" in elsewhere.page.inner_text("[data-state]")
    assert "0 coded" in elsewhere.page.inner_text(".strip .progress")


def test_a_second_tab_cannot_overwrite_the_first(visit: Visit) -> None:
    rater = visit("r.one")
    begin(rater)
    second = rater.open()
    second.goto(rater.page.url)
    second.wait_for_selector(".turn.is-here")
    code_by_keys(rater)
    rater.press("Enter")
    rater.page.locator("[data-state]").get_by_text("claim 1 of 6 saved ✓").wait_for()
    second.keyboard.press("c")
    second.locator("[data-state]").get_by_text("another window").wait_for()
    assert second.is_checked('[name="codability"][value="codable"]')


def test_a_refused_coding_names_rule_and_field_and_keeps_the_transcript(visit: Visit) -> None:
    rater = visit("r.one")
    begin(rater)
    rater.press("c", "2", "2", "1")
    rater.press("k", "k", "Enter")
    rater.page.wait_for_selector("#messages")
    assert rater.page.evaluate("document.activeElement.id") == "messages"
    assert rater.page.locator("#messages .message.hard").count() >= 1
    assert "not saved" in rater.page.inner_text("[data-state]")
    assert rater.page.is_checked('[name="verdict"][value="SUPPORTED"]')
    link = rater.page.locator("#messages a[data-goto]").first
    link.focus()
    rater.press("Enter")
    focused = rater.page.evaluate("document.activeElement.closest('fieldset')?.id")
    assert focused == (link.get_attribute("href") or "").lstrip("#")


def test_nothing_is_chosen_before_the_rater_chooses(visit: Visit) -> None:
    rater = visit("r.one")
    begin(rater)
    assert rater.page.locator("#form input:checked").count() == 0
    values = rater.page.eval_on_selector_all(
        "#form :is(select, textarea, input:not([type=hidden], [type=radio], [type=checkbox]))",
        "all => all.map(one => one.value).join('')",
    )
    assert values == ""


def test_a_double_save_stores_once(visit: Visit) -> None:
    rater = visit("r.one")
    begin(rater)
    code_by_keys(rater)
    with rater.page.expect_request(
        lambda request: request.method == "POST" and "action=save" in (request.post_data or "")
    ) as first:
        rater.press("Enter", "Enter", "Enter")
    rater.page.locator("[data-state]").get_by_text("claim 1 of 6 saved ✓").wait_for()
    again = rater.context.request.post(
        first.value.url,
        data=first.value.post_data,
        headers={"content-type": "application/x-www-form-urlencoded"},
        max_redirects=0,
    )
    assert again.status == 303
    assert "1 coded" in rater.page.inner_text(".strip .progress")


def test_focus_and_mark_move_to_the_next_question(visit: Visit) -> None:
    """So that a screen reader says what is asked next, and the eye finds it."""
    rater = visit("r.one")
    begin(rater)
    for key, following in (("c", "claim_kind"), ("2", "materiality"), ("1", "verdict"), ("4", "disclosure")):
        rater.press(key)
        assert rater.page.evaluate("document.activeElement.name") == following
        assert rater.page.locator(".q.is-now").get_attribute("id") == following
    assert rater.page.locator(f'[name="{following}"]:checked').count() == 0


def test_digits_correct_and_u_takes_back(visit: Visit) -> None:
    rater = visit("r.one")
    begin(rater)
    rater.press("c", "1", "2")
    rater.press("u", "3")
    assert rater.page.is_checked('[name="materiality"][value="high"]')
    rater.press("u", "u", "2", "1")
    assert rater.page.is_checked('[name="claim_kind"][value="result"]')
    assert rater.page.locator('[name="claim_kind"]:checked').count() == 1


def test_find_counts_opens_and_fills_the_search(visit: Visit) -> None:
    rater = visit("r.one")
    begin(rater)
    rater.press("/")
    rater.page.keyboard.type("parser")
    hits = rater.page.locator("[data-hits]")
    hits.get_by_text(re.compile(r"\d+ hits")).wait_for()
    rater.press("Enter")
    assert re.match(r"1 of \d+", hits.inner_text())
    rater.press("Escape", "n")
    assert re.match(r"2 of \d+", hits.inner_text())
    rater.press("c", "7", "1", "1", "s", "b", "s")
    assert rater.page.input_value('[name="search_span.looked_for"]') == "parser"


def test_the_split_moves_by_key_and_is_remembered(visit: Visit) -> None:
    rater = visit("r.one")
    begin(rater)
    width = rater.page.eval_on_selector(".transcript", "one => one.clientWidth")
    rater.page.focus("[data-divider]")
    rater.press("ArrowRight", "ArrowRight", "ArrowRight")
    wider = rater.page.eval_on_selector(".transcript", "one => one.clientWidth")
    assert wider > width
    rater.page.reload()
    open_claim(rater)
    assert rater.page.eval_on_selector(".transcript", "one => one.clientWidth") == wider
    assert rater.complaints == []


def said(rater: Visitor) -> str:
    return rater.page.locator("[data-said]").inner_text()


def test_a_key_sets_the_role_of_a_citation_where_none_can_be_derived(visit: Visit) -> None:
    rater = visit("r.one")
    begin(rater)
    rater.press("c", "2", "1", "3", "k")
    turn = rater.page.evaluate("document.querySelector('.is-here').dataset.turn")
    rater.press("r")
    assert said(rater) == f"turn {turn} is not cited: e cites it, then r sets its role"
    rater.press("e")
    role = rater.page.locator('[name="evidence.0.role"]')
    assert role.input_value() == ""
    assert "r changes its role" in rater.page.inner_text("#evidence .hint")
    for word in ("supports", "conflicts", "context", "supports"):
        rater.press("r")
        assert role.input_value() == word
        assert said(rater) == f"turn {turn}: {word}"
        assert rater.page.locator(f"#t{turn} .role").inner_text().endswith(word)


def test_enter_in_the_find_box_leaves_it_so_that_n_walks_the_hits(visit: Visit) -> None:
    rater = visit("r.one")
    begin(rater)
    rater.press("/")
    rater.page.keyboard.type("parser")
    rater.press("Enter", "n")
    assert rater.page.locator("[data-hits]").inner_text().startswith("2 of ")
    assert rater.page.input_value("[data-find]") == "parser"


def test_what_a_key_did_or_could_not_do_is_seen(visit: Visit) -> None:
    rater = visit("r.one")
    begin(rater)
    rater.press("s")
    assert said(rater) == "the search span is not asked for yet"
    rater.press("g")
    rater.page.keyboard.type("99")
    rater.press("Enter")
    assert said(rater) == "there is no turn 99"
    assert rater.page.locator("[data-say]").inner_text() == "there is no turn 99"
    rater.press("Escape", "j")
    assert rater.page.locator("[data-said]").text_content() == ""


def test_an_answered_question_is_reached_and_changed_by_key(visit: Visit) -> None:
    rater = visit("r.one")
    begin(rater)
    code_by_keys(rater)
    rater.press("9")
    assert said(rater) == "every question is answered: p goes back to change one"
    for _ in range(8):
        rater.press("p")
        if rater.page.locator(".q.is-now").get_attribute("id") == "materiality":
            break
    before = rater.page.locator('[name="materiality"]:checked').get_attribute("value")
    key, other = ("1", "low") if before != "low" else ("3", "high")
    rater.press(key)
    assert rater.page.is_checked(f'[name="materiality"][value="{other}"]')
    rater.press("Enter")
    rater.page.locator("[data-state]").get_by_text("claim 1 of 6 saved ✓").wait_for()


VISIBLE = """(id) => {
    const [one, pane] = [document.getElementById(id), document.querySelector("[data-form-scroll]")];
    const [at, around] = [one.getBoundingClientRect(), pane.getBoundingClientRect()];
    return at.top >= around.top && at.top + 40 <= around.bottom;
}"""


@pytest.mark.parametrize("size", [(1280, 800), (640, 400)])
def test_the_first_wrong_question_is_in_sight_and_its_message_goes_when_it_changes(
    visit: Visit, size: tuple[int, int]
) -> None:
    rater = visit("r.one")
    begin(rater)
    rater.page.set_viewport_size({"width": size[0], "height": size[1]})
    rater.press("c", "2", "2", "1", "k", "Enter")
    panel = rater.page.locator("#messages")
    panel.wait_for()
    assert rater.page.evaluate(VISIBLE, "evidence")
    box = panel.bounding_box()
    assert box is not None
    assert box["height"] <= size[1] / 4
    about_confidence = panel.locator('[data-goto="confidence"]')
    assert about_confidence.count() == 1
    rater.page.check('[name="confidence"][value="high"]')
    assert about_confidence.count() == 0
    assert rater.page.locator("#confidence .mark").count() == 0
    assert panel.locator(".message").count() >= 1
    rater.press("Enter")
    rater.page.locator("[data-state]").get_by_text("not saved").wait_for()
    rater.go("/codebook/0.5")
    # What was refused is kept on leaving: sent as the page goes, so it may arrive after the next page was asked for.
    for _ in range(40):
        rater.go("/rate")
        if "1 of them begun" in rater.page.inner_text(".lead"):
            break
    assert "1 of them begun" in rater.page.inner_text(".lead")


def test_without_scripts_the_page_says_how_and_shows_what_is_saved(visit: Visit) -> None:
    rater = visit("r.two", java_script_enabled=False)
    rater.page.click("a.main")
    assert "After each answer press Show what is next" in rater.page.inner_text(".plain-how")
    assert not rater.page.locator("kbd").first.is_visible()
    assert not rater.page.locator("[data-keys]").is_visible()
    code_by_clicks(rater)
    assert "1 saved ✓" in rater.page.inner_text("[data-state]")
