"""`saydo study`: register, see, move through the gates."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.context import AsName, JsonFlag, acting, open_database, runtime, settings
from app.cli.edge import emit

if TYPE_CHECKING:
    from app.services.pages import StudyPage

commands = typer.Typer(help="Register a study, see where it stands, move it on.")
StudyId = Annotated[str, typer.Argument(help="The study.")]


@commands.command()
def create(
    file: Annotated[Path, typer.Argument(help="The study file (YAML).")],
    as_name: AsName = None,
    as_json: JsonFlag = False,
) -> None:
    """Register a study: pin its inputs, freeze its claims; all of it or nothing.

    Example: saydo study create study.yaml --as l.one
    """
    from app.readers.study_file import load_study
    from app.services.intake import read_intake
    from app.services.overview import study_page
    from app.services.registering import create_study

    intake = read_intake(load_study(file), settings().codebook_dir, settings().data_dir)
    database = open_database()
    with database.writing() as session:
        actor = acting(session, as_name)
        study = create_study(session, actor, intake, secrets.token_bytes(32), runtime().clock())
        page = study_page(session, actor, study.id)
    _show(page, as_json)


@commands.command()
def status(study: StudyId, as_name: AsName = None, as_json: JsonFlag = False) -> None:
    """Show a study's phase and gates: planned, actual, met, evidence.

    Example: saydo study status pilot-1 --as l.one
    """
    from app.services.overview import study_page

    with open_database().reading() as session:
        page = study_page(session, acting(session, as_name), study)
    _show(page, as_json)


@commands.command()
def phase(
    study: StudyId,
    name: Annotated[str, typer.Argument(help="scan, code, lock, reliability, adjudicate or close.")],
    as_name: AsName = None,
    as_json: JsonFlag = False,
) -> None:
    """Move a study to a phase; a gate that is not met refuses with its reason.

    Example: saydo study phase pilot-1 adjudicate --as l.one
    """
    from app.services.overview import study_page
    from app.services.phasing import enter_phase

    with open_database().writing() as session:
        actor = acting(session, as_name)
        enter_phase(session, actor, study, name, runtime().clock())
        page = study_page(session, actor, study)
    _show(page, as_json)


@commands.command()
def rules(study: StudyId, as_name: AsName = None, as_json: JsonFlag = False) -> None:
    """List the rules enforced in a study; once every packet is locked, with how often each applied, refused and asked.

    Example: saydo study rules pilot-1 --as l.one
    """
    from app.services.enforcing import rules_document, rules_lines, rules_page

    with open_database().reading() as session:
        page = rules_page(session, acting(session, as_name), study)
    emit(rules_document(page), as_json, rules_lines(page))


def _show(page: StudyPage, as_json: bool) -> None:
    gates: list[dict[str, Any]] = [
        {"name": gate.name, "phase": phase, "planned": gate.planned, "actual": gate.actual, "met": gate.met}
        | {"evidence": gate.evidence}
        for phase, found in page.gates
        for gate in found
    ]
    marks = {True: "met", False: "not met", None: "open"}
    lines = [f"{page.study_id}: phase {page.phase}; next: {page.next_step.label} ({page.next_step.why})"]
    lines += [
        f"  {g['phase']:<12}{marks[g['met']]:<8}{g['name']}: {g['actual']} (planned: {g['planned']})" for g in gates
    ]
    emit({"id": page.study_id, "phase": page.phase, "gates": gates}, as_json, lines)
