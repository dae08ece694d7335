"""Random sums of exponentials in several parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from hypothesis import strategies as st

from exactdp.reals import ExpPoly, ExpTerm

Key = tuple[tuple[int, ...], tuple[Fraction, ...]]


def from_dict(names: Sequence[str], terms: Mapping[Key, Fraction]) -> ExpPoly:
    """Return the sum with terms {(powers, rates): coefficient}, an entry for each name."""
    return ExpPoly(
        ExpTerm(c, tuple(zip(names, powers, strict=True)), tuple(zip(names, rates, strict=True)))
        for (powers, rates), c in terms.items()
    )


def sums_of(
    names: Sequence[str],
    power: st.SearchStrategy[int],
    number: st.SearchStrategy[Fraction],
    most: int,
    least: int = 1,
) -> st.SearchStrategy[ExpPoly]:
    """Return sums of up to `most` terms, whose rates and coefficients are such numbers."""
    size = len(names)
    key = st.tuples(st.tuples(*[power] * size), st.tuples(*[number] * size))
    terms = st.dictionaries(key, number, min_size=least, max_size=most)
    return terms.map(lambda found: from_dict(names, found))
