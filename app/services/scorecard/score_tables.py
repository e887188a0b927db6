"""The tables of scores: models, intervals, sensitivities, ranks, differences. Rows in the order of the document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.services.scorecard.table import Body, fraction, limits, out_of, over, place, signed

Document = Mapping[str, Any]


def scores(document: Document) -> Body:
    """Return rank, means and metrics of every model."""
    qualities = [f"{code}_quality" for code in document["languages"]]
    metrics = ["core_recall", "supporting_recall", "precision_proxy", *qualities]
    head = ("Model", "Rank", "Effective mean", "95 %", "Quality-only mean", "Failures", *map(_metric_words, metrics))
    rows = [
        (
            model["id"],
            place(model["rank"]),
            out_of(model["effective_mean"]),
            limits(model["effective_mean"]["ci95"]),
            out_of(model["quality_only_mean"]),
            f"{model['n_failed']}/{model['N']}",
            *(out_of(model[name]) for name in metrics),
        )
        for model in by_rank(document)
    ]
    note = (
        "The effective mean is over all questions with zero for a failure; everything else is over valid answers with "
        "available grades (n of N valid). Supporting recall is in no composite."
    )
    return Body(head, rows, note=note + _who_judged(document))


def intervals(document: Document) -> Body:
    """Return the intervals of the original scorer beside those of more draws."""
    first = document["models"][0]["effective_mean"]
    head = (
        "Model",
        "Effective mean",
        *(f"95 %, {_draws(first[key])}" for key in ("ci95_original", "ci95")),
        "Quality-only mean",
        "95 %",
    )
    rows = [
        (
            model["id"],
            out_of(model["effective_mean"]),
            limits(model["effective_mean"]["ci95_original"]),
            limits(model["effective_mean"]["ci95"]),
            out_of(model["quality_only_mean"]),
            limits(model["quality_only_mean"]["ci95"]),
        )
        for model in by_rank(document)
    ]
    return Body(head, rows)


def sanitised(document: Document) -> Body:
    """Return the sanitised scores beside the official ones."""
    head = (
        "Model",
        "Official",
        "Sanitised",
        "95 %",
        "Sanitised − official",
        "Core recall",
        "sanitised",
        "Precision proxy",
        "sanitised",
    )
    rows = []
    for model in by_rank(document):
        clean = model["sanitised"]
        rows.append(
            (
                model["id"],
                out_of(model["effective_mean"]),
                out_of(clean["effective_mean"]),
                limits(clean["effective_mean"]["ci95"]),
                signed(clean["effective_mean_less_official"]),
                out_of(model["core_recall"]),
                out_of(clean["core_recall"]),
                out_of(model["precision_proxy"]),
                out_of(clean["precision_proxy"]),
            )
        )
    note = "Sanitised: every gold id once, the lowest credit among duplicates, zero for a missing id, extras ignored."
    return Body(head, rows, note=note)


def scenarios(document: Document) -> Body:
    """Return every model's effective mean and rank under every scenario, the original first."""
    head = ("Model", *(f"{entry['name']}{' (primary)' if entry['primary'] else ''}" for entry in document["scenarios"]))
    rows = []
    of = [{cell["id"]: cell for cell in entry["models"]} for entry in document["scenarios"]]
    for model in by_rank(document):
        cells = [cells_of[model["id"]] for cells_of in of]
        rows.append((model["id"], *(f"{out_of(cell['effective_mean'])}, rank {place(cell['rank'])}" for cell in cells)))
    alike = [over(entry["rank_correlation_with_original"]) for entry in document["scenarios"]]
    rows.append(("Rank correlation with the original", *alike))
    weights = "; ".join(
        f"{entry['name']}: {', '.join(f'{name} {points:g}' for name, points in entry['weights'].items())}"
        for entry in document["scenarios"]
    )
    return Body(head, rows, note=f"Weights. {weights}.")


def ranks(document: Document) -> Body:
    """Return how often each model takes each rank."""
    of = document["ranks"]
    head = ("Model", "First", *(f"rank {r + 1}" for r in range(len(of["models"]))))
    rows = [
        (name, fraction(entry["first"]), *(f"{share:.3f}" for share in entry["frequencies"]))
        for name, entry in _ranked(document, of["models"])
    ]
    left_out = f" Without an effective mean and left out: {', '.join(of['excluded'])}." if of["excluded"] else ""
    note = f"{of['draws']} draws of {of['n_questions']} questions, seed {of['seed']}; tied models share their places."
    return Body(head, rows, note=note + left_out)


def pairs(document: Document) -> Body:
    """Return every paired difference, overall and in every slice."""
    head = ("Questions", "First", "Second", "First − second", "n/N", "95 %", "95 %, original draws")
    return Body(head, list(_pairs(document["slices"])), words=3, note=_of_draws(document["slices"][0]["pairs"]))


def focus(document: Document) -> Body:
    """Return the paired differences of the models in focus by criterion."""
    sections: list[Mapping[str, Any]] = [
        {
            "name": _metric_words(name),
            "pairs": [
                {"first": first, "second": second, **difference}
                for first, others in of["pairs"].items()
                for second, difference in others.items()
            ],
        }
        for name, of in document["focus"].items()
    ]
    head = ("Criterion", "First", "Second", "First − second", "n/N", "95 %")
    rows = [row[:6] for row in _pairs(sections)]
    note = (
        "The composite counts a failure as zero over all questions; any other criterion is compared over the questions "
        "on which every model in focus has a valid answer with a value. "
    )
    return Body(head, rows, words=3, note=note + _of_draws(sections[0]["pairs"]))


def consensus(document: Document) -> Body:
    """Return the post-hoc sensitivity on consensus core facts."""
    of = document["consensus"]
    head = ("Model", "Effective mean, these questions", "Core recall on consensus facts", "Core recall, all core facts")
    official = {model["id"]: model["core_recall"] for model in document["models"]}
    rows = [
        (name, out_of(entry["effective_mean"]), out_of(entry["core_recall"]), out_of(official[name]))
        for name, entry in _ranked(document, of["models"])
    ]
    return Body(head, rows, note=f"Post hoc. {of['n_questions']} of {of['N']} questions have such a core fact.")


def common_subset(document: Document) -> Body:
    """Return means and centred means over the questions every model answered."""
    of = document["common_subset"]
    rows = [
        (name, out_of(entry["mean"]), _centred(entry["centred_mean"]))
        for name, entry in _ranked(document, of["models"])
    ]
    shared = f"All models succeeded on {of['n_shared_success']} of {of['N']} questions"
    note = f"{shared}; {of['n']} of these are scored for all."
    return Body(("Model", "Composite", "Less the question’s mean"), rows, note=note)


def length(document: Document) -> Body:
    """Return the correlations of coverage with length."""
    of = document["length"]
    metrics = ("coverage", "core_recall", "supporting_recall")
    head = ("Answers of", *(f"{_metric_words(m)}: {kind}" for m in metrics for kind in ("Pearson", "Spearman")))
    rows = [
        (name, *(over(entry[m][kind]) for m in metrics for kind in ("pearson", "spearman")))
        for name, entry in of["within"].items()
    ]
    pooled = of["centred"]
    rows.append(
        ("all, centred by question", *(over(pooled[m][kind]) for m in metrics for kind in ("pearson", "spearman")))
    )
    panel = ", ".join(f"{_metric_words(m)} {pooled[m]['n_questions']}" for m in metrics)
    return Body(head, rows, note=f"Centred over the questions on which every model has a value and a length: {panel}.")


def _who_judged(document: Document) -> str:
    """Who graded, and which of them is of a contestant's namespace."""
    official = [judge["id"] for judge in document["judges_declared"] if judge["official"]]
    alone = " alone" if len(official) == 1 else ""
    pairs_ = [pair for pair in document["overlaps"]["judge_contestant"] if pair["first"] in official]
    said = "; ".join(f"{pair['first']} and {pair['second']} ({pair['kind']})" for pair in pairs_)
    return f" Graded by {', '.join(official)}{alone}. Judge and contestant overlap: {said or 'none by namespace'}."


def by_rank(document: Document) -> list[Mapping[str, Any]]:
    """Return the models by rank, those of one rank by name, those without a rank last."""
    models: list[Mapping[str, Any]] = document["models"]
    return sorted(models, key=lambda model: model["rank"] or len(models) + 1)


def _ranked(document: Document, of: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(model["id"], of[model["id"]]) for model in by_rank(document) if model["id"] in of]


def _pairs(sections: Any) -> Iterator[tuple[str, ...]]:
    for section in sections:
        for pair in section["pairs"]:
            yield (
                section["name"],
                pair["first"],
                pair["second"],
                signed(pair["value"]),
                f"{pair['n']}/{pair['N']}",
                limits(pair["ci95"]),
                limits(pair["ci95_original"]) if pair["ci95_original"] else "not computed",
            )


def _of_draws(pairs_: list[Mapping[str, Any]]) -> str:
    return f"{_draws(pairs_[0]['ci95'])}; the same questions are drawn for both models." if pairs_ else ""


def _draws(interval: Mapping[str, Any]) -> str:
    return f"{interval['draws']} draws, seed {interval['seed']}"


def _centred(stat: Mapping[str, Any]) -> str:
    return out_of(stat) if stat["value"] is None else f"{signed(stat['value'])} ({stat['n']}/{stat['N']})"


def _metric_words(name: str) -> str:
    return name.replace("_", " ").capitalize()
