"""A study set up from the lead's page: uploaded files and a form become a study file, and go the same way as any other.

The uploaded files are kept under names of ours in a folder of the study; what the form says is written as YAML and
registered verbatim, so that a study made in the browser can be made again from its file.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import yaml
from sqlmodel import Session

from app.domain.errors import BadInput
from app.domain.roles import Action, require
from app.readers.codebook_file import find_codebooks
from app.readers.study_file import parse_study
from app.services.intake import Intake, read_intake
from app.services.pages import NewStudyPage
from app.services.people import ROLES, Actor
from app.storage import people

CLAIM_SUFFIXES = (".parquet", ".csv", ".jsonl")
TEXT_KEYS = ("id", "title", "codebook", "custodian", "state_at_writing", "prior_inspection")


@dataclass(frozen=True)
class Upload:
    """One uploaded file: the name the browser gave it (never used as a path) and its content."""

    filename: str
    content: BinaryIO


def new_study_page(
    session: Session,
    actor: Actor,
    codebook_folder: Path,
    values: Mapping[str, Any] | None = None,
    error: str | None = None,
) -> NewStudyPage:
    """Return the form with its choices, what was entered, and what was wrong with it."""
    require(actor.roles, Action.CREATE_STUDY)
    return NewStudyPage(
        codebooks=tuple((book.version, book.title) for book in find_codebooks(codebook_folder)),
        people={role: people.list_names_with_role(session, role) for role in ROLES},
        values=values or {},
        errors={"": error} if error else {},
    )


def take_uploads(
    actor: Actor, folder: Path, values: Mapping[str, Any], uploads: Mapping[str, Upload], codebook_folder: Path
) -> Intake:
    """Keep the uploads in `folder`, write the study file beside them, and return everything read and checked.

    Whatever is wrong leaves nothing behind: the folder is removed. Raises `BadInput` with the sentence.
    """
    require(actor.roles, Action.UPLOAD_INPUT)
    with kept_only_if_whole(folder):
        text = _study_text(actor, values, _keep(folder, uploads))
        (folder / "study.yaml").write_text(text, encoding="utf-8")
        return read_intake(parse_study(text, str(folder / "study.yaml")), codebook_folder, folder)


@contextmanager
def kept_only_if_whole(folder: Path) -> Iterator[None]:
    """Make the folder for the block, and remove it again with all that is in it when the block does not end well."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as undo:
        undo.callback(shutil.rmtree, folder, ignore_errors=True)
        yield
        undo.pop_all()


def _keep(folder: Path, uploads: Mapping[str, Upload]) -> dict[str, str]:
    kept: dict[str, str] = {}
    for name in ("log", "claims", "coverage"):
        upload = uploads.get(name)
        if upload is None or not upload.filename:
            if name != "coverage":
                raise BadInput(f"choose a file for the {name}")
            continue
        kept[name] = _keep_one(folder, name, upload)
    return kept


def _keep_one(folder: Path, name: str, upload: Upload) -> str:
    suffix = Path(upload.filename).suffix.lower()
    if name == "claims" and suffix not in CLAIM_SUFFIXES:
        raise BadInput(f"the claims file must end in {', '.join(CLAIM_SUFFIXES)}, not {suffix or 'nothing'}")
    target = folder / {"claims": f"claims{suffix}", "coverage": "coverage.yaml"}.get(name, _plain_name(upload.filename))
    with target.open("wb") as file:
        shutil.copyfileobj(upload.content, file, 2**20)
    return _as_turn_log(folder, target) if name == "log" else target.name


def _plain_name(filename: str) -> str:
    """Return the upload's own name without anything a path could be made of: some formats name their session by it."""
    stem, suffix = Path(filename.replace("\\", "/")).stem, Path(filename).suffix.lower()
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", stem)[:80] or "log"
    return f"{plain}{suffix}" if re.fullmatch(r"\.[a-z0-9]{1,10}", suffix) else plain


def _as_turn_log(folder: Path, source: Path) -> str:
    """Return the name of the canonical log: the upload itself where it is one, else what it converts to."""
    from app.readers.logs import read_logs
    from app.readers.turnlog_file import open_turn_log, write_turn_log

    if source.suffix == ".parquet":
        try:
            open_turn_log(source)
        except BadInput:
            pass
        else:
            return source.name
    write_turn_log(folder / "turnlog.parquet", read_logs([source]).table)
    return "turnlog.parquet"


def _study_text(actor: Actor, values: Mapping[str, Any], files: Mapping[str, str]) -> str:
    document: dict[str, Any] = {key: values.get(key) or "" for key in TEXT_KEYS}
    document.update(files)
    document["lead"] = actor.name
    document["raters"] = list(_listed(values.get("raters")))
    document["adjudicators"] = list(_listed(values.get("adjudicators")))
    document["seed"] = _whole(values.get("seed"))
    document["overlap"] = {"design": values.get("overlap") or "full"}
    document["order"] = values.get("order") or "random_within_run"
    document["repeats"] = 0
    terms = [line.strip() for line in str(values.get("blinding_terms") or "").splitlines() if line.strip()]
    document["blinding"] = {"terms": terms}
    if values.get("qualification_waived"):
        document["qualification"] = {"waived": values["qualification_waived"]}
    text: str = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=10_000)
    return text


def _listed(value: Any) -> Sequence[str]:
    return value if isinstance(value, list | tuple) else [value] if value else []


def _whole(value: Any) -> int:
    text = str(value or "").strip()
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise BadInput(f"the seed must be a whole number such as 20260725, not {text!r}")
    return int(text)
