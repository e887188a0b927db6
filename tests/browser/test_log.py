"""Logs that would harm or drown a reader: hostile text in every place, and a run of seven thousand turns."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.config import codebook_dir
from app.domain.turnlog.schema import table_from_turns
from app.domain.turnlog.turns import ToolCall, ToolResult, Turn
from app.readers.study_file import load_study
from app.readers.turnlog_file import write_turn_log
from app.services import building, registering, releasing
from app.services.intake import read_intake
from app.services.people import get_actor
from app.storage.engine import Database
from tests.browser.conftest import Visitor
from tests.browser.journeys import open_claim
from tests.small_study import KEY, START, STUDY, add_people

pytestmark = pytest.mark.browser
Visit = Callable[..., Visitor]
HOSTILE = (
    "<script>document.title = 'ran'</script><img src=x onerror=\"document.title = 'ran'\"></div></li></ol>"
    "<form action=/signout><button>x</button></form><style>*{display:none}</style>\n"
    "\u202egnp.exe\u202c \x07\x1b]0;title\x07\x1b[2J \u200b{{ 7 * 7 }} <!-- ]]> &amp; javascript:alert(1)\n"
)
TIMING = "(([one]) => [one.responseStart, one.domContentLoadedEventEnd])(performance.getEntriesByType('navigation'))"
CLAIM_BOX = "(({top, bottom}) => [top, bottom, innerHeight])(document.querySelector('#claim').getBoundingClientRect())"


def publish_run(database: Database, folder: Path, turns: Sequence[Turn], claim: tuple[int, str]) -> None:
    """Publish a study of one run with one claim."""
    folder.mkdir()
    write_turn_log(folder / "turnlog.parquet", table_from_turns(list(turns)))
    turn, words = claim
    start = (turns[turn].text or "").index(words)
    line = {"claim_id": "one", "session_id": "s", "turn_index": turn, "target": "text", "text": words}
    line |= {"span_start": start, "span_end": start + len(words)}
    (folder / "claims.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    study = {key: value for key, value in STUDY.items() if key != "coverage"}
    (folder / "study.yaml").write_text(json.dumps(study), encoding="utf-8")
    intake = read_intake(load_study(folder / "study.yaml"), codebook_dir(), folder / "data")
    with database.writing() as session:
        add_people(session)
        lead = get_actor(session, "l.one")
        registering.create_study(session, lead, intake, KEY, START)
        building.build_packets(session, lead, "small", START)
        releasing.scan_packets(session, lead, "small", START)
        releasing.publish_packets(session, lead, "small", START)


def test_hostile_text_is_shown_and_never_run(visit: Visit, database: Database, tmp_path: Path) -> None:
    words = f"I ran {HOSTILE}"
    call = ToolCall("t1.c0", "<b>shell</b>", json.dumps({"command": HOSTILE, "<i>": HOSTILE}), call_id="a")
    output = ToolResult(HOSTILE, "id", len(HOSTILE.encode()), call_key="t1.c0", call_id="a", is_error=True, exit_code=1)
    base = Turn(session_id="s", turn_index=0, role="user", text=HOSTILE)
    turns = [
        base,
        replace(base, turn_index=1, role="assistant", text=words, reasoning=HOSTILE, tool_calls=(call,)),
        replace(base, turn_index=2, role="tool", kind="tool_result", text=None, tool_results=(output,)),
        replace(base, turn_index=3, role="event", kind="state"),
    ]
    publish_run(database, tmp_path / "inputs", turns, (1, words))
    rater = visit("r.one")
    dialogs: list[str] = []
    rater.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    rater.page.click("a.main")
    open_claim(rater)
    assert rater.page.title().startswith("Claim 1 of 1")
    assert rater.page.locator(".turn").count() == 4
    assert rater.page.locator(".turn script, .turn img, .turn form, .turn style").count() == 0
    shown = rater.page.inner_text("#t0 .body")
    assert "<script>document.title = 'ran'</script>" in shown
    assert "{{ 7 * 7 }}" in shown
    assert "\u202e" not in rater.page.content()
    assert dialogs == []
    assert rater.complaints == []
    assert rater.elsewhere == []
    assert rater.page.locator(".claim-card h1").inner_text().count("<script>") == 1


def long_run(n: int) -> list[Turn]:
    base = Turn(session_id="s", turn_index=0, role="user", text="Please go on.")
    turns = []
    for number in range(n):
        part = number % 4
        if part == 1:
            call = ToolCall(
                f"t{number}.c0", "shell", json.dumps({"command": f"pytest -q part{number}"}), call_id=f"c{number}"
            )
            turns.append(replace(base, turn_index=number, role="assistant", text=f"Step {number}.", tool_calls=(call,)))
        elif part == 2:
            output = "".join(f"case {number}-{line} ok\n" for line in range(30))
            given = ToolResult(
                output, "id", len(output), call_key=f"t{number - 1}.c0", call_id=f"c{number - 1}", exit_code=0
            )
            turns.append(
                replace(base, turn_index=number, role="tool", kind="tool_result", text=None, tool_results=(given,))
            )
        else:
            role = "assistant" if part == 3 else "user"
            turns.append(replace(base, turn_index=number, role=role, text=f"Part {number} is done."))
    return turns


def test_a_run_of_seven_thousand_turns_opens_and_is_worked_in(visit: Visit, database: Database, tmp_path: Path) -> None:
    publish_run(database, tmp_path / "inputs", long_run(7000), (6003, "Part 6003 is done."))
    rater = visit("r.one")
    rater.page.set_default_timeout(60_000)
    rater.page.click("a.main")
    open_claim(rater)
    rater.page.reload()
    open_claim(rater)
    first_byte, awake = rater.page.evaluate(TIMING)
    print(
        f"\n7,000 turns: {first_byte:.0f} ms to the first byte, {awake - first_byte:.0f} ms more to a page that answers"
    )
    # About a second where nothing else runs; a bound for a machine under load, and far below what quadratic work takes.
    assert awake < 12_000
    assert rater.page.locator(".turn").count() == 7000
    assert "7,000 of 7,000 turns shown" in rater.page.inner_text(".toolbar")
    top, bottom, height = rater.page.evaluate(CLAIM_BOX)
    assert 0 < top < bottom < height
    rater.press("/")
    rater.page.keyboard.type("case 2-15 ok")
    rater.page.locator("[data-hits]").get_by_text("1 hits").wait_for()
    rater.press("Enter")
    assert rater.page.evaluate("document.querySelector('.is-here').id") == "t2"
    assert rater.page.locator("#t2 details").get_attribute("open") is not None  # the hit stood in a fold
    rater.press("Escape", "b")
    assert rater.page.evaluate("document.querySelector('.is-here').id") == "t6003"
