"""The program form: a small syntax tree of frozen nodes, each with its place in the source.

Two programs are equal if they are written alike; places do not count.
`printer` writes the tree as source, `reader` reads it back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from exactdp.language.values import alike

if TYPE_CHECKING:
    from exactdp.errors import Place
    from exactdp.language.types import InputType
    from exactdp.language.values import Value


@dataclass(frozen=True, kw_only=True)
class Node:
    """What every node has: a place."""

    place: Place = field(compare=False, repr=False)


# Expressions ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Literal(Node):
    """A number, truth value, string or None written in the source."""

    value: Value
    spelled: str = field(default="", compare=False, repr=False)

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Literal) and self.value == other.value
        return same and alike(self.value, other.value)  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self.value)


@dataclass(frozen=True)
class Name(Node):
    """A variable, an input or a constant from outside; `math.floor` is one name."""

    id: str


@dataclass(frozen=True)
class Sequence(Node):
    """`[a, b]` or `(a, b)`."""

    items: tuple[Expr, ...]
    is_list: bool


@dataclass(frozen=True)
class Unary(Node):
    """`-x`, `+x` or `not x`."""

    op: str
    operand: Expr


@dataclass(frozen=True)
class Binary(Node):
    """`a op b` for + - * / // % **."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Boolean(Node):
    """`a and b and …` or `a or b or …`."""

    op: str
    operands: tuple[Expr, ...]


@dataclass(frozen=True)
class Comparison(Node):
    """`a < b <= c`, with < <= == != >= >, `in`, `not in`, `is`, `is not`."""

    first: Expr
    rest: tuple[tuple[str, Expr], ...]


@dataclass(frozen=True)
class Conditional(Node):
    """`then if test else otherwise`."""

    test: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True)
class Index(Node):
    """`base[index]`."""

    base: Expr
    index: Expr


@dataclass(frozen=True)
class Slice(Node):
    """`base[lower:upper:step]`."""

    base: Expr
    lower: Expr | None
    upper: Expr | None
    step: Expr | None


@dataclass(frozen=True)
class Call(Node):
    """`function(a, b, key=c)`."""

    function: Name
    args: tuple[Expr, ...]
    keywords: tuple[tuple[str, Expr], ...] = ()


@dataclass(frozen=True)
class Method(Node):
    """`base.name(a)` for `index` and `count`."""

    base: Expr
    name: str
    args: tuple[Expr, ...]


@dataclass(frozen=True)
class Clause(Node):
    """`for target in items if test …` of a comprehension."""

    target: Pattern
    items: Expr
    tests: tuple[Expr, ...]


@dataclass(frozen=True)
class Comprehension(Node):
    """`[element for …]`, or without brackets a generator handed to a function."""

    element: Expr
    clauses: tuple[Clause, ...]
    is_list: bool


@dataclass(frozen=True)
class Lambda(Node):
    """`lambda a, b: body`, of finite values."""

    params: tuple[str, ...]
    body: Expr


@dataclass(frozen=True)
class Draw(Node):
    """`lap(rate, mean)`, `dlap(rate, mean)` or `expo(rate, start)`, or by `scale=`."""

    noise: str
    rate: Expr
    mean: Expr
    by_scale: bool = False


@dataclass(frozen=True)
class ExpMech(Node):
    """`expmech(rate, score, candidates)`."""

    rate: Expr
    score: Expr
    candidates: Expr


@dataclass(frozen=True)
class Choose(Node):
    """`choose({value: probability, …})`, or `choose(table)` of a dictionary built elsewhere."""

    outcomes: tuple[tuple[Expr, Expr], ...]
    table: Expr | None = None


Expr = (
    Literal
    | Name
    | Sequence
    | Unary
    | Binary
    | Boolean
    | Comparison
    | Conditional
    | Index
    | Slice
    | Call
    | Method
    | Comprehension
    | Lambda
    | Draw
    | ExpMech
    | Choose
)

# Statements -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Targets(Node):
    """`a, (b, c)` on the left of an assignment."""

    items: tuple[Pattern, ...]


Pattern = Name | Targets | Index


@dataclass(frozen=True)
class Assign(Node):
    """`a = b = value`, or with a declared domain `a: Dom(0, 3) = value`."""

    targets: tuple[Pattern, ...]
    value: Expr
    declared: InputType | None = None


@dataclass(frozen=True)
class Augment(Node):
    """`target op= value`."""

    target: Name | Index
    op: str
    value: Expr


@dataclass(frozen=True)
class Append(Node):
    """`name.append(value)`."""

    target: Name
    value: Expr


@dataclass(frozen=True)
class If(Node):
    """`if test: … else: …`; `elif` is an `If` alone in `otherwise`."""

    test: Expr
    then: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...]


@dataclass(frozen=True)
class For(Node):
    """`for target in items: … else: …`."""

    target: Pattern
    items: Expr
    body: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...]


@dataclass(frozen=True)
class While(Node):
    """`while test: … else: …`."""

    test: Expr
    body: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...]


@dataclass(frozen=True)
class Return(Node):
    """`return value`."""

    value: Expr


@dataclass(frozen=True)
class Assert(Node):
    """`assert test, message`."""

    test: Expr
    message: Expr | None


@dataclass(frozen=True)
class Simple(Node):
    """`break`, `continue` or `pass`."""

    word: str


Stmt = Assign | Augment | Append | If | For | While | Return | Assert | Simple


@dataclass(frozen=True)
class Param(Node):
    """An input: its name and type; a subroutine's parameter may leave out the type."""

    name: str
    type: InputType | None


@dataclass(frozen=True)
class Function(Node):
    """A mechanism or a deterministic function, as written."""

    name: str
    params: tuple[Param, ...]
    body: tuple[Stmt, ...]
    doc: str = field(default="", compare=False)
