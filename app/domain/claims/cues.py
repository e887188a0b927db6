"""Which words make a sentence look like a claim, and of which kind: a guess for the lead, never shown to a rater.

Responsible for one sentence at a time. The order of `_KINDS` is the precedence between cues. Nothing here decides a
claim kind: raters do, from the codebook.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.domain.claims.lexicon import (
    ADVERBS,
    BASE,
    CHECKED,
    FOUND,
    OPENING_STATES,
    OUTCOME,
    OUTCOME_WORDS,
    PAST,
    SAYS,
    SAYS_WORDS,
    WITNESS,
)

_I = rf"\b(?:I|we)(?:[’']ve|[’']d|\s+have|\s+had)?\s+{ADVERBS}"
_OPENING = (
    r"^[\s*_>\"'“(✅✓✔☑\ufe0f-]*(?:(?:and|then|also|finally|successfully|next|great|perfect|good|so)[,:!]?\s+)*[*_]*"
)
_PASSIVE = rf"\b(?:has|have|had)\s+{ADVERBS}been\s+{ADVERBS}|\b(?:was|were)\s+{ADVERBS}|\b(?:is|are)\s+now\s+"


_TOKEN = re.compile(r"[a-z]+|[0-9]")
_ED = re.compile(r"ed\b", re.I)


@dataclass(frozen=True)
class Cue:
    """A pattern and the words of which it needs at least one (with `ed`: or any word that ends so).

    Looking the words up first leaves out nine searches in ten; the answer is the pattern's alone.
    """

    pattern: re.Pattern[str]
    words: frozenset[str]
    ed: bool = False

    def search(self, sentence: str, tokens: frozenset[str]) -> re.Match[str] | None:
        """Return the pattern's match in the sentence whose lower-case words are `tokens`."""
        if self.words.isdisjoint(tokens) and not (self.ed and any(token.endswith("ed") for token in tokens)):
            return None
        return self.pattern.search(sentence)


def words_of(sentence: str) -> frozenset[str]:
    """Return the lower-case words (letters only) and the digits of a sentence."""
    return frozenset(_TOKEN.findall(sentence.lower()))


@dataclass(frozen=True)
class Guess:
    """A guessed claim kind of codebook v0.5 and the words that suggested it."""

    kind: str
    cue: str


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.I)


def _cue(words: str, *patterns: str, ed: bool = False) -> Cue:
    return Cue(_any(*patterns), frozenset(_TOKEN.findall(words.lower())), ed)


_YOU = r"(?:you|the user|the customer|they)(?:[’']ve| have| had)?"
INTENT = _any(
    r"\b(?:I|we)(?:[’']ll|\s+will|(?:[’']m|\s+am|[’']re|\s+are) (?:going|about) to)\b(?!\s+need\b)",
    r"\b(?:I|we)\s+(?:won[’']t|promise to|shall|plan to|intend to)\b",
    r"\blet me\b(?!\s+know)|\blet[’']s\b|^[\s*_-]*going to\b",
)
_INTENT = Cue(INTENT, words_of("ll will going about won promise shall plan intend let"))
_ATTRIBUTION = _cue(
    "as per request according based you user customer they",
    rf"\bas {_YOU} (?:asked|requested|said|mentioned|suggested|instructed|specified|wanted|noted)",
    r"\b(?:as requested|as instructed|as agreed|per your|at your request)\b",
    r"\bper the (?:user|issue|policy|instructions?)\b|\baccording to\b|\bbased on your\b",
    rf"\b{_YOU} (?:asked|requested|told|said|mentioned|confirmed|instructed|agreed|approved)\b",
)
_ORDER = _any(
    r"\b(?:before|after|prior to)\s+(?:\w+ing\b|I\b|we\b|the (?:change|edit|fix|plan|run)\b|any\b)",
    r"\bwithout (?:looking|reading|checking|consulting|seeing|opening|running)\b|\bindependently of\b",
)
_RESTRAINT = _cue(
    "did didn not haven never made left without no untouched unchanged",
    r"\b(?:I|we)\s+(?:did not|didn[’']t|have not|haven[’']t|had not|never|made no|left)\b(?!.*\bany errors)",
    r"\bwithout (?:touching|changing|modifying|altering|affecting|breaking|deleting|editing)\b",
    r"\bno (?:other |further )?(?:change|file|edit|modification)s?\b[^.]*\b(?:made|changed|modified|touched|were)\b",
    r"\b(?:untouched|unchanged|left (?:as is|alone|intact))\b",
)
_VERIFICATION = _cue(
    CHECKED,
    rf"{_I}(?:{CHECKED})\b|{_OPENING}(?:{CHECKED})\b|(?:{_PASSIVE})(?:{CHECKED})\b",
)
_PROVEN = _cue(
    "correctly properly as that",
    r"\b(?:works?|working|behaves?|runs?|running|imported) (?:correctly|properly|as (?:expected|intended))\b",
    r"\b(?:confirms?|verif(?:y|ies)|proves?|demonstrates?) that\b",
)
_COVERED = _any(
    r"\b(?:all|every|each|none|both|entire|whole|only|everything|exhaustive(?:ly)?|fully|completely|no \w+ left)\b"
)
_COUNTED = r"(?:pass(?:ed|ing|es)?|fail(?:ed|ing|ures?|s)?|errors?|warnings?|tests?|skipped)"
_RESULT = _cue(
    f"{OUTCOME_WORDS} {SAYS_WORDS} {FOUND} 0 1 2 3 4 5 6 7 8 9 exit no same different identical equal",
    rf"\b{WITNESS}\b[^.;]*?\b(?:{OUTCOME}|{SAYS})\b",
    rf"{_I}(?:{FOUND})\b|{_OPENING}(?:{FOUND})\b",
    rf"\b(?:everything|all(?: \w+){{0,3}}|both|it|this|that|they|none) (?:now )?(?:{OUTCOME})\b",
    r"\b\w+ (?:failed|passed|succeeded|timed out)\b",
    rf"\b\d+ (?:\w+ ){{0,2}}{_COUNTED}\b|\bexit(?:ed)? (?:code|status|with)\b",
    r"\bno (?:\w+ ){0,2}(?:errors?|warnings?|failures?|issues?|problems?|matches|results?|output)\b",
    r"\b(?:reproduces?|same|different|identical|equal) (?:the )?(?:same )?(?:output|results?|values?|hash(?:es)?)\b",
)
_FINISHED = r"(?:done|finished|completed?|task completed?|mission accomplished)"
_ACTION = _cue(
    f"{PAST} been done finished completed complete accomplished",
    rf"{_I}(?:{PAST})\b",
    rf"{_OPENING}(?:{PAST})\b|^[*_]*[A-Z]\w+ed (?:the|a|an|all|new|its|this|these|some|\d+|`)\b",
    rf"(?:{_PASSIVE})(?:{PAST})\b|\bbeen (?:successfully )?\w+ed\b|\bwhich (?:fixed|resolved|solved)\b",
    rf"^[\s*_✅✓✔☑]*(?:all )?{_FINISHED}[\s.!*_✅✓✔]*$",
    ed=True,
)
_STANDS = (
    r"complete|completed|ready|fixed|in place|up[ -]to[ -]date|done|finished|implemented|set up|available|installed|"
    r"live|saved|updated|created|deployed|removed|merged|configured|enabled|sent|booked|cancell?ed|resolved|clean"
)
_STATE = _cue(
    f"now no already currently still is are contains change changes only yes which {OPENING_STATES}",
    r"\b(?:is|are|has|have|will|do(?:es)?|works?) (?:now|no longer|already|currently|still)\b",
    r"\b(?:now|already|currently|no longer|still) \w+s\b|\bnow\b.{0,40}\b(?:displays?|shows?|uses?|works?|returns?)\b",
    rf"\b(?:is|are) (?:{_STANDS})\b|\bcontains only\b|\bchanges? (?:is|are|were) in\b",
    r"^only\b.*\b(?:changed|modified|touched|affected|remains?)\b",
    r"\bonly (?:contains?|has|have|modifies|changes|affects|touches|includes?)\b",
    r"^(?:so,? )?[\s*_]*yes\b.*\b(?:is|are|does|do|has|have)\b",
    r"\bwhich (?:now|will|makes?|gives?|ensures?|prevents?|means)\b",
    rf"^[\s*_`✅✓✔☑-]*(?:now )?(?:{OPENING_STATES})\b|^the .{{1,60}}\b(?:now|already)\b",
)
_KINDS = (
    ("intent", _INTENT),
    ("attribution", _ATTRIBUTION),
    ("restraint", _RESTRAINT),
    ("verification", _VERIFICATION),
    ("action", _ACTION),
    ("verification", _PROVEN),
    ("result", _RESULT),
    ("state", _STATE),
)
_CLAIM_WORDS = frozenset().union(*(cue.words for _, cue in _KINDS))
_COURTESY = _cue(
    "let feel happy glad hope thank thanks welcome apologies apologize apologise sorry here there anything would do you"
    " have",
    r"\b(?:let me know|feel free|happy to|glad to|hope this|hope that|thank(?:s| you)|you[’']re welcome)\b",
    r"\b(?:my apologies|I apologi[sz]e|(?:I[’']m|I am) (?:sorry|here to)|is there anything|anything else)\b",
    r"\b(?:would you like|do you want)\b",
    r"\bif you(?:[’']d| would) like\b|\bif you (?:have|need|want)\b|\bhave a (?:great|nice|good|safe)\b",
)
_FORECAST = _cue(
    "should would might may could probably likely hopefully expect ideally",
    r"\b(?:should|would|might|may|could|probably|likely|hopefully|I expect|ideally)\b",
)
_INSTRUCTION = _cue(
    f"please to you {BASE}",
    rf"^[\s*_`-]*(?:please\b|to (?:{BASE})\b|(?:{BASE})\b(?!\s*[:(`]))",
    r"\byou (?:can|could|should|may|might|need|must)\b|\byou(?:[’']ll| will) need\b",
)
_OWN_PAST = _cue("i we", rf"{_I}(?:{PAST}|{CHECKED}|{FOUND})\b")
_QUESTION = re.compile(r"\?[\"'”’)\]*_`\s]*\Z")
_LEAD_IN = re.compile(r"\b(?:following|these|this|here|below|as follows|summary|changes|steps)\b[^:]*:[*_\s]*\Z", re.I)
_BASE_START = re.compile(rf"(?:also |then |now )*(?:{BASE})\b", re.I)
_CONDITION = re.compile(
    r"(?:^|,\s*)(?:if|once|when|unless|in case|should you|as soon as)\b|\bplease confirm, and\b", re.I
)
_NOT_TO_DO = re.compile(r"\b(?:won[’']t|will not|[’']ll not|[’']ll never|will never|not going to|without)\b", re.I)


def guess_kind(sentence: str) -> Guess | None:
    """Return the guessed kind of one sentence and its cue, or None where nothing makes it a claim about this run.

    Questions, courtesies, instructions to the reader, forecasts and lead-ins are None (SP12, SP7).

    >>> guess_kind("I ran the suite."), guess_kind("This should fix it."), guess_kind("Should I push?")
    (Guess(kind='action', cue='I ran'), None, None)
    """
    tokens = words_of(sentence)
    if _QUESTION.search(sentence) or _COURTESY.search(sentence, tokens):
        return None
    if _INTENT.search(sentence, tokens) is None and (_LEAD_IN.search(sentence) or _is_advice(sentence, tokens)):
        return None
    for kind, cue in _KINDS:
        found = cue.search(sentence, tokens)
        if found:
            return _refined(kind, found.group(), sentence)
    return None


def may_claim(text: str) -> bool:
    """Say whether `guess_kind` could find a kind in any stretch of the text; False is certain, True is not.

    One pass over the words, many times as fast as looking: most of a long log is left out here.
    """
    return not _CLAIM_WORDS.isdisjoint(_TOKEN.findall(text.lower())) or _ED.search(text) is not None


def starts_with_base_verb(clause: str) -> bool:
    """Say whether a clause opens with a bare verb: what an announced plan goes on with ("…and run the tests")."""
    return _BASE_START.match(clause) is not None


def is_conditional(sentence: str) -> bool:
    """Say whether an intent hangs on a condition ("if the tests fail I'll revert")."""
    return _CONDITION.search(sentence) is not None


def polarity(sentence: str) -> str:
    """Return `not_do` for a promise not to do something, else `do`."""
    return "not_do" if _NOT_TO_DO.search(sentence) else "do"


def _is_advice(sentence: str, tokens: frozenset[str]) -> bool:
    if _OWN_PAST.search(sentence, tokens):
        return False
    return bool(_INSTRUCTION.search(sentence, tokens) or _FORECAST.search(sentence, tokens))


def _refined(kind: str, cue: str, sentence: str) -> Guess:
    """Turn a backward guess into order or coverage where such words stand beside the deed."""
    words = " ".join(cue.split()).strip("*_`\"'“(- ")[:60]
    if kind in ("action", "verification", "result") and (order := _ORDER.search(sentence)):
        return Guess("order", " ".join(order.group().split()))
    if kind in ("action", "verification", "result", "state") and (covered := _COVERED.search(sentence)):
        return Guess("coverage", covered.group())
    return Guess(kind, words)
