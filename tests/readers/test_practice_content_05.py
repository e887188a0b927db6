"""The practice sets of codebook 0.5 as content: what each asks, that every gold holds, that nothing gives it away.

Only the three files are looked at; how a set is read is tested beside its reader.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from app.domain.codebook.model import Codebook
from app.domain.codebook.rules import judge
from app.domain.coding import normalise
from app.domain.turnlog.positions import RunView
from app.domain.turnlog.windows import find_window
from app.readers.case_file import Case, build_case
from app.readers.codebook_file import load_codebook
from app.readers.located_yaml import parse_yaml

FOLDER = Path(__file__).parents[2] / "codebook"
TRAINING, FIRST, SECOND = "training", "qualification-1", "qualification-2"
SETS = (TRAINING, FIRST, SECOND)
QUALIFICATIONS = (FIRST, SECOND)
PAIRS = ("shortfall or conflict", "absence or gap", "release or drop")
# A rater may call a message that *is* the act T1, and an output that echoes the agent T4; elsewhere the log decides.
OTHER_TIER = {"speech_act", "agent_authored_output"}
LONG_ENOUGH = 25  # shorter outputs ("stored", "1 place changed") are what tools say everywhere

Item = dict[str, Any]


@cache
def codebook() -> Codebook:
    return load_codebook(FOLDER / "saydo-0.5.yaml")


def source(name: str) -> bytes:
    return (FOLDER / "practice" / f"saydo-0.5-{name}.yaml").read_bytes()


@cache
def head(name: str) -> dict[str, Any]:
    return parse_yaml(source(name), name).plain()["practice"]  # type: ignore[no-any-return]


def items(name: str) -> list[Item]:
    return list(head(name)["items"])


def every_item() -> list[Any]:
    return [pytest.param(item, id=f"{name}-{item['id']}") for name in SETS for item in items(name)]


def label(item: Item) -> str:
    return str(item["gold"].get("verdict", "not_codable"))


def case_of(item: Item) -> Case:
    document = {"codebook": "0.5", "run": item["run"], "claim": item["claim"], "coding": item["gold"]}
    return build_case(document, item["id"])


def n_turns(item: Item) -> int:
    return len({row["turn"] for row in item["run"]["turns"]})


def words_of(item: Item) -> set[str]:
    """Every text a run holds, of rows and of arguments, that is long enough to be somebody's wording."""
    found = {row.get("text", "") for row in item["run"]["turns"]}
    for row in item["run"]["turns"]:
        found.update(value for value in row.get("args", {}).values() if isinstance(value, str))
    return {text for text in found if len(text) >= LONG_ENOUGH}


@pytest.mark.parametrize("name", QUALIFICATIONS)
def test_a_qualification_asks_every_verdict_four_times_and_four_that_are_not_codable(name: str) -> None:
    wanted = {option.code for option in codebook().field("verdict").options} | {"not_codable"}  # type: ignore[union-attr]
    assert Counter(map(label, items(name))) == dict.fromkeys(wanted, 4)
    reasons = [item["gold"]["not_codable_reason"] for item in items(name) if label(item) == "not_codable"]
    assert sorted(reasons) == ["about_world", "instruction_or_question", "no_assertion", "opinion_or_forecast"]


@pytest.mark.parametrize("name", QUALIFICATIONS)
def test_every_kind_of_claim_occurs(name: str) -> None:
    kinds = {option.code for option in codebook().field("claim_kind").options}  # type: ignore[union-attr]
    assert {item["gold"].get("claim_kind") for item in items(name)} - {None} == kinds


def test_training_teaches_each_hard_pair_with_two_verdicts() -> None:
    taught = [(item["teaches"], label(item)) for item in items(TRAINING)]
    assert len(taught) == 15
    for pair in PAIRS:
        labels = [given for teaches, given in taught if teaches == pair]
        assert len(labels) == len(set(labels)) == 2, pair
    assert {given for _, given in taught} == {*map(label, items(FIRST))}


@pytest.mark.parametrize("item", every_item())
def test_every_gold_breaks_no_rule_hard_or_soft(item: Item) -> None:
    case = case_of(item)
    judged = judge(codebook(), case.run, case.claim, case.coding)
    assert [(one.rule, one.message) for one in judged.violations] == []
    assert set(case.ignored_keys) <= {"claim.resolved_text"}


@pytest.mark.parametrize("item", every_item())
def test_tiers_are_what_the_log_says_of_them(item: Item) -> None:
    case = case_of(item)
    derived = judge(codebook(), case.run, case.claim, case.coding).derived_tiers
    cited = normalise(case.coding).get("evidence", [])
    other = [one for one, tier in zip(cited, derived, strict=True) if one["tier"] != tier]
    if OTHER_TIER.isdisjoint(item["gold"].get("flags", [])):
        assert other == []
    assert len(other) <= 1


@pytest.mark.parametrize("item", every_item())
def test_the_claim_stands_once_in_its_row_and_the_run_is_of_a_plausible_length(item: Item) -> None:
    claim = item["claim"]
    texts = [row.get("text", "") for row in item["run"]["turns"] if row["turn"] == claim["turn"]]
    assert sum(text.count(claim["text"]) for text in texts) == 1
    assert 5 <= n_turns(item) <= 16
    assert [row["turn"] for row in item["run"]["turns"]] == sorted(row["turn"] for row in item["run"]["turns"])
    assert {row["turn"] for row in item["run"]["turns"]} == set(range(n_turns(item)))


@pytest.mark.parametrize("item", every_item())
def test_the_coverage_map_knows_its_gaps_and_every_run_has_one(item: Item) -> None:
    levels, gaps = item["run"]["coverage"], item["run"]["gaps"]
    assert {channel for channel, level in levels.items() if level == "gapped"} == {gap["channel"] for gap in gaps}
    assert levels["messages_to_user"] == "full"
    assert levels["reasoning"] == levels["outside"] == "none"


@pytest.mark.parametrize("item", every_item())
def test_feedback_names_the_gold_and_what_tempts_beside_it(item: Item) -> None:
    names = [option.code for option in codebook().field("verdict").options]  # type: ignore[union-attr]
    told = {name for name in names if name in item["feedback"]}
    told |= {"not_codable"} if re.search("not.codable", item["feedback"], re.IGNORECASE) else set()
    assert label(item) in told
    assert told - {label(item)} or label(item) == "not_codable"
    assert re.search("tempt|rival", item["feedback"]) or "would need" in item["feedback"]


def test_training_feedback_is_two_to_four_sentences() -> None:
    for item in items(TRAINING):
        n_sentences = len(re.findall(r"[.!?](?:\s|$)", item["feedback"]))
        assert 2 <= n_sentences <= 4, item["id"]


def test_no_run_and_no_claim_is_met_twice() -> None:
    seen: dict[str, str] = {}
    for name in SETS:
        for item in items(name):
            place = f"{name} {item['id']}"
            for text in {*words_of(item), item["claim"]["text"]}:
                assert seen.setdefault(text, place) == place, text


@pytest.mark.parametrize("name", SETS)
def test_nothing_of_the_file_a_rater_sees_tells_the_label(name: str) -> None:
    labels = [label(item) for item in items(name)]
    assert [item["id"] for item in items(name)] == [f"{name[0]}{n:02d}" for n in range(1, len(labels) + 1)]
    told = " ".join([head(name)["title"], *(item["id"] for item in items(name))]).lower()
    assert not [one for one in labels if one.lower() in told]
    # In the order of the file no label follows itself: an order by label would show it.
    assert not [a for a, b in pairwise(labels) if a == b and name != TRAINING]


def guessed_right(rows: Iterable[tuple[object, str]]) -> float:
    """The share of labels one gets right by always giving the commonest label of what one looks at."""
    pairs = list(rows)
    by_look: dict[object, Counter[str]] = {}
    for look, given in pairs:
        by_look.setdefault(look, Counter())[given] += 1
    return sum(max(counts.values()) for counts in by_look.values()) / len(pairs)


def length_bucket(item: Item) -> object:
    return next(n for n, longest in enumerate((7, 10, 13, 16)) if n_turns(item) <= longest)


def place_third(item: Item) -> object:
    return min(2, 3 * item["claim"]["turn"] // (n_turns(item) - 1))


def claim_length(item: Item) -> object:
    return len(item["claim"]["text"]) // 25


def kind(item: Item) -> object:
    return item["gold"].get("claim_kind")


def has_gap(item: Item) -> object:
    return bool(item["run"]["gaps"])


def has_error(item: Item) -> object:
    return any(row.get("is_error") or row.get("exit_code") for row in item["run"]["turns"])


# Eight labels alike, so blind guessing gets 1/8, and a look with two outcomes 2/8 at the very most. An intent is the
# only thing that can be released, and a look at the kind therefore tells a little; no single look may get near the 0.80
# that qualifies.
LOOKS: dict[str, tuple[Callable[[Item], object], float]] = {
    "length": (length_bucket, 0.15),
    "place of the claim": (place_third, 0.30),
    "length of the claim": (claim_length, 0.30),
    "gap": (has_gap, 0.22),
    "error": (has_error, 0.22),
    "kind": (kind, 0.55),
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", QUALIFICATIONS)
def test_no_single_look_at_an_item_predicts_its_label(name: str, look: str) -> None:
    see, bound = LOOKS[look]
    assert guessed_right((see(item), label(item)) for item in items(name)) <= bound


@pytest.mark.parametrize("name", QUALIFICATIONS)
def test_the_ways_in_which_a_promise_ends_are_all_asked(name: str) -> None:
    released = [item for item in items(name) if label(item) == "RELEASED"]
    assert [item["claim"].get("conditional", False) for item in released].count(True) == 1
    by_user = [one for one in released if {row["role"] for row in _cited(one)} == {"user"}]
    refused = [one for one in released if any(row.get("is_error") or row.get("exit_code") for row in _cited(one))]
    said = [one for one in released if any(row["role"] == "assistant" for row in _cited(one))]
    assert len(by_user) == len(refused) == 1
    assert len(said) == 2
    others = {label(item) for item in items(name) if kind(item) == "intent"} - {"RELEASED"}
    assert {"SUPPORTED", "PARTIAL", "UNBACKED"} <= others


def _cited(item: Item) -> list[dict[str, Any]]:
    cited = {one["turn"] for one in item["gold"]["evidence"]}
    return [row for row in item["run"]["turns"] if row["turn"] in cited]


def test_a_silent_drop_and_an_admission_that_comes_too_late_are_asked() -> None:
    dropped = [one for name in SETS for one in items(name) if kind(one) == "intent" and label(one) == "UNBACKED"]
    late = []
    for item in dropped:
        case = case_of(item)
        window = find_window(codebook().window, RunView(case.run), case.claim)
        assert not any(one["turn"] <= window.last for one in item["gold"].get("evidence", []))
        late.append(item["gold"]["disclosure"] == "full")
    assert sorted(late) == [False, True, True]


@pytest.mark.parametrize("name", QUALIFICATIONS)
def test_what_cannot_be_settled_is_so_for_a_gap_and_for_a_channel_that_is_not_there(name: str) -> None:
    coded = [item["gold"] for item in items(name) if label(item) == "UNVERIFIABLE"]
    assert {one["log_coverage"] for one in coded} == {"gapped", "none"}
    reasons = {one["undetermined_reason"] for one in (i["gold"] for i in items(name)) if "undetermined_reason" in one}
    assert reasons == {"ambiguous_wording", "damaged_text", "same_tier_conflict"}
    # A gap beside the matter must not frighten: items of other labels have one as well.
    assert len({label(item) for item in items(name) if has_gap(item)}) >= 5


@pytest.mark.parametrize("name", SETS)
def test_the_files_are_plain_and_readable(name: str) -> None:
    text = source(name).decode("utf-8")
    assert not {"\r", "\t"} & set(text)
    assert text.endswith("\n")
    assert max(len(line) for line in text.split("\n")) <= 160
    assert (head(name)["codebook"], head(name)["origin"]) == ("0.5", "authored-stand-in")
