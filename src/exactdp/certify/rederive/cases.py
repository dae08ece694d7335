"""Claims of accuracy as cases: conditions, α and γ, and β.

A claim is the conjunction of its cases. A case has conditions that are linear in α, γ and the
inputs, with coefficients that are functions of ε; a range or a formula for each of α and γ; and
formulas whose maximum is β. It is about all inputs of the claim, or about some listed ones. Most
claims have one case without conditions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import inf
from typing import Any, NamedTuple

from ..kernel.reading import RealInterval, short
from . import formulas, values
from .derivation import single
from .formulas import Tree
from .linear import is_number
from .proofs import Proofs
from .values import Level, counted

_PARTS = (
    "mechanism ideal cases input_distance output_distance boundary agreement epsilon inputs unit"
)
_SHOWN = "inputs ideal input_distance output_distance boundary agreement mechanism"
_ANY = RealInterval(Fraction(0), True, inf, False)
_SAID = 20  # cases, and inputs of a case


class Side(NamedTuple):
    """A formula that is nonnegative, or positive."""

    form: Tree
    strict: bool


class Case(NamedTuple):
    """Conditions, α and γ, and formulas of which β is the largest."""

    when: list[Side]
    levels: tuple[Level, Level]
    betas: list[Tree]
    inputs: tuple[str, ...] | None
    """The inputs at which it is claimed, as their single values are shown; None for all."""

    def is_at(self, entries: list[Any]) -> bool:
        """Whether the case may be claimed at an input."""
        return self.inputs is None or str(entries) in self.inputs

    @property
    def is_alike(self) -> bool:
        """Whether the case is the same at all inputs, without conditions."""
        named = [tree for tree in (*self.betas, *self.levels) if not isinstance(tree, RealInterval)]
        used = set().union(*(formulas.names(tree) for tree in named))
        return not self.when and self.inputs is None and used <= {"alpha", "gamma"}

    def said(self) -> str:
        """Return the case in words."""
        beta = formulas.say(self.betas[0])
        if len(self.betas) > 1:
            beta = f"maximum({', '.join(map(formulas.say, self.betas))})"
        when = "".join(
            f"{', ' if k else ' where '}{formulas.say(one.form)} {'>' if one.strict else '≥'} 0"
            for k, one in enumerate(self.when)
        )
        levels = ", ".join(
            f"{name} in {level.text()}"
            if isinstance(level, RealInterval)
            else f"{name} = {formulas.say(level)}"
            for name, level in zip("αγ", self.levels, strict=True)
        )
        return f"{levels} and β = {beta}{when}{self._inputs_said}"

    @property
    def _inputs_said(self) -> str:
        if self.inputs is None:
            return ""
        more = f", … ({counted(len(self.inputs), 'input')})" * (len(self.inputs) > _SAID)
        return f" at {', '.join(self.inputs[:_SAID])}{more}"


class ClaimCases(Proofs):
    """Reads a claim of accuracy; examines one of its cases at a time."""

    cases: list[Case]
    levels: tuple[Level, Level] = (_ANY, _ANY)
    """α and γ of the case that is examined."""
    beta: Tree = ()
    """The formula for β that is examined."""

    def read_claim(self, claim: Any) -> None:
        """Read what is claimed."""
        self.where = "the claim"
        spec = dict(zip(_PARTS.split(), self.fields(claim, _PARTS), strict=True))
        self.read_setting(spec)
        self.read_unit(spec["unit"])
        self.cases = [self.case(one) for one in self.entries(spec["cases"])]
        named = {str(u) for _, u in self.wanted()}
        self.require(
            all(str(u) in named for u in self.fixed_inputs()), "no case is claimed at an input"
        )
        self.claim = self.sentence(spec)

    def case(self, given: Any) -> Case:
        """Read a case."""
        when, alpha, gamma, betas, inputs = self.fields(given, "when alpha gamma beta inputs")
        sides = []
        for side in self.entries(when):
            form, strict = self.fields(side, "form strict")
            self.require(type(strict) is bool, "a condition is strict or not")
            sides.append(Side(formulas.read(self, form), strict))
        levels = values.level(self, alpha), values.level(self, gamma)
        trees = [formulas.read(self, tree) for tree in self.entries(betas)]
        self.require(trees, "there is no β")
        listed = None
        if inputs is not None:
            listed = tuple(str(single(self.input_of_claim(u))) for u in self.entries(inputs))
            self.require(self.is_listed and listed, "a case is not claimed at listed inputs")
        return Case(sides, levels, trees, listed)

    def wanted(self) -> Iterator[tuple[Case, list[Any]]]:
        """Yield each case with the inputs at which it is claimed, in order, each once.

        For reals beside finite entries, these are the values of the finite entries.
        """
        named = {str(u): u for u in self.fixed_inputs()}
        for case in self.cases:
            for name in named if case.inputs is None else dict.fromkeys(case.inputs):
                yield case, named[name]

    def enter(self, case: Case, part: int, on: RealInterval) -> None:
        """Examine one formula for β of a case, or a mean of all of them, at some ε.

        The mean Σ β³ / Σ β² has nonnegative weights, so it is nowhere above the largest β.
        """
        self.levels, self.epsilon = case.levels, on
        is_mean = part == len(case.betas)
        self.beta = formulas.mean(case.betas) if is_mean else case.betas[part]

    def at_input(self, tree: Tree, entries: Sequence[Any]) -> Tree:
        """Return a formula with those single values of an input that are numbers."""
        named = zip(self.entry_names, entries, strict=True)
        return formulas.at_numbers(tree, {name: Fraction(x) for name, x in named if is_number(x)})

    def sentence(self, spec: dict[str, Any]) -> str:
        """Return the claim in a sentence."""
        function = self.derivation.mechanism.function
        assert function is not None
        ways = [spec[name].get("name", "own") for name in ("input_distance", "output_distance")]
        if "entries" in spec["output_distance"]:
            ways[1] = f"errors of entries ({', '.join(spec['output_distance']['entries'])})"
        return (
            f"{short(function.name)} is (α, β, γ)-accurate with {self.levels_said()} "
            f"at {self.which()}, for every ε in {self.epsilon.text()} "
            f"(distances: {short(ways[0])} on inputs, {short(ways[1])} on outputs)"
            f"{self.facts(spec, _SHOWN)}"
        )

    def levels_said(self) -> str:
        """Return α, β and γ in words."""
        more = "; …" * (len(self.cases) > _SAID)
        return "; and ".join(case.said() for case in self.cases[:_SAID]) + more
