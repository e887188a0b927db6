"""Second implementation: models, scenarios, slices, rank frequencies, focus, consensus, and the answers themselves."""

from __future__ import annotations

from app.domain.scorecard.check.drawn_again import Resamples, limits
from app.domain.scorecard.check.means_again import (
    effective,
    effective_scores,
    frequencies,
    paired,
    quality_only,
    ranks,
)
from app.domain.scorecard.check.panel_again import spearman
from app.domain.scorecard.check.plain import Found, Panel, Spec, Tables, less, rows
from app.domain.scorecard.check.scores_again import ORIGINAL, Scores, scores_of

Asked = tuple[Spec, Resamples]


def models_again(panel: Panel, official: Scores, clean: Scores, asked: Asked) -> Found:
    """Return every model's means with intervals, metrics and sanitised figures."""
    means = {m: effective(panel, official.composite, m, panel.questions) for m in panel.models}
    places = ranks({m: mean["value"] for m, mean in means.items()})
    found: Found = {}
    for m in panel.models:
        clean_mean = effective(panel, clean.composite, m, panel.questions)
        quality = quality_only(panel, official.composite, m, panel.questions)
        valid_only = [official.composite[m, q] if panel.valid[m, q] else None for q in panel.questions]
        scores, clean_scores = (effective_scores(panel, s.composite, m, panel.questions) for s in (official, clean))
        found[m] = {
            "rank": places[m],
            "effective_mean": means[m]
            | {
                "ci95": _limits("primary", scores, means[m], asked),
                "ci95_original": _limits("original", scores, means[m], asked),
            },
            "quality_only_mean": quality | {"ci95": _limits("primary", valid_only, quality, asked)},
            "metrics": _metrics(panel, official, m),
            "sanitised": {
                "effective_mean": clean_mean | {"ci95": _limits("primary", clean_scores, clean_mean, asked)},
                "quality_only_mean": quality_only(panel, clean.composite, m, panel.questions),
                "metrics": _metrics(panel, clean, m),
                "effective_mean_less_official": less(clean_mean["value"], means[m]["value"]),
            },
        }
    return found


def _limits(name: str, scores: list[float | None], mean: Found, asked: Asked) -> Found:
    spec, resamples = asked
    defined = mean["value"] is not None
    drawn = resamples.means(name, scores) if defined else []
    return limits(drawn, spec["resampling"][name], defined)


def _metrics(panel: Panel, scores: Scores, model: str) -> Found:
    return {name: quality_only(panel, values, model, panel.questions) for name, values in scores.averaged.items()}


def scenarios_again(panel: Panel, official: Scores, spec: Spec) -> Found:
    """Return every scenario's means, ranks and rank correlation with the original."""
    found: Found = {}
    first = {m: effective(panel, official.composite, m, panel.questions)["value"] for m in panel.models}
    for name in spec["scenarios"]:
        means = {m: effective(panel, official.of_answers[name], m, panel.questions) for m in panel.models}
        places = ranks({m: mean["value"] for m, mean in means.items()})
        pairs = [(means[m]["value"], first[m]) for m in panel.models]
        found[name] = {
            "primary": name == ORIGINAL,
            "models": {m: {"effective_mean": means[m], "rank": places[m]} for m in panel.models},
            "rank_correlation_with_original": spearman([(x, y) for x, y in pairs if None not in (x, y)], least=2),
        }
    return found


def slices_again(panel: Panel, official: Scores, tables: Tables, asked: Asked) -> Found:
    """Return the paired differences overall and in every slice."""
    spec, resamples = asked
    how = spec["resampling"]
    both = {"ci95": ("primary", how["primary"]), "ci95_original": ("original", how["original"])}
    found = {"overall": _compared(panel, official, panel.questions, (both, resamples))}
    for name, (column, value) in spec["slices"].items():
        inside = {q["question_id"] for q in rows(tables, "questions") if q["attributes"].get(column) == value}
        questions = [q for q in panel.questions if q in inside]
        found[name] = _compared(panel, official, questions, ({"ci95": both["ci95"]}, resamples))
    return found


def _compared(panel: Panel, official: Scores, questions: list[str], named: tuple[Spec, Resamples]) -> Found:
    scores = {m: effective_scores(panel, official.composite, m, questions) for m in panel.models}
    return paired(panel.models, scores, named, len(panel.questions))


def focus_again(panel: Panel, official: Scores, asked: Asked) -> Found | None:
    """Return the paired differences of the models in focus by criterion."""
    spec, resamples = asked
    if spec["focus"] is None:
        return None
    models = list(spec["focus"]["models"])
    named = {"ci95": ("focus", spec["resampling"]["focus"])}
    found: Found = {}
    for name in spec["focus"]["criteria"] or ["composite", *official.averaged]:
        if name == "composite":
            scores = {m: effective_scores(panel, official.composite, m, panel.questions) for m in models}
        else:
            values = official.averaged[name]
            shared = [q for q in panel.questions if all(panel.valid[m, q] and values[m, q] is not None for m in models)]
            scores = {m: [values[m, q] for q in shared] for m in models}
        found[name] = paired(models, scores, (named, resamples), len(panel.questions))
    return found


def ranks_again(panel: Panel, official: Scores, asked: Asked) -> Found:
    """Return how often each model takes each rank."""
    spec, resamples = asked
    n_draws, seed = spec["resampling"]["ranks"]
    scores = {m: effective_scores(panel, official.composite, m, panel.questions) for m in panel.models}
    whole = {m: [s or 0.0 for s in given] for m, given in scores.items() if None not in given}
    taken = frequencies({m: resamples.means("ranks", given) for m, given in whole.items()}, n_draws)
    return {
        "draws": n_draws,
        "seed": seed,
        "n_questions": len(panel.questions),
        "excluded": [m for m in panel.models if m not in whole],
        "models": {
            m: {"frequencies": row, "first": {"value": row[0], "num": row[0] * n_draws, "den": n_draws}}
            for m, row in taken.items()
        },
    }


def consensus_again(panel: Panel, spec: Spec) -> Found | None:
    """Return the sensitivity on the core facts all contributors named."""
    every = spec["consensus_of"]
    if every is None:
        return None
    scores = scores_of(panel, spec, "consensus")
    core = spec["salience"]["core"]
    inside = [
        q
        for q in panel.questions
        if any(f["salience"] == core and f["contributors"] == every for f in panel.gold.get(q, []))
    ]
    return {
        "post_hoc": True,
        "n_questions": len(inside),
        "N": len(panel.questions),
        "models": {
            m: {
                "effective_mean": effective(panel, scores.composite, m, inside),
                "core_recall": quality_only(panel, scores.averaged["core_recall"], m, inside),
            }
            for m in panel.models
        },
    }


def answer_lines(panel: Panel, official: Scores, clean: Scores) -> Found:
    """Return every answer's averaged values."""
    found: Found = {}
    for m in panel.models:
        found[m] = {}
        for q in panel.questions:
            seated = sum((m, q, judge) in panel.sheets for judge in panel.official)
            values = {name: of[m, q] for name, of in official.averaged.items()}
            found[m][q] = {
                "valid": panel.valid[m, q],
                "n_judges": seated,
                "composite": official.composite[m, q],
                "sanitised_composite": clean.composite[m, q],
                **values,
            }
    return found
