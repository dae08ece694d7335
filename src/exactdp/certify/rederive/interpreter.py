"""Interpret Python's syntax tree: statements and expressions of the mechanisms' language."""

from __future__ import annotations

import ast
from collections.abc import Callable
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any

from .builtin import FUNCTIONS, METHODS, OPERATORS, bounded
from .chains import After, LoopChain
from .flat import RETURNED, FlatCode
from .linear import LinearForm, is_number
from .moving import Moving
from .ratios import (
    EPS,
    BrokenRunError,
    MalformedError,
    Ratio,
    UndefinedRunError,
    UnsupportedError,
    WrongProgramError,
)
from .runs import NoisyLoopError, Path, as_score

if TYPE_CHECKING:
    from .programs import SourceProgram

_COST_OF_CHOICE = 1_000  # steps: its probabilities are closed forms, which are added and compared
_COST_OF_OPTION = 20
FAILURES = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MalformedError,
    RecursionError,
    TypeError,
    ValueError,
)


def _same(left: Any, right: Any) -> bool:
    """Return `left is right`, which is defined for None and between truth values."""
    if left is None or right is None or (isinstance(left, bool) and isinstance(right, bool)):
        return left is right
    raise WrongProgramError("the program has `is` between values that are not single objects")


_COMPARISONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    ast.Is: _same,
    ast.IsNot: lambda a, b: not _same(a, b),
}
UNKNOWN = object()  # a constant that is not understood
_NOISES = {"lap", "dlap", "expo", "geometric", "unif"}
_WORDS = {"choose", "divmod", "expmech", "str"}  # known, but not in this way or not here
_DEEPEST = 20  # calls of functions inside functions


class FunctionCall:
    """One call of one function: its variables, and its code if statements are run."""

    def __init__(
        self,
        program: SourceProgram,
        run: Path | None,
        local: dict[str, Any],
        depth: int,
        code: FlatCode | None = None,
    ) -> None:
        self.program = program
        self.run = run
        self.local = local
        self.depth = depth
        self.flat = code
        self.output: Any = None
        """What is returned, once it is."""

    def guarded(self, node: ast.expr) -> Any:
        """Return the value of an expression outside any run."""
        try:
            return self.value(node)
        except FAILURES as error:
            raise UnsupportedError(f"a constant cannot be read: {error}") from error

    def called(self, node: ast.FunctionDef, arguments: list[Any]) -> Any:
        """Run a function."""
        names = [one.arg for one in node.args.args]
        if self.depth > _DEEPEST or len(names) != len(arguments):
            raise UnsupportedError("a call is not understood")
        given = [list(one) if isinstance(one, list) else one for one in arguments]
        local, code = dict(zip(names, given, strict=True)), self.program.code(node)
        inner = type(self)(self.program, self.run, local, self.depth + 1, code)
        inner.follow(0)
        return inner.output

    # Statements -----------------------------------------------------------------------

    def follow(self, pc: int, inside: range | None = None) -> int:
        """Run instructions until one outside of a range is next; return which one."""
        while pc != RETURNED and (inside is None or pc in inside):
            pc = self.step(pc)
        return pc

    def step(self, pc: int) -> int:
        """Run an instruction, and return the next one."""
        self.program.steps.spend()
        assert self.flat is not None
        one = self.flat.code[pc]
        match one.kind:
            case "do":
                self.statement(one.node)
            case "test":
                return pc + 1 if self.truth(one.node) else one.target
            case "while":
                return self.loop(pc, one.node, one.target)
            case "jump":
                return one.target
            case "begin":
                self.local[one.name] = list(bounded(self.value(one.node)))
            case "next":
                items = self.local[one.name]
                if not items:
                    return one.target
                self.local[one.name] = items[1:]
                self.assign(one.node, items[0])
            case _:
                self.output = self.value(one.node)
                self.program.steps.weigh(self.output)
                return RETURNED
        return pc + 1

    def statement(self, node: ast.stmt) -> None:
        """Run one statement without others in it."""
        match node:
            case ast.Assign(targets, value):
                found = self.value(value)
                for target in targets:
                    self.assign(target, found)
            case ast.AnnAssign(target, _, ast.expr() as value):
                self.assign(target, self.value(value))
            case ast.AugAssign(ast.Subscript(ast.Name(name), index), op, value):
                position = self.value(index)  # once, as it may sample
                old = _entry(self.name(name), position)
                if isinstance(old, list):
                    raise UnsupportedError("a list inside a list is changed")
                self.assign_entry(name, position, self.operate(op, old, self.value(value)))
            case ast.AugAssign(ast.Name(name) as target, op, value):
                old, more = self.value(target), self.value(value)
                changed = self.flat.changed_lists if self.flat is not None else ()
                if isinstance(old, list) and not (name in changed and isinstance(more, list)):
                    raise UnsupportedError("a list that may have other names is changed")
                self.assign(target, self.operate(op, old, more))
            case ast.Expr(
                ast.Call(ast.Attribute(ast.Name(name), "append" | "extend" as how), [item])
            ):
                old, more = self.local.get(name), self.value(item)
                if not isinstance(old, list):
                    raise UnsupportedError("append to something that is not a list")
                self.assign_list(name, [*old, more] if how == "append" else [*old, *bounded(more)])
            case ast.Expr(ast.Constant()) | ast.Pass():
                return
            case ast.Expr(ast.Call(ast.Name("observe"))):
                if self.run is not None and self.run.noisy:
                    raise UnsupportedError("observed conditions are not re-derived")
            case ast.Assert(test):
                if not self.truth(test):
                    raise UndefinedRunError("an assertion of the program fails")
            case _:
                raise UnsupportedError(f"{type(node).__name__} is not understood")

    def loop(self, pc: int, node: ast.While, end: int) -> int:
        """Run the test of a `while` loop; a loop of choices is left by one of its exits."""
        unlike = self.program.unlike_chains
        if id(node) not in unlike:
            names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
            if not _NOISES.isdisjoint(names):
                raise UnsupportedError("a loop that draws noise again is not re-derived")
            functions = (self.program.constants.get(name) for name in names)
            is_called = any(isinstance(one, ast.FunctionDef) for one in functions)
            outer, after = self.run, None
            may_choose = is_called or not names.isdisjoint(("choose", "expmech"))
            if may_choose and outer is not None and outer.noisy:
                after = self._left_chain(outer, pc, node, end)
            if after is not None:
                self.local, self.output = dict(after.local), after.value
                return after.pc
            unlike.add(id(node))
        return pc + 1 if self.truth(node.test) else end

    def _left_chain(self, outer: Path, pc: int, node: ast.While, end: int) -> After | None:
        """Return how a loop of choices is left; None if its paths are followed one by one."""
        code = self.flat
        assert code is not None

        def iteration(path: Path, local: dict[str, Any]) -> After:
            inner = type(self)(self.program, path, local, self.depth, code)
            after = pc + 1 if inner.truth(node.test) else end
            after = inner.follow(after, range(pc + 1, end))
            return After(after, inner.local, inner.output)

        outer.is_closed = True
        try:
            chain = LoopChain(outer, iteration, After(pc, self.local), code.live)
        except (BrokenRunError, NoisyLoopError):
            return None
        finally:
            outer.is_closed = False
        found: After = outer.picked(*chain.chances())
        return found

    def assign(self, target: ast.expr, value: Any) -> None:
        """Assign a value to a target."""
        match target:
            case ast.Name(name):
                self.program.steps.weigh(value)
                self.local[name] = value
            case ast.Tuple(items) | ast.List(items):
                values = list(value)
                if any(isinstance(one, ast.Starred) for one in items):
                    raise UnsupportedError("an assignment is not understood")
                if len(values) != len(items):
                    raise BrokenRunError("an assignment in the program does not fit")
                for one, part in zip(items, values, strict=True):
                    self.assign(one, part)
            case ast.Subscript(ast.Name(name), index):
                self.assign_entry(name, self.value(index), value)
            case _:
                raise UnsupportedError("an assignment is not understood")

    def assign_entry(self, name: str, position: Any, value: Any) -> None:
        """Assign a value to an entry of a list."""
        old = self.local.get(name)
        if not isinstance(old, list):
            raise UnsupportedError("an assignment to an entry of something that is not a list")
        changed = list(old)
        _entry(changed, position)
        changed[position] = value
        self.assign_list(name, changed)

    def assign_list(self, name: str, value: list[Any]) -> None:
        """Assign a list that was changed."""
        self.program.steps.weigh(bounded(value))
        self.local[name] = value

    # Expressions ----------------------------------------------------------------------

    def truth(self, node: ast.expr) -> bool:
        """Return the truth value of a condition."""
        return bool(self.value(node))

    def value(self, node: ast.expr) -> Any:
        """Return the value of an expression."""
        self.program.steps.spend()
        match node:
            case ast.Constant(value):
                if isinstance(value, bool | int | str | Fraction) or value is None:
                    return value
            case ast.Name(name):
                return self.name(name)
            case ast.List(items):
                return [self.value(item) for item in items]
            case ast.Tuple(items):
                return tuple(self.value(item) for item in items)
            case ast.Dict(keys, values) if None not in keys:
                pairs = zip(keys, values, strict=True)
                return {self.key(key): self.value(one) for key, one in pairs if key is not None}
            case ast.UnaryOp(ast.Not(), operand):
                return not self.truth(operand)
            case ast.UnaryOp(ast.USub(), operand):
                return -self.value(operand)
            case ast.UnaryOp(ast.UAdd(), operand):
                return +self.value(operand)
            case ast.BinOp(left, op, right):
                return self.operate(op, self.value(left), self.value(right))
            case ast.BoolOp(op, operands):
                found = None
                for operand in operands:
                    found = self.value(operand)
                    if bool(found) == isinstance(op, ast.Or):
                        break
                return found
            case ast.Compare(first, ops, rest):
                return self.compare(first, ops, rest)
            case ast.IfExp(test, then, otherwise):
                return self.value(then if self.truth(test) else otherwise)
            case ast.Subscript(base, ast.Slice(lower, upper, step)):
                ends = [None if one is None else self.value(one) for one in (lower, upper, step)]
                return self.value(base)[slice(*ends)]
            case ast.Subscript(base, index):
                return _entry(self.value(base), self.key(index))
            case ast.Lambda(
                ast.arguments(
                    posonlyargs=[], vararg=None, kwonlyargs=[], kwarg=None, defaults=[]
                ) as arguments,
                body,
            ):
                return self.function([one.arg for one in arguments.args], body)
            case ast.ListComp(element, clauses) | ast.GeneratorExp(element, clauses):
                return self.gathered(clauses, lambda walk: walk.value(element))
            case ast.DictComp(key, one, clauses):
                return dict(self.gathered(clauses, lambda walk: (walk.key(key), walk.value(one))))
            case ast.Call(function, arguments, keywords) if all(one.arg for one in keywords):
                named = {one.arg: one.value for one in keywords if one.arg is not None}
                return self.call(function, arguments, named)
        raise UnsupportedError(f"{type(node).__name__} is not understood")

    def key(self, node: ast.expr) -> Any:
        """Return the value of an expression that is looked up."""
        found = self.value(node)
        self.program.steps.weigh(found)
        return found

    def name(self, name: str) -> Any:
        """Return the value of a name."""
        if name in self.local:
            return self.local[name]
        if name in self.program.constants and self.program.constants[name] is not UNKNOWN:
            return self.program.constants[name]
        if name in ("eps", "inf"):
            return EPS if name == "eps" else inf
        if name in self.program.outside or name in self.program.constants:
            raise UnsupportedError(f"{name} is a Python function")
        raise WrongProgramError(f"the name {name} is not known in the program")

    def operate(self, op: ast.operator, left: Any, right: Any) -> Any:
        """Return left op right."""
        if type(op) not in OPERATORS:
            raise UnsupportedError("an operator is not understood")
        self.program.steps.spend(5 * _extent(left) * _extent(right))
        if isinstance(left, LinearForm) and isinstance(right, Ratio):
            right = self.real(right)
        elif isinstance(left, Ratio) and isinstance(right, LinearForm):
            left = self.real(left)
        try:
            found = OPERATORS[type(op)](left, right)
        except ZeroDivisionError as error:
            raise BrokenRunError("the program divides by 0") from error
        if isinstance(op, ast.Pow) and isinstance(left, Ratio):
            self.program.steps.spend(5 * abs(right) * _extent(left) * _extent(found))
        self.program.steps.weigh(found)
        return found

    def compare(self, first: ast.expr, ops: list[ast.cmpop], rest: list[ast.expr]) -> bool:
        """Return the truth of a chain of comparisons."""
        left = self.value(first)
        for op, node in zip(ops, rest, strict=True):
            right = self.value(node)
            self.program.steps.weigh(left, right)
            if isinstance(left, Ratio) and isinstance(right, Ratio):
                raise UnsupportedError("ε is compared")
            left, right = self.real(left), self.real(right)
            if not _COMPARISONS[type(op)](left, right):
                return False
            left = right
        return True

    def function(self, names: list[str], body: ast.expr) -> Callable[..., Any]:
        """Return a lambda."""

        def call(*arguments: Any) -> Any:
            inner = self.local | dict(zip(names, arguments, strict=True))
            if self.depth > _DEEPEST:
                raise UnsupportedError("calls are nested too deeply")
            return type(self)(self.program, self.run, inner, self.depth + 1).value(body)

        return call

    def gathered(
        self, clauses: list[ast.comprehension], make: Callable[[FunctionCall], Any]
    ) -> list[Any]:
        """Return the value of a comprehension."""
        walk = type(self)(self.program, self.run, dict(self.local), self.depth)
        found: list[Any] = []

        def go(k: int) -> None:
            walk.program.steps.spend()
            if k == len(clauses):
                found.append(make(walk))
                bounded(found)
                return
            for item in bounded(walk.value(clauses[k].iter)):
                walk.assign(clauses[k].target, item)
                if all(walk.truth(test) for test in clauses[k].ifs):
                    go(k + 1)

        go(0)
        return found

    def call(
        self, function: ast.expr, arguments: list[ast.expr], named: dict[str, ast.expr]
    ) -> Any:
        """Return the value of a call."""
        is_own = isinstance(function, ast.Name) and (
            function.id in self.local or function.id in self.program.constants
        )
        match None if is_own else function:
            case ast.Attribute(base, name) if name in METHODS and not named:
                values = [self.value(base), *map(self.value, arguments)]
                self.program.steps.weigh(*values)
                return METHODS[name](*values)
            case ast.Name("lap" | "expo" | "dlap" | "geometric" | "gumbel" as kind):
                return self.draw(kind, arguments, named)
            case ast.Name("unif") if len(arguments) == 2 and not named:
                lower, upper = (self.real(self.value(one)) for one in arguments)
                if not all(is_number(one) or isinstance(one, LinearForm) for one in (lower, upper)):
                    raise UnsupportedError("uniform noise with ends in ε is not re-derived")
                return self.sampling().uniform(lower, upper)
            case ast.Name("log") if len(arguments) == 1 and not named:
                return self.sampling().log(self.value(arguments[0]))
            case ast.Name("expmech") if len(arguments) == 3 and not named:
                rate, given_score, among = map(self.value, arguments)
                score = self.as_function(given_score)
                scored = [(one, as_score(score(one))) for one in bounded(among)]
                self.program.steps.spend(_COST_OF_OPTION * len(scored))
                return self.sampling().expmech(_rate(rate), scored)
            case ast.Name("choose") if len(arguments) == 1 and not named:
                options = self.value(arguments[0])
                self.program.steps.spend(_COST_OF_CHOICE + _COST_OF_OPTION * len(options))
                table = {key: one + Ratio.number(0) for key, one in options.items()}
                self.total([*table.values()])  # which is counted
                return self.sampling().choose(
                    [(k, chance) for k, chance in table.items() if chance.over]
                )
            case ast.Attribute(ast.Name("math"), "ceil" | "floor" | "trunc" as name) if not named:
                return FUNCTIONS[name](*map(self.value, arguments))
        called = self.name(function.id) if is_own and isinstance(function, ast.Name) else None
        if isinstance(called, ast.FunctionDef) and not named:
            return self.called(called, [self.value(one) for one in arguments])
        if callable(called) and not named:
            return called(*map(self.value, arguments))
        builtin = FUNCTIONS.keys() - self.program.outside
        if called is None and isinstance(function, ast.Name) and function.id in builtin:
            keywords = {name: self.as_function(self.value(one)) for name, one in named.items()}
            given = [*map(self.value, arguments)]
            if function.id != "len":
                self.program.steps.weigh(*given)
            if function.id in ("min", "max") and not keywords:
                items = given if len(given) > 1 else list(bounded(given[0]))
                if _are_in_eps(items):
                    self.program.steps.spend(_COST_OF_CHOICE * len(items))
                    forms = [one + Ratio.number(0) for one in items]
                    return self.sampling().orders.extreme(function.id, forms)
            if function.id == "sum":
                return self.total(*given, **keywords)
            found = FUNCTIONS[function.id](*given, **keywords)
            self.program.steps.weigh(found)
            return found
        if isinstance(function, ast.Name) and function.id not in _WORDS:
            self.name(function.id)  # a Python function, or a name that is not known
        raise UnsupportedError(f"a call of {ast.unparse(function)[:50]} is not understood")

    def total(self, items: Any, start: Any = 0) -> Any:
        """Return a sum."""
        if isinstance(start, str):
            raise BrokenRunError("the program adds up texts")
        for item in bounded(items):
            start = self.operate(ast.Add(), start, item)
        return start

    def as_function(self, value: Any) -> Any:
        """Return a value; a function of the program as one that can be called with values."""
        if isinstance(value, ast.FunctionDef):
            return lambda *arguments: self.called(value, [*arguments])
        return value

    def real(self, value: Any) -> Any:
        """Return a value; an expression in ε as the real number that it is beside reals."""
        return self.sampling().real(value) if isinstance(value, Ratio) else value

    def sampling(self) -> Path:
        """Return the run, where a sample is taken."""
        if self.run is None:
            raise UnsupportedError("a constant samples")
        return self.run

    def draw(self, kind: str, arguments: list[ast.expr], named: dict[str, ast.expr]) -> Any:
        """Return a sample of noise."""
        values = [self.value(one) for one in arguments]
        keywords = {name: self.value(one) for name, one in named.items()}
        if "scale" in keywords:
            rate = 1 / keywords.pop("scale")
        else:
            rate = keywords.pop("rate") if "rate" in keywords else values.pop(0)
        start = "start" if kind in ("expo", "geometric") else "mean"
        mean = self.real(keywords.pop(start) if start in keywords else values.pop(0))
        if values or keywords or not (is_number(mean) or isinstance(mean, LinearForm | Moving)):
            raise UnsupportedError("a sample is not understood")
        return self.sampling().draw(kind, _rate(rate), mean)


def _rate(value: Any) -> Fraction:
    """Return a, of a rate that is a·ε."""
    rate = value.multiple_of_eps() if isinstance(value, Ratio) else None
    if rate is None or rate <= 0:
        raise BrokenRunError("a rate in the program is not a positive multiple of ε")
    return rate


def _extent(value: Any) -> int:
    """Return about how many terms a number has."""
    if isinstance(value, Ratio):
        return len(value.over) + len(value.under)
    return 1 + len(value.coefficients) if isinstance(value, LinearForm) else 1


def _entry(base: Any, index: Any) -> Any:
    """Return one entry of a list, tuple, string or table."""
    try:
        return base[index]
    except LookupError as error:
        raise BrokenRunError(f"the program has no entry {index!r} where it reads it") from error


def _are_in_eps(items: list[Any]) -> bool:
    """Whether some of the items are expressions in ε, and the others numbers."""
    return any(isinstance(one, Ratio) for one in items) and all(
        isinstance(one, Ratio) or is_number(one) for one in items
    )
