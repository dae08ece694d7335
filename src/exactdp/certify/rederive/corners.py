"""Claims about all reals that are proved at corners: the worst input for each ideal output.

A corner is a space with a parameter a ≥ 0 besides ε (and α and γ): the input w(a) is linear in it.
Its cells show that the claim holds there for every α below a. What is checked here, for each ideal
output o, is that every input u with ideal output o and dd(u) = a is w(a) with some entries raised
and others lowered, or all shifted, without a loss:

- **Rows.** Every path of the ideal that ends in o implies H(u) = h·u + k ≥ 0. Inputs closer to u
  than dd(u) end in o too, so H(u) ≥ dd(u)·‖h‖, and a row may state any width up to ‖h‖.
- **Dominance.** Each entry of w(a) is where one row is a·width, or does not matter.
- **Directions.** The probability of o does not decrease along the directions used. That is proved
  on merged runs (`monotone`), with the same noise at both inputs.

Then the probability at u is at least that at w(a), and what the cells prove at w(a) holds at u. One
corner may stand for those of all outputs, if exchanging entries exchanges these (`selections`). On
sides, and for a = 0, it holds by continuity: no input is compared without noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..kernel.reading import CertificateReader
from .implied import ImpliedForms, side_of
from .linear import LinearForm, spelled_key
from .monotone import Monotone
from .parametric import At
from .runs import NO_INPUTS
from .selections import SelectedOutputs
from .successes import numbers_of

_ZERO = Fraction(0)


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
    differs: list[int] | None = None
    """If a few corners stand for all: in which entries its output differs from that of one."""
    selects: int = 0
    """If it stands for all: 1 if the largest entry is selected, −1 if the smallest is."""

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


class CornerProof:
    """The corners of a claim at one value of its finite entries."""

    def __init__(self, reader: CertificateReader, derivation: Any, fixed: list[Any]) -> None:
        self.require = reader.require
        self.derivation = derivation
        self.fixed = fixed

    def check(self, corners: list[StatedCorner]) -> None:
        """Check corners of all ideal outputs."""
        known = [(self.as_forms(corner.output), corner) for corner in corners]
        self._enclose(known)
        self._are_ordered(known)

    def check_for_all(self, corner: StatedCorner) -> None:
        """Check that a corner stands for those of all ideal outputs.

        Mechanism and ideal select the best entry, so exchanging entries exchanges outputs. All rows
        follow from this, and so do those of the other corners.
        """
        size, sign = len(self.fixed), corner.selects
        is_real = size > 1 and all(one is None for one in self.fixed)
        self.require(is_real, "an entry of a selection is not real")
        runs = self.derivation.merged(self.fixed, noisy=True)
        noisy = SelectedOutputs(runs, size, sign=sign, ties=False)
        if self.derivation.ideal_program is not runs.program or runs.ignores_ties:
            runs = self.derivation.merged(self.fixed, noisy=False)
        ideal = SelectedOutputs(runs, size, sign=sign, ties=True)
        outputs = [*map(spelled_key, ideal.outputs)]
        right = [*map(spelled_key, noisy.outputs)] == outputs
        self.require(right, "the ideal output is not that of the best entry")
        stated = self.as_forms(corner.output)
        right = spelled_key(stated) in outputs
        self.require(right, "the output of a corner is not an ideal output")
        best = outputs.index(spelled_key(stated))
        for row in corner.rows:
            own = row.slopes.get(best, _ZERO)
            is_gap = len(row.slopes) == 2 and sum(row.slopes.values()) == 0
            right = is_gap and own * sign > 0 and row.constant >= 0
            self.require(right, "a row does not say that an entry is not the best")
        self._are_ordered([(stated, corner)])

    def _enclose(self, known: list[tuple[Any, StatedCorner]]) -> None:
        """Check that each ideal output has one corner, whose rows its inputs satisfy."""
        implied = ImpliedForms(self.derivation.merged(self.fixed, noisy=False))
        is_numeric = self.derivation.spec["input_distance"]["name"] == "numeric"
        for output, way in implied.ends:
            own = _with_entries(output)
            here = [corner for stated, corner in known if _is_same(stated, own)]
            self.require(len(here) == 1, "an ideal output has not one corner")
            for row in here[0].rows:
                strict = is_numeric and bool(row.width) and min(row.slopes.values()) < 0
                right = implied.holds(way, side_of(row.slopes, row.constant, strict=strict))
                self.require(right, "an ideal output is not seen inside of a row")

    def _are_ordered(self, known: list[tuple[Any, StatedCorner]]) -> None:
        """Check that no output becomes less likely along the directions of its corner."""
        successes = self.derivation.successes(self.fixed)
        sup = self.derivation.spec["output_distance"].get("name") == "sup"
        for stated, corner in known:
            wanted = [
                number.coefficients if isinstance(number, LinearForm) else {}
                for number in numbers_of(stated)
            ]
            success = successes.of(stated, sup=sup)
            order = Monotone(success, wanted if sup else [])
            right = all(map(order.grows, corner.directions()))
            self.require(right, "the chance of an output may fall along a direction")

    def as_forms(self, output: Any) -> Any:
        """Return an output with forms in the entries, which are unknowns below 0."""
        if isinstance(output, At):
            rest = {-k: q for k, q in enumerate(output.form) if k and q}
            return LinearForm(rest, output.form[0], NO_INPUTS) if rest else output.form[0]
        return tuple(map(self.as_forms, output)) if isinstance(output, tuple) else output


def _with_entries(output: Any) -> Any:
    """Return an output of the ideal, with unknowns below 0 for the entries."""
    if isinstance(output, tuple):
        return tuple(map(_with_entries, output))
    if not isinstance(output, LinearForm):
        return output
    moved = {-k - 1: q for k, q in output.coefficients.items()}
    return LinearForm(moved, output.constant, NO_INPUTS)


def _is_same(one: Any, two: Any) -> bool:
    """Whether two outputs are the same, forms by their coefficients."""
    if isinstance(one, tuple) and isinstance(two, tuple):
        return len(one) == len(two) and all(map(_is_same, one, two))
    if isinstance(one, LinearForm) and isinstance(two, LinearForm):
        return one.coefficients == two.coefficients and one.constant == two.constant
    if isinstance(one, LinearForm | tuple) or isinstance(two, LinearForm | tuple):
        return False
    return bool(one == two)


def check_place(
    reader: CertificateReader, corner: StatedCorner, forms: list[Any], metric: dict[str, Any]
) -> None:
    """Check the rows of a corner, and that its entries are where they say.

    `forms` are the entries in ε, a, and what else moves.
    """
    require = reader.require
    for row in corner.rows:
        right = bool(row.slopes) and row.width >= 0
        if right and metric["name"] == "l2":
            right = row.width**2 <= sum((q * q for q in row.slopes.values()), _ZERO)
        elif right:
            right = row.width <= _widest(row, metric)
        require(right, "a row is too wide")
    is_wide = metric["name"] == "discrete" or any(row.width for row in corner.rows)
    require(is_wide, "dd may be infinite")
    require(corner.bounds.count("fixed") < 2, "two entries are fixed")
    for k, (bound, form) in enumerate(zip(corner.bounds, forms, strict=True)):
        require(bound != "fixed" or not any(form), "a fixed entry is not 0")
        if not isinstance(bound, int):
            continue
        row = corner.rows[bound]
        others = [name for name in row.slopes if name != k]
        right = k in row.slopes and all(corner.bounds[name] == "fixed" for name in others)
        require(right, "a row does not bound an entry")
        right = not corner.is_shifted or not sum(row.slopes.values(), _ZERO)
        require(right, "a row changes if all entries are shifted")
        left = [q * row.slopes[k] for q in form]
        left[0] += row.constant
        left[1] -= row.width
        require(not any(left), "an entry is not where its row is")


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
