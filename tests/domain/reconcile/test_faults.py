"""What a spec may not say: refused before any table is opened, with file, line and key."""

from __future__ import annotations

import re

import pytest

from app.domain.errors import BadInput
from app.readers.reconcile_spec import load_spec, parse_spec
from tests.domain.reconcile.small import SPEC

TEXT = SPEC.read_text(encoding="utf-8")


def refused(old: str, new: str, count: int = 1) -> str:
    """The sentence a changed spec is refused with."""
    assert old in TEXT
    with pytest.raises(BadInput) as caught:
        parse_spec(TEXT.replace(old, new, count).encode(), "a2-id.yaml")
    sentence = str(caught.value)
    assert re.match(r"a2-id\.yaml line \d+: ", sentence)
    assert "\n" not in sentence
    return sentence


def line_of(words: str) -> int:
    return TEXT[: TEXT.index(words)].count("\n") + 1


def test_the_shipped_spec_stands() -> None:
    assert len(load_spec(SPEC).spec.families) == 7


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("schema: reconcile/1", "schema: reconcile/2", "schema"),
        ("id: a2-id", "id: 'a b'", "id"),
        ("title:", "headline:", "headline"),
        ('written: "2026-07-25"\n', "", "lacks the key written"),
        ("id: a2-id\n", "id: a2-id\nid: a2-id\n", "id: stands here twice"),
        ("    file: test.parquet", "    file: ../test.parquet", "tables.target.file"),
        ("      openness: text", "      openness: words", "tables.target.columns.openness"),
        ("      openness: text\n", "", "no_antecedent[0].columns[1]"),
        ("    unique: [id]", "    unique: [ids]", "tables.target.unique[0]"),
        ("    unique: [id]", "    unique: []", "tables.target.unique"),
        ("nulls: {resolved: 475", "nulls: {solved: 475", "tables.source.stated.nulls.solved"),
        ("id: K2, target: [language_model]", "id: K1, target: [language_model]", "join[1].id"),
        ("id: K2, target: [language_model]", "id: K2, target: [model]", "join[1].target[0]"),
        ("id: K2, target: [language_model]", "id: K2, target: [language_model, id]", "join[1]"),
        ("  decides: C1", "  decides: C9", "mapping.decides"),
        ("  benchmark: benchmark", "  benchmark: suite", "mapping.benchmark"),
        ("prefixes: [issue_resolution, ", "prefixes: [frontend, issue_resolution, ", "mapping.prefixes"),
        ("columns: [sdk_version, openness", "columns: [openness", "tables.target.columns.sdk_version"),
        ("columns: [sdk_version, ", "columns: [average_score, sdk_version, ", "families[4].columns[0]"),
        ("N_all: {counts: rows}", "N_all: {counts: lines}", "denominators.N_all.counts"),
        ("counts: observed, column: cost}", "counts: observed, column: price}", "denominators.N_cost"),
        ('counts: "true", column: resolved', 'counts: "true", column: cost', "denominators.N_resolved"),
        ("M_excl: nothing", "M_excl: dropped", "missing.M_excl"),
        ("    value: cost\n", "    value: runtime\n", "families[3].value"),
        ("columns: [agent_name, agent_type, language_model]\n", "columns: [agent_name, agent_type]\n",
         "tables.target.columns.language_model"),
        ("    tolerance: cost\n", "    tolerance: price\n", "families[3].tolerance"),
        ("    tolerance: cost\n", "    tolerance: count\n", "families[3].tolerance"),
        ("    decimals: 1\n", "", "families[2]: lacks the key decimals"),
        ("    kind: whole", "    kind: number", "families[6].tolerance"),
        ("primary: S1_pct", "primary: S9", "families[2].primary"),
        ("{id: S1_frac, ", "{id: S1_pct, ", "families[2].policies[1].id"),
        ("{id: S1_frac, formula: {aggregation: share, missing: M_false", "{id: S1_frac, formula: {aggregation: share, "
         "missing: M_excl", "families[2].policies[1].formula"),
        ("missing: M_excl, denominator: D_obs, scale: 1}", "missing: M_excl, denominator: D_none, scale: 1}",
         "families[2].policies[3].formula.denominator"),
        ("missing: M_excl, denominator: D_obs, scale: 1}", "missing: M_none, denominator: D_obs, scale: 1}",
         "families[2].policies[3].formula.missing"),
        ("denominator: D_obs, scale: 1}", "denominator: D_obs, scale: 0}", "families[2].policies[3].formula.scale"),
        ("{aggregation: median, missing: M_zero}}", "{aggregation: mode, missing: M_zero}}",
         "families[3].policies[3].formula.aggregation"),
        ("        over: present", "        over: some", "families[4].policies[0]"),
        ("        over: present\n", "", "families[4].policies[0]"),
        ("text_rule: most_frequent", "text_rule: rarest", "families[0].policies[1].text_rule"),
        ("distinct_having: observed", "distinct_having: true", "families[6].policies[1].distinct_having"),
        ("{id: CC1, distinct_having: rows}", "{id: CC1, text_rule: only_value}", "families[6].policies[0]"),
        ("seed: 20260725", "seed: -1", "null.seed"),
        ("draws: 1000", "draws: 0", "null.draws"),
        ("quantiles: [5, 50, 95]", "quantiles: [5, 95]", "null.quantiles"),
        ("generator: default_rng", "generator: mt19937", "null.generator"),
        ("reconciled, divergent]", "divergent, reconciled]", "precedence"),
        ("all_undefined: {class: no antecedent", "all_undefined: {class: divergent", "all_undefined.class"),
        ("ranked_by: average_score", "ranked_by: openness", "rows.ranked_by"),
        ("executor_column: language_model", "executor_column: average_score", "rows.executor_column"),
        ("{id: A2, model: claude-fable-5,", "{id: A2, starts_with: x, model: claude-fable-5,", "rows.executors[0]"),
        ("shipped: 886a", "shipped: 986A", "content_hash.shipped"),
        ('float_format: "%.10g"', 'float_format: "%s"', "content_hash.float_format"),
        ("tables: [target, source]", "tables: [target, sources]", "content_hash.tables"),
        ("processes: 2", "processes: 1", "gate.processes"),
        ("absolute: 0.000000001", "absolute: 0", "gate.absolute"),
        ("  - id: A2\n    date", "  - id: A1\n    date", "additions[1].id"),
    ],
)  # fmt: skip
def test_a_declaration_that_cannot_stand_is_named_by_its_key(old: str, new: str, key: str) -> None:
    assert key in refused(old, new)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "{tier: T2, above: 0.05, up_to: 0.5}",
            "{tier: T2, above: 0.1, up_to: 0.5}",
            "a gap: T2 begins above 0.1",
        ),
        ("{tier: T2, above: 0.05, up_to: 0.5}", "{tier: T2, above: 0.01, up_to: 0.5}", "leaves an overlap"),
        ("      - {tier: T1, above: 0, up_to: 0.05}\n", "", "has a gap: takes T0, T1, T2 in order"),
        ("      - {tier: T0, equal: rounded}\n", "", "has a gap"),
        ("      - {tier: divergent, above: 0.5}\n", "", "has a gap"),
        ("{tier: divergent, above: 0.5}", "{tier: divergent, above: 0.6}", "leaves a gap: divergent begins above 0.6"),
        ("{tier: T1, above: 0, up_to: 0.05}", "{tier: T1, above: 0}", "takes above and up_to"),
        (
            "{tier: T1, above: 0, up_to: 0.05}",
            "{tier: T1, above: 0.01, up_to: 0.05}",
            "a gap: T1 begins above 0.01",
        ),
        ("{tier: T0, equal: rounded}", "{tier: T0, equal: nearly}", "T0 takes equal"),
    ],
)
def test_a_tier_table_with_a_gap_is_refused(old: str, new: str, words: str) -> None:
    sentence = refused(old, new)
    assert words in sentence
    assert "tolerances.score.tiers" in sentence


def test_bounds_that_do_not_rise_are_refused() -> None:
    sentence = refused("{tier: T2, above: 0.05, up_to: 0.5}", "{tier: T2, above: 0.05, up_to: 0.05}")
    assert "tolerances.score.tiers[3]" in sentence or "tolerances.score.tiers[2]" in sentence


def test_the_line_is_that_of_the_declaration() -> None:
    assert f"line {line_of('    value: cost')}:" in refused("    value: cost\n", "    value: runtime\n")


def test_a_policy_that_needs_an_absent_column_says_which() -> None:
    assert 'needs the column "runtime", which is not in instances.parquet' in refused("value: cost", "value: runtime")
