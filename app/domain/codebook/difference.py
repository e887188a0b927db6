"""What differs between two codebooks, entry by entry and word by word. Any two can be compared; none is judged.

Entries are the same where group, field and code are the same: a renamed label is one removed and one added, and what
becomes of codings under it is a crosswalk's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from app.domain.codebook.document import GROUPS, Entry, Line, entries_of
from app.domain.codebook.model import Codebook

ADDED, REMOVED, CHANGED, SAME = "added", "removed", "changed", "unchanged"
HOW = (ADDED, REMOVED, CHANGED, SAME)
_TOKENS = re.compile(r"\w+|\s+|[^\w\s]")
_ALIKE = 0.5
"""Two lines this alike (difflib's ratio of their words) are one line that changed, others one gone and one new."""


@dataclass(frozen=True)
class Stretch:
    """Some words of one side: the same on both, or marked as only here."""

    text: str
    marked: bool = False


@dataclass(frozen=True)
class LineChange:
    """One line on both sides; empty where a side has none. `how` is one of added, removed, changed, unchanged."""

    kind: str
    how: str
    before: tuple[Stretch, ...]
    after: tuple[Stretch, ...]


@dataclass(frozen=True)
class EntryChange:
    """One entry on both sides. `lines` is every line of a changed one, and of one that stands on one side only."""

    how: str
    before: Entry | None
    after: Entry | None
    lines: tuple[LineChange, ...]

    @property
    def entry(self) -> Entry:
        """The entry as it stands now, else as it stood."""
        found = self.after or self.before
        assert found is not None, "an entry stands on one side at least"
        return found


@dataclass(frozen=True)
class Difference:
    """All entries of both codebooks, by group in reading order."""

    before: Codebook
    after: Codebook
    groups: Mapping[str, tuple[EntryChange, ...]]

    def counts(self) -> dict[str, dict[str, int]]:
        """Return group → added, removed, changed, unchanged → how many; groups that neither side has are left out."""
        return {
            group: {how: sum(change.how == how for change in changes) for how in HOW}
            for group, changes in self.groups.items()
        }


def difference_of(before: Codebook, after: Codebook) -> Difference:
    """Return what differs. A codebook and itself give unchanged entries alone; swapped, added and removed swap too.

    The rules of the work are left out: they stand in no file and hold under every codebook alike.
    """
    old, new = ({e.key: e for e in entries_of(book) if e.group != "server rule"} for book in (before, after))
    keys = [*new, *(key for key in old if key not in new)]
    changes = [_entry_change(old.get(key), new.get(key)) for key in keys]
    groups = {group: tuple(c for c in changes if c.entry.group == group) for group in GROUPS}
    return Difference(before, after, {group: found for group, found in groups.items() if found})


def _entry_change(before: Entry | None, after: Entry | None) -> EntryChange:
    lines = tuple(_line_changes(_all_lines(before), _all_lines(after)))
    if before is None or after is None:
        return EntryChange(REMOVED if after is None else ADDED, before, after, lines)
    how = SAME if all(line.how == SAME for line in lines) else CHANGED
    return EntryChange(how, before, after, lines if how == CHANGED else ())


def _all_lines(entry: Entry | None) -> tuple[Line, ...]:
    if entry is None:
        return ()
    about = [("title", entry.title), ("level", entry.level), ("points at", entry.pointing.replace("_", " "))]
    return (*(Line(kind, text) for kind, text in about if text), *entry.lines)


def _line_changes(before: Sequence[Line], after: Sequence[Line]) -> Iterator[LineChange]:
    kinds = dict.fromkeys(line.kind for line in (*after, *before))
    for kind in kinds:
        old, new = ([line for line in side if line.kind == kind] for side in (before, after))
        yield from (_line_change(kind, a, b) for a, b in _paired(old, new))


def _whole(line: Line) -> str:
    """A line as it is compared and shown: a role or a tier with its code."""
    code = line.parts.get("code")
    return f"{code}: {line.text}" if code else line.text


def _paired(old: Sequence[Line], new: Sequence[Line]) -> Iterator[tuple[Line | None, Line | None]]:
    """Pair what is alike, in the order of `new`; what has no partner stands alone."""
    partner = _partners(old, new)
    for place, line in enumerate(new):
        yield (old[partner[place]] if place in partner else None), line
    taken = set(partner.values())
    yield from ((line, None) for place, line in enumerate(old) if place not in taken)


def _partners(old: Sequence[Line], new: Sequence[Line]) -> dict[int, int]:
    """Return place in `new` → place in `old`, the most alike first; a line has one partner at most."""
    single = len(old) == len(new) == 1
    alike = sorted(
        (-likeness, j, i)
        for i, a in enumerate(old)
        for j, b in enumerate(new)
        if (likeness := _alike(a, b)) >= _ALIKE or single
    )
    partner: dict[int, int] = {}
    for _, j, i in alike:
        if j not in partner and i not in partner.values():
            partner[j] = i
    return partner


def _alike(a: Line, b: Line) -> float:
    """Lines of one code or one case are the same line, whatever they say."""
    named = [(line.parts.get("code"), line.parts.get("case")) for line in (a, b)]
    return 1.0 if named[0] == named[1] != (None, None) else _likeness(_whole(a), _whole(b))


def _likeness(a: str, b: str) -> float:
    return 1.0 if a == b else SequenceMatcher(None, a.split(), b.split(), autojunk=False).ratio()


def _line_change(kind: str, before: Line | None, after: Line | None) -> LineChange:
    if before is None or after is None:
        line = before or after
        assert line is not None, "a pair holds one line at least"
        alone = (Stretch(_whole(line), marked=True),)
        return LineChange(kind, ADDED, (), alone) if before is None else LineChange(kind, REMOVED, alone, ())
    old, new = _whole(before), _whole(after)
    if old == new:
        return LineChange(kind, SAME, (Stretch(old),), (Stretch(new),))
    return LineChange(kind, CHANGED, *_marked(old, new))


def _marked(old: str, new: str) -> tuple[tuple[Stretch, ...], tuple[Stretch, ...]]:
    """Return both texts cut where they differ; each side joined is the text again. Unlike texts are marked whole."""
    if _likeness(old, new) < _ALIKE:
        return (Stretch(old, True),), (Stretch(new, True),)
    a, b = _TOKENS.findall(old), _TOKENS.findall(new)
    left: list[Stretch] = []
    right: list[Stretch] = []
    for tag, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        left.append(Stretch("".join(a[i:j]), tag != "equal"))
        right.append(Stretch("".join(b[k:m]), tag != "equal"))
    return _joined(left), _joined(right)


def _joined(stretches: Sequence[Stretch]) -> tuple[Stretch, ...]:
    """Return the stretches with like neighbours made one; a space between two marked stretches is marked with them."""
    full = [stretch for stretch in stretches if stretch.text]
    joined: list[Stretch] = []
    for place, stretch in enumerate(full):
        between = stretch.text.isspace() and 0 < place < len(full) - 1
        marked = stretch.marked or (between and full[place - 1].marked and full[place + 1].marked)
        if joined and joined[-1].marked == marked:
            joined[-1] = Stretch(joined[-1].text + stretch.text, marked)
        else:
            joined.append(Stretch(stretch.text, marked))
    return tuple(joined)
