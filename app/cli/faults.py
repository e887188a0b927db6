"""Faults of the machine, not of the input: a full or read-only disk, a locked or foreign database, a bad setting.

Each becomes one sentence that says what was met and what to do. What it does not know is left to be a traceback: a
fault of ours must not look like one of the machine.
"""

from __future__ import annotations

import errno
import sys
from typing import Any

_OF_SYSTEM: dict[int, str] = {
    errno.ENOSPC: "the disk is full; free some space and run it again",
    errno.EDQUOT: "the disk quota is used up; free some space and run it again",
    errno.EROFS: "the disk is read-only; choose another place",
    errno.EACCES: "this user may not read or write it; change its permissions or choose another place",
    errno.EPERM: "this user may not do that; change its permissions or choose another place",
    errno.EIO: "the disk cannot be read or written; check the disk",
    errno.ENAMETOOLONG: "the name is too long; choose a shorter one",
    errno.ENOTDIR: "a part of the path is a file, not a folder",
    errno.EISDIR: "it is a folder where a file is meant",
    errno.EEXIST: "there is something of that name already, and it is not a folder",
    errno.ENOENT: "it does not exist",
    errno.ELOOP: "its symbolic links go round in a circle",
    errno.EMFILE: "too many files are open",
    errno.ENOTEMPTY: "the folder is not empty",
}
_OF_DATABASE: tuple[tuple[str, str], ...] = (
    ("database or disk is full", "the disk is full; free some space and run it again"),
    ("readonly database", "it is read-only for this user; change its permissions or choose another place"),
    ("database is locked", "another process holds it; stop that one or try again"),
    ("unable to open database file", "it cannot be opened; check that its folder exists and may be written"),
    ("disk i/o error", "the disk cannot be read or written; check the disk and its free space"),
    ("file is not a database", "it is not a SQLite database; SAYDO_DATABASE_URL must name a study database"),
    ("database disk image is malformed", "it is damaged; restore a backup: saydo db restore FILE"),
)


_KINDS = (
    ("sqlite3", "Error"),
    ("sqlalchemy.exc", "DBAPIError"),
    ("pydantic", "ValidationError"),
    ("alembic.util.exc", "CommandError"),
)


def known_faults() -> tuple[type[Exception], ...]:
    """Return the classes of fault that may be the machine's; those of libraries that were not loaded cannot occur."""
    loaded = [(sys.modules[module], name) for module, name in _KINDS if module in sys.modules]
    return (OSError, *(getattr(module, name) for module, name in loaded))


def sentence_of(fault: Exception) -> str | None:
    """Return what to tell a person about a fault of the machine, None for anything that is not one."""
    if isinstance(fault, OSError):
        return _of_system(fault)
    library = type(fault).__module__.partition(".")[0]
    if library == "alembic":
        return (
            f"the database is of another version of the software ({fault}); use that version, or restore a backup made "
            "with this one"
        )
    return _of_settings(fault) if library == "pydantic_core" else _of_database(fault)


def tell_fault(fault: Exception) -> int | None:
    """Write a fault's sentence to stderr and return exit code 2; None, and nothing written, for an unknown one."""
    sentence = sentence_of(fault)
    if sentence is None:
        return None
    sys.stderr.write(" ".join(sentence.split()) + "\n")
    return 2


def _of_system(fault: OSError) -> str:
    what = _OF_SYSTEM.get(fault.errno or 0, fault.strerror or str(fault))
    names = [str(name) for name in (fault.filename, fault.filename2) if name is not None]
    return f"{' to '.join(names)}: {what}" if names else what


def _of_database(fault: Exception) -> str | None:
    said = str(getattr(fault, "orig", None) or fault)
    for words, what in _OF_DATABASE:
        if words in said.lower():
            return f"the study database: {what}"
    return None


def _of_settings(fault: Exception) -> str | None:
    errors: list[dict[str, Any]] = fault.errors() if hasattr(fault, "errors") else []
    if getattr(fault, "title", "") != "Settings":
        return None
    told = "; ".join(f"SAYDO_{str(error['loc'][0]).upper()}: {error['msg']}" for error in errors if error["loc"])
    return f"a setting cannot be used: {told}"
