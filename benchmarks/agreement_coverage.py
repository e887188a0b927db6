"""How often the 95 % intervals of Cohen's kappa hold the true kappa, when claims come in runs.

For every population (label shares, kappa), number of claims, number of runs and intra-run correlation, many data sets
are drawn and each candidate interval is computed on each. The table in docs/agreement.md is this program's output:
`python benchmarks/agreement_coverage.py`. The first data set of every setting is also put through the
product's own functions, which must give the same limits.

Runs: sizes from a multinomial with gamma(2) weights, at least one claim each. Correlation: `dirichlet` gives each run
its own cell probabilities (correlation rho between any indicator of two claims of a run); `copy` lets a share sqrt(rho)
of a run's claims repeat one cell. Coverage is counted over the data sets in which kappa is defined.
"""

from __future__ import annotations

import argparse
import json
import warnings
from typing import Any

import numpy as np

from app.domain.stats.intervals import (
    LEAST_ICC,
    NORMAL_975,
    effective_interval,
    run_spread,
    small_sample_interval,
    standard_errors,
    student_975,
)
from app.domain.stats.resampling import DEFAULT_SEED
from app.domain.stats.two_raters import weighted_kappa

Array = np.ndarray
RESAMPLES = 400


def population(shares: list[float], kappa: float) -> Array:
    """Return cell probabilities of two raters with the same label shares and this kappa."""
    m = np.array(shares)
    return kappa * np.diag(m) + (1 - kappa) * np.outer(m, m)


FIRST = {
    "2 labels 50/50, kappa .6": population([0.5, 0.5], 0.6),
    "2 labels 90/10, kappa .6": population([0.9, 0.1], 0.6),
    "2 labels 95/5, kappa .4": population([0.95, 0.05], 0.4),
    "2 labels 97/3, kappa .8": population([0.97, 0.03], 0.8),
    "2 labels 80/20, kappa 0": population([0.8, 0.2], 0.0),
    "3 labels 60/30/10, kappa .7": population([0.6, 0.3, 0.1], 0.7),
    "5 labels to 5 %, kappa .7": population([0.5, 0.2, 0.15, 0.1, 0.05], 0.7),
    "5 labels to 5 %, kappa .9": population([0.5, 0.2, 0.15, 0.1, 0.05], 0.9),
    "8 labels to 2 %, kappa .6": population([0.4, 0.2, 0.12, 0.1, 0.08, 0.05, 0.03, 0.02], 0.6),
}
SECOND = {
    "2 labels 85/15, kappa .5": population([0.85, 0.15], 0.5),
    "2 labels 95/5, kappa .7": population([0.95, 0.05], 0.7),
    "2 labels 60/40, kappa .8": population([0.6, 0.4], 0.8),
    "3 labels 80/15/5, kappa .6": population([0.8, 0.15, 0.05], 0.6),
    "4 labels alike, kappa .75": population([0.25] * 4, 0.75),
    "6 labels to 3 %, kappa .65": population([0.45, 0.25, 0.15, 0.08, 0.04, 0.03], 0.65),
    "8 labels to 1 %, kappa .8": population([0.5, 0.2, 0.1, 0.08, 0.05, 0.04, 0.02, 0.01], 0.8),
    "2 labels, raters biased": np.array([[0.55, 0.20], [0.03, 0.22]]),
}
HELD_BACK = {
    "2 labels 92/8, kappa .7": population([0.92, 0.08], 0.7),
    "2 labels 70/30, kappa .3": population([0.7, 0.3], 0.3),
    "3 labels 88/8/4, kappa .85": population([0.88, 0.08, 0.04], 0.85),
    "5 labels alike, kappa .6": population([0.2] * 5, 0.6),
    "7 labels to 2 %, kappa .75": population([0.38, 0.24, 0.16, 0.1, 0.06, 0.04, 0.02], 0.75),
    "3 labels, raters biased": np.array([[0.40, 0.10, 0.02], [0.03, 0.20, 0.05], [0.01, 0.04, 0.15]]),
}
Setting = tuple[int, int, float]
SETTINGS = [(n, r, rho) for n in (30, 100, 300) for r in (6, 12, 30, 100) for rho in (0.0, 0.1, 0.3) if r <= n]
OTHER_SETTINGS = [(n, r, rho) for n in (50, 150, 400) for r in (8, 20, 50) for rho in (0.0, 0.05, 0.2, 0.3)]
SETS = {
    "first set": (FIRST, SETTINGS, "dirichlet", DEFAULT_SEED),
    "second set": (SECOND, SETTINGS, "dirichlet", 77),
    "second set, copied cells": (SECOND, SETTINGS, "copy", 78),
    "held-back set": (HELD_BACK, OTHER_SETTINGS, "dirichlet", 79),
    "held-back set, copied cells": (HELD_BACK, OTHER_SETTINGS, "copy", 80),
}


def run_sizes(rng: np.random.Generator, n: int, runs: int, datasets: int) -> Array:
    """Return claims per run, (datasets, runs)."""
    weights = rng.gamma(2, size=(datasets, runs))
    return 1 + rng.multinomial(n - runs, weights / weights.sum(axis=1, keepdims=True))


def dirichlet(rng: np.random.Generator, cells: Array, setting: Setting, datasets: int) -> Array:
    """Return tables by run, (datasets, runs, q, q); each run has its own cell probabilities."""
    n, runs, rho = setting
    sizes, q, p = run_sizes(rng, n, runs, datasets), len(cells), cells.reshape(-1)
    own = np.broadcast_to(p, (datasets, runs, q * q))
    if rho:
        drawn = rng.standard_gamma(np.broadcast_to(p * (1 - rho) / rho, own.shape))
        total = drawn.sum(axis=-1, keepdims=True)
        own = np.where(total > 0, drawn / np.where(total > 0, total, 1), p)
    return rng.multinomial(sizes, own / own.sum(axis=-1, keepdims=True)).reshape(datasets, runs, q, q).astype(float)


def copy(rng: np.random.Generator, cells: Array, setting: Setting, datasets: int) -> Array:
    """Return tables by run, (datasets, runs, q, q); some claims of a run repeat one cell."""
    n, runs, rho = setting
    sizes, q, p = run_sizes(rng, n, runs, datasets), len(cells), cells.reshape(-1)
    copies = rng.binomial(sizes, np.sqrt(rho))
    repeated = rng.choice(q * q, size=sizes.shape, p=p)
    tables = rng.multinomial(sizes - copies, np.broadcast_to(p, (*sizes.shape, q * q)))
    np.add.at(tables, (np.arange(datasets)[:, None], np.arange(runs)[None, :], repeated), copies)
    return tables.reshape(datasets, runs, q, q).astype(float)


def influence(tables: Array) -> tuple[Array, Array]:
    """Return (standard error by Fleiss, Cohen and Everitt; influence of a claim in each cell) of many tables."""
    n = tables.sum(axis=(-1, -2))[..., None, None]
    p, q = tables / n, tables.shape[-1]
    rows, columns, apart = p.sum(axis=-1), p.sum(axis=-2), 1 - np.eye(q)
    distance = (1 - weighted_kappa(tables, apart))[..., None, None]
    expected = (1 - (rows * columns).sum(axis=-1))[..., None, None]
    marginal = (1 - columns)[..., :, None] + (1 - rows)[..., None, :]
    slope = -np.divide(apart - distance * marginal, expected, out=np.full_like(p, np.nan), where=expected > 0)
    slope -= (p * slope).sum(axis=(-1, -2), keepdims=True)
    return np.sqrt((p * slope**2).sum(axis=(-1, -2)) / n[..., 0, 0]), slope


def spreads(by_run: Array) -> tuple[Array, Array]:
    """Return (crowding, ICC of agreement) of many data sets; `run_spread` for many at once."""
    sizes, agreeing = by_run.sum(axis=(-1, -2)), np.trace(by_run, axis1=-2, axis2=-1)
    n, runs = sizes.sum(axis=1), sizes.shape[1]
    inside = (agreeing**2 / sizes).sum(axis=1)
    between = (inside - agreeing.sum(axis=1) ** 2 / n) / (runs - 1)
    within = (agreeing.sum(axis=1) - inside) / np.maximum(n - runs, 1)
    squares = (sizes**2).sum(axis=1) / n
    total = between + ((n - squares) / (runs - 1) - 1) * within
    usable = (total > 1e-12) & (n > runs)
    return squares - 1, np.where(usable, (between - within) / np.where(usable, total, 1), 0.0)


def candidates(rng: np.random.Generator, by_run: Array) -> dict[str, tuple[Array, Array]]:
    """Return the limits of every candidate, (datasets,) each."""
    table, runs, q = by_run.sum(axis=1), by_run.shape[1], by_run.shape[-1]
    apart, t = 1 - np.eye(q), student_975(runs - 1)
    kappa, (se, slope) = weighted_kappa(table, apart), influence(table)
    crowding, icc = spreads(by_run)
    effect = np.maximum(1.0, 1 + crowding * icc)
    least = np.maximum(effect, 1 + crowding * LEAST_ICC)
    pulls = (by_run * slope[:, None]).sum(axis=(-1, -2))
    robust = np.sqrt((pulls**2).sum(axis=1) * runs / (runs - 1)) / table.sum(axis=(-1, -2))

    def smooth(divisor: Array) -> tuple[Array, Array]:
        fuller = table / divisor[:, None, None] + 2 / (q * q)
        return weighted_kappa(fuller, apart), influence(fuller)[0]

    middle, error = smooth(np.ones(len(table)))
    some, some_error = smooth(effect)
    few, few_error = smooth(least)
    halves = {
        "Fleiss–Cohen–Everitt, runs ignored": (kappa, NORMAL_975 * se),
        "small sample, runs ignored": (middle, NORMAL_975 * error),
        "cluster-robust error, t": (kappa, t * robust),
        "`small_sample_design_effect`: small sample × √(design effect), t": (middle, t * error * np.sqrt(effect)),
        "small sample of the effective size, t": (some, t * some_error),
        "`small_sample_effective`: the same, ICC at least 0.1": (few, t * few_error),
    }
    limits = {name: (m - half, m + half) for name, (m, half) in halves.items()}
    return limits | {"`cluster_bootstrap_percentile`": resampled(rng, by_run)}


def resampled(rng: np.random.Generator, by_run: Array) -> tuple[Array, Array]:
    """Return percentile limits from resampled runs; a hundred data sets share their draws."""
    datasets, runs, q, _ = by_run.shape
    low, high = np.full(datasets, np.nan), np.full(datasets, np.nan)
    for start in range(0, datasets, 100):
        some = slice(start, start + 100)
        weights = rng.multinomial(runs, np.full(runs, 1 / runs), size=RESAMPLES).astype(float)
        kappas = weighted_kappa(np.tensordot(weights, by_run[some].transpose(1, 0, 2, 3), axes=1), 1 - np.eye(q))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a data set with no defined resample
            low[some], high[some] = np.nanpercentile(kappas, [2.5, 97.5], axis=0)
    return low, high


def same_as_the_product(by_run: Array, limits: dict[str, tuple[Array, Array]], at: int) -> None:
    """Stop where the product's functions give other limits than the ones simulated."""
    table, apart, spread = by_run[at].sum(axis=0), 1 - np.eye(by_run.shape[-1]), run_spread(by_run[at])
    se, kappa = standard_errors(table, apart)[0], float(weighted_kappa(table, apart))
    names = list(limits)
    for name, found in (
        (names[0], (kappa - NORMAL_975 * se, kappa + NORMAL_975 * se)),
        (names[1], small_sample_interval(table, apart, None)),
        (names[3], small_sample_interval(table, apart, spread)),
        (names[5], effective_interval(table, apart, spread)),
    ):
        simulated = [np.clip(limit[at], -1, 1) for limit in limits[name]]
        np.testing.assert_allclose(simulated, np.clip(found, -1, 1), rtol=0, atol=1e-6, err_msg=name)


def simulate(name: str, datasets: int) -> list[dict[str, Any]]:
    """Return one row a setting of a set: the share of undefined kappas, and coverage and width of each candidate."""
    populations, settings, model, seed = SETS[name]
    draw = {"dirichlet": dirichlet, "copy": copy}[model]
    rng = np.random.default_rng(seed)
    return [
        measured(rng, draw(rng, cells, setting, datasets), cells)
        | {"population": label, "n": setting[0], "runs": setting[1], "rho": setting[2]}
        for label, cells in populations.items()
        for setting in settings
    ]


def measured(rng: np.random.Generator, by_run: Array, cells: Array) -> dict[str, Any]:
    """Return coverage of the true kappa of `cells` and mean width, by candidate."""
    apart = 1 - np.eye(len(cells))
    true = float(weighted_kappa(cells, apart))
    limits = candidates(rng, by_run)
    kappa = weighted_kappa(by_run.sum(axis=1), apart)
    defined = np.flatnonzero(~np.isnan(kappa))
    same_as_the_product(by_run, limits, int(defined[0]))
    row: dict[str, Any] = {"undefined": 1 - len(defined) / len(kappa)}
    for method, (low, high) in limits.items():
        a, b = np.clip(low[defined], -1, 1), np.clip(high[defined], -1, 1)
        held = float(((a <= true + 1e-12) & (b >= true - 1e-12)).mean())
        around = float(((a <= kappa[defined]) & (b >= kappa[defined])).mean())
        row[method] = {"coverage": held, "width": float(np.nanmean(b - a)), "holds_estimate": around}
    return row


def table_of(rows: list[dict[str, Any]]) -> str:
    """Return the summary of a set of settings as a Markdown table."""
    lines = [
        "| interval | lowest | 5th percentile | mean | settings below .93 | below .90 | mean width |",
        "|---|---|---|---|---|---|---|",
    ]
    for method in (key for key, value in rows[0].items() if isinstance(value, dict)):
        held = np.array([row[method]["coverage"] for row in rows])
        width = np.mean([row[method]["width"] for row in rows])
        lines.append(
            f"| {method} | {held.min():.3f} | {np.percentile(held, 5):.3f} | {held.mean():.3f} | "
            f"{(held < 0.93).sum()} | {(held < 0.90).sum()} | {width:.3f} |"
        )
    return "\n".join(lines)


def by_setting(rows: list[dict[str, Any]], methods: list[str]) -> str:
    """Return lowest and mean coverage over the populations, by claims, runs and correlation, as a Markdown table."""
    lines = ["| claims | runs | rho | " + " | ".join(methods) + " |", "|---|---|---|" + "---|" * len(methods)]
    for n, runs, rho in dict.fromkeys((row["n"], row["runs"], row["rho"]) for row in rows):
        some = [row for row in rows if (row["n"], row["runs"], row["rho"]) == (n, runs, rho)]
        held = [[row[method]["coverage"] for row in some] for method in methods]
        cells = [f"{min(values):.3f} / {np.mean(values):.3f}" for values in held]
        lines.append(f"| {n} | {runs} | {rho} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--datasets", type=int, default=1000)
    options.add_argument("--only", choices=list(SETS), action="append", help="one set, more by repeating it")
    options.add_argument("--rows", help="where to write every setting as JSON")
    asked = options.parse_args()
    everything = {}
    for name in asked.only or SETS:
        rows = everything[name] = simulate(name, asked.datasets)
        print(f"### {name}: {len(rows)} settings, {asked.datasets} data sets each\n\n{table_of(rows)}\n", flush=True)
    rows = [row for some in everything.values() for row in some]
    methods = [m for m in rows[0] if m.startswith("`")]
    print(f"### By setting: lowest / mean coverage over the populations\n\n{by_setting(rows, methods)}")
    if asked.rows:
        with open(asked.rows, "w", encoding="utf-8") as out:
            json.dump(everything, out)


if __name__ == "__main__":
    main()
