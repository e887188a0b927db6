"""Pictures and other things that are not text: taken out of messages by their hash, a marker left where they stood.

The bytes stay in the source file; the log keeps kind, type, size and SHA-256. Nothing is decoded beyond base64.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any

from app.domain.canonical import sha256_hex
from app.domain.turnlog.turns import Attachment

_DATA_URL = re.compile(r"^data:(?P<mime>[\w.+-]+/[\w.+-]+)?(?:;[\w=-]+)*;base64,", re.IGNORECASE)
_BASE64_KEYS = ("data", "base64", "screenshot")
_SMALL = 512
_KINDS = ("image", "audio", "video", "document", "file")


def attachment_of(part: Mapping[str, Any]) -> Attachment | None:
    """Return the attachment a content part stands for, or None where the part is none.

    Knows Anthropic blocks (`source`), OpenAI parts (`image_url`, `input_audio`, `file`), Inspect content (`image`)
    and ATIF (`source.path`).
    """
    kind = next((k for k in _KINDS if k in str(part.get("type", ""))), None)
    if kind is None:
        return None
    source = part.get("source")
    if isinstance(source, Mapping):
        return _from_source(kind, source)
    for key in ("image_url", "input_audio", "image", "audio", "video", "document", "file", "file_data"):
        value = part.get(key)
        if isinstance(value, Mapping):
            value = value.get("url") or value.get("data") or value.get("file_data") or value.get("file_id")
        if isinstance(value, str):
            return _from_text(kind, value)
    return Attachment(kind=kind)


def _from_source(kind: str, source: Mapping[str, Any]) -> Attachment:
    mime = source.get("media_type")
    mime = mime if isinstance(mime, str) else None
    data = source.get("data")
    if isinstance(data, str):
        return _decoded(kind, mime, data)
    ref = source.get("url") or source.get("path") or source.get("file_id")
    return Attachment(kind=kind, mime=mime, ref=ref if isinstance(ref, str) else None)


def _from_text(kind: str, value: str) -> Attachment:
    found = _DATA_URL.match(value)
    if found:
        return _decoded(kind, found["mime"], value[found.end() :])
    return _decoded(kind, None, value) if len(value) > _SMALL else Attachment(kind=kind, ref=value)


def _decoded(kind: str, mime: str | None, data: str) -> Attachment:
    try:
        raw = base64.b64decode(data, validate=False)
    except (binascii.Error, ValueError):
        raw = data.encode("utf-8", "replace")
    return Attachment(kind=kind, mime=mime, sha256=sha256_hex(raw), bytes=len(raw))


def marker(attachment: Attachment) -> str:
    """Return the words that stand in the text where the attachment stood.

    >>> marker(Attachment(kind="image", mime="image/png", sha256="ab" * 32, bytes=70))
    '[image: image/png, 70 bytes, sha256 abababababab]'
    """
    facts = [attachment.mime, attachment.ref]
    if attachment.bytes is not None and attachment.sha256:
        facts.extend([f"{attachment.bytes} bytes", f"sha256 {attachment.sha256[:12]}"])
    told = ", ".join(fact for fact in facts if fact)
    return f"[{attachment.kind}: {told}]" if told else f"[{attachment.kind}]"


def without_media(value: Any, key: str = "") -> Any:
    """Return `value` with every long base64 text inside replaced by its marker (for `extra_json`)."""
    if isinstance(value, dict):
        return {name: without_media(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [without_media(item, key) for item in value]
    if isinstance(value, str) and len(value) > _SMALL and _is_base64(value, key):
        found = _DATA_URL.match(value)
        return marker(_decoded("data", found["mime"] if found else None, value[found.end() :] if found else value))
    return value


def _is_base64(value: str, key: str) -> bool:
    if _DATA_URL.match(value):
        return True
    return key in _BASE64_KEYS and re.fullmatch(r"[A-Za-z0-9+/=_\s-]+", value) is not None
