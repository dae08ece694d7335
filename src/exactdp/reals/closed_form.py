"""The common interface of sums and quotients: the operations on closed forms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from numbers import Rational
from typing import TYPE_CHECKING, Any, Self

from exactdp.errors import ValueRefusedError
from exactdp.reals import evaluation, limits, printing
from exactdp.reals.formula import Formula
from exactdp.reals.interval import read_end
from exactdp.reals.numbers import Number, inf, rational, spell

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy
    from numpy.typing import NDArray

    from exactdp.reals.evaluation import Enclosure
    from exactdp.reals.exp_poly import ExpPoly


class ClosedForm(Formula, ABC):
    """A function of ε (and perhaps further scaled parameters): an `ExpPoly` or an `ExpRatio`.

    >>> from exactdp import eps, exp
    >>> form = 1 / (1 + exp(-eps))
    >>> print(form.at(1).text(6), form.limit(0))
    0.731059 1/2
    """

    __slots__ = ()

    def _uncompared(self, other: object, sign: str) -> Any:
        """Refuse a comparison with a number or a closed form; leave others to the other operand."""
        if not isinstance(other, int | float | Fraction | ClosedForm):
            return NotImplemented
        raise ValueRefusedError(
            f"{self} {sign} {other} is neither true nor false",
            rule="A closed form has a value only for a given eps.",
            way_out=f'Write a condition of a claim as text: "{self} {sign} {other}", and '
            "minimum(a, b) from exactdp for min(a, b). Ask solution_set for which eps a closed "
            "form is not negative.",
        )

    def __lt__(self, other: object) -> Any:
        return self._uncompared(other, "<")

    def __le__(self, other: object) -> Any:
        return self._uncompared(other, "<=")

    def __gt__(self, other: object) -> Any:
        return self._uncompared(other, ">")

    def __ge__(self, other: object) -> Any:
        return self._uncompared(other, ">=")

    @property
    @abstractmethod
    def numerator(self) -> ExpPoly:
        """The numerator, a sum."""

    @property
    @abstractmethod
    def denominator(self) -> ExpPoly:
        """The denominator, a sum; 1 for an `ExpPoly`."""

    @property
    @abstractmethod
    def parameters(self) -> tuple[str, ...]:
        """The parameters that the function depends on, `eps` first."""

    @property
    def is_irrational(self) -> bool:
        """Whether it contains irrational numbers (see `RadicalForm`)."""
        return False

    @abstractmethod
    def derivative(self, parameter: str = "eps") -> ClosedForm:
        """Return the derivative with respect to one parameter."""

    @abstractmethod
    def substitute(self, **values: ClosedForm | Number) -> ClosedForm:
        """Return the function with parameters replaced.

        A parameter in an exponent can be replaced by a linear form in parameters without a
        constant (a ray: `x=2 * eps`), any other also by a number or a polynomial.
        """

    @abstractmethod
    def __neg__(self) -> ClosedForm: ...

    @abstractmethod
    def __add__(self, other: ClosedForm | int | Fraction | float) -> ClosedForm: ...

    def __pos__(self) -> Self:
        return self

    def __radd__(self, other: int | Fraction | float) -> ClosedForm:
        return self.__add__(other)

    def __sub__(self, other: ClosedForm | int | Fraction | float) -> ClosedForm:
        if isinstance(other, bool) or not isinstance(other, Rational | float | ClosedForm):
            return NotImplemented
        return self + -other

    def __rsub__(self, other: int | Fraction | float) -> ClosedForm:
        return (-self).__add__(other)

    @abstractmethod
    def __mul__(self, other: ClosedForm | int | Fraction | float) -> ClosedForm: ...

    def __rmul__(self, other: int | Fraction | float) -> ClosedForm:
        return self.__mul__(other)

    @abstractmethod
    def __truediv__(self, other: ClosedForm | int | Fraction | float) -> ClosedForm: ...

    @abstractmethod
    def __rtruediv__(self, other: int | Fraction | float) -> ClosedForm: ...

    @abstractmethod
    def __pow__(self, power: int) -> ClosedForm: ...

    def at(self, eps: Number, digits: int = 30, **others: Number) -> Enclosure:
        """Return an enclosure of the value at rational parameters, to `digits` correct digits."""
        point = {"eps": rational(eps, "a value of eps")}
        point |= {name: rational(value, f"a value of {name}") for name, value in others.items()}
        return evaluation.at(self, point, digits)

    def values(self, points: Iterable[float]) -> NDArray[numpy.float64]:
        """Return the values at many ε as doubles (for plots: accurate, but not proven)."""
        self.only_eps("A curve is drawn")
        return evaluation.values(self, points)

    def limit(self, point: Number) -> Fraction | float:
        """Return the limit at 0⁺ (`point` is 0), ∞ (`inf`) or −∞: a Fraction, `inf` or `-inf`."""
        self.only_eps("A limit is taken")
        end = read_end(point, "0 or inf")
        over, under = self.numerator, self.denominator
        if end == -inf:
            over, under = over.reflected(), under.reflected()
        if end == 0 or not isinstance(end, Fraction):
            found: Fraction | float = (limits.at_infinity if end else limits.at_zero)(over, under)
            return found
        shown = spell(Fraction(end))
        raise ValueRefusedError(
            f"a limit at {shown} is not a rational number or ±∞",
            rule="Exact limits are known at 0 and at ±∞ only; elsewhere the function has a value.",
            way_out=f"Ask for at({shown}) instead.",
        )

    def only_eps(self, purpose: str) -> None:
        """Refuse a function of more parameters than ε."""
        if others := [name for name in self.parameters if name != "eps"]:
            raise ValueRefusedError(
                f"the function depends on {', '.join(others)} besides eps",
                rule=f"{purpose} along a ray, on which only eps is left.",
                way_out=f"Substitute first, for example .substitute({others[0]}=2 * eps).",
            )

    def __str__(self) -> str:
        return printing.text(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def pretty(self) -> str:
        """Return the function in Unicode, for reading."""
        return printing.pretty(self)

    def latex(self) -> str:
        """Return the function in LaTeX, without delimiters."""
        return printing.latex(self)

    def _repr_html_(self) -> str:
        """Return the form as MathML, which a notebook prefers to LaTeX."""
        return printing.mathml(self)

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"

    def to_sympy(self) -> Any:
        """Return the function as a SymPy expression in positive symbols (needs SymPy)."""
        return printing.to_sympy(self)
