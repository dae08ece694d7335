"""A box is accepted exactly if the inequality of the schema holds, computed here with mpmath."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from typing import Any

from hypothesis import assume, event, given
from hypothesis import strategies as st

from exactdp import certify
from support.examples import examples

from .specimens import certificate, factor, half, proof
from .truth import mp, number

Json = Any

SMALL = st.fractions(min_value=-3, max_value=3, max_denominator=6)
POINTS = st.fractions(min_value=Fraction(1, 8), max_value=6, max_denominator=8)
PLACES = st.sampled_from(["lower", "middle", "upper"])
ENOUGH = mp.mpf(10) ** -20  # what the checker may lose by rounding, as a part of M
SUMS = st.dictionaries(
    st.tuples(SMALL, st.integers(0, 5)), SMALL.filter(bool), min_size=1, max_size=5
)


def shifted(p: dict[int, Any], m: Any, k: int) -> Any:
    """Return the coefficient of t^k in p(m + t)."""
    return mp.fsum(c * mp.binomial(n, k) * m ** (n - k) for n, c in p.items() if n >= k)


def margin(
    terms: Json, lower: Any, upper: Any, shift: Any, degree: int, at: str
) -> tuple[Any, Any]:
    """Return the left side of the inequality for the sign +1, and M."""
    m = {"lower": lower, "middle": (lower + upper) / 2, "upper": upper}[at]
    r = (upper - lower) / 2 if at == "middle" else upper - lower
    groups: dict[Any, dict[int, Any]] = {}
    for c, k, q in terms:
        groups.setdefault(number(q) - shift, {})[k] = number(c)
    g, sizes, most = [mp.mpf(0)] * (degree + 1), [mp.mpf(0)] * (degree + 1), mp.mpf(0)
    for delta, p in groups.items():
        a = [shifted(p, m, k) for k in range(max(p) + 1)]
        w = mp.exp(delta * m)
        most += w * mp.exp(abs(delta) * r) * mp.fsum(abs(x) * r**k for k, x in enumerate(a))
        for j in range(degree + 1):
            for k, x in enumerate(a[: j + 1]):
                series = delta ** (j - k) / mp.factorial(j - k)
                g[j] += w * x * series * r**j
                sizes[j] += abs(w * x * series) * r**j
    if at == "middle":
        least = g[0] - mp.fsum(map(abs, g[1:]))
    else:
        least = min(accumulate((-1) ** (j * (at == "upper")) * one for j, one in enumerate(g)))
    return least - (most - mp.fsum(sizes)), most


@examples(150)
@given(SUMS, POINTS, POINTS, SMALL, st.integers(0, 25), PLACES)
def test_accepted_exactly_if_the_inequality_holds(
    f: dict[tuple[Fraction, int], Fraction],
    one: Fraction,
    other: Fraction,
    shift: Fraction,
    degree: int,
    at: str,
) -> None:
    lower, upper = sorted([one, one + (other - one) / 8])
    terms = [[str(c), k, str(q)] for (q, k), c in sorted(f.items())]
    ends = number(str(lower)), number(str(upper))
    expected, most = margin(terms, *ends, number(str(shift)), degree, at)
    assume(abs(expected) > ENOUGH * most)
    # For powers above the degree the checker has only a bound.
    exactly = degree >= max(k for _, k in f)
    pieces = [["box", str(upper), str(shift), degree, 64, at]]
    claim = certificate(
        "holds", terms, ">", f"[{lower}, {upper}]", proof(half(factor(terms, pieces)))
    )
    accepted = certify.check(claim).accepted
    event(f"{at}: {accepted}")
    assert accepted <= (expected > 0)
    assert accepted == (expected > 0) or not exactly
