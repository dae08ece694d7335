"""Random small programs as data: up to five noises and linear comparisons of them.

As data a program can be written down in many ways that must not matter (other names, another
order, everything shifted) and simulated without any code of exactdp.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from exactdp import Mechanism

COMPARE: dict[str, Any] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}

Input = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Noise:
    """`kind(rate·eps, mean)`, the mean a constant plus an input or an earlier noise or nothing.

    Of kind "unif" it is within 1/rate of the mean.
    """

    kind: str
    rate: Fraction
    constant: Fraction
    of_input: int | None = None
    of_noise: int | None = None

    @property
    def moves(self) -> bool:
        """Whether the constant is all of the mean, so that it moves with everything else."""
        return self.of_input is None and self.of_noise is None


@dataclass(frozen=True)
class Comparison:
    """`Σ coefficient·noise + Σ coefficient·input op constant`."""

    noises: tuple[tuple[int, Fraction], ...]
    inputs: tuple[tuple[int, Fraction], ...]
    op: str
    constant: Fraction

    def total(self) -> Fraction:
        """Return the sum of the coefficients: how far the left side moves with everything."""
        return sum((q for _, q in self.noises + self.inputs), Fraction(0))


@dataclass(frozen=True)
class Program:
    """Noises in order, then the truth of every comparison as output."""

    noises: tuple[Noise, ...]
    comparisons: tuple[Comparison, ...]

    def source(
        self, names: Sequence[str] = "abcde", order: Sequence[int] | None = None, late: bool = True
    ) -> str:
        """Return the text, with the noises in an order in which means come first.

        Comparisons come when all noises are drawn (late) or as soon as they can.
        """
        lines = []
        drawn: set[int] = set()
        waiting = dict(enumerate(self.comparisons))
        for j in order or range(len(self.noises)):
            one = self.noises[j]
            parts = [f"q[{one.of_input}]"] if one.of_input is not None else []
            parts += [names[one.of_noise]] if one.of_noise is not None else []
            mean = " + ".join([*parts, f"({one.constant})"])
            value = f"{one.kind}(({one.rate}) * eps, {mean})"
            if one.kind == "unif":
                start, far = ("0", f"{mean} + ") if one.of_noise is not None else (mean, "")
                value = f"{far}unif({start} - ({1 / one.rate}), {start} + ({1 / one.rate}))"
            lines.append(f"    {names[j]} = {value}")
            drawn.add(j)
            for k, test in list(waiting.items()):
                if {v for v, _ in test.noises} <= drawn and not late:
                    lines.append(f"    {_text(k, waiting.pop(k), names)}")
        lines += [f"    {_text(k, test, names)}" for k, test in waiting.items()]
        truths = ", ".join(f"truth{k}" for k in range(len(self.comparisons)))
        lines.append(f"    return [{truths}]")
        return "\n".join(["def program(q: Real[2]):", *lines, ""])

    def mechanism(self, *args: Any, **keywords: Any) -> Mechanism:
        """Return the program as a mechanism; arguments as for `source`."""
        return Mechanism.from_source(self.source(*args, **keywords))

    def shifted(self, by: Fraction) -> Program:
        """Return the program with all reals moved; its inputs must move too."""
        noises = [
            Noise(n.kind, n.rate, n.constant + by * n.moves, n.of_input, n.of_noise)
            for n in self.noises
        ]
        tests = [
            Comparison(t.noises, t.inputs, t.op, t.constant + by * t.total())
            for t in self.comparisons
        ]
        return Program(tuple(noises), tuple(tests))

    def scaled(self, by: Fraction) -> Program:
        """Return the program in another unit of length; its inputs must be scaled too."""
        noises = [
            Noise(n.kind, n.rate / by, n.constant * by, n.of_input, n.of_noise) for n in self.noises
        ]
        tests = [Comparison(t.noises, t.inputs, t.op, t.constant * by) for t in self.comparisons]
        return Program(tuple(noises), tuple(tests))

    def mirrored(self) -> Program:
        """Return the program with the axis turned around; its inputs must be negated too."""
        noises = [Noise(n.kind, n.rate, -n.constant, n.of_input, n.of_noise) for n in self.noises]
        tests = [
            Comparison(
                tuple((v, -q) for v, q in t.noises),
                tuple((v, -q) for v, q in t.inputs),
                t.op,
                t.constant,
            )
            for t in self.comparisons
        ]
        return Program(tuple(noises), tuple(tests))

    def simulated(self, u: Input, eps: float, runs: int, seed: int) -> Counter[tuple[bool, ...]]:
        """Return how often each output came in independent runs."""
        rng = np.random.default_rng(seed)
        x: list[NDArray[np.float64]] = []
        for one in self.noises:
            scale = 1 / (float(one.rate) * eps)
            if one.kind == "lap":
                noise = rng.laplace(0, scale, runs)
            elif one.kind == "expo":
                noise = rng.exponential(scale, runs)
            elif one.kind == "unif":
                noise = rng.uniform(-1, 1, runs) / float(one.rate)
            else:
                p = -np.expm1(-1 / scale)
                less = 1 if one.kind == "geometric" else rng.geometric(p, runs)
                noise = (rng.geometric(p, runs) - less).astype(float)
            noise = noise + float(one.constant)
            if one.of_input is not None:
                noise = noise + float(u[one.of_input])
            if one.of_noise is not None:
                noise = noise + x[one.of_noise]
            x.append(noise)
        codes = np.zeros(runs, dtype=int)
        for k, test in enumerate(self.comparisons):
            left = np.zeros(runs)
            for v, q in test.noises:
                left += float(q) * x[v]
            fixed = sum((q * u[v] for v, q in test.inputs), Fraction(0))
            codes += 2**k * COMPARE[test.op](left, float(test.constant - fixed))
        counts = np.bincount(codes, minlength=2 ** len(self.comparisons)).tolist()
        return Counter(
            {
                tuple(bool(code >> k & 1) for k in range(len(self.comparisons))): count
                for code, count in enumerate(counts)
                if count
            }
        )


def _text(number: int, test: Comparison, names: Sequence[str]) -> str:
    terms = [f"({q}) * {names[v]}" for v, q in test.noises]
    terms += [f"({q}) * q[{v}]" for v, q in test.inputs]
    return f"truth{number} = {' + '.join(terms)} {test.op} ({test.constant})"


RATES = [Fraction(rate) for rate in ("1", "1", "1/2", "2", "1/3", "3/2")]
CONSTANTS = [Fraction(value) for value in ("0", "0", "1", "-1", "1/2", "-2", "7/3")]
COEFFICIENTS = [Fraction(value) for value in ("1", "1", "-1", "-1", "2", "-2", "1/2", "3")]

inputs = st.tuples(*[st.sampled_from([Fraction(x) for x in (0, 1, -1, "1/2", "-7/3")])] * 2)


KINDS = ("lap", "lap", "expo", "unif")


@st.composite
def programs(
    draw: st.DrawFn, most: int = 5, kinds: tuple[str, ...] = KINDS, terms: int = 6
) -> Program:
    """Draw a program with real noise: up to `most` of it, `terms` in all comparisons together."""
    noises: list[Noise] = []
    for j in range(draw(st.integers(1, most))):
        origin = draw(st.sampled_from(["constant", "input", "noise"][: 2 + bool(j)]))
        noises.append(
            Noise(
                draw(st.sampled_from(kinds)),
                draw(st.sampled_from(RATES)),
                draw(st.sampled_from(CONSTANTS)),
                draw(st.integers(0, 1)) if origin == "input" else None,
                draw(st.integers(0, j - 1)) if origin == "noise" else None,
            )
        )
    count = draw(st.integers(1, 3))
    tests = []
    for _ in range(count):
        width = draw(st.integers(1, min(len(noises), terms // count)))
        chosen = draw(st.permutations(range(len(noises))))[:width]
        tests.append(
            Comparison(
                tuple((v, draw(st.sampled_from(COEFFICIENTS))) for v in chosen),
                tuple((v, draw(st.sampled_from(COEFFICIENTS))) for v in draw(_ONE_INPUT)),
                draw(st.sampled_from(["<", "<=", ">", ">="])),
                draw(st.sampled_from(CONSTANTS)),
            )
        )
    return Program(tuple(noises), tuple(tests))


_ONE_INPUT = st.sampled_from([(), (), (0,), (1,)])


@st.composite
def integer_programs(draw: st.DrawFn, most: int = 5) -> Program:
    """Draw a program with integer noise; comparisons are of one or two, or a sum of four."""
    noises = tuple(
        Noise(
            draw(st.sampled_from(["dlap", "dlap", "geometric"])),
            draw(st.sampled_from(RATES[:4])),
            Fraction(draw(st.integers(-2, 2))),
        )
        for _ in range(draw(st.integers(1, most)))
    )
    tests = []
    for _ in range(draw(st.integers(0, 2))):
        chosen = draw(st.permutations(range(len(noises))))[: draw(st.integers(1, 2))]
        tests.append(
            Comparison(
                tuple((v, Fraction(draw(st.sampled_from([1, -1, 2, -3])))) for v in chosen),
                (),
                draw(st.sampled_from(list(COMPARE))),
                Fraction(draw(st.integers(-2, 2))),
            )
        )
    if not tests:
        signs = [(v, Fraction(draw(st.sampled_from([1, -1])))) for v in range(len(noises))[:4]]
        op = draw(st.sampled_from(list(COMPARE)))
        tests.append(Comparison(tuple(signs), (), op, Fraction(draw(st.integers(-2, 2)))))
    return Program(noises, tuple(tests))


@st.composite
def orders(draw: st.DrawFn, program: Program) -> list[int]:
    """Draw an order of a program's noises in which each comes after its mean."""
    left = set(range(len(program.noises)))
    result: list[int] = []
    while left:
        ready = sorted(j for j in left if program.noises[j].of_noise not in left)
        result.append(draw(st.sampled_from(ready)))
        left.remove(result[-1])
    return result
