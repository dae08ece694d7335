"""`Mechanism`: a program that exactdp understands completely, and what can be asked of it.

The meanings of a program live in `semantics`, to the right of this room; they are loaded when
they are asked for (PLC0415), numpy among them.
"""

from __future__ import annotations

import ast
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, overload

from exactdp.errors import ExactdpError, ProgramError, ValueRefusedError, shown
from exactdp.language.checker import Checked, check
from exactdp.language.definition import Definition
from exactdp.language.evaluate import evaluate_closed
from exactdp.language.explain import explain
from exactdp.language.flatten import flatten
from exactdp.language.flow import Flow
from exactdp.language.labelled import labelled
from exactdp.language.noiseless import noiseless
from exactdp.language.noisy import samples
from exactdp.language.printer import print_definition
from exactdp.language.reader import Reader
from exactdp.language.source import (
    Source,
    function_source,
    given,
    surroundings,
    text_source,
)
from exactdp.language.static import check_constants
from exactdp.language.types import read_number
from exactdp.language.values import freeze
from exactdp.language.words import OutsideMechanismError

if TYPE_CHECKING:
    from exactdp.claims.inputs import AllReals, Box
    from exactdp.language.code import Code
    from exactdp.language.syntax import Param
    from exactdp.language.types import InputType
    from exactdp.language.values import Value
    from exactdp.reals import ClosedForm
    from exactdp.semantics.chain import Chain
    from exactdp.semantics.concrete import Uniform
    from exactdp.semantics.distribution import Distribution, Engine, Hook
    from exactdp.semantics.machine import Machine
    from exactdp.semantics.piecewise import Piecewise


class Mechanism:
    """A mechanism: made by `@mechanism`, or from text by `Mechanism.from_source`.

    Two mechanisms are equal if their programs and constants are.
    """

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self.__name__ = definition.function.name
        self.__doc__ = definition.function.doc or None
        _ = self.checked  # a wrong program is refused now, not when it is used

    @classmethod
    def from_source(
        cls,
        text: str,
        constants: Mapping[str, object] | None = None,
        name: str = "<mechanism>",
    ) -> Self:
        """Return the mechanism that a text defines; nothing in the text is run.

        The text may assign constants and define subroutines before; the last `def` is the
        mechanism. `constants` are the outside names it may use.
        """
        if not isinstance(text, str):
            raise ValueRefusedError(
                f"a source is a text, not {type(text).__name__}",
                rule="from_source reads the text of a mechanism.",
                way_out="Read the file first, or use @mechanism on the function.",
            )
        return cls(read_text(text_source(text, name), dict(constants or {})))

    # The program ----------------------------------------------------------------------

    @property
    def inputs(self) -> tuple[Param, ...]:
        """The inputs, with their types."""
        return self.definition.function.params

    @property
    def deterministic(self) -> bool:
        """Whether the program samples nothing."""
        return samples(self.definition) is None

    @cached_property
    def code(self) -> Code:
        """The program as flat code."""
        return flatten(self.definition)

    @cached_property
    def flow(self) -> Flow:
        """The control flow of the flat code."""
        return Flow(self.code)

    @cached_property
    def checked(self) -> Checked:
        """The kinds of its values: the program is well formed."""
        found = check(self.code, self.flow)
        check_constants(self.code, self.flow, found.before)
        return found

    @cached_property
    def machine(self) -> Machine:
        """The step function of the program."""
        from exactdp.semantics.machine import Machine  # noqa: PLC0415

        return Machine(self.code, self.flow)

    # What it looks like ---------------------------------------------------------------

    def __str__(self) -> str:
        return print_definition(self.definition)

    def _repr_html_(self) -> str:
        from exactdp.report.notebook import mechanism_html  # noqa: PLC0415 only in notebooks

        return mechanism_html(self)

    def _repr_latex_(self) -> str:
        from exactdp.report.notebook import mechanism_latex  # noqa: PLC0415 only in notebooks

        return mechanism_latex(self)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{param.name}: {param.type}" for param in self.inputs)
        return f"<{type(self).__name__.lower()} {self.__name__}({inputs})>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mechanism) and self.definition == other.definition

    def __hash__(self) -> int:
        return hash(self.definition)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.definition,)

    def labelled(self) -> str:
        """Return the program as basic statements, one a line, loops unrolled.

        Real and integer variables are assigned at most once, as in the paper.
        """
        return labelled(self.code, self.checked, self.__name__)

    def explain(self) -> str:
        """Return what the program takes, samples and returns, in words."""
        return explain(self)

    def noiseless(self) -> Ideal:
        """Return det(P): every sample replaced by its mean, `expmech` by the first maximiser."""
        return Ideal(noiseless(self.definition))

    def __call__(self, *args: object, **keywords: object) -> Value:
        """Refuse: a mechanism is run by `run` or called inside another mechanism."""
        del args, keywords
        raise OutsideMechanismError(
            f"{self.__name__} is a mechanism, and was called like a function",
            rule="A mechanism samples, so its output depends on eps and on chance.",
            way_out="Use run(u, eps, rng) or sample(u, eps, size); inside another mechanism "
            "it can be called by name.",
        )

    # Exact probabilities --------------------------------------------------------------

    @cached_property
    def engine(self) -> Engine:
        """What computes its probabilities."""
        from exactdp.semantics.distribution import Engine  # noqa: PLC0415

        return Engine(self)

    @overload
    def distribution(  # type: ignore[overload-overlap]
        self, u: AllReals | Box, progress: Hook | None = None
    ) -> Piecewise[dict[Value, ClosedForm]]: ...
    @overload
    def distribution(self, u: object = (), progress: Hook | None = None) -> Distribution: ...
    def distribution(self, u: object = (), progress: Hook | None = None) -> Any:
        """Return the exact distribution of the output at an input: output → closed form in ε.

        For `AllReals()` or a `Box`, a formula in the inputs for each of their cells. `progress` is
        called with the `Work` done so far: states, cells and terms.
        """
        if (sides := self._sides(u)) is not None:
            from exactdp.semantics.piecewise import piecewise  # noqa: PLC0415

            engine = self.engine
            return piecewise(
                self,
                sides,
                lambda v, _: dict(engine.distribution_at_spots(v)),
                lambda v, _: dict(engine.distribution(v)),
            )
        return self.engine.distribution(u, progress)

    @overload
    def probability(  # type: ignore[overload-overlap]
        self, u: AllReals | Box, output: object, progress: Hook | None = None
    ) -> Piecewise[ClosedForm]: ...
    @overload
    def probability(
        self, u: object, output: object, progress: Hook | None = None
    ) -> ClosedForm: ...
    def probability(self, u: object, output: object, progress: Hook | None = None) -> Any:
        """Return the exact probability of an output at an input, as a closed form in ε.

        In the output, `Real` stands for any real number and an `Interval` for those inside. For
        `AllReals()` or a `Box`, a formula in the inputs for each of their cells.
        """
        if (sides := self._sides(u)) is not None:
            from exactdp.semantics.events import read_pattern  # noqa: PLC0415
            from exactdp.semantics.piecewise import piecewise  # noqa: PLC0415

            pattern = read_pattern(output)
            engine = self.engine
            return piecewise(
                self,
                sides,
                lambda v, _: engine.probability_at_spots(v, pattern),
                lambda v, _: engine.probability(v, pattern),
            )
        return self.engine.probability(u, output, progress)

    @overload
    def within(  # type: ignore[overload-overlap]
        self,
        u: AllReals | Box,
        gamma: object,
        *,
        ideal: object = None,
        distance: str | None = None,
    ) -> Piecewise[ClosedForm]: ...
    @overload
    def within(
        self, u: object, gamma: object, *, ideal: object = None, distance: str | None = None
    ) -> ClosedForm: ...
    def within(
        self, u: object, gamma: object, *, ideal: object = None, distance: str | None = None
    ) -> Any:
        """Return the probability that the output is within gamma of the ideal output.

        The ideal is `noiseless()`, another function in the language, or the output itself in a
        tuple or number. The distance is "sup" (the largest difference of numbers, infinite where
        anything else differs) or "discrete" (0 if equal, else 1); by default "sup". For
        `AllReals()` or a `Box`, a formula in the inputs (and in gamma, if that is
        `exactdp.gamma`) for each of their cells.
        """
        from exactdp.semantics.distribution import within  # noqa: PLC0415

        wanted = self.noiseless() if ideal is None else ideal
        if (sides := self._sides(u)) is not None:
            from exactdp.semantics.piecewise import within_everywhere  # noqa: PLC0415

            return within_everywhere(self, sides, wanted, gamma, distance or "sup")
        output = wanted.run(u) if isinstance(wanted, Mechanism) else wanted
        return within(self.engine, u, output, gamma, distance or "sup")

    def _sides(self, u: object) -> list[tuple[Any, ...]] | None:
        """Return the sides of a set of real inputs, or None if one input is given."""
        from exactdp.claims.inputs import AllReals, Box, box_sides  # noqa: PLC0415

        return box_sides(self, u) if isinstance(u, AllReals | Box) else None

    def chain(self, u: object = ()) -> Chain:
        """Return the parametrised Markov chain of the paper at an input, to walk or to draw."""
        from exactdp.semantics.chain import chain  # noqa: PLC0415

        return chain(self, u)

    # Running --------------------------------------------------------------------------

    def read_input(self, u: object = ()) -> tuple[Value, ...]:
        """Return an input as exact values, one for each parameter, or refuse it.

        With one parameter `u` is its value; with several, a sequence of their values or a
        dictionary by name.
        """
        params = self.inputs
        for param in params:
            if param.type is None:
                raise ProgramError(
                    f"the input {param.name} has no type",
                    place=param.place,
                    rule="Without types a function can only be called by another mechanism.",
                    way_out=f"Write {param.name}: Real, Real[m], Dom(lo, hi) or bool.",
                )
        values = self._by_name(u) if isinstance(u, Mapping) else self._in_order(u)
        found = []
        for param, value in zip(params, values, strict=True):
            assert param.type is not None
            try:
                found.append(param.type.read(value))
            except ExactdpError as error:
                raise ValueRefusedError(
                    f"the input {param.name} of {self.__name__}: {error.message}",
                    rule=error.rule,
                    way_out=error.way_out,
                ) from None
        return tuple(found)

    @property
    def _names(self) -> list[str]:
        return [param.name for param in self.inputs]

    def _by_name(self, u: Mapping[Any, object]) -> list[object]:
        names = self._names
        if set(u) != set(names):
            raise ValueRefusedError(
                f"{self.__name__} has the inputs {', '.join(names) or 'none'}, "
                f"given are {', '.join(map(str, u)) or 'none'}",
                rule="A dictionary gives each input by its name.",
                way_out="Give " + "{" + ", ".join(f"{name!r}: …" for name in names) + "}.",
            )
        return [u[name] for name in names]

    def _in_order(self, u: object) -> list[object]:
        count = len(self.inputs)
        if count == 1:
            return [u]
        if u is None and count == 0:
            return []
        if isinstance(u, str) or not isinstance(u, tuple | list) or len(u) != count:
            raise ValueRefusedError(
                f"{self.__name__} has {count} inputs, given is {shown(u)}",
                rule="With one input u is its value; with several, one value for each.",
                way_out="Give a tuple with one value for each input.",
            )
        return list(u)

    def run(self, u: object = (), eps: object = None, rng: Uniform | None = None) -> Value:
        """Return one output: exact if the program is deterministic, else one sample.

        `rng` is a `random.Random` or a numpy generator; by default a fresh one.
        """
        from exactdp.semantics.concrete import run_exactly, run_once  # noqa: PLC0415

        state = self.machine.start(self.read_input(u))
        if self.deterministic:
            return run_exactly(self.machine, state)
        return run_once(self.machine, state, _budget(eps), rng or random.Random())

    def sample(self, u: object, eps: object, size: int, seed: Any = None) -> list[Value]:
        """Return the outputs of `size` independent runs (floats: for looking, not for proof)."""
        if type(size) is not int or size < 0:
            raise ValueRefusedError(
                f"{shown(size)} is not a number of runs",
                rule="The size is the number of outputs: an int, 0 or more.",
                way_out="Give an int, such as size=1000.",
            )
        state = self.machine.start(self.read_input(u))
        budget = _budget(eps)
        if self.deterministic:
            from exactdp.semantics.concrete import run_exactly  # noqa: PLC0415

            return [run_exactly(self.machine, state)] * size
        from exactdp.semantics.simulate import simulate  # noqa: PLC0415

        return simulate(self.machine, state, budget, size, seed)


class Ideal(Mechanism):
    """A deterministic function in the language: it samples nothing and runs exactly."""

    def __init__(self, definition: Definition) -> None:
        found = samples(definition)
        if found is not None:
            raise ProgramError(
                f"{definition.function.name} samples, and an ideal may not",
                place=found.place,
                rule="An ideal is the deterministic function that a mechanism approximates.",
                way_out="Use @mechanism, or leave the noise out.",
            )
        super().__init__(definition)

    def __call__(self, *args: object, **keywords: object) -> Value:
        """Return the output for given inputs, exactly."""
        if keywords:
            args = tuple(self._by_name(dict(zip(self._names, args, strict=False)) | keywords))
        if any(param.type is None for param in self.inputs):
            from exactdp.semantics.concrete import run_exactly  # noqa: PLC0415

            if len(args) != len(self.inputs):
                raise ValueRefusedError(
                    f"{self.__name__} takes {len(self.inputs)} arguments, {len(args)} given",
                    rule="An ideal is called with one argument for each of its inputs.",
                    way_out=f"Write {self.__name__}({', '.join(self._names)}).",
                )
            state = self.machine.start(tuple(freeze(arg) for arg in args))
            return run_exactly(self.machine, state)
        return self.run(args[0] if len(args) == 1 and len(self.inputs) == 1 else args)


_LARGEST = 10**30
_LEAST = Fraction(1, 10**100)


def _budget(eps: object) -> Fraction:
    """Return the ε of a run."""
    if eps is None:
        raise ValueRefusedError(
            "eps is missing",
            rule="A mechanism with noise runs at a privacy budget.",
            way_out="Write for example run(u, eps=1).",
        )
    value = read_number(eps)
    if value <= 0:
        raise ValueRefusedError(
            f"eps is {value}", rule="The privacy budget is positive.", way_out="Give eps > 0."
        )
    if not _LEAST <= value <= _LARGEST:
        raise ValueRefusedError(
            f"eps is {'larger than 1e30' if value > 1 else 'smaller than 1e-100'}",
            rule="A run samples with floats, at an eps from 1e-100 to 1e30.",
            way_out="Give such an eps, or ask distribution(u), which is exact at every eps.",
        )
    return Fraction(value)


def mechanism(function: Callable[..., Any]) -> Mechanism:
    """Read a Python function as a mechanism (a decorator); the function is never run."""
    return Mechanism(read_function(function, sys._getframe(1).f_locals))


def ideal(function: Callable[..., Any]) -> Ideal:
    """Read a Python function as a deterministic function in the language (a decorator)."""
    return Ideal(read_function(function, sys._getframe(1).f_locals))


def typed_ideal(function: Callable[..., Any], types: Sequence[InputType | None]) -> Ideal:
    """Return a Python function or an ideal as an ideal, with types for inputs that have none."""
    if not isinstance(function, Ideal):
        return Ideal(read_function(function, {}, types))
    written = function.definition.function
    params = [
        param if param.type is not None or kind is None else replace(param, type=kind)
        for param, kind in zip(written.params, types, strict=False)
    ]
    if params == list(written.params[: len(params)]):
        return function
    typed = replace(written, params=(*params, *written.params[len(params) :]))
    return Ideal(replace(function.definition, function=typed))


def read_function(
    function: Callable[..., Any],
    local: Mapping[str, object],
    types: Sequence[InputType | None] = (),
) -> Definition:
    """Return the definition that a Python function's source spells.

    An input without a type gets that in `types`.
    """
    source, node = function_source(function)
    reader = Reader(source, surroundings(function, local))
    annotations = getattr(function, "__annotations__", {})
    found = {
        arg.arg: kind
        for arg, kind in zip(node.args.args, types, strict=False)
        if kind is not None and arg.annotation is None
    }
    found |= {name: value for name, value in annotations.items() if not isinstance(value, str)}
    return reader.function(node, found)


def read_text(source: Source, constants: dict[str, object]) -> Definition:
    """Return the definition that a text spells: constants, subroutines, the mechanism last."""
    known = dict(constants)
    definition: Definition | None = None
    for node in source.parse().body:
        match node:
            case ast.FunctionDef(name):
                reader = Reader(source, given(known))
                known.pop(name, None)
                definition = reader.function(node, {})
                known[name] = _Subroutine(definition)
            case ast.Assign([ast.Name(name)], value):
                reader = Reader(source, given(known))
                reader.check_name(name, node.targets[0])
                known[name] = evaluate_closed(reader.expr(value), reader.constants)
            case ast.ImportFrom(module) if (module or "").partition(".")[0] == "exactdp":
                continue
            case ast.Import(aliases) if all(one.name == "exactdp" for one in aliases):
                whole = sys.modules["exactdp"]
                known.update({one.asname or one.name: whole for one in aliases})
            case ast.Expr(ast.Constant(str())):
                continue
            case _:
                raise ProgramError(
                    "a source holds constants and functions only",
                    place=source.place(node),
                    rule="Nothing in it is run; the last `def` is the mechanism.",
                    way_out="Move it into the `def`, or run it outside and give the result in "
                    "constants={…}.",
                )
    if definition is None:
        raise ProgramError(
            "there is no `def` in the source",
            place=source.at(1, 1),
            rule="A mechanism is written as a function; the last `def` is the mechanism.",
            way_out="Write `def mechanism(q: Real): …`.",
        )
    return definition


class _Subroutine:
    """A function of the same text, as the reader finds it."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
