"""Long computations in flint that Ctrl-C can interrupt.

Python handles Ctrl-C only between two C calls. So a computation that may take more than about a
second in one call is split into several (`product`), or run in a separate process (`gcd`,
`squarefree`) that ends with this one. The estimate of the time comes from measurements: for degree
d in e^{step·ε}, degree k in ε and coefficients of b bits it is about
(10^−5·d + 3·10^−8·k·d²)·(1 + b/200) seconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from flint import fmpq, fmpq_mpoly

from exactdp.errors import ValueRefusedError

A_SECOND = 1.0
_MOST_PRODUCTS = 1_000_000  # of terms, in one call

_PROGRAM = """
import json, signal, sys
from flint import Ordering, fmpq, fmpq_mpoly_ctx
signal.signal(signal.SIGINT, signal.SIG_DFL)
what, names, given = json.load(sys.stdin)
ring = fmpq_mpoly_ctx.get(names, Ordering.lex)
one, *rest = [ring.from_dict({tuple(k): fmpq(*map(int, c)) for k, c in p}) for p in given]
constant, found = (1, [(one.gcd(*rest), 1)]) if what == "gcd" else one.factor_squarefree()
def plain(c):
    return [str(fmpq(c).p), str(fmpq(c).q)]
def terms(p):
    return [[list(map(int, k)), plain(c)] for k, c in p.to_dict().items()]
json.dump([plain(constant), [[terms(p), int(n)] for p, n in found]], sys.stdout)
"""


def seconds(*polynomials: fmpq_mpoly) -> float:
    """Return an estimate of the seconds for a gcd of polynomials in ε and e^{step·ε}.

    With more variables the degrees are small, and the time is negligible.
    """
    if polynomials[0].context().nvars() > 2:
        return 0.0
    degrees = [one.degrees() for one in polynomials]
    k, d = (max(int(one[j]) for one in degrees) for j in (0, 1))
    bits = max(int(abs(c.p) * c.q).bit_length() for one in polynomials for c in one.coeffs())
    return (1e-5 * d + 3e-8 * k * d**2) * (1 + bits / 200)


def gcd(one: fmpq_mpoly, two: fmpq_mpoly) -> fmpq_mpoly:
    """Return the greatest common divisor."""
    if seconds(one, two) < A_SECOND:
        return one.gcd(two)
    return _apart("gcd", one, two)[1][0][0]


def squarefree(one: fmpq_mpoly) -> tuple[fmpq, list[tuple[fmpq_mpoly, int]]]:
    """Return a constant and the squarefree factors with their exponents."""
    if 4 * seconds(one) < A_SECOND:
        constant, factors = one.factor_squarefree()
        return fmpq(constant), [(factor, int(power)) for factor, power in factors]
    return _apart("squarefree", one)


def product(one: fmpq_mpoly, two: fmpq_mpoly) -> fmpq_mpoly:
    """Return the product."""
    if len(one) * len(two) <= _MOST_PRODUCTS:
        return one * two
    ring = one.context()
    terms = list(one.to_dict().items())
    share = max(1, _MOST_PRODUCTS // len(two))
    result = ring.constant(0)
    for j in range(0, len(terms), share):
        result += ring.from_dict(dict(terms[j : j + share])) * two
    return result


def _apart(what: str, *given: fmpq_mpoly) -> tuple[fmpq, list[tuple[fmpq_mpoly, int]]]:
    """Return the result of the program above, run in a separate process."""
    ring = given[0].context()
    question = [
        what,
        [f"x{j}" for j in range(ring.nvars())],
        [
            [[list(map(int, key)), [str(c.p), str(c.q)]] for key, c in one.to_dict().items()]
            for one in given
        ],
    ]
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        input=json.dumps(question),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    if done.returncode:
        raise ValueRefusedError(
            "a common divisor of sums with far apart exponents could not be computed",
            rule=f"It takes a polynomial of degree {max(map(int, given[0].degrees()))}.",
            way_out="Give the factors one by one, or round the exponents to a common denominator.",
        )
    constant, found = json.loads(done.stdout)

    def read(terms: list[Any]) -> fmpq_mpoly:
        return ring.from_dict({tuple(key): fmpq(*map(int, c)) for key, c in terms})

    return fmpq(*map(int, constant)), [(read(terms), power) for terms, power in found]
