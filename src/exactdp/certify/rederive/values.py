"""Values, inputs and levels in the JSON of a claim."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from math import inf
from typing import Any

from ..kernel.reading import CertificateReader, RealInterval
from . import formulas
from .formulas import Number, Tree
from .linear import is_number, plain
from .programs import InputKind

Level = RealInterval | Tree  # a range, or a formula

MOST_INPUTS = 200_000
_LONGEST = 5_000


@dataclass(frozen=True)
class OutputRange:
    """A range of integers with one finite end, or an open interval of reals, of an output."""

    is_whole: bool
    lower: Fraction | float
    upper: Fraction | float

    @property
    def end(self) -> Fraction:
        """The finite end, of integers."""
        found = self.lower if self.upper == inf else self.upper
        assert isinstance(found, Fraction)
        return found


def value(reader: CertificateReader, given: Any, depth: int = 0) -> Any:
    """Read a value: a rational, "inf", {"text": …}, true, false, null, or a list of values.

    An output may be a stretch: {"integers": [lower, upper]} or {"reals": [lower, upper]}.
    """
    reader.require(depth < 20, "a value is nested too deeply")
    if isinstance(given, bool) or given is None:
        return given
    if isinstance(given, list):
        return tuple(value(reader, one, depth + 1) for one in given)
    if isinstance(given, dict) and set(given) & {"integers", "reals"}:
        return stretch(reader, given)
    if isinstance(given, dict):
        (text,) = reader.fields(given, "text")
        reader.require(isinstance(text, str), "a text is none")
        return text
    if given in ("inf", "-inf"):
        return float(given)
    return plain(reader.rational(given))


def stretch(reader: CertificateReader, given: dict[str, Any]) -> OutputRange:
    """Read a range of integers with one finite end, or an interval of reals."""
    is_whole = "integers" in given
    (ends,) = reader.fields(given, "integers" if is_whole else "reals")
    first, last = reader.entries(ends, 2)
    lower = -inf if first == "-inf" else reader.rational(first)
    upper = inf if last == "inf" else reader.rational(last)
    reader.require(lower < upper, "a stretch is empty")
    numbers = [end for end in (lower, upper) if isinstance(end, Fraction)]
    right = not is_whole or (len(numbers) == 1 and numbers[0].denominator == 1)
    reader.require(right, "a stretch of integers has one whole end")
    return OutputRange(is_whole, lower, upper)


def distance(reader: CertificateReader, given: Any) -> Number:
    """Read a nonnegative rational, or "inf"."""
    found = inf if given == "inf" else reader.rational(given)
    reader.require(found >= 0, "a distance is negative")
    return found


def an_input(reader: CertificateReader, given: Any, kinds: list[InputKind]) -> list[Any]:
    """Read an input: one value for each parameter, of its kind."""
    found: list[Any] = []
    for one, kind in zip(reader.entries(given, len(kinds)), kinds, strict=True):
        read = value(reader, one)
        items = read if kind.length is not None else (read,)
        right = isinstance(items, tuple) and kind.length in (None, len(items))
        right = right and all(is_entry(item, kind.members) for item in items)
        reader.require(right, "an input is not of the kind that the program takes")
        found.append(read if kind.length is None else list(items))
    return found


def is_entry(item: Any, members: tuple[Any, ...] | None) -> bool:
    """Whether a single value may occur in an input where these are allowed, or reals (None)."""
    if members is None:
        return is_number(item)
    return any(item == one and isinstance(item, bool) == isinstance(one, bool) for one in members)


def all_inputs(reader: CertificateReader, given: Any, kinds: list[InputKind]) -> list[list[Any]]:
    """Return the inputs of a claim in order: {"grid": [lower, upper, step]} or {"list": […]}."""
    if isinstance(given, dict) and "list" in given:
        (listed,) = reader.fields(given, "list")
        return [an_input(reader, one, kinds) for one in reader.entries(listed)]
    (ends,) = reader.fields(given, "grid")
    low, high, step = (reader.rational(end) for end in reader.entries(ends, 3))
    right = low <= high and step > 0 and (high - low) / step < MOST_INPUTS
    reader.require(right, "the grid is empty or too large")
    numbers = [plain(low + k * step) for k in range(int((high - low) // step) + 1)]

    def values(kind: InputKind) -> Iterator[Any]:
        members = numbers if kind.members is None else kind.members
        if kind.length is None:
            return iter(members)
        return map(list, product(members, repeat=kind.length))

    size = 1
    for kind in kinds:
        members = len(numbers) if kind.members is None else len(kind.members)
        for _ in range(1 if kind.length is None else kind.length):
            size *= members
            reader.require(size <= MOST_INPUTS, "the grid is too large")
    return [list(one) for one in islice(product(*map(values, kinds)), MOST_INPUTS)]


def level(reader: CertificateReader, given: Any) -> Level:
    """Read α or γ: {"range": interval} or {"formula": tree}."""
    if isinstance(given, dict) and "range" in given:
        (ends,) = reader.fields(given, "range")
        found = reader.interval(ends)
        reader.require(found.lower >= 0, "a range of distances has negative ones")
        reader.require(found.lower < found.upper, "a range has one number only")
        return found
    (tree,) = reader.fields(given, "formula")
    return formulas.read(reader, tree)


def shown(given: Any) -> str:
    """Return a part of a claim as text that shows all of it, if it is not very long."""
    text = _shown(given).removeprefix("name ")
    if len(text) < _LONGEST or "\n" in text:  # a program is shown whole
        return text
    return f"{text[:_LONGEST]} … ({len(text)} characters)"


def _shown(given: Any) -> str:
    if isinstance(given, dict):
        parts = [(key, _shown(one).removesuffix("True")) for key, one in given.items()]
        return ", ".join(f"{key} {text}".replace(" \n", ":\n").rstrip() for key, text in parts)
    if isinstance(given, list):
        return f"[{', '.join(map(_shown, given))}]"
    lines = str(given).strip("\n").split("\n")  # a program: nothing in it may look like a verdict
    plain = ["".join(c if c.isprintable() else ascii(c)[1:-1] for c in line) for line in lines]
    return "\n    ".join(["", *plain] if len(plain) > 1 else plain)


def counted(count: int, one: str) -> str:
    """Return "1 input" or "2 inputs"."""
    return f"{count} {one}{'s' * (count != 1)}"
