"""Which of α and γ are parameters: those for which no theorem determines sufficient values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from exactdp.claims.stated.admissible import ClaimPart
from exactdp.claims.stated.distances import Distance
from exactdp.claims.stated.expressions import Expression
from exactdp.claims.stated.hypotheses import falls
from exactdp.claims.stated.levels import Range
from exactdp.errors import ExactdpError

if TYPE_CHECKING:
    from exactdp.claims.stated.statement import AccuracyStatement


@dataclass(frozen=True)
class Free:
    """Which of α and γ must be parameters, because no theorem determines sufficient values."""

    names: tuple[str, ...]
    why: str = ""

    @classmethod
    def at(cls, claim: AccuracyStatement, part: ClaimPart, values: Mapping[str, Distance]) -> Free:
        """Return those at a listed input."""
        betas = (part.beta, *part.above)
        alpha, gamma = claim.alpha_level, claim.gamma_level
        follows = claim.level_values.gamma_follows
        noisy = claim.mechanism.checked.output.holds_noise
        why = {}
        if isinstance(alpha, Range):
            if follows:
                assert not isinstance(gamma, Range)
                betas = tuple(beta.bound_to({"gamma": gamma}) for beta in betas)
            if follows and noisy:
                why["alpha"] = "gamma moves with alpha, and the outputs hold noise"
            elif follows and claim.level_values.gamma_line(values) is None:
                why["alpha"] = (
                    f"gamma = {gamma} is not a multiple of alpha plus a number, and growing"
                )
            elif (beta := _rising(claim, betas, "alpha")) is not None:
                why["alpha"] = f"beta = {beta} is not seen to fall in alpha"
        if isinstance(gamma, Range):
            if noisy:
                why["gamma"] = "gamma is a range, and the outputs hold noise"
            elif (beta := _rising(claim, betas, "gamma")) is not None:
                why["gamma"] = f"beta = {beta} is not seen to fall in gamma"
            elif "alpha" in why:
                why["gamma"] = why["alpha"]
        return cls(tuple(why), next(iter(why.values()), ""))

    @classmethod
    def everywhere(cls, claim: AccuracyStatement, part: ClaimPart) -> Free:
        """Return those for all reals: γ depends on α, outputs are noisy, or β may increase."""
        noisy = claim.mechanism.checked.output.holds_noise
        used = frozenset().union(*(one.form.names() for one in part.sides))
        alpha = isinstance(claim.alpha_level, Range) and (
            "alpha" in used
            or claim.level_values.gamma_follows
            or not _is_seen_to_fall(claim, part, "alpha")
        )
        gamma = isinstance(claim.gamma_level, Range) and (
            "gamma" in used or noisy or alpha or not _is_seen_to_fall(claim, part, "gamma")
        )
        return cls((*("alpha",) * alpha, *("gamma",) * gamma))


def _rising(claim: AccuracyStatement, betas: Iterable[Expression], name: str) -> Expression | None:
    """Return the first formula that is not seen to be nonincreasing, or None."""
    return next((one for one in betas if not falls(one, name, claim.epsilon)), None)


def _is_seen_to_fall(claim: AccuracyStatement, part: ClaimPart, name: str) -> bool:
    try:
        betas = (part.beta, *part.above) if claim.has_parts else (claim.formula,)
        return _rising(claim, betas, name) is None
    except ExactdpError:  # β is a function of the input
        return False
