"""Claims at one input where α and γ are functions of ε: the obligation along a curve.

With α and γ as parameters a run of the mechanism gives closed forms on cells of (ε, εα, εγ). Where
the curve of the claim passes through a cell, its obligation is a function of ε alone. The curve
has to be polynomial: α and γ are polynomials of ε plus a multiple of 1/ε.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import fmpq, fmpq_poly

from exactdp.claims.inputs import as_given
from exactdp.claims.levels import ANY, Range
from exactdp.claims.obligations import Due
from exactdp.claims.outcomes import ENDLESS, MOST_CELLS, Outcome, at_point
from exactdp.claims.vacuity import Content, content_of
from exactdp.cones import Cone
from exactdp.errors import ValueRefusedError
from exactdp.language.noisy import samples_integers
from exactdp.language.values import Value
from exactdp.reals import (
    ClosedForm,
    ExpPoly,
    Interval,
    eps,
    nonnegative,
    solution_set,
    supremum,
)
from exactdp.reals.curved import CurvedSum
from exactdp.reals.numbers import exact, fraction, inf
from exactdp.reals.solutions import SolutionSet, Stretch
from exactdp.reals.zeros import Root
from exactdp.semantics.cells import explore
from exactdp.semantics.spots import Trace

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy

_FINE = Fraction(1, 10**30)
_ENOUGH_CELLS = 40  # to find a simple counterexample, if there is one


@dataclass(frozen=True)
class Curve:
    """εα and εγ as polynomials of ε, and how they depend on some of them linearly."""

    names: tuple[str, ...]
    """Parameters that are independent: ε first."""
    polynomials: tuple[fmpq_poly, ...]
    forms: Mapping[str, Mapping[str, Fraction]]
    """Of α and γ, if they are functions of ε: the linear form of the parameters."""

    def around(self, span: Interval) -> Cone:
        """Return a cone around the curve, with room on all sides where it is bounded."""
        size = len(self.names)
        sides = [tuple(Fraction(j == k) for j in range(size)) for k in range(size)]
        for k, polynomial in enumerate(self.polynomials[1:], start=1):
            end = supremum(_as_form(polynomial) / eps, span).upper
            if isinstance(end, Fraction):
                sides.append(tuple((end + 1) * (j == 0) - (j == k) for j in range(size)))
        return Cone.of(size, sides)

    def signed(self, form: ClosedForm) -> CurvedSum:
        """Return a sum along the curve with the sign of a closed form of the parameters."""
        parts: dict[tuple[fmpq, ...], fmpq_poly] = {}
        whole = form.numerator * form.denominator
        for powers, rates, q in whole.entries(self.names):
            exponent, part = fmpq_poly([]), fmpq_poly([q])
            for polynomial, power, rate in zip(self.polynomials, powers, rates, strict=True):
                exponent += polynomial * exact(rate)
                part *= polynomial**power
            key = tuple(exponent.coeffs())
            parts[key] = parts.get(key, fmpq_poly([])) + part
        return CurvedSum.of(parts)

    def inside(self, cone: Cone, on: SolutionSet) -> SolutionSet:
        """Return where the curve is in a cone."""
        for side in cone.inequalities:
            form = fmpq_poly([])
            for polynomial, q in zip(self.polynomials, side, strict=True):
                form += polynomial * exact(Fraction(q))
            on &= solution_set(_as_form(form), width=_FINE)
        return on


def along_curve(
    claim: Accuracy, u: tuple[Value, ...], levels: Mapping[str, ClosedForm]
) -> Outcome | None:
    """Decide a claim whose α or γ is a function of ε; None where more than ε is left to vary."""
    curve = _curve(levels)
    is_free = isinstance(claim.gamma_level, Range) and claim.mechanism.checked.output.holds_noise
    if curve is None or is_free or claim.obligations.gamma_follows:
        return None
    every: dict[str, Any] = dict.fromkeys(levels, ANY)
    wider = replace(claim, inputs=[as_given(claim.mechanism, u)], **every)

    def run(trace: Trace) -> Due | None:
        given = {name: trace.of(form) for name, form in curve.forms.items()}
        return wider.obligations.at(u, given.get("alpha"), given.get("gamma"))

    span = claim.epsilon
    if span.is_point:
        return at_point(claim, u, levels, Fraction(span.lower))
    touched = _where_alpha_touches(claim, u, levels)
    if touched is None:
        return Outcome(None, missing="α is the distance to disagreement at an irrational ε only")
    whole = SolutionSet((Stretch(span.lower, span.upper, span.lower_open, span.upper_open),))
    holds, missing = True, ""
    most = MOST_CELLS
    if samples_integers(claim.mechanism.definition) and "gamma" in levels:
        most = MOST_CELLS if supremum(levels["gamma"], span).is_finite else _ENOUGH_CELLS
    content = max(
        (at_point(claim, u, levels, point).content for point in touched), default=Content.NOTHING
    )
    faults = list(touched)
    for count, cell in enumerate(explore(curve.names, curve.around(span), run)):
        if count >= (_ENOUGH_CELLS if len(faults) > len(touched) else most):
            missing, holds = ENDLESS, False
            break
        for stretch in curve.inside(cell.cone, whole) if cell.result is not None else ():
            if stretch.lower == stretch.upper:
                continue  # a neighbour of the cell has this point too
            lower, upper = _ends(stretch)

            def is_at_least_one(beta: ClosedForm, ends: Any = (lower, upper)) -> bool:
                return curve.signed(beta - 1).nonnegative(*ends) is True

            content = max(content, content_of(cell.result, is_at_least_one))
            for one in cell.result or ():
                for beta in one.beta:
                    function = curve.signed(one.probability - 1 + beta)
                    found = function.nonnegative(lower, upper)
                    if isinstance(found, Fraction) and found in stretch:
                        faults.append(function.simple_negative(found, lower, upper))
                        faults += _finite_ends(stretch)
                    holds = holds and found is True
    for point in sorted(set(faults), key=lambda q: (q.denominator, q)):
        failure = at_point(claim, u, levels, point).counterexample
        if failure is not None:
            return Outcome(False, counterexample=failure)
    return Outcome(True if holds else None, content, missing=missing)


def says_nothing(claim: Accuracy, u: tuple[Value, ...], levels: Mapping[str, ClosedForm]) -> bool:
    """Whether α is a function of ε that is nowhere below the distance to disagreement."""
    below = None if claim.epsilon.is_point else _where_alpha_is_low(claim, u, levels)
    closed = claim.boundary == "check"
    return below is not None and not any(closed or one.lower != one.upper for one in below)


def _where_alpha_touches(
    claim: Accuracy, u: tuple[Value, ...], levels: Mapping[str, ClosedForm]
) -> list[Fraction] | None:
    """Return the single ε at which α is dd, and larger around; None if one is irrational.

    The claim is made there if boundary inputs are checked.
    """
    below = _where_alpha_is_low(claim, u, levels) if claim.boundary == "check" else None
    points = [_rational(one.lower) for one in below or () if one.lower == one.upper]
    return None if None in points else [point for point in points if point is not None]


def _where_alpha_is_low(
    claim: Accuracy, u: tuple[Value, ...], levels: Mapping[str, ClosedForm]
) -> SolutionSet | None:
    """Return the ε at which α ≤ dd; None if α is not a function of ε, or dd is infinite."""
    if "alpha" not in levels:
        return None
    distance = claim.disagreement(as_given(claim.mechanism, u)).distance
    return None if distance == inf else solution_set(distance - levels["alpha"], claim.epsilon)


def _rational(point: object) -> Fraction | None:
    if isinstance(point, Root):
        return point.lower if point.is_exact else None
    return point if isinstance(point, Fraction) else None


def functions_of_eps(claim: Accuracy, u: tuple[Value, ...] | None) -> dict[str, ClosedForm]:
    """Return α and γ where they are functions of ε: at an input, or (None) at every input alike."""
    values: dict[str, Any] = {} if u is None else dict(claim.obligations.input_values(u))
    found: dict[str, ClosedForm] = {}
    for name, level in (("alpha", claim.alpha_level), ("gamma", claim.gamma_level)):
        if isinstance(level, Range) or not level.names() <= values.keys():
            continue
        form = values[name] = level.at(values)
        if not nonnegative(form, claim.epsilon):
            raise ValueRefusedError(
                f"{name} = {level} is negative for some eps",
                rule=f"{name} is a distance, so it is not negative.",
                way_out="Correct it, or restrict epsilon.",
            )
        if form.denominator != 1 or form.numerator.constant() is None:
            found[name] = form
    return found


def _curve(levels: Mapping[str, ClosedForm]) -> Curve | None:
    """Return the curve of α and γ, if it is polynomial."""
    names, rows = ["eps"], [fmpq_poly([0, 1])]
    forms: dict[str, dict[str, Fraction]] = {}
    for name, level in levels.items():
        polynomial = scaled_polynomial(level)
        if polynomial is None:
            return None
        form = _combination(polynomial, rows)
        if form is None:
            names.append(name)
            rows.append(polynomial)
            form = [Fraction(0)] * (len(rows) - 1) + [Fraction(1)]
        forms[name] = {known: q for known, q in zip(names, form, strict=False) if q}
    return Curve(tuple(names), tuple(rows), forms)


def scaled_polynomial(level: ClosedForm) -> fmpq_poly | None:
    """Return εα (or εγ) if it is a polynomial of ε."""
    scaled = level * eps
    parts = scaled.numerator.exponentials()
    if scaled.denominator != 1 or not parts.keys() <= {0}:
        return None
    return parts.get(Fraction(0), fmpq_poly([]))


def _combination(polynomial: fmpq_poly, rows: Sequence[fmpq_poly]) -> list[Fraction] | None:
    """Return a polynomial as a combination of one or two others, None if it is none.

    The first of them is ε.
    """
    if len(rows) == 1:
        rest, factors = polynomial, []
    else:
        k = next(k for k, q in enumerate(rows[1].coeffs()) if q and k != 1)
        factor = polynomial[k] / rows[1][k]
        rest, factors = polynomial - rows[1] * factor, [fraction(factor)]
    if any(q for k, q in enumerate(rest.coeffs()) if k != 1):
        return None
    return [fraction(rest[1]), *factors]


def _as_form(polynomial: fmpq_poly) -> ExpPoly:
    return ExpPoly(
        [(fraction(q), (("eps", k),) if k else (), ()) for k, q in enumerate(polynomial.coeffs())]
    )


def _ends(stretch: Stretch) -> tuple[Fraction, Fraction | float]:
    """Return rational ends around a stretch."""
    lower = stretch.lower.lower if isinstance(stretch.lower, Root) else stretch.lower
    upper = stretch.upper.upper if isinstance(stretch.upper, Root) else stretch.upper
    assert isinstance(lower, Fraction)
    return lower, upper if isinstance(upper, Fraction) else inf


def _finite_ends(stretch: Stretch) -> list[Fraction]:
    """Return the ends of a stretch that are rational and belong to it."""
    ends = (stretch.lower, stretch.upper)
    return [end for end in ends if isinstance(end, Fraction) and end in stretch]
