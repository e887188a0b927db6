"""`report.html`: one offline file, every section, every number with its n/N, and no word that judges a kappa."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from app.domain.export.tables import StudyTables, study_tables
from app.domain.record import StudyRecord
from app.services.report import report_html
from app.services.report_numbers import number, ratio, told
from app.services.report_plan import planned_versus_completed
from tests.domain.export.records import codebook
from tests.services.studies import study

REGISTRATION = "id: pilot-1\ntitle: <script>alert(1)</script> & \u202eturned\nseed: 1\n"
DECLARED = {
    "state_at_writing": "nothing was looked at",
    "thresholds": {"kappa": 0.7, "kappa_lower": 0.6, "codability": 0.7, "intra_rater": 0.8},
    "repeats": 0.05,
    "amendments": [{"at": "2026-07-26", "text": "wave two"}],
}


class Page(HTMLParser):
    """Collects text, tags and attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend(attrs)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture(scope="module")
def made() -> StudyRecord:
    return study(30, registration=DECLARED, registration_text=REGISTRATION)


@pytest.fixture(scope="module")
def tables(made: StudyRecord) -> StudyTables:
    return study_tables(made)


@pytest.fixture(scope="module")
def html(made: StudyRecord, tables: StudyTables) -> str:
    return report_html(made, tables, []).decode("utf-8")


def test_it_is_one_file_that_loads_and_runs_nothing(html: str) -> None:
    page = Page(html)
    assert not {"script", "link", "img", "iframe", "object", "embed", "form", "base"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name in ("src", "srcset", "style") or name.startswith("on")]
    assert all(value and value.startswith("#") for name, value in page.attributes if name == "href")
    assert not re.search(r"https?://|url\(|@import", html)
    assert "default-src 'none'" in html


def test_its_own_style_is_the_one_its_policy_allows(html: str) -> None:
    import base64
    import hashlib

    style = html.split("<style>")[1].split("</style>", maxsplit=1)[0]
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    assert f"'sha256-{digest}'" in html.replace("&#43;", "+").replace("&#34;", '"')


def test_the_registration_stands_verbatim_and_harmless(html: str) -> None:
    text = "".join(Page(html).text)
    assert REGISTRATION.replace("\u202e", "⟦U+202E⟧") in text
    assert "<script>" not in html
    assert "\u202e" not in html


def test_every_section_is_there(html: str) -> None:
    headings = re.findall(r"<h2>([0-9AB]+ [^<]+)</h2>", html)
    assert headings == [
        "1 Registration",
        "2 Planned and completed",
        "3 Additions",
        "4 Inputs and hashes",
        "5 Accounting",
        "6 Reliability",
        "7 Disagreements",
        "8 Gaps",
        "9 Exploratory",
        "10 Boundaries",
        "11 What this does not show",
        "A Every gap policy",
        "B Files beside this report",
    ]
    assert "wave two" in html


def test_the_sums_and_the_kappa_are_those_of_the_export(html: str, tables: StudyTables) -> None:
    for line in tables.accounting["sums"]:
        assert line["text"] in html
    pair = tables.agreement["verdict"]["0.5"]["pairs"][0]
    exact = pair["exact_agreement"]
    assert number(pair["cohen_kappa"]["value"]) in html
    assert ratio(exact["num"], exact["den"], exact["value"]) in html
    cells = re.findall(r'<td class="n h\d(?: agrees)?">(\d+)</td>', html)
    assert [int(n) for n in cells] == [n for row in pair["confusion"] for n in row]


def test_every_gap_rate_of_every_policy_is_shown_with_its_denominator(html: str, tables: StudyTables) -> None:
    appendix = html.split('id="policies"')[1]
    shown = re.findall(r'<td class="n[^"]*">([^<]+)</td>', appendix.split('id="files"')[0])
    wanted = [ratio(row["num"], row["den"], row["value"]) for row in tables.gaps]
    assert sorted(shown) == sorted(wanted)
    assert all(re.fullmatch(r"(undefined|-?[0-9.]+) \([0-9.]+/[0-9]+\)", rate) for rate in shown)


def test_no_adjective_is_given_to_an_agreement(html: str) -> None:
    text = " ".join(Page(html.split("</style>")[1]).text).lower()
    for word in ("substantial", "moderate", "almost perfect", "excellent", "good agreement", "poor", "fair", "slight"):
        assert not re.search(rf"\b{word}\b", text)


def test_a_stand_in_codebook_is_said_to_be_one(html: str, made: StudyRecord) -> None:
    assert "origin: authored-stand-in" in html
    own = study(6, book=codebook(origin="team"))
    assert "stand-in written for" not in report_html(own, study_tables(own), []).decode("utf-8")


def test_an_unfinished_study_says_so_first(html: str, tables: StudyTables) -> None:
    assert tables.accounting["open"] > 0
    assert f"<strong>Not finished.</strong> {tables.accounting['open']} of 30 claims open" in html


def test_what_was_planned_stands_beside_what_was_done(made: StudyRecord, tables: StudyTables) -> None:
    status = {gate.name: gate.status for gate in planned_versus_completed(made, tables)}
    assert status["Codebook"] == status["Locks"] == status["Coding"] == "done"
    assert status["Adjudication"] == "partly"
    assert status["Hidden repeats"] == "not recorded"
    assert status["Training"] == status["Qualification"] == "not met"
    assert status["Controls"] == "not planned"
    kappa = tables.agreement["verdict"]["0.5"]["pairs"][0]["cohen_kappa"]
    assert status["κ of the verdict"] == ("met" if kappa["value"] >= 0.7 else "not met")
    lower = status["Lower 95 % bound of κ of the verdict"]
    assert lower == ("met" if kappa["ci95"][0] >= 0.6 else "not met")


def test_the_same_record_gives_the_same_bytes(made: StudyRecord, tables: StudyTables) -> None:
    assert report_html(made, tables, []) == report_html(made, study_tables(made), [])


def test_numbers_are_rounded_half_to_even_and_undefined_is_said() -> None:
    assert [number(v) for v in (0.0005, 0.0015, -0.0, -0.00004, None)] == [
        "0.000",
        "0.002",
        "0.000",
        "0.000",
        "undefined",
    ]
    assert ratio(1.5, 4, 0.375) == "0.375 (1.5/4)"
    assert told({"value": None, "undefined_reason": "no_overlap"}) == "undefined: no unit was rated twice"
