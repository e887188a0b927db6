"""The rule engine: one coding, judged as sent, under one codebook. Pure: no database, no clock, no other coding.

Rules, labels and messages are data in the codebook file; predicates are functions in `predicates`. The rules that need
a study (who may code, locks, what was coded before) are not here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import app.domain.codebook.predicates  # noqa: F401 - registers the predicates
from app.domain.codebook.model import Codebook, Rule
from app.domain.codebook.registry import Finding, is_asked, unmet
from app.domain.codebook.subject import Subject
from app.domain.coding import normalise
from app.domain.errors import Violation
from app.domain.turnlog.positions import RunView
from app.domain.turnlog.run import ClaimUnit, Run

HARD, SOFT = "hard", "soft"


@dataclass(frozen=True)
class Judgement:
    """What the rules say of one coding. `accepted`: no hard rule is broken; soft ones may be.

    `derived_tiers` stands beside the citations of the *normalised* answer, one each: `T1` to `T5`, or the empty text
    for a citation that means no turn of the run. `waived` are the broken rules the coding is exempt from: they do not
    refuse it, and they say what it lacks. `applied` are the rules that asked anything of this coding, kept or broken.
    """

    accepted: bool
    violations: tuple[Violation, ...]
    derived_tiers: tuple[str, ...]
    waived: tuple[Violation, ...] = ()
    applied: tuple[str, ...] = ()

    @property
    def hard(self) -> tuple[Violation, ...]:
        """The violations that refuse the coding."""
        return tuple(v for v in self.violations if v.level == HARD)

    @property
    def soft(self) -> tuple[Violation, ...]:
        """The violations to confirm by name."""
        return tuple(v for v in self.violations if v.level == SOFT)


def judge(
    codebook: Codebook, run: Run, claim: ClaimUnit, answer: Mapping[str, Any], exempt: Collection[str] = ()
) -> Judgement:
    """Return the judgement of one answer. Never raises for what an answer holds: a wrong shape is a broken rule.

    The answer is normalised first, so every spelling of one answer is judged alike. Violations stand in the order of
    the codebook's rules; one rule may point at several fields. `exempt` are ids of rules a coding carried over by a
    crosswalk need not keep (settlements of section 4.13); which they are stands in the crosswalk file.
    """
    return judge_in(codebook, RunView(run), claim, answer, exempt)


def judge_in(
    codebook: Codebook, view: RunView, claim: ClaimUnit, answer: Mapping[str, Any], exempt: Collection[str] = ()
) -> Judgement:
    """Return what `judge` returns, in a run that is indexed already: the time does not grow with its length."""
    subject = Subject(codebook, view, claim, normalise(answer))
    asked = [rule for rule in codebook.rules if _applies(subject, rule)]
    found = tuple(v for rule in asked for v in _broken(subject, rule))
    violations = tuple(v for v in found if v.rule not in exempt)
    accepted = not any(v.level == HARD for v in violations)
    waived = tuple(v for v in found if v.rule in exempt)
    return Judgement(accepted, violations, _derived_tiers(subject), waived, tuple(rule.id for rule in asked))


def _applies(subject: Subject, rule: Rule) -> bool:
    return subject.meets(rule.when) and any(is_asked(subject, part) for part in rule.require)


def _broken(subject: Subject, rule: Rule) -> Iterator[Violation]:
    told: set[Violation] = set()
    for requirement in rule.require:
        for finding in unmet(subject, requirement):
            violation = _violation(subject, rule, requirement, finding)
            if violation not in told:
                told.add(violation)
                yield violation


def _violation(subject: Subject, rule: Rule, requirement: Mapping[str, Any], finding: Finding) -> Violation:
    field = finding.field or rule.field
    message = str(requirement.get("message", rule.message)).replace("{what}", finding.what or field)
    level = SOFT if rule.level == HARD and _softened(subject, requirement) else rule.level
    return Violation(rule.id, level, field, message)


def _softened(subject: Subject, requirement: Mapping[str, Any]) -> bool:
    soften = requirement.get("soften")
    if soften is None or not subject.meets(soften["when"]):
        return False
    return not any(unmet(subject, part) for part in soften["require"])


def _derived_tiers(subject: Subject) -> tuple[str, ...]:
    name = subject.evidence.name if subject.evidence else ""
    sent = subject.answer.get(name)
    tiers = [""] * (len(sent) if isinstance(sent, list) else 0)
    for citation in subject.citations:
        tiers[citation.place] = subject.derived_tier(citation) or ""
    return tuple(tiers)
