"""The study file: every key, its default, and the place of whatever cannot stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.domain.errors import BadInput, NotFound
from app.domain.study import OPTIONAL, REQUIRED, Overlap, Sampling
from app.readers.study_file import load_study, parse_study

SHORT = """id: pilot-1
codebook: "0.5"
log: turnlog.parquet
claims: claims.parquet
lead: l.one
raters: [r.one, r.two]
adjudicators: [a.one]
custodian: c.one
seed: 20260725
state_at_writing: "Nothing had been coded."
prior_inspection: "None."
"""
LONG = (
    SHORT
    + """title: A pilot
coverage: coverage.yaml
machine_raters: [m.one]
sampling: {n: 400, by: [session_id, claim_source]}
overlap: {design: partial, share: 0.3, min_claims: 150}
calibration: calibration.parquet
repeats: 0.1
controls: controls.yaml
order: log_order
policies:
  pooling: [P1, P2]
  gaps: [G2, G4]
  denominators: [decided]
  repeats_of: [first]
  primary: {pooling: P2, gap: G4, denominator: decided, repeats_of: first}
thresholds: {kappa: 0.8, kappa_lower: 0.5, codability: 0.75, intra_rater: 0.9}
blinding: {terms: [acme-agent], arms_column: condition}
amendments: [{at: "2026-08-01", what: "a rater joined"}, plain words]
"""
)


def refusal(text: str) -> str:
    with pytest.raises(BadInput) as caught:
        parse_study(text, "STUDY.yaml")
    sentence = str(caught.value)
    assert sentence.startswith("STUDY.yaml")
    assert "\n" not in sentence
    return sentence


def test_the_required_keys_alone_make_a_study_with_its_defaults() -> None:
    spec = parse_study(SHORT, "STUDY.yaml")
    assert (spec.id, spec.codebook, spec.raters, spec.seed) == ("pilot-1", "0.5", ("r.one", "r.two"), 20260725)
    assert (spec.title, spec.coverage, spec.calibration, spec.controls) == ("pilot-1", None, None, None)
    assert (spec.machine_raters, spec.repeats, spec.order, spec.amendments) == ((), 0.05, "random_within_run", ())
    assert (spec.sampling, spec.overlap) == (Sampling("all"), Overlap("full"))
    assert spec.policies.pooling == ("P1", "P2", "P3", "P4", "P5", "P6")
    assert (spec.policies.gaps, spec.policies.primary.gap) == ((), "")  # the codebook's, filled in when it is read
    assert (spec.thresholds.kappa, spec.thresholds.kappa_lower) == (0.7, 0.6)
    assert (spec.blinding.terms, spec.blinding.arms_column) == ((), "arm")


def test_every_key_is_taken() -> None:
    spec = parse_study(LONG, "STUDY.yaml")
    assert (spec.title, spec.coverage, spec.machine_raters) == ("A pilot", "coverage.yaml", ("m.one",))
    assert spec.sampling == Sampling(None, 400, ("session_id", "claim_source"))
    assert spec.overlap == Overlap("partial", 0.3, 150)
    assert (spec.calibration, spec.repeats, spec.controls, spec.order) == (
        *("calibration.parquet", 0.1, "controls.yaml", "log_order"),
    )
    assert (spec.policies.pooling, spec.policies.primary.pooling) == (("P1", "P2"), "P2")
    assert (spec.thresholds.intra_rater, spec.blinding.arms_column) == (0.9, "condition")
    assert spec.amendments == ({"at": "2026-08-01", "what": "a rater joined"}, "plain words")
    assert spec.text == LONG


def test_a_partial_overlap_without_a_floor_has_the_protocols() -> None:
    spec = parse_study(SHORT + "overlap: {design: partial, share: 0.3}\n", "S.yaml")
    assert spec.overlap.min_claims == 100


def test_files_lie_beside_the_study_file_and_its_words_are_kept(tmp_path: Path) -> None:
    written = ("\ufeff" + SHORT.replace("\n", "\r\n")).encode("utf-8")
    (tmp_path / "STUDY.yaml").write_bytes(written)
    spec = load_study(tmp_path / "STUDY.yaml")
    assert spec.path_of("log") == tmp_path / "turnlog.parquet"
    assert spec.path_of("coverage") is None
    assert spec.text == SHORT.replace("\n", "\r\n")
    absolute = parse_study(SHORT.replace("turnlog.parquet", str(tmp_path / "t.parquet")), "elsewhere/S.yaml")
    assert absolute.path_of("log") == tmp_path / "t.parquet"


@pytest.mark.parametrize("key", REQUIRED)
def test_a_missing_required_key_is_named(key: str) -> None:
    lines = [line for line in SHORT.splitlines() if not line.startswith(f"{key}:")]
    assert f"lacks the key {key}" in refusal("\n".join(lines))


@pytest.mark.parametrize("key", OPTIONAL)
def test_an_optional_key_may_be_left_empty(key: str) -> None:
    assert parse_study(SHORT + f"{key}:\n", "S.yaml").id == "pilot-1"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("seed: 20260725", "sede: 20260725", "line 9: sede: is no key that is known here"),
        ("seed: 20260725", "seed: many", "line 9: seed: takes a whole number"),
        ("seed: 20260725", "seed: -1", "line 9: seed: takes a whole number"),
        ("seed: 20260725", "seed: 1.5", "line 9: seed: takes a whole number"),
        ("lead: l.one", "lead: l.one\nlead: l.two", "line 6: lead: stands here twice"),
        ('codebook: "0.5"', "codebook: 0.5", "line 2: codebook: takes a text; put numbers"),
        ("log: turnlog.parquet", "log: [a, b]", "line 3: log: takes a text"),
        ("[r.one, r.two]", "r.one", "line 6: raters: takes a list"),
        ("[r.one, r.two]", "[]", "line 6: raters: is empty"),
        ("[r.one, r.two]", "[r.one, r.one]", 'line 6: raters[1]: "r.one" is already a rater'),
        ("[a.one]", "[a.one, a.one]", 'line 7: adjudicators[1]: "a.one" is already an adjudicator'),
        ("[a.one]", "[r.two]", 'line 7: adjudicators[0]: "r.two" is also a rater'),
        ("custodian: c.one", "custodian: r.one", 'line 8: custodian: "r.one" is also a rater'),
        ("custodian: c.one", "custodian: a.one", 'line 8: custodian: "a.one" is also an adjudicator'),
        ("id: pilot-1", "id: ../x", "line 1: id: takes letters"),
        (
            'state_at_writing: "Nothing had been coded."',
            'state_at_writing: " "',
            "line 10: state_at_writing: takes a text",
        ),
        ("id: pilot-1", "id: &a pilot-1", "line 1: anchors and aliases"),
        ("id: pilot-1", "\tid: pilot-1", "line 1: holds a tab"),
        ("id: pilot-1", "id: [pilot", "is not YAML"),
    ],
)
def test_what_cannot_stand_is_named_by_line_and_key(old: str, new: str, said: str) -> None:
    assert old in SHORT
    assert said in refusal(SHORT.replace(old, new))


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ("machine_raters: [r.one]", 'machine_raters[0]: "r.one" is already a rater'),
        ("sampling: {frame: some}", 'sampling.frame: "some" is not a frame'),
        ("sampling: {frame: all, n: 5}", "sampling: takes either frame: all or n"),
        ("sampling: {n: 0}", "sampling.n: takes a whole number from 1"),
        ("sampling: {n: 5, by: [model]}", 'sampling.by[0]: "model" is not one of session_id, claim_source'),
        ("overlap: {share: 0.3}", "overlap: lacks the key design"),
        ("overlap: {design: double}", 'overlap.design: "double" is not one of full, partial, k_of_n'),
        ("overlap: {design: full, k: 2}", "overlap.k: does not belong to the design full"),
        ("overlap: {design: partial}", "overlap: takes a share from 0.25"),
        ("overlap: {design: partial, share: 1.5}", "overlap.share: takes a share from 0.25"),
        ("overlap: {design: k_of_n, k: 3}", "overlap.k: takes a whole number from 1 to the number of raters (2)"),
        ("repeats: 0.9", "repeats: takes a share from 0 to 0.5"),
        ("repeats: often", "repeats: takes a number"),
        ("order: shuffled", 'order: "shuffled" is not one of random_within_run, log_order'),
        ("policies: {pooling: [P9]}", 'policies.pooling[0]: "P9" is not one of'),
        ("policies: {pooling: [P2]}", 'policies: "P1" is not among the declared pooling'),
        ("thresholds: {kappa: 2}", "thresholds.kappa: takes a number from -1 to 1"),
        ("thresholds: {kapa: 0.7}", "thresholds.kapa: is no key that is known here"),
        ("blinding: {terms: acme}", "blinding.terms: takes a list"),
        ("blinding: [acme]", "blinding: takes a mapping"),
        ("amendments: [3]", "amendments[0]: takes a text or a mapping"),
    ],
)
def test_optional_parts_are_checked_too(added: str, said: str) -> None:
    sentence = refusal(SHORT + added + "\n")
    assert said in sentence
    assert "line 12" in sentence


def test_files_that_are_absent_or_not_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no file"):
        load_study(tmp_path / "none.yaml")
    (tmp_path / "S.yaml").write_bytes(b"id: a\nlead: \xff\n")
    with pytest.raises(BadInput, match=r"S\.yaml line 2"):
        load_study(tmp_path / "S.yaml")
    (tmp_path / "S.yaml").write_bytes(b"")
    with pytest.raises(BadInput, match="holds nothing"):
        load_study(tmp_path / "S.yaml")
