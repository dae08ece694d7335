"""The document: JSON that anyone may have written.

Its shapes are checked as they are read, and work is counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from fractions import Fraction

LONGEST_NUMBER = 2_000
"""Digits of a rational; exact bounds of the paper's rows have some fifty."""

STEPS, STEPS_PER_CHARACTER = 100_000, 200
"""Steps of a replay, each some microseconds.

About a second for 1 KB. The paper's rows need 20 for a character.
"""

LARGEST = 100_000
"""Bits of a number that a replay computes."""

_RATIONAL = re.compile(r"-?(0|[1-9][0-9]*)(/[1-9][0-9]*)?")


class Rejected(Exception):  # noqa: N818
    """The certificate does not prove its statement; the message says where."""


def need(condition: object, why: str) -> None:
    """Reject unless a condition holds."""
    if not condition:
        raise Rejected(why)


class Work:
    """Counts steps, so that no document can keep the checker busy for ever."""

    def __init__(self, characters: int) -> None:
        self.most = self.left = STEPS + STEPS_PER_CHARACTER * characters

    def spend(self, steps: int = 1) -> None:
        """Count steps."""
        self.left -= steps
        need(self.left >= 0, f"more than {self.most:,} steps of work")

    def number(self, bits: int) -> None:
        """Count an operation on numbers of this length; a greatest divisor takes its square."""
        need(bits <= LARGEST, "a number that is too long")
        self.spend(1 + (bits * bits >> 18))


def document(x: object) -> tuple[dict[str, object], Work]:
    """Return a certificate, given as text or as JSON, and the work that it may cause."""
    if isinstance(x, str):
        try:
            x = json.loads(
                x, object_pairs_hook=_once, parse_float=_no_float, parse_constant=_no_float
            )
        except (ValueError, RecursionError):
            raise Rejected("a text that is no JSON") from None
    characters, todo = 0, [x]
    while todo:
        one = todo.pop()
        characters += 1
        if type(one) is dict:
            need(all(type(name) is str for name in one), "a name that is no text")
            characters += sum(map(len, one))
            todo += one.values()
        elif type(one) is list:
            todo += one
        elif type(one) is str:
            characters += len(one)
        elif type(one) is int:
            need(one.bit_length() < LARGEST, "a number that is too long")
            characters += one.bit_length() // 3
        else:
            need(
                one is None or type(one) is bool,
                f"a {type(one).__name__}, which is no part of a certificate",
            )
    need(type(x) is dict, "a certificate is an object")
    assert isinstance(x, dict)
    return x, Work(characters)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    need(len({name for name, _ in pairs}) == len(pairs), "a name that is given twice")
    return dict(pairs)


def _no_float(_: str) -> object:
    raise Rejected("a number with a point, which is not exact")


def fields(x: object, names: Sequence[str], what: str) -> list[object]:
    """Return the values of an object that has exactly these fields."""
    need(type(x) is dict and set(x) == set(names), f"{what} needs the fields {', '.join(names)}")
    assert isinstance(x, dict)
    return [x[name] for name in names]


def listed(x: object, what: str) -> list[object]:
    """Return a list."""
    need(type(x) is list, f"{what} is no list")
    assert isinstance(x, list)
    return x


def row(x: object, size: int, what: str) -> list[object]:
    """Return a list of this length."""
    found = listed(x, what)
    need(len(found) == size, f"{what} has another length")
    return found


def text(x: object, what: str) -> str:
    """Return a text."""
    need(type(x) is str, f"{what} is no text")
    assert isinstance(x, str)
    return x


def natural(x: object, what: str) -> int:
    """Return a whole number that is not negative."""
    need(type(x) is int and 0 <= x < 2**31, f"{what} is no number of a place")
    assert isinstance(x, int)
    return x


def rational(x: object, what: str) -> Fraction:
    """Return a whole number, or "p/q" in lowest terms, as a Fraction."""
    if type(x) is int:
        need(x.bit_length() < 3 * LONGEST_NUMBER, f"{what} is too long")
        return Fraction(x)
    written = text(x, what)
    need(
        len(written) <= 2 * LONGEST_NUMBER and _RATIONAL.fullmatch(written),
        f"{what} is no rational",
    )
    value = Fraction(written)
    need(str(value) == written and value.denominator > 1, f"{what} is not in lowest terms")
    return value
