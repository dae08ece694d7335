"""Run all benchmarks and print one table of ratios."""

from __future__ import annotations

from bench import closed_forms
from bench.table import show


def main() -> None:
    """Measure and print."""
    show([*closed_forms.rows()])


if __name__ == "__main__":
    main()
