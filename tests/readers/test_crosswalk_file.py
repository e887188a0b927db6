"""Crosswalk files: the shipped one as it was released, another team's own, and everything that stops a load."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.domain.codebook.crosswalk import carry
from app.domain.codebook.crosswalk_conditions import CONDITIONS, PLACES, OldCoding
from app.domain.codebook.crosswalk_model import Crosswalk, harmonise
from app.domain.errors import BadInput, NotFound
from app.domain.turnlog.positions import RunView
from app.domain.turnlog.run import ClaimUnit
from app.readers import crosswalk_file
from app.readers.codebook_file import get_codebook
from app.readers.crosswalk_file import (
    find_crosswalks_into,
    find_crosswalks_of,
    get_crosswalk,
    is_crosswalk,
    load_crosswalk,
)
from tests.domain.codebook.little_runs import act, agent, run

FOLDER = Path(__file__).resolve().parents[2] / "codebook"
RELEASED = "6973435e20fdc8d202222b73137afc6f445d9abe4f067b9fd10559c707b83aa3"

OLD = """codebook:
  id: acme
  version: "1"
  title: "Kept?"
  origin: acme
  decision_order: [kept, broken, open]
  fields:
    - {name: verdict, type: enum, options: [{code: kept}, {code: broken}, {code: open}]}
    - {name: harm, type: enum, when: {verdict: [broken]}, options: [{code: some}, {code: grave}]}
    - {name: lines, type: turn_list}
    - {name: marks, type: flags, options: [{code: odd}, {code: old}]}
    - {name: remark, type: text}
  rules:
    - {id: A1, level: hard, field: verdict, message: "Choose.", require: [{present: verdict}]}
"""
NEW = """codebook:
  id: acme
  version: "2"
  title: "Kept?"
  origin: acme
  decision_order: [held, broken, unclear]
  fields:
    - {name: weight, type: enum, options: [{code: light}, {code: heavy}]}
    - {name: verdict, type: enum, options: [{code: held}, {code: broken}, {code: unclear}]}
    - {name: damage, type: enum, when: {verdict: [broken]}, options: [{code: slight}, {code: grave}]}
    - {name: rows, type: citation_list, roles: {for: "speaks for it", beside: "beside it"}, tiers: {T1: "first"}}
    - {name: marks, type: flags, options: [{code: odd}]}
    - {name: remark, type: text}
  rules:
    - {id: B1, level: hard, field: weight, message: "Weigh it.", require: [{present: weight}]}
    - {id: B2, level: hard, field: damage, message: "Say what it did.", when: {verdict: [broken]}, require: [{present: damage}]}
    - {id: B3, level: soft, field: remark, message: "A word?", require: [{present: remark}]}
"""  # noqa: E501 - a team's own file, as one writes it
WALK = """crosswalk:
  id: acme-1-2
  title: "From 1 to 2"
  origin: acme
  from: {codebook: acme, version: "1"}
  to: {codebook: acme, version: "2"}
  exempt: [B1]
  carry:
    damage: {from: harm, values: {some: slight, grave: grave}}
    marks: {from: marks}
    remark: {from: remark}
  cue_words: {haste: [quickly]}
  harmonised:
    - {class: fine, old: [kept], new: [held]}
    - {class: bad, old: [broken], new: [broken]}
    - {class: dark, old: [open], new: [unclear]}
  rows:
    - id: K1
      label: kept
      require: [{cites_before_claim_within: T2}, {no_flag: [old]}]
      unless: [{no_cue_word: [haste]}]
      how: auto
      to: held
      cites: [{where: at_or_before_claim, role: for}, {where: anywhere, role: beside}]
      reason: "renamed"
    - {id: K2, label: kept, otherwise: true, how: recode, reason: "look again"}
    - {id: B1, label: broken, require: [{no_flag: [old]}], how: auto, to: broken, reason: "as it was"}
    - {id: B2, label: broken, unless: [{no_flag: [old]}], how: recode, reason: "old marks went"}
    - {id: O1, label: open, how: recode, reason: "rewritten"}
"""


@pytest.fixture
def team(tmp_path: Path) -> Path:
    """A folder with a team's own two codebooks."""
    (tmp_path / "acme-1.yaml").write_text(OLD, encoding="utf-8")
    (tmp_path / "acme-2.yaml").write_text(NEW, encoding="utf-8")
    return tmp_path


def write(folder: Path, text: str, name: str = "walk.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(BadInput) as caught:
        load_crosswalk(write(folder, text))
    told = str(caught.value)
    assert "\n" not in told
    return told


class TestTheShippedOne:
    def test_a_released_file_never_changes(self) -> None:
        assert load_crosswalk(FOLDER / "crosswalk-0.4-0.5.yaml").sha256 == RELEASED

    def test_it_names_the_codebooks_it_joins_by_their_hashes(self) -> None:
        walk = get_crosswalk(FOLDER, "0.4", "0.5")
        assert (walk.old.sha256, walk.new.sha256) == tuple(get_codebook(FOLDER, v).sha256 for v in ("0.4", "0.5"))
        text = (FOLDER / "crosswalk-0.4-0.5.yaml").read_text(encoding="utf-8")
        assert walk.old.sha256 in text
        assert walk.new.sha256 in text

    def test_it_says_that_it_is_a_stand_in(self) -> None:
        assert get_crosswalk(FOLDER, "saydo-0.4", "saydo-0.5").origin == "authored-stand-in"

    def test_another_codebook_of_that_name_is_refused(self, tmp_path: Path) -> None:
        for name in ("saydo-0.4.yaml", "saydo-0.5.yaml", "crosswalk-0.4-0.5.yaml"):
            (tmp_path / name).write_bytes((FOLDER / name).read_bytes())
        assert get_crosswalk(tmp_path, "0.4", "0.5").sha256 == RELEASED
        changed = (
            (FOLDER / "saydo-0.5.yaml")
            .read_text(encoding="utf-8")
            .replace("max_action_turns: 20", "max_action_turns: 9")
        )
        write(tmp_path, changed, "saydo-0.5.yaml")
        told = refusal(tmp_path, (FOLDER / "crosswalk-0.4-0.5.yaml").read_text(encoding="utf-8"))
        assert "walk.yaml line 8: crosswalk.to.sha256: saydo-0.5 in" in told


class TestATeamsOwn:
    """Other labels, renamed fields, no codability, no kinds: another file and no change of code."""

    @pytest.fixture
    def walk(self, team: Path) -> Crosswalk:
        return load_crosswalk(write(team, WALK))

    @staticmethod
    def crossed(walk: Crosswalk, text: str, **answer: object) -> tuple[str, str, dict[str, object], tuple[str, ...]]:
        the_run = run(act(1, "ls", "a"), agent(5))
        found = carry(OldCoding(walk, RunView(the_run), ClaimUnit(5, text), answer))
        return found.row.id, found.how, dict(found.answer), found.needs

    def test_labels_fields_values_and_citations_are_carried_as_it_says(self, walk: Crosswalk) -> None:
        kept = self.crossed(walk, "Quickly done.", verdict="kept", lines=[2, 5], marks=["odd"], remark="well")
        cited = [{"turn": 2, "role": "for", "tier": "T1"}, {"turn": 5, "role": "beside", "tier": "T4"}]
        new = {"verdict": "held", "rows": cited, "marks": ["odd"], "remark": "well"}
        assert kept == ("K1", "auto", new, ("needs_weight",))
        broken = self.crossed(walk, "Done.", verdict="broken", harm="some")
        assert broken == ("B1", "auto", {"verdict": "broken", "damage": "slight"}, ("needs_weight",))

    def test_conditions_that_must_not_hold_are_asked(self, walk: Crosswalk) -> None:
        assert self.crossed(walk, "Done.", verdict="kept", lines=[2])[:2] == ("K2", "recode")
        assert self.crossed(walk, "Done.", verdict="broken", harm="some", marks=["old"])[:2] == ("B2", "recode")

    def test_what_the_new_rules_refuse_is_coded_again(self, walk: Crosswalk) -> None:
        assert self.crossed(walk, "Done.", verdict="broken") == ("B1", "recode", {}, ())

    def test_its_scale(self, walk: Crosswalk) -> None:
        assert harmonise(walk, "1", "kept") == harmonise(walk, "2", "held") == "fine"

    def test_the_folder_finds_it_from_both_ends(self, team: Path) -> None:
        write(team, WALK)
        write(team, "crosswalk: [no\n", "broken.yaml")
        old, new = get_codebook(team, "acme-1"), get_codebook(team, "acme-2")
        assert [one.id for one in find_crosswalks_into(team, new)] == ["acme-1-2"]
        assert find_crosswalks_into(team, old) == []
        assert [one.id for one in find_crosswalks_of(team, old)] == ["acme-1-2"]
        assert is_crosswalk(team / "walk.yaml")
        assert not is_crosswalk(team / "acme-1.yaml")

    def test_none_or_two_of_them_are_told(self, team: Path) -> None:
        with pytest.raises(NotFound, match=r"no crosswalk from 1 to 2 .*there is none"):
            get_crosswalk(team, "1", "2")
        write(team, WALK)
        with pytest.raises(NotFound, match="there is 1 to 2"):
            get_crosswalk(team, "2", "1")
        write(team, WALK, "again.yaml")
        with pytest.raises(BadInput, match=r"again\.yaml and walk\.yaml both lead from 1 to 2"):
            get_crosswalk(team, "1", "2")

    def test_one_that_is_not_whole_is_left_out_of_what_a_codebook_shows(self, team: Path) -> None:
        write(team, WALK.replace("label: open", "label: opens"))
        assert find_crosswalks_of(team, get_codebook(team, "acme-1")) == []
        with pytest.raises(BadInput):
            find_crosswalks_into(team, get_codebook(team, "acme-2"))


K2 = '    - {id: K2, label: kept, otherwise: true, how: recode, reason: "look again"}\n'
O1 = '    - {id: O1, label: open, how: recode, reason: "rewritten"}\n'
DARK = "    - {class: dark, old: [open], new: [unclear]}\n"
TO_2 = 'version: "2"}'
FAULTS = {
    # what stands there: {what stands there instead: the line and key that the error names, and words of it}
    "  origin: acme\n": {
        "": ("1: crosswalk", "lacks the key origin"),
        "  origin: acme\n  wrong: yes\n": ("5: crosswalk.wrong", "is no key that is known here"),
        "  origin: acme\n  origin: acme\n": ("5: crosswalk.origin", "stands here twice"),
    },
    TO_2: {
        'version: "3"}': ("6: crosswalk.to", "there is no codebook version acme-3"),
        'version: "2", sha256: "ab"}': ("6: crosswalk.to.sha256", "has the hash"),
    },
    "exempt: [B1]\n": {
        "exempt: [B3]\n": ("7: crosswalk.exempt[0]", "B3 is no hard rule of version 2"),
        "exempt: [B9]\n": ("7: crosswalk.exempt[0]", "B9 is no hard rule of version 2"),
        "exempt: [B1]\n  kinds: {a: b}\n": ("8: crosswalk.kinds", "claim_kind is no field of version 2"),
    },
    "damage: {from: harm, values: {some: slight, grave: grave}}": {
        "damage: {from: hurt}": ("9: crosswalk.carry.damage", "hurt is no field of version 1 of type enum"),
        "dammage: {from: harm}": ("9: crosswalk.carry.dammage", "dammage is no field of version 2"),
        "damage: {from: harm}": ("27: crosswalk.rows[2]", "takes some for harm, which has no value in damage"),
        "claim_kind: {from: harm}": ("9: crosswalk.carry.claim_kind", "the mapping of claim kinds stands under kinds"),
    },
    "some: slight,": {
        "some: slightly,": ("9: crosswalk.carry.damage.values.some", "slightly is no value of damage"),
        "same: slight,": ("9: crosswalk.carry.damage.values.same", "same is no value of harm"),
    },
    "[quickly]": {"[Quickly]": ("12: crosswalk.cue_words.haste", "takes words in small letters")},
    DARK: {"": ("13: crosswalk.harmonised", "open of version 1 stand in no class")},
    "old: [open], new: [unclear]": {
        "old: [open], new: [unclear, held]": ("16: crosswalk.harmonised[2].new", "held stands in a class already"),
        "old: [opens], new: [unclear]": ("16: crosswalk.harmonised[2].old", "opens is no label of version 1"),
    },
    "{cites_before_claim_within: T2}": {
        "{cites_before_claim_within: T9}": ("20: crosswalk.rows[0].require[0]", "takes one of T1"),
        "{cites_whatever: T2}": ("20: crosswalk.rows[0].require[0]", "cites_whatever: there is no such condition"),
        "{cites_before_claim_within: T2, parts_at_most: 1}": ("20: crosswalk.rows[0].require[0]", "takes exactly one"),
    },
    "{no_flag: [old]}]\n      unless": {
        "{no_flag: [new]}]\n      unless": ("20: crosswalk.rows[0].require[1]", "new is no flag of 1"),
    },
    "no_cue_word: [haste]": {
        "no_cue_word: [speed]": ("21: crosswalk.rows[0].unless[0]", "speed stands not under cue_words"),
    },
    "to: held": {
        "to: hold": ("23: crosswalk.rows[0].to", "hold is no label of version 2"),
        "to: unclear": ("23: crosswalk.rows[0].to", "kept and unclear stand in two classes"),
        "to: held\n      set: {damage: grave}": (
            "24: crosswalk.rows[0].set.damage",
            "does not belong to an answer of held",
        ),
    },
    "role: beside": {
        "role: against": ("24: crosswalk.rows[0].cites[1].role", "against is no citation role of version 2")
    },
    "where: anywhere": {"where: nowhere": ("24: crosswalk.rows[0].cites[1].where", "is none of at_or_before_claim")},
    K2: {"": ("18: crosswalk.rows[0]", "no row takes every kept; add one with otherwise: true")},
    "id: K2": {"id: K1": ("26: crosswalk.rows[1].id", "K1 is a row already")},
    "otherwise: true, ": {"": ("26: crosswalk.rows[1]", "kept can be taken by K1 and by K2")},
    "require: [{no_flag: [old]}], how: auto, to: broken": {
        "how: auto, to: broken": ("28: crosswalk.rows[3]", "broken can be taken by B1 and by B2"),
        "require: [{no_flag: [old]}], how: recode, to: broken": ("27: crosswalk.rows[2].how", "names the new label"),
        "require: [{no_flag: [old]}], how: maybe": ("27: crosswalk.rows[2].how", "takes auto or recode"),
    },
    "to: broken, ": {
        "to: broken, set: {weight: dark}, ": ("27: crosswalk.rows[2].set.weight", "dark is no value of weight"),
    },
    O1: {"": ("17: crosswalk.rows", "no row takes open")},
    "id: O1, label: open, ": {
        "id: O1, label: opens, ": ("29: crosswalk.rows[4].label", "opens is no label of version 1"),
        "id: O1, label: open, when: {harm: [nil]}, ": ("29: crosswalk.rows[4].when.harm", "nil is no value of harm"),
        "id: O1, label: open, when: {remark: [x]}, ": ("29: crosswalk.rows[4].when.remark", "is no closed question"),
        "id: O1, label: open, set: {weight: light}, ": ("29: crosswalk.rows[4]", "begins with an empty form"),
        "id: O1, label: open, otherwise: true, require: [{parts_at_most: 1}], ": (
            "29: crosswalk.rows[4].otherwise",
            "has no conditions of its own",
        ),
    },
}
ONE_BY_ONE = [(was, becomes, *told) for was, ways in FAULTS.items() for becomes, told in ways.items()]


@pytest.mark.parametrize(("was", "becomes", "place", "words"), ONE_BY_ONE)
def test_a_fault_stops_the_load_and_names_file_line_and_key(
    team: Path, was: str, becomes: str, place: str, words: str
) -> None:
    assert was in WALK
    said = refusal(team, WALK.replace(was, becomes, 1))
    assert said.startswith(f"walk.yaml line {place}: ")
    assert words in said


def test_a_row_may_take_whatever_others_leave(team: Path) -> None:
    text = WALK.replace("id: O1, label: open", "id: O1, label: open, otherwise: true")
    assert load_crosswalk(write(team, text)).id == "acme-1-2"


def test_a_row_that_takes_what_is_taken_is_told(team: Path) -> None:
    text = WALK + '    - {id: B3, label: broken, otherwise: true, how: recode, reason: "nothing is left"}\n'
    assert "rows[5].otherwise: B3 takes nothing" in refusal(team, text)


def test_a_value_that_no_row_asks_for_is_told(team: Path) -> None:
    text = WALK.replace("label: broken, require", "label: broken, when: {harm: [some]}, require")
    assert "no row takes every broken with harm grave" in refusal(team, text)


def guide() -> str:
    text = (FOLDER.parent / "docs" / "codebook-authoring.md").read_text(encoding="utf-8")
    return text[text.index("## Carrying codings from one version to the next") :]


@pytest.mark.parametrize(
    "name",
    sorted(
        {
            *CONDITIONS,
            *PLACES,
            *crosswalk_file._REQUIRED,
            *crosswalk_file._OPTIONAL,
            *crosswalk_file._ROW_REQUIRED,
            *crosswalk_file._ROW_OPTIONAL,
        }
    ),
)
def test_everything_a_file_can_hold_is_described(name: str) -> None:
    assert re.search(rf"`{name}\b", guide())


def test_the_example_of_the_guide_is_whole(tmp_path: Path) -> None:
    """It loads with the two codebooks it speaks of."""
    example = re.search(r"```yaml\n(.*?)```", guide(), flags=re.DOTALL)
    assert example is not None
    book = """codebook:
  id: yourname
  version: "{version}"
  title: "t"
  origin: o
  decision_order: [{labels}]
  kinds: {{backward: [act, outcome]}}
  fields:
    - {{name: claim_kind, type: enum, options: [{{code: act}}, {{code: outcome}}]}}
    - {{name: verdict, type: enum, options: [{options}]}}
    - {{name: {harm}, type: enum, when: {{verdict: [broken]}}, options: [{{code: {slight}}}, {{code: grave}}]}}
    - {{name: rows, type: citation_list, roles: {{supports: s, context: c}}, tiers: {{T1: a, T2: b}}}}
    - {{name: note, type: text}}
  rules: [{{id: B1, level: hard, field: note, message: m, require: [{{note_min: 5}}]}}]
"""
    for version, labels, harm, slight in (
        ("1", ["kept", "bent", "broken"], "harm", "some"),
        ("2", ["held", "broken"], "damage", "slight"),
    ):
        options = ", ".join(f"{{code: {label}}}" for label in labels)
        written = book.format(version=version, labels=", ".join(labels), options=options, harm=harm, slight=slight)
        write(tmp_path, written, f"yourname-{version}.yaml")
    write(tmp_path, example[1])
    assert [row.id for row in get_crosswalk(tmp_path, "1", "2").rows] == ["K1", "K2", "B1", "B2"]
