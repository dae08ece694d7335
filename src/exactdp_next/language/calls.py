"""Calls of a source: samplers, functions of Python, and subroutines, put in place of calls."""

from __future__ import annotations

import ast
import builtins
import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

from ..errors import Place, fail
from ..ring.expr import Expr, exp, log, maximum, minimum, sqrt
from .code import Append, Apply, Choose, Const, Expression, Fold, Name, Sample, Select, Set
from .emit import Label, Scope, Subroutine
from .expressions import GAUSSIAN, ONCE, Expressions
from .foreign import CHANCE, Foreign, source_of_chance
from .samplers import NOISES, Sampler
from .source import Source
from .types import InputType

PURE: Mapping[object, str] = MappingProxyType(
    {
        builtins.bool: "bool",
        builtins.dict: "dict",
        builtins.divmod: "divmod",
        builtins.enumerate: "enumerate",
        builtins.int: "int",
        builtins.len: "len",
        builtins.list: "as_list",
        builtins.range: "range",
        builtins.reversed: "reversed",
        builtins.round: "round",
        builtins.str: "str",
        builtins.sum: "sum",
        builtins.tuple: "as_tuple",
        builtins.zip: "zip",
        Fraction: "Fraction",
        exp: "exp",
        log: "log",
        sqrt: "sqrt",
        math.floor: "floor",
        math.ceil: "ceil",
        maximum: "maximum",
        minimum: "minimum",
        builtins.pow: "**",
    }
)
"""Python functions that are operations of the core program."""

PLAIN_ONLY = {"round": ("ndigits",), "sum": ("start",), "enumerate": ("start",)}
"""Arguments that may be given by name."""

FOLDS: dict[object, str] = {builtins.max: "max", builtins.min: "min", builtins.sorted: "sorted"}
ANY_ALL: dict[object, bool] = {builtins.any: True, builtins.all: False}
EFFECTS = (builtins.print, builtins.input, builtins.open, builtins.exec, builtins.eval)


class Calls(Expressions):
    """Reads calls."""

    def call(self, node: ast.Call, passing: bool) -> Expression:
        """Return the value of a call."""
        for one in node.keywords:
            if one.arg is None:
                self.refuse("P30", one.value)
        match node.func:
            case ast.Name(id=name):
                return self._called(name, node, passing)
            case ast.Attribute():
                return self._method(node.func, node)
            case ast.Lambda():
                self.refuse("N14", node)
        self.refuse("P32", node)

    def _called(self, name: str, node: ast.Call, passing: bool) -> Expression:
        if self.scope.variable(name):
            self.refuse("N12", node.func, what=name)
        if subroutine := self.scope.subroutine(name):
            return self.inlined(subroutine, node)
        return self._object_called(self.constant(name, node.func), name, node, passing)

    def _object_called(self, found: object, name: str, node: ast.Call, passing: bool) -> Expression:
        """Return the value of a call of something from outside."""
        if isinstance(found, Sampler):
            return self._sampled(found, node)
        if source := getattr(getattr(found, "program", None), "source", None):
            assert isinstance(source, Source)
            return self.inlined(Subroutine(source.tree, source, None, {}), node)
        if isinstance(found, Expr | InputType) or found == math.inf:
            self.refuse("N13", node, what=name)
        if not callable(found):
            self.refuse("N11", node.func, what=name)
        found = _hashable(found)
        if found in EFFECTS:
            self.refuse("P36", node.func, what=name)
        if found == abs:
            return self._absolute(node)
        if found in FOLDS:
            return self._folded(FOLDS[found], node)
        if found in ANY_ALL:
            return self._any_or_all(ANY_ALL[found], node)
        if found in PURE:
            return self._operation(PURE[found], name, node, passing)
        return self._foreign(found, name, node)

    def _operation(self, op: str, name: str, node: ast.Call, passing: bool) -> Expression:
        """Return a Python function that is an operation."""
        if op in ONCE and not passing:
            self.refuse("L07", node, what=name, way_out=f"Write list({name}(…))")
        allowed = PLAIN_ONLY.get(name, ())
        if op == "dict" and node.keywords:
            keys: list[ast.expr | None] = [ast.Constant(one.arg) for one in node.keywords]
            return self.table("table", keys, [one.value for one in node.keywords], node)
        for one in node.keywords:
            if one.arg not in allowed:
                self.refuse("F05", node, problem=f"{name} has no argument {one.arg}")
        args = [*node.args, *(one.value for one in node.keywords)]
        if not _fits(op, len(args)):
            self.refuse("F05", node, problem=f"{name} does not take {len(args)} arguments")
        return self.apply(op, tuple(self.expression(a, passing=True) for a in args), node)

    def _foreign(self, found: object, name: str, node: ast.Call) -> Expression:
        assert callable(found)
        module = str(getattr(found, "__module__", "") or "")
        if module.split(".", maxsplit=1)[0] in ("builtins", "_io") and not isinstance(found, type):
            self.refuse("P36", node.func, what=name)
        if what := source_of_chance(found):
            self.refuse("F35", node, function=name, what=what)
        for one in [*node.args, *(k.value for k in node.keywords)]:
            if isinstance(one, ast.Lambda):
                self.refuse("S15", one)
        if node.keywords:
            self.refuse("F05", node, problem=f"give the arguments of {name} without names")
        args = tuple(self.expression(a, passing=True) for a in node.args)
        return self.apply("call", (Const(Foreign(found, name)), *args), node)

    def _method(self, func: ast.Attribute, node: ast.Call) -> Expression:
        found = self.object_at(func)
        if found is not None:
            dotted = ast.unparse(func)
            if dotted.split(".")[1] in CHANCE or dotted.split(".")[0] in CHANCE:
                self.refuse("S42", node, what=dotted)
            if func.attr in ("exp", "log", "sqrt"):
                return self._number_function(found, dotted, node)
            return self._object_called(found, dotted, node, passing=False)
        if func.attr in GAUSSIAN:
            self.refuse("S41", node, what=func.attr)
        match func.attr, [self.expression(a) for a in node.args]:
            case "index", [wanted]:
                return self._position(self.expression(func.value), wanted, node)
            case "count", [wanted]:
                return self._count(self.expression(func.value), wanted, node)
            case ("keys" | "values" | "items") as op, []:
                return self.apply(op, (self.expression(func.value),), node)
        self.refuse("N02", node, what=func.attr)

    def _number_function(self, found: object, dotted: str, node: ast.Call) -> Expression:
        """Return math.exp of a number; of eps it is not the exp of the language."""
        args = tuple(self.expression(a) for a in node.args)
        if any(isinstance(a, Const) and isinstance(a.value, Expr) for a in args):
            self.refuse("N29", node, what=dotted, word=dotted.rpartition(".")[2])
        assert callable(found)
        return self.apply("call", (Const(Foreign(found, dotted)), *args), node)

    # -- samplers

    def _sampled(self, sampler: Sampler, node: ast.Call) -> Expression:
        given = self._arguments(sampler, node)
        match sampler.noise:
            case "observe":
                self.refuse("K06", node)
            case "choose":
                return self._chosen(given, node)
            case "bernoulli":
                if "probability" not in given:
                    self.refuse("K04", node)
                p = self.expression(given["probability"])
                other = self.apply("-", (Const(1), p), node)
                table = self.apply("weights", (Const(1), p, Const(0), other), node)
                return self._drawn(Choose("", table), node)
            case "expmech":
                return self._selected(given, node)
            case "unif":
                if len(given) < 2:
                    self.refuse("K03", node)
                ends = self.expression(given["lo"]), self.expression(given["hi"])
                return self._drawn(Sample("", "unif", *ends), node)
        assert sampler.noise in NOISES
        rate = self._rate(sampler, given, node)
        around = given.get(sampler.parameters[1])
        mean = self.expression(around) if around else Const(0)
        return self._drawn(Sample("", sampler.noise, rate, mean), node)

    def _arguments(self, sampler: Sampler, node: ast.Call) -> dict[str, ast.expr]:
        """Return the arguments of a sampler by name."""
        names = sampler.parameters
        usage, listed = sampler.usage, ", ".join(names)
        if len(node.args) > len(names) - ("scale" in names):
            if sampler.noise == "observe":
                self.refuse("K05", node)
            self.refuse("S05", node, names=listed, usage=usage)
        given = dict(zip(names, node.args, strict=False))
        for one in node.keywords:
            if one.arg not in names or one.arg in given:
                self.refuse("S06", node, what=one.arg, names=listed, usage=usage)
            given[str(one.arg)] = one.value
        return given

    def _rate(self, sampler: Sampler, given: Mapping[str, ast.expr], node: ast.AST) -> Expression:
        if ("rate" in given) == ("scale" in given):
            self.refuse("S04", node, what=sampler.noise)
        if "rate" in given:
            return self.expression(given["rate"])
        scale = self.expression(given["scale"])
        return self.apply("over", (scale,), given["scale"])

    def _drawn(self, one: Sample | Choose | Select, node: ast.AST) -> Expression:
        target = self.temporary()
        match one:
            case Sample(_, noise, a, b):
                self.emit(Sample(target, noise, a, b), node)
            case Choose(_, table):
                self.emit(Choose(target, table), node)
            case Select(_, rate, scores):
                self.emit(Select(target, rate, scores), node)
        return Name(target)

    def _chosen(self, given: Mapping[str, ast.expr], node: ast.AST) -> Expression:
        match given.get("table"):
            case None | ast.Dict(keys=[]):
                self.refuse("S20", node)
            case ast.Dict(keys=keys, values=values):
                table = self.table("weights", keys, values, node)
            case ast.List() | ast.Tuple() | ast.Constant() | ast.ListComp():
                self.refuse("S22", node)
            case table_of:
                table = self.expression(table_of)
        return self._drawn(Choose("", table), node)

    def _selected(self, given: Mapping[str, ast.expr], node: ast.Call) -> Expression:
        if "score" not in given or "candidates" not in given:
            self.refuse("S12", node)
        rate = self._rate(Sampler("expmech", (), ""), given, node)
        score = given["score"]
        place = self.scope.source.place(score)
        code = "S16" if isinstance(score, ast.Lambda) else "S17"
        function = self.function_of(score, "S13")
        listed = given["candidates"]
        if isinstance(listed, ast.List | ast.Tuple) and not listed.elts:
            self.refuse("S14", listed)
        candidates = self.expression(listed, passing=True)
        scores = self._keyed(function, candidates, node, item_first=True, scoring=(code, place))
        return self._drawn(Select("", rate, scores), node)

    # -- functions that are given to functions

    def function_of(self, node: ast.expr, otherwise: str) -> Callable[[Expression], Expression]:
        """Return a key or a score: what an expression becomes by it."""
        match node:
            case ast.Lambda():
                a = node.args
                if a.defaults or a.vararg or a.kwarg or a.kwonlyargs:
                    self.refuse("P34", node)
                if not a.args:
                    self.refuse("R26", node)
                if len(a.args) > 1:
                    self.refuse("F23", node, given=len(a.args))
                lambda_ = Subroutine(node, self.scope.source, self.scope, {})
                return lambda e: self.put(lambda_, {a.args[0].arg: e}, node)
            case ast.Name(id=name) if not self.scope.variable(name):
                if subroutine := self.scope.subroutine(name):
                    first = subroutine.tree.args.args[0].arg
                    return lambda e: self.put(subroutine, {first: e}, node)
                found = self.constant(name, node)
                if callable(found) and not isinstance(found, Sampler):
                    return lambda e: self._of_one(found, name, e, node)
        if otherwise == "S13":
            self.refuse("S13", node)
        self.refuse("R27", node)

    def _of_one(self, found: object, name: str, e: Expression, node: ast.expr) -> Expression:
        """Return a function from outside of one argument."""
        if source := getattr(getattr(found, "program", None), "source", None):
            subroutine = Subroutine(source.tree, source, None, {})
            return self.put(subroutine, {source.tree.args.args[0].arg: e}, node)
        if found is abs:
            return self._absolute_of(e, node)
        if found in PURE:
            return self.apply(PURE[found], (e,), node)
        if what := source_of_chance(found):
            self.refuse("F35", node, function=name, what=what)
        assert callable(found)
        return self.apply("call", (Const(Foreign(found, name)), e), node)

    def _keyed(
        self,
        function: Callable[[Expression], Expression],
        over: Expression,
        node: ast.AST,
        item_first: bool = False,
        scoring: tuple[str, Place] | None = None,
    ) -> Expression:
        """Return the list of pairs of a key and its item."""
        pairs = self.fresh(self.apply("list", (), node), node)
        item = self.temporary()

        def add() -> None:
            before, self.scoring = self.scoring, scoring or self.scoring
            k = function(Name(item))
            self.scoring = before
            both = (Name(item), k) if item_first else (k, Name(item))
            self.emit(Append(pairs.name, self.apply("tuple", both, node)), node)

        with self.inside(self.enter(set())):
            self.loop(over, item, "entries", add, node)
        return pairs

    def _folded(self, how: str, node: ast.Call) -> Expression:
        """Return max, min or sorted: one instruction."""
        named = {str(one.arg): one.value for one in node.keywords}
        if "default" in named:
            self.refuse("R25", node, function=how)
        key, descending = named.pop("key", None), named.pop("reverse", None)
        if named or not node.args or (descending and how != "sorted"):
            what = next(iter(named), "reverse")
            self.refuse("F05", node, problem=f"{how} has no argument {what}")
        if descending is not None:
            match descending:
                case ast.Constant(value=bool(wanted)):
                    how = "reversed" if wanted else how
                case _:
                    self.refuse("R24", descending)
        if len(node.args) > 1:
            over = self.listed(node.args)
        else:
            over = self.expression(node.args[0], passing=True)
        keyed = key is not None and not (isinstance(key, ast.Constant) and key.value is None)
        if keyed and key:
            pairs = self._keyed(self.function_of(key, "R27"), over, node)
            assert isinstance(pairs, Name)
            target = pairs
        else:
            target = self.fresh(self.apply("as_list", (over,), node), node)
        self.emit(Fold(target.name, how, keyed), node)
        return target

    def _absolute(self, node: ast.Call) -> Expression:
        if len(node.args) != 1 or node.keywords:
            self.refuse("F05", node, problem="abs takes one argument")
        return self._absolute_of(self.expression(node.args[0]), node)

    def _absolute_of(self, value: Expression, node: ast.AST) -> Expression:
        if isinstance(value, Const):
            return self.apply("abs", (value,), node)
        value = self.held(value, node)
        both = (value, self.apply("neg", (value,), node))
        target = self.fresh(self.apply("list", both, node), node)
        self.emit(Fold(target.name, "max"), node)
        return target

    # -- functions written in the language: they compare

    def _any_or_all(self, wanted: bool, node: ast.Call) -> Expression:
        if len(node.args) != 1:
            self.refuse("F05", node, problem="any and all take one list")
        result, found, item = self.temporary(), Label(), self.temporary()
        self.emit(Set(result, Const(wanted)), node)
        (given,) = node.args
        match given:
            case ast.GeneratorExp(elt=elt, generators=generators):

                def decide() -> None:
                    (self.when if wanted else self.unless)(elt, found)

                self.comprehended(generators, decide)
            case _:
                over = self.expression(given, passing=True)

                def look() -> None:
                    op = "!=" if wanted else "=="
                    value = self.apply("bool", (Name(item),), given)
                    self.test(op, value, Const(True), given, found)

                with self.inside(self.enter(set())):
                    self.loop(over, item, "entries", look, given)
        self.emit(Set(result, Const(not wanted)), node)
        self.mark(found)
        return Name(result)

    def _position(self, over: Expression, wanted: Expression, node: ast.Call) -> Expression:
        """Return the first position of a value in a list."""
        position, item, found = self.temporary(), self.temporary(), Label()
        over, wanted = self.held(over, node), self.held(wanted, node)
        self.emit(Set(position, Const(0)), node)

        def look() -> None:
            self.test("!=", Name(item), wanted, node, found)
            self.emit(Set(position, Apply("+", (Name(position), Const(1)))), node)

        with self.inside(self.enter(set())):
            self.loop(over, item, "entries", look, node)
        self.emit(Set(position, self.apply("not_found", (wanted,), node)), node)
        self.mark(found)
        return Name(position)

    def _count(self, over: Expression, wanted: Expression, node: ast.Call) -> Expression:
        """Return how often a value is in a list."""
        count, item = self.temporary(), self.temporary()
        wanted = self.held(wanted, node)
        self.emit(Set(count, Const(0)), node)

        def look() -> None:
            self.test("==", Name(item), wanted, node, self.scope.loops[-1].again)
            self.emit(Set(count, Apply("+", (Name(count), Const(1)))), node)

        with self.inside(self.enter(set())):
            self.loop(over, item, "entries", look, node)
        return Name(count)

    # -- subroutines

    def inlined(self, one: Subroutine, node: ast.Call) -> Expression:
        """Return the value of a call of a function of the source."""
        tree = one.tree
        if any(tree is calling for calling in self.calls):
            self.refuse("N08", node.func, what=one.name)
        if isinstance(tree, ast.FunctionDef):
            self._require_interval(replace(one.source, tree=tree))
        names = [a.arg for a in (*tree.args.posonlyargs, *tree.args.args)]
        named = [a.arg for a in tree.args.kwonlyargs]
        if tree.args.vararg or tree.args.kwarg:
            self.refuse("P37", node) if tree.args.vararg else self.refuse("P38", node)
        usage = f"{one.name}({', '.join(names)})"
        if len(node.args) > len(names):
            self.refuse(
                "N19", node, what=one.name, most=len(names), given=len(node.args), usage=usage
            )
        given = dict(zip(names, node.args, strict=False))
        for k in node.keywords:
            if k.arg not in [*names, *named] or k.arg in given:
                self.refuse("N20", node, what=one.name, name=k.arg, usage=usage)
            given[str(k.arg)] = k.value
        values = {x: self.held(self.expression(e), e) for x, e in given.items()}
        for x in (*names, *named):
            if x not in values:
                if x not in one.defaults:
                    self.refuse("N18", node, what=one.name, name=x, usage=usage)
                values[x] = one.defaults[x]
        return self.put(one, values, node)

    def _require_interval(self, called: Source) -> None:
        """Refuse to call what is not defined for each ε of the program."""
        declared = called.epsilon is not None or called.tree.decorator_list
        if declared and not called.interval.covers(self.whole.interval):
            fail(
                "S37",
                place=self.whole.place(self.whole.tree, headline=True),
                name=self.whole.tree.name,
                interval=str(self.whole.interval),
                other=called.tree.name,
                smaller=str(called.interval),
            )

    def put(self, one: Subroutine, values: Mapping[str, Expression], node: ast.AST) -> Expression:
        """Emit the body of a function in place of its call, with its own variables."""
        self._temporaries += 1
        number = self._temporaries
        names = {x: f"{x}#{number}" for x in values}
        for x, e in values.items():
            self.emit(Set(names[x], e), node)
        scope = Scope(one.source, names, one.scope)
        self.calls.append(one.tree)
        tree = one.tree
        with self.inside(scope):
            if isinstance(tree, ast.Lambda):
                value = self.expression(tree.body)
                result = self.held(value, tree.body)
            else:
                result = self.body_of(tree, scope, number)
        self.calls.pop()
        return result

    @abstractmethod
    def body_of(self, tree: ast.FunctionDef, scope: Scope, number: int) -> Expression:
        """Emit the statements of a subroutine; return its value."""


def _hashable(found: object) -> object:
    """Return a function that can be looked up in a table."""
    try:
        hash(found)
    except TypeError:
        return found.__call__ if callable(found) else None
    return found


def _fits(op: str, given: int) -> bool:
    """Whether an operation takes so many arguments."""
    sizes = {
        "bool": (0, 1),
        "dict": (0, 1),
        "divmod": (2, 2),
        "enumerate": (1, 2),
        "int": (0, 1),
        "len": (1, 1),
        "as_list": (0, 1),
        "range": (1, 3),
        "reversed": (1, 1),
        "round": (1, 2),
        "str": (0, 1),
        "sum": (1, 2),
        "as_tuple": (0, 1),
        "zip": (0, 99),
        "Fraction": (0, 2),
        "maximum": (1, 99),
        "minimum": (1, 99),
        "**": (2, 2),
    }
    least, most = sizes.get(op, (1, 1))
    return least <= given <= most
