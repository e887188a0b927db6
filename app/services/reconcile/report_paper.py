"""REPORT: the registration verbatim, what was planned and done, the figures in short, the rows that rules name, the
boundaries, and what this does not show.

Rows are spoken of one by one only where a declared rule lands on them. No cause of any difference is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.domain.reconcile.spec import Spec, expand
from app.services.paper import Block, Bullets, Grid, Paper, Paragraph, Section, Verbatim
from app.services.reconcile.figures import added_up, figure, listed, row_of
from app.services.reconcile.results_paper import class_grid, gate_blocks, hash_blocks, null_grid

Json = Mapping[str, Any]


def report_paper(results: Json, spec: Spec, text: str, document: str | None, files: Sequence[Json]) -> Paper:
    """Return REPORT; `text` is the spec file verbatim, `document` the registration it expresses where one was given."""
    return Paper(
        kicker=f"Say/Do reconciliation {spec.id} · report · registered {spec.words.written}",
        title=spec.words.title,
        lead=f"{added_up(results['classes'], results['sum'])} cells. {spec.words.arm}.",
        sections=(
            Section("registration", "Registration", tuple(_registration(results, spec, text, document))),
            Section("additions", "Additions", (_additions(spec),)),
            Section("plan", "Planned and completed", (Grid(*_plan(results, spec)),)),
            Section("cells", "Cells", (class_grid(results), _best(results))),
            Section("null", "Against chance", (null_grid(results),)),
            Section("gate", "Two implementations", gate_blocks(results)),
            Section("hash", "Content hash", hash_blocks(results)),
            Section("named", "Rows named by rule", tuple(_named(results))),
            Section("boundaries", "Boundaries", (Bullets(spec.words.boundaries),)),
            Section("not-shown", "What this does not show", (Bullets(spec.words.not_shown),)),
            Section("files", "Files", (_files(files),)),
        ),
    )


def _registration(results: Json, spec: Spec, text: str, document: str | None) -> Iterator[Block]:
    yield Paragraph(f"State at writing: {spec.words.state_at_writing}")
    yield Bullets(spec.words.prior_inspection)
    yield Bullets(spec.words.statements)
    yield Paragraph(f"The spec verbatim, SHA-256 {results['spec_sha256']}:")
    yield Verbatim(text)
    if document is not None:
        yield Paragraph("The registration it expresses, verbatim:")
        yield Verbatim(document)


def _additions(spec: Spec) -> Grid:
    rows = tuple((entry.id, entry.date, entry.text) for entry in spec.additions)
    return Grid(("Addition", "Date", "Text"), rows)


def _plan(results: Json, spec: Spec) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The steps that the spec declares beside what the record holds, generated from both."""
    prefixes = spec.mapping.prefixes
    declared = sum(len(family.policies) * len(expand(family.columns, prefixes)) for family in spec.families)
    done = len({(line["column"], line["policy"]) for line in results["policies"]})
    stated = results["census"]["stated"]
    gate, null = results["gate"], results["null"]
    rows = (
        ("Row key", f"{len(spec.keys)} candidates", f"{len(results['join']['candidates'])} evaluated"),
        (
            "Mapping",
            f"{len(spec.mapping.candidates)} candidates",
            f"{len(results['mapping']['candidates'])} evaluated, {len(results['mapping']['disagreements'])} differ",
        ),
        ("Columns × policies", f"{declared}", f"{done}{_left_out(declared - done)}"),
        ("Cells", f"{results['shape']['cells']:,}", f"{results['sum']:,} classed"),
        ("Stated beforehand", f"{len(stated)} counts", f"{sum(line['holds'] for line in stated)} hold"),
        (
            "Gate",
            f"within {spec.gate!r}",
            "passed" if gate["agrees"] else f"failed: {gate['n_differing']} values differ",
        ),
        (
            "Reruns",
            "two processes each, byte-identical",
            "identical" if results["reruns_identical"] else "not identical",
        ),
        ("Null", f"{spec.null.draws:,} draws, seed {spec.null.seed}", f"{null['draws']:,} draws, seed {null['seed']}"),
        (
            "Content hash",
            "rebuilt once, either outcome reported",
            "equal" if results["content_hash"]["equal"] else "not equal",
        ),
    )
    return ("Step", "Planned", "Completed"), rows


def _left_out(n: int) -> str:
    return f"; {n} of the join key's own column, which no policy recomputes" if n else ""


def _best(results: Json) -> Grid:
    """Each addressed column's cells by class."""
    classes = list(results["classes"])
    counts = {line["column"]: dict.fromkeys(classes, 0) for line in results["columns"]}
    for cell in results["cells"]:
        if cell["column"] in counts:
            counts[cell["column"]][cell["class"]] += 1
    rows = tuple((column, *row_of(found, classes)) for column, found in counts.items())
    return Grid(("Column", *classes), rows, "Addressed columns, cells by class", frozenset(range(1, len(classes) + 1)))


def _named(results: Json) -> Iterator[Block]:
    yield Paragraph(
        "Named are the rows of each column's largest |Δ| under its primary policy (ties included), the executors' own "
        "rows, and rows that no source row joins. No other row is spoken of."
    )
    lines = results["mentions"]["largest_deviations"]
    yield Grid(
        ("Column", "Policy", "Largest |Δ|", "Rows"),
        tuple((*row_of(e, ("column", "policy", "largest_absolute_deviation")), listed(e["rows"])) for e in lines),
        numeric=frozenset({2}),
    )
    yield Paragraph(f"Rows that no source row joins: {listed(results['mentions']['join_failures'])}.")
    for executor in results["executors"]:
        yield from _executor(executor, [line["column"] for line in results["columns"]])


def _executor(executor: Json, columns: Sequence[str]) -> Iterator[Block]:
    name, rows = executor["executor"], executor["rows"]
    note = f" Note: {executor['note']}." if executor["note"] else ""
    hits = executor["among_the_largest_deviations"]
    yield Paragraph(
        f"Executor {name} (model {figure(executor['model'])}): {len(rows)} rows by the rule “{executor['rule']}”."
        f"{note} The rule of the largest deviation lands on these rows in: {listed(hits, 'no column')}."
    )
    if rows:
        values = [(column, *(figure(line["values"][column]) for line in rows)) for column in columns]
        ranks = ("rank", *(_rank(line["rank"]) for line in rows))
        yield Grid(("Published", *(line["row"] for line in rows)), (ranks, *values))


def _rank(rank: Json | None) -> str:
    if rank is None:
        return "–"
    place = str(rank["from"]) if rank["from"] == rank["to"] else f"{rank['from']} to {rank['to']}"
    return f"{place} of {rank['of']}"


def _files(files: Sequence[Json]) -> Grid:
    rows = tuple(row_of(entry, ("path", "bytes", "sha256")) for entry in files)
    return Grid(("File", "Bytes", "SHA-256"), rows, numeric=frozenset({1}))
