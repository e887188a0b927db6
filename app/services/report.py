"""`report.html`: one file that says what was registered, done, found and not shown, readable and printable offline.

It lays computed parts out in words and tables; it computes no statistic, loads nothing, runs nothing, carries no time
but the record's own. Texts that people typed are shown as text, with invisible direction marks made visible.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.codebook.enforcement import Enforcement, enforcement_of
from app.domain.export.disagreements import cause_counts, confused_pairs, final_equals, rule_counts, shown_order
from app.domain.export.gap_table import primary_denominator
from app.domain.export.manifest import Artifact
from app.domain.export.registration import printed_registration, withheld
from app.domain.export.reliability import differs_in, independent
from app.domain.export.tables import StudyTables
from app.domain.record import StudyRecord
from app.services.report_file import render_report
from app.services.report_numbers import (
    FieldLine,
    GapLine,
    PairTable,
    field_lines,
    gap_columns,
    gap_lines,
    number,
    pair_tables,
    ratio,
    told,
    undeclared,
)
from app.services.report_plan import Gate, before_coding, planned_versus_completed

STAND_IN = "authored-stand-in"
CLAIM_SETS = {
    "backward": "Backward claims",
    "intents": "Intents",
    "kind_open": "Claims without a pooled kind",
    "all": "All sampled claims",
}


@dataclass(frozen=True)
class HeadRate:
    """One primary gap rate: of which claims, under which policies, as `value (n/N)`."""

    name: str
    policy: str
    value: str


@dataclass(frozen=True)
class GapSection:
    """The gap rates of one claim set: the declared reading first, then every policy."""

    title: str
    first: tuple[GapLine, ...]
    every: tuple[GapLine, ...]


@dataclass(frozen=True)
class ReportPage:
    """What the template gets; every text is plain text."""

    record: StudyRecord
    stand_in: bool
    title: str
    registration: str
    amendments: tuple[str, ...]
    pending: tuple[str, ...]
    gates: tuple[Gate, ...]
    before_coding: tuple[tuple[str, str, str], ...]
    accounting: Mapping[str, Any]
    verdict_pairs: tuple[PairTable, ...]
    alpha: str
    fields: tuple[FieldLine, ...]
    warnings: tuple[str, ...]
    rates: tuple[HeadRate, ...]
    gap_columns: tuple[str, ...]
    gap_meanings: tuple[tuple[str, str], ...]
    gap_sections: tuple[GapSection, ...]
    undeclared: tuple[str, ...]
    n_disagreements: int
    n_compared: int
    confused: tuple[Mapping[str, Any], ...]
    causes: tuple[tuple[str, int], ...]
    rules: tuple[tuple[str, int], ...]
    outcomes: tuple[tuple[str, int], ...]
    enforcement: Enforcement
    files: tuple[Mapping[str, Any], ...]


def report_html(record: StudyRecord, tables: StudyTables, files: Sequence[Artifact]) -> bytes:
    """Return the report of a record as one HTML file; `files` are the data files it names with their hashes."""
    return render_report("report/report.html", page=report_page(record, tables, files))


def report_page(record: StudyRecord, tables: StudyTables, files: Sequence[Artifact]) -> ReportPage:
    """Return everything the report says, ready to be laid out."""
    verdict = tables.agreement["verdict"][record.codebook.version]
    return ReportPage(
        record=record,
        stand_in=record.codebook.origin == STAND_IN,
        title=withheld(record, record.title),
        registration=printed_registration(record),
        amendments=tuple(withheld(record, _said(entry)) for entry in record.registration.get("amendments") or ()),
        pending=tuple(_pending(tables.accounting)),
        gates=tuple(planned_versus_completed(record, tables)),
        before_coding=tuple(before_coding(record)),
        accounting=tables.accounting,
        verdict_pairs=tuple(pair_tables(verdict)),
        alpha=told((verdict.get("overall") or {}).get("krippendorff_alpha_nominal")),
        fields=tuple(field_lines(tables.agreement, record.codebook.version)),
        warnings=tuple(str(warning) for warning in verdict.get("warnings") or ()),
        rates=tuple(_head_rates(tables)),
        gap_columns=tuple(gap_columns(tables.gaps)),
        gap_meanings=tuple(_gap_meanings(record)),
        gap_sections=tuple(_gap_section(tables, claims) for claims in CLAIM_SETS),
        undeclared=tuple(undeclared(tables.gaps, tables.policies)),
        n_disagreements=len(tables.disagreements),
        n_compared=sum(1 for case in tables.cases if len(independent(case.codings)) > 1),
        confused=tuple(confused_pairs(tables.cases)),
        causes=tuple(cause_counts(tables.cases).items()),
        rules=tuple(rule_counts(tables.cases).items()),
        outcomes=tuple(_outcomes(record, tables)),
        enforcement=enforcement_of(record.codebook, record.rule_counts),
        files=tuple(artifact.entry() for artifact in files),
    )


def _head_rates(tables: StudyTables) -> list[HeadRate]:
    rates = []
    for row in tables.gaps:
        if row["primary"]:
            policy = f"{row['pooling']}, {row['gap']}, denominator {row['denominator']}, repeats: {row['repeats_of']}"
            rates.append(HeadRate(CLAIM_SETS[row["claims"]], policy, ratio(row["num"], row["den"], row["value"])))
    return rates


def _gap_section(tables: StudyTables, claims: str) -> GapSection:
    lines = gap_lines(tables.gaps, claims)
    wanted = (primary_denominator(claims, tables.policies), tables.policies.primary.repeats_of)
    first = tuple(line for line in lines if (line.denominator, line.repeats_of) == wanted)
    return GapSection(CLAIM_SETS[claims], first, tuple(lines))


def _gap_meanings(record: StudyRecord) -> list[tuple[str, str]]:
    sets = [(name, " + ".join(labels)) for name, labels in sorted(record.codebook.gap_policies.items()) if labels]
    credits = [f"{o.code} {number(o.credit)}" for o in record.codebook.verdicts if o.credit is not None]
    return [*((name, meaning) for name, meaning in sets if name != "G4"), ("G4", "mean credit: " + ", ".join(credits))]


def _pending(accounting: Mapping[str, Any]) -> list[str]:
    told_of = {"open": "open (not coded, or in disagreement without a decision)", "paused": "paused"}
    return [
        f"{accounting[state]} of {accounting['sampled']} claims {words}"
        for state, words in told_of.items()
        if accounting[state]
    ]


def _outcomes(record: StudyRecord, tables: StudyTables) -> list[tuple[str, int]]:
    """How often the final decision equals each coding as shown, the provisional verdict, or none of them."""
    counts: dict[str, int] = {}
    for case in tables.cases:
        if case.final is not None and differs_in(case):
            for name in final_equals(case, shown_order(record, case)):
                counts[name] = counts.get(name, 0) + 1
    return sorted(counts.items())


def _said(entry: object) -> str:
    if isinstance(entry, Mapping):
        return "; ".join(f"{key}: {value}" for key, value in entry.items())
    return str(entry)
