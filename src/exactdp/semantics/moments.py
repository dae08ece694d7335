"""Expectations: a function of the output, integrated against the densities of the arrivals.

The function is called with the noise of an output as symbols (`polynomial`). Where it compares, the
density is split in two. On each part it is a polynomial in noise x, that is ε^{−k} times one in the
scaled noise X = ε·x, which `measure` integrates: it handles powers times exponentials.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from exactdp.errors import ExactdpError, ValueRefusedError, shown
from exactdp.language.linear import Linear
from exactdp.language.operations import COMPARISONS
from exactdp.language.replays import Replay, runs
from exactdp.language.sampling import closed_form, order_changes
from exactdp.language.terms import EpsTerm
from exactdp.language.values import Value, freeze_result, plain
from exactdp.measure.density import Density
from exactdp.reals import ClosedForm, ExpPoly, eps, exp, parameter
from exactdp.reals.interval import POSITIVE
from exactdp.reals.numbers import fraction, inf
from exactdp.reals.radical_form import scaled
from exactdp.reals.radicals import Surd
from exactdp.reals.spans import Span, is_nonnegative, is_positive
from exactdp.semantics.exact import Arrival
from exactdp.semantics.nodes import noise_part
from exactdp.semantics.plan import Question, constant_part, question
from exactdp.semantics.polynomial import Monomial, PolynomialNumber, Variable
from exactdp.semantics.spots import Trace

_MOST_PIECES = 2_000
_MOST_COMPARISONS = 5_000  # in one call

Number = Callable[[Linear | ClosedForm], Any]
"""The replacement of a symbolic number when a function is called."""
Function = Callable[[Value, Number], Any]
"""A function of an output, and of the replacement of its symbolic numbers."""


@dataclass(frozen=True)
class Integrand:
    """A function of outputs, with the trace of the parameters in them."""

    function: Function
    trace: Trace | None = None
    jumps: bool = True
    """Whether it may jump where it compares parameters."""
    unit: Surd = Fraction(1)
    """In densities, ε stands for the unit times ε; in the function it does not."""
    on: Span = POSITIVE
    """The ε that are asked for."""


@dataclass
class Call:
    """One call of a function: the comparisons so far, and the part of the density where they hold.

    The function is a polynomial there: this is one of its pieces.
    """

    answers: Replay
    density: Density
    integrand: Integrand
    conditions: list[tuple[Linear, str, bool]] = field(default_factory=list)

    def decide(self, form: Linear, op: str) -> bool:
        """Return whether form op 0 on the piece of this call."""
        if len(self.answers.taken) >= _MOST_COMPARISONS:
            raise ValueRefusedError(
                f"the function compares more than {_MOST_COMPARISONS:,} times",
                rule="Comparisons of noise are examined one by one.",
                way_out="Make sure that its loops end.",
            )
        noise = noise_part(form)
        constant: Any = constant_part(form, self._parameters())
        if not noise:
            return self._without_noise(constant, op)
        integers = self.density.products[0].integers if self.density.products else frozenset()
        asked = question(noise, op, constant, integers)
        if not isinstance(asked, Question):
            return asked
        truth = self._truth(asked)
        self.conditions.append((form, op, truth))
        self.density = asked.answer(self.density, truth)
        return truth

    def sign_of_term(self, form: ClosedForm) -> int | None:
        """Return the sign of a function of ε if it is the same for all ε, else None."""
        if not form.numerator:
            return 0
        return next((sign for sign in (1, -1) if is_positive(form * sign, self.integrand.on)), None)

    def is_negative_term(self, form: ClosedForm) -> bool:
        """Whether a function of ε is nowhere positive, if it does not change its sign."""
        if is_nonnegative(form, self.integrand.on):
            return False
        if is_nonnegative(-form, self.integrand.on):
            return True
        raise order_changes(form, f"the sign of {form}", self.integrand.on)

    def _without_noise(self, constant: Any, op: str) -> bool:
        """Return the answer for parameters without noise; the function may jump there."""
        if self.integrand.jumps:
            constant.trace.note(constant, always=True)
        return COMPARISONS[op](constant, 0)

    def _parameters(self) -> dict[str, Any]:
        trace = self.integrand.trace
        return {} if trace is None else {name: trace.spot(name) for name in trace.names}

    def _truth(self, asked: Question) -> bool:
        """Return the answer in this call, the next one known or the first that has mass."""
        return bool(self.answers.choose(self._possible(asked)))

    def _possible(self, asked: Question) -> Iterator[bool]:
        """Yield the answers that have mass; True if none has."""
        has_mass = [truth for truth in (True, False) if asked.answer(self.density, truth).products]
        yield from has_mass or [True]


def expectation(
    found: list[Arrival],
    outputs: Callable[[Arrival], Value],
    integrand: Integrand,
) -> ClosedForm | float:
    """Return Σ ∫ function(output)·density over the arrivals; ±∞ if it is infinite.

    `outputs` returns the output of an arrival with its noise and the parameters as symbols.
    """
    parts: list[tuple[Density, int, PolynomialNumber]] = []
    infinite: set[float] = set()
    for arrival in found:
        if not arrival.density.products:
            continue
        sample = _Sample(outputs(arrival), integrand, arrival)
        for call, value in _calls(arrival.density, sample.value, integrand):
            sample.compare(call, value)
            if isinstance(value, float):
                mass = call.density.without(range(arrival.variables)).number()
                if mass.numerator:
                    infinite.add(value)
            elif call.density.products:
                parts.append((call.density, arrival.variables, value))
    if infinite:
        if len(infinite) > 1:
            raise ValueRefusedError(
                "the function is ∞ and −∞, each with positive probability",
                rule="Such a function has no expectation.",
                way_out="Give a function that is finite on one side.",
            )
        return infinite.pop()
    degree = max((value.degree for _, _, value in parts), default=0)
    total: ClosedForm = ExpPoly(0)
    for density, variables, value in parts:
        total = total + _integral(density, variables, _in_units(value, integrand.unit), degree)
    found_total: ClosedForm = total / eps**degree
    return found_total


class _Sample:
    """The function at an output with numbers for its noise, to compare the results.

    A function that inspects the types of its arguments could treat symbols differently.
    """

    def __init__(self, output: Value, integrand: Integrand, arrival: Arrival) -> None:
        self._output, self._function = output, integrand.function
        integers = arrival.density.products[0].integers
        self._values: dict[Variable, Fraction] = {
            v: Fraction(v + 1) if v in integers else Fraction(2 * v + 1, 8)
            for v in range(arrival.variables)
        }
        if (trace := integrand.trace) is not None:
            self._values |= dict(zip(trace.names, map(fraction, trace.sample), strict=True))

    def value(self, call: Call) -> Any:
        """Return what the function returns in a call."""
        return self._function(self._output, lambda form: PolynomialNumber.of(form, call))

    def compare(self, call: Call, value: PolynomialNumber | float) -> None:
        """Refuse a function that returns something else for numbers than for symbols."""
        if not all(
            COMPARISONS[op](self._number(form), 0) == truth for form, op, truth in call.conditions
        ):
            return
        try:
            known = _read(self._function(self._output, self._number), call)
        except ExactdpError:  # for example, dividing integers gives a float
            return
        one, two = (
            form.at(self._values) if isinstance(form, PolynomialNumber) else form
            for form in (known, value)
        )
        if one != two:
            raise ValueRefusedError(
                f"the function returns {one} for numbers, and {two} for symbols in their place",
                rule="A function of the output depends on the values of its numbers alone.",
                way_out="Do not test the types of the numbers.",
            )

    def _number(self, form: Linear | ClosedForm) -> Any:
        if isinstance(form, ClosedForm):
            return form
        total = Fraction(form.constant)
        for name, q in form.coefficients.items():
            total += self._values[name] * q
        return plain(total)


def _calls(
    density: Density, value: Callable[[Call], Any], integrand: Integrand
) -> Iterator[tuple[Call, Any]]:
    """Yield the pieces of a function with its values there: polynomials, or ±∞."""

    def once(answers: Replay) -> tuple[Call, Any]:
        call = Call(answers, density, integrand)
        return call, _read(value(call), call)

    for count, found in enumerate(runs(once), 1):
        if count > _MOST_PIECES:
            raise ValueRefusedError(
                f"the function has more than {_MOST_PIECES:,} pieces",
                rule="The possible outcomes of its comparisons are examined one by one.",
                way_out="Write it with fewer comparisons of noise.",
            )
        yield found


def _read(value: Any, call: Call) -> PolynomialNumber | float:
    """Return the result of a function as a polynomial, or ±∞."""
    if isinstance(value, PolynomialNumber):
        return value
    if isinstance(value, EpsTerm):
        value = closed_form(value, eps, exp)
    if not isinstance(value, ClosedForm):
        value = freeze_result(value)
    if isinstance(value, float) and value in (inf, -inf):
        return value
    if isinstance(value, int | Fraction):
        return PolynomialNumber({(): Fraction(value)}, call)
    if isinstance(value, ClosedForm):
        return PolynomialNumber({(): value}, call)
    raise ValueRefusedError(
        f"the function returned {shown(value)}, which is not a number",
        rule="An expectation is taken of numbers.",
        way_out="Give a function of the output that returns a number for each output, such as "
        "lambda output: 0 if output is None else output.",
    )


def _in_units(value: PolynomialNumber, unit: Surd) -> PolynomialNumber:
    """Return a polynomial whose coefficients are functions of ε, with ε over the unit."""
    if unit == 1:
        return value
    terms = {
        key: scaled(c, 1 / unit) if isinstance(c, ClosedForm) else c
        for key, c in value.terms.items()
    }
    return PolynomialNumber(terms, value.path)


def _integral(density: Density, variables: int, value: PolynomialNumber, degree: int) -> ClosedForm:
    """Return ε^degree·∫ value·density."""
    by_noise: dict[Monomial, ClosedForm] = {}
    for key, c in value.terms.items():
        noise = tuple(item for item in key if isinstance(item[0], int))
        factor: ClosedForm = eps ** (degree - sum(power for _, power in key)) * c
        for name, power in key:
            if isinstance(name, str):
                factor = factor * parameter(name) ** power
        by_noise[noise] = by_noise[noise] + factor if noise in by_noise else factor
    total: ClosedForm = ExpPoly(0)
    for noise, factor in by_noise.items():
        if factor:
            powers = {int(v): power for v, power in noise}
            number = density.times_powers(powers).without(range(variables)).number()
            total = total + number * factor
    return total


# Functions of a user ------------------------------------------------------------------


def guarded(function: Callable[..., Any], name: str, *arguments: Any) -> Any:
    """Return the result of a user's function; turn an exception into an error."""
    try:
        return function(*arguments)
    except (ExactdpError, RecursionError):
        raise
    except Exception as error:
        told = re.sub(
            "'?PolynomialNumber'?", "a number with noise", f"{type(error).__name__}: {error}"
        )
        raise ValueRefusedError(
            f"{name} failed at an output: {told}",
            rule="A function of the input and the output is called with exact numbers, and with "
            "symbols for noise. It may add, multiply, compare, take abs, min and max, and divide "
            "by numbers.",
            way_out="Write it with these.",
        ) from error
