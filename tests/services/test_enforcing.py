"""The rules enforced in a study: all of them, no count before the last lock, the right ones after it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from app.domain.codebook.enforcement import NOT_AT_A_SAVE, NOT_COUNTED, NOT_YET, enforcement_of
from app.domain.codebook.workflow import WORKFLOW_RULES
from app.domain.errors import Forbidden, NotFound
from app.domain.export.tables import study_tables
from app.domain.tally import EVERY_SAVE, Count, RuleCount
from app.services import enforcing
from app.services.enforcing import rules_document, rules_lines
from app.services.recording import load_record
from app.services.report import report_html
from app.storage import studies
from app.storage.engine import Database
from tests.conftest import Clock
from tests.domain.codebook.test_document import NAMES, book
from tests.services.conftest import Published
from tests.services.test_coding import code_all
from tests.services.test_study_life import adjudicate_all, lock, lock_both


def page(database: Database, published: Published) -> enforcing.RulesPage:
    with database.reading() as session:
        return enforcing.rules_page(session, published.lead, "small")


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_of_the_codebook_and_of_the_work_is_listed_once(name: str) -> None:
    lines = enforcement_of(book(name), None).lines
    own = [rule.id for rule in book(name).rules]
    assert [line.id for line in lines] == [*own, *(rule.id for rule in WORKFLOW_RULES)]
    for line in lines:
        assert line.message
        assert line.applies.startswith("Applies")
        assert line.level in ("hard", "soft")
        assert (line.count, line.by_source) == (None, {})
    assert {rule.id for rule in WORKFLOW_RULES} == {
        "H03", *(f"H{n}" for n in range(25, 33)), "W08", "W09", "W10", "W12",
    }  # fmt: skip


def test_what_is_not_counted_is_null_with_its_reason_and_never_zero() -> None:
    hidden = {line.id: line for line in enforcement_of(book("0.5"), None).lines}
    assert (hidden["H19"].why, hidden["H26"].why) == (NOT_YET, NOT_AT_A_SAVE)
    none = {line.id: line for line in enforcement_of(book("0.5"), ()).lines}
    assert (none["H19"].count, none["H19"].why) == (None, NOT_COUNTED)
    some = [RuleCount("human", EVERY_SAVE, Count(3)), RuleCount("human", "H01", Count(3))]
    counted = {line.id: line for line in enforcement_of(book("0.5"), some).lines}
    assert counted["H01"].count == Count(3)
    assert counted["H19"].count == Count()  # it applied to none of three saves: that is a count
    assert (counted["H26"].count, counted["H26"].why) == (None, NOT_AT_A_SAVE)
    assert (counted["H27"].count, counted["H27"].why) == (None, NOT_COUNTED)


def test_no_count_leaves_before_the_last_lock(database: Database, published: Published, clock: Clock) -> None:
    code_all(database, published.one, clock)
    lock(database, published.one, clock)
    code_all(database, published.two, clock)
    found = page(database, published)
    assert not found.are_counts_open
    assert rules_document(found)["saves"] == {}
    assert [rule["rule"] for rule in rules_document(found)["rules"] if rule["count"] or rule["by_source"]] == []
    assert not re.search(r"applied \d", "\n".join(rules_lines(found)))
    lock(database, published.two, clock)
    assert page(database, published).are_counts_open


def test_the_counts_after_the_locks_are_those_of_the_saves(
    database: Database, published: Published, clock: Clock
) -> None:
    """Twelve saves of six claims by two raters: 4 actions, 4 results, 4 restraints; R2 calls the results open."""
    lock_both(database, published, clock)
    told_of = {rule["rule"]: rule for rule in rules_document(page(database, published))["rules"]}
    assert rules_document(page(database, published))["saves"]["human"]["applied"] == 12
    applied = {rule: told_of[rule]["count"]["applied"] for rule in ("H01", "H08", "H20", "H22", "H19", "H23", "W08")}
    assert applied == {"H01": 12, "H08": 2, "H20": 2, "H22": 2, "H19": 0, "H23": 4, "W08": 12}
    assert told_of["H26"]["count"] is None
    assert told_of["H27"]["why"] == NOT_COUNTED
    n = adjudicate_all(database, published, clock)
    decided = {rule["rule"]: rule for rule in rules_document(page(database, published))["rules"]}
    assert decided["H27"]["count"] == {"applied": 2 * n, "refused": 0, "asked": 0, "confirmed": 0}
    assert decided["H01"]["count"]["applied"] == 12
    assert decided["H01"]["by_source"]["adjudicator"]["applied"] == 2 * n


def test_only_the_studys_lead_reads_them(database: Database, published: Published) -> None:
    for actor in (published.one, published.adjudicator, published.custodian):
        with pytest.raises(Forbidden), database.reading() as session:
            enforcing.rules_page(session, actor, "small")
    with pytest.raises(NotFound), database.reading() as session:
        enforcing.rules_page(session, published.lead, "elsewhere")


def test_the_record_and_its_report_carry_the_counts(database: Database, published: Published, clock: Clock) -> None:
    lock_both(database, published, clock)
    adjudicate_all(database, published, clock)
    with database.reading() as session:
        study = studies.find_study(session, "small")
        assert study is not None
        record = load_record(session, study)
    assert ("human", EVERY_SAVE, 12) in {(c.source, c.rule, c.count.applied) for c in record.rule_counts}
    html = report_html(record, study_tables(record), []).decode("utf-8")
    section = html[html.index('<section id="rules"') :]
    assert "12 judged saves of the raters, 0 refused" in section
    row = re.search(r'<th scope="row">H23</th>.*?</tr>', section, flags=re.DOTALL)
    assert row is not None
    assert re.findall(r'<td class="n">(\d+)</td>', row[0]) == ["4", "0", "0", "0"]
    bare = report_html(replace(record, rule_counts=()), study_tables(record), []).decode("utf-8")
    assert "Nothing was counted at the saves of this study" in bare
