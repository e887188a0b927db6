"""Setting the demo study up, and walking the whole main job through it on the recorded clock."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlmodel import Session

from app.cli.demo_journey import Browser, Journey, serving
from app.cli.demo_practice import PracticeJourney, load_practice_recording, qualify_directly
from app.cli.demo_recording import FILES, LOG, PEOPLE, DemoClock, Recording, load_recording
from app.config import Settings, examples_dir
from app.domain.errors import BadInput
from app.domain.record import StudyRecord
from app.readers.codebook_file import get_codebook
from app.readers.logs import read_logs
from app.readers.study_file import load_study
from app.readers.turnlog_file import write_turn_log
from app.services import building, people, releasing
from app.services.bundle import verify_bundle
from app.services.closing import ExportOptions, export_study, get_closed_record
from app.services.intake import Intake, read_intake
from app.services.registering import create_study
from app.storage import adjudications, migrating, packets, studies
from app.storage.engine import Database

STUDY = "demo"
CODEBOOK = "0.5"
RATERS = ("r.one", "r.two")


def open_demo(folder: Path, settings: Settings, clock: Callable[[], datetime]) -> list[tuple[str, str, str]]:
    """Set the study up as far as its published packets, unless it is there already; return (name, role, link)."""
    database = _database(settings)
    with database.reading() as session:
        ready = studies.find_study(session, STUDY) is not None
    if not ready:
        recording = _prepare(folder, database, settings, clock)
        _qualify(database, settings, recording, clock)
        with database.writing() as session:
            releasing.publish_packets(session, people.get_actor(session, "l.one"), STUDY, clock())
    links = [(name, role, _link(database, settings, name, clock())) for name, role in PEOPLE]
    database.close()
    return [(name, role, f"{settings.public_url}/signin/{token}") for name, role, token in links]


def _database(settings: Settings) -> Database:
    database = Database(settings.database_url)
    migrating.upgrade(database)
    return database


def _link(database: Database, settings: Settings, name: str, now: datetime) -> str:
    token = secrets.token_urlsafe(24)
    with database.writing() as session:
        people.give_link(session, name, token, now, settings.link_hours)
    return token


def _prepare(folder: Path, database: Database, settings: Settings, clock: Callable[[], datetime]) -> Recording:
    """Convert the recorded log, register the study, build and scan its packets; return the recording."""
    intake, recording = _files(folder, settings)
    with database.writing() as session:
        for name, role in PEOPLE:
            people.add_user(session, people.OPERATOR, name, [role], clock())
        lead = people.get_actor(session, "l.one")
        create_study(session, lead, intake, recording.key, clock())
        building.build_packets(session, lead, STUDY, clock())
        releasing.scan_packets(session, lead, STUDY, clock())
    return recording


def _qualify(database: Database, settings: Settings, recording: Recording, clock: Callable[[], datetime]) -> None:
    """Let both raters read, train and qualify, so that a newcomer codes a claim at once."""
    codebook = get_codebook(settings.codebook_dir, CODEBOOK)
    practice = load_practice_recording(recording.folder, codebook)
    for name in RATERS:
        with database.writing() as session:
            qualify_directly(session, people.get_actor(session, name), practice, settings.codebook_dir, clock)


def _files(folder: Path, settings: Settings) -> tuple[Intake, Recording]:
    """Put the study's files into the folder (the log through the same import as any other) and read them."""
    source = examples_dir() / "demo"
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copyfile(source / name, folder / name)
    write_turn_log(folder / "turnlog.parquet", read_logs([source / LOG]).table)
    intake = read_intake(load_study(folder / "study.yaml"), settings.codebook_dir, settings.data_dir)
    return intake, load_recording(intake.codebook)


def check_demo(folder: Path, settings: Settings, create_app: Callable[..., Any]) -> dict[str, Any]:
    """Walk the whole main job through and return what is checked; everything is left in the folder.

    Raises `BadInput` for a folder that holds a study already.
    """
    if (folder / "saydo.db").exists():
        raise BadInput(f"{folder} holds a study already; name a folder that does not exist yet")
    recording = load_recording(get_codebook(settings.codebook_dir, CODEBOOK))
    clock = DemoClock(recording.moment("created_at"))
    database = _database(settings)
    _prepare(folder, database, settings, clock)
    with serving(create_app(settings, clock)) as base:
        pooled = _walk(base, (database, settings), recording, clock)
    with database.reading() as session:
        record = get_closed_record(session, people.get_actor(session, "l.one"), STUDY)
    export_study(record, folder, ExportOptions())
    database.close()
    return _found(folder, record, pooled)


def _walk(base: str, place: tuple[Database, Settings], recording: Recording, clock: DemoClock) -> str:
    """Rate, lock, adjudicate and close over HTTP; return the pooled table as the lead's page sends it."""
    database, settings = place
    with database.reading() as session:
        journey = Journey(recording, clock, _native_ids(session))

    def signed_in(person: str) -> Browser:
        clock.put(recording.moment("starts_at", person) if person in recording.clock["starts_at"] else clock())
        return journey.sign_in(base, _link(database, settings, person, clock()))

    _practise_and_publish(base, place, journey, clock)
    for rater in RATERS:
        journey.code_and_lock(signed_in(rater), rater)
    lead = signed_in("l.one")
    lead.get(f"/studies/{STUDY}/agreement")
    lead.post(f"/studies/{STUDY}/open-adjudication", [])
    with database.reading() as session:
        journey.native = _native_ids(session)
    journey.adjudicate(signed_in("a.one"), "a.one")
    clock.put(recording.moment("closed_at"))
    lead = signed_in("l.one")
    lead.post(f"/studies/{STUDY}/close", [])
    _, pooled = lead.get(f"/studies/{STUDY}/export/rater_pooled.csv")
    return pooled


def _practise_and_publish(base: str, place: tuple[Database, Settings], journey: Journey, clock: DemoClock) -> None:
    """Both raters read, train and qualify; then the lead publishes the packets."""
    database, settings = place

    def signed_in(person: str) -> Browser:
        return journey.sign_in(base, _link(database, settings, person, clock()))

    codebook = get_codebook(settings.codebook_dir, CODEBOOK)
    practice = PracticeJourney(load_practice_recording(journey.recording.folder, codebook), database, clock)
    for name in RATERS:
        with database.reading() as session:
            actor = people.get_actor(session, name)
        practice.practise(signed_in(name), actor)
    clock.put(journey.recording.moment("published_at"))
    signed_in("l.one").post(f"/studies/{STUDY}/publish", [])


def _native_ids(session: Session) -> dict[str, str]:
    """Return assignment or queue item id → native claim id: what only the demo, which wrote the claims, may know."""
    native = {blind: claim for claim, blind in studies.blind_ids_of(session, STUDY, "claim").items()}
    found = {item.id: native[item.blind_claim_id] for item in adjudications.list_queue(session, STUDY)}
    for packet in packets.list_packets(session, STUDY):
        found.update({a.id: native[a.blind_claim_id] for a in packets.list_assignments(session, packet.id)})
    return found


def _found(folder: Path, record: StudyRecord, pooled: str) -> dict[str, Any]:
    verified = verify_bundle(folder)
    agreement = json.loads((folder / "agreement.json").read_text(encoding="utf-8"))
    pair = agreement["verdict"][record.codebook.version]["pairs"][0]
    same = (folder / "rater_pooled.csv").read_bytes().decode("utf-8") == pooled
    return {
        "n_claims": len(record.claims),
        "n_raters": len(record.slots),
        "kappa": pair["cohen_kappa"]["value"],
        "rater_pooled": "rater_pooled.csv",
        "report": "report.html",
        "verified": bool(verified["ok"]) and same and (folder / "report.html").is_file(),
        "checked": verified["checked"],
        "mismatches": verified["mismatches"],
    }
