"""Figures of the scorecard as SVG text: means with their intervals, rank frequencies, ranks under every scenario.

Responsible for drawing what a table beside the figure states in numbers. Attributes only, no style and no script, so
that the report's own policy holds; coordinates to one decimal, so that the same figures give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from app.services.scorecard.score_tables import by_rank

Document = Mapping[str, Any]
CAPTIONS: Mapping[str, str] = {
    "intervals": (
        "Effective means as points with their 95 % intervals, thick for the primary draws and thin for the original "
        "ones; quality-only means as rings"
    ),
    "ranks": "Share of resamples in which a model takes a rank; the darker, the more often",
    "scenarios": "Ranks under every weight scenario, the best on top; the original is primary",
}
_INK, _SOFT, _LINE, _ACCENT = "#1d2127", "#5b6470", "#d9dde3", "#2f5d8c"
_ROW, _LEFT, _TOP = 30, 190, 46
_PLOT = 440


def draw_figures(document: Document) -> dict[str, str]:
    """Return the figures by the name of the table they stand beside, each one whole SVG file."""
    drawn = {"intervals": forest(document), "scenarios": slopes(document)}
    if document["ranks"]["models"]:
        drawn["ranks"] = grid(document)
    return drawn


def forest(document: Document) -> str:
    """Return the effective means with both intervals, one row a model, and the quality-only means as rings."""
    models = by_rank(document)
    low, high = _reach(models)
    parts = list(_axis(low, high, len(models)))
    for row, model in enumerate(models):
        parts.extend(_forest_row(model, _TOP + row * _ROW + _ROW / 2, (low, high)))
    return _svg(CAPTIONS["intervals"], (_LEFT + _PLOT + 30, _TOP + len(models) * _ROW + 16), parts)


def grid(document: Document) -> str:
    """Return the rank frequencies as a grid, models down and ranks across; the darker, the more often."""
    of = document["ranks"]["models"]
    names = [model["id"] for model in by_rank(document) if model["id"] in of]
    side = min(46.0, 640.0 / len(names))
    parts = [_text((_LEFT + (r + 0.5) * side, _TOP - 12), str(r + 1), "middle", _SOFT) for r in range(len(names))]
    for row, name in enumerate(names):
        y = _TOP + row * _ROW
        parts.append(_text((_LEFT - 12, y + _ROW / 2 + 4), name, "end", _INK))
        for r, share in enumerate(of[name]["frequencies"]):
            parts.extend(_cell(share, (_LEFT + r * side, y), side))
    size = (_LEFT + len(names) * side + 20, _TOP + len(names) * _ROW + 16)
    return _svg(CAPTIONS["ranks"], size, parts)


def slopes(document: Document) -> str:
    """Return every model's rank under every scenario, one line a model; a model without a rank has no line."""
    scenarios, models = document["scenarios"], by_rank(document)
    step = _PLOT / max(len(scenarios) - 1, 1)
    parts = []
    for at, entry in enumerate(scenarios):
        x = _LEFT + at * step
        parts.append(_text((x, _TOP - 18), entry["name"], "middle", _INK if entry["primary"] else _SOFT))
        parts.append(_line((x, _TOP - 6), (x, _TOP + len(models) * _ROW), _LINE, 1))
    for model in models:
        ranks = [_rank_of(entry, model["id"]) for entry in scenarios]
        points = [(_LEFT + at * step, _TOP + (rank - 0.5) * _ROW) for at, rank in enumerate(ranks) if rank is not None]
        parts.extend(_slope(model["id"], points))
    return _svg(CAPTIONS["scenarios"], (_LEFT + _PLOT + 60, _TOP + len(models) * _ROW + 16), parts)


def _rank_of(scenario: Mapping[str, Any], model: str) -> int | None:
    rank: int | None = next(entry["rank"] for entry in scenario["models"] if entry["id"] == model)
    return rank


def _slope(name: str, points: Sequence[tuple[float, float]]) -> Iterator[str]:
    if not points:
        return
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    yield f'<polyline points="{path}" fill="none" stroke="{_ACCENT}" stroke-width="1.5" class="mark-line"/>'
    for x, y in points:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{_ACCENT}" class="mark"/>'
    yield _text((_LEFT - 14, points[0][1] + 4), name, "end", _INK)


def _reach(models: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """Return the axis: whole tens around everything that is drawn, within 0 to 100."""
    seen = [0.0, 100.0]
    values = [
        value
        for model in models
        for value in (
            model["effective_mean"]["value"],
            model["quality_only_mean"]["value"],
            *(model["effective_mean"][key][limit] for key in ("ci95", "ci95_original") for limit in ("lo", "hi")),
        )
        if value is not None
    ]
    low, high = (min(values), max(values)) if values else seen
    return max(0.0, low // 10 * 10), min(100.0, -(-high // 10) * 10 or 10.0)


def _axis(low: float, high: float, n_rows: int) -> Iterator[str]:
    bottom = _TOP + n_rows * _ROW
    at = low
    while at <= high:
        x = _x(at, (low, high))
        yield _line((x, _TOP - 6), (x, bottom), _LINE, 1)
        yield _text((x, _TOP - 14), f"{at:g}", "middle", _SOFT)
        at += 10


def _forest_row(model: Mapping[str, Any], y: float, reach: tuple[float, float]) -> Iterator[str]:
    mean, quality = model["effective_mean"], model["quality_only_mean"]["value"]
    yield _text((_LEFT - 14, y + 4), model["id"], "end", _INK)
    for key, width, away in (("ci95", 4, -2.0), ("ci95_original", 1.5, 4.0)):
        if mean[key]["lo"] is not None:
            ends = [(_x(mean[key][limit], reach), y + away) for limit in ("lo", "hi")]
            yield _line(ends[0], ends[1], _ACCENT if key == "ci95" else _SOFT, width)
    if quality is not None:
        yield (
            f'<circle cx="{_x(quality, reach):.1f}" cy="{y - 2:.1f}" r="4" fill="none" stroke="{_INK}" '
            'stroke-width="1.2" class="ring"/>'
        )
    if mean["value"] is None:
        yield _text((_LEFT, y + 4), "effective mean undefined", "start", _SOFT)
    else:
        yield f'<circle cx="{_x(mean["value"], reach):.1f}" cy="{y - 2:.1f}" r="5" fill="{_ACCENT}" class="mark"/>'


def _cell(share: float, corner: tuple[float, float], side: float) -> Iterator[str]:
    x, y = corner
    yield (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{side - 1.5:.1f}" height="{_ROW - 1.5:.1f}" fill="{_ACCENT}" '
        f'fill-opacity="{min(1.0, 0.04 + 0.8 * share):.3f}" class="heat"/>'
    )
    if share >= 0.005 and side >= 30:
        colour = "#ffffff" if share > 0.55 else _INK
        kind = "on-dark" if share > 0.55 else "ink"
        yield _text(
            (x + side / 2, y + _ROW / 2 + 4), f"{share:.2f}"[1:] if share < 0.995 else "1", "middle", colour, kind
        )


def _x(value: float, reach: tuple[float, float]) -> float:
    low, high = reach
    return _LEFT + _PLOT * (value - low) / (high - low)


def _line(start: tuple[float, float], end: tuple[float, float], colour: str, width: float) -> str:
    kind = {_LINE: "axis", _ACCENT: "mark-line", _SOFT: "soft-line"}[colour]
    return (
        f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" stroke="{colour}" '
        f'stroke-width="{width:g}" class="{kind}"/>'
    )


def _text(at: tuple[float, float], words: str, anchor: str, colour: str, kind: str = "") -> str:
    kind = kind or ("soft" if colour == _SOFT else "ink")
    shown = words if len(words) <= 26 else words[:25] + "…"
    return (
        f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" text-anchor="{anchor}" font-size="12" font-family="sans-serif" '
        f'fill="{colour}" class="{kind}">{escape(shown)}</text>'
    )


def _svg(title: str, size: tuple[float, float], parts: Sequence[str]) -> str:
    width, height = (f"{edge:.0f}" for edge in size)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label={quoteattr(title)}>'
    )
    return "\n".join([head, f"<title>{escape(title)}</title>", *parts, "</svg>"]) + "\n"
