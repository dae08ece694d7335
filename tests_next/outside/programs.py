"""Random programs of the language, and what CPython makes of them.

A program is drawn with the kinds of its variables, so that most of them run; it uses every kind of
instruction and every builtin, alone and in combination. Samplers take their outcomes from a tape.
"""

# ruff: noqa: D102, E501, PLR0915

from __future__ import annotations

import ast
import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

NUMBERS = ("int", "number", "bool")


class Draw:
    """Draws one program; `used` counts the forms that it has."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.used: Counter[str] = Counter()
        self.variables: dict[str, str] = {}
        self.count = 0
        self.depth = 0
        self.loops = 0
        self.helpers: dict[str, tuple[int, str]] = {}

    def pick(self, *choices: Any) -> Any:
        return self.rng.choice(choices)

    def form(self, name: str, text: str) -> str:
        """Note a form of the language, and return its text."""
        self.used[name] += 1
        return text

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def known(self, kind: str) -> str | None:
        names = [x for x, k in self.variables.items() if k == kind]
        return self.rng.choice(names) if names else None

    # -- expressions

    def expression(self, kind: str) -> str:
        self.depth += 1
        try:
            name = self.known(kind)
            if self.depth > 4 or self.rng.random() < 0.25:
                return name if name and self.rng.random() < 0.7 else self.literal(kind)
            return str(getattr(self, f"_{kind}")())
        finally:
            self.depth -= 1

    def literal(self, kind: str) -> str:
        match kind:
            case "int":
                return str(self.rng.randint(-4, 6))
            case "number" | "noise":
                return str(self.pick("0.5", "1.25", "-0.1", "3", "1e-2"))
            case "bool":
                return "True" if self.rng.random() < 0.5 else "False"
            case "text":
                return repr(self.pick("", "a", "ab", "xyz"))
            case "list":
                return f"[{', '.join(str(self.rng.randint(-3, 4)) for _ in range(self.rng.randint(1, 4)))}]"
            case "tuple":
                return f"({self.rng.randint(0, 3)}, {self.rng.randint(0, 3)})"
        return "{1: 2, 0: 5}"

    def _int(self) -> str:
        e = self.expression
        a, b, xs = e("int"), e("int"), e("list")
        forms: list[tuple[str, Callable[[], str]]] = [
            ("+", lambda: f"({a} + {b})"),
            ("-", lambda: f"({a} - {b})"),
            ("*", lambda: f"({a} * {b})"),
            ("//", lambda: f"({a} // {self.pick(b, 3, -3)})"),
            ("%", lambda: f"({a} % {self.pick(b, 3, -3)})"),
            ("**", lambda: f"(({a}) ** {self.pick(0, 1, 2)})"),
            ("neg", lambda: f"(-{a})"),
            ("pos", lambda: f"(+{a})"),
            ("bits", lambda: f"({a} {self.pick('&', '|', '^')} {b})"),
            ("shift", lambda: f"({a} {self.pick('<<', '>>')} {self.pick(1, 2)})"),
            ("index", lambda: f"{xs}[{self.pick(0, -1, a)}]"),
            ("len", lambda: f"len({e(self.pick('list', 'text', 'tuple', 'table'))})"),
            ("sum", lambda: f"sum({xs})"),
            ("max", lambda: f"max({self.pick(xs, f'{a}, {b}', f'{a}, {b}, 2')})"),
            ("min", lambda: f"min({self.pick(xs, f'{a}, {b}')})"),
            ("key", lambda: f"{self.pick('max', 'min')}({xs}, key=lambda y: {self.body_of('y')})"),
            ("abs", lambda: f"abs({a})"),
            ("int", lambda: f"int({e(self.pick('number', 'bool'))})"),
            ("round", lambda: f"round({e('number')})"),
            ("count", lambda: f"{xs}.count({a})"),
            ("position", lambda: f"{xs}.index({self.pick(a, f'{xs}[0]')})"),
            ("if", lambda: f"({a} if {e('bool')} else {b})"),
            ("and", lambda: f"({a} {self.pick('and', 'or')} {b})"),
            ("tuple index", lambda: f"{e('tuple')}[{self.pick(0, 1, -1)}]"),
            ("table", lambda: f"{e('table')}[{self.pick(0, 1, 1, a)}]"),
            ("divmod", lambda: f"divmod({a}, {self.pick(3, -2, b)})[{self.pick(0, 1)}]"),
            ("generator", lambda: f"sum(y * {a} for y in {xs} if y != {b})"),
            ("sample", lambda: self.sample(e("int"))),
            ("helper", self.helper_call),
        ]
        return self.one_of(forms)

    def one_of(self, forms: list[tuple[str, Callable[[], str]]]) -> str:
        name, text = self.rng.choice(forms)
        return self.form(name, text())

    def body_of(self, y: str) -> str:
        return str(self.pick(f"-{y}", f"{y} % 3", f"abs({y} - 1)", f"({y} > 0, {y})", y))

    def sample(self, mean: str) -> str:
        kind = self.pick("choose", "expmech", "bernoulli")
        match kind:
            case "choose":
                a, b = self.rng.randint(-2, 0), self.rng.randint(1, 3)
                p = self.pick("0.5", "1 / 3", "exp(-eps)")
                return f"choose({{{a}: {p}, {b}: 1 - {p}}})"
            case "expmech":
                return f"expmech(eps / 2, lambda c: -abs(c - {mean}), {self.pick('range(4)', '[3, 1, 2]')})"
        return "bernoulli(1 / 4)"

    def helper_call(self) -> str:
        if not self.helpers:
            return "7"
        name = self.pick(*self.helpers)
        size, _ = self.helpers[name]
        args = [self.expression("int") for _ in range(size)]
        if size == 2 and self.rng.random() < 0.3:
            return f"{name}({args[0]})"
        if size == 2 and self.rng.random() < 0.3:
            return f"{name}(b={args[0]}, a={args[1]})"
        return f"{name}({', '.join(args)})"

    def _number(self) -> str:
        e = self.expression
        a, b = e("number"), e(self.pick("int", "number"))
        return self.one_of(
            [
                ("/", lambda: f"({a} / {self.pick(b, 3, 7)})"),
                ("+ number", lambda: f"({a} {self.pick('+', '-', '*')} {b})"),
                ("int / int", lambda: f"({e('int')} / {self.pick(4, -3, b)})"),
                ("// number", lambda: f"({a} // {self.pick(b, 2)})"),
                ("% number", lambda: f"({a} % {self.pick(b, 2, -0.5)})"),
                ("Fraction", lambda: f"Fraction({e('int')}, {self.pick(3, 5, e('int'))})"),
                ("round digits", lambda: f"round({a}, {self.pick(1, 2)})"),
                ("max numbers", lambda: f"{self.pick('max', 'min')}({a}, {b}, 1)"),
            ]
        )

    def _noise(self) -> str:
        e = self.expression
        r, c = e("noise"), e(self.pick("int", "number"))
        return self.one_of(
            [
                ("lap", lambda: f"lap({self.pick('eps', 'eps / 2')}, {self.pick(c, r)})"),
                ("scale", lambda: f"lap(scale=2 / eps, mean={c})"),
                ("expo", lambda: f"expo(eps, {self.pick(c, r)})"),
                ("unif", lambda: "unif(-1, 1 / 2)"),
                ("dlap", lambda: f"dlap(eps, {e('int')})"),
                ("geometric", lambda: f"geometric(eps, {e('int')})"),
                (
                    "noise + number",
                    lambda: f"({r} {self.pick('+', '-')} {self.pick(c, e('noise'))})",
                ),
                ("noise * number", lambda: f"({r} * {c})"),
                ("number * noise", lambda: f"({c} * {r})"),
                ("noise / number", lambda: f"({r} / {self.pick(2, -3, c)})"),
                ("neg noise", lambda: f"(-{r})"),
                ("max noise", lambda: f"{self.pick('max', 'min')}({r}, {c}, {e('noise')})"),
                ("abs noise", lambda: f"abs({r})"),
                ("sum noise", lambda: f"sum([{r}, {c}])"),
                ("sum of noise", lambda: f"sum(y + {r} for y in {e('list')})"),
                ("list of noise", lambda: f"sorted([{r}, {e('noise')}])[{self.pick(0, -1)}]"),
                ("noise by key", lambda: f"max([{r}, {c}], key=lambda y: -y)"),
                ("noise if", lambda: f"({r} if {e('bool')} else {c})"),
            ]
        )

    def _bool(self) -> str:
        e = self.expression
        a, b, xs = e("int"), e(self.pick("int", "number", "noise")), e("list")
        op = self.pick("<", "<=", "==", "!=", ">=", ">")
        return self.one_of(
            [
                ("compare", lambda: f"({a} {op} {b})"),
                ("chain", lambda: f"({a} {op} {b} {self.pick('<', '>=', '!=')} {e('int')})"),
                ("not", lambda: f"(not {e(self.pick('bool', 'int', 'list', 'text'))})"),
                ("and bool", lambda: f"({e('bool')} {self.pick('and', 'or')} {e('bool')})"),
                ("in", lambda: f"({a} {self.pick('in', 'not in')} {xs})"),
                ("noise in", lambda: f"({e('noise')} in [{a}, {e('noise')}])"),
                ("noise chain", lambda: f"({a} < {e('noise')} {op} {b})"),
                ("any noise", lambda: f"any(y {op} {a} for y in [{e('noise')}, {b}])"),
                ("in range", lambda: f"({a} in range({e('int')}))"),
                ("in text", lambda: f"({e('text')} in {e('text')})"),
                ("in table", lambda: f"({a} in {e('table')})"),
                ("any", lambda: f"{self.pick('any', 'all')}(y {op} {a} for y in {xs})"),
                ("any list", lambda: f"{self.pick('any', 'all')}({xs})"),
                ("is None", lambda: f"({a} {self.pick('is', 'is not')} None)"),
                ("is bool", lambda: f"({e('bool')} is {e('bool')})"),
                ("bool", lambda: f"bool({e(self.pick('int', 'list', 'text', 'tuple'))})"),
                ("compare lists", lambda: f"({xs} {self.pick('==', '<', '>=')} {e('list')})"),
                ("compare texts", lambda: f"({e('text')} {op} {e('text')})"),
                ("compare tuples", lambda: f"({e('tuple')} {op} {e('tuple')})"),
                ("list is no tuple", lambda: f"({xs} == {e('tuple')})"),
            ]
        )

    def _text(self) -> str:
        e = self.expression
        return self.one_of(
            [
                ("str", lambda: f"str({e(self.pick('int', 'bool', 'text', 'list', 'tuple'))})"),
                ("+ text", lambda: f"({e('text')} + {e('text')})"),
                ("* text", lambda: f"({e('text')} * {self.pick(0, 2, e('int'))})"),
                ("text index", lambda: f"(({e('text')} + 'q')[0])"),
                ("text slice", lambda: f"{e('text')}[{self.pick('', 1, -2)}:{self.pick('', 2)}]"),
            ]
        )

    def _list(self) -> str:
        e = self.expression
        xs, a = e("list"), e("int")
        ends = f"{self.pick('', 1, -2, a)}:{self.pick('', 2, -1)}:{self.pick('', 1, 2, -1)}"
        return self.one_of(
            [
                ("list", lambda: f"[{a}, {e('int')}]"),
                ("+ list", lambda: f"({xs} + {e('list')})"),
                ("* list", lambda: f"({xs} * {self.pick(0, 2)})"),
                ("slice", lambda: f"{xs}[{ends}]"),
                ("sorted", lambda: f"sorted({xs}{self.pick('', ', reverse=True')})"),
                ("sorted key", lambda: f"sorted({xs}, key=lambda y: {self.body_of('y')})"),
                ("sorted key reverse", lambda: f"sorted({xs}, key=lambda y: y % 2, reverse=True)"),
                ("reversed", lambda: f"list(reversed({xs}))"),
                ("comprehension", lambda: f"[y + {a} for y in {xs} if y {self.pick('>', '!=')} 1]"),
                ("nested", lambda: f"[y * z for y in {xs} for z in range(2) if y != z]"),
                ("enumerate", lambda: f"[i * y for i, y in enumerate({xs})]"),
                ("zip", lambda: f"[y - z for y, z in zip({xs}, {e('list')})]"),
                ("list of range", lambda: f"list(range({self.pick(3, a)}))"),
                ("list of tuple", lambda: f"list({e('tuple')})"),
                ("keys", lambda: f"[k + {self.pick('0', 'v')} for k, v in {e('table')}.items()]"),
                ("values", lambda: f"list({e('table')}.{self.pick('keys', 'values')}())"),
            ]
        )

    def _tuple(self) -> str:
        e = self.expression
        return self.one_of(
            [
                ("tuple", lambda: f"({e('int')}, {e('int')})"),
                ("tuple of list", lambda: f"(tuple({e('list')}) + (1, 2))[:2]"),
                ("divmod tuple", lambda: f"divmod({e('int')}, {self.pick(2, -3)})"),
            ]
        )

    def _table(self) -> str:
        e = self.expression
        return self.one_of(
            [
                ("display", lambda: f"{{0: {e('int')}, 1: {e('int')}}}"),
                ("dict", lambda: f"dict([(0, {e('int')}), (1, {e('int')})])"),
                ("dict comprehension", lambda: f"{{k: k * {e('int')} for k in range(3)}}"),
                ("dict zip", lambda: f"dict(zip([0, 1], [{e('int')}, {e('int')}]))"),
            ]
        )

    # -- statements

    def block(self, indent: str, size: int) -> Iterator[str]:
        for _ in range(size):
            yield from self.statement(indent)

    def statement(self, indent: str) -> Iterator[str]:
        kind = self.pick(
            "int",
            "int",
            "number",
            "noise",
            "noise",
            "bool",
            "text",
            "list",
            "list",
            "tuple",
            "table",
        )
        nested = len(indent) < 12
        often = (3, 3, 4, 4, 4, 4)  # lists that change, and their aliases, are worth most
        match self.rng.choice((*range(16 if nested else 9), *often)):
            case 0 | 1:
                e, name = self.expression(kind), self.fresh()
                yield f"{indent}{name} = {e}"
                self.variables[name] = kind
            case 2:
                if old := self.known(kind):
                    yield f"{indent}{old} = {self.expression(kind)}"
            case 3:
                yield from self.augmented(indent)
            case 4:
                yield from self.changed(indent)
            case 5:
                a, b = self.fresh(), self.fresh()
                e = self.pick(
                    f"{self.expression('int')}, {self.expression('int')}", self.expression("tuple")
                )
                yield self.form("unpack", f"{indent}{a}, {b} = {e}")
                self.variables |= {a: "int", b: "int"}
            case 6:
                if (one := self.known("int")) and (two := self.known("int")):
                    yield self.form("swap", f"{indent}{one}, {two} = {two}, {one}")
            case 7:
                a, b = self.fresh(), self.fresh()
                yield self.form("chain assign", f"{indent}{a} = {b} = {self.expression(kind)}")
                self.variables |= {a: kind, b: kind}
            case 8:
                if self.rng.random() < 0.2:
                    yield self.form("early return", f"{indent}return {self.result()}")
                elif self.loops:
                    word = self.pick("break", "continue")
                    yield self.form(word, f"{indent}if {self.expression('bool')}: {word}")
                else:
                    word = self.pick("assert", "observe")
                    yield self.form(word, f"{indent}{self.demand(word)}")
            case 9 | 10 | 11:
                yield f"{indent}if {self.expression('bool')}:"
                yield from self.inner(indent)
                if self.rng.random() < 0.3:
                    yield self.form("elif", f"{indent}elif {self.expression('bool')}:")
                    yield from self.inner(indent)
                if self.rng.random() < 0.5:
                    yield self.form("else", f"{indent}else:")
                    yield from self.inner(indent)
            case 12 | 13:
                yield from self.loop(indent)
            case 14:
                yield from self.counted(indent)
            case 15:
                yield from self.helper(indent)

    def demand(self, word: str) -> str:
        condition = f"{self.expression('bool')} or True"
        return f"assert {condition}" if word == "assert" else f"observe({condition})"

    def augmented(self, indent: str) -> Iterator[str]:
        name = self.known("int")
        match self.rng.randrange(4):
            case 0 if name:
                op = self.pick("+", "-", "*", "//", "%", "&")
                yield self.form("augmented", f"{indent}{name} {op}= {self.expression('int')}")
            case 1 if name := self.known("list"):
                yield self.form("extend by +=", f"{indent}{name} += {self.expression('list')}")
            case 2 if name := self.known("text"):
                yield self.form("text +=", f"{indent}{name} += {self.expression('text')}")
            case 3 if name := self.known("list"):
                op = self.pick("+", "-", "*")
                at = self.pick(0, -1)
                yield self.form("entry +=", f"{indent}{name}[{at}] {op}= {self.expression('int')}")

    def changed(self, indent: str) -> Iterator[str]:
        if name := self.known("list"):
            match self.rng.randrange(6):
                case 4:
                    other = self.fresh()
                    yield self.form("alias", f"{indent}{other} = {name}")
                    self.variables[other] = "list"
                case 5:
                    other = self.fresh()
                    yield self.form(
                        "held", f"{indent}{other} = ({name}, {self.expression('list')})[0]"
                    )
                    self.variables[other] = "list"
                case 0:
                    yield self.form("append", f"{indent}{name}.append({self.expression('int')})")
                case 1:
                    yield self.form("extend", f"{indent}{name}.extend({self.expression('list')})")
                case 2:
                    at, e = self.pick(0, -1, self.expression("int")), self.expression("int")
                    yield self.form("entry", f"{indent}{name}[{at}] = {e}")
                case 3:
                    yield self.form("copy", f"{indent}{name} = list({name})")

    def inner(self, indent: str) -> Iterator[str]:
        before = dict(self.variables)
        body = list(self.block(f"{indent}    ", self.rng.randint(1, 2)))
        if self.rng.random() < 0.8:
            self.variables = before  # otherwise a variable may have no value where it is read
        yield from body or [f"{indent}    pass"]

    def loop(self, indent: str) -> Iterator[str]:
        i = self.fresh()
        header = self.pick(
            f"for {i} in range({self.pick(3, 'abs(' + self.expression('int') + ') % 4')}):",
            f"for {i} in {self.expression('list')}[:5]:",
            f"for {i} in {self.known('list') or '[1]'}:",
            f"for {i}, _ in enumerate({self.expression('list')}[:4]):",
        )
        yield self.form("for", f"{indent}{header}")
        before = dict(self.variables)
        self.variables[i] = "int"
        self.loops += 1
        yield from self.inner(indent)
        self.loops -= 1
        if self.rng.random() < 0.8:
            self.variables = before
        if self.rng.random() < 0.2:
            yield self.form("for else", f"{indent}else:")
            yield from self.inner(indent)

    def counted(self, indent: str) -> Iterator[str]:
        i = self.fresh()
        yield f"{indent}{i} = 0"
        yield self.form("while", f"{indent}while {i} < 3 and {self.expression('bool')}:")
        yield f"{indent}    {i} += 1"
        self.loops += 1
        yield from self.inner(indent)
        self.loops -= 1
        if self.rng.random() < 0.2:
            yield self.form("while else", f"{indent}else:")
            yield from self.inner(indent)

    def helper(self, indent: str) -> Iterator[str]:
        if len(indent) > 4 or self.loops:
            return
        name, size = f"h{len(self.helpers)}", self.pick(1, 2)
        default = f"={self.expression('int')}" if size == 2 else ""
        yield self.form("def", f"{indent}def {name}(a{', b' + default if size == 2 else ''}):")
        before, helpers = dict(self.variables), dict(self.helpers)
        outer = {x: k for x, k in self.variables.items() if self.rng.random() < 0.5}
        self.variables = {**outer, "a": "int"} | ({"b": "int"} if size == 2 else {})
        reads = dict(self.variables)
        e = self.expression("int")
        yield f"{indent}    if {self.expression('bool')}:"
        yield f"{indent}        return {e}"
        yield f"{indent}    w = {self.expression('int')}"
        yield f"{indent}    return w + {self.rng.randint(0, 3)}"
        self.variables, self.helpers = before, {**helpers, name: (size, str(reads))}

    def result(self) -> str:
        names = list(self.variables)[-6:] or ["0"]
        return f"({', '.join(names)},)"

    def program(self) -> str:
        body = [f"    v0 = {self.literal('list')}"]
        self.variables["v0"] = "list"
        body += self.block("    ", self.rng.randint(3, 9))
        text = "\n".join(["def f(x: Dom(-2, 3), b: bool, q: Real):", *body])
        return f"{text}\n    return {self.result()}\n"


def drawn(seed: int) -> tuple[str, Counter[str]]:
    """Return a random program and the forms that it has."""
    draw = Draw(seed)
    draw.variables = {"x": "int", "b": "bool", "q": "noise"}
    text = draw.program()
    return text, draw.used


class Discarded(Exception):  # noqa: N818
    """A condition of `observe` is false."""


class Tape:
    """Outcomes of samples: rational numbers, in order."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def real(self) -> Fraction:
        return Fraction(self.rng.randint(-8, 8), 4)

    def whole(self) -> int:
        return self.rng.randint(-2, 2)

    def place(self, size: int) -> int:
        return self.rng.randrange(size)


class _Exact(ast.NodeTransformer):
    """Makes quotients and decimals exact."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Div):
            called = ast.Name("_quotient", ast.Load())
            return ast.copy_location(ast.Call(called, [node.left, node.right], []), node)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        """Count rounds: a list may grow while it is gone over."""
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(ast.Call(ast.Name("_round", ast.Load()), [], [])))
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, float):
            made = ast.Call(ast.Name("Fraction", ast.Load()), [ast.Constant(str(node.value))], [])
            return ast.copy_location(made, node)
        return node


def in_python(text: str, inputs: dict[str, Any], seed: int) -> Any:
    """Return what CPython returns for a program, with samples from a tape."""
    tape = Tape(seed)

    def choose(table: dict[Any, Any]) -> Any:
        return list(table)[tape.place(len(table))]

    def expmech(_rate: Any, score: Any, candidates: Any) -> Any:
        listed = list(candidates)
        for one in listed:
            score(one)
        return listed[tape.place(len(listed))]

    def observe(condition: Any) -> None:
        if not condition:
            raise Discarded

    rounds = iter(range(1_000))

    def count_round() -> None:
        if next(rounds, None) is None:
            raise TimeoutError

    def real(_rate: Any = 0, mean: Any = 0, **_scale: Any) -> Any:
        return mean + tape.real()

    names: dict[str, Any] = {
        "Fraction": Fraction,
        "_quotient": lambda a, b: Fraction(a) / b,
        "eps": Fraction(1),
        "exp": lambda _x: Fraction(1, 2),
        "lap": real,
        "expo": real,
        "dlap": lambda _r, m: m + tape.whole(),
        "geometric": lambda _r, m: m + tape.whole(),
        "choose": choose,
        "bernoulli": lambda p: choose({1: p, 0: 1 - p}),
        "expmech": expmech,
        "observe": observe,
        "unif": lambda _a, _b: tape.real(),
        "_round": count_round,
        "Dom": lambda *_: None,
        "Real": None,
    }
    tree = ast.fix_missing_locations(_Exact().visit(ast.parse(text)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # `x is 1` is drawn on purpose
        code = compile(tree, "<drawn>", "exec")
    exec(code, names)
    return names["f"](**inputs)
