"""Whether a sum of exponentials is nonnegative on a polyhedral cone: holds, fails or undecided.

A cone is cut into simplicial cells. A cell is closed by one of the following, tried in this order:

1. exact coefficients in a nonnegative basis (`coefficients`);
2. a rational point at which f < 0 (`witness`), which decides the whole question;
3. monotonicity: if (∂ⱼ + c)g ≥ 0 is proved exactly, then g ≥ 0 holds exactly if it holds on the
   face sⱼ = 0; if −∂ⱼg ≥ 0 is, exactly if it holds in the limit sⱼ → ∞;
4. if one coordinate is left, the complete decision for functions of ε (`exactdp.reals`);
   otherwise branch and bound in boxes (`boxes`);
5. a cut of the cell through the middle of an edge into two cells.

Nothing is concluded from doubles without an error bound, and a cell that stays open within the
budget is returned as open.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any, TypeAlias

from exactdp.cones import coefficients
from exactdp.cones.boxes import BoxSearch, Corner, Share, Slab, axes_of, is_small, searched, whole
from exactdp.cones.ordered_sum import OrderedSum, Vector
from exactdp.cones.piece import (
    LocalSum,
    LocalTerms,
    face_at_infinity,
    face_at_zero,
    piece_of,
    shifted_derivative,
)
from exactdp.cones.proof import CellProof, ConeProof, Reduction, Zone
from exactdp.cones.segments import Segment
from exactdp.cones.window import Window
from exactdp.cones.witness import PointSampler, corner_witness, sampled_witness
from exactdp.cones.zones import in_zones
from exactdp.polyhedra.cone import Cone, Integers, primitive
from exactdp.reals import signs
from exactdp.reals.exp_poly import ExpPoly
from exactdp.reals.exp_term import ExpTerm
from exactdp.reals.interval import POSITIVE

_FIRST = 60  # cuts of boxes before the cell is cut
_WITHOUT_WINDOW = 500  # cuts of boxes before the window is looked at
_FEW_FUNCTIONS = 10_000  # functions on a cell with which a search is quick
_COST_OF_A_CUT = 5  # cuts of boxes that take about as long as a cut of a cell

Cell: TypeAlias = tuple[Integers, ...]
"""The rays of a simplicial cone."""


@dataclass(frozen=True)
class ConeDecision:
    """Whether f ≥ 0 on a cone: `holds` is True, False or None if the budget was not enough.

    `proof` lists the closed cells (all of them if `holds`); `witness` is a rational point of the
    relative interior with f < 0; `remaining` are the open cells, from which
    `nonnegative_on(f, cone, resume=decision)` continues.
    """

    holds: bool | None
    proof: ConeProof
    witness: Vector | None = None
    remaining: tuple[Cell, ...] = ()
    steps: int = 0


def nonnegative_on(
    f: OrderedSum,
    cone: Cone,
    *,
    budget: int = 5000,
    progress: Share | None = None,
    resume: ConeDecision | None = None,
    window: Window | None = None,
) -> ConeDecision:
    """Decide whether f(θ) ≥ 0 for all θ of the cone (in a window), with about `budget` cuts.

    `holds` is True only with a proof in exact or ball arithmetic, False only with a rational point
    of the relative interior at which f < 0 is certified. It is None when the budget runs out;
    a sum that touches 0 inside a cell without changing sign always stays undecided.
    """
    if resume is not None and resume.holds is not None:
        return resume
    cells: Sequence[Cell]
    if resume is None:
        cells = [cell for part in cone.pointed_parts() for cell in part.simplices()]
    else:
        cells = resume.remaining
    if not cells:  # the cone {0}
        return _at_the_apex(f, cone)
    depth = 0 if resume is None else 2
    shares = [(cell, 1.0 / len(cells), depth) for cell in cells]
    closed = () if resume is None else resume.proof.cells
    return _Subdivision(f, cone, budget, progress, shares, window, closed).run()


def _at_the_apex(f: OrderedSum, cone: Cone) -> ConeDecision:
    zero = (Fraction(0),) * cone.size
    holds = f.sign_at(zero) >= 0
    return ConeDecision(holds, ConeProof(f, cone, ()), None if holds else zero)


class _Subdivision:
    """The cells still open, the depth to which each was cut, and what is proved."""

    def __init__(
        self,
        f: OrderedSum,
        cone: Cone,
        budget: int,
        progress: Share | None,
        cells: Iterable[tuple[Cell, float, int]],
        window: Window | None,
        closed: Iterable[CellProof],
    ) -> None:
        self.f, self.cone, self.budget, self.progress = f, cone, budget, progress
        self.open = list(cells)
        self.stuck: list[Cell] = []
        self.closed = list(closed)
        self.steps = 0
        self.share = 0.0
        self.window = window

    def run(self) -> ConeDecision:
        # First the cheap exact test on every cell; the rest is searched for a witness before
        # any cell is cut.
        pending = []
        for cell, share, depth in self.open:
            piece = piece_of(self.f, cell)
            if coefficients.nonnegative(piece.terms):
                self._close(CellProof.of(piece), share)
            else:
                pending.append((cell, share, depth, piece))
        self.open = [entry[:3] for entry in pending]
        for *_, piece in pending:
            witness = sampled_witness(self.f, piece, Slab.of(self.window, piece.rays))
            if witness is not None:
                return self._decided(False, witness)
        while self.open:
            last = self.open.pop()
            witness = self._one_cell(*last)
            if witness is not None:
                self.open.append(last)
                return self._decided(False, witness)
        return self._decided(None if self.stuck else True)

    def _decided(self, holds: bool | None, witness: Vector | None = None) -> ConeDecision:
        remaining = (*self.stuck, *(cell for cell, _, _ in self.open))
        proof = ConeProof(self.f, self.cone, tuple(self.closed), self.window)
        return ConeDecision(holds, proof, witness, remaining, self.steps)

    def _close(self, proof: CellProof, share: float) -> None:
        self.closed.append(proof)
        self.share += share
        self._tell(self.share)

    def _tell(self, share: float) -> None:
        if self.progress is not None:
            self.progress(share)

    def _one_cell(self, cell: Cell, share: float, depth: int) -> Vector | None:
        """Close or cut an open cell; return a witness if one is found."""
        piece = piece_of(self.f, cell)
        if coefficients.nonnegative(piece.terms):
            self._close(CellProof.of(piece), share)
            return None
        inside = Slab.of(self.window, piece.rays)
        if depth and (witness := sampled_witness(self.f, piece, inside)) is not None:
            return witness
        terms, reductions = reduced(piece.terms)
        if coefficients.nonnegative(terms):
            self._close(CellProof.of(piece, reductions), share)
            return None
        if self.window is not None:
            # Often the window does not matter: a short search in the whole cell may suffice.
            room = min(_WITHOUT_WINDOW, self.budget - self.steps)
            few = is_small(axes_of(terms), _FEW_FUNCTIONS)
            outcome = self._searched(terms, room) if few else None
            if outcome is not None and outcome.holds:
                self._close(CellProof.of(piece, reductions, outcome.proved), share)
                return None
            fixed = [j for j, weight in enumerate(inside.weights) if not weight]
            terms, reductions = reduced(piece.terms, fixed)
        if (axis := only_axis(terms)) is not None:
            return self._ray(cell, share, piece, terms, reductions, axis, inside)
        outcome, zones = self._boxes(terms, share, depth, inside)
        if outcome is not None and outcome.holds:
            proof = CellProof.of(piece, reductions, outcome.proved)
            self._close(replace(proof, in_window=self.window is not None, zones=zones), share)
            return None
        if outcome is not None and outcome.corner is not None:
            witness = corner_witness(self.f, piece, _lifted(outcome.corner, reductions), inside)
            if witness is not None:
                return witness
        self.steps += _COST_OF_A_CUT
        if self.steps > self.budget or len(cell) < 2:
            self.stuck.append(cell)
            return None
        hard = outcome.left[0] if outcome is not None and outcome.left else None
        for part in cut(self.f, cell, terms, hard):
            self.open.append((part, share / 2, depth + 1))
        return None

    def _ray(
        self,
        cell: Cell,
        share: float,
        piece: LocalSum,
        terms: LocalTerms,
        reductions: tuple[Reduction, ...],
        axis: int,
        inside: Slab,
    ) -> Vector | None:
        """Decide a cell on which one coordinate is left."""
        rows = [
            ExpTerm(Fraction(c), (("eps", key[axis][0]),), (("eps", Fraction(-key[axis][1])),))
            for key, c in terms.items()
        ]
        where = POSITIVE
        if inside.window is not None and inside.weights[axis]:
            where = inside.window.along(inside.weights, axis)
        decision = signs.nonnegative(ExpPoly(rows), where)
        if decision.holds:
            proof = CellProof.of(piece, reductions, ray=(axis, decision.certificate))
            self._close(replace(proof, in_window=where != POSITIVE), share)
            return None
        corner = [Fraction(0)] * len(cell)
        corner[axis] = decision.witness or Fraction(0)
        witness = corner_witness(self.f, piece, _lifted(tuple(corner), reductions), inside)
        if witness is None:
            self.stuck.append(cell)
        return witness

    def _boxes(
        self, terms: LocalTerms, share: float, depth: int, inside: Slab
    ) -> tuple[BoxSearch | None, tuple[Zone, ...]]:
        """Return the outcome of branch and bound, and the zones of a window that are proved."""
        room = self.budget - self.steps
        if not is_small(axes_of(terms)) or room <= 0:
            return None, ()

        def tell(done: float) -> None:
            self._tell(self.share + share * done)

        left = inside.along(terms)
        outcome: BoxSearch | None
        zones: tuple[Zone, ...] = ()
        if left.window is not None and any(left.weights):
            limit = min(room, 4 * _FIRST * 2 ** min(depth, 6))
            found = in_zones(terms, left.weights, left.window, limit, lambda _: tell(0.0))
            self.steps += found.steps
            outcome, zones = found.failure or BoxSearch(), found.proved
        else:
            limit = min(room, _FIRST * 2 ** min(depth, 6)) if self.window is None else room
            outcome = self._searched(terms, limit, tell, left)
        if outcome is not None and outcome.corner is not None:
            outcome = replace(outcome, corner=inside.raised(outcome.corner, left))
        return outcome, zones

    def _searched(self, terms: LocalTerms, room: int, *how: Any) -> BoxSearch | None:
        """Return the outcome of branch and bound on the orthant, None if there is none."""
        outcome = searched(terms, room, *how)
        self.steps += 0 if outcome is None else outcome.steps
        return outcome


def _lifted(corner: Corner, reductions: Sequence[Reduction]) -> Corner:
    """Return the vertex of the whole cell that corresponds to a vertex of its reduction."""
    lifted = list(corner)
    for reduction in reductions:
        lifted[reduction.axis] = None if reduction.to_infinity else Fraction(0)
    return tuple(lifted)


def only_axis(terms: LocalTerms) -> int | None:
    """Return the axis on which g depends if there is exactly one."""
    size = len(next(iter(terms)))
    moving = [j for j in range(size) if any(key[j] != (0, 0) for key in terms)]
    return moving[0] if len(moving) == 1 else None


def reduced(
    terms: LocalTerms, axes: Sequence[int] | None = None
) -> tuple[LocalTerms, tuple[Reduction, ...]]:
    """Return a function of fewer coordinates that is nonnegative exactly if g is, and why.

    If coordinates are given, only these may be eliminated.
    """
    steps: list[Reduction] = []
    progress = True
    while progress and terms:
        progress = False
        for axis in range(len(next(iter(terms)))) if axes is None else axes:
            fastest = max(key[axis][1] for key in terms)
            if fastest == 0 and all(key[axis][0] == 0 for key in terms):
                continue
            shift = next(
                (
                    c
                    for c in sorted({0, fastest})
                    if coefficients.nonnegative(shifted_derivative(terms, axis, c))
                ),
                None,
            )
            if shift is not None:
                terms = face_at_zero(terms, axis)
                steps.append(Reduction(axis, False, shift))
                progress = True
                break
            limit = face_at_infinity(terms, axis)
            falling = {key: -c for key, c in shifted_derivative(terms, axis, 0).items()}
            if limit is not None and coefficients.nonnegative(falling):
                terms = limit
                steps.append(Reduction(axis, True, 0))
                progress = True
                break
    return terms, tuple(steps)


def cut(
    f: OrderedSum, cell: Cell, terms: LocalTerms, hard: Sequence[Segment] | None
) -> tuple[Cell, Cell]:
    """Return the two cells into which a new ray on an edge divides a cell.

    The ray is where a variable that f has a power of changes sign; if none does, where dominant
    exponentials are equal, on the edges between axes that meet in the corner that was hard (all
    edges, if none was). Of several, it is the one that leaves the least negative coefficients.
    """
    moving = [j for j in range(len(cell)) if any(key[j] != (0, 0) for key in terms)]
    if hard is not None:
        for axes in (
            [j for j in moving if hard[j].low == 0 and hard[j].length is not None],
            [j for j in moving if hard[j].length is None],
        ):
            if len(axes) > 1:
                moving = axes
                break
    if len(moving) < 2:
        moving = list(range(len(cell)))
    piece = piece_of(f, cell)
    edges = {(i, j): sign_changes(f, piece, i, j) for i, j in combinations(range(len(cell)), 2)}
    if not any(edges.values()):
        edges = {(i, j): balances(terms, i, j) for i, j in combinations(moving, 2)}
    best: tuple[float, tuple[Cell, Cell]] | None = None
    for (i, j), directions in edges.items():
        for p, q in directions:
            ends = zip(piece.rays[i], piece.rays[j], strict=True)
            between = primitive(p * a + q * b for a, b in ends)
            pair = (
                (*cell[:i], between, *cell[i + 1 :]),
                (*cell[:j], between, *cell[j + 1 :]),
            )
            score = sum(_badness(piece_of(f, part)) for part in pair)
            if best is None or score < best[0]:
                best = score, pair
    assert best is not None
    return best[1]


def balances(terms: LocalTerms, i: int, j: int) -> list[tuple[Fraction, Fraction]]:
    """Return directions (sᵢ, sⱼ) in which two dominant exponentials are equal, else the middle.

    The exponentials that dominate for some direction are the vertices of the lower left boundary
    of the convex hull of all (aᵢ, aⱼ); neighbours are equal in the direction across their edge.
    """
    hull: list[tuple[int, int]] = []
    for point in sorted({(key[i][1], key[j][1]) for key in terms}):
        if hull and point[1] >= hull[-1][1]:
            continue
        while len(hull) > 1 and _turn(hull[-2], hull[-1], point) <= 0:
            hull.pop()
        hull.append(point)
    found = [(Fraction(b[1] - c[1]), Fraction(c[0] - b[0])) for b, c in pairwise(hull)]
    return found or [(Fraction(1), Fraction(1))]


def sign_changes(f: OrderedSum, piece: LocalSum, i: int, j: int) -> list[tuple[Fraction, Fraction]]:
    """Return the directions between two rays in which a variable that f has a power of is 0."""
    used = {v for powers, *_ in f.whole[2] for v, power in enumerate(powers) if power}
    one, two = piece.rays[i], piece.rays[j]
    return [(abs(two[v]), abs(one[v])) for v in sorted(used) if one[v] * two[v] < 0]


def _turn(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> int:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _badness(piece: LocalSum) -> float:
    axes = axes_of(piece.terms)
    if coefficients.nonnegative(piece.terms):
        return 0.0
    box = whole(piece.terms, axes) if is_small(axes, 10_000) else None
    if box is None:
        return 1.0 - PointSampler.of(piece.terms).lowest(100, Slab())[1]
    return box.badness() / box.values.size
