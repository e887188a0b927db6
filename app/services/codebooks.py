"""The codebooks of this installation, as people read them."""

from __future__ import annotations

from pathlib import Path

from app.domain.roles import Action, require
from app.readers.codebook_file import find_codebooks, get_codebook
from app.services.pages import CodebookPage
from app.services.people import Actor


def codebook_page(actor: Actor, folder: Path, version: str) -> CodebookPage:
    """Return one version and the list of all. Raises `NotFound` for a version that is not in the folder."""
    require(actor.roles, Action.READ_CODEBOOK)
    versions = tuple(book.version for book in find_codebooks(folder))
    return CodebookPage(get_codebook(folder, version), versions)
