"""Formulas are not numbers: refuse functions of `math` and numpy on them."""

from __future__ import annotations

from typing import NoReturn

from exactdp.errors import ExactdpError


class NotNumberError(ExactdpError, TypeError):
    """A formula was used where Python or numpy needs a number."""


class Formula:
    """A formula in eps, alpha, gamma or inputs; functions of floats refuse it with a way out."""

    __slots__ = ()

    def __float__(self) -> float:
        raise _refused(f"{self} is a formula, not a number")

    def exp(self) -> NoReturn:
        """Refuse: numpy calls this for `np.exp(eps)`."""
        raise _refused(f"np.exp is for numbers, and {self} is a formula")

    def log(self) -> NoReturn:
        """Refuse: numpy calls this for `np.log(eps)`."""
        raise _refused(f"np.log is for numbers, and {self} is a formula")

    def sqrt(self) -> NoReturn:
        """Refuse: numpy calls this for `np.sqrt(eps)`."""
        raise _refused(f"np.sqrt is for numbers, and {self} is a formula")


def _refused(message: str) -> NotNumberError:
    return NotNumberError(
        message,
        rule="eps, alpha and gamma are symbols; functions of math and numpy are for numbers.",
        way_out="Write exp from exactdp, as in 3 * exp(-alpha * eps / 2); for numbers ask "
        "formula.at(1).",
    )
