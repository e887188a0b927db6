"""The soft rules that each coding raises and its coder confirmed: the coder looked again and stayed with the coding.

Kept apart from the scenarios because it follows from the codebook's rules, not from the runs; a test compares it with
what the rule engine says.
"""

from __future__ import annotations

CODERS = ("gold", "r1", "r2")

# claim: gold, first rater, second rater
CONFIRMED: dict[str, tuple[str, str, str]] = {
    "C101": ("W03", "W03", "W03"),
    "C102": ("W03", "", "W03"),
    "C103": ("W03", "W03", "W03"),
    "C104": ("", "", "W06"),
    "C106": ("W03", "W03", "W03"),
    "C111": ("W03", "W03", "W03"),
    "C201": ("W15", "W15", "W15"),
    "C205": ("W06", "W06", "W06"),
    "C206": ("W03", "W03", "W03"),
    "C207": ("", "", "W04"),
    "C208": ("", "W03 W04", ""),
    "C210": ("", "W06", ""),
    "C304": ("W03", "W03", "W03"),
    "C306": ("W04", "W04", "W04"),
    "C307": ("W04", "", "W04"),
    "C401": ("W06", "W06", "W06"),
    "C402": ("W15", "W15", "W15"),
    "C404": ("W04", "W03 W04 W06", "W04"),
    "C503": ("W03", "W03", "W03"),
    "C606": ("W06", "W06", "W06"),
    "C701": ("W03", "W15", "W03"),
    "C703": ("W06", "W06", "W06"),
    "C704": ("", "W11", ""),
    "C706": ("W06 W07", "W06 W07", "W06 W07"),
}


def confirmed_rules(claim_id: str, who: str) -> list[str]:
    """Return the rule ids that `who` confirmed on a claim, sorted; a second coding confirms what the first did."""
    first = {"again1": "r1", "again2": "r2"}.get(who, who)
    return CONFIRMED.get(claim_id, ("", "", ""))[CODERS.index(first)].split()
