"""Bad input: exit 2, one sentence that names file, row and column, no traceback, and nothing half-written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from app.cli import ALONE, GROUPS, build_cli, run
from app.config import Settings
from app.main import create_app
from app.storage.engine import Database
from tests.conftest import START
from tests.small_study import add_people, write_inputs

Saydo = Callable[..., tuple[int, str, str]]
TABLES = ("study", "study_member", "study_input", "seal_key", "frozen_claim", "frozen_run", "packet", "audit_event")


@pytest.fixture
def saydo(settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Saydo:
    """The command on one test's own installation: (exit code, stdout, stderr)."""
    monkeypatch.setenv("SAYDO_DATABASE_URL", settings.database_url)
    monkeypatch.setenv("SAYDO_DATA_DIR", str(settings.data_dir))
    monkeypatch.setenv("SAYDO_USER", "l.one")

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["saydo", *words])
        code = run(build_cli(create_app, lambda: START))
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def inputs(database: Database, tmp_path: Path) -> Path:
    """The small study's files, its people added."""
    with database.writing() as session:
        add_people(session)
    write_inputs(tmp_path / "in")
    return tmp_path / "in"


def rows(database: Database) -> dict[str, int]:
    with database.reading() as session:
        count = session.connection().exec_driver_sql
        return {table: count(f"SELECT count(*) FROM {table}").scalar() or 0 for table in TABLES}


def one_sentence(err: str, *named: str) -> None:
    assert len(err.strip().splitlines()) == 1, err
    assert "Traceback" not in err
    for words in named:
        assert words in err, err


def change_claim(folder: Path, **changes: object) -> None:
    path = folder / "claims.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    lines[1] |= changes
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n", encoding="utf-8")


def change_study(folder: Path, change: Callable[[dict], dict]) -> None:
    path = folder / "study.yaml"
    path.write_text(json.dumps(change(json.loads(path.read_text(encoding="utf-8"))), indent=1), encoding="utf-8")


def as_csv(folder: Path) -> None:
    (folder / "turnlog.parquet").write_text("session_id,turn_index,role,text\ns,0,user,hi\n", encoding="utf-8")


def truncated(folder: Path) -> None:
    path = folder / "turnlog.parquet"
    path.write_bytes(path.read_bytes()[:3000])


def doubled(folder: Path) -> None:
    """Write the same session and turn twice, past the checks of our own writer."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(folder / "turnlog.parquet")
    pq.write_table(pa.concat_tables([table, table.slice(3, 1)]), folder / "turnlog.parquet")


BROKEN: Mapping[str, tuple[Callable[[Path], object], tuple[str, ...]]] = {
    "span off by one": (lambda f: change_claim(f, span_start=19), ("claims.jsonl", "row 2", "span")),
    "claim on a missing turn": (lambda f: change_claim(f, turn_index=99), ("claims.jsonl", "row 2", "turn_index")),
    "claim in a missing session": (lambda f: change_claim(f, session_id="x"), ("claims.jsonl", "row 2", "session_id")),
    "claim id twice": (lambda f: change_claim(f, claim_id="edit1"), ("claims.jsonl", "row 2", "claim_id")),
    "unknown study key": (lambda f: change_study(f, lambda s: {**s, "sede": 1}), ("study.yaml", "line", "sede")),
    "missing study key": (lambda f: change_study(f, lambda s: {k: s[k] for k in s if k != "seed"}), ("seed",)),
    "no such codebook": (lambda f: change_study(f, lambda s: {**s, "codebook": "0.9"}), ("0.9",)),
    "log that is not there": (lambda f: (f / "turnlog.parquet").unlink(), ("turnlog.parquet",)),
    "CSV given as parquet": (as_csv, ("turnlog.parquet",)),
    "truncated parquet": (truncated, ("turnlog.parquet",)),
    "empty log": (lambda f: (f / "turnlog.parquet").write_bytes(b""), ("turnlog.parquet", "empty")),
    "empty claims": (lambda f: (f / "claims.jsonl").write_bytes(b""), ("claims.jsonl",)),
    "a turn twice": (doubled, ("turnlog.parquet", "row", "turn_index")),
    "calibration declared": (
        lambda f: change_study(f, lambda s: {**s, "calibration": "c.csv"}),
        ("calibration", "line"),
    ),
}


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_a_study_that_does_not_hold_leaves_nothing(name: str, saydo: Saydo, inputs: Path, database: Database) -> None:
    before = rows(database)
    breaking, named = BROKEN[name]
    breaking(inputs)
    code, out, err = saydo("study", "create", str(inputs / "study.yaml"))
    assert (code, out) == (2, "")
    one_sentence(err, *named)
    assert rows(database) == before


def test_the_unbroken_study_is_created(saydo: Saydo, inputs: Path, database: Database) -> None:
    """The cases above would prove nothing if the files did not hold to begin with."""
    code, out, err = saydo("study", "create", str(inputs / "study.yaml"), "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["phase"] == "freeze"
    assert rows(database)["frozen_claim"] == 6


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (("study", "status", "nothing"), 2, "nothing"),
        (("packets", "build", "nothing"), 2, "nothing"),
        (("study", "create", "/nowhere/study.yaml"), 2, "study.yaml"),
        (("user", "add", "x y", "--role", "rater"), 2, "x y"),
        (("user", "add", "x", "--role", "boss"), 2, "boss"),
        (("user", "link", "nobody"), 2, "nobody"),
        (("verify", "/nowhere"), 2, "/nowhere"),
        (("export", "nothing", "--dir", "x"), 2, "nothing"),
        (("nonsense",), 2, "nonsense"),
        (("study", "create"), 2, "file"),
        (("serve", "--port", "zero"), 2, "--port"),
    ],
)
def test_bad_usage_is_told_in_a_sentence(
    words: tuple[str, ...], code: int, named: str, saydo: Saydo, inputs: Path
) -> None:
    found, out, err = saydo(*words)
    assert (found, out) == (code, "")
    one_sentence(err)
    assert named in err


def test_acting_as_nobody_says_what_to_do(saydo: Saydo, inputs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saydo("study", "create", str(inputs / "study.yaml"))
    monkeypatch.delenv("SAYDO_USER")
    code, _, err = saydo("study", "status", "small")
    assert code == 2
    one_sentence(err, "--as", "SAYDO_USER")


def test_a_gate_that_says_no_is_exit_one(saydo: Saydo, inputs: Path) -> None:
    saydo("study", "create", str(inputs / "study.yaml"))
    for words in (
        ("packets", "publish", "small"),
        ("study", "phase", "small", "close"),
        ("agreement", "--study", "small"),
    ):
        code, _, err = saydo(*words)
        assert code == 1, words
        one_sentence(err)


def test_every_command_has_help_with_an_example(saydo: Saydo) -> None:
    _, out, _ = saydo("--help")
    groups = re.findall(r"^  ([a-z]+)  ", out.split("Commands:")[1], re.MULTILINE)
    assert sorted(groups) == sorted([*GROUPS, *ALONE])
    for group in groups:
        _, text, _ = saydo(group, "--help")
        commands = re.findall(r"^  ([a-z]+)  ", text.split("Commands:")[1], re.MULTILINE) if "Commands:" in text else []
        for words in [(group, command) for command in commands] or [(group,)]:
            code, shown, _ = saydo(*words, "--help")
            assert code == 0
            assert "Example: saydo " + " ".join(words) in " ".join(shown.split()), words


def test_a_log_without_a_turn_is_no_log(saydo: Saydo, tmp_path: Path) -> None:
    """Not a row: neither the canonical form nor a hand-made one says anything of what was done."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from app.domain.turnlog.schema import SCHEMA

    hand_made = pa.schema(
        [("session_id", pa.string()), ("turn_index", pa.int64()), ("role", pa.string()), ("text", pa.string())]
    )
    for schema in (SCHEMA, hand_made):
        pq.write_table(schema.empty_table(), tmp_path / "empty.parquet")
        code, _, err = saydo("log", "check", str(tmp_path / "empty.parquet"))
        assert code == 2
        one_sentence(err, "empty.parquet", "no turn")
