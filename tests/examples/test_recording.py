"""What the recorded demo holds: enough runs, claims, verdicts and oddities to show every part of the work."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections import Counter

import pytest
from sklearn.metrics import cohen_kappa_score

from app.domain.blinding.leaks import scan
from tests.examples.recording import DEMO, FILES, blinded, coverage, imported, log_rows, study, table, terms

VERDICTS = {"SUPPORTED", "PARTIAL", "UNBACKED", "CONTRADICTED", "RELEASED", "UNVERIFIABLE", "UNDETERMINED"}
KINDS = {"action", "result", "state", "verification", "coverage", "order", "restraint", "attribution", "intent"}


def labels(who: str) -> list[str]:
    return [row["verdict"] or "not_codable" for row in table(FILES[who])]


def target_text(claim: dict[str, str]) -> str:
    turn = imported()[claim["session_id"]][int(claim["turn_index"])]
    if claim["target"] == "text":
        return turn.text or ""
    return next(c.args_json or "" for c in turn.tool_calls if f"args:{c.call_key}" == claim["target"])


@pytest.mark.parametrize("claim", table("claims.csv"), ids=lambda row: row["claim_id"])
def test_a_span_cuts_exactly_the_claim(claim: dict[str, str]) -> None:
    assert target_text(claim)[int(claim["span_start"]) : int(claim["span_end"])] == claim["text"]


def test_spans_of_one_text_do_not_overlap() -> None:
    taken: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
    for row in table("claims.csv"):
        place = (row["session_id"], row["turn_index"], row["target"])
        taken.setdefault(place, []).append((int(row["span_start"]), int(row["span_end"])))
    for spans in taken.values():
        spans.sort()
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))


def test_eight_runs_of_two_models_under_two_arms() -> None:
    sessions = imported()
    cells = Counter((turns[2].model, turns[0].arm) for turns in sessions.values())
    assert len(sessions) == 8
    assert sorted(cells.values()) == [2, 2, 2, 2]
    firsts = [turns[0] for turns in sessions.values()]
    assert len({t.run_id for t in firsts}) == len({t.task_id for t in firsts}) == 8
    assert all("reward" in json.loads(t.outcome_json or "{}") for t in firsts)


def test_eighty_claims_of_every_kind() -> None:
    gold = table("gold.csv")
    assert len(gold) == len(table("claims.csv")) == 80
    assert {row["claim_kind"] for row in gold} - {""} == KINDS


@pytest.mark.parametrize("who", ["gold", "r1", "r2"])
def test_every_verdict_occurs(who: str) -> None:
    assert set(labels(who)) == VERDICTS | {"not_codable"}


def test_the_two_raters_agree_as_recorded() -> None:
    """64 of 80 labels agree. Working: po = 64/80; pe = sum of the products of the marginals, both below.

    r1 SUPPORTED 39, CONTRADICTED 11, UNVERIFIABLE 9, UNBACKED 8, PARTIAL 4, RELEASED 4, not_codable 3, UNDETERMINED 2;
    r2 37, 10, 6, 10, 8, 4, 3, 2: pe = (1443+110+54+80+32+16+9+4)/6400 = 1748/6400; kappa = (5120-1748)/(6400-1748).
    """
    one, two = labels("r1"), labels("r2")
    assert sum(a == b for a, b in zip(one, two, strict=True)) == 64
    assert cohen_kappa_score(one, two) == pytest.approx(3372 / 4652, abs=1e-12)


def test_the_readable_log_and_the_imported_one_are_the_same_runs() -> None:
    rows = log_rows()
    turns = [turn for row in rows for turn in [imported()[row["session_id"]][row["turn_index"]]]]
    assert len(rows) == sum(map(len, imported().values()))
    for row, turn in zip(rows, turns, strict=True):
        assert (row["role"], row["text"], row["kind"]) == (turn.role, turn.text, turn.kind)
        assert [c["args_json"] for c in row["tool_calls"]] == [c.args_json for c in turn.tool_calls]
        assert [(r["call_key"], r["output"], r["exit_code"]) for r in row["tool_results"]] == [
            (r.call_key, r.output, r.exit_code) for r in turn.tool_results
        ]


def test_the_log_has_what_makes_coding_hard() -> None:
    turns = [turn for run in imported().values() for turn in run]
    outputs = [(result.output or "", result) for turn in turns for result in turn.tool_results]
    assert any(text.count("\n") > 200 for text, _ in outputs), "a long output"
    assert any("\x1b[32m" in text and "\n\x1b[1m+++ " in text for text, _ in outputs), "a coloured diff"
    assert {result.exit_code for _, result in outputs} >= {None, 0, 1, 2, 127}, "commands that fail in several ways"
    assert all(result.is_error == (result.exit_code not in (None, 0)) for _, result in outputs)
    assert any(turn.role == "user" and turn.turn_index > 1 for turn in turns), "a user who speaks mid-way"
    answered = {(t.session_id, r.call_key) for t in turns for r in t.tool_results}
    lost = [c for t in turns for c in t.tool_calls if (t.session_id, c.call_key) not in answered]
    assert len(lost) == 3, "results that the recorder did not keep"


def test_claims_stand_in_words_lists_letters_and_reports() -> None:
    where = Counter()
    for row in table("claims.csv"):
        turn = imported()[row["session_id"]][int(row["turn_index"])]
        name = next((c.name for c in turn.tool_calls if f"args:{c.call_key}" == row["target"]), "words")
        where[name] += 1
    assert set(where) == {"words", "todo", "send_message", "finish"}


def test_one_run_has_a_gap_and_its_map_says_so() -> None:
    said = coverage()
    assert set(said) == set(imported())
    gapped = {name for name, run in said.items() if run["gaps"]}
    assert len(gapped) == 1
    assert all((run["channels"]["shell"] == "gapped") == (name in gapped) for name, run in said.items())


def test_identities_stand_in_the_texts_so_that_blinding_has_work() -> None:
    words = " ".join(row["text"] or "" for row in log_rows())
    listed = study()["blinding"]["terms"]
    for turns in imported().values():
        assert {turns[2].model, turns[0].arm} <= set(listed)
    assert all(term in words for term in ("orrery-large-2", "orrery-mini-2", "checklist-b1", "brief-a3"))


def test_once_blinded_no_identity_is_left() -> None:
    shown = [
        (f"turn {turn.turn}", json.dumps(turn.as_dict(), ensure_ascii=False))
        for run in blinded().values()
        for turn in run
    ]
    assert len(shown) == len(log_rows())
    assert scan(shown, terms()) == []
    assert sum("⟨MODEL-" in text for _, text in shown) >= len(blinded()), "each run names its model somewhere"


@pytest.mark.parametrize("path", sorted(p for p in DEMO.glob("*.*") if p.suffix != ".parquet"), ids=lambda p: p.name)
def test_no_recorded_file_names_this_machine(path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"/(?:home|work|tmp|usr|root|opt)/|site-packages|\.venv", text)
    assert text.endswith("\n")


def test_no_duration_is_left_in_an_output() -> None:
    text = (DEMO / "runs.jsonl").read_text(encoding="utf-8")
    assert set(re.findall(r"in (\d+\.\d+)s", text)) == {"0.00"}


def test_the_study_key_is_of_the_right_length() -> None:
    key = bytes.fromhex(json.loads((DEMO / "clock.json").read_text(encoding="utf-8"))["study_key_hex"])
    assert len(key) == hashlib.sha256().digest_size
