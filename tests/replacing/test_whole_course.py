"""A codebook of another shape, dropped into the folder, carries a study from registration to a verified export.

No line of the application is written for either of the two: what is asked, judged, compared, pooled and printed comes
from the files.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from app.domain.codebook.model import Codebook
from app.readers.codings_file import codings_csv, load_codings
from tests.replacing.books import ACME, ODD_KINDS, ODD_LABELS, acme_answer, odd_answer, odd_book
from tests.replacing.course import Course, refusals

SECRET = "zephyrsecret"
"""Stands in every text the raters of the odd codebook write in their own words."""


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def content(path: Path) -> str:
    """Return what a file says, the cells of a Parquet file included."""
    if path.suffix != ".parquet":
        return path.read_text(encoding="utf-8")
    import pyarrow.parquet as pq

    return str(pq.read_table(path).to_pylist())


def finish(course: Course, out: Path, *options: str, who: str = "l.one") -> Mapping[str, Any]:
    """Close, export and verify; return the manifest."""
    course.done("study", "phase", "small", "close", "--as", "l.one")
    course.done("export", "small", "--dir", out, "--as", who, *options)
    assert course.done("verify", out) == {
        "ok": True,
        "checked": course.done("verify", out)["checked"],
        "mismatches": [],
    }
    return json.loads((out / "manifest.json").read_text(encoding="utf-8"))


def drawn(page: str, book: Codebook) -> None:
    """See every question and every option of the codebook on the page, under its own words."""
    for field in book.fields:
        assert f'data-field="{field.name}"' in page
        for option in field.options:
            assert f'name="{field.name}" value="{option.code}"' in unescape(page)


class TestAcme:
    """No codability, no kinds, bare turns called lines, an ordinal harm, policies called strict and lenient."""

    def answer(self, words: str, harm: str) -> Mapping[str, Any]:
        given = acme_answer(words, harm)
        return {**given, "proofreader": "me"} if harm == "grave" and "harm" in given else given

    @pytest.fixture
    def coded(self, course: Course) -> tuple[Course, Codebook, dict[str, Any]]:
        book = course.put_book(ACME, "acme-1.0.yaml")
        people = course.register(codebook="1.0", title="Another book", blinding={"terms": ["zephyr"]})
        for name, harm in (("r.one", "some"), ("r.two", "grave")):
            assert course.code_and_lock(people[name], book, lambda words, h=harm: self.answer(words, h)) == 6
        return course, book, people

    def test_check_list_and_show_know_it(self, course: Course) -> None:
        course.put_book(ACME, "acme-1.0.yaml")
        assert course.done("codebook", "check", course.books / "acme-1.0.yaml")["ok"]
        assert [c["id"] for c in course.done("codebook", "list")] == ["acme"]
        shown = course.done("codebook", "show", "1.0")
        assert (shown["primary_gap"], shown["ordinal"]) == ("strict", ["broken", "bent", "kept"])

    def test_the_form_draws_it_and_its_rules_judge_what_is_sent(self, course: Course) -> None:
        book = course.put_book(ACME, "acme-1.0.yaml")
        rater = course.register(codebook="acme-1.0")["r.one"]
        place = rater.get("/rate").text.split("/rate/")[-1].split('"')[0].split("#")[0]
        place = f"/rate/{course.first_claim(rater)}"
        page = rater.get(place).text
        drawn(page, book)
        refused = course.post(rater, place, book, {"verdict": "bent", "lines": [5, 99], "remark": "no"}, page)
        assert refused.status_code == 422
        told = " ".join(refusals(refused.text))
        assert "A2 Cite a line before the claim." in told
        assert "A3 Say what harm it did." in told
        warned = course.post(rater, place, book, {**acme_answer("The tests", "grave")}, refused.text)
        assert warned.status_code == 409
        assert "A4 Grave harm is read twice." in " ".join(refusals(warned.text))
        hidden = {**acme_answer("The tests"), "verdict": "kept"}
        assert course.post(rater, place, book, hidden, warned.text).status_code == 303, "harm is hidden, and dropped"
        assert rater.get(place).text.count("checked") == 1

    def test_its_own_policies_are_registered_and_others_refused(self, course: Course) -> None:
        course.put_book(ACME, "acme-1.0.yaml")
        course.register(codebook="1.0")
        page = course.done("study", "status", "small", "--as", "l.one")
        assert not [gate for gate in page["gates"] if "codability" in gate["name"]]
        for policies, said in (
            ({"gaps": ["G2"]}, '"G2" is not one of lenient, strict, G4'),
            ({"primary": {"gap": "G2"}}, '"G2" is not among the declared gaps'),
        ):
            course.refused("study", "create", course.study_file(codebook="1.0", policies=policies), says=said)

    def test_agreement_uses_its_labels_and_its_ordinal_scale(
        self, coded: tuple[Course, Codebook, dict[str, Any]]
    ) -> None:
        course, _, people = coded
        found = course.done("agreement", "--study", "small", "--as", "l.one")
        assert set(found) == {"verdict", "harm", "gap_class", "verdict_backward", "verdict_intents"}
        verdict, harm = found["verdict"]["1.0"], found["harm"]["1.0"]
        assert verdict["categories"] == ["kept", "bent", "broken", "open"]
        assert (harm["level"], harm["categories"]) == ("ordinal", ["nil", "some", "grave"])
        pair = harm["pairs"][0]
        assert pair["n"] == 2
        assert pair["confusion"] == [[0, 0, 0], [0, 0, 2], [0, 0, 0]]
        assert "krippendorff_alpha_ordinal" in harm["overall"]
        # Nobody has kinds, so every claim looks back and none is an intent.
        assert found["verdict_backward"]["1.0"]["pairs"][0]["n"] == 6
        assert found["verdict_intents"]["1.0"]["pairs"][0]["n"] == 0
        for page in ("agreement", "disagreements", ""):
            assert people["l.one"].get(f"/studies/small/{page}".rstrip("/")).status_code == 200

    def test_it_is_adjudicated_closed_exported_and_verified(
        self, coded: tuple[Course, Codebook, dict[str, Any]], tmp_path: Path
    ) -> None:
        course, book, people = coded
        course.done("study", "phase", "small", "adjudicate", "--as", "l.one")
        # Broken is a gap of the primary policy: two claims by rule, and one plain agreement as the audit.
        assert course.adjudicate(people["a.one"], book, lambda words: self.answer(words, "grave"), "A3") >= 2
        manifest = finish(course, tmp_path / "out")
        assert manifest["codebook"]["labels"] == ["kept", "bent", "broken", "open"]
        assert manifest["policies"]["primary"]["gap"] == "strict"
        pooled = table(tmp_path / "out" / "rater_pooled.csv")
        assert {"gap_strict", "gap_lenient", "harm"} <= set(pooled[0])
        assert "gap_g2" not in pooled[0]
        by_label = {row["pooled_verdict"]: row for row in pooled}
        assert set(by_label) == {"kept", "broken", "open"}
        assert by_label["broken"]["adj_rule"] == "A3"
        assert {row["pooled_codability"] for row in pooled} == {""}
        assert (by_label["kept"]["evidence_turns"], by_label["kept"]["best_tier"]) == ("2;3", "T1")
        # One label and two opinions on the harm: no value is made up for the column.
        assert (by_label["broken"]["gap_strict"], by_label["broken"]["harm"]) == ("true", "")
        long = table(tmp_path / "out" / "rater_long.csv")
        assert {row["harm"] for row in long if row["verdict"] == "broken"} == {"some", "grave"}
        assert (by_label["kept"]["credit"], by_label["open"]["credit"]) == ("1.0", "")
        rates = {
            (row["gap"], row["claims"]): (row["num"], row["den"])
            for row in table(tmp_path / "out" / "gaps.csv")
            if row["primary"] == "true"
        }
        # Two of each label: two broken among four decided claims that look back.
        assert rates == {("strict", "backward"): ("2", "4"), ("strict", "intents"): ("0", "0")}
        report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
        assert "strict" in report
        assert "broken + bent" in report or "bent + broken" in report

    def test_its_page_and_its_rules_can_be_read(self, course: Course) -> None:
        course.put_book(ACME, "acme-1.0.yaml")
        people = course.register(codebook="1.0")
        for place in ("/codebook/1.0", "/studies/small/codebook"):
            page = people["r.one"].get(place)
            assert page.status_code == 200
            assert "Grave harm is read twice." in unescape(page.text)


class TestOdd:
    """Thirty labels of all scripts without credit, kinds, no gap policy; citations, search, flags and words renamed."""

    @pytest.fixture
    def coded(self, course: Course) -> tuple[Course, Codebook, dict[str, Any]]:
        book = course.put_book(odd_book(), "odd-2.0.yaml")
        people = course.register(codebook="2.0", title="Another book", repeats=0.2)
        for name, label in (("r.one", ODD_LABELS[4]), ("r.two", ODD_LABELS[7])):
            n = course.code_and_lock(people[name], book, lambda words, given=label: odd_answer(words, given))
            assert n >= 6
        return course, book, people

    def test_check_finds_it_sound(self, course: Course) -> None:
        course.put_book(odd_book(), "odd-2.0.yaml")
        assert course.done("codebook", "check", course.books / "odd-2.0.yaml")["faults"] == []
        assert len(course.done("codebook", "list")[0]["verdicts"]) == 30

    def test_the_form_draws_and_keeps_every_label(self, course: Course) -> None:
        book = course.put_book(odd_book(), "odd-2.0.yaml")
        rater = course.register(codebook="2.0")["r.one"]
        place = f"/rate/{course.first_claim(rater)}"
        drawn(rater.get(place).text, book)
        for revision, label in enumerate(ODD_LABELS):
            answer = odd_answer("I edited" if label in ODD_LABELS[:2] else "The tests", label)
            answer = {**answer, "verdict": label, "claim_kind": ODD_KINDS[2] if label == "Ω" else ODD_KINDS[1]}
            sent = course.post(rater, place, book, answer, rater.get(place).text, revision=str(revision), confirm="W12")
            assert sent.status_code == 303, refusals(sent.text)
            assert f'value="{label}" checked' in unescape(rater.get(place).text).replace(
                f'" data-key="{book.verdicts[revision].key}"', '"'
            )
        wrong = {**answer, "verdict": "Ω", "claim_kind": ODD_KINDS[0]}
        assert course.post(rater, place, book, wrong, rater.get(place).text, revision="30").status_code == 422

    def test_it_is_adjudicated_closed_exported_and_verified(
        self, coded: tuple[Course, Codebook, dict[str, Any]], tmp_path: Path
    ) -> None:
        course, book, people = coded
        course.done("study", "phase", "small", "adjudicate", "--as", "l.one")
        assert course.adjudicate(people["a.one"], book, odd_answer, "O3") >= 2
        manifest = finish(course, tmp_path / "out")
        assert manifest["codebook"]["credit"] == dict.fromkeys(ODD_LABELS)
        assert manifest["policies"]["gaps"] == []
        assert table(tmp_path / "out" / "gaps.csv") == []
        pooled = table(tmp_path / "out" / "rater_pooled.csv")
        by_label = {row["pooled_verdict"] or row["pooled_codability"]: row for row in pooled}
        assert set(by_label) == {ODD_LABELS[0], ODD_LABELS[4], "not_codable"}
        sound = by_label[ODD_LABELS[0]]
        assert (sound["pooled_codability"], sound["pooled_kind"]) == ("Behauptung", ODD_KINDS[0])
        assert (sound["evidence_turns"], sound["best_tier"], sound["sicherheit"]) == ("3;5", "stark", "ja, schon")
        assert by_label[ODD_LABELS[4]]["flags"] == "naïf;später, vielleicht"
        long = table(tmp_path / "out" / "rater_long.csv")
        assert {"evidence", "search_from", "search_to", "flags", "sicherheit", "worte"} <= set(long[0])
        assert not {"stellen", "wo", "marken"} & set(long[0])
        assert {(row["search_from"], row["search_to"]) for row in long if row["verdict"] == ODD_LABELS[0]} == {
            ("0", "6")
        }
        agreement = json.loads((tmp_path / "out" / "agreement.json").read_text(encoding="utf-8"))
        assert agreement["verdict"]["2.0"]["categories"] == [*ODD_LABELS, "not_codable"]
        assert agreement["sicherheit"]["2.0"]["level"] == "ordinal"
        report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
        assert ODD_LABELS[4] in unescape(report)
        assert "<b>fett</b>" not in report
        assert not [path.name for path in (tmp_path / "out").iterdir() if SECRET in content(path)]
        self.see_what_leaves_when_asked_for(course, book, tmp_path / "own")
        page = people["r.one"].get("/codebook/2.0")
        assert page.status_code == 200
        assert ODD_LABELS[4] in unescape(page.text)

    def see_what_leaves_when_asked_for(self, course: Course, book: Codebook, out: Path) -> None:
        """The custodian's export with notes: free text is in it, and its codings read back byte for byte."""
        course.done("export", "small", "--dir", out, "--as", "c.one", "--notes", "--private")
        assert SECRET in (out / "rater_long.csv").read_text(encoding="utf-8")
        rows = load_codings(out / "codings.csv", book)
        assert codings_csv(rows, book).encode("utf-8") == (out / "codings.csv").read_bytes()
        edited = next(row for row in rows if row.answer.get("verdict") == ODD_LABELS[0])
        assert edited.answer == odd_answer("I edited")


def test_a_codebook_without_rules_is_adjudicated_by_its_sections(course: Course) -> None:
    """It judges nothing, and a decision still names what it rests on."""
    book = course.put_book(ACME[: ACME.index("  rules:")], "acme-1.0.yaml")
    people = course.register(codebook="1.0")
    for name in ("r.one", "r.two"):
        course.code_and_lock(people[name], book, acme_answer)
    course.done("study", "phase", "small", "adjudicate", "--as", "l.one")
    assert course.adjudicate(people["a.one"], book, acme_answer, "section 3") >= 2
    assert '<input name="rule"' in course.seen


def test_a_blinding_leak_reported_by_flags_of_another_name_pauses_the_claim(course: Course) -> None:
    """The odd codebook has no field called note: nothing can ask for one."""
    book = course.put_book(odd_book(), "odd-2.0.yaml")
    rater = course.register(codebook="2.0")["r.one"]
    place = f"/rate/{course.first_claim(rater)}"
    answer = {**odd_answer("The tests"), "marken": ["blinding_leak"]}
    assert course.post(rater, place, book, answer, rater.get(place).text).status_code == 303
    assert rater.get(place).status_code == 409
