"""One source file as every reader gets it: its name, its bytes, its JSON, its JSON lines.

Responsible for what goes wrong below the format: gzip, byte-order marks, wrong encodings, lone surrogates, a line cut
off in the middle, numbers and nesting that no parser survives. Knows no format.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from app.domain.errors import BadInput
from app.readers.notes import Notes

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Source:
    """A file to read. `name` is how the log cites it (relative, never the machine's path).

    `searched` says that nobody named the file: it was found in a folder, where other files may lie too.
    """

    path: Path
    name: str
    notes: Notes = field(default_factory=Notes)
    searched: bool = False

    @cached_property
    def bytes(self) -> bytes:
        """The file's bytes, unpacked if it is gzip. Raises `BadInput` where it cannot be read or is empty."""
        try:
            data = self.path.read_bytes()
            data = gzip.decompress(data) if data.startswith(_GZIP) else data
        except (OSError, EOFError, zlib.error) as error:
            raise BadInput(f"{self.name}: the file cannot be read ({reason_of(error)})") from error
        if not data.strip():
            raise BadInput(f"{self.name}: the file is empty")
        return data

    @property
    def stem(self) -> str:
        """The name without folders and without the suffixes that only say what kind of file it is."""
        stem = Path(self.name).name
        while True:
            shorter = re.sub(r"\.(gz|jsonl|ndjson|json|traj|parquet|eval|txt)$", "", stem, flags=re.IGNORECASE)
            if shorter == stem or not shorter:
                return stem
            stem = shorter

    @cached_property
    def sha256(self) -> str:
        """The hash of the file as it lies on disk, lower-case hex."""
        digest = hashlib.sha256()
        with self.path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
        return digest.hexdigest()

    @cached_property
    def text(self) -> str:
        """The file as text: UTF-8 (or UTF-16 with its mark); bytes that are neither become U+FFFD with a warning."""
        encoding = "utf-16" if self.bytes[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        try:
            return self.bytes.decode(encoding)
        except UnicodeDecodeError as error:
            self.notes.warn(f"{self.name} byte {error.start}", "bytes that are not UTF-8 were replaced by U+FFFD")
            return self.bytes.decode(encoding, errors="replace")

    @cached_property
    def json(self) -> Any:
        """The file as one JSON value, surrogates repaired. Raises `BadInput` with the line of the fault."""
        return self.parse(self.text, self.name)

    @property
    def object(self) -> dict[str, Any]:
        """The file as one JSON object. Raises `BadInput` where it is another value."""
        if not isinstance(self.json, dict):
            raise BadInput(f"{self.name}: not a JSON object, as this format has it")
        return self.json

    @cached_property
    def is_lines(self) -> bool:
        """Whether the file is JSON lines: so named, or its first line is JSON by itself and others follow."""
        if self.is_binary:
            return False
        if re.search(r"\.(jsonl|ndjson)(\.gz)?$", self.name, re.IGNORECASE):
            return True
        first, _, rest = self.text.lstrip().partition("\n")
        if not rest.strip():
            return False
        try:
            parse_json(first, self.name)
        except BadInput:
            return False
        return True

    @property
    def is_binary(self) -> bool:
        """Whether the file is Parquet or a ZIP archive, so that its text means nothing."""
        return self.bytes[:4] in (b"PAR1", b"PK\x03\x04")

    @property
    def records(self) -> list[tuple[int, Any]]:
        """The (0-based place, value) of each JSON line, or of each item of the one JSON list, or of the one value."""
        if self.is_lines:
            return self.lines
        return list(enumerate(self.json)) if isinstance(self.json, list) else [(0, self.json)]

    @cached_property
    def lines(self) -> list[tuple[int, Any]]:
        """The file's JSON lines as (0-based line, value); blank lines are passed over.

        A last line that was cut off in the middle is left out with a warning; a broken line elsewhere is `BadInput`.
        """
        return list(self._lines())

    def _lines(self) -> Iterator[tuple[int, Any]]:
        raw = [(n, line) for n, line in enumerate(self.text.split("\n")) if line.strip()]
        for n, line in raw:
            try:
                value = self.parse(line, f"{self.name} line {n + 1}")
            except BadInput:
                if n != raw[-1][0] or n == raw[0][0]:
                    raise
                self.notes.warn(f"{self.name} line {n + 1}", "the last line is cut off and was left out")
                return
            yield n, value

    def parse(self, text: str, where: str) -> Any:
        """Return JSON `text` as a value with every surrogate repaired; `where` names it in errors and warnings."""
        value = parse_json(text, where)
        if _SURROGATE_ESCAPE.search(text) or _SURROGATE.search(text):
            value, replaced = repair(value)
            if replaced:
                self.notes.warn(where, f"{replaced} lone surrogates were replaced by U+FFFD")
        return value


def reason_of(error: BaseException) -> str:
    """Return an error's own words in one short line, without the machine's paths."""
    words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(words.split())[:160] or type(error).__name__


def parse_json(text: str, where: str) -> Any:
    """Return the JSON value of `text`. NaN and infinities come back as their names: nothing computes with them.

    Raises `BadInput` naming `where` and the line of the fault, also for numbers and nesting past what can be parsed.
    """
    try:
        return json.loads(text, parse_constant=str)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}" if "\n" in text else f"column {error.colno}"
        raise BadInput(f"{where}: not valid JSON at {place} ({error.msg})") from error
    except RecursionError as error:
        raise BadInput(f"{where}: the JSON is nested too deeply to be a log") from error
    except ValueError as error:
        raise BadInput(f"{where}: the JSON holds a number too long to read") from error


def repair(value: Any) -> tuple[Any, int]:
    """Return `value` with surrogate pairs joined and lone surrogates replaced by U+FFFD, and how many were lone.

    >>> repair({"a": ["x\\ud83d", "\\ud83d\\ude00"]})
    ({'a': ['x�', '😀']}, 1)
    """
    if isinstance(value, str):
        return _repair_text(value)
    if isinstance(value, list):
        done = [repair(item) for item in value]
        return [item for item, _ in done], sum(n for _, n in done)
    if isinstance(value, dict):
        pairs = [(repair(key), repair(item)) for key, item in value.items()]
        return {key: item for (key, _), (item, _) in pairs}, sum(a + b for (_, a), (_, b) in pairs)
    return value, 0


def _repair_text(text: str) -> tuple[str, int]:
    if not _SURROGATE.search(text):
        return text, 0
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _SURROGATE.subn("\ufffd", joined)
