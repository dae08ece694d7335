"""The real outputs at which p − e^b·p′ is positive, for all pairs of a region of real inputs.

The densities p and p′ at (θ, y), with y the number of the output, are exponential sums on cones. On
each cone p − e^b·p′ must have one sign, or be a difference c(ε)·(e^{ry + ℓ} − e^{sy + m}) with
linear forms ℓ and m in θ: then it changes its sign where two linear forms are equal, and the cone
is cut there. For fixed θ each cone is an interval of y, between the largest of some linear forms
and the smallest of others.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp.claims.regions.places import OnCone
from exactdp.claims.regions.region import Region
from exactdp.cones import Cone, Window
from exactdp.language.layout import assembled, kinds
from exactdp.language.values import Value
from exactdp.measure.joint import antiderivative
from exactdp.reals import ClosedForm, ExpPoly
from exactdp.semantics.cells import explore
from exactdp.semantics.engine import Engine

if TYPE_CHECKING:
    from exactdp.claims.private.claim import Privacy
    from exactdp.semantics.spots import Trace

_ZERO: ClosedForm = ExpPoly(0)


@dataclass(frozen=True)
class PositivePart:
    """A cone of (θ, y) on which p ≥ e^b·p′, and primitives of p and p′ in y."""

    sides: tuple[tuple[int, ...], ...]
    name: str
    """The name of y."""
    one: ClosedForm
    two: ClosedForm

    def masses(self, trace: Trace) -> tuple[ClosedForm, ClosedForm]:
        """Return the probabilities of the outputs of the part, at both inputs."""
        lower: list[Any] = []
        upper: list[Any] = []
        for *side, slope in self.sides:
            form = dict(zip(trace.names, map(Fraction, side), strict=True))
            if slope:
                end = trace.of({name: -q / slope for name, q in form.items()})
                (lower if slope > 0 else upper).append(end)
            elif any(form.values()) and trace.of(form) < 0:
                return _ZERO, _ZERO
        low, high = max(lower, default=None), min(upper, default=None)
        if low is not None and high is not None and not low < high:
            return _ZERO, _ZERO
        one, two = (self._between(form, low, high) for form in (self.one, self.two))
        return one, two

    def _between(self, primitive: ClosedForm, low: Any, high: Any) -> ClosedForm:
        """Return a primitive at its upper end minus that at its lower end; it is 0 at ±∞."""
        found = _ZERO
        for end, sign in ((high, 1), (low, -1)):
            if end is not None:
                found = found + primitive.substitute(**{self.name: end.closed_form()}) * sign
        return found


def positive_parts(claim: Privacy, region: Region, pattern: Value) -> list[PositivePart] | None:
    """Return where p ≥ e^b·p′ for a pattern with one real number; None if that is not known."""
    engine, count = claim.mechanism.kept(Engine), len(kinds(claim.mechanism.inputs))
    name = "output"
    while name in region.names:
        name += "_"
    wide = region.in_parameters(
        (*region.names, name), lambda form: (*map(Fraction, form), Fraction(0))
    )

    def run(trace: Trace) -> tuple[ClosedForm, ClosedForm]:
        values = wide.values(trace)
        sides = (values[:count], values[count : 2 * count])
        given = (assembled(claim.mechanism.inputs, side) for side in sides)
        one, two = (engine.density(x, pattern, [trace.spot(name)]) for x in given)
        return one, two

    found: list[PositivePart] = []
    window = Window.of(0, claim.epsilon)
    for cell in explore(wide.names, wide.cone, run):
        one, two = cell.result
        if not one.numerator:
            continue
        gap = one - two * claim.factor
        place = OnCone(wide.names, cell.cone, window)
        parts = parts_by_sign(gap.numerator, gap.denominator, place)
        first, second = (_primitive(form, name) for form in (one, two))
        if parts is None or first is None or second is None:
            return None
        cones = (cone for sign, cone in parts if sign > 0)
        found += [PositivePart(cone.inequalities, name, first, second) for cone in cones]
    return found


def parts_by_sign(over: ExpPoly, under: ExpPoly, place: OnCone) -> list[tuple[int, Cone]] | None:
    """Return parts of a cone with the sign that over/under has on each; None if not known."""
    function = over * under
    for sign in (-1, 1):
        if not function or place.is_nonnegative(function * sign):
            return [(sign, place.cone)]
    zero = _zero(over, under, place.names)
    if zero is None:
        return None
    parts = [part for part in place.cone.split(zero) if part.is_full]
    inside = [tuple(map(Fraction, part.interior_point())) for part in parts]
    signs = (place.sign_at(function, point) for point in inside)
    return list(zip(signs, parts, strict=True))


def _zero(over: ExpPoly, under: ExpPoly, names: tuple[str, ...]) -> tuple[Fraction, ...] | None:
    """Return the linear form where c(ε)·(e^{f} − e^{g}) changes its sign, with linear f and g."""
    if set(under.parameters) - {"eps"}:
        return None
    terms: dict[tuple[Fraction, ...], dict[tuple[int, Fraction], Any]] = {}
    for (power, *beside), (rate, *steep), q in over.entries(names):
        if any(beside):
            return None
        terms.setdefault(tuple(map(Fraction, steep)), {})[power, Fraction(rate)] = q
    if len(terms) != 2:
        return None
    (first, one), (second, two) = terms.items()
    shift = max(rate for _, rate in two) - max(rate for _, rate in one)
    if {(power, rate + shift): -q for (power, rate), q in one.items()} != two:
        return None
    return (-shift, *(a - b for a, b in zip(first, second, strict=True)))


def _primitive(form: ClosedForm, name: str) -> ClosedForm | None:
    """Return a primitive in a parameter y, 0 where all exponentials of y vanish."""
    if name in form.denominator.parameters:
        return None
    over: ExpPoly = antiderivative(form.numerator, name)
    return over / form.denominator
