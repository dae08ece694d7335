"""Flat code compiled: each statement is a function of the environment, or an event."""

from __future__ import annotations

import ast
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp.errors import ExactdpError, Place, ProgramError, UndefinedError, shown
from exactdp.language.code import (
    Branch,
    Check,
    Code,
    Enter,
    FallOff,
    Jump,
    Next,
    Pick,
    Release,
    Require,
    Sample,
    Set,
    Test,
)
from exactdp.language.evaluate import UNSET, Compiler, Env
from exactdp.language.events import Compare, Done, Draw, Selection, State
from exactdp.language.linear import Inquiry, Linear, as_real, asked, asked_of_quotient
from exactdp.language.operations import COMPARISONS, grown, items_of, python_fail
from exactdp.language.quotients import NoisyQuotient
from exactdp.language.released import holds_terms, released
from exactdp.language.rules import fail
from exactdp.language.sampling import (
    base_of_rate,
    chances_of,
    ends_of,
    mean_of,
    never,
    rate_of,
    scores_of,
    table_of,
)
from exactdp.language.stored import StoredAnswer, StoringCompiler, answered, may_wait
from exactdp.language.terms import EPS, EpsTerm
from exactdp.language.tree import Choose, ExpMech, where
from exactdp.language.types import DomType, InputType, ListType
from exactdp.language.values import Symbolic, UnsettledError, Value, as_output
from exactdp.language.wholes import Whole
from exactdp.language.words import NOISES
from exactdp.reals.radicals import Radical, Surd

if TYPE_CHECKING:
    from exactdp.reals.spans import Span


#: A statement's step returns the next statement, or ~pc if there is an event at pc.
Step = Callable[[Env], int]

#: The content of an event: its class and the fields after its state.
Facts = Callable[[Env], tuple[Any, ...]]

#: Choices of one statement whose probabilities are kept.
_MOST_KNOWN = 1_000


class CompiledCode:
    """The statements of flat code as functions of an environment."""

    def __init__(
        self,
        code: Code,
        *,
        is_rough: bool = False,
        settles: bool = False,
        unit: Surd | None = None,
        compiler: Callable[..., Compiler] = Compiler,
        stores: frozenset[int] = frozenset(),
    ) -> None:
        self.code = code
        self._stores = stores
        """The comparisons that are made where their answers are needed."""
        self._samples = any(isinstance(one, Sample) for one in code.instructions)
        self.slots = {name: slot for slot, name in enumerate(code.slots)}
        self._is_rough = is_rough
        self._unit = unit
        """The number whose multiples rates are stated as: lap(sqrt(2) * eps) has the rate 1 if it
        is √2. If it is None, the exponents of `expmech` are not multiplied by irrational rates."""
        self._settles = settles
        """Whether integer noise is used as a finite value."""
        on = code.epsilon
        budget = EpsTerm("eps", (Fraction(on.lower), *(0,) * is_rough)) if on.is_point else EPS
        made = (StoringCompiler if stores else compiler)(self.slots, code.functions, budget)
        self.compiled: Callable[[ast.expr], Callable[[Env], Value]] = made.compiled
        """Pure expressions as functions of an environment."""
        self._finished = made.finished
        self._returned: dict[tuple[int, ...], type] = {}
        """Whether outputs, and their entries by their places, are lists or tuples."""
        self.facts: dict[int, Facts] = {}
        """The facts of the event of a statement, if it can have one."""
        self.listed = [self._step(pc, one) for pc, one in enumerate(code.instructions)]

    def _step(self, pc: int, one: Any) -> Step:
        """Return the step of a statement, and prepare its event if it can have one."""
        after = pc + 1
        match one:
            case Set(name, value, variable):
                compute = self.compiled(value)
                if self._settles:
                    compute = _as_one(compute)
                return self._set(self.slots[name], compute, variable, after)
            case Jump(target):
                return lambda _: target
            case Branch(test, then, otherwise):
                return self._branch(self.compiled(test), then, otherwise, one.place)
            case Enter(items, counter):
                return self._enter(one, (self.slots[items], self.slots[counter]), after)
            case Next():
                return self._next(one)
            case Require():
                return self._require(one, after)
            case Check():
                return self._check(self.slots[one.slot], one.type, one.name, one.place, after)
            case Test():
                return self._test(pc, one)
            case Sample():
                self.facts[pc] = self._sample(one)
            case Pick(_, choice):
                self.facts[pc] = self._pick(choice)
            case Release(value):
                self.facts[pc] = self._release(self._finished(value), one.place)
            case FallOff():
                self.facts[pc] = self._fall_off(one)
        return lambda _: ~pc

    def _release(self, result: Callable[[Env], Value], place: Place) -> Facts:
        on = self.code.span

        def event(env: Env) -> tuple[Any, ...]:
            value = result(env)
            if isinstance(value, tuple | range):
                self._require_one_kind(value, place)
            output = as_output(value)
            return Done, released(output, on, place) if holds_terms(output) else output

        return event

    def _require_one_kind(
        self, value: tuple[Value, ...] | range, place: Place, at: tuple[int, ...] = ()
    ) -> None:
        """Refuse an output that is a list where another is a tuple: `as_output` makes them one."""
        if self._returned.setdefault(at, type(value)) is not type(value):
            raise fail(
                place,
                "an output is a list in one place and a tuple in another",
                "They are different outputs, and one output in computations.",
                "Return lists everywhere, with an entry that tells them apart.",
            )
        for k, one in enumerate(value):
            if isinstance(one, tuple | range):
                self._require_one_kind(one, place, (*at, k))

    @staticmethod
    def _fall_off(one: FallOff) -> Facts:
        def event(env: Env) -> tuple[Any, ...]:
            del env
            raise fail(
                one.place,
                f"{one.name} ended without `return`",
                "The output of a mechanism is the value that it returns, on every path.",
                "Return the output at the end.",
            )

        return event

    @staticmethod
    def _set(slot: int, value: Callable[[Env], Value], variable: str, after: int) -> Step:
        def step(env: Env) -> int:
            try:
                env[slot] = value(env)
            except ProgramError as error:
                raise grown(error, variable) from None
            return after

        return step

    @staticmethod
    def _branch(test: Callable[[Env], Value], yes: int, no: int, place: Place) -> Step:
        def step(env: Env) -> int:
            value = test(env)
            try:
                return yes if value else no
            except TypeError as error:
                raise python_fail(place, error) from None

        return step

    def _enter(self, one: Enter, slots: tuple[int, int], after: int) -> Step:
        value, place = self.compiled(one.value), one.place
        slot, rounds = slots

        def step(env: Env) -> int:
            try:
                env[slot] = items_of(value(env))
            except (TypeError, ValueError) as error:
                raise python_fail(place, error) from None
            env[rounds] = 0
            return after

        return step

    def _next(self, one: Next) -> Step:
        items, counter, slot = (self.slots[n] for n in (one.items, one.counter, one.slot))
        body, leave = one.body, one.leave

        def step(env: Env) -> int:
            found, count = env[items], env[counter]
            if count >= len(found):
                assert leave is not None
                return leave
            env[slot] = found[count]
            env[counter] = count + 1
            if found[count] is not UNSET and type(found[count]) is not int:
                env[items] = (*found[:count], UNSET, *found[count + 1 :])  # not read again
            return body

        return step

    def _require(self, one: Require, after: int) -> Step:
        test = self._finished(one.test)
        message = None if one.message is None else self._finished(one.message)

        def step(env: Env) -> int:
            if not test(env):
                text = "" if message is None else f": {message(env)}"
                kind = UndefinedError if one.user else ProgramError
                raise kind(
                    f"an assertion failed{text}",
                    place=one.place,
                    rule="A failed `assert` is an error of the program.",
                    way_out="Narrow the inputs to those for which it holds, or test with `if`.",
                )
            return after

        return step

    @staticmethod
    def _check(slot: int, kind: InputType, name: str, place: Place, after: int) -> Step:
        def step(env: Env) -> int:
            try:
                check_type(answered(env[slot]), kind)
            except ExactdpError as error:
                raise fail(
                    place, f"{name} is {kind}: {error.message}", error.rule, error.way_out
                ) from None
            return after

        return step

    def _test(self, pc: int, one: Test) -> Step:
        """Return the step of a comparison, which is an event only if it is symbolic."""
        left, right = self._finished(one.left), self._finished(one.right)
        slot, op, place = self.slots[one.slot], one.op, one.place
        settles, is_stored, samples = self._settles, pc in self._stores, self._samples
        after = pc + 1

        def step(env: Env) -> int:
            found: Any = compared(op, left(env), right(env), place)
            if isinstance(found, Linear):
                if settles and found.is_of_bounded_wholes:
                    raise UnsettledError(found)  # their ranges are needed later
                found = asked(op, found)
            elif isinstance(found, NoisyQuotient):
                found = asked_of_quotient(op, found, place)
            is_plain = isinstance(found, Inquiry) and found.about is None
            if is_stored and is_plain and may_wait(found.form, samples=samples):
                found = StoredAnswer(found.op, found.form)
            env[slot] = found
            return after if isinstance(found, bool | StoredAnswer) else ~pc

        def event(env: Env) -> tuple[Any, ...]:
            # The slot holds the comparison until the event is created; then it is emptied.
            found = env[slot]
            if isinstance(found, Inquiry):
                return Compare, found.op, found.form, found.about
            return Compare, op, found

        self.facts[pc] = event
        return step

    def _sample(self, one: Sample) -> Facts:
        draw = one.draw
        noise, by_scale, place = draw.noise, draw.by_scale, where(draw.rate)
        rate, mean = self._finished(draw.rate), self._finished(draw.mean)
        mean_place = where(draw.mean)
        if NOISES[noise].has_ends:

            def uniform(env: Env) -> tuple[Any, ...]:
                ends = ends_of(rate(env), mean(env), place, mean_place)
                return Draw, noise, Fraction(1), *ends

            return uniform
        rates: dict[EpsTerm, Fraction] = {}  # a rate is nearly always the same

        is_whole, on = NOISES[noise].is_whole, self.code.epsilon

        def event(env: Env) -> tuple[Any, ...]:
            term = rate(env)
            if is_whole and (found := base_of_rate(term, place, on)) is not None:
                times, base = found
                self._plain_rates_only(True, place)
                return Draw, noise, times, mean_of(mean(env), noise, mean_place), None, base
            value = rates.get(term)
            if value is None:
                value = rates[term] = self._scaled(rate_of(term, by_scale, place))
            return Draw, noise, value, mean_of(mean(env), noise, mean_place)

        return event

    def _chosen(
        self, values: tuple[Value, ...], chances: tuple[Value, ...], place: Place, on: Span
    ) -> tuple[Any, ...]:
        self._plain_rates_only(any(isinstance(one, EpsTerm) for one in chances), place)
        return _chosen(values, chances, place, on)

    def _plain_rates_only(self, is_function: bool, place: Place) -> None:
        """Refuse a function of ε that is no rate, at some inputs only, where ε has a unit."""
        if is_function and self._unit not in (None, 1):
            raise fail(
                place,
                "the rates are irrational, and only some inputs need a probability in eps",
                "With irrational rates, the same kinds of rates and probabilities occur at every "
                "value of a finite input.",
                "Ask for a mechanism with one value of it.",
            )

    def _scaled(self, rate: Surd) -> Any:
        """Return a rate as a multiple of the unit; rounded in sampled runs."""
        if self._is_rough:
            return rate if isinstance(rate, Fraction) else Fraction(float(rate))
        return rate if self._unit is None else rate / self._unit

    def _pick(self, choice: ExpMech | Choose) -> Facts:
        on = self.code.span
        if isinstance(choice, Choose) and choice.table is not None:
            table = self._finished(choice.table)

            def looked_up(env: Env) -> tuple[Any, ...]:
                return self._chosen(*table_of(table(env), where(choice)), where(choice), on)

            return looked_up
        if isinstance(choice, Choose):
            pairs = [tuple(map(self._finished, pair.elts)) for pair in choice.outcomes]
            known: dict[State, tuple[Any, ...]] = {}  # here True differs from 1

            def chosen(env: Env) -> tuple[Any, ...]:
                values = tuple([value(env) for value, _ in pairs])
                chances = tuple([chance(env) for _, chance in pairs])
                key = State(-1, (values, chances))
                if key not in known:
                    if len(known) >= _MOST_KNOWN:
                        known.clear()
                    known[key] = self._chosen(values, chances, where(choice), on)
                return known[key]

            return chosen
        rate, score = self._finished(choice.rate), self._finished(choice.score)
        candidates = self._finished(choice.candidates)

        def picked(env: Env) -> tuple[Any, ...]:
            factor = self._scaled(rate_of(rate(env), False, where(choice.rate)))
            values = candidates(env)
            scores = scores_of(score(env), values, where(choice))
            if isinstance(factor, Fraction):
                exponents = tuple(points * factor for points in scores)
            elif self._unit is None:
                exponents = tuple(scores)
            else:
                exponents = tuple(_times(points, factor, where(choice)) for points in scores)
            return Selection, tuple(items_of(values)), exponents, None, factor

        return picked


def compared(op: str, a: Value, b: Value, place: Place) -> bool | Symbolic:
    """Return a op b if it is known, else the difference to be compared with 0."""
    decide = COMPARISONS[op]
    try:
        a, b = (as_real(one, place) if isinstance(one, EpsTerm) else one for one in (a, b))
        if not isinstance(a, Symbolic) and not isinstance(b, Symbolic):
            return decide(a, b)
        if a is None or b is None or isinstance(a, str) or isinstance(b, str):
            if op in ("==", "!="):
                return op == "!="
            other = b if isinstance(a, Symbolic) else a
            raise TypeError(f"noise cannot be compared with {shown(other)}")
        for value, sign in ((a, 1), (b, -1)):
            if isinstance(value, float) and value in (_INF, -_INF):
                return decide(sign * value, 0)
        difference = a - b
    except TypeError as error:
        raise python_fail(place, error) from None
    if isinstance(difference, Symbolic):
        return difference
    return decide(difference, 0)


def _times(score: Any, rate: Radical, place: Place) -> Any:
    """Return a score times an irrational rate."""
    if isinstance(score, int | Fraction):
        return rate * score if score else Fraction(0)
    raise fail(
        place,
        "the scores are real, and the rate is irrational",
        "Beside other rates, expmech with an irrational rate has rational scores.",
        "Use rates that are rational multiples of each other.",
    )


def _as_one(compute: Callable[[Env], Value]) -> Callable[[Env], Value]:
    """Return a function that computes a sum of whole numbers as one whole number with bounds."""

    def run(env: Env) -> Value:
        value = compute(env)
        if not isinstance(value, Linear) or len(value.coefficients) < 2:
            return value
        return Linear.symbol(Whole(value)) if value.is_whole else value

    return run


def _chosen(
    values: tuple[Value, ...], chances: tuple[Value, ...], place: Place, on: Span
) -> tuple[Any, ...]:
    """Return the facts of `choose`, without values of probability 0 for every ε."""
    found = chances_of(values, chances, place, on)
    possible = [pair for pair in zip(values, found, strict=True) if not never(pair[1])]
    return Selection, tuple(value for value, _ in possible), None, tuple(p for _, p in possible)


_INF = float("inf")


def check_type(value: Value, kind: InputType) -> None:
    """Refuse a value that is not of a type; symbolic values are real."""
    if isinstance(kind, ListType) and isinstance(value, tuple) and len(value) == kind.length:
        for item in value:
            check_type(item, kind.item)
    elif isinstance(kind, ListType | DomType) or not isinstance(value, Symbolic | float):
        kind.read(value)
