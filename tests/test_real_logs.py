"""The main job on real logs: three producers' formats, twenty real claims, from the files to a verified export.

The logs are used where they lie and skipped, saying so, where they are absent.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

LOGS = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "turnlogs"
FOLDERS = ("claude_code", "mini_swe_agent", "tau_bench")

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(not LOGS.is_dir(), reason="the real logs are not here"),
]


class Shell:
    """The `saydo` command in its own installation."""

    def __init__(self, folder: Path) -> None:
        self.env = {
            **os.environ,
            "SAYDO_DATABASE_URL": f"sqlite:///{folder / 'saydo.db'}",
            "SAYDO_DATA_DIR": str(folder / "data"),
        }

    def __call__(self, *words: str, code: int = 0) -> Any:
        command = [sys.executable, "-c", "from app.main import run_cli; run_cli()", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=self.env)
        assert done.returncode == code, f"{words}: {done.returncode} {done.stderr}{done.stdout[-500:]}"
        assert "Traceback" not in done.stderr
        return json.loads(done.stdout) if "--json" in words and done.stdout else done


def real_claims() -> list[dict[str, Any]]:
    """Return the twenty real claims of the three formats, as their reader marked them."""
    lines = (LOGS / "claims.jsonl").read_text(encoding="utf-8").splitlines()
    return [claim for claim in map(json.loads, lines) if claim["file"].split("/")[0] in FOLDERS]


def index_of(log: Path) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Return (source file, session) → its rows, for finding a claim by its source record."""
    import pyarrow.parquet as pq

    rows: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in pq.read_table(log).to_pylist():
        rows.setdefault((row["src_file"], row["session_id"]), []).append(row)
    return rows


def find_claim(claim: Mapping[str, Any], rows: Mapping[tuple[str, str], list[dict[str, Any]]]) -> dict[str, Any]:
    """Return where the claim stands in the canonical log: mapped through `src_index`, in words or in tool arguments."""
    for (source, session_id), of_session in rows.items():
        if not claim["file"].endswith(Path(source).name) or not belongs(claim, session_id):
            continue
        for row in of_session:
            if claim["turn"] not in row["src_index"]:
                continue
            place = target_of(claim["claim"], row)
            if place:
                return {"session_id": session_id, "turn_index": row["turn_index"], **place}
    raise AssertionError(f"claim {claim['id']} was not found at its source record")


def belongs(claim: Mapping[str, Any], session_id: str) -> bool:
    return claim["session"] is None or claim["session"].removeprefix("task") in session_id.removeprefix("task")


def target_of(words: str, row: Mapping[str, Any]) -> dict[str, Any] | None:
    escaped = json.dumps(words, ensure_ascii=False)[1:-1]
    targets = [("text", row["text"] or "", words)]
    for call in row["tool_calls"]:
        targets += [(f"args:{call['call_key']}", call["args_json"] or "", form) for form in (words, escaped)]
    for target, text, form in targets:
        start = text.find(form)
        if start >= 0:
            return {"target": target, "span_start": start, "span_end": start + len(form), "text": form}
    return None


def test_the_main_job_on_real_logs(tmp_path: Path) -> None:
    saydo = Shell(tmp_path)
    log = tmp_path / "turnlog.parquet"
    found = saydo("log", "convert", *(str(LOGS / folder) for folder in FOLDERS), "--out", str(log), "--json")
    # 3 Claude Code sessions, 2 mini-swe-agent runs, 12 tau-bench conversations (SOURCES.md).
    assert found["sessions"] == 17
    assert saydo("log", "check", str(log), "--json")["ok"] is True

    rows = index_of(log)
    marked = real_claims()
    places = {claim["id"]: find_claim(claim, rows) for claim in marked}
    assert len(places) == 20
    lines = [json.dumps({"claim_id": claim_id, **place}) for claim_id, place in places.items()]
    (tmp_path / "claims.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert saydo("claims", "check", str(tmp_path / "claims.jsonl"), "--log", str(log), "--json")["ok"] is True

    prepare(saydo, tmp_path)
    codings = {claim["id"]: coding_of(claim, places[claim["id"]], rows) for claim in marked}
    second = {key: (UNDETERMINED if place % 4 == 0 else coding) for place, (key, coding) in enumerate(codings.items())}
    for rater, coded in (("r.one", codings), ("r.two", second)):
        import_and_lock(saydo, tmp_path, rater, coded)
    agreed = saydo("agreement", "--study", "real", "--as", "l.one", "--json")
    assert agreed["verdict"]["0.5"]["pairs"][0]["n"] == 20

    saydo("study", "phase", "real", "adjudicate", "--as", "l.one")
    adjudicate(saydo, codings)
    saydo("study", "phase", "real", "close", "--as", "l.one")
    files = saydo("export", "real", "--dir", str(tmp_path / "out"), "--as", "l.one", "--json")["files"]
    assert {"rater_pooled.csv", "rater_long.csv", "disagreements.csv", "manifest.json"} <= {f["path"] for f in files}
    with (tmp_path / "out" / "rater_pooled.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 20
    assert saydo("verify", str(tmp_path / "out"), "--json")["ok"] is True
    assert_no_name_leaks(tmp_path / "out")


def prepare(saydo: Shell, folder: Path) -> None:
    """People, registration, packets: as a lead would do it on the command line."""
    people = {"l.one": "lead", "r.one": "rater", "r.two": "rater", "a.one": "adjudicator", "c.one": "custodian"}
    for name, role in people.items():
        saydo("user", "add", name, "--role", role)
    study = {
        "id": "real",
        "codebook": "0.5",
        "log": "turnlog.parquet",
        "claims": "claims.jsonl",
        "lead": "l.one",
        "raters": ["r.one", "r.two"],
        "adjudicators": ["a.one"],
        "custodian": "c.one",
        "seed": 20260725,
        "state_at_writing": "One reader's judgements of these claims existed.",
        "prior_inspection": "The claims were marked by a reader of the logs.",
    }
    (folder / "study.yaml").write_text(json.dumps(study, indent=1), encoding="utf-8")
    created = saydo("study", "create", str(folder / "study.yaml"), "--as", "l.one", "--json")
    assert (created["id"], created["phase"]) == ("real", "freeze")
    assert saydo("packets", "build", "real", "--as", "l.one", "--json")["packets"] == 2
    assert saydo("packets", "scan", "real", "--as", "c.one", "--json")["findings"] == []
    saydo("packets", "publish", "real", "--as", "l.one")


UNDETERMINED: dict[str, Any] = {
    "codability": "codable",
    "claim_kind": "result",
    "materiality": "medium",
    "verdict": "UNDETERMINED",
    "undetermined_reason": "needs_expertise",
    "confidence": "medium",
    "note": "this rater cannot settle the claim from the log alone",
}


def coding_of(
    claim: Mapping[str, Any], place: Mapping[str, Any], rows: Mapping[Any, list[dict[str, Any]]]
) -> dict[str, Any]:
    """Return a coding of the reader's plain judgement, evidence mapped from source records to turns."""
    of_run = next(found for (_, session_id), found in rows.items() if session_id == place["session_id"])
    cited = sorted(
        row["turn_index"]
        for row in of_run
        if row["role"] == "tool" and set(row["src_index"]) & set(claim["evidence_turns"])
        if any(result["match"] != "none" for result in row["tool_results"])
    )
    before = [turn for turn in cited if turn <= place["turn_index"]]
    common = {"codability": "codable", "claim_kind": "result", "materiality": "medium", "confidence": "medium"}
    if claim["verdict"] == "silent":
        return {**common, "verdict": "UNVERIFIABLE", "unverifiable_reason": "off_log_channel", "log_coverage": "gapped"}
    if not before:
        return UNDETERMINED
    role = "conflicts" if claim["verdict"] == "contradicted" else "supports"
    coded = {**common, "evidence": [{"turn": turn, "role": role, "tier": "T1"} for turn in before]}
    if claim["verdict"] == "supported":
        return {**coded, "verdict": "SUPPORTED"}
    noted = {
        **coded,
        "disclosure": "none",
        "note": f"by the reader's judgement: {claim['verdict']}, see the cited turns",
    }
    return {**noted, "verdict": "CONTRADICTED" if role == "conflicts" else "PARTIAL"}


def import_and_lock(saydo: Shell, folder: Path, rater: str, codings: Mapping[str, dict[str, Any]]) -> None:
    """Import a rater's codings; what the soft rules ask is confirmed by name in a second go, then the packet locked."""
    from app.readers.codings_file import RawCoding, codings_csv

    path = folder / f"{rater}.csv"
    rows = [RawCoding(n, claim_id, dict(coding)) for n, (claim_id, coding) in enumerate(codings.items(), start=1)]
    path.write_text(codings_csv(rows), encoding="utf-8")
    words = ("codings", "import", str(path), "--study", "real", "--rater", rater, "--as", "l.one", "--json")
    asked = saydo(*words, code=1)
    assert asked["imported"] == 0
    assert asked["rejected"] == []
    confirmed = [
        replace(row, warnings_confirmed=tuple(sorted({w["rule"] for w in asked["unconfirmed"] if w["row"] == row.row})))
        for row in rows
    ]
    path.write_text(codings_csv(confirmed), encoding="utf-8")
    assert saydo(*words)["imported"] == 20
    assert saydo("packets", "lock", "real", "--as", rater, "--attest", "--json")["n_rows"] == 20


def adjudicate(saydo: Shell, codings: Mapping[str, dict[str, Any]]) -> None:
    """Decide every queued claim as the first rater coded it, through the use cases the pages call."""
    from app.domain.errors import Unconfirmed
    from app.services import adjudicating
    from app.services.adjudicating import Ruling
    from app.services.coding import Submission
    from app.services.people import get_actor
    from app.storage import adjudications, studies
    from app.storage.engine import Database

    database = Database(saydo.env["SAYDO_DATABASE_URL"])
    now = datetime.now(UTC)
    with database.reading() as session:
        native = {blind: claim for claim, blind in studies.blind_ids_of(session, "real", "claim").items()}
        queue = {item.id: native[item.blind_claim_id] for item in adjudications.list_queue(session, "real")}
        actor = get_actor(session, "a.one")
    assert queue
    for item_id, claim_id in queue.items():
        sent = Submission(codings[claim_id], 0, f"p-{item_id}")
        try:
            with database.writing() as session:
                adjudicating.submit_provisional(session, actor, item_id, sent, now)
        except Unconfirmed as asked:
            sent = replace(sent, confirmed=tuple(w.rule for w in asked.warnings))
            with database.writing() as session:
                adjudicating.submit_provisional(session, actor, item_id, sent, now)
        ruling = Ruling("settled by the turns that the reader cited", "H16", "evidence_missed")
        with database.writing() as session:
            adjudicating.decide(session, actor, item_id, (replace(sent, client_token=f"d-{item_id}"), ruling), now)
    database.close()


def assert_no_name_leaks(folder: Path) -> None:
    """No exported table names a model or a run of these logs."""
    names = ("claude", "gpt-4o", "sonnet", "anthropic", "sqlfluff__sqlfluff")
    for path in folder.glob("*.csv"):
        text = path.read_text(encoding="utf-8").lower()
        assert [name for name in names if name in text] == [], path.name
