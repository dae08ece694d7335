"""What must be proved at one input: Pr(within γ) ≥ 1 − β(α, γ), for a few α and γ.

The theorems of the paper's section 6 determine which α and γ suffice; `route` names them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from exactdp.claims.disagreement.distance import Disagreements
from exactdp.claims.disagreement.nearest import Disagreement
from exactdp.claims.regions.repeats import Repeats
from exactdp.claims.regions.within import Within
from exactdp.claims.stated.claim import Due, near_maximum
from exactdp.claims.stated.distances import Distance
from exactdp.claims.stated.expressions import Alternatives, Expression
from exactdp.claims.stated.ideal_paths import IdealPath, IdealPaths
from exactdp.claims.stated.ideals import IdealProgram
from exactdp.claims.stated.levels import Range
from exactdp.claims.stated.output_distances import discrete_outputs, sup
from exactdp.errors import UndefinedError
from exactdp.language.layout import entries
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, ExpPoly
from exactdp.reals.numbers import inf
from exactdp.reals.radicals import Radical, TwoRootsError
from exactdp.reals.square_roots import CLOSE, Enclosed, at_least, is_irrational
from exactdp.semantics.spots import Spot, Trace

if TYPE_CHECKING:
    from exactdp.claims.regions.accuracy import AccuracyRegions

ONE: ClosedForm = ExpPoly(1)
_UNKNOWN: Due[Any] = Due(())

ROUTES = {
    "fixed": "α and γ are fixed (Theorem 14): one check at each input",
    "any alpha": "γ is fixed and β falls in α (Theorem 15): one check at the "
    "largest α of each input",
    "any gamma": "finitely many outputs and β falls in α and γ (Theorem 16): one "
    "check at each input for each value of the output distance",
}


@dataclass(frozen=True)
class Obligation:
    """Pr(output within γ of the ideal) ≥ 1 − β, for every ε of the claim."""

    input: tuple[Value, ...]
    output: Value
    distance: Distance
    """dd, the distance to disagreement."""
    alpha: Distance
    gamma: Distance
    alpha_reached: bool
    """Whether the claim is made at this α, or only below it; likewise for γ."""
    gamma_reached: bool
    probability: ClosedForm
    beta: Alternatives
    alpha_least: Distance = Fraction(0)
    """The claim is also made at this α and γ, or just above them, with the same probability."""
    gamma_least: Distance = Fraction(0)
    allows_all: bool = False
    """Whether no possible output is further than γ from the ideal output."""
    largest_of: tuple[Alternatives, ...] = ()
    """For each alternative of β, closed forms whose maximum is the bound; β is a mean of them."""

    def at(self, u: tuple[Value, ...]) -> Obligation:
        """Return the same obligation at another input; `replace` is slow for each one of a grid."""
        found = object.__new__(Obligation)
        vars(found).update(vars(self), input=u)
        return found

    def or_else(self, others: Sequence[Obligation]) -> Obligation:
        """Return the obligation whose bound is the largest of the bounds of several."""
        choices = tuple(product(self.beta, *(other.beta for other in others)))
        beta = tuple(mean for one in choices if (mean := near_maximum(one)) is not None)
        return replace(self, beta=beta, largest_of=choices)


class _Asked(NamedTuple):
    """What is given beside an input; see `Obligations.at`."""

    alpha: Spot | Fraction | None = None
    gamma: Spot | Fraction | None = None
    beta: Expression | None = None
    is_confined: bool = False
    near_by: frozenset[int] | None = None
    trace: Trace | None = None


class Obligations:
    """The obligations of one claim, input by input; shared results are computed once."""

    def __init__(self, claim: AccuracyRegions) -> None:
        self.claim = claim
        self.within = Within(claim)
        self.levels = claim.level_values
        self._disagreements = Disagreements(
            claim.mechanism, claim.ideal_function, claim.input_metric
        )
        self._repeats: Repeats[Due[Obligation] | None] = Repeats(len(claim.entry_names))
        self._read_on: dict[tuple[IdealPath, Distance], frozenset[int] | None] = {}
        self.room = claim.strategy.room

    @property
    def route(self) -> str:
        """The theorem that is used."""
        if isinstance(self.claim.gamma_level, Range) or self.levels.gamma_follows:
            return "any gamma"
        return "any alpha" if isinstance(self.claim.alpha_level, Range) else "fixed"

    def disagreement(self, u: tuple[Value, ...]) -> Disagreement:
        """Return dd(u) with a nearest disagreeing input."""
        output = self.claim.ideal_function(u)
        return self._disagreements.nearest(u, output, self.within.differ(u, output))

    def distance(self, u: tuple[Value, ...]) -> Distance:
        """Return dd(u) alone."""
        output = self.claim.ideal_function(u)
        return self._disagreements.distance(u, output, self.within.differ(u, output))

    def reach(
        self, u: tuple[Value, ...], output: Value, distance: Distance, room: Fraction | None = None
    ) -> Distance:
        """Return a rational that is not below dd(u), at which an input is known to disagree."""
        differ, room = self.within.differ(u, output), room or self.room or CLOSE
        return self._disagreements.reach(u, output, differ, distance, room)

    def approach(
        self, u: tuple[Value, ...], output: Value
    ) -> tuple[list[Any], tuple[Fraction, ...] | None] | None:
        """Return the entries of a nearest disagreeing input, with a direction if it is a limit."""
        return self._disagreements.approach(u, output, self.within.differ(u, output))

    def without_probability(self, u: tuple[Value, ...]) -> Obligation | None:
        """Return what is claimed at an input where γ is a number, with 0 as the probability.

        None if nothing is claimed there.
        """
        output, values = self.claim.ideal_function(u), self.levels.input_values(u)
        distance = self._disagreements.distance(u, output, self.within.differ(u, output))
        alpha = self._alpha(values, distance, None, is_confined=False)
        gamma = self.claim.gamma_level
        if alpha is None or isinstance(gamma, Range) or self.levels.gamma_follows:
            return None
        make = _InputObligations(u, output, distance, values, self, frozenset(), None)
        radius = self.levels.number_of_gamma(gamma, values | {"alpha": alpha[0]})
        return next(iter(make(*alpha, radius, True, ExpPoly(0))), None)

    def _every_gamma_allows_all(self, u: tuple[Value, ...]) -> bool:
        """Whether no possible output is further than the least γ from the ideal output."""
        gamma, alpha = self.claim.gamma_level, self.claim.alpha_level
        if isinstance(gamma, Range):
            least: Distance = gamma.lower
        else:
            values = self.levels.input_values(u)
            if isinstance(alpha, Range):
                values["alpha"] = alpha.lower
            else:
                values["alpha"] = self.levels.number(alpha, values, "alpha")
            least = self.levels.number(gamma, values, "gamma")
        return self.within.allows_all(u, self.claim.ideal_function(u), least)

    def at(
        self,
        u: tuple[Value, ...],
        alpha_is: Spot | Fraction | None = None,
        gamma_is: Spot | Fraction | None = None,
        beta: Expression | None = None,
        *,
        is_confined: bool = False,
        near_by: frozenset[int] | None = None,
        trace: Trace | None = None,
    ) -> Due[Obligation] | None:
        """Return what must be proved at an input, or None if the claim says nothing there.

        α and γ may be given instead of those that suffice, and β if the claim has several. If
        `is_confined`, the given α is known to be one of the claim, or a limit of these. Outputs
        that are expressions in ε are given by their numbers, those `near_by`. A
        `trace` is given if the mechanism uses 1/ε or logarithms as parameters.
        """
        is_given = any(one is not None for one in (alpha_is, gamma_is, beta, trace, self.room))
        given = entries(u)
        path = None if is_given or self._paths is None else self._paths.find(given)
        if path is None:
            try:
                output = self.claim.ideal_function(u)
            except UndefinedError:
                if not self.claim.ideal_function.is_partial:
                    raise
                return None
            asked = _Asked(alpha_is, gamma_is, beta, is_confined, near_by, trace)
            return self._due(u, output, asked)
        known = self._repeats.get(path, given, _UNKNOWN)
        if known is _UNKNOWN:
            output = path.output(given)
            due = self._due(u, output, _Asked())
            read = self._read(u, output, path, due)
            if read is not None:
                self._repeats.keep(path, given, read, due)
            return due
        return None if known is None else Due(tuple([one.at(u) for one in known]), known.allows_all)

    @cached_property
    def _paths(self) -> IdealPaths | None:
        """The paths of the ideal, if inputs on a path may have equal obligations."""
        claim, ideal = self.claim, self.claim.ideal_function
        if not isinstance(ideal, IdealProgram) or claim.scope.free:
            return None
        has_several = isinstance(claim.gamma_level, Range) or self.levels.gamma_follows
        if has_several or claim.uses_inputs or claim.is_decided_only or ideal.is_partial:
            return None
        is_simple = (
            claim.output_metric in (discrete_outputs, sup) and self._disagreements.is_by_forms
        )
        has_many = is_simple and claim.scope.count > 1
        return IdealPaths(ideal.program) if has_many else None

    def _read(
        self, u: tuple[Value, ...], output: Value, path: IdealPath, due: Due[Obligation] | None
    ) -> frozenset[int] | None:
        """Return the places of the numbers that were read at an input; None for all of them."""
        gamma = next((one.gamma for one in due or ()), None)
        if (path, gamma) not in self._read_on:
            assert self._paths is not None
            read = self._disagreements.read(output)
            read |= {self._paths.places[name] for name in path.names}
            more = frozenset() if gamma is None else self.within.read(u, output, gamma)
            self._read_on[path, gamma] = None if more is None else read | more
        return self._read_on[path, gamma]

    def _due(self, u: tuple[Value, ...], output: Value, asked: _Asked) -> Due[Obligation] | None:
        """Return what must be proved at an input with a given ideal output."""
        alpha_is, gamma_is, beta, is_confined, near_by, trace = asked
        claim = self.claim
        self.within.comparable(u, output, trace)
        distance = self._disagreements.distance(u, output, self.within.differ(u, output))
        values = self.levels.input_values(u)
        alpha = self._alpha(values, distance, alpha_is, is_confined=is_confined)
        if alpha is None:
            return None
        top, reached = alpha
        given = {"alpha": alpha_is, "gamma": gamma_is}
        names = frozenset(name for name, number in given.items() if number is not None)
        make = _InputObligations(u, output, distance, values, self, names, beta)
        gamma = claim.gamma_level
        if gamma_is is not None:
            if isinstance(gamma, Range) and not gamma.has(gamma_is):
                return None
            radius: Distance = gamma_is
        elif isinstance(gamma, Range) or (self.levels.gamma_follows and alpha_is is None):
            found = tuple(self._for_all_gamma(make, top, reached, trace))
            return Due(found, not found and self._every_gamma_allows_all(u))
        else:
            radius = self.levels.number_of_gamma(gamma, values | {"alpha": top})
        chance = self.within.probability(u, output, radius, near_by, trace)
        level = claim.alpha_level
        least = level.lower if isinstance(level, Range) else Fraction(0)
        return Due(tuple(make(top, reached, radius, True, chance, alpha_least=least)))

    def _alpha(
        self,
        values: dict[str, Distance],
        distance: Distance,
        given: Spot | Fraction | None,
        *,
        is_confined: bool,
    ) -> tuple[Distance, bool] | None:
        """Return the α to examine and whether it is attained; None if nothing is claimed."""
        level = self.claim.alpha_level
        closed = self.claim.boundary == "check"
        top = given
        if top is None and isinstance(level, Expression):
            top = self.levels.number(level, values, "alpha")
        if closed:
            # If dd equals the smallest α, the claim is made there but perhaps not nearby.
            _note(distance, level.lower if isinstance(level, Range) else top)
            if given is not None:
                _note(given, distance if distance != inf else Fraction(0))
        if isinstance(top, Spot):
            distance = at_least(distance)
        if top is not None:
            is_below = top < distance or (closed and top == distance)
            if is_confined:
                return (top, closed or top < distance) if top <= distance else None
            if not is_below or (isinstance(level, Range) and not level.has(top)):
                return None
            return top, True
        assert isinstance(level, Range)
        if not level.reaches_below(distance, closed=closed):
            return None
        top = min(distance, level.upper)
        is_limit = not (closed and level.lower == distance)  # there are smaller α, too
        if isinstance(top, Enclosed) or (isinstance(top, Radical) and self.levels.gamma_follows):
            return at_least(top), False
        if isinstance(top, Radical) and top == distance and is_limit:
            return top, False
        reached = top < distance and not level.upper_open
        is_open = top == level.upper and level.upper_open
        return top, reached or (closed and top == distance and top != inf and not is_open)

    def _for_all_gamma(
        self, make: _InputObligations, top: Distance, reached: bool, trace: Trace | None
    ) -> Iterator[Obligation]:
        """Yield one obligation for each value of the output distance."""
        steps = self.within.steps(make.input, make.output, trace)
        claim = self.claim
        for k, (radius, chance) in enumerate(steps[:-1]):
            limit = steps[k + 1][0]
            if isinstance(claim.gamma_level, Range):
                wanted = claim.gamma_level
                if wanted.upper < radius or not wanted.reaches_below(limit, closed=False):
                    continue
                if wanted.upper == radius and wanted.upper_open:
                    continue
                gamma = min(limit, wanted.upper)
                gamma_reached = gamma < limit and not wanted.upper_open
                least = max(radius, wanted.lower)
                alpha = claim.alpha_level
                lower = alpha.lower if isinstance(alpha, Range) else Fraction(0)
                more = {"gamma_least": least, "alpha_least": lower}
                yield from make(top, reached, gamma, gamma_reached, chance, **more)
            else:
                yield from self._while_gamma_follows(make, (top, reached), (radius, limit), chance)

    def _while_gamma_follows(
        self,
        make: _InputObligations,
        alpha: tuple[Distance, bool],
        gamma: tuple[Distance, Distance],
        chance: ClosedForm,
    ) -> Iterator[Obligation]:
        """Return the obligation for γ = slope·α + start in [radius, limit)."""
        line = self.levels.gamma_line(make.values)
        assert line is not None  # otherwise α is given
        slope, start = line
        level = self.claim.alpha_level
        assert isinstance(level, Range)
        (top, reached), (radius, limit) = alpha, gamma
        stop = inf if limit == inf else (limit - start) / slope
        least = (radius - start) / slope
        highest = min(top, stop)
        is_reached = reached and top < stop
        if least > highest or (least == highest and not is_reached):
            return
        if level.lower > highest or (level.lower == highest and not is_reached):
            return
        radius_there = inf if highest == inf else slope * highest + start
        lowest = max(least, level.lower)
        yield from make(highest, is_reached, radius_there, is_reached, chance, alpha_least=lowest)


def _note(one: Distance, two: Distance) -> None:
    """Record that a claim may jump where two numbers that depend on parameters are equal."""
    is_moving = isinstance(one, Spot) or isinstance(two, Spot)
    if is_moving and one != inf and isinstance(gap := one - two, Spot):
        gap.trace.note(gap)


@dataclass(frozen=True)
class _InputObligations:
    """Creates the obligations at one input."""

    input: tuple[Value, ...]
    output: Value
    distance: Distance
    values: dict[str, Distance]
    all: Obligations
    given: frozenset[str]
    bound: Expression | None

    def __call__(
        self,
        alpha: Distance,
        alpha_reached: bool,
        gamma: Distance,
        gamma_reached: bool,
        chance: ClosedForm,
        **least: Distance,
    ) -> list[Obligation]:
        distance = self.distance
        # β is nonincreasing, so a limit may be replaced by a number above it.
        try:
            beta = self._beta(alpha, gamma, chance)
        except TwoRootsError:
            if alpha_reached and gamma_reached:
                raise
            beta = None
        if self.all.room is not None or beta is None:
            room = self.all.room or CLOSE
            if not alpha_reached and alpha == distance and self.all.room is not None:
                alpha, beta = self.all.reach(self.input, self.output, distance), None
            elif not alpha_reached and is_irrational(alpha):
                alpha, beta = at_least(alpha, room), None
            if self.all.room is not None:
                distance = self.all.reach(self.input, self.output, distance)
            if is_irrational(gamma) and not gamma_reached:
                gamma, beta = at_least(gamma, room), None
        if beta is None:
            beta = self._beta(alpha, gamma, chance)
        if beta is None:
            return []
        return [
            Obligation(
                self.input,
                self.output,
                distance,
                alpha,
                gamma,
                alpha_reached,
                gamma_reached,
                chance,
                beta,
                allows_all=chance == ONE
                and self.all.within.allows_all(self.input, self.output, gamma),
                **least,
            )
        ]

    def _beta(self, alpha: Distance, gamma: Distance, chance: ClosedForm) -> Alternatives | None:
        """Return β; refuse one that has another root than the probability."""
        found = self.all.levels.beta(
            self.input, self.values, alpha, gamma, given=self.given, beta=self.bound
        )
        for form in found or ():
            if form.is_irrational and chance.is_irrational:
                chance + form
        return found
