"""The exact error probability at an input as a function of ε, with the claimed bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from exactdp.claims.regions.listed import regions_at
from exactdp.claims.stated.distances import Distance
from exactdp.claims.stated.inputs import as_given, as_written, show
from exactdp.claims.stated.levels import Range
from exactdp.claims.stated.output_distances import discrete_outputs, sup
from exactdp.errors import ValueRefusedError
from exactdp.language.parted import by_parts
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Enclosure, ExpPoly
from exactdp.reals.numbers import Number, inf
from exactdp.reals.printing import mathml
from exactdp.reals.told import FEW, Told, table
from exactdp.semantics.by_epsilon import ByEpsilon
from exactdp.semantics.patterns import ANYTHING, near, read_pattern
from exactdp.semantics.term_outputs import distribution_at_input, probability_at_input

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy
    from numpy.typing import NDArray

    from exactdp.claims.decision.accuracy import DecidedAccuracy


@dataclass(frozen=True, repr=False)
class ErrorCurve(Told):
    """The probability of an error above γ at an input: exact, and as claimed."""

    input: Value
    alpha: Distance | None
    gamma: Distance
    exact: Any  # a ClosedForm, or a ByEpsilon of them
    """1 − Pr(within γ); on each of some intervals of ε, if it is not one closed form."""
    claimed: tuple[ClosedForm, ...]
    """Closed forms whose minimum is β at the largest α; empty if the claim says nothing."""

    def at(self, eps: Number, digits: int = 30) -> Enclosure:
        """Return the exact error probability at an ε, enclosed."""
        found: Enclosure = self.exact.at(eps, digits)
        return found

    def values(self, points: Iterable[float]) -> NDArray[numpy.float64]:
        """Return the exact error probability at many ε, as floats for a plot."""
        found: NDArray[numpy.float64] = self.exact.values(points)
        return found

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
            ("exact error probability", _typeset(self.exact)),
            ("claimed at most", " or ".join(map(mathml, self.claimed)) or "nothing"),
        ]
        listed = ", ".join(f"{float(self.at(eps)):.4g} at ε = {eps}" for eps in FEW)
        return table(
            ("at the input", escape(show(self.input))),
            [*rows, ("in numbers", listed)],
            numbers_from=2,
        )


def _typeset(exact: ClosedForm | ByEpsilon[ClosedForm]) -> str:
    return mathml(exact) if isinstance(exact, ClosedForm) else str(exact._repr_html_())


def error_curve(claim: DecidedAccuracy, u: tuple[Value, ...]) -> ErrorCurve:
    """Return the error curve of a claim at an input."""
    claim.require_numbers("the error as a curve")
    if claim.level_logs:
        raise ValueRefusedError(
            "there is no single curve: alpha or gamma has a logarithm",
            way_out="Give numbers for alpha and gamma.",
        )
    if claim.has_inverse_eps or claim.mechanism.checked.releases_eps:
        return _on_intervals(claim, u)
    return by_parts(claim, lambda one: _one_form(one, u), lambda _: _on_intervals(claim, u))


def _on_intervals(claim: DecidedAccuracy, u: tuple[Value, ...]) -> ErrorCurve:
    """Return the error curve, on intervals of ε if the error is not one closed form."""
    if isinstance(claim.gamma_level, Range) or claim.level_values.gamma_follows:
        raise _several()
    given = as_written(as_given(claim.mechanism, u))
    claimed = claim.obligations.without_probability(u)
    radius = claim.level_values.radius(u) if claimed is None else claimed.gamma
    exact = _complement(within_by_epsilon(claim, u, radius))
    if claimed is None:
        return ErrorCurve(given, None, radius, exact, ())
    return ErrorCurve(given, claimed.alpha, radius, exact, claimed.beta)


def _complement(
    within: ClosedForm | ByEpsilon[ClosedForm],
) -> ClosedForm | ByEpsilon[ClosedForm]:
    return 1 - within if isinstance(within, ClosedForm) else within.mapped(lambda one: 1 - one)


def within_by_epsilon(
    claim: DecidedAccuracy, u: tuple[Value, ...], radius: Distance
) -> ClosedForm | ByEpsilon[ClosedForm]:
    """Return Pr(within γ) at an input, on intervals of ε if it is not one closed form."""
    mechanism, metric = claim.mechanism, claim.output_metric
    given, output = as_given(mechanism, u), claim.ideal_function(u)
    if radius == inf:
        return ExpPoly(1)
    if metric == discrete_outputs:
        pattern = ANYTHING if radius >= 1 else read_pattern(output)
        return probability_at_input(mechanism, given, pattern)
    if metric == sup:
        return probability_at_input(mechanism, given, near(output, radius))
    if mechanism.checked.output.holds_noise or mechanism.checked.releases_eps:
        raise ValueRefusedError(
            f"the error as a curve is not computed for the output distance {metric}",
            rule="If the error is not one closed form for all eps, noise is compared by sup.",
            way_out="Use output_distance=sup, or give a single eps, such as epsilon=1.",
        )

    def total(chances: Mapping[Value, ClosedForm]) -> ClosedForm:
        every = ((one, chance) for one, chance in chances.items())
        close = (x for one, x in every if metric.between(given, output, one) <= radius)
        return sum(close, start=ExpPoly(0))

    found = distribution_at_input(mechanism, given)
    return found.mapped(total) if isinstance(found, ByEpsilon) else total(found)


def _several() -> ValueRefusedError:
    return ValueRefusedError(
        "there is one curve for each gamma",
        rule="With gamma=ANY the claim has several obligations at an input.",
        way_out="Give a number for gamma.",
    )


def _one_form(claim: DecidedAccuracy, u: tuple[Value, ...]) -> ErrorCurve:
    """Return the error curve if the error is one closed form."""
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
        raise _several()
    if obligations:
        one = obligations[0]
        return ErrorCurve(given, one.alpha, one.gamma, 1 - one.probability, one.beta)
    radius = claim.level_values.radius(u)
    chance = claim.obligations.within.probability(u, claim.ideal_function(u), radius)
    return ErrorCurve(given, None, radius, 1 - chance, ())
