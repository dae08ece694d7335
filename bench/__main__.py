"""Run all benchmarks and print one table of ratios."""

from __future__ import annotations

from bench import closed_forms, probabilities
from bench.table import show


def main() -> None:
    """Measure and print."""
    show([*closed_forms.rows(), *probabilities.rows()])


if __name__ == "__main__":
    main()
