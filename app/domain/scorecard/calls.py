"""Cost and latency of the saved calls, by phase and actor.

Responsible for what the sums hold: the costs kept on retained calls. A null cost counts as missing and adds nothing; a
replaced retry is counted and in no sum. Phases stay apart, so that the retries of contestants and of judges are never
one number. A latency is the stored duration of a call, not of its retries or its queue.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from app.domain.scorecard.grid import ordered
from app.domain.scorecard.records import Call
from app.domain.stats.statistic import Json, statistic


def account_calls(calls: Sequence[Call] | None) -> Json | None:
    """Return `{phases: {phase: {actors: {actor: account}, total: account}}, total: account}`; None without calls.

    An account is `{n_retained, n_replaced, cost: {value, n, N, n_null}, latency: {mean, median, p95}}`.
    """
    if calls is None:
        return None
    phases = {}
    for phase in sorted({call.phase for call in calls}):
        here = [call for call in calls if call.phase == phase]
        actors = {
            actor: account([call for call in here if call.actor_id == actor])
            for actor in ordered(call.actor_id for call in here)
        }
        phases[phase] = {"actors": actors, "total": account(here)}
    return {"phases": phases, "total": account(calls)}


def account(calls: Sequence[Call]) -> Json:
    """Return the account of some calls; the cost is a sum, 0 where every cost is null, with the n it rests on."""
    retained = [call for call in calls if not call.replaced]
    costs = [call.cost for call in retained if call.cost is not None]
    latencies = [call.latency_seconds for call in retained if call.latency_seconds is not None]
    return {
        "n_retained": len(retained),
        "n_replaced": len(calls) - len(retained),
        "cost": statistic(math.fsum(costs), n=len(costs), N=len(retained), n_null=len(retained) - len(costs)),
        "latency_seconds": _latency(latencies, len(retained)),
    }


def _latency(values: list[float], n_retained: int) -> Json:
    counts = {"n": len(values), "N": n_retained}
    middle, high = np.percentile(values, [50, 95]) if values else (np.nan, np.nan)
    mean = math.fsum(values) / len(values) if values else np.nan
    return {
        "n_null": n_retained - len(values),
        "mean": statistic(mean, "no_value_kept", **counts),
        "median": statistic(float(middle), "no_value_kept", **counts),
        "p95": statistic(float(high), "no_value_kept", **counts),
    }
