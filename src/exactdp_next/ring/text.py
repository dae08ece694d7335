"""Text -> formula: one grammar, Python's own for numbers, names, calls and comparisons.

    choice     = either ("if" either "else" choice)?
    either     = both ("or" both)*               both    = negation ("and" negation)*
    negation   = "not"* comparison               comparison = sum (("<" | "<=" | …) sum)*
    sum        = product (("+" | "-") product)*  product = signed (("*" | "/") signed)*
    signed     = ("+" | "-")* power              power   = atom ("**" signed)?
    atom       = number "%"? | name | function "(" choice, … ")" | "(" choice ")"

`^` is read as `**`, and ε α γ − · ≤ ≥ ≠ as what they look like. Python's own parser is not used: it
gives up at sums of a thousand terms and at integers of 4,300 digits, has no `^` and no percentage,
and its messages change with its version. This one has a stack of its own in place of recursion,
reads each character once, evaluates nothing but numbers, and names a place in every error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn

from flint import fmpz

from ..errors import ExactdpError, ParseError, Place, fail
from . import cuts, expr
from .condition import Condition, compared, joined
from .expr import Expr
from .linear import Rational, whole

LONGEST = 200_000
"""Characters of a text that a user gives: two seconds. What exactdp itself wrote has no limit."""

LARGEST_EXPONENT = 100_000
"""The exponent of a decimal: a text of eight characters shall not make a number of gigabytes."""

LONGEST_TOLD = 80
"""Characters of a part of a text in a message: one line of a terminal."""

KNOWN = frozenset({"eps", "alpha", "gamma"})
"""Names that every formula may use."""

ALIASES = {"ε": "eps", "ϵ": "eps", "epsilon": "eps", "α": "alpha", "γ": "gamma"}

_DIGITS = r"[0-9]+(?:_[0-9]+)*"
_DECIMAL = rf"(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?[0-9]+)?"
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>{_DECIMAL})|(?P<name>[^\W\d]\w*(?:\[[0-9]+\])*)"
    r"|(?P<sign>\*\*|<=|>=|==|!=|[-+*/^()<>,%·×−≤≥≠]))"
)
_NUMBER = re.compile(rf"\s*([-+−]?)\s*({_DECIMAL})(?:\s*/\s*({_DECIMAL}))?\s*(%?)\s*")
_SAME = {"−": "-", "·": "*", "×": "*", "^": "**", "≤": "<=", "≥": ">=", "≠": "!="}
_WORDS = frozenset({"and", "or", "not", "if", "else"})
_NOT_NUMBERS = frozenset({"inf", "nan", "oo", "infinity", "NaN", "Inf", "None"})

# The strength of operators, as in Python; a prefix is stronger than what may stand before it.
_CHOICE, _OR, _AND, _NOT, _COMPARED, _SUM, _PRODUCT, _SIGN, _POWER = range(9)
_BINARY = {
    "or": _OR, "and": _AND, "+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "**": _POWER,
    **dict.fromkeys(cuts.NEGATED, _COMPARED),
}  # fmt: skip
_PREFIX = {"not": _NOT, "-": _SIGN, "+": _SIGN}
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": lambda a, b: a**b,
}
_MANY = 10**9
_FUNCTIONS: dict[str, tuple[Callable[..., Expr], int, int]] = {
    "exp": (expr.exp, 1, 1),
    "log": (expr.log, 1, 1),
    "sqrt": (expr.sqrt, 1, 1),
    "abs": (abs, 1, 1),
    "min": (expr.minimum, 1, _MANY),
    "max": (expr.maximum, 1, _MANY),
    "minimum": (expr.minimum, 1, _MANY),
    "maximum": (expr.maximum, 1, _MANY),
    "piecewise": (expr.piecewise, 1, _MANY),
}
"""Functions with the least and largest number of their arguments."""


def parse(text: str, names: Collection[str] | None = ()) -> Expr:
    """Return the formula that a text spells, in eps, alpha, gamma and these names.

    A name may be indexed: with "q" among the names, q[0] is known. With names=None every name is.
    Decimals are read as exact rationals.

    >>> print(parse("1 - 0.5*exp(-2/9*ε)"))
    1 - 1/2*exp(-2/9*eps)
    """
    found, reader = _read(text, names)
    return reader.formula(found)


def parse_condition(text: str, names: Collection[str] | None = ()) -> Condition:
    """Return the condition that a text spells, such as "0 <= alpha < 1 or eps >= 2"."""
    found, reader = _read(text, names)
    return reader.condition(found)


def number(x: object) -> Rational | None:
    """Return a number, or a text such as "0.1", "1/3" or "5%" that spells one; None for others."""
    if not isinstance(x, str):
        return expr.rational_or_none(x)
    match = _NUMBER.fullmatch(x) if len(x) <= LONGEST else None
    if match is None:
        return None
    sign, over, under, percent = match.groups()
    above, below = decimal(over), decimal(under or "1")
    if not below or above is None:
        return None
    size = above / below / (100 if percent else 1)
    return whole(size if sign in ("", "+") else -size)


def decimal(digits: str) -> Fraction | None:
    """Return a decimal without a sign as a rational; None if its exponent is too large."""
    shown, _, power = digits.replace("_", "").lower().partition("e")
    integer, _, part = shown.partition(".")
    if len(power) > 8:
        return None
    exponent = int(power or 0) - len(part)
    if abs(exponent) > LARGEST_EXPONENT:
        return None
    return int(fmpz(integer + part)) * Fraction(10) ** exponent


def _read(text: str, names: Collection[str] | None) -> tuple[_Value, _Reader]:
    if not isinstance(text, str):
        fail("E12", value=text)
    reader = _Reader(text, names)
    return reader.whole(), reader


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # "number", "name", "sign" or "end"
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Value:
    """A formula, a condition, a pair in brackets, and where it stands."""

    value: Expr | Condition | tuple[Any, ...]
    start: int
    end: int
    last: Expr | None = None  # the last side of comparisons, which may go on: a < b < c


@dataclass(slots=True)
class _Open:
    """What waits on the stack for its right side: an operator, or a bracket for its end."""

    op: str
    strength: int
    token: _Token
    function: _Token | None = None
    commas: int = 0


class _Reader:
    """The loop over tokens: an operator waits until a weaker one comes, a bracket until its end.

    Every step of the loop takes one token, and every reduction one entry off the stack: it ends.
    """

    def __init__(self, text: str, names: Collection[str] | None) -> None:
        self.text, self.names = text, names
        self.stack: list[_Open] = []
        self.values: list[_Value] = []

    def whole(self) -> _Value:
        """Read the whole text."""
        if len(self.text) > LONGEST and self.names is not None:
            fail("E14", kind=ParseError, most=LONGEST)
        token, wants_operand = self.next(0), True
        while token.kind != "end":
            step = self.operand if wants_operand else self.operator
            token, wants_operand = step(token)
        if wants_operand:
            self.refuse("E02" if self.text.strip() else "E01", token)
        self.reduce(_CHOICE)
        if self.stack:
            waiting = self.stack[-1]
            self.refuse("E04" if waiting.op == "(" else "E15", waiting.token)
        return self.values.pop()

    def next(self, position: int) -> _Token:
        """Return the token at or after a position of the text."""
        match = _TOKEN.match(self.text, position)
        if match is None:
            start = position
            while start < len(self.text) and self.text[start].isspace():
                start += 1
            if start == len(self.text):
                return _Token("end", "the end", start, start)
            token = _Token("other", self.text[start], start, start + 1)
            self.refuse("E03", token, what=repr(token.text))
        kind = str(match.lastgroup)
        found, start = match[kind], match.start(kind)
        if found in _WORDS:
            kind = "sign"
        return _Token(kind, _SAME.get(found, found), start, match.end())

    def operand(self, token: _Token) -> tuple[_Token, bool]:
        """Take a token where a number, name, prefix or bracket is expected."""
        after = self.next(token.end)
        if token.kind == "number":
            size = decimal(token.text)
            if size is None:
                self.refuse("E34", token)
            if after.text == "%":
                size, token, after = size / 100, after, self.next(after.end)
            self.values.append(_Value(expr.expr(size), token.start, token.end))
            return after, False
        if token.kind == "name" and after.text == "(":
            if token.text not in _FUNCTIONS:
                self.refuse("E08", token, what=token.text)
            self.stack.append(_Open("(", -1, after, function=token))
            return self.next(after.end), True
        if token.kind == "name":
            self.values.append(_Value(self.named(token), token.start, token.end))
            return after, False
        if token.text == "(":
            self.stack.append(_Open("(", -1, token))
            return after, True
        if token.text in _PREFIX:
            self.stack.append(_Open(f"prefix {token.text}", _PREFIX[token.text], token))
            return after, True
        self.refuse("E07", token, what=repr(token.text))

    def named(self, token: _Token) -> Expr | Condition:
        """Return the meaning of a name."""
        name = ALIASES.get(token.text, token.text)
        if name in ("True", "False"):
            return Condition("truth", data=name == "True")
        base = name.partition("[")[0]
        if self.names is None or name in KNOWN or name in self.names or base in self.names:
            if base not in _FUNCTIONS:
                return expr.name(name)
            self.refuse("E09", token, what=base)
        if name in _NOT_NUMBERS:
            self.refuse("E13", token, what=name)
        if base in _FUNCTIONS:
            self.refuse("E09", token, what=base)
        known = ", ".join(sorted({*KNOWN, *self.names})[:12])
        self.refuse("E35", token, what=name, known=known)

    def operator(self, token: _Token) -> tuple[_Token, bool]:
        """Take a token where an operator, a comma or the end of a bracket is expected."""
        op = token.text
        if op in _BINARY and token.kind == "sign":
            # a ** -b ** c: only stronger ones end before a power, as it joins from the right
            self.reduce(_BINARY[op] + (op == "**"))
            self.stack.append(_Open(op, _BINARY[op], token))
            return self.next(token.end), True
        if op == "if":
            self.reduce(_CHOICE + 1)
            self.stack.append(_Open("if", _CHOICE, token))
            return self.next(token.end), True
        if op == "else":
            self.reduce(_CHOICE, until="if")
            if not self.stack or self.stack[-1].op != "if":
                self.refuse("E07", token, what=repr(op))
            self.stack[-1].op = "else"
            return self.next(token.end), True
        if op == ",":
            self.reduce(_CHOICE)
            if not self.stack or self.stack[-1].op != "(":
                self.refuse("E03", token, what=repr(op))
            self.stack[-1].commas += 1
            after = self.next(token.end)
            if after.text == ")" and self.values:  # as in (a, b,)
                self.stack[-1].commas -= 1
                return after, False
            return after, True
        if op == ")":
            self.close(token)
            return self.next(token.end), False
        if op == "%":
            self.refuse("E03", token, what="'%'")
        self.refuse("E06", token, what=repr(token.text))

    def close(self, token: _Token) -> None:
        """Close a bracket: of a function, of a pair, or around a formula."""
        self.reduce(_CHOICE)
        if not self.stack:
            self.refuse("E05", token)
        if self.stack[-1].op != "(":
            self.refuse("E15", self.stack[-1].token)
        opening = self.stack.pop()
        count = opening.commas + 1
        parts = self.values[-count:]
        del self.values[-count:]
        if opening.function is not None:
            start = opening.function.start
            made: Any = self.called(opening.function, parts, token)
        else:
            start = opening.token.start
            made = parts[0].value if count == 1 else tuple(part.value for part in parts)
        self.values.append(_Value(made, start, token.end))

    def called(self, function: _Token, parts: list[_Value], end: _Token) -> Expr:
        """Return a function of its arguments."""
        build, least, most = _FUNCTIONS[function.text]
        place = _Value((), function.start, end.end)
        if not least <= len(parts) <= most:
            self.refuse("E17", place, what=function.text, given=len(parts))
        if function.text == "piecewise":
            for part in parts:
                if not isinstance(part.value, tuple) or len(part.value) != 2:
                    self.refuse("E18", part)
                one, test = part.value
                if not (isinstance(one, Expr) and isinstance(test, Condition)):
                    self.refuse("E18", part)
            return self.built(place, build, *(part.value for part in parts))
        return self.built(place, build, *(self.formula(part) for part in parts))

    def reduce(self, strength: int, until: str = "") -> None:
        """Apply the waiting operators that are at least so strong, the last one first."""
        while self.stack and self.stack[-1].strength >= strength:
            waiting = self.stack[-1]
            if waiting.op == "if":
                if until != "if":
                    self.refuse("E15", waiting.token)
                return
            self.stack.pop()
            right = self.values.pop()
            if waiting.op.startswith("prefix"):
                self.values.append(self.prefixed(waiting, right))
                continue
            left = self.values.pop()
            if waiting.op == "else":
                first, test = self.values.pop(), left
                place = _Value((), first.start, right.end)
                parts = (self.formula(first), self.condition(test)), (self.formula(right), True)
                made: Any = self.built(place, expr.piecewise, *parts)
                self.values.append(_Value(made, first.start, right.end))
            else:
                self.values.append(self.binary(waiting.op, left, right))

    def prefixed(self, waiting: _Open, right: _Value) -> _Value:
        start, op = waiting.token.start, waiting.token.text
        if op == "not":
            return _Value(~self.condition(right), start, right.end)
        one = self.formula(right)
        return _Value(-one if op == "-" else one, start, right.end)

    def binary(self, op: str, left: _Value, right: _Value) -> _Value:
        place = _Value((), left.start, right.end)
        if op in _ARITHMETIC:
            made: Any = self.built(place, _ARITHMETIC[op], self.formula(left), self.formula(right))
            return _Value(made, left.start, right.end)
        if op in ("and", "or"):
            made = joined(op, self.condition(left), self.condition(right))
            return _Value(made, left.start, right.end)
        two = self.formula(right)
        if left.last is not None:
            test = joined("and", self.condition(left), compared(op, left.last, two))
        else:
            test = compared(op, self.formula(left), two)
        return _Value(test, left.start, right.end, last=two)

    def formula(self, part: _Value) -> Expr:
        """Return a part that has to be a formula."""
        if isinstance(part.value, Expr):
            return part.value
        self.refuse("E10" if isinstance(part.value, Condition) else "E19", part)

    def condition(self, part: _Value) -> Condition:
        """Return a part that has to be a condition."""
        if isinstance(part.value, Condition):
            return part.value
        self.refuse("E11" if isinstance(part.value, Expr) else "E19", part)

    def built(self, place: _Value, build: Callable[..., Expr], *parts: Any) -> Expr:
        """Build a formula; what it refuses is refused with its place."""
        try:
            return build(*parts)
        except ExactdpError as error:
            self.refuse(error.code, place, **error.data)

    def refuse(self, code: str, at: _Token | _Value, **data: object) -> NoReturn:
        """Raise the error, pointing at a token or a part."""
        line = self.text.count("\n", 0, at.start) + 1
        before = self.text.rfind("\n", 0, at.start) + 1
        after = self.text.find("\n", before)
        shown = self.text[before : after if after >= 0 else len(self.text)]
        column = at.start - before
        end = min(max(at.end - before, column + 1), len(shown) + 1)
        place = Place("<text>", line, column + 1, max(end, column + 1) + 1, shown)
        fail(code, place=place, kind=ParseError, **{x: _cut(told) for x, told in data.items()})


def _cut(told: object) -> object:
    """Return a text that a user wrote, or its beginning, for a message."""
    is_long = isinstance(told, str) and len(told) > LONGEST_TOLD
    return f"{told[:LONGEST_TOLD]}…" if is_long else told  # type: ignore[index]
