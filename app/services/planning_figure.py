"""The curve of a plan as one SVG text: the half-width to expect over the number of claims, and the wanted one.

Attributes only, no style and no script; coordinates to one decimal, so that the same plan gives the same bytes. The
table beside it (`plan_curve.csv`) states what it draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any
from xml.sax.saxutils import escape, quoteattr

_INK, _SOFT, _LINE, _ACCENT = "#1d2127", "#5b6470", "#d9dde3", "#2f5d8c"
_LEFT, _TOP, _WIDTH, _HEIGHT = 70, 40, 540, 300
Point = tuple[float, float]


def curve_svg(document: Mapping[str, Any]) -> str:
    """Return the figure of a `plan/1` document; without a curve it says in words why there is none."""
    wanted, answer = document["wanted"]["half_width"], document["answer"]
    title = f"Half-width of the 95 % interval of kappa expected over the number of claims; wanted: {wanted:g}"
    points = [(float(row["claims"]), float(row["half_width"])) for row in document["curve"]]
    if not points:
        parts = [_text((_LEFT, _TOP + 20), f"no curve: {answer['undefined_reason']}", "start", _INK)]
    else:
        reach = (math.log(points[0][0]), math.log(points[-1][0]))
        parts = [*_axes(reach), *_curve(points, reach), *_wanted(wanted, answer, reach)]
    width, height = _LEFT + _WIDTH + 40, _TOP + _HEIGHT + 60
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label={quoteattr(title)}>'
    )
    ground = f'<rect x="0" y="0" width="{width}" height="{height}" fill="#ffffff"/>'
    return "\n".join([head, f"<title>{escape(title)}</title>", ground, *parts, "</svg>"]) + "\n"


def _axes(reach: Point) -> Iterator[str]:
    bottom = _TOP + _HEIGHT
    for tenth in range(0, 11, 2):
        y = _y(tenth / 10)
        yield _line((_LEFT, y), (_LEFT + _WIDTH, y), _LINE, 1)
        yield _text((_LEFT - 10, y + 4), f"{tenth / 10:.1f}", "end", _SOFT)
    for claims in _ticks(reach):
        x = _x(claims, reach)
        yield _line((x, bottom), (x, bottom + 5), _SOFT, 1)
        yield _text((x, bottom + 20), f"{claims:,}", "middle", _SOFT)
    yield _text((_LEFT, _TOP - 16), "expected half-width of the 95 % interval of kappa", "start", _SOFT)
    yield _text((_LEFT + _WIDTH, bottom + 42), "claims coded by every rater", "end", _SOFT)


def _ticks(reach: Point) -> list[int]:
    """Return 1, 2 and 5 times powers of ten within reach, fewer where they would stand too close."""
    decades = range(math.floor(reach[0] / math.log(10)), math.ceil(reach[1] / math.log(10)) + 1)
    wide = (reach[1] - reach[0]) / math.log(10) > 2.5
    found = [step * 10**power for power in decades if power >= 0 for step in ((1,) if wide else (1, 2, 5))]
    return [claims for claims in found if reach[0] <= math.log(claims) <= reach[1]]


def _curve(points: list[Point], reach: Point) -> Iterator[str]:
    path = " ".join(f"{_x(claims, reach):.1f},{_y(half):.1f}" for claims, half in points)
    yield f'<polyline points="{path}" fill="none" stroke="{_ACCENT}" stroke-width="2"/>'


def _wanted(wanted: float, answer: Mapping[str, Any], reach: Point) -> Iterator[str]:
    y = _y(wanted)
    yield _line((_LEFT, y), (_LEFT + _WIDTH, y), _INK, 1.2, "5 4")
    yield _text((_LEFT + 6, y - 7), f"wanted: {wanted:g}", "start", _INK)
    if answer["claims"] is not None:
        x = _x(answer["claims"], reach)
        yield _line((x, y), (x, _TOP + _HEIGHT), _INK, 1.2, "5 4")
        yield f'<circle cx="{x:.1f}" cy="{_y(answer["half_width"]):.1f}" r="5" fill="{_ACCENT}"/>'
        said = f"{answer['claims']:,} claims in {answer['runs']:,} runs"
        late = x > _LEFT + _WIDTH / 2
        yield _text((x - 9 if late else x + 9, _TOP + _HEIGHT - 10), said, "end" if late else "start", _INK)


def _x(claims: float, reach: Point) -> float:
    return _LEFT + _WIDTH * (math.log(claims) - reach[0]) / max(reach[1] - reach[0], 1e-9)


def _y(half: float) -> float:
    return _TOP + _HEIGHT * (1 - half)


def _line(start: Point, end: Point, colour: str, width: float, dashes: str = "") -> str:
    more = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" stroke="{colour}" '
        f'stroke-width="{width:g}"{more}/>'
    )


def _text(at: Point, words: str, anchor: str, colour: str) -> str:
    return (
        f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" text-anchor="{anchor}" font-size="13" font-family="sans-serif" '
        f'fill="{colour}">{escape(words)}</text>'
    )
