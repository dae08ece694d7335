"""How a sum of exponentials is stored: one polynomial of flint, times powers of exponentials.

A `Laurent` is P(θ₁ … θₙ, B₁ … Bₙ)·Π Bᵢ^lowᵢ, where Bᵢ = e^{θᵢ/unit}, P a polynomial, lowᵢ an
integer of any sign. Its frame has the names of the parameters θ. In one frame and unit, with one
low, equal sums have equal polynomials. Exponents of Bᵢ with θᵢ = log p stay in [0, unit), their
normal form (constants.py); θ of "1/eps" is the number 1 and never in P.

Kept for the process are no values of users but the types that flint computes in, by names: a ring
must be one object to be recognised, and its monomials and maps cost a tenth of a product.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import gcd, lcm
from typing import NamedTuple

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from . import constants
from .enclose import fmpq_of
from .linear import Rational, quotient


class Frame:
    """The names of a sum: their polynomial ring, and which of them are constants."""

    __slots__ = ("context", "gens", "line", "n", "names", "numbers", "one", "position", "roots")

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names, self.n = names, len(names)
        self.context = _context(self.n)
        self.gens = self.context.gens()
        self.position = {x: i for i, x in enumerate(names)}
        self.one = self.position.get(constants.ONE)
        self.numbers = [x for x in names if constants.is_constant(x)]
        self.line = all(x == "eps" or x in self.numbers for x in names)
        primes = [(i, constants.prime_of(x)) for i, x in enumerate(names)]
        self.roots = [(self.n + i, p) for i, p in primes if p is not None]

    def monomial(self, b: Iterable[int]) -> fmpq_mpoly:
        """Return Π Bᵢ^bᵢ."""
        return _monomial(tuple(b))


@lru_cache(maxsize=4096)
def frame_of(names: tuple[str, ...]) -> Frame:
    """Return the frame of names that are different and in their order."""
    return Frame(names)


@lru_cache(maxsize=256)
def _context(n: int) -> fmpq_mpoly_ctx:
    # Different for each n, so that no generator is taken for another one by its name.
    names = [*(f"t{n}_{i}" for i in range(n)), *(f"B{n}_{i}" for i in range(n))]
    return fmpq_mpoly_ctx.get(names, Ordering.lex)


@lru_cache(maxsize=1 << 14)
def _monomial(b: tuple[int, ...]) -> fmpq_mpoly:
    return _context(len(b)).term(1, (*(0,) * len(b), *b))


def _place(name: str) -> tuple[int, str]:
    """Sort "eps" first, constants last."""
    return (0 if name == "eps" else 2 if constants.is_constant(name) else 1), name


@lru_cache(maxsize=4096)
def united(*names: tuple[str, ...]) -> Frame:
    """Return the frame of all these names."""
    return frame_of(tuple(sorted({x for some in names for x in some}, key=_place)))


class Laurent(NamedTuple):
    """A polynomial in θ and B over a frame, times Π Bᵢ^lowᵢ."""

    frame: Frame
    unit: int
    low: tuple[int, ...]
    poly: fmpq_mpoly
    canonical: bool = False


def number(q: fmpq) -> Laurent:
    """Return a rational number."""
    frame = frame_of(())
    return Laurent(frame, 1, (), frame.context.constant(q), True)


def exponential(rates: Mapping[str, Rational]) -> Laurent:
    """Return e^{Σ rate·θ}, for rates that are not 0."""
    frame, unit = united(tuple(rates)), lcm(*(c.denominator for c in rates.values()))
    b = tuple(int(rates[x] * unit) for x in frame.names)
    if frame.roots:
        return from_exponents(frame, unit, [((*(0,) * frame.n, *b), fmpq(1))])
    return Laurent(frame, unit, b, frame.context.constant(1), True)


def linear(parts: Mapping[str, Rational]) -> Laurent:
    """Return Σ c·θ."""
    frame = united(tuple(parts))
    return Laurent(frame, 1, (0,) * frame.n, _polynomial(frame, parts))


def from_exponents(
    frame: Frame, unit: int, terms: Iterable[tuple[tuple[int, ...], fmpq]]
) -> Laurent:
    """Return the sum from pairs of exponents (k, then b of any sign) and coefficients."""
    found = constants.normal(terms, unit, frame.roots)
    if frame.one is not None:  # θ is the number 1
        raised, found = found, {}
        for key, c in raised.items():
            at = (*key[: frame.one], 0, *key[frame.one + 1 :])
            found[at] = found.get(at, fmpq(0)) + c
    if not found:
        return number(fmpq(0))
    n = frame.n
    low = tuple(min(b) for b in zip(*(key[n:] for key in found), strict=True))
    none = (0,) * n
    shifted = {tuple(map(int.__sub__, key, none + low)): c for key, c in found.items()}
    return Laurent(frame, unit, low, frame.context.from_dict(shifted))


def reduced(frame: Frame, unit: int, low: tuple[int, ...], poly: fmpq_mpoly) -> Laurent:
    """Return the sum, whole powers of primes taken out."""
    if frame.roots and poly:
        degrees, n = poly.degrees(), frame.n
        if any(low[i - n] < 0 or low[i - n] + int(degrees[i]) >= unit for i, _ in frame.roots):
            shift = (*(0,) * n, *low)
            moved = (
                tuple(int(e) + s for e, s in zip(m, shift, strict=True)) for m in poly.monoms()
            )
            return from_exponents(frame, unit, zip(moved, poly.coeffs(), strict=True))
    return Laurent(frame, unit, low, poly)


def power_in_front(frame: Frame, poly: fmpq_mpoly) -> list[int]:
    """Return the largest b such that Π Bᵢ^bᵢ divides a polynomial."""
    return [int(e) for e in poly.term_content().monoms()[0][frame.n :]]


def _raised(body: Laurent, low: tuple[int, ...]) -> fmpq_mpoly:
    """Return the polynomial for a smaller low."""
    if body.low == low:
        return body.poly
    return body.poly * body.frame.monomial(map(int.__sub__, body.low, low))


def comparable(one: Laurent, two: Laurent) -> bool:
    """Whether the sums are equal if and only if their polynomials are."""
    names = one.frame is two.frame or one.frame.names == two.frame.names
    return names and one.unit == two.unit and one.low == two.low


def common(a: Laurent, b: Laurent) -> tuple[Laurent, Laurent]:
    """Return both in one frame and with one unit."""
    if a.unit == b.unit and a.frame.names == b.frame.names:
        return a, b
    frame, unit = united(a.frame.names, b.frame.names), lcm(a.unit, b.unit)
    return _moved(a, frame, unit), _moved(b, frame, unit)


def added(a: Laurent, b: Laurent) -> Laurent:
    """Return the sum."""
    a, b = common(a, b)
    if a.low == b.low:
        return Laurent(a.frame, a.unit, a.low, a.poly + b.poly)
    low = tuple(map(min, a.low, b.low))
    return Laurent(a.frame, a.unit, low, _raised(a, low) + _raised(b, low))


def multiplied(a: Laurent, b: Laurent) -> Laurent:
    """Return the product."""
    a, b = common(a, b)
    return reduced(a.frame, a.unit, tuple(map(int.__add__, a.low, b.low)), a.poly * b.poly)


@lru_cache(maxsize=4096)
def _mapping(small: tuple[str, ...], large: tuple[str, ...]) -> dict[str | int, str | int]:
    """Return where the generators of some names go among those of other names."""
    n, m, place = len(small), len(large), {x: i for i, x in enumerate(large)}
    pairs = [(i, place[x]) for i, x in enumerate(small) if x in place]
    return {**dict(pairs), **{n + i: m + j for i, j in pairs}}


def _moved(body: Laurent, frame: Frame, unit: int) -> Laurent:
    """Return the same sum in a frame with more names, and with a multiple of its unit."""
    old, low, poly, times = body.frame, body.low, body.poly, unit // body.unit
    if not old.n:
        constant = frame.context.constant(poly.coefficient(0) if poly else 0)
        return Laurent(frame, unit, (0,) * frame.n, constant)
    if times > 1:
        low = tuple(b * times for b in low)
        poly = poly.inflate([1] * old.n + [times] * old.n)
    if frame.names != old.names:
        poly = poly.project_to_context(frame.context, _mapping(old.names, frame.names))
        by_name = dict(zip(old.names, low, strict=True))
        low = tuple(by_name.get(x, 0) for x in frame.names)
    return Laurent(frame, unit, low, poly)


def canonical(body: Laurent) -> Laurent:
    """Return the canonical body of the same sum."""
    frame, unit, low, poly, _ = body
    if not poly:
        return number(fmpq(0))
    n = frame.n
    steps, least = ([int(e) for e in v] for v in poly.deflation_index())
    if any(least[n:]):
        poly = poly / frame.monomial(least[n:])
        low = tuple(a + e for a, e in zip(low, least[n:], strict=True))
    if (g := gcd(unit, *low, *steps[n:])) > 1:
        poly = poly.deflate([1] * n + [g] * n)
        unit, low = unit // g, tuple(b // g for b in low)
    used = [i for i in range(n) if steps[i] or least[i] or steps[n + i] or low[i]]
    if len(used) < n:
        old, frame = frame, frame_of(tuple(frame.names[i] for i in used))
        poly = poly.project_to_context(frame.context, _mapping(old.names, frame.names))
        low = tuple(low[i] for i in used)
    return Laurent(frame, unit, low, poly, True)


def substituted(body: Laurent, images: Mapping[str, Mapping[str, Rational]]) -> Laurent:
    """Put ε·forms in place of names."""
    old, unit = body.frame, body.unit
    rows: list[Mapping[str, Rational]] = [images.get(x, {x: 1}) for x in old.names]
    frame = united(*(tuple(row) for row in rows))
    fine = unit * lcm(*(c.denominator for row in rows for c in row.values()))
    # e^{b·θ/unit} becomes e^{Σ b·c·θ'/unit}: `moves` has c·fine/unit for each old and new name
    moves = [[int(quotient(row.get(x, 0) * fine, unit)) for x in frame.names] for row in rows]
    forms = [_polynomial(frame, row) for row in rows]
    low = tuple(sum(b * m[j] for b, m in zip(body.low, moves, strict=True)) for j in range(frame.n))
    if not any(c < 0 for move in moves for c in move):
        powers = [frame.monomial(move) for move in moves]
        return reduced(frame, fine, low, body.poly.compose(*forms, *powers, ctx=frame.context))
    return _by_terms(body, frame, fine, moves, forms)


def _by_terms(
    body: Laurent, frame: Frame, fine: int, moves: list[list[int]], forms: list[fmpq_mpoly]
) -> Laurent:
    """Do it where some e^{θ} gets a negative exponent, which no polynomial can be put for."""
    n = body.frame.n
    none = (0,) * frame.n
    groups: dict[tuple[int, ...], list[tuple[tuple[int, ...], fmpq]]] = {}
    for m, c in zip(body.poly.monoms(), body.poly.coeffs(), strict=True):
        k = tuple(map(int, m[:n]))
        b = [0] * frame.n
        for e, lowest, move in zip(m[n:], body.low, moves, strict=True):
            exponent = int(e) + lowest
            for j, step in enumerate(move):
                b[j] += exponent * step
        groups.setdefault(k, []).append(((*none, *b), c))
    result = number(fmpq(0))
    for k, terms in groups.items():
        product = frame.context.constant(1)
        for one, e in zip(forms, k, strict=True):
            product = product * one**e
        part = multiplied(from_exponents(frame, fine, terms), Laurent(frame, fine, none, product))
        result = added(result, part)
    return result


def _polynomial(frame: Frame, parts: Mapping[str, Rational]) -> fmpq_mpoly:
    """Return Σ c·θ, where the θ of "1/eps" is the number 1."""
    result = frame.context.constant(0)
    for x, c in parts.items():
        i = frame.position[x]
        theta = frame.context.constant(1) if i == frame.one else frame.gens[i]
        result = result + theta * fmpq_of(c)
    return result
