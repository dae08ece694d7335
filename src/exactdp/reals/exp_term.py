"""One summand of a sum of exponentials, and its notation for users."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from exactdp.errors import ValueRefusedError, shown
from exactdp.reals.numbers import rational


class ExpTerm(NamedTuple):
    """One summand: coefficient · ∏ parameter^power · exp(Σ rate·parameter)."""

    coefficient: Fraction
    powers: tuple[tuple[str, int], ...] = ()
    rates: tuple[tuple[str, Fraction], ...] = ()

    @property
    def power(self) -> int:
        """The power of ε."""
        return dict(self.powers).get("eps", 0)

    @property
    def rate(self) -> Fraction:
        """The rate of ε in the exponent."""
        return dict(self.rates).get("eps", Fraction(0))


def integrated(power: int, rate: Any, factor: Any) -> Iterator[tuple[int, Any]]:
    """Yield powers k of t and numbers c with Σ c·t^k·e^{at} = ∫ factor·t^power·e^{at} dt, a = rate.

    That is t^{k+1}/(k + 1) for a = 0, else t^k·e^{at}/a minus k/a·∫ t^{k−1}·e^{at} dt: 0 at ±∞ if
    possible.
    """
    if rate == 0:
        yield power + 1, factor / (power + 1)
        return
    value = factor / rate
    for k in range(power, -1, -1):
        yield k, value
        value = value * -k / rate


def read_term(entry: ExpTerm | tuple[Any, ...]) -> ExpTerm:
    """Return a term as a user may write it, or refuse it."""
    try:
        coefficient, powers, rates = (*entry, (), ())[:3]
        term = ExpTerm(
            rational(coefficient, "a coefficient"),
            tuple((name, power) for name, power in powers),
            tuple((name, rational(rate, "a rate")) for name, rate in rates),
        )
    except TypeError:
        raise _not_a_term(entry) from None
    except ValueRefusedError:
        raise
    except ValueError:
        raise _not_a_term(entry) from None
    for listed in (term.powers, term.rates):
        if len(listed) > 1 and len({name for name, _ in listed}) < len(listed):
            raise _not_a_term(entry)
    for _, power in term.powers:
        if not isinstance(power, int) or power < 0:
            raise _not_a_term(entry)
    return term


def _not_a_term(entry: object) -> ValueRefusedError:
    return ValueRefusedError(
        f"{shown(entry)} is not a term",
        rule="A term is (coefficient, ((parameter, power), …), ((parameter, rate), …)), powers are "
        "whole numbers of at least 0, and no parameter is named twice.",
        way_out="Use parse, or eps and exp, to build closed forms.",
    )
