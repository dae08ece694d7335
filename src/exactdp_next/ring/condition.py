"""Conditions on ε, α, γ and inputs: comparisons of formulas, joined by and, or, not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from ..errors import fail
from . import cuts
from .node import Node, read

if TYPE_CHECKING:
    from .expr import Expr


class Condition(Node):
    """A comparison of two formulas, or conditions joined by `&`, `|` and `~`.

    Python's own `and`, `or`, `not` and a < b < c ask for a truth value at once, which a condition
    has only where it does not depend on any name; in texts they can be used.
    """

    __slots__ = ("known", "negated")

    known: bool | None
    negated: Condition

    def __and__(self, other: object) -> Condition:
        return _operation("and", self, other)

    def __rand__(self, other: object) -> Condition:
        return _operation("and", other, self)

    def __or__(self, other: object) -> Condition:
        return _operation("or", self, other)

    def __ror__(self, other: object) -> Condition:
        return _operation("or", other, self)

    def __invert__(self) -> Condition:
        try:
            return self.negated
        except AttributeError:  # the first time
            object.__setattr__(self, "negated", negation(self))
            return self.negated

    def at(self, given: Mapping[str, object]) -> Condition:
        """Substitute formulas or numbers for names, all at once."""
        from .expr import expr  # noqa: PLC0415 it imports this module

        put = {name: expr(value) for name, value in given.items()}
        return self.substituted(put)  # type: ignore[no-any-return]

    def truth(self) -> bool | None:
        """Return whether it holds everywhere, or nowhere; None if that is not seen."""
        try:
            return self.known
        except AttributeError:  # the first time
            object.__setattr__(self, "known", cuts.truth(self))
            return self.known

    def __bool__(self) -> bool:
        found = self.truth()
        if found is None:
            fail("E22", what=str(self))
        return found


def condition(x: object) -> Condition:
    """Return a condition, or the one that a text spells.

    A truth value is refused: it comes from `alpha == 1`, which asks whether two formulas are equal.
    """
    if isinstance(x, Condition):
        return x
    if isinstance(x, str):
        return read(x, False)  # type: ignore[no-any-return]
    fail("E21", value=x)


def compared(op: str, one: Expr, two: Expr) -> Condition:
    """Return the comparison `one op two`; of two numbers it is a truth value."""
    found = Condition(op, (one, two))
    if one.op == two.op == "number":
        return Condition("truth", data=found.truth())
    return found


def joined(op: str, *parts: Condition) -> Condition:
    """Return the conjunction ("and") or disjunction ("or") of conditions."""
    decides = op == "or"  # a part with this truth value decides
    rest = [part for part in parts if part.op != "truth" or part.data is decides]
    if any(part.op == "truth" for part in rest):
        return Condition("truth", data=decides)
    if not rest:
        return Condition("truth", data=not decides)
    return rest[0] if len(rest) == 1 else Condition(op, tuple(rest))


def negation(one: Condition) -> Condition:
    """Return the condition that holds where this one does not."""
    if one.op == "truth":
        return Condition("truth", data=not one.data)
    if one.op in cuts.NEGATED:
        return Condition(cuts.NEGATED[one.op], one.args)
    return one.args[0] if one.op == "not" else Condition("not", (one,))  # type: ignore[return-value]


def _operation(op: str, one: object, two: object) -> Condition:
    if not all(isinstance(x, Condition | bool) for x in (one, two)):
        return NotImplemented  # type: ignore[no-any-return]  # Python says what it is
    return joined(op, condition(one), condition(two))


_BUILDERS: dict[str, Callable[..., Node]] = {
    "and": lambda *parts: joined("and", *parts),
    "or": lambda *parts: joined("or", *parts),
    "not": negation,
    **{op: partial(compared, op) for op in cuts.NEGATED},
}
Condition.builders = _BUILDERS
