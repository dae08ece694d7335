"""The cost of a decision, in evaluations of the function that it decides."""

from __future__ import annotations

import random
import resource
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction

from flint import arb, ctx, fmpq

from bench.clock import measure, seconds
from bench.table import Row
from exactdp import certify
from exactdp.reals import ExpPoly, eps, exp, nonnegative


def typical(count: int, seed: int, denominator: int = 72) -> ExpPoly:
    """Return a sum of `count` terms like 1 − error + bound, positive with a margin."""
    chance = random.Random(seed)
    found: dict[Fraction, Fraction] = {}
    while len(found) < count - 1:
        rate = Fraction(-chance.randint(1, 6 * denominator), denominator)
        found[rate] = Fraction(chance.randint(-100, 100) or 1, chance.randint(1, 50))
    most = sum(abs(c) for c in found.values())
    f = ExpPoly([(c / most, (), (("eps", q),)) for q, c in found.items()])
    return f + Fraction(9, 8)


def evaluation(f: ExpPoly) -> float:
    """Return the seconds that one evaluation with arb at 64 bits takes."""
    terms = [
        (fmpq(t.coefficient.numerator, t.coefficient.denominator), t.power, exact(t.rate))
        for t in f.terms
    ]
    ctx.prec = 64
    x = arb(fmpq(17, 10))
    return seconds(lambda: sum((c * x**k * (q * x).exp() for c, k, q in terms), arb(0)), 0.05)


def exact(value: Fraction) -> fmpq:
    """Return a Fraction as a flint rational."""
    return fmpq(value.numerator, value.denominator)


def child(code: str) -> float:
    """Return the processor time of a fresh Python process that runs a line of code."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime


def measured() -> Iterator[Row]:
    """Yield the measurements of closed forms."""
    for count in (20, 35, 50):
        ratios = []
        for seed in range(5):
            f = typical(count, seed)
            assert nonnegative(f).holds
            ratios.append(seconds(lambda f=f: nonnegative(f), 0.1) / evaluation(f))  # type: ignore[misc]
        name = f"decide {count} terms / evaluate them once with arb"
        yield Row(name, max(ratios), "×", 300, cost=max(ratios))
    small, large = typical(20, 1), typical(2000, 1, denominator=1000)
    decided = measure(lambda: nonnegative(large), 1)
    name = "decide 2000 terms / evaluate them once with arb"
    ratio = decided.seconds / evaluation(large)
    yield Row(name, ratio, "×", 300, cost=decided.yardsticks)
    decision = nonnegative(typical(50, 2))
    checked = measure(lambda: certify.check(decision.certificate))
    ratio = checked.seconds / seconds(lambda: nonnegative(typical(50, 2)))
    name = "check a certificate of 50 terms / decide them"
    yield Row(name, ratio, "×", 100, cost=checked.yardsticks)
    square = (exp(eps / 9973) + exp(1000 * eps) - 3) ** 2
    decided = measure(lambda: nonnegative(square))
    ratio = decided.seconds / seconds(lambda: nonnegative(small))
    name = "decide (e^{ε/9973} + e^{1000ε} − 3)² ≥ 0 / decide 20 terms"
    yield Row(name, ratio, "×", 100, cost=decided.yardsticks)
    plain = min(child("pass") for _ in range(5))
    loaded = min(child("import exactdp; exactdp.nonnegative") for _ in range(5))
    yield Row("`import exactdp` adds", loaded - plain, "s", 0.3)
