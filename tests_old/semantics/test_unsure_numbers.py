"""Numbers that differ between hypotheses, against all combinations of their values."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from exactdp.semantics.unsure_numbers import Possible, added, equality, extreme, possible_numbers

POSSIBLE = st.dictionaries(st.integers(-2, 3), st.integers(1, 15), max_size=4)


def listed(one: Possible, two: Possible, function: object) -> dict[object, int]:
    """Return the results of all combinations, by hypotheses under which they are possible."""
    found: dict[object, int] = {}
    for (a, first), (b, second) in product(one.items(), two.items()):
        if first & second:
            result = function(a, b)  # type: ignore[operator]
            found[result] = found.get(result, 0) | first & second
    return found


@given(POSSIBLE, POSSIBLE)
def test_all_combinations(one: dict[int, int], two: dict[int, int]) -> None:
    assert added(one, two) == listed(one, two, lambda a, b: a + b)
    assert extreme(one, two, largest=True) == listed(one, two, max)
    assert extreme(one, two, largest=False) == listed(one, two, min)
    truths = listed(one, two, lambda a, b: a == b)
    assert equality(one, two) == (truths.get(True, 0), truths.get(False, 0))


def test_truth_values_are_numbers_where_they_may_be() -> None:
    assert possible_numbers([(True, 1), (1, 2), (0, 4)], truths=True) == {1: 3, 0: 4}
    assert possible_numbers([(True, 1)], truths=False) is None
    assert possible_numbers([(None, 1)], truths=True) is None
