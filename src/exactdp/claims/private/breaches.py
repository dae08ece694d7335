"""Counterexamples to privacy claims: two adjacent inputs, and outputs that distinguish them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from exactdp.claims.stated.inputs import show
from exactdp.errors import ValueRefusedError
from exactdp.language.program import Program
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Enclosure, Interval
from exactdp.reals.numbers import spell
from exactdp.reals.told import Told
from exactdp.semantics.simulate import sample


@dataclass(frozen=True, repr=False)
class Breach(Told):
    """Two adjacent inputs, a set of outputs and an ε at which the claim is false.

    >>> from exactdp import Mechanism, Privacy, hamming
    >>> coin = Mechanism.from_source(
    ...     "def coin(b: Dom(0, 1)): return choose({b: 3 / 4, 1 - b: 1 / 4})"
    ... )
    >>> breach = Privacy(coin, adjacent=hamming(1)).check().counterexample
    >>> breach.eps, breach.output
    (Fraction(1, 1), 0)
    """

    inputs: tuple[Value, Value]
    """u and u′."""
    outputs: tuple[Value, ...]
    """A set of outputs; for bounded range, two outputs."""
    eps: Fraction
    chance: ClosedForm
    """Pr(P(u) in the set) as a function of ε; for real outputs, the density there."""
    other: ClosedForm
    """Pr(P(u′) in the set)."""
    allowed: ClosedForm
    """The largest Pr(P(u) in the set) that the claim allows: e^budget·Pr(P(u′) in the set) + δ."""
    what: str = "probability"
    """The kind of `chance` and `other`: probability, density, product (of two probabilities), or
    product of densities."""

    @property
    def output(self) -> Value:
        """The output, if the set has only one."""
        return self.outputs[0]

    @cached_property
    def probabilities(self) -> tuple[Enclosure, Enclosure]:
        """Enclosures of both probabilities at this ε."""
        return self.chance.at(self.eps), self.other.at(self.eps)

    @cached_property
    def limit(self) -> Enclosure:
        """An enclosure of the allowed probability at this ε."""
        return self.allowed.at(self.eps)

    def __str__(self) -> str:
        u, v = map(show, self.inputs)
        for digits in (4, 8, 16, 32):
            one, two, most = (
                form.at(self.eps, digits).text(digits)
                for form in (self.chance, self.other, self.allowed)
            )
            if one != most:
                break
        return (
            f"at the inputs {u} and {v} and ε = {spell(self.eps)} {self._told} {one} and {two}, "
            f"and the claim allows {most} for the first"
        )

    @property
    def _told(self) -> str:
        """A description of the two numbers."""
        listed = ", ".join(map(show, self.outputs))
        if self.what.startswith("product"):
            one, two = map(show, self.outputs)
            kind = "probabilities" if self.what == "product" else "densities"
            return f"the products of the {kind} of {one} at one and of {two} at the other are"
        if self.what == "density":
            return f"the output {listed} has the densities"
        if len(self.outputs) == 1:
            return f"the output {listed} has the probabilities"
        return f"the outputs {listed} together have the probabilities"

    def simulated(self, mechanism: Program, size: int, seed: Any = None) -> tuple[float, float]:
        """Estimate `probabilities` from `size` runs of the mechanism at each input."""
        if self.what in ("density", "product of densities"):
            raise ValueRefusedError(
                "a density is not seen in runs",
                rule="The share of runs with an output of the set is compared with a probability.",
                way_out="Compare a histogram of mechanism.sample(u, eps, size) with the density.",
            )
        one, two = (sample(mechanism, u, self.eps, size, seed) for u in self.inputs)
        if self.what == "product":
            first, second = self.outputs
            return (
                _share(one, (first,)) * _share(two, (second,)),
                _share(two, (first,)) * _share(one, (second,)),
            )
        return _share(one, self.outputs), _share(two, self.outputs)


def _share(runs: list[Value], outputs: tuple[Value, ...]) -> float:
    """Return the share of runs with an output of a set."""
    return sum(any(_is_of(run, output) for output in outputs) for run in runs) / len(runs)


def _is_of(run: Value, output: Value) -> bool:
    """Whether the output of a run equals an output, or is in an interval of outputs."""
    if isinstance(output, Interval):
        return isinstance(run, int | float | Fraction) and Fraction(run) in output
    if isinstance(output, tuple | list):
        return (
            isinstance(run, tuple | list)
            and len(run) == len(output)
            and all(_is_of(a, b) for a, b in zip(run, output, strict=True))
        )
    return isinstance(run, bool) == isinstance(output, bool) and bool(run == output)
