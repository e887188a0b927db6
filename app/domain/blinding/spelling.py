"""The spellings one name goes by: separators, dates, versions, namespaces. Pure string work on folded text.

It does not decide which spellings are worth searching.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from app.domain.blinding.names import TIERS

_SEPARATOR = re.compile(r"[-_. /:]+")
_DATE = re.compile(r"[-@_:.]?(?:20\d{6}|20\d\d-\d\d(?:-\d\d)?|(?<=-)[01]\d[0-3]\d)$")
_TAIL = re.compile(r"(?:[-:@](?:latest|preview|exp|experimental|thinking|instruct|fast|free|beta)|-v\d(?::\d)?|:\d+)$")
_VERSION = re.compile(r"[-_ /@:]v?\d+(?:\.\d+)*(?:[-.]?(?:rc|dev|a|b|post)\d*)?$")


def separated(name: str) -> tuple[str, ...]:
    """Return a name with each way of writing its separators, its own first: dashes, underscores, blanks, dots, none.

    Between two digits (a version) a dot and a dash are tried with each of them.

    >>> separated("acme-agent")
    ('acme-agent', 'acme_agent', 'acme agent', 'acme.agent', 'acmeagent')
    >>> separated("acme-3-5")[:5]
    ('acme-3-5', 'acme-3.5', 'acme_3-5', 'acme_3.5', 'acme_3_5')
    """
    parts = _SEPARATOR.split(name)
    found = [name]
    for joiner in ("-", "_", " ", ".", ""):
        joined = joiner.join(parts)
        for inner in ("-", ".", joiner):
            found.append(_join(parts, joiner, inner))
        found.append(joined)
    return tuple(dict.fromkeys(found))


def _join(parts: list[str], joiner: str, inner: str) -> str:
    text = parts[0]
    for before, after in pairwise(parts):
        between = inner if before[-1:].isdigit() and after[:1].isdigit() else joiner
        text += between + after
    return text


def swapped(name: str) -> tuple[str, ...]:
    """Return a name with dashes as underscores and underscores as dashes (file names and variables do that)."""
    return tuple(dict.fromkeys((name.replace("-", "_"), name.replace("_", "-"))))


def model_groups(model: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield (kind, name, spellings) for all that a model id gives away, the most particular first.

    The id without its namespace; the shorter forms of it, without date and without tails such as `-latest` or `-v2:0`;
    the tier words in it (`names.TIERS`: several models share them); the namespace, which is a vendor.
    """
    *namespaces, last = model.split("/")
    yield "model", last, (model, *separated(last))
    form = last
    while (shorter := _TAIL.sub("", _DATE.sub("", form))) != form and shorter:
        form = shorter
        yield "model", form, separated(form)
    *front, bare = form.split(".")
    if front and all(part.isalpha() for part in front):  # a region and a vendor in front
        yield "model", bare, separated(bare)
    for tier in TIERS:
        if tier in _SEPARATOR.split(last):
            yield "model", f"tier {tier}", (tier,)
    for namespace in namespaces:
        yield "vendor", namespace, separated(namespace)


def agent_groups(agent: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield (kind, name, spellings) of an agent: as written, then without its version.

    >>> [name for _, name, _ in agent_groups("acme-agent/2.0.14")]
    ['acme-agent/2.0.14', 'acme-agent']
    """
    yield "agent", agent, (agent, *swapped(agent))
    plain = _VERSION.sub("", agent)
    if plain:
        yield "agent", plain, separated(plain)


def file_groups(path: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield (kind, name, spellings) of a source file: the path, its last part, and that without each suffix.

    >>> [name for _, name, _ in file_groups("logs/run-7.traj.json")]
    ['logs/run-7.traj.json', 'run-7.traj.json', 'run-7.traj', 'run-7']
    """
    yield "file", path, (path, path.replace("\\", "/"))
    name = re.split(r"[/\\]", path)[-1]
    while name:
        yield "file", name, (name,)
        name = name.rpartition(".")[0]


def plain_groups(kind: str, value: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the one group of a value that has no parts of its own."""
    yield kind, value, (value, *swapped(value))
