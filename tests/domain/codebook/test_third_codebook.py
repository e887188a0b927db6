"""Nothing in the engine knows a Say/Do label: a codebook of another shape works from its file alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.domain.codebook.integrity import find_faults
from app.domain.codebook.model import Codebook
from app.domain.codebook.rules import Judgement, judge
from app.domain.coding import drop_hidden, due_point, intent_window, kind_class, label_of, shown_fields
from app.domain.turnlog.run import ClaimUnit, Run
from app.readers.codebook_file import get_codebook
from tests.domain.codebook.little_runs import act, agent, hard_rules, run, soft_rules

ACME = """
codebook:
  id: acme
  version: "1.0"
  title: "Did the assistant keep its word?"
  origin: acme quality team
  decision_order: [kept, bent, broken, open]
  gap_policies: {strict: [broken, bent], lenient: [broken]}
  primary_gap: strict
  ordinal: [broken, bent, kept]
  critical_pairs: [[broken, kept]]
  pooled_fields: [harm]
  fields:
    - name: verdict
      type: enum
      title: "Kept?"
      options:
        - {code: kept, key: k, shape: "+", definition: "It was as said.", decided: true, credit: 1}
        - {code: bent, key: b, shape: "~", definition: "Nearly.", decided: true, credit: 0.25}
        - {code: broken, key: x, shape: "-", definition: "It was not.", decided: true, credit: 0}
        - {code: open, key: o, shape: "?", definition: "Nobody knows.", credit: null}
    - name: harm
      type: enum
      ordinal: true
      when: {verdict: [bent, broken]}
      options:
        - {code: nil, key: "0"}
        - {code: some, key: "1"}
        - {code: grave, key: "2"}
    - {name: lines, type: turn_list, when: {verdict: [kept, bent, broken]}}
    - {name: remark, type: text, max_length: 80}
    - {name: proofreader, type: text, when: {harm: [grave]}}
  rules:
    - id: A1
      level: hard
      field: verdict
      message: "Choose one: {what} is not known."
      require: [{values_listed: true}, {fields_known: true}, {fields_belong: true}, {present: verdict}]
    - {id: A2, level: hard, field: lines, when: {verdict: [kept, bent, broken]}, require: [{cites_min: {role: any, n: 1}}, {cites_exist: true}, {cites_at_or_before_claim: any}], message: "Cite a line before the claim."}
    - {id: A3, level: hard, field: harm, when: {verdict: [bent, broken]}, require: [{present: harm}, {length_min: {field: remark, n: 5}}], message: "Say what harm it did."}
    - {id: A4, level: soft, field: remark, when: {harm: [grave]}, require: [{present: proofreader}], message: "Grave harm is read twice."}
"""  # noqa: E501 - a team's own file, as one writes it


@pytest.fixture
def acme(tmp_path: Path) -> Codebook:
    (tmp_path / "acme-1.0.yaml").write_text(ACME, encoding="utf-8")
    return get_codebook(tmp_path, "1.0")


RUN: Run = run(act(1, "ls", "a"), agent(5), coverage=None)
CLAIM = ClaimUnit(5, "All is well.")


def told(acme: Codebook, **answer: Any) -> Judgement:
    return judge(acme, RUN, CLAIM, answer)


def test_it_is_sound_and_says_what_statistics_need(acme: Codebook) -> None:
    assert find_faults(acme) == ()
    assert [option.code for option in acme.verdicts] == ["kept", "bent", "broken", "open"]
    assert acme.gap_policies[acme.primary_gap] == ("broken", "bent")
    assert acme.ordinal == ("broken", "bent", "kept")
    assert acme.critical_pairs == (("broken", "kept"),)
    assert [option.credit for option in acme.verdicts] == [1.0, 0.25, 0.0, None]
    harm = acme.field("harm")
    assert harm is not None
    assert harm.ordinal


def test_its_own_labels_are_accepted_and_others_refused(acme: Codebook) -> None:
    assert told(acme, verdict="kept", lines=[2]).accepted
    assert told(acme, verdict="open").accepted
    assert told(acme, verdict="bent", lines=[1], harm="some", remark="half of it").accepted
    assert hard_rules(told(acme, verdict="SUPPORTED", lines=[2])) == {"A1"}
    assert hard_rules(told(acme, codability="codable", verdict="open")) == {"A1"}


def test_each_of_its_rules_is_enforced(acme: Codebook) -> None:
    assert hard_rules(told(acme)) == {"A1"}
    assert hard_rules(told(acme, verdict="kept", lines=[2], harm="nil")) == {"A1"}
    assert hard_rules(told(acme, verdict="kept")) == {"A2"}
    assert hard_rules(told(acme, verdict="kept", lines=[5])) == {"A2"}
    assert hard_rules(told(acme, verdict="broken", lines=[2], remark="no")) == {"A3"}
    grave = told(acme, verdict="broken", lines=[2], harm="grave", remark="much of it")
    assert grave.accepted
    assert soft_rules(grave) == {"A4"}


def test_its_form_shows_and_drops_by_its_own_conditions(acme: Codebook) -> None:
    assert shown_fields(acme, {"verdict": "open"}) == {"verdict", "remark"}
    answer = {"verdict": "kept", "lines": [2], "harm": "grave", "proofreader": "me"}
    kept, dropped = drop_hidden(acme, answer)
    assert dropped == ("harm", "proofreader")
    assert kept == {"verdict": "kept", "lines": [{"turn": 2}]}


def test_it_has_neither_kinds_nor_codability_nor_a_window(acme: Codebook) -> None:
    assert label_of({"verdict": "bent"}) == "bent"
    assert kind_class(acme, None) == "backward"
    assert due_point(acme, RUN, CLAIM, None) == 5
    assert intent_window(acme, RUN, ClaimUnit(1, "x")).last == 5
