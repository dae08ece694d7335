"""The effect of rounding on a density: a real x as k + f with a whole number k and 0 ≤ f < 1.

Between two breakpoints a density is a sum of c·t^j·e^{at} in t = ε·x, and with t = κ + φ each of
these is a sum of products of a function of κ = ε·k and one of φ = ε·f. This applies to all k with
no breakpoint between k and k + 1. For the finitely many other k the density itself is used, from k
on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import comb
from typing import Any

from exactdp.errors import ValueRefusedError
from exactdp.measure.density import Summand
from exactdp.measure.frame import Element, Frame
from exactdp.measure.function import Univariate, indicator
from exactdp.measure.joint import name_of
from exactdp.measure.lattice import Lattice, LatticeCell
from exactdp.measure.radical_frame import RadicalFrame
from exactdp.polyhedra.halfspace import Halfspace, between
from exactdp.reals import ExpPoly, ExpTerm, exp, parameter

Floor = Callable[[Any], int]
"""Returns the largest whole number that is at most a number."""


def is_alone(product: Summand, variable: int) -> bool:
    """Whether a variable of a product is coupled with no other."""
    coupled = [*(one.variables for one in product.joints)]
    coupled += (one.variables for one in product.conditions)
    return all(variable not in listed for listed in coupled)


def divided(
    product: Summand, variable: int, names: tuple[int, int], frame: Frame, floor: Floor
) -> list[Summand]:
    """Return a product with an uncoupled variable replaced by k and f, with these names."""
    whole, rest = names
    function = product.functions[variable]
    others = {v: f for v, f in product.functions.items() if v != variable}
    found: list[Summand] = []

    def add(cell: LatticeCell, fraction: Univariate) -> None:
        found.append(
            product._replace(
                functions={**others, rest: fraction},
                lattices=(*product.lattices, Lattice((cell,))),
            )
        )

    start: int | None = None
    for piece, point in zip(function.pieces, function.breakpoints, strict=False):
        number = frame.number(point)
        k = floor(number)
        for cell, fraction in _between(piece, (start, k - 1), names, frame):
            add(cell, fraction)
        if number == k:
            start = k
        elif start is None or start <= k:
            one = function.shifted(frame.point(k)) * indicator(frame, *_unit(frame))
            add(LatticeCell(between(whole, k, k), ExpPoly(1), {}), one)
            start = k + 1
    for cell, fraction in _between(function.pieces[-1], (start, None), names, frame):
        add(cell, fraction)
    return found


def _between(
    piece: Element, ends: tuple[int | None, int | None], names: tuple[int, int], frame: Frame
) -> list[tuple[LatticeCell, Univariate]]:
    """Return the factors of a piece for the whole numbers from one end to the other."""
    low, high = ends
    if not piece or (low is not None and high is not None and low > high):
        return []
    whole, rest = names
    t, kappa = name_of(rest), parameter(name_of(whole))
    if isinstance(frame, RadicalFrame):
        raise ValueRefusedError(
            "noise is rounded, or added to integer noise, beside noise with irrational rates",
            rule="Sums over integers need rational rates; or all rates are rational multiples of "
            "each other, as sqrt(2) * eps and sqrt(8) * eps are.",
            way_out="Use such rates, or a rational number close to the irrational one.",
        )
    terms: dict[tuple[Any, int], list[ExpTerm]] = {}
    for coefficient, powers, rates in frame.closed_form(piece, t).terms:
        j, rate = dict(powers).get(t, 0), dict(rates).get(t, 0)
        kept = tuple(entry for entry in powers if entry[0] != t)
        for i in range(j + 1):
            more = ((t, j - i),) if j > i else ()
            term = ExpTerm(comb(j, i) * coefficient, tuple(sorted((*kept, *more))), rates)
            terms.setdefault((rate, i), []).append(term)
    bounds = between(whole, low, high)
    found = []
    for (rate, i), listed in terms.items():
        density = kappa**i * exp(rate * kappa)
        inside = frame.element(ExpPoly(listed), t)
        function = Univariate(frame, _unit(frame), (frame.zero, inside, frame.zero))
        found.append((LatticeCell(bounds, density, {}), function))
    return found


def _unit(frame: Frame) -> tuple[Any, Any]:
    """Return 0 and 1 as breakpoints."""
    return frame.point(0), frame.point(1)


def coupled(
    form: Mapping[int, Fraction], constant: Fraction, whole: int, *, nearest: bool
) -> Lattice:
    """Return the mass 1 on the points where a variable is the rounding of a form in integer noise.

    Halfway between two whole numbers the even one is the nearest: the variable is 2z′ or 2z′ + 1.
    """
    gap = {**form, whole: Fraction(-1)}
    if not nearest:
        low, above = Halfspace.of(gap, constant), Halfspace.of(gap, constant - 1)
        bounds = frozenset([low.sharpened(), above.negated().sharpened()])
        return Lattice((LatticeCell(bounds, ExpPoly(1), {}),))
    cells = []
    for parity in (0, 1):
        doubled = {**form, whole: Fraction(-2)}
        ends = [
            Halfspace.of({v: sign * q for v, q in doubled.items()}, end, strict=parity == 1)
            for sign, end in (
                (1, constant - parity + Fraction(1, 2)),
                (-1, parity + Fraction(1, 2) - constant),
            )
        ]
        bounds = frozenset(one.sharpened() for one in ends)
        cells.append(LatticeCell(bounds, ExpPoly(1), {whole: (2, parity)}))
    return Lattice(tuple(cells))
