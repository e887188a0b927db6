"""What the figures do not show: the sentences printed with every table, and which table needs which.

Responsible for the wording and for the mark of each table (official, sensitivity, calibration, exploratory, post hoc,
accounting). No sentence depends on a result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SENTENCES: Mapping[str, str] = {
    "comparisons": (
        "No interval is adjusted for the number of comparisons, nor for slices that share questions with one another."
    ),
    "correlated": (
        "Questions about one running story may hang together; the bootstrap draws them as if each stood alone."
    ),
    "sampled_once": (
        "Every answer was generated once, and a repeat grades the same answer again: variation of generation and "
        "variation between questions cannot be told apart here."
    ),
    "crosses_zero": (
        "An interval that holds zero shows neither that two models are equal nor that they are equivalent within any "
        "margin."
    ),
    "conditional": (
        "How often a model comes first is conditional on these questions, gold facts and judges; it is not the "
        "probability that a model is best."
    ),
    "not_a_share": (
        "The precision proxy is credited coverage over itself plus the number of unsupported annotations. There is no "
        "claim-by-claim denominator, so it is not a share of true statements."
    ),
    "language": "A language score holds form and consistency in one number; it is no measure of grammar alone.",
    "both_summaries": "Coverage is read from both summaries together; it is no recall in one language.",
    "overlap": (
        "Judges, contestants and gold contributors overlap where the table of overlaps says so, and most of all where "
        "one judge graded alone."
    ),
    "reliability": "Agreement on labels is evidence of reliability. It is not validity for human readers.",
    "kappa": (
        "Kappa was set beside the exact agreement after the original results existed; the gates are on exact agreement "
        "and on rank correlation."
    ),
    "consensus": (
        "That all gold contributors named a fact does not make it correct. This analysis was chosen after the results "
        "existed."
    ),
    "selection": (
        "The gold may hold entities that a short summary had no reason to name, so what is missing from entity recall "
        "holds selection and coverage as well as errors of extraction."
    ),
    "costs": (
        "Costs are sums over the saved calls that were retained. A null cost counts as missing and adds zero; replaced "
        "retries and earlier experiments are in no sum."
    ),
    "latency": "A latency is the stored duration of a call, not of all its retries nor of its time in a queue.",
    "run_period": (
        "Costs, latencies and what is said of remote models belong to the endpoints and the period of this run; no "
        "present catalogue was consulted."
    ),
    "seed": "A seed repeats the computation. It does not repeat what a remote model would answer.",
    "exploratory": "This analysis was chosen after the original results existed. The original score stays primary.",
    "sanitation": "The sanitised scorer stands beside the official one; it rewrites neither a score nor a raw grade.",
    "association": "A correlation over answers shows that two things go together, not that one brings about the other.",
    "stated": "For what ran, the header of each run counts; a stated common setting is an intention.",
    "earlier": (
        "An improvement over an earlier publication cannot be read off absolute scores; questions, judges and rules "
        "differ."
    ),
    "headers": "A display name, a namespace and a hosting provider are three things; none is inferred from another.",
}


@dataclass(frozen=True)
class TableInfo:
    """One table: its name, title and mark, and the boundaries printed with it."""

    name: str
    title: str
    mark: str
    boundaries: tuple[str, ...]


_SCORES = ("not_a_share", "language", "both_summaries", "overlap", "earlier")
_CHANCE = ("sampled_once", "correlated", "seed")

TABLES: tuple[TableInfo, ...] = (
    TableInfo("plan", "Planned and completed", "accounting", ("stated",)),
    TableInfo("scores", "Scores", "official", (*_SCORES, "sampled_once")),
    TableInfo("intervals", "Intervals of the effective mean", "official", ("comparisons", *_CHANCE)),
    TableInfo("sanitised", "Sanitation sensitivity", "sensitivity", ("sanitation", *_SCORES)),
    TableInfo("scenarios", "Weight scenarios", "exploratory", ("exploratory", *_SCORES)),
    TableInfo("ranks", "Bootstrap rank frequencies", "exploratory", ("exploratory", "conditional", *_CHANCE)),
    TableInfo("pairs", "Paired differences", "exploratory", ("exploratory", "crosses_zero", "comparisons", *_CHANCE)),
    TableInfo(
        "focus", "Criterion by criterion", "exploratory", ("exploratory", "crosses_zero", "comparisons", *_SCORES)
    ),
    TableInfo("consensus", "Core facts that all contributors named", "post hoc", ("consensus", "overlap")),
    TableInfo("common_subset", "Common subset", "exploratory", ("exploratory", "sampled_once", "correlated")),
    TableInfo("length", "Length and coverage", "exploratory", ("exploratory", "association", "both_summaries")),
    TableInfo("judges_repeat", "Judges and their own repeats", "calibration", ("reliability", "kappa", "sampled_once")),
    TableInfo("judges_pairs", "Judges and each other", "calibration", ("reliability", "kappa", "overlap")),
    TableInfo("overlaps", "Overlaps", "accounting", ("overlap", "headers")),
    TableInfo("defects", "Grade sheets and their defects", "accounting", ("sanitation",)),
    TableInfo("entities", "Entities", "official", ("selection",)),
    TableInfo("calls", "Cost and latency", "exploratory", ("costs", "latency", "run_period")),
    TableInfo("corpus", "Selected corpus", "exploratory", ("exploratory", "correlated")),
    TableInfo("settings", "Stated and actual settings", "exploratory", ("stated", "headers", "run_period")),
    TableInfo("rules", "Rules of generation", "accounting", ("stated",)),
    TableInfo("saved", "Saved scores", "accounting", ("earlier",)),
    TableInfo("copied", "Copied intervals", "accounting", ("comparisons", "crosses_zero", *_CHANCE)),
)


def table_info(name: str) -> TableInfo:
    """Return a table's title, mark and boundaries."""
    return next(info for info in TABLES if info.name == name)


def sentences(info: TableInfo) -> list[str]:
    """Return the boundaries of a table in words."""
    return [SENTENCES[key] for key in info.boundaries]
