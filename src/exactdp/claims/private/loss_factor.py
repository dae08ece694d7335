"""The smallest a such that a mechanism is a·ε-private: the supremum of ln(p/p′)/ε.

On a ray, it is the larger of the limits at ε → 0 and ε → ∞, which are rational, unless
e^{aε}·p′ − p is negative somewhere in between for that a: then a is enclosed by bisection on exact
signs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp.claims.decision.deciding import decide
from exactdp.claims.decision.problem import Problem
from exactdp.claims.decision.survey import Gathering, GatheringQuestion, gathered
from exactdp.claims.private.losses import Loss
from exactdp.claims.private.patterns import filled
from exactdp.claims.private.worst_pairs import worst_pairs
from exactdp.claims.regions.places import OnCone, OnRay
from exactdp.claims.regions.shapes import Shape, shape_of
from exactdp.claims.stated.inputs import show
from exactdp.claims.stated.vacuity import Contents
from exactdp.cones import OrderedSum
from exactdp.errors import ValueRefusedError
from exactdp.language.parted import Division
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Interval, Root, Stretch, eps, exp, nonnegative
from exactdp.reals.limits import at_zero, dominant
from exactdp.reals.logarithm import Logarithm
from exactdp.reals.logs import log_enclosure
from exactdp.reals.numbers import Number, inf, positive_width, simplest_inside, spell
from exactdp.reals.told import Told
from exactdp.running.conduct import Progress

if TYPE_CHECKING:
    from exactdp.claims.private.breaches import Breach
    from exactdp.claims.private.claim import Privacy

_CLOSE = Fraction(1, 10**6)
_LARGEST = Fraction(2**30)
_MOST_TRIALS = 40
_SIMPLE = 64  # a larger denominator is not that of a factor which is known by now
_TINY = Fraction(1, 10**30)
_ROUGH = "rough"  # the key that tells that some bounds are only known to be sufficient
_FEW_RAYS = 64  # that wait to be compared with the largest limit


@dataclass(frozen=True, repr=False)
class Factor(Told):
    """A certified enclosure of a; both bounds are `inf` if no a is large enough.

    The mechanism is upper·ε-private. It is not lower·ε-private, unless the bounds are equal: then a
    is known exactly.

    >>> from exactdp import Mechanism, Privacy, linf
    >>> count = Mechanism.from_source("def count(x: Real): return lap(eps, x)")
    >>> print(Privacy(count, inputs=[0, 1], adjacent=linf(1)).tightest().factor)
    1
    """

    lower: Fraction | float
    upper: Fraction | float

    @property
    def is_exact(self) -> bool:
        """Whether the number is known exactly."""
        return self.lower == self.upper

    def __float__(self) -> float:
        return float(self.upper)

    def __str__(self) -> str:
        if self.upper == inf:
            return "∞"
        if isinstance(self.upper, Fraction) and self.is_exact:
            return spell(self.upper)
        return f"{float(self.upper):.7g}"


@dataclass(frozen=True, repr=False)
class Leakage(Told):
    """The smallest a such that the mechanism is a·ε-private, and what determines it.

    >>> from exactdp import Mechanism, Privacy, linf
    >>> count = Mechanism.from_source("def count(x: Real): return lap(eps, x)")
    >>> print(Privacy(count, inputs=[0, 1], adjacent=linf(1)).tightest())
    a·ε-private for a = 1; decided by the inputs 0 and 1, the output 0 and ε → 0.
    """

    factor: Factor
    inputs: tuple[Value, Value] | None
    """The pair of inputs that determines it; None if every budget suffices."""
    outputs: tuple[Value, ...] | None
    """The output that determines it; for bounded range, two outputs."""
    eps: Fraction | float | None
    """An ε near which the loss is that large; 0 and `inf` are limits."""
    pairs: int
    """The number of examined pairs, or of cells of pairs."""
    scales: bool = False
    """Whether the claim is about every ε, so that the mechanism may run with a multiple of ε."""
    measure: str = "privacy"
    """What is bounded by a·ε: the privacy loss or, for "bounded_range", the range of losses."""

    @property
    def saving(self) -> str:
        """A sentence on how much noise could be saved at equal privacy; empty if none."""
        upper = self.factor.upper
        if not self.scales or not isinstance(upper, Fraction) or not 0 < upper < 1:
            return ""
        times = spell(1 / upper) if self.factor.is_exact else f"{float(1 / upper):.6g}"
        still = "is still ε-private" if self.measure == "privacy" else "still has bounded range ε"
        return (
            f"Run with {times}·ε for ε it {still}: with noise smaller by this factor, "
            f"and the error probability at {times}·ε instead of that at ε."
        )

    def __str__(self) -> str:
        is_private = self.measure == "privacy"
        if self.inputs is None or self.outputs is None:
            what = "0·ε-private" if is_private else "Bounded range 0·ε"
            return f"{what}: adjacent inputs have the same probabilities."
        u, v = map(show, self.inputs)
        outputs = " and ".join(map(show, self.outputs))
        noun = "output" if len(self.outputs) == 1 else "outputs"
        where = f"decided by the inputs {u} and {v}, the {noun} {outputs} and {self._place}"
        if self.factor.upper == inf:
            what = "Not a·ε-private" if is_private else "No bounded range a·ε"
            return f"{what} for any a; {where}."
        what = "a·ε-private" if is_private else "Bounded range a·ε"
        return f"{what} for a = {self.factor}{self._smaller}; {where}."

    @property
    def _smaller(self) -> str:
        """What is known about smaller factors, as a clause."""
        if self.factor.is_exact:
            return ""
        if self.factor.upper - self.factor.lower <= _CLOSE * max(1, self.factor.upper):
            return ", and not for any smaller a up to 7 digits"
        return f", and not for a < {float(self.factor.lower):.7g} (in between it is not known)"

    @property
    def _place(self) -> str:
        if self.eps == 0:
            return "ε → 0"
        if not isinstance(self.eps, Fraction):
            return "ε → ∞"
        return f"ε ≈ {float(self.eps):.4g}"


@dataclass(frozen=True)
class Ray:
    """p, p′ and the values of ε over which the supremum of ln(p/p′)/ε is taken, where p > 0."""

    on: Interval
    chance: ClosedForm
    other: ClosedForm

    def limits(self) -> Iterator[tuple[Fraction | float, Fraction | float]]:
        """Yield limits of ln(p/p′)/ε with their ε, 0 or `inf`; infinite where p′ is 0."""
        if self.chance.is_irrational or self.other.is_irrational:
            raise ValueRefusedError(
                "the best factor of privacy is not computed for irrational rates",
                rule="Its limits as eps goes to 0 or ∞ are compared exactly, as rational numbers.",
                way_out="Check a claim: Privacy(mechanism, budget=sqrt(2) * eps).check().",
            )
        if not self.other.numerator:
            yield inf, self.on.simple_point()
            return
        for end in (self.on.lower, self.on.upper):
            # p′ = 0 < p is possible only at an endpoint, since probabilities are nonnegative.
            if isinstance(end, Fraction) and end:
                signs = [form.at(end).sign for form in (self.chance, self.other)]
                if signs == [1, 0]:
                    yield inf, end
        if self.on.lower == 0:
            over = self.chance.numerator * self.other.denominator
            under = self.chance.denominator * self.other.numerator
            start = at_zero(over, under)
            if start > 1:
                yield inf, Fraction(0)
            elif start == 1 and over != under:
                yield at_zero(over - under, under * eps), Fraction(0)
        if self.on.upper == inf and _is_positive_at_infinity(self.chance):
            yield _rate(self.chance) - _rate(self.other), inf

    def witness(self, a: Fraction) -> Fraction | None:
        """Return an ε at which p > e^{aε}·p′; None if there is none."""
        found = nonnegative(self.other * exp(a * eps) - self.chance, self.on)
        return None if found.holds else found.witness


def _is_positive_at_infinity(form: ClosedForm) -> bool:
    """Whether a closed form is positive for all large ε."""
    return bool(dominant(form.numerator)[2] * dominant(form.denominator)[2] > 0)


def _rate(form: ClosedForm) -> Fraction:
    """Return lim ln(f)/ε at ∞."""
    return max(form.numerator.exponentials()) - max(form.denominator.exponentials())


@dataclass(frozen=True)
class Best:
    """The largest factor so far, an ε near which it is needed, and the bound that needs it."""

    factor: Factor = Factor(Fraction(0), Fraction(0))
    where: Fraction | float | None = None
    loss: Loss | None = None

    def with_limits(self, rays: Mapping[Ray, Loss | None]) -> Best:
        """Return the maximum of this and all limits of some rays."""
        best = self
        for ray, loss in rays.items():
            for limit, place in ray.limits():
                if limit > best.factor.upper:
                    best = Best(Factor(limit, limit), place, loss)
        return best

    def raised(self, rays: Mapping[Ray, Loss | None], width: Fraction) -> Best:
        """Return a factor that suffices on some rays, whose limits are not above this one."""
        best = self
        for ray, loss in rays.items():
            upper = best.factor.upper
            if isinstance(upper, Fraction) and (found := ray.witness(upper)) is not None:
                best = Best(*_raised(ray, upper, found, width), loss)
        return best


def tightest(claim: Privacy, width: Number, progress: Progress | None) -> Leakage:
    """Return the smallest factor over all pairs of a claim.

    On cones, where outputs have real numbers, it is that of their rays if that is proved to
    suffice.
    """
    if claim.delta_form:
        raise ValueRefusedError(
            "the best factor is not defined for a claim with delta",
            rule="a·ε-private means δ = 0.",
            way_out="Leave out delta, or ask for smallest_budget(delta=…).",
        )
    target = positive_width(width)
    if claim.has_inverse_eps:  # limits of ratios are not known: only check() decides
        return _proved(claim, None, target, progress)
    if claim.scope.free:
        return _everywhere(claim, target, progress)
    worst = worst_pairs(claim)
    if worst is not None:
        found = tightest(replace(claim, inputs=worst), width, progress)
        return replace(found, pairs=len(claim.pairs))
    contents, gained = gathered(claim, FactorAsked(), progress)
    claim.require_content(contents)
    is_rough = gained.pop(_ROUGH, False)
    rays = {key: one for key, one in gained.items() if isinstance(key, Ray)}
    cones = {key: one for key, one in gained.items() if isinstance(key, Shape)}
    best = Best().with_limits(rays)
    inside = {shape: dict(_rays_of(claim.epsilon, one)) for shape, one in cones.items()}
    for these in inside.values():
        best = best.with_limits(these)
    best = best.raised(rays, target)
    for shape, problem in cones.items():
        if not _suffices(problem, best.factor.upper):
            best = best.raised(inside[shape], target)
    if best.loss is None:
        answer = Leakage(best.factor, None, None, None, contents.examined)
    else:
        both, outputs = claim.both(best.loss), best.loss.outputs
        answer = Leakage(best.factor, both, outputs, best.where, contents.examined)
    if not is_rough and all(_suffices(one, best.factor.upper) for one in cones.values()):
        return answer
    return _proved(claim, answer, target, progress)


def tightest_in_parts(division: Division[Privacy], ask: Callable[[Privacy], Leakage]) -> Leakage:
    """Return the largest of the best factors on parts of ε, between which an order changes.

    If an end of a part is irrational, the factor is at most that on a slightly larger interval with
    rational ends, with the closed forms of the part, and at least that on a slightly smaller one.
    """
    found: list[Leakage] = []
    for part, piece in division:
        best = ask(piece)
        inner = _inside(part)
        if inner is not None and best.factor.upper != 0:
            low = ask(replace(piece, epsilon=inner)).factor.lower
            best = replace(best, factor=Factor(min(low, best.factor.lower), best.factor.upper))
        found.append(best)
    worst = max(found, key=lambda one: (one.factor.upper, one.factor.lower))
    lower = max(one.factor.lower for one in found)
    pairs = sum(one.pairs for one in found)
    return replace(worst, factor=Factor(lower, worst.factor.upper), pairs=pairs)


def _inside(part: Stretch) -> Interval | None:
    """Return an interval with rational ends inside of a part that has others; else None."""
    if not isinstance(part.lower, Root) and not isinstance(part.upper, Root):
        return None
    lower = part.lower.upper if isinstance(part.lower, Root) else part.lower
    upper = part.upper.lower if isinstance(part.upper, Root) else part.upper
    return Interval(lower, upper, lower_open=part.lower_open, upper_open=upper == inf)


class _FactorSought(Gathering):
    """Rays that may determine the overall factor, with their bounds, and the cones of outputs."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._largest: Fraction | float = Fraction(0)
        self._first: Ray | None = None
        self._sifted = 0

    def take(self, problem: Problem) -> None:
        """Process another problem."""
        one = problem.obligation
        assert isinstance(one, Loss)
        if not one.is_seen:
            self.found[_ROUGH] = True
        elif not isinstance(problem.place, OnRay):
            self.found.setdefault(_shape(problem, one), problem)
        elif one.chance.numerator:
            self._add_ray(Ray(problem.place.on, one.chance, one.other), one)

    def _add_ray(self, ray: Ray, loss: Loss) -> None:
        """Add a ray, and note the largest limit: that of earlier slices, too."""
        if ray in self.found:
            return
        limit = self._limit(ray)
        self.kept["bound"] = max(limit, self.kept.get("bound", limit))
        if limit > self._largest:
            self._largest, self._first = limit, ray
        self.found[ray] = loss
        if len(self.found) >= 2 * self._sifted + _FEW_RAYS:
            self._sift()

    def _sift(self) -> None:
        """Keep the ray with the largest limit, and those that exceed all limits seen so far.

        No other ray exceeds the largest limit over all pairs, either.
        """
        self.found = {
            key: one
            for key, one in self.found.items()
            if not isinstance(key, Ray)
            or key is self._first
            or self._exceeds(key, self.kept["bound"])
        }
        self._sifted = len(self.found)

    def answer(self) -> tuple[Contents, dict[Any, Any]]:
        """Return the results, without rays that do not determine the factor."""
        self._sift()
        return super().answer()

    def _limit(self, ray: Ray) -> Fraction | float:
        """Return the largest limit of a ray."""
        if ray not in self.kept:
            self.kept[ray] = max((limit for limit, _ in ray.limits()), default=Fraction(0))
        found: Fraction | float = self.kept[ray]
        return found

    def _exceeds(self, ray: Ray, a: Fraction | float) -> bool:
        """Whether the loss of a ray exceeds a somewhere."""
        if not isinstance(a, Fraction):
            return False
        key = ray, a
        if key not in self.kept:
            self.kept[key] = ray.witness(a) is not None
        return bool(self.kept[key])


class FactorAsked(GatheringQuestion):
    """The question for the best factor."""

    asked = "the best factor"
    gathering = _FactorSought
    in_parts = True


def _shape(problem: Problem, one: Loss) -> Shape:
    """Return p and p′ on a cone, up to names of parameters."""
    names, cone = problem.region.names, problem.cell.cone
    under = one.chance.denominator * one.other.denominator
    over, below = (OrderedSum((form * under).numerator, names) for form in (one.chance, one.other))
    return shape_of(over, cone, problem.region.window, below)


def _suffices(problem: Problem, a: Fraction | float) -> bool:
    """Whether p ≤ e^{aε}·p′ is proved on a cone."""
    if not isinstance(a, Fraction):
        return True
    one = problem.obligation
    assert isinstance(one, Loss)
    assert isinstance(problem.place, OnCone)
    return problem.place.is_nonnegative(one.other * exp(a * eps) - one.chance)


def _rays_of(on: Interval, problem: Problem) -> Iterator[tuple[Ray, Loss]]:
    """Yield a ray inside a cone of outputs and those at its sides, as limits from inside."""
    cone, region, one = problem.cell.cone, problem.region, problem.obligation
    assert isinstance(one, Loss)
    inner = cone.interior_point()
    for ray in (inner, *cone.rays):
        point = [Fraction(x) for x in (ray if ray[0] else map(sum, zip(ray, inner, strict=True)))]
        values = {name: eps * (x / point[0]) for name, x in zip(region.names, point, strict=True)}
        del values["eps"]
        chance, other = (form.substitute(**values) for form in (one.chance, one.other))
        if chance.numerator:
            pattern, *numbers = region.numbers(point)[len(one.input) :]
            told: Any = filled(pattern, numbers)
            outputs = (told,) if len(one.outputs) == 1 else told  # two for bounded range
            yield Ray(on, chance, other), replace(one, outputs=outputs)


def _everywhere(claim: Privacy, width: Fraction, progress: Progress | None) -> Leakage:
    """Return the smallest factor for all reals: that of a few inputs, if it is proved to suffice.

    Otherwise it is enclosed by bisection: a proof moves the upper bound, a counterexample the lower
    bound. If neither is found, the enclosure stays wider than requested.
    """
    few = claim.weaker()
    return _proved(claim, None if few is None else tightest(few, width, progress), width, progress)


def _proved(
    claim: Privacy, best: Leakage | None, width: Fraction, progress: Progress | None
) -> Leakage:
    """Return a factor that some pairs and outputs need, if it is proved to suffice for all."""
    lower = Fraction(0)
    if best is not None:
        if best.factor.upper == inf:
            return best
        lower = Fraction(best.factor.lower)
        enough = Fraction(best.factor.upper)
        found = decide(replace(claim, budget=enough * eps), progress=progress)
        if found.holds:
            return replace(best, pairs=found.inputs)
        if found.counterexample is not None:
            lower = enough
    own = Fraction(1) if isinstance(claim.budget, Logarithm) else claim.multiple
    upper = max(2 * lower, own, Fraction(1))
    failure = None
    for _ in range(_MOST_TRIALS):
        verdict = decide(replace(claim, budget=upper * eps), progress=progress)
        if verdict.holds:
            break
        failure = verdict.counterexample or failure
        if failure is not None and failure.other == 0:  # no factor suffices
            inputs, outputs, at = failure.inputs, failure.outputs, failure.eps
            return Leakage(Factor(inf, inf), inputs, outputs, at, verdict.inputs)
        upper *= 2
    else:
        raise ValueRefusedError(
            f"no factor up to {spell(upper)} is seen to suffice for all inputs",
            way_out="Give inputs=Grid(lo, hi), a list, or a smaller Box.",
        )
    lower = max(lower, _needed(failure))
    is_close = True  # often one of the bounds is the factor, so numbers close to it are tried
    for _ in range(_MOST_TRIALS):
        if upper - lower <= width:
            break
        trial = _between(lower, upper, width if is_close else None)
        try:
            verdict = decide(replace(claim, budget=trial * eps), progress=progress)
        except ValueRefusedError:
            break  # too many cells where the slopes do not suffice
        is_close = not is_close
        if verdict.holds:
            upper = trial
        elif verdict.counterexample is not None:
            failure = verdict.counterexample
            lower = max(trial, min(_needed(failure), upper))
        elif is_close:  # that was no number close to a bound
            break
    factor = Factor(lower, upper)
    if failure is not None:
        place = failure.inputs, failure.outputs, failure.eps
    elif best is not None:
        place = best.inputs, best.outputs, best.eps
    else:
        place = None, None, None
    return Leakage(factor, *place, verdict.inputs)


def _between(lower: Fraction, upper: Fraction, width: Fraction | None) -> Fraction:
    """Return a simple number near the middle of two bounds, or close to the likelier of these."""
    if width is None:
        third = (upper - lower) / 3
        return simplest_inside(lower + third, upper - third)
    if upper.denominator < _SIMPLE:
        return simplest_inside(upper - width, upper)
    return simplest_inside(lower, lower + width)


def _needed(failure: Breach | None) -> Fraction:
    """Return a factor that a counterexample needs at its ε: p > e^{aε}·p′ for every smaller a."""
    if failure is None:
        return Fraction(0)
    one, other = failure.probabilities
    if other.upper <= 0 or one.lower <= other.upper:
        return Fraction(0)
    return log_enclosure(one.lower / other.upper)[0] / failure.eps - _TINY


def _raised(
    ray: Ray, lower: Fraction, where: Fraction, width: Fraction
) -> tuple[Factor, Fraction | float]:
    """Return the factor of a ray that exceeds a number, and an ε near which it is needed."""
    upper = 2 * lower + 1
    while (found := ray.witness(upper)) is not None:
        lower, upper, where = upper, 4 * upper, found
        if upper > _LARGEST:
            return Factor(inf, inf), where
    while upper - lower > width:
        middle = (lower + upper) / 2
        simple = simplest_inside(lower + (middle - lower) / 2, upper - (upper - middle) / 2)
        found = ray.witness(simple)
        if found is None:
            upper = simple
        else:
            lower, where = simple, found
    return Factor(lower, upper), where
