"""RESULTS: every figure of a reconciliation in tables, as computed; no row is spoken of, no cause is named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.services.paper import Block, Bullets, Grid, Paper, Paragraph, Section
from app.services.reconcile.figures import added_up, figure, listed, row_of

Json = Mapping[str, Any]
_TIERS = ("T0", "T1", "T2", "divergent", "undefined")


def results_paper(results: Json) -> Paper:
    """Return RESULTS, ready to be told in either form."""
    lead = f"{results['title']} {added_up(results['classes'], results['sum'])} cells."
    return Paper(
        kicker=f"Say/Do reconciliation {results['spec']} · results",
        title=f"Results of {results['spec']}",
        lead=lead,
        sections=(
            Section("inputs", "Inputs", tuple(_inputs(results))),
            Section("key", "Row key", tuple(_key(results["join"]))),
            Section("mapping", "Benchmarks and columns", tuple(_mapping(results["mapping"]))),
            Section("cells", "Cells", tuple(_cells(results))),
            Section("policies", "Every policy of every column", tuple(_policies(results))),
            Section("ranges", "Ranges and structural columns", tuple(_ranges(results))),
            Section("rows", "Rows", tuple(_rows(results))),
            Section("order", "Ties and order", tuple(_order(results["ranking"]))),
            Section("null", "Permutation null", tuple(_null(results))),
            Section("gate", "Two implementations", gate_blocks(results)),
            Section("hash", "Content hash", hash_blocks(results)),
        ),
    )


def _inputs(results: Json) -> Iterator[Block]:
    yield Grid(
        ("Table", "File", "Bytes", "SHA-256"),
        tuple(row_of(line, ("table", "file", "bytes", "sha256")) for line in results["inputs"]),
        numeric=frozenset({2}),
    )
    yield Paragraph(f"Spec: SHA-256 {results['spec_sha256']}.")
    keys = ("table", "what", "column", "stated", "found", "holds")
    yield Grid(
        ("Table", "What", "Column", "Stated", "Found", "Holds"),
        tuple(row_of(line, keys) for line in results["census"]["stated"]),
        "What was seen before the spec was written, beside what is found",
        frozenset({3, 4}),
    )
    nulls = [
        (role, column, figure(n))
        for role, found in results["census"]["nulls"].items()
        for column, n in found.items()
        if n
    ]
    yield Grid(("Table", "Column", "Nulls"), tuple(nulls), "Columns with nulls; the others have none", frozenset({2}))
    decimals = tuple((column, figure(n)) for column, n in results["census"]["decimals"].items())
    yield Grid(("Column", "Decimals"), decimals, "Most decimals of each number column of the target", frozenset({1}))


def _key(join: Json) -> Iterator[Block]:
    tie = listed(join["tied_with_winner"])
    yield Paragraph(
        f"Winner {join['winner']}, runner-up {figure(join['runner_up'])}; equal to the winner: {tie} (the first "
        "declared is taken)."
    )
    yield Grid(
        ("Key", "Coverage", "Uniqueness", "Product", "Groups", "Rows without a group", "Groups without a row"),
        tuple(
            (
                entry["id"],
                *row_of(entry, ("coverage", "uniqueness", "score", "n_groups")),
                listed(entry["targets_without_groups"]),
                listed(entry["groups_without_targets"]),
            )
            for entry in join["candidates"]
        ),
        numeric=frozenset({1, 2, 3, 4}),
    )


def _mapping(mapping: Json) -> Iterator[Block]:
    said = mapping["candidates"]
    names = sorted({name for pairs in said.values() for name in pairs})
    yield Grid(
        ("Benchmark", *said),
        tuple((name, *(figure(pairs.get(name)) for pairs in said.values())) for name in names),
        f"What each candidate says; {mapping['decides']} decides",
    )
    yield Bullets(
        (
            f"Benchmarks on which candidates differ: {listed(line['benchmark'] for line in mapping['disagreements'])}.",
            "Benchmarks paired with several categories: " + _taken(mapping["several_categories"]),
            "Categories paired with several benchmarks: " + _taken(mapping["several_benchmarks"]),
            f"Benchmarks without columns: {listed(mapping['benchmarks_without_columns'])}.",
            f"Columns without a benchmark: {listed(mapping['prefixes_without_benchmark'])}.",
        )
    )


def _taken(lines: list[Json]) -> str:
    told = (f"{line['name']} → {line['taken']}{' (a tie)' if line['tie'] else ''}" for line in lines)
    return listed(told) + "."


def class_grid(results: Json) -> Grid:
    """Return the classes with their counts and their sum."""
    rows = [(name, figure(n)) for name, n in results["classes"].items()]
    return Grid(("Class", "Cells"), (*rows, ("sum", figure(results["sum"]))), numeric=frozenset({1}))


def _cells(results: Json) -> Iterator[Block]:
    shape = results["shape"]
    yield Paragraph(
        f"{shape['rows']} rows × {shape['columns']} columns = {shape['cells']:,} cells, each in exactly one class: "
        f"{added_up(results['classes'], results['sum'])}. Every cell stands in cells.csv, every policy's result on it "
        "in results.json."
    )
    yield class_grid(results)
    reasons: dict[tuple[str, str], int] = {}
    for cell in results["cells"]:
        if cell["reason"] is not None:
            key = (cell["class"], cell["reason"])
            reasons[key] = reasons.get(key, 0) + 1
    rows = tuple((*key, figure(n)) for key, n in reasons.items())
    yield Grid(("Class", "Reason", "Cells"), rows, "Why", frozenset({2}))


def _policies(results: Json) -> Iterator[Block]:
    yield Paragraph(
        "Rows by the best tier each policy alone reaches. “At published decimals” counts the rows equal after rounding "
        "half to even at the column's own published decimals; the last column counts those exactly equal after each "
        "declared rounding candidate. Deviations are of unrounded values; those of single cells are in deviations.csv. "
        "“Values” is the largest number of different values that the records of one row hold, for columns of texts."
    )
    names = (
        "Column",
        "Policy",
        *_TIERS,
        "At published decimals",
        "Mean |Δ|",
        "Largest |Δ|",
        "Values",
        "Rounded to: equal",
    )
    rows = []
    for line in results["policies"]:
        rounding = ", ".join(f"{digits}: {n}" for digits, n in line["matches_by_rounding"].items()) or "–"
        named = line["policy"] + (" (primary)" if line["primary"] else "")
        tiers = (figure(line["tiers"][tier]) for tier in _TIERS)
        sizes = (
            *("matches_at_published_precision", "mean_absolute_deviation"),
            *("largest_absolute_deviation", "most_values_of_a_row"),
        )
        rows.append((line["column"], named, *tiers, *row_of(line, sizes), rounding))
    yield Grid(names, tuple(rows), numeric=frozenset(range(2, 11)))


def _ranges(results: Json) -> Iterator[Block]:
    rows = tuple(
        (
            line["column"],
            line["kind"],
            *row_of(line["range"], ("min", "max", "n_distinct", "n_null")),
            figure(line["structural"]),
        )
        for line in results["columns"]
    )
    yield Grid(
        ("Column", "Kind", "Lowest", "Highest", "Distinct", "Nulls", "Structural"), rows, numeric=frozenset({4, 5})
    )


def _rows(results: Json) -> Iterator[Block]:
    units = list(results["rows"][0]["deviations"]) if results["rows"] else []
    classes = list(results["classes"])
    names = ("Row", *classes, *(f"{size} |Δ|, {unit}" for unit in units for size in ("mean", "largest")))
    rows = tuple(
        (
            line["row"],
            *row_of(line["classes"], classes),
            *(
                figure(line["deviations"][unit][size])
                for unit in units
                for size in ("mean_absolute", "largest_absolute")
            ),
        )
        for line in results["rows"]
    )
    yield Grid(
        names, rows, "Cells by class, and deviations under the primary policies", frozenset(range(1, len(names)))
    )


def _order(ranking: Json) -> Iterator[Block]:
    for name in ("published", "recomputed"):
        found = ranking[name]
        under = "" if name == "published" else f" under {ranking['policy']}"
        can = "can be told" if found["decidable"] else "cannot be told"
        yield Paragraph(
            f"{ranking['column']} as {name}{under}, at {ranking['decimals']} decimals: {len(found['ties'])} ties with "
            f"{found['n_tied_rows']} rows; the order {can} from the values alone."
        )
        if found["ties"]:
            ties = tuple((figure(tie["value"]), figure(len(tie["rows"]))) for tie in found["ties"])
            yield Grid(("Value", "Rows"), ties, numeric=frozenset({0, 1}))


def _null(results: Json) -> Iterator[Block]:
    null, again = results["null"], results["null_again"]
    yield Paragraph(
        f"{null['draws']:,} permutations of the groups over the rows, default_rng({null['seed']}), under each column's "
        f"primary policy. Implementation {again['implementation']} made all {again['draws']:,} draws again."
    )
    yield null_grid(results)


def null_grid(results: Json) -> Grid:
    """Return the null of every addressed column and statistic beside the observed value."""
    rows = []
    for column, found in results["null"]["columns"].items():
        if not found["statistics"]:
            rows.append((column, "–", "no policy", *("–",) * 4, f"structural: {found['reason']}"))
        for name, line in found["statistics"].items():
            numbers = row_of(line, ("observed", "median", "p5", "p95"))
            rows.append((column, found["policy"], name.replace("_", " "), *numbers, _floor(line)))
    names = ("Column", "Policy", "Statistic", "Observed", "Median", "5th", "95th", "Observed ÷ median")
    return Grid(names, tuple(rows), numeric=frozenset({3, 4, 5, 6}))


def _floor(line: Json) -> str:
    ratio = line["ratio_to_median"]
    return figure(ratio["value"]) if ratio["value"] is not None else f"undefined: {ratio['undefined_reason']}"


def gate_blocks(results: Json) -> tuple[Block, ...]:
    """Return what the gate and the reruns found."""
    gate = results["gate"]
    says = "agree" if gate["agrees"] else "do not agree"
    lines = [
        f"A (pandas) and B (plain loops) {says}: {gate['n_compared']:,} values compared, largest difference "
        f"{gate['max_abs_diff']!r}, allowed {gate['tolerance']!r}; classes and counts must be identical.",
        *(
            f"Implementation {name}: two processes, outputs {'byte-identical' if runs['identical'] else 'differ'} "
            f"(SHA-256 {runs['sha256'][0]}, {runs['sha256'][1]})."
            for name, runs in results["reruns"].items()
        ),
        f"Null: implementation B made all {results['null_again']['draws']:,} draws again, and they stand in the gate.",
    ]
    differing = tuple(row_of(line, ("path", "first", "second")) for line in gate["differing"])
    more = (Grid(("Where", "A", "B"), differing, f"{gate['n_differing']} values differ"),) if differing else ()
    return (Bullets(tuple(lines)), *more)


def hash_blocks(results: Json) -> tuple[Block, ...]:
    """Return what the content hash came to, and that only one implementation computed it."""
    found = results["content_hash"]
    return (
        Bullets(
            (
                f"Computed: {found['computed']}",
                f"Shipped: {found['shipped']}",
                "They are equal." if found["equal"] else "They are not equal.",
            )
        ),
        Paragraph(
            "Rebuilt by implementation A alone and outside the gate: what is tested is the publisher's own serializer, "
            "and a second one would test itself. It says whether these tables serialize to the bytes the publisher "
            "hashed, nothing more."
        ),
    )
