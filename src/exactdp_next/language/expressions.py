"""Expressions of a source become expressions of the core program; samplers become samples."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from fractions import Fraction

from ..errors import NotYet
from ..ring.expr import Expr
from .arithmetics import applied
from .code import Apply, Const, Expression, Instruction, Name, Sample
from .samplers import Sampler
from .source import Source

OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
}
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


class Reader(ABC):
    """Reads expressions; what is not pure is emitted before."""

    def __init__(self, source: Source, variables: frozenset[str]) -> None:
        self.source, self.variables, self._temporaries = source, variables, 0

    @abstractmethod
    def emit(self, one: Instruction, node: ast.AST) -> None:
        """Append an instruction."""

    def temporary(self) -> str:
        """Return a new variable; no name of Python looks like it."""
        self._temporaries += 1
        return f"#{self._temporaries}"

    def constant(self, node: ast.Name) -> object:
        """Return what a free name stands for."""
        if node.id in self.variables:
            raise NotYet("language")
        return self.source.constant(node.id)

    def expression(self, node: ast.expr) -> Expression:
        """Return the expression of a node."""
        match node:
            case ast.Constant(value=float() as v):
                return Const(Fraction(repr(v)))
            case ast.Constant(value=(bool() | int() | str() | None) as v):
                return Const(v)
            case ast.Name(id=name) if name in self.variables:
                return Name(name)
            case ast.Name():
                value = self.constant(node)
                if isinstance(value, (bool, int, Fraction, str, Expr)) or value is None:
                    return Const(value)
            case ast.BinOp(left=a, op=op, right=b) if type(op) in OPERATORS:
                return _folded(OPERATORS[type(op)], self.expression(a), self.expression(b))
            case ast.UnaryOp(op=ast.USub(), operand=a):
                return _folded("-", Const(0), self.expression(a))
            case ast.Subscript(value=a, slice=ast.expr() as i):
                return _folded("index", self.expression(a), self.expression(i))
            case ast.Call(func=ast.Name() as called, args=args, keywords=[]):
                function = self.constant(called)
                if isinstance(function, Sampler) and len(args) == len(function.parameters):
                    return self._sample(function, [self.expression(a) for a in args], node)
        raise NotYet("language")

    def range_of(self, node: ast.expr) -> tuple[Expression, Expression]:
        """Return the first number of a range, and the first one behind it."""
        match node:
            case ast.Call(func=ast.Name() as called, args=[*ends], keywords=[]):
                if self.constant(called) is range and 1 <= len(ends) <= 2:
                    first, last = ([Const(0)] * (2 - len(ends))) + [
                        self.expression(e) for e in ends
                    ]
                    return first, last
        raise NotYet("language")

    def _sample(self, sampler: Sampler, values: list[Expression], node: ast.AST) -> Expression:
        name = self.temporary()
        self.emit(Sample(name, sampler.noise, *values), node)
        return Name(name)


def _folded(op: str, *args: Expression) -> Expression:
    """Compute what is constant now."""
    if all(isinstance(a, Const) for a in args):
        return Const(applied(op, tuple(a.value for a in args if isinstance(a, Const))))
    return Apply(op, args)
