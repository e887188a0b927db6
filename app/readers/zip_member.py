"""Members of a ZIP archive, also those packed with zstd (method 93), which the standard library cannot open.

Responsible for bytes only: which member means what is the format's matter. Nothing is written to disk.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator

from app.domain.errors import BadInput
from app.readers.source import Source, reason_of

ZSTD = 93
MOST_BYTES = 1 << 30  # a member that claims to unpack to more is refused
_LOCAL = struct.Struct("<4sHHHHHIIIHH")


class Archive:
    """An opened archive. Raises `BadInput` naming the file where it is no archive."""

    def __init__(self, source: Source) -> None:
        self._source = source
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(source.bytes))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error) as error:
            raise BadInput(f"{source.name}: not a readable archive ({reason_of(error)})") from error

    def names(self) -> list[str]:
        """Return the names of all members, in the archive's order."""
        return self._zip.namelist()

    def members(self, prefix: str) -> Iterator[tuple[str, bytes]]:
        """Yield (name, bytes) of every member below `prefix`, in the archive's order."""
        for name in self.names():
            if name.startswith(prefix) and not name.endswith("/"):
                yield name, self.read(name)

    def read(self, name: str) -> bytes:
        """Return a member unpacked. Raises `BadInput` naming archive and member where it is damaged or too large."""
        info = self._zip.getinfo(name)
        where = f"{self._source.name}/{name}"
        if info.file_size > MOST_BYTES:
            raise BadInput(f"{where}: the member unpacks to {info.file_size} bytes, which is too large")
        try:
            return self._unpacked_zstd(info) if info.compress_type == ZSTD else self._zip.read(info)
        except _DAMAGED as error:
            raise BadInput(f"{where}: the member cannot be unpacked ({reason_of(error)})") from error

    def _unpacked_zstd(self, info: zipfile.ZipInfo) -> bytes:
        import pyarrow as pa

        data = self._source.bytes
        fixed = _LOCAL.unpack_from(data, info.header_offset)
        start = info.header_offset + _LOCAL.size + fixed[9] + fixed[10]
        packed = data[start : start + info.compress_size]
        unpacked = bytes(pa.CompressedInputStream(pa.BufferReader(packed), "zstd").read(info.file_size))
        if len(unpacked) != info.file_size or zlib.crc32(unpacked) != info.CRC:
            raise zipfile.BadZipFile("its checksum does not fit")
        return unpacked


_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    RuntimeError,
    OSError,
    EOFError,
    ValueError,
)
