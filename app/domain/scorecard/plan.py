"""Planned versus completed: what the plan says beside what the records bear out, generated, one line a concern.

Responsible for deriving every status from an artefact. A step whose file is not there is not done, whatever a plan
says; what no record of ours can show is printed as declared. Also for the short line that stands with every table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.domain.scorecard.records import ScoreData
from app.domain.scorecard.spec import Resampling, ScorecardSpec
from app.domain.scorecard.spec_faults import OVERALL
from app.domain.stats.statistic import Json

AS_PLANNED, DIFFERS, NOT_DONE, NOT_PLANNED, DECLARED = "as planned", "differs", "not done", "not planned", "declared"
SILENT = "the plan is silent"
Figures = Mapping[str, Any]


def planned_versus_completed(spec: ScorecardSpec, data: ScoreData, figures: Figures) -> list[Json]:
    """Return `{concern, planned, completed, status}` for every concern, in the order it is printed."""
    parts = (_sizes, _grading, _retries, _calibration, _review, _resampling, _settings, _rules, _steps, _earlier)
    lines = [line for part in parts for line in part(spec, data, figures)]
    lines.append(_registration(spec))
    lines.extend(_line(d.concern, d.planned, d.completed, DECLARED) for d in spec.disclosures)
    return lines


def pending_review(spec: ScorecardSpec, figures: Figures) -> str | None:
    """Return the sentence of a planned review that is not completed, or None."""
    planned, done = spec.planned.reviews, figures["reviews"]["n_reviewed"] or 0
    if not planned or done >= planned:
        return None
    return f"The planned human review is pending: {done} of {planned} grade sheets were reviewed."


def scope(spec: ScorecardSpec, figures: Figures) -> tuple[str, str]:
    """Return (planned, completed): the line that stands with every table."""
    planned, answers = spec.planned, figures["accounting"]
    parts = [(planned.models, "models"), (planned.questions, "questions"), (planned.judges, "judges")]
    said = [f"{n} {what}" for n, what in parts if n is not None]
    due = sum(of["n_due"] for of in figures["defects"].values())
    graded = sum(of["n_valid"] for of in figures["defects"].values())
    n_models, n_judges = len(answers["models"]), len(figures["defects"])
    completed = (
        f"{n_models} models × {figures['corpus']['n_questions']} questions × {n_judges} judges: "
        f"{answers['n_valid']} of {answers['N']} answers valid, {graded} of {due} grade sheets valid"
    )
    return " × ".join(said) or SILENT, completed


def _line(concern: str, planned: str, completed: str, status: str) -> Json:
    return {"concern": concern, "planned": planned, "completed": completed, "status": status}


def _counted(concern: str, planned: int | None, completed: int, words: str) -> Json:
    if planned is None:
        return _line(concern, SILENT, words, NOT_PLANNED)
    return _line(concern, str(planned), words, AS_PLANNED if planned == completed else DIFFERS)


def _sizes(spec: ScorecardSpec, data: ScoreData, figures: Figures) -> Iterator[Json]:
    answers = figures["accounting"]
    n_models, n_questions = len(data.models), len(data.questions)
    yield _counted("Models", spec.planned.models, n_models, f"{n_models} with {n_questions} answers each")
    yield _counted("Questions", spec.planned.questions, n_questions, str(n_questions))
    whole = AS_PLANNED if not answers["n_failed"] else DIFFERS
    yield _line("Answers", str(answers["N"]), f"{answers['n_valid']} valid, {answers['n_failed']} failures", whole)


def _grading(spec: ScorecardSpec, data: ScoreData, figures: Figures) -> Iterator[Json]:
    official = sum(judge.official for judge in data.judges)
    others = len(data.judges) - official
    words = f"{len(data.judges)}, {official} of them official" if others else str(len(data.judges))
    yield _counted("Judges", spec.planned.judges, len(data.judges), words)
    for judge, of in figures["defects"].items():
        there = f"{of['n_valid']} valid, {of['n_failed']} failed, {of['n_missing']} missing"
        whole = AS_PLANNED if of["n_valid"] == of["n_due"] else DIFFERS
        yield _line(f"First grades by {judge}", str(of["n_due"]), there, whole)


def _retries(spec: ScorecardSpec, data: ScoreData, figures: Figures) -> Iterator[Json]:
    """By phase: the retries of contestants and of judges are two policies and never one number."""
    for phase, of in (figures["calls"] or {"phases": {}})["phases"].items():
        words = f"{of['total']['n_retained']} calls retained, {of['total']['n_replaced']} replaced by a retry"
        yield _line(f"Calls of phase {phase}", SILENT, words, NOT_PLANNED)


def _calibration(spec: ScorecardSpec, data: ScoreData, figures: Figures) -> Iterator[Json]:
    for judge, of in figures["defects"].items():
        most = max((s.repeat for s in data.sheets if s.judge_id == judge and s.valid), default=0)
        words = f"at most {most}; {of['n_repeats']} repeated sheets"
        yield _counted(f"Grades of one answer by {judge}", spec.planned.repeats, most, words)
    names = {
        "intra_label_agreement": "Agreement of a judge with its own repeat",
        "inter_rank_correlation": "Rank correlation between judges",
    }
    for key, name in names.items():
        gate = figures["judges"]["gates"][key]
        yield _line(f"Gate: {name.lower()}", f"{gate['threshold']:.2f} or more", _gate_words(gate), _gate_status(gate))


def _gate_words(gate: Json) -> str:
    if gate["met"] is None:
        return "nothing to evaluate"
    absent = f"; not evaluated: {', '.join(gate['not_evaluated'])}" if gate["not_evaluated"] else ""
    return f"lowest of {gate['n_evaluated']}: {gate['lowest']:.3f}{absent}"


def _gate_status(gate: Json) -> str:
    return NOT_DONE if gate["met"] is None else "met" if gate["met"] else "not met"


def _review(spec: ScorecardSpec, data: ScoreData, figures: Figures) -> Iterator[Json]:
    planned, of = spec.planned.reviews, figures["reviews"]
    picked = 0 if of["n_picked"] is None else of["n_picked"]
    done = 0 if of["n_reviewed"] is None else of["n_reviewed"]
    words = f"{done} reviewed, {picked} picked"
    status = NOT_PLANNED if planned is None else AS_PLANNED if done >= planned else DIFFERS if done else NOT_DONE
    yield _line("Human review of grade sheets", SILENT if planned is None else str(planned), words, status)


def _resampling(spec: ScorecardSpec, data: ScoreData, figures: Figures) -> Iterator[Json]:
    original = spec.resampling["original"]
    names = {
        "primary": f"means and paired differences, {OVERALL} and by slice",
        "focus": "criterion by criterion",
        "ranks": "rank frequencies",
    }
    yield _line("Bootstrap of the original scorer", _draws(original), _draws(original), AS_PLANNED)
    for name, what in names.items():
        if name != "focus" or spec.focus is not None:
            yield _line(
                f"Bootstrap: {what}", "not in the original scorer", _draws(spec.resampling[name]), "exploratory"
            )


def _draws(how: Resampling) -> str:
    return f"{how.draws} draws, seed {how.seed}"


def _settings(spec: ScorecardSpec, data: ScoreData, figures: Figures) -> Iterator[Json]:
    for name, of in figures["settings"].items():
        others = "; ".join(f"{value or 'not recorded'}: {', '.join(who)}" for value, who in of["others"].items())
        words = f"{of['n_as_stated']} of {of['N']} runs as stated" + (f"; {others}" if others else "")
        yield _line(f"Setting {name}", of["stated"], words, DIFFERS if others else AS_PLANNED)


def _rules(spec: ScorecardSpec, data: ScoreData, figures: Figures) -> Iterator[Json]:
    for name, of in figures["rules"].items():
        enforced = "enforced" if of["enforced"] else "planned, not enforced"
        words = f"{of['n_kept']} of {of['N']} keep it, {of['n_broken']} break it, {of['n_unrecorded']} unrecorded"
        status = AS_PLANNED if of["n_kept"] == of["N"] else DIFFERS
        yield _line(f"Rule: {name}", enforced, words, status)


def _steps(spec: ScorecardSpec, data: ScoreData, figures: Figures) -> Iterator[Json]:
    for step in spec.planned.steps:
        there = data.artefacts[step.file]
        words = f"{step.file} is there" if there else f"no file {step.file}: nothing shows that it was done"
        yield _line(step.name, "yes", words, AS_PLANNED if there else NOT_DONE)


def _earlier(spec: ScorecardSpec, data: ScoreData, figures: Figures) -> Iterator[Json]:
    if spec.consensus_of is not None:
        of, planned = figures["consensus"], "after the human review" if spec.planned.reviews else SILENT
        words = (
            "no human-reviewed analysis is available; chosen later: core facts that all "
            f"{spec.consensus_of} contributors named, on {of['n_questions']} of {of['N']} questions"
        )
        yield _line("Sensitivity to gold contributors", planned, words, "post hoc")
    if figures["copied"] is not None:
        words = (
            "inputs as in the manifest" if figures["copied"]["copied"] else "not copied: " + figures["copied"]["reason"]
        )
        yield _line(
            "Copied intervals",
            "after the manifest holds",
            words,
            AS_PLANNED if figures["copied"]["copied"] else NOT_DONE,
        )


def _registration(spec: ScorecardSpec) -> Json:
    said = spec.public_registration
    words = said or "no independent public registry and no outside time stamp is named"
    return _line("Public registration", SILENT if said is None else "yes", words, DECLARED if said else NOT_DONE)
