"""What a tree answers as JSON, so that the answers of two trees can be compared."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

_FOUND = ("input", "other", "eps", "alpha", "gamma", "distance")
"""What of a counterexample is data: its probabilities are enclosed differently."""
_NUMBERS = ("kappa", "factor", "value", "enclosure")
"""Attributes that hold the number of an answer which has more than a number."""
_LONGEST = 300


def tell(value: Any) -> dict[str, Any]:
    """Return what a value says: an outcome, the ends of a number, a truth value or text."""
    if isinstance(outcome := getattr(value, "outcome", None), str):
        found = getattr(value, "counterexample", None)
        data = {name: _plain(getattr(found, name)) for name in _FOUND if hasattr(found, name)}
        return {"outcome": outcome, "counterexample": data}
    if isinstance(value, bool | str | None):
        return {"is": value[:_LONGEST] if isinstance(value, str) else value}
    for name in _NUMBERS:
        if not hasattr(value, "lower") and hasattr(value, name):
            value = getattr(value, name)
    if hasattr(value, "lower") and hasattr(value, "upper"):
        return {"number": [_plain(value.lower), _plain(value.upper)]}
    if isinstance(value, int | Fraction) or value in (inf, -inf):
        return {"number": [_plain(value), _plain(value)]}
    return {"text": str(value)[:_LONGEST]}


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, bool | None):
        return value
    return str(value)[:_LONGEST]


def same(one: dict[str, Any], two: dict[str, Any]) -> bool:
    """Return whether two answers can both be right: outcomes are equal, enclosures meet."""
    if "outcome" in one or "outcome" in two:
        return one.get("outcome") == two.get("outcome")
    if "number" in one and "number" in two:
        (low, high), (least, most) = (map(_number, told["number"]) for told in (one, two))
        return max(low, least) <= min(high, most)
    return one == two


def _number(text: str) -> Fraction | float:
    return float(text) if "inf" in text else Fraction(text)
