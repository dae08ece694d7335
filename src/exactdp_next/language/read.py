"""A source becomes flat code: names, statements and loops."""

from __future__ import annotations

import ast
import types
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from .calls import Calls
from .code import Append, Code, Const, Discard, End, Expression, Fail, Name, Return, Set
from .emit import Label, Loop, Scope, Subroutine
from .expressions import OPERATORS
from .interpret import value
from .lists import MOST_ROUNDS
from .samplers import Sampler
from .source import WORDS, Source
from .types import BOOL, Dom, InputType
from .values import List

Inputs = tuple[tuple[str, InputType], ...]


@dataclass(frozen=True)
class Reading:
    """What reading a source gives: its inputs, its code, and where its `while` loops are."""

    name: str
    inputs: Inputs
    code: Code
    whiles: tuple[tuple[int, int], ...]


def read(source: Source) -> Reading:
    """Return what a function is as a program; nothing is checked yet that needs its kinds."""
    reader = _Reader(Scope(source, {}))
    reader.check_parameters(source.tree)
    inputs = tuple((a.arg, reader.input_type(a)) for a in source.tree.args.args)
    reader.function(source.tree)
    code, whiles = reader.finished()
    return Reading(source.tree.name, inputs, code, tuple(whiles))


def _own(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a function that are not in functions and comprehensions inside it."""
    inner = (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp)
    for child in ast.iter_child_nodes(tree):
        yield child
        if not isinstance(child, inner):
            yield from _own(child)


class _Reader(Calls):
    """Emits the code of statements."""

    rounds = 1
    """How often the loops over numbers around a statement repeat it."""

    # -- functions

    def function(self, tree: ast.FunctionDef) -> None:
        """Emit the code of the whole function."""
        source = self.scope.source
        self._outer_functions(source)
        self.calls.append(tree)
        self._declare(tree, self.scope, "")
        self.block(tree.body)
        self.emit(End(), tree)

    def _outer_functions(self, source: Source) -> None:
        """Enter the functions of a text; their defaults are constants."""
        text = Scope(source, {})
        for name, one in source.functions.items():
            text.functions[name] = Subroutine(one, source, text, {})
        for subroutine in text.functions.values():
            with self.inside(text):
                subroutine.defaults = self._defaults(subroutine.tree)
        self.scope.outer = text

    def _defaults(self, tree: ast.FunctionDef | ast.Lambda) -> dict[str, Expression]:
        """Return the default values of a subroutine, computed where it is defined."""
        a = tree.args
        names = [one.arg for one in (*a.posonlyargs, *a.args)]
        pairs = [*zip(names[len(names) - len(a.defaults) :], a.defaults, strict=True)]
        pairs += [(k.arg, d) for k, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d]
        return {x: self.held(self.expression(e), e) for x, e in pairs}

    def _declare(self, tree: ast.FunctionDef, scope: Scope, suffix: str) -> None:
        """Enter the variables of a function, and refuse what no variable may be called."""
        parameters = [
            a.arg for a in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)
        ]
        stored = [n for n in _own(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        functions = Counter(n.name for n in _own(tree) if isinstance(n, ast.FunctionDef))
        for name in parameters:
            if name in WORDS:
                self._refuse_word(name, tree)
        for one in stored:
            if one.id in WORDS:
                self._refuse_word(one.id, one)
        names = {*parameters, *(n.id for n in stored)}
        for part in _own(tree):
            if isinstance(part, ast.FunctionDef) and (
                part.name in names or functions[part.name] > 1
            ):
                self.refuse("N27", part, what=part.name)
        for x in names:
            scope.names.setdefault(x, f"{x}{suffix}")
        self._check_functions_as_values(tree, names)

    def _refuse_word(self, name: str, node: ast.AST) -> None:
        what = "the privacy budget" if name == "eps" else "a word of the language"
        self.refuse("N05", node, name=name, what=what)

    def _check_functions_as_values(self, tree: ast.FunctionDef, names: set[str]) -> None:
        """Refuse lambdas and samplers in variables, then calls of variables."""
        for one in _own(tree):
            match one:
                case ast.Assign(value=ast.Lambda() as value):
                    self.refuse("N14", value)
                case ast.Assign(value=ast.Name(id=name) as value) if name not in names:
                    found = self.scope.source.constants.get(name, WORDS.get(name))
                    if isinstance(found, Sampler):
                        self.refuse("N26", value, what=name)
        for one in _own(tree):
            match one:
                case ast.Call(func=ast.Name(id=name) as func) if name in names:
                    self.refuse("N12", func, what=name)

    def body_of(self, tree: ast.FunctionDef, scope: Scope, number: int) -> Expression:
        """Emit the statements of a subroutine; return its value."""
        result, end = self.temporary(), Label()
        scope.result = (result, end)
        self._declare(tree, scope, f"#{number}")
        if scope.outer is None and scope.source.functions:
            self._outer_functions(scope.source)
        before, self.rounds = self.rounds, self.rounds
        self.block(tree.body)
        self.rounds = before
        self.emit(Set(result, Const(None)), tree)
        self.mark(end)
        return Name(result)

    # -- inputs

    def check_parameters(self, tree: ast.FunctionDef) -> None:
        """Refuse parameters that are no inputs."""
        a = tree.args
        if a.vararg:
            self.refuse("P37", a.vararg)
        if a.kwarg:
            self.refuse("P38", a.kwarg)
        for default in (*a.defaults, *(d for d in a.kw_defaults if d)):
            self.refuse("P39", default)
        a.args = [*a.posonlyargs, *a.args, *a.kwonlyargs]
        a.posonlyargs, a.kwonlyargs, a.kw_defaults = [], [], []

    def input_type(self, argument: ast.arg) -> InputType:
        """Return the value of an annotation: the name of a type, or a type with a length."""
        assert argument.annotation, "Program.of_source asks for types"
        found = self.scope.source.annotations.get(argument.arg)
        if found is None or isinstance(found, str):
            with self.placed(argument.annotation):
                found = self.constant_value(argument.annotation)
        found = BOOL if found is bool else found
        if not isinstance(found, InputType):
            self.refuse("I01", argument.annotation)
        return found

    def constant_value(self, node: ast.expr) -> object:
        """Return the value of a constant, or a type."""
        match node:
            case ast.Name(id=name):
                found = self.constant(name, node)
                return BOOL if found is bool else found
            case ast.Subscript(value=base, slice=at):
                kind = self.constant_value(base)
                if isinstance(kind, InputType):
                    length = self.constant_value(at)
                    return kind[length]  # type: ignore[index]
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                found = self.constant(name, node.func)
                if found is Dom:
                    return Dom(*map(self._listed_value, args))
        before = len(self.code)
        e = self.expression(node)
        if len(self.code) > before:
            self.refuse("P47", node)
        with self.placed(node):
            return value(e, {})

    def _listed_value(self, node: ast.expr) -> object:
        found = self.constant_value(node)
        return list(found) if isinstance(found, List | range) else found

    # -- statements

    def block(self, statements: list[ast.stmt], deep: bool = False) -> None:
        """Emit statements one after another; `deep` if they are inside another statement."""
        for one in statements:
            if deep and isinstance(one, ast.FunctionDef):
                self.refuse("P04", one)
            self._statement(one)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Return(value=given):
                self._return(given, node)
            case ast.Assign(targets=targets, value=given):
                self._assign_all(targets, given, node)
            case ast.AugAssign(target=target, op=op, value=given):
                self._augment(target, op, given, node)
            case ast.AnnAssign():
                self._declared(node)
            case ast.If(test=test, body=body, orelse=orelse):
                other, end = Label(), Label()
                self.unless(test, other)
                self.block(body, deep=True)
                if orelse:
                    self.goto(end, node)
                self.mark(other)
                self.block(orelse, deep=True)
                self.mark(end)
            case ast.For():
                self._for(node)
            case ast.While():
                self._while(node)
            case ast.Break() | ast.Continue():
                self._leave(node)
            case ast.Assert(test=test, msg=message):
                wrong, right = Label(), Label()
                self.unless(test, wrong)
                self.goto(right, node)
                self.mark(wrong)
                self.emit(Fail(self.expression(message) if message else Const("")), node)
                self.mark(right)
            case ast.Expr(value=given):
                self._effect(given, node)
            case ast.FunctionDef():
                self._subroutine(node)
            case ast.Pass():
                pass
            case _:
                self._refused_statement(node)

    def _refused_statement(self, node: ast.stmt) -> NoReturn:
        """Refuse Python that is not in the language."""
        match node:
            case ast.Import() | ast.ImportFrom():
                self.refuse("P02", node)
            case ast.ClassDef():
                self.refuse("P03", node)
            case ast.AsyncFunctionDef():
                self.refuse("P05", node)
            case ast.AsyncFor():
                self.refuse("P06", node)
            case ast.AsyncWith():
                self.refuse("P07", node)
            case ast.Try() | ast.TryStar():
                self.refuse("P10", node)
            case ast.Raise():
                self.refuse("P11", node)
            case ast.With():
                self.refuse("P12", node)
            case ast.Global():
                self.refuse("P13", node)
            case ast.Nonlocal():
                self.refuse("P14", node)
            case ast.Delete():
                self.refuse("P17", node)
            case ast.Match():
                self.refuse("P18", node)
        self.refuse("P36", node, what=type(node).__name__.lower())

    def _return(self, given: ast.expr | None, node: ast.stmt) -> None:
        e = self.expression(given) if given else Const(None)
        if self.scope.function.result:
            result, end = self.scope.function.result
            self.emit(Set(result, e), node)
            self.goto(end, node)
        else:
            self.emit(Return(e), node)

    def _subroutine(self, node: ast.FunctionDef) -> None:
        if node.decorator_list:
            self.refuse("P49", node.decorator_list[0])
        one = Subroutine(node, self.scope.source, self.scope, {})
        one.defaults = self._defaults(node)
        self.scope.functions[node.name] = one

    # -- assignments

    def assign(self, target: ast.expr | str, value: Expression, node: ast.AST) -> None:
        """Emit the assignment of a value to a name, an entry, or several of them."""
        match target:
            case str():
                self.emit(Set(target, value), node)
            case ast.Name(id=name):
                self.emit(Set(str(self.scope.variable(name)), value), node)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                for one in targets:
                    if isinstance(one, ast.Starred):
                        self.refuse("P20", one)
                size = Const(len(targets))
                parts = self.fresh(self.apply("unpack", (value, size), node), node)
                for i, one in enumerate(targets):
                    self.assign(one, self.apply("index", (parts, Const(i)), node), node)
            case ast.Subscript(slice=ast.Slice()):
                self.refuse("L06", target)
            case ast.Subscript(value=base, slice=at):
                name = self._changed(base, target)
                args = (Name(name), self.expression(at), value)
                self.emit(Set(name, self.apply("replace", args, node)), node)
            case ast.Attribute():
                self.refuse("P29", target)
            case ast.Starred():
                self.refuse("P20", target)
            case _:
                self.refuse("P36", node, what="this target")

    def _changed(self, base: ast.expr, node: ast.AST) -> str:
        """Return the variable of a list that is changed in place."""
        if not isinstance(base, ast.Name):
            self.refuse("L05", node)
        function = self.scope.function
        if base.id in function.names:
            return function.names[base.id]
        if isinstance(node, ast.Subscript) and not self.scope.variable(base.id):
            self.constant(base.id, base)
            self.refuse("L03", node, name=base.id)
        if not self.scope.variable(base.id):
            self.constant(base.id, base)
        self.refuse("L02", node, name=base.id)

    def _assign_all(self, targets: list[ast.expr], given: ast.expr, node: ast.stmt) -> None:
        """Emit an assignment to one or more targets, from left to right."""
        match targets, given:
            case [ast.Tuple(elts=several)], ast.Tuple(elts=values):
                if any(isinstance(one, ast.Starred) for one in several):
                    self.refuse("P20", next(o for o in several if isinstance(o, ast.Starred)))
                if len(several) != len(values):
                    self.refuse("F21", node, given=len(values), size=len(several))
                held = [self.held(self.expression(v), node) for v in values]
                for target, one in zip(several, held, strict=True):
                    self.assign(target, one, node)
                return
        e = self.expression(given)
        if len(targets) > 1:
            e = self.held(e, node)
        for target in targets:
            self.assign(target, e, node)

    def _augment(self, target: ast.expr, op: ast.operator, given: ast.expr, node: ast.stmt) -> None:
        if type(op) not in OPERATORS:
            self.refuse("P26", node)
        sign = OPERATORS[type(op)]
        match target:
            case ast.Name(id=name):
                if self.scope.function.names.get(name) is None:
                    self.refuse("L02", target, name=name)
                variable = str(self.scope.variable(name))
                sign = f"{sign}=" if sign in "+*" else sign
                args = (Name(variable), self.expression(given))
                self.emit(Set(variable, self.apply(sign, args, node)), node)
            case ast.Subscript(slice=ast.Slice()):
                self.refuse("L06", target)
            case ast.Subscript(value=base, slice=at):
                name = self._changed(base, target)
                where = self.held(self.expression(at), at)
                before = self.apply("index", (Name(name), where), node)
                after = self.apply(sign, (before, self.expression(given)), node)
                replaced = self.apply("replace", (Name(name), where, after), node)
                self.emit(Set(name, replaced), node)
            case _:
                self.assign(target, Const(None), node)

    def _declared(self, node: ast.AnnAssign) -> None:
        """Emit `x: Dom(0, 3) = …`: the value is one of the domain; other types say nothing."""
        if node.value is None or not isinstance(node.target, ast.Name):
            self.refuse("P35", node)
        e = self.expression(node.value)
        with self.placed(node.annotation):
            kind = self.constant_value(node.annotation)
        if isinstance(kind, InputType) and kind is not BOOL:
            domain = kind.domain if isinstance(kind.domain, range) else List(kind.domain or ())
            named = (Const(node.target.id), Const(str(kind)), Const(domain))
            e = self.apply("declare", (e, *named), node)
        self.assign(node.target, e, node)

    # -- loops

    def _for(self, node: ast.For) -> None:
        """Emit a loop; over a constant range it is a counter."""
        match node.iter:
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if (
                not self.scope.variable(name)
                and not self.scope.subroutine(name)
                and self.scope.source.constants.get(name) is range
                and isinstance(node.target, ast.Name)
            ):
                ends = [self.expression(a) for a in args]
                numbers = [e.value for e in ends if isinstance(e, Const) and type(e.value) is int]
                if len(numbers) == len(ends) and 1 <= len(ends) <= 2:
                    first, last = ([0] * (2 - len(numbers))) + numbers
                    self._counted(first, last, node)
                    return
                over = self.apply("range", tuple(ends), node)
            case _:
                over = self.expression(node.iter, passing=True)
        end = self.loop(over, node.target, "iter", lambda: self.block(node.body, True), node.iter)
        self.block(node.orelse, deep=True)
        self.mark(end)

    def _counted(self, first: int, last: int, node: ast.For) -> None:
        """Emit `for i in range(first, last)`: a counter that is tested."""
        before, self.rounds = self.rounds, self.rounds * max(1, last - first)
        if self.rounds > MOST_ROUNDS:
            self.refuse("L08", node, most=MOST_ROUNDS)
        counter, top, again, done, end = self.temporary(), Label(), Label(), Label(), Label()
        self.emit(Set(counter, Const(first)), node.iter)
        self.mark(top)
        self.test("<", Name(counter), Const(last), node.iter, done)
        self.assign(node.target, Name(counter), node)
        self.scope.loops.append(Loop(again, end))
        self.block(node.body, deep=True)
        self.scope.loops.pop()
        self.mark(again)
        self.emit(Set(counter, self.apply("+", (Name(counter), Const(1)), node)), node.iter)
        self.goto(top, node)
        self.mark(done)
        self.rounds = before
        self.block(node.orelse, deep=True)
        self.mark(end)

    def _while(self, node: ast.While) -> None:
        top, done, end = Label(), Label(), Label()
        self.mark(top)
        self.unless(node.test, done)
        self.scope.loops.append(Loop(top, end))
        self.block(node.body, deep=True)
        self.scope.loops.pop()
        self.goto(top, node)
        self.mark(done)
        self.whiles.append((top, done))
        self.block(node.orelse, deep=True)
        self.mark(end)

    def _leave(self, node: ast.Break | ast.Continue) -> None:
        word = "break" if isinstance(node, ast.Break) else "continue"
        if not self.scope.loops:
            self.refuse("P41", node, what=word)
        loop = self.scope.loops[-1]
        self.goto(loop.end if word == "break" else loop.again, node)

    # -- statements that are calls

    def _effect(self, given: ast.expr, node: ast.stmt) -> None:
        match given:
            case ast.Constant(value=str()) | ast.Constant(value=types.EllipsisType()):
                return
            case ast.Call(
                func=ast.Attribute(value=base, attr="append" | "extend" as method), args=[one]
            ):
                name = self._changed(base, node)
                e = self.expression(one, passing=method == "extend")
                if method == "append":
                    self.emit(Append(name, e), node)
                else:
                    self.emit(Set(name, self.apply("extend", (Name(name), e), node)), node)
            case ast.Call(func=ast.Name(id="observe"), args=[condition], keywords=[]) if (
                not self.scope.variable("observe")
            ):
                no, yes = Label(), Label()
                self.unless(condition, no)
                self.goto(yes, node)
                self.mark(no)
                self.emit(Discard(), node)
                self.mark(yes)
            case ast.Call(func=ast.Name(id="observe")):
                self.refuse("K05", node)
            case ast.Call() | ast.Yield() | ast.YieldFrom() | ast.Await() | ast.NamedExpr():
                self.expression(given, passing=True)
                self.refuse("P40", node)
            case _:
                self.refuse("P40", node)
