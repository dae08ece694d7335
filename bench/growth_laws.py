"""Growth laws: a power or an exponential fitted to points, and its error."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, log

Point = tuple[float, float]
FEWEST = 3
"""The number of points that a law is fitted to; with two every law fits."""


@dataclass(frozen=True)
class Law:
    """seconds ≈ factor · size^rate, or factor · rate^size."""

    is_power: bool
    factor: float
    rate: float
    spread: float
    """The largest factor between a point and the law."""
    start: float
    """The least size it was fitted to."""

    def __str__(self) -> str:
        """Return the growth in n."""
        growth = (
            f"n^{self.rate:.1f}"
            if self.is_power
            else f"{self.rate:.{1 if self.rate > 1.1 else 3}f}^n"
        )
        return f"{growth} (±{100 * (self.spread - 1):.0f} %)"

    def at(self, size: float) -> float:
        """Return the seconds that the law predicts."""
        return self.factor * float(size**self.rate if self.is_power else self.rate**size)


def fitted(points: Iterable[Point]) -> tuple[Law, Law]:
    """Return the law that is nearer to the points of the upper half, then the other one.

    Small sizes are left out: there fixed costs hide the growth.
    """
    listed = sorted(points)
    upper = listed[-max(FEWEST, (len(listed) + 1) // 2) :]
    power, exponential = (_fit(upper, is_power=flag) for flag in (True, False))
    return (power, exponential) if power.spread <= exponential.spread else (exponential, power)


def _fit(points: list[Point], *, is_power: bool) -> Law:
    """Return the least squares fit of the logarithms of the times."""
    xs = [log(x) if is_power else x for x, _ in points]
    ys = [log(y) for _, y in points]
    x_mean, y_mean = sum(xs) / len(xs), sum(ys) / len(ys)
    slope = sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True)) / sum(
        (x - x_mean) ** 2 for x in xs
    )
    start = y_mean - slope * x_mean
    worst = max(abs(y - start - slope * x) for x, y in zip(xs, ys, strict=True))
    rate = slope if is_power else exp(slope)
    return Law(is_power, exp(start), rate, exp(worst), min(x for x, _ in points))
