"""The growth of claims with the number of queries, in time and memory, each in a new process.

Certificates are made and checked for all real inputs; at one input they are those of `claims`.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from random import Random
from time import process_time

from bench.programs import exponential_max, noisy_max, sparse, sparse_variant
from bench.table import Curve, Row
from exactdp import ANY, Accuracy, AllReals, Mechanism, alpha, eps, exp, gamma, numeric, sup
from exactdp.certify import check
from exactdp.reproduce.programs import FIGURE, numeric_sparse

STAGES = ("check()", "certificate", "checked again")


def at_one_input(m: int) -> Accuracy:
    """Return a claim about NoisyMax at an input with three different entries."""
    given = [0] * (m // 2) + [2] + [1] * (m - m // 2 - 1)
    return Accuracy(noisy_max(m), m * exp(-alpha * eps / 2), inputs=[given])


def sparse_at_one_input(m: int) -> Accuracy:
    """Return a claim about Sparse with c = 1 where only the last query is above."""
    return Accuracy(sparse(m, 1), 2 * m * exp(-alpha * eps / 8), inputs=[[-1] * (m - 1) + [1]])


def far_apart(m: int) -> Accuracy:
    """Return a claim about NoisyMax at random rationals, up to a million apart."""
    pick = Random(m)
    q = [Fraction(pick.randint(-(10**6), 10**6), pick.randint(1, 1000)) for _ in range(m)]
    return Accuracy(noisy_max(m), m * exp(-alpha * eps / 2), inputs=[q])


def largest(make: Callable[[int], Mechanism], m: int) -> Accuracy:
    """Return a claim about a noisy maximum for all real inputs."""
    return Accuracy(make(m), m * exp(-alpha * eps / 2), inputs=AllReals())


def above(m: int, c: int) -> Accuracy:
    """Return a claim about Sparse for all real inputs."""
    return Accuracy(sparse(m, c), 2 * m * c * exp(-alpha * eps / (8 * c)), inputs=AllReals())


def variant(m: int, c: int) -> Accuracy:
    """Return a claim about SparseVariant for all real inputs."""
    bound = 2 * m * c * exp(-alpha * eps / (8 * c))
    return Accuracy(sparse_variant(m, c, FIGURE), bound, inputs=AllReals())


def numbers(m: int, c: int) -> Accuracy:
    """Return the paper's Theorem 6 about NumericSparse for all real inputs, all α and all γ."""
    bound = 2 * m * c * exp(-alpha * eps / (9 * c)) + c * exp(-gamma * eps / (9 * c))
    return Accuracy(
        numeric_sparse(m, c, FIGURE),
        bound,
        gamma=ANY,
        input_distance=numeric,
        output_distance=sup,
        inputs=AllReals(),
    )


AT_INPUTS: dict[str, tuple[Callable[[int], Accuracy], tuple[int, ...]]] = {
    "NoisyMax": (at_one_input, (13, 25, 50, 100, 200)),
    "Sparse, c = 1": (sparse_at_one_input, (16, 32, 64, 128)),
    "NoisyMax at random rationals": (far_apart, (25, 50, 100, 200)),
}
FOR_ALL: dict[str, tuple[Callable[[int], Accuracy], tuple[int, ...]]] = {
    "NoisyMax": (lambda m: largest(noisy_max, m), (12, 25, 50, 100)),
    "exponential noise": (lambda m: largest(exponential_max, m), (12, 25, 50, 100)),
    "AboveThreshold": (lambda m: above(m, 1), (12, 25, 50, 100)),
    "Sparse, c = 2": (lambda m: above(m, 2), (8, 15, 30)),
    "Sparse, c = m": (lambda m: above(m, m), (4, 6, 8)),
    "SparseVariant, c = 2": (lambda m: variant(m, 2), (8, 15, 30)),
    "NumericSparse, c = 2": (lambda m: numbers(m, 2), (4, 6, 8)),
    "NumericSparse, c = m": (lambda m: numbers(m, m), (4, 5, 6)),
}


def stages(kind: str, name: str, m: int) -> list[float]:
    """Return the seconds of each stage, and the megabytes that this process has used at most."""
    make, _ = (AT_INPUTS if kind == "at" else FOR_ALL)[name]
    times = [process_time()]
    verdict = make(m).check()
    assert verdict, (name, m)
    times.append(process_time())
    if kind == "all":
        certificate = verdict.certificate
        times.append(process_time())
        assert check(certificate).accepted, (name, m)
        times.append(process_time())
    spent = [after - before for before, after in pairwise(times)]
    return [*spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]


def alone(kind: str, name: str, m: int) -> list[float]:
    """Return what `stages` returns in a new process."""
    text = f"from bench.reach import stages; print(stages({kind!r}, {name!r}, {m}))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    return list(json.loads(done.stdout))


def measured() -> Iterator[Row | Curve]:
    """Yield curves, and the times and the memory of the largest sizes."""
    for kind, questions, where in (
        ("at", AT_INPUTS, "at one input"),
        ("all", FOR_ALL, "all reals"),
    ):
        for name, (_, sizes) in questions.items():
            found = {m: alone(kind, name, m) for m in sizes}
            most = found[sizes[-1]]
            for stage, seconds in zip(STAGES, most[:-1], strict=False):
                yield Row(f"{name}, m = {sizes[-1]}, {where}: {stage}", seconds, "s", 60)
            yield Row(f"{name}, m = {sizes[-1]}, {where}: memory", most[-1], "MB", 1000)
            times = tuple((m, one[0]) for m, one in found.items())
            yield Curve("reach" if kind == "all" else "one_input", name, times)
            yield Curve("memory", f"{name}, {where}", tuple((m, x[-1]) for m, x in found.items()))
