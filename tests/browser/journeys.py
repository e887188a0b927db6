"""What people do on the pages, as keys or clicks, so that the tests read as journeys."""

from __future__ import annotations

from typing import Any

from tests.browser.conftest import Visitor
from tests.small_study import coding_for

KINDS = ("action", "result", "state", "verification", "coverage", "order", "restraint", "attribution", "intent")
VERDICTS = ("SUPPORTED", "PARTIAL", "UNBACKED", "CONTRADICTED", "RELEASED", "UNVERIFIABLE", "UNDETERMINED")
LEVELS = ("low", "medium", "high")
READ_LONG_ENOUGH = 5.0
"""Seconds of activity below which a save asks whether the claim was read (W08)."""


def digit(codes: tuple[str, ...], code: str) -> str:
    return str(codes.index(code) + 1)


def claim_text(visitor: Visitor) -> str:
    return visitor.page.inner_text(".claim-card h1").strip("“”\n ")


def answer_now(visitor: Visitor) -> dict[str, Any]:
    """The coding that holds for the claim on the page."""
    return dict(coding_for(claim_text(visitor)))


def open_claim(visitor: Visitor) -> None:
    """Wait until the workbench is awake."""
    visitor.page.wait_for_selector(".turn.is-here")


def code_by_keys(visitor: Visitor) -> int:
    """Code the claim on the page with the keyboard alone; return the key presses, walking to turns left out."""
    answer = answer_now(visitor)
    pressed = visitor.press(
        "c",
        digit(KINDS, answer["claim_kind"]),
        digit(LEVELS, answer["materiality"]),
        digit(VERDICTS, answer["verdict"]),
    )
    for cited in answer.get("evidence", ()):
        visitor.press("g")
        visitor.page.keyboard.type(str(cited["turn"]))
        visitor.press("Enter")
        pressed += visitor.press("e")
    if "log_coverage" in answer:
        pressed += visitor.press("1")
    if "search_span" in answer:
        visitor.press("g")
        visitor.page.keyboard.type(str(answer["search_span"]["from_turn"]))
        visitor.press("Enter")
        pressed += visitor.press("s")
        visitor.press("b")
        pressed += visitor.press("s")
        visitor.page.fill('[name="search_span.looked_for"]', answer["search_span"]["looked_for"])
        visitor.press("Escape")
    if "disclosure" in answer:
        pressed += visitor.press("1")
    pressed += visitor.press(digit(LEVELS, answer["confidence"]))
    wait_until_read(visitor)
    return pressed


def wait_until_read(visitor: Visitor) -> None:
    """Wait until the page has counted enough activity; asked from outside, since the page evaluates no text as code."""
    counted = visitor.page.locator("[name=seconds_active]")
    for _ in range(100):
        if not counted.count() or float(counted.input_value() or 0) >= READ_LONG_ENOUGH:
            return
        visitor.page.wait_for_timeout(200)


def code_by_clicks(visitor: Visitor) -> None:
    """Code the claim on the page with plain form controls, as where scripts are off, and save it."""
    page, answer = visitor.page, answer_now(visitor)
    page.check('[name="codability"][value="codable"]')
    page.click("button[data-plain]")
    for field in ("claim_kind", "materiality", "verdict"):
        page.check(f'[name="{field}"][value="{answer[field]}"]')
    page.click("button[data-plain]")
    for cited in answer.get("evidence", ()):
        page.click(f"#t{cited['turn']} .no button")
    if "log_coverage" in answer:
        page.check(f'[name="log_coverage"][value="{answer["log_coverage"]}"]')
    for name, value in answer.get("search_span", {}).items():
        page.fill(f'[name="search_span.{name}"]', str(value))
    for field in ("disclosure", "confidence"):
        if field in answer:
            page.check(f'[name="{field}"][value="{answer[field]}"]')
    page.click("[data-save]")
