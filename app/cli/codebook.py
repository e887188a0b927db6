"""`saydo codebook`: what codebooks there are, what one says, whether a file is sound, and how it judges one coding.

Needs no database and no study. Drawing up a codebook is described in docs/codebook-authoring.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.codebook_diff import diff
from app.cli.codebook_practice import practice
from app.cli.context import JsonFlag, settings
from app.cli.crosswalk import crosswalk
from app.cli.edge import emit
from app.domain.codebook.model import Codebook, Field, Rule
from app.domain.codebook.rules import judge
from app.domain.coding import due_point, intent_window, kind_class
from app.domain.errors import BadInput
from app.readers.case_file import Case, read_case
from app.readers.codebook_file import CodebookFault, check_codebook, find_codebooks, get_codebook
from app.readers.crosswalk_file import find_crosswalks_of, is_crosswalk, load_crosswalk

commands = typer.Typer(
    help="Codebooks: list, show, compare, check files and practice sets, judge one coding, carry codings over.",
    no_args_is_help=True,
)
commands.command("crosswalk")(crosswalk)
commands.command("diff")(diff)
commands.command("practice")(practice)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Folder = Annotated[
    Path | None, typer.Option("--codebooks", help="Folder of codebook files [default: the shipped one].")
]


def summary(codebook: Codebook) -> dict[str, Any]:
    """Return what identifies a codebook: id, version, origin, hash, verdicts and rule ids, in declared order."""
    return {
        "id": codebook.id,
        "version": codebook.version,
        "title": codebook.title,
        "origin": codebook.origin,
        "supersedes": codebook.supersedes,
        "sha256": codebook.sha256,
        "verdicts": [option.code for option in codebook.verdicts],
        "rules": [rule.id for rule in codebook.rules],
    }


@commands.command("list")
def list_(codebooks: Folder = None, as_json: JsonFlag = False) -> None:
    """List the codebooks of the folder.

    Example: saydo codebook list --json
    """
    found = find_codebooks(codebooks or settings().codebook_dir)
    lines = (f"{c.id}-{c.version}  {c.sha256[:12]}  {c.origin}  {len(c.verdicts)} verdicts" for c in found)
    emit([summary(codebook) for codebook in found], as_json, lines)


@commands.command()
def show(
    version: Annotated[str, typer.Argument(help="A version, as 0.5, or with its id, as saydo-0.5.")],
    codebooks: Folder = None,
    as_json: JsonFlag = False,
) -> None:
    """Show one codebook: its fields, labels and rules.

    Example: saydo codebook show 0.5
    """
    codebook = get_codebook(codebooks or settings().codebook_dir, version)
    document = {
        **summary(codebook),
        "fields": [_field(field) for field in codebook.fields],
        "rule_list": [_rule(rule) for rule in codebook.rules],
        "decision_order": list(codebook.decision_order),
        "decision_steps": list(codebook.decision_steps),
        "gap_policies": {name: list(labels) for name, labels in codebook.gap_policies.items()},
        "primary_gap": codebook.primary_gap,
        "ordinal": list(codebook.ordinal),
        "critical_pairs": [list(pair) for pair in codebook.critical_pairs],
        "pooled_fields": list(codebook.pooled_fields),
        "window": dict(codebook.window),
        "harmonised": _harmonised(codebooks or settings().codebook_dir, codebook),
    }
    emit(document, as_json, [*_told(codebook), *_scales(document["harmonised"])])


def _harmonised(folder: Path, codebook: Codebook) -> list[dict[str, Any]]:
    """Return, for every crosswalk that joins this codebook to another, the classes in which they are compared."""
    return [
        {
            "crosswalk": found.id,
            "versions": [found.old.version, found.new.version],
            "classes": [{"class": c.name, "old": list(c.old), "new": list(c.new)} for c in found.harmonised],
        }
        for found in find_crosswalks_of(folder, codebook)
    ]


def _scales(scales: list[dict[str, Any]]) -> Iterator[str]:
    for scale in scales:
        old, new = scale["versions"]
        yield ""
        yield f"Compared across {old} and {new} in these classes only ({scale['crosswalk']}):"
        yield from (f"  {c['class']}: {', '.join(c['old'])} | {', '.join(c['new'])}" for c in scale["classes"])


def _field(field: Field) -> dict[str, Any]:
    return {
        "name": field.name,
        "type": field.type,
        "title": field.title,
        "values": list(field.codes),
        "when": {name: list(allowed) for name, allowed in field.when.items()},
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {"id": rule.id, "level": rule.level, "field": rule.field, "message": rule.message}


def _told(codebook: Codebook) -> Iterator[str]:
    yield f"{codebook.title}  ({codebook.origin})"
    yield f"sha256 {codebook.sha256}"
    yield ""
    for field in codebook.fields:
        shown = "; ".join(f"{name} {' or '.join(allowed)}" for name, allowed in field.when.items()) or "always"
        yield f"{field.name}: {field.title}  [{field.type}, shown: {shown}]"
        for option in field.options:
            yield f"  {option.shape or '-'} {option.code}: {option.definition}"
    yield ""
    for rule in codebook.rules:
        yield f"{rule.id} {rule.level} {rule.field}: {rule.message}"


@commands.command()
def check(
    file: Annotated[Path, typer.Argument(help="A codebook or crosswalk file.")],
    as_json: JsonFlag = False,
) -> None:
    """Check a codebook or crosswalk file: exit 0 sound, 1 it loads with faults to mend, 2 it does not load.

    A crosswalk's codebooks are looked for beside it.

    Example: saydo codebook check codebook/saydo-0.5.yaml
    """
    if is_crosswalk(file):
        found = load_crosswalk(file)
        document = {"id": found.id, "origin": found.origin, "sha256": found.sha256, "ok": True, "faults": []}
        document |= {"from": found.old.version, "to": found.new.version, "rows": [row.id for row in found.rows]}
        emit(document, as_json, [f"{found.id} is sound: {len(found.rows)} rows; {found.sha256}"])
        return
    codebook, faults = check_codebook(file)
    document = {
        **summary(codebook),
        "ok": not faults,
        "faults": [{"line": f.line, "key": f.key, "message": f.sentence, "stops": f.stops} for f in faults],
    }
    emit(document, as_json, _verdict_on(codebook, faults))
    stopping = [fault for fault in faults if fault.stops]
    if stopping:
        others = len(stopping) - 1
        more = f" (and {others} more fault{'s that stop' if others > 1 else ' that stops'} it)" if others else ""
        raise BadInput(f"{stopping[0]}{more}")
    if faults:
        raise typer.Exit(1)


def _verdict_on(codebook: Codebook, faults: tuple[CodebookFault, ...]) -> Iterator[str]:
    yield from (str(fault) for fault in faults)
    if not faults:
        labels = ", ".join(option.code for option in codebook.verdicts)
        yield f"{codebook.id}-{codebook.version} is sound: {labels}; {len(codebook.rules)} rules; {codebook.sha256}"


@commands.command("judge")
def judge_(
    case: Annotated[Path, typer.Argument(help="A case: codebook version, run, claim and coding, as JSON.")],
    codebooks: Folder = None,
    as_json: JsonFlag = False,
) -> None:
    """Judge one coding by the codebook's rules: exit 0 accepted, 1 rejected, 2 the case cannot be read.

    Example: saydo codebook judge case.json --json
    """
    read = read_case(case)
    codebook = get_codebook(codebooks or settings().codebook_dir, read.codebook)
    judgement = judge(codebook, read.run, read.claim, read.coding)
    violations = [
        {"rule": v.rule, "level": v.level, "field": v.field, "message": v.message} for v in judgement.violations
    ]
    document = {
        "accepted": judgement.accepted,
        "violations": violations,
        "derived_tiers": list(judgement.derived_tiers),
        "ignored_keys": list(read.ignored_keys),
        **_where_due(codebook, read),
    }
    lines = [f"{v['rule']} {v['level']} {v['field']}: {v['message']}" for v in violations]
    emit(document, as_json, [*lines, "accepted" if judgement.accepted else "rejected"])
    if not judgement.accepted:
        raise typer.Exit(1)


def _where_due(codebook: Codebook, case: Case) -> dict[str, Any]:
    kind = case.coding.get("claim_kind")
    due = due_point(codebook, case.run, case.claim, kind)
    if kind_class(codebook, kind) != "intent":
        return {"due_turn": due, "intent_window": None}
    window = intent_window(codebook, case.run, case.claim)
    return {
        "due_turn": due,
        "intent_window": {"first": window.first, "last": window.last, "closes_by": window.closes_by},
    }
