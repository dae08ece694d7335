"""Runs of a program: the values of samples, and the decision of comparisons with unknowns.

A run along one path receives its choices in advance and takes the first option after these; so
all paths are found by running again with other choices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from . import limits
from .choices import Choices
from .lattices import WHOLE
from .linear import NEGATED, Judge, LinearForm, is_number, plain
from .orders import Orders, UnseenSignError
from .ratios import (
    BrokenRunError,
    EndlessRunError,
    Ratio,
    UnsupportedError,
    WrongProgramError,
    stripped,
    variable,
)

T = TypeVar("T")

Condition = tuple[LinearForm, str]  # form op 0


class Picked(NamedTuple):
    """A random choice: by probabilities, or by exponents, times ε, that may hold inputs."""

    chances: tuple[Ratio, ...]
    exponents: tuple[Any, ...]

    @property
    def options(self) -> int:
        """How many there are."""
        return len(self.chances or self.exponents)

    @property
    def has_unknowns(self) -> bool:
        """Whether its probabilities depend on inputs that are unknowns."""
        return any(isinstance(one, LinearForm) for one in self.exponents)


Question = Condition | Picked
"""A comparison, of which choice 0 is that it is true; or a random choice."""


class NoInputs:
    """Refuses comparisons of inputs without noise: there a probability may jump."""

    def decide(self, form: LinearForm, op: str) -> bool:
        """Refuse."""
        del form, op
        raise UnsupportedError("inputs are compared without noise")


NO_INPUTS = NoInputs()


class TooManyPathsError(UnsupportedError):
    """A program has more paths than are followed."""


class NoisyLoopError(UnsupportedError):
    """A loop is no chain of choices alone."""


Score = Fraction | LinearForm


def as_score(value: Any) -> Score:
    """Return the score of a candidate: a number, or a form in inputs that are unknowns."""
    return value if isinstance(value, LinearForm) else Fraction(value)


def share(exponents: Sequence[Any], k: int) -> Ratio:
    """Return e^{exponent} of one candidate over the sum of all; all are scaled by ε."""
    weights = [_power(one) for one in exponents]
    return weights[k] / sum(weights, Ratio.number(0))


def _power(exponent: Any) -> Ratio:
    if not isinstance(exponent, LinearForm):
        return Ratio({((), stripped((Fraction(exponent),))): Fraction(1)})
    rates = [Fraction(exponent.constant)] + [Fraction(0)] * -min(exponent.coefficients)
    for name, c in exponent.coefficients.items():
        rates[-name] = Fraction(c)
    return Ratio({((), stripped(tuple(rates))): Fraction(1)})


def _free(steps: int) -> None:
    del steps


class Path(Choices):
    """A run along one path, with conditions on the unknowns; or one without noise."""

    unit: Any = None
    """1/ε, or log(base)/ε, as a number; None if neither is combined with reals."""
    base: Fraction | None = None
    """Of which number the unit is the logarithm, over ε."""

    def __init__(
        self,
        choices: tuple[int, ...] = (),
        *,
        noisy: bool = False,
        inputs: Judge | None = None,
        orders: Orders | None = None,
    ) -> None:
        super().__init__(choices)
        self.inputs = inputs  # decides comparisons of inputs that are unknowns, with names < 0
        self.orders = orders or Orders()
        self.scored: list[tuple[Any, Score]] = []  # by the last `expmech`
        self.asked: list[Question] = []
        """What was decided by each choice."""
        self.conditions: list[Condition] = []
        self.noises: list[tuple[str, Fraction]] = []
        self.density = Ratio.number(1)
        """That of uniform noise, between its ends."""
        self.noisy = noisy
        self.is_closed = False  # whether it may not branch, as a loop of choices is examined
        self.ignored_ties = False  # whether runs in which samples are equal may go other ways
        self.pay: Callable[[int], None] = _free
        """Counts steps: what is decided costs more the more is known."""

    def ask(self, question: Question, options: int) -> int:
        """Return the next choice, which decides a question."""
        if self.is_closed:
            raise NoisyLoopError("noise is compared in a loop of choices")
        if len(self.asked) > limits.MAX_PATHS:  # so there are at least as many paths
            raise TooManyPathsError(f"the program has more than {limits.MAX_PATHS} paths")
        self.pay(1 + len(self.asked) // 2)  # another path will have all choices so far
        chosen = self.pick(options)
        self.asked.append(question)
        return chosen

    def picks(self) -> Iterator[tuple[Picked, int]]:
        """Yield random choices, and what was chosen."""
        for question, k in zip(self.asked, self.made, strict=True):
            if isinstance(question, Picked):
                yield question, k

    @cached_property
    def weight(self) -> Ratio:
        """The factor of the probability of the path that does not depend on unknowns."""
        total = self.density
        for one, k in self.picks():
            if not one.has_unknowns:
                total = total * (one.chances[k] if one.chances else share(one.exponents, k))
        return total

    def log(self, value: Any) -> Ratio:
        """Return the logarithm of a power of the base as a multiple of the variable 1."""
        if self.base is None or not is_number(value) or value <= 0:
            raise UnsupportedError("a logarithm is not re-derived here")
        left, power = Fraction(value), 0
        factor = self.base if left > 1 else 1 / self.base
        for _ in range(limits.MAX_POWER):
            if left == 1:
                return variable(1) * Fraction(power)
            left, power = left / factor, power + (1 if factor == self.base else -1)
        raise UnsupportedError("a logarithm is not a multiple of that of the unit")

    def real(self, value: Ratio) -> Any:
        """Return a + b/ε, or a + b·log(base)/ε, as a number to calculate with."""
        once = (-1,) if self.base is None else (-1, 1)
        found: Any = Fraction(0)
        for (powers, rates), c in value.over.items():
            right = value.is_sum and not rates and powers in ((), once)
            if not right or (powers and self.unit is None):
                raise UnsupportedError("an expression in ε beside reals is not re-derived")
            found = (self.unit * c if powers else c) + found
        return plain(found) if isinstance(found, Fraction) else found

    # Comparisons ----------------------------------------------------------------------

    def decide(self, form: LinearForm, op: str) -> bool:
        """Follow the path; equality of real noises has probability 0, integers may be equal."""
        if self.inputs is not None and all(name < 0 for name in form.coefficients):
            return self.inputs.decide(form, op)
        whole = self.noisy and self._has_integers(form)
        ways: tuple[str, ...] = (op, NEGATED[op])
        if self.noisy and op in ("==", "!="):
            if not whole:
                self.ignored_ties = True
                return op == "!="
            ways = "==", "<", ">"
        chosen = self._known(form, ways, whole=whole)
        if chosen is None:
            chosen = ways[self.ask((form, op), len(ways))]
            self.conditions.append((form, chosen))
        return chosen == op if op in ways else chosen != "=="

    def _has_integers(self, form: LinearForm) -> bool:
        """Whether the noise in a form is integer noise; there may be inputs, too."""
        noise = [name for name in form.coefficients if name >= 0]
        return bool(noise) and all(self.noises[name][0] in WHOLE for name in noise)

    def is_whole(self, form: LinearForm) -> bool:
        """Whether a form has only integer noise in it."""
        return self.noisy and min(form.coefficients) >= 0 and self._has_integers(form)

    def _known(self, form: LinearForm, ways: tuple[str, ...], *, whole: bool) -> str | None:
        """Return which of the ways holds, if the conditions so far say it of the same form."""
        signs = set("<=>" if whole else "<>")
        self.pay(1 + len(self.conditions) // 2)
        for other, op in self.conditions:
            if other.coefficients == form.coefficients and other.constant == form.constant:
                if op in ways:
                    return op
                signs &= set(op)
        possible = [one for one in ways if signs & set(one)]
        if not self.noisy or len(possible) > 1:
            return None
        self.ignored_ties = self.ignored_ties or not whole
        return possible[0]

    # Noise ----------------------------------------------------------------------------

    def draw(self, kind: str, rate: Fraction, mean: Any) -> Any:
        """Return the mean and a new unknown; without noise, the mean."""
        if not self.noisy:
            return mean
        if kind in WHOLE and not self._is_integer(mean):
            raise UnsupportedError("integer noise around what is not seen to be an integer")
        if kind == "gumbel":
            raise UnsupportedError("comparisons of gumbel noise are not re-derived")
        self.noises.append((kind, rate))
        return LinearForm({len(self.noises) - 1: Fraction(1)}, Fraction(0), self) + mean

    def _is_integer(self, mean: Any) -> bool:
        """Whether the mean of integer noise is proved to be an integer."""
        if not isinstance(mean, LinearForm):
            return Fraction(mean).denominator == 1
        numbers = [mean.constant, *mean.coefficients.values()]
        return self.is_whole(mean) and all(Fraction(q).denominator == 1 for q in numbers)

    def uniform(self, lower: Any, upper: Any) -> Any:
        """Return a new unknown between the ends, with the density 1/(width·ε); or the middle."""
        if not self.noisy:
            return (lower + upper) * Fraction(1, 2)
        width = upper - lower
        if isinstance(width, LinearForm):
            raise UnsupportedError("uniform noise with a width that varies is not re-derived")
        if width <= 0:
            raise BrokenRunError("uniform noise has no room")
        self.noises.append(("unif", Fraction(1)))
        sample = LinearForm({len(self.noises) - 1: Fraction(1)}, Fraction(0), self)
        self.conditions += [(sample - lower, ">="), (sample - upper, "<=")]
        self.density = self.density / (variable(0) * Fraction(width))
        return sample

    def choose(self, options: list[tuple[Any, Ratio]]) -> Any:
        """Take one option with its probability."""
        if not self.noisy:
            raise UnsupportedError("choose has no mean")
        return self.picked(Picked(self.checked(options), ()), [value for value, _ in options])

    def picked(self, question: Picked, options: Sequence[T]) -> T:
        """Take one of the options."""
        return options[self.ask(question, len(options))]

    def expmech(self, rate: Fraction, scored: list[tuple[Any, Score]]) -> Any:
        """Take one candidate with its probability; without noise, the first of the best."""
        if not self.made and not self.noises:  # nothing was random before
            self.scored = scored
        if not self.noisy:
            return max(scored, key=lambda pair: pair[1])[0]
        return self.picked(Picked((), self.exponents(rate, scored)), [one for one, _ in scored])

    def checked(self, options: list[tuple[Any, Ratio]]) -> tuple[Ratio, ...]:
        """Return the probabilities of options, which are ≥ 0 and add up to 1."""
        chances = tuple(chance for _, chance in options)
        if sum(chances, Ratio.number(0)) != 1:
            raise BrokenRunError("probabilities in the program do not add up to 1")
        for chance in chances:
            if not self.orders.is_nonnegative(chance):
                raise UnseenSignError(chance, "a probability is not seen to be at least 0")
        return chances

    def exponents(self, rate: Fraction, scored: list[tuple[Any, Score]]) -> tuple[Any, ...]:
        """Return the exponents of candidates, over ε, which hold no noise."""
        found = tuple(score * rate for _, score in scored)
        forms = [one for one in found if isinstance(one, LinearForm)]
        if any(name >= 0 for form in forms for name in form.coefficients):
            raise BrokenRunError("a score depends on noise")
        return found


def paths(
    run: Callable[[Path], Any],
    *,
    noisy: bool,
    inputs: Judge | None = None,
    broken: list[tuple[Path, BrokenRunError]] | None = None,
    orders: Orders | None = None,
) -> Iterator[tuple[Path, Any]]:
    """Return every path of a program, with its output; paths on which it fails go to `broken`."""
    waiting: list[tuple[int, ...]] = [()]
    count = ended = 0
    endless: EndlessRunError | None = None
    while waiting:
        path = Path(waiting.pop(), noisy=noisy, inputs=inputs, orders=orders)
        count += 1
        outputs: list[Any] = []
        try:
            if count > limits.MAX_PATHS:
                raise TooManyPathsError(f"the program has more than {limits.MAX_PATHS} paths")
            outputs.append(run(path))
        except BrokenRunError as error:
            if broken is None:
                raise
            broken.append((path, error))
            endless = error if isinstance(error, EndlessRunError) else endless
        except UnsupportedError:
            if endless is not None and not ended:
                why = f"no run of the program is seen to end: {endless}"
                raise WrongProgramError(why) from None
            raise
        waiting += path.others()
        for output in outputs:
            ended += 1
            yield path, output
