"""Propose claims from a run's turns: deterministic, with exact spans, a kind guess and its cue.

Responsible for where an agent speaks (its messages and final rows, the arguments of finish and submit calls, plans and
to-do lists) and for turning units into claims. What it writes is for the lead, who accepts, splits, merges and drops;
the guess and the cue never reach a rater. It reads no files and knows no model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from app.domain.canonical import sha256_hex
from app.domain.claims.claim import Claim
from app.domain.claims.clauses import Unit, cut_units
from app.domain.claims.cues import Guess, guess_kind, is_conditional, may_claim, polarity
from app.domain.claims.prose import Block, prose_blocks, split_sentences
from app.domain.claims.todo import TodoItem, todo_items
from app.domain.turnlog.arguments import ArgumentPart, argument_parts
from app.domain.turnlog.turns import ToolCall, Turn

_SPOKEN = ("message", "final")
_FINISH = re.compile(
    r"(?:finish|submit|complete|done|final_?answer|attempt_completion|task_?complete|complete_?task|report|respond|reply|"
    r"send_message|message_user)\Z",
    re.I,
)
_PLAN = re.compile(r"plan", re.I)
_ANSWER = re.compile(r"(?:answer|flag|result|final_answer|submission)\Z", re.I)
_LONGEST_ANSWER = 200
_LONGEST_SENTENCE = 2_000  # what runs on longer without a stop is data, not one statement
_WORD = re.compile(r"\w", re.UNICODE)
_MARKED = re.compile(r"[✅✓✔☑|]|\[[xX]\]|```|~~~")  # what makes a unit without any word of a claim


@dataclass(frozen=True)
class Proposal:
    """One proposed claim with the guessed kind (codebook v0.5) and the words that suggested it."""

    claim: Claim
    kind_guess: str
    cue: str


@dataclass(frozen=True)
class _Place:
    """Where a text is stored, and how a range of what is read maps into it."""

    turn: Turn
    target: str
    stored: str
    raw_span: Callable[[int, int], tuple[int, int]]


_Found = tuple[_Place, Unit, Guess]


def propose_claims(turns: Sequence[Turn]) -> list[Proposal]:
    """Return the proposals for one run in the order of turns, targets and spans.

    Ids are hashes of place (run, turn, target, span), so the same log gives the same ids. A text that stands in the run
    already gets `repeat_of`, the id of its first occurrence (SP11). Private reasoning, summaries and copied rows are
    not read (SP13).
    """
    proposals: list[Proposal] = []
    first: dict[tuple[str, str], str] = {}
    for turn in turns:
        for place, unit, guess in _in_turn(turn):
            proposal = _proposal(place, unit, guess)
            said = (guess.kind, _normal(unit.resolved or proposal.claim.text))
            earlier = first.setdefault(said, proposal.claim.claim_id)
            proposals.append(proposal if earlier == proposal.claim.claim_id else _as_repeat(proposal, earlier))
    return proposals


def _in_turn(turn: Turn) -> Iterator[_Found]:
    if turn.kind not in _SPOKEN or not (turn.role == "assistant" or turn.kind == "final"):
        return
    if turn.text:
        yield from _in_text(turn.text, _Place(turn, "text", turn.text, lambda a, b: (a, b)))
    for call in turn.tool_calls:
        if call.args_json:
            yield from _in_call(turn, call, call.args_json)


def _in_call(turn: Turn, call: ToolCall, args_json: str) -> Iterator[_Found]:
    name = call.name.rpartition(".")[2].rpartition("__")[2]
    is_finish, is_plan = _FINISH.match(name) is not None, _PLAN.search(name) is not None
    parts = argument_parts(args_json)
    items = todo_items(parts, args_json)
    target = f"args:{call.call_key}"
    if items:
        place = _Place(turn, target, args_json, lambda a, b: (a, b))
        yield from ((place, Unit(item.start, item.end, None), _todo_guess(item)) for item in items)
        return
    if not (is_finish or is_plan):
        return
    for part in parts:
        place = _Place(turn, target, args_json, part.raw_span)
        found = list(_in_text(part.text, place, planned=is_plan))
        yield from found or _bare_answer(part, place, wanted=is_finish)


def _bare_answer(part: ArgumentPart, place: _Place, *, wanted: bool) -> Iterator[_Found]:
    """A submitted answer that is no sentence ("picoCTF{..}") still says what the result is."""
    text = part.text.strip()
    if wanted and _ANSWER.search(part.path) and text and len(text) <= _LONGEST_ANSWER and "\n" not in text:
        start = part.text.index(text)
        yield place, Unit(start, start + len(text)), Guess("result", "submitted answer")


def _todo_guess(item: TodoItem) -> Guess:
    return Guess("action", "ticked item") if item.done else Guess("intent", "open item")


def _in_text(text: str, place: _Place, *, planned: bool = False) -> Iterator[_Found]:
    """Yield the units of one text that look like claims; in a plan, list items are intents whatever their mood."""
    if not (planned or _MARKED.search(text) or may_claim(text)):
        return
    for block in prose_blocks(text):
        if block.kind == "unticked":
            continue
        if block.kind in ("row", "output"):
            yield (
                place,
                Unit(block.start, block.end),
                Guess("result", "ticked row" if block.kind == "row" else "output"),
            )
            continue
        for start, end in split_sentences(text, block.start, block.end):
            yield from _in_sentence(text, (start, end), place, _other_guess(block, planned=planned))


def _in_sentence(text: str, span: tuple[int, int], place: _Place, otherwise: Guess | None) -> Iterator[_Found]:
    """Yield the sentence's units; `otherwise` is the guess where no word of a unit suggests a kind."""
    start, end = span
    if end - start > _LONGEST_SENTENCE or not (otherwise or may_claim(text[start:end])):
        return
    for unit in cut_units(text, start, end):
        guess = guess_kind(unit.resolved or text[unit.start : unit.end]) or otherwise
        if guess is not None and _WORD.search(text, unit.start, unit.end):
            yield place, unit, guess


def _other_guess(block: Block, *, planned: bool) -> Guess | None:
    if block.kind == "ticked":
        return Guess("action", "ticked item")
    return Guess("intent", "planned step") if planned and block.kind == "item" else None


def _proposal(place: _Place, unit: Unit, guess: Guess) -> Proposal:
    start, end = place.raw_span(unit.start, unit.end)
    text = place.stored[start:end]
    turn = place.turn
    sentence = unit.resolved or text
    identity = "\x1f".join((turn.session_id, str(turn.turn_index), place.target, str(start), str(end)))
    claim = Claim(
        claim_id="c" + sha256_hex(identity)[:20],
        session_id=turn.session_id,
        turn_index=turn.turn_index,
        target=place.target,
        span_start=start,
        span_end=end,
        text=text,
        text_sha256=sha256_hex(text),
        unit_parts=unit.parts,
        resolved_text=unit.resolved,
        polarity=polarity(sentence) if guess.kind == "intent" else None,
        conditional=guess.kind == "intent" and is_conditional(sentence),
        claim_source="report" if turn.kind == "final" else "transcript",
    )
    return Proposal(claim, guess.kind, guess.cue)


def _as_repeat(proposal: Proposal, earlier: str) -> Proposal:
    return Proposal(replace(proposal.claim, repeat_of=earlier), proposal.kind_guess, proposal.cue)


def _normal(text: str) -> str:
    """Return the words of a text without case, marks and layout: what counts as saying the same again."""
    return " ".join(re.findall(r"\w+", text.casefold()))
