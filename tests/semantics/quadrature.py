"""Numerical integration in one to three dimensions, for integrands with known kinks.

Nothing here knows of programs or closed forms. An integrand is a density times the indicator
of an event, both written down in the test. Between its kinks it is smooth, so Gauss-Legendre
panels from kink to kink converge fast; their order grows until two orders agree to nine digits,
and then the higher one is right to eleven.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Numbers = Any
"""A float or an array of them; arrays are handled entry by entry."""
Kinks = Sequence[Any]
"""A function for each variable: from the variables before it to a list of numbers."""

_ORDERS = (12, 16, 20, 24, 32, 48)
_AT_ONCE = 4096  # nodes that are extended by one more variable together
_TAIL = 36  # e^−36 < 10^−15


def laplace(rate: float, mean: Numbers, x: Numbers) -> Numbers:
    """Return the density of Laplace noise."""
    return rate / 2 * np.exp(-rate * np.abs(x - mean))


def laplace_below(rate: float, mean: Numbers, x: Numbers) -> Numbers:
    """Return Pr(noise ≤ x), without cancellation."""
    gap = rate * (np.asarray(x) - mean)
    half = np.exp(-np.abs(gap)) / 2
    return np.where(gap < 0, half, 1 - half)


def laplace_above(rate: float, mean: Numbers, x: Numbers) -> Numbers:
    """Return Pr(noise ≥ x), without cancellation."""
    return laplace_below(rate, -np.asarray(mean), -np.asarray(x))


def exponential(rate: float, start: Numbers, x: Numbers) -> Numbers:
    """Return the density of one-sided exponential noise."""
    return np.where(x >= start, rate * np.exp(-rate * np.abs(x - start)), 0.0)


def integral(
    integrand: Callable[..., Numbers],
    kinks: Kinks,
    slowest: float,
) -> float:
    """Return the integral of a function of len(kinks) variables over the whole space.

    `kinks[k]`, given the variables before the k-th, lists where the integrand, or its integral
    over the variables after the k-th, is not smooth in the k-th. Tails are cut where
    e^(−slowest·distance) is below 10⁻¹⁵.
    """
    reach = _TAIL / slowest
    before = None
    for order in _ORDERS:
        found = _panels(integrand, kinks, reach, order)
        if before is not None and abs(found - before) <= 1e-9 * abs(found):
            return found
        before = found
    raise AssertionError("the quadrature does not converge: is a kink missing?")


def _panels(
    integrand: Callable[..., Numbers],
    kinks: Kinks,
    reach: float,
    order: int,
) -> float:
    nodes, weights = np.polynomial.legendre.leggauss(order)

    def total(points: list[Array], factors: Array) -> float:
        if len(points) == len(kinks):
            return float(np.sum(factors * integrand(*points)))
        listed = [np.broadcast_to(one, factors.shape) for one in kinks[len(points)](*points)]
        inner = np.sort(np.stack(listed, axis=1), axis=1)
        tails = [inner[:, :1] + tail for tail in (-reach, -reach / 5)]
        tails += [inner[:, -1:] + tail for tail in (reach / 5, reach)]
        ends = np.concatenate([*tails[:2], inner, *tails[2:]], axis=1)
        half = np.diff(ends, axis=1)[:, :, None] / 2
        middle = (ends[:, 1:] + ends[:, :-1])[:, :, None] / 2
        x = (middle + half * nodes).reshape(len(factors), -1)
        wider = (factors[:, None, None] * half * weights).reshape(-1)
        longer = [np.repeat(point, x.shape[1]) for point in points] + [x.reshape(-1)]
        parts = range(0, len(wider), _AT_ONCE)
        return sum(
            total([point[k : k + _AT_ONCE] for point in longer], wider[k : k + _AT_ONCE])
            for k in parts
        )

    return total([], np.ones(1))
