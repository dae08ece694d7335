"""Functions of ε that are not expanded: probabilities that can be evaluated, times closed forms.

In general position a probability of a program with m samples is a sum of 2^m exponentials, but its
value at an ε takes only m³ steps. `Chance` is such a probability with the properties that
`certified` needs to decide signs. `Unexpanded` is Σ factor·chance + rest, the form in which
probabilities occur in claims; it has the interface of any other closed form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, NoReturn, Protocol, TypeVar

from flint import arb, ctx

from exactdp.errors import ValueRefusedError, shown
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.evaluation import Enclosure, numbers, refined, total
from exactdp.reals.exp_poly import ExpPoly
from exactdp.reals.numbers import Number, exact, inf, rational, spell
from exactdp.reals.weighted_form import WeightedForm

K = TypeVar("K")

_MOST_DIGITS = 10_000
_MOST_BITS = 1 << 18  # so many bits, and a value is taken for one that may be 0


class Chance(Protocol):
    """The probability of an event, as a function of ε; the noise has densities in e^{−rate·ε·|x|}.

    With at most n samples, P the probability of the event or of its complement, and D the least
    cost Σ rateᵢ·|xᵢ − meanᵢ| of noise for which it occurs:

     * |P(z)| ≤ (|z|/Re z)^n·P(Re z) for complex z with a positive real part,
     * P(x)·x^{−n}·e^{D·x} never grows with x > 0,
     * the logarithm of P(x)·x^{−n} is convex.

    All hold for the density ∏ (rateᵢ·ε/2)·e^{−rateᵢ·ε·|xᵢ − meanᵢ|}, and so for its integral over a
    set that does not depend on ε.
    """

    @property
    def samples(self) -> int:
        """The number n."""

    @property
    def costs(self) -> tuple[Fraction, Fraction]:
        """Lower bounds on D for the event and for its complement."""

    @property
    def start(self) -> tuple[Fraction, Fraction]:
        """The value and the derivative at ε = 0, as limits from the right."""

    @property
    def slope(self) -> Fraction | None:
        """A bound on |P′| for all ε > 0, if one is known."""

    @property
    def bend(self) -> Fraction | None:
        """A bound on |P″| for all ε > 0, if one is known."""

    @property
    def first_bits(self) -> int:
        """With how many bits a value has some correct digits."""

    def value(self, eps: arb, is_opposite: bool = False) -> arb:
        """Return a ball that contains P(ε), or 1 − P(ε), for a small ball ε.

        At the working precision; as accurate if P is close to 1 and 1 − P is asked for.
        """

    def known(self, kind: Callable[[Chance], K]) -> K:
        """Return what `kind` derives from this chance, computed on first use."""

    def expanded(self) -> ClosedForm:
        """Return the sum of exponentials; refuse if it is too large."""


class Unexpanded(WeightedForm):
    """Σ factor·chance + rest, with closed forms in ε for factors and rest.

    It can be evaluated and plotted, and its sign decided (`nonnegative`), by certified arithmetic.
    Operations that need its terms expand it, or are refused if there are too many.
    """

    __slots__ = ()

    parts: tuple[tuple[Chance, ClosedForm], ...]

    def __init__(self, parts: Iterable[tuple[Chance, ClosedForm]], rest: ClosedForm) -> None:
        gathered: dict[int, tuple[Chance, ClosedForm]] = {}
        for chance, factor in parts:
            known = gathered.get(id(chance))
            gathered[id(chance)] = (chance, factor if known is None else known[1] + factor)
        super().__init__((one for _, one in sorted(gathered.items())), rest)

    # As a closed form ---------------------------------------------------------------------

    def expanded(self) -> ClosedForm:
        """Return the same function as a sum of exponentials, if that is small enough."""
        result = self.rest
        for chance, factor in self.parts:
            result = result + factor * chance.expanded()
        return result

    @property
    def numerator(self) -> ExpPoly:
        """The numerator, expanded."""
        return self.expanded().numerator

    @property
    def denominator(self) -> ExpPoly:
        """The denominator, expanded."""
        return self.expanded().denominator

    def derivative(self, parameter: str = "eps") -> ClosedForm:
        """Return the derivative, expanded."""
        return self.expanded().derivative(parameter)

    def substitute(self, **values: ClosedForm | Number) -> ClosedForm:
        """Return the function with ε replaced, expanded."""
        return self.expanded().substitute(**values)

    def __mul__(self, other: Any) -> Unexpanded:
        if isinstance(other, Unexpanded):
            _refuse("a product of two probabilities")
        return super().__mul__(other)

    def __truediv__(self, other: Any) -> Unexpanded:
        if isinstance(other, Unexpanded):
            _refuse("a quotient of two probabilities")
        return super().__truediv__(other)

    def __rtruediv__(self, other: object) -> NoReturn:
        _refuse("a quotient with a probability below the bar")

    def __pow__(self, power: int) -> ClosedForm:
        return self.expanded() ** power

    @property
    def _key(self) -> object:
        return tuple((id(c), f) for c, f in self.parts), self.rest

    # Values -------------------------------------------------------------------------------

    def at(self, eps: Number, digits: int = 30, **others: Number) -> Enclosure:
        """Return an enclosure of the value at an ε > 0, to `digits` correct digits."""
        point = rational(eps, "a value of eps")
        if others:
            raise ValueRefusedError(f"the function does not depend on {', '.join(others)}")
        if isinstance(digits, bool) or not 1 <= digits <= _MOST_DIGITS:
            raise ValueRefusedError(
                f"digits must be a whole number from 1 to {_MOST_DIGITS}, not {shown(digits)}"
            )
        if point <= 0:
            return self._at_zero(point)
        tried: list[int] = []

        def ball(bits: int) -> arb:
            tried.append(bits)
            return self.ball(point, bits, careful=len(tried) > 1)

        found = refined(ball, digits, self.first_bits, _MOST_BITS)
        if found is None:
            raise ValueRefusedError(
                f"the value at eps = {spell(point)} cannot be distinguished from 0 with "
                f"{tried[-1]:,} bits"
            )
        return found

    def _at_zero(self, point: Fraction) -> Enclosure:
        if point < 0:
            raise ValueRefusedError(
                "a probability that is not expanded has values at eps > 0 only",
                way_out="Ask at a positive eps.",
            )
        value = self.limit(0)
        if not isinstance(value, Fraction):
            raise ValueRefusedError("the function has no value at eps = 0")
        return Enclosure(value, value)

    @property
    def first_bits(self) -> int:
        """With how many bits a value has some correct digits."""
        return max((chance.first_bits for chance, _ in self.parts), default=64)

    def ball(self, eps: Fraction, bits: int, *, careful: bool = False) -> arb:
        """Return a ball that contains the value at an ε > 0, computed with `bits` bits.

        If careful, a chance close to 1 is 1 − the probability of the complement, and the 1 is
        added to the rest as a closed form: 1 − P is then as accurate as P.
        """
        rest = self.rest
        with ctx.workprec(bits):
            point = arb(exact(eps))
            result = arb(0)
            for chance, factor in self.parts:
                value = chance.value(point)
                if careful and value > 0.5:
                    rest = rest + factor
                    value = -chance.value(point, True)
                result += ball_at(factor, eps) * value
            return result + ball_at(rest, eps)

    def limit(self, point: Number) -> Fraction | float:
        """Return the limit at 0⁺, or at ∞ if each chance tends to 0 or 1."""
        result = self.rest
        at_infinity = point == inf
        for chance, factor in self.parts:
            if not at_infinity:
                value = chance.start[0]
            elif max(chance.costs) > 0:
                value = Fraction(int(chance.costs[1] > 0))
            else:
                return self.expanded().limit(point)
            result = result + factor * value
        return result.limit(point)

    # As text ------------------------------------------------------------------------------

    def __str__(self) -> str:
        listed = [f"({factor})*chance" for _, factor in self.parts]
        return " + ".join([*listed, str(self.rest)])

    def pretty(self) -> str:
        """Return words: the sum of exponentials is not written out."""
        return f"[not expanded: {self}]"

    def latex(self) -> str:
        """Return words: the sum of exponentials is not written out."""
        return r"\text{not expanded}"

    def _repr_html_(self) -> str:
        return "<i>not expanded</i>"

    def to_sympy(self) -> Any:
        """Return the function as a SymPy expression, expanded."""
        return self.expanded().to_sympy()


def chance_form(chance: Chance) -> Unexpanded:
    """Return a probability as a function of ε."""
    return Unexpanded([(chance, ExpPoly(1))], ExpPoly(0))


def no_certificate() -> ValueRefusedError:
    """Return the error for a certificate that cannot be written."""
    return ValueRefusedError(
        "a decision about a probability that is not expanded has no certificate",
        rule="A certificate contains closed forms term by term, here some 2^m for m samples. "
        "What one "
        "takes on trust instead: the pass that evaluates the probability in ball arithmetic "
        "(arb), and the bounds of docs/theory.md, section 'Numbers instead of closed forms'.",
        way_out="Give inputs with fewer different numbers, or fewer samples; or check the verdict "
        "by values at single eps.",
    )


def ball_at(form: ClosedForm, eps: Fraction) -> arb:
    """Return a ball that contains the value of a closed form, at the working precision."""
    point = {"eps": eps}
    over = total(numbers(form.numerator, point))
    return over if form.denominator == 1 else over / total(numbers(form.denominator, point))


def _refuse(what: str) -> NoReturn:
    raise ValueRefusedError(
        f"{what} that are not expanded has no closed form here",
        rule="In general position a probability with m samples has 2^m exponentials; it is "
        "evaluated instead, and only sums of multiples of such probabilities are formed.",
        way_out="Ask for values at single eps, or give inputs with fewer different numbers.",
    )
