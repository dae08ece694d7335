"""Conditions on ε, α, γ and the input: predicates, as disjunctions of comparisons."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

from exactdp.claims.stated.expressions import (
    Alternatives,
    Bindings,
    Comparison,
    Expression,
    Maximum,
    Symbol,
    Values,
    as_expression,
)
from exactdp.claims.stated.functions import written
from exactdp.claims.stated.interpreting import WORDS, called, value_of
from exactdp.claims.stated.paths import Conjunction, UninterpretedError, paths
from exactdp.errors import ValueRefusedError, shown
from exactdp.language.helpers import checked_function
from exactdp.language.layout import assembled, entry_names
from exactdp.language.program import Program
from exactdp.reals import eps


class Cases(tuple[Conjunction, ...]):
    """A disjunction of conjunctions."""

    __slots__ = ()


ALWAYS = Cases(((),))

_MOST_CASES = 500
_RULE = (
    "A condition compares linear formulas in alpha, gamma and the inputs. It is text, or a "
    "function with if, for, assignments, abs, min, max, sum, all and any."
)
_FORMULA_RULE = (
    "A formula is written with numbers, eps, alpha, gamma, inputs by name, exp, abs, min and max. "
    "A function may have if, for and assignments."
)
_KNOWN: Mapping[str, Expression] = {
    **dict.fromkeys(("alpha", "α"), Symbol("alpha")),
    **dict.fromkeys(("gamma", "γ"), Symbol("gamma")),
    **dict.fromkeys(("eps", "ε"), as_expression(eps, "eps")),
}


def read_cases(given: object, program: Program | None, what: str) -> Cases:
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
        return _true_cases(text_pieces(given, program, what), what)
    if callable(given) and program is not None:
        return _true_cases(_runs(given, program, what), what)
    raise ValueRefusedError(
        f"{what} is {shown(given)}",
        rule=_RULE,
        way_out=f"Write {_example(what)}.",
    )


def _true_cases(found: Iterable[tuple[Conjunction, Any]], what: str) -> Cases:
    """Return the cases in which a condition is true."""
    cases = []
    for conjunction, value in found:
        if not isinstance(value, bool):
            raise refused(what, f"{value} is neither true nor false")
        if value:
            cases.append(conjunction)
    return Cases(cases)


def text_pieces(text: str, program: Program | None, what: str) -> list[tuple[Conjunction, Any]]:
    """Return the values of a text in eps, alpha, gamma and inputs by name, with conditions."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise refused(what, f"the text {shown(text)} is no expression") from None
    inputs = {} if program is None else _named_inputs(program)
    names = {**WORDS, **_KNOWN, **inputs}
    return _limited(paths(lambda path: value_of(tree, names, path)), what)


def _runs(
    function: Callable[..., Any], program: Program, what: str
) -> list[tuple[Conjunction, Any]]:
    """Return the values of a function of the input, alpha, gamma or eps, with conditions."""
    given = _arguments(function, program, what)
    checked_function(function, what, bool)  # refuses functions that use chance
    return _limited(paths(lambda path: called(function, given, path)), what)


def _limited(found: Iterator[tuple[Conjunction, Any]], what: str) -> list[tuple[Conjunction, Any]]:
    try:
        listed = list(islice(found, _MOST_CASES + 1))
    except UninterpretedError as error:
        raise refused(what, str(error)) from None
    except RecursionError:
        raise refused(what, "it calls itself without end") from None
    if len(listed) > _MOST_CASES:
        raise refused(what, f"it has more than {_MOST_CASES} cases")
    return listed


def _named_inputs(program: Program) -> dict[str, Any]:
    """Return the inputs as symbols, by the names of the parameters of a program."""
    return dict(zip((p.name for p in program.inputs), _symbols(program), strict=True))


def _arguments(function: Callable[..., Any], program: Program, what: str) -> dict[str, Any]:
    """Return the arguments of a function: inputs and levels by name, or the whole input."""
    inputs = _named_inputs(program)
    known = {**_KNOWN, **inputs}
    found: dict[str, Any] = {}
    others = []
    for name, one in _parameters(function).items():
        if name in known:
            found[name] = known[name]
        elif one.default is one.empty:
            others.append(name)
    whole = tuple(inputs.values())
    if len(others) == 1:
        return {**found, others[0]: whole[0] if len(whole) == 1 else whole}
    if len(others) not in (0, len(whole)):
        raise refused(what, f"{others[1]} is neither an input nor alpha, gamma or eps")
    return {**found, **dict(zip(others, whole, strict=False))}


def read_formula(text: str, program: Program | None = None, what: str = "a formula") -> Expression:
    """Parse a formula in eps, alpha, gamma and inputs, which may have cases."""
    return _formula(text_pieces(text, program, what), what, text.strip())


def _formula(found: Sequence[tuple[Conjunction, Any]], what: str, text: str) -> Expression:
    pieces = [(as_expression(value, what), Cases((when,))) for when, value in found]
    if len(pieces) == 1 and pieces[0][1] == ALWAYS:
        return pieces[0][0]
    return CaseFormula.of(pieces, text)


class CaseFormula(Expression):
    """A formula by cases: that of the first condition that holds.

    >>> from exactdp import alpha, eps, exp
    >>> print(CaseFormula((exp(-alpha * eps / 2), alpha < 1), (exp(-3 * alpha * eps / 5), True)))
    piecewise((exp(-alpha*eps/2), alpha < 1), (exp(-3*alpha*eps/5), True))
    """

    is_by_cases = True

    def __init__(self, *parts: tuple[object, object]) -> None:
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
        self.text = f"piecewise({shown_parts})"
        self.pieces: tuple[tuple[Expression, Cases], ...] = tuple(_flat(pieces))

    @classmethod
    def of(cls, pieces: Iterable[tuple[Expression, Cases]], text: str) -> CaseFormula:
        """Return formulas and the cases in which each applies; where several do, they agree."""
        found = cls.__new__(cls)
        found.text, found.pieces = text, tuple(_flat(pieces))
        return found

    def spread(
        self, function: Callable[[Expression], Expression], slope: int, text: str
    ) -> CaseFormula:
        """Return a function of the formula, case by case."""
        del slope
        return CaseFormula.of(((function(one), cases) for one, cases in self.pieces), text)

    def alternatives(self, values: Values) -> Alternatives:
        """Raise an error: cases are separated before evaluation."""
        return Maximum(self.operands()).alternatives(values)

    def operands(self) -> tuple[Expression, ...]:
        """Return the formulas."""
        return tuple(formula for formula, _ in self.pieces)

    def rebuilt(self, operands: Iterable[Expression]) -> CaseFormula:
        """Return other formulas in the same cases."""
        cases = (cases for _, cases in self.pieces)
        return CaseFormula.of(zip(operands, cases, strict=True), self.text)

    def names(self) -> frozenset[str]:
        """Return the names in all formulas and conditions."""
        sides = (one.form for _, cases in self.pieces for conj in cases for one in conj)
        return super().names().union(*(side.names() for side in sides))

    def bound_to(self, values: Bindings) -> Expression:
        """Return the formulas and conditions with values substituted."""
        pieces = (
            (formula.bound_to(values), bound(cases, values)) for formula, cases in self.pieces
        )
        return CaseFormula.of(pieces, self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CaseFormula) and other.pieces == self.pieces

    def __hash__(self) -> int:
        return hash(self.pieces)

    def __str__(self) -> str:
        return self.text


def _flat(pieces: Iterable[tuple[Expression, Cases]]) -> Iterator[tuple[Expression, Cases]]:
    """Yield pieces without cases of their own."""
    for formula, cases in pieces:
        if isinstance(formula, CaseFormula):
            yield from ((one, both(cases, more)) for one, more in formula.pieces)
        else:
            yield formula, cases


def piecewise(*parts: tuple[object, object]) -> Expression:
    """Return a formula by cases: that of the first condition that holds.

    A condition compares alpha, gamma and eps, as in `alpha < 1` or `"eps < 2"`, or is True.

    >>> from exactdp import alpha, eps, exp, piecewise
    >>> print(piecewise((exp(-alpha * eps), alpha < 1), (exp(-eps), True)))
    piecewise((exp(-alpha*eps), alpha < 1), (exp(-eps), True))
    """
    return CaseFormula(*parts)


def conditional(
    function: Callable[..., Any], program: Program, what: str, *, of_input: bool = False
) -> Expression | None:
    """Return a function of alpha, gamma or eps as a formula by cases; None for other functions.

    With `of_input`, also a function of the input alone; None if it cannot be read.
    """
    inputs = {param.name for param in program.inputs}
    must_be_read = any(name in _KNOWN and name not in inputs for name in _parameters(function))
    if not must_be_read and not of_input:
        return None
    try:
        return _formula(_runs(function, program, what), what, written(function))
    except ValueRefusedError:
        if must_be_read:
            raise
        return None


def read_pieces(
    function: Callable[..., Any], program: Program, what: str
) -> list[tuple[Expression, Conjunction]]:
    """Return a function of the input, alpha, gamma or eps as formulas with conditions."""
    return [(as_expression(value, what), when) for when, value in _runs(function, program, what)]


def _condition(given: object) -> Cases:
    if given is True:
        return ALWAYS
    if isinstance(given, Cases | Comparison | str):
        return read_cases(given, None, "a condition")
    raise ValueRefusedError(
        f"a condition of piecewise is {shown(given)}",
        rule="A condition compares alpha, gamma and eps, as in alpha < 1 or 'eps < 2', or is True.",
    )


def bound(cases: Cases, values: Bindings) -> Cases:
    """Return a condition with values or expressions substituted for some names."""
    return Cases(tuple(one.bound_to(values) for one in conj) for conj in cases)


def holds_at(cases: Cases, values: Values, point: Fraction | None = None) -> bool:
    """Whether a condition holds for given values at an ε; without one, it must not depend on it.

    At an ε, comparisons with other names are ignored.
    """

    def holds(one: Comparison) -> bool:
        if point is not None and not one.form.names() <= values.keys():
            return True
        form = one.form.at(values)
        if point is None and form.numerator.constant() is None:
            raise refused("inputs", f"{one} depends on eps")
        sign = form.at(point or Fraction(1)).sign
        return sign > 0 or (sign == 0 and not one.strict)

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


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):  # a builtin
        return {}


def refused(what: str, problem: str) -> ValueRefusedError:
    """Return the error for a condition or a formula that is not understood."""
    rule = _RULE if what in _CONDITIONS else _FORMULA_RULE
    return ValueRefusedError(
        f"{what} cannot be read: {problem}", rule=rule, way_out=f"Write {_example(what)}."
    )


_CONDITIONS = ("region", "inputs", "a condition")


def _example(what: str) -> str:
    match what:
        case "inputs":
            return "inputs=lambda u: u[0] >= u[1] + 1"
        case "region" | "a condition":
            return f"{what}=lambda u, alpha, gamma: alpha >= 1 and gamma <= alpha"
        case "beta":
            return "beta=lambda alpha: exp(-alpha * eps) if alpha < 1 else exp(-alpha * eps / 2)"
        case "alpha" | "gamma":
            return f"a number, or for example {what}=lambda u: 1 + abs(u)"
    return "for example 1 + 2 / eps"
