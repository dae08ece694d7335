"""Random sums, random pieces: what is accepted is true (mpmath), whatever the certificate says."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import assume, event, given
from hypothesis import strategies as st

from exactdp import certify
from support.examples import examples

from .specimens import certificate, factor, half, proof
from .truth import is_true, mp, number, sign, value

Json = Any

SMALL = st.fractions(min_value=-4, max_value=4, max_denominator=6)
POINTS = st.fractions(min_value=Fraction(1, 8), max_value=6, max_denominator=8)


@st.composite
def sums(draw: st.DrawFn) -> Json:
    """Draw a sum that is nonnegative at 1 more often than not."""
    keys = draw(st.lists(st.tuples(SMALL, st.integers(0, 3)), min_size=1, max_size=4, unique=True))
    return [[str(draw(SMALL.filter(bool))), k, str(q)] for q, k in sorted(keys)]


@st.composite
def certificates(draw: st.DrawFn) -> Json:
    """Draw a claim and something in the form of a proof of it."""
    terms = draw(sums())
    ends = sorted(draw(st.sets(POINTS, min_size=2, max_size=4)))
    degrees, bits = st.integers(0, 12), st.integers(8, 60)
    from_0, to_infinity = draw(st.booleans()), draw(st.booleans())
    pieces: Json = [["start", str(ends[0]), draw(degrees), draw(bits)]] if from_0 else []
    for end in ends[1:]:
        at = draw(st.sampled_from(["lower", "middle", "upper"]))
        _, power, rate = draw(st.sampled_from(terms))
        shapes = [
            ["box", str(end), str(draw(SMALL)), draw(degrees), draw(bits), at],
            ["span", str(end), power, rate, draw(bits)],
        ]
        pieces.append(draw(st.sampled_from(shapes)))
    *_, (_, power, rate) = terms if draw(st.booleans()) else [draw(st.sampled_from(terms))]
    pieces += [["span", "inf", power, rate, draw(bits)]] if to_infinity else []
    lower, upper = "0" if from_0 else str(ends[0]), "inf" if to_infinity else str(ends[-1])
    on = f"({lower}, {upper}" + (")" if to_infinity else "]")
    sign = draw(st.sampled_from([1, -1]))
    if sign < 0:
        constant = factor([["-1", 0, "0"]], [["linear"]], -1)
        minus = [[str(-Fraction(c)), k, q] for c, k, q in terms]
        parts = half(constant, factor(terms, pieces, -1))
        return certificate("holds", minus, ">", on, proof(parts))
    return certificate("holds", terms, ">", on, proof(half(factor(terms, pieces))))


@examples(60)
@given(certificates())
def test_accepted_pieces_are_true(candidate: Json) -> None:
    report = certify.check(candidate)
    event(f"accepted: {report.accepted}")
    if report:
        assert is_true(candidate)


def dyadic(x: Any) -> str:
    mantissa, exponent = mp.frexp(x)
    return f"{int(mp.floor(mantissa * 2**60))}*2^{exponent - 60}"


@examples(60)
@given(sums(), sums(), SMALL.filter(bool), st.sampled_from([">", ">="]))
def test_values_are_accepted_exactly_if_right(
    n: Json, d: Json, at: Fraction, relation: str
) -> None:
    """A narrow enclosure of the value refutes if the value is negative; a wrong one does not."""
    x = number(str(at))
    assume(sign(d, x) != 0)
    quotient = value(n, x) / value(d, x)
    low, high = (dyadic(quotient * (1 + 10**-9 * s)) for s in (1, -1))
    if sign(n, x) == 0:
        low = high = "0"
    refuted = sign(n, x) * sign(d, x) < 0 or (sign(n, x) == 0 and relation == ">")

    def refutation(*ends: str) -> Json:
        return certificate(
            "fails", n, relation, "[-4, 4]", {"at": str(at), "value": list(ends), "bits": 256}, d
        )

    assert certify.check(refutation(low, high)).accepted == refuted
    assert not certify.check(refutation(high, low)) or low == high == "0"
    assert not certify.check(refutation(dyadic(quotient * 1.001), dyadic(quotient * 1.0005)))
    assert not certify.check(refutation("-1*2^-99999", "-1*2^-99999"))
