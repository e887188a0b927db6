"""Whatever is wrong with a codebook file: exit 2, one sentence that names file, line and key, and nothing loaded.

The files are small and whole but for one thing. Those that could hang or eat memory are read in a process of their own,
with a bound on both.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli import build_cli, run
from app.config import codebook_dir
from app.main import create_app
from app.readers.codebook_file import find_codebooks, get_codebook, load_codebook
from app.storage.engine import Database
from tests.conftest import Clock
from tests.small_study import PEOPLE, write_inputs

Call = Callable[..., tuple[int, str, str]]

SOUND = """codebook:
  id: small
  version: "1"
  origin: a test
  title: Small
  decision_order: ["yes", "no"]
  gap_policies: {strict: ["no"]}
  primary_gap: strict
  fields:
    - name: verdict
      type: enum
      options:
        - {code: "yes", key: y}
        - {code: "no", key: n}
    - {name: why, type: text, when: {verdict: ["no"]}}
    - {name: depth, type: enum, when: {verdict: ["no"]}, options: [{code: deep}]}
    - {name: marks, type: flags, options: [{code: odd}]}
  rules:
    - {id: R1, level: hard, field: why, when: {verdict: ["no"]}, require: [{present: why}], message: "Say why."}
"""

# name → (what stands in the sound file, what is put in its place, line told, key told, words of the sentence)
WRONG: dict[str, tuple[str, str, int, str, str]] = {
    "a cycle over two fields": (
        '- {name: why, type: text, when: {verdict: ["no"]}}\n    - {name: depth, type: enum, when: {verdict: ["no"]}, ',
        "- {name: why, type: enum, options: [{code: a}], when: {depth: [deep]}}\n"
        "    - {name: depth, type: enum, when: {why: [a]}, ",
        15,
        "codebook.fields[1].when",
        "a cycle",
    ),
    "a field shown by itself": (
        '{name: depth, type: enum, when: {verdict: ["no"]}',
        "{name: depth, type: enum, when: {depth: [deep]}",
        16,
        "codebook.fields[2].when",
        "a cycle",
    ),
    "a field twice": ("name: marks", "name: why", 17, "codebook.fields[3].name", "why is a field already"),
    "an option twice": (
        '{code: "no", key: n}',
        '{code: "yes", key: n}',
        14,
        "codebook.fields[0].options[1].code",
        "yes is an option of verdict already",
    ),
    "a flag twice": (
        "[{code: odd}]",
        "[{code: odd}, {code: odd}]",
        17,
        "codebook.fields[3].options[1].code",
        "odd is an option of marks already",
    ),
    "a rule twice": (
        'message: "Say why."}\n',
        'message: "Say why."}\n    - {id: R1, level: soft, field: why, require: [{never: true}], message: x}\n',
        20,
        "codebook.rules[1].id",
        "R1 is a rule already",
    ),
    "a key twice": ("  origin: a test\n", "  origin: a test\n  origin: b\n", 5, "codebook.origin", "stands here twice"),
    "a key twice far down": (
        "level: hard,",
        "level: hard, level: soft,",
        19,
        "codebook.rules[0].level",
        "stands here twice",
    ),
    "a rule on an unknown field": (
        "field: why, when",
        "field: who, when",
        19,
        "codebook.rules[0].field",
        "who is no field",
    ),
    "a rule on an unknown label": (
        'when: {verdict: ["no"]}, require',
        "when: {verdict: [nay]}, require",
        19,
        "codebook.rules[0].when",
        "nay is no value of verdict",
    ),
    "an unknown predicate": (
        "{present: why}",
        "{exists: why}",
        19,
        "codebook.rules[0].require[0]",
        "there is no such predicate",
    ),
    "a predicate on an unknown field": (
        "{present: why}",
        "{present: who}",
        19,
        "codebook.rules[0].require[0]",
        "names no field",
    ),
    "a policy on an unknown label": (
        'strict: ["no"]}',
        "strict: [nay]}",
        7,
        "codebook.gap_policies.strict",
        "nay is no label",
    ),
    "a policy called as the credit mean": (
        '["no"]}',
        '["no"], G4: ["no"]}',
        7,
        "codebook.gap_policies.G4",
        "the mean credit",
    ),
    "two policies of one column": (
        '{strict: ["no"]}',
        '{strict: ["no"], Strict: ["yes"]}',
        7,
        "codebook.gap_policies.Strict",
        "a gap policy is named",
    ),
    "a version that is a number": ('version: "1"', "version: 1.0", 3, "codebook.version", "put numbers"),
    "a version that is a date": ('version: "1"', "version: 2026-01-01 10:00", 3, "codebook.version", "letters, digits"),
    "an id that is true": ("id: small", "id: true", 2, "codebook.id", "takes a text"),
    "a title that is a list": ("title: Small", "title: [Small]", 5, "codebook.title", "takes a text"),
    "policies that are a list": (
        'gap_policies: {strict: ["no"]}',
        "gap_policies: [strict]",
        7,
        "codebook.gap_policies",
        "takes a mapping",
    ),
    "an order that is a word": (
        'decision_order: ["yes", "no"]',
        "decision_order: yes",
        6,
        "codebook.decision_order",
        "takes a list",
    ),
    "an unknown key": ("  title: Small\n", "  title: Small\n  colour: red\n", 6, "codebook.colour", "is no key"),
    "a missing key": ("  title: Small\n", "", 1, "codebook", "lacks the key title"),
    "a merge key": ("  title: Small\n", "  title: Small\n  <<: {text: x}\n", 6, "codebook.<<", "is no key"),
    "an anchor": ("title: Small", "title: &t Small", 5, "", "anchors and aliases"),
    "an alias": ("title: Small", "title: *t", 5, "", "anchors and aliases"),
    "a merge of an anchor": ("  title: Small\n", "  title: Small\n  <<: *base\n", 6, "", "anchors and aliases"),
    "a tag": ("title: Small", "title: !!python/name:os.system", 5, "", "tags"),
    "a tab": ("  title: Small", "\ttitle: Small", 5, "", "a tab"),
    "a tab inside": ("title: Small", "title: Sm\tall", 5, "", "a tab"),
    "a NUL byte": ("title: Small", "title: Sm\0all", 5, "", "control character U+0000"),
    "a bell": ("title: Small", "title: Sm\x07all", 5, "", "control character U+0007"),
    "half of a pair": ("title: Small", 'title: "\\ud83d"', 5, "", ""),
    "a second document": ("  title: Small\n", "  title: Small\n---\na: b\n", 0, "", ""),
    "an open bracket": ("title: Small", "title: [Small", 6, "", "is not YAML"),
    "a label with a semicolon": (
        'code: "no", key',
        'code: "no;yes", key',
        14,
        "codebook.fields[0].options[1].code",
        "semicolon",
    ),
    "a label a spreadsheet runs": (
        'code: "no", key',
        'code: "=no", key',
        14,
        "codebook.fields[0].options[1].code",
        "letter or digit",
    ),
    "a label of two lines": (
        'code: "no", key',
        'code: "no\\nyes", key',
        14,
        "codebook.fields[0].options[1].code",
        "one line",
    ),
    "a label in pieces": ('code: "no", key', 'code: "no\u0308", key', 14, "codebook.fields[0].options[1].code", "NFC"),
    "a field named as a column": (
        "name: why",
        "name: position",
        15,
        "codebook.fields[1].name",
        "column, condition or control",
    ),
    "a field named as a control": (
        "name: why",
        "name: reason",
        15,
        "codebook.fields[1].name",
        "column, condition or control",
    ),
    "a field named as a pooled column": ("name: why", "name: pooled_p2", 15, "codebook.fields[1].name", "looks like"),
    "a text named as the citations": (
        "name: why",
        "name: evidence",
        15,
        "codebook.fields[1].name",
        "column of a field of type turn_list",
    ),
    "a text named as a question": (
        "name: why",
        "name: severity",
        15,
        "codebook.fields[1].name",
        "column of a field of type enum",
    ),
    "too many options": (
        "[{code: odd}]",
        "[" + ", ".join(f"{{code: o{n}}}" for n in range(600)) + "]",
        17,
        "codebook.fields[3].options",
        "at most 500",
    ),
    "too many fields": (
        "  rules:\n",
        "".join(f"    - {{name: f{n}, type: text}}\n" for n in range(200)) + "  rules:\n",
        9,
        "codebook.fields",
        "at most 100",
    ),
}
# Files as bytes: name → (bytes, words of the sentence, which names the line)
BYTES: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "line 1: holds nothing"),
    "only a comment": (b"# nothing here\n", "line 1: holds nothing"),
    "only a byte order mark": (b"\xef\xbb\xbf", "line 1: holds nothing"),
    "a list at the top": (b"- codebook\n", "line 1: the file: takes a mapping"),
    "a word at the top": (b"codebook\n", "line 1: the file: takes a mapping"),
    "null at the top": (b"null\n", "line 1: the file: takes a mapping"),
    "an empty codebook": (b"codebook:\n", "line 1: codebook: takes a mapping"),
    "another file": (b"crosswalks: {}\n", "line 1: crosswalks: is no key"),
    "no UTF-8": (b"codebook:\n  id: \xff\n", "line 2: is not UTF-8"),
    "UTF-16": (SOUND.encode("utf-16"), "line 1: is not UTF-8"),
    "Latin-1": (SOUND.replace("Small", "Größe").encode("latin-1"), "line 5: is not UTF-8"),
    "a zip": (b"PK\x03\x04" + bytes(60), "line 1: "),
    "nested too deeply": (b"codebook: " + b"[" * 60 + b"]" * 60, "line 1: "),
    "nested without end": (b"codebook: " + b"[" * 200_000, "line 1: "),
    "mappings without end": (b"codebook: " + b"{a: " * 50_000, "line 1: "),
    "laughs": (
        b"a: &a [x, x]\n" + b"".join(b"b%d: &b%d [*a, *a, *a]\n" % (n, n) for n in range(60)),
        "line 1: anchors",
    ),
    "one key of two megabytes": (b"codebook:\n  " + b"k" * 1_900_000 + b": 1\n", "line 2: "),
    "ten megabytes": (b"codebook: " + b"x" * 9_999_990, "10000000 bytes long"),
}


@pytest.fixture
def saydo(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Call the assembled command in this process; returns exit code, stdout and stderr."""

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["saydo", *map(str, arguments)])
        code = run(build_cli(create_app, Clock()))
        told = capsys.readouterr()
        return code, told.out, told.err

    return call


def broken(name: str) -> str:
    there, instead, _, _, _ = WRONG[name]
    assert SOUND.count(there) == 1 or there in ("name: why", "title: Small", '["no"]}'), there
    return SOUND.replace(there, instead, 1)


def test_the_sound_file_is_sound(saydo: Call, tmp_path: Path) -> None:
    path = tmp_path / "small-1.yaml"
    path.write_text(SOUND, encoding="utf-8")
    assert saydo("codebook", "check", path)[0] == 0


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_in_a_file_is_told_with_its_place(saydo: Call, tmp_path: Path, name: str) -> None:
    path = tmp_path / "small-1.yaml"
    path.write_bytes(broken(name).encode("utf-8"))
    code, _, err = saydo("codebook", "check", path, "--json")
    assert code == 2
    assert err.count("\n") == 1
    _, _, line, key, words = WRONG[name]
    assert words in err
    place = re.match(r"small-1\.yaml line (\d+): (\S+: )?", err)
    assert place, err
    assert not line or int(place[1]) == line, err
    assert not key or err.startswith(f"small-1.yaml line {line}: {key}: "), err
    # Every way in refuses it, whole.
    asked = "2026-01-01 10:00" if "date" in name else "1"
    for load in (lambda: load_codebook(path), lambda: find_codebooks(tmp_path), lambda: get_codebook(tmp_path, asked)):
        with pytest.raises(Exception, match=re.escape(f"small-1.yaml line {place[1]}")):
            load()


@pytest.mark.parametrize("name", BYTES)
def test_what_is_no_codebook_at_all_is_told_in_a_sentence(saydo: Call, tmp_path: Path, name: str) -> None:
    path = tmp_path / "small-1.yaml"
    path.write_bytes(BYTES[name][0])
    code, out, err = saydo("codebook", "check", path, "--json")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith("small-1.yaml ")
    assert BYTES[name][1] in err
    assert len(err) < 400


def test_several_faults_are_listed_and_the_first_is_told(saydo: Call, tmp_path: Path) -> None:
    path = tmp_path / "small-1.yaml"
    path.write_text(SOUND.replace("field: why, when", "field: who, when").replace("name: marks", "name: why"))
    code, out, err = saydo("codebook", "check", path)
    assert code == 2
    assert out.count("small-1.yaml line ") == 2
    assert err == out.splitlines()[0] + " (and 1 more fault that stops it)\n"


@pytest.mark.parametrize("command", ["check", "judge"])
def test_a_folder_or_a_file_that_is_not_there(saydo: Call, tmp_path: Path, command: str) -> None:
    for path, words in ((tmp_path, "it is no file"), (tmp_path / "absent.yaml", "there is no file")):
        code, out, err = saydo("codebook", command, path)
        assert (code, out) == (2, "")
        assert words in err
        assert err.count("\n") == 1


def _bounded() -> None:
    """One and a half gigabytes of address space and thirty seconds of processor time."""
    resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, 1_500_000_000))
    resource.setrlimit(resource.RLIMIT_CPU, (30, 30))


HOSTILE = """
import sys
from pathlib import Path
from app.domain.errors import SaydoError
from app.readers.codebook_file import check_codebook
for name in sys.argv[1:]:
    try:
        check_codebook(Path(name))
        print("sound")
    except SaydoError as error:
        print(" ".join(str(error).split())[:300])
"""


def hostile_files(folder: Path) -> dict[str, str]:
    """Make files that would hang a careless reader or eat its memory; name → words of the refusal."""
    os.mkfifo(folder / "pipe.yaml")
    (folder / "zero.yaml").symlink_to("/dev/zero")
    (folder / "round.yaml").symlink_to("round.yaml")
    brackets = "codebook: [" + "[],[]," * 300_000 + "]"
    (folder / "brackets.yaml").write_text(brackets, encoding="utf-8")
    keys = "codebook:\n" + "".join(f"  k{n}: 1\n" for n in range(150_000))
    (folder / "keys.yaml").write_text(keys, encoding="utf-8")
    order = SOUND.replace('["yes", "no"]', "[" + '"yes", ' * 250_000 + '"no"]', 1)
    (folder / "order.yaml").write_text(order, encoding="utf-8")
    ladder = "".join(
        f"    - {{name: f{n}, type: enum, options: [{{code: a}}], when: {{f{n - 1}: [a], f{n - 2}: [a]}}}}\n"
        for n in range(2, 90)
    )
    steps = "".join(f"    - {{name: f{n}, type: enum, options: [{{code: a}}]}}\n" for n in (0, 1))
    (folder / "ladder.yaml").write_text(SOUND.replace("  rules:\n", steps + ladder + "  rules:\n"), encoding="utf-8")
    crowd = SOUND.replace("[{code: odd}]", "[" + ", ".join(f"{{code: o{n}}}" for n in range(500)) + "]")
    crowd += "".join(
        f"    - {{id: S{n}, level: hard, field: why, when: {{marks: [o{n}]}}, message: x, "
        "require: [{present: why}]}\n"
        for n in range(499)
    )
    (folder / "crowd.yaml").write_text(crowd, encoding="utf-8")
    with zipfile.ZipFile(folder / "packed.yaml", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("codebook", b"\0" * 20_000_000)
    return {
        "pipe.yaml": "it is no file",
        "zero.yaml": "it is no file",
        "round.yaml": "cannot be read",
        "brackets.yaml": "line 1: codebook: takes a mapping",
        "keys.yaml": "line 2: codebook.k0: is no key",
        "order.yaml": "at most 2000",
        "ladder.yaml": "sound",
        "crowd.yaml": "sound",
        "packed.yaml": "packed.yaml line 1: ",
    }


def test_nothing_hangs_or_eats_memory(tmp_path: Path) -> None:
    expected = hostile_files(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", HOSTILE, *(str(tmp_path / name) for name in expected)],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
        preexec_fn=_bounded,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told = dict(zip(expected, done.stdout.splitlines(), strict=True))
    assert {name: words in told[name] for name, words in expected.items()} == dict.fromkeys(expected, True), told


class TestStudyCreate:
    """A study names a version; what is wrong with its file stops the registration before anything is stored."""

    @pytest.fixture
    def installed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, saydo: Call) -> Path:
        books = tmp_path / "books"
        books.mkdir()
        monkeypatch.setenv("SAYDO_DATABASE_URL", f"sqlite:///{tmp_path / 'saydo.db'}")
        monkeypatch.setenv("SAYDO_DATA_DIR", str(tmp_path / "data"))
        monkeypatch.setenv("SAYDO_CODEBOOK_DIR", str(books))
        for name, role in PEOPLE.items():
            assert saydo("user", "add", name, "--role", role)[0] == 0
        return books

    @pytest.mark.parametrize("name", ["a rule twice", "a tab", "a cycle over two fields", "a version that is a number"])
    def test_a_broken_codebook_registers_nothing(self, installed: Path, tmp_path: Path, saydo: Call, name: str) -> None:
        (installed / "small-1.yaml").write_text(broken(name), encoding="utf-8")
        study = write_inputs(tmp_path / "inputs", codebook="1")
        code, out, err = saydo("study", "create", study, "--as", "l.one")
        assert (code, out) == (2, "")
        assert "small-1.yaml line " in err
        assert err.count("\n") == 1
        database = Database(f"sqlite:///{tmp_path / 'saydo.db'}")
        with database.reading() as session:
            from app.storage import studies

            assert studies.list_studies(session) == []
        database.close()

    def test_a_pipe_or_a_device_in_the_folder_is_passed_over(
        self, installed: Path, tmp_path: Path, saydo: Call
    ) -> None:
        os.mkfifo(installed / "a.yaml")
        (installed / "b.yaml").symlink_to("/dev/zero")
        (installed / "small-1.yaml").write_text(SOUND, encoding="utf-8")
        study = write_inputs(tmp_path / "inputs", codebook="1")
        code, out, err = saydo("study", "create", study, "--as", "l.one", "--json")
        assert (code, err) == (0, "")
        assert json.loads(out)["id"] == "small"

    @pytest.mark.parametrize("text", ["&a b: c\n", "\tid: x\n", "- a\n", "", "id: x\nid: y\n", "id: [[[\n", "\0"])
    def test_a_broken_study_file_is_told_like_a_broken_codebook(
        self, installed: Path, tmp_path: Path, saydo: Call, text: str
    ) -> None:
        (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
        code, out, err = saydo("study", "create", tmp_path / "study.yaml", "--as", "l.one")
        assert (code, out) == (2, "")
        assert err.startswith("study.yaml line ")
        assert err.count("\n") == 1


def test_the_shipped_folder_itself_loads() -> None:
    assert {book.version for book in find_codebooks(codebook_dir())} >= {"0.4", "0.5"}
