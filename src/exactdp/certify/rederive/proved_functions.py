"""Functions of ε that are proved to be nonnegative, found by their values modulo a prime."""

from __future__ import annotations

from .ratios import Ratio

_PRIME = 2**61 - 1
_BASE, _POINT = 1234567890123456789, 987654321987654321
_FINE = 720720  # a multiple of the denominators that rates usually have


class ProvedFunctions:
    """A set of functions; equal ones are the same function, however they are written."""

    def __init__(self) -> None:
        self._sums: set[object] = set()
        self._known: dict[int | None, list[Ratio]] = {}

    def add(self, function: Ratio) -> None:
        """Add a function."""
        self._known.setdefault(_residue(function), []).append(function)
        if function.is_sum:
            self._sums.add(_key(function))

    def has(self, function: Ratio) -> bool:
        """Whether a function is among them."""
        if function.is_sum and _key(function) in self._sums:
            return True
        residue = _residue(function)
        some = [*self._known.values()]
        if residue is not None:
            some = [self._known.get(residue, []), self._known.get(None, [])]
        return any(function == one for like in some for one in like)


def _residue(function: Ratio) -> int | None:
    """Return a hash of a function of ε, or None; only functions with equal hashes are compared.

    It is the value modulo a prime at numbers for ε and e^{ε/_FINE}.
    """
    found = []
    for part in function.terms():
        total = 0
        for (rate, power), c in part.items():
            exponent = rate * _FINE
            if exponent.denominator != 1 or c.denominator % _PRIME == 0:
                return None
            value = pow(_BASE, exponent.numerator % (_PRIME - 1), _PRIME)
            value = value * pow(_POINT, power, _PRIME) * c.numerator
            total += value * pow(c.denominator, -1, _PRIME)
        found.append(total % _PRIME)
    over, under = found
    return over * pow(under, -1, _PRIME) % _PRIME if under else None


def _key(function: Ratio) -> object:
    return frozenset(function.over.items())
