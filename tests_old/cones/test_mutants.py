"""Sums that no other test noticed when the procedure was changed: see `mutants`."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from exactdp.certify.kernel.orthants import ConeSign
from exactdp.certify.kernel.reading import CertificateReader, RejectedError
from exactdp.cones import Cone, OrderedSum, Window, nonnegative_on
from exactdp.reals import ExpPoly, exp, parameter
from exactdp.reals.interval import Interval

Rate = tuple[int, int, int]
ORTHANT = Cone.of(3, [(1, 0, 0), (0, 1, 0), (0, 0, 1)])
WEDGE = Cone.of(3, [(1, -1, 0), (0, 1, 0), (0, 0, 1)])
PYRAMID = Cone.of(3, [(1, -1, 0), (0, 1, 0), (1, 0, -1), (0, 0, 1)])
NAMES = ("e", "x", "y")
e, x, y = (parameter(name) for name in NAMES)


def valley(one: Rate, two: Rate, depth: Fraction) -> OrderedSum:
    """Return (e^{one·θ} − 3/7)² + (e^{two·θ} − 5/11)² − depth."""
    c, d = Fraction(3, 7), Fraction(5, 11)
    first, second = (exp(a * e + b * x + c * y) for a, b, c in (one, two))
    return OrderedSum((first - c) ** 2 + (second - d) ** 2 - depth, NAMES)


@pytest.mark.parametrize("depth", [Fraction(1, 3000), Fraction(1, 2950), Fraction(1, 1000)])
@pytest.mark.parametrize(
    ("one", "two", "cone", "window"),
    [
        ((-1, 0, 0), (-1, -1, -1), PYRAMID, "[1/2, 2]"),
        ((-1, 0, 0), (-1, -1, -1), PYRAMID, "(0, 3]"),
        ((-1, 0, 0), (-1, -1, -1), ORTHANT, "[4/5, 5/6]"),
        ((0, -1, 0), (0, -1, -1), ORTHANT, "[1/2, 2]"),
        ((0, -1, 0), (0, -1, -1), ORTHANT, "[1, inf)"),
        ((0, -1, 0), (0, -1, -1), ORTHANT, "[3, 4]"),
        ((0, -1, 0), (0, -1, -1), WEDGE, "[1/2, 2]"),
        ((0, 0, -1), (0, -1, -1), WEDGE, "[1/2, 2]"),
        ((0, 0, -1), (0, -1, -1), WEDGE, "[3, 4]"),
    ],
)
def test_a_narrow_valley_in_a_window(
    one: Rate, two: Rate, cone: Cone, window: str, depth: Fraction
) -> None:
    """Both exponents are equal on a side of the cone, and else the second is less; but 3/7 < 5/11.

    So it is least on that side, where both exponentials are (3/7 + 5/11)/2 (the exponent is
    −0.8174…, which the window allows), and there it is (2/77)²/2 − depth.
    """
    inside = Interval.parse(window)
    f = valley(one, two, depth)
    found = nonnegative_on(f, cone, budget=2000, window=Window.of(0, inside))
    assert found.holds is (Fraction(2, 77) ** 2 / 2 >= depth)
    if found.witness is not None:
        assert found.witness[0] in inside
        assert cone.contains(found.witness)
        assert f.sign_at(found.witness) < 0


def test_a_proof_that_goes_to_infinity() -> None:
    """Along e it falls towards 1 − 4t + 6t² with t = e^{−x−y}, which is at least 1/3."""
    f = 1 - 4 * exp(-x - y) + 6 * exp(-2 * x - 2 * y) + 6 * exp(-e - 2 * y)
    found = nonnegative_on(OrderedSum(f, NAMES), ORTHANT)
    assert found.holds
    proof = json.loads(json.dumps(found.proof.to_json()))
    (cell,) = proof["cells"]
    assert [step["face"] for step in cell["reductions"]] == ["infinity"]
    ConeSign(CertificateReader()).read(proof)
    cell["reductions"][0]["face"] = "zero"  # where it is 6·e^{−2y} more: no proof of what is left
    with pytest.raises(RejectedError):
        ConeSign(CertificateReader()).read(proof)


@pytest.mark.parametrize(
    "f",
    [
        4 * exp(-3 * x + y) - exp(-e - x - y) + exp(-2 * e + x - y),
        2 * exp(-2 * y) - 4 * exp(-e - 2 * x - y) + 8 * exp(-3 * e + x + y),
        6 * exp(e + x - 2 * y) + 5 * exp(e - 3 * x + y) - exp(-x - y),
        7 * exp(e + x - 2 * y) - 2 * exp(-2 * x - y) + 8 * exp(-e - 2 * x) + exp(-3 * e),
        exp(e + x - y) - exp(-2 * y) + 3 * exp(-e - y) + 5 * exp(-e - 3 * x + y) - exp(-3 * e - x),
    ],
)
def test_the_parts_of_a_cone_that_is_cut_cover_it(f: ExpPoly) -> None:
    """The checker follows each cut of the cone, so it misses no part of it."""
    found = nonnegative_on(OrderedSum(f, NAMES), ORTHANT)
    assert found.holds
    proof = json.loads(json.dumps(found.proof.to_json()))
    assert len(proof["cells"]) > 1
    assert all(len(cell["rays"]) == 3 for cell in proof["cells"])
    ConeSign(CertificateReader()).read(proof)
