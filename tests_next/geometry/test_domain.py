"""Domains: parts of a cut, points inside."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from exactdp_next import codec
from exactdp_next.geometry.cone import Cone
from exactdp_next.geometry.domain import Domain
from exactdp_next.ring.epsilon import Interval
from exactdp_next.ring.linear import Linear, Rational, form


def draw(rng: random.Random) -> Domain:
    n = rng.randint(1, 3)
    names = ("eps", *(f"x[{i}]" for i in range(n)))
    window = Interval(
        rng.choice([0, 1, Fraction(1, 3)]), rng.choice([2, Fraction(7, 2)]), lower_open=True
    )
    cone = Cone.orthant(n + 1).clip((2, *(rng.choice([-1, 0, 1]) for _ in range(n))))
    return Domain(names, cone, window)


def value(one: Linear | Rational, point: dict[str, Rational]) -> Rational:
    found = one.at(point) if isinstance(one, Linear) else one
    assert not isinstance(found, Linear)
    return found


def test_both_parts_of_a_cut_cover_a_domain() -> None:
    rng = random.Random(1)
    for _ in range(300):
        domain = draw(rng)
        names = domain.names[1:]
        cutting = form({x: rng.choice([-2, -1, 0, 1, 3]) for x in names}, rng.choice([-1, 0, 1]))
        above, below = domain.cut(cutting)
        for part, side in ((above, 1), (below, -1)):
            if part:
                point = part.inside()
                assert domain.contains(point)
                assert part.contains(point)
                assert value(cutting, point) * side >= 0
        assert above or below
        for _ in range(5):
            numbers = {x: Fraction(rng.randint(0, 12), rng.randint(1, 4)) for x in names}
            point = {"eps": Fraction(rng.randint(1, 8), 2), **numbers}
            if domain.contains(point) and value(cutting, point):
                part = above if value(cutting, point) > 0 else below
                assert part is not None
                assert part.contains(point)


def test_a_line() -> None:
    line = Domain.line()
    assert line.is_line
    assert line.inside() == {"eps": 1}
    assert line.cut(Fraction(1, 2)) == (line, None)
    assert line.cut(-1) == (None, line)
    assert line.cut(0) == (line, line)
    assert Domain.line(Interval(2, 2)).inside() == {"eps": 2}
    assert not line.contains({"eps": 0})


def test_domains_are_json() -> None:
    domain = Domain(("eps", "alpha"), Cone.orthant(2), Interval.parse("(0, 5/2]"))
    assert codec.read(Domain, codec.written(domain)) == domain


def test_what_is_no_domain() -> None:
    with pytest.raises(ValueError, match="coordinate"):
        Domain(("alpha", "eps"), Cone.orthant(2))
    with pytest.raises(ValueError, match="positive"):
        Domain(("eps", "x"), Cone.orthant(2).boundary((1, 0)))
    with pytest.raises(ValueError, match="rational"):
        Domain.line(Interval(-1, 2))
    with pytest.raises(ValueError, match="names"):
        Domain.line().cut(Linear.name("x"))
