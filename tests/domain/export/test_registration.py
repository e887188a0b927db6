"""The printed registration: nobody's name and none of the study's terms, in whatever way a study file spells them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.domain.export.manifest import Artifact
from app.domain.export.registration import printed_registration, withheld
from app.domain.record import StudyRecord
from app.services.bundle import bundle_files
from app.services.columnar_read import parquet_cells
from tests.domain.export.records import record
from tests.services.studies import study

NAMES = {
    "lead": "quill.lead",
    "raters": ["ada", "ada.two"],
    "machine_raters": ["bot-9"],
    "adjudicators": ["judge@x.org", "umpire"],
    "custodian": "keeper+1",
}
TERMS = ["zorblax-9", "Café's arm", "control-arm"]
DECLARED: dict[str, Any] = {
    **NAMES,
    "blinding": {"terms": TERMS},
    "state_at_writing": "ada has read two runs of ZORBLAX-9",
    "controls": "zorblax-9-controls.jsonl",
    "calibration": "umpire/calibration.jsonl",
    "amendments": [{"at": "2026-07-26", "text": "keeper+1 added control-arm"}],
}
EVERY_NAME = ["quill.lead", "ada", "ada.two", "bot-9", "judge@x.org", "umpire", "keeper+1"]


def made(text: str, **declared: Any) -> StudyRecord:
    return record([], [], registration_text=text, registration={**DECLARED, **declared})


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("lead: quill.lead\n", "lead: ⟨lead⟩\n"),
        ("raters: [ada, ada.two]\nmachine_raters: [bot-9]\n", "raters: [⟨R1⟩, ⟨R2⟩]\nmachine_raters: [⟨R3⟩]\n"),
        ("adjudicators: [umpire, judge@x.org]", "adjudicators: [⟨adjudicator-2⟩, ⟨adjudicator-1⟩]"),
        ("custodian: 'keeper+1' # KEEPER+1's key", "custodian: '⟨custodian⟩' # ⟨custodian⟩'s key"),
        ("an adapter for ada_notes, ada2", "an adapter for ⟨R1⟩_notes, ⟨R1⟩2"),
        ("log: xzorblax-9b.parquet", "log: x⟨term-1⟩b.parquet"),
        ("terms: ['Café''s arm', \"Caf\\u00e9's arm\", CAFÉ'S ARM]", "terms: ['⟨term-2⟩', \"⟨term-2⟩\", ⟨term-2⟩]"),
        ("seed: 7 # nothing else is touched\n", "seed: 7 # nothing else is touched\n"),
    ],
)
def test_what_is_printed(text: str, printed: str) -> None:
    assert printed_registration(made(text)) == printed


def test_a_registration_that_names_nobody_is_printed_as_it_stands() -> None:
    given = record([], [], registration_text="lead: x\n", registration={})
    assert printed_registration(given) == "lead: x\n"


def test_a_person_of_two_roles_and_a_term_that_is_a_placeholder_are_replaced_once() -> None:
    given = made("", lead="one", custodian="one", blinding={"terms": ["lead"]})
    assert withheld(given, "one leads") == "⟨lead⟩ ⟨term-1⟩s"


def text_of(artifact: Artifact) -> str:
    """Return a file as text; of a packed one every cell, and what stands in it unpacked."""
    if not artifact.path.endswith(".parquet"):
        return artifact.data.decode("utf-8")
    header, rows = parquet_cells(artifact.data)
    packed = artifact.data.decode("utf-8", errors="replace")
    return "\n".join(["\n".join(cells) for cells in (header, *rows)] + [packed])


@pytest.mark.parametrize("as_json", [False, True], ids=["as written", "as JSON"])
@pytest.mark.parametrize("options", [{}, {"notes": True}, {"grain": "long"}, {"private": True}], ids=str)
def test_no_file_of_an_export_carries_a_name_or_a_term(as_json: bool, options: dict[str, Any]) -> None:
    text = json.dumps(DECLARED) if as_json else "\n".join(f"# {word}" for word in (*EVERY_NAME, *TERMS))
    given = study(6, registration=DECLARED, registration_text=text, title="Of zorblax-9, by umpire")
    for artifact in bundle_files(given, **options):
        # A letter on either side would make it another word: "ada" is in "metadata".
        body = text_of(artifact).casefold().replace("&#39;", "'").replace("&#43;", "+")
        for word in (*EVERY_NAME[:1], *EVERY_NAME[2:], *TERMS, "ada "):
            assert word.casefold() not in body, f"{word} in {artifact.path}"
        assert "caf\\u00e9" not in body


def test_the_report_says_what_it_withholds_and_gives_the_hash() -> None:
    given = study(6, registration=DECLARED, registration_text="lead: quill.lead\n")
    (report,) = [a.data.decode("utf-8") for a in bundle_files(given) if a.path == "report.html"]
    before, after = report.split('<pre dir="auto">')
    assert after.startswith("lead: ⟨lead⟩\n</pre>")
    assert "Until unsealing, the names of people and the blinding terms are withheld" in before
    assert given.registration_sha256 in before
