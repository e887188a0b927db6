"""Practice sets: one YAML file a set, in the folder `practice` beside the codebooks; loaded whole or not at all.

Responsible for finding a codebook's sets and for turning what is wrong with one into an error that names file, line and
item. Every claim must be found in its run and every coding held to be right must be allowed by the codebook's own hard
rules, judged as a rater's answer is. Who may see a set is no question of this module: what it says of an item is for
authors, never for raters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from app.domain.canonical import sha256_hex
from app.domain.codebook.model import Codebook
from app.domain.codebook.rules import judge
from app.domain.coding import label_of, normalise
from app.domain.errors import BadInput
from app.domain.packets.facts import run_of, unit_of
from app.domain.packets.little_run import served_claim, served_turns
from app.domain.practice import LEAST_PER_LABEL, PURPOSES, QUALIFICATION, TRAINING, PracticeItem, PracticeSet
from app.domain.qualification import ROUNDS
from app.readers.case_file import Case, build_case
from app.readers.codebook_file import parse_codebook
from app.readers.located_yaml import Located, parse_yaml, read_limited

FOLDER = "practice"
_SUFFIXES = (".yaml", ".yml")
_TOP = "practice"
_SET_KEYS = ("id", "codebook_id", "codebook", "purpose", "round", "title", "origin", "items")
_ITEM_KEYS = ("id", "run", "claim", "gold", "feedback")
_ITEM_MAY = ("teaches", "pattern")
_RESOLVED = "claim.resolved_text"


def find_practice(folder: Path, codebook: Codebook) -> tuple[PracticeSet, ...]:
    """Return the sets of a codebook version: training, then the qualification rounds; none for a codebook without any.

    `folder` is the folder of codebooks; its sets lie in `practice` inside. Raises `BadInput` for a file there that is
    no set, a set of this codebook that does not hold, two of one kind, or a qualification that is half set up: it takes
    training before it and a fresh set for the retry. Training alone is allowed; nobody can qualify by it.
    """
    inside = folder / FOLDER
    paths = sorted(inside.iterdir()) if inside.is_dir() else []
    own = []
    for path in (path for path in paths if path.suffix in _SUFFIXES and path.is_file()):
        data = read_limited(path)
        if _is_of(_tree(data, path.name), codebook):
            own.append(load_practice_text(data.decode("utf-8-sig"), path.name, codebook))
    _require_complete(own, codebook)
    return tuple(sorted(own, key=lambda practice: (PURPOSES.index(practice.purpose), practice.round)))


@lru_cache(maxsize=64)
def _tree(data: bytes, name: str) -> Located:
    return parse_yaml(data, name)


def _is_of(root: Located, codebook: Codebook) -> bool:
    entries = root.mapping((_TOP,))[_TOP].entries()
    said = [entries[key].value if key in entries else None for key in ("codebook_id", "codebook")]
    if None in said:
        raise root.fault("lacks codebook_id or codebook: a set belongs to one version of one codebook")
    return said == [codebook.id, codebook.version]


def _require_complete(own: Sequence[PracticeSet], codebook: Codebook) -> None:
    wanted = [(TRAINING, 1), *((QUALIFICATION, round_) for round_ in range(1, ROUNDS + 1))]
    there = Counter((practice.purpose, practice.round) for practice in own)
    name = f"{codebook.id} {codebook.version}"
    for purpose, round_ in there:
        if there[purpose, round_] > 1:
            ids = " and ".join(one.id for one in own if (one.purpose, one.round) == (purpose, round_))
            raise BadInput(f"{ids} are both {purpose} round {round_} of {name}; keep one")
    missing = [f"{purpose} round {round_}" for purpose, round_ in wanted if not there[purpose, round_]]
    if missing and any(practice.purpose == QUALIFICATION for practice in own):
        raise BadInput(f"the practice sets of {name} lack {', '.join(missing)}; a qualification takes all three")


def load_practice_text(text: str, name: str, codebook: Codebook) -> PracticeSet:
    """Return the set that `text` holds; `name` is what errors call the file. Raises `BadInput` as `find_practice`."""
    return _loaded(text, name, codebook.source)


@lru_cache(maxsize=32)
def _loaded(text: str, name: str, codebook_text: str) -> PracticeSet:
    # By the codebook's text and not its value, so that one set is read once a process and not once a page.
    codebook = parse_codebook(codebook_text, "its codebook")
    practice = _build(_tree(text.encode("utf-8"), name), text, codebook)
    if practice.purpose == QUALIFICATION:
        _require_spread(practice, name, codebook)
    return practice


def _build(root: Located, text: str, codebook: Codebook) -> PracticeSet:
    entries = root.mapping((_TOP,))[_TOP].mapping(_SET_KEYS)
    for key, wanted in (("codebook_id", codebook.id), ("codebook", codebook.version)):
        if entries[key].text() != wanted:
            raise entries[key].fault(f"is not {wanted}, the codebook it is read with")
    purpose, round_ = _purpose(entries["purpose"], entries["round"])
    items = tuple(_items(entries["items"], purpose, codebook))
    if not items:
        raise entries["items"].fault("holds no item")
    return PracticeSet(
        id=entries["id"].text(),
        codebook_id=codebook.id,
        codebook_version=codebook.version,
        purpose=purpose,
        round=round_,
        title=entries["title"].text(),
        origin=entries["origin"].text(),
        items=items,
        text=text,
        sha256=sha256_hex(text),
    )


def _purpose(purpose: Located, round_: Located) -> tuple[str, int]:
    if purpose.text() not in PURPOSES:
        raise purpose.fault(f"takes one of {', '.join(PURPOSES)}")
    last = ROUNDS if purpose.value == QUALIFICATION else 1
    if not 1 <= round_.whole() <= last:
        raise round_.fault(f"takes 1 to {last} for {purpose.value}")
    return purpose.text(), round_.whole()


def _items(node: Located, purpose: str, codebook: Codebook) -> Iterator[PracticeItem]:
    seen: set[str] = set()
    for item in node.items():
        may = _ITEM_MAY if purpose == TRAINING else _ITEM_MAY[1:]
        entries = item.mapping(_ITEM_KEYS, may)
        item_id = entries["id"].text()
        if item_id in seen:
            raise entries["id"].fault(f"item {item_id} stands here twice")
        seen.add(item_id)
        yield _item(item, item_id, codebook)


def _item(node: Located, item_id: str, codebook: Codebook) -> PracticeItem:
    entries = node.entries()
    case = _case(node, item_id, codebook)
    run = case.run
    resolved = entries["claim"].entries().get("resolved_text")
    try:
        turns = served_turns(run)
        claim = served_claim(
            case.claim, turns, shown_id=item_id, resolved_text=resolved.text() if resolved is not None else None
        )
    except ValueError as error:
        raise _fault(entries["claim"], item_id, str(error)) from None
    shown = run_of(turns, run.coverage, run.gaps)
    gold = normalise(case.coding)
    broken = judge(codebook, shown, unit_of(claim), gold).hard
    if broken:
        said = "; ".join(f"{violation.rule} {violation.field}: {violation.message}" for violation in broken)
        raise _fault(entries["gold"], item_id, f"its gold breaks the codebook's own rules: {said}")
    _require_label(entries["gold"], item_id, gold)
    said_of = {key: entries[key].text() for key in ("feedback", *_ITEM_MAY) if key in entries}
    return PracticeItem(item_id, shown, turns, claim, gold, **said_of)


def _require_label(node: Located, item_id: str, gold: Mapping[str, Any]) -> None:
    try:
        label_of(gold)
    except BadInput as error:
        raise _fault(node, item_id, str(error)) from None


def _case(node: Located, item_id: str, codebook: Codebook) -> Case:
    entries = node.entries()
    parts = {"run": entries["run"].plain(), "claim": entries["claim"].plain(), "coding": entries["gold"].plain()}
    case = build_case({"codebook": codebook.version, **parts}, f"{node.file} line {node.line}: item {item_id}")
    unknown = [key for key in case.ignored_keys if key != _RESOLVED]
    if unknown:
        raise _fault(node, item_id, f"{', '.join(unknown)} is read by nobody; remove or correct it")
    return case


def _fault(node: Located, item_id: str, sentence: str) -> BadInput:
    return BadInput(f"{node.file} line {node.line}: item {item_id}: {sentence}")


def _require_spread(practice: PracticeSet, name: str, codebook: Codebook) -> None:
    """Refuse a qualification that hardly asks for a label: its F1 would hang on one or two items."""
    counts = Counter(item.label for item in practice.items)
    short = [label for label in codebook.labels if counts[label] < LEAST_PER_LABEL]
    if short:
        told = ", ".join(f"{label} {counts[label]}" for label in short)
        raise BadInput(
            f"{name}: a qualification set has at least {LEAST_PER_LABEL} items for every label; too few for {told}"
        )
