"""A stronger claim than privacy, with half as many parameters: bounds on derivatives.

If a·p + Σ c·∂p ≥ 0 for every change c of the input that adjacency allows, with p as a function of
the inputs multiplied by ε, then ln p decreases by at most a·ε along the segment from an input to
any adjacent one. The sum is linear in c, so the corners of the adjacency suffice; if p is monotone,
one of them does. The segment must stay within the inputs (these are convex), and p must not jump.
The same is true of the density p of the real numbers of an output, at fixed numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from exactdp.claims.decision.claim import Claim
from exactdp.claims.private.own_adjacency import Own
from exactdp.claims.private.pairs import regions_of_parts
from exactdp.claims.private.patterns import reals_in
from exactdp.claims.regions.region import Region
from exactdp.claims.regions.shapes import shape_of
from exactdp.claims.stated.adjacency import Adjacency, WithinRadius
from exactdp.claims.stated.claim import Due
from exactdp.claims.stated.inputs import Inputs
from exactdp.claims.stated.vacuity import Content
from exactdp.cones import OrderedSum
from exactdp.language.layout import assembled, entry_names
from exactdp.language.linear import UNIT
from exactdp.language.program import Program
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, ExpPoly, parameter
from exactdp.semantics.engine import Engine
from exactdp.semantics.spots import Trace, rational_vector

if TYPE_CHECKING:
    from exactdp.claims.decision.findings import Finding
    from exactdp.claims.decision.problem import Leaf, Problem, Sign
    from exactdp.claims.private.claim import Privacy

BY_SLOPES = (
    "all real inputs at once: on cones of inputs the probability of an output is one exponential "
    "sum, and its logarithm is nowhere steeper than the budget allows"
)
_FEW = 8  # corners; up to this number, all of them are examined
_ONE: ClosedForm = ExpPoly(1)


@dataclass(frozen=True, eq=False)
class Slope:
    """a·p + Σ c·∂p ≥ 0 for an output, with all changes c that adjacency allows."""

    input: tuple[Value, ...]
    output: Value
    chance: ClosedForm
    """p as a function of the parameters."""
    adjacency: Adjacency | Own
    multiple: Fraction
    """The budget, a multiple of ε."""
    trace: Trace
    released: int = 0
    """The number of real numbers in the output: the last parameters."""
    probability: ClosedForm = _ONE
    allows_all: bool = False
    largest_of: tuple[tuple[ClosedForm, ...], ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        """Return what is sent to other processes: without what is needed to compute `beta`."""
        return {name: value for name, value in vars(self).items() if name[0] != "_"}

    @cached_property
    def _partial(self) -> list[ClosedForm]:
        names = self.trace.names[1 : len(self.trace.names) - self.released]
        return [self.chance.derivative(name) for name in names if name != UNIT]

    @cached_property
    def _corners(self) -> list[tuple[Fraction, ...]]:
        return self.adjacency.corners(len(self._partial))

    @property
    def is_by_signs(self) -> bool:
        """Whether there are so many corners that only one is examined, if p is monotone."""
        is_cube = isinstance(self.adjacency, WithinRadius) and self.adjacency.norm == "linf"
        return is_cube and len(self._corners) > _FEW

    @cached_property
    def signs(self) -> list[int]:
        """The signs of the derivatives at the sample."""
        return [_sign(form, self.trace) for form in self._partial]

    @cached_property
    def beta(self) -> tuple[ClosedForm, ...]:
        """The forms that must be nonnegative."""
        partial, corners = self._partial, self._corners
        found: list[ClosedForm] = []
        if self.is_by_signs:  # it must also be proved that p is monotone
            signs = self.signs
            found = [form * s for s, form in zip(signs, partial, strict=True) if form.numerator]
            corners = [
                max(corners, key=lambda one: -sum(c * s for c, s in zip(one, signs, strict=True)))
            ]
        for corner in corners:
            total = self.chance * self.multiple
            for factor, form in zip(corner, partial, strict=True):
                if factor and form.numerator:
                    total = total + form * factor
            found.append(total)
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True, eq=False)
class Slopes(Claim):
    """The claim that ln p is nowhere steeper than a budget, which implies a privacy claim."""

    claim: Privacy
    mechanism: Program = field(init=False)
    epsilon: Any = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mechanism", self.claim.mechanism)
        object.__setattr__(self, "epsilon", self.claim.epsilon)

    def __reduce__(self) -> tuple[object, ...]:
        return Slopes, (self.claim,)  # without cached results

    @classmethod
    def of(cls, claim: Privacy) -> Slopes | None:
        """Return the stronger claim, if it implies the given privacy claim."""
        names = entry_names(claim.mechanism.inputs)
        are_all_free = len(claim.scope.free) == len(names)
        is_one_input = all(low == high for low, high in claim.scope.ends)
        if is_one_input or not are_all_free or claim.delta_form or claim.measure != "privacy":
            return None
        if not claim.adjacency.corners(len(names)):
            return None
        engine = claim.mechanism.kept(Engine)
        if engine.jumps or (engine.outputs is None and engine.densities_jump):
            return None
        return cls(claim)

    # For the decision pass --------------------------------------------------------------

    @property
    def input_set(self) -> Inputs:
        """The inputs that the claim is about."""
        return self.claim.input_set

    is_continuous = True
    conventions: tuple[str, ...] = ()

    @cached_property
    def _patterns(self) -> tuple[Value, ...]:
        """The finite outputs, and the patterns of outputs with real numbers."""
        engine = self.mechanism.kept(Engine)
        if engine.distinct_outputs is not None:
            return engine.distinct_outputs
        zeros = [Fraction(0) for _ in entry_names(self.mechanism.inputs)]
        return engine.patterns(assembled(self.mechanism.inputs, zeros))

    def regions(self, *, each: bool = False, first: int = 0) -> Iterator[tuple[Region, ...]]:
        """Yield the region of all inputs, and those of all inputs and outputs of a pattern."""
        del each, first  # there is one group
        (part,) = self.claim.scope.parts()
        patterns = self.claim.losses.patterns(part, part)
        yield tuple(regions_of_parts(self.claim, [part], [None, *patterns]))

    def how_many_groups(self) -> int:
        """Return 1."""
        return 1

    def due(self, region: Region, trace: Trace) -> Due[Slope]:
        """Return what must be proved at a sample of the region."""
        values = list(region.values(trace))
        count = len(entry_names(self.mechanism.inputs))
        u, output = assembled(self.mechanism.inputs, values[:count]), values[count:]
        engine = self.mechanism.kept(Engine)
        adjacency, multiple = self.claim.adjacency, self.claim.multiple
        found = []
        if output:
            pattern, *points = output
            chances = {pattern: engine.density(u, pattern, points)}
        else:
            finite = (one for one in self._patterns if not reals_in(one))
            chances = {one: engine.probability_at_spots(u, one) for one in finite}
        for one, chance in chances.items():
            if chance.numerator:
                numbers = reals_in(one)
                found.append(Slope(u, one, chance, adjacency, multiple, trace, numbers))
        return Due(tuple(found))

    def marks(self, region: Region, cell: Leaf) -> tuple[bytes, ...]:
        """Return the probability of each obligation on a cell, up to names of parameters.

        Adjacency is the same for all entries of an input, unless it is a function.
        """
        if isinstance(self.claim.adjacency, Own):
            return ()
        due: Due[Slope] | None = cell.result
        found = []
        for one in due or ():
            function = OrderedSum(one.chance.numerator * one.chance.denominator, region.names)
            numbers = region.names[len(region.names) - one.released :]
            kept = OrderedSum(sum((parameter(x) for x in numbers), ExpPoly(0)), region.names)
            # The numbers of an output are not interchangeable with those of an input.
            found.append(shape_of(function, cell.cone, region.window, kept).digest)
        return tuple(found)

    def content(
        self, due: Due[Any] | None, is_at_least_one: Callable[[ClosedForm], bool]
    ) -> Content:
        """Return that the claim can fail."""
        del due, is_at_least_one
        return Content.SOMETHING

    def refutation(self, problem: Problem, sign: Sign) -> Problem:
        """Return where a probability is too steep; the mechanism may still be private."""
        del sign
        return problem

    def route(self, findings: Sequence[Finding]) -> str:
        """Describe how the claim was decided."""
        del findings
        return BY_SLOPES

    def everywhere(self) -> Slopes:
        """Return the same claim about all real inputs."""
        return Slopes(self.claim.everywhere())

    def certificate(self, verdict: Any) -> dict[str, Any]:
        """Return the certificate of the privacy claim."""
        return self.claim.certificate(verdict)


def _sign(form: ClosedForm, trace: Trace) -> int:
    """Return the sign of a closed form at a sample."""
    function = OrderedSum(form.numerator * form.denominator, trace.names)
    return 1 if function.sign_at(rational_vector(trace.sample)) >= 0 else -1
