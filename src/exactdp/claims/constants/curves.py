"""The exact error probability at an input as a function of ε, with the claimed bound."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from exactdp.claims.regions.listed import regions_at
from exactdp.claims.stated.distances import Distance
from exactdp.claims.stated.inputs import as_given, as_written, show
from exactdp.errors import ValueRefusedError
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Enclosure
from exactdp.reals.numbers import Number
from exactdp.reals.told import FEW, Told, table
from exactdp.reals.typesetting import mathml

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy
    from numpy.typing import NDArray

    from exactdp.claims.accuracy import Accuracy


@dataclass(frozen=True, repr=False)
class ErrorCurve(Told):
    """The probability of an error above γ at an input: exact, and as claimed."""

    input: Value
    alpha: Distance | None
    gamma: Distance
    exact: ClosedForm
    """1 − Pr(within γ)."""
    claimed: tuple[ClosedForm, ...]
    """Closed forms whose minimum is β at the largest α; empty if the claim says nothing."""

    def at(self, eps: Number, digits: int = 30) -> Enclosure:
        """Return the exact error probability at an ε, enclosed."""
        return self.exact.at(eps, digits)

    def values(self, points: Iterable[float]) -> NDArray[numpy.float64]:
        """Return the exact error probability at many ε, as floats for a plot."""
        return self.exact.values(points)

    def claimed_values(self, points: Iterable[float]) -> NDArray[numpy.float64]:
        """Return the claimed bound at many ε, as floats for a plot; a bound above 1 is 1."""
        import numpy as np  # noqa: PLC0415

        listed = list(points)
        found = np.ones(len(listed))
        for form in self.claimed:
            found = np.minimum(found, form.values(listed))
        return found

    def __str__(self) -> str:
        claimed = " or ".join(one.pretty() for one in self.claimed) or "nothing"
        return (
            f"The error probability at the input {show(self.input)} is {self.exact.pretty()}; "
            f"claimed is {claimed}."
        )

    def _repr_html_(self) -> str:
        rows = [
            ("exact error probability", mathml(self.exact)),
            ("claimed at most", " or ".join(map(mathml, self.claimed)) or "nothing"),
        ]
        listed = ", ".join(f"{float(self.at(eps)):.4g} at ε = {eps}" for eps in FEW)
        return table(
            ("at the input", escape(show(self.input))),
            [*rows, ("in numbers", listed)],
            numbers_from=2,
        )


def error_curve(claim: Accuracy, u: tuple[Value, ...]) -> ErrorCurve:
    """Return the error curve of a claim at an input."""
    given = as_written(as_given(claim.mechanism, u))
    regions = regions_at(claim, u)
    for region in regions:
        if not region.is_ray:
            raise ValueRefusedError(
                f"there is no single curve: {region.why}",
                way_out="Give numbers for alpha and gamma.",
            )
    found = claim.obligations.at(u) if regions else None
    obligations = () if found is None else found.obligations
    if len(obligations) > 1:
        raise ValueRefusedError(
            "there is one curve for each gamma",
            rule="With gamma=ANY the claim has several obligations at an input.",
            way_out="Give a number for gamma.",
        )
    if obligations:
        one = obligations[0]
        return ErrorCurve(given, one.alpha, one.gamma, 1 - one.probability, one.beta)
    radius, chance = claim.obligations.probability(u)
    return ErrorCurve(given, None, radius, 1 - chance, ())
