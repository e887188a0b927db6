"""YAML that people write by hand, read into a tree that knows the line of every key.

Safe and small on purpose: no anchors, aliases, tags, tabs, duplicate keys, second documents or deep nesting, and only
true, false, null, whole and decimal numbers are more than text (`no` and `on` are words). What the keys mean is the
caller's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from app.domain.errors import BadInput, NotFound

MAX_BYTES = 2_000_000
_MAX_DEPTH = 24
_WHOLE = re.compile(r"[-+]?[0-9]{1,15}\Z")
_DECIMAL = re.compile(r"[-+]?[0-9]{1,15}\.[0-9]{1,15}\Z")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Path_ = tuple[str | int, ...]


def dotted(path: Path_) -> str:
    """Return a path into the tree as a person writes it.

    >>> dotted(("rules", 3, "when"))
    'rules[3].when'
    """
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".") or "the file"


@dataclass(frozen=True, slots=True)
class Located:
    """One value and where it stands: `value` is a scalar, a list of these, or a mapping of names to these."""

    value: Any
    file: str
    line: int
    path: Path_ = ()

    def fault(self, sentence: str) -> BadInput:
        """Return the error that names this place; the caller raises it."""
        return BadInput(f"{self.file} line {self.line}: {dotted(self.path)}: {sentence}")

    def mapping(self, required: Iterable[str] = (), optional: Iterable[str] = ()) -> dict[str, Located]:
        """Return the keys and values of a mapping that has all required keys and none beside the optional ones."""
        entries = self.entries()
        known = (*required, *optional)
        for name, entry in entries.items():
            if name not in known:
                raise entry.fault(f"is no key that is known here; known are {', '.join(known)}")
        missing = [name for name in required if name not in entries]
        if missing:
            raise self.fault(f"lacks the key{'s' * (len(missing) > 1)} {', '.join(missing)}")
        return entries

    def entries(self) -> dict[str, Located]:
        """Return the keys and values of a mapping, whatever the keys."""
        if not isinstance(self.value, dict):
            raise self.fault("takes a mapping")
        return self.value

    def items(self) -> list[Located]:
        """Return the members of a list."""
        if not isinstance(self.value, list):
            raise self.fault("takes a list")
        return self.value

    def text(self) -> str:
        """Return a text that is not empty."""
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.fault("takes a text; put numbers and true, false, null in quotes")
        return self.value

    def texts(self) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(item.text() for item in self.items())

    def truth(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            raise self.fault("takes true or false")
        return self.value

    def whole(self) -> int:
        """Return a whole number from 0 on."""
        if type(self.value) is not int or self.value < 0:
            raise self.fault("takes a whole number")
        return self.value

    def number_or_null(self) -> float | None:
        """Return a number, or None for null."""
        if self.value is None:
            return None
        if not isinstance(self.value, int | float) or isinstance(self.value, bool):
            raise self.fault("takes a number or null")
        return float(self.value)

    def plain(self) -> Any:
        """Return the value without places: scalars, lists and dicts."""
        if isinstance(self.value, dict):
            return {name: entry.plain() for name, entry in self.value.items()}
        return [item.plain() for item in self.value] if isinstance(self.value, list) else self.value

    def at(self, path: Path_) -> Located:
        """Return the deepest value on a path that is there."""
        found = self
        for part in path:
            children: Any = found.value
            inside = part in children if isinstance(children, dict) else _has_item(children, part)
            if not inside:
                break
            found = children[part]
        return found


def _has_item(children: Any, part: str | int) -> bool:
    return isinstance(children, list) and isinstance(part, int) and part < len(children)


def read_limited(path: Path, limit: int = MAX_BYTES) -> bytes:
    """Return a file's bytes. Raises `NotFound` without the file, `BadInput` for one that is too large or unreadable.

    A pipe or a device is never opened: it might not end, or never begin.
    """
    try:
        if path.exists() and not path.is_file():
            raise BadInput(f"{path.name} cannot be read: it is no file; give the path of a file")
        size = path.stat().st_size
        if size > limit:
            raise BadInput(f"{path.name} is {size} bytes long; a file of this kind has at most {limit}")
        with path.open("rb") as file:
            data = file.read(limit + 1)  # some files tell no size, and some grow
        if len(data) > limit:
            raise BadInput(f"{path.name} is longer than {limit} bytes, the most a file of this kind has")
        return data
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}") from None
    except OSError as error:
        raise BadInput(f"{path.name} cannot be read: {error.strerror}") from None


def parse_yaml(data: bytes, name: str) -> Located:
    """Return the tree of YAML bytes; `name` is what errors call the file. Raises `BadInput` naming the line."""
    text = _decoded(data, name)
    builder = _Builder(name)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise BadInput(f"{name} line {line}: is not YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise BadInput(f"{name}: is not YAML: {' '.join(str(error).split())}") from None
    if builder.root is None:
        raise BadInput(f"{name} line 1: holds nothing")
    return builder.root


def _decoded(data: bytes, name: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BadInput(f"{name} line {line}: is not UTF-8 text") from None
    if "\t" in text:
        line = text[: text.index("\t")].count("\n") + 1
        raise BadInput(f"{name} line {line}: holds a tab; indent with spaces")
    control = _CONTROL.search(text)
    if control:
        line = text[: control.start()].count("\n") + 1
        raise BadInput(f"{name} line {line}: holds the control character U+{ord(control[0]):04X}; take it out")
    return text


@dataclass
class _Open:
    """A list or mapping whose end has not come yet."""

    node: Located
    key: str | None = None


@dataclass
class _Builder:
    """Builds the tree from parser events, without recursion, so that no nesting can exhaust the stack."""

    file: str
    root: Located | None = None
    stack: list[_Open] = field(default_factory=list)
    key_line: int = 0

    def take(self, event: Any) -> None:
        """Take the next event of the parser."""
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise BadInput(f"{self.file} line {line}: anchors and aliases (& and *) are not taken; write it out")
        if isinstance(event, yaml.ScalarEvent):
            self._refuse_tag(event, line)
            self._scalar(event, line)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._refuse_tag(event, line)
            self._open({} if isinstance(event, yaml.MappingStartEvent) else [], line)
        elif isinstance(event, yaml.CollectionEndEvent):
            self.stack.pop()
        elif isinstance(event, yaml.DocumentStartEvent) and self.root is not None:
            raise BadInput(f"{self.file} line {line}: begins a second document; one file holds one")

    def _refuse_tag(self, event: Any, line: int) -> None:
        if event.tag is not None and event.tag != "!":
            raise BadInput(f"{self.file} line {line}: tags ({event.tag}) are not taken")

    def _scalar(self, event: Any, line: int) -> None:
        if _SURROGATE.search(event.value):
            raise BadInput(f"{self.file} line {line}: holds half of a surrogate pair, which is no character")
        top = self.stack[-1] if self.stack else None
        if top is not None and isinstance(top.node.value, dict) and top.key is None:
            if event.value in top.node.value:
                path = (*top.node.path, event.value)
                raise BadInput(f"{self.file} line {line}: {dotted(path)}: stands here twice")
            top.key, self.key_line = event.value, line
            return
        self._place(_resolved(event), line)

    def _open(self, value: Any, line: int) -> None:
        top = self.stack[-1] if self.stack else None
        if top is not None and isinstance(top.node.value, dict) and top.key is None:
            raise BadInput(f"{self.file} line {line}: a key is a plain word")
        if len(self.stack) >= _MAX_DEPTH:
            raise BadInput(f"{self.file} line {line}: nests deeper than {_MAX_DEPTH} levels")
        self.stack.append(_Open(self._place(value, line)))

    def _place(self, value: Any, line: int) -> Located:
        top = self.stack[-1] if self.stack else None
        if top is None:
            self.root = Located(value, self.file, line)
            return self.root
        part: str | int = len(top.node.value) if top.key is None else top.key
        node = Located(value, self.file, line if top.key is None else self.key_line, (*top.node.path, part))
        if top.key is None:
            top.node.value.append(node)
        else:
            top.node.value[top.key] = node
            top.key = None
        return node


def _resolved(event: Any) -> Any:
    """Give a plain scalar its type; a quoted or block scalar is text."""
    value: str = event.value
    if event.style is not None and event.style != "":
        return value
    if value.lower() in _WORDS and value in (value.lower(), value.capitalize()):
        return _WORDS[value.lower()]
    if _WHOLE.match(value):
        return int(value)
    return float(value) if _DECIMAL.match(value) else value


def condition(node: Located) -> Mapping[str, tuple[Any, ...]]:
    """Return a mapping of names to lists, the lists as tuples: the shape of a `when`."""
    return {name: tuple(item.plain() for item in entry.items()) for name, entry in node.entries().items()}
