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

if TYPE_CHECKING:
    from exactdp.claims.stated.statement import AccuracyStatement


@dataclass(frozen=True)
class Free:
    """Which of α and γ must be parameters, because no theorem determines sufficient values."""

    names: tuple[str, ...]
    why: str = ""

    @classmethod
    def at(
        cls, claim: AccuracyStatement, part: ClaimPart, values: Mapping[str, Distance] | None
    ) -> Free:
        """Return those at an input with some numbers, or None where entries of it are free.

        There, α and γ in conditions are parameters, and so is an α on which γ depends.
        """
        betas = (part.beta, *part.above)
        alpha, gamma = claim.alpha_level, claim.gamma_level
        follows = claim.level_values.gamma_follows
        noisy = claim.mechanism.checked.output.holds_noise
        sides = part.sides if values is None else ()
        why = {
            name: f"a condition is about {name}"
            for name, level in (("alpha", alpha), ("gamma", gamma))
            if isinstance(level, Range) and any(name in one.form.names() for one in sides)
        }
        if isinstance(alpha, Range) and not why.get("alpha"):
            if follows:
                assert not isinstance(gamma, Range)
                betas = tuple(beta.bound_to({"gamma": gamma}) for beta in betas)
            if follows and noisy:
                why["alpha"] = "gamma moves with alpha, and the outputs hold noise"
            elif follows and (values is None or claim.level_values.gamma_line(values) is None):
                why["alpha"] = (
                    f"gamma = {gamma} is not a multiple of alpha plus a number, and growing"
                )
            elif (beta := _rising(claim, betas, "alpha")) is not None:
                why["alpha"] = f"beta = {beta} is not seen to fall in alpha"
        if isinstance(gamma, Range) and not why.get("gamma"):
            if noisy:
                why["gamma"] = "gamma is a range, and the outputs hold noise"
            elif (beta := _rising(claim, betas, "gamma")) is not None:
                why["gamma"] = f"beta = {beta} is not seen to fall in gamma"
            elif "alpha" in why:
                why["gamma"] = why["alpha"]
        names = tuple(name for name in ("alpha", "gamma") if name in why)
        return cls(names, why[names[0]] if names else "")


def _rising(claim: AccuracyStatement, betas: Iterable[Expression], name: str) -> Expression | None:
    """Return the first formula that is not seen to be nonincreasing, or None."""
    return next((one for one in betas if not falls(one, name, claim.epsilon)), None)
