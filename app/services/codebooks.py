"""The codebook as people read it: a version of this installation, a study's own text of one, two versions compared.

What a rater of a study is judged by is the text registered with it, whatever has become of the file in the folder.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sqlmodel import Session

from app.domain.codebook.crosswalk_wording import row_condition, row_target
from app.domain.codebook.difference import Difference, difference_of
from app.domain.codebook.document import document_of, rules_naming
from app.domain.codebook.model import Codebook
from app.domain.codebook.search import find
from app.domain.errors import BadInput, NotFound
from app.domain.roles import Action, require
from app.readers.codebook_file import get_codebook, list_names
from app.readers.crosswalk_file import find_crosswalks_of
from app.services.access import codebook_of, get_study_for
from app.services.pages import CodebookPage, ComparisonPage, CrosswalkLine, RegisteredText, StudyUse, VersionLine
from app.services.people import Actor
from app.storage import studies
from app.storage.tables import StudyRow


def folder_page(session: Session, actor: Actor, folder: Path, version: str, query: str = "") -> CodebookPage:
    """Return one version of the folder, whole. Raises `NotFound` for a version that is not there."""
    require(actor.roles, Action.READ_CODEBOOK)
    codebook = get_codebook(folder, version)
    own = studies.list_studies_of(session, actor.user_id)
    uses = tuple(_use(study, codebook) for study in own if study.codebook_version == codebook.version)
    page = page_of(codebook, folder, f"/codebook/{version}", query)
    return replace(page, uses=tuple(use for use in uses if use is not None))


def study_page(session: Session, actor: Actor, folder: Path, study_id: str, query: str = "") -> CodebookPage:
    """Return the text registered with a study, for those who have a part in it; to others the study does not exist."""
    study = get_study_for(session, actor, study_id, Action.READ_CODEBOOK)
    codebook = codebook_of(study)
    page = page_of(codebook, folder, f"/studies/{study_id}/codebook", query)
    return replace(page, registered=_registered(study, codebook, folder))


def comparison_page(actor: Actor, folder: Path, before: str, after: str) -> ComparisonPage:
    """Return what differs between two versions of the folder. Raises `NotFound` for one that is not there."""
    require(actor.roles, Action.READ_CODEBOOK)
    difference = difference_of(get_codebook(folder, before), get_codebook(folder, after))
    return ComparisonPage(difference, (before, after), crosswalk_lines(folder, difference))


def crosswalk_lines(folder: Path, difference: Difference) -> dict[str, tuple[CrosswalkLine, ...]]:
    """Return label of the earlier codebook → the crosswalk's rows for it; empty where the folder has no sound one."""
    old, new = difference.before, difference.after
    there = find_crosswalks_of(folder, old)
    crosswalk = next((one for one in there if (one.old.sha256, one.new.sha256) == (old.sha256, new.sha256)), None)
    lines: dict[str, tuple[CrosswalkLine, ...]] = {}
    if crosswalk is None:
        return lines
    for row in crosswalk.rows:
        line = CrosswalkLine(row.id, row_condition(crosswalk, row), row_target(crosswalk, row), row.reason)
        lines[row.label] = (*lines.get(row.label, ()), line)
    return lines


def page_of(codebook: Codebook, folder: Path, address: str, query: str = "") -> CodebookPage:
    """Return a codebook as a page of that address, with what a query finds in it and the folder's other versions."""
    sections = document_of(codebook)
    name = f"{codebook.id}-{codebook.version}"
    others = [VersionLine(f"{id_}-{version}", f"{id_} {version}") for id_, version in list_names(folder)]
    return CodebookPage(
        codebook=codebook,
        address=address,
        sections=sections,
        found=find(sections, query),
        name=name,
        others=tuple(line for line in others if line.name != name),
        rules_of={
            entry.anchor: rules
            for section in sections
            for entry in section.entries
            if entry.of and (rules := rules_naming(codebook, entry.of, entry.code))
        },
    )


def _use(study: StudyRow, codebook: Codebook) -> StudyUse | None:
    if codebook_of(study).id != codebook.id:
        return None
    return StudyUse(study.id, study.title, study.codebook_sha256 == codebook.sha256)


def _registered(study: StudyRow, codebook: Codebook, folder: Path) -> RegisteredText:
    """Say what stands in the folder now under the name of a study's codebook."""
    try:
        there = get_codebook(folder, f"{codebook.id}-{codebook.version}")
    except NotFound:
        return RegisteredText(study.id, study.title, "missing")
    except BadInput:
        return RegisteredText(study.id, study.title, "unreadable")
    if there.sha256 == study.codebook_sha256:
        return RegisteredText(study.id, study.title, "same")
    return RegisteredText(study.id, study.title, "differs", there.sha256)
