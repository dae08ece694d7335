"""Sums Σ c·∏ sⱼ^kⱼ·e^{−aⱼsⱼ} that are nonnegative for s ≥ 0: the rules of proof on a cone.

A sum f on a cone is examined on simplicial cells that cover it. On one with the rays ρⱼ write
θ = Σ sⱼρⱼ, sⱼ ≥ 0, and multiply by an exponential: the sign stays. Then

- **coefficients**: along one axis, with a the largest rate, g ≥ 0 if g ≥ 0 where s = 0 and
  (∂ + a)g ≥ 0, because e^{as}g grows; (∂ + a)g has fewer terms, so this terminates;
- **reductions**: if (∂ + c)g ≥ 0 then g ≥ 0 follows from the face s = 0; if −∂g ≥ 0, from the limit
  s → ∞;
- **ray**: if one coordinate is left, a certificate of a sign;
- **boxes**: see `boxes`;
- **zones**: boxes that fit a window.

If only points with ε between two numbers matter (a window), an argument may apply to them alone:
then no reduction changes ε, boxes may cover zones of the window, and a ray is as long as ε allows.

Let wⱼ be the rate of ε along ρⱼ, and σⱼ = wⱼsⱼ: then ε = Σ σⱼ, over the n rays with wⱼ > 0. A point
with lower ≤ ε ≤ upper has a largest part σᵢ ≥ lower/n. So boxes that cover σᵢ ≥ lower/n and all
σⱼ ≤ upper, for each i, cover a zone of the window. So do charts: take ε as coordinate i, and σⱼ for
the other wⱼ > 0. The point has σⱼ ≤ upper/2 and Σ σⱼ + σₖ ≤ ε for j, k ≠ i; boxes without such
points do not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf
from typing import Any

from .boxes import Box, Local, Tensor, check_boxes
from .limits import MAX_ENTRY
from .reading import CertificateReader, Sum, unknown
from .signs import proved_sign
from .sums import ONE

_CELL = "rays dominant reductions in_window proof"
_ZERO = Fraction(0)

Vector = tuple[Fraction, ...]


class ConeSign:
    """The proof that a sum is nonnegative on a cone; raises if it is not proved."""

    def __init__(self, reader: CertificateReader) -> None:
        self.reader = reader
        self.window: tuple[int, Fraction, Fraction | float] | None = None
        self.function: Sum = {}
        self.sides: list[tuple[int, ...]] = []
        self.size = 0
        self.methods: dict[str, int] = {}

    def read(self, given: Any) -> None:
        """Read a proof and check it."""
        reader = self.reader
        names, terms, sides, window, cover, cells = reader.fields(
            given, "variables terms inequalities window cover cells"
        )
        self.read_statement(names, terms, sides, window)
        rays = [self.cell(cell) for cell in reader.entries(cells)]
        if not self.size:
            reader.require(sum(self.function.values()) >= 0, "a constant is negative")
            return
        self.cover(cover, rays)

    def read_statement(self, names: Any, terms: Any, sides: Any, window: Any) -> None:
        """Read the sum, the cone and the window."""
        reader = self.reader
        self.size = len(reader.entries(names))
        reader.require(all(isinstance(one, str) for one in names), "a variable has no name")
        self.function = sum_of(reader, terms, self.size)
        self.sides = [
            tuple(reader.integer(q, -MAX_ENTRY, MAX_ENTRY) for q in reader.entries(side, self.size))
            for side in reader.entries(sides)
        ]
        if window is not None:
            variable, lower, upper = reader.fields(window, "variable lower upper")
            highest = inf if upper is None else reader.rational(upper)
            place = reader.integer(variable, 0, max(self.size - 1, 0))
            lowest = reader.rational(lower)
            reader.require(self.size and 0 <= lowest <= highest, "a window of no points")
            self.window = place, lowest, highest

    def cover(self, tree: Any, cells: list[list[Vector]]) -> None:
        """Check that cells cover the cone, which a tree of linear forms cuts into parts.

        A node has a branch where its form is not negative and one where it is not positive, so
        nothing is left out. At a leaf θ = Σ sⱼ(θ)·ρⱼ, with the rays of a cell, where each sⱼ is a
        sum of multiples ≥ 0 of forms that are not negative there: so all its θ are in the cell.
        """
        reader, axes = self.reader, range(self.size)
        waiting: list[tuple[list[Sequence[Fraction | int]], Any]] = [([*self.sides], tree)]
        while waiting:
            forms, node = waiting.pop()
            if isinstance(node, dict) and "form" in node:
                listed, above, below = reader.fields(node, "form above below")
                form = [reader.rational(q) for q in reader.entries(listed, self.size)]
                waiting += [([*forms, [-q for q in form]], below), ([*forms, form], above)]
                continue
            which, rows = reader.fields(node, "cell multiples")
            rays = cells[reader.integer(which, 0, len(cells) - 1)]
            total = [[_ZERO for _ in axes] for _ in axes]
            for ray, row in zip(rays, reader.entries(rows, len(rays)), strict=True):
                for place, multiple in (reader.entries(one, 2) for one in reader.entries(row)):
                    side = forms[reader.integer(place, 0, len(forms) - 1)]
                    q = reader.rational(multiple)
                    reader.require(q >= 0, "a multiple is negative")
                    reader.spend(2 * self.size**2, 64)
                    total = [[total[i][j] + q * ray[i] * side[j] for j in axes] for i in axes]
            right = all(total[i][j] == (i == j) for i in axes for j in axes)
            reader.require(right, "cells do not cover the cone")

    def cell(self, given: Any) -> list[Vector]:
        """Check the argument on one cell, and return its rays."""
        reader = self.reader
        listed, dominant, reductions, in_window, proof = reader.fields(given, _CELL)
        rays = [
            tuple(reader.rational(q) for q in reader.entries(one, self.size))
            for one in reader.entries(listed)
        ]
        reader.require(rays, "a cell has no rays")
        top = tuple(reader.rational(q) for q in reader.entries(dominant, len(rays)))
        g = self.local(self.function, rays, top)
        weights = [_ZERO] * len(rays)
        if in_window is not False:
            reader.require(in_window is True and self.window is not None, "there is no window")
            assert self.window is not None
            weights = [one[self.window[0]] for one in rays]
            reader.require(min(weights) >= 0, "the variable of a window is negative")
        for step in reader.entries(reductions):
            g = self.lowered(g, step, weights)
        match proof:
            case ["coefficients"]:
                reader.require(shown(reader, g), "coefficients of a cell do not show its sign")
            case ["ray", axis, sign]:
                self.on_ray(g, axis, sign, weights)
            case ["boxes", tree]:
                orthant: Box = [(_ZERO, None)] * len(rays)
                self.boxes(g, tree, orthant, lambda _: False)
            case ["zones", zones] if any(weights):
                self.zones(g, zones, weights)
            case _:
                reader.require(False, unknown(proof))
        self.methods[proof[0]] = self.methods.get(proof[0], 0) + 1
        return rays

    def boxes(
        self, g: Local, tree: Any, region: Box, misses: Callable[[Box], bool], axis: int = 0
    ) -> None:
        """Check the boxes into which a tree cuts a region."""
        check_boxes(self.reader, g, tree, region, misses, axis)

    def zones(self, g: Local, given: Any, weights: list[Fraction]) -> None:
        """Check that zones cover the window, and their boxes."""
        assert self.window is not None
        reader, (_, least, most) = self.reader, self.window
        flat = [all(key[j] == (0, _ZERO) for key in g) for j in range(len(weights))]
        if any(w and still for w, still in zip(weights, flat, strict=True)):
            # Along an axis on which g does not depend one can reach every larger ε.
            weights = [_ZERO if still else w for w, still in zip(weights, flat, strict=True)]
            least = _ZERO
        moving = [i for i, weight in enumerate(weights) if weight]
        reader.require(moving, "zones of a window on which nothing depends")
        covered: list[tuple[Fraction, Fraction | float]] = []
        for zone in reader.entries(given):
            low, high, in_charts, listed = reader.fields(zone, "lower upper in_charts boxes")
            lower = reader.rational(low)
            upper = None if high is None else reader.rational(high)
            right = lower >= 0 and (upper is None or lower <= upper)
            reader.require(right, "a zone of no points")
            covered.append((lower, inf if upper is None else upper))
            if in_charts is True:
                reader.require(upper is not None, "a chart that goes to infinity")
                assert upper is not None
                for i, boxes in zip(moving, reader.entries(listed, len(moving)), strict=True):
                    self.chart(g, boxes, weights, i, (lower, upper))
                continue
            reader.require(in_charts is False, "a zone without coordinates")
            places = moving if lower else moving[:1]
            for i, boxes in zip(places, reader.entries(listed, len(places)), strict=True):
                region = [(_ZERO, upper / w if w and upper is not None else None) for w in weights]
                region[i] = lower / len(moving) / weights[i], region[i][1]
                self.boxes(g, boxes, region, lambda _: False, i)
        reached = None
        for start, end in sorted(covered):
            if start <= (least if reached is None else reached):
                reached = end if reached is None else max(reached, end)
        right = reached is not None and reached >= most
        reader.require(right, "zones do not cover the window")

    def chart(
        self, g: Local, boxes: Any, weights: list[Fraction], i: int, zone: tuple[Fraction, Fraction]
    ) -> None:
        """Check the boxes of a zone where σᵢ is the largest part of ε."""
        size, (lower, upper) = len(weights), zone
        parts = [j for j, weight in enumerate(weights) if weight and j != i]
        rays = []
        for j, weight in enumerate(weights):
            ray = [_ZERO] * size
            ray[j] = 1 / weight if weight else Fraction(1)
            if j in parts:
                ray[i] = -1 / weights[i]
            rays.append(tuple(ray))
        region: Box = [(_ZERO, upper / 2 if weight else None) for weight in weights]
        region[i] = lower, upper

        def is_elsewhere(box: Box) -> bool:
            lows = [box[j][0] for j in parts]
            highest = box[i][1]
            return bool(lows) and highest is not None and highest < sum(lows) + max(lows)

        moved = {(tuple(k for k, _ in key), tuple(-a for _, a in key)): c for key, c in g.items()}
        chart = self.local(moved, rays, (_ZERO,) * size)
        self.boxes(chart, boxes, region, is_elsewhere, i)

    def local(self, function: Sum, rays: list[Vector], top: Vector) -> Local:
        """Return a sum in the coordinates of rays, times e^{−Σ Dⱼsⱼ}."""
        result: Local = {}
        for (powers, rates), c in function.items():
            decay = tuple(
                d - sum((r * q for r, q in zip(rates, ray, strict=True)), _ZERO)
                for d, ray in zip(top, rays, strict=True)
            )
            monomials = {(0,) * len(rays): c}
            for variable, power in enumerate(powers):
                for _ in range(power):
                    grown: dict[tuple[int, ...], Fraction] = {}
                    for key, d in monomials.items():
                        for j, ray in enumerate(rays):
                            if ray[variable]:
                                new = (*key[:j], key[j] + 1, *key[j + 1 :])
                                grown[new] = grown.get(new, _ZERO) + d * ray[variable]
                    monomials = grown
                    self.reader.spend(4 * len(grown) * len(rays), 64)
            self.reader.spend(4 * len(monomials) * len(rays), 64)
            for key, d in monomials.items():
                place = tuple(zip(key, decay, strict=True))
                result[place] = result.get(place, _ZERO) + d
        return {key: c for key, c in result.items() if c}

    def lowered(self, g: Local, step: Any, weights: list[Fraction]) -> Local:
        """Check one reduction and return the remaining function."""
        reader = self.reader
        axis, face, shift = reader.fields(step, "axis face shift")
        size = len(next(iter(g), ()))
        axis, rate = reader.integer(axis, 0, max(size - 1, 0)), reader.integer(shift, 0, MAX_ENTRY)
        if not g:
            return g
        reader.require(not weights[axis], "a reduction leaves the window")
        slope = derived(g, axis, Fraction(rate))
        if face == "zero":
            reader.require(shown(reader, slope), "a reduction is not justified")
            return at_zero(g, axis)
        falls = shown(reader, {key: -c for key, c in slope.items()})
        right = face == "infinity" and rate == 0 and falls
        right = right and all(key[axis][1] >= 0 for key in g)
        left = {key: c for key, c in g.items() if key[axis][1] == 0}
        right = right and all(key[axis][0] == 0 for key in left)
        reader.require(right, "a reduction is not justified")
        return left

    def on_ray(self, g: Local, axis: Any, sign: Any, weights: list[Fraction]) -> None:
        """Check a proof of a sign in the only coordinate that is left."""
        reader = self.reader
        size = len(next(iter(g), ()))
        axis = reader.integer(axis, 0, max(size - 1, 0))
        flat = (0, _ZERO)
        one = all(f == flat for key in g for j, f in enumerate(key) if j != axis)
        lower: Fraction | float = _ZERO
        upper: Fraction | float = inf
        if weights[axis] and self.window is not None:
            if sum(map(bool, weights)) == 1:
                lower = self.window[1] / weights[axis]
            upper = self.window[2] / weights[axis]
        checker = proved_sign(reader, sign)
        right = checker.on.lower <= lower and checker.on.upper >= upper and not checker.strict
        reader.require(right and checker.denominator == ONE, "not for every point of a ray")
        claimed = checker.numerator
        mine = {(-key[axis][1], key[axis][0]): c for key, c in g.items()}
        right = one and mine.keys() == claimed.keys()
        right = right and len({c / claimed[key] for key, c in mine.items()}) == 1
        right = right and all(c * claimed[key] > 0 for key, c in mine.items())
        reader.require(right, "the proof is about another function")


def sum_of(reader: CertificateReader, given: Any, size: int) -> Sum:
    """Read Σ c·θ^k·e^{q·θ} from [c, k, q], in the order of (k, q), none twice and none 0."""
    found: Sum = {}
    last = None
    for term in reader.entries(given):
        c, powers, rates = reader.entries(term, 3)
        key = (
            tuple(reader.integer(k, 0, 1000) for k in reader.entries(powers, size)),
            tuple(reader.rational(q) for q in reader.entries(rates, size)),
        )
        found[key] = reader.rational(c)
        right = found[key] != 0 and (last is None or last < key)
        reader.require(right, "a term is 0, or not in its order")
        last = key
    return found


def derived(g: Local, axis: int, rate: Fraction) -> Local:
    """Return (∂ⱼ + rate)·g."""
    result: Local = {}
    for key, c in g.items():
        k, a = key[axis]
        for factor, part in (((k - 1, a), k * c), ((k, a), (rate - a) * c)):
            if part:
                new = (*key[:axis], factor, *key[axis + 1 :])
                result[new] = result.get(new, _ZERO) + part
    return {key: c for key, c in result.items() if c}


def at_zero(g: Local, axis: int) -> Local:
    """Return g on the face sⱼ = 0."""
    result: Local = {}
    for key, c in g.items():
        if key[axis][0] == 0:
            new = (*key[:axis], (0, _ZERO), *key[axis + 1 :])
            result[new] = result.get(new, _ZERO) + c
    return {key: c for key, c in result.items() if c}


def shown(reader: CertificateReader, g: Local) -> bool:
    """Whether the coefficients of a sum on the whole orthant are nonnegative, see `boxes`."""
    return all(c >= 0 for c in g.values()) or all(c >= 0 for c in Tensor(reader, g).exact.values())
