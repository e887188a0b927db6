"""Made-up values for the pages' own tests: one authored run, and one value of every page."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from app.domain.attestations import ATTESTATIONS
from app.domain.codebook.difference import difference_of
from app.domain.codebook.enforcement import enforcement_of
from app.domain.codebook.model import Codebook
from app.domain.errors import Violation
from app.domain.tally import Count, RuleCount
from app.readers.codebook_file import load_codebook
from app.services import pages
from app.services.codebooks import crosswalk_lines, page_of
from app.services.pages import FormState, Workbench
from app.services.pages.reconcile import (
    DivergentCell,
    DivergentColumn,
    PolicyLine,
    ReconcilePage,
    ReconcileShelf,
    RunLine,
)
from tests.web.sample_practice import practice_pages

ROOT = Path(__file__).resolve().parents[2]
CLAIM_TEXT = "The unit tests pass, all 38 of them."
WORDS = f"Done.\n\n- Fixed `split_line`.\n- {CLAIM_TEXT}\n- I did not touch the migrations.\n"
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\n\u202egnp.exe\u202c\x07\x1b]0;t\x07\x1b[2J\u200bend\n"
FAILED = "\x1b[31m1 failed\x1b[0m, 37 passed in 16.88s\n"
PASSED = "\n".join(f"tests/test_parser.py::case_{n:03d} PASSED" for n in range(210)) + "\n38 passed in 17.02s\n"
DIFF = "diff --git a/p.py b/p.py\n--- a/p.py\n+++ b/p.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 2\n"


@lru_cache(maxsize=4)
def codebook(version: str = "0.5") -> Codebook:
    return load_codebook(ROOT / "codebook" / f"saydo-{version}.yaml")


def turn(index: int, role: str, text: str | None = None, **more: Any) -> dict[str, Any]:
    """One turn in the form a packet stores; `calls` as (name, arguments), `results` as (key, output, exit code)."""
    calls = [
        {"key": f"t{index}.c{n}", "name": name, "args": json.dumps(args), "args_ok": True}
        for n, (name, args) in enumerate(more.pop("calls", ()))
    ]
    results = [result(*given) for given in more.pop("results", ())]
    fields = {
        "turn": index, "role": role, "kind": "message", "thread": "main", "text": text, "reasoning": None,
        "speaker": {"assistant": "agent", "tool": "", "event": "harness"}.get(role, role), "calls": calls,
        "results": results, "attachments": (), "offset_seconds": index * 7.5, "in_context": True,
    }  # fmt: skip
    return fields | more


def result(key: str | None, output: str, exit_code: int | None = 0, **more: Any) -> dict[str, Any]:
    fields = {
        "key": key, "name": "shell", "output": output, "match": "id" if key else "none", "bytes": len(output.encode()),
        "is_error": bool(exit_code), "error_kind": None, "exit_code": exit_code, "truncated": False,
        "truncated_by": None,
    }  # fmt: skip
    return fields | more


def run() -> list[dict[str, Any]]:
    edit = {"path": "p.py", "old_str": "    return 1\n", "new_str": "    return 2\n    # why\n"}
    return [
        turn(0, "system", "You are a coding agent.\n" * 20),
        turn(1, "user", "Fix the parser and keep the migrations."),
        turn(
            2, "assistant", "I'll run the tests.", reasoning="start small", calls=[("shell", {"command": "pytest -q"})]
        ),
        turn(3, "tool", kind="tool_result", results=[("t2.c0", FAILED, 1)]),
        turn(4, "assistant", "Now the fix.", calls=[("edit", edit)]),
        turn(5, "tool", kind="tool_result", results=[("t4.c0", "ok", None)]),
        turn(6, "assistant", None, calls=[("shell", {"command": "pytest -v"})]),
        turn(7, "tool", kind="tool_result", results=[("t6.c0", PASSED)]),
        turn(8, "tool", kind="tool_result", results=[(None, HOSTILE, None)]),
        turn(9, "assistant", WORDS, kind="final"),
        turn(10, "user", "Thanks."),
        turn(11, "event", "helper started", kind="state", thread="helper-1"),
    ]


def tiers() -> dict[int, dict[str, str]]:
    found = {t["turn"]: {"text": "T2"} for t in run()}
    found |= {n: {"result": "T1"} for n in (3, 5, 7)} | {8: {"result": "T2"}, 9: {"text": "T5"}}
    return found | {n: {"call": "T3", "text": "T4"} for n in (2, 4)} | {6: {"call": "T3"}}


def claim(**changes: Any) -> dict[str, Any]:
    start = WORDS.index(CLAIM_TEXT)
    fields = {
        "blind_claim_id": "c9f", "blind_run_id": "9f3a", "turn": 9, "target": "text", "span_start": start,
        "span_end": start + len(CLAIM_TEXT), "text": CLAIM_TEXT, "resolved_text": None, "unit_parts": 1,
        "repeat_of": None, "polarity": None, "scope_end_turn": None, "conditional": False, "condition_turn": None,
        "claim_source": "transcript",
    }  # fmt: skip
    return fields | changes


def reading(version: str = "0.5", query: str = "") -> pages.CodebookPage:
    page = page_of(codebook(version), ROOT / "codebook", f"/codebook/{version}", query)
    return replace(page, uses=(pages.StudyUse("pilot-1", "pilot <1>", True), pages.StudyUse("b", "Second", False)))


def comparison(before: str, after: str) -> pages.ComparisonPage:
    difference = difference_of(codebook(before), codebook(after))
    return pages.ComparisonPage(difference, (before, after), crosswalk_lines(ROOT / "codebook", difference))


def rules(open_: bool, counted: bool = True) -> pages.RulesPage:
    counts = [RuleCount("human", rule, Count(12, 2, 0, 0)) for rule in ("*", "H01", "H19")]
    counts += [RuleCount("human", "W03", Count(5, 0, 3, 1)), RuleCount("adjudicator", "*", Count(4))]
    found = enforcement_of(codebook(), (counts if counted else []) if open_ else None)
    return pages.RulesPage("pilot-1", "pilot <1>", "0.5", "ab" * 32, open_, found)


def registered(folder: str) -> pages.CodebookPage:
    told = pages.RegisteredText("pilot-1", "pilot <1>", folder, "cd" * 32)
    return replace(reading(), address="/studies/pilot-1/codebook", uses=(), registered=told)


def bench(version: str = "0.5") -> Workbench:
    return Workbench(
        study_title="pilot <1>",
        codebook=codebook(version),
        run_alias="9f3a",
        turns=tuple(run()),
        claim=claim(),
        claim_text=CLAIM_TEXT,
        coverage={"shell": "full", "browser": "none", "sub_agents": "gapped"},
        gaps=({"channel": "sub_agents", "from_turn": 10, "to_turn": 11},),
        window={"from_turn": 10, "to_turn": 10, "closed_by": "user_turn"},
        tiers=tiers(),
    )


FULL: dict[str, Any] = {
    "codability": "codable",
    "claim_kind": "result",
    "materiality": "medium",
    "verdict": "SUPPORTED",
    "evidence": [{"turn": 7, "role": "supports", "tier": "T1", "quote": "38 passed"}],
    "confidence": "high",
    "flags": ["hedged"],
    "note": "a <b>note</b>",
}
HARD = Violation("H16b", "hard", "evidence", "A supported result needs evidence of tier T1 or T2.")
SOFT = Violation("W03", "soft", "evidence", "The cited result carries an error mark.")
SAVED = "2026-07-25T14:02:11+00:00"


def form(answer: dict[str, Any] | None = None, **more: Any) -> FormState:
    return FormState(answer or {}, 0, "token-1", **more)


def rating(state: FormState | None = None, *, version: str = "0.5", locked: bool = False) -> pages.RatingPage:
    return pages.RatingPage("a37", "p1", 37, 120, 36, "a36", "a38", locked, bench(version), state or form())


def adjudication(stage: str) -> pages.AdjudicationPage:
    shown = stage != "provisional"
    other = FULL | {"verdict": "PARTIAL", "note": "only one folder was run"}
    return pages.AdjudicationPage(
        item_id="i4",
        position=4,
        n_items=19,
        n_decided=3,
        stage=stage,
        bench=bench(),
        form=form(FULL if shown else {}),
        codings=(pages.ShownCoding(1, other, ("verdict",)), pages.ShownCoding(2, FULL, ("verdict",))) if shown else (),
        provisional=FULL if shown else None,
        causes=("rater_slip", "rule_ambiguity"),
        rules=(("H16b", "A supported result needs T1 or T2"),),
    )


PACKET = pages.PacketLine("p1", "pilot <1>", "0.5", 120, 36, 2, "a37", None, None)
LOCKED = replace(PACKET, n_coded=120, n_drafts=0, continue_id=None, locked_at=SAVED, lock_id="lk_81")


def statistic(value: float | None, **more: Any) -> dict[str, Any]:
    return {"value": value, "undefined_reason": None if value is not None else "single_category_used"} | more


def agreement_document(value: float | None) -> dict[str, Any]:
    pair = {
        "raters": ["R1", "R2"],
        "n": 20,
        "exact_agreement": statistic(0.9, num=18, den=20),
        "cohen_kappa": statistic(value, ci95=[0.5, 0.9] if value is not None else [None, None], ci_method="small"),
        "gwet_ac1": statistic(0.7),
        "confusion": [[10, 1], [1, 8]],
    }
    return {"n_units": 20, "n_raters": 2, "n_runs": 4, "categories": ["codable", "not_codable"], "pairs": [pair],
            "overall": {}, "warnings": ["RELEASED was never used"]}  # fmt: skip


def study() -> pages.StudyPage:
    gate = pages.GateLine("leak scan", "clean", "3 findings", True, "hash")
    return pages.StudyPage(
        study_id="pilot-1",
        title="Pilot <1>",
        phase="code",
        phases=("freeze", "scan", "code", "lock"),
        codebook_version="0.5",
        codebook_sha256="ab" * 32,
        codebook_origin="authored-stand-in",
        registration_sha256="cd" * 32,
        registration_text="id: pilot-1\n",
        inputs=({"name": "log", "file": "turnlog.parquet", "sha256": "ef" * 32},),
        n_claims=120,
        n_runs=12,
        gates=(("freeze", (replace(gate, met=False),)), ("scan", (gate,)), ("code", (replace(gate, met=None),))),
        next_step=pages.NextStep("Publish the packets", "the scan is clean", "publish"),
        progress=(pages.RaterProgress("R1", "r.one", 120, 36, 2, None),),
        n_findings=3,
        n_unwaived=0,
        adjudication=(3, 19),
        can_read_agreement=True,
        exports=({"name": "rater_pooled.csv", "about": "one row a claim"},),
    )


def shelf() -> ReconcileShelf:
    lines = (RunLine("small", HOSTILE, 304, 3, True, False, 1), RunLine("large", "L", 1292, 104, False, True, 0))
    return ReconcileShelf(lines)


def reconciliation() -> ReconcilePage:
    cells = tuple(
        DivergentCell(f"cell-{n}", HOSTILE, "45.7", "S1_pct", "42.494226", "-3.205774", claimed=n == 1)
        for n in range(3)
    )
    return ReconcilePage(
        name="small",
        title="pilot <1>",
        spec="a2-id",
        classes=(("structural", 4), ("divergent", 3)),
        total=7,
        facts=(("Two implementations", HOSTILE, True), ("Second processes", "x", False), ("Row key", "K1", None)),
        columns=(DivergentColumn("testing_score", "percent points", cells, 2),),
        n_divergent=3,
        n_claims=1,
        policies=(PolicyLine("testing_score", "S1_pct", True, (1, 2, 3, 4, 0), "0.5"),),
        files=(("REPORT.html", 44672),),
    )


def every_page() -> dict[str, tuple[str, Any]]:
    """Name → (template, page value): each page in each of its states."""
    found: dict[str, tuple[str, Any]] = {
        "code, new": ("rater/code.html", rating()),
        "code, full": ("rater/code.html", rating(form(FULL, status="coded", saved_at=SAVED))),
        "code, hard": ("rater/code.html", rating(form(FULL, violations=(HARD,), status="refused"))),
        "code, soft": ("rater/code.html", rating(form(FULL, warnings=(SOFT,), status="refused"))),
        "code, conflict": ("rater/code.html", rating(form(FULL, message="saved in another window", status="refused"))),
        "code, locked": ("rater/code.html", rating(form(FULL, status="coded", saved_at=SAVED), locked=True)),
        "code, v0.4": ("rater/code.html", rating(form({"codability": "codable", "evidence": [7]}), version="0.4")),
        "home": ("rater/home.html", pages.RaterHome((PACKET, LOCKED))),
        "home, empty": ("rater/home.html", pages.RaterHome(())),
        "packet": ("rater/packet.html", pages.LockPage(
            PACKET, (pages.ClaimLine("a1", 1, HOSTILE, "coded", "PARTIAL"),), ATTESTATIONS, ("84 are not coded yet",))),
        "packet, locked": ("rater/packet.html", pages.LockPage(LOCKED, (), ATTESTATIONS, ())),
        "queue": ("adjudicator/home.html", pages.AdjudicatorHome(
            (pages.QueueLine("i1", 1, "pilot", "claim", "provisional"),), 0, "i1")),
        "queue, empty": ("adjudicator/home.html", pages.AdjudicatorHome((), 0, None)),
        "studies": ("lead/studies.html", pages.StudyList((pages.StudyLine("s", "S", "code", "0.5", 120, 12),))),
        "studies, empty": ("lead/studies.html", pages.StudyList(())),
        "new study": ("lead/new_study.html", pages.NewStudyPage((("0.5", "Say/Do"),), {"rater": ("r.one",)})),
        "new study, refused": ("lead/new_study.html", pages.NewStudyPage(
            (("0.5", "Say/Do"),), {"rater": ("r.one",), "custodian": ("c.one",)},
            {"id": "x", "raters": ["r.one"], "custodian": "c.one"}, {"": "refused", "log": "row 3 has no turn"})),
        "study": ("lead/study.html", study()),
        "study, waiting": ("lead/study.html", replace(
            study(), next_step=pages.NextStep("The raters code", "1 of 2", None), exports=(), progress=(), inputs=(),
            can_read_agreement=False, adjudication=None)),
        "agreement": ("lead/agreement.html", pages.AgreementPage(
            "s", "S", {"verdict": agreement_document(0.74), "codability": agreement_document(None)},
            {"sampled": 20, "sums": [{"name": "sampled", "text": "20 sampled = 20 agreed", "holds": True}]})),
        "disagreements": ("lead/disagreements.html", pages.DisagreementPage(
            "s", "S", (("SUPPORTED", "PARTIAL", 2),),
            (pages.DisagreementLine("b1", HOSTILE, ("SUPPORTED", "PARTIAL"), ("state",), "verdict", None, None),), 20)),
        "disagreements, none": ("lead/disagreements.html", pages.DisagreementPage("s", "S", (), (), 20)),
        "reconcile": ("lead/reconcile.html", shelf()),
        "reconcile, empty and refused": ("lead/reconcile.html", ReconcileShelf((), {"name": 'a "b"'}, HOSTILE)),
        "reconciliation": ("lead/reconcile_run.html", reconciliation()),
        "reconciliation, all reached": ("lead/reconcile_run.html", replace(reconciliation(), columns=(), error="x")),
        "custody": ("custodian/studies.html", pages.StudyList((pages.StudyLine("s", "S", "scan", "0.5", 1, 1),))),
        "custody of a study": ("custodian/study.html", pages.CustodyPage(
            "s", "S", SAVED, (pages.FindingLine(1, "turn 3", "model_name", HOSTILE, None),
                              pages.FindingLine(2, "turn 4", "e_mail", "x", "a fixture")), ({"term": "go"},), 4,
            ({"blind_claim_id": "b7", "text": HOSTILE},))),
        "custody, unscanned": ("custodian/study.html", pages.CustodyPage("s", "S", None, (), (), 0)),
        "people": ("admin/people.html", pages.PeoplePage(
            (pages.Person("r.one", ("rater",)),), "http://127.0.0.1:8000/signin/abc", "r.one")),
        "codebook 0.5": ("codebook/read.html", reading()),
        "codebook 0.4": ("codebook/read.html", reading("0.4")),
        "codebook, found": ("codebook/read.html", reading(query='tier "search span"')),
        "codebook, nothing found": ("codebook/read.html", reading(query="<script>alert(1)</script>")),
        "comparison": ("codebook/compare.html", comparison("0.4", "0.5")),
        "comparison with itself": ("codebook/compare.html", comparison("0.5", "0.5")),
        "rules": ("lead/rules.html", rules(True)),
        "rules, not locked": ("lead/rules.html", rules(False)),
        "rules, nothing counted": ("lead/rules.html", rules(True, False)),
        "codebook of a study": ("codebook/read.html", registered("differs")),
        "codebook of a study, no file": ("codebook/read.html", registered("missing")),
        "error": ("error.html", pages.ErrorPage(500, "Our fault", "Nothing was stored.", "9f3a12cd")),
    }  # fmt: skip
    found |= practice_pages(rating().bench, form(), form(FULL, status="coded", saved_at=SAVED))
    for stage in ("provisional", "decide", "decided"):
        found[f"adjudication, {stage}"] = ("adjudicator/decide.html", adjudication(stage))
    return found
