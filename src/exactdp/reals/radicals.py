"""Numbers such as 1 + √2: Σ cᵢ·αⁱ with rational cᵢ, for one real algebraic number α of degree n.

α is a root D^(1/n) of a whole number D, or any zero of an irreducible polynomial. xⁿ − D is
irreducible, since D is no power with an exponent that divides n. So a number is 0 exactly if all
its cᵢ are, and two numbers are compared by enclosing their difference. Numbers with different α are
compared, if their enclosures show a difference, but not combined.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, total_ordering
from math import gcd, prod
from typing import Any, NamedTuple, TypeAlias

from flint import arb, ctx, fmpq, fmpq_poly, fmpz, fmpz_poly

from exactdp.errors import ValueRefusedError
from exactdp.reals.numbers import exact, fraction, inf, simplest_inside, spell
from exactdp.reals.operators import Additive

_FIRST_BITS = 64
_MOST_BITS = 4096  # with which numbers with different α are compared
_CLOSE = Fraction(1, 10**9)  # relative
_MOST_DEGREE = 12
_MOST_RADICAND = 10**18
_MOST_SHOWN = 8  # the degree of a polynomial that is shown


class RootOf(NamedTuple):
    """α = radicand^(1/degree), of this degree over the rationals."""

    radicand: int
    degree: int

    def __str__(self) -> str:
        if self.degree == 2:
            return f"sqrt({self.radicand})"
        return f"{self.radicand}^(1/{self.degree})"

    def power_name(self, i: int) -> str:
        """Return αⁱ as text."""
        return str(RootOf(self.radicand**i, self.degree))

    def ball(self) -> arb:
        """Return an enclosure of α at the working precision."""
        return arb(self.radicand).root(self.degree)

    @property
    def coefficients(self) -> tuple[int, ...]:
        """The coefficients of a polynomial of which α is a zero."""
        return (-self.radicand, *(0,) * (self.degree - 1), 1)

    def to_sympy(self) -> Any:
        """Return α as a SymPy expression."""
        import sympy  # noqa: PLC0415 imported only when used

        return sympy.Integer(self.radicand) ** sympy.Rational(1, self.degree)


class ZeroOf(NamedTuple):
    """α, the only zero between two numbers of an irreducible polynomial Σ coefficients[i]·xⁱ."""

    coefficients: tuple[int, ...]
    lower: Fraction
    upper: Fraction

    @property
    def degree(self) -> int:
        """The degree of α over the rationals."""
        return len(self.coefficients) - 1

    def __str__(self) -> str:
        text = str(fmpz_poly(list(self.coefficients))).replace("+ (-", "- ").replace(")", "")
        if self.degree > _MOST_SHOWN:
            text = f"a polynomial of degree {self.degree}"
        with ctx.workprec(64):
            return f"zero({text}, {float(self.ball()):.6g})"

    def power_name(self, i: int) -> str:
        """Return αⁱ as text."""
        return str(self) if i == 1 else f"{self}^{i}"

    def ball(self) -> arb:
        """Return an enclosure of α at the working precision."""
        return _zero_ball(self, int(ctx.prec))

    def to_sympy(self) -> Any:
        """Return α as a SymPy expression."""
        import sympy  # noqa: PLC0415 imported only when used

        x = sympy.Symbol("x")
        polynomial = sympy.Poly(list(self.coefficients[::-1]), x)
        zeros = real_zeros(fmpz_poly(list(self.coefficients)))
        order = sum(1 for zero in zeros if zero < arb(exact(self.lower)))
        return sympy.CRootOf(polynomial, order)


def real_zeros(polynomial: fmpz_poly) -> list[arb]:
    """Return enclosures of the real zeros of a polynomial, at the working precision."""
    found: Any = polynomial.complex_roots()
    return [zero.real for zero, _ in found if zero.imag == 0]


@lru_cache(maxsize=64)
def _zero_ball(zero: ZeroOf, bits: int) -> arb:
    """Return an enclosure of a zero: that of the zeros which meets the interval it is alone in."""
    polynomial = fmpz_poly(list(zero.coefficients))
    while True:
        with ctx.workprec(bits):
            low, high = arb(exact(zero.lower)), arb(exact(zero.upper))
            close = [one for one in real_zeros(polynomial) if not (one < low or one > high)]
            if len(close) == 1:
                return close[0]
        bits *= 2


@total_ordering
class Radical(Additive):
    """An irrational number Σ parts[i]·αⁱ.

    >>> root = radical(2, Fraction(1, 2))
    >>> print(root * root, root + 1, 1 / (root - 1), root > Fraction(7, 5))
    2 1 + sqrt(2) 1 + sqrt(2) True
    """

    __slots__ = ("polynomial", "root")

    def __init__(self, root: RootOf | ZeroOf, polynomial: fmpq_poly) -> None:
        self.root = root
        self.polynomial = polynomial

    @classmethod
    def of(cls, root: RootOf | ZeroOf, parts: tuple[Fraction, ...]) -> Radical:
        """Return the number with these parts."""
        return cls(root, fmpq_poly([*map(exact, parts)]))

    @property
    def parts(self) -> tuple[Fraction, ...]:
        """The rationals that αⁱ is multiplied with, up to the last one that is not 0."""
        return tuple(fraction(fmpq(a)) for a in self.polynomial.coeffs())

    def __reduce__(self) -> tuple[object, ...]:
        return Radical.of, (self.root, self.parts)

    def _polynomial_of(self, other: object) -> fmpq_poly | None:
        """Return another number as a polynomial of the same α; None for anything else."""
        if isinstance(other, Radical):
            if other.root != self.root:
                raise _two_roots(self.root, other.root)
            return other.polynomial
        if isinstance(other, int | Fraction) and not isinstance(other, bool):
            other = exact(other)
        return fmpq_poly([other]) if isinstance(other, fmpq) else None

    def __add__(self, other: object) -> Any:
        its = self._polynomial_of(other)
        return NotImplemented if its is None else _number(self.root, self.polynomial + its)

    def __neg__(self) -> Radical:
        return Radical(self.root, -self.polynomial)

    def __mul__(self, other: object) -> Any:
        its = self._polynomial_of(other)
        if its is None:
            return NotImplemented
        return _number(self.root, self.polynomial * its % _modulus(self.root))

    def __truediv__(self, other: object) -> Any:
        if isinstance(other, Radical):
            return self * other.inverse()
        its = self._polynomial_of(other)
        return NotImplemented if its is None else _number(self.root, self.polynomial / its[0])

    def __rtruediv__(self, other: object) -> Any:
        return self.inverse() * other

    def __pow__(self, power: int) -> Fraction | Radical:
        if not isinstance(power, int):
            return NotImplemented
        base = self if power >= 0 else self.inverse()
        return prod((base,) * abs(power), start=Fraction(1))

    def inverse(self) -> Radical:
        """Return 1 over the number."""
        return Radical(self.root, self.polynomial.xgcd(_modulus(self.root))[1])

    def ball(self) -> arb:
        """Return an enclosure at the working precision."""
        root = self.root.ball()
        return sum((a * root**i for i, a in enumerate(self.polynomial.coeffs()) if a), arb(0))

    @property
    def sign(self) -> int:
        """The sign, which is not 0."""
        bits = _FIRST_BITS
        while True:
            with ctx.workprec(bits):
                ball = self.ball()
                if ball > 0 or ball < 0:
                    return 1 if ball > 0 else -1
            bits *= 2

    def __abs__(self) -> Radical:
        return self if self.sign > 0 else -self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Radical):
            return False
        return self.root == other.root and bool(self.polynomial == other.polynomial)

    def __hash__(self) -> int:
        return hash((self.root, self.parts))

    def __lt__(self, other: object) -> Any:
        if isinstance(other, float) and abs(other) == inf:
            return other > 0
        if isinstance(other, Radical) and other.root != self.root:
            return self._is_below(other)
        gap = self - other
        return gap.sign < 0 if isinstance(gap, Radical) else gap < 0

    def _is_below(self, other: Radical) -> bool:
        """Compare with a number that has another α."""
        bits = _FIRST_BITS
        while bits <= _MOST_BITS:
            with ctx.workprec(bits):
                gap = self.ball() - other.ball()
                if gap < 0 or gap > 0:
                    return bool(gap < 0)
            bits *= 2
        raise _two_roots(self.root, other.root)

    def near(self, side: int, room: Fraction = _CLOSE) -> Fraction:
        """Return a simple rational just above (side 1) or below (−1); `room` is relative.

        >>> root = radical(Fraction(2), Fraction(1, 2))
        >>> print(root.near(-1, Fraction(1, 10)), root.near(1, Fraction(1, 10)))
        4/3 3/2
        """
        bits = _FIRST_BITS
        while True:
            with ctx.workprec(bits):
                ball = self.ball()
                size, radius = fraction(ball.mid().fmpq()), fraction(ball.rad().fmpq())
            reach = abs(size) * room
            if 4 * radius < reach:
                low, high = size - radius, size + radius
                ends = (high, high + reach) if side > 0 else (low - reach, low)
                return simplest_inside(*ends)
            bits *= 2

    def __float__(self) -> float:
        with ctx.workprec(128):
            return float(self.ball())

    def __str__(self) -> str:
        found = ""
        for i, a in enumerate(self.parts):
            if not a:
                continue
            name = "" if i == 0 else self.root.power_name(i)
            size = spell(abs(a)) if not name or abs(a) != 1 else ""
            text = "*".join(part for part in (size, name) if part)
            sign = ("-" if a < 0 else "") if not found else (" - " if a < 0 else " + ")
            found += sign + text
        return found

    @property
    def is_sum(self) -> bool:
        """Whether it has several parts, so that it is a sum in print."""
        return sum(map(bool, self.parts)) > 1

    def to_sympy(self) -> Any:
        """Return the number as a SymPy expression."""
        import sympy  # noqa: PLC0415 imported only when used

        root = self.root.to_sympy()
        rationals = (sympy.Rational(a.numerator, a.denominator) for a in self.parts)
        return sum(a * root**i for i, a in enumerate(rationals))

    def latex(self) -> str:
        """Return the number as LaTeX."""
        import sympy  # noqa: PLC0415 imported only when used

        return str(sympy.latex(self.to_sympy()))

    def __repr__(self) -> str:
        return f"Radical('{self}')"


Surd: TypeAlias = Fraction | Radical
"""A number that is rational, or made of a root."""


def _number(root: RootOf | ZeroOf, polynomial: fmpq_poly) -> Surd:
    if polynomial.degree() > 0:
        return Radical(root, polynomial)
    return fraction(fmpq(polynomial[0]))


@lru_cache(maxsize=64)
def _modulus(root: RootOf | ZeroOf) -> fmpq_poly:
    """Return the irreducible polynomial of which α is a zero."""
    return fmpq_poly(list(root.coefficients))


def told(number: object) -> str:
    """Return a number as text: a rational one, or one with roots or logarithms."""
    return spell(Fraction(number)) if isinstance(number, int | Fraction) else str(number)


def ball_of(number: Surd) -> arb:
    """Return an enclosure of a number at the working precision."""
    return number.ball() if isinstance(number, Radical) else arb(exact(number))


def sign_of(number: Surd) -> int:
    """Return the sign of a number."""
    return number.sign if isinstance(number, Radical) else (number > 0) - (number < 0)


@lru_cache(maxsize=256)
def radical(base: Fraction, power: Fraction) -> Surd:
    """Return base^power for a base > 0; √8 is 2·√2, and 4^(1/3) a number with α = 2^(1/3)."""
    over, degree = power.numerator % power.denominator, power.denominator
    whole = Fraction(base) ** (power.numerator // degree)
    exponents: dict[int, int] = {}
    for number, sign in ((base.numerator, 1), (base.denominator, -1)):
        if number > _MOST_RADICAND or degree > _MOST_DEGREE:
            raise ValueRefusedError(
                f"{spell(base)} to the power {spell(power)} is too large a root",
                rule=f"Roots are of numbers up to 10^18, of degree up to {_MOST_DEGREE}.",
            )
        for prime, times in fmpz(number).factor():
            total = sign * int(times) * over
            whole *= Fraction(int(prime)) ** (total // degree)
            if total % degree:
                exponents[int(prime)] = total % degree
    if not exponents:
        return whole
    common = gcd(degree, *exponents.values())
    degree //= common
    exponents = {prime: times // common for prime, times in exponents.items()}
    # With one exponent prime to the degree for all primes, α is the root of their product.
    share = gcd(*exponents.values())
    radicand = prod(prime ** (times // share) for prime, times in exponents.items())
    factor = exact(whole * Fraction(radicand) ** (share // degree))
    return Radical(RootOf(radicand, degree), fmpq_poly([0] * (share % degree) + [factor]))


def common_unit(rates: list[Surd]) -> Surd | None:
    """Return a number of which all are rational multiples: the first one; None if there is none."""
    first = rates[0]
    if all(isinstance(rate / first, Fraction) for rate in rates):
        return first if isinstance(first, Radical) else Fraction(1)
    return None


def zero_of(polynomial: fmpq_poly, lower: Fraction, upper: Fraction) -> Surd:
    """Return the zero of an irreducible polynomial that is alone between two numbers.

    >>> print(zero_of(fmpq_poly([-1, -1, 1]), Fraction(1), Fraction(2)))
    1/2 + 1/2*sqrt(5)
    """
    whole = (polynomial * polynomial.denom()).numer()
    coefficients = [int(c) for c in whole.coeffs()]
    degree = len(coefficients) - 1
    if degree == 1:
        return Fraction(-coefficients[0], coefficients[1])
    zero = ZeroOf(tuple(coefficients), lower, upper)
    found: list[Surd] = []
    first, last = Fraction(coefficients[0]), Fraction(coefficients[-1])
    size = max(map(abs, coefficients))
    if size * size * 8 <= _MOST_RADICAND and degree == 2:
        middle = Fraction(coefficients[1])
        root = radical(middle * middle - 4 * first * last, Fraction(1, 2))
        found = [(-middle + root) / (2 * last), (-middle - root) / (2 * last)]
    elif size <= _MOST_RADICAND and degree <= _MOST_DEGREE and not any(coefficients[1:-1]):
        root = radical(-first / last, Fraction(1, degree))
        found = [root, -root]
    close = [one for one in found if lower <= one <= upper]
    if close:
        return close[0]
    return Radical(zero, fmpq_poly([0, 1]))


class TwoRootsError(ValueRefusedError):
    """Raised when numbers with different α are combined."""


def _two_roots(one: RootOf | ZeroOf, two: RootOf | ZeroOf) -> TwoRootsError:
    return TwoRootsError(
        f"{one} and {two} are combined",
        rule="All irrational numbers of a question are made of one root, as 2 and sqrt(2) are.",
        way_out="Use a rational number close to one of them.",
    )
