"""The steps of merged runs that lead to one output.

Everything that does not matter for the output is dropped: nodes from which it is reached in the
same way are merged, comparisons that change nothing are removed, and a sample is drawn where it is
first compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from .linear import LinearForm, Rational, as_int, forms_in, is_number, same, spelled_key
from .merged import Goto, Law, Laws, MergedNode, RunGraph, Way, with_means
from .ratios import UnsupportedError
from .runs import Picked

Form = tuple[tuple[tuple[int, Rational], ...], Rational]
"""Coefficients by the places of samples (below 0: entries of the input), and the constant."""


@dataclass(frozen=True)
class Step:
    """What happens at a state that matters: samples are drawn, and a form is compared with 0.

    The first `outer` samples were drawn before; `laws` are those of the next ones. Without a form
    the step only draws, and goes on to `above`; or it chooses one of its `ways`. At the end of a
    run `numbers` are in its output.
    """

    outer: int
    laws: tuple[tuple[str, Fraction, Form], ...]
    form: Form | None = None
    above: int = 0
    above_names: tuple[int, ...] = ()
    below: int = 0
    below_names: tuple[int, ...] = ()
    numbers: tuple[Form, ...] = ()
    ways: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """Where a random choice leads."""
    exponents: tuple[Form, ...] = ()
    """Those of its candidates."""
    chances: object = None
    """What identifies its probabilities."""

    @property
    def leads_to(self) -> list[tuple[int, tuple[int, ...]]]:
        """The steps that may be next, each with its samples here."""
        found = [(self.above, self.above_names)]
        found += [(self.below, self.below_names)] if self.form is not None else []
        return [*self.ways] or found


NEVER, ALWAYS = 0, 1


@dataclass
class Success:
    """The steps that lead to one output; step 0 never does, step 1 always."""

    steps: list[Step] = field(default_factory=lambda: [Step(0, ()), Step(0, ())])
    root: int = NEVER


class Successes:
    """The steps to outputs of a mechanism."""

    def __init__(self, runs: RunGraph) -> None:
        self.runs = runs
        self._outputs: dict[object, int] = {}
        self._reach = self._reached()
        self._known: dict[object, Success] = {}

    def _reached(self) -> dict[int, int]:
        """Return a set of outputs for each node, as bits."""
        found: dict[int, int] = {}
        for k in self.runs.order:
            bits = 0
            for one in self.runs.ends(k):
                if isinstance(one, Goto):
                    bits |= found[one.node]
                else:
                    for key in _keys(one.value):
                        bits |= 1 << self._outputs.setdefault(key, len(self._outputs))
            found[k] = bits
        return found

    def of(self, wanted: Any, *, sup: bool) -> Success:
        """Return the steps to an output; with `sup`, numbers in it may be any."""
        key = sup, skeleton(wanted) if sup else spelled_key(wanted)
        if key not in self._known:
            self._known[key] = self._success(wanted, sup=sup)
        return self._known[key]

    def _success(self, wanted: Any, *, sup: bool) -> Success:
        if sup and _has_truth_value(wanted):  # True equals 1, which has another skeleton
            raise UnsupportedError("a truth value is compared with numbers")
        found = Success()
        key = ("any", skeleton(wanted)) if sup else ("this", wanted)
        bit = 1 << self._outputs.get(key, len(self._outputs))
        maker = _Maker(found, skeleton(wanted) if sup else wanted, sup=sup)
        for k in self.runs.order:
            if self._reach[k] & bit:
                maker.add(k, self.runs.nodes[k])
        step, names = maker.made.get(0, (NEVER, ()))
        if names:
            raise UnsupportedError("a sample is not drawn")
        found.root = step
        return found


def _keys(output: Any) -> Iterator[object]:
    """Yield the keys by which an output is looked up."""
    yield "any", skeleton(output)
    if not any(True for _ in forms_in(output)):
        yield "this", output


def skeleton(output: Any) -> object:
    """Return an output with a mark for each number."""
    if isinstance(output, tuple):
        return tuple(map(skeleton, output))
    if isinstance(output, LinearForm) or is_number(output):
        return "number", 0
    return type(output).__name__, output


def _has_truth_value(output: Any) -> bool:
    if isinstance(output, tuple):
        return any(map(_has_truth_value, output))
    return isinstance(output, bool)


def numbers_of(output: Any) -> list[Any]:
    """Return the numbers of an output, in order."""
    if isinstance(output, tuple):
        return [number for one in output for number in numbers_of(one)]
    return [output] if isinstance(output, LinearForm) or is_number(output) else []


Reached = tuple[int, tuple[int, ...]]
"""A step, and which samples it is about."""


class _Maker:
    """Makes the steps to one output, from the ends on."""

    def __init__(self, success: Success, wanted: Any, *, sup: bool) -> None:
        self.success, self.wanted, self.sup = success, wanted, sup
        self.made: dict[int, Reached] = {}
        self._known: dict[Step, int] = {}

    def add(self, k: int, node: MergedNode) -> None:
        """Make the steps of a node."""
        self.made[k] = self._of(node)

    def _of(self, node: MergedNode) -> Reached:
        after, laws = node.after(), node.ways[0].laws
        reached, new = [self._after(way, after) for way in node.ways], after - node.introduced
        if all(one == reached[0] for one in reached):
            return self._drawn(reached[0], laws, new)
        if isinstance(node.question, Picked):
            return self._picked(node.question, reached)
        assert node.question is not None  # a start has one way
        form, op = node.question
        above, below = reached if op[0] == ">" else reversed(reached)
        asked = sorted(name for name in form.coefficients if name >= 0)
        names = [*dict.fromkeys((*above[1], *below[1], *asked))]
        outer, fresh, places = _placed(names, laws, new)
        step = Step(
            len(outer),
            tuple(_law(laws[name], places) for name in fresh),
            _placed_form(form, places),
            above[0],
            tuple(places[name] for name in above[1]),
            below[0],
            tuple(places[name] for name in below[1]),
        )
        return self._interned(step), tuple(outer)

    def _after(self, way: Way, introduced: frozenset[int]) -> Reached:
        if isinstance(way.end, Goto):
            found, about = self.made.get(way.end.node, (NEVER, ()))
            return found, tuple(way.end.names[k] for k in about)
        return self._end(way.end.value, way.laws, introduced)

    def _picked(self, question: Picked, reached: list[Reached]) -> Reached:
        names = [*dict.fromkeys(name for _, about in reached for name in about)]
        places = {name: k for k, name in enumerate(names)}
        step = Step(
            len(names),
            (),
            ways=tuple((to, tuple(places[name] for name in about)) for to, about in reached),
            exponents=tuple(_placed_form(one, {}) for one in question.exponents),
            chances=spelled_key(question.chances),
        )
        return self._interned(step), tuple(names)

    def _drawn(self, reached: Reached, laws: Laws, new: frozenset[int]) -> Reached:
        """Return a step after samples are drawn that a comparison without consequence needed."""
        step, about = reached
        if new.isdisjoint(about):
            return reached
        outer, fresh, places = _placed([*about], laws, new)
        made = Step(
            len(outer),
            tuple(_law(laws[name], places) for name in fresh),
            None,
            step,
            tuple(places[name] for name in about),
        )
        return self._interned(made), tuple(outer)

    def _end(self, output: Any, laws: Laws, introduced: frozenset[int]) -> Reached:
        if not self.sup:
            is_it = not any(True for _ in forms_in(output)) and same(output, self.wanted)
            return (ALWAYS if is_it else NEVER), ()
        if skeleton(output) != self.wanted:
            return NEVER, ()
        numbers = numbers_of(output)
        if not numbers:
            return ALWAYS, ()
        names: dict[int, None] = {}
        for one in numbers:
            own = [n for n in one.coefficients if n >= 0] if isinstance(one, LinearForm) else []
            if not own:
                raise UnsupportedError("a number without noise is returned")
            names.update(dict.fromkeys(sorted(own)))
        new = with_means(frozenset(names), laws) - introduced
        outer, fresh, places = _placed([*names], laws, new)
        step = Step(
            len(outer),
            tuple(_law(laws[name], places) for name in fresh),
            numbers=tuple(_placed_form(one, places) for one in numbers),
        )
        return self._interned(step), tuple(outer)

    def _interned(self, step: Step) -> int:
        if step not in self._known:
            self._known[step] = len(self.success.steps)
            self.success.steps.append(step)
        return self._known[step]


def _placed(
    names: list[int], laws: Laws, new: frozenset[int]
) -> tuple[list[int], list[int], dict[int, int]]:
    """Return samples that are there, those to be drawn in an order, and places for all."""
    fresh: list[int] = []

    def draw(name: int) -> None:
        if name not in fresh:
            for form in forms_in(laws[name].mean):
                for other in sorted(form.coefficients):
                    if other in new:
                        draw(other)
                    elif other >= 0 and other not in names:
                        names.append(other)
            fresh.append(name)

    for name in [*names]:
        if name in new:
            draw(name)
    outer = [name for name in names if name not in new]
    return outer, fresh, {name: k for k, name in enumerate((*outer, *fresh))}


def _placed_form(form: Any, places: dict[int, int]) -> Form:
    if not isinstance(form, LinearForm):
        return (), as_int(form)
    moved = {places[n] if n >= 0 else n: as_int(c) for n, c in form.coefficients.items()}
    return tuple(sorted(moved.items())), as_int(form.constant)


def _law(law: Law, places: dict[int, int]) -> tuple[str, Fraction, Form]:
    return law.kind, law.rate, _placed_form(law.mean, places)
