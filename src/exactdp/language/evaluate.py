"""Pure expressions as Python closures, run on concrete finite values.

The closures use Python's own operators, so + - * / work on reals of any domain (exact
numbers, columns of samples, linear forms). A Python exception becomes an error of the
program, with its place.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from exactdp.errors import ExactdpError, Place
from exactdp.language.code import Appended, Augmented, Unpacked, Updated
from exactdp.language.helpers import Helper
from exactdp.language.limits import UNROLL_LIMIT
from exactdp.language.operations import (
    COMPARISONS,
    FUNCTIONS,
    METHODS,
    OPERATORS,
    appended,
    augmented,
    entry_of,
    items_of,
    python_fail,
    unpacked,
    updated,
)
from exactdp.language.rules import fail
from exactdp.language.terms import EPS, EpsTerm
from exactdp.language.tree import SYMBOLS, Comprehension, bound_names, nodes, parameters, where
from exactdp.language.values import List, Value, settled

Env = list[Value]
Closure = Callable[[Env], Value]


class Unset:
    """The content of a slot before it is assigned and after its value is no longer needed."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "-"

    def __reduce__(self) -> str:
        return "UNSET"


UNSET = Unset()


def guarded(place: Place, compute: Callable[[Env], Value]) -> Closure:
    """Return `compute` with Python exceptions turned into errors of the program."""

    def run(env: Env) -> Value:
        try:
            return compute(env)
        except ExactdpError as error:
            if error.place is None:
                raise fail(place, error.message, error.rule, error.way_out) from None
            raise
        except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
            raise python_fail(place, error) from None

    return run


# Closures ---------------------------------------------------------------------------------


_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}


_FIXED = {"eps", "inf", "exp", "abs", "min", "max"}


class Compiler:
    """Compiles pure expressions over given slots and functions."""

    def __init__(
        self, slots: Mapping[str, int], functions: Mapping[str, Any], eps: EpsTerm = EPS
    ) -> None:
        self.slots = slots
        self.eps = eps
        self.functions = {
            name: Helper(function, name.partition("()")[0]) for name, function in functions.items()
        }

    def compiled(self, node: ast.expr) -> Closure:
        """Return the closure of an expression, which is computed once if it has no variables."""
        compute = self.compile(node)
        if not isinstance(node, ast.BinOp | ast.Call) or not all(
            one.id in _FIXED and one.id not in self.slots
            for one in nodes(node)
            if isinstance(one, ast.Name)
        ):
            return compute
        known: list[Value] = []

        def run(env: Env) -> Value:
            if not known:
                known.append(compute(env))
            return known[0]

        return run

    def finished(self, node: ast.expr) -> Closure:
        """Return the closure of an expression whose value is not stored, but used."""
        return self.compiled(node)

    def compile(self, node: ast.expr) -> Closure:
        """Return the closure that computes an expression from an environment."""
        place = where(node)
        match node:
            case ast.Constant(EpsTerm() as term):
                return lambda _: term.at_eps(self.eps)
            case ast.Constant(value):
                return lambda _: value
            case ast.Name():
                return self.name(node)
            case ast.List(items):
                entries = [self.compile(item) for item in items]
                return lambda env: List([part(env) for part in entries])
            case ast.Tuple(items):
                parts = [self.compile(item) for item in items]
                return lambda env: tuple([part(env) for part in parts])
            case ast.UnaryOp(op, operand):
                function, inner = _UNARY[type(op)], self.compile(operand)
                return guarded(place, lambda env: function(inner(env)))
            case ast.BinOp(left, op, right):
                return self.binary(OPERATORS[SYMBOLS[type(op)]], left, right, place)
            case ast.Compare():
                return self.comparison(node)
            case ast.BoolOp(op, operands):
                return self.boolean(op, [self.compile(operand) for operand in operands], place)
            case ast.IfExp(test, then, otherwise):
                condition, yes, no = (self.compile(part) for part in (test, then, otherwise))
                return guarded(place, lambda env: yes(env) if condition(env) else no(env))
            case ast.Subscript(base, ast.Slice(lower, upper, step)):
                return self.slice(base, (lower, upper, step), place)
            case ast.Subscript(base, index):
                return self.binary(entry_of, base, index, place)
            case ast.Call(ast.Attribute(base, name), [argument]):
                return self.binary(METHODS[name], base, argument, place)
            case ast.Call(ast.Name(name)):
                return self.call(node, name)
            case ast.ListComp() | ast.GeneratorExp():
                generate = self.generator(node)
                return guarded(place, lambda env: List(generate(env)))
            case ast.Lambda():
                return self.lambda_(node)
            case Appended(base, item):
                return self.binary(appended, base, item, place)
            case Augmented(base, op, value):
                symbol = SYMBOLS[type(op)]
                return self.binary(lambda a, b: augmented(symbol, a, b), base, value, place)
            case Updated():
                changes = [self.compile(part) for part in (node.base, node.index, node.value)]
                return guarded(place, lambda env: updated(*[part(env) for part in changes]))
            case Unpacked(value, count):
                whole = self.compile(value)
                return lambda env: unpacked(whole(env), count, place)
        raise AssertionError(f"not a pure expression: {ast.dump(node)}")

    def name(self, node: ast.Name) -> Closure:
        """Return the closure that reads a slot, a function or a word."""
        name = node.id
        if name in self.slots:
            slot = self.slots[name]

            def read(env: Env) -> Value:
                value = env[slot]
                if value is UNSET:
                    raise fail(
                        where(node),
                        f"{name.rpartition('.')[2]} is read before it is assigned",
                        "A variable must be assigned on every path that leads to where it is read.",
                        f"Assign {name.rpartition('.')[2]} before.",
                    )
                return value

            return read
        if name == "eps":
            return lambda _: self.eps
        if name == "inf":
            return lambda _: float("inf")
        function = self.functions.get(name) or FUNCTIONS.get(name)
        assert function is not None, f"the reader let the unknown name {name} pass"
        return lambda _: function

    def binary(
        self,
        function: Callable[[Any, Any], Any],
        left: ast.expr,
        right: ast.expr,
        place: Place,
    ) -> Closure:
        """Return the closure of a function of two arguments."""
        a, b = self.compile(left), self.compile(right)
        return guarded(place, lambda env: function(a(env), b(env)))

    def boolean(self, op: ast.boolop, parts: list[Closure], place: Place) -> Closure:
        """Return the closure of `and` or `or`, with short-circuit evaluation."""
        stop = isinstance(op, ast.Or)

        def run(env: Env) -> Value:
            value: Value = None
            for part in parts:
                value = part(env)
                if bool(value) is stop:
                    break
            return value

        return guarded(place, run)

    def comparison(self, node: ast.Compare) -> Closure:
        """Return the closure of a chain of comparisons of finite values."""
        first, place = self.compile(node.left), where(node)
        rest = [
            (COMPARISONS[SYMBOLS[type(op)]], self.compile(part))
            for op, part in zip(node.ops, node.comparators, strict=True)
        ]
        if len(rest) == 1:
            op, second = rest[0]
            return guarded(place, lambda env: op(first(env), second(env)))

        def run(env: Env) -> bool:
            left = first(env)
            for op, part in rest:
                right = part(env)
                if not op(left, right):
                    return False
                left = right
            return True

        return guarded(place, run)

    def slice(self, base: ast.expr, parts: tuple[ast.expr | None, ...], place: Place) -> Closure:
        """Return the closure of base[lower:upper:step]."""
        whole = self.compile(base)
        ends = [self.compile(part) if part is not None else lambda _: None for part in parts]

        def run(env: Env) -> Value:
            value = whole(env)
            if not isinstance(value, tuple | range | str):
                raise TypeError("only a list, tuple, range or string has parts")
            return value[slice(*[end(env) for end in ends])]

        return guarded(place, run)

    def call(self, node: ast.Call, name: str) -> Closure:
        """Return the closure of a call of a known function or of a Python function."""
        args = [self.compile(arg) for arg in node.args]
        keywords = [(str(one.arg), self.compile(one.value)) for one in node.keywords]
        function = self.functions.get(name) or FUNCTIONS[name]
        match name, node.args:
            case "any" | "all", [ast.GeneratorExp() as argument]:
                generate, fold = self.generator(argument), any if name == "any" else all
                return guarded(where(node), lambda env: fold(generate(env)))

        own = name in self.functions

        def run(env: Env) -> Value:
            values = [arg(env) for arg in args]
            named = {key: arg(env) for key, arg in keywords}
            if own:
                values = [*map(settled, values)]
                named = {key: settled(value) for key, value in named.items()}
            return function(*values, **named)

        return guarded(where(node), run)

    def generator(self, node: Comprehension) -> Callable[[Env], Iterator[Value]]:
        """Return the function that produces the entries of a comprehension one by one."""
        element = self.compile(node.elt)
        clauses = [
            (
                self.binder(clause.target),
                guarded(where(clause), self._items(self.compile(clause.iter))),
                [self.compile(test) for test in clause.ifs],
            )
            for clause in node.generators
        ]

        def generate(env: Env) -> Iterator[Value]:
            for count, value in enumerate(walk(env, 0)):
                if count >= UNROLL_LIMIT:
                    raise ValueError(f"a comprehension has more than {UNROLL_LIMIT:,} entries")
                yield value

        def walk(env: Env, level: int) -> Iterator[Value]:
            if level == len(clauses):
                yield element(env)
                return
            bind, items, tests = clauses[level]
            for item in items(env):
                bind(env, item)
                if all(test(env) for test in tests):
                    yield from walk(env, level + 1)

        return generate

    @staticmethod
    def _items(closure: Closure) -> Closure:
        return lambda env: items_of(closure(env))

    def binder(self, target: ast.expr) -> Callable[[Env, Value], None]:
        """Return the function that binds a pattern's slots to the parts of a value."""
        if isinstance(target, ast.Name):
            slot = self.slots[target.id]
            return lambda env, value: env.__setitem__(slot, value)
        assert isinstance(target, ast.Tuple)
        parts, place = [self.binder(item) for item in target.elts], where(target)

        def bind(env: Env, value: Value) -> None:
            for part, item in zip(parts, unpacked(value, len(parts), place), strict=True):
                part(env, item)

        return bind

    def lambda_(self, node: ast.Lambda) -> Closure:
        """Return the closure that creates a Python function from a lambda."""
        slots = [self.slots[param] for param in parameters(node)]
        inside = self.compile(node.body)

        def make(env: Env) -> Value:
            def function(*args: Value) -> Value:
                if len(args) != len(slots):
                    raise TypeError(
                        f"the lambda takes {len(slots)} arguments and is called with {len(args)}: "
                        "a score and a key are functions of one candidate"
                    )
                for slot, arg in zip(slots, args, strict=True):
                    env[slot] = arg
                return inside(env)

            return function

        return make


def evaluate_closed(node: ast.expr, constants: Mapping[str, object]) -> Value:
    """Return the value of an expression whose only names are constants."""
    names = [name for name, value in constants.items() if not callable(value)]
    slots = {name: slot for slot, name in enumerate(names)}
    functions = {name: value for name, value in constants.items() if callable(value)}
    scratch = sorted(bound_names(node) - set(slots))
    slots.update({name: len(names) + k for k, name in enumerate(scratch)})
    env = [*(constants[name] for name in names), *(UNSET for _ in scratch)]
    return Compiler(slots, functions).compile(node)(env)
