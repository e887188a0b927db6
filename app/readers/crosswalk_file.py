"""Crosswalk files: one YAML file for each pair of codebooks, beside the codebooks it joins.

Responsible for keys and types, for finding the two codebooks a file names, and for turning what is wrong with a file
into an error that names file, line and key. A file is loaded whole or not at all; nothing here knows any label.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.domain.canonical import canonical_json, sha256_hex
from app.domain.codebook.crosswalk_faults import find_crosswalk_faults
from app.domain.codebook.crosswalk_model import (
    AUTO,
    RECODE,
    CarriedField,
    CitedAs,
    Crosswalk,
    CrosswalkRow,
    HarmonisedClass,
)
from app.domain.codebook.model import Codebook
from app.domain.errors import BadInput, NotFound
from app.readers.codebook_file import get_codebook
from app.readers.located_yaml import Located, condition, dotted, parse_yaml, read_limited

_TOP = "crosswalk"
_REQUIRED = ("id", "title", "origin", "from", "to", "harmonised", "rows")
_OPTIONAL = ("exempt", "kinds", "carry", "cue_words")
_ROW_REQUIRED = ("id", "label", "how", "reason")
_ROW_OPTIONAL = ("when", "require", "unless", "otherwise", "to", "set", "cites")
_SUFFIXES = (".yaml", ".yml")


def load_crosswalk(path: Path, folder: Path | None = None) -> Crosswalk:
    """Return the crosswalk of a file; its two codebooks are looked for in `folder` (default: beside the file).

    Raises `NotFound` without the file, and `BadInput` naming file, line and key for anything that is not a whole
    crosswalk of two codebooks that are there: an unknown key, label, field, condition or rule, a codebook of another
    hash than the one named, an old coding that no row takes or that two rows take.
    """
    root = _tree(path)
    crosswalk = _build(root, folder or path.parent)
    for place, sentence in find_crosswalk_faults(crosswalk):
        where = (_TOP, *place)
        raise BadInput(f"{root.file} line {root.at(where).line}: {dotted(where)}: {sentence}")
    return crosswalk


def is_crosswalk(path: Path) -> bool:
    """Return whether a YAML file calls itself a crosswalk. Raises as `load_crosswalk` where it is no YAML."""
    root = _tree(path)
    return isinstance(root.value, dict) and _TOP in root.value


def get_crosswalk(folder: Path, old: str, new: str) -> Crosswalk:
    """Return the crosswalk of a folder from one version to another, each asked for as `0.4` or `saydo-0.4`.

    Raises `NotFound` where there is none, `BadInput` for two of them or one that is not whole.
    """
    found = [path for path, ends in _named(folder) if old in _spelt(ends[0]) and new in _spelt(ends[1])]
    if len(found) > 1:
        raise BadInput(f"{found[0].name} and {found[1].name} both lead from {old} to {new}; keep one in the folder")
    if not found:
        there = ", ".join(f"{a[1]} to {b[1]}" for _, (a, b) in _named(folder)) or "none"
        raise NotFound(f"there is no crosswalk from {old} to {new} in {folder.name}; there is {there}")
    return load_crosswalk(found[0], folder)


def find_crosswalks_into(folder: Path, codebook: Codebook) -> list[Crosswalk]:
    """Return the crosswalks of a folder that lead to exactly this codebook (id, version and hash), by id."""
    wanted = (codebook.id, codebook.version)
    found = [load_crosswalk(path, folder) for path, ends in _named(folder) if ends[1] == wanted]
    return sorted((one for one in found if one.new.sha256 == codebook.sha256), key=lambda one: one.id)


def find_crosswalks_of(folder: Path, codebook: Codebook) -> list[Crosswalk]:
    """Return the crosswalks of a folder that lead from or to this codebook, by id.

    One that is not whole is left out: whoever uses or checks it is told.
    """
    name = (codebook.id, codebook.version)
    found = []
    for path in (path for path, ends in _named(folder) if name in ends):
        try:
            found.append(load_crosswalk(path, folder))
        except BadInput:
            continue
    return sorted(found, key=lambda one: one.id)


def _tree(path: Path) -> Located:
    return parse_yaml(read_limited(path), path.name)


def _named(folder: Path) -> list[tuple[Path, tuple[tuple[str, str], tuple[str, str]]]]:
    """Return the crosswalk files of a folder and what they lead from and to, not asking whether the rest is sound."""
    if not folder.is_dir():
        raise NotFound(f"there is no folder {folder}")
    found = []
    for path in sorted(path for path in folder.iterdir() if path.suffix in _SUFFIXES and path.is_file()):
        try:
            root = _tree(path)
        except BadInput:
            continue  # whoever asks for the codebook in it is told
        if isinstance(root.value, dict) and _TOP in root.value:
            found.append((path, (_end(root, "from"), _end(root, "to"))))
    return found


def _end(root: Located, side: str) -> tuple[str, str]:
    said = (root.at((_TOP, side, key)) for key in ("codebook", "version"))
    first, second = (node.value if isinstance(node.value, str) else "" for node in said)
    return first, second


def _spelt(name: tuple[str, str]) -> tuple[str, str]:
    return name[1], f"{name[0]}-{name[1]}"


def _build(root: Located, folder: Path) -> Crosswalk:
    node = root.mapping((_TOP,))[_TOP]
    keys = node.mapping(_REQUIRED, _OPTIONAL)
    kinds = keys["kinds"].entries() if "kinds" in keys else None
    carried = [_carried(name, entry) for name, entry in keys["carry"].entries().items()] if "carry" in keys else []
    if kinds is not None:
        mapped = {old: entry.text() for old, entry in kinds.items()}
        carried.insert(0, CarriedField("claim_kind", "claim_kind", mapped))
    return Crosswalk(
        id=keys["id"].text(),
        title=keys["title"].text(),
        origin=keys["origin"].text(),
        sha256=sha256_hex(canonical_json(node.plain())),
        old=_codebook(keys["from"], folder),
        new=_codebook(keys["to"], folder),
        exempt=keys["exempt"].texts() if "exempt" in keys else (),
        carried=tuple(carried),
        cue_words=_cues(keys.get("cue_words")),
        harmonised=tuple(_class(entry) for entry in keys["harmonised"].items()),
        rows=tuple(_row(entry) for entry in keys["rows"].items()),
    )


def _codebook(node: Located, folder: Path) -> Codebook:
    keys = node.mapping(("codebook", "version"), ("sha256",))
    name = f"{keys['codebook'].text()}-{keys['version'].text()}"
    try:
        found = get_codebook(folder, name)
    except NotFound as error:
        raise node.fault(str(error)) from error
    if "sha256" in keys and keys["sha256"].text() != found.sha256:
        raise keys["sha256"].fault(f"{name} in {folder.name} has the hash {found.sha256}")
    return found


def _carried(name: str, node: Located) -> CarriedField:
    if name == "claim_kind":
        raise node.fault("the mapping of claim kinds stands under kinds")
    keys = node.mapping(("from",), ("values",))
    values = {old: entry.text() for old, entry in keys["values"].entries().items()} if "values" in keys else None
    return CarriedField(name, keys["from"].text(), values)


def _cues(node: Located | None) -> dict[str, tuple[str, ...]]:
    cues = {}
    for name, entry in (node.entries() if node else {}).items():
        cues[name] = entry.texts()
        if any(word != word.lower() for word in cues[name]):
            raise entry.fault("takes words in small letters")
    return cues


def _class(node: Located) -> HarmonisedClass:
    keys = node.mapping(("class", "old", "new"))
    return HarmonisedClass(keys["class"].text(), keys["old"].texts(), keys["new"].texts())


def _row(node: Located) -> CrosswalkRow:
    keys = node.mapping(_ROW_REQUIRED, _ROW_OPTIONAL)
    if keys["how"].text() not in (AUTO, RECODE):
        raise keys["how"].fault(f"takes {AUTO} or {RECODE}")
    sets = keys["set"].entries() if "set" in keys else {}
    return CrosswalkRow(
        id=keys["id"].text(),
        label=keys["label"].text(),
        how=keys["how"].text(),
        reason=keys["reason"].text(),
        when=condition(keys["when"]) if "when" in keys else {},
        require=_conditions(keys.get("require")),
        unless=_conditions(keys.get("unless")),
        otherwise="otherwise" in keys and keys["otherwise"].truth(),
        to=keys["to"].text() if "to" in keys else None,
        sets={name: entry.text() for name, entry in sets.items()},
        cites=tuple(_cited(entry) for entry in keys["cites"].items()) if "cites" in keys else (),
    )


def _conditions(node: Located | None) -> tuple[Mapping[str, Any], ...]:
    found = []
    for entry in node.items() if node else ():
        entry.entries()
        found.append(entry.plain())
    return tuple(found)


def _cited(node: Located) -> CitedAs:
    keys = node.mapping(("where", "role"))
    return CitedAs(keys["where"].text(), keys["role"].text())
