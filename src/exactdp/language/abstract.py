"""Compute the kind of a pure expression and refuse expressions without a meaning.

This module refuses noise where a finite value is required, real noise combined with integer
noise, products and quotients of noise, and changes of a list that another name shares.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from exactdp.errors import Place, ProgramError
from exactdp.language.abstract_calls import NO_RANGE, call_kind
from exactdp.language.code import Appended, Augmented, Code, Test, Unpacked, Updated
from exactdp.language.flow import Flow
from exactdp.language.kinds import (
    CONSTANT,
    FINITE,
    FUNCTION,
    NOTHING,
    REAL,
    SHARED,
    SINGLE,
    TERM,
    ValueKind,
    join,
    joined,
    number,
    opaque,
    sequence,
    whole_number,
)
from exactdp.language.operations import FUNCTIONS
from exactdp.language.rules import (
    A_FUNCTION,
    AN_INDEX,
    CALL_IT,
    CALLED_BY_NAME,
    COMPARE_IT,
    COPY_FIRST,
    IDENTITY,
    LINEAR,
    NOT_A_VALUE,
    SAME_LENGTH,
    SINGLE_OBJECTS,
    TARGETS,
    WRITE_EQUAL,
    fail,
    refuse,
)
from exactdp.language.terms import EpsTerm
from exactdp.language.tree import SYMBOLS, Comprehension, arguments, called, parameters, where
from exactdp.language.values import List, Table

Kinds = dict[str, ValueKind]


_COMPARE = "Divide by a finite value, or compare."
_INSTEAD_OF_OPERATOR = {
    "**": "Compare its absolute value: x**2 > 4 is abs(x) > 2. Of integers, clamp it first, as in "
    "`min(max(z, 0), 10)`.",
}
_IN_PLAIN_PYTHON = {
    "argmax": "Write max(range(len(xs)), key=lambda i: xs[i]).",
    "argmin": "Write min(range(len(xs)), key=lambda i: xs[i]).",
    "max": "Write Python's own max(xs).",
    "amax": "Write Python's own max(xs).",
    "min": "Write Python's own min(xs).",
    "amin": "Write Python's own min(xs).",
    "sum": "Write Python's own sum(xs).",
    "abs": "Write Python's own abs(x).",
    "absolute": "Write Python's own abs(x).",
    "maximum": "Write Python's own max(x, y).",
    "minimum": "Write Python's own min(x, y).",
    "clip": "Write min(max(x, lo), hi).",
    "mean": "Write sum(xs) / len(xs).",
    "average": "Write sum(xs) / len(xs).",
    "median": "Write sorted(xs)[len(xs) // 2].",
    "sort": "Write Python's own sorted(xs).",
    "argsort": "Write sorted(range(len(xs)), key=lambda i: xs[i]).",
    "round": "Write Python's own round(x).",
    "floor": "Write math.floor(x).",
    "ceil": "Write math.ceil(x).",
    "array": "Write a list: [x, y] or [f(x) for x in xs].",
    "asarray": "Write a list: [x, y] or [f(x) for x in xs].",
}
"""What to write instead of a numpy function, by the last part of its name."""


def _constant_kind(value: Any) -> ValueKind:
    """Return the kind of a constant; a list is told from a tuple by its site."""
    if isinstance(value, EpsTerm):
        return TERM
    if isinstance(value, bool) or value is None:
        return SINGLE
    if isinstance(value, tuple | Table):
        entries = [*value.values()] if isinstance(value, Table) else [*value]
        found = joined(tuple(map(_constant_kind, entries)))
        if isinstance(value, Table):
            return replace(FINITE, items=found) if found.holds("term") else FINITE
        return replace(CONSTANT if isinstance(value, List) else FINITE, items=found)
    return FINITE


class Abstract:
    """Evaluates pure expressions of some flat code on kinds."""

    def __init__(self, code: Code, flow: Flow) -> None:
        self.code = code
        self.flow = flow
        self.slots = frozenset(code.slots)
        self.env: Kinds = {}
        self.pc = 0
        self._sites: dict[int, int] = {}
        self.doubts: dict[Place, ProgramError] = {}
        """Errors that occur only if a run can take the path that they name, by place."""
        self.settles = False  # whether integer noise is used as a finite value
        self._compares = any(isinstance(one, Test) for one in code.instructions)
        self.meets_eps = False  # whether a + b/ε stands beside reals
        self.sure: set[Place] = set()  # where a variable is assigned on no path

    def made(self, node: ast.expr) -> frozenset[int]:
        """Return the site of the list that an expression creates; age earlier lists made there."""
        site = self._sites.setdefault(id(node), 2 * len(self._sites) + 2)
        for slot, kind in self.env.items():
            self.env[slot] = kind.aged(site)
        return frozenset({site})

    def change(self, base: ast.expr, kind: ValueKind, place: Place) -> None:
        """Refuse to change a list that another variable may share."""
        if not isinstance(base, ast.Name):
            if kind.items is not None:
                refuse(
                    place,
                    "a list inside a list cannot be changed in place",
                    "Lists are values here; only a variable can be given a new one.",
                    "Build a new inner list and assign it.",
                )
            return
        shown = shown_name(base.id)
        if SHARED in kind.sites:
            refuse(
                place,
                f"{shown} may be an input or a constant and cannot be changed",
                COPY_FIRST,
                f"Copy it first: `{shown} = list({shown})`.",
            )
        for slot in self.flow.live[self.pc]:
            if slot == base.id:
                continue
            if self.env[slot].all_sites() & kind.sites:
                other = shown_name(slot)
                seen = "the loop around it" if slot.startswith("%") else other
                refuse(
                    place,
                    f"{shown} may be the same list as {seen}, and is changed here",
                    "Lists are values here: two names of one list would no longer be alike.",
                    f"Copy the list where the second name is assigned: `{shown} = list(…)`.",
                )

    def kind(self, node: ast.expr) -> ValueKind:
        """Return the kind of an expression."""
        match node:
            case ast.Constant(value):
                return _constant_kind(value)
            case ast.Name():
                return self.name(node)
            case ast.List(items):
                entries = tuple(self.kind(item) for item in items)
                return sequence(entries, self.made(node))
            case ast.Tuple(items):
                return sequence(tuple(self.kind(item) for item in items))
            case ast.UnaryOp(ast.Not(), operand):
                self.truth(operand)
                return SINGLE
            case ast.UnaryOp(_, operand):
                return self.kind(operand)
            case ast.BinOp(left, op, right):
                return self.binary(SYMBOLS[type(op)], self.kind(left), self.kind(right), node)
            case ast.BoolOp(_, operands):
                kinds = tuple(self.kind(operand) for operand in operands)
                for operand, kind in zip(operands[:-1], kinds, strict=False):
                    self.truth(operand, kind)
                return joined(kinds)
            case ast.Compare(first, ops, rest):
                one, before = first, self.kind(first)
                self.no_term(first, before)
                for test, part in zip(ops, rest, strict=True):
                    after = self.kind(part)
                    self.no_term(part, after)
                    if isinstance(test, ast.Is | ast.IsNot):
                        self.identity((one, before), (part, after), where(node))
                    one, before = part, after
                return SINGLE
            case ast.IfExp(condition, then, otherwise):
                self.truth(condition)
                return join(self.kind(then), self.kind(otherwise))
            case ast.Subscript(base, ast.Slice(lower, upper, step)):
                for end in (lower, upper, step):
                    if end is not None:
                        self.finite(end, "{} cannot be an index", AN_INDEX, COMPARE_IT)
                whole = self.kind(base)
                found = sequence(whole.entry, self.made(node))
                return found if whole.items is not None else replace(found, finite=True)
            case ast.Subscript(base, index):
                return self.index(base, index)
            case ast.Call(ast.Attribute(base), args):
                whole = self.kind(base)
                for part in args:
                    self.kind(part)
                return ValueKind(finite=True, sites=whole.all_sites())
            case ast.Call():
                return self.call(node)
            case ast.ListComp() | ast.GeneratorExp():
                return self.comprehension(node)
            case ast.Lambda(_, body):
                self.env.update(dict.fromkeys(parameters(node), FINITE))
                message = "a lambda cannot work on {} here"
                self.finite(body, message, A_FUNCTION, CALLED_BY_NAME)
                return FUNCTION
            case Appended(base, item):
                whole, last = self.kind(base), self.kind(item)
                self.change(base, whole, where(base))
                if isinstance(whole.items, tuple):
                    return sequence((*whole.items, last), whole.sites)
                return sequence(join(whole.entry, last), whole.sites)
            case Updated(base, index, value):
                return self.updated(base, index, value)
            case Augmented():
                return self.augmented(node)
            case Unpacked(value, count):
                return self.unpacked(self.kind(value), count, node)
        raise AssertionError(f"not a pure expression: {ast.dump(node)}")

    def name(self, node: ast.Name) -> ValueKind:
        """Return the kind of a variable, which must be assigned on every path."""
        name = node.id
        if name not in self.slots:
            if name == "eps":
                return TERM
            return FUNCTION if name in self.code.functions or name in FUNCTIONS else FINITE
        kind = self.env[name]
        if kind.unset:
            shown = shown_name(name)
            path = self.flow.path_without(name, self.pc)
            surely = kind.items is None and not (kind.finite or kind.noise or kind.function)
            doubt = fail(
                where(node),
                f"{shown} is read before it is assigned"
                + ("" if surely or not path else f" when {path}"),
                "A variable must be assigned on every path that leads to where it is read.",
                f"Assign {shown} before, on the path that leaves it out.",
            )
            self.doubts[where(node)] = doubt
            (self.sure.add if surely else self.sure.discard)(where(node))
            return replace(kind, unset=False)
        return kind

    def finite(self, node: ast.expr, message: str, rule: str, way_out: str) -> ValueKind:
        """Return the kind of an expression that must neither be nor contain a real or noise."""
        kind = self.kind(node)
        if kind.holds_noise:
            refuse(where(node), message.format(kind.word), rule, way_out)
        return kind

    def settled(self, node: ast.expr, message: str, rule: str, way_out: str) -> ValueKind:
        """Return the kind of an expression that must be finite, or bounded integer noise.

        Whether comparisons bound the noise is checked when it is used. If there are none at all,
        it is refused here.
        """
        kind = self.kind(node)
        if kind.integer and not kind.holds("real") and kind.items is None and self._compares:
            self.settles = True
            return FINITE
        return self.finite(node, message, rule, way_out)

    def no_term(self, node: ast.expr, kind: ValueKind) -> None:
        """Refuse an expression in ε where a value is needed."""
        if kind.holds("term"):
            refuse(
                where(node),
                "the value of eps is not known to the program",
                "eps stands in rates, probabilities and outputs without noise; a program cannot "
                "compare it or branch on it.",
                "Leave eps out here.",
            )

    def truth(self, node: ast.expr, kind: ValueKind | None = None) -> None:
        """Refuse reals and noise where a truth value is needed."""
        found = self.kind(node) if kind is None else kind
        self.no_term(node, found)
        if found.noise:
            refuse(
                where(node),
                f"{found.word} is not a condition",
                "Reals and noise decide only through a comparison: < <= == != >= >.",
                "Write what it is compared with, such as `r > 0`.",
            )

    def identity(
        self, left: tuple[ast.expr, ValueKind], right: tuple[ast.expr, ValueKind], place: Place
    ) -> None:
        """Refuse `is` unless a side is None or both are None, True or False."""
        sides = (left, right)
        if any(isinstance(node, ast.Constant) and node.value is None for node, _ in sides):
            return
        if not all(kind == SINGLE for _, kind in sides):
            refuse(place, IDENTITY, SINGLE_OBJECTS, WRITE_EQUAL)

    def binary(self, op: str, left: ValueKind, right: ValueKind, node: ast.expr) -> ValueKind:
        """Return the kind of an arithmetic expression."""
        place = where(node)
        if left.function or right.function:
            refuse(place, "a function is not a number", NOT_A_VALUE, CALL_IT)
        if op in ("+", "-"):
            self.no_term_with_noise(left, right, node, is_sum=True)
            if op == "+" and left.may_be_list and right.may_be_list:
                return self.concatenated(left, right, node)
            return number(join(left, right))
        if self._is_of_integers(op, left, right):
            self.settles = True
            return FINITE
        if op == "*":
            if left.noise and right.noise:
                refuse(
                    place,
                    f"{left.word} cannot be multiplied by {right.word}",
                    LINEAR,
                    "Multiply by a constant or a finite value.",
                )
            self.no_term_with_noise(left, right, node)
            for one, other in ((left, right), (right, left)):
                if one.may_be_list and not (other.noise and one.finite):
                    if other.noise:
                        refuse(
                            place,
                            f"a list cannot be multiplied by {other.word}",
                            LINEAR,
                            "Multiply each entry by a finite value: `[c * x for x in xs]`.",
                        )
                    found = sequence(one.entry, self.made(node))
                    return join(found, number(join(left, right))) if one.finite else found
            return number(join(left, right))
        if op == "/" and not right.noise:
            self.no_term_with_noise(left, right, node)
            return number(join(left, right))
        if op == "/" and right.items is None and not left.may_be_list:
            self.no_term_with_noise(left, right, node)
            return REAL
        if op in ("//", "%") and not right.noise:
            self.no_term_with_noise(left, right, node)
            if left.noise and right.items is None:
                return whole_number(left) if op == "//" else number(left)
        if left.noise or right.noise:
            word = left.word if left.noise else right.word
            what = f"a list cannot be divided by {word}" if op == "/" else f"{word} has no {op}"
            refuse(place, what, LINEAR, _INSTEAD_OF_OPERATOR.get(op, _COMPARE))
        is_root = op == "**" and any(isinstance(part, ast.Div) for part in ast.walk(node))
        return TERM if left.term or is_root else FINITE

    def _is_of_integers(self, op: str, left: ValueKind, right: ValueKind) -> bool:
        """Whether this is a product or a power of integer noise that may be bounded."""
        if any(one.real or one.term or one.items is not None for one in (left, right)):
            return False
        wanted = {"*": all, "**": any}.get(op)
        return self._compares and wanted is not None and wanted((left.integer, right.integer))

    def no_term_with_noise(
        self, left: ValueKind, right: ValueKind, node: ast.expr, *, is_sum: bool = False
    ) -> None:
        """Refuse a real or noise combined with an expression in ε, except a real plus a + b/ε."""
        if (left.noise and right.term) or (left.term and right.noise):
            if is_sum and not (left.integer or right.integer):
                self.meets_eps = True
                return
            refuse(
                where(node),
                "reals and noise cannot be combined with eps",
                LINEAR,
                "eps stands in rates and probabilities; a + b / eps is added to reals, compared "
                "with them, and a mean.",
            )

    def concatenated(self, left: ValueKind, right: ValueKind, node: ast.expr) -> ValueKind:
        """Return the kind of the concatenation of two sequences."""
        sites = self.made(node)
        if isinstance(left.items, tuple) and isinstance(right.items, tuple):
            found = sequence((*left.items, *right.items), sites)
        else:
            found = sequence(join(left.entry, right.entry), sites)
        if left.finite or left.noise or right.finite or right.noise:
            found = join(found, number(join(left, right)))
        return found

    def index(self, base: ast.expr, index: ast.expr) -> ValueKind:
        """Return the kind of an entry."""
        whole = self.kind(base)
        self.settled(
            index,
            "{} cannot be an index or a key",
            AN_INDEX,
            COMPARE_IT,
        )
        if whole.noise and whole.items is None and not whole.finite:
            refuse(
                where(base),
                f"{whole.word} has no entries",
                "Only lists, tuples, strings and tables have entries.",
                "Index the list that it came from.",
            )
        if isinstance(whole.items, tuple) and isinstance(index, ast.Constant):
            position = index.value
            if isinstance(position, int) and -len(whole.items) <= position < len(whole.items):
                own = FINITE if whole.finite else NOTHING
                return join(whole.items[position], own)
        return whole.entry

    def updated(self, base: ast.Name, index: ast.expr, value: ast.expr) -> ValueKind:
        """Return the kind of a list with one entry replaced."""
        whole, one = self.kind(base), self.kind(value)
        self.settled(index, "{} cannot be an index", AN_INDEX, COMPARE_IT)
        self.change(base, whole, where(base))
        if isinstance(whole.items, tuple) and isinstance(index, ast.Constant):
            position = index.value
            if isinstance(position, int) and -len(whole.items) <= position < len(whole.items):
                items = list(whole.items)
                items[position] = one
                return sequence(tuple(items), whole.sites)
        if isinstance(whole.items, tuple):
            return sequence(tuple(join(item, one) for item in whole.items), whole.sites)
        return sequence(join(whole.entry, one), whole.sites)

    def augmented(self, node: Augmented) -> ValueKind:
        """Return the kind of the result of `base op= value`."""
        base, op = node.base, SYMBOLS[type(node.op)]
        left, right = self.kind(base), self.kind(node.value)
        if op in ("+", "*") and left.sites and (op == "*" or right.may_be_list):
            self.change(base, left, where(base))
        if op == "+" and (left.items is not None or (left.sites and right.may_be_list)):
            if isinstance(left.items, tuple) and isinstance(right.items, tuple):
                found = sequence((*left.items, *right.items), left.sites)
            else:
                found = sequence(join(left.entry, right.entry), left.sites)
            return join(found, number(join(left, right))) if left.finite or left.noise else found
        if op == "*" and left.may_be_list:
            found = sequence(left.entry, left.sites)
            return join(found, number(join(left, right))) if left.finite else found
        return self.binary(op, left, right, node)

    def unpacked(self, whole: ValueKind, count: int, node: ast.expr) -> ValueKind:
        """Return the kind of a value that is split into parts."""
        if whole.noise and whole.items is None and not whole.finite:
            refuse(
                where(node),
                f"{whole.word} cannot be split into {count} parts",
                SAME_LENGTH,
                TARGETS,
            )
        if isinstance(whole.items, tuple) and len(whole.items) != count and not whole.finite:
            refuse(
                where(node),
                f"{len(whole.items)} values cannot be assigned to {count} targets",
                SAME_LENGTH,
                TARGETS,
            )
        return whole

    def comprehension(self, node: Comprehension) -> ValueKind:
        """Return the kind of a comprehension without effects."""
        for clause in node.generators:
            self.bind(clause.target, self.iterated(clause.iter))
            for test in clause.ifs:
                self.truth(test)
        element = self.kind(node.elt)
        # An entry is a list that existed before, or one of several made in the comprehension.
        for site in element.all_sites():
            if site % 2 == 0 and site != SHARED:
                element = join(element, element.aged(site))
        return sequence(element, self.made(node))

    def iterated(self, items: ast.expr) -> ValueKind:
        """Return the kind of an item that a loop iterates over."""
        kind = self.kind(items)
        if kind.noise and kind.items is None and not kind.finite:
            refuse(
                where(items),
                f"a loop cannot iterate over {kind.word}",
                "A `for` loop goes over a range, a list or a tuple.",
                "Go over a list of them, or over `range(<constant>)`.",
            )
        return kind.entry

    def bind(self, target: ast.expr, kind: ValueKind) -> None:
        """Bind the variables of a comprehension."""
        if isinstance(target, ast.Name):
            self.env[target.id] = kind
        elif isinstance(target, ast.Tuple):
            exact = isinstance(kind.items, tuple) and len(kind.items) == len(target.elts)
            parts = kind.items if exact else [kind.entry] * len(target.elts)
            for item, part in zip(target.elts, parts, strict=True):  # type: ignore[arg-type]
                self.bind(item, part)

    def call(self, node: ast.Call) -> ValueKind:
        """Return the kind of a function's result."""
        if called(node) not in self.code.functions:
            kinds = [self.kind(part) for part in arguments(node)]
            if called(node) == "range":
                kinds = [self.settled(part, *NO_RANGE) for part in arguments(node)]
            return call_kind(node, kinds, lambda: self.made(node))
        shown = called(node).partition("()")[0]
        for part in arguments(node):
            self.settled(
                part,
                f"{shown} is a Python function and cannot be called with {{}}",
                A_FUNCTION,
                _IN_PLAIN_PYTHON.get(
                    shown.rpartition(".")[2],
                    "If it is written in the language, decorate it with @ideal or @mechanism.",
                ),
            )
        return opaque(self.made(node))


def shown_name(slot: str) -> str:
    """Return a slot's name as the user wrote it."""
    return slot.rpartition(".")[2].partition("'")[0]
