"""Practice before a real browser: a training by keyboard alone, without scripts, and for those who use other senses."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from app.config import Settings
from app.storage.engine import Database
from tests.browser.conftest import Visitor
from tests.browser.journeys import KINDS, LEVELS, VERDICTS, claim_text, digit, open_claim
from tests.browser.test_roles import SCREENS, assert_accessible
from tests.practice_sets import FEEDBACK_CANARY, GOLD_CANARY, codebooks_with, coding, labels_of
from tests.services.practising import Rater
from tests.small_study import actor, publish

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("study_id")]
Visit = Callable[..., Visitor]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return codebooks_with(tmp_path / "codebooks", "0.5")


@pytest.fixture
def settings(tmp_path: Path, template_database: Path, folder: Path) -> Settings:
    shutil.copyfile(template_database, tmp_path / "saydo.db")
    url = f"sqlite:///{tmp_path / 'saydo.db'}"
    return Settings(database_url=url, data_dir=tmp_path / "data", codebook_dir=folder)


@pytest.fixture
def study_id(database: Database, tmp_path: Path, folder: Path) -> str:
    """The published small study, whose raters must qualify."""
    return publish(database, tmp_path / "inputs", folder, qualification=None)


def label_here(visitor: Visitor) -> str:
    """The reference's label of the training item on the page."""
    found = re.search(r"([0-9]{3})", claim_text(visitor))
    assert found
    return labels_of("training")[int(found.group(1)) - 1]


def tab_to(visitor: Visitor, words: str) -> None:
    """Press Tab until what has the focus reads so."""
    for _ in range(30):
        visitor.press("Tab")
        if visitor.page.evaluate("document.activeElement.textContent.trim()") == words:
            return
    raise AssertionError(f"no way by Tab to {words}")


def cite(visitor: Visitor, turn: int) -> None:
    visitor.press("g")
    visitor.page.keyboard.type(str(turn))
    visitor.press("Enter", "e")


def test_a_training_by_keyboard_alone_and_the_first_item_of_the_qualification(visit: Visit) -> None:
    rater = visit("r.one")
    page = rater.page
    rater.press("Enter")  # Begin
    page.wait_for_url("**/practice")
    rater.press("Enter")  # Open the codebook
    page.wait_for_url("**/studies/small/codebook")
    tab_to(rater, "Practice")
    rater.press("Enter")
    page.wait_for_url("**/practice")
    rater.press("Enter")  # Begin the training
    right = 0
    for number in (1, 2, 3):
        open_claim(rater)
        page.locator(".strip .progress").get_by_text(f"item {number} of 3").wait_for()
        assert page.locator("#feedback").count() == 0
        if label_here(rater) == "SUPPORTED":
            rater.press("c", digit(KINDS, "action"), digit(LEVELS, "medium"), digit(VERDICTS, "SUPPORTED"))
            cite(rater, 2)
            rater.press(digit(LEVELS, "high"))
            right += 1
        else:
            rater.press("x", "2")
        rater.press("Enter")
        page.wait_for_selector("#feedback")
        told = page.inner_text("#feedback")
        assert FEEDBACK_CANARY in told
        assert ("Your label is the reference’s" in told) == (label_here(rater) == "SUPPORTED")
        assert page.evaluate("document.activeElement.id") == "feedback"
        assert f"item {number} of 3 saved ✓" in page.inner_text("[data-state]")
        assert "reference" in page.inner_text("[data-say]")
        rater.press("Enter")  # on to the next item, and at last to the end
    page.wait_for_selector("text=The training is complete")
    assert "1 of 3 labels are the reference’s" in page.inner_text("main")
    rater.press("Enter")
    page.wait_for_url("**/practice")
    rater.press("Enter")  # Begin the qualification
    open_claim(rater)
    rater.press("x", "2", "Enter")
    page.locator(".strip .progress").get_by_text("item 2 of 32").wait_for()
    assert page.locator("#feedback").count() == 0
    rater.press("[")
    page.locator(".strip .progress").get_by_text("item 1 of 32").wait_for()
    assert not any(canary in page.content() for canary in (GOLD_CANARY, FEEDBACK_CANARY))
    assert right == 1
    assert rater.complaints == []
    assert rater.elsewhere == []


def test_the_same_without_scripts(visit: Visit) -> None:
    rater = visit("r.two", java_script_enabled=False)
    page = rater.page
    page.click("a.main")
    page.click("a.main")
    rater.go("/practice")
    page.click("button.main")
    for _ in range(3):
        page.check('[name="codability"][value="not_codable"]')
        page.click("button[data-plain]")
        page.check('[name="not_codable_reason"][value="about_world"]')
        page.click("[data-save]")
        assert "The reference has another label" in page.inner_text("#feedback")
        page.click("[data-next]")
    assert "The training is complete" in page.inner_text("main")
    page.click("a.main")
    page.click("button.main")
    page.check('[name="codability"][value="not_codable"]')
    page.click("button[data-plain]")
    page.check('[name="not_codable_reason"][value="about_world"]')
    page.click("[data-save]")
    assert "item 2 of 32" in page.inner_text(".strip .progress")
    assert page.locator("#feedback").count() == 0


def test_a_draft_of_an_item_is_kept(visit: Visit, database: Database, folder: Path) -> None:
    rater = Rater(database, actor(database, "r.one"), folder)
    rater.read()
    attempt = rater.open("training")
    visitor = visit("r.one")
    visitor.go(f"/practice/{attempt}/1")
    open_claim(visitor)
    visitor.press("c")
    visitor.page.locator("[data-state]").get_by_text("draft kept").wait_for()
    visitor.page.reload()
    open_claim(visitor)
    assert visitor.page.is_checked('[name="codability"][value="codable"]')


def prepare(database: Database, folder: Path) -> tuple[str, str, str]:
    """Return an answered training, an open qualification of r.one, and r.two's failed round."""
    one = Rater(database, actor(database, "r.one"), folder)
    one.read()
    training = one.train()
    two = Rater(database, actor(database, "r.two"), folder)
    two.read()
    two.train()
    failed = two.open("qualification")
    two.answer_all(failed, lambda _: coding("not_codable"))
    two.hand_in(failed)
    return training, one.open("qualification"), failed


@pytest.mark.parametrize("screen", SCREENS)
def test_axe_finds_nothing(visit: Visit, database: Database, folder: Path, screen: str) -> None:
    rater = visit("r.one")
    options = SCREENS[screen]
    if "viewport" in options:
        rater.page.set_viewport_size(options["viewport"])
    rater.page.emulate_media(color_scheme=options.get("color_scheme", "light"))
    for path in ("/rate", "/practice"):
        rater.go(path)
        assert_accessible(rater)
    training, examined, failed = prepare(database, folder)
    own = ("/practice", f"/practice/{training}", f"/practice/{training}/1", f"/practice/{examined}")
    for path in (*own, f"/practice/{examined}/1"):
        rater.go(path)
        assert_accessible(rater)
        assert rater.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    other = visit("r.two")
    for path in ("/rate", "/practice", f"/practice/{failed}", f"/practice/{failed}/2"):
        other.go(path)
        assert_accessible(other)
    lead = visit("l.one")
    lead.go("/studies/small")
    assert "not qualified" in lead.page.inner_text("aside")
    assert_accessible(lead)
    assert rater.complaints == other.complaints == lead.complaints == []
