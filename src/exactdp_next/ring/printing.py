r"""Formulas as text that `parse` reads back, in Unicode, in LaTeX, and for SymPy.

Each node becomes a string with the level of its outermost operation, in the order of Python's
grammar; an argument of a lower level than its place needs stands in brackets. So the text has
exactly the shape of the formula. An exact leaf is written as the sum or quotient that it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import fail
from .dag import chain, fold, of_chains
from .linear import Rational
from .numbers import spell

if TYPE_CHECKING:
    from .node import Node

OR, AND, NOT, COMPARED, SUM, PRODUCT, UNARY, POWER, ATOM = range(9)

Written = tuple[str, int]
"""The text of a node, and its level."""

LONGEST = 4_000_000
"""Characters of a text; a formula that needs more, by parts that are shared, is cut short by …."""

CUT = ("…", ATOM)

GREEK = {"eps": "ε", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ"}

SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class _Style:
    """How the parts of a formula look; this one is text for `parse`."""

    minus, times, over = "-", "*", "/"
    words: ClassVar[dict[str, str]] = {"min": "minimum", "max": "maximum"}
    signs: ClassVar[dict[str, str]] = {}
    truth: ClassVar[dict[bool, str]] = {True: "True", False: "False"}

    def write(self, root: Node) -> str:
        """Return the text of a formula or condition."""
        return fold(root, self._step, of_chains)[0]

    def _step(self, node: Node, parts: list[Written]) -> Written:
        found = self._node(node, parts)
        return found if len(found[0]) <= LONGEST else CUT

    def _node(self, node: Node, parts: list[Written]) -> Written:
        match node.op:
            case "number":
                return self.number(node.data)
            case "name":
                return self.name(node.data), ATOM
            case "truth":
                return self.truth[node.data], ATOM
            case "exact":
                return fold(node.tree(), self._step, of_chains)
            case "leaf":
                return self.call(getattr(node.data, "word", "evaluated"), ["…"])
            case "+":
                return self._sum(chain(node), parts)
            case "*" | "/":
                return self._product(chain(node), parts)
            case "-":
                return self.minus + self._put(parts[0], POWER), UNARY
            case "^":
                return self.power(parts[0], node.args[1].data)
            case "exp":
                return self.exponential(parts[0][0])
            case "sqrt":
                return self.root(parts[0][0])
            case "abs":
                return self.absolute(parts[0][0])
            case "cases":
                return self.cases([t for t, _ in parts[1::2]], [t for t, _ in parts[::2]])
            case "and" | "or":
                level = AND if node.op == "and" else OR
                joint = f" {self.signs.get(node.op, node.op)} "
                return joint.join(self._put(part, level + 1) for part in parts), level
            case "not":
                return f"{self.signs.get('not', 'not ')}{self._put(parts[0], COMPARED)}", NOT
            case "log" | "min" | "max":
                return self.call(self.words.get(node.op, node.op), [t for t, _ in parts])
        left, right = (self._put(part, SUM) for part in parts)
        return f"{left} {self.signs.get(node.op, node.op)} {right}", COMPARED

    def _put(self, part: Written, level: int) -> str:
        """Return a part where a level is needed, in brackets if its own is lower."""
        return part[0] if part[1] >= level else self.bracket(part[0])

    def _sum(self, members: list[tuple[str, Node]], parts: list[Written]) -> Written:
        shown = [self._put(parts[0], SUM)]
        for (op, node), part in zip(members[1:], parts[1:], strict=True):
            if op != "-" and node.op == "number" and node.data < 0:
                shown += [f" {self.minus} ", self.number(-node.data)[0]]
                continue
            written = self._put(part, PRODUCT)
            is_signed = written.startswith(self.minus)
            shown += [f" {self.minus if op == '-' else '+'} "]
            shown += [self.bracket(written) if is_signed else written]
        return "".join(shown), SUM

    def _product(self, members: list[tuple[str, Node]], parts: list[Written]) -> Written:
        shown = self._put(parts[0], PRODUCT)
        found, before = [shown], members[0][1]
        for (op, node), part in zip(members[1:], parts[1:], strict=True):
            found += [self.joint(op, before, node), self._put(part, POWER)]
            before = node
        return "".join(found), PRODUCT

    def joint(self, op: str, before: Node, after: Node) -> str:
        """Return what stands between two factors."""
        del before, after
        return self.times if op == "*" else self.over

    def number(self, q: Rational) -> Written:
        """Write a rational number."""
        level = PRODUCT if q.denominator > 1 else UNARY if q < 0 else ATOM
        return spell(q).replace("-", self.minus), level

    def name(self, name: str) -> str:
        """Write a name."""
        return name

    def bracket(self, inner: str) -> str:
        """Write something in brackets."""
        return f"({inner})"

    def call(self, word: str, parts: list[str]) -> Written:
        """Write a function of arguments."""
        return f"{word}({', '.join(parts)})", ATOM

    def power(self, base: Written, n: Rational) -> Written:
        """Write a power."""
        return f"{self._put(base, ATOM)}**{self._put(self.number(n), UNARY)}", POWER

    def exponential(self, exponent: str) -> Written:
        """Write a power of e."""
        return self.call("exp", [exponent])

    def root(self, inner: str) -> Written:
        """Write a square root."""
        return self.call("sqrt", [inner])

    def absolute(self, inner: str) -> Written:
        """Write an absolute value."""
        return self.call("abs", [inner])

    def cases(self, values: list[str], tests: list[str]) -> Written:
        """Write a formula by cases."""
        parts = (f"({value}, {test})" for value, test in zip(values, tests, strict=True))
        return self.call("piecewise", list(parts))


class _Pretty(_Style):
    minus, times = "−", "·"
    words: ClassVar[dict[str, str]] = {}
    signs: ClassVar[dict[str, str]] = {"<=": "≤", ">=": "≥", "==": "=", "!=": "≠"}
    truth: ClassVar[dict[bool, str]] = {True: "otherwise", False: "never"}

    def joint(self, op: str, before: Node, after: Node) -> str:
        is_multiple = before.op == "number" and before.data.denominator == 1 and after.op == "name"
        return "" if op == "*" and is_multiple else super().joint(op, before, after)

    def name(self, name: str) -> str:
        return GREEK.get(name, name)

    def power(self, base: Written, n: Rational) -> Written:
        exponent, level = self.number(n)
        if n.denominator == 1:
            return self._put(base, ATOM) + str(n).translate(SUPERSCRIPT), POWER
        return f"{self._put(base, ATOM)}^{self._put((exponent, level), ATOM)}", POWER

    def exponential(self, exponent: str) -> Written:
        return f"e^{exponent if exponent.isalnum() else self.bracket(exponent)}", POWER

    def root(self, inner: str) -> Written:
        return f"√{inner if inner.isalnum() else self.bracket(inner)}", ATOM

    def absolute(self, inner: str) -> Written:
        return f"|{inner}|", ATOM

    def cases(self, values: list[str], tests: list[str]) -> Written:
        pairs = zip(values, tests, strict=True)
        parts = (f"{a} {t}" if t == "otherwise" else f"{a} if {t}" for a, t in pairs)
        return f"{{{'; '.join(parts)}}}", ATOM


class _Latex(_Style):
    times = " "
    words: ClassVar[dict[str, str]] = {"log": r"\log", "min": r"\min", "max": r"\max"}
    signs: ClassVar[dict[str, str]] = {
        "<=": r"\le", ">=": r"\ge", "==": "=", "!=": r"\ne",
        "and": r"\wedge", "or": r"\vee", "not": r"\neg ",
    }  # fmt: skip
    truth: ClassVar[dict[bool, str]] = {True: r"\text{otherwise}", False: r"\text{never}"}

    def _product(self, members: list[tuple[str, Node]], parts: list[Written]) -> Written:
        """Write a chain; what is divided stands above its divisor."""
        shown, level = parts[0]
        for (op, _), part in zip(members[1:], parts[1:], strict=True):
            if op == "/":
                is_negative = shown.startswith("-") and level >= PRODUCT
                shown = rf"\frac{{{shown[is_negative:]}}}{{{part[0]}}}"
                shown, level = "-" * is_negative + shown, UNARY if is_negative else POWER
                continue
            factor = self._put(part, POWER)
            dot = r" \cdot " if factor[0].isdigit() or factor.startswith(r"\frac") else " "
            shown, level = self._put((shown, level), PRODUCT) + dot + factor, PRODUCT
        return shown, level

    def number(self, q: Rational) -> Written:
        if q.denominator == 1:
            return spell(q), ATOM if q >= 0 else UNARY
        sign = "-" if q < 0 else ""
        shown = rf"{sign}\frac{{{spell(abs(q.numerator))}}}{{{spell(q.denominator)}}}"
        return shown, UNARY if q < 0 else POWER

    def name(self, name: str) -> str:
        shown, bracket, index = name.partition("[")
        if shown in GREEK and not bracket:
            return r"\varepsilon" if shown == "eps" else rf"\{shown}"
        letters = shown.rstrip("0123456789")
        index = index.rstrip("]").replace("][", ",") or shown[len(letters) :]
        letters = letters.rstrip("_").replace("_", r"\_")
        base = letters if len(letters) == 1 else rf"\mathrm{{{letters}}}"
        return f"{base}_{{{index}}}" if index else base

    def bracket(self, inner: str) -> str:
        return rf"\left({inner}\right)"

    def call(self, word: str, parts: list[str]) -> Written:
        return word + self.bracket(", ".join(parts)), ATOM

    def power(self, base: Written, n: Rational) -> Written:
        return f"{self._put(base, ATOM)}^{{{spell(n)}}}", POWER

    def exponential(self, exponent: str) -> Written:
        return f"e^{{{exponent}}}", POWER

    def root(self, inner: str) -> Written:
        return rf"\sqrt{{{inner}}}", ATOM

    def absolute(self, inner: str) -> Written:
        return rf"\left|{inner}\right|", ATOM

    def cases(self, values: list[str], tests: list[str]) -> Written:
        pairs = zip(values, tests, strict=True)
        rows = r" \\ ".join(rf"{value} & {test}" for value, test in pairs)
        return rf"\begin{{cases}} {rows} \end{{cases}}", ATOM


text, pretty, latex = _Style().write, _Pretty().write, _Latex().write


def sympy(root: Node) -> Any:
    """Return the formula or condition as a SymPy object, in positive symbols."""
    try:
        import sympy as library  # noqa: PLC0415 optional
    except ImportError:
        fail("E16")
    known = _operations(library)

    def step(node: Node, parts: list[Any]) -> Any:
        match node.op:
            case "number":
                return library.Rational(node.data.numerator, node.data.denominator)
            case "name":
                return library.Symbol(node.data, positive=True)
            case "truth":
                return library.true if node.data else library.false
            case "exact":
                return fold(node.tree(), step, of_chains)
            case "leaf":
                return library.Function("evaluated")(library.Symbol("eps", positive=True))
            case "+":
                signs = [-1 if op == "-" else 1 for op, _ in chain(node)]
                return library.Add(*(s * part for s, part in zip(signs, parts, strict=True)))
            case "*" | "/":
                ops = [op for op, _ in chain(node)]
                pairs = zip(ops, parts, strict=True)
                return library.Mul(*(1 / part if op == "/" else part for op, part in pairs))
            case "cases":
                return library.Piecewise(*zip(parts[1::2], parts[::2], strict=True))
        return known[node.op](*parts)

    return fold(root, step, of_chains)


def _operations(library: Any) -> dict[str, Any]:
    """Return the functions of SymPy for operations."""
    return {
        "-": lambda x: -x, "^": library.Pow, "exp": library.exp, "log": library.log,
        "sqrt": library.sqrt, "abs": library.Abs, "min": library.Min, "max": library.Max,
        "<": library.Lt, "<=": library.Le, ">": library.Gt, ">=": library.Ge,
        "==": library.Eq, "!=": library.Ne,
        "and": library.And, "or": library.Or, "not": library.Not,
    }  # fmt: skip
