"""Exports of four annotation tools as ratings: every form gives the same numbers, and what is unclear is refused."""

from __future__ import annotations

import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.errors import BadInput
from app.domain.stats.document import agreement_document
from app.domain.stats.ratings import Ratings
from app.readers.rating_export import Asked
from app.readers.rating_formats import NAMES, read_any
from tests.readers import rating_exports as made

LABELS = ["backed", "open"]


def write(folder: Path, name: str, content: str | list[Any]) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1), encoding="utf-8")
    return path


def archive(folder: Path, **members: str) -> Path:
    path = folder / "export.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in members.items():
            packed.writestr(f"{name}.jsonl", content)
    return path


def by_line(records: list[dict[str, Any]]) -> str:
    return "\n".join(json.dumps(record) for record in records) + "\n"


FORMS: dict[str, tuple[Callable[[Path], list[Path]], Asked]] = {
    "Label Studio JSON": (lambda f: [write(f, "p.json", made.label_studio_tasks())], Asked()),
    "Label Studio JSON_MIN": (lambda f: [write(f, "p.json", made.label_studio_min())], Asked(label="verdict")),
    "Label Studio CSV": (lambda f: [write(f, "p.csv", made.label_studio_csv())], Asked(label="verdict")),
    "Potato lines": (lambda f: [write(f, "annotated_instances.jsonl", made.potato_lines())], Asked()),
    "Potato exporter lines": (lambda f: [write(f, "annotations.jsonl", made.potato_lines("labels"))], Asked()),
    "Potato folders": (
        lambda f: [write(f, f"{n}/annotated_instances.jsonl", made.potato_folder_lines(n)) for n in (0, 1)],
        Asked(),
    ),
    "Potato TSV": (lambda f: [write(f, "annotated_instances.tsv", made.potato_table())], Asked()),
    "Potato CSV": (lambda f: [write(f, "annotations.csv", made.potato_table(".", "user_id", ","))], Asked()),
    "Argilla records": (lambda f: [write(f, "records.json", made.argilla_records())], Asked()),
    "Argilla lines": (lambda f: [write(f, "records.jsonl", by_line(made.argilla_records()))], Asked()),
    "Argilla flat": (lambda f: [write(f, "records.json", made.argilla_flat())], Asked()),
    "Argilla feedback": (lambda f: [write(f, "records.json", made.argilla_feedback())], Asked()),
    "Argilla hub": (lambda f: [write(f, "records.jsonl", by_line(made.argilla_hub()))], Asked()),
    "doccano files": (lambda f: [write(f, f"m{n}.jsonl", made.doccano_lines(n)) for n in (0, 1)], Asked()),
    "doccano archive": (lambda f: [archive(f, a=made.doccano_lines(0), b=made.doccano_lines(1))], Asked()),
    "doccano with users": (lambda f: [write(f, "all.jsonl", made.doccano_with_users())], Asked()),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_export_gives_the_same_ratings(tmp_path: Path, form: str) -> None:
    paths, asked = FORMS[form][0](tmp_path), FORMS[form][1]
    found = read_any(paths, asked, LABELS)
    assert (len(found.raters), len(found.units)) == (2, 3)
    assert found.codes.tolist() == [[0, 1, 0], [0, 1, 1]]
    assert "question " in found.warnings[0]
    pair = agreement_document(found)["pairs"][0]
    # po = 2/3, pe = (2·1 + 1·2)/9 = 4/9: kappa = (2/3 − 4/9)/(5/9) = 2/5.
    assert pair["cohen_kappa"]["value"] == pytest.approx(0.4)


WITH_RUNS = [
    name for name in FORMS if not name.startswith(("Potato TSV", "Potato CSV", "Potato folders", "doccano with"))
]


@pytest.mark.parametrize("form", WITH_RUNS)
def test_a_run_on_the_items_is_the_cluster(tmp_path: Path, form: str) -> None:
    found = read_any(FORMS[form][0](tmp_path), FORMS[form][1], LABELS)
    assert found.clustered
    assert found.cluster_names == ("r1", "r2")


def read(folder: Path, content: str | list[Any], name: str = "p.json", **asked: str) -> Ratings:
    return read_any([write(folder, name, content)], Asked(**asked))


def test_another_field_of_the_item_may_be_unit_and_run(tmp_path: Path) -> None:
    found = read(tmp_path, made.label_studio_tasks(), unit="claim_id", cluster="text")
    assert found.units == ("c1", "c2", "c3")
    assert found.cluster_names == ("claim 1", "claim 2", "claim 3")
    with pytest.raises(
        BadInput, match=r'task 1 \(id 1\), annotation 1: the item has no "session" for --cluster; it has text'
    ):
        read(tmp_path, made.label_studio_tasks(), cluster="session")


def test_what_a_rater_skipped_is_not_given_and_counted(tmp_path: Path) -> None:
    tasks = made.label_studio_tasks()
    tasks[0]["annotations"][0]["was_cancelled"] = True
    found = read(tmp_path, tasks)
    assert found.codes.tolist() == [[-1, 1, 0], [0, 1, 1]]
    assert "1 annotations were skipped by their rater and are taken as not given" in found.warnings
    rows = made.label_studio_csv().replace('"False"', '"True"', 1)
    assert read(tmp_path, rows, "p.csv", label="verdict").codes.tolist() == [[-1, 1, 0], [0, 1, 1]]


def test_drafts_and_discarded_responses_are_not_given_and_counted(tmp_path: Path) -> None:
    records = made.argilla_flat()
    records[2]["verdict.responses.status"] = ["draft", "discarded"]
    found = read(tmp_path, records)
    assert found.units == ("c1", "c2")
    assert "2 responses are drafts or discarded and are taken as not given" in found.warnings


def test_predictions_and_suggestions_are_nobodys_answer(tmp_path: Path) -> None:
    tasks = made.label_studio_tasks()
    tasks[0]["predictions"] = [{"model_version": "m", "result": [made.choice("verdict", "open")]}]
    assert len(read(tmp_path, tasks).raters) == 2
    assert len(read(tmp_path, made.argilla_records()).raters) == 2


def test_an_answer_that_was_not_given_is_absence(tmp_path: Path) -> None:
    tasks = made.label_studio_tasks()
    tasks[1]["annotations"][1]["result"] = []
    assert read(tmp_path, tasks).codes.tolist() == [[0, 1, 0], [0, -1, 1]]
    empty = made.doccano_lines(0).replace('["open"]', "[]")
    found = read_any([write(tmp_path, "m0.jsonl", empty), write(tmp_path, "m1.jsonl", made.doccano_lines(1))], Asked())
    assert found.codes.tolist() == [[0, -1, 0], [0, 1, 1]]


def test_a_number_reads_the_same_as_its_text(tmp_path: Path) -> None:
    records = made.argilla_records()
    for place, record in enumerate(records):
        record["responses"]["verdict"] = [
            {"value": place, "user_id": "a"},
            {"value": str(place), "user_id": "b"},
        ]
    found = read(tmp_path, records)
    assert found.categories == ("0", "1", "2")
    assert found.codes.tolist() == [[0, 1, 2], [0, 1, 2]]


def test_a_scheme_with_one_field_is_its_value_and_a_tick_is_its_name(tmp_path: Path) -> None:
    lines = by_line(
        [
            {"user_id": u, "instance_id": i, "displayed_text": "", "label_annotations": {"q": {"select": v}}}
            for u in "AB"
            for i, v in (("1", "yes"), ("2", "no"))
        ]
    )
    assert read(tmp_path, lines, "annotated_instances.jsonl").categories == ("no", "yes")
    ticks = lines.replace('{"select": "yes"}', '{"scale_4": "4"}').replace('{"select": "no"}', '{"scale_2": "2"}')
    assert read(tmp_path, ticks, "annotated_instances.jsonl").categories == ("scale_2", "scale_4")
    one_label = lines.replace('{"select": "yes"}', '{"ok": true}').replace('{"select": "no"}', '{"ok": "true"}')
    assert read(tmp_path, one_label, "annotated_instances.jsonl").categories == ("ok",)


def with_second_question(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for task in tasks:
        for annotation in task["annotations"]:
            annotation["result"].append(made.choice("kind", "action"))
    return tasks


def test_several_questions_are_named_and_one_is_picked(tmp_path: Path) -> None:
    tasks = with_second_question(made.label_studio_tasks())
    with pytest.raises(BadInput, match=r"several questions were answered \(verdict, kind\); choose one with --label"):
        read(tmp_path, tasks)
    assert read(tmp_path, tasks, label="kind").categories == ("action",)
    with pytest.raises(BadInput, match='there is no question "colour"; those with answers are verdict, kind'):
        read(tmp_path, tasks, label="colour")


def test_answers_and_task_columns_side_by_side_are_never_guessed(tmp_path: Path) -> None:
    for name, content in (("p.json", made.label_studio_min()), ("p.csv", made.label_studio_csv())):
        with pytest.raises(BadInput) as refused:
            read(tmp_path, content, name)
        told = str(refused.value)
        assert "questions and the items' own columns stand side by side here" in told
        assert "raters of one item differ in verdict" in told
        assert "choose the question with --label" in told


def potato_twice() -> str:
    return made.potato_lines().replace('{"open": "true"}', '{"open": "true", "backed": "true"}', 1)


def label_studio_twice() -> list[dict[str, Any]]:
    tasks = with_second_question(made.label_studio_tasks())
    tasks[1]["annotations"][0]["result"][0] = made.choice("verdict", "open", "backed")
    return tasks


def argilla_twice() -> list[dict[str, Any]]:
    records = made.argilla_records()
    records[1]["responses"]["verdict"][0]["value"] = ["open", "backed"]
    return records


SEVERAL = [
    (
        label_studio_twice,
        "p.json",
        "p.json, task 2 (id 2), annotation 1, question verdict: 2 labels by one rater (open, backed)",
    ),
    (potato_twice, "annotated_instances.jsonl", "annotated_instances.jsonl, line 2, question verdict: 2 labels"),
    (argilla_twice, "records.json", "records.json, record 2 (id c2), user ann@example.org, question verdict: 2 labels"),
    (
        lambda: made.doccano_lines(0).replace('["open"]', '["open", "backed"]'),
        "m.jsonl",
        "m.jsonl, line 2, question label",
    ),
]


@pytest.mark.parametrize(("content", "name", "told"), SEVERAL)
def test_several_labels_by_one_rater_are_refused(
    tmp_path: Path, content: Callable[[], Any], name: str, told: str
) -> None:
    with pytest.raises(BadInput) as refused:
        read(tmp_path, content(), name, label="label" if name == "m.jsonl" else "verdict")
    assert told in str(refused.value)
    assert "one label a rater and item" in str(refused.value)
    assert "choose from with --label are" in str(refused.value)


def spans_of_label_studio() -> list[dict[str, Any]]:
    tasks = made.label_studio_tasks()
    for task in tasks:
        for annotation in task["annotations"]:
            annotation["result"] = [
                {"from_name": "ner", "type": "labels", "value": {"start": 0, "end": 2, "labels": ["X"]}}
            ]
    return tasks


def spans_of_argilla() -> list[dict[str, Any]]:
    records = made.argilla_records()
    for record in records:
        for one in record["responses"]["verdict"]:
            one["value"] = [{"start": 0, "end": 2, "label": "X"}]
    return records


MARKED = [
    (spans_of_label_studio, "p.json", "ner: labels"),
    (spans_of_argilla, "records.json", "verdict: spans or a ranking"),
    (lambda: made.doccano_lines(0).replace('["', '[[0, 2, "').replace('"]', '"]]'), "m.jsonl", "label: spans"),
    (
        lambda: by_line(
            [{"user_id": "a", "instance_id": "1", "label_annotations": {}, "span_annotations": [{"start": 0}]}]
        ),
        "annotated_instances.jsonl",
        "span_annotation: spans",
    ),
]


@pytest.mark.parametrize(("content", "name", "told"), MARKED)
def test_spans_and_rankings_are_refused(tmp_path: Path, content: Callable[[], Any], name: str, told: str) -> None:
    with pytest.raises(BadInput) as refused:
        read(tmp_path, content(), name)
    assert f"no question has labels to compare ({told})" in str(refused.value)


def without(records: list[dict[str, Any]], *path: Any) -> list[dict[str, Any]]:
    node: Any = records
    for step in path[:-1]:
        node = node[step]
    del node[path[-1]]
    return records


BROKEN = [
    (lambda: without(made.label_studio_tasks(), 1, "id"), "p.json", {}, "p.json, task 2: a task needs an id"),
    (
        lambda: without(made.label_studio_tasks(), 1, "annotations", 1, "completed_by"),
        "p.json",
        {},
        "p.json, task 2 (id 2), annotation 2: completed_by does not say who made it",
    ),
    (
        lambda: without(made.label_studio_tasks(), 1, "annotations", 1, "result"),
        "p.json",
        {},
        "annotation 2: an annotation needs a list called result",
    ),
    (
        lambda: made.label_studio_csv().replace(",2,4.2", ",,4.2", 1),
        "p.csv",
        {"label": "verdict"},
        "p.csv, row 3, column id: the row says no task",
    ),
    (
        lambda: made.label_studio_csv().replace(',"False"\n', "\n", 1),
        "p.csv",
        {"label": "verdict"},
        "p.csv, row 1, column was_cancelled: the row has 9 cells and the header 10",
    ),
    (
        lambda: made.potato_lines().replace('"instance_id": "2", ', "", 1),
        "a.jsonl",
        {},
        "a.jsonl, line 2: the line needs",
    ),
    (
        lambda: made.potato_table().replace("bo@example.org\t1", "\t1"),
        "a.tsv",
        {},
        "a.tsv, row 4, column user: the cell is empty",
    ),
    (
        lambda: (
            without(made.argilla_records(), 0, "id")[:0]
            or [{**made.argilla_records()[0], "id": None, "_server_id": None}]
        ),
        "r.json",
        {},
        "r.json, record 1: the record has no id",
    ),
    (
        lambda: without(made.argilla_records(), 1, "responses", "verdict", 0, "user_id"),
        "r.json",
        {},
        "r.json, record 2 (id c2), question verdict: a response names no user",
    ),
    (
        lambda: without(made.argilla_flat(), 1, "verdict.responses.users"),
        "r.json",
        {},
        "question verdict: verdict.responses.users does not name one user a response",
    ),
    (lambda: made.doccano_lines(0).replace('"id": 2, ', ""), "m.jsonl", {}, "m.jsonl, line 2: the line has no id"),
    (
        lambda: made.doccano_with_users().replace(', "user": 2', "", 1),
        "all.jsonl",
        {},
        "all.jsonl, line 1, annotation 2: it does not say which user made it",
    ),
    (lambda: made.doccano_lines(0), "all.jsonl", {}, "a project in shared mode does not say who gave which label"),
    (
        lambda: [{"a": 1}],
        "x.json",
        {},
        "x.json: neither a table nor an export of label-studio, potato, argilla, doccano",
    ),
    (
        lambda: made.doccano_lines(0) + "{broken\n" + made.doccano_lines(1),
        "m.jsonl",
        {},
        "m.jsonl line 4: not valid JSON",
    ),
]


@pytest.mark.parametrize(("content", "name", "asked", "told"), BROKEN)
def test_what_cannot_be_read_names_file_and_place(
    tmp_path: Path, content: Callable[[], Any], name: str, asked: dict[str, str], told: str
) -> None:
    with pytest.raises(BadInput) as refused:
        read(tmp_path, content(), name, **asked)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def feedback_with(values: Any) -> list[dict[str, Any]]:
    records = made.argilla_feedback()
    records[1]["responses"][0]["values"] = values
    return records


@pytest.mark.parametrize("values", [["open"], "open", 3])
def test_a_response_without_values_by_question_is_refused(tmp_path: Path, values: Any) -> None:
    with pytest.raises(BadInput, match=r"record 2 \(id c2\): a response has no values by question"):
        read(tmp_path, feedback_with(values), "r.json")


def test_parquet_is_named_as_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "r.parquet").write_bytes(b"PAR1\x15\x04\xff\xfe\n\x00PAR1")
    with pytest.raises(BadInput, match=r"r\.parquet: this is a Parquet file; give the ratings as CSV"):
        read_any([tmp_path / "r.parquet"], Asked())


def test_the_same_rater_twice_on_one_item_is_refused_with_both_places(tmp_path: Path) -> None:
    tasks = made.label_studio_tasks()
    tasks[0]["annotations"][1]["completed_by"]["email"] = made.RATERS[0]
    with pytest.raises(
        BadInput, match=r"task 1 \(id 1\), annotation 2: rater 'ann@example.org' rates unit '1' a second"
    ):
        read(tmp_path, tasks)


def test_one_members_file_alone_says_what_is_missing(tmp_path: Path) -> None:
    found = read(tmp_path, made.doccano_lines(0), "ann.jsonl")
    assert "this is the file of one member; give the files of all members to compare them" in found.warnings


def test_a_folder_that_stands_for_the_user_is_said(tmp_path: Path) -> None:
    found = read(tmp_path / "ann", made.potato_folder_lines(0), "annotated_instances.jsonl")
    assert found.raters == ("ann",)
    assert "annotated_instances.jsonl names no user; its folder's name 'ann' is taken" in found.warnings


def test_a_table_stays_a_table_whatever_else_stands_in_it(tmp_path: Path) -> None:
    text = "unit,rater,label,annotator,annotation_id,instance_id,user_id\nu1,A,x,1,1,1,1\nu1,B,x,1,1,1,1\n"
    assert read(tmp_path, text, "r.csv").raters == ("A", "B")


def test_a_format_may_be_named_and_must_exist(tmp_path: Path) -> None:
    path = write(tmp_path, "p.csv", made.label_studio_csv())
    with pytest.raises(BadInput, match=r'p\.csv: there is no column "unit"'):
        read_any([path], Asked(), None, "table")
    with pytest.raises(BadInput, match=f"there is no format 'excel' of ratings; known are {', '.join(NAMES)}"):
        read_any([path], Asked(), None, "excel")
    assert read_any([path], Asked(label="verdict"), None, "label-studio").raters == made.RATERS


def test_options_for_tables_are_refused_for_exports(tmp_path: Path) -> None:
    path = write(tmp_path, "p.json", made.label_studio_tasks())
    with pytest.raises(BadInput, match="--rater is for tables; in label-studio the rater is completed_by"):
        read_any([path], Asked(rater="who"))
    table = write(tmp_path, "r.csv", "unit,rater,label\nu,A,x\n")
    with pytest.raises(BadInput, match="a long table is one file"):
        read_any([table, table], Asked())


def told_or_read(paths: list[Path], asked: Asked, format_name: str | None = None) -> None:
    """Either there are ratings, or one sentence says what is wrong."""
    assert "\n" not in refusal_of(paths, asked, format_name)


def refusal_of(paths: list[Path], asked: Asked, format_name: str | None) -> str:
    try:
        read_any(paths, asked, None, format_name)
    except BadInput as refused:
        return str(refused)
    return ""


@given(st.binary(max_size=300), st.sampled_from([None, *NAMES]))
@settings(deadline=None, max_examples=200)
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes, name: str | None) -> None:
    path = tmp_path_factory.mktemp("bytes") / "file.json"
    path.write_bytes(data)
    told_or_read([path], Asked(), name)


@pytest.mark.parametrize(
    "data", [b"PAR1\r\x00\n", b"PK\x03\x04", b"a,b\rc\n", b'"', b"{}", b"[]", b"[1]", b"[[]]", b"null"]
)
def test_odd_beginnings_are_read_or_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "file").write_bytes(data)
    for name in (None, *NAMES):
        told_or_read([tmp_path / "file"], Asked(), name)


ODD = [None, True, -1, 0.5, 10**400, "", "x", "\ud800", [], {}, [[1]], {"a": None}, [None], [{"a": 1}]]
MADE = {
    "label-studio": lambda: [
        made.label_studio_tasks(),
        with_second_question(made.label_studio_tasks()),
        made.label_studio_min(),
    ],
    "potato": lambda: [
        [json.loads(line) for line in made.potato_lines(form).splitlines()] for form in ("labels", "label_annotations")
    ],
    "argilla": lambda: [made.argilla_records(), made.argilla_flat(), made.argilla_feedback(), made.argilla_hub()],
    "doccano": lambda: [
        [json.loads(line) for line in text.splitlines()] for text in (made.doccano_lines(0), made.doccano_with_users())
    ],
}


def odd_copy(document: Any, rng: random.Random) -> Any:
    """Replace one value somewhere in a document, or drop it."""
    node, path = document, []
    while isinstance(node, dict | list) and node:
        key = rng.choice(list(node) if isinstance(node, dict) else range(len(node)))
        path.append((node, key))
        node = node[key]
        if rng.random() < 0.2:
            break
    holder, key = path[-1]
    if isinstance(holder, dict) and rng.random() < 0.3:
        del holder[key]
    else:
        holder[key] = rng.choice(ODD)
    return document


@pytest.mark.parametrize("name", MADE)
def test_no_export_however_odd_breaks_the_reading(tmp_path: Path, name: str) -> None:
    rng = random.Random(name)
    path = tmp_path / "odd.json"
    for form in range(len(MADE[name]())):
        for _ in range(150):
            path.write_text(json.dumps(odd_copy(MADE[name]()[form], rng)), encoding="utf-8")
            told_or_read([path], Asked(), rng.choice([None, name]))
            told_or_read([path], Asked(label="verdict"), name)
