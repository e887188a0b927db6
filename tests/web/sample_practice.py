"""Page values of practice with the worst a page can be given, for tests of the templates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.services import pages
from app.services.pages import Feedback, Figures, ItemLine, PracticeItemPage, PracticeLine, PracticeStep

HOSTILE = "<script>alert(1)</script> pilot <1> \u202e\x07 <img src=x onerror=alert(1)>"
PASSED = Figures(1, "0.91", 8, 0, 31, 32, True, ())
FAILED = Figures(1, "0.62", 8, 2, 28, 32, False, ("macro-F1 is 0.62; at least 0.80 is needed", "2 critical errors"))
STEPS = (
    PracticeStep("Read the codebook", "done", "Opened 2026-07-25 09:00."),
    PracticeStep("Train", "now", "15 items"),
    PracticeStep("Qualify", "later", "32 items"),
)
LINE = PracticeLine(
    codebook_sha256="ab" * 32,
    codebook_version="0.5",
    codebook_title="Say/Do",
    study_id="pilot-1",
    studies=("pilot <1>", "Second"),
    asked=True,
    next="train",
    steps=STEPS,
    rounds=(),
    offer="training",
    button="Begin the training",
)
ATTEMPT = pages.AttemptPage(
    attempt_id="a-1",
    title="Training",
    purpose="training",
    round=1,
    codebook_version="0.5",
    items=(
        ItemLine(1, HOSTILE, "answered", "not_codable", False),
        ItemLine(2, "b", "draft"),
        ItemLine(3, "c", "open"),
    ),
    n_answered=1,
    next_number=2,
    finished=False,
)


def item_page(bench: pages.Workbench, form: pages.FormState, **more: Any) -> PracticeItemPage:
    basic: dict[str, Any] = {"attempt_id": "a-1", "number": 2, "n_items": 15, "n_answered": 1, "purpose": "training"}
    basic |= {"closed": False, "next_open": 3}
    return PracticeItemPage(**{**basic, **more}, bench=bench, form=form)


def practice_pages(bench: pages.Workbench, form: pages.FormState, full: pages.FormState) -> dict[str, tuple[str, Any]]:
    """Name → (template, page value): each page of practice in each of its states."""
    home, attempt, item = "practice/home.html", "practice/attempt.html", "practice/item.html"
    examined = replace(ATTEMPT, purpose="qualification", round=2, next_number=None, n_answered=3)
    told = Feedback("PARTIAL", "SUPPORTED", False, HOSTILE, "pilot <1>", dict(full.answer))
    nexts = ("read", "qualify", "retrain", "retry", "excluded", "qualified")
    offers = {"qualify": "qualification", "retrain": "training", "retry": "qualification"}
    found: dict[str, tuple[str, Any]] = {
        f"practice, {step}": (
            home,
            pages.PracticeHome(
                (replace(LINE, next=step, offer=offers.get(step, ""), rounds=(FAILED, PASSED), may_train=True),)
            ),
        )
        for step in nexts
    }
    return found | {
        "practice, train": (home, pages.PracticeHome((LINE, replace(LINE, codebook_version="0.4")))),
        "practice, training alone": (home, pages.PracticeHome((replace(LINE, next="qualify", offer=""),))),
        "practice, none": (home, pages.PracticeHome(())),
        "attempt": (attempt, ATTEMPT),
        "attempt, trained": (attempt, replace(ATTEMPT, finished=True, next_number=None, n_same=2)),
        "attempt, to hand in": (attempt, examined),
        "attempt, refused": (attempt, replace(examined, problems=("item 3 has no answer",))),
        "attempt, passed": (attempt, replace(examined, finished=True, figures=PASSED)),
        "attempt, failed": (attempt, replace(examined, finished=True, figures=FAILED)),
        "item, new": (item, item_page(bench, form)),
        "item, full": (item, item_page(bench, full, purpose="qualification")),
        "item, taught": (item, item_page(bench, full, closed=True, feedback=told)),
        "item, right": (
            item,
            item_page(bench, full, closed=True, next_open=None, feedback=replace(told, same=True, label="SUPPORTED")),
        ),
        "item, handed in": (item, item_page(bench, full, closed=True, next_open=None, purpose="qualification")),
        "home, to qualify": (
            "rater/home.html",
            pages.RaterHome((), (pages.QualificationNotice("0.5", ("pilot <1>",), "read"),)),
        ),
        "home, excluded": (
            "rater/home.html",
            pages.RaterHome((), (pages.QualificationNotice("0.5", ("pilot <1>",), "excluded"),)),
        ),
        "error, not qualified": (
            "error.html",
            pages.ErrorPage(403, "Not qualified", "H25: not yet.", link="/practice", link_words="Go to Practice"),
        ),
    }
