"""The leak scan: every way a name may still stand in what is served is found, and no finding shows the name."""

from __future__ import annotations

import base64
import html
import json
import urllib.parse
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.blinding.leaks import scan
from app.domain.blinding.scrub import Scrubber
from app.domain.blinding.terms import study_terms
from app.domain.errors import BadInput

IDENTITIES = {"model": ["acme/zorblax-9-mini"], "arm": ["zeppelin"], "run_id": ["run-1"], "task_id": ["fix-the-roof"]}
TERMS = study_terms(IDENTITIES, key=b"key")
NATIVE = ("zorblax-9-mini", "zeppelin", "run-1", "fix-the-roof")


def base64_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def wrapped(text: str) -> str:
    packed = base64_of("some words in front of it, enough for two lines of base64 text: " + text + " and after it too")
    return "\n".join(packed[at : at + 76] for at in range(0, len(packed), 76))


WAYS: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "upper case": str.upper,
    "in a word": lambda text: f"super{text}esque",
    "json": lambda text: json.dumps({text: "".join(f"\\u{ord(c):04x}" for c in text)}),
    "json escapes only": lambda text: "".join(f"\\u{ord(c):04x}" for c in text),
    "json twice": lambda text: json.dumps(json.dumps("é\n" + text)),
    "html": lambda text: "".join(f"&#{ord(c)};" for c in text),
    "html hex": lambda text: "".join(f"&#x{ord(c):x};" for c in text),
    "html twice": lambda text: html.escape("".join(f"&#{ord(c)};" for c in text)),
    "percent": lambda text: "".join(f"%{ord(c):02X}" for c in text),
    "percent twice": lambda text: "".join(f"%25{ord(c):02x}" for c in text),
    "attribute": lambda text: f'<i data-x="{text}"></i>',
    "header": lambda text: f"Content-Disposition: attachment; filename={text}.csv",
    "base64": base64_of,
    "base64 second place": lambda text: base64_of("a" + text),
    "base64 third place": lambda text: base64_of("ab" + text),
    "base64 glued": lambda text: "x" + base64_of("of " + text),
    "base64 url": lambda text: base64.urlsafe_b64encode(f"??>>{text}".encode()).decode().rstrip("="),
    "base64 lines": wrapped,
    "base64 twice": lambda text: base64_of(base64_of("it was " + text)),
    "hex": lambda text: text.encode().hex(),
    "colours": lambda text: f"{text[:3]}\x1b[31m{text[3:]}\x1b[0m",
    "zero width": "\u200b".join,
    "full width": lambda text: "".join(chr(ord(c) + 0xFEE0) for c in text),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("native", NATIVE)
def test_a_name_is_found_however_it_is_written(native: str, way: str) -> None:
    content = WAYS[way](native)
    findings = scan([("page 1", f"before {content} after")], TERMS)
    assert findings, content
    for finding in findings:
        assert finding.where == "page 1"
        assert native not in finding.placeholder.lower()
        assert not scan([("excerpt", finding.excerpt)], TERMS)
        assert native not in finding.excerpt.lower()


def test_a_place_that_is_named_after_it_is_a_finding_and_is_masked() -> None:
    (finding,) = scan([("zeppelin.json", "clean")], TERMS)
    assert finding.where == finding.excerpt == "⟨ARM-1⟩.json"


def test_what_cannot_be_read_is_a_finding() -> None:
    (finding,) = scan([("logo", b"\x89PNG\xff")], TERMS)
    assert (finding.kind, finding.where) == ("unreadable", "logo")
    assert scan([("text", "é".encode())], TERMS) == []


def test_a_scan_for_nothing_is_refused() -> None:
    with pytest.raises(BadInput, match="no terms"):
        scan([("a", "b")], ())


def test_placeholders_are_not_findings_even_where_a_run_is_called_run_1() -> None:
    shown = Scrubber(TERMS).scrub("run-1 of arm zeppelin").text
    ways = [shown, json.dumps(shown), json.dumps(json.dumps(shown)), html.escape(shown), urllib.parse.quote(shown)]
    ways += [
        urllib.parse.quote(urllib.parse.quote(shown)),
        base64_of(shown),
        shown.encode("ascii", "xmlcharrefreplace").decode(),
    ]
    assert scan([("page", one) for one in ways], TERMS) == []


def test_a_placeholder_is_no_finding_even_where_an_arm_is_called_like_its_label() -> None:
    terms = study_terms({"arm": ["vendor"], "run_id": ["family-q"]}, key=b"key")
    scrubber = Scrubber(terms)
    shown = scrubber.scrub("vendor of family-q: Anthropic makes Claude").text
    assert scrubber.scrub(shown).text == shown
    assert scan([("page", shown), ("json", json.dumps(shown))], terms) == []


def test_escaped_separators_are_undone() -> None:
    terms = study_terms({"task_id": ["owner/fix-roof"]}, key=b"key")
    assert [f.reading for f in scan([("a", '"owner\\/fix-roof"')], terms)] == ["json"]


def test_an_excerpt_masks_the_other_names_around_it_and_what_is_escaped() -> None:
    findings = scan([("a", "&#122;eppelin, then zorblax-9-mini, then %7Aeppelin and c\\u0061nary run-1")], TERMS)
    assert findings
    for finding in findings:
        words = finding.excerpt.lower()
        assert not [name for name in ("eppelin", "zorblax", "run-1") if name in words]


def test_findings_are_counted_and_later_readings_do_not_repeat_them() -> None:
    findings = scan([("a", 'zeppelin &amp; Zeppelin "\\u00e9"')], TERMS)
    assert [(f.kind, f.reading, f.n) for f in findings] == [("arm", "plain", 2)]


def test_a_plainly_written_name_does_not_hide_an_encoded_one() -> None:
    findings = scan([("a", f"zeppelin {base64_of('zeppelin')} &#122;eppelin")], TERMS)
    assert [(f.reading, f.n) for f in findings] == [("plain", 1), ("html", 1), ("base64", 1)]


def test_dictionary_names_and_shapes_are_found_too() -> None:
    content = "Claude wrote this; toolu_01A09q90qw90lq917835lq9; jo@frobnic.dev"
    assert {finding.kind for finding in scan([("a", content)], TERMS)} == {"family", "id", "mail"}


HEX_IDS = st.lists(st.binary(min_size=32, max_size=32).map(bytes.hex), max_size=20).map(" ".join)


@settings(deadline=None)
@given(HEX_IDS)
def test_opaque_ids_are_clean(ids: str) -> None:
    assert scan([("ids", ids)], TERMS) == []


PIECES = st.sampled_from(
    ["zeppelin", "Zorblax-9-MINI", " ", "words of a log", "\n", '"', "é", "run-1", "/", "jo@frobnic.dev", "x"]
)


@settings(deadline=None)
@given(st.lists(PIECES, max_size=12).map(" ".join))
def test_what_was_scrubbed_is_clean_to_the_scan(text: str) -> None:
    out = Scrubber(TERMS).scrub(text).text
    assert scan([("t", out), ("j", json.dumps({"text": out})), ("h", html.escape(out))], TERMS) == []
