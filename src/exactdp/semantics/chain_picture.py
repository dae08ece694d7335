"""A Markov chain as SVG, drawn in layers without the help of other programs."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from exactdp.semantics.chain import Chain

Rectangle: TypeAlias = tuple[float, float, float, float]

_CHARACTER, _LINE, _PADDING = 6.6, 15, 8
_ACROSS, _DOWN = 30, 84
_LONGEST = 46


@dataclass(frozen=True)
class Layout:
    """Where the states of a chain stand: a layer for each number of steps from the first."""

    width: float
    height: float
    texts: tuple[tuple[str, ...], ...]
    boxes: tuple[Rectangle, ...]
    """Left, top, width and height of each state."""


def layout(chain: Chain) -> Layout:
    """Return the places of all states."""
    layers = _layers(chain)
    texts = tuple(
        tuple(part for line in state.lines() for part in textwrap.wrap(line, _LONGEST))
        for state in chain.states
    )
    widths = [max(len(line) for line in text) * _CHARACTER + 2 * _PADDING for text in texts]
    heights = [float(len(text) * _LINE + 2 * _PADDING) for text in texts]
    rows = [sum(widths[n] for n in layer) + _ACROSS * (len(layer) - 1) for layer in layers]
    width = max(rows) + 2 * _ACROSS
    places: dict[int, tuple[float, float]] = {}
    top = float(_ACROSS)
    for layer, row in zip(layers, rows, strict=True):
        left = (width - row) / 2
        for number in layer:
            places[number] = left, top
            left += widths[number] + _ACROSS
        top += max(heights[number] for number in layer) + _DOWN
    boxes = tuple((*places[n], widths[n], heights[n]) for n in range(len(texts)))
    return Layout(width, top - _DOWN + _ACROSS, texts, boxes)


def svg(chain: Chain) -> str:
    """Return the picture."""
    found = layout(chain)
    width, height = found.width, found.height
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="Markov chain" '
        'font-family="sans-serif" font-size="11">',
        '<defs><marker id="tip" markerWidth="9" markerHeight="7" refX="8" refY="3.5" '
        'orient="auto"><path d="M0,0 L9,3.5 L0,7 z" fill="#333"/></marker></defs>',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for number in range(len(chain.states)):
        for order, one in enumerate(chain.successors(number)):
            ends = found.boxes[one.source], found.boxes[one.target]
            parts.append(_arrow(*ends, one.probability.pretty(), order))
    for text, (x, y, wide, high) in zip(found.texts, found.boxes, strict=True):
        parts.append(_box(list(text), (x, y), wide, high))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _layers(chain: Chain) -> list[list[int]]:
    """Return the states by their distance from the first one."""
    depth = {0: 0}
    layers = [[0]]
    for layer in layers:
        following: list[int] = []
        for number in layer:
            for one in chain.successors(number):
                if one.target not in depth:
                    depth[one.target] = depth[number] + 1
                    following.append(one.target)
        if following:
            layers.append(following)
    return layers


def _box(text: list[str], place: tuple[float, float], width: float, height: float) -> str:
    x, y = place
    lines = [
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="7" '
        'fill="#f4f7fb" stroke="#333"/>'
    ]
    for j, line in enumerate(text):
        weight = ' font-weight="bold"' if j == 0 else ""
        lines.append(
            f'<text x="{x + _PADDING:.1f}" y="{y + _PADDING + 11 + j * _LINE:.1f}"{weight}>'
            f"{escape(line)}</text>"
        )
    return "\n".join(lines)


def _arrow(source: Rectangle, target: Rectangle, label: str, order: int) -> str:
    """Return an arrow between two boxes; labels of neighbouring arrows stand at other heights."""
    (x1, y1, w1, h1), (x2, y2, w2, h2) = source, target
    if y2 > y1:
        start, end = (x1 + w1 / 2, y1 + h1), (x2 + w2 / 2, y2)
        path = f"M{start[0]:.1f},{start[1]:.1f} L{end[0]:.1f},{end[1]:.1f}"
        share = 0.3 if order % 2 else 0.72
        place = start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])
    else:  # back, or to itself: around the right side
        side = max(x1 + w1, x2 + w2) + _ACROSS
        start, end = (x1 + w1, y1 + h1 / 2), (x2 + w2, y2 + h2 / 2 + 6 * (source == target))
        path = (
            f"M{start[0]:.1f},{start[1]:.1f} C{side:.1f},{start[1]:.1f} "
            f"{side:.1f},{end[1]:.1f} {end[0]:.1f},{end[1]:.1f}"
        )
        place = side - _ACROSS / 2, (start[1] + end[1]) / 2
    return (
        f'<path d="{path}" fill="none" stroke="#333" marker-end="url(#tip)"/>'
        f'<text x="{place[0]:.1f}" y="{place[1]:.1f}" text-anchor="middle" fill="#1a4f8b" '
        f'stroke="white" stroke-width="3" paint-order="stroke"><title>{escape(label)}</title>'
        f"{escape(short(label))}</text>"
    )


def short(line: str) -> str:
    """Return a line that fits into a picture."""
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
