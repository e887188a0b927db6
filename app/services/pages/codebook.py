"""The codebook's pages: one version to read, a study's own text of it, two versions side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.codebook.difference import Difference
from app.domain.codebook.document import Section
from app.domain.codebook.model import Codebook
from app.domain.codebook.search import NOT_ASKED, Found


@dataclass(frozen=True)
class VersionLine:
    """Another codebook of the folder; `name` is what asks for it, `label` what people call it."""

    name: str
    label: str


@dataclass(frozen=True)
class StudyUse:
    """A study of the reader's own that is coded under this version; `same`: under this very text."""

    study_id: str
    title: str
    same: bool


@dataclass(frozen=True)
class RegisteredText:
    """Whose registered text a page shows, and what stands in the folder now.

    `folder` is `same`, `differs`, `missing` or `unreadable`; `folder_sha256` is the hash of a file that differs.
    """

    study_id: str
    title: str
    folder: str
    folder_sha256: str | None = None


@dataclass(frozen=True)
class CodebookPage:
    """`/codebook/{version}` and `/studies/{study_id}/codebook`: the codebook as raters read it.

    `address` is the page's own; `registered` stands on a study's page alone, `uses` on the folder's.
    """

    codebook: Codebook
    address: str
    sections: tuple[Section, ...]
    found: Found = NOT_ASKED
    name: str = ""
    others: tuple[VersionLine, ...] = ()
    registered: RegisteredText | None = None
    uses: tuple[StudyUse, ...] = ()
    rules_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class CrosswalkLine:
    """One row of a crosswalk as words: which codings it takes, what becomes of them, and why."""

    id: str
    condition: str
    target: str
    reason: str


@dataclass(frozen=True)
class ComparisonPage:
    """`/codebook/{version}/compare/{other}`: what differs between two codebooks, and the crosswalk's rows beside it.

    `names` are the two as asked for; `crosswalk` maps each label of the first to the rows that take it, empty where no
    crosswalk leads from the first to the second.
    """

    difference: Difference
    names: tuple[str, str]
    crosswalk: Mapping[str, Sequence[CrosswalkLine]] = field(default_factory=dict)
