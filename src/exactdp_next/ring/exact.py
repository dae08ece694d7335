"""The exact form of a formula: a sum of exponentials, or a quotient with factors in ε alone.

A name x other than ε stands in such forms for the product ε·x. So x itself is (ε·x)/ε, a quotient,
and a formula in which each x is multiplied by ε has a form without that denominator. Exact are
+ - * /, whole powers, exp of linear forms (in ε, in products ε·x, and in numbers such as log 20),
log and roots of positive rationals times exponentials. So e^(−α·ε/2) at α = log(20)/ε is 20^(−1/2).

A form is kept with its node. None says: no form is known, or it would have too many terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from .constants import ONE, logarithm, prime_of
from .enclose import fraction_of
from .expsum import ExpSum
from .linear import Linear, Rational, Value, whole
from .linear import form as form_of
from .ratio import Ratio

if TYPE_CHECKING:
    from .expr import Expr
    from .node import Node

UNKNOWN: Final = "unknown"
"""The form of a node for which none has been looked for."""

MOST_TERMS = 50_000
"""Terms of a product, counted before like terms meet: a quarter of a second in flint."""

LARGEST_POWER = 1_000
"""The exponent up to which a sum is raised: a sum of two terms then has 300,000 digits."""

LARGEST_LOGARITHM = 128
"""Bits of a number that is factored for its logarithm: about 0.1 s; only small factors beyond."""

LARGEST_NUMBER = 400_000
"""Bits of a number that arises by raising: 120,000 digits."""

EPS = ExpSum.name("eps")

CHOICES = frozenset({"min", "max", "abs"})
"""Operations that have an exact form only for constants, where the choice is known."""

Form = ExpSum | Ratio


def first_guess(op: str, args: tuple[Node, ...]) -> Form | str | None:
    """Return None for a new node that surely has no exact form, otherwise UNKNOWN."""
    if op in ("leaf", "cases") or any(part.form is None for part in args):
        return None
    if op in CHOICES and any(part.names for part in args):
        return None
    if op == "log" and args[0].names:
        return None if args[0].op in ("name", "+", "log") else UNKNOWN
    return UNKNOWN


def form(root: Node) -> Form | None:
    """Return the exact form of a formula in ε and in ε·x for its other names, or None.

    The loop puts nodes above the node that needs them. A node leaves the stack when its form is
    known, which takes two visits for each operand, so it ends.
    """
    stack = [root]
    while stack:
        node = stack[-1]
        if node.form is not UNKNOWN:
            stack.pop()
            continue
        operands = _operands(node)
        if any(part.form is None for part in operands):
            found = None
        elif waiting := [part for part in operands if part.form is UNKNOWN]:
            stack += waiting
            continue
        else:
            found = _combined(node, [part.form for part in operands])
        object.__setattr__(node, "form", found)
    return root.form  # type: ignore[no-any-return]


def is_zero(node: Node) -> bool:
    """Whether a formula is 0 everywhere, as far as exact forms show it."""
    found = form(node)
    return found is not None and not found


def _operands(node: Node) -> list[Node]:
    """Return the summands or factors of a node as written, otherwise its arguments.

    a + b + c is (a + b) + c: it is one sum of three, so that partial sums are not kept.
    """
    if node.op not in ("+", "*"):
        return list(node.args)
    op, found = node.op, []
    while node.op == op and node.form is UNKNOWN:
        node, last = node.args
        found.append(last)
    return [node, *reversed(found)]


def _combined(node: Node, parts: list[Form]) -> Form | None:
    """Return the form of a node from those of its operands."""
    match node.op, parts:
        case "number", _:
            return ExpSum.of(node.data)
        case "name", _:
            return _named(node.data)
        case "exact", _:
            return simple(node.data)
        case "+", _:
            return _tree(parts, _plus)
        case "*", _:
            return _tree(parts, _times)
        case "-", [one]:
            return -one
        case "/", [one, two]:
            if divisor := _rational(two):
                return one * (1 / divisor)
            under = _inverse(two)
            return under and _times(one, under)
        case "^", [one, two]:
            q = _rational(two)
            return None if q is None else _raised(one, q)
        case "sqrt", [one]:
            return _raised(one, Fraction(1, 2))
        case "exp", [one]:
            return _exponential(one)
        case "log", [one]:
            return _logarithm(one)
        case "abs", [one]:
            return _largest([one, -one], 1)
        case (("min" | "max"), _):
            return _largest(parts, 1 if node.op == "max" else -1)
    return None


def _named(name: str) -> Form:
    theta = ExpSum.name(name)
    return theta if name == "eps" else Ratio(theta, {EPS: 1})


def _tree(parts: list[Any], combine: Any) -> Form | None:
    """Combine in pairs, then pairs of pairs: n sums of one term cost n·log n, not n²."""
    while len(parts) > 1:
        pairs = [combine(a, b) for a, b in zip(parts[::2], parts[1::2], strict=False)]
        parts = pairs + parts[len(parts) - len(parts) % 2 :]
        if any(part is None for part in parts):
            return None
    return parts[0]  # type: ignore[no-any-return]


def _size(f: Form) -> int:
    return len(f.num if isinstance(f, Ratio) else f)


def simple(f: Form) -> Form:
    """Return a quotient in lowest terms, as a sum where nothing is left to divide by."""
    if not isinstance(f, Ratio):
        return f
    f = f.reduced()
    return f if f.factors else f.num


def _plus(one: Form, two: Form) -> Form | None:
    if isinstance(one, ExpSum) and isinstance(two, ExpSum):
        return one + two
    a, b = Ratio.of(one), Ratio.of(two)
    if a.factors != b.factors and _size(a) * _size(b.den) + _size(b) * _size(a.den) > MOST_TERMS:
        return None
    return simple(a + b)


def _times(one: Form, two: Form) -> Form | None:
    if _size(one) * _size(two) > MOST_TERMS:
        return None
    if isinstance(one, ExpSum) and isinstance(two, ExpSum):
        return one * two
    return simple(Ratio.of(one) * Ratio.of(two))


def _inverse(f: Form) -> Form | None:
    """Return 1/f where its denominator is in ε alone."""
    num = f.num if isinstance(f, Ratio) else f
    if not num:
        return None
    if num.is_line:
        return simple(Ratio.of(f).inverse())
    term = _single(num)
    if term is None or any(k for k, _ in term[1].values()):
        return None
    under = ExpSum.exp(_rates({name: -b for name, (_, b) in term[1].items()})) / term[0]
    return simple(Ratio.of(under) * f.den) if isinstance(f, Ratio) else under


def _largest(parts: list[Form], side: int) -> Form | None:
    """Return the largest (side 1) or least (−1) of constants, where the order is proved."""
    best = parts[0]
    for part in parts[1:]:
        gap = _plus(part, -best)
        sign = gap.sign() if isinstance(gap, ExpSum) and gap.is_constant else None
        if sign is None:
            return None
        best = part if sign == side else best
    return best


def _rational(f: Form) -> Fraction | None:
    return f.rational() if isinstance(f, ExpSum) else None


def _raised(f: Form, q: Fraction) -> Form | None:
    """Return f^q: whole powers, roots of c·e^(linear form) with c > 0, and of powers of ε."""
    if q < 0:
        under = _inverse(f)
        return None if under is None else _raised(under, -q)
    if q.denominator == 1:
        n = q.numerator
        parts = (f.num, f.den) if isinstance(f, Ratio) else (f,)
        for part in parts:
            terms = len(part)
            if terms > 1 and (n > LARGEST_POWER or _powers(terms, n) > MOST_TERMS):
                return None
        return f**n
    if isinstance(f, Ratio):
        one, two = _raised(f.num, q), _raised(f.den, q)
        under = None if two is None else _inverse(two)
        return None if one is None or under is None else _times(one, under)
    term = _single(f)
    if term is None or term[0] <= 0:
        return None
    rates = _log_form(term[0], q)
    if rates is None:
        return None
    power = 0
    for name, (k, b) in term[1].items():
        if k and (name != "eps" or (k * q).denominator > 1):
            return None
        power += int(k * q)
        rates[name] = rates.get(name, 0) + b * q
    found = _exp(_rates(rates))
    return found and found * ExpSum.name("eps") ** power


def _powers(terms: int, n: int) -> int:
    """Return the number of monomials of degree n in so many terms, or enough of it."""
    found = 1
    for i in range(1, min(n, terms - 1) + 1):
        found = found * (n + terms - i) // i
        if found > MOST_TERMS:
            break
    return found


def _single(f: ExpSum) -> tuple[Fraction, dict[str, tuple[int, Fraction]]] | None:
    """Return (c, {name: (k, b)}) for a form c·Π θ^k·e^(bθ), or None for other forms."""
    if len(f) != 1:
        return None
    (((ks, bs), c),) = f.terms().items()
    powers = {name: (k, Fraction(b, f.unit)) for name, k, b in zip(f.names, ks, bs, strict=True)}
    return fraction_of(c), powers


def linear(f: Form) -> Value | None:
    """Return x with f = ε·x for a form of degree 1, or None; a number c is ε·c·"1/eps"."""
    if isinstance(f, Ratio):
        return None
    parts: dict[str, Rational] = {}
    for (ks, bs), c in f.terms().items():
        if any(bs) or sum(ks) > 1:
            return None
        name = next((name for name, k in zip(f.names, ks, strict=True) if k), ONE)
        parts[name] = fraction_of(c)
    return _rates(parts)


def _rates(parts: Mapping[str, Rational]) -> Value:
    """Return x with ε·x = Σ parts[name]·θ: the rate of ε itself is the constant of x."""
    return form_of({name: c for name, c in parts.items() if name != "eps"}, parts.get("eps", 0))


def _exponential(f: Form) -> Form | None:
    exponent = linear(f)
    return None if exponent is None else _exp(exponent)


def _exp(exponent: Value) -> ExpSum | None:
    """Return e^(ε·exponent), unless a power of a prime in it is too large to be written out."""
    if isinstance(exponent, Linear):
        for name, q in exponent.parts.items():
            prime = prime_of(str(name))
            if prime is not None and max(q, -q) * prime.bit_length() > LARGEST_NUMBER:
                return None
    return ExpSum.exp(exponent)


def _log_form(c: Fraction, q: Fraction) -> dict[str, Rational] | None:
    """Return q·log c as {name: coefficient} in the logarithms of primes, or None."""
    if max(c.numerator, c.denominator).bit_length() > LARGEST_LOGARITHM:
        return None
    logs = logarithm(whole(c))
    parts = logs.parts.items() if isinstance(logs, Linear) else ()
    return {str(name): whole(n * q) for name, n in parts}


def _logarithm(f: Form) -> Form | None:
    """Return log c + ℓ for a form c·e^ℓ with a rational c > 0."""
    term = _single(f) if isinstance(f, ExpSum) else None
    if term is None or term[0] <= 0 or any(k for k, _ in term[1].values()):
        return None
    parts = _log_form(term[0], Fraction(1))
    if parts is None:
        return None
    for name, (_, b) in term[1].items():
        parts[name] = parts.get(name, 0) + b
    return ExpSum.linear(_rates(parts))


def monomials(root: Expr) -> dict[tuple[int, int | None], Fraction] | None:
    """Return Σ c·ε^k·log p as {(k, p): c}, with p None where there is no logarithm; else None.

    These are the numbers of a program: rates such as ε/2, thresholds such as 1 + log(20)/ε.
    """
    if not root.names <= {"eps"}:
        return None
    found = form(root)
    if found is None:
        return None
    num, shift = (found.num, 0) if isinstance(found, Ratio) else (found, 0)
    if isinstance(found, Ratio):
        bottom = _single(found.den)
        if bottom is None or bottom[1].keys() - {"eps"} or bottom[1]["eps"][1]:
            return None
        num, shift = num * ExpSum.of(1 / bottom[0]), bottom[1]["eps"][0]
    result: dict[tuple[int, int | None], Fraction] = {}
    for (ks, bs), c in num.terms().items():
        powers = {name: k for name, k in zip(num.names, ks, strict=True) if k}
        k, logs = powers.pop("eps", 0), [*powers.items()]
        if any(bs) or len(logs) > 1 or any(n != 1 for _, n in logs):
            return None
        prime = prime_of(logs[0][0]) if logs else None
        result[k - shift, prime] = fraction_of(c)
    return result
