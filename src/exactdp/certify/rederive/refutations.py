"""Counterexamples to claims of accuracy: an input, ε, α and γ at which Pr < 1 − β.

A counterexample states to which case of the claim it is made. No input
closer than the stated distance disagrees: halfspaces, or boxes around the input, show that.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import Any

from ..kernel.reading import RealInterval, RejectedError
from . import formulas, values
from .cases import Case, ClaimCases
from .cones import UndecidedError
from .derivation import single
from .evaluation import EvaluationPoint
from .formulas import Tree
from .halfspaces import agree_around
from .linear import is_number, same
from .near_boxes import agree_on_boxes
from .near_logs import PointLevel, cone_at, point_at
from .obligations import Levels
from .parameter_spaces import ParameterSpace
from .parametric import ProgramOnCone
from .points import number_of
from .ratios import Ratio, variable

_PARTS = "case input output distance eps alpha gamma probability beta actual required bits"


class Refutations(ClaimCases):
    """Checks the counterexamples to a claim of accuracy."""

    def counterexample(self, given: Any) -> None:
        """Check that at an input, ε, α and γ of the claim the probability is below 1 − β."""
        more = [one for one in ("boxes", "log") if isinstance(given, dict) and one in given]
        names = [*_PARTS.split(), *more, *(["apart"] if "boxes" not in more else [])]
        parts = dict(zip(names, self.fields(given, " ".join(names)), strict=True))
        u = self.input_of_claim(parts["input"])
        case = self.cases[self.integer(parts["case"], 0, len(self.cases) - 1)]
        eps = self.rational(parts["eps"])
        point = point_at(self, parts.get("log"), eps, self.bits(parts["bits"]))
        at = [PointLevel.read(self, parts[one]) for one in ("alpha", "gamma")]
        self.require(self.is_made(case, single(u), at, point), "the claim is not made here")
        output, dd = values.value(self, parts["output"]), values.distance(self, parts["distance"])
        space = cone_at(self, single(u), point)
        unit = self.unit_at(space, eps)
        program = ProgramOnCone(self.derivation, space.region, space.entries, unit)
        alpha, gamma = (number_of(one.at(point, space.size), program.judge) for one in at)
        found = self.derive("ideal outputs", lambda: (program.ideal(),))
        self.require(found is None or same(found[0], output), "the ideal output is another one")
        chance, beta = (self.quotient(parts[one], space.size) for one in ("probability", "beta"))
        try:
            self.none_disagrees(space, output, alpha, dd, parts)
            derived = self.derive("closed forms", lambda: program.probability(output, gamma))
        except UndecidedError as error:
            raise RejectedError(f"{self.where}: the logarithm is not known enough") from error
        right = derived is None or self.as_proved(derived) == self.as_proved(chance)
        self.require(right, "the program has another probability")
        levels = Levels(alpha, True, gamma, True)
        forms = [self.betas(one, levels, space) for one in case.betas]
        known = [[beta] if some is None else some for some in forms]
        stated = self.as_proved(beta)
        right = any(stated == self.as_proved(one) for some in known for one in some)
        self.require(right, "β is not as claimed")
        ends = parts["actual"], parts["required"]
        self.refuted(point, chance, beta, ends)
        for some in known:
            gaps = [chance - 1 + one for one in some]
            right = any(self.sign_of(gap, point) < 0 for gap in gaps)
            self.require(right, "one of the formulas for β is not exceeded")

    def is_made(
        self, case: Case, entries: list[Any], at: Sequence[PointLevel], point: EvaluationPoint
    ) -> bool:
        """Whether a case is claimed at an input, ε, α and γ."""
        if not case.is_at(entries):
            return False
        given = {
            name: Ratio.number(Fraction(value))
            for name, value in zip(self.entry_names, entries, strict=True)
            if is_number(value)
        }
        if self.unit_name is not None:
            given[self.unit_name] = variable(1) if self.unit else Ratio.number(1)
        for name, level, one in zip(("alpha", "gamma"), case.levels, at, strict=True):
            if isinstance(level, RealInterval):
                if one.slope or not level.has(one.number):
                    return False
            elif formulas.number(level, given, point.eps) != one:
                return False
            given[name] = one.ratio
        for side in case.when:
            (form,) = formulas.alternatives(side.form, given)
            sign = self.sign_of(form, point)
            if sign < 0 or (sign == 0 and side.strict):
                return False
        signs = [self.sign_of(one.ratio, point) for one in at]
        return self.whole.has(point.eps) and min(signs) >= 0

    def none_disagrees(
        self, space: ParameterSpace, output: Any, alpha: Any, dd: Any, parts: dict[str, Any]
    ) -> None:
        """Check that the claim is made at this α: no input that is so close disagrees."""
        self.require(dd != inf or is_number(alpha), "a distance beyond a logarithm is missing")
        right = alpha < dd or (self.closed and alpha == dd)
        self.require(right, "the claim is not made at this α")
        within, strict = (alpha, self.closed) if dd == inf else (Fraction(dd), True)
        source, entries = self.derivation, space.entries
        found = self.derive(
            "distance to disagreement (not smaller)",
            lambda: (
                agree_on_boxes(self, source, entries, output, (within, strict), parts["boxes"])
                if "boxes" in parts
                else agree_around(self, source, entries, output, (within, strict), parts["apart"])
            ),
        )
        self.require(found is not False, "perhaps an input so close disagrees")

    def betas(self, beta: Tree, point: Levels, space: ParameterSpace) -> list[Ratio] | None:
        """Return the forms whose minimum is β, if they can be re-derived."""
        raise NotImplementedError
