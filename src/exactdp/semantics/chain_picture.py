"""Draw a Markov chain as SVG, in layers, without external programs."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from exactdp.semantics.chain import Chain

Point: TypeAlias = tuple[float, float]
Rectangle: TypeAlias = tuple[float, float, float, float]

_CHARACTER, _LINE, _PADDING = 6.6, 15, 8
_ACROSS, _DOWN = 30, 84
_LABEL, _LANE = 22, 14  # vertical gap between labels; horizontal gap between arrows
_LONGEST = 46


@dataclass(frozen=True)
class Route:
    """The drawing of a transition: the corners of its arrow, and the centre of its label."""

    corners: tuple[Point, ...]
    label: Point


@dataclass(frozen=True)
class Layout:
    """The positions of the states of a chain: one layer per number of steps from the first."""

    width: float
    height: float
    texts: tuple[tuple[str, ...], ...]
    boxes: tuple[Rectangle, ...]
    """Left, top, width and height of each state."""
    routes: tuple[Route, ...]
    """One for each transition of the chain, in the same order; no two labels overlap."""


def layout(chain: Chain) -> Layout:
    """Return the positions of all states and labels."""
    layers = _layers(chain)
    texts = tuple(
        tuple(part for line in state.lines() for part in textwrap.wrap(line, _LONGEST))
        for state in chain.states
    )
    widths = [max(len(line) for line in text) * _CHARACTER + 2 * _PADDING for text in texts]
    heights = [float(len(text) * _LINE + 2 * _PADDING) for text in texts]
    lengths = [len(short(one.shown)) * _CHARACTER for one in chain.transitions]
    lefts, right = _columns(layers, widths)
    middles = [lefts[n] + widths[n] / 2 for n in range(len(texts))]
    routes: dict[int, Route] = {}
    tops: dict[int, float] = {}
    top = float(_ACROSS)
    for layer, following in zip(layers, [*layers[1:], []], strict=True):
        tops.update(dict.fromkeys(layer, top))
        down = {
            k: (middles[one.source], middles[one.target])
            for k, one in enumerate(chain.transitions)
            if one.source in layer and one.target in following
        }
        levels, count = _levels([*down.values()], [lengths[k] for k in down])
        bottom = top + max(heights[number] for number in layer)
        below = bottom + max(_DOWN, (count + 1) * _LABEL)
        for level, (k, (start, end)) in zip(levels, down.items(), strict=True):
            first = top + heights[chain.transitions[k].source]
            y = bottom + (below - bottom) * (level + 1) / (count + 1)
            x = start + (end - start) * (y - bottom) / (below - bottom)
            routes[k] = Route(((start, first), (start, bottom), (end, below)), (x, y))
        top = below
    boxes = tuple((lefts[n], tops[n], widths[n], heights[n]) for n in range(len(texts)))
    others = {
        k: (boxes[one.source], boxes[one.target])
        for k, one in enumerate(chain.transitions)
        if k not in routes
    }
    routes |= _around(others, lengths, right)
    ends = [routes[k].label[0] + lengths[k] / 2 + _ACROSS for k in others]
    lows = [y + h + _ACROSS for _, y, _, h in boxes] + [routes[k].label[1] + _LABEL for k in others]
    every = tuple(routes[k] for k in range(len(lengths)))
    return Layout(max([right, *ends]), max(lows), texts, boxes, every)


def _columns(layers: list[list[int]], widths: list[float]) -> tuple[dict[int, float], float]:
    """Return the left side of each state, the states of a layer side by side, and the width."""
    rows = [sum(widths[n] for n in layer) + _ACROSS * (len(layer) - 1) for layer in layers]
    lefts: dict[int, float] = {}
    for layer, row in zip(layers, rows, strict=True):
        left = _ACROSS + (max(rows) - row) / 2
        for number in layer:
            lefts[number] = left
            left += widths[number] + _ACROSS
    return lefts, max(rows) + 2 * _ACROSS


def _levels(ends: list[tuple[float, float]], lengths: list[float]) -> tuple[list[int], int]:
    """Return a level for each label between two layers, and the number of levels.

    A label lies on its arrow, between the two horizontal positions, at the height of its level.
    Terminates because labels on different levels do not overlap.
    """
    for count in range(1, len(ends) + 1):
        taken: list[list[tuple[float, float]]] = [[] for _ in range(count)]
        levels = []
        for (start, end), length in zip(ends, lengths, strict=True):
            for level in range(count):
                middle = start + (end - start) * (level + 1) / (count + 1)
                mine = middle - length / 2 - _PADDING, middle + length / 2 + _PADDING
                if all(mine[1] <= a or b <= mine[0] for a, b in taken[level]):
                    taken[level].append(mine)
                    levels.append(level)
                    break
            else:
                break
        if len(levels) == len(ends):
            return levels, count
    return [], 1


def _around(
    ends: dict[int, tuple[Rectangle, Rectangle]], lengths: list[float], right: float
) -> dict[int, Route]:
    """Return arrows back, or to the same layer: around the right side, each in its own lane."""
    found: dict[int, Route] = {}
    start = right + len(ends) * _LANE + _PADDING
    lowest = 0.0
    for lane, (k, ((x1, y1, w1, h1), (x2, y2, w2, h2))) in enumerate(ends.items()):
        side = right + lane * _LANE
        first, last = (x1 + w1, y1 + h1 * 0.65), (x2 + w2, y2 + h2 * 0.35)
        lowest = max(lowest + _LABEL, (first[1] + last[1]) / 2)
        corners = (first, (side, first[1]), (side, last[1]), last)
        found[k] = Route(corners, (start + lengths[k] / 2, lowest))
    return found


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
    for route in found.routes:
        path = " L".join(f"{x:.1f},{y:.1f}" for x, y in route.corners)
        parts.append(f'<path d="M{path}" fill="none" stroke="#333" marker-end="url(#tip)"/>')
    for one, route in zip(chain.transitions, found.routes, strict=True):
        parts.append(_label(route.label, one.shown))
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


def _label(place: Point, label: str) -> str:
    return (
        f'<text x="{place[0]:.1f}" y="{place[1]:.1f}" text-anchor="middle" fill="#1a4f8b" '
        f'stroke="white" stroke-width="3" paint-order="stroke"><title>{escape(label)}</title>'
        f"{escape(short(label))}</text>"
    )


def short(line: str) -> str:
    """Return a line that fits into a picture."""
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
