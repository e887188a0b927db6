"""Codebook files: the released ones never change, and whatever is wrong with one is told with file, line and key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.domain.errors import BadInput, NotFound
from app.readers.codebook_file import check_codebook, find_codebooks, get_codebook, load_codebook
from app.readers.located_yaml import parse_yaml

FOLDER = Path(__file__).resolve().parents[2] / "codebook"
# SHA-256 over the canonical JSON of what stands under `codebook`. A released file never changes: when one of these
# goes red, the change belongs into a new version.
RELEASED = {
    "0.4": "b4b80cdb4b0d4f7a19ba5875dd9999333d5580507cc8b155227ff97abf688bbd",
    "0.5": "76ff951305fd1d45642a8b0978f84c4abaddd1e09004efaee52ad6b3bcd2928f",
}
SMALL = """codebook:
  id: small
  version: "1"
  origin: a test
  title: Small
  kinds: {backward: [did], forward: [will]}
  decision_order: [not_codable, yes, no]
  gap_policies: {G: [no]}
  primary_gap: G
  ordinal: [no, yes]
  critical_pairs: [[no, yes]]
  pooled_fields: [why]
  window: {mode: first_of, max_action_turns: 3}
  fields:
    - name: codability
      type: enum
      options: [{code: codable, key: c}, {code: not_codable, key: n}]
    - name: claim_kind
      type: enum
      when: {codability: [codable]}
      options: [{code: did}, {code: will}]
    - name: verdict
      type: enum
      when: {codability: [codable]}
      options: [{code: yes, key: y, shape: "+"}, {code: no, key: n, shape: "-"}]
    - name: why
      type: text
      when: {verdict: [no]}
    - name: evidence
      type: citation_list
      when: {codability: [codable]}
      roles: {for: "is so", against: "is not so"}
      tiers: {A: "strong", B: "weak"}
    - name: flags
      type: flags
      options: [{code: odd}]
  rules:
    - id: R1
      level: hard
      field: why
      when: {verdict: [no]}
      require: [{present: why}]
      message: "Say why."
"""


def write(tmp_path: Path, text: str, name: str = "small-1.yaml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(tmp_path: Path, text: str) -> str:
    with pytest.raises(BadInput) as caught:
        load_codebook(write(tmp_path, text))
    told = str(caught.value)
    assert "\n" not in told
    assert "small-1.yaml" in told
    return told


class TestReleasedFiles:
    @pytest.mark.parametrize("version", sorted(RELEASED))
    def test_a_released_file_never_changes(self, version: str) -> None:
        assert get_codebook(FOLDER, version).sha256 == RELEASED[version]

    @pytest.mark.parametrize("version", sorted(RELEASED))
    def test_it_is_sound_and_says_that_it_is_a_stand_in(self, version: str) -> None:
        codebook, faults = check_codebook(FOLDER / f"saydo-{version}.yaml")
        assert faults == ()
        assert codebook.origin == "authored-stand-in"

    @pytest.mark.parametrize("version", sorted(RELEASED))
    def test_every_verdict_has_four_examples_and_four_counter_examples_coded_with_its_labels(
        self, version: str
    ) -> None:
        book = get_codebook(FOLDER, version)
        for option in book.verdicts:
            assert len(option.examples) >= 4
            assert len(option.counter_examples) >= 4
            assert option.include
            assert option.exclude
            assert {row["label"] for row in option.examples} == {option.code}
            other = [label for row in option.counter_examples for label in row["label"].split(" and ")]
            assert set(other) <= set(book.labels)
            assert option.code not in {row["label"] for row in option.counter_examples}

    @pytest.mark.parametrize("version", sorted(RELEASED))
    def test_every_option_has_a_key_of_its_own_and_a_definition(self, version: str) -> None:
        book = get_codebook(FOLDER, version)
        for field in book.fields:
            assert field.title
            keys = [option.key for option in field.options]
            assert all(len(key) == 1 for key in keys)
            assert len(set(keys)) == len(keys)
            assert all(option.definition and option.title for option in field.options)
        marks = [(o.shape, o.letter) for o in book.verdicts]
        assert len({shape for shape, _ in marks}) == len({letter for _, letter in marks}) == len(marks)

    def test_the_conditions_of_05_are_those_of_h33(self) -> None:
        when = {field.name: dict(field.when) for field in get_codebook(FOLDER, "0.5").fields}
        codable = {"codability": ("codable",)}
        assert when == {
            "codability": {},
            "not_codable_reason": {"codability": ("not_codable",)},
            "claim_kind": codable,
            "materiality": codable,
            "verdict": codable,
            "evidence": codable,
            "log_coverage": codable,
            "search_span": codable,
            "unverifiable_reason": {"verdict": ("UNVERIFIABLE",)},
            "undetermined_reason": {"verdict": ("UNDETERMINED",)},
            "disclosure": {"verdict": ("PARTIAL", "UNBACKED", "CONTRADICTED")},
            "confidence": {},
            "flags": {},
            "note": {},
        }
        assert list(when).index("materiality") < list(when).index("verdict")

    def test_the_conditions_of_04_are_those_of_h33(self) -> None:
        when = {field.name: dict(field.when) for field in get_codebook(FOLDER, "0.4").fields}
        codable = {"codability": ("codable",)}
        assert when == {
            "codability": {},
            "not_codable_reason": {"codability": ("not_codable",)},
            "claim_kind": codable,
            "verdict": codable,
            "severity": {"verdict": ("PARTIAL", "CONTRADICTED")},
            "evidence": codable,
            "evidence_strength": codable,
            "unverifiable_reason": {"verdict": ("UNVERIFIABLE",)},
            "confidence": {},
            "flags": {},
            "note": {},
        }

    def test_policies_scales_and_critical_pairs(self) -> None:
        five, four = get_codebook(FOLDER, "0.5"), get_codebook(FOLDER, "0.4")
        assert five.gap_policies == {
            "G1": ("CONTRADICTED",),
            "G2": ("CONTRADICTED", "UNBACKED"),
            "G3": ("CONTRADICTED", "UNBACKED", "PARTIAL"),
        }
        assert four.gap_policies == {
            "G1": ("CONTRADICTED",),
            "G2": ("CONTRADICTED",),
            "G3": ("CONTRADICTED", "PARTIAL"),
        }
        assert five.primary_gap == four.primary_gap == "G2"
        assert five.ordinal == ("CONTRADICTED", "UNBACKED", "PARTIAL", "SUPPORTED")
        assert four.ordinal == ("CONTRADICTED", "PARTIAL", "MATCHED")
        assert five.critical_pairs == (("CONTRADICTED", "SUPPORTED"), ("UNBACKED", "SUPPORTED"))
        assert four.critical_pairs == (("CONTRADICTED", "MATCHED"),)
        assert five.window["max_action_turns"] == 20
        assert four.window == {"mode": "rest_of_run"}


class TestFinding:
    def test_other_files_of_the_folder_are_passed_over(self, tmp_path: Path) -> None:
        write(tmp_path, SMALL)
        write(tmp_path, "crosswalk: {}\n", "crosswalk-1-2.yaml")
        write(tmp_path, "not yaml: [", "notes.txt")
        assert [(book.id, book.version) for book in find_codebooks(tmp_path)] == [("small", "1")]

    def test_a_codebook_is_found_by_version_or_by_id_and_version(self, tmp_path: Path) -> None:
        write(tmp_path, SMALL)
        assert get_codebook(tmp_path, "1") == get_codebook(tmp_path, "small-1")
        with pytest.raises(NotFound, match=r"no codebook version 2 .* small-1"):
            get_codebook(tmp_path, "2")

    def test_two_files_of_one_version_are_asked_for_by_id(self, tmp_path: Path) -> None:
        write(tmp_path, SMALL)
        write(tmp_path, SMALL.replace("id: small", "id: other"), "other-1.yaml")
        with pytest.raises(BadInput, match=r"other-1\.yaml and small-1\.yaml both declare version 1"):
            get_codebook(tmp_path, "1")
        assert get_codebook(tmp_path, "other-1").id == "other"

    def test_a_broken_neighbour_does_not_take_a_sound_codebook_away(self, tmp_path: Path) -> None:
        write(tmp_path, SMALL)
        write(tmp_path, "codebook: [", "broken.yaml")
        assert get_codebook(tmp_path, "1").id == "small"
        for ask in (lambda: find_codebooks(tmp_path), lambda: get_codebook(tmp_path, "2")):
            with pytest.raises(BadInput, match=r"broken\.yaml line"):
                ask()

    def test_a_folder_or_file_that_is_not_there(self, tmp_path: Path) -> None:
        for ask in (lambda: find_codebooks(tmp_path / "x"), lambda: load_codebook(tmp_path / "x.yaml")):
            with pytest.raises(NotFound):
                ask()
        with pytest.raises(BadInput, match="cannot be read"):
            load_codebook(tmp_path)

    def test_two_spellings_of_one_content_share_their_hash(self, tmp_path: Path) -> None:
        plain = load_codebook(write(tmp_path, SMALL))
        spelled = SMALL.replace(
            "{code: did}, {code: will}", '{"code": "did"},\n        {code: will}\n      # a comment\n      '
        )
        again = load_codebook(write(tmp_path, "# another\n" + spelled.replace("\n", "\r\n"), "b.yaml"))
        assert again.sha256 == plain.sha256
        other = load_codebook(write(tmp_path, SMALL.replace("Say why.", "Why?"), "c.yaml"))
        assert other.sha256 != plain.sha256


class TestYaml:
    @pytest.mark.parametrize(
        ("text", "line", "words"),
        [
            ("codebook:\n\tid: x\n", 2, "tab"),
            ("codebook: &a {id: x}\n", 1, "anchors"),
            ("codebook:\n  a: [1]\n  b: *a\n", 3, "anchors"),
            ("codebook:\n  id: !!python/object:os.system x\n", 2, "tags"),
            ("codebook:\n  id: x\n  id: y\n", 3, "codebook.id: stands here twice"),
            ("codebook:\n  id: [x\n", 3, "is not YAML"),
            ("a: 1\n---\nb: 2\n", 2, "second document"),
            ("", 1, "holds nothing"),
            ("[a]: 1\n", 1, "plain word"),
        ],
    )
    def test_what_is_refused_before_anything_is_read(self, tmp_path: Path, text: str, line: int, words: str) -> None:
        told = refusal(tmp_path, text)
        assert f"small-1.yaml line {line}: " in told
        assert words in told

    def test_anchor_bombs_deep_nesting_and_large_files(self, tmp_path: Path) -> None:
        bomb = "a: &a [x, x]\n" + "".join(f"{n}: &{n} [*a, *a, *a]\n" for n in range(40))
        assert "anchors" in refusal(tmp_path, bomb)
        # the parser itself refuses the first two; the third is within its bounds and beyond ours
        for deep in ("[" * 100_000, "{a: " * 5_000, "[" * 30 + "]" * 30):
            assert "nest" in refusal(tmp_path, "codebook: " + deep)
        assert "10000000 bytes long" in refusal(tmp_path, "codebook: " + "x" * 9_999_990)

    def test_what_is_no_text(self, tmp_path: Path) -> None:
        path = tmp_path / "small-1.yaml"
        path.write_bytes(b"codebook:\n  id: \xff\n")
        with pytest.raises(BadInput, match=r"small-1\.yaml line 2: is not UTF-8"):
            load_codebook(path)
        path.write_bytes(b"codebook:\n  id: \x00\n")
        with pytest.raises(BadInput, match=r"small-1\.yaml"):
            load_codebook(path)
        path.write_bytes(b'codebook: "\\ud83d"\n')
        with pytest.raises(BadInput, match=r"small-1\.yaml"):
            load_codebook(path)

    def test_only_true_false_null_and_numbers_are_more_than_text(self) -> None:
        root = parse_yaml(b"{a: no, b: true, c: 12, d: 1.5, e: '12', f: null, g: 0x1f, h: 2026-01-01, i: 1e9}", "x")
        assert root.plain() == {
            "a": "no", "b": True, "c": 12, "d": 1.5, "e": "12", "f": None, "g": "0x1f", "h": "2026-01-01", "i": "1e9",
        }  # fmt: skip

    def test_a_value_knows_its_line_and_path(self) -> None:
        root = parse_yaml(b"a:\n  - b:\n      c: 1\n", "x.yaml")
        assert str(root.at(("a", 0, "b", "c")).fault("is wrong")) == "x.yaml line 3: a[0].b.c: is wrong"
        assert root.at(("a", 7, "b")).line == 1


WHY = "when: {verdict: [no]}\n    - name: evidence"
NO = "when: {verdict: [no]}\n      require"
# (what stands in the sound file, what is put in its place, what stands on the line that is told, words of the sentence)
BROKEN = [
    ("  title: Small\n", "  title: Small\n  colour: red\n", "colour: red", "codebook.colour: is no key"),
    ("  title: Small\n", "", "codebook:", "codebook: lacks the key title"),
    ('version: "1"', "version: 1.0", "version: 1.0", "codebook.version: takes a text"),
    ("origin: a test", "origin: ''", "origin: ''", "codebook.origin: takes a text"),
    ("type: text", "type: essay", "type: essay", "essay is no field type"),
    ("type: text", "type: text\n      hint: x", "hint: x", "hint: is no key"),
    ("{code: did}", "{code: did, colour: red}", "colour: red", "colour: is no key"),
    ("{code: did}", "{code: 'a;b'}", "a;b", "options[0].code"),
    ("{code: did}", "{code: will}", "{code: will}", "will is an option of claim_kind already"),
    ("name: why\n", "name: Why\n", "name: Why", "small letters"),
    ("name: why\n", "name: position\n", "name: position", "position is the name of a column"),
    ("name: flags\n", "name: verdict\n", "name: verdict", "verdict is a field already"),
    (WHY, "when: {verdict: [maybe]}\n    - name: evidence", "[maybe]", "maybe is no value"),
    (WHY, "when: {mood: [no]}\n    - name: evidence", "{mood: [no]}", "mood: names no field"),
    (WHY, "when: {polarity: [do]}\n    - name: evidence", "{polarity: [do]}", "polarity: a form"),
    ("options: [{code: odd}]", "options: []", "name: flags", "needs options"),
    ('roles: {for: "is so", against: "is not so"}', "quote_max: 3", "name: evidence", "needs roles"),
    ("name: verdict", "name: answer", "when: {verdict: [no]}", "verdict: names no field"),
    ("key: c}, {code: not_codable, key: n}", "key: c}", "fields:", "the field codability has the option not_codable"),
    ("backward: [did]", "backward: [did, saw]", "kinds: {", "kinds: backward and forward"),
    ("order: [not_codable, yes, no]", "order: [not_codable, yes, perhaps]", "perhaps]", "perhaps is no label"),
    ("gap_policies: {G: [no]}", "gap_policies: {G: [nay]}", "[nay]", "nay is no label"),
    ("primary_gap: G", "primary_gap: H", "primary_gap: H", "primary_gap: names one"),
    ("ordinal: [no, yes]", "ordinal: [no, no]", "ordinal: [no, no]", "already"),
    ("[[no, yes]]", "[[no, yes, no]]", "[[no, yes, no]]", "two labels"),
    ("[[no, yes]]", "[[no, sure]]", "[[no, sure]]", "sure is no label"),
    ("pooled_fields: [why]", "pooled_fields: [who]", "[who]", "who is no field"),
    ("mode: first_of", "mode: forever", "mode: forever", "window.mode"),
    ("max_action_turns: 3", "max_action_turns: 0", "max_action_turns: 0", "window.max_action_turns"),
    ("max_action_turns: 3", "max_actions: 3", "max_actions: 3", "window.max_actions"),
    ("level: hard", "level: strict", "level: strict", "strict is no level"),
    ("field: why", "field: who", "field: who", "who is no field"),
    (NO, "when: {verdict: [nope]}\n      require", "[nope]", "nope is no value of verdict"),
    (NO, "when: {kind_class: [sideways]}\n      require", "[sideways]", "sideways is none of"),
    (NO, "when: {late_roles: [maybe]}\n      require", "[maybe]", "no citation role"),
    ("{present: why}", "{exists: why}", "exists", "exists: there is no such predicate"),
    ("{present: why}", "{present: who}", "who", "present: names no field"),
    ("{present: why}", "{present: why, absent: why}", "absent", "exactly one predicate"),
    ("{present: why}", "{when: {verdict: [no]}}", "require", "exactly one predicate"),
    ("{present: why}", "{flag: strange}", "strange", "flag: is no flag"),
    ("{present: why}", "{equals: {verdict: sure}}", "sure", "sure is no value of verdict"),
    ("{present: why}", "{one_of: {verdict: yes}}", "one_of", "one_of: takes"),
    ("{present: why}", "{cites_min: {role: for, n: 1, tier_max: C}}", "tier_max", "no evidence tier"),
    ("{present: why}", "{cites_min: {role: of, n: 1}}", "role: of", "no citation role"),
    ("{present: why}", "{cites_min: {role: for}}", "cites_min", "cites_min: takes"),
    ("{present: why}", "{cites_min: {role: for, n: one}}", "cites_min", "cites_min: takes a number"),
    ("{present: why}", "{note_min: 20}", "note_min", "text field named note"),
    ("{present: why}", "{length_min: {field: flags, n: 2}}", "length_min", "no field of type text"),
    ("{present: why}", "{any_of: [{present: who}]}", "any_of", "any_of: present: names no field"),
    ("{present: why}", "{any_of: []}", "any_of", "takes a list of requirements"),
    ("{present: why}", "{present: why, when: {verdict: [sure]}}", "sure", "when: verdict: sure"),
    ("{present: why}", "{present: why, message: ''}", "message: ''", "message: takes one sentence"),
    ("{present: why}", "{present: why, soften: {when: {}}}", "soften", "soften: takes"),
    ("{present: why}", "{cites_complete: [{a: b}]}", "cites_complete", "cites_complete: takes"),
    ("{present: why}", "{no_cue_of_other_kind: {did: [ALL]}}", "ALL", "lower-case"),
    ("{present: why}", "{no_cue_of_other_kind: {dud: [all]}}", "dud", "dud is no claim kind"),
    ("{present: why}", "{never: 1}", "never", "never: takes true"),
    ("require: [{present: why}]", "require: []", "require: []", "at least one requirement"),
    ("require: [{present: why}]", "require: [why]", "require: [why]", "takes a mapping"),
    ('      message: "Say why."\n', "", "id: R1", "lacks the key message"),
]


@pytest.mark.parametrize(("there", "instead", "on_line", "words"), BROKEN)
def test_what_is_wrong_is_told_with_line_and_key(
    tmp_path: Path, there: str, instead: str, on_line: str, words: str
) -> None:
    assert there in SMALL
    text = SMALL.replace(there, instead, 1)
    told = refusal(tmp_path, text)
    assert words in told
    found = re.search(r"small-1\.yaml line (\d+): \S+: ", told)
    assert found is not None
    assert on_line in text.splitlines()[int(found[1]) - 1]


def test_a_cycle_in_display_conditions_is_refused(tmp_path: Path) -> None:
    cycle = SMALL.replace("options: [{code: odd}]", "options: [{code: odd}]\n      when: {mood: [low]}", 1)
    cycle = cycle.replace(
        "  rules:", "    - {name: mood, type: enum, when: {flags: [odd]}, options: [{code: low}]}\n  rules:", 1
    )
    assert "a cycle" in refusal(tmp_path, cycle)
    own = SMALL.replace("options: [{code: odd}]", "options: [{code: odd}]\n      when: {flags: [odd]}", 1)
    assert "a cycle" in refusal(tmp_path, own)


def test_duplicate_rule_ids_are_refused(tmp_path: Path) -> None:
    rule = SMALL[SMALL.index("    - id: R1") :]
    assert "rules[1].id: R1 is a rule already" in refusal(tmp_path, SMALL + rule)


# (what stands in the sound file, what is put in its place, words of the fault): the file loads and wants mending
ADVICE = [
    ("key: c}, {code: not_codable, key: n}", "key: c}, {code: not_codable, key: c}", "c is the key of another option"),
    ('key: n, shape: "-"', 'key: n, shape: "+"', "+ is the shape of another option"),
    ("order: [not_codable, yes, no]", "order: [not_codable, yes]", "no cannot be reached: the decision order"),
    ("order: [not_codable, yes, no]", "order: [yes, no]", "not_codable cannot be reached"),
    (WHY, WHY.replace("[no]", "[no], codability: [not_codable]"), "why is shown by no label"),
    (
        'key: n, shape: "-"}]\n    - name: why\n      type: text\n      when: {verdict: [no]}',
        'key: n, shape: "-", kinds: [did]}]\n    - name: why\n      type: text\n'
        "      when: {verdict: [no], claim_kind: [will]}",
        "why is shown by no label",
    ),
    ("{present: why}", "{never: true}", "no cannot be reached: rule R1 always refuses it"),
    (NO, NO.replace("no", "yes"), "yes cannot be reached: rule R1 asks for why"),
    ("{code: no, key: n", "{code: no, kinds: [], key: n", "no cannot be reached: it is allowed for no claim kind"),
]


@pytest.mark.parametrize(("there", "instead", "words"), ADVICE)
def test_check_finds_what_a_load_lets_through(tmp_path: Path, there: str, instead: str, words: str) -> None:
    assert there in SMALL
    path = write(tmp_path, SMALL.replace(there, instead, 1))
    assert load_codebook(path).id == "small"
    _, faults = check_codebook(path)
    assert words in " ".join(map(str, faults))
    assert not any(fault.stops for fault in faults)


def test_the_small_file_itself_is_sound(tmp_path: Path) -> None:
    assert check_codebook(write(tmp_path, SMALL))[1] == ()
