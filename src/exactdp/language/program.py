"""`Program`: a function of the language, read, checked and ready to run."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar

from exactdp.errors import ExactdpError, ProgramError, ValueRefusedError, shown
from exactdp.language.budgets import defined_on
from exactdp.language.checker import CheckedCode, check
from exactdp.language.flatten import flatten
from exactdp.language.flow import Flow
from exactdp.language.machine import Machine
from exactdp.language.noiseless import noiseless
from exactdp.language.noisy import samples
from exactdp.language.printer import print_definition
from exactdp.language.reading import read_function
from exactdp.language.static import check_constants, surely_total
from exactdp.language.terms import EpsTerm
from exactdp.language.tree import Definition, called, where
from exactdp.language.trial import confirmed
from exactdp.language.types import over_reals
from exactdp.language.values import Table, freeze
from exactdp.reals import Stretch
from exactdp.reals.interval import POSITIVE, Interval
from exactdp.reals.spans import Span, around

if TYPE_CHECKING:
    from exactdp.language.code import Code
    from exactdp.language.tree import Param
    from exactdp.language.types import InputType
    from exactdp.language.values import Value
    from exactdp.reals.radicals import Surd

T = TypeVar("T")

_MOST_PARTS = 100  # number of intervals of ε for which the restricted program is cached


class Program:
    """A function of the language, and what follows from its text alone.

    A value: two programs are equal if their definitions are. `exactdp.Mechanism` adds the methods
    that users call; the layers in between need only this class.
    """

    def __init__(self, definition: Definition, *, late: bool = False) -> None:
        self.definition = definition
        self.__name__ = definition.name
        self.__doc__ = definition.doc or None
        self._kept: dict[object, Any] = {}
        self._parts: dict[tuple[Interval, Stretch | None], Self] = {}
        if not late:
            _ = self.checked  # refuse a wrong program now, not at its first use

    @property
    def inputs(self) -> tuple[Param, ...]:
        """The inputs, with their types."""
        return self.definition.params

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
    def checked(self) -> CheckedCode:
        """The kinds of its values, known because the program is well formed."""
        found = check(self.code, self.flow)
        check_constants(self.code, self.flow, found.before)
        if found.doubts:
            doubt = confirmed(Machine(self.code, self.flow), found.doubts)
            if doubt is not None:
                raise doubt
        return found

    @cached_property
    def over_reals(self) -> Program | None:
        """The same program with real inputs instead of finite numbers; None if it is refused.

        What is true of it at all inputs is true of this program: every number is a real.
        """
        params = self.definition.params
        if not any(param.type is None or param.type.finite for param in params):
            return self
        kinds = [over_reals(param.type) for param in params]
        real = [
            replace(param, type=kind)
            for param, kind in zip(params, kinds, strict=True)
            if kind is not None
        ]
        if len(real) < len(params):
            return None
        try:
            return Program(replace(self.definition, params=tuple(real)))
        except ExactdpError:
            return None

    @cached_property
    def machine(self) -> Machine:
        """The step function of the program."""
        return self.machine_in(Fraction(1))

    def machine_in(self, unit: Surd | None) -> Machine:
        """Return the step function with rates as multiples of a unit (see `Machine`)."""
        return Machine(self.code, self.flow, settles=self.checked.settles, unit=unit)

    @cached_property
    def rough_machine(self) -> Machine:
        """The step function for sampled runs at one ε, which rounds log(r)/ε."""
        if not self.uses_log and not self.uses_roots:
            return self.machine
        return Machine(self.code, self.flow, is_rough=True, settles=self.checked.settles)

    @cached_property
    def uses_log(self) -> bool:
        """Whether log(r)/ε may be combined with reals."""
        return any(
            called(node) == "log" or (isinstance(node, ast.Constant) and _has_log(node.value))
            for node in self.code.nodes()
        )

    @cached_property
    def uses_roots(self) -> bool:
        """Whether an irrational root may occur in a rate or a probability."""
        return any(
            called(node) == "sqrt"
            or (
                isinstance(node, ast.BinOp)
                and isinstance(node.op, ast.Pow)
                and not isinstance(node.right, ast.Constant)
            )
            for node in self.code.nodes()
        )

    @property
    def moves(self) -> bool:
        """Whether reals are combined with functions of ε or irrational numbers."""
        return self.meets_eps and (self.uses_log or not self.epsilon.is_point)

    def noiseless(self) -> DeterministicProgram:
        """Return det(P): every sample replaced by its mean, `expmech` by the first maximiser."""
        return DeterministicProgram(noiseless(self.definition))

    @cached_property
    def without_noise(self) -> DeterministicProgram:
        """The same, for claims: most of them run the program itself, with means as samples.

        It is checked at its first use, unless numbers with ε may be left in it.
        """
        return DeterministicProgram(noiseless(self.definition), late=not self.depends_on_eps)

    @property
    def depends_on_eps(self) -> bool:
        """Whether numbers of the program are other numbers at a single ε."""
        return self.meets_eps or self.checked.releases_eps

    @property
    def epsilon(self) -> Interval:
        """The ε for which the program is defined."""
        return self.code.epsilon

    @property
    def span(self) -> Span:
        """The same, or the part of them on which each `min` and `max` is one fixed argument."""
        return self.definition.part or self.epsilon

    def on_part(self, part: Stretch) -> Self:
        """Return the program restricted to a part of ε, whose ends may be irrational."""
        return self.on(around(part), part)

    def on(self, interval: Interval, part: Stretch | None = None) -> Self:
        """Return the program restricted to an interval of ε, within that of its definition.

        Its probabilities must be valid only there; with a part of the interval, only in that part.
        """
        declared = defined_on(self.definition)
        if not declared.covers(interval):
            raise ValueRefusedError(
                f"{self.__name__} is defined for eps in {declared}, "
                f"and asked for eps in {interval}",
                rule="Questions are about the eps for which the mechanism is defined.",
                way_out=f"Ask for eps in {declared}, or define it for more.",
            )
        known = self.definition.asked or self.definition.epsilon
        is_alike = interval == POSITIVE or self._is_total
        if known and not interval.is_point:  # at a single ε, no `min` or `max` changes
            is_alike = is_alike or known.covers(interval)
        is_alike = is_alike and not (self.depends_on_eps and interval.is_point)
        if part is None and (interval == known or is_alike):
            return self
        key = interval, part
        if key not in self._parts:
            if len(self._parts) >= _MOST_PARTS:
                self._parts.clear()
            self._parts[key] = type(self)(replace(self.definition, asked=interval, part=part))
        return self._parts[key]

    @property
    def meets_eps(self) -> bool:
        """Whether a + b/ε may be combined with reals, so that comparisons depend on ε."""
        return self.checked.meets_eps

    @cached_property
    def _is_total(self) -> bool:
        """Whether the program is known to be defined for every ε > 0."""
        return surely_total(self.code, self.flow)

    def kept(self, make: Callable[[Program], T]) -> T:
        """Return `make(self)`, computed once and cached as long as the program exists.

        So all callers share what a layer above computes about a program.
        """
        if make not in self._kept:
            self._kept[make] = make(self)
        found: T = self._kept[make]
        return found

    def __str__(self) -> str:
        return print_definition(self.definition)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{param.name}: {param.type}" for param in self.inputs)
        return f"<{type(self).__name__.lower()} {self.__name__}({inputs})>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self.definition == other.definition

    def __hash__(self) -> int:
        return hash(self.definition)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.definition,)

    # Inputs ---------------------------------------------------------------------------

    def read_input(self, u: object = ()) -> tuple[Value, ...]:
        """Return an input as exact values, one for each parameter, or refuse it.

        With one parameter `u` is its value; with several, a sequence of their values or a
        dictionary by name.
        """
        self.refuse_untyped()
        values = self._by_name(u) if isinstance(u, Mapping) else self._in_order(u)
        found = []
        for param, value in zip(self.inputs, values, strict=True):
            assert param.type is not None
            try:
                found.append(param.type.read(value))
            except ExactdpError as error:
                if isinstance(u, tuple) and not u:
                    raise self._none_given() from None
                raise ValueRefusedError(
                    f"the input {param.name} of {self.__name__}: {error.message}",
                    rule=error.rule,
                    way_out=error.way_out,
                ) from None
        return tuple(found)

    def refuse_untyped(self) -> None:
        """Raise an error if an input has no type."""
        for param in self.inputs:
            if param.type is None:
                raise ProgramError(
                    f"the input {param.name} has no type",
                    place=param.place,
                    rule="Without types a function can only be called by another mechanism.",
                    way_out=f"Write {param.name}: Real, Real[m], Dom(lo, hi) or bool.",
                )

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
        if count == 0 and (u is None or (isinstance(u, tuple) and not u)):
            return []
        if isinstance(u, tuple) and not u:
            raise self._none_given()
        if isinstance(u, str) or not isinstance(u, tuple | list) or len(u) != count:
            raise ValueRefusedError(
                f"{self.__name__} has {count} inputs, given is {shown(u)}",
                rule="With one input u is its value; with several, one value for each.",
                way_out="Give a tuple with one value for each input.",
            )
        return list(u)

    def _none_given(self) -> ValueRefusedError:
        listed = ", ".join(f"{param.name}: {param.type}" for param in self.inputs)
        return ValueRefusedError(
            f"no input of {self.__name__} is given",
            rule=f"{self.__name__} has the input{'s' * (len(self.inputs) > 1)} {listed}.",
            way_out="Give a value for each input (--input).",
        )


class DeterministicProgram(Program):
    """A program that samples nothing: it can be called like a function and runs exactly."""

    python: Callable[..., Any] | None = None
    """The Python function that it was read from, if that is known."""

    def __init__(self, definition: Definition, *, late: bool = False) -> None:
        found = None if late else samples(definition)
        if found is not None:
            raise ProgramError(
                f"{definition.name} samples, and an ideal may not",
                place=where(found),
                rule="An ideal is the deterministic function that a mechanism approximates.",
                way_out="Use @mechanism, or leave the noise out.",
            )
        super().__init__(definition, late=late)

    def __call__(self, *args: object, **keywords: object) -> Value:
        """Return the exact output for given inputs."""
        if keywords:
            args = tuple(self._by_name(dict(zip(self._names, args, strict=False)) | keywords))
        if any(param.type is None for param in self.inputs):
            if len(args) != len(self.inputs):
                raise ValueRefusedError(
                    f"{self.__name__} takes {len(self.inputs)} arguments, {len(args)} given",
                    rule="An ideal is called with one argument for each of its inputs.",
                    way_out=f"Write {self.__name__}({', '.join(self._names)}).",
                )
            return self.machine.run(tuple(freeze(arg) for arg in args))
        given = args[0] if len(args) == 1 and len(self.inputs) == 1 else args
        return self.machine.run(self.read_input(given))


def typed_program(
    function: Callable[..., Any], types: Sequence[InputType | None], *, lambdas: bool = False
) -> DeterministicProgram:
    """Return a Python function or a program as a program, with types for inputs that have none."""
    if not isinstance(function, DeterministicProgram):
        return DeterministicProgram(read_function(function, {}, types, lambdas=lambdas))
    written = function.definition
    params = [
        param if param.type is not None or kind is None else replace(param, type=kind)
        for param, kind in zip(written.params, types, strict=False)
    ]
    if params == list(written.params[: len(params)]):
        return function
    typed = (*params, *written.params[len(params) :])
    return DeterministicProgram(replace(written, params=typed))


def _has_log(value: object) -> bool:
    """Whether a constant is, or contains, an expression with a logarithm."""
    if isinstance(value, tuple | Table):
        return any(map(_has_log, value.values() if isinstance(value, Table) else value))
    return isinstance(value, EpsTerm) and value.has_log
