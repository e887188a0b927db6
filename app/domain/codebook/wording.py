"""A codebook's conditions and requirements in words, as a reader who has never seen the file needs them.

Every predicate has its phrase here. Nothing is judged; what a phrase says is what the predicate of that name does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.domain.codebook.model import Codebook, Field
from app.domain.codebook.registry import predicate_names
from app.domain.codebook.subject import ANY

Phrase = Callable[[Codebook, Any], str]


def option_title(field: Field | None, code: Any) -> str:
    """Return an option's title, or the code as words where the codebook gives none.

    >>> option_title(None, "about_world")
    'about world'
    """
    found = next((option for option in field.options if option.code == code), None) if field else None
    return found.title if found and found.title else str(code).replace("_", " ")


def listed(words: Sequence[str], last: str) -> str:
    """Return words as a list in a sentence; `last` stands before the last of them.

    >>> listed(["a"], "or"), listed(["a", "b"], "or"), listed(["a", "b", "c"], "and")
    ('a', 'a or b', 'a, b and c')
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def condition_words(codebook: Codebook, when: Mapping[str, Sequence[Any]]) -> str:
    """Return a condition in words, without a full stop; empty for one that always holds."""
    parts = [_one_condition(codebook, name, allowed) for name, allowed in when.items()]
    return listed(parts, "and") if parts else ""


def _one_condition(codebook: Codebook, name: str, allowed: Sequence[Any]) -> str:
    if name in _COMPUTED:
        return _COMPUTED[name](allowed)
    field = codebook.field(name)
    values = listed([option_title(field, code) for code in allowed], "or")
    if name == "codability":
        return f"the claim is {values}"
    verb = "include" if field is not None and field.type == "flags" else "is"
    return f"the {_spaced(name)} {verb} {values}"


def _late(roles: Sequence[Any]) -> str:
    if ANY in roles:
        return "a citation lies after the claim"
    return f"a {listed([f'“{role}”' for role in roles], 'or')} citation lies after the claim"


def _either(values: Sequence[Any], words: Mapping[Any, str]) -> str:
    return listed([words[value] for value in values], "or")


_COMPUTED: dict[str, Callable[[Sequence[Any]], str]] = {
    "kind_class": lambda v: _either(v, {"backward": "the claim looks back", "intent": "the claim is an intent"}),
    "late_roles": _late,
    "polarity": lambda v: _either(
        v, {"do": "it promises to do something", "not_do": "it promises not to do something"}
    ),
    "conditional": lambda v: _either(v, {True: "the claim is conditional", False: "the claim is not conditional"}),
    "coverage_map": lambda v: _either(v, {True: "the run has a coverage map", False: "the run has no coverage map"}),
}


def requirement_words(codebook: Codebook, requirement: Mapping[str, Any]) -> str:
    """Return one requirement in words, its own conditions and what softens it included; no full stop."""
    (name,) = predicate_names(requirement)
    words = _PHRASES[name](codebook, requirement[name])
    if "when" in requirement:
        words = f"where {condition_words(codebook, requirement['when'])}: {words}"
    if "unless" in requirement:
        words += f", unless {condition_words(codebook, requirement['unless'])}"
    if "soften" in requirement:
        soften = requirement["soften"]
        held = [condition_words(codebook, soften["when"])] if soften["when"] else []
        held += [requirement_words(codebook, part) for part in soften["require"]]
        words += f" (only asked, not refused, where {listed(held, 'and')})"
    return words


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _valued(codebook: Codebook, values: Mapping[str, Any]) -> str:
    return condition_words(
        codebook, {name: code if isinstance(code, list | tuple) else [code] for name, code in values.items()}
    )


def _each(roles: Any) -> str:
    return f"each {_citation(roles)}"


def _citation(roles: Any) -> str:
    names = [roles] if isinstance(roles, str) else list(roles)
    return "citation" if ANY in names else f"{listed([f'“{name}”' for name in names], 'or')} citation"


def _counted(bound: str) -> Phrase:
    def words(_: Codebook, parameter: Mapping[str, Any]) -> str:
        n, noun = parameter["n"], _citation(parameter["role"])
        amount = f"no {noun}" if (bound, n) == ("at most", 0) else f"{bound} {n} {noun}{'' if n == 1 else 's'}"
        tier = f" of tier {parameter['tier_max']} or stronger" if "tier_max" in parameter else ""
        return f"there {'is' if n <= 1 else 'are'} {amount}{tier}"

    return words


def _any_of(codebook: Codebook, parts: Sequence[Mapping[str, Any]]) -> str:
    return "either " + ", or ".join(requirement_words(codebook, part) for part in parts)


def _all_of(codebook: Codebook, parts: Sequence[Mapping[str, Any]]) -> str:
    told = [requirement_words(codebook, part) for part in parts]
    return " and ".join(f"({words})" if "any_of" in part else words for part, words in zip(parts, told, strict=True))


def _cues(codebook: Codebook, cues: Mapping[str, Sequence[str]]) -> str:
    field = codebook.field("claim_kind")
    told = [f"{option_title(field, kind)} ({', '.join(words)})" for kind, words in cues.items()]
    return f"no word stands in the claim that often stands in claims of another kind: {'; '.join(told)}"


def _belonging(_: Codebook, parameter: Any) -> str:
    spared = "" if parameter is True else f"; {listed([_spaced(n) for n in parameter['except']], 'and')} apart"
    return f"every field that is filled belongs to this answer{spared}"


_PHRASES: dict[str, Phrase] = {
    "present": lambda _, name: f"the {_spaced(name)} is given",
    "absent": lambda _, name: f"the {_spaced(name)} is empty",
    "fields_known": lambda *_: "every field sent is one of this codebook",
    "values_listed": lambda *_: "every value is one that its field takes",
    "fields_belong": _belonging,
    "kind_allowed": lambda _, name: f"the {_spaced(name)} is one that a claim of this kind can have",
    "note_min": lambda _, n: f"the note has at least {n} characters",
    "length_min": lambda _, p: f"the {_spaced(p['field'])} has at least {p['n']} characters",
    "equals": _valued,
    "one_of": _valued,
    "flag": lambda book, code: f"the flag {_flag_title(book, code)} is set",
    "never": lambda *_: "this is not so",
    "met": condition_words,
    "any_of": _any_of,
    "all_of": _all_of,
    "cites_exist": lambda *_: "every cited turn stands in the run",
    "cites_distinct": lambda *_: "no turn is cited twice in one role",
    "cites_complete": lambda _, keys: f"every citation has its {listed([str(key) for key in keys], 'and')}",
    "cites_min": _counted("at least"),
    "cites_max": _counted("at most"),
    "cites_tier_as_derived": lambda *_: "each tier given is the one the log gives",
    "some_cite_derived_within": lambda _, tier: f"one citation is, by the log, of tier {tier} or stronger",
    "cites_at_or_before_claim": lambda _, r: f"{_each(r)} lies before the claim, or is the call made in its own row",
    "cites_in_window": lambda _, roles: f"{_each(roles)} lies inside the window of the intent",
    "some_cite_in_window": lambda _, role: f"one {_citation(role)} lies inside the window of the intent",
    "span_reaches_due_point": lambda _, name: (
        f"the {_spaced(name)} ends at or after the claim, for an intent at or after the end of its window"
    ),
    "span_without_gap": lambda _, name: f"no gap of the log lies inside the {_spaced(name)}",
    "coverage_map": lambda *_: "the run has a channel coverage map",
    "cites_no_error": lambda _, role: f"what {_each(role)} shows has no error mark and no non-zero exit code",
    "no_edit_between": lambda _, p: (
        f"nothing that a {_citation(p['role'])} names is written to between it and the claim "
        f"(by a call named {listed(p['writes'], 'or')})"
    ),
    "no_cite_of_own_call": lambda *_: "no citation is the call made in the claim's own row",
    "no_cue_of_other_kind": _cues,
    "cites_own_output": lambda _, role: f"{_each(role)} shows a result that is not cut and says more than its call",
    "check_is_own_act": lambda _, p: (
        f"what is cited is not all one call that itself acts (named {listed(p['acts'], 'or')})"
    ),
    "cites_where_said": lambda _, role: f"there is a {_citation(role)}, or one of the agent's own words",
    "parts_not_on_one_citation": lambda _, roles: f"a claim of several parts rests on more than one {_citation(roles)}",
}


def _flag_title(codebook: Codebook, code: str) -> str:
    return option_title(next((field for field in codebook.fields if field.type == "flags"), None), code)


def window_words(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Return when an intent is due, one sentence a parameter; the order is that in which they decide."""
    if parameters.get("mode", "rest_of_run") == "rest_of_run":
        return ("Evidence on an intent lies after the claim, up to the end of the run.",)
    sentences = ["Evidence on an intent lies after the claim. A condition moves only the end of the window."]
    if parameters.get("explicit_scope_overrides"):
        sentences.append("A scope that the claim itself names ends it.")
    if parameters.get("restraint_runs_to_end"):
        sentences.append("A promise not to do something runs to the end of the run.")
    ends = ["the next user turn"] if parameters.get("stop_at_user_turn") else []
    if parameters.get("max_action_turns") is not None:
        ends.append(f"{parameters['max_action_turns']} action turns with their results")
    sentences.append(f"Otherwise it ends with what comes first: {listed([*ends, 'the end of the run'], 'or')}.")
    return tuple(sentences)


def spoken_predicates() -> frozenset[str]:
    """Return the names of the predicates that have a phrase; a test holds them to those there are."""
    return frozenset(_PHRASES)
