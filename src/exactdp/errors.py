"""Errors caused by what a user wrote: each names the place, the rule and the way out.

Every error that a user can cause is an `ExactdpError`. It prints as

    noisy_sum.py:9:9: a real variable cannot be assigned inside a while loop
        9 |         total = total + lap(eps / 2, q[i])
          |         ^^^^^
    DiPWhile+ assigns reals a bounded number of times (paper, section 5.2).
    Use `for i in range(<constant>)`, which is unrolled.
    Example: exactdp help R01

and has the same information as attributes, for use by editors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from exactdp.pages import code_of

_TOLD_BY_TYPE = (bool, int, float, complex, str, bytes, list, tuple, dict, set)
"""Types whose names help to tell similar values apart: '3' and 3, [1] and (1,)."""


@dataclass(frozen=True)
class Place:
    """A range of characters in a source line; `line`, `column` and `end_column` count from 1.

    `end_column` is the column after the last character of the range.

    >>> from exactdp import Mechanism, ProgramError
    >>> try:
    ...     Mechanism.from_source("def f(q: Real): return lap(eps, q) ** 2")
    ... except ProgramError as error:
    ...     print(error.place.line, error.place.column)
    1 24
    """

    source: str
    line: int
    column: int
    end_column: int
    text: str

    def show(self) -> str:
        """Return the source line with carets under the range."""
        number = f"{self.line:>5}"
        # Tabs are kept, so that the carets stay aligned with the source line.
        indent = "".join("\t" if c == "\t" else " " for c in self.text[: self.column - 1])
        carets = "^" * max(1, self.end_column - self.column)
        return f"{number} | {self.text}\n{' ' * len(number)} | {indent}{carets}"


class ExactdpError(Exception):
    """Raised when something a user wrote is wrong; nothing was decided or changed.

    >>> from exactdp import ExactdpError, Mechanism
    >>> try:
    ...     Mechanism.from_source("def f(q: Real): return lap(eps, q) ** 2")
    ... except ExactdpError as error:
    ...     print(error.line, error.message, error.code)
    1 a real has no ** R07
    """

    of_a_program = False
    """Whether errors of this class are about a program; each of those has a code."""

    def __init__(
        self, message: str, *, place: Place | None = None, rule: str = "", way_out: str = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.rule = rule
        self.way_out = way_out

    @property
    def line(self) -> int | None:
        """The line of the mistake, counted from 1, or None if it is not in a source text."""
        return self.place.line if self.place else None

    @property
    def column(self) -> int | None:
        """The column of the mistake, counted from 1, or None if it is not in a source text."""
        return self.place.column if self.place else None

    @property
    def code(self) -> str:
        """The code of the message, such as "R06" (see `exactdp help R06`), or "" if none."""
        return code_of(self.message, of_a_program=self.of_a_program)

    def __str__(self) -> str:
        head = self.message
        if self.place is not None:
            at = f"{self.place.source}:{self.place.line}:{self.place.column}"
            head = f"{at}: {self.message}\n{self.place.show()}"
        more = f"Example: exactdp help {self.code}" if self.code else ""
        return "\n".join(part for part in (head, self.rule, self.way_out, more) if part)

    def __reduce__(self) -> tuple[object, ...]:
        facts = {"place": self.place, "rule": self.rule, "way_out": self.way_out}
        return _rebuild, (type(self), self.message, facts)


def _rebuild(kind: type[ExactdpError], message: str, facts: dict[str, object]) -> ExactdpError:
    error = kind.__new__(kind)
    ExactdpError.__init__(error, message, **facts)  # type: ignore[arg-type]
    return error


class ParseError(ExactdpError):
    """Raised when a string is not a valid closed form, interval or number.

    >>> from exactdp import ParseError, parse
    >>> try:
    ...     parse("5 +")
    ... except ParseError:
    ...     print("no formula")
    no formula
    """


class ValueRefusedError(ExactdpError, ValueError):
    """Raised when a value is invalid for its purpose (a NaN, an empty interval, …).

    >>> from exactdp import Dom, ValueRefusedError
    >>> try:
    ...     Dom(3, 0)
    ... except ValueRefusedError as error:
    ...     print(error.message)
    Dom(3, 0) is empty
    """


class ArgumentRefusedError(ExactdpError, TypeError):
    """Raised when a call has an argument that the function does not have, or lacks one.

    >>> from exactdp import ArgumentRefusedError, ErrorBound, Mechanism
    >>> count = Mechanism.from_source("def count(x: Real): return lap(eps, x)")
    >>> try:
    ...     ErrorBound(count, within=10).risk(epsilon=1)
    ... except ArgumentRefusedError as error:
    ...     print(error.message, error.way_out, sep="; ")
    risk has no argument epsilon; Write eps=1.
    """


class VacuousClaimError(ExactdpError, ValueError):
    """Raised when a claim says nothing, so that every number would answer the question.

    >>> from exactdp import Accuracy, Mechanism, VacuousClaimError
    >>> larger = Mechanism.from_source(
    ...     "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
    ... )
    >>> try:
    ...     Accuracy(larger, "5%", inputs=[[0, 0]]).tightest()
    ... except VacuousClaimError:
    ...     print("the claim says nothing")
    the claim says nothing
    """


class TimeoutRefusedError(ExactdpError):
    """Raised when there is no answer within the time limit."""


class ProgramError(ExactdpError):
    """Raised when a source is not a program of the language, or when running it fails.

    >>> from exactdp import Mechanism, ProgramError
    >>> try:
    ...     Mechanism.from_source("def f(q: Real): return lap(eps, q) ** 2")
    ... except ProgramError as error:
    ...     print(error.line, error.message)
    1 a real has no **
    """

    of_a_program = True


class UndefinedError(ProgramError):
    """Raised where a program is undefined: an `assert` failed, or a table has no entry."""


def shown(value: object) -> str:
    """Return a value as a user would write it, or else the name of its type, for a message."""
    try:
        return _shown(value)
    except Exception:  # more digits than Python prints, or a value whose own `repr` fails
        return "a very long number" if isinstance(value, int | Fraction) else kind_of(value)


def typed(value: object) -> str:
    """Return a value for a message, with its type if the type may be the mistake."""
    told = isinstance(value, _TOLD_BY_TYPE)
    return f"{shown(value)} ({type(value).__name__})" if told else shown(value)


def kind_of(value: object) -> str:
    """Return the name of a value's type with its article."""
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def counted(count: int, one: str) -> str:
    """Return "1 input" or "2 inputs"."""
    return f"{count:,} {one}" + "s" * (count != 1)


def _shown(value: object) -> str:
    kind = type(value)
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, list | tuple):
        inside = ", ".join(map(_shown, value))
        comma = "," if len(value) == 1 else ""
        return f"({inside}{comma})" if kind is tuple else f"[{inside}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_shown(key)}: {_shown(value[key])}' for key in value)}}}"
    if isinstance(value, type):
        return value.__name__
    text = str(value) if kind.__module__.partition(".")[0] == "exactdp" else repr(value)
    if "\n" not in text and not text.startswith("<"):
        return text
    name = getattr(value, "__name__", "")
    if name == "<lambda>":
        return "a lambda"
    word = "function" if "function" in kind.__name__ else kind.__name__.lower()
    return f"the {word} {name}" if name else kind_of(value)
