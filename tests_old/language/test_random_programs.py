"""Random programs against Python itself: same outputs for the same noise."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from exactdp import Mechanism
from exactdp.errors import ProgramError
from support.examples import examples

from .python_run import by_numbers, by_python, by_symbols, orders

HEADER = """half = Fraction(1, 2)
third = Fraction(3)

def clamp(v, low, high):
    return min(max(v, low), high)

def noisy(v):
    w = lap(eps, v)
    for k in range(2):
        if w > k:
            return w - k
    return w

def first(v):
    return len(v), v[0]

def f(x: Dom(0, 3), q: Real):
    a = x
    b = 1
    c = True
    r = lap(eps, q)
    s = lap(eps / 2, 1)
    xs = [x, 2]
    rs = [r, s]
    z = dlap(eps, x)
    d = (x, s)
"""
FOOTER = "    return a, b, c, r, s, xs, rs, z, d\n"


class Writer:
    """Writes a random program that Python and the language understand alike.

    In the templates F, R and C stand for a finite value, a real and a condition.
    """

    def __init__(self, draw: Any) -> None:
        self.draw = draw
        self.fresh = 0

    def pick(self, *options: str) -> str:
        """Return one of the options."""
        return str(self.draw(st.sampled_from(options)))

    def fill(self, template: str, depth: int) -> str:
        """Return a template with its letters replaced by random expressions."""
        parts = {"F": self.finite, "R": self.real, "C": self.condition}
        return "".join(
            parts[letter](max(depth, 0)) if letter in parts else letter for letter in template
        )

    def finite(self, depth: int = 1) -> str:
        """Return an expression with a small whole value."""
        if depth == 0:
            return self.pick("a", "b", "x", "0", "1", "2", "-1", "len(xs)", "xs[0]", "xs[-1]")
        return self.fill(
            self.pick(
                "F",
                "F + F",
                "(F - F)",
                "(F) % 3",
                "(F if C else F)",
                "min(F, F)",
                "sum(y for y in xs if y > F)",
                "sorted(xs)[0] + F",
                "len([y for y in range(3) if y != F])",
            ),
            depth - 1,
        )

    def real(self, depth: int = 1) -> str:
        """Return a linear expression in reals."""
        if depth == 0:
            return self.pick("r", "s", "q", "rs[0]", "rs[-1]", "1", "a")
        return self.fill(
            self.pick(
                "R",
                "(R + R)",
                "(R - R)",
                "2 * (R)",
                "-(R)",
                "(R) * half",
                "(R) / third",
                "abs(R)",
                "max(R, R)",
                "min(R, R, s)",
                "(R if C else R)",
                "max(rs)",
                "sum(rs)",
                "sorted(rs)[0]",
                "max(rs, key=lambda t: -t)",
            ),
            depth - 1,
        )

    def condition(self, depth: int = 1) -> str:
        """Return a condition on finite values and reals."""
        op = self.pick("<", "<=", "==", ">=", ">", "!=")
        if depth == 0:
            return self.fill(self.pick(f"F {op} F", f"R {op} R", "c", "not c"), 0)
        return self.fill(
            self.pick(
                f"R {op} R",
                f"F {op} F",
                "(C and C)",
                "(C or C)",
                "not C",
                "R < R <= R",
                "any(t > R for t in rs)",
                "all(t > F for t in rs if t != s)",
            ),
            depth - 1,
        )

    def block(self, indent: str, depth: int, loop: str = "") -> list[str]:
        """Return the statements of a block."""
        count = self.draw(st.integers(1, 3))
        return [line for _ in range(count) for line in self.statement(indent, depth, loop)]

    def statement(self, indent: str, depth: int, loop: str) -> list[str]:
        """Return one statement."""
        bounded = loop != "while"
        simple = [
            "a = F",
            "b += F",
            "a, b = b, F",
            "c = C",
            "xs.append(F)",
            "xs[0] = F",
            "xs = [y + F for y in xs]",
            "pass",
            "a = choose({0: half, 2: half})",
            "a = expmech(eps, lambda v: v + F, [0, 1, F])",
            "c = R in rs",
            "a = rs.index(rs[-1])",
            "b = rs.count(R)",
            "a = d[0]",
            "xs = xs[1:] + [F]",
            "c = z > F or 2 * z - F == z",
            "c = clamp(R, -1, 1) == R",
            f"if C:\n{indent}    return a, b, c, r, s, xs, rs, z, d",
        ]
        if bounded:
            simple += [
                "r = R",
                "r, s = s, R",
                "s = lap(eps, R)",
                "s = noisy(R)",
                "r = clamp(R, -1, R)",
                "b, r = first(rs)",
                "z = dlap(eps, F) - z",
                "z = abs(z)",
                "d = (F, R)",
                "r = d[1]",
                "(a, r), b = d, F",
                "s -= R",
                "rs.append(R)",
                "rs[0] = R",
                "rs = [lap(eps, t) for t in rs[:2] if t > R] + [s]",
            ]
        if loop:
            simple += [f"if C:\n{indent}    break", f"if C:\n{indent}    continue"]
        if depth == 0:
            return [indent + self.fill(self.pick(*simple), 1)]
        kind = self.pick("simple", "simple", "if", "for", "while")
        inner = indent + "    "
        if kind == "if":
            lines = [f"{indent}if {self.condition()}:", *self.block(inner, depth - 1, loop)]
            if self.draw(st.booleans()):
                lines += [f"{indent}else:", *self.block(inner, depth - 1, loop)]
            return lines
        if kind == "for" and bounded:
            head = self.pick(
                "b in range(2)",
                "a in range(F)",
                "a in [3, 1]",
                "b in (0, a)",
                "r in rs[:3]",
                "a, s in enumerate(rs[:3])",
                "r, a in zip(rs, xs)",
                "s in sorted(rs)[:2]",
            )
            return [
                f"{indent}for {self.fill(head, 0)}:",
                *self.block(inner, depth - 1, "for"),
                *([f"{indent}else:", f"{inner}b = 0"] if self.draw(st.booleans()) else []),
            ]
        if kind == "while":
            self.fresh += 1
            name = f"w{self.fresh}"
            return [
                f"{indent}{name} = 0",
                f"{indent}while {name} < 2 and {self.condition(0)}:",
                f"{inner}{name} += 1",
                *self.block(inner, depth - 1, "while"),
            ]
        return [indent + self.fill(self.pick(*simple), 2)]


@st.composite
def programs(draw: Any) -> str:
    """Return the source of a random program."""
    lines = Writer(draw).block("    ", 2)
    return HEADER + "\n".join(lines) + "\n" + FOOTER


def noise_of(seed: int) -> list[Fraction]:
    """Return plenty of small rational numbers."""
    random = Random(seed)
    return [Fraction(random.randint(-8, 8), random.choice((1, 2, 3))) for _ in range(2000)]


def program(text: str) -> Mechanism:
    """Read a random program; some change a list that they go over, which is refused."""
    try:
        return Mechanism.from_source(text)
    except ProgramError as error:
        assume("the same list" not in error.message)
        raise


@examples(75)
@given(programs(), st.integers(0, 3), st.fractions(-2, 2, max_denominator=3), st.integers(0))
def test_same_outputs_for_the_same_noise(text: str, x: int, q: Fraction, seed: int) -> None:
    """Exact numbers, symbols, and the text printed and read again all agree with Python."""
    noise = noise_of(seed)
    mechanism = program(text)
    expected = by_python(text, "f", (x, q), noise)
    assert by_numbers(mechanism, (x, q), noise) == expected
    assert by_symbols(mechanism, (x, q), noise) == expected
    again = Mechanism.from_source(str(mechanism))
    assert again == mechanism
    assert by_numbers(again, (x, q), noise) == expected


@examples(50)
@given(programs(), st.integers(0, 3), st.integers(0))
def test_order_grows_along_every_run(text: str, x: int, seed: int) -> None:
    """`Machine.order` grows from event to event, and stays the same only inside a while loop."""
    noise = noise_of(seed)
    mechanism = program(text)
    machine = mechanism.machine
    keys = orders(machine, machine.start(mechanism.read_input((x, 0))), noise)
    assert keys == sorted(keys)
    mechanism.labelled()
    mechanism.explain()
    mechanism.sample((x, 0), 1, 20, seed=0)
