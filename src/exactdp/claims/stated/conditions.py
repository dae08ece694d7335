"""Conditions on ε, α, γ and the input: predicates, as disjunctions of comparisons."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from exactdp.claims.stated.expressions import (
    Alternatives,
    Bindings,
    Comparison,
    Expression,
    Maximum,
    Symbol,
    Values,
    as_expression,
    maximum,
    minimum,
)
from exactdp.claims.stated.functions import expression_of
from exactdp.errors import ExactdpError, ValueRefusedError, shown
from exactdp.language.layout import assembled, entry_names
from exactdp.language.program import Program
from exactdp.reals import ClosedForm, eps
from exactdp.reals.numbers import inf, rational
from exactdp.reals.towers import exp

Conjunction: TypeAlias = tuple[Comparison, ...]


class Cases(tuple[Conjunction, ...]):
    """A disjunction of conjunctions."""

    __slots__ = ()


ALWAYS = Cases(((),))

_MOST_CASES = 500
_RULE = (
    "A condition is one expression: comparisons of linear formulas in alpha, gamma and the inputs, "
    "with and, or, not, abs, min and max."
)

_NAMES: Mapping[str, Any] = {
    "alpha": Symbol("alpha"),
    "gamma": Symbol("gamma"),
    "eps": as_expression(eps, "eps"),
}
_FUNCTIONS = (exp, minimum, maximum, Fraction)
_WORDS: Mapping[str, Any] = {**_NAMES, "exp": exp}  # the names in a condition given as a string
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a ** int(b),
}


def read_cases(given: object, program: Program, what: str) -> Cases:
    """Read a condition given by a user: comparisons, a string, or a function of the input."""
    if isinstance(given, Cases):
        return given
    if isinstance(given, Comparison):
        return Cases(((given,),))
    if isinstance(given, tuple | list):
        cases = ALWAYS
        for one in given:
            cases = both(cases, read_cases(one, program, what))
        return cases
    if isinstance(given, str):
        return _text(given, {**_WORDS, **named_inputs(program)}, what)
    if callable(given):
        tree, known = _opened_function(given, program, what)
        return _CaseReader(known, what).cases(tree)
    raise ValueRefusedError(
        f"{what} is {shown(given)}",
        rule=_RULE,
        way_out=f"Write {what}={_example(what)}.",
    )


def named_inputs(program: Program) -> dict[str, Any]:
    """Return the inputs as symbols, by the names of the parameters of a program."""
    return dict(zip((p.name for p in program.inputs), _symbols(program), strict=True))


def read_formula(text: str, inputs: Mapping[str, Any] | None = None) -> Expression:
    """Parse a formula in eps, alpha, gamma and inputs."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise _refused("a formula", f"the text {shown(text)} is no expression") from None
    ((conjunction, value),) = list(
        _CaseReader({**_WORDS, **(inputs or {})}, "a formula")._read(tree)
    )[:1]
    if conjunction:
        raise ValueRefusedError(
            f"the end {text.strip()} of a range has several cases",
            rule="An end of a range is one formula.",
            way_out='Write the range as a condition, such as region="alpha >= max(q[0], 1)".',
        )
    return as_expression(value, "a formula")


class CaseFormula(Expression):
    """A formula by cases: that of the first condition that holds.

    >>> from exactdp import alpha, eps, exp
    >>> print(CaseFormula((exp(-alpha * eps / 2), alpha < 1), (exp(-3 * alpha * eps / 5), True)))
    piecewise((exp(-alpha*eps/2), alpha < 1), (exp(-3*alpha*eps/5), True))
    """

    def __init__(self, *parts: tuple[object, object], text: str = "") -> None:
        pieces = []
        before = ALWAYS
        for given in parts:
            if not isinstance(given, tuple | list) or len(given) != 2:
                raise ValueRefusedError(
                    f"a part of piecewise is {shown(given)}",
                    rule="Each part is a formula and a condition.",
                    way_out="Write piecewise((a, alpha < 1), (b, True)).",
                )
            formula, condition = given
            cases = _condition(condition)
            pieces.append((as_expression(formula, "a part of piecewise"), both(before, cases)))
            before = both(before, negated(cases))
        if not pieces:
            raise ValueRefusedError("piecewise() of nothing", way_out="Write piecewise((a, True)).")
        shown_parts = ", ".join(f"({formula}, {condition})" for formula, condition in parts)
        self.text = text or f"piecewise({shown_parts})"
        self.pieces: tuple[tuple[Expression, Cases], ...] = tuple(pieces)

    def alternatives(self, values: Values) -> Alternatives:
        """Raise an error: cases are separated before evaluation."""
        return Maximum(tuple(formula for formula, _ in self.pieces)).alternatives(values)

    def names(self) -> frozenset[str]:
        """Return the names in all formulas and conditions."""
        sides = (one.form for _, cases in self.pieces for conj in cases for one in conj)
        return frozenset().union(
            *(one.names() for one, _ in self.pieces), *(s.names() for s in sides)
        )

    def bound_to(self, values: Bindings) -> Expression:
        """Return the formulas and conditions with values substituted."""
        found = CaseFormula.__new__(CaseFormula)
        found.text = self.text
        found.pieces = tuple(
            (
                formula.bound_to(values),
                bound(cases, values),
            )
            for formula, cases in self.pieces
        )
        return found

    def over(self, factor: Fraction) -> CaseFormula:
        """Return the formulas divided by a constant, for the same cases."""
        found = CaseFormula.__new__(CaseFormula)
        found.text = f"({self.text})/{factor}"
        found.pieces = tuple((formula / factor, cases) for formula, cases in self.pieces)
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CaseFormula) and other.pieces == self.pieces

    def __hash__(self) -> int:
        return hash(self.pieces)

    def __str__(self) -> str:
        return self.text


def piecewise(*parts: tuple[object, object]) -> Expression:
    """Return a formula by cases: that of the first condition that holds.

    A condition compares alpha, gamma and eps, as in `alpha < 1` or `"eps < 2"`, or is True.

    >>> from exactdp import alpha, eps, exp, piecewise
    >>> print(piecewise((exp(-alpha * eps), alpha < 1), (exp(-eps), True)))
    piecewise((exp(-alpha*eps), alpha < 1), (exp(-eps), True))
    """
    return CaseFormula(*parts)


def conditional(function: Callable[..., Any], program: Program, what: str) -> Expression | None:
    """Return a function of alpha, gamma or eps as a formula by cases; None for other functions."""
    inputs = {param.name for param in program.inputs}
    if not any(name in _NAMES and name not in inputs for name in _parameters(function)):
        return None
    tree, _ = _opened_function(function, program, what)
    pieces = [(value, Cases((when,))) for value, when in read_pieces(function, program, what)]
    return CaseFormula(*pieces, text=ast.unparse(tree))


def read_pieces(
    function: Callable[..., Any], program: Program, what: str
) -> list[tuple[Expression, Conjunction]]:
    """Return a function of the input, alpha, gamma or eps as formulas with conditions."""
    tree, known = _opened_function(function, program, what)
    return [
        (as_expression(value, what), conjunction)
        for conjunction, value in _CaseReader(known, what)._read(tree)
    ]


def _condition(given: object) -> Cases:
    if isinstance(given, Cases):
        return given
    if given is True:
        return ALWAYS
    if isinstance(given, Comparison):
        return Cases(((given,),))
    if isinstance(given, str):
        return _text(given, _WORDS, "a condition")
    raise ValueRefusedError(
        f"a condition of piecewise is {shown(given)}",
        rule="A condition compares alpha, gamma and eps, as in alpha < 1 or 'eps < 2', or is True.",
    )


def bound(cases: Cases, values: Bindings) -> Cases:
    """Return a condition with values or expressions substituted for some names."""
    return Cases(tuple(one.bound_to(values) for one in conj) for conj in cases)


def holds_at(cases: Cases, values: Mapping[str, Fraction]) -> bool:
    """Whether a condition holds for given values."""

    def holds(one: Comparison) -> bool:
        number = one.form.at(values).numerator.constant()
        if number is None:
            raise _refused("inputs", f"{one} depends on eps")
        return number > 0 or (number == 0 and not one.strict)

    return any(all(map(holds, conjunction)) for conjunction in cases)


def negated(cases: Cases) -> Cases:
    """Return the cases in which a condition does not hold."""
    found = ALWAYS
    for conjunction in cases:
        found = both(found, Cases((one.negated(),) for one in conjunction))
    return found


def both(one: Cases, two: Cases) -> Cases:
    """Return the cases in which both conditions hold."""
    return Cases((*left, *right) for left in one for right in two)


def _symbols(program: Program) -> tuple[Any, ...]:
    """Return the parameters of a mechanism, with a symbol for each scalar."""
    return assembled(program.inputs, [Symbol(name) for name in entry_names(program.inputs)])


def _text(text: str, names: Mapping[str, Any], what: str) -> Cases:
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise _refused(what, f"the text {shown(text)} is no expression") from None
    return _CaseReader(names, what).cases(tree)


def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # a builtin
        return ()


def _opened_function(
    function: Callable[..., Any], program: Program, what: str
) -> tuple[ast.expr, Mapping[str, Any]]:
    """Return the expression that a function returns, and the values of its names."""
    tree = expression_of(function)
    if tree is None:
        raise _refused(what, "the source of the function is not one expression")
    inputs = dict(zip((p.name for p in program.inputs), _symbols(program), strict=True))
    whole = tuple(inputs.values())
    found: dict[str, Any] = {}
    for name in _parameters(function):
        if name in inputs:
            found[name] = inputs[name]
        elif name in _NAMES:
            found[name] = _NAMES[name]
        else:
            found[name] = whole[0] if len(whole) == 1 else whole
    outside = inspect.getclosurevars(function)
    return tree, {**outside.builtins, **outside.globals, **outside.nonlocals, **found}


def _refused(what: str, problem: str) -> ValueRefusedError:
    return ValueRefusedError(
        f"{what} cannot be read: {problem}", rule=_RULE, way_out=f"Write {what}={_example(what)}."
    )


def _example(what: str) -> str:
    if what == "inputs":
        return "lambda u: u[0] >= u[1] + 1"
    if what == "beta":
        return "lambda alpha: exp(-alpha * eps) if alpha < 1 else exp(-alpha * eps / 2)"
    return "lambda u, alpha, gamma: alpha >= 1 and gamma <= alpha"


@dataclass(frozen=True)
class _CaseReader:
    """Reads a Python expression, case by case where it branches."""

    names: Mapping[str, Any]
    what: str

    def cases(self, tree: ast.expr) -> Cases:
        """Return the cases in which an expression is true."""
        found = []
        for conjunction, value in self._read(tree):
            if not isinstance(value, bool):
                raise _refused(self.what, f"{ast.unparse(tree)} is neither true nor false")
            if value:
                found.append(conjunction)
            if len(found) > _MOST_CASES:
                raise _refused(self.what, f"it has more than {_MOST_CASES} cases")
        return Cases(found)

    def _read(self, node: ast.expr) -> Iterator[tuple[Conjunction, Any]]:
        match node:
            case ast.Constant(value):
                yield (), _exact(value)
            case ast.Name(name):
                if name not in self.names:
                    raise _refused(self.what, f"{name} is not known")
                yield (), _exact(self.names[name])
            case ast.BoolOp(op, values):
                yield from self._both(isinstance(op, ast.And), values)
            case ast.UnaryOp(ast.Not(), operand):
                yield from ((conj, not value) for conj, value in self._read(operand))
            case ast.UnaryOp(ast.USub(), operand):
                yield from ((conj, -value) for conj, value in self._read(operand))
            case ast.BinOp(left, op, right) if type(op) in _OPERATORS:
                for conj, (one, two) in self._all([left, right]):
                    yield conj, self._computed(_OPERATORS[type(op)], one, two)
            case ast.Compare(left, ops, others):
                yield from self._compared([left, *others], ops)
            case ast.IfExp(test, body, orelse):
                for conj, value in self._read(test):
                    for more, found in self._read(body if value else orelse):
                        yield (*conj, *more), found
            case ast.Subscript(value, index):
                for conj, (whole, place) in self._all([value, index]):
                    yield conj, self._computed(lambda a, b: a[int(b)], whole, place)
            case ast.Call(ast.Name("abs"), [part], []):
                for conj, value in self._read(part):
                    for more, is_positive in _split(value, 0):
                        yield (*conj, *more), value if is_positive else -value
            case ast.Call(ast.Name("min" | "max" as name), parts, []):
                yield from self._extreme(parts, smallest=name == "min")
            case ast.Call(ast.Name(name), parts, []) if self.names.get(name) in _FUNCTIONS:
                for conj, arguments in self._all(parts):
                    yield conj, self._computed(self.names[name], *arguments)
            case ast.Call(ast.Name("len"), [part], []):
                yield from ((conj, len(value)) for conj, value in self._read(part))
            case ast.Tuple(items) | ast.List(items):
                yield from self._all(items)
            case _:
                raise _refused(self.what, f"{ast.unparse(node)} is not understood")

    def _computed(self, function: Callable[..., Any], *values: Any) -> Any:
        try:
            return function(*values)
        except ExactdpError:
            raise
        except Exception as error:
            raise _refused(self.what, str(error)) from None

    def _all(self, nodes: Sequence[ast.expr]) -> Iterator[tuple[Conjunction, tuple[Any, ...]]]:
        """Yield the values of several expressions, case by case."""
        if not nodes:
            yield (), ()
            return
        for conj, value in self._read(nodes[0]):
            for more, rest in self._all(nodes[1:]):
                yield (*conj, *more), (value, *rest)

    def _both(self, is_and: bool, nodes: list[ast.expr]) -> Iterator[tuple[Conjunction, Any]]:
        first, *rest = nodes
        for conj, value in self._read(first):
            if not rest or bool(value) != is_and:
                yield conj, value
            else:
                for more, found in self._both(is_and, rest):
                    yield (*conj, *more), found

    def _compared(
        self, nodes: list[ast.expr], ops: list[ast.cmpop]
    ) -> Iterator[tuple[Conjunction, bool]]:
        for conj, values in self._all(nodes):
            yield from self._chain(conj, values, ops)

    def _chain(
        self, conj: Conjunction, values: tuple[Any, ...], ops: list[ast.cmpop]
    ) -> Iterator[tuple[Conjunction, bool]]:
        one, two, *_ = values
        for more, truth in self._one(one, ops[0], two):
            if truth and len(ops) > 1:
                yield from self._chain((*conj, *more), values[1:], ops[1:])
            else:
                yield (*conj, *more), truth

    def _one(self, one: Any, op: ast.cmpop, two: Any) -> Iterator[tuple[Conjunction, bool]]:
        match op:
            case ast.GtE():
                yield from _split(one, two)
            case ast.LtE():
                yield from _split(two, one)
            case ast.Gt():
                yield from ((conj, not truth) for conj, truth in _split(two, one))
            case ast.Lt():
                yield from ((conj, not truth) for conj, truth in _split(one, two))
            case ast.Eq():
                for conj, above in _split(one, two):
                    for more, below in _split(two, one):
                        yield (*conj, *more), above and below
            case _:
                raise _refused(self.what, "only <, <=, ==, >=, > are understood")

    def _extreme(
        self, nodes: list[ast.expr], *, smallest: bool
    ) -> Iterator[tuple[Conjunction, Any]]:
        for conj, values in self._all(nodes):
            items = values[0] if len(values) == 1 else values
            for k, one in enumerate(items):
                found = conj
                possible = True
                for j, other in enumerate(items):
                    if j != k:
                        pair = (other, one) if smallest else (one, other)
                        sides = [more for more, truth in _split(*pair) if truth]
                        possible = possible and bool(sides)
                        found = (*found, *(sides[0] if sides else ()))
                if possible:
                    yield found, one


def _exact(value: Any) -> Any:
    """Return a number as an exact one: 0.1 is one tenth."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) != inf:
        return rational(value)
    return value


def _split(one: Any, two: Any) -> Iterator[tuple[Conjunction, bool]]:
    """Yield the cases in which one is at least two, and those in which it is not."""
    if not isinstance(one, Expression | ClosedForm) and not isinstance(
        two, Expression | ClosedForm
    ):
        yield (), one >= two
        return
    side = Comparison(as_expression(one, "a number") - two, strict=False)
    yield (side,), True
    yield (side.negated(),), False
