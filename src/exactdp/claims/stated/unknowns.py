"""Numbers with which a Python function is called to learn what it compares.

A `PolynomialQuotient` is a quotient of polynomials in the numbers of an input. Each comparison
records the polynomials whose signs decide it, and is answered by guessing, so that all ways are
followed.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import islice
from typing import Any

from flint import Ordering, fmpq_mpoly, fmpq_mpoly_ctx

from exactdp.claims.stated.interval_numbers import AmbiguousComparisonError
from exactdp.errors import ExactdpError
from exactdp.language.replays import Replay, runs
from exactdp.reals.numbers import exact, fraction, rational
from exactdp.reals.operators import COMPARED, OrderedNumber

_MOST_RUNS = 64
_MOST_DEGREE = 16

Polynomial = fmpq_mpoly


class Compared:
    """The polynomials that the runs of a function compared with 0."""

    def __init__(self, names: list[str]) -> None:
        self.ring = fmpq_mpoly_ctx.get(names, Ordering.lex)
        self.guesses = Replay()
        self.polynomials: list[Polynomial] = []
        self.trail: list[tuple[Polynomial, str, bool]] = []
        """The comparisons of the current run: a polynomial, how it is compared with 0, the answer.
        """
        self.divides = False
        """Whether a number is divided by one that is no constant."""

    def unknown(self, polynomial: Polynomial) -> PolynomialQuotient:
        """Return a polynomial as a number."""
        return PolynomialQuotient(polynomial, self.ring.constant(1), self)

    def note(self, polynomial: Polynomial) -> None:
        """Record a polynomial that is compared with 0."""
        if polynomial.total_degree() > _MOST_DEGREE:
            raise AmbiguousComparisonError
        if not polynomial.is_constant() and polynomial not in self.polynomials:
            self.polynomials.append(polynomial)

    def results(self, call: Callable[[list[Any]], Any], given: list[Any]) -> list[Any] | None:
        """Return the results of a function on all ways through it; None if they are not found."""

        def once(choices: Replay) -> Any:
            self.guesses = choices
            return call(given)

        try:
            found = [*islice(runs(once), _MOST_RUNS + 1)]
        except (AmbiguousComparisonError, ExactdpError, TypeError, ArithmeticError):
            return None
        return found if len(found) <= _MOST_RUNS else None


class PolynomialQuotient(OrderedNumber):
    """A quotient of polynomials."""

    __slots__ = ("compared", "over", "under")

    def __init__(self, over: Polynomial, under: Polynomial, compared: Compared) -> None:
        self.over, self.under, self.compared = over, under, compared

    def _of(self, other: Any) -> PolynomialQuotient:
        if isinstance(other, PolynomialQuotient):
            return other
        number = exact(Fraction(rational(other)))
        return self.compared.unknown(self.compared.ring.constant(number))

    def _compared(self, op: str, other: Any) -> bool:
        gap = self - other
        if gap.over.is_zero():
            return op in ("<=", ">=", "==")
        if gap.over.is_constant() and gap.under.is_constant():
            number = Fraction(0) + fraction(gap.over.leading_coefficient())
            number /= fraction(gap.under.leading_coefficient())
            return bool(COMPARED[op](number, 0))
        self.compared.note(gap.over)
        self.compared.note(gap.under)
        answer = self.compared.guesses.guess()
        over = gap.over * gap.under if gap.under.is_constant() else gap.over  # the sign of under
        self.compared.trail.append((over, op, answer))
        return answer

    def __neg__(self) -> PolynomialQuotient:
        return PolynomialQuotient(-self.over, self.under, self.compared)

    def __add__(self, other: Any) -> PolynomialQuotient:
        two = self._of(other)
        if self.under == two.under:
            return PolynomialQuotient(self.over + two.over, self.under, self.compared)
        over = self.over * two.under + two.over * self.under
        return PolynomialQuotient(over, self.under * two.under, self.compared)

    def __mul__(self, other: Any) -> PolynomialQuotient:
        two = self._of(other)
        return PolynomialQuotient(self.over * two.over, self.under * two.under, self.compared)

    def __truediv__(self, other: Any) -> PolynomialQuotient:
        two = self._of(other)
        if two.over.is_zero():
            raise ZeroDivisionError("division by zero")
        self.compared.note(two.over)
        self.compared.divides |= not two.over.is_constant()
        return PolynomialQuotient(self.over * two.under, self.under * two.over, self.compared)

    def __rtruediv__(self, other: Any) -> PolynomialQuotient:
        return self._of(other) / self

    def __pow__(self, power: Any) -> PolynomialQuotient:
        if not isinstance(power, int) or power < 0:
            raise TypeError("a power is a whole number, 0 or more")
        return PolynomialQuotient(self.over**power, self.under**power, self.compared)
