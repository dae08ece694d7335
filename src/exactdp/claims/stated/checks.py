"""Refusals of accuracy claims whose parts are valid one by one, but not together."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from exactdp.claims.stated.conditions import ALWAYS
from exactdp.claims.stated.distances import NonlinearDistance
from exactdp.claims.stated.expressions import Expression
from exactdp.claims.stated.ideals import NonlinearIdeal
from exactdp.claims.stated.levels import LogLevel, Range, constant
from exactdp.errors import ValueRefusedError
from exactdp.reals.numbers import probability, spell
from exactdp.reals.radicals import Radical

if TYPE_CHECKING:
    from exactdp.claims.stated.statement import AccuracyStatement

_NEAR_ROOT = Fraction(1, 1000)  # relative


def check_statement(claim: AccuracyStatement) -> None:
    """Refuse a claim that is not decided, or means nothing."""
    _check_names(claim)
    _check_beta(claim)
    _check_roots(claim)
    _check_logs(claim)
    _check_products(claim)


def _check_names(claim: AccuracyStatement) -> None:
    """Refuse formulas with names that do not belong in them."""
    known = {"alpha", "gamma", *claim.entry_names}
    formulas = [("alpha", claim.alpha_level), ("gamma", claim.gamma_level)]
    if not claim.is_beta_of_input:
        formulas.append(("beta", claim.formula))
    formulas += [("region", one.form) for conj in claim.conditions for one in conj]
    for what, formula in formulas:
        if isinstance(formula, Expression):
            for name in formula.names():
                allowed = known - {what} - ({"gamma"} if what == "alpha" else set())
                if name not in allowed:
                    raise ValueRefusedError(
                        f"{what} = {formula} uses {name}",
                        rule=f"{what} may use {', '.join(('eps', *sorted(allowed)))}.",
                    )


def _check_beta(claim: AccuracyStatement) -> None:
    """Refuse a number for β that is no probability."""
    if callable(claim.beta) and not isinstance(claim.beta, Expression):
        return
    number = constant(claim.formula)
    if number is not None:
        probability(number, "beta")


def _check_roots(claim: AccuracyStatement) -> None:
    """Refuse α and γ that are irrational numbers where only rational ones are decided."""
    noisy = claim.mechanism.checked.output.holds("real")
    for name, level in claim.levels.items():
        ends = (level.lower, level.upper) if isinstance(level, Range) else (constant(level),)
        roots = [one for one in ends if isinstance(one, Radical)]
        if roots and (claim.scope.free or (name == "gamma" and noisy)):
            raise ValueRefusedError(
                f"{name} is {roots[0]}, which is irrational",
                rule="For all reals and in boxes, and for real outputs, alpha and gamma are "
                "rational numbers.",
                way_out=f"Give a rational number just above or below it, such as "
                f"{name}={spell(roots[0].near(-1, _NEAR_ROOT))}.",
            )


def _check_logs(claim: AccuracyStatement) -> None:
    """Refuse what is not decided where α or γ has a logarithm."""
    if not claim.level_logs:
        return
    output = claim.mechanism.checked.output
    problem = (
        "the claim has conditions, or β by cases"
        if claim.has_parts or claim.conditions != ALWAYS
        else "outputs are expressions in eps"
        if claim.mechanism.checked.releases_eps
        else "outputs are integers with noise"
        if isinstance(claim.gamma_level, LogLevel) and output.holds("integer")
        else "distances to disagreement may be irrational"
        if claim.has_roots
        else "inputs with dd = α are checked"
        if claim.boundary == "check"
        else None
    )
    if problem is not None:
        raise ValueRefusedError(
            f"alpha or gamma has a logarithm, and {problem}",
            rule="log(r) / eps is irrational wherever eps is rational, and then this is not "
            "decided.",
            way_out="Write a rational number close to the logarithm, rounded so that the claim "
            "is stronger; or, instead of alpha=log(k / d) / eps and beta=d, claim alpha=ANY "
            "and beta=k * exp(-alpha * eps).",
        )


def _check_products(claim: AccuracyStatement) -> None:
    """Refuse an ideal or a distance that multiplies reals, unless inputs are listed."""
    multiplies = (
        f"the ideal {claim.ideal_function}"
        if isinstance(claim.ideal_function, NonlinearIdeal)
        else f"the distance {claim.input_metric}"
        if isinstance(claim.input_metric, NonlinearDistance)
        else ""
    )
    if multiplies:
        claim.scope.require_listed(
            f"{multiplies} multiplies reals, and the claim is on {claim.input_set}",
            rule="For all reals at once that is a question in the theory of the reals with "
            "multiplication (Th₊,ₓ), and only linear arithmetic is decided there.",
            way_out="Give inputs=Grid(lo, hi) or a list; or compare linear forms: x**2 > 4 is "
            "abs(x) > 2.",
        )
