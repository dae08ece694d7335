"""Claims about all reals that are proved at corners: the worst input for each ideal output.

A corner is a space with a parameter a ≥ 0 besides ε (and α and γ): the input w(a) is linear in it.
Its cells show that the claim holds there for every α below a. What is checked here, for each ideal
output o, is that every input u with ideal output o and dd(u) = a is w(a) with some entries raised
and others lowered, or all shifted, without a loss:

- **Rows.** Every path of the ideal that ends in o implies H(u) = h·u + k ≥ 0. Inputs closer to u
  than dd(u) end in o too, so H(u) ≥ dd(u)·‖h‖, and a row may state any width up to ‖h‖.
- **Dominance.** Each entry of w(a) is where one row is a·width, or does not matter.
- **Directions.** The probability of o does not decrease along the directions used. That is proved
  on merged runs (`implied`, `monotone`), or on the tree of all runs, with the same noise at both
  inputs. Where a comparison of D with 0 changes along a direction, the side that is left never ends
  in o, or the other one always does, or both sides are the same tree where D = 0.

Then the probability at u is at least that at w(a), and what the cells prove at w(a) holds at u. On
sides, and for a = 0, it holds by continuity: no input is compared without noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from .implied import ImpliedForms, side_of
from .linear import LinearForm, is_number
from .merged import MergedRuns
from .monotone import Monotone
from .parametric import At
from .points import unknown
from .ratios import BrokenRunError, UnsupportedError
from .regions import feasible, rows
from .runs import Path, paths
from .successes import numbers_of

_ZERO = Fraction(0)
_TRANSLATED = ("lap", "expo")
_MOST_RUNS = 600  # whose order is checked
_MAY_FALL = "the chance of an output may fall along a direction"


@dataclass(frozen=True)
class StatedRow:
    """Σ h·u + constant ≥ a·width, by the places of entries."""

    slopes: dict[int, Fraction]
    constant: Fraction
    width: Fraction


@dataclass(frozen=True)
class StatedCorner:
    """A corner as a certificate states it."""

    output: Any
    """The ideal output; its numbers are forms: a constant, then the coefficients of entries."""
    rows: list[StatedRow]
    bounds: list[Any]
    """For each entry the number of its row, "fixed", "idle", or None if it is not real."""
    is_merged: bool
    """Whether the order is proved on merged runs; else on the tree of all runs."""
    differs: list[int] | None = None
    """If a few corners stand for all: in which entries its output differs from that of one."""

    @property
    def is_shifted(self) -> bool:
        """Whether all entries are shifted so that one is 0."""
        return "fixed" in self.bounds

    def directions(self) -> list[dict[int, int]]:
        """Return the directions along which the chance of the output must not fall."""
        found: list[dict[int, int]] = []
        for k, bound in enumerate(self.bounds):
            if bound == "idle":
                found += [{k: 1}, {k: -1}]
            elif isinstance(bound, int):
                found.append({k: 1 if self.rows[bound].slopes[k] > 0 else -1})
        if self.is_shifted:
            every = [k for k, bound in enumerate(self.bounds) if bound is not None]
            found += [dict.fromkeys(every, sign) for sign in (1, -1)]
        return found


class _NoInputs:
    """Refuses comparisons of inputs without noise: there a probability may jump."""

    def decide(self, form: LinearForm, op: str) -> bool:
        """Refuse."""
        del form, op
        raise UnsupportedError("inputs are compared without noise")


class RunTree:
    """The runs of a mechanism from a comparison or choice on; a leaf is one run."""

    def __init__(self, found: list[tuple[Path, Any]], depth: int, wanted: Any, sup: bool) -> None:
        self.path, self.output = found[0]
        self.wanted, self.sup = wanted, sup
        self.asked: Any = None
        self.exponents: list[Any] = []
        self.ways: dict[int, RunTree] = {}
        if len(self.path.made) == depth:
            return
        self.asked = self.path.asked[depth]
        self.exponents = self.path.picks.get(depth, [])
        by_choice: dict[int, list[tuple[Path, Any]]] = {}
        for one in found:
            by_choice.setdefault(one[0].made[depth], []).append(one)
        self.ways = {
            made: RunTree(some, depth + 1, wanted, sup) for made, some in by_choice.items()
        }

    @cached_property
    def errors(self) -> list[Any] | None:
        """For a run: numbers that must be small for a success, None if it is not one."""
        found: list[Any] = []
        return found if _errors(self.output, self.wanted, found, sup=self.sup) else None

    @cached_property
    def never(self) -> bool:
        """Whether no run succeeds."""
        if not self.ways:
            return self.errors is None
        return all(way.never for way in self.ways.values())

    @cached_property
    def always(self) -> bool:
        """Whether every run succeeds."""
        if not self.ways:
            return self.errors == []
        return all(way.always for way in self.ways.values())

    def grows(self, direction: dict[int, int]) -> bool:
        """Whether the chance of success does not fall along a direction of entries."""
        if self.never or self.always:
            return True
        if not self.ways:
            return all(_rate(one, direction) == 0 for one in self.errors or ())
        speeds = [_rate(one, direction) for one in self.exponents]
        if len(set(speeds)) > 1:
            return self.gains(speeds)
        if not all(way.grows(direction) for way in self.ways.values()):
            return False
        rate = _rate(self.asked[0], direction) if self.asked else _ZERO
        if not rate:
            return True
        form, op = self.asked
        above = self.ways[0 if op[0] == ">" else 1]
        below = self.ways[1 if op[0] == ">" else 0]
        before, after = (below, above) if rate > 0 else (above, below)
        return before.never or after.always or before.is_like(after, form)

    def gains(self, speeds: list[Fraction]) -> bool:
        """Whether candidates that lead to success gain on all others, which never do."""
        if not all(way.never or way.always for way in self.ways.values()):
            return False
        own = [speeds[k] for k, way in self.ways.items() if way.always]
        others = [speeds[k] for k, way in self.ways.items() if way.never]
        return min(own) >= max(others)

    def is_like(self, other: RunTree, zero: LinearForm) -> bool:
        """Whether two trees are the same where a form is 0."""
        if self.never and other.never:
            return True
        if self.ways.keys() != other.ways.keys():
            return False
        if not self.ways:
            mine, yours = self.errors, other.errors
            if mine is None or yours is None or len(mine) != len(yours):
                return mine is None and yours is None
            same = self.path.noises == other.path.noises
            same = same and self.path.weight == other.path.weight
            same = same and not self.path.picks and not other.path.picks
            return same and all(map(_multiple(zero), mine, yours))
        if (self.asked is None) != (other.asked is None):
            return False
        if self.asked is not None and (
            self.asked[1] != other.asked[1] or not _multiple(zero)(self.asked[0], other.asked[0])
        ):
            return False
        return all(way.is_like(other.ways[k], zero) for k, way in self.ways.items())


def _errors(output: Any, wanted: Any, found: list[Any], *, sup: bool) -> bool:
    """Whether an output can be a success; `found` gets its numbers less the wanted ones."""
    if isinstance(output, tuple) or isinstance(wanted, tuple):
        return (
            isinstance(output, tuple)
            and isinstance(wanted, tuple)
            and len(output) == len(wanted)
            and all(_errors(a, b, found, sup=sup) for a, b in zip(output, wanted, strict=True))
        )
    numbers = [is_number(one) or isinstance(one, LinearForm) for one in (output, wanted)]
    if sup and all(numbers):
        if not (isinstance(output, LinearForm) and any(k >= 0 for k in output.coefficients)):
            raise UnsupportedError("a number without noise is returned")
        found.append(output - wanted)
        return True
    if isinstance(output, LinearForm) or isinstance(wanted, LinearForm):
        return False
    return bool(output == wanted)


def _rate(form: Any, direction: dict[int, int]) -> Fraction:
    """Return how fast a form moves along a direction of entries."""
    if not isinstance(form, LinearForm):
        return _ZERO
    return sum(
        (form.coefficients.get(-k - 1, _ZERO) * sign for k, sign in direction.items()), _ZERO
    )


def _multiple(zero: LinearForm) -> Any:
    """Return a key that decides whether two forms are equal where a form is 0."""

    def same(one: Any, two: Any) -> bool:
        difference = one - two
        if not isinstance(difference, LinearForm):
            return bool(difference == 0)
        name, c = next(iter(zero.coefficients.items()))
        left = difference - zero * (difference.coefficients.get(name, _ZERO) / c)
        return not isinstance(left, LinearForm) and bool(left == 0)

    return same


class CornerProof:
    """The corners of a claim at one value of its finite entries."""

    def __init__(self, derivation: Any, fixed: list[Any]) -> None:
        self.derivation = derivation
        self.fixed = fixed

    def wrong(self, corners: list[StatedCorner]) -> str | None:
        """Return what is wrong with corners of all ideal outputs, None if nothing is."""
        known = [(self.as_forms(corner.output), corner) for corner in corners]
        if all(corner.is_merged for corner in corners):
            return self._wrong_on_states(known)
        for path, output in self.derivation.ideal_paths(self.fixed):
            own = _with_entries(output)
            here = [corner for stated, corner in known if _is_same(stated, own)]
            for system in rows(path.conditions, len(self.fixed)):
                if not feasible(system, len(self.fixed)):
                    continue
                if len(here) != 1:
                    return "an ideal output has no corner, or several"
                wrong = self.outside(here[0], system)
                if wrong is not None:
                    return wrong
        runs = self.runs()
        sup = self.derivation.spec["output_distance"].get("name") == "sup"
        for stated, corner in known:
            tree = RunTree(runs, 0, stated, sup)
            if not all(map(tree.grows, corner.directions())):
                return _MAY_FALL
        return None

    def _wrong_on_states(self, known: list[tuple[Any, StatedCorner]]) -> str | None:
        """Return what is wrong with corners on merged runs."""
        try:
            if not self._enclose(known):
                return "an ideal output has not one corner, or is seen outside of a row"
            return None if self._are_ordered(known) else _MAY_FALL
        except RecursionError as error:
            raise UnsupportedError("the runs of the program are too long") from error

    def _enclose(self, known: list[tuple[Any, StatedCorner]]) -> bool:
        """Whether each ideal output has one corner, whose rows its inputs satisfy."""
        given = self.derivation.assembled(self.fixed)
        implied = ImpliedForms(MergedRuns(self.derivation.ideal_program, given, noisy=False))
        is_numeric = self.derivation.spec["input_distance"]["name"] == "numeric"
        for output, way in implied.ends:
            own = _with_entries(output)
            here = [corner for stated, corner in known if _is_same(stated, own)]
            if len(here) != 1:
                return False
            for row in here[0].rows:
                strict = is_numeric and bool(row.width) and min(row.slopes.values()) < 0
                if not implied.holds(way, side_of(row.slopes, row.constant, strict=strict)):
                    return False
        return True

    def _are_ordered(self, known: list[tuple[Any, StatedCorner]]) -> bool:
        """Whether no output becomes less likely along the directions of its corner."""
        successes = self.derivation.successes(self.fixed)
        sup = self.derivation.spec["output_distance"].get("name") == "sup"
        for stated, corner in known:
            wanted = [
                number.coefficients if isinstance(number, LinearForm) else {}
                for number in numbers_of(stated)
            ]
            success = successes.of(stated, sup=sup)
            order = Monotone(success, wanted if sup else [], len(self.fixed))
            if not all(map(order.grows, corner.directions())):
                return False
        return True

    def outside(self, corner: StatedCorner, system: list[Any]) -> str | None:
        """Return what is wrong with the rows of a corner on a path of the ideal."""
        metric = self.derivation.spec["input_distance"]
        for row in corner.rows:
            minus = tuple(-row.slopes.get(k, _ZERO) for k in range(len(self.fixed)))
            if feasible([*system, (minus, -row.constant, True)], len(self.fixed)):
                return "an input with an ideal output is outside of a row"
            is_below = metric["name"] == "numeric" and min(row.slopes.values()) < 0
            at_end = [*system, (minus, -row.constant, False)]
            if is_below and row.width and feasible(at_end, len(self.fixed)):
                return "an entry is at the threshold"
        return None

    def as_forms(self, output: Any) -> Any:
        """Return an output with forms in the entries, which are unknowns below 0."""
        if isinstance(output, At):
            rest = {-k: q for k, q in enumerate(output.form) if k and q}
            return LinearForm(rest, output.form[0], _NoInputs()) if rest else output.form[0]
        return tuple(map(self.as_forms, output)) if isinstance(output, tuple) else output

    def runs(self) -> list[tuple[Path, Any]]:
        """Return all runs of the mechanism, with unknowns for real entries."""
        judge = _NoInputs()

        def run(path: Path) -> Any:
            given = [
                unknown(k, path) if one is None else one
                for k, one in enumerate(self.fixed, start=1)
            ]
            return self.derivation.mechanism.run(path, self.derivation.assembled(given))

        try:
            found = list(paths(run, noisy=True, inputs=judge, orders=self.derivation.orders))
        except BrokenRunError as error:
            raise UnsupportedError(f"a run of the program fails: {error}") from error
        if len(found) > _MOST_RUNS:
            raise UnsupportedError(f"the program has more than {_MOST_RUNS} runs")
        for path, _ in found:
            if any(noise[0] not in _TRANSLATED for noise in path.noises):
                raise UnsupportedError("noise that does not only move with its mean")
        return found


def _with_entries(output: Any) -> Any:
    """Return an output of the ideal, with unknowns below 0 for the entries."""
    if isinstance(output, tuple):
        return tuple(map(_with_entries, output))
    if not isinstance(output, LinearForm):
        return output
    moved = {-k - 1: q for k, q in output.coefficients.items()}
    return LinearForm(moved, output.constant, _NoInputs())


def _is_same(one: Any, two: Any) -> bool:
    """Whether two outputs are the same, forms by their coefficients."""
    if isinstance(one, tuple) and isinstance(two, tuple):
        return len(one) == len(two) and all(map(_is_same, one, two))
    if isinstance(one, LinearForm) and isinstance(two, LinearForm):
        return one.coefficients == two.coefficients and one.constant == two.constant
    if isinstance(one, LinearForm | tuple) or isinstance(two, LinearForm | tuple):
        return False
    return bool(one == two)


def misplaced(corner: StatedCorner, forms: list[Any], metric: dict[str, Any]) -> str | None:
    """Return what is wrong with the entries and rows of a corner, None if nothing is.

    `forms` are the entries in ε, a, and what else moves.
    """
    for row in corner.rows:
        right = bool(row.slopes) and row.width >= 0
        if right and metric["name"] == "l2":
            right = row.width**2 <= sum((q * q for q in row.slopes.values()), _ZERO)
        elif right:
            right = row.width <= _widest(row, metric)
        if not right:
            return "a row is too wide"
    if metric["name"] != "discrete" and not any(row.width for row in corner.rows):
        return "dd may be infinite"
    if corner.bounds.count("fixed") > 1:
        return "two entries are fixed"
    for k, (bound, form) in enumerate(zip(corner.bounds, forms, strict=True)):
        if bound == "fixed" and any(form):
            return "a fixed entry is not 0"
        if not isinstance(bound, int):
            continue
        row = corner.rows[bound]
        others = [name for name in row.slopes if name != k]
        if k not in row.slopes or any(corner.bounds[name] != "fixed" for name in others):
            return "a row does not bound an entry"
        if corner.is_shifted and sum(row.slopes.values(), _ZERO):
            return "a row changes if all entries are shifted"
        left = [q * row.slopes[k] for q in form]
        left[0] += row.constant
        left[1] -= row.width
        if any(left):
            return "an entry is not where its row is"
    return None


def _widest(row: StatedRow, metric: dict[str, Any]) -> Fraction:
    """Return the largest number c with H(u) ≥ c·dd(u) that is known."""
    sizes = [abs(q) for q in row.slopes.values()]
    if metric["name"] in ("linf", "discrete"):
        return sum(sizes, _ZERO)
    if metric["name"] == "l1":
        return max(sizes)
    if metric["name"] != "numeric" or len(sizes) != 1:
        return _ZERO
    (q,) = row.slopes.values()
    return sizes[0] if -row.constant / q == Fraction(metric["threshold"]) else _ZERO
