"""Parse text as a closed form; an error shows the position with a caret.

sum     = product (("+" | "-") product)*
product = signed (("*" | "/" | "·") signed)*
signed  = ("+" | "-")* power
power   = atom (("^" | "**") integer)?
atom    = number | parameter | "exp" "(" sum ")" | "sqrt" "(" sum ")" | "(" sum ")"
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import comb
from typing import NoReturn

from exactdp.errors import ParseError, Place, ValueRefusedError
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.exp_poly import ExpPoly, as_sum, exp, parameter
from exactdp.reals.numbers import LARGEST_EXPONENT, Number, decimal, integer, rational
from exactdp.reals.radical_form import sqrt

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d]\w*(?:\[\d+\])?)|(?P<sign>\*\*|[-+*/^()·−]))"
)
_SAME = {"−": "-", "·": "*", "**": "^"}
_ALIASES = {"ε": "eps", "epsilon": "eps", "α": "alpha", "γ": "gamma"}
_DEEPEST = 100
_LARGEST_POWER = {"a sum": 1_000, "eps": 10_000, "a number": 100_000, "exp": 10**9}
_MOST_TERMS = 200_000
_RULE = "A closed form is made of numbers, eps, exp(q*eps), + - * /, integer powers and brackets."


def as_form(value: ClosedForm | Number) -> ClosedForm:
    """Return a closed form given as itself, as a number or as text."""
    if isinstance(value, ClosedForm):
        return value
    if isinstance(value, str):
        return parse(value)
    return ExpPoly(rational(value, "a closed form or a number"))


def parse(text: str, parameters: Iterable[str] = ("eps",)) -> ClosedForm:
    """Return the closed form written as `text`; decimals are read as exact rationals.

    >>> parse("1 - 2/3*exp(-2/9*eps) + 0.5*eps*exp(-eps)")
    ExpPoly('1 - 2/3*exp(-2/9*eps) + 1/2*eps*exp(-eps)')
    """
    if not isinstance(text, str):
        raise ValueRefusedError(f"{text!r} ({type(text).__name__}) is not a string", rule=_RULE)
    reader = _FormReader(text, tuple(parameters))
    result = reader.sum(0)
    if reader.token.kind != "end":
        reader.fail(
            "there is no opening bracket for this one"
            if reader.token.text == ")"
            else f"an operator is missing before {reader.token.text!r}"
        )
    return result


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


class _FormReader:
    """A recursive descent over the tokens of one text; `token` is the next one."""

    def __init__(self, text: str, parameters: tuple[str, ...]) -> None:
        self.text = text
        self.parameters = parameters
        self.token = self.read(0)

    def read(self, position: int) -> _Token:
        """Return the token at or after a position of the text."""
        match = _TOKEN.match(self.text, position)
        if match is None:
            rest = self.text[position:]
            start = position + len(rest) - len(rest.lstrip())
            if start == len(self.text):
                return _Token("end", "the end", start, start)
            self.token = _Token("other", self.text[start], start, start + 1)
            self.fail(f"{self.text[start]!r} has no meaning here")
        kind = match.lastgroup or ""
        found = match[kind]
        return _Token(kind, _SAME.get(found, found), match.start(kind), match.end())

    def advance(self) -> _Token:
        """Consume the next token and return it."""
        token = self.token
        self.token = self.read(token.end)
        return token

    def take(self, *signs: str) -> str | None:
        """Consume one of the signs and return it, or return None."""
        if self.token.kind == "sign" and self.token.text in signs:
            return self.advance().text
        return None

    def sum(self, depth: int) -> ClosedForm:
        """Read a sum."""
        result = self.product(depth)
        while sign := self.take("+", "-"):
            start = self.token
            operand = self.product(depth)
            result = result + operand if sign == "+" else result - operand
            self.limit(result, start)
        return result

    def product(self, depth: int) -> ClosedForm:
        """Read a product."""
        result = self.signed(depth)
        while sign := self.take("*", "/"):
            start = self.token
            operand = self.signed(depth)
            if sign == "/" and not operand.numerator:
                self.fail("this is zero, and nothing can be divided by it", start)
            self.limit(result, start, len(operand.numerator.terms))
            result = result * operand if sign == "*" else result / operand
        return result

    def signed(self, depth: int) -> ClosedForm:
        """Read signs and a power."""
        negative = False
        while sign := self.take("+", "-"):
            negative ^= sign == "-"
        result = self.power(depth)
        return -result if negative else result

    def power(self, depth: int) -> ClosedForm:
        """Read an atom and its exponent."""
        base = self.atom(depth)
        if not self.take("^"):
            return base
        start = self.token
        negative = bool(self.take("-"))
        bracket = bool(self.take("("))
        if bracket and not negative:
            negative = bool(self.take("-"))
        if self.token.kind != "number" or not self.token.text.isdecimal():
            self.fail(
                "the exponent of a power must be a whole number",
                way_out="Write exp(q*eps) for e to the q·ε.",
            )
        size = integer(self.advance().text)
        if bracket and not self.take(")"):
            self.fail("the exponent of a power must be a whole number", start)
        kind = _kind(base)
        if size > _LARGEST_POWER[kind]:
            self.fail(f"{kind} is raised to powers of at most {_LARGEST_POWER[kind]}", start)
        terms = max(len(base.numerator.terms), len(base.denominator.terms))
        if terms > 1 and size * terms > _MOST_TERMS:
            self.fail(f"this makes more than {_MOST_TERMS} terms", start)
        if terms > 2 and comb(size + terms - 1, min(size, terms - 1)) > _MOST_TERMS:
            self.fail(f"this makes more than {_MOST_TERMS} terms", start)
        if negative and not base.numerator:
            self.fail("zero has no negative power", start)
        if self.take("^"):
            self.fail("a power of a power needs brackets", start)
        result: ClosedForm = base ** (-size if negative else size)
        return result

    def atom(self, depth: int) -> ClosedForm:
        """Read a number, a parameter, an exponential or something in brackets."""
        token = self.token
        if depth > _DEEPEST:
            self.fail(f"the brackets are nested more than {_DEEPEST} deep")
        if token.kind == "number":
            self.advance()
            try:
                return ExpPoly(decimal(token.text))
            except ValueError:
                self.fail(f"the exponent of a decimal is at most {LARGEST_EXPONENT}", token)
        if self.take("("):
            result = self.sum(depth + 1)
            self.close(token)
            return result
        if token.kind == "name":
            return self.named(depth)
        if token.kind == "end":
            self.fail(
                "something is missing at the end" if self.text.strip() else "there is no text"
            )
        self.fail(f"a number, a parameter or a bracket was expected, not {token.text!r}")

    def named(self, depth: int) -> ClosedForm:
        """Read a parameter or an exponential."""
        token = self.advance()
        name = _ALIASES.get(token.text, token.text)
        if name == "exp":
            opening = self.token
            if not self.take("("):
                self.fail("exp needs brackets", token, way_out="Write exp(-eps/2).")
            start = self.token
            exponent = self.sum(depth + 1)
            end = self.token
            self.close(opening)
            if hasattr(exponent, "exponential"):
                found: ClosedForm = exponent.exponential()
                return found
            form = as_sum(exponent)
            if form is None or form.linear_form() is None:
                self.fail(
                    "exp is taken of something that is not a rational multiple of eps",
                    _Token("", "", start.start, end.start),
                    rule="Only e to a rational multiple of eps is decided completely.",
                    way_out="Write for example exp(-2/9*eps).",
                )
            return exp(form)
        if name == "sqrt" and self.take("("):
            start = self.token
            inside = self.sum(depth + 1)
            self.close(start)
            number = inside.numerator.constant() if inside.denominator == 1 else None
            if number is None or number <= 0:
                self.fail("sqrt is taken of something that is not a positive number", start)
            return sqrt(number) + ExpPoly(0)  # type: ignore[no-any-return]
        if name in self.parameters:
            return parameter(name)
        if self.token.text == "(" and self.token.kind == "sign":
            self.fail(f"the function {token.text} is not known", token)
        known = ", ".join(self.parameters)
        if name == "e":
            self.fail("the name e is not known", token, way_out="Write exp(2*eps) for e^(2ε).")
        self.fail(f"the name {token.text} is not known", token, way_out=f"Known here: {known}.")

    def close(self, opening: _Token) -> None:
        """Consume the bracket that closes an opening one."""
        if not self.take(")"):
            if self.token.kind == "end":
                self.fail("this bracket is never closed", opening)
            self.fail(f"a closing bracket or an operator was expected, not {self.token.text!r}")

    def limit(self, form: ClosedForm, place: _Token, times: int = 1) -> None:
        """Refuse to exceed the largest number of terms."""
        if len(form.numerator.terms) * times > _MOST_TERMS:
            self.fail(f"this makes more than {_MOST_TERMS} terms", place)

    def fail(
        self, message: str, token: _Token | None = None, *, rule: str = _RULE, way_out: str = ""
    ) -> NoReturn:
        """Raise the error, pointing at a token (by default the next one)."""
        token = token or self.token
        before = self.text[: token.start]
        line = before.count("\n") + 1
        start = token.start - (before.rfind("\n") + 1)
        shown = self.text.split("\n")[line - 1]
        end = min(start + max(1, token.end - token.start), len(shown) + 1)
        place = Place("<text>", line, start + 1, max(end, start + 1) + 1, shown)
        raise ParseError(message, place=place, rule=rule, way_out=way_out)


def _kind(form: ClosedForm) -> str:
    if not isinstance(form, ExpPoly) or len(form.terms) > 1:
        return "a sum"
    if form.constant() is not None:
        return "a number"
    return "exp" if form.is_unit else "eps"
