"""Codebook files: one YAML file a version, in one folder, in which a team's own files stand beside the shipped ones.

Responsible for finding files and for turning what is wrong with one into an error that names file, line and key. A file
is loaded whole or not at all; nothing here knows any label.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from app.domain.codebook.integrity import Fault, find_faults
from app.domain.codebook.model import Codebook
from app.domain.errors import BadInput, NotFound
from app.readers.codebook_parts import build_codebook
from app.readers.located_yaml import Located, dotted, parse_yaml, read_limited

_SUFFIXES = (".yaml", ".yml")
_TOP = "codebook"


@dataclass(frozen=True)
class CodebookFault:
    """One fault of a file: where it stands, what it is, and whether it stops the file from being loaded."""

    file: str
    line: int
    key: str
    sentence: str
    stops: bool

    def __str__(self) -> str:
        return f"{self.file} line {self.line}: {self.key}: {self.sentence}"


def load_codebook(path: Path) -> Codebook:
    """Return the codebook of a file.

    Raises `NotFound` without the file, and `BadInput` naming file, line and key for anything that is not a sound
    codebook: there is no partial one. Two files of one content share their `sha256`.
    """
    return _sound(read_limited(path), path.name)


@lru_cache(maxsize=32)
def parse_codebook(text: str, name: str) -> Codebook:
    """Return the codebook that `text` holds, as kept with a study; `name` is what errors call it."""
    return _sound(text.encode("utf-8"), name)


def _sound(data: bytes, name: str) -> Codebook:
    codebook, faults = _read(_tree(data, name))
    for fault in faults:
        if fault.stops:
            raise BadInput(str(fault))
    return replace(codebook, source=data.decode("utf-8"))


def check_codebook(path: Path) -> tuple[Codebook, tuple[CodebookFault, ...]]:
    """Return what a file says and every fault of it, those that stop a load and those an author wants to know.

    Raises as `load_codebook` does where the file is not YAML, or a key is unknown, missing or of a wrong type.
    """
    return _read(_tree(read_limited(path), path.name))


@lru_cache(maxsize=32)
def _tree(data: bytes, name: str) -> Located:
    return parse_yaml(data, name)


def _read(root: Located) -> tuple[Codebook, tuple[CodebookFault, ...]]:
    codebook = build_codebook(root)
    return codebook, tuple(_located(root, fault) for fault in find_faults(codebook))


def _located(root: Located, fault: Fault) -> CodebookFault:
    path = (_TOP, *fault.path)
    return CodebookFault(root.file, root.at(path).line, dotted(path), fault.sentence, fault.stops)


def find_codebooks(folder: Path) -> list[Codebook]:
    """Return the codebooks of a folder by id and version. YAML files without the key `codebook` are other things.

    Raises `NotFound` without the folder and `BadInput` for a file that is no YAML or no sound codebook.
    """
    paths = [path for path in _yaml_files(folder) if _is_codebook(_tree(read_limited(path), path.name))]
    return sorted((load_codebook(path) for path in paths), key=lambda codebook: (codebook.id, codebook.version))


def list_names(folder: Path) -> list[tuple[str, str]]:
    """Return (id, version) of every codebook of a folder, sorted, sound or not; files that are no YAML are left out."""
    trees, _ = _readable(folder)
    return sorted(name for _, root in trees if (name := _name(root)) is not None)


def get_codebook(folder: Path, version: str) -> Codebook:
    """Return the codebook of a version, asked for as `0.5` or, where two ids share a version, as `saydo-0.5`.

    Another file of the folder may be broken; that is told only when the version is not found. Raises `NotFound` for a
    version that is not there, `BadInput` for one that two files declare or whose file is not sound.
    """
    trees, broken = _readable(folder)
    named = [(path, *name) for path, root in trees if (name := _name(root))]
    found = [path for path, id_, own in named if version in (own, f"{id_}-{own}")]
    if len(found) > 1:
        files = " and ".join(path.name for path in found)
        raise BadInput(f"{files} both declare version {version}; ask for one by id, as in saydo-{version}")
    if found:
        return load_codebook(found[0])
    if broken:
        raise broken[0]
    for path in (path for path, root in trees if _is_codebook(root) and _name(root) is None):
        load_codebook(path)  # says what is wrong with its id or version
    there = ", ".join(sorted({f"{id_}-{own}" for _, id_, own in named})) or "none"
    raise NotFound(f"there is no codebook version {version} in {folder.name}; there is {there}")


def _readable(folder: Path) -> tuple[list[tuple[Path, Located]], list[BadInput]]:
    trees, broken = [], []
    for path in _yaml_files(folder):
        try:
            trees.append((path, _tree(read_limited(path), path.name)))
        except BadInput as error:
            broken.append(error)
    return trees, broken


def _yaml_files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise NotFound(f"there is no folder {folder}")
    return sorted(path for path in folder.iterdir() if path.suffix in _SUFFIXES and path.is_file())


def _is_codebook(root: Located) -> bool:
    return isinstance(root.value, dict) and _TOP in root.value


def _name(root: Located) -> tuple[str, str] | None:
    """Return what a file calls itself, without asking whether the rest of it is sound."""
    if not _is_codebook(root):
        return None
    said = [root.at((_TOP, key)) for key in ("id", "version")]
    sound = all(isinstance(node.value, str) and len(node.path) == 2 for node in said)
    return (said[0].value, said[1].value) if sound else None
