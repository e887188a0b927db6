"""`agreement.json` again: every field's ratings rebuilt from `rater_long.csv` and every number recomputed from them.

The coefficients are those of this package's second implementation. Hidden repeats, controls, machine raters, crosswalk
rows and the adjudicator are no part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from app.domain.stats.check.raw import Chance, Raw
from app.domain.stats.check.recompute import Path, recompute
from app.domain.stats.check.verify_coders import CodedClaim, Facts, Row, label_of
from app.domain.stats.check.verify_ledger import Ledger

NAME = "agreement.json"
RESAMPLING, NULL_SEED = 10, 20260725
Read = Callable[[Row], str | None]
Given = tuple[list[str], dict[str, CodedClaim], Facts]
Draws = Callable[[Mapping[str, object]], Chance | None]


def check_agreement(documents: Mapping[str, object], given: Given, draws: Draws) -> Ledger:
    """Return a ledger over every document.

    `given` is (all sampled claims by blind id, the claims, the facts); `draws` repeats a document's random draws, and
    where it returns None the intervals and nulls made by chance are not recomputed.
    """
    ledger, facts = Ledger(), given[2]
    fields = list(_fields(facts))
    ledger.same((NAME, None, "fields"), sorted(name for name, _, _ in fields), sorted(documents))
    for name, categories, read in fields:
        by_version = documents.get(name)
        document = by_version.get(facts.version) if isinstance(by_version, dict) else None
        if not isinstance(document, dict):
            ledger.fault((NAME, name, None), f"a document for codebook {facts.version}", "none")
            continue
        raw = _raw(_level(document), categories, read, given)
        strangers = sorted({str(label) for row in raw.rows for label in row} - {*categories, "None"})
        if strangers:
            ledger.fault(("rater_long.csv", None, name), f"one of {', '.join(categories)}", strangers[0])
            continue
        ledger.same((NAME, name, "left_out"), {"crosswalk": _carried(given)}, document.get("left_out"))
        chance = _drawn(name, document, raw, draws, ledger)
        _check_seeds(name, document, facts, ledger)
        _check_document(name, document, raw, chance, ledger)
    return ledger


def ratings_again(documents: Mapping[str, object], given: Given) -> Iterator[tuple[str, Raw]]:
    """Yield every field's name and its ratings from the codings, in the documents' order; the level is a document's."""
    facts = given[2]
    for name, categories, read in _fields(facts):
        by_version = documents.get(name)
        document = by_version.get(facts.version) if isinstance(by_version, dict) else None
        yield name, _raw(_level(document if isinstance(document, dict) else {}), categories, read, given)


def _level(document: Mapping[str, object]) -> str:
    """Return the level the weights go by; what a document may not say is compared as nominal and differs then."""
    level = document.get("level")
    return level if isinstance(level, str) and level in ("nominal", "ordinal") else "nominal"


def _drawn(name: str, document: Mapping[str, object], raw: Raw, draws: Draws, ledger: Ledger) -> Chance | None:
    """Return the document's draws; noted as a fault where there are ratings and it states none that can be made."""
    rated = any(label is not None for row in raw.rows for label in row)
    ledger.same((NAME, name, "bootstrap stated"), rated, isinstance(document.get("bootstrap"), dict))
    try:
        return draws(document) if rated else None
    except ValueError as broken:
        ledger.fault((NAME, name, "bootstrap"), "draws that can be repeated", str(broken))
        return None


def _check_seeds(name: str, document: Mapping[str, object], facts: Facts, ledger: Ledger) -> None:
    """Runs are drawn from the study's stream 10, the null under one seed: no seed can be picked for its interval."""
    stream = study_seeds(facts.seed)
    for path, value in _seeds(document, ()):
        of_null = bool(path) and str(path[-1]).startswith("permutation_null")
        wanted = stream["permutation" if of_null else "bootstrap"]
        ledger.same((NAME, name, "/".join(map(str, (*path, "seed")))), wanted, value)


def study_seeds(seed: int) -> dict[str, object]:
    """Return the seeds of a study's draws as the manifest and the documents must state them."""
    return {"study": seed, "bootstrap": [seed, RESAMPLING, 0], "permutation": NULL_SEED}


def _seeds(node: object, path: Path) -> Iterator[tuple[Path, object]]:
    """Yield every stated seed with the path of what states it."""
    parts = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in parts:
        if key == "seed":
            yield path, value
        else:
            yield from _seeds(value, (*path, key))


def _fields(facts: Facts) -> Iterator[tuple[str, list[str], Read]]:
    yield "verdict", facts.labels, label_of
    for name, categories in facts.categories.items():
        yield name, categories, _cell(name)
    if facts.primary_gap in facts.gaps:
        yield "gap_class", ["gap", "no_gap", "undecided"], lambda row: _gap_class(label_of(row), facts)
    yield "verdict_backward", facts.labels, _on_side("backward", facts)
    yield "verdict_intents", facts.labels, _on_side("intents", facts)


def _on_side(side: str, facts: Facts) -> Read:
    return lambda row: label_of(row) if facts.side(row["claim_kind"]) == side else None


def _cell(name: str) -> Read:
    return lambda row: row[name] or None


def _gap_class(label: str, facts: Facts) -> str:
    if label not in facts.decided:
        return "undecided"
    return "gap" if label in facts.gaps[facts.primary_gap] else "no_gap"


def _raw(level: str, categories: list[str], read: Read, given: Given) -> Raw:
    order, claims, facts = given
    rows: list[list[str | None]] = []
    for slot in facts.slots:
        coded = [_independent(claims[key], slot) for key in order]
        rows.append([None if row is None else read(row) for row in coded])
    runs = [claims[key].run for key in order]
    strata = [_stratum(claims[key], facts) for key in order]
    return Raw(rows=rows, categories=categories, level=level, runs=runs, strata=strata)


def _carried(given: Given) -> dict[str, int]:
    """How many of the human raters' codings a crosswalk carried over, and of how many claims."""
    order, claims, _ = given
    numbers = [sum(1 for row in claims[key].human.values() if row["origin"] == "crosswalk") for key in order]
    return {"codings": sum(numbers), "claims": sum(1 for n in numbers if n)}


def _independent(claim: CodedClaim, slot: str) -> Row | None:
    row = claim.human.get(slot)
    return row if row is not None and row["origin"] == "human" else None


def _stratum(claim: CodedClaim, facts: Facts) -> str:
    sides: list[str] = []
    for slot in claim.human:
        row = _independent(claim, slot)
        if row is not None:
            sides.append(facts.side(row["claim_kind"]))
    return f"{claim.run} {sides[0] if sides and sides.count(sides[0]) == len(sides) else 'mixed'}"


def _check_document(name: str, document: Mapping[str, object], raw: Raw, chance: Chance | None, ledger: Ledger) -> None:
    leaves = dict(_leaves(document, ()))
    ledger.same((NAME, name, "categories"), list(raw.categories), document.get("categories"))
    ledger.same((NAME, name, "level"), raw.level, document.get("level"))
    for path, number in recompute(raw, chance).items():
        ledger.close((NAME, name, "/".join(map(str, path))), *_squared(path, number, leaves.get(path)))
    for path, value in leaves.items():
        if path[-1] == "value":
            reason = leaves.get((*path[:-1], "undefined_reason"))
            place = "/".join(map(str, path))
            ledger.same((NAME, name, f"{place}: null exactly where a reason stands"), value is None, reason is not None)


def _squared(path: Path, number: float | None, found: object) -> tuple[float | None, object]:
    """Standard errors as variances: the root of a variance that is 0 magnifies rounding."""
    known = isinstance(found, int | float) and number is not None and path[-1] in ("se", "se0")
    return (float(str(number)) ** 2, float(str(found)) ** 2) if known else (number, found)


def _leaves(node: object, path: Path) -> Iterator[tuple[Path, object]]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _leaves(value, (*path, str(key)))
    elif isinstance(node, list):
        for place, value in enumerate(node):
            yield from _leaves(value, (*path, place))
    else:
        yield path, node
