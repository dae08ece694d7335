"""Values that differ between hypotheses, and expressions evaluated on them.

A program is run under many hypotheses about its noise at once. A hypothesis is a bit of a mask. An
`Unsure` value has cases: each is a plain value, and the hypotheses under which it is possible. A
list of unsure values is an ordinary list with such entries.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator
from functools import partial, reduce
from itertools import product
from typing import Any, NoReturn

from exactdp.errors import Place
from exactdp.language.code import Augmented, Updated
from exactdp.language.evaluate import UNSET, Closure, Compiler, Env, guarded
from exactdp.language.operations import (
    COMPARISONS,
    FUNCTIONS,
    METHODS,
    OPERATORS,
    appended,
    augmented,
    entry_of,
    items_of,
    updated,
)
from exactdp.language.tree import SYMBOLS, Comprehension, where
from exactdp.language.values import List, Symbolic, Value
from exactdp.semantics.unsure_numbers import (
    Possible,
    added,
    equality,
    extreme,
    possible_numbers,
)

Case = tuple[Value, int]

_MOST_CASES = 20_000  # combinations of cases that one operation computes


class UnsureError(Exception):
    """The value of an unsure number is needed."""

    def __init__(self, value: Unsure | None = None) -> None:
        super().__init__("a value depends on the hypothesis")
        self.value = value


class TooUnsureError(Exception):
    """The run under hypotheses is given up: it would need too many cases, or may fail."""


class Unsure:
    """One of several values, each with the hypotheses under which it is possible."""

    __slots__ = ("cases",)

    def __init__(self, cases: tuple[Case, ...]) -> None:
        self.cases = cases

    def _refuse(self, *_: object) -> NoReturn:
        raise UnsureError(self)

    __bool__ = __eq__ = __hash__ = __index__ = __len__ = __iter__ = __contains__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __ne__ = _refuse

    def __repr__(self) -> str:
        return f"one of {[value for value, _ in self.cases]}"


def is_unsure(value: Value) -> bool:
    """Whether a value, or a part of it, is unsure."""
    if isinstance(value, tuple):
        return any(map(is_unsure, value))
    return isinstance(value, Unsure)


def first_unsure(values: Iterable[Value]) -> Unsure | None:
    """Return the first unsure value among some values and their parts."""
    for value in values:
        found = first_unsure(value) if isinstance(value, tuple) else value
        if isinstance(found, Unsure):
            return found
    return None


def cases_of(value: Value, active: int) -> Iterator[Case]:
    """Yield the cases of a value that are possible under some of the active hypotheses."""
    if not isinstance(value, Unsure):
        yield value, active
        return
    for one, mask in value.cases:
        if mask & active:
            yield one, mask & active


def merged(cases: Iterable[Case]) -> Value:
    """Return the value that is one of several; lists of the same length are merged by entries."""
    known: dict[object, list[Case]] = {}
    for value, mask in cases:
        for one, possible in cases_of(value, mask):
            known.setdefault(_key(one), []).append((one, possible))
    found = tuple(map(_merged, known.values()))
    return found[0][0] if len(found) == 1 else Unsure(found)


def _key(value: Value) -> object:
    if isinstance(value, tuple):
        return type(value), len(value)
    return type(value), value


def _merged(alike: list[Case]) -> Case:
    """Return several cases with one key as one."""
    (first, mask), *others = alike
    for _, more in others:
        mask |= more
    if not isinstance(first, tuple) or all(other is first for other, _ in others):
        return first, mask
    masks = [some for _, some in alike]
    parts = (
        entries[0]
        if all(part is entries[0] for part in entries)
        else merged(zip(entries, masks, strict=True))
        for entries in zip(*(one for one, _ in alike), strict=True)
    )
    return type(first)(parts), mask


class Scene:
    """The hypotheses under which the current statement runs."""

    def __init__(self) -> None:
        self.active = 0

    def lifted(self, function: Callable[..., Value], *args: Value) -> Value:
        """Return a function of values with cases: one result for each combination."""
        unsure = [one for one in args if isinstance(one, Unsure)]
        if not unsure:
            return function(*args)
        if len(unsure) > 1 and all(isinstance(one.cases[0][0], Symbolic) for one in unsure):
            raise UnsureError(unsure[0])  # such as q[i] + x[i] for an unsure i
        return merged(self._results(function, args))

    def _results(self, function: Callable[..., Value], args: tuple[Value, ...]) -> Iterator[Case]:
        count = 0
        for combination in product(*(tuple(cases_of(one, self.active)) for one in args)):
            mask = self.active
            for _, possible in combination:
                mask &= possible
            if mask:
                count += 1
                if count > _MOST_CASES:
                    raise TooUnsureError
                found = function(*(value for value, _ in combination))
                yield from cases_of(found, mask)

    def truth(self, value: Value) -> tuple[int, int]:
        """Return the hypotheses under which a value may be true, and may be false."""
        yes = no = 0
        for one, mask in cases_of(value, self.active):
            if is_unsure(one) and not isinstance(one, tuple):
                raise UnsureError
            if one:
                yes |= mask
            else:
                no |= mask
        return yes, no

    def either(self, yes: int, no: int) -> Value:
        """Return a truth value that may be true and false under some hypotheses."""
        return Unsure(((True, yes), (False, no))) if yes and no else bool(yes)


class UnsureCompiler(Compiler):
    """Compiles pure expressions on values with cases."""

    def __init__(self, *args: Any, scene: Scene) -> None:
        super().__init__(*args)
        self._scene = scene

    def compile(self, node: ast.expr) -> Closure:
        """Return the closure that computes an expression from an environment."""
        place, scene = where(node), self._scene
        match node:
            case ast.UnaryOp(ast.Not(), operand):
                inner = self.compile(operand)
                return guarded(place, lambda env: scene.either(*scene.truth(inner(env))[::-1]))
            case ast.UnaryOp(op, operand):
                number, sign = self.compile(operand), _SIGNS[type(op)]
                return guarded(place, lambda env: scene.lifted(sign, number(env)))
            case ast.ListComp() | ast.GeneratorExp():
                return self._listed(node, super().compile(node))
            case ast.BoolOp(op, operands):
                return guarded(place, self._boolean(op, [*map(self.compile, operands)]))
            case ast.IfExp(test, then, otherwise):
                return guarded(place, self._choice(*map(self.compile, (test, then, otherwise))))
            case ast.Compare(left, [op], [right]):
                return self.binary(COMPARISONS[SYMBOLS[type(op)]], left, right, place)
            case Augmented(base, ast.Add(), value):
                return self.binary(_extended, base, value, place)
            case Updated(base, index, value):
                parts = [self.compile(part) for part in (base, index, value)]
                return guarded(place, lambda env: self._updated(*[part(env) for part in parts]))
        return super().compile(node)

    def name(self, node: ast.Name) -> Closure:
        """Return the closure that reads a slot; it must be assigned under all hypotheses."""
        read, scene = super().name(node), self._scene

        def run(env: Env) -> Value:
            value = read(env)
            is_unsure = isinstance(value, Unsure)
            if is_unsure and any(one is UNSET for one, _ in cases_of(value, scene.active)):
                raise TooUnsureError
            return value

        return run

    def binary(
        self, function: Callable[[Any, Any], Any], left: ast.expr, right: ast.expr, place: Place
    ) -> Closure:
        """Return the closure of a function of two arguments."""
        a, b = self.compile(left), self.compile(right)
        scene, plain = self._scene, function in _STRUCTURAL
        special = {
            METHODS["index"]: self._position,
            METHODS["count"]: self._count,
            COMPARISONS["in"]: self._contains,
            COMPARISONS["not in"]: self._lacks,
        }.get(function)

        def run(env: Env) -> Value:
            one, two = a(env), b(env)
            if function is appended:  # the item may be unsure in the list
                return scene.lifted(lambda items: appended(items, two), one)
            if special is not None and (is_unsure(one) or is_unsure(two)):
                return special(one, two)
            if not plain:
                _refuse_parts(one, two)
            return scene.lifted(function, one, two)

        return guarded(place, run)

    def call(self, node: ast.Call, name: str) -> Closure:
        """Return the closure of a call; sums and the like go over unsure entries one by one."""
        if name in self.functions or node.keywords:
            return self._strict(super().call(node, name), node)
        args = [self.compile(arg) for arg in node.args]
        function, scene = FUNCTIONS[name], self._scene
        folded = {"sum": self._sum, "all": self._all, "any": self._any}.get(name)
        if name in ("max", "min"):
            folded = partial(self._extreme, function)

        def run(env: Env) -> Value:
            values = [arg(env) for arg in args]
            if folded is not None and any(map(is_unsure, values)):
                return folded(*values)
            if name not in _STRUCTURAL_NAMES:
                _refuse_parts(*values)
            return scene.lifted(function, *values)

        return guarded(where(node), run)

    def _strict(self, compute: Closure, node: ast.Call) -> Closure:
        """Return the closure of a call that needs plain arguments."""
        parts = [*node.args, *(one.value for one in node.keywords)]
        slots = [
            self.slots[one.id]
            for part in parts
            for one in ast.walk(part)
            if isinstance(one, ast.Name) and one.id in self.slots
        ]

        def run(env: Env) -> Value:
            found = first_unsure(env[slot] for slot in slots)
            if found is not None:
                raise UnsureError(found)
            return compute(env)

        return run

    def _listed(self, node: Comprehension, plain: Closure) -> Closure:
        """Return the closure of a comprehension; unsure conditions give lists of some lengths."""
        element, scene = self.compile(node.elt), self._scene
        clauses = [
            (self.binder(one.target), self.compile(one.iter), [*map(self.compile, one.ifs)])
            for one in node.generators
        ]

        def walk(env: Env, level: int, found: Value) -> Value:
            if level == len(clauses):
                item = element(env)
                return scene.lifted(lambda items: List((*items, item)), found)
            bind, items, tests = clauses[level]
            for item in self._entries(items(env)):
                bind(env, item)
                everything, missed = scene.active, 0
                for test in tests:
                    scene.active, no = scene.truth(test(env))
                    missed |= no
                met = scene.active
                longer = walk(env, level + 1, found) if met else found
                scene.active = everything
                found = merged(((longer, met), (found, missed))) if missed else longer
            return found

        def run(env: Env) -> Value:
            everything = scene.active
            try:
                return plain(env)
            except UnsureError:
                return walk(env, 0, List())
            finally:
                scene.active = everything

        return guarded(where(node), run)

    def _boolean(self, op: ast.boolop, parts: list[Closure]) -> Closure:
        scene, stop = self._scene, isinstance(op, ast.Or)

        def run(env: Env) -> Value:
            everything, cases = scene.active, []
            try:
                for part in parts:
                    value = part(env)
                    yes, no = scene.truth(value)
                    over, on = (yes, no) if stop else (no, yes)
                    if part is parts[-1]:
                        over, on = scene.active, 0
                    for one, mask in cases_of(value, over):
                        if part is parts[-1] or bool(one) is stop:
                            cases.append((one, mask))
                    scene.active = on
                    if not on:
                        break
            finally:
                scene.active = everything
            return merged(cases)

        return run

    def _choice(self, test: Closure, then: Closure, otherwise: Closure) -> Closure:
        scene = self._scene

        def run(env: Env) -> Value:
            everything, cases = scene.active, []
            ways = zip(scene.truth(test(env)), (then, otherwise), strict=True)
            try:
                for mask, way in ways:
                    if mask:
                        scene.active = mask
                        cases.append((way(env), mask))
            finally:
                scene.active = everything
            return merged(cases)

        return run

    def _updated(self, base: Value, index: Value, value: Value) -> Value:
        """Return a list with one entry replaced, at any of the positions of the index."""
        return self._scene.lifted(lambda one, place: updated(one, place, value), base, index)

    # Sums and the like, entry by entry --------------------------------------------------------

    def _entries(self, items: Value) -> tuple[Value, ...]:
        if isinstance(items, Unsure):
            raise UnsureError(items)
        return tuple(items_of(items))

    def _sum(self, items: Value, start: Value = 0) -> Value:
        entries = self._entries(items)
        numbers = self._numbers([start, *entries], truths=True)
        if numbers is not None:
            return _either(reduce(added, numbers))
        for one in entries:
            start = self._scene.lifted(OPERATORS["+"], start, one)
        return start

    def _numbers(self, values: Iterable[Value], *, truths: bool = False) -> list[Possible] | None:
        """Return what numbers may be, None if they are not all whole."""
        found = []
        for value in values:
            known = possible_numbers(cases_of(value, self._scene.active), truths=truths)
            if known is None:
                return None
            found.append(known)
        return found

    def _all(self, items: Value) -> Value:
        return self._fold(items, stop=False)

    def _any(self, items: Value) -> Value:
        return self._fold(items, stop=True)

    def _fold(self, items: Value, *, stop: bool) -> Value:
        """Return all(…) or any(…): under which hypotheses an entry may stop the search."""
        scene = self._scene
        over, on = 0, scene.active
        for one in self._entries(items):
            yes, no = scene.truth(one)
            stops, goes = (yes, no) if stop else (no, yes)
            over, on = over | (on & stops), on & goes
        return scene.either(over, on) if stop else scene.either(on, over)

    def _extreme(self, function: Callable[..., Value], *args: Value) -> Value:
        items = self._entries(args[0]) if len(args) == 1 else args
        if not items:
            raise TooUnsureError
        numbers = self._numbers(items)
        if numbers is not None:
            largest = function is FUNCTIONS["max"]
            return _either(reduce(partial(extreme, largest=largest), numbers))
        best = items[0]
        for one in items[1:]:
            _refuse_parts(best, one)
            best = self._scene.lifted(function, best, one)
        return best

    def _position(self, items: Value, item: Value) -> Value:
        scene, cases = self._scene, []
        on = scene.active
        for place, one in enumerate(self._entries(items)):
            yes, no = self._equality(one, item)
            if on & yes:
                cases.append((place, on & yes))
            on &= no
        if on:  # the value may be missing, which is an error
            raise TooUnsureError
        return merged(cases)

    def _equality(self, one: Value, two: Value) -> tuple[int, int]:
        """Return the hypotheses under which two values may be equal, and may be different."""
        numbers = self._numbers((one, two), truths=True)
        if numbers is not None:
            return equality(*numbers)
        _refuse_parts(one, two)
        return self._scene.truth(self._scene.lifted(COMPARISONS["=="], one, two))

    def _contains(self, item: Value, items: Value) -> Value:
        equal = [self._scene.either(*self._equality(one, item)) for one in self._entries(items)]
        return self._any(tuple(equal))

    def _lacks(self, item: Value, items: Value) -> Value:
        return self._scene.either(*self._scene.truth(self._contains(item, items))[::-1])

    def _count(self, items: Value, item: Value) -> Value:
        return self._sum(
            tuple(self._scene.either(*self._equality(one, item)) for one in self._entries(items))
        )


def _either(number: Possible) -> Value:
    """Return a number that may be one of several as a value."""
    cases = tuple(number.items())
    return cases[0][0] if len(cases) == 1 else Unsure(cases)


_SIGNS: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


def _extended(base: Value, value: Value) -> Value:
    return augmented("+", base, value)


_STRUCTURAL = {
    entry_of,
    appended,
    _extended,
    OPERATORS["+"],
    COMPARISONS["is"],
    COMPARISONS["is not"],
}
"""Functions that do not look at the entries of lists."""

_STRUCTURAL_NAMES = {"len", "list", "tuple", "enumerate", "zip", "reversed"}


def _refuse_parts(*values: Value) -> None:
    """Refuse lists with unsure entries."""
    for value in values:
        if isinstance(value, tuple) and is_unsure(value):
            raise UnsureError(first_unsure(value))
        if isinstance(value, Unsure):
            for one, _ in value.cases:
                if isinstance(one, tuple):
                    raise UnsureError(value)
