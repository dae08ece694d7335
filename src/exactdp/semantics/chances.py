"""The probability of an event at an input as a function of ε that is evaluated, not expanded.

The pass over the graph that computes closed forms also computes, in other frames, values at an ε
(balls), the first Taylor coefficients at 0 (exact), and how fast the probability falls as ε grows.
The other properties of `reals.unexpanded.Chance` are read off the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic, TypeVar

from flint import arb, fmpq

from exactdp.errors import ValueRefusedError
from exactdp.language.events import Compare, Done, Draw, Selection
from exactdp.measure.density import Density, Summand
from exactdp.measure.exponents import ExponentFrame
from exactdp.measure.frame import Frame, TooCoarseError
from exactdp.measure.numeric import NotInNumbersError, NumericFrame
from exactdp.polyhedra.form import Number
from exactdp.reals import ClosedForm, ExpPoly
from exactdp.reals.numbers import fraction
from exactdp.reals.unexpanded import Chance
from exactdp.semantics.exact import Arrival, Arrivals, Runner, TooManyTermsError, chances
from exactdp.semantics.nodes import Failure, Rounding, forms_of, has_noise, noise_part
from exactdp.semantics.plan import Constants, Plan, PreparedNode, Question, constant_part

K = TypeVar("K")
T = TypeVar("T")
F = TypeVar("F", bound=Frame)

_NOISE = ("lap", "expo")
_MOST_EXPANDED = 150_000  # terms at a node, if expansion is the last resort


class EventChance:
    """The total probability of some arrivals, each restricted as `masses` specifies."""

    def __init__(
        self,
        plan: Plan,
        inputs: Mapping[str, Number],
        point: Constants,
        masses: Callable[[list[Arrival]], Iterable[Density]],
    ) -> None:
        self._plan, self._inputs, self._point = plan, inputs, point
        self._masses = masses
        frame: Frame = plan.frame(point)
        self._units = frame.rates, frame.fine
        self._known: dict[object, Any] = {}
        self._expanded: ClosedForm | None = None

    def known(self, kind: Callable[[Chance], K]) -> K:
        """Return what `kind` derives from this chance, computed on first use."""
        if kind not in self._known:
            self._known[kind] = kind(self)
        found: K = self._known[kind]
        return found

    @cached_property
    def samples(self) -> int:
        """The maximal number of samples in a run."""
        return int(self._longest(lambda step: Fraction(int(isinstance(step.event, Draw)))))

    @property
    def first_bits(self) -> int:
        """The number of bits for which a value has some correct digits: polynomials lose 3^n."""
        return 64 + 8 * self.samples // 5

    def value(self, eps: arb, is_opposite: bool = False) -> arb:
        """Return a ball that contains the probability, or that of the complement, for a ball ε.

        The complement is the sum of the masses that leave the paths to the event. All of them are
        nonnegative, so a small sum has as many correct digits as a large one; 1 − P has not.
        """
        if is_opposite:
            lost = self._lost_value(eps)
            if lost is not None:
                return lost
        value = arb(self._series(eps, 0)[0])
        return 1 - value if is_opposite else value

    def _lost_value(self, eps: arb) -> arb | None:
        """Return the mass that does not arrive; None if arrivals are only partly in the event."""

        def total(run: _Losses[NumericFrame]) -> arb | None:
            if not run.is_whole:
                return None
            return arb(sum((run.frame.value(one)[0] for one in run.lost), fmpq(0)))

        return self._passed(NumericFrame(*self._units, eps), total)

    def _passed(self, frame: F, question: Callable[[_Losses[F]], T]) -> T:
        """Return an answer about what arrives and what is lost, in a frame that is fine enough."""
        while True:
            try:
                run = _Losses(self._plan, self._inputs, self._point, frame)
                run.run()
                return question(run)
            except TooCoarseError as error:
                finer = error.finer
            assert isinstance(finer, type(frame))
            frame = finer

    @cached_property
    def is_evaluated(self) -> bool:
        """Whether it can be evaluated: variables are not replaced by sums of several."""
        try:
            return bool(self.start and self.costs)
        except NotInNumbersError:
            return False

    @cached_property
    def start(self) -> tuple[Fraction, Fraction]:
        """The value and the derivative at ε = 0, exactly."""
        value, slope = self._series(None, 1)
        return fraction(fmpq(value)), fraction(fmpq(slope))

    def _series(self, eps: arb | None, order: int) -> list[Any]:
        found = Arrivals(
            self._plan, self._inputs, self._point, NumericFrame(*self._units, eps, order)
        )

        def total(listed: list[Arrival]) -> list[Any]:
            frame = found.frame
            assert isinstance(frame, NumericFrame)
            sums: list[Any] = [fmpq(0)] * (order + 1)
            for density in self._masses(listed):
                sums = [a + b for a, b in zip(sums, frame.value(density), strict=True)]
            return sums

        result = found.ask(total)
        self._units = found.frame.rates, found.frame.fine
        return result

    def expanded(self) -> ClosedForm:
        """Return the closed form; refuse if it has too many terms."""
        if self._expanded is None:
            found = Arrivals(self._plan, self._inputs, self._point, most=_MOST_EXPANDED)
            try:
                self._expanded = found.ask(
                    lambda listed: sum((one.number() for one in self._masses(listed)), ExpPoly(0))
                )
            except TooManyTermsError:
                raise _too_long() from None
        return self._expanded

    # As ε grows ---------------------------------------------------------------------------

    @cached_property
    def costs(self) -> tuple[Fraction, Fraction]:
        """Lower bounds on the noise cost of the event and of its complement."""

        def cost(run: _Losses[ExponentFrame], masses: Iterable[Density]) -> Fraction:
            exponents = map(run.frame.exponent, masses)
            known = [one for one in exponents if one is not None]
            return max(-max(known, default=Fraction(0)), Fraction(0))

        return self._passed(
            ExponentFrame(*self._units),
            lambda run: (
                cost(run, self._masses(run.arrived)),
                cost(run, run.lost if run.is_whole else ()),
            ),
        )

    # Near 0 -------------------------------------------------------------------------------

    @property
    def slope(self) -> Fraction | None:
        """A bound on the derivative."""
        return self._moves[0]

    @property
    def bend(self) -> Fraction | None:
        """A bound on the second derivative."""
        return self._moves[1]

    @cached_property
    def _moves(self) -> tuple[Fraction | None, Fraction | None]:
        """Bounds on the first two derivatives.

        Scaled by ε, noise has the mean ε·q and comparisons the constant ε·c. Measured from ε·p for
        some number p the means are ε·(q − p) and the constants ε·(c + p·Σ coefficients); if all
        these constants vanish, only the means depend on ε. For a Laplace density h, the derivative
        with respect to its mean has ∫|h′| = rate, and the second one ∫|h″| = 2·rate² (rate²·h minus
        a point mass). With S = Σ rate·|q − p| along a run, |P′| ≤ S and |P″| ≤ 2·S². An
        exponential density has 2·rate in place of rate, and no second derivative. A constant that
        does not vanish moves the end of a range, past at most (largest density)·|constant| of mass.
        """
        if any(way.edge.kept is None for step in self._plan.steps for way in step.ways):
            return None, None
        draws = [step for step in self._plan.steps if isinstance(step.event, Draw)]
        tried = {self._point.value(place) for step in draws for place in step.places}
        tried.add(Fraction(0))
        for step in self._plan.steps:
            if isinstance(step.event, Compare):
                weight = sum(noise_part(step.event.difference).values())
                if weight:
                    tried.add(-self._point.value(step.places[0]) / weight)
        found = [self._moves_from(p) for p in tried]
        return min(found, key=lambda pair: (pair[1] is None, pair[0] is None, pair[0] or 0))

    def _moves_from(self, p: Fraction) -> tuple[Fraction | None, Fraction | None]:
        """Return the bounds with everything measured from p; the second is None if unknown."""
        draws = [step.event for step in self._plan.steps if isinstance(step.event, Draw)]
        densest = max((event.rate for event in draws), default=Fraction(0))

        def moved(step: PreparedNode) -> Fraction:
            event = step.event
            if not isinstance(event, Draw):
                return Fraction(0)
            noise, constant = noise_part(event.mean), constant_part(event.mean, self._inputs)
            if not noise:
                constant = self._point.value(step.places[0])
            gap = abs(constant + p * (sum(noise.values()) - 1))
            return gap * event.rate * (1 if event.noise == "lap" else 2)

        ends = Fraction(0)
        for step in self._plan.steps:
            if isinstance(step.event, Compare) and has_noise(step.event.difference):
                weights = noise_part(step.event.difference)
                gap = abs(self._point.value(step.places[0]) + p * sum(weights.values()))
                ends += gap * densest / min(map(abs, weights.values()))
            elif isinstance(step.event, Done) and list(forms_of(step.event.output)):
                return None, None  # the conditions on an output have ends of their own
        whole = self._longest(moved)
        smooth = not ends and all(event.noise == "lap" for event in draws)
        return whole + ends, 2 * whole**2 if smooth else None

    def _longest(self, weight: Callable[[PreparedNode], Fraction]) -> Fraction:
        """Return the largest sum of weights along a run."""
        steps = self._plan.steps
        found = [Fraction(0)] * len(steps)
        for stage in reversed(self._plan.stages):
            for number in stage.nodes:
                step = steps[number]
                after = (found[way.edge.target] for way in step.ways)
                found[number] = weight(step) + max(after, default=Fraction(0))
        return found[0]


def _too_long() -> ValueRefusedError:
    return ValueRefusedError(
        "a probability has too many terms to be written out as a closed form",
        rule="In general position a probability with m samples has 2^m exponentials; it is "
        "evaluated, and its signs are decided, without them.",
        way_out="Ask for values at single eps (form.at), for a verdict or a curve; or give "
        "inputs with fewer different numbers.",
    )


class _Losses(Runner, Generic[F]):
    """A pass that records the masses that leave the paths to the event."""

    def __init__(
        self, plan: Plan, inputs: Mapping[str, Number], point: Constants, frame: F
    ) -> None:
        super().__init__(plan, inputs, point, frame)
        self.frame = frame
        self._lost: dict[int, list[Summand]] = {0: [], 1: []}

    @property
    def lost(self) -> list[Density]:
        """What was lost, integrated."""
        alone, rest = (Density(self.frame, tuple(self._lost[n])) for n in (0, 1))
        return [alone, rest.simplified(1).without(range(1))]

    @property
    def is_whole(self) -> bool:
        """Whether everything that arrives is in the event: no output has conditions on noise."""
        return all(not list(forms_of(one.output)) for one in self.arrived)

    def visit(self, step: PreparedNode, density: Density) -> None:
        """Record the mass without a successor, and continue with the rest."""
        event = step.event
        known = {way.edge.case for way in step.ways}
        if isinstance(event, Compare) and len(known) < 2:
            question = step.question(self.point, density.products[0].integers)
            for case in {True, False} - known:
                if isinstance(question, Question):
                    self._lose(question.answer(density, case), step)
                elif question == case:
                    self._lose(density, step)
        elif isinstance(event, Selection) and len(known) < len(event.values):
            for number, chance in enumerate(self.chances(step)):
                if number not in known:
                    self._lose(density.times(chance), step)
        super().visit(step, density)

    def _lose(self, density: Density, step: PreparedNode) -> None:
        """Record a mass as a function of one variable: their sum is integrated only once."""
        if not step.variables:
            self._lost[0] += density.products
            return
        for one in density.products:
            kept = max(range(step.variables), key=one.length)
            others = [v for v in range(step.variables) if v != kept]
            for part in one.without_all(others, self.frame):
                self._lost[1].append(part.renamed({kept: 0}))


def can_be_evaluated(plan: Plan) -> bool:
    """Whether a program uses only what `EventChance` supports: real noise and plain numbers."""
    if any(stage.cyclic for stage in plan.stages):
        return False
    for step in plan.steps:
        event = step.event
        if isinstance(event, Failure | Rounding):
            return False
        if isinstance(event, Draw) and event.noise not in _NOISE:
            return False
        if isinstance(event, Selection) and (
            event.chances is None or not all(map(_is_number, chances(event, {})))
        ):
            return False
    return True


def _is_number(form: ClosedForm) -> bool:
    return form.denominator == 1 and form.numerator.constant() is not None
