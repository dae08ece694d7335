"""The ring of densities with irrational rates, at an input: `frame` with numbers in Q(α).

A density of one variable t is, between two breakpoints b·ε with rational b, a finite sum of
c·ε^j·t^k·e^{at + qε}, where a, c and q are rational or made of one root. A density of several
variables (`joint`) is a `RadicalDensity`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import comb
from typing import Any

from exactdp.measure.frame import Element, Frame, TooCoarseError
from exactdp.reals.numbers import fraction
from exactdp.reals.radical_form import RadicalForm, made
from exactdp.reals.radicals import Surd

Key = tuple[int, int, Surd, Surd]
"""Powers of ε and t, and the coefficients of ε and t in the exponent."""

_ZERO = Fraction(0)


class RadicalElement(Element):
    """Σ c·ε^j·t^k·e^{qε + at}, as {(j, k, q, a): c}."""

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Key, Surd]) -> None:
        self.terms = {key: c for key, c in terms.items() if c != 0}

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __len__(self) -> int:
        return len(self.terms)

    def __mul__(self, other: Any) -> RadicalElement:
        found: dict[Key, Surd] = {}
        for (j, k, q, a), c in self.terms.items():
            for (i, n, r, b), d in other.terms.items():
                _add(found, (i + j, k + n, q + r, a + b), c * d)
        return RadicalElement(found)

    def __add__(self, other: Any) -> RadicalElement:
        found = dict(self.terms)
        for key, c in other.terms.items():
            _add(found, key, c)
        return RadicalElement(found)

    def __neg__(self) -> RadicalElement:
        return RadicalElement({key: -c for key, c in self.terms.items()})


def _add(found: dict[Key, Surd], key: Key, c: Surd) -> None:
    found[key] = found[key] + c if key in found else c


class RadicalFrame(Frame):
    """Breakpoints are multiples of ε/D; rates need no units."""

    def __init__(self, fine: int = 1) -> None:
        super().__init__(1, fine)
        self.zero = RadicalElement({})
        self.one = RadicalElement({(0, 0, _ZERO, _ZERO): Fraction(1)})

    def shared(self) -> Frame:
        """Return this frame."""
        return self

    def _refuse(self, rates: int, fine: int) -> TooCoarseError:
        del rates
        return TooCoarseError(RadicalFrame(fine))

    def rate(self, rate: Any) -> Any:
        """Return the rate itself."""
        return rate

    def size(self, rate: Any) -> Any:
        """Return the rate itself."""
        return rate

    def exponential(self, coefficient: Any, rate: Any) -> RadicalElement:
        """Return coefficient·e^{rate·t}."""
        return RadicalElement({(0, 0, _ZERO, rate): coefficient})

    def _place(self, point: int) -> Fraction:
        return Fraction(point, self.fine)

    def at(self, element: Any, point: Any) -> RadicalElement:
        """Return the element at a point."""
        b = self._place(point)
        found: dict[Key, Surd] = {}
        for (j, k, q, a), c in element.terms.items():
            _add(found, (j + k, 0, q + a * b, _ZERO), c * b**k)
        return RadicalElement(found)

    def shifted(self, element: Any, by: Any) -> RadicalElement:
        """Return the element with t replaced by t + by."""
        b = self._place(by)
        found: dict[Key, Surd] = {}
        for (j, k, q, a), c in element.terms.items():
            for n in range(k + 1):
                _add(found, (j + k - n, n, q + a * b, a), c * comb(k, n) * b ** (k - n))
        return RadicalElement(found)

    def stretched(self, element: Any, factor: Fraction) -> RadicalElement:
        """Return the element with t replaced by factor·t."""
        found: dict[Key, Surd] = {}
        for (j, k, q, a), c in element.terms.items():
            _add(found, (j, k, q, a * factor), c * factor**k)
        return RadicalElement(found)

    def antiderivative(self, element: Any) -> RadicalElement:
        """Return a function of t whose derivative is the element, 0 at ±∞ if possible.

        ∫ t^k·e^{at} dt is t^{k+1}/(k + 1) for a = 0, else t^k·e^{at}/a minus k/a·∫ t^{k−1}·e^{at}.
        """
        found: dict[Key, Surd] = {}
        for (j, k, q, a), c in element.terms.items():
            if a == 0:
                _add(found, (j, k + 1, q, a), c / (k + 1))
                continue
            value = c / a
            for n in range(k, -1, -1):
                _add(found, (j, n, q, a), value)
                value = value * -n / a
        return RadicalElement(found)

    def integral(self, parts: Iterable[tuple[Any, Any, Any]]) -> RadicalElement:
        """Return Σ ∫ element dt from lower to upper; None is an infinite end, where it is 0."""
        total = RadicalElement({})
        for element, lower, upper in parts:
            primitive = self.antiderivative(element)
            if upper is not None:
                total = total + self.at(primitive, upper)
            if lower is not None:
                total = total + -self.at(primitive, lower)
        return total

    def element(self, form: Any, name: str = "") -> RadicalElement:
        """Return a closed form in ε, with `name` standing for t, as an element."""
        if isinstance(form, RadicalForm):
            return RadicalElement({(k, 0, q, _ZERO): c for (k, q), c in form.over.items()})
        found: dict[Key, Surd] = {}
        for (powers, rates), c in _density(form).terms.items():
            power, rate = dict(powers), dict(rates)
            key = (
                power.get("eps", 0),
                power.get(name, 0),
                rate.get("eps", _ZERO),
                rate.get(name, _ZERO),
            )
            _add(found, key, c)
        return RadicalElement(found)

    def closed_form(self, element: Any, name: str = "") -> Any:
        """Return an element as a closed form, or as a density in which t is named `name`."""
        if name:
            return RadicalDensity(
                {
                    (_named(eps=j, **{name: k}), _named(eps=q, **{name: a})): c
                    for (j, k, q, a), c in element.terms.items()
                }
            )
        return made({(j, q): c for (j, _, q, _), c in element.terms.items()})


Named = tuple[tuple[str, Any], ...]
"""Powers or rates that are not 0, by name."""


def _named(**entries: Any) -> Named:
    return tuple(sorted((name, entry) for name, entry in entries.items() if entry != 0))


class RadicalDensity:
    """Σ c·∏ name^power·e^{Σ rate·name} in ε and variables: what `joint` needs of a density."""

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[tuple[Named, Named], Surd]) -> None:
        self.terms = {key: c for key, c in terms.items() if c != 0}

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names that occur."""
        return tuple({name for key in self.terms for part in key for name, _ in part})

    @property
    def numerator(self) -> RadicalDensity:
        """The density itself."""
        return self

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __add__(self, other: Any) -> RadicalDensity:
        found = dict(self.terms)
        for key, c in _density(other).terms.items():
            found[key] = found.get(key, _ZERO) + c
        return RadicalDensity(found)

    __radd__ = __add__

    def __neg__(self) -> RadicalDensity:
        return RadicalDensity({key: -c for key, c in self.terms.items()})

    def __sub__(self, other: Any) -> RadicalDensity:
        return self + -_density(other)

    def __rsub__(self, other: Any) -> RadicalDensity:
        return -self + _density(other)

    def __mul__(self, other: Any) -> RadicalDensity:
        found: dict[tuple[Named, Named], Surd] = {}
        for (powers, rates), c in self.terms.items():
            for (more, faster), d in _density(other).terms.items():
                key = _joined(powers, more), _joined(rates, faster)
                found[key] = found.get(key, _ZERO) + c * d
        return RadicalDensity(found)

    __rmul__ = __mul__

    def substitute(self, **values: Any) -> RadicalDensity:
        """Return the density with variables replaced by linear forms."""
        forms = {name: _density(value) for name, value in values.items()}
        total = RadicalDensity({})
        for (powers, rates), c in self.terms.items():
            kept = _named(**{name: n for name, n in powers if name not in forms})
            speeds: Named = tuple(entry for entry in rates if entry[0] not in forms)
            for name, rate in rates:
                if name in forms:
                    moved = forms[name].terms.items()
                    speeds = _joined(speeds, tuple((p[0][0], q * rate) for (p, _), q in moved))
            part = RadicalDensity({(kept, speeds): c})
            for name, power in powers:
                for _ in range(power if name in forms else 0):
                    part = part * forms[name]
            total = total + part
        return total

    def antiderivative(self, name: str) -> RadicalDensity:
        """Return a density whose derivative in a variable is this (see `RadicalFrame`)."""
        found: dict[tuple[Named, Named], Surd] = {}
        for (powers, rates), c in self.terms.items():
            rate, power = dict(rates).get(name, _ZERO), dict(powers)
            k = power.pop(name, 0)
            listed = [(k + 1, c / (k + 1))] if rate == 0 else []
            value = c / rate if rate != 0 else c
            for n in range(k, -1, -1) if rate != 0 else ():
                listed.append((n, value))
                value = value * -n / rate
            for n, factor in listed:
                key = _named(**power, **{name: n}), rates
                found[key] = found.get(key, _ZERO) + factor
        return RadicalDensity(found)


def _joined(one: Named, two: Named) -> Named:
    if not two:
        return one
    found = dict(one)
    for name, entry in two:
        found[name] = found[name] + entry if name in found else entry
    return _named(**found)


def _density(form: Any) -> RadicalDensity:
    """Return a density given as itself or with rational numbers."""
    if isinstance(form, RadicalDensity):
        return form
    if isinstance(form, int | Fraction):
        return RadicalDensity({((), ()): Fraction(form)})
    names = form.parameters
    return RadicalDensity(
        {
            (
                _named(**dict(zip(names, powers, strict=True))),
                _named(**dict(zip(names, rates, strict=True))),
            ): fraction(c)
            for powers, rates, c in form.entries(names)
        }
    )
