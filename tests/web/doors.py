"""The four ways a coding comes in: the form, the JSON interface, the CSV import and the case of `judge`.

Each takes a coding and says what stands against it, through the real routes, services and readers of one installation.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from sqlmodel import select
from starlette.testclient import TestClient

from app.domain.codebook.model import Codebook
from app.domain.codebook.rules import judge
from app.domain.packets.facts import run_from_dicts
from app.readers.case_file import Case, build_case
from app.readers.codebook_file import get_codebook
from app.readers.codings_file import RawCoding, codings_csv, parse_codings
from app.services import people
from app.services.importing import NothingImported, import_codings
from app.storage import studies
from app.storage.engine import Database
from app.storage.tables import CodingRow
from app.web.forms import answer_to_form
from tests.conftest import START
from tests.small_study import actor, publish

OF_THE_STUDY = frozenset({"H32", "W08", "W09", "W10", "W12"})
"""Rules that look at the study or at the rater's earlier codings: the engine alone cannot ask them."""

Told = frozenset[tuple[str, str, str, str]]


@dataclass(frozen=True)
class Answered:
    """What a door says: whether the coding is in, and (rule, level, field, message) of what stands against it.

    The import names no level and no field; there they are empty.
    """

    accepted: bool
    told: Told
    dropped: tuple[str, ...] = field(default=(), compare=False)

    def without(self, rules: frozenset[str]) -> Answered:
        """Return the same without what these rules say; a coding that only they held up counts as in."""
        told = frozenset(one for one in self.told if one[0] not in rules)
        return Answered(self.accepted or (bool(self.told) and not told), told)

    def as_imported(self) -> Answered:
        """Return it as the import tells it."""
        return Answered(self.accepted, frozenset((rule, "", "", message) for rule, _, _, message in self.told))


class _Messages(HTMLParser):
    """Reads the messages of a refused form: rule, level and field from the marks, the sentence from the text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[list[str]] = []
        self._open = 0  # elements open inside the message that is read; 1 is the message itself

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        if tag == "p" and known.get("class", "").startswith("message") and "id" in known:
            self.found.append([known["id"].removeprefix("msg-"), known["class"].split()[1], "", ""])
            self._open = 1
        elif self._open:
            self._open += 1
            self.found[-1][2] = known.get("data-goto", self.found[-1][2])

    def handle_endtag(self, tag: str) -> None:
        self._open = max(self._open - 1, 0)

    def handle_data(self, data: str) -> None:
        if self._open == 1:
            self.found[-1][3] += data


def messages_of(page: str) -> Told:
    """Return what a refused form's page says."""
    reader = _Messages()
    reader.feed(page)
    return frozenset((rule, level, where, said.strip()) for rule, level, where, said in reader.found)


class Doors:
    """One published study under one codebook, its first claim of a kind, and the four doors to it."""

    def __init__(self, app: FastAPI, database: Database, folder: Path, book: tuple[Path, str]) -> None:
        self.database, self.version = database, book[1]
        self.book: Codebook = get_codebook(*book)
        self.study_id = publish(database, folder / "inputs", book[0], codebook=book[1])
        with database.writing() as session:
            people.give_link(session, "r.one", "link", START, 24)
            people.give_api_token(session, "r.one", "token", START)
        self.browser = TestClient(app, base_url="http://127.0.0.1", follow_redirects=False)
        self.browser.__enter__()
        assert self.browser.post("/signin/link").status_code == 303
        self.program = {"Authorization": "Bearer token"}
        self._kept = sqlite3.connect(":memory:")
        with self._opened() as live:
            live.backup(self._kept)

    def close(self) -> None:
        self.browser.__exit__(None, None, None)
        self._kept.close()

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        live = sqlite3.connect(self.database.path)
        try:
            yield live
        finally:
            live.close()

    def restore(self) -> None:
        """Put the study back to where it was published."""
        with self._opened() as live:
            self._kept.backup(live)

    @cached_property
    def claims(self) -> dict[str, dict[str, Any]]:
        """Assignment → the claim as a program reads it, one for each text."""
        found: dict[str, dict[str, Any]] = {}
        packet = self.browser.get("/api/v1/packets", headers=self.program).json()[0]
        page = self.browser.get(f"/rate/packets/{packet['packet_id']}").text
        for assignment_id in dict.fromkeys(part[:64] for part in page.split("/rate/")[1:] if len(part) > 64):
            answer = self.browser.get(f"/api/v1/assignments/{assignment_id}", headers=self.program)
            if answer.status_code == 200:
                found.setdefault(answer.json()["claim"]["text"], {"id": assignment_id, **answer.json()})
        return {one["id"]: one for one in found.values()}

    @cached_property
    def native(self) -> dict[str, str]:
        """Assignment → the claim's native id, as the lead's table of codings names it."""
        from app.storage.tables import AssignmentRow

        with self.database.reading() as session:
            blind = {blind: claim for claim, blind in studies.blind_ids_of(session, self.study_id, "claim").items()}
            rows = session.exec(select(AssignmentRow)).all()
            return {row.id: blind[row.blind_claim_id] for row in rows}

    # ---- the doors --------------------------------------------------------------------------------------------------

    def by_form(self, claim: str, answer: Mapping[str, Any], confirm: tuple[str, ...] = ()) -> Answered:
        data: dict[str, list[str]] = {}
        for name, value in answer_to_form(self.book, answer):
            data.setdefault(name, []).append(value)
        data |= {"confirm": list(confirm), "client_token": ["form"], "revision": ["0"], "action": ["save"]}
        sent = self.browser.post(f"/rate/{claim}", data=data)
        if sent.status_code == 303:
            return Answered(True, frozenset(), self._taken_back(claim))
        assert sent.status_code in (409, 422), sent.text[:500]
        return Answered(False, messages_of(sent.text))

    def by_program(self, claim: str, answer: Mapping[str, Any], confirm: tuple[str, ...] = ()) -> Answered:
        body = {"coding": dict(answer), "client_token": "program", "confirm": list(confirm)}
        sent = self.browser.post(f"/api/v1/assignments/{claim}/coding", json=body, headers=self.program)
        if sent.status_code == 200:
            return Answered(True, frozenset(), self._taken_back(claim))
        told = sent.json()["violations"]
        assert {"rule", "level", "field", "message"} == set(told[0])
        return Answered(False, frozenset((v["rule"], v["level"], v["field"], v["message"]) for v in told))

    def by_table(self, claim: str, answer: Mapping[str, Any], confirm: tuple[str, ...] = ()) -> Answered:
        text = codings_csv([RawCoding(1, self.native[claim], dict(answer), confirm)], self.book)
        rows = parse_codings(text.encode("utf-8"), "codings.csv", self.book)
        lead = actor(self.database, "l.one")
        try:
            with self.database.writing() as session:
                import_codings(session, lead, (self.study_id, "r.one"), rows, START)
        except NothingImported as nothing:
            account = nothing.account
            told = [(rule, "", "", message) for _, rule, message in (*account.rejected, *account.unconfirmed)]
            return Answered(False, frozenset(told))
        return Answered(True, frozenset(), self._taken_back(claim))

    def by_judge(self, claim: str, answer: Mapping[str, Any]) -> Answered:
        """What `judge` says of the case; like a save, warnings are told only where nothing refuses the coding."""
        case = self.case(claim, answer)
        judged = judge(self.book, case.run, case.claim, case.coding)
        against = judged.hard or judged.soft
        return Answered(not against, frozenset((v.rule, v.level, v.field, v.message) for v in against))

    def case(self, claim: str, answer: Mapping[str, Any]) -> Case:
        """Return the case a program would write from what it reads, through the JSON of a case file."""
        served = self.claims[claim]
        run = run_from_dicts(served["turns"], served["coverage"], served["gaps"])
        turns = [{k: v for k, v in asdict(row).items() if k != "matched" and v is not None} for row in run.turns]
        names = ("turn", "text", "unit_parts", "polarity", "scope_end_turn", "conditional", "condition_turn", "target")
        document = {
            "codebook": self.version,
            "run": {"turns": turns, "coverage": served["coverage"], "gaps": list(served["gaps"])},
            "claim": {name: served["claim"][name] for name in names},
            "coding": dict(answer),
        }
        return build_case(json.loads(json.dumps(document)), "case.json")

    def _taken_back(self, claim: str) -> tuple[str, ...]:
        """Return what the stored coding says was dropped, and put the study back."""
        with self.database.reading() as session:
            row = session.exec(select(CodingRow).where(CodingRow.assignment_id == claim)).one()
            dropped = tuple(json.loads(row.dropped_json))
        self.restore()
        return dropped
