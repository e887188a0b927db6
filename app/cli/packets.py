"""`saydo packets`: build, scan, publish, lock."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.context import AsName, JsonFlag, acting, open_database, runtime
from app.cli.edge import emit

commands = typer.Typer(help="What the raters are given: build, scan, publish, lock.")
StudyId = Annotated[str, typer.Argument(help="The study.")]


@commands.command()
def build(study: StudyId, as_name: AsName = None, as_json: JsonFlag = False) -> None:
    """Blind the sampled runs and deal the claims to the raters.

    Example: saydo packets build pilot-1 --as l.one
    """
    from app.services.building import blind_study, store_packets

    database = open_database()
    with database.reading() as session:
        actor = acting(session, as_name)
        blinded = blind_study(session, actor, study)
    with database.writing() as session:
        built = store_packets(session, actor, blinded, runtime().clock())
    document = {"packets": built.n_packets, "assignments": built.n_assignments, "findings": []}
    line = f"{built.n_packets} packets, {built.n_assignments} assignments, {built.n_replacements} replacements"
    emit({**document, "replacements": built.n_replacements}, as_json, [line])


@commands.command()
def scan(study: StudyId, as_name: AsName = None, as_json: JsonFlag = False) -> None:
    """Look for leaks in the bytes that will be served; exit 1 when something was found.

    Example: saydo packets scan pilot-1 --as c.one
    """
    from app.services.releasing import look_for_leaks, store_scan
    from app.storage import packets as stored

    database = open_database()
    with database.reading() as session:
        actor = acting(session, as_name)
        scanned = look_for_leaks(session, actor, study)
    with database.writing() as session:
        findings = store_scan(session, actor, scanned, runtime().clock())
        built = stored.list_packets(session, study)
        n_assignments = sum(stored.count_assignments(session, packet.id) for packet in built)
    listed = [{"where": f.where, "kind": f.kind, "excerpt": f.excerpt} for f in findings]
    lines = [f"{f['where']}: {f['kind']}: {f['excerpt']}" for f in listed] or ["no finding"]
    emit({"packets": len(built), "assignments": n_assignments, "findings": listed}, as_json, lines)
    if findings:
        raise typer.Exit(1)


@commands.command()
def waive(
    study: StudyId,
    finding: Annotated[int, typer.Argument(help="The finding's number, as `packets findings` lists it.")],
    reason: Annotated[str, typer.Option("--reason", help="Why it may stand; printed in the report.")],
    as_name: AsName = None,
    as_json: JsonFlag = False,
) -> None:
    """Waive one finding of the leak scan (the custodian's word).

    Example: saydo packets waive pilot-1 3 --reason "the word is the harbour's own" --as c.one
    """
    from app.services.releasing import Waiver, waive_finding

    with open_database().writing() as session:
        waive_finding(session, acting(session, as_name), study, Waiver(finding, reason), runtime().clock())
    emit({"finding": finding, "waived": True}, as_json, [f"finding {finding} waived"])


@commands.command()
def findings(study: StudyId, as_name: AsName = None, as_json: JsonFlag = False) -> None:
    """List the last scan's findings with their numbers (the custodian's view).

    Example: saydo packets findings pilot-1 --as c.one
    """
    from app.services.releasing import custody_page

    with open_database().reading() as session:
        page = custody_page(session, acting(session, as_name), study)
    rows = [
        {"id": f.finding_id, "where": f.where, "kind": f.kind, "excerpt": f.excerpt, "waived": f.waived_reason}
        for f in page.findings
    ]
    lines = [
        f"{f.finding_id:>4}  {f.where}: {f.kind}: {f.excerpt}" + (" (waived)" if f.waived_reason else "")
        for f in page.findings
    ]
    emit(rows, as_json, lines or ["no finding"])


@commands.command()
def publish(study: StudyId, as_name: AsName = None, as_json: JsonFlag = False) -> None:
    """Publish scanned packets to their raters.

    Example: saydo packets publish pilot-1 --as l.one
    """
    from app.services.releasing import publish_packets
    from app.storage import packets as stored

    with open_database().writing() as session:
        n_packets = publish_packets(session, acting(session, as_name), study, runtime().clock())
        built = stored.list_packets(session, study)
        n_assignments = sum(stored.count_assignments(session, packet.id) for packet in built)
    document = {"packets": n_packets, "assignments": n_assignments, "findings": []}
    emit(document, as_json, [f"{n_packets} packets published"])


@commands.command()
def lock(
    study: StudyId,
    attest: Annotated[bool, typer.Option("--attest", help="I give every attestation of the lock.")] = False,
    as_name: AsName = None,
    as_json: JsonFlag = False,
) -> None:
    """Lock your own packet for good. Without --attest the attestations are printed and nothing is locked.

    Example: saydo packets lock pilot-1 --as r.one --attest
    """
    from app.domain.attestations import ATTESTATIONS
    from app.domain.errors import NotFound
    from app.services.locking import lock_packet
    from app.storage import packets as stored

    if not attest:
        emit({"attestations": dict(ATTESTATIONS)}, as_json, [*ATTESTATIONS.values(), "Lock with --attest."])
        raise typer.Exit(1)
    with open_database().writing() as session:
        actor = acting(session, as_name)
        packet = stored.find_packet_of(session, study, actor.user_id)
        if packet is None:
            raise NotFound(f"{actor.name} has no packet in {study}")
        receipt = lock_packet(session, actor, packet.id, tuple(ATTESTATIONS), runtime().clock())
    emit(receipt.__dict__, as_json, [f"locked {receipt.n_rows} codings, receipt {receipt.lock_id}"])
