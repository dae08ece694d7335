"""Source to program form: expressions and the targets of assignments."""

from __future__ import annotations

import ast
import math
from fractions import Fraction
from typing import NoReturn

from exactdp.language.definition import nodes
from exactdp.language.limits import BITS_LIMIT, NESTING_LIMIT
from exactdp.language.read_names import RULE, NameReader
from exactdp.language.syntax import (
    Binary,
    Boolean,
    Call,
    Choose,
    Clause,
    Comparison,
    Comprehension,
    Conditional,
    Draw,
    ExpMech,
    Expr,
    Index,
    Lambda,
    Literal,
    Method,
    Name,
    Pattern,
    Sequence,
    Slice,
    Targets,
    Unary,
)
from exactdp.language.values import plain, read_decimal
from exactdp.language.words import SAMPLERS, VALUES

_BINARY = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
}
_COMPARE = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.GtE: ">=",
    ast.Gt: ">",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
_UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Not: "not"}


_ITERATORS = ("enumerate", "zip", "reversed")


class ExpressionReader(NameReader):
    """Reads expressions."""

    def pattern(self, node: ast.expr) -> Pattern:
        """Return the target of an assignment."""
        match node:
            case ast.Name(name):
                self.check_name(name, node)
                return Name(name, place=self.source.place(node))
            case ast.Tuple(items) | ast.List(items):
                parts = tuple(self.pattern(item) for item in items)
                return Targets(parts, place=self.source.place(node))
            case ast.Subscript(ast.Name(name) as base, index) if not isinstance(index, ast.Slice):
                if name not in self.locals:
                    self.refuse(base, f"{name} is a constant and cannot be changed")
                left = Name(name, place=self.source.place(base))
                return Index(left, self.expr(index), place=self.source.place(node))
            case ast.Subscript(ast.Subscript()):
                self.refuse(
                    node,
                    "a list inside a list cannot be changed in place",
                    "Lists are values here; only a variable can be given a new one.",
                    "Assign the whole inner list: `rows[i] = [… for …]`.",
                )
            case ast.Subscript():
                self.refuse(node, "a slice cannot be assigned", way_out="Build a new list.")
            case ast.Attribute():
                self.refuse(node, "an attribute cannot be assigned", RULE)
        self.outside(node)

    def expr(self, node: ast.expr) -> Expr:
        """Return an expression."""
        self.depth += 1
        if self.depth > NESTING_LIMIT:
            self.refuse(node, "expressions are nested too deeply", f"At most {NESTING_LIMIT}.")
        found = self.expression(node)
        self.depth -= 1
        return found

    def exprs(self, found: list[ast.expr]) -> tuple[Expr, ...]:
        """Return expressions in order."""
        return tuple(self.expr(node) for node in found)

    def expression(self, node: ast.expr) -> Expr:
        """Return an expression of whatever kind."""
        place = self.source.place(node)
        match node:
            case ast.Constant(value):
                return self.literal(node, value)
            case ast.Name():
                return self.value_name(node)
            case ast.Tuple(items) | ast.List(items):
                return Sequence(self.exprs(items), isinstance(node, ast.List), place=place)
            case ast.UnaryOp(op, operand):
                if type(op) not in _UNARY:
                    self.refuse(node, "the operator ~ is not in the language", RULE)
                return Unary(_UNARY[type(op)], self.expr(operand), place=place)
            case ast.BinOp(left, op, right):
                symbol = self.operator(op, node)
                return Binary(symbol, self.expr(left), self.expr(right), place=place)
            case ast.BoolOp(op, values):
                word = "and" if isinstance(op, ast.And) else "or"
                return Boolean(word, self.exprs(values), place=place)
            case ast.Compare(left, ops, comparators):
                first = self.expr(left)
                rest = zip((_COMPARE[type(op)] for op in ops), self.exprs(comparators), strict=True)
                return Comparison(first, tuple(rest), place=place)
            case ast.IfExp(test, body, orelse):
                condition = self.expr(test)
                return Conditional(condition, self.expr(body), self.expr(orelse), place=place)
            case ast.Subscript(value, ast.Slice(lower, upper, step)):
                parts = (None if part is None else self.expr(part) for part in (lower, upper, step))
                return Slice(self.expr(value), *parts, place=place)
            case ast.Subscript(value, index):
                return Index(self.expr(value), self.expr(index), place=place)
            case ast.Call():
                found = self.call(node)
                name = found.function.id if isinstance(found, Call) else ""
                if name in _ITERATORS and name not in self.constants:
                    self.once(node, name, f"list({name}(…))")
                return found
            case ast.ListComp(element, generators):
                return self.comprehension(node, element, generators)
            case ast.GeneratorExp():
                self.once(node, "a generator", "[… for …]")
            case ast.Lambda():
                self.refuse(
                    node,
                    "a lambda can only be handed to a function",
                    "It is not a value: write it where it is used, as in `key=lambda x: -x`.",
                )
            case ast.Attribute():
                return self.value_name(node)
        self.outside(node)

    def argument(self, node: ast.expr) -> Expr:
        """Return an expression that is handed to a function: it may be a lambda or generator."""
        match node:
            case ast.Lambda(args, body):
                return self.lambda_(node, args, body)
            case ast.GeneratorExp(element, generators):
                return self.comprehension(node, element, generators)
        return self.iterated(node)

    def iterated(self, node: ast.expr) -> Expr:
        """Return what is gone over at once: it may be enumerate, zip or reversed."""
        return self.call(node) if isinstance(node, ast.Call) else self.expr(node)

    def once(self, node: ast.expr, what: str, instead: str) -> NoReturn:
        """Refuse to keep something that gives its items only once."""
        self.refuse(
            node,
            f"{what} gives its items only once and is not a value",
            "It can stand where its items are gone over: after `in`, or in a call.",
            f"Write {instead}.",
        )

    def operator(self, op: ast.operator, node: ast.AST) -> str:
        """Return the symbol of an operator."""
        if isinstance(op, ast.MatMult):
            self.refuse(node, "the operator @ is not in the language", RULE)
        if type(op) not in _BINARY:
            self.refuse(
                node,
                "operators on bits are not in the language",
                RULE,
                "Use and, or, not; + - * / // % **.",
            )
        return _BINARY[type(op)]

    def literal(self, node: ast.Constant, value: object) -> Literal:
        """Return a literal; a float is the decimal that it spells."""
        place = self.source.place(node)
        if isinstance(value, float):
            text = self.source.segment(node).replace("_", "")
            number = read_decimal(text)
            if number is None:
                if math.isinf(value):
                    self.refuse(node, "this number is too large", way_out="Write inf.")
                number = Fraction(repr(value))
            exact = plain(number)
            if isinstance(exact, Fraction):
                self.notes.append(f"line {place.line}: {text} is read as the decimal {exact}")
            return Literal(exact, text, place=place)
        if isinstance(value, int) and value.bit_length() > BITS_LIMIT:
            self.refuse(node, f"this number has more than {BITS_LIMIT:,} bits")
        if isinstance(value, bool | int | str) or value is None:
            return Literal(value, place=place)
        what = {"complex": "a complex number", "bytes": "bytes", "ellipsis": "..."}
        self.refuse(node, f"{what.get(type(value).__name__, 'this')} is not in the language", RULE)

    def value_name(self, node: ast.expr) -> Name:
        """Return a name that stands for a value."""
        name = self.resolve(node)
        if name.id in SAMPLERS or name.id in ("Real", "Dom", "exp"):
            self.refuse(node, f"{name.id} is not a value", way_out=f"Call it: {name.id}(…).")
        return name

    def comprehension(
        self, node: ast.expr, element: ast.expr, generators: list[ast.comprehension]
    ) -> Comprehension:
        """Return a comprehension; its variables are its own."""
        kept = len(self.inner)
        clauses = []
        for generator in generators:
            if generator.is_async:
                self.refuse(node, "an async comprehension is not in the language", RULE)
            items = self.iterated(generator.iter)
            self.inner.extend(sorted(_names(generator.target)))
            target = self.pattern(generator.target)
            if any(isinstance(part, Index) for part in nodes(target)):
                self.refuse(generator.target, "a comprehension goes over plain variables", RULE)
            clauses.append(
                Clause(
                    target,
                    items,
                    self.exprs(generator.ifs),
                    place=self.source.place(generator.target, until=generator.iter),
                )
            )
        value = self.expr(element)
        del self.inner[kept:]
        is_list = isinstance(node, ast.ListComp)
        return Comprehension(value, tuple(clauses), is_list, place=self.source.place(node))

    def lambda_(self, node: ast.expr, args: ast.arguments, body: ast.expr) -> Lambda:
        """Return a lambda of plain parameters."""
        plain_only = not (
            args.vararg or args.kwarg or args.kwonlyargs or args.defaults or args.posonlyargs
        )
        if not plain_only:
            self.refuse(node, "a lambda here has plain parameters only", RULE)
        names = tuple(arg.arg for arg in args.args)
        for arg in args.args:
            self.check_name(arg.arg, arg)
        kept = len(self.inner)
        self.inner.extend(names)
        inside = self.expr(body)
        del self.inner[kept:]
        return Lambda(names, inside, place=self.source.place(node))

    def call(self, node: ast.Call) -> Expr:
        """Return a call: a sampler, a known function, or a method of a list."""
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                self.outside(argument)
        for keyword in node.keywords:
            if keyword.arg is None:
                self.refuse(keyword.value, "** in a call is not in the language", RULE)
        match node.func:
            case ast.Attribute(base, method) if not self.is_module_name(base):
                return self.method(node, base, method)
            case ast.Name() | ast.Attribute():
                name = self.resolve(node.func)
            case _:
                self.refuse(node.func, "only a named function can be called", RULE)
        place = self.source.place(node)
        if name.id in self.inner or name.id in self.locals:
            self.refuse(
                node.func,
                f"{name.id} is a variable and cannot be called",
                "Functions come from outside the mechanism.",
            )
        if name.id in SAMPLERS:
            return self.sample(name.id, node)
        if name.id in VALUES or name.id in ("Real", "Dom"):
            self.refuse(node.func, f"{name.id} cannot be called in a mechanism")
        args = tuple(self.argument(arg) for arg in node.args)
        keywords = tuple((str(item.arg), self.argument(item.value)) for item in node.keywords)
        return Call(name, args, keywords, place=place)

    def method(self, node: ast.Call, base: ast.expr, method: str) -> Method:
        """Return `xs.index(x)` or `xs.count(x)`."""
        if method not in ("index", "count") or len(node.args) != 1 or node.keywords:
            way_out = ""
            if method in ("append", "extend", "insert", "pop", "remove", "sort", "reverse"):
                way_out = "Write `xs.append(x)` on a line of its own, or build a new list."
            self.refuse(
                node,
                f"the method {method} is not in the language here",
                "Lists have `append`, `index` and `count`.",
                way_out,
            )
        return Method(self.expr(base), method, self.exprs(node.args), place=self.source.place(node))

    def sample(self, word: str, node: ast.Call) -> Draw | ExpMech | Choose:
        """Return a sampling call."""
        usage = SAMPLERS[word].usage
        place = self.source.place(node)
        if word == "choose":
            return self.choose(node, usage)
        if word == "expmech":
            found = self.arguments(node, ("rate", "score", "candidates"), usage)
            if len(found) != 3 or "scale" in found:
                self.refuse(node, f"expmech is written {usage}")
            rate, score, candidates = (
                self.argument(found[part]) for part in ("rate", "score", "candidates")
            )
            return ExpMech(rate, score, candidates, place=place)
        mean_name = "start" if word == "expo" else "mean"
        found = self.arguments(node, ("rate", mean_name, "scale"), usage)
        by_scale = "scale" in found
        if by_scale == ("rate" in found):
            self.refuse(
                node,
                f"{word} needs a rate or a scale" + (", not both" if by_scale else ""),
                way_out=f"Write {usage} or {word}(scale=b / eps, {mean_name}=…).",
            )
        rate = self.expr(found["scale" if by_scale else "rate"])
        mean: Expr = Literal(0, place=place)
        if mean_name in found:
            mean = self.expr(found[mean_name])
        return Draw(word, rate, mean, by_scale, place=place)

    def arguments(self, node: ast.Call, names: tuple[str, ...], usage: str) -> dict[str, ast.expr]:
        """Return the arguments of a sampler by name; the last of lap's is by keyword only."""
        positional = tuple(name for name in names if name != "scale")
        if len(node.args) > len(positional):
            self.refuse(node.args[len(positional)], "one argument too many", f"Write {usage}.")
        found: dict[str, ast.expr] = dict(zip(positional, node.args, strict=False))
        for keyword in node.keywords:
            name = str(keyword.arg)
            if name not in names or name in found:
                self.refuse(
                    keyword.value, f"unknown or repeated argument {name}", f"Write {usage}."
                )
            found[name] = keyword.value
        return found

    def choose(self, node: ast.Call, usage: str) -> Choose:
        """Return `choose({value: probability, …})`."""
        match node:
            case ast.Call(_, [ast.Dict(keys, values)], []):
                pairs = []
                for key, value in zip(keys, values, strict=True):
                    if key is None:
                        self.refuse(value, "** in a dictionary is not in the language", RULE)
                    pairs.append((self.expr(key), self.expr(value)))
                if not pairs:
                    self.refuse(node, "choose needs at least one value", f"Write {usage}.")
                return Choose(tuple(pairs), place=self.source.place(node))
        self.refuse(
            node,
            "choose takes the values with their probabilities",
            f"Write {usage}, probabilities rational in eps and exp(q * eps).",
        )


def _names(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}
