"""Reading: expressions, calls, and the targets of assignments."""

from __future__ import annotations

import ast
import math
from fractions import Fraction
from typing import NoReturn

from exactdp.language.limits import BITS_LIMIT, NESTING_LIMIT
from exactdp.language.read_names import RULE, NameReader
from exactdp.language.rules import COPY_FIRST, NOT_A_VALUE
from exactdp.language.tree import (
    SYMBOLS,
    Choose,
    Comprehension,
    ExpMech,
    NoiseCall,
    call,
    called,
    constant,
    list_of,
    name,
    nodes,
    pair,
    parameters,
    put,
    rebuilt,
)
from exactdp.language.values import plain, read_decimal
from exactdp.language.words import NOISES, SAMPLERS, VALUES

#: Nodes that are rebuilt from their parts, without a rule of their own.
_PLAIN = (
    ast.BinOp,
    ast.BoolOp,
    ast.Compare,
    ast.IfExp,
    ast.List,
    ast.Subscript,
    ast.Tuple,
    ast.UnaryOp,
)

_ITERATORS = ("enumerate", "zip", "reversed")
METHODS_RULE = (
    "Lists have `index(x)` and `count(x)`, and on a line of their own `append(x)` and `extend(xs)`."
)
_ALONE = "Write it on a line of its own, with one argument."
_LISTED = {
    "keys": "[key_of for key_of in {0}]",
    "values": "[{0}[key_of] for key_of in {0}]",
    "items": "[(key_of, {0}[key_of]) for key_of in {0}]",
}
"""The methods of a dictionary that list it, as comprehensions."""

_INSTEAD_OF_METHOD = {
    "append": _ALONE,
    "argmax": "Write max(range(len(xs)), key=lambda i: xs[i]).",
    "argmin": "Write min(range(len(xs)), key=lambda i: xs[i]).",
    "extend": _ALONE,
    "max": "Write max(xs).",
    "mean": "Write sum(xs) / len(xs).",
    "min": "Write min(xs).",
    "sum": "Write sum(xs).",
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
#: Nodes that are certainly not dictionaries.
_NO_TABLE = (ast.List, ast.Tuple, ast.Set, ast.ListComp, ast.GeneratorExp, ast.Constant)


class ExpressionReader(NameReader):
    """Reads expressions."""

    def pattern(self, node: ast.expr) -> ast.expr:
        """Return the target of an assignment."""
        place = self.source.place(node)
        match node:
            case ast.Name(word):
                self.check_name(word, node)
                return put(node, place)
            case ast.Tuple(items) | ast.List(items):
                return put(ast.Tuple([self.pattern(item) for item in items], node.ctx), place)
            case ast.Subscript(ast.Name(word) as base, index) if not isinstance(index, ast.Slice):
                if word not in self.locals:
                    self.refuse(
                        base,
                        f"{word} is a constant and cannot be changed",
                        COPY_FIRST,
                        f"Copy it to a variable first: `own = list({word})`.",
                    )
                left = put(base, self.source.place(base))
                return put(ast.Subscript(left, self.expr(index), node.ctx), place)
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

    def expr(self, node: ast.expr) -> ast.expr:
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

    def exprs(self, found: list[ast.expr]) -> list[ast.expr]:
        """Return expressions in order."""
        return [self.expr(node) for node in found]

    def expression(self, node: ast.expr) -> ast.expr:
        """Return an expression of any kind."""
        match node:
            case ast.Constant():
                return self.literal(node)
            case ast.Name() | ast.Attribute():
                return self.value_name(node)
            case ast.Call():
                found = self.call(node)
                if called(found) in _ITERATORS and called(found) not in self.constants:
                    self.once(node, called(found), f"list({called(found)}(…))")
                return found
            case ast.ListComp():
                return self.comprehension(node, node.elt, node.generators)
        place = self.source.place(node)
        match node:
            case ast.UnaryOp(ast.Invert()):
                self.refuse(node, "the operator ~ is not in the language", RULE, "Write -x - 1.")
            case ast.BinOp(_, op):
                self.operator(op, node)
            case ast.Compare(left, ops, parts):
                # After `in` a set is equivalent to a tuple of its entries.
                sides = [_entries(*both) for both in zip(ops, parts, strict=True)]
                node = ast.Compare(left, ops, sides)
            case ast.Subscript(value, ast.Slice() as ends, context):
                base = self.expr(value)
                return put(ast.Subscript(base, rebuilt(ends, self.expr, place), context), place)
            case ast.Dict(keys, values):
                pairs: list[ast.expr] = [
                    self.pair(*both) for both in zip(keys, values, strict=True)
                ]
                return call(name("dict", place), [list_of(pairs, place)], place)
            case ast.DictComp(key, value, generators):
                element = ast.copy_location(ast.Tuple([key, value], ast.Load()), key)
                return call(
                    name("dict", place), [self.comprehension(node, element, generators)], place
                )
            case ast.GeneratorExp():
                self.once(node, "a generator", "[… for …]")
            case ast.Lambda():
                self.refuse(
                    node,
                    "a lambda can only be handed to a function",
                    "It is not a value: write it where it is used, as in `key=lambda x: -x`.",
                    "Define a function before the mechanism; @ideal if it works on noise.",
                )
        if not isinstance(node, _PLAIN):
            self.outside(node)
        return rebuilt(node, self.expr, place)

    def pair(self, key: ast.expr | None, value: ast.expr) -> ast.Tuple:
        """Return an entry of a dictionary as a tuple."""
        if key is None:
            self.refuse(
                value,
                "** in a dictionary is not in the language",
                RULE,
                "Name the values one by one.",
            )
        return pair(self.expr(key), self.expr(value), self.source.place(key))

    def argument(self, node: ast.expr) -> ast.expr:
        """Return an argument of a function, which may be a lambda or generator."""
        match node:
            case ast.Lambda():
                return self.lambda_(node)
            case ast.Name(word) if word in self.nested and word not in self.inner:
                self.closure(word, node)
                return self.lambda_(self.as_lambda(node, self.nested[word].node))
            case ast.GeneratorExp(element, generators):
                return self.comprehension(node, element, generators)
        return self.iterated(node)

    def iterated(self, node: ast.expr) -> ast.expr:
        """Return an expression that is iterated at once; it may be enumerate, zip or reversed."""
        return self.call(node) if isinstance(node, ast.Call) else self.expr(node)

    def once(self, node: ast.expr, what: str, instead: str) -> NoReturn:
        """Refuse to store an iterator, which yields its items only once."""
        self.refuse(
            node,
            f"{what} gives its items only once and is not a value",
            "It can stand where its items are gone over: after `in`, or in a call.",
            f"Write {instead}.",
        )

    def operator(self, op: ast.operator, node: ast.AST) -> str:
        """Return the symbol of an operator."""
        if isinstance(op, ast.MatMult):
            self.refuse(
                node,
                "the operator @ is not in the language",
                RULE,
                "Write the products out: `sum(a[i] * b[i] for i in range(n))`.",
            )
        return SYMBOLS[type(op)]

    def literal(self, node: ast.Constant) -> ast.Constant:
        """Return a literal; a float is read as the decimal written."""
        value, place = node.value, self.source.place(node)
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
            found = constant(exact, place)
            found.kind = text
            return found
        if isinstance(value, int) and value.bit_length() > BITS_LIMIT:
            self.refuse(
                node,
                f"this number has more than {BITS_LIMIT:,} bits",
                f"Numbers have at most {BITS_LIMIT:,} bits.",
                "Write a smaller number.",
            )
        if isinstance(value, bool | int | str) or value is None:
            return constant(value, place)
        what = {"complex": "a complex number", "bytes": "bytes", "ellipsis": "..."}
        self.refuse(
            node,
            f"{what.get(type(value).__name__, 'this')} is not in the language",
            RULE,
            "Use an int, a decimal, a string, True, False or None.",
        )

    def value_name(self, node: ast.expr) -> ast.Name:
        """Return a name that stands for a value."""
        found = self.resolve(node)
        if found.id in SAMPLERS or found.id in ("Real", "Dom", "exp", "log"):
            self.refuse(node, f"{found.id} is not a value", NOT_A_VALUE, f"Call it: {found.id}(…).")
        return found

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
                    "Leave out `async`.",
                )
            items = self.iterated(generator.iter)
            self.inner.extend(sorted(_names(generator.target)))
            target = self.pattern(generator.target)
            if any(isinstance(part, ast.Subscript) for part in nodes(target)):
                self.refuse(
                    generator.target,
                    "the targets of a comprehension are plain variables",
                    RULE,
                    "Use a variable of its own, or a `for` loop.",
                )
            clause = ast.comprehension(target, items, self.exprs(generator.ifs), 0)
            between = self.source.place(generator.target, until=generator.iter)
            clauses.append(put(clause, between))
        value = self.expr(element)
        del self.inner[kept:]
        make = ast.ListComp if isinstance(node, ast.ListComp) else ast.GeneratorExp
        return put(make(value, clauses), self.source.place(node))

    def lambda_(self, node: ast.Lambda) -> ast.Lambda:
        """Return a lambda of plain parameters."""
        args = node.args
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
        for arg in args.args:
            self.check_name(arg.arg, arg)
        kept = len(self.inner)
        self.inner.extend(parameters(node))
        inside = self.expr(node.body)
        del self.inner[kept:]
        return put(ast.Lambda(args, inside), self.source.place(node))

    def as_lambda(self, where: ast.expr, node: ast.FunctionDef) -> ast.Lambda:
        """Return a nested function passed as an argument: `lambda x: name(x)`."""
        given = node.args.args
        match node.body:
            case [ast.Return(ast.expr() as value)]:
                body = value
            case _:
                own: list[ast.expr] = [ast.Name(one.arg, ast.Load()) for one in given]
                body = ast.Call(ast.Name(node.name, ast.Load()), own, [])
                for part in (*own, body.func, body):
                    ast.copy_location(part, where)
        found = ast.Lambda(node.args, body)
        return ast.copy_location(found, where)

    # Calls ----------------------------------------------------------------------------

    def call(self, node: ast.Call) -> ast.expr:
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
                function = self.resolve(node.func)
            case _:
                self.refuse(
                    node.func,
                    "only a named function can be called",
                    RULE,
                    "Define the function before the mechanism and call it by its name.",
                )
        word = function.id
        if word in self.inner or word in self.locals:
            self.refuse(
                node.func,
                f"{word} is a variable and cannot be called",
                "Functions come from outside the mechanism.",
                f"Rename the variable {word}, or the function.",
            )
        if word in SAMPLERS:
            return self.sample(word, node)
        if word in VALUES or word in ("Real", "Dom"):
            self.refuse(
                node.func,
                f"{word} cannot be called in a mechanism",
                "eps and inf are values; Real and Dom stand in the types of inputs.",
                f"Leave the call out: `{word}`.",
            )
        args, place = [self.argument(arg) for arg in node.args], self.source.place(node)
        named = [rebuilt(item, self.argument, place) for item in node.keywords]
        if word in self.nested:
            named += [
                put(ast.keyword(used, name(used, place)), place)
                for used in self.closure(word, node.func)
            ]
        return put(ast.Call(function, args, named), place)

    def method(self, node: ast.Call, base: ast.expr, method: str) -> ast.expr:
        """Return `xs.index(x)` or `xs.count(x)`; what `values` and `items` of a table list."""
        if method in _LISTED and isinstance(base, ast.Name) and not (node.args or node.keywords):
            listed = ast.parse(_LISTED[method].format(base.id), mode="eval").body
            for part in ast.walk(listed):
                ast.copy_location(part, node)
            return self.expr(listed)
        if method not in ("index", "count") or len(node.args) != 1 or node.keywords:
            self.refuse_method(node, method)
        place = self.source.place(node)
        function = put(ast.Attribute(self.expr(base), method, ast.Load()), place)
        return call(function, self.exprs(node.args), place)

    def refuse_method(self, node: ast.Call, method: str) -> NoReturn:
        """Refuse a method that the language does not have, or that is not allowed here."""
        self.refuse_sampler(node, ast.unparse(node.func))
        self.refuse(
            node,
            f"the method {method} is not in the language here",
            METHODS_RULE,
            _INSTEAD_OF_METHOD.get(method, "Call a Python function of finite values instead."),
        )

    def sample(self, word: str, node: ast.Call) -> NoiseCall | ExpMech | Choose:
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
            return put(ExpMech(*[self.argument(found[part]) for part in ExpMech._fields]), place)
        if word == "observe":
            self.refuse(
                node,
                "observe has no value",
                "It is a statement of its own: only the runs in which its condition holds count.",
                "Write observe(condition) on a line of its own.",
            )
        if word == "bernoulli":
            return self.bernoulli(node, usage)
        if NOISES[word].has_ends:
            found = self.arguments(node, ("lo", "hi"), usage)
            if len(found) != 2:
                self.refuse(
                    node,
                    f"{word} needs two ends",
                    "Uniform noise lies between its ends.",
                    f"Write {usage}.",
                )
            return put(
                NoiseCall(word, self.expr(found["lo"]), self.expr(found["hi"]), False), place
            )
        mean_name = NOISES[word].second
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
        mean = self.expr(found[mean_name]) if mean_name in found else constant(0, place)
        return put(NoiseCall(word, rate, mean, by_scale), place)

    def bernoulli(self, node: ast.Call, usage: str) -> Choose:
        """Return `bernoulli(p)` as `choose({1: p, 0: 1 - p})`."""
        found = self.arguments(node, ("p",), usage)
        if not found:
            self.refuse(
                node,
                "bernoulli needs a probability",
                "bernoulli is 1 with a probability, else 0.",
                f"Write {usage}, such as bernoulli(exp(eps) / (1 + exp(eps))).",
            )
        place = self.source.place(node)
        yes = self.expr(found["p"])
        no = put(ast.BinOp(constant(1, place), ast.Sub(), yes), place)
        pairs = [pair(constant(1, place), yes, place), pair(constant(0, place), no, place)]
        return put(Choose(pairs, None), place)

    def arguments(self, node: ast.Call, names: tuple[str, ...], usage: str) -> dict[str, ast.expr]:
        """Return the arguments of a sampler by name; the last one of lap is keyword-only."""
        positional = tuple(word for word in names if word != "scale")
        if len(node.args) > len(positional):
            self.refuse(
                node.args[len(positional)],
                "one argument too many",
                f"The arguments are {', '.join(names)}.",
                f"Write {usage}.",
            )
        found: dict[str, ast.expr] = dict(zip(positional, node.args, strict=False))
        for keyword in node.keywords:
            word = str(keyword.arg)
            if word not in names or word in found:
                self.refuse(
                    keyword.value,
                    f"unknown or repeated argument {word}",
                    f"The arguments are {', '.join(names)}.",
                    f"Write {usage}.",
                )
            found[word] = keyword.value
        return found

    def choose(self, node: ast.Call, usage: str) -> Choose:
        """Return `choose({value: probability, …})`."""
        match node:
            case ast.Call(_, [ast.Dict(keys, values)], []):
                pairs = [self.pair(*both) for both in zip(keys, values, strict=True)]
                if not pairs:
                    self.refuse(
                        node,
                        "choose needs at least one value",
                        "choose picks one of its values.",
                        f"Write {usage}.",
                    )
                return put(Choose(pairs, None), self.source.place(node))
            case ast.Call(_, [table], []) if not isinstance(table, _NO_TABLE):
                return put(Choose([], self.expr(table)), self.source.place(node))
        self.refuse(
            node,
            "choose takes the values with their probabilities",
            "Probabilities are rational in eps and exp(q * eps).",
            f"Write {usage}.",
        )


def _names(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def _entries(op: ast.cmpop, part: ast.expr) -> ast.expr:
    """Return the right side of a comparison, a set after `in` as a tuple."""
    if isinstance(op, ast.In | ast.NotIn) and isinstance(part, ast.Set):
        return ast.copy_location(ast.Tuple(part.elts, ast.Load()), part)
    return part
