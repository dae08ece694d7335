"""Errors: what a user did wrong, where, the rule, and a way out.

Every error that a user can cause is raised by `fail`, with a code, and prints as

    noisy_sum.py:9:9: a real variable cannot be assigned inside a while loop
        9 |         total = total + lap(eps / 2, q[i])
          |         ^^^^^
    DiPWhile+ assigns reals a bounded number of times (paper, section 5.2).
    Use `for i in range(<constant>)`, which is unrolled.
    Example: exactdp help R01

The sentences are in `messages.toml`. Ring, geometry, graph, measure and decide raise none of these
for a question without an answer: they return a `messages.Reason`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from . import messages

_OURS = __name__.partition(".")[0]

_TOLD_BY_TYPE = (bool, int, float, complex, str, bytes, list, tuple, dict, set)
"""Types whose names help to tell similar values apart: '3' and 3, [1] and (1,)."""

LONGEST_SHOWN = 200
"""Characters of a value or a source line in a message: two lines of a terminal."""


@dataclass(frozen=True, slots=True)
class Place:
    """A range of characters in a source line; `line`, `column` and `end_column` count from 1.

    `end_column` is the column after the last character of the range.
    """

    source: str
    line: int
    column: int
    end_column: int
    text: str

    def show(self) -> str:
        """Return the source line with carets under the range."""
        number = f"{self.line:>5}"
        first = 0 if len(self.text) <= LONGEST_SHOWN else max(0, self.column - LONGEST_SHOWN // 2)
        text = self.text[first : first + LONGEST_SHOWN]
        # Tabs are kept, so that the carets stay aligned with the source line.
        indent = "".join("\t" if c == "\t" else " " for c in text[: self.column - 1 - first])
        carets = "^" * max(1, min(self.end_column - self.column, len(text) - len(indent)))
        return f"{number} | {text}\n{' ' * len(number)} | {indent}{carets}"


class ExactdpError(Exception):
    """Raised when something that a user wrote is wrong; nothing was decided or changed.

    `data` is what the message was made from; it is empty in an error from another process.
    """

    def __init__(
        self, code: str, told: messages.Told, place: Place | None, data: Mapping[str, object]
    ) -> None:
        super().__init__(told.message)
        self.code, self.place, self.data = code, place, data
        self.message, self.rule, self.way_out = told.message, told.rule, told.way_out
        self._told = told

    @property
    def line(self) -> int | None:
        """The line of the mistake, counted from 1, or None if it is not in a source text."""
        return self.place.line if self.place else None

    @property
    def column(self) -> int | None:
        """The column of the mistake, counted from 1, or None if it is not in a source text."""
        return self.place.column if self.place else None

    def __str__(self) -> str:
        head = self.message
        if self.place is not None:
            at = f"{self.place.source}:{self.place.line}:{self.place.column}"
            head = f"{at}: {self.message}\n{self.place.show()}"
        more = f"Example: exactdp help {self.code}" if self._told.page else ""
        return "\n".join(part for part in (head, self.rule, self.way_out, more) if part)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (type(self), self.code, self._told, self.place)


class ProgramError(ExactdpError):
    """Raised when a source is not a program of the language, or when running it fails."""


class ParseError(ExactdpError):
    """Raised when a string is not a valid formula, interval or number."""


class ArgumentRefusedError(ExactdpError, TypeError):
    """Raised when a call has an argument that the function does not have, or lacks one."""


class ValueRefusedError(ExactdpError, ValueError):
    """Raised when a value is invalid for its purpose: a NaN, an empty interval."""


class VacuousClaimError(ExactdpError, ValueError):
    """Raised when a claim says nothing, so that every number would answer the question."""


class StoreError(ExactdpError):
    """Raised when a store cannot be read or written."""


class GivenUp(ExactdpError):  # noqa: N818
    """Raised for a question of a family that exactdp no longer answers (docs/given-up.md)."""

    def __init__(self, family: str, place: Place | None = None) -> None:
        super().__init__(family, messages.told(family), place, {})

    @property
    def family(self) -> str:
        """The name of the family."""
        return self.code


class NotYet(Exception):  # noqa: N818
    """Internal, and no error of a user: a part of the new tree that is not written yet."""

    def __init__(self, family: str) -> None:
        super().__init__(f"not yet: {family}")
        self.family = family

    def __reduce__(self) -> tuple[object, ...]:
        return NotYet, (self.family,)


_KINDS: dict[str, type[ExactdpError]] = {
    kind.__name__: kind
    for kind in (
        *(ExactdpError, ProgramError, ParseError, ArgumentRefusedError, ValueRefusedError),
        *(VacuousClaimError, StoreError),
    )
}


def fail(
    code: str,
    /,
    *,
    place: Place | None = None,
    kind: type[ExactdpError] | None = None,
    **data: object,
) -> NoReturn:
    """Raise the error of a code, with a message made from data.

    The class is that of the table. Whoever finds the place of a mistake that something below it
    found without one may say another: a formula in a text is a ParseError, in a program a
    ProgramError.
    """
    told = messages.told(code, {name: Shown(value) for name, value in data.items()})
    raise (kind or _KINDS[told.kind])(code, told, place, data)


def _rebuilt(
    kind: type[ExactdpError], code: str, told: messages.Told, place: Place | None
) -> ExactdpError:
    error = kind.__new__(kind)
    ExactdpError.__init__(error, code, told, place, {})
    return error


class Shown:
    """A value in a message: `{x}` is a text itself or another value as a user would write it.

    `{x:type}` adds the type where that may be the mistake, `{x:kind}` is the type with its article,
    `{x:list}` is a list of texts with commas, `{x:input}` with any other word is "1 input" or
    "2 inputs". Other specifications are Python's, such as `{x:,}`.
    """

    def __init__(self, value: object) -> None:
        self.value = value

    def __format__(self, wish: str) -> str:
        match wish:
            case "":
                return self.value if isinstance(self.value, str) else shown(self.value)
            case "type":
                return typed(self.value)
            case "kind":
                return kind_of(self.value)
            case "list":
                assert isinstance(self.value, list | tuple)
                return ", ".join(map(str, self.value))
        if wish.replace(" ", "").isalpha() and len(wish) > 1:
            assert isinstance(self.value, int)
            return counted(self.value, wish)
        return format(self.value, wish)


def shown(value: object) -> str:
    """Return a value as a user would write it, or else the name of its type, for a message."""
    try:
        text = _shown(value)
    except Exception:  # more digits than Python prints, or a value whose own `repr` fails
        return "a very long number" if isinstance(value, int | Fraction) else kind_of(value)
    half = LONGEST_SHOWN // 2
    return text if len(text) <= LONGEST_SHOWN else f"{text[:half]}…{text[-half:]}"


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
    if kind in (list, tuple):
        assert isinstance(value, list | tuple)
        inside = ", ".join(map(_shown, value))
        comma = "," if len(value) == 1 else ""
        return f"({inside}{comma})" if kind is tuple else f"[{inside}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_shown(key)}: {_shown(value[key])}' for key in value)}}}"
    if isinstance(value, type):
        return value.__name__
    text = str(value) if kind.__module__.partition(".")[0] == _OURS else repr(value)
    if "\n" not in text and not text.startswith("<"):
        return text
    name = getattr(value, "__name__", "")
    if name == "<lambda>":
        return "a lambda"
    word = "function" if "function" in kind.__name__ else kind.__name__.lower()
    return f"the {word} {name}" if name else kind_of(value)
