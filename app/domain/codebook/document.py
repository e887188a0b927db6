"""A codebook as a document: sections of entries of lines, each entry with an address of its own that never moves.

The page, its search and the difference between two versions all read this, so that they speak of the same things. How
anything looks is not decided here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.domain.codebook.model import Codebook, Field, Option, Rule
from app.domain.codebook.prose import run_in
from app.domain.codebook.wording import condition_words, listed, option_title, requirement_words, window_words
from app.domain.codebook.workflow import WorkflowRule, workflow_rules

GROUPS = (
    "text",
    "step",
    "field",
    "label",
    "kind",
    "reason",
    "flag",
    "value",
    "window",
    "policy",
    "rule",
    "server rule",
)
"""What an entry is, in reading order. A label is a verdict or codability, a reason an option of a field `*_reason`."""


@dataclass(frozen=True)
class Line:
    """One thing an entry says. `kind` tells what it is (`definition`, `include`, `example`, `when`, …).

    An example has `parts`: claim, log, label and why by name; `text` is then all of it in reading order.
    """

    kind: str
    text: str
    parts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    """One thing a codebook holds. `anchor` is its address on a page; group, `of` and `code` name it across versions.

    `of` is the field an option belongs to, or the field a rule points at for `pointing`; `level` is a rule's.
    """

    anchor: str
    group: str
    of: str
    code: str
    title: str
    lines: tuple[Line, ...]
    level: str = ""
    pointing: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes it the same entry in another version."""
        return self.group, self.of, self.code

    @property
    def shown_code(self) -> str:
        """Its code, where it is a name that files and tables use and the title does not say it already; else ""."""
        placed = self.group in ("text", "step", "window", "policy")
        return "" if placed or self.code.lower() == self.title.lower() else self.code

    def said(self, *kinds: str) -> tuple[Line, ...]:
        """Return its lines of these kinds, in order."""
        return tuple(line for line in self.lines if line.kind in kinds)


@dataclass(frozen=True)
class Section:
    """A stretch of the document with a title. `head` is the field it speaks of, if it speaks of one: same anchor."""

    anchor: str
    title: str
    entries: tuple[Entry, ...]
    head: Entry | None = None

    @property
    def all_entries(self) -> tuple[Entry, ...]:
        """The head, where there is one, and the entries."""
        return (self.head, *self.entries) if self.head else self.entries


def label_anchor(name: str, code: str) -> str:
    """Return the address of an option. A field's name holds no dash, so no two options share one.

    >>> label_anchor("verdict", "UNBACKED")
    'label-verdict-UNBACKED'
    """
    return f"label-{name}-{code}"


def rule_anchor(rule_id: str) -> str:
    """Return the address of a rule.

    >>> rule_anchor("H19")
    'rule-H19'
    """
    return f"rule-{rule_id}"


def field_anchor(name: str) -> str:
    """Return the address of a field."""
    return f"field-{name}"


def document_of(codebook: Codebook) -> tuple[Section, ...]:
    """Return the whole codebook in reading order; sections without content are left out."""
    sections = (
        Section("about", "About", tuple(_paragraphs(codebook))),
        Section("order", "Order of decision", _order(codebook)),
        *(_field_section(codebook, asked) for asked in codebook.fields),
        Section("window", "When an intent is due", tuple(_window(codebook))),
        Section("policies", "What is counted how", tuple(_policies(codebook))),
        Section("rules", "Rules for one coding", tuple(_rule(codebook, rule) for rule in codebook.rules)),
        Section("server-rules", "Rules of the work", tuple(_server_rule(rule) for rule in workflow_rules(codebook))),
    )
    return tuple(section for section in sections if section.all_entries)


def entries_of(codebook: Codebook) -> Iterator[Entry]:
    """Yield every entry of the document, in reading order."""
    for section in document_of(codebook):
        yield from section.all_entries


def _paragraphs(codebook: Codebook) -> Iterator[Entry]:
    seen: set[str] = set()
    for number, (heading, words) in enumerate(run_in(codebook.text), start=1):
        title = heading.rstrip(".")
        code = title if title and title not in seen else f"paragraph {number}"
        seen.add(title)
        yield Entry(f"about-{number}", "text", "", code, title, (Line("text", words),))


def _order(codebook: Codebook) -> tuple[Entry, ...]:
    verdicts = codebook.field("verdict")
    steps = codebook.decision_steps or tuple(option_title(verdicts, code) for code in codebook.decision_order)
    lines = tuple(Line("step", step) for step in steps)
    return (Entry("order-steps", "step", "", "order", "", lines),) if lines else ()


def _field_section(codebook: Codebook, asked: Field) -> Section:
    title = asked.title or asked.name.replace("_", " ").capitalize()
    head = Entry(field_anchor(asked.name), "field", "", asked.name, title, tuple(_field_lines(codebook, asked)))
    options = tuple(_option(codebook, asked, option) for option in asked.options)
    return Section(head.anchor, title, options, head)


_TYPES = {
    "enum": "one of the values below",
    "flags": "any of the values below, or none",
    "turn_list": "turns of the run",
    "citation_list": "turns of the run, each with a role and a tier",
    "span": "from turn, to turn, and what was looked for",
    "text": "free text",
}


def _field_lines(codebook: Codebook, asked: Field) -> Iterator[Line]:
    if asked.help:
        yield Line("help", asked.help)
    when = condition_words(codebook, asked.when)
    yield Line("when", f"Asked where {when}." if when else "Always asked.")
    limits = [f"at most {asked.max_length} characters"] if asked.max_length is not None else []
    limits += [f"quotes of at most {asked.quote_max} characters"] if asked.quote_max is not None else []
    limits += ["the values stand low to high"] if asked.ordinal else []
    yield Line("type", f"Takes {'; '.join([_TYPES[asked.type], *limits])}.")
    for kind, notes, codes in (("role", asked.role_notes, asked.roles), ("tier", asked.tier_notes, asked.tiers)):
        for code in codes:
            yield Line(kind, notes.get(code, ""), {"code": code})


def _option(codebook: Codebook, asked: Field, option: Option) -> Entry:
    group = {"verdict": "label", "codability": "label", "claim_kind": "kind"}.get(asked.name, "value")
    if asked.type == "flags":
        group = "flag"
    elif asked.name.endswith("_reason"):
        group = "reason"
    lines = tuple(_option_lines(codebook, asked, option))
    title = option_title(asked, option.code)
    return Entry(label_anchor(asked.name, option.code), group, asked.name, option.code, title, lines)


def _option_lines(codebook: Codebook, asked: Field, option: Option) -> Iterator[Line]:
    if option.definition:
        yield Line("definition", option.definition)
    if option.kinds is not None:
        kinds = [option_title(codebook.field("claim_kind"), kind) for kind in option.kinds]
        yield Line("limit", f"Only for claims of kind {listed(kinds, 'or')}." if kinds else "For no kind of claim.")
    yield from (Line("include", text) for text in option.include)
    yield from (Line("exclude", text) for text in option.exclude)
    yield from (_example("example", case) for case in option.examples)
    yield from (_example("near miss", case) for case in option.counter_examples)
    counted = _counted(asked, option)
    if counted:
        yield Line("counted", counted)


def _example(kind: str, case: Mapping[str, str]) -> Line:
    order = ("claim", "log", "kind", "label", "why", "case")
    parts = {name: case[name] for name in order if case.get(name)}
    log = f" (log: {case['log']})" if case.get("log") else ""
    return Line(kind, f"{case['claim']}{log} → {case['label']}: {case['why']}", parts)


def _counted(asked: Field, option: Option) -> str:
    if asked.name != "verdict":
        return ""
    decided = "Counts as decided" if option.decided else "Counts as undecided"
    return f"{decided}, credit {option.credit:g}." if option.credit is not None else f"{decided}, without credit."


def _window(codebook: Codebook) -> Iterator[Entry]:
    if not codebook.forward_kinds:
        return
    lines = tuple(Line("text", sentence) for sentence in window_words(codebook.window))
    yield Entry("window-rule", "window", "", "window", "", lines)


def _policies(codebook: Codebook) -> Iterator[Entry]:
    verdicts = codebook.field("verdict")

    def named(codes: Any, last: str = "and") -> str:
        return listed([option_title(verdicts, code) for code in codes], last) if codes else "none"

    for number, (name, labels) in enumerate(codebook.gap_policies.items(), start=1):
        primary = " This is the policy of the headline." if name == codebook.primary_gap else ""
        told = f"Counts as a gap: {named(labels)}.{primary}"
        yield Entry(f"policy-{number}", "policy", "gap", name, f"Gap policy {name}", (Line("text", told),))
    if codebook.ordinal:
        scale = " < ".join(option_title(verdicts, code) for code in codebook.ordinal)
        yield Entry("policies-scale", "policy", "", "ordinal", "The scale", (Line("text", f"{scale}."),))
    if codebook.critical_pairs:
        pairs = [f"{named([right])} coded {named([coded])}" for right, coded in codebook.critical_pairs]
        told = f"A qualification fails on: {'; '.join(pairs)}."
        yield Entry("policies-critical", "policy", "", "critical_pairs", "Critical errors", (Line("text", told),))
    if codebook.pooled_fields:
        told = f"{listed([name.replace('_', ' ') for name in codebook.pooled_fields], 'and')}."
        yield Entry(
            "policies-pooled", "policy", "", "pooled_fields", "Columns of the pooled table", (Line("text", told),)
        )


def _rule(codebook: Codebook, rule: Rule) -> Entry:
    when = condition_words(codebook, rule.when)
    bare = "one of its conditions holds" if all("when" in part for part in rule.require) else ""
    lines = [Line("message", rule.message.replace("{what}", "…"))]
    lines.append(Line("when", f"Applies where {when or bare}." if when or bare else "Applies to every coding."))
    lines += [Line("require", f"{requirement_words(codebook, asked)}.") for asked in rule.require]
    return Entry(rule_anchor(rule.id), "rule", "", rule.id, "", tuple(lines), rule.level, rule.field)


def _server_rule(rule: WorkflowRule) -> Entry:
    lines = (Line("message", rule.message), Line("when", f"Applies {rule.at}."))
    return Entry(rule_anchor(rule.id), "server rule", "", rule.id, "", lines, rule.level, rule.field)


def rules_naming(codebook: Codebook, name: str, code: str) -> tuple[str, ...]:
    """Return the ids of the rules whose conditions name this value of this field, in the codebook's order."""
    return tuple(rule.id for rule in codebook.rules if _names(rule, name, code))


def _names(rule: Rule, name: str, code: str) -> bool:
    return code in rule.when.get(name, ()) or any(_asks(part, name, code) for part in rule.require)


def _asks(part: Mapping[str, Any], name: str, code: str) -> bool:
    """Whether a requirement's own conditions or parameter name the value; alternatives are looked through."""
    inner = [*part.get("any_of", ()), *part.get("all_of", ())]
    if any(_asks(one, name, code) for one in inner) or (name == "flags" and part.get("flag") == code):
        return True
    named = [part.get(key) or {} for key in ("when", "unless", "met", "equals", "one_of")]
    named.append(part.get("soften", {}).get("when", {}))
    return any(_among(code, values.get(name)) for values in named)


def _among(code: str, allowed: Any) -> bool:
    return code in allowed if isinstance(allowed, list | tuple) else code == allowed
