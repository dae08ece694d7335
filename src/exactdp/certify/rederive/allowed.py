"""Which texts are read: only those that mean in Python what the interpreter reads in them.

A list of what is allowed. The interpreter takes lists for values, `range`, `zip`, `enumerate` and
`reversed` for lists, a name that is not yet assigned for a constant of that name, and knows some
names by heart. So:

- the names that it knows are never bound, and a variable has no name of a constant or a function;
- functions have plain parameters, call only functions before them, and are no values;
- iterators and generators stand only where they are gone over at once;
- a list is changed only through a variable that holds a new list, and that nothing else holds
  from then on (`_changes_are_its_own`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import NoReturn

from .ratios import UnsupportedError

_DEEPEST = 120  # expressions and statements inside each other, as in the language
_NOISES = frozenset({"lap", "dlap", "expo", "geometric", "gumbel", "unif"})
_RESERVED = _NOISES | {"choose", "expmech", "observe", "eps", "inf", "exp", "log"}
_RESERVED |= {"Real", "Dom", "bool", "math"}
_MANY = 10_000
_CALLS: dict[str, tuple[int, int, str]] = {
    **dict.fromkeys(("abs", "all", "any", "bool", "ceil", "choose"), (1, 1, "")),
    **dict.fromkeys(("dict", "exp", "floor", "int", "len", "log"), (1, 1, "")),
    **dict.fromkeys(("reversed", "round", "trunc"), (1, 1, "")),
    **dict.fromkeys(("list", "tuple"), (0, 1, "")),
    **dict.fromkeys(("max", "min"), (1, _MANY, "key")),
    **dict.fromkeys(_NOISES, (0, 2, "scale rate mean start")),
    "Fraction": (1, 2, ""),
    "enumerate": (1, 2, "start"),
    "expmech": (3, 3, ""),
    "range": (1, 3, ""),
    "sorted": (1, 1, "key reverse"),
    "sum": (1, 2, "start"),
    "zip": (0, _MANY, "strict"),
}
"""How many arguments, and which keywords, each known function takes."""
_ITERATORS = frozenset({"enumerate", "range", "reversed", "zip"})
_CONSUMERS = frozenset({"all", "any", "dict", "enumerate", "list", "max", "min", "sorted", "sum"})
_CONSUMERS |= {"tuple", "zip"}
_GIVE_NEW_LISTS = ("list", "sorted")
_STATEMENTS = (ast.Assert, ast.Break, ast.Continue, ast.If, ast.Pass, ast.Return, ast.While)
_EXPRESSIONS = (
    *(ast.BinOp, ast.BoolOp, ast.Compare, ast.Dict, ast.DictComp, ast.IfExp, ast.List),
    *(ast.ListComp, ast.Name, ast.Slice, ast.Subscript, ast.Tuple, ast.UnaryOp),
    *(ast.comprehension, ast.keyword, ast.expr_context, ast.boolop, ast.cmpop),
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow),
    *(ast.Not, ast.UAdd, ast.USub),
)
_COMPREHENSIONS = (ast.ListComp, ast.DictComp, ast.GeneratorExp)


def check_text(tree: ast.Module) -> None:
    """Raise an `UnsupportedError` unless a text is constants and functions of the language."""
    meanings: dict[str, str] = {}
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name(name)], value):
                _Function(set(), {}, "").expression(value, 0)
                if not _names(value) <= {"eps", "inf", "exp", "log", "sqrt", "Fraction"}:
                    _refuse(node, "a constant that refers to names")
                what = ast.dump(value)
            case ast.FunctionDef(name):
                what = ast.dump(node)
            case _:
                raise UnsupportedError("the program has other parts than constants and functions")
        if meanings.setdefault(name, what) != what:
            _refuse(node, f"another meaning of {name}")
    functions: dict[str, ast.FunctionDef | None] = {
        one.name: None for one in tree.body if isinstance(one, ast.FunctionDef)
    }
    last = [one.name for one in tree.body if isinstance(one, ast.FunctionDef)][-1:]
    never = _RESERVED | _ITERATORS | {*_GIVE_NEW_LISTS} | (_CALLS.keys() - functions.keys())
    if (meanings.keys() - {*last}) & never:
        raise UnsupportedError("the program gives another meaning to a name of the language")
    if own := (functions.keys() - {*last}) & _CALLS.keys():
        check_text(_renamed(tree, own))
        return
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            functions[node.name] = None
            _Function({*meanings}, functions, *last).check(node)
            functions[node.name] = node


def _renamed(tree: ast.Module, names: set[str]) -> ast.Module:
    """Return a text with other names for functions that are called like known ones."""
    tree = deepcopy(tree)
    for one in ast.walk(tree):
        for field in ("id", "arg", "name"):
            if isinstance(one, ast.expr | ast.arg | ast.stmt) and getattr(one, field, "") in names:
                setattr(one, field, f"{getattr(one, field)}()")
    return tree


def changed_lists(function: ast.FunctionDef) -> frozenset[str]:
    """Return the variables of an allowed function whose lists are changed in place."""
    return frozenset(name for name, _ in _changes([*_placed(function)]))


def _refuse(node: ast.AST, what: str) -> NoReturn:
    line = getattr(node, "lineno", 0)
    raise UnsupportedError(f"line {line} of the program: {what} is not in the language")


class _Function:
    """One pass over one function.

    `outer` has the names outside of it; `functions` those of functions, None if not yet defined.
    Nothing refers to the `last` function, so a variable may have its name.
    """

    def __init__(
        self, outer: set[str], functions: Mapping[str, ast.FunctionDef | None], last: str
    ) -> None:
        self.outer = outer
        self.functions = functions
        self.last = last
        self.bound: set[str] = set()

    def check(self, node: ast.FunctionDef) -> None:
        """Check the parameters, the names, the statements and the changes of lists."""
        args = node.args
        others = [*args.posonlyargs, *args.kwonlyargs, *args.defaults, args.vararg, args.kwarg]
        if any(others) or node.decorator_list or node.returns or getattr(node, "type_params", None):
            _refuse(node, "a function with anything but plain parameters")
        parameters = [one.arg for one in args.args]
        names = [one for one in ast.walk(node) if isinstance(one, ast.Name)]
        stored = [one for one in names if not isinstance(one.ctx, ast.Load)]
        inside = {id(one) for part in ast.walk(node) for one in _own_targets(part)}
        variables = {one.id for one in stored if id(one) not in inside} - set(parameters)
        self.bound = {one.id for one in stored}
        self.bound |= {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
        if len(set(parameters)) < len(parameters) or self.bound & _RESERVED:
            _refuse(node, "a variable with a name of the language, or a repeated parameter")
        if variables & (self.outer - {self.last}):
            _refuse(node, "a variable with the name of a constant or function")
        if self.last in _names(node) - self.bound:
            _refuse(node, f"a use of {self.last} before it is defined")
        for parameter in args.args:
            self.kind(parameter.annotation)
        for one in node.body:
            self.statement(one, 1)
        _changes_are_its_own(node, set(parameters))

    def kind(self, node: ast.expr | None) -> None:
        """Check the annotation of an input."""
        if isinstance(node, ast.Subscript):
            self.expression(node.slice, 0)
            node = node.value
        match node:
            case None | ast.Name("Real" | "bool"):
                return
            case ast.Call(ast.Name("Dom"), [_] | [_, _] as ends, []):
                for one in ends:
                    self.expression(one, 0)
            case _:
                _refuse(node, "such a kind of input")

    # Statements -----------------------------------------------------------------------

    def statement(self, node: ast.stmt, depth: int) -> None:
        """Check a statement."""
        if depth > _DEEPEST:
            _refuse(node, "a statement nested so deeply")
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    self.target(target, depth)
                self.expression(value, depth)
            case ast.AnnAssign(ast.Name(), _, ast.expr() as value):
                self.expression(value, depth)
            case ast.AugAssign(ast.Name() | ast.Subscript(ast.Name()) as target, _, value):
                self.target(target, depth)
                self.expression(value, depth)
            case ast.For(target, items, body, otherwise):
                self.names_only(target)
                self.gone_over(items, depth)
                live = _bare(items) | {name for part in ast.walk(items) for name in _iterated(part)}
                if live & {name for one in body for name, _ in _changes([(one, ())], deep=True)}:
                    _refuse(node, "a change of the list that a loop goes over")
                for one in (*body, *otherwise):
                    self.statement(one, depth + 1)
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(), "append" | "extend"), [item], [])):
                self.expression(item, depth)
            case ast.Expr(ast.Call(ast.Name("observe"), [test], [])):
                self.expression(test, depth)
            case ast.Expr(ast.Constant(str())):
                return
            case _ if isinstance(node, _STATEMENTS):
                for part in ast.iter_child_nodes(node):
                    if isinstance(part, ast.stmt):
                        self.statement(part, depth + 1)
                    else:
                        self.expression(part, depth)
            case _:
                _refuse(node, type(node).__name__)

    def target(self, node: ast.expr, depth: int) -> None:
        """Check a target of an assignment."""
        match node:
            case ast.Tuple(items) | ast.List(items):
                for one in items:
                    self.target(one, depth)
            case ast.Subscript(ast.Name(), index) if not isinstance(index, ast.Slice):
                self.expression(index, depth)
            case _:
                self.names_only(node)

    def names_only(self, node: ast.expr) -> None:
        """Check a target that may consist of names only."""
        match node:
            case ast.Tuple(items) | ast.List(items):
                for one in items:
                    self.names_only(one)
            case ast.Name():
                return
            case _:
                _refuse(node, "such a target")

    # Expressions ----------------------------------------------------------------------

    def expression(self, node: ast.AST, depth: int) -> None:
        """Check an expression where a value is needed."""
        if depth > _DEEPEST:
            _refuse(node, "an expression nested so deeply")
        match node:
            case ast.Constant(value):
                if not isinstance(value, bool | int | float | str | None):
                    _refuse(node, "such a constant")
            case ast.Name(name) if name in self.functions and name not in self.bound:
                _refuse(node, "a function as a value")
            case ast.Call():
                if _called(node) in _ITERATORS:
                    _refuse(node, "an iterator as a value")
                self.call(node, depth + 1)
            case ast.Compare(left, ops, rest):
                self.expression(left, depth + 1)
                for op, one in zip(ops, rest, strict=True):
                    is_range = isinstance(one, ast.Call) and _called(one) == "range"
                    if is_range and isinstance(op, ast.In | ast.NotIn):
                        self.gone_over(one, depth + 1)
                    else:
                        self.expression(one, depth + 1)
            case ast.ListComp() | ast.DictComp():
                self.comprehension(node, depth)
            case _ if isinstance(node, _EXPRESSIONS):
                for part in ast.iter_child_nodes(node):
                    self.expression(part, depth + 1)
            case _:
                _refuse(node, type(node).__name__)

    def gone_over(self, node: ast.expr, depth: int) -> None:
        """Check an expression whose items are taken at once, so that it may be an iterator."""
        if isinstance(node, ast.Call) and _called(node) in _ITERATORS:
            self.call(node, depth + 1)
        else:
            self.expression(node, depth)

    def comprehension(
        self, node: ast.ListComp | ast.DictComp | ast.GeneratorExp, depth: int
    ) -> None:
        """Check a comprehension; a variable of its own is read only after it is set."""
        later = [_names(clause.target) for clause in node.generators]
        for k, clause in enumerate(node.generators):
            self.names_only(clause.target)
            if clause.is_async:
                _refuse(node, "an asynchronous comprehension")
            unset = set[str]().union(*later[k:])
            if k and unset & _names(clause.iter):
                _refuse(node, "a variable that is not yet set")
            unset = set[str]().union(*later[k + 1 :])
            if any(unset & _names(test) for test in clause.ifs):
                _refuse(node, "a variable that is not yet set")
            self.gone_over(clause.iter, depth + 1)
            for test in clause.ifs:
                self.expression(test, depth + 1)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        for part in parts:
            self.expression(part, depth + 1)

    def call(self, node: ast.Call, depth: int) -> None:
        """Check a call: of a function before, or of one that is known."""
        keywords = {one.arg: one.value for one in node.keywords}
        name, count = _called(node), len(node.args)
        if isinstance(node.func, ast.Attribute):
            base = node.func.value
            is_math = isinstance(base, ast.Name) and base.id == "math"
            known = ("ceil", "floor", "trunc") if is_math else ("index", "count")
            if node.func.attr not in known or count != 1 or keywords:
                _refuse(node, "such a method")
            if not is_math:
                self.expression(base, depth)
        elif name is None or name in self.bound:
            _refuse(node, "a call of a value")
        elif name in self.outer and name != self.last:
            called = self.functions.get(name)
            if called is None or len(called.args.args) != count or keywords:
                _refuse(node, f"such a call of {name}")
        elif name in _CALLS:
            least, most, words = _CALLS[name]
            right = least <= count <= most and keywords.keys() <= set(words.split())
            right = right and (name not in _NOISES or count + len(keywords) == 2)
            if not right or len(keywords) < len(node.keywords):
                _refuse(node, f"such a call of {name}")
        for k, one in enumerate(node.args):
            if name in _CALLS:
                self.argument(name, k, one, count, depth)
            else:
                self.expression(one, depth)
        for word, one in keywords.items():
            if word == "key":
                self.function_value(one, depth)
            else:
                self.expression(one, depth)

    def argument(self, name: str, k: int, node: ast.expr, count: int, depth: int) -> None:
        """Check an argument of a known function."""
        made = _called(node) if isinstance(node, ast.Call) else None
        takes_all = name in _CONSUMERS and (name == "zip" or k == 0)
        takes_all = takes_all and (count == 1 or name not in ("max", "min"))
        if name == "expmech" and k == 1:
            self.function_value(node, depth)
        elif isinstance(node, ast.GeneratorExp) and takes_all and name not in ("enumerate", "zip"):
            self.comprehension(node, depth)
        elif takes_all or (made == "range" and (name, k) in _TAKES_RANGE):
            self.gone_over(node, depth)
        else:
            self.expression(node, depth)

    def function_value(self, node: ast.expr, depth: int) -> None:
        """Check a function that is handed over."""
        match node:
            case ast.Lambda(arguments, body):
                args = arguments
                others = [*args.posonlyargs, *args.kwonlyargs, *args.defaults]
                if others or args.vararg or args.kwarg or len(args.args) != 1:
                    _refuse(node, "a lambda with anything but one plain parameter")
                self.expression(body, depth + 1)
            case ast.Name(name) if name in self.functions and name not in self.bound:
                called = self.functions[name]
                if called is None or len(called.args.args) != 1:
                    _refuse(node, "such a function here")
            case _:
                _refuse(node, "something else than a function here")


_TAKES_RANGE = (("len", 0), ("reversed", 0), ("expmech", 2))


def _called(node: ast.expr) -> str | None:
    """Return the name of the function that a call calls."""
    is_named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return node.func.id if is_named else None  # type: ignore[attr-defined]


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _own_targets(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of the targets of a comprehension, which are variables of its own."""
    if isinstance(node, _COMPREHENSIONS):
        for clause in node.generators:
            yield from ast.walk(clause.target)


# Changes of lists ---------------------------------------------------------------------

Loops = tuple[ast.stmt, ...]
Placed = tuple[ast.stmt, Loops]  # a statement, and the loops around it


def _placed(node: ast.FunctionDef | ast.stmt, loops: Loops = ()) -> Iterator[Placed]:
    """Yield the statements of a function in the order of its text."""
    for field in ("body", "orelse"):
        inside = loops
        if field == "body" and isinstance(node, ast.For | ast.While):
            inside = (*loops, node)
        for one in getattr(node, field, ()):
            yield one, inside
            yield from _placed(one, inside)


def _changes(placed: list[Placed], *, deep: bool = False) -> Iterator[tuple[str, int]]:
    """Yield each variable whose list may be changed in place, with the place in the list."""
    if deep:
        placed = [both for one, loops in placed for both in ((one, loops), *_placed(one))]
    lists = {name for one, _ in placed for name, value in _assigned(one) if _is_list(value)}
    for k, (node, _) in enumerate(placed):
        match node:
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(name)))):
                yield name, k
            case ast.AugAssign(ast.Subscript(ast.Name(name))):
                yield name, k
            case ast.AugAssign(ast.Name(name), ast.Add() | ast.Mult()) if deep or name in lists:
                yield name, k
            case ast.Assign(targets):
                for part in (part for one in targets for part in ast.walk(one)):
                    match part:
                        case ast.Subscript(ast.Name(name), _, ast.Store()):
                            yield name, k


def _assigned(node: ast.stmt) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield the variables that a statement sets, with the values if they are written there."""
    match node:
        case ast.Assign([target], value):
            yield from _pairs(target, value)
        case ast.Assign(targets, _):
            for target in targets:
                yield from _pairs(target, None)
        case ast.AnnAssign(ast.Name(name), _, value):
            yield name, value
        case ast.For(target):
            yield from _pairs(target, None)


def _pairs(target: ast.expr, value: ast.expr | None) -> Iterator[tuple[str, ast.expr | None]]:
    match target:
        case ast.Name(name):
            yield name, value
        case ast.Tuple(items) | ast.List(items):
            found: list[ast.expr | None] = [None] * len(items)
            if isinstance(value, ast.Tuple) and len(value.elts) == len(items):
                found = [*value.elts]
            for one, part in zip(items, found, strict=True):
                yield from _pairs(one, part)


def _is_list(node: ast.expr | None) -> bool:
    """Whether an expression is seen to be a new list."""
    if isinstance(node, ast.BinOp):
        return _is_list(node.left) or _is_list(node.right)
    return isinstance(node, ast.List | ast.ListComp) or (
        node is not None and _called(node) in _GIVE_NEW_LISTS
    )


def _is_new(node: ast.expr | None) -> bool:
    """Whether nothing else holds the value of an expression, if it is a list."""
    is_slice = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
    return _is_list(node) or is_slice or isinstance(node, ast.BinOp | ast.Constant)


def _bare(node: ast.AST | None) -> set[str]:
    """Return the variables whose lists may be the value of an expression, or be in it."""
    match node:
        case ast.Name(name):
            return {name}
        case ast.Tuple(items) | ast.List(items) | ast.BoolOp(_, items) | ast.Dict(_, items):
            return set[str]().union(*map(_bare, items))
        case ast.IfExp(_, then, otherwise):
            return _bare(then) | _bare(otherwise)
        case ast.ListComp(item) | ast.GeneratorExp(item) | ast.DictComp(_, item):
            return _bare(item)
        case ast.Subscript(value):
            return _inside(value)
        case ast.BinOp(left, _, right):
            return _inside(left) | _inside(right)
        case ast.Call(_, arguments):
            known = _called(node)
            copies = known in _CALLS and (known not in ("max", "min") or len(arguments) == 1)
            named = [one.value for one in node.keywords if one.arg == "start"]
            found = [_inside(one) if copies else _bare(one) for one in arguments[:1]]
            return set[str]().union(*found, *map(_bare, [*arguments[1:], *named]))
    return set()


def _inside(node: ast.expr) -> set[str]:
    """Return the same for an expression that is copied, or only gone over."""
    return set() if isinstance(node, ast.Name) else _bare(node)


def _iterated(node: ast.AST) -> set[str]:
    """Return the variables that an iterator goes over."""
    if isinstance(node, ast.Call) and _called(node) in _ITERATORS - {"range"}:
        return set[str]().union(*map(_bare, node.args))
    return set()


def _held(node: ast.stmt) -> set[str]:
    """Return the variables whose lists may be held by something else after a statement."""
    match node:
        case ast.Assign(_, value) | ast.AnnAssign(_, _, value):
            return _bare(value)
        case ast.AugAssign(ast.Subscript(), _, value):
            return _bare(value)
        case ast.AugAssign(_, _, value):
            return _inside(value)
        case ast.Expr(ast.Call(ast.Attribute(_, "append"), [item])):
            return _bare(item)
        case ast.Expr(ast.Call(ast.Attribute(_, "extend"), [item])):
            return _inside(item)
    return set()


def _changes_are_its_own(function: ast.FunctionDef, parameters: set[str]) -> None:
    """Require of each list that is changed: it is new, and nothing that holds it is there after.

    So it is if no change can follow a statement after which something else holds the list: it
    stands before it in the text, and in no common loop, or the loop sets the variable anew before.
    """
    placed = [*_placed(function)]
    changes = [*_changes(placed)]
    names = {name for name, _ in changes}
    for node, _ in placed:
        for name, value in _assigned(node):
            if name in names and not _is_new(value):
                _refuse(node, f"a change of the list {name}, which may have other names,")
    new = {name for node, _ in placed for name, _ in _assigned(node)}
    for name in names - (new - parameters):
        _refuse(function, f"a change of {name}, which is no variable,")
    for k, (node, loops) in enumerate(placed):
        for name, place in changes:
            if name not in _held(node):
                continue
            common = [one for one in placed[place][1] if one in loops]
            again = bool(common) and not _is_set_anew(common[-1], name, placed, place)
            if place >= k or again:
                _refuse(placed[place][0], f"a change of {name}, which has other names,")


def _is_set_anew(loop: ast.stmt, name: str, placed: list[Placed], place: int) -> bool:
    """Whether each round of a loop sets a variable before a place."""
    own = loop.body if isinstance(loop, ast.For | ast.While) else []
    before = {id(one) for one, _ in placed[:place]}
    return any(id(one) in before and name in dict(_assigned(one)) for one in own)
