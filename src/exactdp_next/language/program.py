"""Program: a function as a core program, checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ..errors import Place, fail
from ..ring.epsilon import Interval
from ..ring.linear import Linear
from .check import Checked, check
from .code import (
    Apply,
    Choose,
    Code,
    Const,
    Discard,
    Expression,
    Fold,
    Instruction,
    Jump,
    Name,
    Sample,
    Select,
    Set,
    Test,
    assigned,
    renamed,
)
from .read import Inputs, Reading, read
from .source import Source
from .values import List, Value


@dataclass(frozen=True)
class Program:
    """Inputs and code; equal programs have equal meanings, whatever they are called."""

    name: str
    inputs: Inputs
    code: Code
    source: Source | None = field(default=None, compare=False, repr=False)
    whiles: tuple[tuple[int, int], ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def of(
        cls, function: Callable[..., object] | str, constants: Mapping[str, object] | None = None
    ) -> Program:
        """Read a Python function, or the text of one; free names are constants."""
        if isinstance(function, str):
            return cls.of_source(Source.of_text(function, constants))
        return cls.of_source(Source.of(function))

    @classmethod
    def of_source(cls, source: Source) -> Program:
        """Read and check a source; without types it can only be called by other programs."""
        if any(a.annotation is None for a in source.tree.args.args):
            return cls(source.tree.name, (), Code(()), source)
        assert source.interval
        reading = read(source)
        code = _resolved(reading, check(reading))
        return cls(source.tree.name, reading.inputs, code, source, reading.whiles)

    @property
    def interval(self) -> Interval:
        """The interval of ε for which it is defined."""
        return self.source.interval if self.source else Interval.of("(0, inf)")

    def require_epsilon(self, epsilon: object) -> None:
        """Refuse a question about an ε for which the program is not defined."""
        if epsilon is None:
            if self.samples:
                fail("I22")
            return
        asked = Interval.of(epsilon)
        if asked.is_point and not Interval.of("(0, inf)").covers(asked):
            fail("I23", value=epsilon)
        if not self.interval.covers(asked):
            here = str(self.interval)
            fail("I32", name=self.name, interval=here, asked=str(asked))

    def require_types(self) -> None:
        """Refuse a function whose inputs have no types: what is asked of it has no inputs."""
        for a in self.source.tree.args.args if self.source else ():
            if a.annotation is None:
                assert self.source
                fail("I20", place=self.source.place(a), name=a.arg)

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """The names of the single numbers of an input: q[0], q[1], and so on."""
        self.require_types()
        return tuple(c for name, kind in self.inputs for c in kind.coordinates(name))

    @cached_property
    def fixed(self) -> Mapping[str, Value]:
        """The inputs that are never assigned, as symbols: they are no part of a state."""
        changed = {assigned(one) for one in self.code.instructions}
        return {x: v for x, v in self.start(self._symbols).items() if x not in changed}

    @property
    def _symbols(self) -> list[Linear]:
        return [Linear.name(x) for x in self.coordinates]

    def start(self, numbers: Sequence[Value]) -> dict[str, Value]:
        """Return the variables at the first instruction, for one number a coordinate."""
        left, env = list(numbers), dict[str, Value]()
        for name, kind in self.inputs:
            size = len(kind.coordinates(name))
            mine, left = List(left[:size]), left[size:]
            env[name] = mine[0] if kind.length is None else mine
        return env

    def given(self, u: object = ()) -> dict[str, Value]:
        """Return the variables at the first instruction for what a user gives as input.

        With one input that is its value, with several a tuple, or a dictionary by names.
        """
        self.require_types()
        names = [x for x, _ in self.inputs]
        if isinstance(u, Mapping):
            if set(u) != set(names):
                fail("I18", name=self.name, names=names, given=[*map(str, u)])
            values = [u[x] for x in names]
        elif len(names) == 1:
            if u == ():
                typed = ", ".join(f"{x}: {kind}" for x, kind in self.inputs)
                fail("I33", name=self.name, inputs=typed)
            values = [u]
        else:
            values = list(u) if isinstance(u, list | tuple) else [u]
        if len(values) != len(names):
            fail("I19", name=self.name, size=len(names), given=len(values))
        pairs = zip(self.inputs, values, strict=True)
        return {x: kind.given(v, x, self.name) for (x, kind), v in pairs}

    def first(self) -> dict[str, Value]:
        """Return the variables at the first instruction, for unknown inputs."""
        return self.start(self._symbols)

    def bind(self, values: Mapping[str, Value]) -> Program:
        """Return the program with values for some inputs, which are constants from then on."""
        code, places, shift = list[Instruction](), list[Place | None](), len(values)
        for x, v in values.items():
            code.append(Set(x, Const(v)))
            places.append(None)
        for i, one in enumerate(self.code.instructions):
            code.append(_relocated(one, [shift] * (len(self.code) + 1)))
            places.append(self.code.place(i))
        inputs = tuple((x, kind) for x, kind in self.inputs if x not in values)
        return replace(self, inputs=inputs, code=Code(tuple(code), tuple(places)))

    @property
    def samples(self) -> tuple[int, ...]:
        """The instructions that draw."""
        return tuple(
            i for i, one in enumerate(self.code.instructions)
            if isinstance(one, Sample | Choose | Select)
        )  # fmt: skip

    def ideal(self) -> Program:
        """Return the ideal: samples become means, `expmech` the first maximiser, all runs count."""
        for top, end in self.whiles:
            if any(top <= pc < end for pc in self.samples):
                fail("K07", place=self.code.place(end - 1))
        found: list[Instruction] = []
        for i, one in enumerate(self.code.instructions):
            place = self.code.place(i)
            match one:
                case Sample(target, "unif", low, high):
                    both = Apply("+", (low, high), place)
                    found.append(Set(target, Apply("/", (both, Const(2)), place)))
                case Sample(target, _, _, mean):
                    found.append(Set(target, mean))
                case Select(target, _, scores):
                    found.append(Set(target, _swapped(scores)))
                case Choose():
                    fail("I25", place=place)
                case Discard():
                    found.append(Jump(i + 1))
                case _:
                    found.append(one)
        code = Code(tuple(found), self.code.places)
        if any(isinstance(one, Select) for one in self.code.instructions):
            code = _with_folds(code, self.code)
        return replace(self, name=f"ideal of {self.name}", code=code)

    def require_deterministic(self) -> None:
        """Refuse a function that samples: an ideal may not."""
        for pc in self.samples:
            fail("I21", place=self.code.place(pc), name=self.name)

    def json(self) -> dict[str, object]:
        """Return the program as JSON."""
        inputs = [[name, str(kind)] for name, kind in self.inputs]
        return {"name": self.name, "inputs": inputs, "code": self.code.json()}


def _swapped(scores: Expression) -> Expression:
    """Return pairs (candidate, score) as they are: what is folded by scores swaps them."""
    return Apply("swapped", (scores,))


def _with_folds(code: Code, before: Code) -> Code:
    """Insert the fold behind each maximiser; jumps lead where they led."""
    shift, moved = 0, []
    for one in before.instructions:
        moved.append(shift)
        shift += isinstance(one, Select)
    found: list[Instruction] = []
    places = []
    for i, one in enumerate(code.instructions):
        found.append(_relocated(one, moved))
        places.append(code.place(i))
        if isinstance(before[i], Select):
            target = assigned(one)
            assert target
            found.append(Fold(target, "max", keyed=True))
            places.append(code.place(i))
    return Code(tuple(found), tuple(places))


def _relocated(one: Instruction, moved: Sequence[int]) -> Instruction:
    to = one.to if isinstance(one, Jump) else one.otherwise if isinstance(one, Test) else None
    return one if to is None else renamed(one, to + moved[to])


def _resolved(reading: Reading, checked: Checked) -> Code:
    """Return the code where `+=` is `+`, unless its variable may be a list, which it changes."""
    found = list[Instruction]()
    for pc, one in enumerate(reading.code.instructions):
        found.append(one)
        match one:
            case Set(target, Apply("+=" | "*=" as op, (Name(x), _) as args, place)):
                kind = checked.before.get(pc, {}).get(x)
                if kind is not None and "list" not in kind.types:
                    found[-1] = Set(target, Apply(op[0], args, place))
    return Code(tuple(found), reading.code.places)
