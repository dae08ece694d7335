"""Writers: how the parts of a formula look as text, in Unicode, in LaTeX and in MathML.

The traversal of a formula (`printing`, and `report/formulas.py` for the formulas of claims)
determines its fractions, powers and products; a writer formats them.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from html import escape

from exactdp.reals.numbers import spell
from exactdp.reals.radicals import Surd, told

INVISIBLE_TIMES = "\u2062"
_GREEK = {"eps": "ε", "alpha": "α", "gamma": "γ"}
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

Signed = tuple[bool, str]
"""Whether a summand is negative, and what follows the sign."""


class Writer:
    """Formats the parts of a formula; by itself as text that `parse` reads."""

    minus = "-"
    dot = "*"
    has_bars = False
    """Whether a fraction has a horizontal bar, so that its parts need no brackets."""

    def number(self, value: Surd | int) -> str:
        """Return a positive number."""
        return told(value)

    def name(self, name: str) -> str:
        """Return a parameter, which may be an entry of a list such as q[0]."""
        return name

    def sum(self, parts: Iterable[Signed]) -> str:
        """Return the sum of the parts."""
        shown = ""
        for negative, part in parts:
            joint = self.minus if negative else "+"
            shown += f" {joint} {part}" if shown else self.minus * negative + part
        return shown or "0"

    def times(self, factors: list[str]) -> str:
        """Return the product of the factors."""
        return self.dot.join(factors)

    def multiple(self, rate: Surd, name: str) -> str:
        """Return a positive multiple of a parameter in an exponent."""
        return name if rate == 1 else self.times([self.number(rate), name])

    def over(self, above: str, below: str) -> str:
        """Return a fraction, with a horizontal bar if the writer has one."""
        return f"{above}/{below}"

    def slash(self, above: str, below: str) -> str:
        """Return a fraction in a line."""
        return f"{above}/{below}"

    def raised(self, base: str, power: str) -> str:
        """Return a power."""
        return f"{base}^{power}"

    def exponential(self, exponent: str) -> str:
        """Return a power of e."""
        return f"exp({exponent})"

    def bracket(self, inner: str) -> str:
        """Return a formula in parentheses."""
        return f"({inner})"

    def extreme(self, word: str, parts: Iterable[str]) -> str:
        """Return the minimum or maximum of the parts: "min" or "max"."""
        return f"{word}({', '.join(parts)})"


class _Unicode(Writer):
    minus, dot = "−", "·"

    def number(self, value: Surd | int) -> str:
        return told(value).replace("sqrt(", "√(").replace("*", "·").replace("-", "−")

    def name(self, name: str) -> str:
        return _GREEK.get(name, name)

    def multiple(self, rate: Surd, name: str) -> str:
        if not isinstance(rate, Fraction):
            return super().multiple(rate, name)
        over = "" if rate.numerator == 1 else self.number(rate.numerator)
        return over + name + (f"/{self.number(rate.denominator)}" if rate.denominator > 1 else "")

    def raised(self, base: str, power: str) -> str:
        return base + power.translate(_SUPERSCRIPT)

    def exponential(self, exponent: str) -> str:
        return f"e^{exponent}" if exponent.isalnum() else f"e^({exponent})"


class _Latex(Writer):
    dot, has_bars = " ", True

    def number(self, value: Surd | int) -> str:
        if not isinstance(value, int | Fraction):
            return value.latex()
        over, under = (self._whole(n) for n in (value.numerator, value.denominator))
        return over if value.denominator == 1 else self.over(over, under)

    def _whole(self, value: int) -> str:
        return spell(Fraction(value))

    def name(self, name: str) -> str:
        shown, bracket, index = name.partition("[")
        if shown in _GREEK:
            known = r"\varepsilon" if shown == "eps" else rf"\{shown}"
            return rf"\mathrm{{{name}}}" if bracket else known
        letters = shown.rstrip("0123456789")
        index = index.rstrip("]") or shown[len(letters) :]
        letters = letters.rstrip("_").replace("_", r"\_")
        base = letters if len(letters) == 1 else rf"\mathrm{{{letters}}}"
        return f"{base}_{{{index}}}" if index else base

    def over(self, above: str, below: str) -> str:
        return rf"\frac{{{above}}}{{{below}}}"

    def raised(self, base: str, power: str) -> str:
        return f"{base}^{{{power}}}"

    def exponential(self, exponent: str) -> str:
        return self.raised("e", exponent)

    def bracket(self, inner: str) -> str:
        return rf"\left({inner}\right)"

    def extreme(self, word: str, parts: Iterable[str]) -> str:
        return rf"\{word}\left({', '.join(parts)}\right)"


class _MathML(_Latex):
    minus = "−"

    def number(self, value: Surd | int) -> str:
        if not isinstance(value, int | Fraction):
            return f"<mi>{escape(UNICODE.number(value))}</mi>"
        return super().number(value)

    def _whole(self, value: int) -> str:
        return f"<mn>{spell(Fraction(value))}</mn>"

    def name(self, name: str) -> str:
        shown, bracket, index = name.partition("[")
        shown = f"<mi>{escape(_GREEK.get(shown, shown))}</mi>"
        return f"<msub>{shown}<mn>{escape(index.rstrip(']'))}</mn></msub>" if bracket else shown

    def sum(self, parts: Iterable[Signed]) -> str:
        shown = ""
        for negative, part in parts:
            if shown or negative:
                form = "" if shown else ' form="prefix"'
                shown += f"<mo{form}>{self.minus if negative else '+'}</mo>"
            shown += part
        return shown or "<mn>0</mn>"

    def times(self, factors: list[str]) -> str:
        shown = factors[0]
        for factor in factors[1:]:  # a dot only where two numbers would run together
            digits = factor.startswith(("<mn>", "<mfrac>"))
            shown += f"<mo>{'·' if digits else INVISIBLE_TIMES}</mo>" + factor
        return shown

    def multiple(self, rate: Surd, name: str) -> str:
        # 3ε/2 reads better in an exponent than a stacked fraction.
        if not isinstance(rate, Fraction) or rate.denominator == 1:
            return super().multiple(rate, name)
        above = super().multiple(Fraction(rate.numerator), name)
        return self.slash(above, self.number(rate.denominator))

    def over(self, above: str, below: str) -> str:
        return f"<mfrac><mrow>{above}</mrow><mrow>{below}</mrow></mfrac>"

    def slash(self, above: str, below: str) -> str:
        return f"{above}<mo>/</mo>{below}"

    def raised(self, base: str, power: str) -> str:
        return f"<msup><mrow>{base}</mrow><mrow>{power}</mrow></msup>"

    def exponential(self, exponent: str) -> str:
        return self.raised("<mi>e</mi>", exponent)

    def bracket(self, inner: str) -> str:
        return f"<mrow><mo>(</mo>{inner}<mo>)</mo></mrow>"

    def extreme(self, word: str, parts: Iterable[str]) -> str:
        inner = "<mo>,</mo>".join(f"<mrow>{part}</mrow>" for part in parts)
        return f"<mi>{word}</mi>{self.bracket(inner)}"


TEXT, UNICODE, LATEX, MATHML = Writer(), _Unicode(), _Latex(), _MathML()
