"""Deciding a claim for all real inputs at once (Theorem thm:condAcc, without the conjecture).

The run of a single input is done with linear forms for inputs, α and γ where they are free. On
each cell of parameters the obligation is one exponential sum, whose sign on the cone is decided.
Cells that differ by the names of their parameters only are decided once.

**Faces.** An input on a side of a cell has d(u, u′) as small as one likes for u′ inside, under
linf and l1. So if it claims anything (dd > 0), its neighbours have the same ideal output, and its
obligation is the limit of theirs: probability, dd and β are continuous. Under other distances, and
where inputs with dd = α are checked too, the sides on which the ideal changes are looked at on
their own.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import islice, product
from typing import TYPE_CHECKING, Any

from exactdp.claims.deciding import Progress
from exactdp.claims.inputs import AllReals, Box, as_given, as_written, show
from exactdp.claims.levels import ANY, Range
from exactdp.claims.obligations import Due, MissingHypothesisError, Obligation
from exactdp.claims.output_distances import discrete_outputs, sup
from exactdp.claims.shapes import Part, Shape, shape_of
from exactdp.claims.spaces import (
    UNIT,
    Space,
    levels_at_point,
    moving_levels,
    refused,
    spaces_of,
)
from exactdp.claims.tightness import Kappa, Tightness, largest_whole
from exactdp.claims.vacuity import Content, Contents, content_of, refuse_empty
from exactdp.claims.verdict import Counterexample, Verdict
from exactdp.cones import (
    Cone,
    ConeDecision,
    ConeRatio,
    FactorEnclosure,
    OrderedSum,
    largest_factor,
    nonnegative_on,
)
from exactdp.errors import ExactdpError, ValueRefusedError, counted
from exactdp.language.layout import assembled, kinds
from exactdp.language.noisy import samples_integers
from exactdp.language.values import Value, plain
from exactdp.reals import ClosedForm, Interval
from exactdp.reals.numbers import inf, simplest_inside, spell
from exactdp.semantics.cells import MOST_CELLS, Cell, next_cell, require_few_cells, too_many_cells
from exactdp.semantics.piecewise import Piece
from exactdp.semantics.spots import Trace, rational_vector

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy

ROUTE = (
    "all real inputs at once (Theorem thm:condAcc): the parameters are cut into cones on which the "
    "probability is one exponential sum, and its sign on each cone is decided"
)
_STEPS = 1_000  # in which progress is told
_MORE_LOOKS = 3  # how often a κ close to 0 is enclosed more closely
_MOST_POINTS = 64  # simple inputs that are tried as counterexamples


@dataclass(frozen=True)
class Problem:
    """An obligation on a cell of parameters: error ≤ β there."""

    space: Space
    cone: Cone
    obligation: Obligation
    error: ClosedForm
    beta: ClosedForm
    path: tuple[tuple[int, ...], ...]
    """The comparisons that lead to the cell, in order."""
    shape: Shape
    """The sum that must not be negative, and the cone, in parameters with standard names."""


@dataclass(frozen=True)
class Survey:
    """How far the cells of a claim are explored; a value, so that an interruption breaks nothing.

    `spaces` wait to be looked at, in the last of them the `cones`; `sides` are where it jumps.
    """

    spaces: tuple[Space, ...]
    cones: tuple[Cone, ...]
    weights: tuple[float, ...] = (1.0,)
    """About what part of its space each of the cones is."""
    finished: int = 0
    """How many spaces were looked at."""
    sides: frozenset[tuple[tuple[Fraction, ...], bool]] = frozenset()
    seen: frozenset[Space] = frozenset()
    contents: Contents = field(default_factory=Contents)
    problems: tuple[Problem, ...] = ()
    leaves: tuple[tuple[Space, Cell[Due | None]], ...] = ()
    """All cells, also those on which the claim says nothing."""

    @property
    def share(self) -> float:
        """About how much of the work is done."""
        here = 1 - sum(self.weights) if self.spaces else 0
        return (self.finished + here) / (self.finished + len(self.spaces))


class Everywhere:
    """The cells of a claim and what is decided of them, kept so that one can go on later."""

    def __init__(self, claim: Accuracy) -> None:
        if samples_integers(claim.mechanism.definition):
            raise ValueRefusedError(
                "the mechanism samples integer noise, and the claim is about all real inputs",
                rule="All real inputs at once are for real noise (lap, expo).",
                way_out="Give inputs=Grid(lo, hi) or a list, or use Dom inputs.",
            )
        if taken := {"alpha", "gamma"}.intersection(claim.entry_names):
            raise ValueRefusedError(
                f"an input of the mechanism is called {min(taken)}",
                rule="For all real inputs the inputs stand beside eps, alpha and gamma.",
                way_out="Give the input another name.",
            )
        self.claim = claim
        fixed = levels_at_point(claim) if claim.epsilon.is_point else {}
        self.moving = {} if fixed else moving_levels(claim)
        levels: dict[str, Any] = fixed | dict.fromkeys(self.moving, ANY)
        self.wider = replace(claim, **levels)
        spaces = tuple(
            space for one in spaces_of(claim, self.moving) if (space := one.hull()) is not None
        )
        run = partial(_obligations, self.wider, spaces[0], set())
        require_few_cells(spaces[0].names, spaces[0].region, run, len(spaces))
        self.survey = Survey(spaces, (spaces[-1].region,), seen=frozenset(spaces))
        self._decisions: dict[Shape, ConeDecision] = {}
        self._told = 0.0

    def tell(self, progress: Progress | None, share: float) -> None:
        """Tell how much of the work is done; exploring cells is half of it, deciding the rest."""
        self._told = max(self._told, share)  # faces are found on the way, and the rest grows
        if progress is not None:
            progress(int(self._told * _STEPS), _STEPS)

    def explored(self, progress: Progress | None = None) -> Survey:
        """Return the survey of all cells; what was found before an interruption is kept."""
        while self.survey.spaces:
            self.survey = self._next(self.survey)
            self.tell(progress, self.survey.share / 2)
        return self.survey

    def _next(self, survey: Survey) -> Survey:
        """Return the survey with one more cell, or with one space less."""
        *rest, space = survey.spaces
        if not survey.cones:
            seen = survey.seen
            every = not _is_continuous(self.claim)
            faces = [
                whole
                for side, always in sorted(survey.sides)
                if (always or every)
                and (face := space.face(side)) is not None
                and (whole := face.hull()) is not None
            ]
            rest += [face for face in dict.fromkeys(faces) if face not in seen]
            seen |= set(faces)
            cones: tuple[Cone, ...] = (rest[-1].region,) if rest else ()
            return replace(
                survey,
                spaces=tuple(rest),
                cones=cones,
                weights=(1.0,) * len(cones),
                finished=survey.finished + 1,
                sides=frozenset(),
                seen=seen,
            )
        sides = set(survey.sides)
        run = partial(_obligations, self.wider, space, sides)
        cell, cones = next_cell(space.names, space.region, survey.cones, run)
        *known, weight = survey.weights
        new = len(cones) - len(known)
        # Each comparison parts what is left in two; without a cell the cone itself was halved.
        parts = (weight / 2 ** (k if cell else 1) for k in range(1, new + 1))
        weights = (*known, *parts)
        survey = replace(survey, cones=cones, weights=weights, sides=frozenset(sides))
        if cell is None:
            return survey
        if survey.contents.examined >= MOST_CELLS:
            raise too_many_cells(f"more than {MOST_CELLS:,}")
        return replace(
            survey,
            contents=survey.contents.and_one(self._content(space, cell)),
            problems=(*survey.problems, *_problems(space, cell, self.claim.epsilon)),
            leaves=(*survey.leaves, (space, cell)),
        )

    def _content(self, space: Space, cell: Cell[Due | None]) -> Content:
        """Return how much the claim says on a cell."""
        on = Part(space.names, cell.cone, space.window(self.claim.epsilon))
        return content_of(cell.result, on.is_at_least_one)

    def decision(self, problem: Problem, progress: Progress | None, done: int) -> ConeDecision:
        """Return the decision of a problem; equal problems are decided once."""
        known = self._decisions.get(problem.shape)
        if known is None or known.holds is None:

            def hear(share: float) -> None:
                self.tell(progress, (1 + (done + share) / len(self.survey.problems)) / 2)

            shape = problem.shape
            known = nonnegative_on(
                shape.function, shape.cone, resume=known, progress=hear, window=shape.window
            )
            self._decisions[problem.shape] = known
        return known


def decide_everywhere(claim: Accuracy, progress: Progress | None, *, hint: bool = True) -> Verdict:
    """Decide a claim for all inputs of a box of reals.

    If it stays open, the verdict tells where the best constant is, unless no `hint` is wanted.
    """
    begin = time.perf_counter()
    work = claim.everywhere
    survey = work.explored(progress)
    assert survey.contents.examined  # a region has at least one cell
    problems = survey.problems
    left = 0
    failure: Counterexample | None = None
    decided: list[tuple[Problem, ConeDecision]] = []
    for done, problem in enumerate(problems):
        work.tell(progress, (1 + done / len(problems)) / 2)
        decision = work.decision(problem, progress, done)
        decided.append((problem, decision))
        if decision.holds is False:
            assert decision.witness is not None
            failure = _counterexample(claim, problem, problem.shape.lifted(decision.witness))
            if failure is not None:
                break
        left += decision.holds is not True
    missing = ""
    if left and failure is None and isinstance(claim.input_set, Box):
        larger = decide_everywhere(replace(claim, inputs=AllReals()), progress, hint=False)
        if larger.holds:  # what is true of all inputs is true of those in a box
            return replace(larger, claim=claim, seconds=time.perf_counter() - begin)
    if left and failure is None:
        missing = f"{left} of {counted(len(problems), 'problem')} left open"
        missing += _where(next(one for one, decision in decided if decision.holds is not True))
        missing += _hint(claim) if hint else ""
    return Verdict(
        claim,
        holds=False if failure else None if missing else True,
        route=ROUTE,
        contents=survey.contents,
        counterexamples=() if failure is None else (failure,),
        missing=missing,
        cells=tuple(decided),
        seconds=time.perf_counter() - begin,
    )


def _where(problem: Problem) -> str:
    """Return the cell of a problem, as words."""
    conditions = Piece(problem.space.names, problem.cone, None).conditions
    if UNIT in problem.space.names or not conditions:
        return ""
    return f" (the first where {', '.join(conditions)})"


def _hint(claim: Accuracy) -> str:
    """Return roughly where the best constant is, as words."""
    try:
        kappa = tightest_everywhere(claim, Fraction(1, 1000), None).kappa
    except ExactdpError:
        return ""
    return f"; the best constant is between {float(kappa.lower):.6g} and {float(kappa.upper):.6g}"


def tightest_everywhere(claim: Accuracy, width: Fraction, progress: Progress | None) -> Tightness:
    """Return an enclosure of the best constant over all inputs of a box of reals."""
    work = claim.everywhere
    different: dict[object, tuple[Problem, ConeRatio, Shape]] = {}
    survey = work.explored(progress)
    refuse_empty(claim, survey.contents)
    cells, silent = survey.contents.examined, survey.contents.silent
    for problem in survey.problems:
        if not problem.error.numerator:
            continue
        names = problem.space.names
        under = problem.error.denominator * problem.beta.denominator
        positive = under if under == 1 else under * under
        over, below = (
            OrderedSum((form * positive).numerator, names) for form in (problem.beta, problem.error)
        )
        shape = shape_of(below, problem.cone, problem.space.window(claim.epsilon), over)
        assert shape.second is not None
        quotient = ConeRatio(shape.second, shape.function, shape.cone, shape.window)
        different.setdefault(shape, (problem, quotient, shape))
    listed = list(different.values())
    if not listed:
        return Tightness(Kappa(inf, inf), None, None, None, None, None, None, cells, silent)
    quotients = [quotient for _, quotient, _ in listed]
    nothing = next((one for one in listed if not one[1].numerator), None)
    if nothing is not None:  # β is 0 and the error is not
        problem, _, _ = nothing
        kappa, values = (
            Kappa(Fraction(0), Fraction(0)),
            _values(problem, {0: claim.epsilon.simple_point()}),
        )
    else:
        found = _largest_factor(quotients, width)
        if found.upper is None or found.lower is None:
            raise ValueRefusedError("the best constant could not be enclosed")
        assert found.where is not None
        assert found.witness is not None
        problem, _, shape = listed[found.where]
        kappa = _sharpened(quotients, found.lower, found.upper)
        values = _values(problem, shape.lifted(found.witness))
        if found.upper <= 0:
            there = show(as_given(claim.mechanism, _input(claim, problem, values)))
            raise ValueRefusedError(
                f"beta = {claim.formula} is negative at the input {there}, "
                f"eps = {spell(values['eps'])}",
                rule="beta bounds a probability: it is defined and not negative for every eps.",
                way_out="Correct beta, or restrict epsilon, alpha, gamma or the inputs.",
            )
    u = _input(claim, problem, values)
    scale = values["eps"]
    return Tightness(
        kappa,
        largest_whole(kappa, partial(_allow, quotients)),
        as_written(as_given(claim.mechanism, u)),
        None,
        None,
        scale,
        None,
        cells,
        silent,
    )


def _largest_factor(quotients: list[ConeRatio], width: Fraction) -> FactorEnclosure:
    """Return an enclosure of the largest factor, with a positive lower end if one is proved."""
    found = closer = largest_factor(quotients, width)
    for _ in range(_MORE_LOOKS):
        if closer.lower is None or closer.upper is None or not closer.lower <= 0 < closer.upper:
            break
        closer = largest_factor(quotients, closer.upper / 4)
    return closer if closer.lower is not None and closer.lower > 0 else found


def _allow(quotients: list[ConeRatio], kappa: Fraction) -> bool | None:
    """Whether error ≤ β/κ everywhere, None if that stays open."""
    answer: bool | None = True
    for one in quotients:
        holds = one.decision(kappa).holds
        if holds is False:
            return False
        answer = answer and holds
    return answer


def _sharpened(quotients: list[ConeRatio], lower: Fraction, upper: Fraction) -> Kappa:
    """Return the enclosure with its lower end at a simple number, if that is proved too."""
    lower = max(lower, Fraction(0))
    simple = simplest_inside(lower, upper + (upper - lower) / 16) if lower < upper else lower
    if simple <= upper and all(one.decision(simple).holds for one in quotients):
        lower = simple
    return Kappa(lower, upper)


def _is_continuous(claim: Accuracy) -> bool:
    """Whether what is claimed on the sides of cells follows from what is claimed inside."""
    by_value = claim.agreement == "equal" or claim.output_metric in (discrete_outputs, sup)
    return claim.input_metric.is_norm and by_value and claim.boundary == "skip"


def _obligations(
    claim: Accuracy, space: Space, sides: set[tuple[tuple[Fraction, ...], bool]], trace: Trace
) -> Due | None:
    """Return what must be proved at a sample of a space; collect where it jumps."""
    finite, spots = iter(space.finite), space.spots(trace)
    entries = [
        spots[name] if kind is None else next(finite)
        for name, kind in zip(claim.entry_names, kinds(claim.mechanism.inputs), strict=True)
    ]
    try:
        found = claim.obligations.at(
            assembled(claim.mechanism.inputs, entries),
            spots["alpha"] if space.free_alpha else None,
            spots["gamma"] if space.free_gamma else None,
        )
    except MissingHypothesisError as error:
        raise refused(str(error)) from None
    sides |= {(rational_vector(side), always) for side, always in trace.sides.items()}
    return found


def _problems(space: Space, cell: Cell[Due | None], epsilon: Interval) -> Iterator[Problem]:
    """Yield the sign problems of a cell."""
    for one in cell.result or ():
        error = 1 - one.probability
        for beta in one.beta:
            gap = beta - error
            signed = OrderedSum(gap.numerator * gap.denominator, space.names)
            shape = shape_of(signed, cell.cone, space.window(epsilon))
            yield Problem(space, cell.cone, one, error, beta, cell.path, shape)


# Counterexamples ----------------------------------------------------------------------


def _values(problem: Problem, point: Mapping[int, Fraction]) -> dict[str, Fraction]:
    """Return values of all parameters inside the cell that agree with a point."""
    return problem.space.values(problem.shape.completed(problem.cone, point))


def _input(claim: Accuracy, problem: Problem, values: Mapping[str, Fraction]) -> tuple[Value, ...]:
    """Return the input at parameter values, which are scaled by ε."""
    finite = iter(problem.space.finite)
    return assembled(
        claim.mechanism.inputs,
        [
            plain(values[name] / values["eps"]) if kind is None else next(finite)
            for name, kind in zip(claim.entry_names, kinds(claim.mechanism.inputs), strict=True)
        ],
    )


def _counterexample(
    claim: Accuracy, problem: Problem, point: Mapping[int, Fraction]
) -> Counterexample | None:
    """Return a counterexample in a cell, re-checked at its single input; a simple one if any is."""
    exact = _values(problem, point)
    odd = problem.space.values(problem.shape.completed(problem.cone, point, odd=True))
    levels = {"alpha": claim.alpha_level, "gamma": claim.gamma_level}
    seen = set()
    for values in (*_simple_points(problem), exact, odd):
        for scale in _scales(claim, problem, values):
            u = _input(claim, problem, {**values, "eps": scale})
            fixed: dict[str, Any] = {}
            for name in ("alpha", "gamma"):
                if name in values and name not in claim.everywhere.moving:
                    fixed[name] = values[name] / scale
            if not all(
                level.has(fixed[name])
                for name, level in levels.items()
                if name in fixed and isinstance(level, Range)
            ):
                continue  # on a side of the cell that does not belong to it
            if (key := (u, *fixed.items())) in seen:
                continue
            seen.add(key)
            given = as_given(claim.mechanism, u)
            verdict = replace(claim, inputs=[given], **fixed).check()
            if verdict.counterexample is not None:
                return verdict.counterexample
    return None


def _simple_points(problem: Problem) -> Iterator[dict[str, Fraction]]:
    """Yield a few points with small whole numbers inside a cell."""
    rays = problem.cone.rays
    weights = sorted(islice(product((1, 2, 3, 5), repeat=len(rays)), _MOST_POINTS), key=sum)
    for factors in weights:
        point = [Fraction(0)] * problem.cone.size
        for factor, ray in zip(factors, rays, strict=True):
            point = [a + factor * b for a, b in zip(point, ray, strict=True)]
        values = problem.space.values(tuple(point))
        if point[0] > 0:
            scale = values.get(UNIT, Fraction(1))
            yield {name: value / scale for name, value in values.items()}


def _scales(
    claim: Accuracy, problem: Problem, values: Mapping[str, Fraction]
) -> Iterator[Fraction]:
    """Yield values for ε; where nothing depends on ε alone, those that make the input simple."""
    others = [side for side in problem.cone.inequalities if any(side[1:])]
    if UNIT not in values and 0 not in problem.shape.kept and not any(side[0] for side in others):
        yield Fraction(1)
        sizes = [abs(value) for name, value in values.items() if name != "eps" and value]
        yield from (min(sizes, default=Fraction(1)), max(sizes, default=Fraction(1)))
        on = claim.epsilon
        yield Fraction(on.lower) if on.is_point else simplest_inside(on.lower, on.upper)
    yield values["eps"]
