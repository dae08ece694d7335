"""Losses of outputs: the named ones, and functions given by a user.

A loss is a number for an input, an output and the ideal output. It is piecewise polynomial in the
noise of the output and in the inputs; its expectation is a closed form (`semantics.moments`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from inspect import signature
from itertools import islice
from typing import Any

from exactdp.claims.stated.fitting import (
    follows_scores,
    has_best_score,
    may_select,
    selects_largest,
)
from exactdp.claims.stated.ideals import IdealFunction, read_ideal
from exactdp.claims.stated.inputs import as_given
from exactdp.claims.stated.scores import begins_with_scores, candidate_scores
from exactdp.errors import ValueRefusedError, shown
from exactdp.language.chance import source_of_chance
from exactdp.language.program import Program
from exactdp.language.values import Value
from exactdp.reals import ClosedForm
from exactdp.semantics.engine import Engine
from exactdp.semantics.moments import guarded
from exactdp.semantics.polynomial import PolynomialNumber, lifted
from exactdp.semantics.spots import Trace, symbolic

TOLD = {
    "absolute": "absolute error",
    "squared": "squared error",
    "wrong": "probability of a wrong output",
    "regret": "regret",
}
"""The named losses, in words."""

_MOST_INPUTS = 2_000  # at which it is seen what the ideal output selects


@dataclass(frozen=True)
class LossFunction:
    """A function of an input, an output and the ideal output, in the form users write them."""

    name: str
    function: Callable[[Any, Any, Any], Any]
    uses_ideal: bool
    is_continuous: bool
    """Whether it is continuous where numbers of its arguments are equal."""

    def squared(self) -> LossFunction:
        """Return the square of the loss."""
        return LossFunction(
            self.name,
            lambda u, output, ideal: _square(self.function(u, output, ideal)),
            self.uses_ideal,
            self.is_continuous,
        )


def _square(value: Any) -> Any:
    return value * value


def expected(
    mechanism: Program,
    loss: LossFunction,
    ideal: IdealFunction | None,
    u: tuple[Value, ...],
    trace: Trace | None = None,
) -> ClosedForm | float:
    """Return the expectation of a loss at an input, whose reals may be spots of a trace."""
    best = ideal(u) if ideal is not None and loss.uses_ideal else None
    given, wanted = (symbolic(one) for one in (as_given(mechanism, u), best))

    def function(output: Value, number: Callable[[Any], Any]) -> Any:
        arguments = (lifted(one, number) for one in (given, output, wanted))
        return guarded(loss.function, f"the loss {loss.name}", *arguments)

    engine = mechanism.kept(Engine)
    if trace is None or len(trace.names) == 1:
        return engine.expectation(as_given(mechanism, u), function)
    return engine.expectation_at_spots(u, function, trace, jumps=not loss.is_continuous)


def read_loss(
    value: object,
    mechanism: Program,
    ideal: Any = None,
    inputs: Callable[[], Iterable[tuple[Value, ...]]] = tuple,
) -> LossFunction:
    """Read the loss given by a user; `inputs` are those that are listed."""
    if isinstance(value, LossFunction):
        return value
    if value == "absolute":
        return LossFunction("absolute", _absolute, uses_ideal=True, is_continuous=True)
    if value == "squared":
        return LossFunction("squared", _squared, uses_ideal=True, is_continuous=True)
    if value == "wrong":
        return _wrong(mechanism)
    if value == "regret":
        return _regret(mechanism, read_ideal(ideal, mechanism), inputs)
    if callable(value) and not isinstance(value, type):
        return _own(value)
    raise ValueRefusedError(
        f"{shown(value)} is not a loss",
        rule=f"A loss is one of {', '.join(map(repr, TOLD))}, or a function of an input and an "
        "output.",
        way_out='Write loss="absolute", or loss=lambda u, output: (output - u) ** 2.',
    )


# Errors of numbers --------------------------------------------------------------------


def _absolute(u: Any, output: Any, ideal: Any) -> Any:
    del u
    return sum(map(abs, _errors(output, ideal)))


def _squared(u: Any, output: Any, ideal: Any) -> Any:
    del u
    return sum(map(_square, _errors(output, ideal)))


def _errors(output: Any, ideal: Any) -> Iterator[Any]:
    """Yield the errors of the numbers in an output."""
    if isinstance(output, list) and isinstance(ideal, list) and len(output) == len(ideal):
        for one, two in zip(output, ideal, strict=True):
            yield from _errors(one, two)
    elif _is_number(output) and _is_number(ideal):
        yield output - ideal
    else:
        raise ValueRefusedError(
            f"an output is {_told(output)}, and the ideal output {_told(ideal)}",
            rule="The absolute and the squared error are those of a number, or their sum over a "
            "list of numbers.",
            way_out='Use loss="wrong" for outputs that are right or wrong, loss="regret" for a '
            "selection, or a function of the input and the output.",
        )


def _is_number(value: object) -> bool:
    kinds = int | Fraction | PolynomialNumber | ClosedForm
    return isinstance(value, kinds) and not isinstance(value, bool)


def _told(value: object) -> str:
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "a number" if _is_number(value) else shown(value)


# Right or wrong -----------------------------------------------------------------------


def _wrong(mechanism: Program) -> LossFunction:
    if mechanism.checked.output.holds_noise:
        raise ValueRefusedError(
            "the outputs contain noise, and the loss is 'wrong'",
            rule="A number with noise is equal to the ideal one with probability 0, so it is "
            "always wrong.",
            way_out='Use loss="absolute" or loss="squared".',
        )
    return LossFunction(
        "wrong", lambda _, output, ideal: int(output != ideal), uses_ideal=True, is_continuous=False
    )


# Selections ---------------------------------------------------------------------------


def _regret(
    mechanism: Program, ideal: IdealFunction, inputs: Callable[[], Iterable[tuple[Value, ...]]]
) -> LossFunction:
    """Return the loss "regret": the best value minus the value of the selected candidate."""
    by_score = begins_with_scores(mechanism)
    if not by_score and not may_select(mechanism):
        raise ValueRefusedError(
            "the loss is 'regret', and the outputs are not positions in the input",
            rule="The regret is the largest value of the input less the value at the selected "
            "position, or of the scores if the mechanism is expmech.",
            way_out="Give a function of the input and the output that returns the loss.",
        )
    is_best = (follows_scores if by_score else selects_largest)(mechanism, ideal)
    if is_best is None:  # too many possible inputs, so those of the question are examined
        some = list(islice(inputs(), _MOST_INPUTS + 1))
        is_few = 0 < len(some) <= _MOST_INPUTS
        is_best = is_few and all(has_best_score(mechanism, ideal, u) for u in some)
    if not is_best:
        raise _other_ideal(mechanism, "score" if by_score else "value of the input")
    function = partial(_score_regret, mechanism) if by_score else _value_regret
    return LossFunction("regret", function, uses_ideal=False, is_continuous=True)


def _other_ideal(mechanism: Program, best: str) -> ValueRefusedError:
    """Return the error for a regret that is not that against the largest value or score."""
    return ValueRefusedError(
        f"the loss is 'regret', and the ideal output of {mechanism.__name__} is not proved to be "
        f"that with the largest {best}",
        rule=f"The regret is the largest {best} less that of the output. It could also be meant "
        "against the smallest, or against the ideal output.",
        way_out="Give a function: lambda u, output: u[output] - min(u) for a selection of the "
        "smallest value, lambda u, output: max(u) - u[output] for the largest, or one that names "
        "the ideal output.",
    )


def _value_regret(u: Any, output: Any, ideal: Any) -> Any:
    del ideal
    return max(u) - u[output]


def _score_regret(mechanism: Program, u: Any, output: Any, ideal: Any) -> Any:
    del ideal
    scores = candidate_scores(mechanism, u)
    return max(scores.values()) - scores[_hashable(output)]


def _hashable(output: Any) -> Any:
    return tuple(map(_hashable, output)) if isinstance(output, list) else output


# Functions of a user ------------------------------------------------------------------


def _own(function: Callable[..., Any]) -> LossFunction:
    name = getattr(function, "__name__", "function")
    if isinstance(function, Program):
        raise ValueRefusedError(
            f"the loss {name} is a program",
            rule="A loss is a plain Python function of an input and an output; it is called with "
            "exact numbers and symbols for noise, so that it may multiply them.",
            way_out="Leave out the decorator.",
        )
    if origin := source_of_chance(function):
        raise ValueRefusedError(
            f"the loss {name} uses {origin}",
            rule="The parts of a claim depend on their arguments only, not on chance or time.",
            way_out="Leave it out: only the mechanism samples.",
        )
    try:
        needed = [
            one for one in signature(function).parameters.values() if one.default is one.empty
        ]
        count = len(needed)  # lambda y, k=k: … is a function of y
    except (TypeError, ValueError):
        count = 0
    if count == 1:
        return LossFunction(
            name, lambda _, output, __: function(output), uses_ideal=False, is_continuous=False
        )
    if count == 2:
        return LossFunction(
            name, lambda u, output, _: function(u, output), uses_ideal=False, is_continuous=False
        )
    raise ValueRefusedError(
        f"the loss {name} takes {count} arguments",
        rule="A loss is a function of an output, or of an input and an output.",
        way_out="Write lambda u, output: (output - u) ** 2.",
    )
