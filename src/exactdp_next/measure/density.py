"""Density: a piecewise function of one noise.

A noise r is scaled by ε: its pieces are sums in ε and t = ε·r, so their rates are plain numbers.
The breaks are values of r.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import factorial

from flint import fmpq

from ..ring.enclose import fmpq_of
from ..ring.expsum import ExpSum, Key
from ..ring.linear import Linear, Rational
from ..run import progress, remembered

T = "t"
"""The name of the product of ε and the noise."""

ONE, NONE = ExpSum.of(1), ExpSum.of(0)


@dataclass(frozen=True)
class Density:
    """Pieces between sorted breaks: one more than breaks."""

    breaks: tuple[Rational, ...]
    pieces: tuple[ExpSum, ...]

    def __mul__(self, other: Density) -> Density:
        return self._with(other, lambda f, g: f * g)

    def __add__(self, other: Density) -> Density:
        return self._with(other, lambda f, g: f + g)

    def times(self, mass: ExpSum) -> Density:
        """Return the density multiplied by a function of ε."""
        return Density(self.breaks, tuple(mass * f for f in self.pieces))

    def cut(self, at: Rational, *, above: bool) -> Density:
        """Return what lies above a point, or below it."""
        return self * Density((at,), (NONE, ONE) if above else (ONE, NONE))

    def shifted(self, s: Rational) -> Density:
        """Return r ↦ f(r + s)."""
        if not s:
            return self
        moved = tuple(f.substitute({T: Linear({T: 1}, s)}) for f in self.pieces)
        return Density(tuple(b - s for b in self.breaks), moved)

    def below(self) -> Density:
        """Return r ↦ ∫ f from −∞ to r."""
        found = list[ExpSum]()
        carried = NONE
        for i, piece in enumerate(self.pieces):
            progress(i, len(self.pieces), "integrating piece")
            p = primitive(piece)
            if i:
                carried = carried - p.substitute({T: self.breaks[i - 1]})
            found.append(p + carried)
            if i < len(self.breaks):
                carried = found[-1].substitute({T: self.breaks[i]})
        return Density(self.breaks, tuple(found))

    def above(self) -> Density:
        """Return r ↦ ∫ f from r to ∞, where f is `below` of a density."""
        total = self.total()
        return Density(self.breaks, tuple(total - f for f in self.pieces))

    def total(self) -> ExpSum:
        """Return the limit at ∞ of a function that has one.

        What does not fall to 0 does not depend on t.
        """
        f = self.pieces[-1]
        names, place = f.names, _place(f)
        if place is None:
            return f
        kept = dict[Key, fmpq]()
        for (k, b), c in f.terms().items():
            assert b[place] < 0 or (b[place] == 0 and k[place] == 0), "a density without a limit"
            if b[place] == 0:
                kept[k, b] = c
        return ExpSum.from_terms(names, f.unit, kept)

    def _with(self, other: Density, operation: Callable[[ExpSum, ExpSum], ExpSum]) -> Density:
        breaks = tuple(sorted({*self.breaks, *other.breaks}))
        pairs = zip(self._on(breaks), other._on(breaks), strict=True)
        return Density(breaks, tuple(operation(f, g) for f, g in pairs))

    def _on(self, breaks: Iterable[Rational]) -> list[ExpSum]:
        """Return the pieces between more breaks."""
        found, i = list[ExpSum](), 0
        for b in breaks:
            found.append(self.pieces[i])
            i += i < len(self.breaks) and self.breaks[i] == b
        return [*found, self.pieces[-1]]


@remembered(most=4096)
def laplace(rate: Fraction, mean: Rational) -> Density:
    """Return the density of Laplace noise in t: rate/2·e^{−rate·|t − ε·mean|}."""
    sides = (ExpSum.exp(Linear({T: s * rate}, -s * rate * mean)) * (rate / 2) for s in (1, -1))
    return Density((mean,), tuple(sides))


@remembered(most=4096)
def laplace_below(rate: Fraction, mean: Rational) -> Density:
    """Return its distribution function."""
    return laplace(rate, mean).below()


def primitive(f: ExpSum) -> ExpSum:
    """Return an antiderivative by t.

    ∫ t^j·e^{at} = Σ (−1)^i·j!/(j − i)!·t^{j−i}·e^{at}/a^{i+1} for a ≠ 0, and t^{j+1}/(j + 1) for a
    = 0.
    """
    place = _place(f)
    if place is None:
        return f * ExpSum.name(T)
    found = dict[Key, fmpq]()
    for (k, b), c in f.terms().items():
        j, a = k[place], fmpq(b[place], f.unit)
        if not a:
            found[(*k[:place], j + 1, *k[place + 1 :]), b] = c / (j + 1)
            continue
        for i in range(j + 1):
            key = (*k[:place], j - i, *k[place + 1 :]), b
            factor = fmpq_of((-1) ** i * factorial(j) // factorial(j - i)) / a ** (i + 1)
            found[key] = found.get(key, fmpq(0)) + c * factor
    return ExpSum.from_terms(f.names, f.unit, found)


def _place(f: ExpSum) -> int | None:
    return f.names.index(T) if T in f.names else None
