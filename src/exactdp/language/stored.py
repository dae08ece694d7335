"""Answers that a program stores, such as `flags = [r >= t for r in x]`, and reads later.

A list of k answers has 2^k values. If a comparison is made only when its answer is needed, the list
holds `StoredAnswer`s until then, and a state contains only answers that were needed so far. An
expression that needs one raises `UnsettledError`; then the comparison is made, the answer replaces
all equal ones, and the statement is run again.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from exactdp.language.code import Augmented
from exactdp.language.evaluate import Closure, Compiler
from exactdp.language.linear import Linear
from exactdp.language.tree import OwnNode, put, where
from exactdp.language.values import Symbolic, UnsettledError, Value, over_parts
from exactdp.language.wholes import Whole
from exactdp.reals.operators import COMPARED

_PASSING = frozenset({"all", "any", "enumerate", "len", "list", "reversed", "tuple", "zip"})
"""Functions that pass the entries of lists on, or ask for one after the other."""


@dataclass(frozen=True)
class StoredAnswer(Symbolic):
    """Whether form op 0, which is not decided yet."""

    op: str
    form: Linear

    def mapped(self, change: Callable[[Any], Any]) -> StoredAnswer:
        """Return the answer about another form."""
        form = change(self.form)
        return self if form is self.form else StoredAnswer(self.op, form)

    def known(self, op: str, form: Linear, truth: bool) -> bool | None:
        """Return the answer if it follows from another one, else None."""
        if form == self.form:
            side = 1
        elif form == -self.form:
            side = -1
        else:
            return None
        signs = [sign for sign in (-1, 0, 1) if COMPARED[op](sign, 0) is truth]
        found = {COMPARED[self.op](side * sign, 0) for sign in signs}
        return found.pop() if len(found) == 1 else None

    def _needed(self, *_: object) -> NoReturn:
        raise UnsettledError(self)

    __bool__ = __index__ = __int__ = __float__ = __neg__ = __pos__ = __abs__ = _needed
    __lt__ = __le__ = __gt__ = __ge__ = __add__ = __radd__ = __sub__ = __rsub__ = _needed
    __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __len__ = __iter__ = _needed


def answered(value: Value) -> Value:
    """Return a value without stored answers; raise `UnsettledError` for the first one."""
    if isinstance(value, StoredAnswer):
        raise UnsettledError(value)
    if isinstance(value, tuple):
        for one in value:
            answered(one)
    return value


def _searched(items: Value, item: Value) -> Value:
    """Return a list in which the entries up to the first occurrence of an item are answered."""
    if isinstance(items, tuple):
        for one in items:
            if answered(one) == item:
                break
    return items


def with_answer(value: Value, op: str, form: Linear, truth: bool) -> Value:
    """Return a value with the stored answers that follow from form op 0, or its negation."""
    if isinstance(value, StoredAnswer):
        found = value.known(op, form, truth)
        return value if found is None else found
    if isinstance(value, tuple):
        return over_parts(value, lambda one: with_answer(one, op, form, truth))
    return value


def may_wait(form: object, *, samples: bool) -> bool:
    """Whether it pays to decide about a form later: it has a sample that is not drawn yet.

    In a program that does not sample, it has inputs only.
    """
    if not isinstance(form, Linear):
        return False
    if any(isinstance(name, Whole) for name in form.coefficients):
        return False
    if samples:
        return any(not isinstance(name, int | str) for name in form.coefficients)
    return all(isinstance(name, str) for name in form.coefficients)


class Answered(OwnNode):
    """An expression whose value is needed with all its entries."""

    _fields = __match_args__ = ("value",)
    value: ast.expr


class Searched(OwnNode):
    """A list in which the first occurrence of an item is needed."""

    _fields = __match_args__ = ("items", "item")
    items: ast.expr
    item: ast.expr


class StoringCompiler(Compiler):
    """Compiles pure expressions on values with stored answers.

    They are passed on by names, lists, entries and parts of lists. Everything else needs them.
    """

    def finished(self, node: ast.expr) -> Closure:
        """Return the closure of an expression whose value is needed."""
        return self.compile(_answered(node))

    def compile(self, node: ast.expr) -> Closure:
        """Return the closure that computes an expression from an environment."""
        place = where(node)
        match node:
            case Answered(value):
                compute = self.compile(value)
                return lambda env: answered(compute(env))
            case ast.BinOp(_, ast.Add()) | Augmented(_, ast.Add()):
                pass  # lists are joined; an answer in a sum of numbers is needed
            case ast.BinOp(left, op, right):
                node = put(ast.BinOp(_answered(left), op, _answered(right)), place)
            case Augmented(base, op, value):
                node = put(Augmented(_answered(base), op, _answered(value)), place)
            case ast.Compare(item, [ast.In() | ast.NotIn() as op], [items]):
                node = put(ast.Compare(item, [op], [put(Searched(items, item), place)]), place)
            case ast.Call(ast.Attribute(base, "index", context), [argument]):
                items = put(Searched(base, argument), place)
                method = put(ast.Attribute(items, "index", context), place)
                node = put(ast.Call(method, [argument], []), place)
            case Searched(items, item):
                whole, wanted = self.compile(items), self.finished(item)
                return lambda env: _searched(whole(env), wanted(env))
            case ast.Compare(left, ops, others):
                node = put(ast.Compare(_answered(left), ops, [*map(_answered, others)]), place)
            case ast.Call(ast.Attribute(base, word, context), [argument]):
                method = put(ast.Attribute(_answered(base), word, context), place)
                node = put(ast.Call(method, [_answered(argument)], []), place)
            case ast.Call(ast.Name(word), args, keywords) if (
                word in self.functions or word not in _PASSING
            ):
                named = [ast.keyword(one.arg, _answered(one.value)) for one in keywords]
                node = put(ast.Call(node.func, [*map(_answered, args)], named), place)
            case ast.Lambda(parameters, body):
                node = put(ast.Lambda(parameters, _answered(body)), place)
        return super().compile(node)


def _answered(node: ast.expr) -> ast.expr:
    return put(Answered(node), where(node))
