"""Expressions in ε as outputs: closed forms, or numbers if they do not depend on ε."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from exactdp.errors import Place
from exactdp.language.rules import fail
from exactdp.language.sampling import closed_form, refuse_log, resolved
from exactdp.language.terms import EpsTerm, Number
from exactdp.language.values import Value, plain
from exactdp.reals import ClosedForm, ExpPoly, eps, exp
from exactdp.reals.spans import Span, around, is_positive


def holds_terms(output: Value) -> bool:
    """Whether an output is or contains an expression in ε."""
    if isinstance(output, tuple):
        return any(map(holds_terms, output))
    return isinstance(output, EpsTerm | ClosedForm)


def released(output: Value, on: Span, place: Place) -> Value:
    """Return an output with its expressions in ε as closed forms."""
    if isinstance(output, tuple):
        return tuple(released(item, on, place) for item in output)
    return _closed(output, on, place) if isinstance(output, EpsTerm) else output


def form_of(term: EpsTerm | Number) -> Value:
    """Return an expression in ε as a closed form, or as a number if it is constant."""
    form: ClosedForm = closed_form(term, eps, exp)
    number = form.numerator.constant() if form.denominator == 1 else None
    return form if number is None else plain(number)


@lru_cache(maxsize=1024)
def _closed(term: EpsTerm, on: Span, place: Place) -> Value:
    refuse_log(term, place)
    try:
        plain_term = resolved(term, on, place)
        form = form_of(plain_term) if around(on).lower < around(on).upper else _at(plain_term, on)
    except ZeroDivisionError:
        raise _undefined(term, on, place) from None
    under = form.denominator if isinstance(form, ClosedForm) else ExpPoly(1)
    if not (is_positive(under, on) or is_positive(-under, on)):
        raise _undefined(term, on, place)
    return form


def _at(term: EpsTerm | Number, on: Span) -> Value:
    """Return an expression at a single ε as a rational function of powers of e.

    Two expressions are equal there exactly if these functions are, as e^ε is transcendental for a
    rational ε > 0.
    """
    point = Fraction(around(on).lower)
    form: ClosedForm = closed_form(term, ExpPoly(point), lambda q: exp(q * eps / point))
    number = form.numerator.constant() if form.denominator == 1 else None
    return form if number is None else plain(number)


def _undefined(term: EpsTerm, on: Span, place: Place) -> Exception:
    return fail(
        place,
        f"the output {term} is not defined for every eps in {on}",
        "An output is defined for every eps of the mechanism.",
        'Restrict eps: @mechanism(epsilon="(1, 2)").',
    )
