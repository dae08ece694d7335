"""Python means Python: random programs have the value that CPython gives, or are refused."""

from __future__ import annotations

from collections import Counter

from tests_next.outside import programs
from tests_next.outside.runs import outcome


def test_random_programs_have_the_values_of_python() -> None:
    counts: Counter[str] = Counter()
    for seed in range(150):
        what, said = outcome(seed)
        counts[what] += 1
        assert what != "different", f"{seed}\n{programs.drawn(seed)[0]}\n{said}"
    assert counts["equal"] > 60


def test_the_generator_draws_every_form() -> None:
    used: Counter[str] = Counter()
    for seed in range(400):
        used += programs.drawn(seed)[1]
    assert len(used) >= 110
    assert min(used.values()) >= 3
