"""The parametrised Markov chain of a program at one or all inputs (paper, section 5.3).

A state is a statement with the finite values, the noise sampled so far (by distribution, not by
value) and the order conditions on the path to it; the probability of a transition is a closed form
in ε. Nothing is integrated out or joined: this is the semantics as the paper defines it, for
display; `exact` computes the same probabilities in less time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from exactdp.errors import ValueRefusedError
from exactdp.language.evaluate import UNSET
from exactdp.language.events import Compare, Done, Draw, Event, Selection, State
from exactdp.language.layout import assembled, entries, entry_names
from exactdp.language.linear import Linear, shown_name
from exactdp.language.machine import Machine
from exactdp.language.values import Symbolic, Value
from exactdp.language.words import NOISES
from exactdp.measure.density import Density, Summand
from exactdp.measure.frame import Frame, TooCoarseError
from exactdp.measure.radical_frame import RadicalFrame
from exactdp.reals import ClosedForm, ExpPoly
from exactdp.reals.logs import told_form
from exactdp.reals.numbers import spell
from exactdp.reals.radicals import Radical
from exactdp.semantics.engine import Engine, require_numbers
from exactdp.semantics.exact import chances, with_sample
from exactdp.semantics.nodes import has_noise, noise_part
from exactdp.semantics.plan import Question, constant_part, question
from exactdp.semantics.spots import Spot, Trace, rational_vector
from exactdp.semantics.states import growing, told

if TYPE_CHECKING:
    from exactdp.language.program import Program

_MOST_STATES = 2_000
_MOST_ANSWERS = 100  # in a loop that compares noise repeatedly


@dataclass(frozen=True)
class NamedNoise:
    """A sample: its name r1, r2, …, its kind, and its rate and mean, or its ends."""

    name: str
    kind: str
    first: str
    second: str

    def __str__(self) -> str:
        return f"{self.name}: {self.kind}({self.first}, {self.second})"


@dataclass(frozen=True)
class ChainState:
    """A state: the line of its statement, the finite values, the noise and the conditions.

    A final state has no line and an `output`.
    """

    line: int | None
    values: tuple[tuple[str, str], ...]
    noise: tuple[NamedNoise, ...]
    conditions: tuple[str, ...]
    output: str | None = None

    def lines(self) -> list[str]:
        """Return the state as short lines, as in the paper's figure."""
        head = f"line {self.line}" if self.line is not None else f"output {self.output}"
        shown = [head, ", ".join(f"{name}: {value}" for name, value in self.values)]
        shown += [", ".join(map(str, self.noise)), ", ".join(self.conditions)]
        return [line for line in shown if line]


@dataclass(frozen=True)
class Transition:
    """A step from one state to another, by their positions in `Chain.states`."""

    source: int
    target: int
    probability: ClosedForm

    @property
    def shown(self) -> str:
        """The probability, for display."""
        return told_form(self.probability, pretty=True)


@dataclass(frozen=True, repr=False)
class Chain:
    """A finite Markov chain whose probabilities are closed forms; state 0 is the first."""

    states: tuple[ChainState, ...]
    transitions: tuple[Transition, ...]

    def __repr__(self) -> str:
        return f"<Chain: {len(self.states)} states, {len(self.transitions)} transitions>"

    @cached_property
    def _by_source(self) -> dict[int, list[Transition]]:
        found: dict[int, list[Transition]] = {}
        for one in self.transitions:
            found.setdefault(one.source, []).append(one)
        return found

    def substitute(self, **values: ClosedForm) -> Chain:
        """Return the chain with parameters of its probabilities replaced by closed forms."""
        moved = []
        for one in self.transitions:
            known = {n: form for n, form in values.items() if n in one.probability.parameters}
            moved.append(replace(one, probability=one.probability.substitute(**known)))
        return replace(self, transitions=tuple(moved))

    def successors(self, state: int) -> list[Transition]:
        """Return the transitions from a state; their probabilities sum to 1."""
        return list(self._by_source.get(state, []))

    def dot(self) -> str:
        """Return the chain in the DOT language of Graphviz."""
        lines = ["digraph chain {", "  node [shape=box, style=rounded];"]
        for number, state in enumerate(self.states):
            text = "\\n".join(line.replace('"', '\\"') for line in state.lines())
            lines.append(f'  s{number} [label="{text}"];')
        for one in self.transitions:
            lines.append(f'  s{one.source} -> s{one.target} [label="{one.shown}"];')
        return "\n".join([*lines, "}"]) + "\n"

    def svg(self) -> str:
        """Return a picture of the chain as SVG."""
        from exactdp.semantics.chain_picture import svg  # noqa: PLC0415 only for pictures

        return svg(self)

    def _repr_svg_(self) -> str:
        return self.svg()


def chain(program: Program, u: object) -> Chain:
    """Return the Markov chain of a program at an input."""
    require_numbers(program, "A chain has one closed form for each transition.")
    frame = RadicalFrame() if program.uses_roots else Frame(1, 1)
    return _built(program, program.read_input(u), {}, frame)


def chain_with(program: Program, u: tuple[Value, ...], trace: Trace) -> Chain:
    """Return the chain at an input for a sample of ε, with 1 and logarithms as parameters."""
    units = program.kept(Engine).units_at(u, trace)
    return _built(program, u, units, Frame(1, names=trace.names))


def chain_at_spots(program: Program, u: tuple[Value, ...], all_spots: Mapping[str, Spot]) -> Chain:
    """Return the chain for inputs that are spots, which are shown by name."""
    trace = next(iter(all_spots.values())).trace
    units = program.kept(Engine).units_at(u, trace) if program.moves else {}
    known = dict(zip(entry_names(program.inputs), entries(u), strict=True))
    spots = {name: value for name, value in known.items() if isinstance(value, Spot)}
    values = [Linear.symbol(name) if name in spots else value for name, value in known.items()]
    return _built(
        program, assembled(program.inputs, values), spots | units, Frame(1, names=tuple(all_spots))
    )


def _built(
    program: Program, u: tuple[Value, ...], inputs: Mapping[str, Any], frame: Frame
) -> Chain:
    while True:
        try:
            return _ChainBuilder(program, u, inputs, frame).run()
        except TooCoarseError as error:
            frame = error.finer


@dataclass(frozen=True)
class _NamedState:
    """A machine state with the noise and the answers on the path to it."""

    state: State
    noise: tuple[NamedNoise, ...]
    answers: tuple[tuple[Question, bool], ...]


class _ChainBuilder:
    """Explores the states breadth first."""

    def __init__(
        self, program: Program, u: tuple[Value, ...], inputs: Mapping[str, Any], frame: Frame
    ) -> None:
        self.machine: Machine = program.machine
        self.first = self.machine.start(u)
        self.inputs = inputs  # the values of the symbols in u
        self.frame = frame
        self.numbers: dict[_NamedState, int] = {}
        self.found: list[tuple[_NamedState, Event, Density]] = []
        self.transitions: list[Transition] = []

    def run(self) -> Chain:
        self.visit(
            _NamedState(self.first, (), ()), Density(self.frame, (Summand(self.frame.one, {}),))
        )
        done = 0
        while done < len(self.found):
            spot, event, density = self.found[done]
            for target, probability in self.ways(spot, event, density):
                self.transitions.append(Transition(done, target, probability))
            done += 1
        states = tuple(self.shown(spot, event) for spot, event, _ in self.found)
        return Chain(states, tuple(self.transitions))

    def visit(self, spot: _NamedState, density: Density) -> int:
        """Return the number of the state that follows a named state."""
        event = self.machine.advance(spot.state)
        reached = _NamedState(event.state, spot.noise, spot.answers)
        if reached not in self.numbers:
            looping = self.machine.while_around(reached.state.pc)
            if len(self.found) >= _MOST_STATES:
                raise self.refused(f"{_MOST_STATES:,} states")
            if looping and len(reached.answers) > _MOST_ANSWERS:
                raise self.refused(f"{_MOST_ANSWERS:,} conditions in a state of a loop")
            self.numbers[reached] = len(self.found)
            self.found.append((reached, event, density))
        return self.numbers[reached]

    def refused(self, what: str) -> ValueRefusedError:
        """Return the error for a chain that is too large; it names what grows in a loop."""
        inside = [spot.state for spot in self.numbers if self.machine.while_around(spot.state.pc)]
        is_cause = 4 * len(inside) > len(self.numbers)
        cause = told(growing(self.machine.code, inside)) if is_cause else ""
        rule = "The chain joins no states, so it grows with the number of paths."
        return ValueRefusedError(
            f"the chain has more than {what}",
            rule=f"{rule} {cause}".rstrip(),
            way_out="Ask for distribution(u) or probability(u, output), which do.",
        )

    def ways(
        self, spot: _NamedState, event: Event, density: Density
    ) -> Iterator[tuple[int, ClosedForm]]:
        """Yield the successors of a state with their transition probabilities."""
        if isinstance(event, Draw):
            fresh = len(spot.noise)
            name = NamedNoise(f"r{fresh + 1}", event.noise, *_arguments(event))
            value = Linear.symbol(fresh)
            after = self.machine.resume(
                event, event.mean + value if has_noise(event.mean) else value
            )
            place = self.machine.code.instructions[event.state.pc].place
            grown = with_sample(density, event, fresh, self.inputs, place)
            yield (
                self.visit(_NamedState(after, (*spot.noise, name), spot.answers), grown),
                ExpPoly(1),
            )
        elif isinstance(event, Selection):
            for value, chance in zip(event.values, chances(event, self.inputs), strict=True):
                if chance.numerator:
                    after = self.machine.resume(event, value)
                    yield self.visit(_NamedState(after, spot.noise, spot.answers), density), chance
        elif isinstance(event, Compare):
            yield from self.compared(spot, event, density)

    def compared(
        self, spot: _NamedState, event: Compare, density: Density
    ) -> Iterator[tuple[int, ClosedForm]]:
        """Yield the outcomes of a comparison with mass, with their conditional probabilities."""
        asked = question(
            noise_part(event.difference),
            event.op,
            constant_part(event.difference, self.inputs),
            density.products[0].integers,
        )
        known = asked if isinstance(asked, bool) else dict(spot.answers).get(asked)
        if isinstance(asked, bool) or known is not None:
            after = self.machine.resume(event, known)
            yield self.visit(_NamedState(after, spot.noise, spot.answers), density), ExpPoly(1)
            return
        every = range(len(spot.noise))
        before = density.without(every).number()
        for truth in (False, True):
            part = asked.answer(density, truth)
            chance = part.without(every).number() / before
            if chance.numerator:
                after = self.machine.resume(event, truth)
                answers = (*spot.answers, (asked, truth))
                yield self.visit(_NamedState(after, spot.noise, answers), part), chance

    def shown(self, spot: _NamedState, event: Event) -> ChainState:
        """Return the displayed form of a state."""
        conditions = tuple(_condition(question, truth) for question, truth in spot.answers)
        if isinstance(event, Done):
            return ChainState(None, (), spot.noise, conditions, _show(event.output))
        names = self.machine.code.slots
        values = tuple(
            (name, _show(value))
            for name, value in zip(names, spot.state.env, strict=True)
            if value is not UNSET and not name.startswith("%")
        )
        line = self.machine.code.instructions[spot.state.pc].place.line
        return ChainState(line, values, spot.noise, conditions)


_OPPOSITE = {"<": "≥", "<=": ">", "==": "≠", "!=": "=", ">=": "<", ">": "≤"}
_SIGN = {"<": "<", "<=": "≤", "==": "=", "!=": "≠", ">=": "≥", ">": ">"}


def _condition(question: Question, truth: bool) -> str:
    sign = (_SIGN if truth else _OPPOSITE)[question.op]
    constant: Any = question.constant
    form: dict[int | str, Fraction] = dict(question.form)
    if isinstance(constant, Spot):
        names = constant.trace.names[1:]
        constant, *rest = rational_vector(constant.form)
        form.update(zip(names, rest, strict=True))
    left = {v: q for v, q in form.items() if q > 0}
    right = {v: -q for v, q in form.items() if q < 0}
    sides = _sum(left, max(constant, Fraction(0))), _sum(right, max(-constant, Fraction(0)))
    return f" {sign} ".join(sides)


def _sum(form: Mapping[int | str, Fraction], constant: Fraction) -> str:
    named = (
        (shown_name(name) if isinstance(name, str) else f"r{name + 1}", q)
        for name, q in form.items()
    )
    parts = [name if q == 1 else f"{spell(q)}·{name}".replace("·1/", "/") for name, q in named]
    return " + ".join(parts + [spell(constant)] * (constant != 0 or not parts))


def _arguments(event: Draw) -> tuple[str, str]:
    """Return the displayed arguments of a sample."""
    if NOISES[event.noise].has_ends:
        return _show(event.ends[0]), _show(event.ends[1])
    rate = event.rate if isinstance(event.rate, Radical) else spell(event.rate)
    return f"{rate}·ε", _show(event.mean)


def _show(value: Value) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_show, value))}{',' * (len(value) == 1)})"
    if isinstance(value, Symbolic):
        assert isinstance(value, Linear)
        shown = _sum({name: Fraction(q) for name, q in value.coefficients.items()}, Fraction(0))
        return shown + (f" + {value.constant}" if value.constant else "")
    if isinstance(value, ClosedForm):
        return value.pretty()
    return spell(value) if isinstance(value, Fraction) else repr(value)
