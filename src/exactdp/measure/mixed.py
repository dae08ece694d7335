"""Conditions on integer noise and real noise together: Σ m·z + r ≥ 0 for whole m and z, real r.

For k ≤ r < k + 1 this is Σ m·z ≥ −k: a condition on each kind alone. So a density is split by the
value of ⌊r⌋; there are finitely many if r is bounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from exactdp.errors import ProgramError
from exactdp.measure.density import Density, Summand
from exactdp.measure.frame import Frame
from exactdp.measure.function import Univariate
from exactdp.measure.rounding import Floor
from exactdp.polyhedra.halfspace import Halfspace
from exactdp.reals.numbers import common_step


def at_least_zero(
    density: Density, form: Mapping[int, Fraction], constant: Any, floor: Floor
) -> Density:
    """Return the part of a density where Σ form·x + constant ≥ 0, for noise of both kinds.

    The set where it is 0 has no mass. The real noise of the form is bounded.
    """
    frame = density.frame
    found: list[Summand] = []
    for product in density.products:
        integers = product.integers
        step = common_step([q for v, q in form.items() if v in integers])
        scaled = {v: q / step for v, q in form.items()}
        whole = {v: q for v, q in scaled.items() if v in integers}
        real = {v: q for v, q in scaled.items() if v not in integers}
        start = constant * (1 / step)
        low, high = _range(product, real, start, frame)
        for k in range(floor(low), floor(high) + 1):
            part = product.bounded(Halfspace.of(whole, Fraction(k)).sharpened())
            for sign, end in ((1, -k), (-1, k + 1)):
                if part is not None:
                    side = {v: sign * q for v, q in real.items()}
                    part = part.restricted(Halfspace.of(side, sign * start + end), frame)
            if part is not None:
                found.append(part)
    return Density(frame, tuple(found))


def _range(
    product: Summand, form: Mapping[int, Fraction], constant: Any, frame: Frame
) -> tuple[Any, Any]:
    """Return numbers between which Σ form·x + constant lies, for bounded real noise x."""
    low = high = constant
    for variable, q in form.items():
        function = product.functions.get(variable)
        if not isinstance(function, Univariate) or function.pieces[0] or function.pieces[-1]:
            raise _entangled()
        ends = [frame.number(function.breakpoints[place]) * q for place in (0, -1)]
        low, high = low + min(ends), high + max(ends)
    return low, high


def _entangled() -> ProgramError:
    return ProgramError(
        "rounded noise was compared with noise that is needed later",
        rule="Noise combined with integer noise is split into a whole number and a remainder, "
        "which are not compared together.",
        way_out="Release or compare the other noise first, or compare each with numbers.",
    )
