"""What a program means to the checker is what it means in Python, or it is not understood."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exactdp import Accuracy, Ideal, Mechanism, certify
from exactdp.certify.kernel.reading import CertificateReader
from exactdp.certify.rederive.cones import PolyhedralCone
from exactdp.certify.rederive.derivation import Derivation
from exactdp.certify.rederive.parametric import ProgramOnCone
from exactdp.certify.rederive.ratios import POSITIVE, UnsupportedError

from .specimens import seal

COIN = "choose({0: 1 / 2, 1: 1 / 2})"
NEGATIVE = "def g(z):\n    return -z\n"


def program(*lines: str, before: str = "") -> str:
    """Return a program of one input."""
    return before + "def f(x: Dom(0, 1)):\n" + "".join(f"    {line}\n" for line in lines)


def derived(source: str, output: object) -> Fraction | None:
    """Return a probability, as the checker derives it."""
    spec = {
        "mechanism": source,
        "ideal": {"noiseless": True},
        "output_distance": {"name": "discrete"},
    }
    ray = PolyhedralCone(1, CertificateReader()).cut([1])
    here = ProgramOnCone(Derivation(spec, None, POSITIVE), ray, [0])
    return here.probability(output, Fraction(0)).constant()


def test_an_entry_that_is_changed_is_drawn_once() -> None:
    source = program("u = [0, 10]", f"u[{COIN}] += 1", "return u[0]")
    assert [derived(source, k) for k in (0, 1, 11)] == [Fraction(1, 2), Fraction(1, 2), 0]


def test_a_claim_about_an_entry_that_is_drawn_twice_is_not_one_of_an_entry_drawn_once() -> None:
    """Twice drawn, 11 has the probability 1/4; with += it has none, so the claim is false."""
    twice = program("u = [0, 10]", f"u[{COIN}] = u[{COIN}] + 1", "return u[0]")
    ideal = Ideal.from_source("def ideal(x):\n    return 11")
    claim = Accuracy(Mechanism.from_source(twice), ideal=ideal, beta="3/4", alpha=0, inputs=[0])
    certificate = claim.check().certificate
    assert certificate is not None
    assert certify.check(certificate)
    once = program("u = [0, 10]", f"u[{COIN}] += 1", "return u[0]")
    certificate["claim"]["mechanism"] = once
    assert not certify.check(seal(certificate))


@pytest.mark.parametrize(
    "source",
    [
        program("d = {0: 1, 1: 2}", "d[0] = 7", "return d[1]"),
        program("d = (1, 2)", "d[0] = 7", "return d[0]"),
        program("d = {**{0: 1}, 1: 2}", "return len(d)"),
        program("return sorted([1, 2], **{'reverse': True})"),
        program("if False:", "    yield 3", "return 4"),
        program("b = 9", "return sorted([1, 2], key=lambda a, *, b=-1: a * b)"),
        program("return 1", before="def g(h):\n    return lambda x: 5\n@g\n"),
        program(f"return {COIN}", before="def choose(a):\n    return 5\n"),
        program("return lap(eps, 5)", before="def lap(a, b):\n    return b\n"),
    ],
)
def test_what_is_not_in_the_language_is_not_understood(source: str) -> None:
    with pytest.raises(UnsupportedError):
        derived(source, 1)


@pytest.mark.parametrize(
    ("source", "output"),
    [
        (program("return max([1, 2], key=g)", before=NEGATIVE), 1),
        (program("return sorted([1, 2], key=g)", before=NEGATIVE), (2, 1)),
    ],
)
def test_own_functions(source: str, output: object) -> None:
    assert derived(source, output) == 1
