"""The sentences of answers, made from their data alone."""

from __future__ import annotations

from ..language.values import shown
from ..ring.enclose import Enclosure
from .refute import Counterexample
from .statement import Statement

DIGITS = 60
"""Numbers that differ by less than 10^−60 of their size are printed alike.

Enclosures have some 120 digits.
"""


def sentence(outcome: str, statement: Statement, failure: Counterexample | None, left: str) -> str:
    """Return the first line of an answer."""
    claim = _claim(statement)
    match outcome:
        case "holds":
            return f"Holds: {claim}."
        case "fails" if failure:
            return f"Fails: it is not true that {claim}: {counterexample(failure)}."
        case "vacuous":
            why = "each input is at the distance 0 to disagreement"
            return f"Vacuous: nothing is claimed, as {why}: {claim}."
    return f"Undecided: {left}: {claim}."


def counterexample(one: Counterexample) -> str:
    """Return a counterexample in words, with as many digits as tell both sides apart."""
    error, allowed = _told_apart(one.error, one.allowed)
    return (
        f"at the input {shown_input(one.input)} and ε = {one.eps}"
        f" (α = {one.alpha}, γ = {one.gamma}) the output is wrong"
        f" with probability {error}, and the claim allows {allowed}"
    )


def _told_apart(one: Enclosure, two: Enclosure) -> tuple[str, str]:
    """Return two numbers with four digits, or as many more as they need to differ."""
    for digits in range(4, DIGITS):
        texts = one.text(digits), two.text(digits)
        if texts[0] != texts[1]:
            return texts
    return one.text(DIGITS), two.text(DIGITS)


def shown_input(numbers: tuple[object, ...]) -> str:
    """Return an input as a user would write it."""
    return f"[{', '.join(map(str, numbers))}]"


def _claim(one: Statement) -> str:
    count, window = len(one.inputs), one.on.window
    return (
        f"{one.program.name} is (α, β, γ)-accurate with α {one.alpha}, γ = {shown(one.gamma)} and"
        f" β = {one.beta!s} on {count} given input{'s' * (count != 1)}, for every ε in {window}"
    )
