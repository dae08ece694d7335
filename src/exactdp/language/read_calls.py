"""Reading: calls of samplers, known functions and methods."""

from __future__ import annotations

import ast
from abc import abstractmethod
from typing import NoReturn

from exactdp.language.read_names import RULE, NameReader
from exactdp.language.tree import (
    Choose,
    ExpMech,
    NoiseCall,
    call,
    constant,
    name,
    pair,
    put,
    rebuilt,
)
from exactdp.language.words import NOISES, SAMPLERS, VALUES

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


class CallReader(NameReader):
    """Reads calls; their parts are expressions."""

    @abstractmethod
    def expr(self, node: ast.expr) -> ast.expr:
        """Return an expression."""

    @abstractmethod
    def exprs(self, found: list[ast.expr]) -> list[ast.expr]:
        """Return several expressions."""

    @abstractmethod
    def argument(self, node: ast.expr) -> ast.expr:
        """Return an argument of a call."""

    @abstractmethod
    def pair(self, key: ast.expr | None, value: ast.expr) -> ast.Tuple:
        """Return an entry of a table."""

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
