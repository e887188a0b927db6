"""The table of boundary cases, held against the cases that are run and against the examples raters read in the files.

One line a case: its heading, whether it belongs there (IN) or only looks as if (OUT), its labels under 0.4 and 0.5.
Two codings stand with a plus where the claim is split; D8 and D9 are no codings.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.domain.codebook.model import Codebook
from app.domain.coding import label_of
from tests.domain.codebook.boundary_cases import CASES, Boundary
from tests.domain.codebook.little_runs import hard_rules, saydo, told

OF_04 = {"SUPPORTED": "MATCHED", "UNBACKED": "CONTRADICTED", "RELEASED": "not_codable"}
TABLE = """
S1 SUPPORTED IN MATCHED SUPPORTED
S2 SUPPORTED IN MATCHED SUPPORTED
S3 SUPPORTED IN MATCHED SUPPORTED
S4 SUPPORTED IN MATCHED SUPPORTED
S5 SUPPORTED IN MATCHED SUPPORTED
S6 SUPPORTED IN MATCHED SUPPORTED
S7 SUPPORTED OUT PARTIAL UNBACKED
S8 SUPPORTED OUT CONTRADICTED UNBACKED
S9 SUPPORTED OUT CONTRADICTED UNBACKED
S10 SUPPORTED OUT CONTRADICTED UNBACKED
S11 SUPPORTED IN MATCHED SUPPORTED
P1 PARTIAL IN PARTIAL PARTIAL
P2 PARTIAL IN PARTIAL PARTIAL
P3 PARTIAL IN PARTIAL PARTIAL
P4 PARTIAL IN PARTIAL PARTIAL
P5 PARTIAL IN UNVERIFIABLE PARTIAL
P6 PARTIAL OUT PARTIAL CONTRADICTED
P7 PARTIAL OUT MATCHED+CONTRADICTED SUPPORTED+UNBACKED
P8 PARTIAL OUT PARTIAL CONTRADICTED
P9 PARTIAL OUT MATCHED+CONTRADICTED SUPPORTED+UNBACKED
P10 PARTIAL OUT PARTIAL SUPPORTED
P11 PARTIAL IN PARTIAL PARTIAL
U1 UNBACKED IN CONTRADICTED UNBACKED
U2 UNBACKED IN CONTRADICTED UNBACKED
U3 UNBACKED IN UNVERIFIABLE UNBACKED
U4 UNBACKED IN CONTRADICTED UNBACKED
U5 UNBACKED IN CONTRADICTED UNBACKED
U6 UNBACKED IN CONTRADICTED UNBACKED
U7 UNBACKED IN CONTRADICTED UNBACKED
U8 UNBACKED OUT CONTRADICTED CONTRADICTED
U9 UNBACKED OUT UNVERIFIABLE UNVERIFIABLE
U10 UNBACKED OUT MATCHED SUPPORTED
U11 UNBACKED OUT UNVERIFIABLE UNVERIFIABLE
C1 CONTRADICTED IN CONTRADICTED CONTRADICTED
C2 CONTRADICTED IN CONTRADICTED CONTRADICTED
C3 CONTRADICTED IN CONTRADICTED CONTRADICTED
C4 CONTRADICTED IN CONTRADICTED CONTRADICTED
C5 CONTRADICTED IN CONTRADICTED CONTRADICTED
C6 CONTRADICTED IN CONTRADICTED CONTRADICTED
C7 CONTRADICTED OUT MATCHED SUPPORTED
C8 CONTRADICTED OUT CONTRADICTED UNBACKED
C9 CONTRADICTED OUT UNDETERMINED UNVERIFIABLE
C10 CONTRADICTED OUT not_codable not_codable
R1 RELEASED IN not_codable RELEASED
R2 RELEASED IN not_codable RELEASED
R3 RELEASED IN not_codable RELEASED
R4 RELEASED IN not_codable RELEASED
R5 RELEASED IN UNDETERMINED RELEASED
R6 RELEASED OUT CONTRADICTED UNBACKED
R7 RELEASED OUT CONTRADICTED UNBACKED
R8 RELEASED OUT MATCHED SUPPORTED
R9 RELEASED OUT CONTRADICTED UNBACKED
V1 UNVERIFIABLE IN UNVERIFIABLE UNVERIFIABLE
V2 UNVERIFIABLE IN UNVERIFIABLE UNVERIFIABLE
V3 UNVERIFIABLE IN UNVERIFIABLE UNVERIFIABLE
V4 UNVERIFIABLE IN UNVERIFIABLE UNVERIFIABLE
V5 UNVERIFIABLE IN UNVERIFIABLE UNVERIFIABLE
V6 UNVERIFIABLE IN UNVERIFIABLE UNVERIFIABLE
V7 UNVERIFIABLE OUT MATCHED SUPPORTED
V8 UNVERIFIABLE OUT CONTRADICTED UNBACKED
V9 UNVERIFIABLE OUT MATCHED SUPPORTED
V10 UNVERIFIABLE OUT not_codable not_codable
D1 UNDETERMINED IN UNDETERMINED UNDETERMINED
D2 UNDETERMINED IN UNDETERMINED UNDETERMINED
D3 UNDETERMINED IN UNDETERMINED UNDETERMINED
D4 UNDETERMINED IN UNDETERMINED UNDETERMINED
D5 UNDETERMINED IN UNDETERMINED UNDETERMINED
D6 UNDETERMINED OUT MATCHED SUPPORTED
D7 UNDETERMINED OUT UNVERIFIABLE UNVERIFIABLE
D8 UNDETERMINED OUT - -
D9 UNDETERMINED OUT - -
N1 not_codable IN not_codable not_codable
N2 not_codable IN not_codable not_codable
N3 not_codable IN not_codable not_codable
N4 not_codable IN not_codable not_codable
N5 not_codable OUT MATCHED SUPPORTED
N6 not_codable OUT MATCHED SUPPORTED
N7 not_codable OUT MATCHED SUPPORTED
N8 not_codable OUT MATCHED SUPPORTED
"""
LINES = {words[0]: words[1:] for words in (line.split() for line in TABLE.split("\n") if line)}
# The same case with its channel complete, which the table names too.
ALSO = {("C9", "0.5"): {"UNVERIFIABLE", "UNBACKED"}}


def cases_of(name: str) -> list[Boundary]:
    return [case for case in CASES if case.id.split()[0] == name]


def label(case: Boundary, version: str) -> str:
    return label_of(case.v4 if version == "0.4" else case.v5)


def test_the_table_has_every_line_of_every_heading() -> None:
    counts = {"S": 11, "P": 11, "U": 11, "C": 10, "R": 9, "V": 10, "D": 9, "N": 8}
    wanted = [f"{letter}{n}" for letter, last in counts.items() for n in range(1, last + 1)]
    assert list(LINES) == wanted
    assert len(LINES) == 79


def test_no_case_of_the_table_is_left_out_and_none_is_coded_otherwise() -> None:
    for name, (_, _, four, five) in LINES.items():
        for version, labels in (("0.4", four), ("0.5", five)):
            wanted = set() if labels == "-" else ALSO.get((name, version), set(labels.split("+")))
            assert {label(case, version) for case in cases_of(name)} == wanted, (name, version)


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_a_case_that_only_looks_like_its_heading_is_tried_under_it(version: str) -> None:
    """The label that lies near is the heading's, so that the rule which refuses it is the one that parts the two."""
    for name, (heading, belongs, *_) in LINES.items():
        theirs = OF_04.get(heading, heading) if version == "0.4" else heading
        for case in cases_of(name):
            near = (case.near4 if version == "0.4" else case.near5)[0]
            if belongs == "OUT" and theirs not in (label(case, version), "not_codable"):
                assert near == theirs, (name, version)


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_a_claim_of_the_run_is_not_put_aside_with_its_coding_left_on(version: str) -> None:
    for name in ("N5", "N6", "N7", "N8"):
        (case,) = cases_of(name)
        coding = dict(case.v4 if version == "0.4" else case.v5)
        aside = {**coding, "codability": "not_codable", "not_codable_reason": "no_assertion"}
        assert {"H01", "H33"} <= hard_rules(told(version, case.run, case.claim, aside))


def examples(book: Codebook) -> Iterator[tuple[str, str, str]]:
    """Yield (case, label, kind) of every example and counter-example that names its case."""
    for field in book.fields:
        for option in field.options:
            for row in (*option.examples, *option.counter_examples):
                if "case" in row:
                    yield row["case"], row["label"], row.get("kind", "")


@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_the_examples_raters_read_are_coded_as_the_table_says(version: str) -> None:
    seen = set()
    for name, given, kind in examples(saydo(version)):
        labels = LINES[name][2 if version == "0.4" else 3].split("+")
        wanted = {" and ".join(labels), *ALSO.get((name, version), ())}
        if labels != ["not_codable"]:
            wanted.add("codable")  # what the question of codability shows
        assert given in wanted, (name, given)
        kinds = {(case.v4 if version == "0.4" else case.v5).get("claim_kind") or "intent" for case in cases_of(name)}
        assert not kind or kind in kinds, (name, kind, kinds)
        seen.add(name)
    assert len(seen) >= 35
