"""Earlier results beside the ones computed now: saved scores compared, intervals copied once their inputs are proved.

Responsible for the order of things: no copied interval is shown before every hash of the input manifest holds and the
manifest names every table the interval rests on. Nothing saved is taken over into a computed value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.domain.scorecard.records import CopiedInterval, Input, PinnedFile, SavedScore, ScoreData
from app.domain.scorecard.spec import ScorecardSpec
from app.domain.stats.statistic import Json

OF_MODELS = "effective_mean"
MEANS = ("effective_mean", "quality_only_mean")
_NOT_RESTED_ON = ("spec", "manifest", "copied_intervals", "saved_scores", "reviews")


def known_metrics(spec: ScorecardSpec) -> tuple[str, ...]:
    """Return the metric names a saved score may carry."""
    return (*MEANS, *spec.metrics, *(f"sanitised_{name}" for name in (*MEANS, *spec.metrics)))


def compare_saved(models: Mapping[str, Json], saved: Sequence[SavedScore] | None, tolerance: float) -> Json | None:
    """Return `{n, n_equal, max_abs_diff, tolerance, rows}` of saved against computed scores; None without saved ones.

    A saved number where nothing is defined now is unequal; `max_abs_diff` is over the rows with both.
    """
    if saved is None:
        return None
    rows: list[Json] = []
    for score in sorted(saved, key=lambda s: (s.model_id, s.metric)):
        computed = _computed(models[score.model_id], score.metric)
        difference = None if computed is None else abs(computed - score.value)
        rows.append(
            {
                "model_id": score.model_id,
                "metric": score.metric,
                "saved": score.value,
                "computed": computed,
                "difference": difference,
                "equal": difference is not None and difference <= tolerance,
            }
        )
    differences = [float(row["difference"]) for row in rows if row["difference"] is not None]
    return {
        "n": len(rows),
        "n_equal": sum(row["equal"] for row in rows),
        "max_abs_diff": max(differences) if differences else None,
        "tolerance": tolerance,
        "rows": rows,
    }


def check_manifest(files: Sequence[PinnedFile] | None, inputs: Sequence[Input]) -> Json | None:
    """Return `{ok, n, n_equal, differing, absent, unlisted}` of the input manifest; None without one.

    `unlisted` are the tables that were read and that the manifest does not name.
    """
    if files is None:
        return None
    listed = {file.path for file in files}
    unlisted = sorted(i.path for i in inputs if i.role not in _NOT_RESTED_ON and i.path not in listed)
    differing = sorted(file.path for file in files if file.found is not None and file.found != file.stated)
    absent = sorted(file.path for file in files if file.found is None)
    return {
        "ok": not (differing or absent or unlisted),
        "n": len(files),
        "n_equal": len(files) - len(differing) - len(absent),
        "differing": differing,
        "absent": absent,
        "unlisted": unlisted,
    }


def copy_intervals(data: ScoreData, manifest: Json | None, figures: Mapping[str, Json], draws: int) -> Json | None:
    """Return `{copied, reason, n_offered, intervals}`; the intervals only where the manifest holds. None without any.

    Each interval stands beside the one computed now with the same number of draws as the original (`draws`), else with
    the primary one. Another generator's draws give other limits, so nothing is required to be equal.
    """
    if data.copied is None:
        return None
    held = manifest is not None and bool(manifest["ok"])
    reason = None if held else "an input differs from the manifest, is absent, or is not named in it"
    return {
        "copied": held,
        "reason": reason,
        "n_offered": len(data.copied),
        "intervals": [_beside(entry, figures, draws) for entry in sorted(data.copied, key=_order)] if held else [],
    }


def _computed(model: Json, metric: str) -> float | None:
    part = model["sanitised"] if metric.startswith("sanitised_") else model
    name = metric.removeprefix("sanitised_")
    value: float | None = (part[name] if name in MEANS else part["metrics"][name])["value"]
    return value


def _order(entry: CopiedInterval) -> tuple[str, str, str, int]:
    return entry.analysis, entry.first, entry.second, entry.draws


def _beside(entry: CopiedInterval, figures: Mapping[str, Json], draws: int) -> Json:
    if entry.analysis == OF_MODELS:
        found, turned = figures["models"][entry.first]["effective_mean"], False
    else:
        pairs = figures["slices"][entry.analysis]["pairs"]
        turned = entry.second not in pairs.get(entry.first, {})
        first, second = (entry.second, entry.first) if turned else (entry.first, entry.second)
        found = pairs[first][second]
    original = found.get("ci95_original") if entry.draws == draws else None
    limits = original or found["ci95"]
    low, high = limits["lo"], limits["hi"]
    if turned and low is not None and high is not None:
        low, high = -high, -low
    return dict(vars(entry)) | {"computed_lo": low, "computed_hi": high, "computed_draws": limits["draws"]}
