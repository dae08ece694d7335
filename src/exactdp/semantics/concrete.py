"""One run with sampled noise."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from exactdp.errors import ValueRefusedError
from exactdp.language.events import Compare, Done, Draw, Event, Selection
from exactdp.language.linear import Linear
from exactdp.language.machine import Machine
from exactdp.language.operations import COMPARISONS
from exactdp.language.quotients import NoisyQuotient
from exactdp.language.rules import fail
from exactdp.language.sampling import closed_form
from exactdp.language.types import read_number
from exactdp.language.values import List, Symbolic, plain
from exactdp.language.wholes import Whole
from exactdp.language.words import NOISES
from exactdp.reals import ClosedForm, Interval, exp
from exactdp.reals import eps as budget
from exactdp.semantics.states import Visited

if TYPE_CHECKING:
    from exactdp.language.events import State
    from exactdp.language.program import Program
    from exactdp.language.terms import EpsTerm, Number
    from exactdp.language.values import Value

T = TypeVar("T")

_SMALLEST = Fraction(1, 10**200)
_LOWEST = Fraction(-1000)
_LARGEST_BUDGET = 10**30
_LEAST_BUDGET = Fraction(1, 10**100)


class Uniform(Protocol):
    """A source of uniform numbers: `random.Random` or a numpy generator."""

    def random(self) -> float:
        """Return a number in [0, 1)."""


def run(program: Program, u: object, eps: object, rng: Uniform | None) -> Value:
    """Return one output: exact if the program is deterministic, else one sample."""
    given = program.read_input(u)
    if program.deterministic and not program.meets_eps:
        return program.machine.run(given)
    at = read_budget(eps)
    machine = program.on(Interval(at, at)).rough_machine
    return run_once(machine, machine.start(given), at, rng or random.Random())


def read_budget(eps: object) -> Fraction:
    """Return the ε of a run."""
    if eps is None:
        raise ValueRefusedError(
            "eps is missing",
            rule="A mechanism with noise needs a privacy budget to run.",
            way_out="Write for example run(u, eps=1).",
        )
    value = read_number(eps)
    if value <= 0:
        raise ValueRefusedError(
            f"eps is {value}", rule="The privacy budget is positive.", way_out="Give eps > 0."
        )
    if not _LEAST_BUDGET <= value <= _LARGEST_BUDGET:
        raise ValueRefusedError(
            f"eps is {'larger than 1e30' if value > 1 else 'smaller than 1e-100'}",
            rule="A run samples with floats, at an eps from 1e-100 to 1e30.",
            way_out="Give such an eps, or ask distribution(u), which is exact at every eps.",
        )
    return Fraction(value)


def run_once(machine: Machine, state: State, eps: Fraction, rng: Uniform) -> Value:
    """Return the output of one run with sampled noise (floats: for exploration, not for proof).

    Only the samples are rounded: real noise is a symbol for the rational number sampled, so
    comparisons are decided exactly, however small the noise is compared with its mean.
    """
    drawn: list[Fraction] = []
    visited = Visited(machine)
    event = machine.advance(state)
    while not isinstance(event, Done):
        visited.add(event.state)
        if isinstance(event, Draw):
            sample: Value = placed(machine, event, partial(draw, event, eps, rng))
            if not NOISES[event.noise].is_whole:
                drawn.append(sample)
                sample = Linear.symbol(len(drawn) - 1)
            value = event.mean + sample
        elif isinstance(event, Compare):
            value = COMPARISONS[event.op](_at(event.difference, drawn), 0)
        else:
            value = event.values[pick(weights(event, eps), rng.random())]
        event = machine.advance(machine.resume(event, value))
    return _floats(at_budget(event.output, eps), drawn)


def placed(machine: Machine, event: Event, compute: Callable[[], T]) -> T:
    """Return `compute()` for an event; an error names the place of its statement."""
    try:
        return compute()
    except ValueRefusedError as error:
        place = machine.code.instructions[event.state.pc].place
        raise fail(place, error.message, error.rule, error.way_out) from None


def _at(form: Symbolic, drawn: list[Fraction]) -> Fraction:
    """Return the value of a form in the samples drawn so far."""
    assert isinstance(form, Linear)
    total = Fraction(form.constant)
    for name, q in form.coefficients.items():
        if isinstance(name, Whole):
            total += q * name.value(_at(name.form, drawn))
            continue
        assert isinstance(name, int)
        total += q * drawn[name]
    return total


def at_budget(output: Value, eps: Fraction) -> Value:
    """Return an output with its expressions in ε replaced by floats."""
    if isinstance(output, tuple):
        parts = [at_budget(part, eps) for part in output]
        return List(parts) if isinstance(output, List) else tuple(parts)
    return float(output.at(eps)) if isinstance(output, ClosedForm) else output


def _number(value: Value, drawn: list[Fraction]) -> Fraction:
    return _at(value, drawn) if isinstance(value, Linear) else Fraction(value)


def _floats(output: Value, drawn: list[Fraction]) -> Value:
    """Return an output with its real noise replaced by floats."""
    if isinstance(output, tuple):
        parts = [_floats(part, drawn) for part in output]
        return List(parts) if isinstance(output, List) else tuple(parts)
    if isinstance(output, NoisyQuotient):
        return float(_number(output.over, drawn) / _number(output.under, drawn))
    if not isinstance(output, Linear):
        return output
    value = _at(output, drawn)
    is_whole = all(isinstance(name, Whole) for name in output.coefficients)
    return plain(value) if is_whole else float(value)


def draw(event: Draw, eps: Fraction, rng: Uniform) -> int | Fraction:
    """Return one sample of noise centred at 0: an integer for integer noise."""
    kind = NOISES[event.noise]
    if kind.has_ends:
        return (Fraction(rng.random()) - Fraction(1, 2)) * event.width  # type: ignore[no-any-return]
    scale = scale_of(event, eps)
    if kind.is_whole:
        # The difference of two geometric variables is discrete Laplace noise.
        first = math.floor(_exponential(scale, rng))
        return first if kind.is_above else first - math.floor(_exponential(scale, rng))
    size = _exponential(scale, rng)
    if event.noise == "gumbel":  # e^{−x} is exponential noise of rate 1
        return -Fraction(math.log(size / scale or _SMALLEST)) * scale
    return -size if not kind.is_above and rng.random() < 0.5 else size


def _exponential(scale: Fraction, rng: Uniform) -> Fraction:
    return Fraction(-math.log1p(-rng.random())) * scale


def scale_of(event: Draw, eps: Fraction) -> Fraction:
    """Return 1/(rate·ε), the scale of a sample; refuse it if floats cannot represent it."""
    budget = eps if event.base is None else Fraction(math.log(event.base.at(float(eps))))
    scale = 1 / (event.rate * budget)
    if not _SMALLEST < scale < 1 / _SMALLEST:
        size = len(str(scale.numerator)) - len(str(scale.denominator))
        raise ValueRefusedError(
            f"noise of a scale near 1e{size} cannot be sampled",
            rule="Samples are floats, so 1/(rate * eps) is from 1e-200 to 1e200.",
            way_out="Give another eps, or ask distribution(u), which is exact at every eps.",
        )
    return scale


def weights(event: Selection, eps: Fraction) -> list[float]:
    """Return the probabilities of a choice, each rounded once."""
    if event.exponents is not None:
        numbers = [q for q in event.exponents if not isinstance(q, Symbolic)]
        top = max(numbers)
        # Below e^-1000 the only float is 0.
        sizes = [max((q - top) * eps, _LOWEST) for q in numbers]
        found = [math.exp(size) for size in sizes]
    else:
        assert event.chances is not None
        found = list(_chances(event.chances, eps))
    total = math.fsum(found)
    return [weight / total for weight in found]


@lru_cache(maxsize=4096)
def _chances(listed: tuple[EpsTerm | Number, ...], at: Fraction) -> tuple[float, ...]:
    """Return probabilities of `choose` at an ε; closed forms avoid overflow and cancellation."""
    return tuple(float(closed_form(chance, budget, exp).at(at)) for chance in listed)


def pick(chances: list[float], uniform: float) -> int:
    """Return the position that a uniform number selects."""
    for position, chance in enumerate(chances):
        uniform -= chance
        if uniform < 0:
            return position
    return max(k for k, chance in enumerate(chances) if chance > 0)
