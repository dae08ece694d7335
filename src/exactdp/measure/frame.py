"""The ring in which densities are computed: polynomials in θ, t and their exponentials.

All noise is scaled by ε (X = ε·x), so a rate is a plain number. The parameters θ are ε alone at an
input; for all inputs there are more (ε is the first). A breakpoint is a linear form in θ, at an
input b·ε. A density of one variable t is, between two breakpoints, a finite sum of
c·θ^j·t^k·e^{at + q·θ}: an `ExpPoly` in θ and t. Here the steps of its exponents are fixed, so that
no conversion to a common step is needed. With R a common denominator of the rates a and D one of
the coefficients of breakpoints it is a polynomial in θ, t, yⱼ = e^{θⱼ/(R·D)} and u = e^{t/R},
except for negative powers of y and u, which are stored separately. Internally, rates and exponents
are integers in these units: e^{at} at t = b·ε is y^{a·b}.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import repeat
from math import lcm
from operator import add, sub
from typing import Any, TypeAlias

from flint import fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from exactdp.reals import ExpPoly
from exactdp.reals.exp_poly import build, ring
from exactdp.reals.exp_term import integrated
from exactdp.reals.numbers import exact

Powers: TypeAlias = tuple[int, ...]
"""Powers of θ, t, y and u, in this order."""


MOST_KEPT = 1_000
"""The number of elements and quotients that a frame keeps."""


class Element:
    """poly(θ, t, y, u)·y^low·u^low, the lowest powers of y and then u in `low`."""

    __slots__ = ("low", "poly")

    def __init__(self, poly: fmpq_mpoly, low: Powers) -> None:
        self.poly = poly
        self.low = low

    def __bool__(self) -> bool:
        return bool(self.poly)

    def __len__(self) -> int:
        return len(self.poly)

    def __mul__(self, other: Element) -> Element:
        return Element(self.poly * other.poly, tuple(map(add, self.low, other.low)))

    def __add__(self, other: Element) -> Element:
        if not other.poly:
            return self
        if not self.poly:
            return other
        if self.low == other.low:
            return Element(self.poly + other.poly, self.low)
        low = tuple(map(min, self.low, other.low))
        return Element(_raised(self, low) + _raised(other, low), low)

    def __neg__(self) -> Element:
        return Element(-self.poly, self.low)

    def __sub__(self, other: Element) -> Element:
        return self + -other


def _raised(element: Element, low: Powers) -> fmpq_mpoly:
    if element.low == low:
        return element.poly
    return element.poly * _monomial(tuple(map(sub, element.low, low)))


@lru_cache(maxsize=4096)
def _monomial(up: Powers) -> fmpq_mpoly:
    return _ring(len(up)).from_dict({(*(0,) * len(up), *up): fmpq(1)})


@lru_cache(maxsize=64)
def _ring(size: int) -> fmpq_mpoly_ctx:
    return ring(tuple(f"x{j}" for j in range(size)))


class TooCoarseError(BaseException):
    """A rate or exponent is not a multiple of the frame's units; `finer` is a frame for it.

    Not an `Exception`, so that it passes through a user's functions and their error handling.
    """

    def __init__(self, finer: Frame) -> None:
        super().__init__()
        self.finer = finer


class Frame:
    """Units: rates are multiples of 1/R, coefficients of breakpoints of 1/D, exponents of 1/(RD).

    At an input a breakpoint is an integer n that stands for n·ε/D. With named parameters it is
    a spot, or a rational b that stands for b·ε: comparisons of spots have no units.
    """

    def __init__(self, rates: int = 1, fine: int = 1, names: tuple[str, ...] | None = None) -> None:
        self.rates = rates
        self.fine = fine
        self.points = fine if names is None else 1
        """An integer n as a breakpoint stands for n·ε over this."""
        self._spots = names
        self.names = names or ("eps",)
        self._size = len(self.names)
        self._ring = _ring(self._size + 1)
        self._layouts: dict[str, tuple[tuple[str, ...], list[int], tuple[Fraction, ...]]] = {}
        self.zero = Element(self._ring.from_dict({}), (0,) * (self._size + 1))
        self.one = self._element({(0,) * (2 * self._size + 2): fmpq(1)})
        self.functions: dict[tuple[str, int, Any], Any] = {}
        """Densities of noise computed so far, by kind, rate and mean (see `function.noise`)."""
        self.quotients: dict[object, Any] = {}
        """Closed forms with denominators computed so far (see `density.Summand.number`)."""
        self._elements: dict[ExpPoly, Element] = {}

    def shared(self) -> Frame:
        """Return the shared frame with these units, which caches many functions.

        Spots belong to one run, and so do their frames.
        """
        return _shared(self.rates, self.fine) if self._spots is None else self

    def _refuse(self, rates: int, fine: int) -> TooCoarseError:
        return TooCoarseError(Frame(rates, fine, self._spots))

    def _element(self, terms: Mapping[Powers, fmpq]) -> Element:
        """Return the element with given terms, whose powers of y and u may be negative."""
        if not terms:
            return self.zero
        start = self._size + 1
        columns = list(zip(*terms, strict=True))
        low = tuple(map(min, columns[start:]))
        above = [
            [n - least for n in column] if least else column
            for column, least in zip(columns[start:], low, strict=True)
        ]
        keys = zip(*columns[:start], *above, strict=True)
        poly = self._ring.from_dict(dict(zip(keys, terms.values(), strict=True)))
        return Element(poly, low)

    def _columns(self, element: Element) -> list[Powers]:
        """Return the powers of each variable, above the lowest, in the terms of an element."""
        return [tuple(map(int, column)) for column in zip(*element.poly.monoms(), strict=True)]

    def rate(self, rate: Fraction) -> int:
        """Return n with rate = n/R."""
        if self.rates % rate.denominator:
            raise self._refuse(lcm(self.rates, rate.denominator), self.fine)
        return rate.numerator * (self.rates // rate.denominator)

    def size(self, rate: int) -> fmpq:
        """Return a rate as a number."""
        return fmpq(rate, self.rates)

    def point(self, point: Any) -> Any:
        """Return a multiple of ε, or a spot, as a breakpoint."""
        if self._spots is not None:
            return point
        if self.fine % point.denominator:
            raise self._refuse(self.rates, lcm(self.fine, point.denominator))
        return point.numerator * (self.fine // point.denominator)

    def number(self, point: Any) -> Any:
        """Return a breakpoint as a multiple of ε, or as a spot."""
        return Fraction(point, self.points) if isinstance(point, int) else point

    def _form(self, point: Any) -> tuple[fmpq, ...]:
        """Return the coefficients of a breakpoint."""
        if isinstance(point, int | Fraction):
            return (exact(point) / self.points, *(fmpq(0),) * (self._size - 1))
        found: tuple[fmpq, ...] = point.form
        return found

    def _steps(self, point: Any) -> Powers:
        """Return the coefficients of a breakpoint as multiples of 1/D."""
        if self._spots is None:
            return (point,)
        form = self._form(point)
        fine = lcm(self.fine, *(int(q.q) for q in form))
        if fine != self.fine:
            raise self._refuse(self.rates, fine)
        return tuple(int(q.p) * (fine // int(q.q)) for q in form)

    def exponential(self, coefficient: fmpq, rate: int) -> Element:
        """Return coefficient·e^{rate·t}."""
        return self._element({(*(0,) * (2 * self._size + 1), rate): coefficient})

    def at(self, element: Element, point: Any) -> Element:
        """Return the element at a point."""
        found: dict[Powers, fmpq] = {}
        if element:
            columns = self._columns(element)
            self._gather(found, columns, element.poly.coeffs(), element.low, point)
        return self._element(found)

    def shifted(self, element: Element, by: Any) -> Element:
        """Return the element with t replaced by t + by."""
        if not element:
            return element
        columns = self._columns(element)
        if len(element.poly) == 1 and not any(columns[self._size]):  # e^{at}: e^{a·by}·e^{at}
            rate = columns[-1][0] + element.low[-1]
            up = (*(rate * step for step in self._steps(by)), 0)
            return Element(element.poly, tuple(map(add, element.low, up)))
        found: dict[Powers, fmpq] = {}
        self._gather(found, columns, element.poly.coeffs(), element.low, by, plus_t=True)
        return self._element(found)

    def _gather(
        self,
        found: dict[Powers, fmpq],
        columns: Sequence[Powers],
        coefficients: Iterable[fmpq],
        low: Powers,
        point: Any,
        *,
        plus_t: bool = False,
    ) -> None:
        """Add terms with t replaced by a point, or by t plus a point."""
        size, top = self._size, low[-1]
        if size == 1 and not plus_t:  # the same as below, but faster
            (step,), rest, (place,) = self._steps(point), low[0], self._form(point)
            factors = [place**k for k in range(max(columns[1]) + 1)]
            for j, k, y, n, c in zip(*columns, coefficients, strict=True):
                key = j + k, 0, y + rest + (n + top) * step, 0
                value = c * factors[k] if k else c
                found[key] = found[key] + value if key in found else value
            return
        rates = [n + top for n in columns[-1]]
        moved: list[Iterable[int]] = [*columns[: size + 1]]
        for j, step in enumerate(self._steps(point)):
            rest = low[j]
            pairs = zip(columns[size + 1 + j], rates, strict=True)
            moved.append([y + rest + rate * step for y, rate in pairs])
        moved.append(rates if plus_t else repeat(0, len(rates)))
        terms = zip(zip(*moved, strict=True), coefficients, strict=True)
        highest = max(columns[size])
        powers = self._powers(point, highest, plus_t) if highest else []
        for key, c in terms:
            k = key[size]
            if not k:
                found[key] = found[key] + c if key in found else c
                continue
            for change, factor in powers[k].items():
                new = tuple(map(add, key, change))
                found[new] = found[new] + c * factor if new in found else c * factor

    def _powers(self, point: Any, highest: int, plus_t: bool) -> list[dict[Powers, fmpq]]:
        """Return t, t², … at a point, or at t plus a point, as changes of powers with factors."""
        found = [{(0,) * (2 * self._size + 2): fmpq(1)}]
        form = (*self._form(point), fmpq(int(plus_t)))
        for _ in range(highest):
            product: dict[Powers, fmpq] = {}
            for key, c in found[-1].items():
                for j, q in enumerate(form):
                    if q:
                        change = list(key)
                        change[j] += 1
                        change[self._size] -= 1
                        new = tuple(change)
                        product[new] = product[new] + c * q if new in product else c * q
            found.append(product)
        return found

    def stretched(self, element: Element, factor: Fraction) -> Element:
        """Return the element with t replaced by factor·t."""
        found: dict[Powers, fmpq] = {}
        up = (*(0,) * (self._size + 1), *element.low)
        keys = zip(*self._columns(element), strict=True)
        for key, c in zip(keys, element.poly.coeffs(), strict=True):
            *rest, rate = map(add, key, up)
            new = self.rate(Fraction(rate, self.rates) * factor)
            found[*rest, new] = c * exact(factor) ** key[self._size]
        return self._element(found)

    def antiderivative(self, element: Element) -> Element:
        """Return a function of t whose derivative is the element, 0 at ±∞ if possible."""
        found: dict[Powers, fmpq] = {}
        if element:
            columns, values = self._primitive(element)
            for key, c in zip(zip(*columns, strict=True), values, strict=True):
                found[key] = found[key] + c if key in found else c
        return Element(self._ring.from_dict(found), element.low)

    def _primitive(self, element: Element) -> tuple[list[Powers], list[fmpq]]:
        """Return columns of powers and values of an antiderivative; some powers may be equal."""
        size, units = self._size, self.rates
        columns, coefficients = self._columns(element), element.poly.coeffs()
        rates = [n + element.low[-1] for n in columns[-1]]
        if all(rates) and not any(columns[size]):
            return columns, [c * units / a for c, a in zip(coefficients, rates, strict=True)]
        keys, values = [], []
        for key, rate, c in zip(zip(*columns, strict=True), rates, coefficients, strict=True):
            for k, value in integrated(key[size], fmpq(rate, units), c):
                keys.append((*key[:size], k, *key[size + 1 :]))
                values.append(value)
        return list(zip(*keys, strict=True)), values

    def integral(self, parts: Iterable[tuple[Element, Any, Any]]) -> Element:
        """Return Σ ∫ element dt from lower to upper; None is an infinite end, where it is 0."""
        found: dict[Powers, fmpq] = {}
        for element, lower, upper in parts:
            if not element:
                continue
            columns, values = self._primitive(element)
            if upper is not None:
                self._gather(found, columns, values, element.low, upper)
            if lower is not None:
                self._gather(found, columns, [-value for value in values], element.low, lower)
        return self._element(found)

    def element(self, form: ExpPoly, name: str = "") -> Element:
        """Return a closed form in the parameters, with `name` standing for t, as an element.

        Choices multiply by the same few forms again and again: these are kept.
        """
        if name:
            return self._read(form, name)
        if form not in self._elements:
            if len(self._elements) >= MOST_KEPT:
                self._elements.clear()
            self._elements[form] = self._read(form, name)
        return self._elements[form]

    def _read(self, form: ExpPoly, name: str) -> Element:
        found: dict[Powers, fmpq] = {}
        for powers, rates, coefficient in form.entries((*self.names, name)):
            rate = self.rate(rates[-1])
            exponents = [q * self.rates * self.fine for q in rates[:-1]]
            if any(q.denominator != 1 for q in exponents):
                under = lcm(*(q.denominator for q in exponents))
                raise self._refuse(self.rates, self.fine * under)
            found[*powers, *(q.numerator for q in exponents), rate] = coefficient
        return self._element(found)

    def closed_form(self, element: Element, name: str = "") -> ExpPoly:
        """Return an element as a closed form, in which t, if it occurs, is named `name`."""
        if not element:
            return ExpPoly()
        if name not in self._layouts:
            self._layouts[name] = self._layout(name)
        names, order, steps = self._layouts[name]
        columns = self._columns(element)
        exponents = (columns[self._size + 1 + j] for j in order)
        keys = zip(*(columns[j] for j in order), *exponents, strict=True)
        poly = dict(zip(keys, element.poly.coeffs(), strict=True))
        low = tuple(element.low[j] * step for j, step in zip(order, steps, strict=True))
        return build(names, ring(names).from_dict(poly), steps, low)

    def _layout(self, name: str) -> tuple[tuple[str, ...], list[int], tuple[Fraction, ...]]:
        """Return the parameters of closed forms, their places here, and the steps of exponents."""
        names = (*self.names, name) if name else self.names
        order = sorted(range(len(names)), key=lambda j: (names[j] != "eps", names[j]))
        units = (*(self.rates * self.fine,) * self._size, self.rates)
        return tuple(names[j] for j in order), order, tuple(Fraction(1, units[j]) for j in order)


class OtherFrame(Frame):
    """A ring with the units of a frame and elements of another kind."""

    zero: Any
    one: Any

    def shared(self) -> Frame:
        """Return this frame: nothing in it is shared."""
        return self

    def integral(self, parts: Iterable[tuple[Any, Any, Any]]) -> Any:
        """Return Σ ∫ element dt from lower to upper; None is an infinite end, where it is 0."""
        total = self.zero
        for element, lower, upper in parts:
            if not element:
                continue
            primitive = self.antiderivative(element)
            if upper is not None:
                total = total + self.at(primitive, upper)
            if lower is not None:
                total = total - self.at(primitive, lower)
        return total


@lru_cache(maxsize=64)
def _shared(rates: int, fine: int) -> Frame:
    return Frame(rates, fine)
