"""The checker derives the probabilities of random programs that the solver finds in another way.

They have functions with comparisons and loops of choices, perhaps a `max` of their own, and real,
integer and uniform noise, with rates that are not whole.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from exactdp import Mechanism
from exactdp.certify.kernel.reading import CertificateReader
from exactdp.certify.rederive.cones import PolyhedralCone
from exactdp.certify.rederive.derivation import Derivation
from exactdp.certify.rederive.parametric import ProgramOnCone
from exactdp.certify.rederive.ratios import POSITIVE, Ratio
from support.examples import TIMES

from .truth import mp

FUNCTIONS = {
    "coin": """
def coin():
    x = 0
    while x == 0:
        x = choose({0: 1 / 2, 1: 1 / 4, 2: 1 / 4})
    return x
""",
    "walk": """
def walk(s):
    while 0 < s and s < 3:
        s = choose({s + 1: exp(eps) / (1 + exp(eps)), s - 1: 1 / (1 + exp(eps))})
        for k in range(2):
            if s == 2:
                break
    else:
        s = s + 1
    return s % 3
""",
    "flip": """
def flip(x):
    y = choose({0: 1 / 3, 1: 2 / 3})
    for k in range(2):
        if choose({True: 1 / 2, False: 1 / 2}):
            continue
        y = y + 1
    return y + x
""",
    "larger": """
def larger(u, v):
    if u > v:
        return u
    return v
""",
    "noisy": """
def noisy(x):
    return lap(eps, x)
""",
    "max": """
def max(items):
    return items[-1]
""",
}
EPS = mp.mpf(3) / 4


def program(draw: Random) -> str:
    """Return a random program of two numbers."""
    own = draw.random() < 0.3
    used = {"max"} if own else set[str]()
    lines: list[str] = []
    reals: list[str] = []
    integers: list[str] = []

    def call(name: str, arguments: str) -> str:
        used.add(name)
        return f"{name}({arguments})"

    for k in range(draw.choice([1, 2, 2, 3])):
        mean = draw.choice(["q[0]", "q[1]", "0", "q[0] - q[1]"])
        rate = draw.choice(["eps", "eps / 2"])
        noise = draw.choice(
            [
                f"{draw.choice(['lap', 'expo'])}({rate}, {mean})",
                f"lap({rate}, {mean})",
                call("noisy", mean),
                f"unif({mean}, {mean} + 2)",
                f"dlap(eps, {draw.choice('01')})",
                f"geometric({rate}, 0)",
            ]
        )
        lines.append(f"r{k} = {noise}")
        is_integer = noise.startswith(("dlap", "geometric"))
        (integers if is_integer else reals).append(f"r{k}")
    lines.append("out = 0")
    for _ in range(draw.choice([1, 2, 3])):
        steps = ["out = out + " + call("coin", ""), f"out = {call('walk', 'out % 3')}"]
        steps += [f"out = {call('flip', 'out')}"]
        if reals:
            items = ", ".join(draw.choice([*reals, "q[0]", "1"]) for _ in range(3))
            extreme = draw.choice(
                ["max(u)"] if own else ["max(u)", "sorted(u)[0]", "max(u, key=lambda z: -z)"]
            )
            above, least = draw.choice(["0", "q[1]"]), draw.choice(["0", "q[0]"])
            two = ", ".join(draw.choice(reals) for _ in range(2))
            steps += [
                f"u = [{items}]\nt = {extreme}\nif t > {above}:\n    out = out + 1",
                f"if {call('larger', two)} >= {least}:\n    out = 7",
            ]
        if integers:
            op = draw.choice(["==", "!=", "<", ">="])
            other = draw.choice(["0", "q[0]", "q[1]", *integers])
            steps += [f"if {draw.choice(integers)} {op} {other}:\n    out = out + 1"] * 2
        lines += draw.choice(steps).split("\n")
    body = "\n    ".join(lines)
    text = "".join(FUNCTIONS[name] for name in sorted(used) if f"{name}(" in body)
    end = draw.choice(["out", "[out > 1, out]"])
    return f"{text}\ndef f(q: Real[2]):\n    {body}\n    return {end}\n"


def number(found: Ratio) -> float:
    """Return a value at one ε, calculated with many digits."""

    def term(c: Fraction, power: int, rate: Any) -> Any:
        return mp.mpf(c.numerator) / c.denominator * EPS**power * mp.exp(EPS * rate)

    over, under = (
        mp.fsum(
            term(c, power, mp.mpf(q.numerator) / q.denominator) for (q, power), c in one.items()
        )
        for one in found.terms()
    )
    return float(over / under)


def derived(source: str, u: list[Any], output: Any) -> float:
    """Return a probability at one ε, as the checker derives it."""
    spec = {
        "mechanism": source,
        "ideal": {"noiseless": True},
        "output_distance": {"name": "discrete"},
    }
    ray = PolyhedralCone(1, CertificateReader()).cut([1])
    here = ProgramOnCone(Derivation(spec, None, POSITIVE), ray, list(u))
    return number(here.probability(output, Fraction(0)))


@pytest.mark.parametrize("number_of", range(50 * TIMES))
def test_probabilities(number_of: int) -> None:
    draw = Random(f"programs:{number_of}")
    source = program(draw)
    mechanism = Mechanism.from_source(source)
    u = [Fraction(draw.randrange(-2, 3), draw.choice([1, 2])) for _ in range(2)]
    for output in list(mechanism.distribution(u))[:4]:
        wanted = float(mechanism.probability(u, output).at(Fraction(3, 4)))
        assert derived(source, u, output) == pytest.approx(wanted, abs=1e-9), (source, u, output)
