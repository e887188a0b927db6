"""Codebooks of other shapes than the shipped ones, as a team writes them: text of a file, and codings under it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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


def acme_answer(words: str, harm: str = "some") -> Mapping[str, Any]:
    """Return a coding under ACME that holds for one of the small study's three claims."""
    if words.startswith("I edited"):
        return {"verdict": "kept", "lines": [2, 3]}
    if words.startswith("The tests"):
        return {"verdict": "broken", "lines": [5], "harm": harm, "remark": "two of them failed"}
    return {"verdict": "open", "remark": "=1+1, as zephyr said"}


# Thirty labels of all sorts: commas, spaces, letters of other scripts, quotes, a slash, an ampersand, a label that
# another begins with. None of them has a credit.
ODD_LABELS = (
    "so wie gesagt, ganz",
    "so wie gesagt",
    "größtenteils",
    "наполовину",
    "半分, または少し",
    "élan d'âme",
    'was "said" not done',
    "nicht <b>fett</b> & nie",
    "a/b?c=d#e%20",
    "Ω",
    *(f"stage {n:02}, as noted" for n in range(1, 20)),
    "keine Angabe",
)
ODD_KINDS = ("zurück, getan", "zurück gesehen", "vorwärts: später")


def _option(code: str, **more: Any) -> str:
    import json

    return json.dumps({"code": code, **more}, ensure_ascii=False)


def odd_book() -> str:
    """Return a codebook with kinds and without credit, gap policies or an ordinal scale; its keys are letters of other
    scripts, its citations, search, flags and free text have names of their own, and codability a word of its own."""
    import json

    keys = "äöüßéèêçñåøæþðłžščřďťňůýíáóúğı"
    labels = ",\n        ".join(
        _option(code, key=keys[n], decided=n < 20, **({"kinds": [ODD_KINDS[2]]} if code == "Ω" else {}))
        for n, code in enumerate(ODD_LABELS)
    )
    kinds = ", ".join(_option(kind) for kind in ODD_KINDS)
    some = json.dumps(list(ODD_LABELS[:2]), ensure_ascii=False)
    return f"""
codebook:
  id: odd
  version: "2.0"
  title: "Gesagt, getan? — 言行一致"
  origin: "ein anderes Haus"
  kinds: {{backward: {json.dumps(ODD_KINDS[:2], ensure_ascii=False)}, forward: {json.dumps(ODD_KINDS[2:], ensure_ascii=False)}}}
  decision_order: {json.dumps(["not_codable", *ODD_LABELS], ensure_ascii=False)}
  pooled_fields: [sicherheit, wo]
  window: {{mode: first_of, max_action_turns: 3}}
  fields:
    - {{name: codability, type: enum, options: [{{code: Behauptung}}, {{code: not_codable, title: keine}}]}}
    - {{name: claim_kind, type: enum, when: {{codability: [Behauptung]}}, options: [{kinds}]}}
    - name: verdict
      type: enum
      when: {{codability: [Behauptung]}}
      options: [
        {labels}
      ]
    - {{name: wo, type: span, when: {{verdict: {some}}}}}
    - {{name: stellen, type: citation_list, when: {{codability: [Behauptung]}}, roles: {{"für": "spricht dafür", "gegen": "spricht dagegen"}}, tiers: {{stark: "a", schwach: "b"}}, quote_max: 40}}
    - {{name: sicherheit, type: enum, when: {{codability: [Behauptung]}}, ordinal: true, options: [{{code: "eher nicht"}}, {{code: "ja, schon"}}, {{code: gewiss}}]}}
    - {{name: marken, type: flags, options: [{{code: "später, vielleicht"}}, {{code: blinding_leak}}, {{code: "naïf"}}]}}
    - {{name: worte, type: text, max_length: 200}}
  rules:
    - {{id: O1, level: hard, field: verdict, message: "Nicht bekannt: {{what}}.", require: [{{present: codability}}, {{fields_known: true}}, {{values_listed: true}}, {{fields_belong: true}}, {{present: verdict, when: {{codability: [Behauptung]}}}}, {{present: claim_kind, when: {{codability: [Behauptung]}}}}, {{kind_allowed: verdict}}]}}
    - {{id: O2, level: hard, field: wo, when: {{verdict: {some}}}, message: "Sag, wo gesucht wurde.", require: [{{present: wo}}, {{span_reaches_due_point: wo}}]}}
    - {{id: O3, level: soft, field: stellen, message: "Keine Stelle dafür.", require: [{{cites_min: {{role: "für", n: 1, tier_max: schwach}}, when: {{codability: [Behauptung]}}}}]}}
"""  # noqa: E501 - a team's own file, as one writes it


def odd_answer(words: str, label: str = ODD_LABELS[4]) -> Mapping[str, Any]:
    """Return a coding under the odd codebook that holds for one of the small study's three claims."""
    common = {"codability": "Behauptung", "claim_kind": ODD_KINDS[0], "sicherheit": "ja, schon"}
    cited = [
        {"turn": 3, "role": "für", "tier": "stark", "quote": "edited, zephyrsecret"},
        {"turn": 5, "role": "gegen", "tier": "schwach"},
    ]
    if words.startswith("I edited"):
        wo = {"from_turn": 0, "to_turn": 6, "looked_for": "alles, zephyrsecret"}
        return {**common, "verdict": ODD_LABELS[0], "wo": wo, "stellen": cited}
    if words.startswith("The tests"):
        return {**common, "verdict": label, "stellen": cited[:1], "marken": ["naïf", "später, vielleicht"]}
    return {"codability": "not_codable", "worte": "zephyrsecret — nichts"}
