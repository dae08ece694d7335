"""The rules that more than one pass cites, and the function that raises the error."""

from __future__ import annotations

from typing import NoReturn

from exactdp.errors import Place, ProgramError

LINEAR = "Expressions in reals and noise are linear: sums, and products with finite values."
AROUND_INTEGERS = "Integer noise is drawn around a whole number."
COMPARE_IT = "Compare it, and use the result of the comparison."
AN_INDEX = "An index is a finite value; the paper's E, never R or Z."
A_FUNCTION = "Python functions are run on finite values."
COPY_FIRST = "Inputs and constants stay as they are; lists made in the mechanism can change."
CALL_IT = "Call it where its result is used."
NOT_A_VALUE = "A function is not a value of the language: it can be called or handed on."
SAME_LENGTH = "An assignment to several targets needs as many values."
TARGETS = "Write one target for each value."
IDENTITY = "`is` compares with None, or two truth values"
SINGLE_OBJECTS = (
    "None, True and False are single objects; whether other equal values are one is left open."
)
WRITE_EQUAL = "Write == for `is`, and != for `is not`."
CALLED_BY_NAME = "Use a comprehension, or an @ideal function called by name."


def fail(place: Place, message: str, rule: str, way_out: str) -> ProgramError:
    """Return the located error of a program."""
    return ProgramError(message, place=place, rule=rule, way_out=way_out)


def refuse(place: Place, message: str, rule: str, way_out: str) -> NoReturn:
    """Raise the located error."""
    raise fail(place, message, rule, way_out)
