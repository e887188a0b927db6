"""The rules that need more than one coding: who may code, locks, adjudication, exports, and a rater's own history.

They hold under every codebook and are enforced where the work happens; here stands only what each says, when it applies
and how hard it is. The four soft ones are judged in `history`.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.codebook.model import Codebook

SAVE, HISTORY = "at every save", "at a save by a person at work"


@dataclass(frozen=True)
class WorkflowRule:
    """One rule of the work. `at` completes "applies …"; `field` is the question a message points at, "" for none.

    `counted` says whose saves it is counted at (`human`, `adjudicator`); "" for one that is not judged at a save.
    """

    id: str
    level: str
    at: str
    message: str
    field: str = ""
    counted: str = ""


WORKFLOW_RULES = (
    WorkflowRule(
        "H03", "hard", "at the lock", "Every coding was made under the codebook, by version and hash, of its packet."
    ),
    WorkflowRule(
        "H25",
        "hard",
        SAVE,
        "Whoever codes is assigned the claim and allowed to code under this codebook, the packet is open, and the "
        "revision answered is the one stored.",
        counted="human",
    ),
    WorkflowRule(
        "H26",
        "hard",
        "at the lock",
        "Every assigned claim has exactly one valid current coding; what is missing, paused or not attested blocks the "
        "lock.",
    ),
    WorkflowRule(
        "H27",
        "hard",
        "at a decision of the adjudicator",
        "An adjudicator decides no claim of their own coding, with a reason of at least 20 characters and a rule; the "
        "codings stay as they were.",
        counted="adjudicator",
    ),
    WorkflowRule(
        "H28",
        "hard",
        "at agreement and export",
        "Hidden repeats, controls and rows of a crosswalk enter no agreement; repeats and controls no pooled table.",
    ),
    WorkflowRule(
        "H29", "hard", "at publication", "A packet with a blinding finding that nobody settled is not published."
    ),
    WorkflowRule(
        "H30",
        "hard",
        "at export",
        "What is pooled, and what the blind ids stand for, stays closed until every lock and decision is in.",
    ),
    WorkflowRule(
        "H31",
        "hard",
        "from registration on",
        "Codebook, thresholds, policies and seeds stay as registered; what changes is added, dated, beside them.",
    ),
    WorkflowRule(
        "H32",
        "hard",
        "at a save with the flag blinding leak",
        "Say in the note what gave an identity away, and where; the claim is paused for the custodian.",
        "note",
        counted="human",
    ),
    WorkflowRule(
        "W08",
        "soft",
        HISTORY,
        "The time on this claim is under 5 seconds or over 30 minutes; look at the answer once more.",
        counted="human",
    ),
    WorkflowRule("W09", "soft", HISTORY, "This note equals one of your last three notes.", "note", counted="human"),
    WorkflowRule(
        "W10",
        "soft",
        HISTORY,
        "A label that leaves claims open is over its share of your last 20 codings; its definition is shown, to you "
        "alone.",
        "verdict",
        counted="human",
    ),
    WorkflowRule("W12", "soft", HISTORY, "This coding has more than three revisions.", counted="human"),
)


def workflow_rules(codebook: Codebook) -> tuple[WorkflowRule, ...]:
    """Return the rules of the work under a codebook: one whose id the file gives to a rule of its own is left out."""
    own = {rule.id for rule in codebook.rules}
    return tuple(rule for rule in WORKFLOW_RULES if rule.id not in own)
