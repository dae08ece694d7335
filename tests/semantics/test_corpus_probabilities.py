"""Every mechanism of the corpus: mass exactly 1, whichever way it is asked for.

Simulation is in `test_simulated.py`, numerical quadrature in `test_quadrature.py`.
"""

from __future__ import annotations

from typing import Any

import pytest

from language.corpus import MECHANISMS, as_argument, some_input


@pytest.mark.parametrize("choice", [0, 1, 2])
@pytest.mark.parametrize("name", MECHANISMS)
def test_mass(name: str, choice: int) -> None:
    mechanism = MECHANISMS[name]
    u = as_argument(some_input(mechanism, choice))
    found = mechanism.distribution(u)
    total: Any = 0
    for output, chance in found.items():
        assert mechanism.probability(u, output) == chance
        total = total + chance
    assert total == 1
