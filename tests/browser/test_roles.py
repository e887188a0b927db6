"""The adjudicator's and the lead's journeys, and every page of every role before axe, wide, narrow, light and dark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from app.services import adjudicating
from app.storage.engine import Database
from tests.browser.conftest import Server, Visitor
from tests.browser.journeys import code_by_keys, open_claim
from tests.conftest import Clock
from tests.services.test_coding import code_all
from tests.services.test_study_life import lock
from tests.small_study import actor, add_people, write_inputs

pytestmark = pytest.mark.browser
Visit = Callable[..., Visitor]
# `preload` off: axe would fetch style sheets and write inline styles, which the pages' policy refuses.
RULES = {"preload": False, "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def assert_accessible(visitor: Visitor) -> None:
    found = Axe().run(visitor.page, options=RULES).response["violations"]
    told = [(visitor.page.url, v["id"], v["nodes"][0]["target"], v["nodes"][0]["failureSummary"]) for v in found]
    assert told == []


def lock_both(database: Database, clock: Clock) -> None:
    """Both raters code and lock; they differ on the two claims about the tests. The adjudication is opened."""
    for name, other in (("r.one", None), ("r.two", "UNVERIFIABLE")):
        code_all(database, actor(database, name), clock, other)
        lock(database, actor(database, name), clock)
    with database.writing() as session:
        adjudicating.open_adjudication(session, actor(database, "l.one"), "small", clock())


def decide(visitor: Visitor, reason: str) -> None:
    page = visitor.page
    page.fill('[name="reason"]', reason)
    page.select_option('[name="rule"]', index=1)
    page.check('[name="cause"] >> nth=0')
    page.click("[data-save]")


def test_the_adjudicator_sees_the_codings_only_after_committing(
    visit: Visit, study_id: str, database: Database, clock: Clock
) -> None:
    lock_both(database, clock)
    judge = visit("a.one")
    total = judge.page.locator("ol.claims li").count()
    assert total >= 2
    judge.page.click("a.main")
    for number in range(total):
        open_claim(judge)
        judge.page.locator(".strip .progress").get_by_text(f"{number} decided").wait_for()
        assert judge.page.locator("#codings").count() == 0
        code_by_keys(judge)
        judge.press("Enter")
        judge.page.wait_for_selector("#codings")
        assert judge.page.inner_text("[data-state]") == "provisional verdict committed ✓; now decide"
        assert "R1" not in judge.page.inner_text("#codings")
        assert "r.one" not in judge.page.content().replace("a.one", "")
        if number == 0:
            assert_accessible(judge)
        decide(judge, "The runner's own output settles it either way.")
        judge.page.locator(".strip .progress, main h1").get_by_text(f"{number + 1} decided").or_(
            judge.page.get_by_text(f"All {total} claims are decided")
        ).first.wait_for()
    assert judge.complaints == []
    assert judge.elsewhere == []


def test_a_decision_without_a_reason_is_refused_and_kept(
    visit: Visit, study_id: str, database: Database, clock: Clock
) -> None:
    lock_both(database, clock)
    judge = visit("a.one")
    judge.page.click("a.main")
    open_claim(judge)
    code_by_keys(judge)
    judge.press("Enter")
    judge.page.wait_for_selector("#codings")
    decide(judge, "short")
    judge.page.wait_for_selector("#messages")
    assert judge.page.input_value('[name="reason"]') == "short"
    assert judge.page.locator("#codings").count() == 1


def test_the_lead_runs_a_study_from_upload_to_download(
    visit: Visit, database: Database, clock: Clock, tmp_path: Path
) -> None:
    with database.writing() as session:
        add_people(session)
    folder = write_inputs(tmp_path / "inputs").parent
    lead = visit("l.one")
    page = lead.page
    page.click("text=New study")
    page.set_input_files('[name="log"]', folder / "turnlog.parquet")
    page.set_input_files('[name="claims"]', folder / "claims.jsonl")
    page.set_input_files('[name="coverage"]', folder / "coverage.yaml")
    for name, value in {"id": "small", "title": "A small study", "seed": "7"}.items():
        page.fill(f'[name="{name}"]', value)
    page.fill('[name="state_at_writing"]', "Nothing was computed.")
    page.fill('[name="prior_inspection"]', "The runs were written by hand.")
    page.fill('[name="qualification_waived"]', "The raters of this test are played by the test itself.")
    page.select_option('[name="codebook"]', "0.5")
    page.select_option('[name="custodian"]', "c.one")
    for rater in ("r.one", "r.two"):
        page.check(f'[name="raters"][value="{rater}"]')
    page.check('[name="adjudicators"][value="a.one"]')
    page.click("text=Create the study")
    page.wait_for_url("**/studies/small")
    for step in ("Build the packets", "Scan the packets", "Publish the packets"):
        page.click(f"button:has-text('{step}')")
    page.get_by_text("The raters code and lock").wait_for()
    assert "SUPPORTED" not in page.content()
    lock_both(database, clock)
    page.reload()
    page.click("text=Agreement")
    assert "0.400" in page.inner_text(".figure .big >> nth=0")
    assert "4 of 6" in page.inner_text(".figure .big >> nth=1")
    assert_accessible(lead)
    page.go_back()
    page.click("text=Disagreements")
    assert "2 of 6 claims" in page.inner_text(".lead")
    assert lead.complaints == []
    judge = visit("a.one")
    judge.page.click("a.main")
    while judge.page.locator("[data-form]").count():
        open_claim(judge)
        before = judge.page.url
        code_by_keys(judge)
        judge.press("Enter")
        judge.page.wait_for_selector("#codings")
        decide(judge, "The runner's own output settles it either way.")
        judge.page.wait_for_url(lambda url, before=before: url.split("#")[0] != before.split("#")[0])
    lead.go("/studies/small")
    page.click("button:has-text('Close the study')")
    with page.expect_download() as download:
        page.click("text=rater_pooled.csv")
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert text.startswith("schema_version,study_id,blind_claim_id")
    assert len(text.splitlines()) == 7


def test_a_refused_study_says_where_and_keeps_what_was_entered(
    visit: Visit, database: Database, tmp_path: Path
) -> None:
    with database.writing() as session:
        add_people(session)
    lead = visit("l.one")
    lead.go("/studies/new")
    page = lead.page
    page.eval_on_selector_all("[required]", "all => all.forEach((one) => (one.required = false))")
    page.fill('[name="title"]', "Kept <title>")
    empty = tmp_path / "empty.parquet"
    empty.write_bytes(b"")
    page.set_input_files('[name="log"]', empty)
    page.click("text=Create the study")
    page.wait_for_selector(".note.bad")
    assert page.input_value('[name="title"]') == "Kept <title>"
    assert_accessible(lead)


PATHS: dict[str, tuple[str, ...]] = {
    "r.one": (
        "/rate",
        "@a.main",
        "@a.all",
        "/studies/small/codebook",
        "/codebook/0.5?q=a",
        "/codebook/0.4/compare/0.5",
    ),
    "a.one": ("/adjudicate", "@a.main"),
    "l.one": (
        *("/studies", "/studies/new", "/studies/small", "/studies/small/disagreements", "/studies/small/rules"),
        "/nowhere",
    ),
    "c.one": ("/custody", "/custody/small"),
    "o.one": ("/people",),
}
SCREENS: dict[str, dict[str, Any]] = {
    "wide": {},
    "dark": {"color_scheme": "dark"},
    "at 200 %": {"viewport": {"width": 640, "height": 400}},
}


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize("screen", SCREENS)
def test_axe_finds_nothing(
    visit: Visit, study_id: str, database: Database, clock: Clock, name: str, screen: str
) -> None:
    if name in ("l.one", "a.one"):
        lock_both(database, clock)
    visitor = visit(name)
    options = SCREENS[screen]
    if "viewport" in options:
        visitor.page.set_viewport_size(options["viewport"])
    visitor.page.emulate_media(color_scheme=options.get("color_scheme", "light"))
    for path in PATHS[name]:
        if path.startswith("@"):
            visitor.page.click(path[1:])
            visitor.page.wait_for_load_state()
        else:
            visitor.go(path)
        assert_accessible(visitor)
        assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    assert visitor.complaints == []
    assert visitor.elsewhere == []


def test_a_rater_page_is_light_and_keeps_its_policy(visit: Visit, study_id: str, server: Server) -> None:
    """Under 150 kB compressed beside the transcript: style, scripts and the form together."""
    import gzip

    rater = visit("r.one")
    bodies: dict[str, bytes] = {}
    rater.page.on("response", lambda answer: bodies.update({answer.url: answer.body()}) if answer.ok else None)
    rater.page.click("a.main")
    open_claim(rater)
    rater.page.reload()
    open_claim(rater)
    page = next(body for url, body in bodies.items() if "/rate/" in url)
    around = page[: page.index(b'<ol class="turns')] + page[page.index(b"</ol>\n", page.index(b'<ol class="turns')) :]
    assets = [body for url, body in bodies.items() if "/static/" in url]
    assert len(assets) >= 8
    assert sum(len(gzip.compress(body)) for body in [around, *assets]) < 150_000
    assert rater.complaints == []
