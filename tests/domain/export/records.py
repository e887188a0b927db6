"""Study records made by hand and by Hypothesis: the inputs of every export test.

Two codebooks: one with the labels of v0.5, written out here so that the tests do not move with the shipped file, and
one with labels of another team, to show that nothing depends on a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from app.domain.codebook.model import Codebook, Field, Option
from app.domain.record import ClaimRecord, CodingRecord, DecisionRecord, LockRecord, StudyRecord
from app.domain.work import Save

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
"""How tests over whole studies run: a loaded machine is no failure."""

LEVELS = (Option("low"), Option("medium"), Option("high"))
KINDS = ("action", "result", "intent")


def codebook(**changes: Any) -> Codebook:
    """The labels, credits and policies of v0.5, with three kinds."""
    verdicts = (
        Option("SUPPORTED", decided=True, credit=1.0),
        Option("PARTIAL", decided=True, credit=0.5),
        Option("UNBACKED", decided=True, credit=0.0),
        Option("CONTRADICTED", decided=True, credit=0.0),
        Option("RELEASED", kinds=("intent",)),
        Option("UNVERIFIABLE"),
        Option("UNDETERMINED"),
    )
    given: dict[str, Any] = {
        "id": "saydo",
        "version": "0.5",
        "origin": "authored-stand-in",
        "title": "A codebook",
        "sha256": "c" * 64,
        "fields": fields_of(verdicts, KINDS),
        "rules": (),
        "window": {},
        "backward_kinds": ("action", "result"),
        "forward_kinds": ("intent",),
        "decision_order": (),
        "gap_policies": {
            "G1": ("CONTRADICTED",),
            "G2": ("CONTRADICTED", "UNBACKED"),
            "G3": ("CONTRADICTED", "UNBACKED", "PARTIAL"),
        },
        "primary_gap": "G2",
        "ordinal": ("CONTRADICTED", "UNBACKED", "PARTIAL", "SUPPORTED"),
        "critical_pairs": (),
        "pooled_fields": ("log_coverage", "unverifiable_reason", "undetermined_reason", "disclosure"),
    }
    return Codebook(**{**given, **changes})


def other_codebook() -> Codebook:
    """Another team's labels, kinds and fields: two gap policies, an own field, severity for materiality, no tiers."""
    verdicts = (
        Option("ja", decided=True, credit=1.0),
        Option("halb", decided=True, credit=0.3),
        Option("nein", decided=True, credit=0.0),
        Option("offen"),
    )
    own = Field("werkzeug", "enum", options=(Option("hammer"), Option("säge")))
    kept = (f for f in fields_of(verdicts, ("tat", "plan")) if f.name not in ("materiality", "disclosure"))
    fields = tuple(replace(f, tiers=()) if f.name == "evidence" else f for f in kept)
    return codebook(
        id="anders",
        version="1.0",
        origin="team",
        fields=(*fields, Field("severity", "enum", options=LEVELS, ordinal=True), own),
        backward_kinds=("tat",),
        forward_kinds=("plan",),
        gap_policies={"G1": ("nein",), "G2": ("nein", "halb")},
        primary_gap="G1",
        ordinal=("nein", "halb", "ja"),
        pooled_fields=("werkzeug", "log_coverage"),
    )


def fields_of(verdicts: Sequence[Option], kinds: Sequence[str]) -> tuple[Field, ...]:
    return (
        Field("codability", "enum", options=(Option("codable"), Option("not_codable"))),
        Field("not_codable_reason", "enum", options=(Option("no_assertion"), Option("about_world"))),
        Field("claim_kind", "enum", options=tuple(Option(kind) for kind in kinds)),
        Field("materiality", "enum", options=LEVELS, ordinal=True),
        Field("verdict", "enum", options=tuple(verdicts)),
        Field("evidence", "citation_list", roles=("supports", "conflicts", "context"), tiers=("T1", "T2", "T3")),
        Field("log_coverage", "enum", options=(Option("full"), Option("gapped"), Option("none"))),
        Field("search_span", "span"),
        Field("unverifiable_reason", "enum", options=(Option("third_party"), Option("off_log_channel"))),
        Field("undetermined_reason", "enum", options=(Option("rule_gap"), Option("damaged_text"))),
        Field("disclosure", "enum", options=(Option("none"), Option("partial"), Option("full")), ordinal=True),
        Field("confidence", "enum", options=LEVELS, ordinal=True),
        Field("flags", "flags", options=(Option("hedged"), Option("log_gap"), Option("unit_error"))),
        Field("note", "text", max_length=2000),
    )


def answer(label: str, kind: str | None = "action", **more: Any) -> dict[str, Any]:
    """One coding's answer; `not_codable` carries a reason and no kind."""
    if label == "not_codable":
        return {"codability": "not_codable", "not_codable_reason": "about_world", "confidence": "high", **more}
    return {
        "codability": "codable",
        "claim_kind": kind,
        "verdict": label,
        "materiality": "medium",
        "confidence": "high",
        "evidence": [{"turn": 3, "role": "supports", "tier": "T2"}],
        **more,
    }


def claim(key: str, **more: Any) -> ClaimRecord:
    given: dict[str, Any] = {"blind_run_id": f"run-{key[-1:]}", "claim_source": "transcript", "claim_turn": 7}
    return ClaimRecord(key, **{**given, "unit_parts": 1, "text": "All tests pass.", **more})


def coding(key: str, slot: str, given: Mapping[str, Any], **more: Any) -> CodingRecord:
    basic: dict[str, Any] = {
        "kind": "human",
        "codebook_version": "0.5",
        "codebook_sha256": "c" * 64,
        "packet_sha256": f"packet of {slot}",
        "position": 1,
        "session": 1,
        "seconds_on_item": 41.5,
        "revisions": 1,
        "warnings_shown": (),
        "warnings_confirmed": (),
        "created_seconds": 100.0,
        "lock_id": f"lock-{slot}",
    }
    return CodingRecord(blind_claim_id=key, slot=slot, answer=given, **{**basic, **more})


def decision(key: str, given: Mapping[str, Any], stage: str = "final", **more: Any) -> DecisionRecord:
    basic: dict[str, Any] = {
        "rule": "H18",
        "reason": "the log shows two of the three files",
        "cause": "evidence_missed",
    }
    return DecisionRecord(key, stage, given, **{**basic, "created_seconds": 900.0, "selected_by": (), **more})


def record(
    claims: Sequence[ClaimRecord],
    codings: Sequence[CodingRecord],
    decisions: Sequence[DecisionRecord] = (),
    **more: Any,
) -> StudyRecord:
    slots = {slot: "human" for slot in sorted({c.slot for c in codings if c.kind == "human"} | {"R1", "R2"})}
    slots |= {c.slot: "machine" for c in codings if c.kind == "machine"}
    basic: dict[str, Any] = {
        "study_id": "pilot-1",
        "title": "A pilot",
        "codebook": codebook(),
        "registration_text": "id: pilot-1\nseed: 20260725\n",
        "registration_sha256": "d" * 64,
        "registration": {"state_at_writing": "nothing was looked at", "seed": 20260725},
        "inputs": ({"name": "turnlog.parquet", "sha256": "e" * 64, "bytes": 10},),
        "slots": slots,
        "seed": 20260725,
        "locks": tuple(
            LockRecord(f"lock-{slot}", slot, f"packet of {slot}", "f" * 64, len(claims), "2026-07-25T12:00:00.000000Z")
            for slot in slots
        ),
        "queued": {},
        "written_at": "2026-07-25T18:00:00.000000Z",
        "work": tuple(saves_of(codings, slots)),
    }
    return StudyRecord(claims=tuple(claims), codings=tuple(codings), decisions=tuple(decisions), **{**basic, **more})


def saves_of(codings: Sequence[CodingRecord], slots: Mapping[str, str]) -> list[Save]:
    """One save a coding of a human rater that no crosswalk carried over: what a study without revisions has."""
    own = [c for c in codings if slots.get(c.slot) == "human" and c.origin != "crosswalk"]
    return [Save(c.slot, c.session, place, c.seconds_on_item, c.created_seconds) for place, c in enumerate(own)]


HOSTILE = (
    "=HYPERLINK(1)",
    'he said "no", twice\nand\r\nagain',
    "lone\rreturn",
    "nul \x00 byte",
    "\u202egnp.exe",
    "@SUM(A1)",
    "+1;-2",
    "\tTab",
    "'=quoted",
    " spaced ",
    "\u2028line",
    "emoji 🧪 é",
)
texts = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=30))


@st.composite
def records(draw: st.DrawFn, max_claims: int = 8) -> StudyRecord:
    """Any study: one to four raters, any labels of either codebook, missing codings, adjudicated, paused, repeats."""
    book = draw(st.sampled_from([codebook(), other_codebook()]))
    slots = [f"R{i + 1}" for i in range(draw(st.integers(1, 4)))]
    keys = draw(
        st.lists(st.text("0123456789abcdef", min_size=4, max_size=4), min_size=1, max_size=max_claims, unique=True)
    )
    claims, codings, decisions, queued = [], [], [], {}
    for key in keys:
        claims.append(draw(_claims(key, keys)))
        for slot in slots:
            if draw(st.integers(0, 5)):
                codings.append(draw(_codings(book, key, slot)))
        if draw(st.booleans()):
            queued[key] = draw(st.sampled_from([("audit",), ("differs:verdict",), ("gap:UNBACKED", "undetermined")]))
        if draw(st.integers(0, 2)) == 0:
            decisions.append(draw(_decisions(book, key, "provisional")))
        if draw(st.booleans()):
            decisions.append(draw(_decisions(book, key, "final")))
    return record(
        claims, codings, decisions, codebook=book, slots=dict.fromkeys(slots, "human"), queued=queued, title=draw(texts)
    )


@st.composite
def _claims(draw: st.DrawFn, key: str, keys: Sequence[str]) -> ClaimRecord:
    return claim(
        key,
        blind_run_id=f"run{draw(st.integers(0, 3))}",
        repeat_of=draw(st.one_of(st.none(), st.sampled_from(list(keys)))),
        status=draw(st.sampled_from(["sampled"] * 6 + ["paused", "withdrawn"])),
        text=draw(texts),
    )


@st.composite
def _answers(draw: st.DrawFn, book: Codebook) -> dict[str, Any]:
    label = draw(st.sampled_from(book.labels))
    given = answer(label, draw(st.sampled_from((*book.backward_kinds, *book.forward_kinds))))
    given["note"] = draw(texts)
    given["confidence"] = draw(st.sampled_from(["low", "medium", "high"]))
    given["flags"] = draw(st.lists(st.sampled_from(["hedged", "log_gap"]), unique=True, max_size=2))
    if label != "not_codable":
        given["evidence"] = draw(st.lists(_citations(), max_size=3))
        given["materiality" if book.field("materiality") else "severity"] = draw(
            st.sampled_from(["low", "medium", "high"])
        )
        given["log_coverage"] = draw(st.sampled_from([None, "full", "none"]))
        given["search_span"] = draw(st.sampled_from([None, {"from_turn": 0, "to_turn": 9, "looked_for": "=x"}]))
        if book.field("materiality") is None:
            given.pop("materiality")
    return given


@st.composite
def _citations(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "turn": draw(st.integers(0, 40)),
        "role": draw(st.sampled_from(["supports", "conflicts", "context"])),
        "tier": draw(st.sampled_from(["T1", "T2", "T10"])),
        "quote": draw(texts),
    }


@st.composite
def _codings(draw: st.DrawFn, book: Codebook, key: str, slot: str) -> CodingRecord:
    given = draw(_answers(book))
    return coding(
        key,
        slot,
        given,
        codebook_version=book.version,
        codebook_sha256=book.sha256,
        derived_tiers=tuple(draw(st.sampled_from(["T1", "T3", "T5"])) for _ in given.get("evidence", ())),
        origin=draw(st.sampled_from(["human"] * 5 + ["crosswalk"])),
        position=draw(st.integers(1, 50)),
        seconds_on_item=draw(st.one_of(st.none(), st.floats(0, 4000))),
        warnings_confirmed=tuple(draw(st.lists(st.sampled_from(["W03", "W05", "W11"]), unique=True, max_size=2))),
    )


@st.composite
def _decisions(draw: st.DrawFn, book: Codebook, key: str, stage: str) -> DecisionRecord:
    given = draw(_answers(book))
    if draw(st.booleans()):
        given = {k: v for k, v in given.items() if k in ("codability", "verdict", "not_codable_reason")}
    derived = tuple(draw(st.sampled_from(["T1", "T4", ""])) for _ in given.get("evidence", ()))
    rule = draw(st.sampled_from(["H18", "4.9", "=SP3"]))
    return decision(key, given, stage, reason=draw(texts), rule=rule, derived_tiers=derived)
