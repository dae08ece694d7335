"""Random piecewise linear functions as data: as text of the language, in Python, and for z3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import z3
from hypothesis import strategies as st

_OPS = ("<", "<=", ">", ">=", "==")


@dataclass(frozen=True)
class Line:
    """Σ coefficients·q + constant."""

    coefficients: tuple[int, ...]
    constant: int

    def text(self) -> str:
        """Return it in the language."""
        parts = [f"{c} * q[{k}]" for k, c in enumerate(self.coefficients) if c]
        return " + ".join([*parts, str(self.constant)])

    def at(self, q: Sequence[Any]) -> Any:
        """Return the value at fractions or z3 terms."""
        return sum((c * x for c, x in zip(self.coefficients, q, strict=True)), self.constant)


@dataclass(frozen=True)
class Leaf:
    """An output: finite values, perhaps with a real number."""

    mark: int
    real: Line | None

    def lines(self, indent: str) -> list[str]:
        """Return it in the language."""
        number = "None" if self.real is None else self.real.text()
        return [f"{indent}return [{self.mark}, {number}]"]

    def at(self, q: Sequence[Fraction]) -> tuple[Any, ...]:
        """Return the output at an input."""
        return self.mark, None if self.real is None else self.real.at(q)

    def differs(self, q: Sequence[Any], other: tuple[Any, ...]) -> Any:
        """Return the condition that the output at q is not another one."""
        mark, number = other
        if mark != self.mark or (number is None) != (self.real is None):
            return z3.BoolVal(True)
        return z3.BoolVal(False) if self.real is None else self.real.at(q) != _term(number)


@dataclass(frozen=True)
class Branch:
    """if test op 0: yes, else: no."""

    test: Line
    op: str
    yes: Any
    no: Any

    def lines(self, indent: str) -> list[str]:
        """Return it in the language."""
        head = f"{indent}if {self.test.text()} {self.op} 0:"
        deeper = indent + "    "
        return [head, *self.yes.lines(deeper), f"{indent}else:", *self.no.lines(deeper)]

    def holds(self, q: Sequence[Any]) -> Any:
        """Return whether the test holds."""
        value = self.test.at(q)
        if self.op == "<":
            return value < 0
        if self.op == "<=":
            return value <= 0
        if self.op == ">":
            return value > 0
        return value >= 0 if self.op == ">=" else value == 0

    def at(self, q: Sequence[Fraction]) -> tuple[Any, ...]:
        """Return the output at an input."""
        found: tuple[Any, ...] = (self.yes if self.holds(q) else self.no).at(q)
        return found

    def differs(self, q: Sequence[Any], other: tuple[Any, ...]) -> Any:
        """Return the condition that the output at q is not another one."""
        condition = self.holds(q)
        return z3.If(condition, self.yes.differs(q, other), self.no.differs(q, other))


def source(tree: Any, size: int) -> str:
    """Return the function as a program of the language."""
    return "\n".join([f"def f(q: Real[{size}]):", *tree.lines("    "), ""])


def _term(number: Fraction) -> Any:
    return z3.Q(number.numerator, number.denominator)


def exists(tree: Any, u: Sequence[Fraction], condition: Any) -> bool:
    """Whether z3 finds q with another output than at u, where condition(q, u) holds."""
    q = [z3.Real(f"q{k}") for k in range(len(u))]
    solver = z3.Solver()
    solver.add(tree.differs(q, tree.at(u)), condition(q, [_term(Fraction(x)) for x in u]))
    answer = solver.check()
    assert answer != z3.unknown
    return bool(answer == z3.sat)


def size_of(x: Any) -> Any:
    """Return |x| of a z3 term or a number."""
    return z3.If(x >= 0, x, -x) if isinstance(x, z3.ExprRef) else abs(x)


def lines(size: int) -> st.SearchStrategy[Line]:
    """Draw linear forms."""
    whole = st.integers(-2, 2)
    nonzero = st.tuples(*[whole] * size).filter(any)
    return st.builds(Line, nonzero, st.integers(-3, 3))


def trees(size: int, depth: int = 3) -> st.SearchStrategy[Any]:
    """Draw functions of a few pieces, some with real outputs."""
    leaf = st.builds(Leaf, st.integers(0, 2), st.one_of(st.none(), st.none(), lines(size)))
    found: st.SearchStrategy[Any] = leaf
    for _ in range(depth):
        branch = st.builds(Branch, lines(size), st.sampled_from(_OPS), found, found)
        found = st.one_of(leaf, branch, branch)
    return found
