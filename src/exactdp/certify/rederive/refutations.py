"""Counterexamples to claims of accuracy: an input, ε, α and γ at which Pr < 1 − β.

A claim is the conjunction of cases; a counterexample states to which one it is made. No input
closer than the stated distance disagrees: halfspaces, or boxes around the input, show that.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import Any, NamedTuple

from ..kernel.reading import RealInterval, RejectedError
from . import formulas, values
from .cones import UndecidedError
from .derivation import single
from .evaluation import EvaluationPoint
from .formulas import Tree
from .halfspaces import agree_around
from .linear import is_number
from .near_boxes import agree_on_boxes
from .near_logs import PointLevel, cone_at, point_at
from .obligations import Levels
from .parameter_spaces import ParameterSpace
from .parametric import ProgramOnCone
from .points import number_of
from .proofs import Proofs
from .ratios import Ratio, variable
from .statement import SAID, levels_said
from .values import counted

_PARTS = "case input output distance eps alpha gamma probability beta actual required bits"


class Side(NamedTuple):
    """A formula that is nonnegative, or positive."""

    form: Tree
    strict: bool


class Case(NamedTuple):
    """Conditions, α and γ, and formulas of which β is the largest."""

    when: list[Side]
    levels: tuple[values.Level, values.Level]
    betas: list[Tree]
    inputs: tuple[str, ...] | None = None
    """The inputs at which it is claimed, as their single values are shown; None for all."""

    def is_at(self, entries: list[Any]) -> bool:
        """Whether the case may be claimed at an input."""
        return self.inputs is None or str(entries) in self.inputs

    def said(self) -> str:
        """Return the case in words."""
        beta = formulas.say(self.betas[0])
        if len(self.betas) > 1:
            beta = f"maximum({', '.join(map(formulas.say, self.betas))})"
        when = "".join(
            f"{', ' if k else ' where '}{formulas.say(one.form)} {'>' if one.strict else '≥'} 0"
            for k, one in enumerate(self.when)
        )
        return f"{levels_said(self.levels)} and β = {beta}{when}{self._inputs_said}"

    @property
    def _inputs_said(self) -> str:
        if self.inputs is None:
            return ""
        more = f", … ({counted(len(self.inputs), 'input')})" * (len(self.inputs) > SAID)
        return f" at {', '.join(self.inputs[:SAID])}{more}"


class Refutations(Proofs):
    """Checks the counterexamples to a claim of accuracy."""

    def all_cases(self, entries: list[Any]) -> list[Case]:
        """Return the cases of the claim; a claim that is not by cases is one at each input."""
        return [Case([], self.levels, [self.beta_at(entries)])]

    def counterexample(self, given: Any) -> None:
        """Check that at an input, ε, α and γ of the claim the probability is below 1 − β."""
        more = [one for one in ("boxes", "log") if isinstance(given, dict) and one in given]
        names = [*_PARTS.split(), *more, *(["apart"] if "boxes" not in more else [])]
        parts = dict(zip(names, self.fields(given, " ".join(names)), strict=True))
        u = self.input_of_claim(parts["input"])
        cases = self.all_cases(single(u))
        case = cases[self.integer(parts["case"], 0, len(cases) - 1)]
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
        self.require(found is None or found[0] == output, "the ideal output is another one")
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
        self.require(any(beta in some for some in known), "β is not as claimed")
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
