"""The formulas of a claim (β, α, γ) as trees: their values, limits, and whether they fall.

A tree is ["form", numerator, denominator], ["name", name], ["+", a, b], ["*", a, b], ["/", a, b],
["**", a, n], ["exp", a] or ["min", a, …].
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from ..kernel.reading import CertificateReader, Terms, spelled
from .ratios import MalformedError, Ratio, UnsupportedError

Number = Fraction | float  # a float only if it is infinite
Tree = Any  # as checked by `read`
Known = Callable[[Ratio], int | None]  # 1, 0 or −1 as far as it is known

_DEEPEST = 100
_DISTANCES = ("alpha", "gamma")


def read(reader: CertificateReader, tree: Any, depth: int = 0) -> Tree:
    """Return a formula with its closed forms parsed; reject anything else."""
    reader.require(depth < _DEEPEST, "a formula is nested too deeply")
    match tree:
        case ["form", over, under]:
            below = reader.terms(under)
            reader.require(below, "a formula has the denominator 0")
            return ("form", Ratio.of(reader.terms(over), below))
        case ["name", str(name)]:
            return ("name", name)
        case ["+" | "*" | "/" as op, left, right]:
            return (op, read(reader, left, depth + 1), read(reader, right, depth + 1))
        case ["**", base, power]:
            return ("**", read(reader, base, depth + 1), reader.integer(power, 0, 1000))
        case ["exp", exponent]:
            return ("exp", read(reader, exponent, depth + 1))
        case ["min", *parts] if parts:
            return ("min", *(read(reader, part, depth + 1) for part in parts))
    reader.require(False, "not a formula")
    return None


def names(tree: Tree) -> set[str]:
    """Return the names that occur."""
    if tree[0] == "name":
        return {tree[1]}
    return set().union(*(names(part) for part in tree[1:] if isinstance(part, tuple)))


def bound(tree: Tree, name: str, value: Tree) -> Tree:
    """Return a tree with another one substituted for a name."""
    if tree == ("name", name):
        return value
    return tuple(bound(part, name, value) if isinstance(part, tuple) else part for part in tree)


def at_numbers(tree: Tree, values: Mapping[str, Fraction]) -> Tree:
    """Return a tree with numbers substituted for some names."""
    for name in names(tree) & values.keys():
        tree = bound(tree, name, ("form", Ratio.number(values[name])))
    return tree


def mean(trees: list[Tree]) -> Tree:
    """Return Σ t³ / Σ t²."""
    sums: list[Tree] = [("**", trees[0], power) for power in (3, 2)]
    for tree in trees[1:]:
        sums = [("+", one, ("**", tree, power)) for one, power in zip(sums, (3, 2), strict=True)]
    return ("/", *sums)


def say(tree: Tree) -> str:
    """Return a formula as a string."""
    match tree:
        case ("form", Ratio() as form):
            parts = [say_sum(part) for part in form.terms()]
            text = parts[0] if parts[1] == "1" else f"(({parts[0]})/({parts[1]}))"
        case ("name", name):
            text = name
        case ("exp", exponent):
            text = f"exp({say(exponent)})"
        case ("min", *parts):
            text = f"minimum({', '.join(map(say, parts))})"
        case ("+", left, right):
            text = f"({say(left)} + {say(right)})"
        case (op, left, right):
            text = f"{say(left)}{op}{right if op == '**' else say(right)}"
    return text if len(text) < 500 else f"{text[:240]} … {text[-240:]}"


def say_sum(terms: Terms) -> str:
    """Return a sum as a string, without what exceeds twenty terms."""
    parts = ["…"] * (len(terms) > 20)
    for (q, k), c in reversed([*terms.items()][:20]):
        number = spelled(c)
        factors = [number if c > 0 and c.denominator == 1 else f"({number})"] * (c != 1)
        factors += ["ε" if k == 1 else f"ε^{k}"] * (k != 0)
        factors += [f"exp({spelled(q)}·ε)"] * (q != 0)
        parts.append("·".join(factors) or "1")
    return " + ".join(reversed(parts)) or "0"


def number(tree: Tree, values: Mapping[str, Ratio], eps: Fraction) -> tuple[Fraction, Fraction]:
    """Return a and c if a formula is a + c·x₁ at given values and at an ε."""
    found = alternatives(tree, values)
    value = found[0].at(eps) if len(found) == 1 else None
    if value is None:
        raise UnsupportedError("a formula for α or γ is not a number")
    return value


def beta(tree: Tree, values: Mapping[str, Ratio], endless: Iterable[int] = ()) -> list[Ratio]:
    """Return the forms whose minimum is β, in the limit where some variables go to infinity.

    Those that are infinite are left out.
    """
    found: list[Ratio] = []
    for form in alternatives(tree, values):
        limit: Ratio | None = form
        for k in endless:
            limit = limit.limit(k) if limit is not None else None
        if limit is not None and limit not in found:
            found.append(limit)
    return found


def alternatives(tree: Tree, values: Mapping[str, Ratio]) -> list[Ratio]:
    """Return the forms whose minimum is a formula, at given values."""
    match tree:
        case ("form", Ratio() as form):
            return [form]
        case ("name", name):
            if name not in values:
                raise MalformedError(f"the value of {name} in a formula is not known")
            return [values[name]]
        case ("min", *parts):
            return _few([form for part in parts for form in alternatives(part, values)])
        case ("**", base, power):
            return [_single(alternatives(base, values)) ** power]
        case ("exp", exponent):
            return [_single(alternatives(exponent, values)).exp()]
    op, left, right = tree
    one, two = alternatives(left, values), alternatives(right, values)
    if op == "+":
        return _few([a + b for a in one for b in two])
    if op == "/":
        two = [1 / _single(two)]
    for factors, others in ((one, two), (two, one)):  # x·min(…) = min(x·…) if x ≥ 0
        if len(others) > 1 and any(factor.sign() not in (0, 1) for factor in factors):
            raise UnsupportedError("a minimum is multiplied by what is not seen to be positive")
    return _few([a * b for a in one for b in two])


def _single(forms: list[Ratio]) -> Ratio:
    if len(forms) > 1:
        raise MalformedError("a minimum occurs where only one form is allowed")
    return forms[0]


def _few(forms: list[Ratio]) -> list[Ratio]:
    if len(forms) > 100:
        raise UnsupportedError("a minimum has too many parts")
    return forms


# Whether a formula falls ---------------------------------------------------------------


def falls(tree: Tree, name: str, known: Known = Ratio.sign) -> bool:
    """Whether the form shows that the value never grows with a variable, for α, γ ≥ 0.

    `known` returns the sign of a closed form at every ε of the claim. At each of these ε, sums,
    exponentials and minima of functions that fall do so too; a product a·b does if a falls where
    b ≥ 0 and grows where b ≤ 0, and b likewise, and a quotient a/b of a falling a by a b > 0 that
    grows where a ≥ 0. Other ε are not considered.
    """
    return _Trends(name, known).of(tree) in (0, -1)


class _Trends:
    """How formulas change with one variable."""

    def __init__(self, name: str, known: Known) -> None:
        self.name = name
        self.known = known

    def of(self, tree: Tree) -> int | None:
        """Return −1 if a formula falls, 1 if it grows, 0 if neither, None if that is not seen."""
        if self.name not in names(tree):
            return 0
        match tree:
            case ("name", _):
                return 1
            case ("exp", exponent):
                return self.of(exponent)
            case ("+", *parts) | ("min", *parts):
                trend: int | None = 0
                for part in parts:
                    trend = _both(trend, self.of(part))
                return trend
            case ("**", base, power):
                return 0 if power == 0 else self.of(base) if self.sign(base) in (0, 1) else None
            case ("*", left, right):
                one = _signed(self.of(left), self.sign(right))
                two = _signed(self.of(right), self.sign(left))
                return _both(one, two)
            case ("/", left, right) if self.sign(right) == 1:
                under = _signed(self.of(right), self.sign(left))
                return _both(self.of(left), None if under is None else -under)
        return None

    def sign(self, tree: Tree) -> int | None:
        """Return 1 if a formula is never negative, −1 if never positive, 0 if it is 0."""
        match tree:
            case ("form", Ratio() as form):
                return self.known(form)
            case ("name", name):
                is_unit = name == "1" or name.startswith("log(")  # of a number above 1
                return 1 if name in _DISTANCES or is_unit else None
            case ("exp", _):
                return 1
            case _ if not names(tree):
                signs = {self.known(form) for form in alternatives(tree, {})}
                return signs.pop() if len(signs) == 1 else 1 if signs <= {0, 1} else None
            case ("+", left, right):
                return _both(self.sign(left), self.sign(right))
            case ("*", left, right) | ("/", left, right):
                one, two = self.sign(left), self.sign(right)
                return None if one is None or two is None else one * two
            case ("**", base, power):
                return 1 if power % 2 == 0 else self.sign(base)
            case ("min", *parts):
                return 1 if all(self.sign(part) in (0, 1) for part in parts) else None
        return None


def _both(one: int | None, two: int | None) -> int | None:
    return None if one is None or two is None or one * two < 0 else one or two


def _signed(trend: int | None, sign: int | None) -> int | None:
    if trend == 0:
        return 0
    return None if trend is None or sign is None else trend * sign
