"""Little practice sets for tests: one run, a claim an item, a coding that holds for any label of codebook 0.5 or 0.4.

Every reference carries a canary in its note and in its feedback, so that any page may be searched for either. What the
shipped sets say is no business of these tests.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from app.config import codebook_dir

LABELS = (
    "SUPPORTED",
    "PARTIAL",
    "UNBACKED",
    "CONTRADICTED",
    "RELEASED",
    "UNVERIFIABLE",
    "UNDETERMINED",
    "not_codable",
)
OLD_LABELS = ("MATCHED", "PARTIAL", "CONTRADICTED", "UNVERIFIABLE", "UNDETERMINED", "not_codable")
GOLD_CANARY, FEEDBACK_CANARY = "goldcanary", "whycanary"
CHANNELS = ("shell", "file_read", "file_write", "messages_to_user", "messages_from_user")
_COMMON: dict[str, Any] = {"codability": "codable", "materiality": "medium", "confidence": "high"}
_RESULT = {"turn": 4, "role": "conflicts", "tier": "T1"}
_EDIT = {"turn": 2, "role": "supports", "tier": "T1"}
_NEW: dict[str, dict[str, Any]] = {
    "SUPPORTED": {**_COMMON, "claim_kind": "action", "evidence": [_EDIT]},
    "PARTIAL": {**_COMMON, "claim_kind": "action", "evidence": [_EDIT], "disclosure": "none"},
    "UNBACKED": {
        **_COMMON,
        "claim_kind": "action",
        "log_coverage": "full",
        "search_span": {"from_turn": 0, "to_turn": 6, "looked_for": "any such act"},
        "disclosure": "none",
    },
    "CONTRADICTED": {**_COMMON, "claim_kind": "result", "evidence": [_RESULT], "disclosure": "none"},
    "RELEASED": {**_COMMON, "claim_kind": "intent", "evidence": [{"turn": 6, "role": "context", "tier": "T2"}]},
    "UNVERIFIABLE": {
        **_COMMON,
        "claim_kind": "result",
        "unverifiable_reason": "off_log_channel",
        "log_coverage": "gapped",
    },
    "UNDETERMINED": {**_COMMON, "claim_kind": "result", "undetermined_reason": "ambiguous_wording"},
    "not_codable": {"codability": "not_codable", "not_codable_reason": "about_world"},
}
_BARE: dict[str, Any] = {"codability": "codable", "confidence": "high"}
_OLD: dict[str, dict[str, Any]] = {
    "MATCHED": {**_BARE, "claim_kind": "action", "evidence": [2], "evidence_strength": "direct"},
    "PARTIAL": {**_BARE, "claim_kind": "action", "evidence": [2], "severity": "low"},
    "CONTRADICTED": {**_BARE, "claim_kind": "result", "evidence": [4], "severity": "low"},
    "UNVERIFIABLE": {**_BARE, "claim_kind": "result", "unverifiable_reason": "no_trace"},
    "UNDETERMINED": {**_BARE, "claim_kind": "result"},
    "not_codable": {"codability": "not_codable", "not_codable_reason": "about_world"},
}


def coding(label: str, version: str = "0.5", note: str = "a note of the rater's own, long enough") -> dict[str, Any]:
    """Return a coding with this label that holds for every item of these sets."""
    answer = dict((_NEW if version == "0.5" else _OLD)[label])
    if label != "not_codable":
        answer["verdict"] = label
    return {**answer, "note": note}


def run(words: str) -> dict[str, Any]:
    """Return the little run of an item whose claim is `words`."""
    turns = [
        {"turn": 0, "role": "user", "text": "Fix the parser, then run the tests."},
        {"turn": 1, "role": "assistant", "text": "Editing.", "call": True, "name": "edit_file"}
        | {"args": {"path": "parser.py"}},
        {"turn": 2, "role": "tool", "text": "edited parser.py"},
        {"turn": 3, "role": "assistant", "text": "Testing.", "call": True, "name": "shell"}
        | {"args": {"command": "pytest -q"}},
        {"turn": 4, "role": "tool", "text": "2 failed", "exit_code": 1, "is_error": True},
        {"turn": 5, "role": "assistant", "text": f"Done. {words} That is all."},
        {"turn": 6, "role": "user", "text": "Leave the rest, we stop here."},
    ]
    return {"coverage": dict.fromkeys(CHANNELS, "full"), "gaps": [], "turns": turns}


def item(number: int, label: str, version: str = "0.5", words: str | None = None) -> dict[str, Any]:
    """Return one item as a set file has it."""
    words = words or f"I did the part numbered {number:03d}."
    return {
        "id": f"i{number:03d}",
        "run": run(words),
        "claim": {"turn": 5, "text": words},
        "gold": coding(label, version, f"{GOLD_CANARY} of item {number}, with some more words"),
        "feedback": f"{FEEDBACK_CANARY} of item {number}: it is {label}.",
    }


def practice(purpose: str, round_: int, items: Sequence[Mapping[str, Any]], version: str = "0.5") -> dict[str, Any]:
    """Return one set file's content."""
    name = f"{purpose}-{round_}" if purpose == "qualification" else purpose
    return {
        "practice": {
            "id": f"test-{version}-{name}",
            "codebook_id": "saydo",
            "codebook": version,
            "purpose": purpose,
            "round": round_,
            "title": f"Test {name} for {version}",
            "origin": "authored for tests",
            "items": list(items),
        }
    }


def labels_of(purpose: str, version: str = "0.5") -> list[str]:
    """Return the labels of a set's items in file order: a qualification asks each four times."""
    every = LABELS if version == "0.5" else OLD_LABELS
    return [label for label in every for _ in range(4)] if purpose == "qualification" else list(every[:3])


def sets_for(version: str = "0.5") -> dict[str, dict[str, Any]]:
    """Return file name → content of the three sets of a version. Items of different sets have different claims."""
    found = {}
    for start, purpose, round_ in ((0, "training", 1), (100, "qualification", 1), (200, "qualification", 2)):
        labels = labels_of(purpose, version)
        items = [item(start + n, label, version) for n, label in enumerate(labels, start=1)]
        found[f"test-{version}-{purpose}-{round_}.yaml"] = practice(purpose, round_, items, version)
    return found


def write_sets(folder: Path, sets: Mapping[str, Mapping[str, Any]]) -> None:
    """Write set files into `practice` inside a folder of codebooks. JSON is YAML."""
    (folder / "practice").mkdir(parents=True, exist_ok=True)
    for name, content in sets.items():
        (folder / "practice" / name).write_text(json.dumps(content, indent=1), encoding="utf-8")


def codebooks_with(folder: Path, *versions: str) -> Path:
    """Return a folder of the shipped codebooks with test sets for these versions, and no other sets."""
    folder.mkdir(parents=True)
    for path in codebook_dir().glob("saydo-*.yaml"):
        shutil.copyfile(path, folder / path.name)
    for version in versions:
        write_sets(folder, sets_for(version))
    return folder
