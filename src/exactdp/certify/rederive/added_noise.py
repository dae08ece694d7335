"""Mechanisms that only add noise: the error has the same distribution at every input.

The program runs once, with an unknown for each number of the input. What is computed from unknowns
without noise (a maximum, a comparison, a rounded number) is another unknown, and where one decides,
both ways are gone and must draw the same noise. Nothing else may depend on noise: it is not
compared, and no unknown is multiplied by it. Then each number of the output is an unknown plus the
same sum of noise at every input. The ideal, the same program without noise, goes the same ways and
returns the unknown alone. So the error is this sum of noise. The proof is in `docs/theory.md`.
"""

from __future__ import annotations

import ast
from fractions import Fraction
from typing import Any

from ..kernel.reading import CertificateReader
from .builtin import bounded
from .derivation import Derivation
from .flat import RETURNED, FlatCode
from .interpreter import FAILURES, FunctionCall
from .lattices import WHOLE
from .linear import LinearForm, forms_in, is_number
from .programs import SourceProgram, frozen
from .ratios import UnsupportedError, WrongProgramError
from .runs import Path, Question

_ONE = Fraction(1)
_MOVED = ("lap", "expo", "gumbel", *WHOLE)  # noise that is only shifted by its mean
_ROUNDED = ("bool", "ceil", "floor", "int", "round", "trunc", "any", "all")


_LOST = object()  # the value of a variable that depends on which way was gone


class _UnknownRun(Path):
    """A run with unknowns below 0 for what does not depend on noise, and samples from 0 on."""

    def __init__(self) -> None:
        super().__init__(noisy=True)
        self.laws: list[tuple[str, Fraction]] = []
        self.count = 0
        self.whole: set[int] = set()

    def unknown(self, *, whole: bool) -> LinearForm:
        """Return a new unknown, which may be known to be a whole number."""
        self.count += 1
        if whole:
            self.whole.add(-self.count)
        return LinearForm({-self.count: _ONE}, Fraction(0), self)

    def is_integer(self, value: Any) -> bool:
        """Whether a value without noise is surely a whole number."""
        if not isinstance(value, LinearForm):
            return isinstance(value, int)
        numbers = [value.constant, *value.coefficients.values()]
        return self.whole.issuperset(value.coefficients) and all(
            Fraction(q).denominator == 1 for q in numbers
        )

    def decide(self, form: LinearForm, op: str) -> bool:
        """Refuse: what unknowns decide is seen by `_UnknownCall`."""
        del form, op
        raise UnsupportedError("numbers are compared where it is not followed")

    def draw(self, kind: str, rate: Fraction, mean: Any) -> Any:
        """Return the mean plus new noise."""
        if kind not in _MOVED:
            raise UnsupportedError("noise that does not only move with its mean")
        if kind in WHOLE and not self.is_integer(mean):  # so it holds no noise
            raise UnsupportedError("the mean of integer noise may not be a whole number")
        self.laws.append((kind, rate))
        return LinearForm({len(self.laws) - 1: _ONE}, Fraction(0), self) + mean

    def uniform(self, lower: Any, upper: Any) -> Any:
        """Refuse noise with ends."""
        del lower, upper
        raise UnsupportedError("noise that does not only move with its mean")

    def ask(self, question: Question, options: int) -> int:
        """Refuse."""
        del question, options
        raise UnsupportedError("a random choice is not added noise")


class _UnknownCall(FunctionCall):
    """A call in such a run: where an unknown decides, it goes both ways."""

    run: _UnknownRun

    def step(self, pc: int) -> int:
        """Run an instruction."""
        assert self.flat is not None
        one = self.flat.code[pc]
        if one.kind == "test":
            test = self.value(one.node)
            if isinstance(test, LinearForm):
                return self._fork(test, self.flat, pc)
            return pc + 1 if test else one.target
        return super().step(pc)

    def _fork(self, test: LinearForm, flat: FlatCode, pc: int) -> int:
        """Go both ways of an `if`, and go on with what they have in common."""
        self._without_noise(test)
        otherwise = flat.code[pc].target
        end = flat.code[otherwise - 1].target
        before, ends = self.run.laws, []
        for start in (pc + 1, otherwise):
            self.run.laws = [*before]
            walk = _UnknownCall(self.program, self.run, dict(self.local), self.depth, flat)
            after = walk.follow(start, range(pc + 1, end))
            if after not in (RETURNED, end):
                raise UnsupportedError("an unknown number ends a loop")
            returned: tuple[Any, ...] = (walk.output,) if after == RETURNED else ()
            ends.append((walk.local, returned, self.run.laws))
        (one, first, drawn), (two, second, also) = ends
        if drawn != also or len(first) != len(second):
            raise UnsupportedError("what is drawn depends on the input")
        if first:
            self.output = self._joined(first[0], second[0])
            return RETURNED
        for name in one.keys() | two.keys():
            try:
                self.local[name] = self._joined(one.get(name, _LOST), two.get(name, _LOST))
            except UnsupportedError:
                self.local[name] = _LOST
        return end

    def name(self, name: str) -> Any:
        """Return the value of a name."""
        if self.local.get(name) is _LOST:
            raise UnsupportedError(f"what {name} is depends on the input")
        return super().name(name)

    def _joined(self, one: Any, two: Any) -> Any:
        """Return what a value is if it is one of two."""
        if one is two:
            return one
        if isinstance(one, list | tuple):
            if type(one) is not type(two) or len(one) != len(two):
                raise UnsupportedError("lists are not alike")
            return type(one)(self._joined(a, b) for a, b in zip(one, two, strict=True))
        numbers = [isinstance(x, LinearForm | int | Fraction) for x in (one, two)]
        if not all(numbers):
            if type(one) is type(two) and (one is None or isinstance(one, str)) and one == two:
                return one
            raise UnsupportedError("values are not alike")
        if not isinstance(one, LinearForm) and type(one) is type(two) and one == two:
            return one
        noise = _noise(one)
        if noise != _noise(two):
            raise UnsupportedError("noise that is added depends on the input")
        whole = not noise and self.run.is_integer(one) and self.run.is_integer(two)
        return LinearForm(noise, Fraction(0), self.run) + self.run.unknown(whole=whole)

    def value(self, node: ast.expr) -> Any:
        """Return the value of an expression."""
        match node:
            case ast.UnaryOp(ast.Not(), operand):
                found = self.value(operand)
                return self._of([found], whole=True) if _unknown(found) else not found
            case ast.BoolOp(op, operands):
                return self._any(isinstance(op, ast.Or), operands)
            case ast.IfExp(test, then, otherwise):
                found = self.value(test)
                if not isinstance(found, LinearForm):
                    return self.value(then if found else otherwise)
                self._without_noise(found)
                before, ways = self.run.laws, []
                for part in (then, otherwise):
                    self.run.laws = [*before]
                    ways.append((self.value(part), self.run.laws))
                if ways[0][1] != ways[1][1]:
                    raise UnsupportedError("what is drawn depends on the input")
                return self._joined(ways[0][0], ways[1][0])
        return super().value(node)

    def _any(self, or_: bool, operands: list[ast.expr]) -> Any:
        """Return the value of `or`, or of `and`: unknown if an unknown may decide it."""
        unknown: list[Any] = []
        before, found = [*self.run.laws], None
        for operand in operands:
            found = self.value(operand)
            if _unknown(found):
                unknown.append(found)
            elif bool(found) == or_:
                break
        if not unknown:
            return found
        if self.run.laws != before:
            raise UnsupportedError("what is drawn depends on the input")
        return self._of(unknown, whole=True)

    def compare(self, first: ast.expr, ops: list[ast.cmpop], rest: list[ast.expr]) -> Any:
        """Return the truth of a chain of comparisons, which may be unknown."""
        before = [*self.run.laws]
        values = [self.value(one) for one in (first, *rest)]
        if not any(map(_unknown, values)):
            self.run.laws = before
            return super().compare(first, ops, rest)
        if self.run.laws != before or any(isinstance(op, ast.Is | ast.IsNot) for op in ops):
            raise UnsupportedError("a comparison is not understood")
        return self._of(values, whole=True)

    def call(
        self, function: ast.expr, arguments: list[ast.expr], named: dict[str, ast.expr]
    ) -> Any:
        """Return the value of a call."""
        match function, arguments:
            case (
                ast.Name("sum"),
                [ast.ListComp(item, [clause]) | ast.GeneratorExp(item, [clause])],
            ) if clause.ifs and self._is_builtin(function):
                test = clause.ifs[0] if len(clause.ifs) == 1 else ast.BoolOp(ast.And(), clause.ifs)
                entry = ast.IfExp(test, item, ast.Constant(0))
                plain = ast.comprehension(clause.target, clause.iter, [], 0)
                return super().call(function, [ast.ListComp(entry, [plain])], named)
            case ast.Name("max" | "min" | "abs" as name), _ if not named and self._is_builtin(
                function
            ):
                items = [self.value(one) for one in arguments]
                if len(items) == 1 and name != "abs":
                    items = [*bounded(items[0])]
                if items and any(map(_unknown, items)):
                    return self._of(items, whole=all(map(self.run.is_integer, items)))
            case ast.Name(name), [argument] if name in _ROUNDED and self._is_builtin(function):
                found = self.value(argument)
                if _unknown(found):
                    return self._of([found], whole=True)
            case ast.Attribute(base, "count"), [argument] if not named:
                values = [self.value(base), self.value(argument)]
                if any(map(_unknown, values)):
                    return self._of(values, whole=True)
        return super().call(function, arguments, named)

    def _is_builtin(self, function: ast.expr) -> bool:
        known = self.program.outside | self.program.constants.keys() | self.local.keys()
        return isinstance(function, ast.Name) and function.id not in known

    def _of(self, values: list[Any], *, whole: bool) -> LinearForm:
        """Return an unknown that is computed from values without noise."""
        for value in values:
            self._without_noise(value)
        return self.run.unknown(whole=whole)

    def _without_noise(self, value: Any) -> None:
        if any(_noise(form) for form in forms_in(value)):
            raise UnsupportedError("noise is not only added")


def _unknown(value: Any) -> bool:
    """Whether a value holds unknowns or noise."""
    return any(True for _ in forms_in(value))


def _noise(value: Any) -> dict[int, Fraction]:
    """Return the noise in a number."""
    if not isinstance(value, LinearForm):
        return {}
    return {name: c for name, c in value.coefficients.items() if name >= 0}


def check_only_added(reader: CertificateReader, derivation: Derivation) -> None:
    """Check that the error has the same distribution at all inputs."""
    spec = derivation.spec
    right = spec["ideal"].get("noiseless")
    reader.require(right, "the ideal is not the mechanism without noise")
    output = _output(derivation.mechanism, derivation)
    kinds = spec["output_distance"].get("entries")
    right = spec["output_distance"].get("name") == "sup"
    if kinds is not None:
        is_list = isinstance(output, tuple) and len(output) == len(kinds)
        right = is_list and "position" not in kinds
    reader.require(right, "errors are not differences")


def _output(program: SourceProgram, derivation: Derivation) -> Any:
    """Return the output as unknowns plus noise; refuse if it is not of this form."""
    run = _UnknownRun()
    entries = []
    for members in derivation.members:
        if members is not None and not all(is_number(x) or isinstance(x, bool) for x in members):
            raise UnsupportedError("an input is not a number")
        whole = members is not None and all(isinstance(x, int) for x in members)
        entries.append(run.unknown(whole=whole))
    assert program.function is not None
    program.steps.begin()
    try:
        walk = _UnknownCall(program, run, {}, 0)
        return frozen(walk.called(program.function, derivation.assembled(entries)))
    except (*FAILURES, WrongProgramError) as error:
        raise UnsupportedError(f"the program cannot be followed: {error}") from error
