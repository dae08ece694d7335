"""The yardstick: a plain prototype with dictionaries of fractions, for Sparse with c = 1 only.

A piece is {(power of t, rate of t, exponent of ε, power of ε): coefficient}, all Fractions.
"""

from __future__ import annotations

from fractions import Fraction

Key = tuple[int, Fraction, Fraction, int]
Piece = dict[Key, Fraction]
Pieces = list[tuple[Fraction | None, Piece]]
"""Pieces with their upper ends, the last one without."""

_ZERO, _ONE, _HALF = Fraction(0), Fraction(1), Fraction(1, 2)


def _tail(rate: Fraction, mean: Fraction, *, above: bool) -> Pieces:
    left: Piece = {(0, rate, -rate * mean, 0): _HALF}
    right: Piece = {(0, -rate, rate * mean, 0): _HALF}
    one: Key = (0, _ZERO, _ZERO, 0)
    if above:
        return [(mean, {one: _ONE, **{k: -c for k, c in left.items()}}), (None, right)]
    return [(mean, left), (None, {one: _ONE, **{k: -c for k, c in right.items()}})]


def _product(one: Pieces, two: Pieces) -> Pieces:
    ends = sorted({end for end, _ in (*one, *two) if end is not None})
    result: Pieces = []
    for end in (*ends, None):
        a, b = (
            next(p for e, p in listed if e is None or (end is not None and end <= e))
            for listed in (one, two)
        )
        piece: Piece = {}
        for (k, r, q, j), c in a.items():
            for (m, s, p, i), d in b.items():
                key = k + m, r + s, q + p, j + i
                piece[key] = piece.get(key, _ZERO) + c * d
        result.append((end, piece))
    return result


def _integral(pieces: Pieces) -> dict[tuple[int, Fraction], Fraction]:
    total: dict[tuple[int, Fraction], Fraction] = {}
    lower: Fraction | None = None
    for upper, piece in pieces:
        for (k, rate, exponent, power), c in piece.items():
            assert k == 0
            for end, sign in ((upper, 1), (lower, -1)):
                if end is None or not c:
                    continue
                if rate:
                    key, value = (power, exponent + rate * end), sign * c / rate
                else:
                    key, value = (power + 1, exponent), sign * c * end
                total[key] = total.get(key, _ZERO) + value
        lower = upper
    return {key: c for key, c in total.items() if c}


def sparse(u: list[int]) -> dict[tuple[int, Fraction], Fraction]:
    """Return Pr(⊥…⊥⊤) of Sparse with c = 1 at an input, as {(power, rate): coefficient}."""
    quarter = Fraction(1, 4)
    density: Pieces = [
        (_ZERO, {(0, _HALF, _ZERO, 0): quarter}),
        (None, {(0, -_HALF, _ZERO, 0): quarter}),
    ]
    for j, mean in enumerate(u):
        density = _product(density, _tail(quarter, Fraction(mean), above=j == len(u) - 1))
    return _integral(density)
