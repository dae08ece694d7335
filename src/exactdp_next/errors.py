"""A stub until the foundations land: errors with a code, a place, a rule and a way out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn


@dataclass(frozen=True)
class Place:
    """A range of characters in a source line."""

    source: str
    line: int
    column: int
    end_column: int
    text: str


class ExactdpError(Exception):
    """Raised when something a user wrote is wrong."""

    def __init__(
        self, message: str, code: str, place: Place | None, data: dict[str, object]
    ) -> None:
        super().__init__(message)
        self.code, self.place, self.data = code, place, data

    @property
    def column(self) -> int | None:
        """The column of the mistake."""
        return self.place.column if self.place else None


class ParseError(ExactdpError):
    """Raised when a string is not a formula."""


class ValueRefusedError(ExactdpError, ValueError):
    """Raised when a value is invalid for its purpose."""


MESSAGES = {
    "E01": "there is no text",
    "E02": "something is missing at the end",
    "E03": "{what} has no meaning here",
    "E04": "this bracket is never closed",
    "E05": "there is no opening bracket for this one",
    "E06": "an operator is missing before {what}",
    "E07": "a number, a name or a bracket was expected, not {what}",
    "E08": "the function {what} is not known",
    "E09": "{what} needs brackets",
    "E10": "this is a condition, and a number is needed",
    "E11": "this is a number, and a condition is needed",
    "E12": "{value!r} is not a text",
    "E13": "{what} is not a number",
    "E14": "the text has more than {most} characters",
    "E15": "`if` without `else`",
    "E16": "SymPy is not installed",
    "E17": "{what} of {given} arguments",
    "E18": "a part of piecewise is not (formula, condition)",
    "E19": "two formulas with a comma are no formula",
    "E20": "{what} is {value!r}, which is no number and no formula",
    "E21": "{value!r} is no condition",
    "E22": "{what} is neither true nor false",
    "E23": "{what}() of nothing",
    "E24": "{value!r} is not a value of eps",
    "E25": "{value!r} is no number of digits",
    "E26": "{what} depends on {names} besides eps",
    "E27": "{what} has no value at eps = {value}",
    "E28": "{value!r} is not an interval",
    "E29": "the interval {value} is {problem}",
    "F01": "{what} is zero, and nothing can be divided by it",
    "F18": "{what} is a number of more than {most} bits",
    "F24": "{what} is not a rational exponent",
    "F32": "this number is too large",
    "N01": "the name {what} is not known",
    "S44": "log is taken of {what}, which is not positive",
    "S53": "a root is taken of {what}, which is negative",
}


def fail(
    code: str,
    place: Place | None = None,
    kind: type[ExactdpError] = ValueRefusedError,
    **data: object,
) -> NoReturn:
    """Raise the error of a code."""
    raise kind(f"{code}: " + MESSAGES[code].format(**data), code, place, data)


class ProgramError(ExactdpError):
    """Raised when a source is not a program of the language."""


class ArgumentRefusedError(ExactdpError, TypeError):
    """Raised when a call has an argument that the function does not have, or lacks one."""


class VacuousClaimError(ExactdpError, ValueError):
    """Raised when a claim says nothing, so that every number would answer the question."""


class StoreError(ExactdpError):
    """Raised when a store cannot be read or written."""


class GivenUp(ExactdpError):  # noqa: N818
    """A question of a family that exactdp no longer answers, with what does it instead."""

    def __init__(self, family: str, instead: str) -> None:
        super().__init__(f"exactdp does not do this: {family}. Instead: {instead}", "", None, {})
        self.family = family


class NotYet(Exception):  # noqa: N818
    """Internal, and no error of a user: a package of the new tree that is not written yet."""

    def __init__(self, family: str) -> None:
        super().__init__(f"not yet: {family}")
        self.family = family
