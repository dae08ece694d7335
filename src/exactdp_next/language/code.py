"""Code: the core program, flat instructions over variables with loops kept; prints, parses, JSON.

    set x e                 x becomes the value of e
    append x e              the list x is one entry longer
    fold x how              the list x becomes its max, min, or sorted; keyed: entries (key, item)
    sample x noise rate e   x becomes a sample of noise around e
    choose x e              x becomes one of the values of e, pairs with their probabilities
    expmech x rate e        x becomes one of the candidates of e, pairs (candidate, score)
    test a op b else n      go on if a op b, else at instruction n
    jump n                  go on at instruction n
    return e                the output is the value of e
    discard                 the run does not count: a condition of observe is false
    fail e                  an assertion is false: an error of the program with this message
    end                     a run that gets here has forgotten to return

Expressions are pure: a comparison occurs only in a test, a sampler only in an instruction. So what
is unknown in a run, a sample or the outcome of a comparison, belongs to an instruction.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..errors import Place
from ..ring.expr import Expr
from ..ring.linear import whole
from ..ring.text import parse
from .values import INF, Table, Value, json_of, key, value_of_json


@dataclass(frozen=True, slots=True, eq=False)
class Const:
    """A finite value, or a number in ε; equal if kind and value are: `True` is not `1`."""

    value: Value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Const) and key(self.value) == key(other.value)

    def __hash__(self) -> int:
        return hash(key(self.value))

    def __str__(self) -> str:
        return _shown_constant(self.value)


@dataclass(frozen=True, slots=True)
class Name:
    """The value of a variable."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation on values; `place` says where in the source it is, and is not compared."""

    op: str
    args: tuple[Expression, ...]
    place: Place | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.op}({', '.join(map(str, self.args))})"


Expression = Const | Name | Apply


@dataclass(frozen=True, slots=True)
class Set:
    """`target` becomes the value of an expression."""

    target: str
    value: Expression

    def __str__(self) -> str:
        return f"{self.target} = {self.value}"


@dataclass(frozen=True, slots=True)
class Append:
    """The list `target` gets one more entry."""

    target: str
    value: Expression

    def __str__(self) -> str:
        return f"{self.target} append {self.value}"


@dataclass(frozen=True, slots=True)
class Fold:
    """The list `target` becomes its largest or least entry, or the list of its entries in order.

    `how` is max, min, sorted or reversed, which is sorted from the largest. If `keyed`, an entry
    is a pair (key, item), the keys decide, and what remains are items.
    """

    target: str
    how: str
    keyed: bool = False

    def __str__(self) -> str:
        return f"{self.target} fold {self.how}{' keyed' * self.keyed}"


@dataclass(frozen=True, slots=True)
class Sample:
    """`target` becomes a sample."""

    target: str
    noise: str
    rate: Expression
    mean: Expression

    def __str__(self) -> str:
        return f"{self.target} ~ {self.noise}({self.rate}, {self.mean})"


@dataclass(frozen=True, slots=True)
class Choose:
    """`target` becomes one of the values, each with its probability: a table or a list of pairs."""

    target: str
    table: Expression

    def __str__(self) -> str:
        return f"{self.target} ~ choose({self.table})"


@dataclass(frozen=True, slots=True)
class Select:
    """`target` becomes one of the candidates, with weight e^(rate·score); a list of pairs."""

    target: str
    rate: Expression
    scores: Expression

    def __str__(self) -> str:
        return f"{self.target} ~ expmech({self.rate}, {self.scores})"


@dataclass(frozen=True, slots=True)
class Test:
    """Go on if the comparison holds, else at `otherwise`."""

    op: str
    left: Expression
    right: Expression
    otherwise: int

    def __str__(self) -> str:
        return f"unless {self.left} {self.op} {self.right} goto {self.otherwise}"


@dataclass(frozen=True, slots=True)
class Jump:
    """Go on at `to`."""

    to: int

    def __str__(self) -> str:
        return f"goto {self.to}"


@dataclass(frozen=True, slots=True)
class Return:
    """The output."""

    value: Expression

    def __str__(self) -> str:
        return f"return {self.value}"


@dataclass(frozen=True, slots=True)
class Discard:
    """The run does not count."""

    def __str__(self) -> str:
        return "discard"


@dataclass(frozen=True, slots=True)
class Fail:
    """An assertion is false."""

    message: Expression

    def __str__(self) -> str:
        return f"fail {self.message}"


@dataclass(frozen=True, slots=True)
class End:
    """The end of a function that has not returned."""

    def __str__(self) -> str:
        return "end"


Instruction = (
    Set | Append | Fold | Sample | Choose | Select | Test | Jump | Return | Discard | Fail | End
)
Assigning = Set | Append | Fold | Sample | Choose | Select

COMPARISONS = ("<=", ">=", "==", "!=", "<", ">", "not in", "in", "is not", "is")


@dataclass(frozen=True)
class Code:
    """Instructions; `places` says where in the source each comes from, and is not compared."""

    instructions: tuple[Instruction, ...]
    places: tuple[Place | None, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Code) and self.instructions == other.instructions

    def __hash__(self) -> int:
        return hash(self.instructions)

    def __str__(self) -> str:
        return "\n".join(f"{i:3}  {one}" for i, one in enumerate(self.instructions))

    def __getitem__(self, pc: int) -> Instruction:
        return self.instructions[pc]

    def __len__(self) -> int:
        return len(self.instructions)

    def place(self, pc: int) -> Place | None:
        """Return where in the source an instruction comes from."""
        return self.places[pc] if self.places else None

    @cached_property
    def live(self) -> tuple[frozenset[str], ...]:
        """For each instruction, the variables that some run from it reads before it assigns them.

        The least solution of live(i) = reads(i) ∪ (⋃ live(next) − assigned(i)); sets only grow, so
        it is reached.
        """
        live: list[frozenset[str]] = [frozenset()] * len(self.instructions)
        before: list[list[int]] = [[] for _ in live]
        for i in range(len(live)):
            for j in self.following(i):
                before[j].append(i)
        todo = list(range(len(live)))
        while todo:
            i = todo.pop()
            after = frozenset().union(*(live[j] for j in self.following(i)))
            found = reads(self[i]) | (after - {assigned(self[i])})
            if found != live[i]:
                live[i] = found
                todo += before[i]
        return tuple(live)

    def following(self, pc: int) -> tuple[int, ...]:
        """Return the instructions at which a run may go on after one."""
        match self[pc]:
            case Return() | Discard() | Fail() | End():
                return ()
            case Jump(to):
                return (to,)
            case Test(otherwise=otherwise):
                return (pc + 1, otherwise)
        return (pc + 1,)

    def json(self) -> list[object]:
        """Return the instructions as JSON."""
        return [_json_of(one) for one in self.instructions]

    @classmethod
    def of_json(cls, rows: Iterable[Any]) -> Code:
        """Return the code that has this JSON; places are not in it."""
        return cls(tuple(_instruction(*row) for row in rows))

    @classmethod
    def parse(cls, text: str) -> Code:
        """Return the code that prints as this text; places are not in it."""
        return cls(tuple(_Parser(line).instruction() for line in text.splitlines()))


def assigned(one: Instruction) -> str | None:
    """Return the variable that an instruction assigns."""
    return one.target if isinstance(one, Assigning) else None


def reads(one: Instruction) -> frozenset[str]:
    """Return the variables that an instruction reads."""
    found = frozenset(name for e in expressions(one) for name in names(e))
    return found | {one.target} if isinstance(one, Append | Fold) else found


def expressions(one: Instruction) -> tuple[Expression, ...]:
    """Return the expressions of an instruction, in the order in which they are computed."""
    match one:
        case Set(value=e) | Append(value=e) | Return(e) | Fail(e) | Choose(table=e):
            return (e,)
        case Sample(rate=a, mean=b) | Select(rate=a, scores=b) | Test(left=a, right=b):
            return (a, b)
    return ()


def names(e: Expression) -> Iterator[str]:
    """Yield the variables of an expression."""
    if isinstance(e, Name):
        yield e.name
    elif isinstance(e, Apply):
        for one in e.args:
            yield from names(one)


def renamed(one: Instruction, to: int) -> Instruction:
    """Return a jump or test with another destination."""
    match one:
        case Jump():
            return Jump(to)
        case Test():
            return replace(one, otherwise=to)
    return one


# -- JSON


def _json_of(one: Instruction) -> list[object]:
    match one:
        case Set(target, e):
            return ["set", target, _json_of_expression(e)]
        case Append(target, e):
            return ["append", target, _json_of_expression(e)]
        case Fold(target, how, keyed):
            return ["fold", target, how, keyed]
        case Sample(target, noise, rate, mean):
            return ["sample", target, noise, _json_of_expression(rate), _json_of_expression(mean)]
        case Choose(target, table):
            return ["choose", target, _json_of_expression(table)]
        case Select(target, rate, scores):
            return ["expmech", target, _json_of_expression(rate), _json_of_expression(scores)]
        case Test(op, a, b, otherwise):
            return ["test", op, _json_of_expression(a), _json_of_expression(b), otherwise]
        case Jump(to):
            return ["jump", to]
        case Return(e):
            return ["return", _json_of_expression(e)]
        case Fail(e):
            return ["fail", _json_of_expression(e)]
        case Discard():
            return ["discard"]
        case End():
            return ["end"]


def _json_of_expression(e: Expression) -> list[object]:
    match e:
        case Const(value):
            return ["const", json_of(value)]
        case Name(name):
            return ["name", name]
        case Apply(op, args):
            return [op, *map(_json_of_expression, args)]


def _instruction(*row: object) -> Instruction:
    match row:
        case ["set", str(x), e]:
            return Set(x, _expression(e))
        case ["append", str(x), e]:
            return Append(x, _expression(e))
        case ["fold", str(x), str(how), bool(keyed)]:
            return Fold(x, how, keyed)
        case ["sample", str(x), str(noise), a, b]:
            return Sample(x, noise, _expression(a), _expression(b))
        case ["choose", str(x), e]:
            return Choose(x, _expression(e))
        case ["expmech", str(x), a, b]:
            return Select(x, _expression(a), _expression(b))
        case ["test", str(op), a, b, int(to)]:
            return Test(op, _expression(a), _expression(b), to)
        case ["jump", int(to)]:
            return Jump(to)
        case ["return", e]:
            return Return(_expression(e))
        case ["fail", e]:
            return Fail(_expression(e))
        case ["discard"]:
            return Discard()
        case ["end"]:
            return End()
    raise ValueError(row)


def _expression(row: object) -> Expression:
    match row:
        case ["const", x]:
            return Const(value_of_json(x))
        case ["name", str(name)]:
            return Name(name)
        case [str(op), *args]:
            return Apply(op, tuple(_expression(a) for a in args))
    raise ValueError(row)


# -- text

TOKEN = re.compile(
    r"""\s*(?:(?P<op>[^\s(),"`{}]+)\(|(?P<text>"(?:[^"\\]|\\.)*")|`(?P<json>[^`]*)`"""
    r"""|\{(?P<formula>[^}]*)\}|(?P<number>-?\d+(?:/\d+)?)(?![\w#])|(?P<name>[\w#]+)|(?P<mark>[(),]))"""
)
WORDS: dict[str, Value] = {"True": True, "False": False, "None": None, "inf": INF}


def _shown_constant(value: Value) -> str:
    """Return a constant so that nothing else looks like it."""
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, Expr):
        return f"{{{value}}}"
    if isinstance(value, tuple | range | Table) or value == -INF:
        return f"`{json.dumps(json_of(value)).replace('`', chr(92) + 'u0060')}`"
    return str(value)


class _Parser:
    """Reads one printed instruction, from left to right."""

    def __init__(self, line: str) -> None:
        self.text = re.sub(r"^\s*\d+  ", "", line)
        self.at = 0

    def word(self) -> str:
        """Read up to the next space."""
        found = re.compile(r"\s*(\S*)").match(self.text, self.at)
        assert found
        self.at = found.end()
        return found[1]

    def expression(self) -> Expression:
        """Read an expression."""
        found = TOKEN.match(self.text, self.at)
        if not found:
            raise ValueError(self.text)
        self.at = found.end()
        match found.lastgroup, found[str(found.lastgroup)]:
            case "op", op:
                return Apply(op, self._arguments())
            case "text", text:
                return Const(str(json.loads(text)))
            case "json", text:
                return Const(value_of_json(json.loads(text)))
            case "formula", text:
                return Const(parse(text))
            case "number", text:
                return Const(whole(Fraction(text)))
            case "name", name:
                return Const(WORDS[name]) if name in WORDS else Name(name)
        raise ValueError(self.text)

    def _arguments(self) -> tuple[Expression, ...]:
        found: list[Expression] = []
        while not self._mark(")"):
            found.append(self.expression())
            self._mark(",")
        return tuple(found)

    def _mark(self, wanted: str) -> bool:
        found = TOKEN.match(self.text, self.at)
        if found and found["mark"] == wanted:
            self.at = found.end()
            return True
        return False

    def instruction(self) -> Instruction:
        """Read an instruction."""
        match self.word():
            case "discard":
                return Discard()
            case "end":
                return End()
            case "goto":
                return Jump(int(self.word()))
            case "return":
                return Return(self.expression())
            case "fail":
                return Fail(self.expression())
            case "unless":
                return self._test()
            case target:
                return self._assigning(target)

    def _test(self) -> Test:
        left = self.expression()
        op = self.word()
        if op in ("not", "is") and self.text[self.at :].startswith((" in ", " not ")):
            op += f" {self.word()}"
        right = self.expression()
        self.word()
        return Test(op, left, right, int(self.word()))

    def _assigning(self, target: str) -> Instruction:
        match self.word():
            case "=":
                return Set(target, self.expression())
            case "append":
                return Append(target, self.expression())
            case "fold":
                return Fold(target, self.word(), bool(self.word()))
        sampler, _, rest = self.text[self.at :].strip().partition("(")
        self.text, self.at = rest, 0
        match sampler, self._arguments():
            case "choose", (table,):
                return Choose(target, table)
            case "expmech", (rate, scores):
                return Select(target, rate, scores)
            case noise, (rate, mean):
                return Sample(target, noise, rate, mean)
        raise ValueError(self.text)
