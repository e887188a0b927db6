"""Scorecard files and tables: what is read, and that every fault is told by file, line or row, and key or column."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.domain.errors import BadInput, NotFound
from app.domain.scorecard.records import ScoreData, Sheet
from app.readers.scorecard_data import read_scorecard_data
from app.readers.scorecard_spec import load_scorecard, parse_scorecard
from tests.readers.scorecard_folder import SPEC, TABLES, replaced, spec_with, write_folder


def load(path: Path) -> ScoreData:
    return read_scorecard_data(load_scorecard(path), path.parent, path.name)


def refusal(path: Path) -> str:
    with pytest.raises(BadInput) as caught:
        load(path)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


def test_a_small_scorecard_is_read(tmp_path: Path) -> None:
    data = load(write_folder(tmp_path))
    assert [q.question_id for q in data.questions] == ["q1", "q2"]
    assert [answer.valid for answer in data.answers] == [True, False, True, True]
    assert data.sheets[1] == Sheet("m2", "q1", "j1", 1, True, 1, (7.0, 7.5), (("a", "absent"), ("b", "stated")))
    assert data.sheets[2].repeat == 1  # an empty repeat is the first grade, an empty status is valid
    assert data.sheets[2].entries == (("a", "stated"),)
    assert {i.role for i in data.inputs} == {name.removesuffix(".csv") for name in TABLES}


def test_the_original_is_always_there_and_first() -> None:
    spec = parse_scorecard(SPEC.encode(), "s.yaml")
    assert list(spec.scenarios) == ["original", "flat"]
    stated = spec_with("scenarios:", "scenarios:\n  original: {core: 40, precision: 30, ne: 1.5, en: 1.5}")
    assert list(parse_scorecard(stated.encode(), "s.yaml").scenarios) == ["original", "flat"]


SPEC_FAULTS = [
    (("id: small", "id: small\ncolour: red"), "line 2: colour: is no key that is known here"),
    (("id: small\n", ""), "lacks the key id"),
    (("  grades: grades.csv\n", ""), "lacks the key grades"),
    (("  facts: facts.csv\n", ""), "lacks the key facts"),
    (("core: 50", "core: 60"), "line 12: scenarios.flat: core + precision + 10 × (ne + en) is 110 and must be 100"),
    (("core: 50", "core: much"), "line 12: scenarios.flat.core: takes a number"),
    (("core: 50", "core: .nan"), "line 12: scenarios.flat.core: takes a number"),
    (("core: 50, ", ""), "line 12: scenarios.flat: lacks the key core"),
    (("flat: {core: 50", "original: {core: 50"), "line 12: scenarios.original: is the method's own score"),
    (("{draws: 20, seed", "{draws: 0, seed"), "line 16: resampling.ranks.draws: takes a whole number from 1"),
    (("{draws: 20, seed: 20260919}", "{draws: 20}"), "line 16: resampling.ranks: lacks the key seed"),
    (("ranks:", "rank:"), "line 16: resampling.rank: is no key that is known here"),
    (("facts: facts.csv", "facts: ../facts.csv"), "line 5: tables.facts: takes a file inside the data folder"),
    (("facts: facts.csv", "facts: /etc/hosts"), "line 5: tables.facts: takes a file inside the data folder"),
    (("id: small", "id: small\nlanguages: [ne, en, xx]"), "line 2: languages: takes two languages"),
    (("id: small", "id: small\nid: other"), "line 2: id: stands here twice"),
    (("id: small", "id: [small]"), "line 1: id: takes a text"),
    (("id: small", "id: small\nfocus: {name: f, models: [m1, m9]}"), 'focus.models: there is no model "m9"'),
    (("id: small", "id: small\nslices: [{name: a, column: lang, value: ne}]"), 'column "lang" is missing'),
    (("id: small", "id: small\nlength: {columns: [words], unit: words}"), 'column "words" is missing'),
    (("id: small", "id: small\nconsensus_of: 3"), 'column "contributors" is missing'),
    (("id: small", "id: small\nstated_settings: {mode: strict}"), 'column "mode" is missing'),
    (("{draws: 50, seed: 20260917}", "{draws: 100000, seed: 1}"), None),
]


@pytest.mark.parametrize(("change", "sentence"), SPEC_FAULTS, ids=[str(s)[:40] for _, s in SPEC_FAULTS])
def test_a_fault_of_the_file_is_told_with_its_place(
    tmp_path: Path, change: tuple[str, str], sentence: str | None
) -> None:
    path = write_folder(tmp_path, spec=spec_with(*change))
    if sentence is None:
        load(path)
        return
    said = refusal(path)
    assert sentence in said
    assert said.startswith(("scorecard.yaml", "questions.csv", "answers.csv", "facts.csv", "models.csv"))


TABLE_FAULTS = [
    (("questions.csv", "q2\n", "q2\nq2\n"), "questions.csv, row 3, column question_id: question_id q2 stands a second"),
    (("questions.csv", "question_id\nq1\nq2\n", "question_id\n"), "questions.csv: has a header and no rows"),
    (("questions.csv", "question_id\n", "question_id,mood\n"), 'questions.csv: unknown column "mood"'),
    (("facts.csv", "q2,a,core", "q2,a,vital"), 'facts.csv, row 3, column salience: "vital" is not one of'),
    (("facts.csv", "q2,a,core", "q2,a,supporting"), "facts.csv, column salience: question q2 has no core fact"),
    (("facts.csv", "q2,a,core", "q9,a,core"), 'facts.csv, row 3, column question_id: there is no question "q9"'),
    (
        ("facts.csv", "q1,b,supporting", "q1,a,supporting"),
        "facts.csv, row 2, column fact_id: question_id q1, fact_id a",
    ),
    (("facts.csv", ",salience", ""), "facts.csv"),
    (("models.csv", "m2,Model Two,two,h", "m2,Model Two,,h"), "models.csv, row 2, column namespace: the cell is empty"),
    (
        ("models.csv", ",namespace,host\nm1,Model One,one,h\nm2,Model Two,two,h", ",host\nm1,M,h"),
        '"namespace" is missing',
    ),
    (("models.csv", "m2,", "m1,"), "models.csv, row 2, column model_id: model_id m1 stands a second time"),
    (("judges.csv", "j1,Judge One,one,h", "j1,Judge One,one,h\nj2,Judge Two,two,h"), None),
    (("answers.csv", "m2,q2,valid\n", ""), "model m2 has no row for question q2"),
    (("answers.csv", "m2,q2,valid", "m2,q2,maybe"), 'answers.csv, row 4, column status: "maybe" is not one of valid'),
    (
        ("answers.csv", "m2,q2,valid", "m2,q1,valid"),
        "answers.csv, row 4, column question_id: model_id m2, question_id q1",
    ),
    (
        ("sheets.csv", "1,valid,1,7,7.5", "1,valid,1,nan,7.5"),
        'sheets.csv, row 2, column ne_quality: "nan" is not a finite',
    ),
    (("sheets.csv", "1,valid,1,7,7.5", "1,valid,1,inf,7.5"), "column ne_quality"),
    (("sheets.csv", "1,valid,1,7,7.5", "1,valid,1,1e999,7.5"), "column ne_quality"),
    (("sheets.csv", "1,valid,1,7,7.5", "1,valid,1,11,7.5"), "sheets.csv, row 2, column ne_quality: 11 is out of range"),
    (("sheets.csv", "1,valid,1,7,7.5", "1,valid,1,0,7.5"), "from 1 to 10"),
    (("sheets.csv", "1,valid,1,7,7.5", "1,valid,1.5,7,7.5"), 'column unsupported: "1.5" is not a whole number'),
    (("sheets.csv", "1,valid,1,7,7.5", "1,valid,-1,7,7.5"), 'column unsupported: "-1" is not a whole number'),
    (("sheets.csv", "m2,q1,j1,1", "m2,q1,j1,0"), "sheets.csv, row 2, column repeat: takes 1 for the first grade"),
    (
        ("sheets.csv", "m2,q2,j1,,,0,6,6", "m2,q1,j1,1,,0,6,6"),
        "column judge_id: the same sheet stands in sheets.csv, row 2",
    ),
    (("sheets.csv", "m2,q2,j1", "m2,q2,j9"), 'sheets.csv, row 3, column judge_id: there is no judge "j9"'),
    (("sheets.csv", ",en_quality", ",xx_quality"), 'unknown column "xx_quality"'),
    (("grades.csv", "a,absent", "a,maybe"), 'grades.csv, row 3, column label: "maybe" is not one of stated, partial'),
    (("grades.csv", "a,absent", "a,"), "grades.csv, row 3, column label: the cell is empty"),
    (("grades.csv", "a,absent", "a,Absent"), 'column label: "Absent" is not one of'),
    (
        ("grades.csv", "m2,q2,j1,,a", "m2,q2,j1,2,a"),
        "grades.csv, row 5, column judge_id: judge j1 has no sheet 2 of model m2",
    ),
    (("grades.csv", "m2,q2,j1,,a,stated", "m2,q2,j1,,a"), "grades.csv, row 5, column fact_id: the row has 5 cells"),
]


@pytest.mark.parametrize(("change", "sentence"), TABLE_FAULTS, ids=[f"{c[0]} {c[2][:24]!r}" for c, _ in TABLE_FAULTS])
def test_a_fault_of_a_table_is_told_with_file_row_and_column(
    tmp_path: Path, change: tuple[str, str, str], sentence: str | None
) -> None:
    path = write_folder(tmp_path, replaced(*change))
    said = refusal(path)
    assert (sentence or "judge j2 has no valid first grade of any valid answer") in said
    assert change[0] in said or "answers.csv" in said


def test_a_judge_whose_only_grades_are_of_failures_or_failed_has_none(tmp_path: Path) -> None:
    sheets = TABLES["sheets.csv"] + "m1,q2,j2,1,valid,0,5,5\nm1,q1,j2,1,failed,,,\nm1,q1,j2,2,valid,0,5,5\n"
    path = write_folder(tmp_path, {"judges.csv": TABLES["judges.csv"] + "j2,J,two,h\n", "sheets.csv": sheets})
    assert "judges.csv, row 2, column judge_id: judge j2 has no valid first grade" in refusal(path)


def test_a_name_longer_than_any_name_is_refused(tmp_path: Path) -> None:
    path = write_folder(tmp_path, {"questions.csv": "question_id\n" + "7" * 5000 + "\n"})
    assert "questions.csv, row 1, column question_id: 5000 characters are too many" in refusal(path)


def test_no_official_judge_is_refused(tmp_path: Path) -> None:
    judges = "judge_id,display_name,namespace,host,official\nj1,Judge One,one,h,false\n"
    assert "judges.csv, column official: no judge is official" in refusal(
        write_folder(tmp_path, {"judges.csv": judges})
    )


def test_grades_of_a_failed_sheet_are_refused(tmp_path: Path) -> None:
    path = write_folder(tmp_path, replaced("sheets.csv", "m2,q2,j1,,,0,6,6", "m2,q2,j1,,failed,,,"))
    assert "grades.csv, row 5, column judge_id: its sheet is marked as failed" in refusal(path)


def test_defects_of_a_sheet_are_read_and_not_refused(tmp_path: Path) -> None:
    extra = "m1,q1,j1,1,a,absent\nm1,q1,j1,1,zz,stated\n"
    data = load(write_folder(tmp_path, {"grades.csv": TABLES["grades.csv"] + extra}))
    assert data.sheets[0].entries == (("a", "stated"), ("b", "partial"), ("a", "absent"), ("zz", "stated"))


@pytest.mark.parametrize("name", [*TABLES, "scorecard.yaml"])
def test_a_file_that_is_not_there_is_named(tmp_path: Path, name: str) -> None:
    path = write_folder(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises((BadInput, NotFound), match=name.replace(".", r"\.")):
        load(path)


def test_bytes_that_are_not_utf8_are_told_with_their_line(tmp_path: Path) -> None:
    path = write_folder(tmp_path)
    (tmp_path / "grades.csv").write_bytes(TABLES["grades.csv"].encode() + b"m1,q1,j1,1,\xff,stated\n")
    assert refusal(path).startswith("grades.csv, line 7: not UTF-8")


def test_an_undeclared_column_may_be_ignored_by_name(tmp_path: Path) -> None:
    changed = replaced("questions.csv", "question_id\nq1\nq2\n", "question_id,note\nq1,x\nq2,y\n")
    spec = SPEC + "ignored_columns: {questions: [note]}\n"
    assert len(load(write_folder(tmp_path, changed, spec)).questions) == 2


MORE = {
    "calls": ("phase,actor_id,replaced,cost,latency_seconds\ncandidate,m1,false,0.5,\n", "cost", "0.5", "-1"),
    "sources": ("question_id,source_id,publisher\nq1,s1,Post\n", "question_id", "q1", "q9"),
    "reviews": ("model_id,question_id,judge_id,reviewed\nm1,q1,j1,false\n", "reviewed", "false", "no"),
    "saved_scores": ("model_id,metric,value\nm1,effective_mean,47\n", "metric", "effective_mean", "accuracy"),
    "contributors": ("contributor_id,display_name,namespace,host\ng1,Gold,one,here\n", "host", "here", ""),
}


@pytest.mark.parametrize("role", MORE)
def test_optional_tables_are_read_and_their_faults_told(tmp_path: Path, role: str) -> None:
    text, column, old, new = MORE[role]
    spec = spec_with("tables:\n", f"tables:\n  {role}: more.csv\n")
    data = load(write_folder(tmp_path, {"more.csv": text}, spec))
    assert len({"saved_scores": data.saved, **vars(data)}[role]) == 1
    said = refusal(write_folder(tmp_path, {"more.csv": text.replace(old, new)}, spec))
    assert said.startswith(f"more.csv, row 1, column {column}:")


def test_null_costs_are_null_and_infinite_ones_refused(tmp_path: Path) -> None:
    spec = spec_with("tables:\n", "tables:\n  calls: calls.csv\n")
    head = "phase,actor_id,replaced,cost,latency_seconds\n"
    data = load(write_folder(tmp_path, {"calls.csv": head + "judge,j1,true,,\n"}, spec))
    assert data.calls is not None
    assert (data.calls[0].cost, data.calls[0].latency_seconds, data.calls[0].replaced) == (None, None, True)
    said = refusal(write_folder(tmp_path, {"calls.csv": head + "judge,j1,false,1,Infinity\n"}, spec))
    assert 'calls.csv, row 1, column latency_seconds: "Infinity" is not a finite number' in said
    said = refusal(write_folder(tmp_path, {"calls.csv": head + "judge,j1,,1,1\n"}, spec))
    assert "calls.csv, row 1, column replaced: the cell is empty" in said


ENTITIES = "question_id,entity_id,type,surface,aliases\n"


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("q1,e1,place,Ennis Point,Ennis Pt; E. Point\n", None),
        (
            "q1,e1,place,Ennis,\nq1,e2,place,Skerry,ENNIS\n",
            'row 2, column surface: "ENNIS" is also a surface of entity e1',
        ),
        ("q1,e1,place,Ennis,\nq1,e2,vessel,Ennis,\nq2,e1,place,Ennis,\n", None),
        ("q1,e1,place,...,\n", 'row 1, column surface: "..." has no letter or digit'),
        ("q1,e1,place,Ennis,\nq1,e1,place,Skerry,\n", "row 2, column entity_id: question_id q1, entity_id e1"),
    ],
)
def test_gold_entities_mean_one_thing_each(tmp_path: Path, rows: str, sentence: str | None) -> None:
    spec = spec_with("tables:\n", "tables:\n  gold_entities: gold.csv\n  answer_entities: named.csv\n")
    named = "model_id,question_id,type,surface\nm1,q1,place,Ennis\n"
    path = write_folder(tmp_path, {"gold.csv": ENTITIES + rows, "named.csv": named}, spec)
    if sentence is not None:
        assert sentence in refusal(path)
        return
    data = load(path)
    assert data.entities is not None
    assert data.entities[0].surfaces[0].startswith("Ennis")


def test_contributors_are_needed_and_bounded_where_consensus_is_asked_for(tmp_path: Path) -> None:
    spec = SPEC + "consensus_of: 3\n"
    head = "question_id,fact_id,salience,contributors\nq1,a,core,3\nq2,a,core,"
    assert load(write_folder(tmp_path, {"facts.csv": head + "2\n"}, spec)).facts[1].contributors == 2
    assert "row 2, column contributors: the cell is empty" in refusal(
        write_folder(tmp_path, {"facts.csv": head + "\n"}, spec)
    )
    assert "4 contributors are more than the 3" in refusal(write_folder(tmp_path, {"facts.csv": head + "4\n"}, spec))


def nested(tmp_path: Path, *sheets: object) -> Path:
    spec = spec_with("  sheets: sheets.csv\n  grades: grades.csv\n", "  sheets: sheets.jsonl\n")
    lines = "".join(json.dumps(sheet) + "\n" for sheet in sheets)
    return write_folder(tmp_path, {"sheets.jsonl": lines}, spec)


def graded(place: str, **more: object) -> dict[str, object]:
    model, question, judge = place.split()
    facts = [{"fact_id": "a", "label": "stated"}]
    base = {"model_id": model, "question_id": question, "judge_id": judge, "unsupported": 0}
    return {**base, "ne_quality": 8, "en_quality": 7.5, "facts": facts, **more}


def test_sheets_as_json_lines_hold_their_facts(tmp_path: Path) -> None:
    path = nested(tmp_path, graded("m1 q1 j1"), graded("m2 q1 j1", unsupported=None, facts=[]))
    data = load(path)
    assert data.sheets[0] == Sheet("m1", "q1", "j1", 1, True, 0, (8.0, 7.5), (("a", "stated"),))
    assert (data.sheets[1].unsupported, data.sheets[1].entries) == (None, ())


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"facts": [{"fact_id": "a", "label": "maybe"}]}, 'line 1, fact 1, column label: "maybe" is not one of'),
        ({"facts": [{"fact_id": "a"}]}, "line 1, column facts: fact 1 takes an object with fact_id and label"),
        ({"facts": [{"fact_id": 3, "label": "stated"}]}, "line 1, fact 1, column fact_id: the cell is empty"),
        ({"facts": "a"}, "line 1, column facts: takes a list"),
        ({"ne_quality": float("nan")}, 'line 1, column ne_quality: "NaN" is not a finite number'),
        ({"ne_quality": [8]}, "line 1, column ne_quality: takes one value"),
        ({"status": "failed"}, "line 1, column facts: the sheet is marked as failed"),
        ({"mood": "good"}, 'line 1: unknown column "mood"'),
    ],
)
def test_faults_of_json_lines_are_told_with_their_line(tmp_path: Path, more: dict[str, object], sentence: str) -> None:
    assert f"sheets.jsonl, {sentence}" in refusal(nested(tmp_path, graded("m1 q1 j1", **more)))


MANIFEST = "tables:\n  manifest: pins.json\n  copied_intervals: old.csv\n"
OLD = "analysis,first,second,lo,hi,draws,seed\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"files": [{"path": "facts.csv", "sha256": "' + "a" * 64 + '"}]}', None),
        ('{"facts.csv": "' + "a" * 64 + '"}', None),
        ('{"facts.csv": "' + "A" * 64 + '"}', "'facts.csv' has no sha256 of 64 lower-case hex digits"),
        ('{"../facts.csv": "' + "a" * 64 + '"}', "leads out of the data folder"),
        ('{"files": [{"path": "facts.csv"}]}', "every entry of files takes path and sha256"),
        ("[]", "takes an object"),
        ("{", "not valid JSON"),
    ],
)
def test_a_manifest_is_read_or_its_fault_told(tmp_path: Path, text: str, sentence: str | None) -> None:
    spec = spec_with("tables:\n", MANIFEST)
    path = write_folder(tmp_path, {"pins.json": text, "old.csv": OLD + "overall,m1,m2,-1,1,50,\n"}, spec)
    if sentence is not None:
        said = refusal(path)
        assert said.startswith("pins.json")
        assert sentence in said
        return
    data = load(path)
    assert data.manifest is not None
    assert (data.manifest[0].path, data.manifest[0].stated) == ("facts.csv", "a" * 64)
    assert len(data.manifest[0].found or "") == 64


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("overall,m1,m1,-1,1,50,\n", 'column second: "m1" is not another model'),
        ("overall,m1,,-1,1,50,\n", "column second: is empty for effective_mean"),
        ("effective_mean,m1,m2,-1,1,50,\n", "column second: is empty for effective_mean"),
        ("elsewhere,m1,m2,-1,1,50,\n", 'column analysis: "elsewhere" is not one of effective_mean, overall'),
        ("overall,m1,m2,2,1,50,\n", "column hi: the upper limit is below"),
        ("overall,m1,m2,nan,1,50,\n", 'column lo: "nan" is not a finite number'),
        ("overall,m1,m2,,1,50,\n", "column lo: the cell is empty"),
        ("overall,m1,m2,-1,1,0,\n", "column draws: takes the number of resamples"),
    ],
)
def test_faults_of_copied_intervals_are_told(tmp_path: Path, row: str, sentence: str) -> None:
    spec = spec_with("tables:\n", MANIFEST)
    said = refusal(write_folder(tmp_path, {"pins.json": "{}", "old.csv": OLD + row}, spec))
    assert said.startswith("old.csv, row 1, ")
    assert sentence in said


def test_more_draws_than_fit_are_refused_before_anything_is_computed(tmp_path: Path) -> None:
    questions = "question_id\n" + "".join(f"q{i}\n" for i in range(1, 251))
    facts = "question_id,fact_id,salience\n" + "".join(f"q{i},a,core\n" for i in range(1, 251))
    spec = spec_with("{draws: 20, seed: 20260919}", "{draws: 90000, seed: 20260919}")
    said = refusal(write_folder(tmp_path, {"questions.csv": questions, "facts.csv": facts}, spec))
    assert (
        "scorecard.yaml: resampling.ranks.draws: 90000 draws of 250 questions are too many; at most 80000 fit" in said
    )
