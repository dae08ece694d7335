"""Python functions supplied by a user: called twice, with cached results.

exactdp treats such a function as a mathematical one: equal arguments give equal results, without
side effects. `chance` finds functions that cannot be so before any call; this module calls the
function twice for all new arguments, each time with a fresh copy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from exactdp.errors import ExactdpError, ValueRefusedError, shown
from exactdp.language.chance import DRAW_INSTEAD, source_of_chance
from exactdp.language.values import Value, freeze_result, plain, thaw

A_HELPER = "A Python function is called as a function of its arguments alone, with no other effect."


class CheckedFunction:
    """A Python function of immutable values, with its results so far."""

    def __init__(
        self, function: Callable[..., Any], name: str, read: Callable[[Any], Any] = freeze_result
    ) -> None:
        self.function, self.name, self.read = function, name, read
        self._answers: dict[object, Any] = {}

    def __call__(self, *args: Value, **keywords: Value) -> Any:
        """Return the result as a value; refuse a function whose second result differs."""
        key = exact((args, keywords))
        if key in self._answers:
            return self._answers[key]
        answer, again = (self.answer(args, keywords) for _ in range(2))
        if exact(answer) != exact(again):
            raise ValueRefusedError(
                f"{self.name} returned {_short(answer)}, then {_short(again)} for the same "
                "arguments",
                rule=A_HELPER,
                way_out=DRAW_INSTEAD,
            )
        if not any(map(callable, (*args, *keywords.values()))):  # a lambda is new each time
            self._answers[key] = answer
        return answer

    def answer(self, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Any:
        """Call the function once."""
        return self.read(self.function(*args, **keywords))


class Helper(CheckedFunction):
    """A Python function that a program calls; it receives fresh copies of plain Python values."""

    def answer(self, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Any:
        """Call the function once; an exception in it is an error of the program."""
        given, kept = (([*map(thaw, args)], _thawed(keywords)) for _ in range(2))
        try:
            result = self.function(*given[0], **given[1])
        except ExactdpError:
            raise
        except Exception as error:
            values = ", ".join(map(shown, kept[0]))
            raise ValueRefusedError(
                f"{self.name} raised {type(error).__name__}: {error}",
                rule=f"{self.name} is a Python function, run on the values {values}.",
                way_out=f"Make {self.name} return a finite value for them, or test them with "
                "`if` first.",
            ) from error
        if exact(given) != exact(kept):
            raise ValueRefusedError(
                f"{self.name} changed an argument",
                rule=A_HELPER,
                way_out=f"Let {self.name} work on a copy: `xs = list(xs)`.",
            )
        try:
            return self.read(result)
        except ExactdpError as error:
            raise ValueRefusedError(
                f"{self.name} returned {shown(result)}: {error.message}",
                rule=error.rule or "A Python function called by a mechanism returns finite values.",
                way_out=error.way_out,
            ) from None


def checked_function(
    function: Callable[..., Any], name: str, read: Callable[[Any], Any]
) -> CheckedFunction:
    """Return a Python function of a claim; refuse one that uses randomness or the clock."""
    origin = source_of_chance(function)
    if origin is not None:
        raise ValueRefusedError(
            f"{name} uses {origin}",
            rule="The parts of a claim depend on their arguments only, not on chance or time.",
            way_out="Leave it out: only the mechanism samples.",
        )
    return CheckedFunction(function, name, read)


def _thawed(keywords: Mapping[str, Value]) -> dict[str, Any]:
    return {name: thaw(value) for name, value in keywords.items()}


def exact(value: Any) -> object:
    """Return a key that two values share only if no function can tell them apart."""
    if isinstance(value, tuple | list):
        return type(value), tuple(map(exact, value))
    if isinstance(value, Mapping):
        return type(value), tuple((exact(key), exact(item)) for key, item in value.items())
    if isinstance(value, range):
        return repr(value)
    if isinstance(value, Fraction):
        value = plain(value)
    return type(value), value


def _short(value: object) -> str:
    text = shown(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
