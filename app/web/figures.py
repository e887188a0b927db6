"""Small figures as SVG, drawn on the server; each stands beside the table it is drawn from.

Attributes only: no style, no script, so that the page's security policy holds. Numbers are given, never computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

_WIDTH, _HEIGHT, _LEFT, _RIGHT = 420, 26, 10, 10


def _x(value: float, low: float, high: float) -> float:
    inside = min(max(value, low), high)
    return round(_LEFT + (_WIDTH - _LEFT - _RIGHT) * (inside - low) / (high - low), 1)


def interval_figure(
    value: float | None, interval: Sequence[float] | None, thresholds: Mapping[str, Any], *, low: float = -0.2
) -> Markup:
    """Return a coefficient on its axis from `low` to 1: the point, its interval, zero, and each threshold as a tick.

    Nothing is drawn for an undefined value; the figure is decoration beside the words and hidden from screen readers.
    """
    if value is None:
        return Markup("")
    pieces = [
        Markup('<line class="axis" x1="{}" y1="14" x2="{}" y2="14"/>').format(_x(low, low, 1), _x(1, low, 1)),
        Markup('<line class="zero" x1="{0}" y1="6" x2="{0}" y2="22"/>').format(_x(0, low, 1)),
    ]
    for mark in thresholds.values():
        if isinstance(mark, int | float):
            pieces.append(Markup('<line class="threshold" x1="{0}" y1="3" x2="{0}" y2="25"/>').format(_x(mark, low, 1)))
    if interval is not None and None not in interval:
        left, right = _x(interval[0], low, 1), _x(interval[1], low, 1)
        pieces.append(Markup('<line class="interval" x1="{}" y1="14" x2="{}" y2="14"/>').format(left, right))
    pieces.append(Markup('<circle class="point" cx="{}" cy="14" r="4.5"/>').format(_x(value, low, 1)))
    frame = Markup(
        '<svg class="interval-figure" viewBox="0 0 {} {}" width="{}" height="{}" aria-hidden="true">{}</svg>'
    )
    return frame.format(_WIDTH, _HEIGHT, _WIDTH, _HEIGHT, Markup("").join(pieces))
