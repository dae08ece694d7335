"""Programs that are defined on an interval of ε (paper, section 4)."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from exactdp import Accuracy, Dom, Mechanism, choose, eps, lap, mechanism
from exactdp.errors import ExactdpError
from exactdp.language.types import Real
from exactdp.reals import Interval


@mechanism(epsilon="(0, 1]")
def response(x: Dom(0, 1)):  # type: ignore[no-untyped-def, valid-type]
    """Answer truthfully with probability (1 + ε)/2, which is one for ε ≤ 1 only."""
    return choose({x: (1 + eps) / 2, 1 - x: (1 - eps) / 2})


@mechanism
def undeclared(x: Dom(0, 1)):  # type: ignore[no-untyped-def, valid-type]
    """Answer likewise, without an interval."""
    return choose({x: (1 + eps) / 2, 1 - x: (1 - eps) / 2})


def identity(x: int) -> int:
    """Return the ideal answer."""
    return x


def _refusal(ask: Callable[[], object]) -> str:
    with pytest.raises(ExactdpError) as caught:
        ask()
    return str(caught.value)


def test_probabilities_on_the_interval() -> None:
    """Pr(1 | 1) = (1 + ε)/2, by the definition of `choose`."""
    assert response.distribution(1)[1] == (1 + eps) / 2
    assert str(response.epsilon) == "(0, 1]"


def test_claims_on_the_interval() -> None:
    """The error is (1 − ε)/2: as claimed it holds, with less it fails, at every ε of (0, 1]."""
    for program in (response, undeclared):
        exact = Accuracy(program, beta=(1 - eps) / 2, ideal=identity, epsilon="(0, 1]")
        assert exact.check().outcome == "holds"
        below = Accuracy(
            program, beta=(1 - eps) * Fraction(49, 100), ideal=identity, epsilon="(0, 1]"
        )
        assert below.check().outcome == "fails"
    assert str(Accuracy(response, beta=0.5, ideal=identity).epsilon) == "(0, 1]"


def test_a_claim_beyond_the_interval_names_both() -> None:
    """(0, 2] is not inside (0, 1]."""
    text = _refusal(lambda: Accuracy(response, beta=0.5, ideal=identity, epsilon="(0, 2]"))
    assert "(0, 1]" in text
    assert "(0, 2]" in text


def test_an_undeclared_program_is_asked_where_it_is_defined() -> None:
    """Without an interval the question's counts; beyond, the place of the choice is named."""
    text = _refusal(lambda: undeclared.distribution(1))
    assert "negative at eps = 2" in text
    assert "test_intervals.py" in text
    claim = Accuracy(undeclared, beta=0.5, ideal=identity, epsilon="(0, 1]")
    assert claim.check().outcome == "holds"
    assert "negative" in _refusal(lambda: replace(claim, epsilon="(0, 3/2]"))
    # ε = 1 is the last at which it is defined.
    assert undeclared.run(1, 1) == 1
    assert "negative" in _refusal(lambda: undeclared.run(1, 2))


def test_runs_on_the_interval() -> None:
    """At ε = 1/2 the answer is true with probability 3/4: within 5 standard deviations."""
    for program in (response, undeclared):
        found = program.sample(1, Fraction(1, 2), 4000, seed=5)
        assert abs(sum(found) / 4000 - 0.75) < 5 * (0.75 * 0.25 / 4000) ** 0.5
    text = _refusal(lambda: response.sample(1, 2, 10))
    assert "(0, 1]" in text
    assert "{2}" in text
    assert "(0, 1]" in _refusal(lambda: response.run(1, 2))


def test_noise_is_confined_too() -> None:
    """An interval can be declared for any mechanism; a text declares it as the decorator does."""
    text = '@mechanism(epsilon="[1/2, 2)")\ndef f(q: Real):\n    return lap(eps, q) > 0\n'
    found = Mechanism.from_source(text)
    assert str(found.epsilon) == "[1/2, 2)"
    assert Mechanism.from_source(str(found)) == found
    assert found != Mechanism.from_source(text.partition("\n")[2])
    assert pickle.loads(pickle.dumps(found)).epsilon == found.epsilon
    assert "[1/2, 2)" in found.explain()
    assert "[1/2, 2)" in _refusal(lambda: found.run(0, 2))
    assert isinstance(found.run(0, 1), bool)


def test_a_subroutine_confines_its_caller() -> None:
    """A caller is defined where all that it calls is, and may not declare more."""

    @mechanism
    def caller(x: Dom(0, 1)):  # type: ignore[no-untyped-def, valid-type]
        return response(response(x))

    assert str(caller.epsilon) == "(0, 1]"
    flip = (1 - eps) / 2
    assert caller.distribution(1)[1] == (1 - flip) ** 2 + flip**2

    def declare() -> None:
        @mechanism(epsilon="(0, 2]")
        def wide(q: Real, x: Dom(0, 1)):  # type: ignore[no-untyped-def, valid-type]
            return response(x), lap(eps, q) > 0

    text = _refusal(declare)
    assert "(0, 1]" in text
    assert "(0, 2]" in text


def test_what_is_never_a_probability_is_refused_at_once() -> None:
    """−ε is negative everywhere; a declared interval is checked when the program is read."""
    never = "def f():\n    return choose({0: -eps, 1: 1 + eps})\n"
    assert "negative" in _refusal(lambda: Mechanism.from_source(never))
    wide = '@mechanism(epsilon="(0, 2]")\ndef f():\n    return choose({0: 1 - eps, 1: eps})\n'
    assert "negative" in _refusal(lambda: Mechanism.from_source(wide))
    bad = '@mechanism(epsilon="[0, 2]")\ndef f():\n    return choose({0: 1})\n'
    assert "positive" in _refusal(lambda: Mechanism.from_source(bad))


def test_intervals_meet() -> None:
    """Intersections by their points: ends are open if one of both is open there."""
    texts = ["(0, 1]", "[1, 2)", "(1, 2)", "[1/2, 1)", "[1/2, inf)", "[1, 1]"]
    points = [Fraction(k, 8) for k in range(1, 24)]
    for one in map(Interval.parse, texts):
        for other in map(Interval.parse, texts):
            both = one.meet(other)
            for point in points:
                assert (both is not None and point in both) == (point in one and point in other)
            assert one.covers(other) == all(p in one for p in points if p in other) or (
                other.upper > 3
            )
