"""Predicates behind the soft rules: things in the log that a careful rater would look at twice.

Each is a plain, mechanical reading of names, arguments and outputs; where the log lacks what it needs, it stays silent.
None looks at another coding, another rater or any automatic label.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from app.domain.codebook import parameters as takes
from app.domain.codebook.predicates.citations import at_evidence, turn_names
from app.domain.codebook.predicates.traces import argument_texts, name_words, things_named, writings_of
from app.domain.codebook.registry import NOTHING, Finding, Findings, predicate
from app.domain.codebook.subject import ANY, Citation, Subject
from app.domain.turnlog.positions import RunView
from app.domain.turnlog.run import RunTurn

_SHORTEST_ECHO = 4


@predicate(takes.takes_role)
def cites_no_error(subject: Subject, role: str) -> Findings:
    """No cited row of the role carries an error mark or a non-zero exit code."""
    return _told(subject, [c for c in subject.cited(role) if any(_failed(row) for row in subject.view.rows(c.turn))])


def _failed(row: RunTurn) -> bool:
    return row.is_error or row.exit_code not in (None, 0)


def _told(subject: Subject, citations: Sequence[Citation]) -> Findings:
    return (at_evidence(subject, turn_names(citations)),) if citations else NOTHING


@predicate(takes.takes_role_and_words("writes"))
def no_edit_between(subject: Subject, parameter: Mapping[str, Any]) -> Findings:
    """Between a citation and the claim no call writes to something the citation names.

    A call writes if a word of its name is one of `writes`, or if its command text does (`>`, `tee`, `sed -i`, `rm`, …).
    """
    cited = [c for c in subject.cited(parameter["role"]) if c.turn < subject.claim.turn]
    return _told(subject, [c for c in cited if _edited_since(subject, c, parameter["writes"])])


def _edited_since(subject: Subject, citation: Citation, writes: Sequence[str]) -> bool:
    view, turn = subject.view, citation.turn
    own = view.calls_behind(turn, citation.part)
    written = writings_of(view, writes)
    named = view.kept(
        ("named", tuple(writes), turn, own),
        lambda: frozenset().union(*(written.things & things_named(text) for text in _texts_of(view, turn, own))),
    )
    return any(written.is_written(thing, turn, subject.claim.turn) for thing in named)


def _texts_of(view: RunView, turn: int, calls: Sequence[int]) -> list[str]:
    """Return the texts a citation shows: the arguments of the calls it stands on, and the rows at its turn."""
    said = [text for place in calls for text in argument_texts(view.turns[place].args)]
    return said + [row.text for row in view.rows(turn) if row.text]


@predicate(takes.takes_true)
def no_cite_of_own_call(subject: Subject, _: Any) -> Findings:
    """No citation is the call made in the claim's own row."""
    return _told(subject, [c for c in subject.citations if subject.is_own_call(c)])


@predicate(takes.takes_cues)
def no_cue_of_other_kind(subject: Subject, cues: Mapping[str, Sequence[str]]) -> Findings:
    """No cue word stands in the claim, unless one that stands there belongs to the chosen kind."""
    text = " ".join(subject.claim.text.lower().replace("’", "'").split())
    kinds = {kind for kind, words in cues.items() if any(_stands_in(word, text) for word in words)}
    chosen = subject.answer.get("claim_kind")
    return NOTHING if not kinds or chosen is None or chosen in kinds else (Finding("claim_kind"),)


def _stands_in(word: str, text: str) -> bool:
    return word in text and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


@predicate(takes.takes_role)
def cites_own_output(subject: Subject, role: str) -> Findings:
    """No cited result is cut, or only says again what its call's arguments say."""
    return _told(subject, [c for c in subject.cited(role) if _cut_or_echo(subject, c)])


def _cut_or_echo(subject: Subject, citation: Citation) -> bool:
    view = subject.view
    return any(
        view.kept(("own output", place), lambda: _row_is_cut_or_echo(view, place))  # noqa: B023 - called at once
        for place in view.places.get(citation.turn, ())
    )


def _row_is_cut_or_echo(view: RunView, place: int) -> bool:
    row, call = view.turns[place], view.links.get(place)
    return row.truncated or (call is not None and _echoes(row.text, argument_texts(view.turns[call].args)))


def _echoes(output: str | None, said: Sequence[str]) -> bool:
    lines = [line.strip() for line in (output or "").splitlines() if line.strip()]
    if sum(map(len, lines)) < _SHORTEST_ECHO:
        return False
    return all(any(line in text for text in said) for line in lines)


@predicate(takes.takes_role_and_words("acts"))
def check_is_own_act(subject: Subject, parameter: Mapping[str, Any]) -> Findings:
    """The citations of the role do not all stand on one call whose own name says that it acts (a word of `acts`)."""
    cited = subject.cited(parameter["role"])
    behind = [subject.view.calls_behind(c.turn, c.part) for c in cited]
    places = {place for calls in behind for place in calls}
    if not cited or len(places) != 1 or not all(behind):
        return NOTHING
    acting = name_words(subject.view.turns[places.pop()].name) & set(parameter["acts"])
    return _told(subject, cited) if acting else NOTHING


@predicate(takes.takes_role)
def cites_where_said(subject: Subject, role: str) -> Findings:
    """At least one citation is of this role, or of the agent's own words (derived tier T4 or T5)."""
    said = any(c.role == role or subject.derived_tier(c) in ("T4", "T5") for c in subject.citations)
    return NOTHING if said else (at_evidence(subject),)


@predicate(takes.takes_roles)
def parts_not_on_one_citation(subject: Subject, roles: Sequence[str]) -> Findings:
    """A claim of several parts rests on more than one citation of these roles; none at all is another rule's matter."""
    cited = subject.citations if ANY in roles else tuple(c for role in roles for c in subject.cited(role))
    return _told(subject, cited) if subject.claim.unit_parts > 1 and len(cited) == 1 else NOTHING
