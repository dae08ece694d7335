"""Closed forms above and below a probability, from one or two of its values (see `Chance`)."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx

from exactdp.reals.exp_poly import ExpPoly, eps, exp
from exactdp.reals.models import Models
from exactdp.reals.numbers import exact, fraction


def at_most(models: Models, place: Fraction, cost: Fraction, is_opposite: bool) -> ExpPoly:
    """Return C·ε^n·e^{−cost·ε}, an upper bound on a probability from a place on."""
    with ctx.workprec(64):
        scaled = models.value(place, is_opposite) * arb(exact(cost * place)).exp()
        factor = fraction(scaled.upper().fmpq())
    return _power(models, place, factor, cost)


def between(models: Models, lower: Fraction, upper: Fraction, is_opposite: bool) -> ExpPoly:
    """Return C·ε^n·e^{−K·ε}, an upper bound on a probability between two points."""
    n = models.chance.samples
    with ctx.workprec(64):
        first, last = (models.value(x, is_opposite) for x in (lower, upper))
        fall = (first / last * arb(exact(upper / lower)) ** n).log().mid()
        rate = Fraction(round(float(fall) * 2**20), 2**20) / (upper - lower)
        scaled = first * arb(exact(rate * lower)).exp() / arb(exact(lower)) ** n
        other = last * arb(exact(rate * upper)).exp() / arb(exact(upper)) ** n
        factor = max(fraction(scaled.upper().fmpq()), fraction(other.upper().fmpq()))
    found: ExpPoly = ExpPoly(factor) * eps**n * exp(-eps * rate)
    return found


def at_least(models: Models, place: Fraction, cost: Fraction, is_opposite: bool) -> ExpPoly:
    """Return C·ε^n·e^{−K·ε}, a lower bound on a probability A from a place on.

    A·ε^{−n} is an integral of e^{−cost·ε} over noise with different costs, so its logarithm is
    convex, and beyond the place it falls no faster than between place/2 and the place. K is that
    rate, or slightly more.
    """
    n = models.chance.samples
    with ctx.workprec(64):
        here, before = (models.value(x, is_opposite) for x in (place, place / 2))
        speed = (before / here * arb(2) ** n).log() / exact(place / 2)
        rate = max(fraction(speed.upper().fmpq()), cost).limit_denominator(2**20) + Fraction(
            1, 2**20
        )
        scaled = here * arb(exact(rate * place)).exp()
        factor = fraction(scaled.lower().fmpq())
    return _power(models, place, factor, rate)


def _power(models: Models, place: Fraction, factor: Fraction, rate: Fraction) -> ExpPoly:
    n = models.chance.samples
    found: ExpPoly = ExpPoly(factor / place**n) * eps**n * exp(-eps * rate)
    return found
