"""Source to program form: expressions and the targets of assignments."""

from __future__ import annotations

import ast
import math
from fractions import Fraction
from typing import NoReturn

from exactdp.language.definition import nodes
from exactdp.language.limits import BITS_LIMIT, NESTING_LIMIT
from exactdp.language.read_names import RULE, NameReader
from exactdp.language.rules import COPY_FIRST, NOT_A_VALUE
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
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
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


METHODS_RULE = (
    "Lists have `index(x)` and `count(x)`, and on a line of their own `append(x)` and `extend(xs)`."
)
_ALONE = "Write it on a line of its own, with one argument."
_INSTEAD_OF_METHOD = {
    "append": _ALONE,
    "extend": _ALONE,
    "clear": "Write `xs = []`.",
    "copy": "Write `list(xs)`.",
    "get": "Write `table[key] if key in table else default`.",
    "insert": "Write `xs = xs[:i] + [x] + xs[i:]`.",
    "items": "Go over the keys: `for key in table`, and read `table[key]`.",
    "keys": "Go over the table itself: `for key in table`.",
    "pop": "Write `x = xs[-1]`, then `xs = xs[:-1]`.",
    "remove": "Write `xs = [x for x in xs if x != gone]`.",
    "reverse": "Write `xs = xs[::-1]`.",
    "sort": "Write `xs = sorted(xs)`.",
    "values": "Go over the keys: `for key in table`, and read `table[key]`.",
}
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
                    self.refuse(
                        base,
                        f"{name} is a constant and cannot be changed",
                        COPY_FIRST,
                        f"Copy it to a variable first: `own = list({name})`.",
                    )
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
                self.refuse(
                    node,
                    "a slice cannot be assigned",
                    "Only a variable or one entry of a list can be assigned.",
                    "Build a new list: `xs = xs[:i] + [x] + xs[i + 1:]`.",
                )
            case ast.Attribute():
                self.refuse(node, "an attribute cannot be assigned", RULE, "Use a variable.")
        self.outside(node)

    def expr(self, node: ast.expr) -> Expr:
        """Return an expression."""
        self.depth += 1
        if self.depth > NESTING_LIMIT:
            self.refuse(
                node,
                "expressions are nested too deeply",
                f"At most {NESTING_LIMIT} expressions and blocks stand inside each other.",
                "Assign parts of it to variables first.",
            )
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
                    self.refuse(
                        node, "the operator ~ is not in the language", RULE, "Write -x - 1."
                    )
                return Unary(_UNARY[type(op)], self.expr(operand), place=place)
            case ast.BinOp(left, op, right):
                symbol = self.operator(op, node)
                return Binary(symbol, self.expr(left), self.expr(right), place=place)
            case ast.BoolOp(op, values):
                word = "and" if isinstance(op, ast.And) else "or"
                return Boolean(word, self.exprs(values), place=place)
            case ast.Compare(left, ops, comparators):
                first = self.expr(left)
                rest = tuple(
                    (_COMPARE[type(op)], self.compared(op, part))
                    for op, part in zip(ops, comparators, strict=True)
                )
                return Comparison(first, rest, place=place)
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
            case ast.Dict(keys, values):
                pairs = tuple(self.pair(*both) for both in zip(keys, values, strict=True))
                return self.dictionary(Sequence(pairs, True, place=place))
            case ast.DictComp(key, value, generators):
                element = ast.copy_location(ast.Tuple([key, value], ast.Load()), key)
                return self.dictionary(self.comprehension(node, element, generators))
            case ast.ListComp(element, generators):
                return self.comprehension(node, element, generators)
            case ast.GeneratorExp():
                self.once(node, "a generator", "[… for …]")
            case ast.Lambda():
                self.refuse(
                    node,
                    "a lambda can only be handed to a function",
                    "It is not a value: write it where it is used, as in `key=lambda x: -x`.",
                    "Define a function before the mechanism; @ideal if it works on noise.",
                )
            case ast.Attribute():
                return self.value_name(node)
        self.outside(node)

    def compared(self, op: ast.cmpop, node: ast.expr) -> Expr:
        """Return the right side of a comparison; after `in` a set is a list of its entries."""
        if isinstance(op, ast.In | ast.NotIn) and isinstance(node, ast.Set):
            return Sequence(self.exprs(node.elts), False, place=self.source.place(node))
        return self.expr(node)

    def pair(self, key: ast.expr | None, value: ast.expr) -> Sequence:
        """Return an entry of a dictionary as a tuple."""
        if key is None:
            self.refuse(
                value,
                "** in a dictionary is not in the language",
                RULE,
                "Name the values one by one.",
            )
        return Sequence(self.exprs([key, value]), False, place=self.source.place(key))

    @staticmethod
    def dictionary(pairs: Expr) -> Call:
        """Return `{key: value, …}`, which is a call of `dict` with its pairs."""
        return Call(Name("dict", place=pairs.place), (pairs,), place=pairs.place)

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
        if type(op) not in _BINARY:
            self.refuse(
                node,
                "the operator @ is not in the language",
                RULE,
                "Write the products out: `sum(a[i] * b[i] for i in range(n))`.",
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
                    self.refuse(
                        node,
                        "this number is too large",
                        "A decimal is read exactly, up to an exponent of four digits.",
                        "Write inf for infinity.",
                    )
                number = Fraction(repr(value))
            exact = plain(number)
            if isinstance(exact, Fraction):
                self.notes.append(f"line {place.line}: {text} is read as the decimal {exact}")
            return Literal(exact, text, place=place)
        if isinstance(value, int) and value.bit_length() > BITS_LIMIT:
            self.refuse(
                node,
                f"this number has more than {BITS_LIMIT:,} bits",
                f"Numbers have at most {BITS_LIMIT:,} bits.",
                "Write a smaller number.",
            )
        if isinstance(value, bool | int | str) or value is None:
            return Literal(value, place=place)
        what = {"complex": "a complex number", "bytes": "bytes", "ellipsis": "..."}
        self.refuse(
            node,
            f"{what.get(type(value).__name__, 'this')} is not in the language",
            RULE,
            "Use an int, a decimal, a string, True, False or None.",
        )

    def value_name(self, node: ast.expr) -> Name:
        """Return a name that stands for a value."""
        name = self.resolve(node)
        if name.id in SAMPLERS or name.id in ("Real", "Dom", "exp"):
            self.refuse(node, f"{name.id} is not a value", NOT_A_VALUE, f"Call it: {name.id}(…).")
        return name

    def comprehension(
        self, node: ast.expr, element: ast.expr, generators: list[ast.comprehension]
    ) -> Comprehension:
        """Return a comprehension; its variables are its own."""
        kept = len(self.inner)
        clauses = []
        for generator in generators:
            if generator.is_async:
                self.refuse(
                    node,
                    "an async comprehension is not in the language",
                    RULE,
                    "Leave `async` out.",
                )
            items = self.iterated(generator.iter)
            self.inner.extend(sorted(_names(generator.target)))
            target = self.pattern(generator.target)
            if any(isinstance(part, Index) for part in nodes(target)):
                self.refuse(
                    generator.target,
                    "a comprehension goes over plain variables",
                    RULE,
                    "Use a variable of its own, or a `for` loop.",
                )
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
            self.refuse(
                node,
                "a lambda here has plain parameters only",
                RULE,
                "Leave out *, ** and default values.",
            )
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
                self.refuse(
                    keyword.value,
                    "** in a call is not in the language",
                    RULE,
                    "Name the arguments one by one.",
                )
        match node.func:
            case ast.Attribute(base, method) if not self.is_module_name(base):
                return self.method(node, base, method)
            case ast.Name() | ast.Attribute():
                name = self.resolve(node.func)
            case _:
                self.refuse(
                    node.func,
                    "only a named function can be called",
                    RULE,
                    "Define the function before the mechanism and call it by its name.",
                )
        place = self.source.place(node)
        if name.id in self.inner or name.id in self.locals:
            self.refuse(
                node.func,
                f"{name.id} is a variable and cannot be called",
                "Functions come from outside the mechanism.",
                f"Rename the variable {name.id}, or the function.",
            )
        if name.id in SAMPLERS:
            return self.sample(name.id, node)
        if name.id in VALUES or name.id in ("Real", "Dom"):
            self.refuse(
                node.func,
                f"{name.id} cannot be called in a mechanism",
                "eps and inf are values; Real and Dom stand in the types of inputs.",
                f"Leave the call out: `{name.id}`.",
            )
        args = tuple(self.argument(arg) for arg in node.args)
        keywords = tuple((str(item.arg), self.argument(item.value)) for item in node.keywords)
        return Call(name, args, keywords, place=place)

    def method(self, node: ast.Call, base: ast.expr, method: str) -> Method:
        """Return `xs.index(x)` or `xs.count(x)`."""
        if method not in ("index", "count") or len(node.args) != 1 or node.keywords:
            self.refuse_method(node, method)
        return Method(self.expr(base), method, self.exprs(node.args), place=self.source.place(node))

    def refuse_method(self, node: ast.Call, method: str) -> NoReturn:
        """Refuse a method that the language does not have, or not here."""
        self.refuse_sampler(node, ast.unparse(node.func))
        self.refuse(
            node,
            f"the method {method} is not in the language here",
            METHODS_RULE,
            _INSTEAD_OF_METHOD.get(method, "Call a Python function of finite values instead."),
        )

    def sample(self, word: str, node: ast.Call) -> Draw | ExpMech | Choose:
        """Return a sampling call."""
        usage = SAMPLERS[word].usage
        place = self.source.place(node)
        if word == "choose":
            return self.choose(node, usage)
        if word == "expmech":
            found = self.arguments(node, ("rate", "score", "candidates"), usage)
            if len(found) != 3 or "scale" in found:
                self.refuse(
                    node,
                    "expmech needs a rate, a score and candidates",
                    "It picks a candidate with weight exp(rate · score).",
                    f"Write {usage}.",
                )
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
                "Noise is given by its rate a·eps or by its scale 1/(a·eps).",
                f"Write {usage} or {word}(scale=b / eps, {mean_name}=…).",
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
            self.refuse(
                node.args[len(positional)],
                "one argument too many",
                f"The arguments are {', '.join(names)}.",
                f"Write {usage}.",
            )
        found: dict[str, ast.expr] = dict(zip(positional, node.args, strict=False))
        for keyword in node.keywords:
            name = str(keyword.arg)
            if name not in names or name in found:
                self.refuse(
                    keyword.value,
                    f"unknown or repeated argument {name}",
                    f"The arguments are {', '.join(names)}.",
                    f"Write {usage}.",
                )
            found[name] = keyword.value
        return found

    def choose(self, node: ast.Call, usage: str) -> Choose:
        """Return `choose({value: probability, …})`."""
        match node:
            case ast.Call(_, [ast.Dict(keys, values)], []):
                pairs = [self.pair(*both).items for both in zip(keys, values, strict=True)]
                if not pairs:
                    self.refuse(
                        node,
                        "choose needs at least one value",
                        "choose picks one of its values.",
                        f"Write {usage}.",
                    )
                outcomes = tuple((value, chance) for value, chance in pairs)
                return Choose(outcomes, place=self.source.place(node))
            case ast.Call(_, [ast.DictComp() | ast.Name() as table], []):
                return Choose((), self.expr(table), place=self.source.place(node))
        self.refuse(
            node,
            "choose takes the values with their probabilities",
            "Probabilities are rational in eps and exp(q * eps).",
            f"Write {usage}.",
        )


def _names(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}
