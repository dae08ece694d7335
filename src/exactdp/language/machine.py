"""One step function for all semantics of a program.

A `State` is a value: the next statement and the content of each slot. `Machine.advance` runs
a state through everything that is deterministic and stops at an `Event`: a sample, a
choice, a comparison of symbolic values, or the output. The caller decides the event and
continues with `resume`. Concrete runs, simulation and exact probabilities differ only in
how they handle events.

At an event every dead slot is empty, so two states that agree on all live slots are equal.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from exactdp.errors import ExactdpError, Place, ProgramError, UndefinedError, shown
from exactdp.language.code import (
    Branch,
    Check,
    Code,
    Enter,
    FallOff,
    Jump,
    Loop,
    Next,
    Pick,
    Release,
    Require,
    Sample,
    Set,
    Test,
)
from exactdp.language.evaluate import UNSET, Compiler, Env
from exactdp.language.limits import STEP_LIMIT
from exactdp.language.linear import (
    Inquiry,
    Linear,
    Scalar,
    as_real,
    asked,
    asked_of_quotient,
    made_whole,
    with_sign,
    with_whole,
)
from exactdp.language.operations import COMPARISONS, grown, items_of, python_fail
from exactdp.language.quotients import Denominator, NoisyQuotient
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
from exactdp.language.terms import EPS, EpsTerm
from exactdp.language.tree import Choose, ExpMech, where
from exactdp.language.types import DomType, InputType, ListType
from exactdp.language.values import Symbolic, UnsettledError, Value, alike, as_output
from exactdp.language.wholes import Whole
from exactdp.language.words import NOISES
from exactdp.reals.radicals import Radical, Surd

if TYPE_CHECKING:
    from exactdp.language.flow import Flow
    from exactdp.language.terms import Number
    from exactdp.reals.spans import Span


class State(NamedTuple):
    """The next statement and the value of every slot.

    States are equal if no run can tell them apart: True differs from 1 here.
    """

    pc: int
    env: tuple[Value, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and tuple.__eq__(self, other) and alike(self.env, other.env)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return tuple.__hash__(self)


@dataclass(frozen=True)
class Draw:
    """The program samples `noise` (of `words.NOISES`) with rate·ε and the given mean.

    Uniform noise has a width instead of a rate; neither its width nor its mean depends on noise.
    """

    state: State
    noise: str
    rate: Fraction
    mean: Value
    width: Value = None
    base: EpsTerm | None = None
    """The base of integer noise with the rate k·log(base), whose `rate` is k."""

    @property
    def ends(self) -> tuple[Value, Value]:
        """The ends of uniform noise."""
        half = self.width / Fraction(2)
        return self.mean - half, self.mean + half


@dataclass(frozen=True)
class Selection:
    """The program picks one of `values`.

    For the exponential mechanism the weight of a value is exp(q·ε) for its q in
    `exponents`; for `choose` its probability is the term in `chances`. One of the two is None.
    Exponents are `rate` times the scores: numbers, or forms in real inputs.
    """

    state: State
    values: tuple[Value, ...]
    exponents: tuple[Scalar, ...] | None
    chances: tuple[EpsTerm | Number, ...] | None
    rate: Fraction | None = None


@dataclass(frozen=True)
class Compare:
    """The program asks whether `difference` op 0; op is one of < <= == != >= >.

    For a whole number (`about`), the event asks whether it is at least some number, as a comparison
    of the real that it rounds; then the statement is run again with this answer known.
    """

    state: State
    op: str
    difference: Symbolic
    about: tuple[Whole, int] | Denominator | None = None


@dataclass(frozen=True)
class Settle:
    """The program needs the value of a column; occurs only in runs on columns."""

    state: State
    value: Symbolic


@dataclass(frozen=True)
class Done:
    """The program returned `output`, with lists as tuples."""

    state: State
    output: Value


Event = Draw | Selection | Compare | Done

#: A statement's step returns the next statement, or ~pc if there is an event at pc.
_Step = Callable[[Env], int]

#: The content of an event: its class and the fields after its state.
_Facts = Callable[[Env], tuple[Any, ...]]

#: Choices of one statement whose probabilities are kept.
_MOST_KNOWN = 1_000

#: After this many steps `advance` starts to check for a repeated state.
_LOOK = 1024


class Machine:
    """Runs flat code on values of any domain."""

    def __init__(
        self,
        code: Code,
        flow: Flow,
        *,
        is_rough: bool = False,
        settles: bool = False,
        unit: Surd | None = None,
        compiler: Callable[..., Compiler] = Compiler,
    ) -> None:
        self.code = code
        self._is_rough = is_rough
        self._unit = unit
        """The number whose multiples rates are stated as: lap(sqrt(2) * eps) has the rate 1 if it
        is √2. If it is None, the exponents of `expmech` are not multiplied by irrational rates."""
        self._settles = settles
        """Whether integer noise is used as a finite value."""
        self.slots = {name: slot for slot, name in enumerate(code.slots)}
        self._inputs = [self.slots[name] for name, _ in code.inputs]
        on = code.epsilon
        budget = EpsTerm("eps", (Fraction(on.lower), *(0,) * is_rough)) if on.is_point else EPS
        self._compile = compiler(self.slots, code.functions, budget).compiled
        self._steps: list[_Step] = []
        self._events: dict[int, _Facts] = {}
        for pc, one in enumerate(code.instructions):
            self._steps.append(self._step(pc, one))
        self._loops = [code.loops_at(pc) for pc in range(len(code.instructions))]
        everything = frozenset(code.slots)
        self._dead = [
            tuple(self.slots[name] for name in sorted(everything - live)) for live in flow.live
        ]
        self._targets = [
            self.slots[one.slot] if isinstance(one, Sample | Pick | Test) else -1
            for one in code.instructions
        ]

    # Running --------------------------------------------------------------------------

    def start(self, inputs: Mapping[str, Value] | tuple[Value, ...]) -> State:
        """Return the first state for given values of the inputs, in order or by name."""
        env: Env = [UNSET] * len(self.slots)
        names = [name for name, _ in self.code.inputs]
        values = [inputs[name] for name in names] if isinstance(inputs, Mapping) else inputs
        for slot, value in zip(self._inputs, values, strict=True):
            env[slot] = value
        return State(0, tuple(env))

    def run(self, inputs: tuple[Value, ...]) -> Value:
        """Return the exact output of a run that samples nothing."""
        event = self.advance(self.start(inputs))
        if isinstance(event, Done):
            return event.output
        raise ProgramError(
            "the program samples, so it has no exact output",
            place=self.code.instructions[event.state.pc].place,
            rule="Only deterministic programs run exactly.",
            way_out="Use run(u, eps, rng), or noiseless().",
        )

    def advance(self, state: State) -> Event:
        """Run until the next event.

        Terminates: every `for` loop is bounded, and a `while` loop either changes its values,
        which the step limit bounds, or repeats a state, which is detected.
        """
        env: Env = list(state.env)
        pc, steps, count = state.pc, self._steps, 0
        seen_pc, seen_env, next_look = -1, env, _LOOK
        try:
            while (pc := steps[pc](env)) >= 0:
                count += 1
                if count < _LOOK:
                    continue
                if pc == seen_pc and env == seen_env and all(map(alike, env, seen_env)):
                    raise self._endless(pc)
                if count >= next_look:
                    if count > STEP_LIMIT:
                        raise self._endless(pc, surely=False)
                    seen_pc, seen_env, next_look = pc, list(env), 2 * next_look
            pc = ~pc
            kind, *facts = self._events[pc](env)
        except UnsettledError as error:
            kind, *facts = self._unsettled(error.value, self.code.instructions[pc].place)
        for slot in self._dead[pc]:
            env[slot] = UNSET
        event: Event = kind(State(pc, tuple(env)), *facts)
        return event

    def step(self, pc: int, env: Env) -> int:
        """Run one statement in an environment; return the next one, or ~pc if it is an event."""
        return self._steps[pc](env)

    def event_at(self, pc: int, env: Env) -> Event:
        """Return the event of a statement in an environment."""
        kind, *facts = self._events[pc](env)
        return kind(State(pc, tuple(env)), *facts)  # type: ignore[no-any-return]

    def compiled(self, node: ast.expr) -> Callable[[Env], Value]:
        """Return a pure expression as a function of an environment."""
        return self._compile(node)

    def dead_at(self, pc: int) -> tuple[int, ...]:
        """Return the slots whose values are not read from a statement on."""
        return self._dead[pc]

    @staticmethod
    def _unsettled(value: Symbolic, place: Place) -> tuple[Any, ...]:
        """Return the facts of an event that narrows down a number whose value is needed.

        A whole number between two bounds is found by bisection.
        """
        if not isinstance(value, Linear):
            return Settle, value
        for whole in value.coefficients:
            if isinstance(whole, Whole) and None not in (whole.low, whole.high):
                assert whole.low is not None
                assert whole.high is not None
                k = (whole.low + whole.high + 1) // 2
                found = asked(*whole.condition(k))
                if isinstance(found, bool):
                    found = Inquiry(*whole.condition(k))
                return Compare, found.op, found.form, found.about or (whole, k)
        raise fail(
            place,
            "integer noise is used as a finite value where its range is not known",
            "Between two numbers with which it was compared it is one of finitely many values.",
            "Clamp it first, as in `min(max(z, 0), 10)`.",
        )

    def resume(self, event: Draw | Selection | Compare, value: Value) -> State:
        """Return the state after an event was decided: the sample, the pick or the truth."""
        pc, env = event.state
        if isinstance(event, Compare) and event.about is not None:
            if isinstance(event.about, Denominator):
                return State(pc, tuple(with_sign(one, event.about, value) for one in env))
            whole, k = event.about
            known = made_whole(whole.bounded(k, value))
            return State(pc, tuple(with_whole(one, whole, known) for one in env))
        if self._settles and isinstance(event, Draw) and isinstance(value, Linear):
            value = value.rounded(nearest=False) if NOISES[event.noise].is_whole else value
        slot = self._targets[pc]
        return State(pc + 1, (*env[:slot], value, *env[slot + 1 :]))

    def order(self, state: State) -> tuple[int, ...]:
        """Return a key that increases along every run, except inside a `while` loop.

        The key is the statement, preceded for each enclosing `for` loop by the loop's
        start and its iteration; all states inside an outermost `while` loop share one key.
        If states are processed in the order of their keys, all predecessors of a state
        have been processed before it.
        """
        key: list[int] = []
        for loop in self._loops[state.pc]:
            key.append(loop.start)
            if loop.counter is None:
                return tuple(key)
            counter = state.env[self.slots[loop.counter]]
            # The iteration is dropped where no further one can follow: that is the end.
            key.append(sys.maxsize if counter is UNSET else counter)
        return (*key, state.pc)

    def while_around(self, pc: int) -> Loop | None:
        """Return the outermost `while` loop around a statement."""
        return next((loop for loop in self._loops[pc] if loop.counter is None), None)

    def _endless(self, pc: int, *, surely: bool = True) -> ProgramError:
        loops = self._loops[pc]
        place = loops[-1].place if loops else self.code.instructions[pc].place
        if surely:
            return fail(
                place,
                "this loop never ends",
                "It comes back to the same values without sampling anything.",
                "Change a value that its condition reads, or `break`.",
            )
        return fail(
            place,
            f"this loop ran {STEP_LIMIT:,} statements without sampling anything",
            "Between two samples a program may run that many statements at most.",
            "Compute the finite values in a Python function outside.",
        )

    # Compiling ------------------------------------------------------------------------

    def _step(self, pc: int, one: Any) -> _Step:
        """Return the step of a statement, and prepare its event if it can have one."""
        after = pc + 1
        match one:
            case Set(name, value, variable):
                compute = self._compile(value)
                if self._settles:
                    compute = _as_one(compute)
                return self._set(self.slots[name], compute, variable, after)
            case Jump(target):
                return lambda _: target
            case Branch(test, then, otherwise):
                return self._branch(self._compile(test), then, otherwise, one.place)
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
                self._events[pc] = self._sample(one)
            case Pick(_, choice):
                self._events[pc] = self._pick(choice)
            case Release(value):
                self._events[pc] = self._release(self._compile(value), one.place)
            case FallOff():
                self._events[pc] = self._fall_off(one)
        return lambda _: ~pc

    def _release(self, result: Callable[[Env], Value], place: Place) -> _Facts:
        on = self.code.span

        def event(env: Env) -> tuple[Any, ...]:
            output = as_output(result(env))
            return Done, released(output, on, place) if holds_terms(output) else output

        return event

    @staticmethod
    def _fall_off(one: FallOff) -> _Facts:
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
    def _set(slot: int, value: Callable[[Env], Value], variable: str, after: int) -> _Step:
        def step(env: Env) -> int:
            try:
                env[slot] = value(env)
            except ProgramError as error:
                raise grown(error, variable) from None
            return after

        return step

    @staticmethod
    def _branch(test: Callable[[Env], Value], yes: int, no: int, place: Place) -> _Step:
        def step(env: Env) -> int:
            value = test(env)
            try:
                return yes if value else no
            except TypeError as error:
                raise python_fail(place, error) from None

        return step

    def _enter(self, one: Enter, slots: tuple[int, int], after: int) -> _Step:
        value, place = self._compile(one.value), one.place
        slot, rounds = slots

        def step(env: Env) -> int:
            try:
                env[slot] = items_of(value(env))
            except (TypeError, ValueError) as error:
                raise python_fail(place, error) from None
            env[rounds] = 0
            return after

        return step

    def _next(self, one: Next) -> _Step:
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

    def _require(self, one: Require, after: int) -> _Step:
        test = self._compile(one.test)
        message = None if one.message is None else self._compile(one.message)

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
    def _check(slot: int, kind: InputType, name: str, place: Place, after: int) -> _Step:
        def step(env: Env) -> int:
            try:
                check_type(env[slot], kind)
            except ExactdpError as error:
                raise fail(
                    place, f"{name} is {kind}: {error.message}", error.rule, error.way_out
                ) from None
            return after

        return step

    def _test(self, pc: int, one: Test) -> _Step:
        """Return the step of a comparison, which is an event only if it is symbolic."""
        left, right = self._compile(one.left), self._compile(one.right)
        slot, op, place = self.slots[one.slot], one.op, one.place
        settles = self._settles
        after = pc + 1

        def step(env: Env) -> int:
            found: Any = compared(op, left(env), right(env), place)
            if isinstance(found, Linear):
                if settles and found.is_of_bounded_wholes:
                    raise UnsettledError(found)  # their ranges are needed later
                found = asked(op, found)
            elif isinstance(found, NoisyQuotient):
                found = asked_of_quotient(op, found, place)
            env[slot] = found
            return after if isinstance(found, bool) else ~pc

        def event(env: Env) -> tuple[Any, ...]:
            # The slot holds the comparison until the event is created; then it is emptied.
            found = env[slot]
            if isinstance(found, Inquiry):
                return Compare, found.op, found.form, found.about
            return Compare, op, found

        self._events[pc] = event
        return step

    def _sample(self, one: Sample) -> _Facts:
        draw = one.draw
        noise, by_scale, place = draw.noise, draw.by_scale, where(draw.rate)
        rate, mean = self._compile(draw.rate), self._compile(draw.mean)
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

    def _pick(self, choice: ExpMech | Choose) -> _Facts:
        on = self.code.span
        if isinstance(choice, Choose) and choice.table is not None:
            table = self._compile(choice.table)

            def looked_up(env: Env) -> tuple[Any, ...]:
                return self._chosen(*table_of(table(env), where(choice)), where(choice), on)

            return looked_up
        if isinstance(choice, Choose):
            pairs = [tuple(map(self._compile, pair.elts)) for pair in choice.outcomes]
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
        rate, score = self._compile(choice.rate), self._compile(choice.score)
        candidates = self._compile(choice.candidates)

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
