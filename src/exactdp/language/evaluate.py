"""Pure expressions as Python closures, run on concrete finite values.

The closures use Python's own operators, so reals of any domain (exact numbers, columns
of samples, linear forms) pass through + - * / unseen. What goes wrong in them is an
error of the program, with its place.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from exactdp.errors import ExactdpError, Place, shown
from exactdp.language.code import Appended, Augmented, PureExpr, Unpacked, Updated
from exactdp.language.definition import bound_names
from exactdp.language.limits import UNROLL_LIMIT
from exactdp.language.operations import (
    COMPARISONS,
    FUNCTIONS,
    METHODS,
    OPERATORS,
    appended,
    augmented,
    entry_of,
    fail,
    items_of,
    python_fail,
    unpacked,
    updated,
)
from exactdp.language.syntax import (
    Binary,
    Boolean,
    Call,
    Comparison,
    Comprehension,
    Conditional,
    Expr,
    Index,
    Lambda,
    Literal,
    Method,
    Name,
    Pattern,
    Sequence,
    Slice,
    Targets,
    Unary,
)
from exactdp.language.terms import EPS
from exactdp.language.values import List, Value, freeze_result, thaw

Env = list[Value]
Closure = Callable[[Env], Value]


class Unset:
    """What a slot holds before it is assigned and after its value is no longer needed."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "-"

    def __reduce__(self) -> str:
        return "UNSET"


UNSET = Unset()


def guarded(place: Place, compute: Callable[[Env], Value]) -> Closure:
    """Return `compute` with Python's errors turned into errors of the program."""

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


_UNARY: dict[str, Callable[[Any], Any]] = {
    "-": operator.neg,
    "+": operator.pos,
    "not": operator.not_,
}


class Compiler:
    """Compiles pure expressions over given slots and functions."""

    def __init__(self, slots: Mapping[str, int], functions: Mapping[str, Any]) -> None:
        self.slots = slots
        self.functions = functions

    def compile(self, node: PureExpr) -> Closure:
        """Return the closure that computes an expression from an environment."""
        place = node.place
        match node:
            case Literal(value):
                return lambda _: value
            case Name(name):
                return self.name(node, name)
            case Sequence(items, is_list):
                parts = [self.compile(item) for item in items]
                if is_list:
                    return lambda env: List([part(env) for part in parts])
                return lambda env: tuple([part(env) for part in parts])
            case Unary(op, operand):
                return self.unary(op, self.compile(operand), place)
            case Binary(op, left, right):
                return self.binary(OPERATORS[op], left, right, place)
            case Comparison():
                return self.comparison(node)
            case Boolean(op, operands):
                return self.boolean(op, [self.compile(operand) for operand in operands], place)
            case Conditional(test, then, otherwise):
                condition, yes, no = (self.compile(part) for part in (test, then, otherwise))
                return guarded(place, lambda env: yes(env) if condition(env) else no(env))
            case Index(base, index):
                return self.binary(entry_of, base, index, place)
            case Slice(base, lower, upper, step):
                return self.slice(base, (lower, upper, step), place)
            case Method(base, name, (argument,)):
                return self.binary(METHODS[name], base, argument, place)
            case Call():
                return self.call(node)
            case Comprehension():
                return self.comprehension(node)
            case Lambda(params, body):
                return self.lambda_(params, body)
            case Appended(base, item):
                return self.binary(appended, base, item, place)
            case Augmented(op, base, value):
                return self.binary(lambda a, b: augmented(op, a, b), base, value, place)
            case Updated(base, index, value):
                parts = [self.compile(part) for part in (base, index, value)]
                return guarded(place, lambda env: updated(*[part(env) for part in parts]))
            case Unpacked(value, count):
                whole = self.compile(value)
                return lambda env: unpacked(whole(env), count, place)
        raise AssertionError(f"not a pure expression: {node}")

    def name(self, node: Name, name: str) -> Closure:
        """Return the closure that reads a slot, a function or a word."""
        if name in self.slots:
            slot = self.slots[name]

            def read(env: Env) -> Value:
                value = env[slot]
                if value is UNSET:
                    raise fail(
                        node.place,
                        f"{name} is read before it is assigned",
                        "A variable must be assigned on every path that leads to where it is read.",
                        f"Assign {name} before.",
                    )
                return value

            return read
        if name == "eps":
            return lambda _: EPS
        if name == "inf":
            return lambda _: float("inf")
        function = self.functions.get(name)
        if function is None:
            function = FUNCTIONS.get(name)
        assert function is not None, f"the reader let the unknown name {name} pass"
        return lambda _: function

    def binary(
        self,
        function: Callable[[Any, Any], Any],
        left: PureExpr,
        right: PureExpr,
        place: Place,
    ) -> Closure:
        """Return the closure of a function of two parts."""
        a, b = self.compile(left), self.compile(right)
        return guarded(place, lambda env: function(a(env), b(env)))

    def unary(self, op: str, operand: Closure, place: Place) -> Closure:
        """Return the closure of - + not."""
        function = _UNARY[op]
        return guarded(place, lambda env: function(operand(env)))

    def boolean(self, op: str, parts: list[Closure], place: Place) -> Closure:
        """Return the closure of `and` or `or`, which stop early."""
        stop = op == "or"

        def run(env: Env) -> Value:
            value: Value = None
            for part in parts:
                value = part(env)
                if bool(value) is stop:
                    break
            return value

        return guarded(place, run)

    def comparison(self, node: Comparison) -> Closure:
        """Return the closure of a chain of comparisons of finite values."""
        first = self.compile(node.first)
        rest = [(COMPARISONS[op], self.compile(part)) for op, part in node.rest]
        if len(rest) == 1:
            op, second = rest[0]
            return guarded(node.place, lambda env: op(first(env), second(env)))

        def run(env: Env) -> bool:
            left = first(env)
            for op, part in rest:
                right = part(env)
                if not op(left, right):
                    return False
                left = right
            return True

        return guarded(node.place, run)

    def slice(self, base: Expr, parts: tuple[Expr | None, ...], place: Place) -> Closure:
        """Return the closure of base[lower:upper:step]."""
        whole = self.compile(base)
        ends = [self.compile(part) if part is not None else lambda _: None for part in parts]

        def run(env: Env) -> Value:
            value = whole(env)
            if not isinstance(value, tuple | range | str):
                raise TypeError("only a list, tuple, range or string has parts")
            return value[slice(*[end(env) for end in ends])]

        return guarded(place, run)

    def call(self, node: Call) -> Closure:
        """Return the closure of a call of a known function or of a Python function."""
        args = [self.compile(arg) for arg in node.args]
        keywords = [(name, self.compile(arg)) for name, arg in node.keywords]
        name = node.function.id
        if name in self.functions:
            return self.foreign(node, self.functions[name], args, keywords)
        function = FUNCTIONS[name]
        if name in ("any", "all") and len(node.args) == 1:
            argument = node.args[0]
            if isinstance(argument, Comprehension) and not argument.is_list:
                generate, fold = self.generator(argument), any if name == "any" else all
                return guarded(node.place, lambda env: fold(generate(env)))

        def run(env: Env) -> Value:
            values = [arg(env) for arg in args]
            return function(*values, **{key: arg(env) for key, arg in keywords})

        return guarded(node.place, run)

    def foreign(
        self,
        node: Call,
        function: Callable[..., Any],
        args: list[Closure],
        keywords: list[tuple[str, Closure]],
    ) -> Closure:
        """Return the closure that runs a Python function on plain Python values."""
        name, place = node.function.id.partition("()")[0], node.place

        def run(env: Env) -> Value:
            values = [thaw(arg(env)) for arg in args]
            named = {key: thaw(arg(env)) for key, arg in keywords}
            return call_python(function, name, place, values, named)

        return run

    def comprehension(self, node: Comprehension) -> Closure:
        """Return the closure of a comprehension; a generator is a list handed on."""
        generate = self.generator(node)
        return guarded(node.place, lambda env: List(generate(env)))

    def generator(self, node: Comprehension) -> Callable[[Env], Iterator[Value]]:
        """Return the function that produces the entries of a comprehension one by one."""
        element = self.compile(node.element)
        clauses = [
            (
                self.binder(clause.target),
                guarded(clause.place, self._items(self.compile(clause.items))),
                [self.compile(test) for test in clause.tests],
            )
            for clause in node.clauses
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

    def binder(self, target: Pattern) -> Callable[[Env, Value], None]:
        """Return the function that binds a pattern's slots to the parts of a value."""
        if isinstance(target, Name):
            slot = self.slots[target.id]
            return lambda env, value: env.__setitem__(slot, value)
        assert isinstance(target, Targets)
        parts = [self.binder(item) for item in target.items]
        place = target.place

        def bind(env: Env, value: Value) -> None:
            for part, item in zip(parts, unpacked(value, len(parts), place), strict=True):
                part(env, item)

        return bind

    def lambda_(self, params: tuple[str, ...], body: Expr) -> Closure:
        """Return the closure that makes a Python function of a lambda."""
        slots = [self.slots[param] for param in params]
        inside = self.compile(body)

        def make(env: Env) -> Value:
            def function(*args: Value) -> Value:
                if len(args) != len(slots):
                    raise TypeError(f"the lambda takes {len(slots)} arguments")
                for slot, arg in zip(slots, args, strict=True):
                    env[slot] = arg
                return inside(env)

            return function

        return make


def call_python(
    function: Callable[..., Any],
    name: str,
    place: Place,
    args: list[Any],
    keywords: dict[str, Any] | None = None,
) -> Value:
    """Run a Python function on plain values and take its result as a finite value."""
    try:
        result = function(*args, **(keywords or {}))
    except ExactdpError as error:
        if error.place is not None:
            raise
        raise fail(place, error.message, error.rule, error.way_out) from error
    except Exception as error:
        raise fail(
            place,
            f"{name} raised {type(error).__name__}: {error}",
            f"{name} is a Python function, run on the values {', '.join(map(shown, args))}.",
            f"Make {name} return a finite value for them, or test them with `if` before.",
        ) from error
    try:
        return freeze_result(result)
    except ExactdpError as error:
        raise fail(
            place,
            f"{name} returned {shown(result)}: {error.message}",
            error.rule or "A Python function called by a mechanism returns finite values.",
            error.way_out,
        ) from None


def evaluate_closed(node: PureExpr, constants: Mapping[str, object]) -> Value:
    """Return the value of an expression whose only names are constants."""
    names = [name for name, value in constants.items() if not callable(value)]
    slots = {name: slot for slot, name in enumerate(names)}
    functions = {name: value for name, value in constants.items() if callable(value)}
    scratch = sorted(bound_names(node) - set(slots))
    slots.update({name: len(names) + k for k, name in enumerate(scratch)})
    env = [*(constants[name] for name in names), *(UNSET for _ in scratch)]
    return Compiler(slots, functions).compile(node)(env)
