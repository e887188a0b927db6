"""Members of archives: deflate, stored and zstd; what is damaged or absurd is refused by its name."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from pathlib import Path

import pyarrow as pa
import pytest

from app.domain.errors import BadInput
from app.readers.source import Source
from app.readers.zip_member import MOST_BYTES, ZSTD, Archive


def zstd_archive(members: dict[str, bytes], method: int = ZSTD) -> bytes:
    """A ZIP of zstd members, its records written out field by field (PKWARE APPNOTE 4.3.7, 4.3.12, 4.3.16)."""
    body, directory = io.BytesIO(), io.BytesIO()
    for name, data in members.items():
        packed = bytes(pa.Codec("zstd").compress(data))
        facts = (method, 0, 0x21, zlib.crc32(data), len(packed), len(data), len(name))
        start = body.tell()
        body.write(struct.pack("<4sHHHHHIIIHH", b"PK\x03\x04", 20, 0, *facts, 4) + name.encode() + b"\0" * 4 + packed)
        header = struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\x01\x02", 20, 20, 0, *facts, 0, 0, 0, 0, 0, start)
        directory.write(header + name.encode())
    held = directory.getvalue()
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, len(members), len(members), len(held), body.tell(), 0)
    return body.getvalue() + held + end


def archive(tmp_path: Path, data: bytes) -> Archive:
    path = tmp_path / "x.eval"
    path.write_bytes(data)
    return Archive(Source(path, "x.eval"))


MEMBERS = {"header.json": b"{}", "samples/a.json": b"A" * 5000, "samples/b.json": b"", "other": b"z"}


def test_zstd_members_are_read_like_others(tmp_path: Path) -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as plain:
        for name, data in MEMBERS.items():
            plain.writestr(name, data)
    for data in (held.getvalue(), zstd_archive(MEMBERS)):
        opened = archive(tmp_path, data)
        assert opened.names() == list(MEMBERS)
        assert {name: opened.read(name) for name in MEMBERS} == MEMBERS
        assert list(opened.members("samples/")) == [("samples/a.json", b"A" * 5000), ("samples/b.json", b"")]


def test_a_method_nobody_knows_is_refused_by_the_members_name(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"x\.eval/header\.json: the member cannot be unpacked"):
        archive(tmp_path, zstd_archive(MEMBERS, method=77)).read("header.json")


def test_damaged_members_are_refused(tmp_path: Path) -> None:
    data = bytearray(zstd_archive({"a": bytes(range(256)) * 4}))
    data[60] ^= 0xFF
    with pytest.raises(BadInput, match=r"x\.eval/a: the member cannot be unpacked"):
        archive(tmp_path, bytes(data)).read("a")


def test_a_wrong_checksum_is_refused(tmp_path: Path) -> None:
    data = zstd_archive({"a": b"abc"})
    with pytest.raises(BadInput, match="its checksum does not fit"):
        archive(tmp_path, data.replace(struct.pack("<I", zlib.crc32(b"abc")), b"\1\2\3\4")).read("a")


def test_a_member_that_claims_to_be_huge_is_refused_unread(tmp_path: Path) -> None:
    data = zstd_archive({"a": b"abc"})
    sizes = struct.pack("<II", len(bytes(pa.Codec("zstd").compress(b"abc"))), 3)
    huge = sizes[:4] + struct.pack("<I", MOST_BYTES + 1)
    with pytest.raises(BadInput, match="which is too large"):
        archive(tmp_path, data.replace(sizes, huge)).read("a")


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"x\.eval: not a readable archive"):
        archive(tmp_path, b"PK\x03\x04 and nothing more")
