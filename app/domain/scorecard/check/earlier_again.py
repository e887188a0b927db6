"""Second implementation: saved scores, the input manifest, copied intervals, and who stands on two sides."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.scorecard.check.plain import Found, Row, Spec, Tables, rows

MEANS = ("effective_mean", "quality_only_mean")


def saved_again(models: Found, saved: Sequence[Row] | None, spec: Spec) -> Found | None:
    """Return the saved scores beside the computed ones."""
    if saved is None:
        return None
    lines = []
    for row in sorted(saved, key=lambda r: (r["model_id"], r["metric"])):
        clean = row["metric"].startswith("sanitised_")
        metric = row["metric"][len("sanitised_") :] if clean else row["metric"]
        of = models[row["model_id"]]["sanitised"] if clean else models[row["model_id"]]
        computed = (of if metric in MEANS else of["metrics"])[metric]["value"]
        away = None if computed is None else abs(computed - row["value"])
        lines.append(
            {
                "model_id": row["model_id"],
                "metric": row["metric"],
                "saved": row["value"],
                "computed": computed,
                "difference": away,
                "equal": away is not None and away <= spec["saved_tolerance"],
            }
        )
    return {
        "n": len(lines),
        "n_equal": sum(1 for line in lines if line["equal"]),
        "max_abs_diff": max((line["difference"] for line in lines if line["difference"] is not None), default=None),
        "tolerance": spec["saved_tolerance"],
        "rows": lines,
    }


def manifest_again(tables: Tables) -> Found | None:
    """Return what of the input manifest holds."""
    files = tables["manifest"]
    if files is None:
        return None
    by_path = {file["path"]: file for file in files}
    spared = {"spec", "manifest", "copied_intervals", "saved_scores", "reviews"}
    found: Found = {
        "n": len(files),
        "n_equal": sum(1 for file in files if file["found"] == file["stated"]),
        "differing": sorted(f["path"] for f in files if f["found"] not in (None, f["stated"])),
        "absent": sorted(f["path"] for f in files if f["found"] is None),
        "unlisted": sorted(
            row["path"] for row in rows(tables, "inputs") if row["role"] not in spared and row["path"] not in by_path
        ),
    }
    return found | {"ok": found["n_equal"] == found["n"] and not found["unlisted"]}


def copied_again(tables: Tables, manifest: Found | None, found: Found, spec: Spec) -> Found | None:
    """Return the copied intervals beside the computed ones, none of them before the manifest holds."""
    offered = tables["copied"]
    if offered is None:
        return None
    held = bool(manifest and manifest["ok"])
    lines = []
    for row in sorted(offered, key=lambda r: (r["analysis"], r["first"], r["second"], r["draws"])):
        sign, entry = _entry(row, found)
        as_original = row["draws"] == spec["resampling"]["original"][0] and entry.get("ci95_original")
        limits = entry["ci95_original"] if as_original else entry["ci95"]
        low, high = limits["lo"], limits["hi"]
        if sign < 0 and low is not None:
            low, high = -high, -low
        lines.append({**row, "computed_lo": low, "computed_hi": high, "computed_draws": limits["draws"]})
    return {"copied": held, "n_offered": len(offered), "intervals": lines if held else []}


def _entry(row: Row, found: Found) -> tuple[int, Found]:
    if row["analysis"] == "effective_mean":
        return 1, found["models"][row["first"]]["effective_mean"]
    pairs = found["slices"][row["analysis"]]["pairs"]
    if row["second"] in pairs.get(row["first"], {}):
        return 1, pairs[row["first"]][row["second"]]
    return -1, pairs[row["second"]][row["first"]]


def overlaps_again(tables: Tables) -> Found:
    """Return every pair of parties on two sides with one namespace."""
    has_gold = tables["contributors"] is not None
    sides = {
        "judge_contestant": ("judges", "models", True),
        "judge_contributor": ("judges", "contributors", has_gold),
        "contributor_contestant": ("contributors", "models", has_gold),
    }
    return {name: _shared(tables, first, second) if there else None for name, (first, second, there) in sides.items()}


def _shared(tables: Tables, first: str, second: str) -> list[Found]:
    pairs = []
    for one in rows(tables, first):
        for other in rows(tables, second):
            if one["namespace"] == other["namespace"]:
                alike = one["display_name"] == other["display_name"]
                kind = "same model" if alike else "same namespace"
                pairs.append({"first": one["party_id"], "second": other["party_id"], "kind": kind})
    return sorted(pairs, key=lambda pair: (pair["first"], pair["second"]))
