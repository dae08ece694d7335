"""Distributions compared with the outside oracle."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from support.oracle import Judge, Masses, Program

BUDGETS = (Fraction(1, 3), Fraction(1), Fraction(5, 2))


def agree_with_oracle(text: str, u: Any, found: Mapping[Any, Any]) -> None:
    """Assert that a distribution has mass exactly 1, and is that of the program run by Python."""
    assert sum(found.values()) == 1
    program = Program(text)
    entries = program.entries(u) if program.parameters else ()
    masses = Masses(np.array([float(e) for e in BUDGETS]))
    expected = Judge(program).distribution(entries, masses)
    for output in {*found, *expected}:
        told = [float(found[output].at(e)) if output in found else 0.0 for e in BUDGETS]
        right = expected.get(output, np.zeros(len(BUDGETS)))
        assert told == pytest.approx(right, rel=1e-9, abs=1e-13), output
