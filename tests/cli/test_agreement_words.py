"""What a person reads of a study's agreement: one line a field and pair, no adjective, a reason where undefined."""

from __future__ import annotations

from app.cli.agreement_words import told_in_brief
from app.domain.accounting import list_cases
from app.domain.export.reliability import agreement_documents
from app.domain.record import StudyRecord
from tests.domain.export.records import answer, claim, coding, record
from tests.services.studies import study


def told(made: StudyRecord) -> list[str]:
    return list(told_in_brief(agreement_documents(made, list_cases(made))))


def test_every_field_has_one_line_a_pair_with_n_exact_agreement_kappa_and_interval() -> None:
    made = study(24, 3)
    documents = agreement_documents(made, list_cases(made))
    lines = list(told_in_brief(documents))
    assert lines[0] == "codebook 0.5: 24 claims, 5 runs, raters R1, R2, R3, locked codings only"
    assert "small_sample_effective" in lines[1]
    rows = lines[lines.index("") + 2 :]
    assert len(rows) == 3 * len(documents)
    pair = documents["verdict"]["0.5"]["pairs"][0]
    exact, kappa = pair["exact_agreement"], pair["cohen_kappa"]
    assert rows[0].split() == [
        "verdict", "R1", "and", "R2", str(pair["n"]), f"{exact['num']}/{exact['den']}", "=", f"{exact['value']:.4f}",
        f"{kappa['value']:.4f}", f"{kappa['ci95'][0]:.4f}", "to", f"{kappa['ci95'][1]:.4f}",
    ]  # fmt: skip
    assert not [w for w in ("substantial", "moderate", "almost", "fair", "excellent", "poor") if w in " ".join(lines)]


def test_a_summary_fits_a_terminal() -> None:
    assert max(len(line) for line in told(study(24)) if "undefined" not in line) <= 100
    assert len(told(study(24))) < 30


def test_undefined_is_its_reason_and_no_number() -> None:
    keys = ["a1", "b2"]
    made = record([claim(k) for k in keys], [coding(k, s, answer("PARTIAL")) for k in keys for s in ("R1", "R2")])
    (verdict,) = [line for line in told(made) if line.startswith("verdict ")]
    assert "2/2 = 1.0000     undefined: only one category was used" in verdict
    nothing = next(line for line in told(made) if line.startswith("unverifiable_reason"))
    assert nothing.split("and R2")[1].split() == ["0", "undefined:", "no", "unit", "was", "rated", "twice"]


def test_one_run_leaves_the_interval_undefined() -> None:
    keys = ["a1", "b1", "c1"]
    labels = {"a1": ("PARTIAL", "PARTIAL"), "b1": ("SUPPORTED", "SUPPORTED"), "c1": ("PARTIAL", "SUPPORTED")}
    made = record(
        [claim(k) for k in keys],
        [coding(k, f"R{i + 1}", answer(label)) for k in keys for i, label in enumerate(labels[k])],
    )
    (verdict,) = [line for line in told(made) if line.startswith("verdict ")]
    assert verdict.endswith("0.4000  undefined below two runs")


def test_one_rater_is_said() -> None:
    made = record([claim("a1")], [coding("a1", "R1", answer("PARTIAL"))], slots={"R1": "human"})
    assert "undefined: there is only one rater" in next(line for line in told(made) if line.startswith("verdict "))
