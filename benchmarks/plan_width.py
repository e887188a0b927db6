"""How near the planned half-width is to the mean one that samples give: the planner's promise, simulated.

For every expectation the plan is made, data sets of that many runs are drawn (`copy`: a share √ICC of a run's claims
repeat one cell, so the agreement indicator correlates with just that ICC) and the primary interval of each is computed.
`python benchmarks/plan_width.py` prints the table of docs/agreement.md.
"""

from __future__ import annotations

import argparse
import json

import numpy as np

from app.domain.stats.intervals import effective_interval, run_spread
from app.domain.stats.plan import Expected, checked, expected_table, smallest

SHARES = {
    "50/50, kappa .6": ((0.5, 0.5), 0.6),
    "90/10, kappa .6": ((0.9, 0.1), 0.6),
    "60/30/10, kappa .8": ((0.6, 0.3, 0.1), 0.8),
    "50/20/15/10/5, kappa .7": ((0.5, 0.2, 0.15, 0.1, 0.05), 0.7),
}
PER_RUN, ICCS, HALF_WIDTHS, SEED = (1, 5, 15), (0.0, 0.1, 0.3), (0.2, 0.1), 20260725


def half_widths(expected: Expected, runs: int, claims: int, datasets: int, rng: np.random.Generator) -> np.ndarray:
    """Return half the width of the primary interval of each simulated data set whose kappa is defined."""
    cells, q = expected_table(expected).reshape(-1), len(expected.shares)
    sizes = np.full(runs, claims // runs)
    sizes[: claims - int(sizes.sum())] += 1
    found = []
    for _ in range(datasets):
        copies = rng.binomial(sizes, np.sqrt(expected.icc))
        tables = rng.multinomial(sizes - copies, np.broadcast_to(cells, (runs, q * q)))
        np.add.at(tables, (np.arange(runs), rng.choice(q * q, size=runs, p=cells)), copies)
        by_run = tables.reshape(runs, q, q).astype(float)
        low, high = effective_interval(by_run.sum(axis=0), 1 - np.eye(q), run_spread(by_run))
        found.append((high - low) / 2)
    return np.array(found)[np.isfinite(found)]


def main() -> None:
    """Print planned and mean half-width for every setting, and the extremes of their ratio."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--datasets", type=int, default=400)
    datasets = options.parse_args().datasets
    rng, ratios = np.random.default_rng(SEED), []
    print("| labels | claims a run | ICC | wanted | runs | claims | planned | mean | ratio |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, (shares, kappa) in SHARES.items():
        for per_run in PER_RUN:
            for icc in ICCS if per_run > 1 else (0.0,):
                for wanted in HALF_WIDTHS:
                    expected = checked(Expected(shares, kappa, per_run, icc))
                    planned = smallest(expected, wanted).found
                    assert planned is not None
                    mean = float(half_widths(expected, planned.runs, planned.claims, datasets, rng).mean())
                    ratios.append(mean / planned.half_width)
                    shown = f"{planned.runs} | {planned.claims} | {planned.half_width:.4f} | {mean:.4f}"
                    print(f"| {name} | {per_run} | {icc:g} | {wanted:g} | {shown} | {ratios[-1]:.3f} |")
    print(json.dumps({"settings": len(ratios), "least": round(min(ratios), 3), "most": round(max(ratios), 3)}))


if __name__ == "__main__":
    main()
