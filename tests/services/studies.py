"""Study records of some size for the tests of whole exports: many claims, a few raters, everything happening once."""

from __future__ import annotations

import random
from typing import Any

from app.domain.codebook.model import Codebook
from app.domain.record import StudyRecord
from tests.domain.export.records import HOSTILE, answer, claim, codebook, coding, decision, record


def study(
    n_claims: int = 24, n_raters: int = 2, seed: int = 3, book: Codebook | None = None, **more: Any
) -> StudyRecord:
    """Raters who mostly agree, a repeat, a paused and a withdrawn claim, a machine rater, adjudicated disagreements."""
    rng = random.Random(seed)
    book = book or codebook()
    kinds = (*book.backward_kinds, *book.forward_kinds)
    keys = [f"{rng.randrange(16**8):08x}" for _ in range(n_claims)]
    status = {keys[1]: "paused", keys[2]: "withdrawn"}
    claims = [
        claim(
            key,
            blind_run_id=f"run{i % 5}",
            status=status.get(key, "sampled"),
            repeat_of=keys[0] if i == 4 else None,
            text=HOSTILE[i % len(HOSTILE)],
        )
        for i, key in enumerate(keys)
    ]
    codings, decisions, queued = [], [], {}
    for i, key in enumerate(keys):
        true = rng.choice(book.labels)
        labels = [true if rng.random() < 0.75 else rng.choice(book.labels) for _ in range(n_raters)]
        for slot, label in enumerate(labels, start=1):
            if i == 3 and slot > 1:
                continue
            given = answer(label, rng.choice(kinds[: 1 + i % len(kinds)]), note=HOSTILE[(i + slot) % len(HOSTILE)])
            given["flags"] = rng.sample(["hedged", "log_gap"], i % 3)
            more_of = {"codebook_version": book.version, "codebook_sha256": book.sha256}
            codings.append(coding(key, f"R{slot}", given, created_seconds=rng.random() * 9000, **more_of))
        codings.append(coding(key, "R9", answer(rng.choice(book.labels), kinds[0]), kind="machine", **more_of))
        if len(set(labels)) > 1 or i % 6 == 0:
            queued[key] = ("audit",) if len(set(labels)) == 1 else ("differs:verdict",)
            decisions.append(decision(key, answer(rng.choice(labels), kinds[0]), "provisional"))
            if i % 7:
                decisions.append(decision(key, answer(labels[0], kinds[0]), reason=HOSTILE[i % len(HOSTILE)]))
    return record(claims, codings, decisions, codebook=book, queued=queued, **more)
