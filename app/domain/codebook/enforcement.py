"""Every rule that is enforced in a study, with what it did at its saves: for the page, the report and the command.

Pure: counts are handed in, and whether they may be seen is decided before. A rule that applied nowhere counts 0; one
that is not judged at a save, and any rule where nothing was counted, has no number but a reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.codebook.document import Entry, entries_of
from app.domain.codebook.model import Codebook
from app.domain.codebook.workflow import workflow_rules
from app.domain.tally import EVERY_SAVE, Count, RuleCount

HUMAN, ADJUDICATOR = "human", "adjudicator"
SOURCES = (HUMAN, "machine", "import", ADJUDICATOR)
NOT_AT_A_SAVE = "not judged at a save"
NOT_COUNTED = "no save was counted"
NOT_YET = "not shown before every packet is locked"


@dataclass(frozen=True)
class RuleLine:
    """One rule: who states it (`codebook` or `work`), what it says and where, and its count where it has one.

    `count` is that of human raters (of the adjudicator for a rule on decisions), null with `why`; `by_source` has every
    source that counted anything of it.
    """

    id: str
    level: str
    stated_by: str
    applies: str
    message: str
    pointing: str
    count: Count | None
    why: str | None
    by_source: Mapping[str, Count]


@dataclass(frozen=True)
class Enforcement:
    """All rules in force; `saves` maps each source to its judged saves, `why` says why there are no counts at all."""

    lines: tuple[RuleLine, ...]
    saves: Mapping[str, Count]
    why: str | None


def enforcement_of(codebook: Codebook, counts: Sequence[RuleCount] | None) -> Enforcement:
    """Return every rule in the codebook's order, then the rules of the work. `counts` None: not to be seen yet."""
    found = {(c.source, c.rule): c.count for c in counts or ()}
    saves = {source: found[source, EVERY_SAVE] for source in SOURCES if (source, EVERY_SAVE) in found}
    why = NOT_YET if counts is None else None if saves else NOT_COUNTED
    counted = {rule.id: rule.counted for rule in workflow_rules(codebook)}
    rules = (entry for entry in entries_of(codebook) if entry.group in ("rule", "server rule"))
    lines = tuple(_line(codebook, entry, counted.get(entry.code, HUMAN), (found, saves, why)) for entry in rules)
    return Enforcement(lines, saves, why)


def _line(
    codebook: Codebook,
    entry: Entry,
    counted: str,
    known: tuple[Mapping[tuple[str, str], Count], Mapping[str, Count], str | None],
) -> RuleLine:
    found, saves, why = known
    by_source = {source: found[source, entry.code] for source in SOURCES if (source, entry.code) in found}
    if not counted:
        why = NOT_AT_A_SAVE
    elif why is None and counted not in saves:
        why = NOT_COUNTED
    asked = codebook.field(entry.pointing) if entry.pointing else None
    return RuleLine(
        id=entry.code,
        level=entry.level,
        stated_by="codebook" if entry.group == "rule" else "work",
        applies=_said(entry, "when"),
        message=_said(entry, "message"),
        pointing=(asked.title or asked.name.replace("_", " ")) if asked else "",
        count=by_source.get(counted, Count()) if why is None else None,
        why=why,
        by_source=by_source if why is None else {},
    )


def _said(entry: Entry, kind: str) -> str:
    return " ".join(line.text for line in entry.said(kind))
