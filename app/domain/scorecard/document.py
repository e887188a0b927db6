"""The `scorecard/1` document: every figure under the agreed keys, each table with its plan line and its boundaries.

Responsible for the keys. Models and scenarios become lists; nothing is recomputed, rounded or sorted by score.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.domain.canonical import sha256_hex
from app.domain.scorecard.boundaries import SENTENCES, TABLES, TableInfo, sentences
from app.domain.scorecard.plan import pending_review, planned_versus_completed, scope
from app.domain.scorecard.records import Party, ScoreData
from app.domain.scorecard.spec import ORIGINAL, ScorecardSpec, Weights
from app.domain.stats.statistic import Json

SCHEMA = "scorecard/1"
CARRIED = (
    "accounting",
    "defects",
    "corpus",
    "settings",
    "rules",
    "reviews",
    "ranks",
    "focus",
    "consensus",
    "common_subset",
    "length",
    "judges",
    "overlaps",
    "entities",
    "calls",
    "saved",
    "manifest",
    "copied",
)
_NEEDS = {
    "focus": "focus",
    "consensus": "consensus",
    "length": "length",
    "entities": "entities",
    "calls": "calls",
    "saved": "saved",
    "copied": "copied",
}


def scorecard_document(
    spec: ScorecardSpec, data: ScoreData, figures: Mapping[str, Any], gate: Json, reruns: Json
) -> Json:
    """Return the whole document of a scorecard.

    `gate` is what the comparison of the implementations found, `reruns` what the second process gave. The calibration
    gates stand under `gate.calibration` too.
    """
    tables = [info for info in TABLES if is_shown(info, figures)]
    planned, completed = scope(spec, figures)
    pending = pending_review(spec, figures)
    return {
        "schema": SCHEMA,
        "id": spec.id,
        "title": spec.title,
        "state_at_writing": spec.state_at_writing,
        "prior_inspection": spec.prior_inspection,
        "spec_sha256": sha256_hex(spec.text),
        "inputs": [vars(entry) for entry in sorted(data.inputs, key=lambda i: i.role)],
        "languages": list(spec.languages),
        "currency": spec.currency,
        "models": [_model(party, figures) for party in _in_order(data.models, figures["models"])],
        "judges_declared": [_party(j) | {"official": j.official} for j in _in_order(data.judges, figures["defects"])],
        "scenarios": [_scenario(name, weights, spec, figures) for name, weights in spec.scenarios.items()],
        "slices": [_slice(name, of) for name, of in figures["slices"].items()],
        **{name: figures[name] for name in CARRIED},
        "plan": planned_versus_completed(spec, data, figures),
        "pending": [] if pending is None else [pending],
        "tables": [_table(info, planned, completed) for info in tables],
        "boundaries": dict(SENTENCES),
        "gate": {**gate, "calibration": figures["judges"]["gates"]},
        "reruns_identical": reruns["identical"],
        "reruns": reruns,
    }


def is_shown(info: TableInfo, figures: Mapping[str, Any]) -> bool:
    """Return whether a table has anything to show: its part was asked for or supplied."""
    if info.name in _NEEDS:
        return figures[_NEEDS[info.name]] is not None
    return bool(figures[info.name]) if info.name in ("settings", "rules") else True


def _table(info: TableInfo, planned: str, completed: str) -> Json:
    return {
        "name": info.name,
        "title": info.title,
        "mark": info.mark,
        "planned": planned,
        "completed": completed,
        "boundaries": sentences(info),
    }


def _in_order(parties: tuple[Party, ...], names: Mapping[str, Any]) -> list[Party]:
    by_id = {party.party_id: party for party in parties}
    return [by_id[name] for name in names]


def _party(party: Party) -> Json:
    return {
        "id": party.party_id,
        "display_name": party.display_name,
        "namespace": party.namespace,
        "host": party.host,
    }


def _model(party: Party, figures: Mapping[str, Any]) -> Json:
    own = figures["models"][party.party_id]
    sanitised = own["sanitised"]
    return {
        **_party(party),
        "settings": dict(party.settings),
        **figures["accounting"]["models"][party.party_id],
        **{name: value for name, value in own.items() if name not in ("metrics", "sanitised")},
        **own["metrics"],
        "sanitised": {
            **{name: value for name, value in sanitised.items() if name != "metrics"},
            **sanitised["metrics"],
        },
    }


def _scenario(name: str, weights: Weights, spec: ScorecardSpec, figures: Mapping[str, Any]) -> Json:
    of = figures["scenarios"][name]
    return {
        "name": name,
        "primary": name == ORIGINAL,
        "weights": {
            "core": weights.core,
            "precision": weights.precision,
            **dict(zip(spec.languages, weights.languages, strict=True)),
        },
        "models": [{"id": model, **value} for model, value in of["models"].items()],
        "rank_correlation_with_original": of["rank_correlation_with_original"],
    }


def _slice(name: str, of: Json) -> Json:
    pairs = [
        {"first": first, "second": second, **difference}
        for first, others in of["pairs"].items()
        for second, difference in others.items()
    ]
    means = [{"id": model, **value} for model, value in of["means"].items()]
    return {"name": name, "n": of["n"], "N": of["N"], "means": means, "pairs": pairs}
