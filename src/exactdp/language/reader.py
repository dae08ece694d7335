"""Read Python's `ast` and return the part that is in the language, without executing anything.

Every construct outside the language is refused by name. Later passes determine the meaning
of expressions (which of them are noise, which variables are assigned).
"""

from __future__ import annotations

import ast
from typing import Any, NoReturn

from exactdp.errors import ValueRefusedError
from exactdp.language.evaluate import evaluate_closed
from exactdp.language.limits import NESTING_LIMIT
from exactdp.language.read_expressions import ExpressionReader
from exactdp.language.read_names import RULE, Nested
from exactdp.language.rules import COPY_FIRST
from exactdp.language.tree import (
    Definition,
    Observe,
    Param,
    call,
    constant,
    free_names,
    nodes,
    put,
    targets,
)
from exactdp.language.types import Bool, Dom, DomType, InputType, Real, RealType
from exactdp.language.words import MISSING, attribute, denotes

_NO_OUTPUT = "The output of a mechanism is the value that it returns."


class FunctionReader(ExpressionReader):
    """Reads one function."""

    def function(self, node: ast.FunctionDef, annotations: dict[str, Any]) -> Definition:
        """Return the definition of a function; `annotations` are those already evaluated."""
        args = node.args
        self.name = node.name
        for extra, what in ((args.vararg, "*args"), (args.kwarg, "**kwargs")):
            if extra is not None:
                self.refuse(
                    extra, f"{what} is not in the language", RULE, "Name each input, with a type."
                )
        given = [*args.posonlyargs, *args.args, *args.kwonlyargs]
        for default in (*args.defaults, *args.kw_defaults):
            if default is not None:
                self.refuse(default, "an input has no default value", RULE, "Leave it out.")
        self.locals = {arg.arg for arg in given}
        self.locals |= {part.id for target in targets(node.body) for part in _stored(target)}
        for arg in given:
            self.check_name(arg.arg, arg)
        params = tuple(
            Param(
                arg.arg,
                self.annotation(arg.annotation, annotations.get(arg.arg)),
                self.source.place(arg),
            )
            for arg in given
        )
        body = list(node.body)
        doc = ast.get_docstring(node) or ""
        if doc:
            body = body[1:]
        place = self.source.place(node)
        found = self.block(body) if body else []
        if not found:
            self.refuse(place, f"{node.name} returns nothing", _NO_OUTPUT, "Return the output.")
        return Definition(node.name, params, found, doc, place, self.constants, tuple(self.notes))

    def annotation(self, node: ast.expr | None, found: Any) -> InputType | None:
        """Return the type that an annotation names."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                inner = ast.parse(node.value, mode="eval").body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                self.refuse_type(node)
            for part in ast.walk(inner):
                ast.copy_location(part, node)
            return self.annotation(inner, None)
        if isinstance(found, InputType):
            return found
        if node is None:
            return None
        if found is bool:
            return Bool
        try:
            return self.type_of(node)
        except ValueRefusedError as error:
            self.refuse(node, error.message, error.rule, error.way_out)

    def type_of(self, node: ast.expr) -> InputType:
        """Return the type that the syntax of an annotation denotes."""
        match node:
            case ast.Name() | ast.Attribute():
                word = self.word(node)
                if word == "Real":
                    return Real
                if word == "bool":
                    return Bool
            case ast.Subscript(value, index):
                item = self.type_of(value)
                if isinstance(item, RealType | DomType):
                    return item[self.constant(index)]
            case ast.Call(function, arguments, []) if self.word(function) == "Dom":
                if 1 <= len(arguments) <= 2:
                    return Dom(*(self.constant(argument) for argument in arguments))
        self.refuse_type(node)

    def refuse_type(self, node: ast.AST) -> NoReturn:
        """Refuse an annotation that is not an input's type."""
        self.refuse(
            node,
            "this is not the type of an input",
            "An input is real, or one of finitely many values, or a list of either.",
            "Write Real, Real[m], Dom(lo, hi), Dom(lo, hi)[m], Dom([values]) or bool.",
        )

    def word(self, node: ast.expr) -> str | None:
        """Return the word of the language that a name stands for, if it does."""
        match node:
            case ast.Name(name):
                found = self.lookup(name)
                return denotes(found) if found is not MISSING else name
            case ast.Attribute(ast.Name(base), name):
                return denotes(attribute(self.lookup(base), name))
        return None

    def constant(self, node: ast.expr) -> Any:
        """Return the value of a constant expression in an annotation.

        Its names do not become constants of the program, because the type is computed here.
        """
        kept, constants = self.locals, dict(self.constants)
        self.locals = set()
        try:
            return evaluate_closed(self.expr(node), self.constants)
        finally:
            self.locals, self.constants = kept, constants

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return the statements of a block."""
        self.depth += 1
        if self.depth > NESTING_LIMIT:
            self.refuse(
                body[0],
                "statements are nested too deeply",
                f"At most {NESTING_LIMIT} expressions and blocks stand inside each other.",
                "Move the inner blocks into a subroutine.",
            )
        found = []
        for node in body:
            if isinstance(node, ast.FunctionDef) and self.depth == 1 and not node.decorator_list:
                self.inner_function(node)
            else:
                found.append(self.statement(node))
        self.depth -= 1
        return found

    def statement(self, node: ast.stmt) -> ast.stmt:
        """Return one statement."""
        place = self.source.place(node)
        match node:
            case ast.Assign(targets, value):
                left = [self.pattern(target) for target in targets]
                return put(ast.Assign(left, self.expr(value)), self.source.place(targets[0]))
            case ast.AnnAssign(target, annotation, value):
                if value is None or not isinstance(target, ast.Name):
                    self.refuse(
                        node,
                        "a declaration needs a name and a value",
                        RULE,
                        "Write `x: Dom(0, 3) = …`.",
                    )
                at = self.source.place(target)
                if _of_python(annotation):
                    return put(ast.Assign([self.pattern(target)], self.expr(value)), at)
                declared = constant(self.annotation(annotation, None), at)
                self.pattern(target)
                return put(ast.AnnAssign(target, declared, self.expr(value), 1), at)
            case ast.AugAssign(target, op, value):
                changed: Any = self.pattern(target)
                self.operator(op, node)
                at = self.source.place(target)
                return put(ast.AugAssign(changed, op, self.expr(value)), at)
            case ast.If(test, body, orelse):
                at = self.source.place(node, until=test)
                return put(ast.If(self.expr(test), self.block(body), self.maybe(orelse)), at)
            case ast.For(target, items, body, orelse):
                at = self.source.place(node, until=items)
                own, source = self.pattern(target), self.iterated(items)
                return put(ast.For(own, source, self.loop_body(body), self.maybe(orelse)), at)
            case ast.While(test, body, orelse):
                at = self.source.place(node, until=test)
                condition, inside = self.expr(test), self.loop_body(body)
                return put(ast.While(condition, inside, self.maybe(orelse)), at)
            case ast.Return(value):
                result = constant(None, place) if value is None else self.expr(value)
                return put(ast.Return(result), place)
            case ast.Assert(test, message):
                text = None if message is None else self.expr(message)
                return put(ast.Assert(self.expr(test), text), place)
            case ast.Pass():
                return put(node, place)
            case ast.Break() | ast.Continue():
                if not self.loops:
                    self.refuse(
                        node,
                        f"{type(node).__name__.lower()} outside a loop",
                        "break and continue stand inside `for` and `while`.",
                        "Use `return` to end the mechanism.",
                    )
                return put(node, place)
            case ast.Expr(value):
                return self.expression_statement(node, value)
            case ast.FunctionDef(decorator_list=[decorator, *_]):
                self.refuse(
                    decorator,
                    "a decorator inside a mechanism is not in the language",
                    RULE,
                    "Leave it out: the function is read together with the mechanism.",
                )
        self.outside(node)

    def inner_function(self, node: ast.FunctionDef) -> None:
        """Register a function defined inside the mechanism as a subroutine."""
        self.check_name(node.name, node)
        if node.name in self.locals or node.name in self.nested:
            self.refuse(
                node,
                f"{node.name} is defined twice",
                "A name in a mechanism stands for a variable or for one function.",
                "Rename one of them.",
            )
        args = node.args
        own = {one.arg for one in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
        own |= {part.id for target in targets(node.body) for part in _stored(target)}
        read = free_names(node.body)
        read |= {used for one in read & set(self.nested) for used in self.nested[one].closure}
        closure = tuple(sorted((read - own) & self.locals))
        self.refuse_changes(node, set(closure))
        more = [ast.copy_location(ast.arg(used), node) for used in closure]
        widened = ast.arguments(**{**vars(args), "kwonlyargs": [*args.kwonlyargs, *more]})
        widened.kw_defaults = [*args.kw_defaults, *(None for _ in more)]
        whole = ast.FunctionDef(**{**vars(node), "args": widened})
        inside = FunctionReader(self.source, self.lookup)
        inside.nested, inside.own = dict(self.nested), own
        inside.constants.update({one: self.constants[one] for one in self.nested})
        definition = inside.function(whole, {})
        self.nested[node.name] = Nested(node, closure)
        self.constants[node.name] = definition
        self.notes.extend(inside.notes)

    def refuse_changes(self, node: ast.FunctionDef, closure: set[str]) -> None:
        """Refuse a nested function that changes a list of the mechanism around it."""
        for target in targets(node.body):
            for part in nodes(target):
                if isinstance(part, ast.Name) and part.id in closure and _changes(target, part):
                    self.refuse(
                        part,
                        f"{part.id} is not a variable and cannot be changed",
                        "A function inside a mechanism reads the variables around it.",
                        f"Return the new value, and assign it to {part.id} there.",
                    )

    def maybe(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return the statements of an optional block."""
        return self.block(body) if body else []

    def loop_body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return the statements of a loop."""
        self.loops += 1
        found = self.block(body)
        self.loops -= 1
        return found

    def expression_statement(self, node: ast.Expr, value: ast.expr) -> ast.stmt:
        """Return `xs.append(x)` or `xs.extend(ys)`; any other expression alone is refused."""
        match value:
            case ast.Call(ast.Attribute(base, "append"), [item], []):
                place = self.source.place(base)
                method = put(ast.Attribute(self.changed(base), "append", ast.Load()), place)
                return put(ast.Expr(call(method, [self.expr(item)], place)), place)
            case ast.Call(ast.Attribute(base, "extend"), [items], []):
                target = self.changed(base)
                if isinstance(items, ast.GeneratorExp):
                    items = ast.copy_location(ast.ListComp(items.elt, items.generators), items)
                whole = ast.AugAssign(target, ast.Add(), self.expr(items))
                return put(whole, self.source.place(base))
            case ast.Constant(word) if isinstance(word, str) or word is ...:
                return put(ast.Pass(), self.source.place(node))
            case ast.Call(ast.Name() as function, args, keywords) if self.is_observe(function):
                if len(args) != 1 or keywords:
                    self.refuse(
                        value,
                        "observe needs a condition",
                        "Only the runs in which it holds count.",
                        "Write observe(condition).",
                    )
                place = self.source.place(node)
                return put(ast.Expr(put(Observe(self.expr(args[0])), place)), place)
            case ast.Call(ast.Attribute(_, method)) as alone:
                self.refuse_method(alone, method)
            case ast.Yield() | ast.YieldFrom() | ast.Await() | ast.NamedExpr():
                self.outside(value)
        self.expr(value)
        self.refuse(
            value,
            "an expression alone has no effect",
            "A mechanism has no effect but its output.",
            "Assign the value to a variable, or leave the line out.",
        )

    def is_observe(self, function: ast.Name) -> bool:
        """Whether a called name is the word `observe`."""
        if function.id in self.locals or function.id in self.inner:
            return False
        found = self.lookup(function.id)
        return denotes(found) == "observe" if found is not MISSING else function.id == "observe"

    def changed(self, base: ast.expr) -> ast.Name:
        """Return the variable whose list a method changes."""
        if not isinstance(base, ast.Name):
            self.refuse(
                base,
                "a list inside a list cannot be changed in place",
                "Lists are values here; only a variable can be given a new one.",
                "Build the inner list first, then append it.",
            )
        self.pattern(base)
        if base.id not in self.locals:
            self.refuse(
                base,
                f"{base.id} is not a variable and cannot be changed",
                COPY_FIRST,
                f"Copy it to a variable first: `own = list({base.id})`.",
            )
        return base


def _changes(target: ast.expr, base: ast.Name) -> bool:
    """Whether an assignment to a target, or a method on it, changes the list in a variable."""
    while isinstance(target, ast.Subscript):
        target = target.value
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    return any(part is base or (part is not target and _changes(part, base)) for part in parts)


def _stored(target: ast.expr) -> list[ast.Name]:
    """Return the variables that an assignment to a target binds."""
    found = [part for part in nodes(target) if isinstance(part, ast.Name)]
    return [part for part in found if isinstance(part.ctx, ast.Store)]


def _of_python(annotation: ast.expr) -> bool:
    """Whether a declaration names a Python type, such as `int` or `list[int]`.

    Such a declaration has no effect: only a domain is checked.
    """
    whole = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return isinstance(whole, ast.Name) and whole.id in ("dict", "int", "list", "str", "tuple")
