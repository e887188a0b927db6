"""From a study's identities to the terms that blinding looks for, each with one placeholder for the whole study.

It reads no log: whoever calls it hands in the distinct values of the identity columns. It does not search texts.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from app.domain.blinding import names
from app.domain.blinding.fold import fold_plain
from app.domain.blinding.patterns import PATTERNS
from app.domain.blinding.spelling import agent_groups, file_groups, model_groups, plain_groups, separated
from app.domain.blinding.term import LABELS, Term, Unsearched

KINDS_OF_COLUMNS = {
    "model": "model",
    "model_display_name": "model",
    "model_namespace": "vendor",
    "model_host": "host",
    "arm": "arm",
    "agent": "agent",
    "task_id": "task",
    "run_id": "run",
    "session_id": "run",
    "src_file": "file",
    "author": "person",
}
"""Identity column → kind; earlier ones win where one value stands in several. An unknown column is of kind `term`."""

_SHORT_CODE = 5
_SHORTEST = 3
_SHORTEST_WORD = 4
_LOOSE = frozenset("-_./\\")
_TRIES = 20
_LOOKS_NUMBERED = re.compile(r"[a-z]*-\d+")


@dataclass(frozen=True)
class _Value:
    """One value to search: everything that is spelled `texts` gets the number of `name`."""

    kind: str
    name: str
    texts: tuple[str, ...]
    origin: str = "study"


def study_terms(
    identities: Mapping[str, Sequence[str]], extra: Sequence[str] = (), *, key: bytes = b""
) -> tuple[Term, ...]:
    """Return every term of a study: its own values, `extra` (the study file's `blinding.terms`) and the dictionary.

    `identities` maps a column (`KINDS_OF_COLUMNS`, or any other name) to its distinct values; nulls and empty values
    are skipped. A value in several spellings (a model id with and without date, with dashes, dots or blanks) keeps one
    placeholder. Placeholders are numbered in an order keyed by `key` (the study key), so that a number says nothing;
    the same values and key give the same terms in any order of input. Values that are not searched are listed by
    `unsearched_values`.
    """
    values = [*_study_values(identities, extra), *_dictionary()]
    salt = hmac.new(key, b"placeholders", hashlib.sha256).hexdigest()
    numbers = _numbered(values, salt)
    spelled: dict[str, Term] = {}
    for value in values:
        placeholder = numbers[value.kind, value.name]
        for text in value.texts:
            spelled.setdefault(text, Term(text, value.kind, placeholder, _mode(text), value.origin))
    return (*sorted(spelled.values(), key=lambda term: (term.text, term.kind)), *_pattern_terms(salt))


def unsearched_values(identities: Mapping[str, Sequence[str]], extra: Sequence[str] = ()) -> tuple[Unsearched, ...]:
    """Return the study's values that no text is searched for, each with the reason: the custodian must judge them."""
    found = []
    for column, value in _given(identities, extra):
        reason = _why_not(fold_plain(value).strip(), column == "blinding.terms")
        if reason:
            found.append(Unsearched(column, value, reason))
    return tuple(sorted(set(found), key=lambda one: (one.column, one.value)))


def _given(identities: Mapping[str, Sequence[str]], extra: Sequence[str]) -> Iterator[tuple[str, str]]:
    known = [column for column in KINDS_OF_COLUMNS if column in identities]
    for column in (*known, *sorted(set(identities) - set(known))):
        for value in sorted({v for v in identities[column] if v and v.strip()}):
            yield column, value
    for value in sorted({v for v in extra if v.strip()}):
        yield "blinding.terms", value


def _study_values(identities: Mapping[str, Sequence[str]], extra: Sequence[str]) -> Iterator[_Value]:
    """Yield the searched values of the study, its own first.

    A spelling that only one value has (a model's name without the date) goes by that value's name; one that several
    share is a thing of its own, since it tells none of them from the others.
    """
    groups = [
        (value, kind, name, tuple(text for text in texts if not _why_not(text, column == "blinding.terms")))
        for column, given in _given(identities, extra)
        for value in [fold_plain(given).strip()]
        for kind, name, texts in _groups(KINDS_OF_COLUMNS.get(column, "term"), value)
    ]
    owners: dict[tuple[str, str], set[str]] = {}
    for value, kind, name, _ in groups:
        owners.setdefault((kind, name), set()).add(_own_name(value, kind))
    for value, kind, name, texts in groups:
        alone = len(owners[kind, name]) == 1 and not name.startswith("tier ")
        if texts:
            yield _Value(kind, _own_name(value, kind) if alone else name, texts)


def _own_name(value: str, kind: str) -> str:
    """Return what a value's number goes by: a model's namespace does not make it another model."""
    return value.rpartition("/")[2] if kind == "model" else value


def _groups(kind: str, value: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    if kind == "model":
        return model_groups(value)
    if kind == "agent":
        return agent_groups(value)
    return file_groups(value) if kind == "file" else plain_groups(kind, value)


def _why_not(text: str, listed: bool) -> str | None:
    """Return why a folded text is not searched, or None when it is."""
    letters = sum(char.isalpha() for char in text)
    if letters == 0:
        return "only digits and signs: replacing it would destroy numbers that are evidence"
    if len(text) < _SHORTEST:
        return "shorter than three characters: it stands inside countless other words"
    if letters == len(text) and len(text) < _SHORTEST_WORD:
        return "a word of fewer than four letters: it stands for many other things"
    if not listed and PurePosixPath(text).stem in names.ORDINARY and not any(c in "/\\" for c in text):
        return "a word every log uses; list it under blinding.terms if it must be hidden all the same"
    return None


def _mode(text: str) -> str:
    """Return how a folded text is looked for (`Term.mode`)."""
    coded = any(char.isdigit() or char in _LOOSE for char in text)
    if not coded:
        return "word"
    return "code" if len(text) < _SHORT_CODE else "anywhere"


def _numbered(values: Sequence[_Value], salt: str) -> dict[tuple[str, str], str]:
    """Return a placeholder for each (kind, name), numbered from 1 per kind in keyed order.

    None may be taken for a searched value: where a study calls its runs run-1, run-2, …, numbers that spell one are
    left out, and where they all do, eight hex digits stand instead.
    """
    spelled = {text for value in values for text in value.texts if _LOOKS_NUMBERED.fullmatch(text)}
    ranked = sorted((_digest(salt, value.kind, value.name), value.kind, value.name) for value in values)
    counts: dict[str, int] = {}
    placeholders: dict[tuple[str, str], str] = {}
    for digest, kind, name in ranked:
        if (kind, name) not in placeholders:
            first = counts.get(kind, 0) + 1
            free = (n for n in range(first, first + _TRIES) if not _spells(LABELS[kind], str(n), spelled))
            number = next(free, None)
            counts[kind] = number or counts.get(kind, 0)
            placeholders[kind, name] = f"⟨{LABELS[kind]}-{number or 'a' + digest[:7]}⟩"
    return placeholders


def _spells(label: str, number: str, values: set[str]) -> bool:
    """Whether a part of the placeholder around its dash is one of the values."""
    fronts = [label.lower()[at:] for at in range(len(label) + 1)]
    return any(f"{front}-{number[:length]}" in values for front in fronts for length in range(1, len(number) + 1))


def _digest(salt: str, *parts: str) -> str:
    return hmac.new(salt.encode(), "\x1f".join(parts).encode(), hashlib.sha256).hexdigest()


def _dictionary() -> Iterator[_Value]:
    for kind, entries in (("family", names.FAMILIES), ("vendor", names.VENDORS), ("product", names.PRODUCTS)):
        for name in entries:
            yield _Value(kind, name, separated(name), "dictionary")
    for name in names.HOSTS:
        yield _Value("host", name, (name,), "dictionary")


def _pattern_terms(salt: str) -> Iterator[Term]:
    for one in PATTERNS:
        yield Term(one.expression, one.kind, LABELS[one.kind], "pattern", "dictionary", one.gates, salt)
