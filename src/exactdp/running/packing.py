"""Serialise values: only values of exactdp and plain Python values, never code.

The bytes come from processes that we started, or from those of an executor, never from a file. A
name outside the list below is refused, as a second line of defence: it is no protection against
bytes that somebody else wrote.
"""

from __future__ import annotations

import io
import pickle
import zlib
from collections.abc import Callable
from copyreg import dispatch_table
from fractions import Fraction
from typing import Any

from flint import fmpq_poly

_QUICK = 1  # compression level; repetitions compress well at any level
_PLAIN = {
    "builtins": {"complex", "frozenset", "set", "range", "slice", "bytearray"},
    "copyreg": {"_reconstructor"},
    "flint.types.fmpq": {"fmpq"},
    "flint.types.fmpq_poly": {"fmpq_poly"},
    "flint.types.fmpz": {"fmpz"},
    "fractions": {"Fraction"},
}
_FUNCTIONS = {
    ("exactdp.running.packing", "fraction"),
    ("exactdp.reals.exp_poly", "unpacked"),
    ("exactdp.reals.exp_ratio", "_build"),
    ("exactdp.errors", "_rebuild"),
}


class UnreadableError(Exception):
    """The bytes are not a packed value of exactdp."""


def pack(value: object) -> bytes:
    """Return a value as bytes.

    >>> unpack(pack((1, Fraction(1, 3))))
    (1, Fraction(1, 3))
    """
    out = io.BytesIO()
    packer = pickle.Pickler(out, protocol=5)
    packer.dispatch_table = {**dispatch_table, Fraction: _parts, fmpq_poly: _coefficients}
    packer.dump(value)
    return zlib.compress(out.getvalue(), _QUICK)


def unpack(data: bytes) -> Any:
    """Return the value of some bytes."""
    try:
        return _Unpacker(io.BytesIO(zlib.decompress(data))).load()
    except UnreadableError:
        raise
    except Exception as error:  # a damaged stream can raise anything
        raise UnreadableError(f"{type(error).__name__}: {error}") from error


class _Unpacker(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """Return a class of exactdp, or a plain one of Python."""
        if name in _PLAIN.get(module, ()) or (module, name) in _FUNCTIONS:
            return super().find_class(module, name)
        if module.partition(".")[0] == "exactdp" and "." not in name:
            found = super().find_class(module, name)
            if isinstance(found, type) and found.__module__.partition(".")[0] == "exactdp":
                return found
            if type(found).__module__.partition(".")[0] == "exactdp":
                return found  # a value that there is once
        raise UnreadableError(f"{module}.{name} is not a value of exactdp")


def fraction(numerator: int, denominator: int) -> Fraction:
    """Return a fraction in lowest terms, as it was packed."""
    found = Fraction.__new__(Fraction)
    found._numerator, found._denominator = numerator, denominator  # type: ignore[attr-defined]
    return found


def _parts(value: Fraction) -> tuple[Callable[..., Fraction], tuple[int, int]]:
    return fraction, (value.numerator, value.denominator)


def _coefficients(value: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    return fmpq_poly, (value.coeffs(),)
