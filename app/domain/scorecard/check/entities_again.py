"""Second implementation: entity scores, mention by mention, with a normal form written out again."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from app.domain.scorecard.check.plain import Found, Panel, Row, mean_of


def normal(text: str) -> str:
    """Return a surface in its normal form: compatibility form, folded, without points, apostrophes, format marks."""
    text = unicodedata.normalize("NFKC", text)
    text = unicodedata.normalize("NFKC", text.casefold())
    out = ""
    for mark in text:
        kind = unicodedata.category(mark)
        if kind.startswith(("P", "S", "Z")) and mark not in ".'’ʼ`":
            out += " "
        elif kind != "Cf" and mark not in ".'’ʼ`":
            out += mark
    return " ".join(out.split())


def entities_again(panel: Panel, entities: Sequence[Row], mentions: Sequence[Row]) -> Found:
    """Return every model's entity scores."""
    return {"models": {model: _model(panel, model, entities, mentions) for model in panel.models}}


def _model(panel: Panel, model: str, entities: Sequence[Row], mentions: Sequence[Row]) -> Found:
    mine: dict[str, list[Row]] = {}
    for row in mentions:
        if row["model_id"] == model:
            mine.setdefault(row["question_id"], []).append(row)
    of: dict[str, list[Row]] = {}
    for row in entities:
        of.setdefault(row["question_id"], []).append(row)
    counts = [_one(of.get(q, []), mine.get(q, [])) for q in panel.answered(model)]
    n = len(counts)
    gold, named, matched = (sum(count[i] for count in counts) for i in (0, 1, 2))
    recalls = [m / g for g, _, m, _ in counts if g]
    precisions = [m / k for _, k, m, _ in counts if k]
    both = [2 * m / (g + k) for g, k, m, _ in counts if g + k]
    return {
        "recall": {"value": mean_of(recalls), "n": len(recalls), "N": n},
        "precision": {"value": mean_of(precisions), "n": len(precisions), "N": n},
        "f1": {"value": mean_of(both), "n": len(both), "N": n},
        "pooled_recall": {"value": matched / gold if gold else None, "num": matched, "den": gold},
        "pooled_precision": {"value": matched / named if named else None, "num": matched, "den": named},
        "n_wrong_type": sum(count[3] for count in counts),
    }


def _one(gold: Sequence[Row], mentions: Sequence[Row]) -> tuple[int, int, int, int]:
    """Return (gold entities, distinct named, gold ones named, named right under another type)."""
    known = [(row["entity_id"], row["kind"].strip().casefold(), [normal(t) for t in row["surfaces"]]) for row in gold]
    hit: set[str] = set()
    others: set[tuple[str, str]] = set()
    for mention in mentions:
        surface, kind = normal(mention["surface"]), mention["kind"].strip().casefold()
        met = [entity_id for entity_id, of_kind, surfaces in known if of_kind == kind and surface in surfaces]
        if met:
            hit.add(met[0])
        else:
            others.add((surface, kind))
    anywhere = {surface for _, _, surfaces in known for surface in surfaces}
    return len(gold), len(hit) + len(others), len(hit), sum(surface in anywhere for surface, _ in others)
