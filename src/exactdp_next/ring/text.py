"""Text -> formula: one grammar, Python's own for numbers, names, calls and comparisons.

    choice     = either ("if" either "else" choice)?
    either     = both ("or" both)*               both    = negation ("and" negation)*
    negation   = "not"* comparison               comparison = sum (("<" | "<=" | …) sum)*
    sum        = product (("+" | "-") product)*  product = signed (("*" | "/") signed)*
    signed     = ("+" | "-")* power              power   = atom ("**" signed)?
    atom       = number "%"? | name | function "(" choice, … ")" | "(" choice ")"

`^` is read as `**`, and ε α γ − · ≤ ≥ ≠ as what they look like. Python's own parser is not used: it
gives up at sums of a thousand terms and at integers of 4,300 digits, has no `^` and no percentage,
and its messages change with its version. This one keeps what waits in a list, without recursion,
reads each character once, evaluates nothing but numbers, and names a place in every error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Generator
from operator import add, mul, sub, truediv
from typing import Any, NamedTuple, NoReturn, TypeAlias

from ..errors import ExactdpError, ParseError, Place, fail
from . import cuts, expr
from .expr import Condition, Expr, compared, joined
from .numbers import DECIMAL, LONGEST, decimal

LONGEST_TOLD = 80
"""Characters of a part of a text in a message: one line of a terminal."""

KNOWN = frozenset({"eps", "alpha", "gamma"})
"""Names that every formula may use."""

ALIASES = {"ε": "eps", "ϵ": "eps", "epsilon": "eps", "α": "alpha", "γ": "gamma"}

_TOKEN = re.compile(
    rf"\s*(?:(?P<number>{DECIMAL})|(?P<name>[^\W\d]\w*(?:\[[0-9]+\])*)"
    r"|(?P<sign>\*\*|<=|>=|==|!=|[-+*/^()<>,%·×−≤≥≠]))"
)
_SAME = {"−": "-", "·": "*", "×": "*", "^": "**", "≤": "<=", "≥": ">=", "≠": "!="}
_WORDS = frozenset({"and", "or", "not", "if", "else"})
_NOT_NUMBERS = frozenset({"inf", "nan", "oo", "infinity", "NaN", "Inf", "None"})

# The strength of operators, as in Python; a prefix is stronger than what may stand before it.
_CHOICE, _OR, _AND, _NOT, _COMPARED, _SUM, _PRODUCT, _SIGN, _POWER = range(9)
_BINARY = {
    "or": _OR, "and": _AND, "+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "**": _POWER,
    "if": _CHOICE, **dict.fromkeys(cuts.NEGATED, _COMPARED),
}  # fmt: skip
_PREFIX = {"not": _NOT, "-": _SIGN, "+": _SIGN}
_ENDS = frozenset({")", ",", "else", "the end"})
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": add, "-": sub, "*": mul, "/": truediv, "**": pow,
}  # fmt: skip
_OF_ONE: dict[str, Callable[..., Expr]] = {
    "exp": expr.exp, "log": expr.log, "sqrt": expr.sqrt, "abs": abs,
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Expr]] = {
    **_OF_ONE, "min": expr.minimum, "max": expr.maximum, "minimum": expr.minimum,
    "maximum": expr.maximum, "piecewise": expr.piecewise,
}  # fmt: skip


def parse(text: str, names: Collection[str] | None = ()) -> Expr:
    """Return the formula that a text spells, in eps, alpha, gamma and these names.

    A name may be indexed: with "q" among the names, q[0] is known. With names=None every name is.
    Decimals are read as exact rationals.

    >>> print(parse("1 - 0.5*exp(-2/9*ε)"))
    1 - 1/2*exp(-2/9*eps)
    """
    reader = _Reader(text, names)
    return reader.formula(reader.whole())


def parse_condition(text: str, names: Collection[str] | None = ()) -> Condition:
    """Return the condition that a text spells, such as "0 <= alpha < 1 or eps >= 2"."""
    reader = _Reader(text, names)
    return reader.condition(reader.whole())


class _Token(NamedTuple):
    kind: str  # "number", "name", "sign" or "end"
    text: str
    start: int
    end: int


class _Value(NamedTuple):
    """A formula, a condition, a pair in brackets, and where it stands."""

    value: Expr | Condition | tuple[Any, ...]
    start: int
    end: int


_Reading: TypeAlias = Generator[Any, _Value, _Value]
"""A function that yields what it wants to be read first, and is sent the value."""


def _run(reading: _Reading) -> _Value:
    """Return what a reading returns; those that wait are in a list: there is no recursion."""
    waiting, value = [reading], None
    while True:
        try:
            waiting.append(waiting[-1].send(value))  # type: ignore[arg-type]
            value = None
        except StopIteration as end:
            waiting.pop()
            value = end.value
            if not waiting:
                return value  # type: ignore[no-any-return]


class _Reader:
    """Operands with what follows them, as long as operators are strong enough.

    `token` is the next one. Every step of a loop takes a token, so they end.
    """

    def __init__(self, text: str, names: Collection[str] | None) -> None:
        self.text, self.names = text, names
        self.token = _Token("sign", "", 0, 0)

    def whole(self) -> _Value:
        """Read the whole text."""
        if not isinstance(self.text, str):
            fail("E12", value=self.text)
        if len(self.text) > LONGEST and self.names is not None:
            fail("E14", kind=ParseError, most=LONGEST)
        self.take()
        found, rest = _run(self.expression(_CHOICE)), self.token
        if rest.kind != "end":
            end, what = rest.text, repr(rest.text)
            self.refuse("E05" if end == ")" else "E03" if end == "," else "E07", rest, what=what)
        return found

    def take(self) -> _Token:
        """Return the token, and go on to the next one."""
        token, start = self.token, self.token.end
        match = _TOKEN.match(self.text, start)
        if match is None:
            while start < len(self.text) and self.text[start].isspace():
                start += 1
            if start < len(self.text):
                what = self.text[start]
                self.refuse("E03", _Token("other", what, start, start + 1), what=repr(what))
            self.token = _Token("end", "the end", start, start)
        else:
            kind = str(match.lastgroup)
            found, start = match[kind], match.start(kind)
            kind = "sign" if found in _WORDS else kind
            self.token = _Token(kind, _SAME.get(found, found), start, match.end())
        return token

    def expression(self, strength: int) -> _Reading:
        """Read an operand, and the operators after it that are at least so strong."""
        first = self.take()
        if first.kind == "name" and self.token.text == "(":
            if first.text not in _FUNCTIONS:
                self.refuse("E08", first, what=first.text)
            left = yield self.bracket(self.take(), first)
        elif first.text == "(":
            left = yield self.bracket(first)
        elif first.text in _PREFIX:
            right = yield self.expression(_PREFIX[first.text])
            left = self.prefixed(first, right)
        else:
            left = self.operand(first)
        last: Expr | None = None  # the last side of comparisons, which may go on: a < b < c
        while self.token.text not in _ENDS:
            level = _BINARY.get(self.token.text)
            if level is None:
                what = repr(self.token.text)
                self.refuse("E03" if self.token.text == "%" else "E06", self.token, what=what)
            if level < strength:
                break
            op = self.take()
            if op.text == "if":
                test = yield self.expression(_CHOICE)
                if self.token.text != "else":
                    self.refuse("E15", op)
                self.take()
                right = yield self.expression(_CHOICE)
                parts = (self.formula(left), self.condition(test)), (self.formula(right), True)
                left = self.built(left.start, right.end, expr.piecewise, *parts)
                continue
            right = yield self.expression(level + (op.text != "**"))  # powers join from the right
            left, last = self.binary(op.text, left, right, last)
        return left

    def operand(self, token: _Token) -> _Value:
        """Return a number or a name."""
        end = token.end
        if token.kind == "number":
            size = decimal(token.text)
            if size is None:
                self.refuse("E34", token)
            if self.token.text == "%":
                size, end = size / 100, self.take().end
            return _Value(expr.expr(size), token.start, end)
        if token.kind == "name":
            return _Value(self.named(token), token.start, end)
        if token.kind == "end":
            self.refuse("E02" if self.text.strip() else "E01", token)
        self.refuse("E07", token, what=repr(token.text))

    def named(self, token: _Token) -> Expr | Condition:
        """Return the meaning of a name."""
        name = ALIASES.get(token.text, token.text)
        if name in ("True", "False"):
            return Condition("truth", data=name == "True")
        base = name.partition("[")[0]
        if base in _FUNCTIONS:
            self.refuse("E09", token, what=base)
        if self.names is None or name in KNOWN or name in self.names or base in self.names:
            return expr.name(name)
        if name in _NOT_NUMBERS:
            self.refuse("E13", token, what=name)
        known = ", ".join(sorted({*KNOWN, *self.names})[:12])
        self.refuse("E35", token, what=name, known=known)

    def bracket(self, opening: _Token, function: _Token | None = None) -> _Reading:
        """Read up to the end of a bracket: of a function, of a pair, or around a formula."""
        parts: list[_Value] = []
        while not parts or self.token.text == ",":
            if parts:
                self.take()
                if self.token.text == ")":  # as in (a, b,)
                    break
            part = yield self.expression(_CHOICE)
            parts.append(part)
        end = self.token
        if end.kind == "end":
            self.refuse("E04", opening)
        if end.text == "else":
            self.refuse("E07", end, what=repr(end.text))
        if function is not None:
            found = self.called(function, parts, end)
        else:
            made = parts[0].value if len(parts) == 1 else tuple(part.value for part in parts)
            found = _Value(made, opening.start, end.end)
        self.take()
        return found

    def called(self, function: _Token, parts: list[_Value], end: _Token) -> _Value:
        """Return a function of its arguments."""
        build = _FUNCTIONS[function.text]
        if function.text in _OF_ONE and len(parts) > 1:
            place = _Value((), function.start, end.end)
            self.refuse("E17", place, what=function.text, given=len(parts))
        if function.text != "piecewise":
            given: list[Any] = [self.formula(part) for part in parts]
            return self.built(function.start, end.end, build, *given)
        for part in parts:
            match part.value:
                case (Expr(), Condition()):
                    continue
            self.refuse("E18", part)
        return self.built(function.start, end.end, build, *(part.value for part in parts))

    def prefixed(self, token: _Token, right: _Value) -> _Value:
        """Return what `not`, - or + makes of what stands after it."""
        if token.text == "not":
            return _Value(~self.condition(right), token.start, right.end)
        one = self.formula(right)
        return _Value(-one if token.text == "-" else one, token.start, right.end)

    def binary(
        self, op: str, left: _Value, right: _Value, last: Expr | None
    ) -> tuple[_Value, Expr | None]:
        """Return the value of an operator, and the last side of a comparison."""
        if op in _ARITHMETIC:
            parts = self.formula(left), self.formula(right)
            return self.built(left.start, right.end, _ARITHMETIC[op], *parts), None
        if op in ("and", "or"):
            test, two = joined(op, self.condition(left), self.condition(right)), None
        else:
            two = self.formula(right)
            test = compared(op, self.formula(left) if last is None else last, two)
            if last is not None:
                test = joined("and", self.condition(left), test)
        return _Value(test, left.start, right.end), two

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

    def built(self, start: int, end: int, build: Callable[..., Expr], *parts: Any) -> _Value:
        """Build a formula; what it refuses is refused with its place."""
        try:
            return _Value(build(*parts), start, end)
        except ExactdpError as error:
            self.refuse(error.code, _Value((), start, end), **error.data)

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
