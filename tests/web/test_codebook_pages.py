"""The codebook's pages: a version of the folder, a study's registered text, a search without scripts, two versions."""

from __future__ import annotations

import html
import re
import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.config import Settings, codebook_dir
from app.domain.codebook.crosswalk_conditions import CONDITIONS
from app.domain.codebook.crosswalk_wording import spoken_conditions
from app.domain.codebook.document import document_of, entries_of
from app.domain.codebook.search import Found, find
from app.readers.codebook_file import get_codebook
from app.storage.engine import Database
from app.web.marking import marked
from app.web.markup import visible
from tests.domain.codebook.test_third_codebook import ACME
from tests.services.practising import Rater
from tests.small_study import actor, publish
from tests.web.conftest import Client


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    """An installation whose folder of codebooks is its own and can be changed."""
    folder = tmp_path / "codebooks"
    shutil.copytree(codebook_dir(), folder)
    (folder / "acme-1.0.yaml").write_text(ACME, encoding="utf-8")
    return settings.model_copy(update={"codebook_dir": folder})


def text_of(answer: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer)).split())


def shown_entries(answer: str) -> set[str]:
    """The addresses of the entries that the page leaves in sight."""
    found = re.findall(r'<div class="(?:entry|head)([^"]*)" (?:id|data-entry)="([^"]+)"', answer)
    return {anchor for css, anchor in found if "is-out" not in css}


def get(browser: TestClient, path: str, status: int = 200) -> str:
    answer = browser.get(path)
    assert answer.status_code == status, answer.text[:400]
    return answer.text


@pytest.mark.parametrize("name", ["0.4", "0.5", "saydo-0.5", "1.0"])
def test_a_version_is_shown_whole_with_what_identifies_it(
    client: Client, settings: Settings, name: str, study_id
) -> None:
    book = get_codebook(settings.codebook_dir, name)
    page = get(client("r.one"), f"/codebook/{name}")
    words = text_of(page)
    assert {entry.anchor for entry in entries_of(book)} == shown_entries(page)
    for told in (book.sha256, book.version, book.origin, book.title):
        assert told in words
    for rule in book.rules:
        assert rule.message.replace("{what}", "…") in words
    for asked in book.fields:
        for option in asked.options:
            for told in (option.definition, *option.include, *option.exclude):
                assert " ".join(told.split()) in words


def test_the_search_without_scripts_marks_counts_and_hides(client: Client, settings: Settings, study_id) -> None:
    book = get_codebook(settings.codebook_dir, "0.5")
    found = find(document_of(book), "stale evidence")
    page = get(client("r.one"), "/codebook/0.5?q=stale+evidence")
    assert shown_entries(page) == set(found.hits)
    assert f"{found.n_hits} places in {len(found.hits)} entries" in text_of(page)
    shown = [part for part in re.split(r'(?=<div class="(?:entry|head))', page) if "is-out" not in part[:80]]
    assert sum(part.count("<mark>") for part in shown) == found.n_hits
    assert 'value="stale evidence"' in page
    assert 'href="/codebook/0.5">Show the whole codebook' in page


def test_a_search_that_finds_nothing_says_so(client: Client, study_id) -> None:
    page = get(client("r.one"), "/codebook/0.5?q=zzzz")
    assert "Nothing in this codebook holds this word." in text_of(page)
    assert shown_entries(page) == set()
    assert "<mark>" not in page


def test_what_is_looked_for_never_becomes_markup(client: Client, study_id) -> None:
    page = get(client("r.one"), "/codebook/0.5?q=%3Cscript%3Ealert(1)%3C/script%3E%20%22%3E%3Cb%3E")
    assert "<script>alert" not in page
    assert "<b>&" not in page


def test_a_rater_reads_the_text_registered_with_the_study(
    client: Client, settings: Settings, database: Database, study_id
) -> None:
    """The file is changed after registration: the study's page keeps the text that counts, and says so."""
    registered = get_codebook(settings.codebook_dir, "0.5")
    browser = client("r.one")
    same = text_of(get(browser, "/studies/small/codebook"))
    assert "is the same" in same
    assert registered.sha256 in same
    path = settings.codebook_dir / "saydo-0.5.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("A number differs.", "A count differs."), encoding="utf-8")
    changed = get_codebook(settings.codebook_dir, "0.5")
    kept = text_of(get(browser, "/studies/small/codebook"))
    assert "A number differs." in kept
    assert "A count differs." not in kept
    assert "has changed since" in kept
    assert registered.sha256 in kept
    assert changed.sha256 in kept
    folder = text_of(get(browser, "/codebook/0.5"))
    assert "A count differs." in folder
    assert "A small study is coded under another text of this version" in folder
    path.write_text("codebook: [", encoding="utf-8")
    assert "cannot be read any more" in text_of(get(browser, "/studies/small/codebook"))
    path.unlink()
    assert "holds no file of this version" in text_of(get(browser, "/studies/small/codebook"))


def test_who_has_no_part_in_a_study_does_not_learn_of_it(
    client: Client, database: Database, study_id, tmp_path
) -> None:
    assert "no study" in text_of(get(client("o.one"), "/studies/small/codebook", 404))
    assert "no study" in text_of(get(client("r.one"), "/studies/other/codebook", 404))
    assert "A small study" not in get(client("o.one"), "/codebook/0.5")


def test_every_link_of_a_study_leads_to_its_registered_text(client: Client, study_id) -> None:
    starts = {"r.one": "/rate", "l.one": "/studies", "c.one": "/studies"}
    for name, start in starts.items():
        browser, seen, todo = client(name), set(), [start]
        while todo:
            path = todo.pop()
            if path in seen or "/codebook" in path:
                continue
            seen.add(path)
            page = browser.get(path).text
            links = re.findall(r'href="(/[^"#?]*)', page)
            assert not [link for link in links if link.startswith("/codebook/")], path
            todo += [link for link in links if link.startswith(("/rate", "/studies"))]
            if path.startswith(("/rate/", "/studies/small")) and path != "/studies/new":
                assert "/studies/small/codebook" in page, path


def test_messages_and_definitions_lead_to_their_place(client: Client, study_id) -> None:
    browser = client("r.one")
    place = re.search(r'href="(/rate/[0-9a-f]{64})', get(browser, "/rate"))
    assert place is not None
    refused = browser.post(
        place[1], data={"action": "save", "codability": "codable", "client_token": "t", "revision": "0"}
    )
    book = get(browser, "/studies/small/codebook")
    ids = set(re.findall(r' id="([^"]+)"', book))
    asked = set(re.findall(r'href="/studies/small/codebook#([^"]+)"', refused.text))
    assert {"rule-H02", "rule-H11", "label-verdict-UNBACKED", "field-materiality"} <= asked
    assert asked <= ids


@pytest.mark.parametrize("pair", [("0.4", "0.5"), ("0.5", "0.4"), ("saydo-0.5", "acme-1.0"), ("0.5", "0.5")])
def test_two_versions_stand_side_by_side(client: Client, pair: tuple[str, str], study_id) -> None:
    page = get(client("a.one"), f"/codebook/{pair[0]}/compare/{pair[1]}")
    assert ("<del>" in page) == (pair[0] != pair[1])
    assert len(re.findall(r"<h1", page)) == 1
    if pair[0] == pair[1]:
        assert text_of(page).count("Nothing here differs.") == 11


def test_the_crosswalk_stands_beside_the_labels_it_joins(client: Client, settings: Settings, study_id) -> None:
    page = text_of(get(client("l.one"), "/codebook/0.4/compare/0.5"))
    assert "What becomes of a coding MATCHED, by the crosswalk" in page
    assert "C08 any coded again the label was split" in page
    assert "C10" in page
    assert "unverifiable (unverifiable reason cut or redacted)" in page
    backwards = text_of(get(client("l.one"), "/codebook/0.5/compare/0.4"))
    assert "by the crosswalk" not in backwards
    (settings.codebook_dir / "crosswalk-0.4-0.5.yaml").unlink()
    assert "by the crosswalk" not in text_of(get(client("l.one"), "/codebook/0.4/compare/0.5"))


def test_every_condition_of_a_crosswalk_has_its_phrase() -> None:
    assert spoken_conditions() == frozenset(CONDITIONS)


def test_a_version_that_is_not_there_says_which_are(client: Client, study_id) -> None:
    assert "saydo-0.5" in text_of(get(client("r.one"), "/codebook/9.9", 404))
    get(client("r.one"), "/codebook/0.5/compare/9.9", 404)


def test_a_broken_neighbour_keeps_no_version_from_being_read(client: Client, settings: Settings, study_id) -> None:
    (settings.codebook_dir / "broken-2.0.yaml").write_text("codebook: {id: broken", encoding="utf-8")
    get(client("r.one"), "/codebook/0.5")


def test_a_study_under_the_teams_own_codebook_shows_it(
    client: Client, settings: Settings, database: Database, tmp_path: Path
) -> None:
    publish(database, tmp_path / "inputs", settings.codebook_dir, codebook="1.0")
    page = text_of(get(client("r.one"), "/studies/small/codebook"))
    assert "Did the assistant keep its word?" in page
    assert "acme quality team" in page


def test_a_marked_place_is_escaped_like_the_rest() -> None:
    """A team's own file may hold anything; what is found in it stays text."""
    told = marked("a <b>bold</b> & a <i>\u202e", Found("<b> a", ("<b>", "a")))
    assert told == (
        "<mark>a</mark> <mark>&lt;b&gt;</mark>bold&lt;/b&gt; &amp; <mark>a</mark> &lt;i&gt;" + str(visible("\u202e"))
    )
    assert marked("a<b>", Found()) == "a&lt;b&gt;"


def test_practice_leads_to_the_text_registered_with_the_raters_study(
    client: Client, database: Database, tmp_path: Path, study_id: str
) -> None:
    rater = Rater(database, actor(database, "r.one"))
    rater.read()
    attempt = rater.open("training")
    page = get(client("r.one"), f"/practice/{attempt}/1")
    assert 'href="/studies/small/codebook" target="codebook"' in page
    assert 'href="/codebook/' not in page
