"""For which ε a claim holds: the exact set, and the least ε₀ such that it holds for all ε ≥ ε₀."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Any, TypeAlias, cast

from exactdp.claims.constants.ties import why_never
from exactdp.claims.decision.claim import Claim
from exactdp.claims.decision.deciding import decide
from exactdp.claims.decision.problem import Problem
from exactdp.claims.decision.survey import Gathering, GatheringQuestion, gathered, unknown
from exactdp.claims.regions.places import OnCurve, OnLine, OnRay
from exactdp.claims.regions.region import Region
from exactdp.claims.stated.conditions import ALWAYS
from exactdp.claims.stated.levels import Range, constant, is_formula
from exactdp.claims.stated.output_distances import l2_outputs, sup
from exactdp.claims.stated.statement import AccuracyStatement
from exactdp.errors import ExactdpError, VacuousClaimError, ValueRefusedError
from exactdp.language.linear import units_in
from exactdp.language.parted import Division, by_parts
from exactdp.language.terms import EpsTerm
from exactdp.reals import ClosedForm, Interval, Root, SolutionSet, Stretch, eps, solution_set
from exactdp.reals.evaluated_zeros import OpenSignError
from exactdp.reals.interval import POSITIVE
from exactdp.reals.numbers import Number, approximate, inf, positive_width, spell
from exactdp.reals.solutions import Boundary, order_of
from exactdp.reals.spans import as_stretch
from exactdp.reals.told import Told
from exactdp.running.conduct import Progress, conduct_of
from exactdp.semantics.engine import Engine

_Key: TypeAlias = tuple[ClosedForm, Stretch, tuple[tuple[str, ClosedForm], ...]]
"""A function that must be nonnegative, where, and the α and γ that are functions of ε."""

_ROUGH = Fraction(1, 10**4)
_MOST_TRIALS = 80
_FASTER = 64  # times as large as the last one that was too small is the next step
_LARGEST = 10**6  # an ε larger than any in practice


@dataclass(frozen=True, repr=False)
class Budget(Told):
    """The least ε₀ such that a claim holds for all ε ≥ ε₀: proven to lie in [lower, upper].

    >>> from exactdp import ErrorBound, Mechanism
    >>> count = Mechanism.from_source("def count(x: Real): return lap(eps, x)")
    >>> ErrorBound(count, within=10, risk="5%").smallest_epsilon()
    <Budget: The claim holds for every ε ≥ ε₀ ≈ 0.299573227356, and for no smaller ε₀.>
    """

    lower: Fraction | float
    upper: Fraction | float
    """`inf` if the claim fails for arbitrarily large ε."""
    attained: bool
    """Whether the claim holds at this ε itself, or only at every larger one."""
    everywhere: SolutionSet
    """All ε for which the claim holds, possibly including smaller ones."""
    is_complete: bool = True
    """Whether `everywhere` is complete; for all real inputs, only the last interval is known."""

    why: str = ""
    """Why none was found, if that is known."""
    on: Interval = POSITIVE
    """The ε that the claim is about."""

    note = (
        "This is a property of the mechanism: it is computed from its program and the claim, "
        "uses no data and costs no privacy."
    )

    @property
    def exists(self) -> bool:
        """Whether such an ε was found."""
        return self.upper != inf

    def __float__(self) -> float:
        return float(self.upper)

    @property
    def sentence(self) -> str:
        """The answer, as a sentence."""
        why = f": {self.why}" if self.why else ""
        if not self.exists and isinstance(self.lower, Fraction):
            return f"No ε up to {float(self.lower):.12g} is large enough{why}."
        if not self.exists:
            if self.everywhere.stretches:
                return f"No ε is large enough: the claim holds for ε in {self.everywhere}."
            return (
                f"The claim holds for no ε{'' if self.on == POSITIVE else f' in {self.on}'}{why}."
            )
        if self.on.is_point:
            return f"The claim holds for ε = {self.on.lower}, the only ε that it is about."
        if self.lower == self.upper == self.on.lower and self.attained != self.on.lower_open:
            whole = self.on == POSITIVE
            return f"The claim holds for every ε {'> 0' if whole else f'in {self.on}'}."
        if self.upper - self.lower > _ROUGH * self.upper:
            return (
                f"The least ε₀ such that the claim holds for all ε ≥ ε₀ is between "
                f"{float(self.lower):.6g} and {float(self.upper):.6g}."
            )
        sign = "=" if self.lower == self.upper else "≈"
        relation = "≥" if self.attained else ">"
        end = "" if self.on.upper == inf else f" in {self.on}"
        return (
            f"The claim holds for every ε {relation} ε₀ {sign} "
            f"{approximate(self.lower, self.upper)}{end}, and for no smaller ε₀."
        )

    def __str__(self) -> str:
        return f"{self.sentence} {self.note}"

    def __repr__(self) -> str:
        return f"<Budget: {self.sentence}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.sentence)}<br><small>{self.note}</small></p>"


def epsilons(claim: Claim, width: Number, progress: Progress | None) -> SolutionSet:
    """Return the ε for which a claim holds at all its inputs.

    If its ends are not known, the claim may still hold for every ε, which is decided.
    """
    try:
        return _ends_known(claim, width, progress)
    except VacuousClaimError:
        raise
    except ValueRefusedError:
        if decide(claim, progress=conduct_of(progress).quiet, hint=False).holds:
            return SolutionSet((as_stretch(claim.epsilon),))
        least = _with_least_gamma(claim)
        if least is None:
            raise
        return _ends_known(least, width, progress)


def _with_least_gamma(claim: Claim) -> Claim | None:
    """Return a claim about a range of γ with the least γ; None if it does not imply all others.

    It does if β does not use γ: the error probability is nonincreasing in γ, and continuous from
    the right.
    """
    if not isinstance(claim, AccuracyStatement) or claim.is_beta_of_input:
        return None
    level = claim.gamma_level
    is_plain = claim.conditions == ALWAYS and claim.agreement == "equal"
    if not isinstance(level, Range) or not is_plain or "gamma" in claim.formula.names():
        return None
    if not level.is_constant or level.has_root:
        return None
    return claim.changed(gamma=level.interval.lower)


def _ends_known(claim: Claim, width: Number, progress: Progress | None) -> SolutionSet:
    """Return the ε for which a claim holds, refused if the ends of this set are not known."""
    if isinstance(claim, AccuracyStatement):
        claim.require_ends()
    if claim.mechanism.moves and claim.mechanism.checked.steps_with_eps:
        raise OpenSignError(
            "the set of ε is not computed: integer noise is compared with numbers that depend on "
            "eps",
            rule="Probabilities jump at some ε, which may or may not belong to the set.",
            way_out="Ask check() on intervals of eps, or smallest_epsilon().",
        )

    def joined(parts: Division[Claim]) -> SolutionSet:
        found, vacuous = SolutionSet(()), None
        is_vacuous = True  # on all parts
        for part, piece in parts:
            here = SolutionSet((part,))
            try:
                here &= _ends_known(piece, width, progress)
                is_vacuous = False
            except VacuousClaimError as reason:
                vacuous = vacuous or reason
            found |= here
        if is_vacuous and vacuous is not None:
            raise vacuous
        return found

    return by_parts(claim, lambda one: _epsilons(one, width, progress), joined)


def _epsilons(claim: Claim, width: Number, progress: Progress | None) -> SolutionSet:
    target = positive_width(width)
    contents, sets = gathered(claim, EpsilonsAsked(target), progress)
    claim.require_content(contents)
    found = SolutionSet((as_stretch(claim.epsilon),))
    for one in sets.values():
        found &= one
    for point in _touched(claim, sets, found):
        found |= point
    return found.refined(target)


def _touched(
    claim: Claim, sets: dict[_Key, SolutionSet], found: SolutionSet
) -> Iterator[SolutionSet]:
    """Yield single ε that belong to the set, where γ attains a value of the output distance.

    The set of a cell of γ is that of the cell with its ends, and at its upper end the error is
    smaller than inside. So an ε may only be lost if it is an end of all cells that exclude it.
    """
    if not isinstance(claim, AccuracyStatement) or not _may_jump(claim):
        return
    whole = as_stretch(claim.epsilon)
    ends = [end for _, where, _ in sets for end in (where.lower, where.upper)]
    for end in dict.fromkeys(ends):
        point = SolutionSet((Stretch(end, end, False, False),))
        if not point & SolutionSet((whole,)) or point & found:
            continue
        against = [where for (_, where, _), one in sets.items() if not point & one]
        if any(order_of(end, one.lower) and order_of(end, one.upper) for one in against):
            continue
        verdict = None
        if isinstance(end, Fraction):
            verdict = decide(claim.changed(epsilon=Interval(end, end)), hint=False)
        if verdict is None or verdict.holds is None:
            at = spell(end) if isinstance(end, Fraction) else f"{float(end):.12g}…"
            raise ValueRefusedError(
                f"the set of ε is not known: it is open whether the claim holds at ε = {at}",
                rule="The error jumps where γ attains a value of the output distance.",
                way_out="Give an interval of ε that ends before this number or begins after it.",
            )
        if verdict.holds:
            yield point


def _may_jump(claim: AccuracyStatement) -> bool:
    """Whether γ moves and the error may jump in it: not if outputs are numbers with real noise."""
    if not is_formula(claim.gamma) and not isinstance(claim.gamma, EpsTerm):
        return False
    if (
        claim.output_metric not in (sup, l2_outputs)
        or not claim.mechanism.checked.output.holds_noise
    ):
        return True
    return claim.mechanism.kept(Engine).has_integers


class _EpsilonsSought(Gathering):
    """The sets of ε on which bounds hold, for all bounds that do not always hold."""

    found: dict[_Key, SolutionSet]

    def take(self, problem: Problem) -> None:
        """Process another problem."""
        place = problem.alone
        if place is None:
            self.found |= self._between_rays(problem)
            return
        whole, where = as_stretch(self.claim.epsilon), place.whole
        key = problem.gap, where, problem.region.moving_levels
        if key not in self.found and not self.claim.work.sign(problem).holds:
            found = SolutionSet(())
            for gap in problem.gaps:
                found |= self._set(place, gap)
            found |= self._unclaimed(problem)
            self.found[key] = found | SolutionSet((where,)).outside(whole)

    def _between_rays(self, problem: Problem) -> dict[_Key, SolutionSet]:
        """Return the ε of a problem whose margin depends on one parameter t of a cone alone.

        The cone has l·ε ≤ t ≤ h·ε. If the margin is negative for a < t < b, the claim fails for
        a/h < ε < b/l, and these are zeros of the margin at t = h·ε and at t = l·ε.
        """
        names, gap, key = problem.region.names, problem.gap, as_stretch(self.claim.epsilon)
        cone = problem.cell.cone
        is_plain = len(problem.gaps) == 1 and not problem.region.positive and not units_in(names)
        if not is_plain or len(gap.parameters) != 1 or self.claim.work.sign(problem).holds is None:
            raise _only_smallest(problem.region)
        (name,) = gap.parameters
        place = names.index(name)
        pairs = [(ray[place], ray[0]) for ray in cone.rays]
        if any(t < 0 for t, _ in pairs) or any(line[place] or line[0] for line in cone.lines):
            raise _only_smallest(problem.region)
        slopes = [Fraction(t, e) for t, e in pairs if e]
        low = min(slopes)
        high = None if any(t and not e for t, e in pairs) else max(slopes)

        def where_negative(slope: Fraction | None) -> list[tuple[Boundary, Boundary]]:
            along = gap.substitute(**{name: (slope or 1) * eps})
            holds = solution_set(along, POSITIVE, self.question.width)
            return [(a.lower, a.upper) for a in holds.outside(positive) if a.lower != a.upper]

        positive = as_stretch(POSITIVE)
        found = SolutionSet((positive,))
        for (a, _), (_, b) in zip(where_negative(high), where_negative(low), strict=True):
            below = [Stretch(Fraction(0), a, True, False)] if a and high is not None else []
            above = [Stretch(b, inf, False, True)] if b != inf and low else []
            found &= SolutionSet((*below, *above))
        return {(gap, key, problem.region.moving_levels): found}

    def _unclaimed(self, problem: Problem) -> SolutionSet:
        """Return the ε at which α is a function of ε and at least dd: nothing is claimed there."""
        claim, alpha = self.claim, problem.region.levels.get("alpha")
        if not isinstance(claim, AccuracyStatement) or alpha is None or claim.boundary == "check":
            return SolutionSet(())
        distance = getattr(problem.obligation, "distance", None)
        if not isinstance(distance, Fraction):
            return SolutionSet(())
        return solution_set(alpha - distance, claim.epsilon, self.question.width)

    def _set(self, place: OnRay | OnCurve | OnLine, gap: ClosedForm) -> SolutionSet:
        if not isinstance(place, OnRay):
            return place.solutions(gap, self.question.width)
        if gap not in self.kept:
            self.kept[gap] = solution_set(gap, self.claim.epsilon, self.question.width)
        known: SolutionSet = self.kept[gap]
        return known


@dataclass(frozen=True)
class EpsilonsAsked(GatheringQuestion):
    """The question for which ε a claim holds."""

    width: Fraction

    asked = "the set of ε"
    gathering = _EpsilonsSought
    in_parts = True


def _only_smallest(region: Region) -> ValueRefusedError:
    if not region.moves_inputs:
        return unknown("the set of ε", region.why)
    return ValueRefusedError(
        "the set of ε for all real inputs is not computed",
        rule="Its ends would be suprema over all inputs.",
        way_out="Ask for the smallest ε (smallest_epsilon), or give inputs=Grid(-1, 1) or a "
        "list (--inputs grid:-1:1).",
    )


def smallest_epsilon(claim: Claim, width: Number, progress: Progress | None = None) -> Budget:
    """Return the least ε₀ such that a claim holds for all ε ≥ ε₀."""
    everywhere = _set_if_known(claim, width, progress)
    if everywhere is None:
        return _on_cones(claim, positive_width(width), progress)
    on = claim.epsilon
    last = everywhere.stretches[-1] if everywhere.stretches else None
    if last is None or last.upper != on.upper:
        why = "" if last is not None else _why(claim, _at_large(claim))
        return Budget(inf, inf, attained=False, everywhere=everywhere, why=why, on=on)
    end = last.lower
    lower, upper = (end.lower, end.upper) if isinstance(end, Root) else (end, end)
    return Budget(lower, upper, attained=not last.lower_open, everywhere=everywhere, on=on)


def _set_if_known(claim: Claim, width: Number, progress: Progress | None) -> SolutionSet | None:
    """Return the ε for which a claim holds, or None if only single intervals can be decided."""
    if isinstance(claim, AccuracyStatement):
        has_cases = claim.has_cases and not claim.mechanism.checked.releases_eps
        if claim.is_rounded or has_cases:
            return None
    if not is_in_eps_alone(claim):
        return None
    try:
        return _ends_known(claim, width, progress)
    except OpenSignError:
        return None


def is_in_eps_alone(claim: Claim) -> bool:
    """Whether ε is the only parameter of what must be proved."""
    return by_parts(claim, lambda one: one.work.is_in_eps_alone(), lambda _: not claim.scope.free)


def _at_large(claim: Claim) -> Any:
    """Return a counterexample at a very large ε, or at the largest one of the claim."""
    on = claim.epsilon
    eps = on.upper if isinstance(on.upper, Fraction) and not on.upper_open else Fraction(_LARGEST)
    if eps not in on:
        return None
    return decide(claim.changed(epsilon=Interval(eps, eps)), hint=False).counterexample


def _on_cones(claim: Claim, width: Fraction, progress: Progress | None) -> Budget:
    """Return an enclosure of the least ε₀ such that a claim holds for all ε ≥ ε₀, by bisection.

    A proof for all larger ε moves the upper bound, a counterexample the lower bound: to its ε, or
    to the least ε₀ of the claim at its input. As that is often close, larger and larger steps are
    taken from there. If neither is found, the enclosure stays wider than requested. A claim that
    holds for all larger ε also holds at that ε, by continuity.
    """
    on = claim.epsilon
    first = decide(claim, progress=conduct_of(progress).quiet, hint=False)
    claim.require_content(first.contents)
    if first.holds:
        return _from(Fraction(on.lower), Fraction(on.lower), claim)
    lower: Fraction = Fraction(on.lower)
    upper: Fraction | None = None
    found = first.counterexample
    trial, gap = max(lower, Fraction(1)), width / _FASTER
    needed = None if found is None else _near_worst(claim, found, width)
    if needed is not None:
        lower, trial = needed, needed + gap
    known, is_shared = claim, _has_same_cells(claim)
    for step in range(_MOST_TRIALS):
        if progress is not None:
            progress(step, _MOST_TRIALS)
        trial = min(trial, on.upper) if isinstance(on.upper, Fraction) else trial
        part = Interval(trial, on.upper, upper_open=on.upper_open and trial < on.upper)
        restricted = claim.changed(epsilon=part)
        if is_shared:
            restricted.work.keep_cells(known.work)
        known = restricted
        verdict = decide(restricted, progress=conduct_of(progress).quiet, hint=False)
        if verdict.holds:
            upper = trial
        elif verdict.counterexample is not None:
            found = verdict.counterexample
            needed = _needed(claim, found.input, width)
            lower, gap = max(lower, found.eps, needed or lower), gap * _FASTER
        elif upper is not None:
            break
        if upper is not None and upper - lower <= width:
            break
        if upper is None and (max(lower, trial) >= _LARGEST or lower == on.upper):
            break
        if upper is not None:
            trial = (
                lower + min(gap, (upper - lower) / 2)
                if verdict.holds is False
                else (lower + upper) / 2
            )
        else:
            trial = 4 * max(trial, lower) if needed is None else lower + gap
    if upper is None and found is None:
        raise ValueRefusedError(
            f"the smallest ε is not known: {first.missing}",
            rule="It is found by proofs and counterexamples of the claim from some ε on.",
            way_out="Weaken the claim slightly (β times 1.001), or use a Grid or a list of inputs.",
        )
    if upper is None:
        return _none(lower, _why(claim, found))
    return _from(lower, upper, claim)


def _near_worst(claim: Claim, found: Any, width: Fraction) -> Fraction | None:
    """Return a lower bound on the least ε₀ from inputs close to the worst ones; None if unknown.

    At a bound, the best constant is approached at some input, which gives the next bound.
    """
    bound, known = _needed(claim, found.input, width), cast(Any, claim)
    for rough in (_ROUGH, width / _FASTER) if bound else ():
        there = known.changed(epsilon=bound)
        there.work.keep_cells(known.work)
        known = there
        try:
            worst = there.tightest(width=rough).input
        except ExactdpError:  # too many cells
            break
        better = None if worst is None else _needed(claim, worst, width / _FASTER)
        bound = max(bound or Fraction(0), better or Fraction(0))
    return bound


def _needed(claim: Claim, u: Any, width: Fraction) -> Fraction | None:
    """Return a lower bound on the least ε₀ from one input; None if unknown, or if there is none."""
    if not (claim.scope.free and _has_same_cells(claim)):
        return None
    alone = claim.changed(inputs=[u])
    if not is_in_eps_alone(alone):
        return None
    least = smallest_epsilon(alone, width).lower
    return least if isinstance(least, Fraction) and least > 0 else None


def _has_same_cells(claim: Claim) -> bool:
    """Whether the cells of a claim are the same for each interval of ε."""
    return (
        isinstance(claim, AccuracyStatement)
        and not claim.mechanism.meets_eps
        and all(
            constant(one) is not None
            for one in (claim.formula, claim.alpha_level, claim.gamma_level)
        )
    )


def _why(claim: Claim, found: Any) -> str:
    """Describe why a claim fails at the largest ε that was tried."""
    return (
        why_never(cast(Any, claim), found)
        if isinstance(claim, AccuracyStatement) and found is not None and not claim.level_logs
        else ""
    )


def _none(lower: Fraction, why: str) -> Budget:
    """Return the answer that no sufficiently large ε was found."""
    found = SolutionSet(())
    return Budget(lower, inf, attained=False, everywhere=found, is_complete=False, why=why)


def _from(lower: Fraction, upper: Fraction, claim: Claim) -> Budget:
    on = claim.epsilon
    is_open = upper == on.lower and on.lower_open
    found = SolutionSet((Stretch(upper, on.upper, is_open, on.upper_open),))
    return Budget(lower, upper, not is_open, found, is_complete=upper == on.lower, on=on)
