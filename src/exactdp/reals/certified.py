"""Signs and solution sets of functions without an exact procedure (see `sign_walk`)."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from exactdp.reals.chance_signs import ChanceWalk
from exactdp.reals.curved import CurvedSum
from exactdp.reals.enclosed_form import EnclosedForm
from exactdp.reals.evaluated_zeros import EvaluatedRoot, OpenSignError
from exactdp.reals.exp_poly import eps
from exactdp.reals.exponential_sums import ExponentialSum
from exactdp.reals.interval import Interval
from exactdp.reals.log_sums import LogSum
from exactdp.reals.numbers import simplest_inside
from exactdp.reals.radical_form import RadicalForm
from exactdp.reals.radical_signs import RadicalSum
from exactdp.reals.sign_walk import Crossed, Seen, SignWalk, Touched
from exactdp.reals.signs import Atom, atoms_of
from exactdp.reals.solutions import Boundary, SolutionSet, set_of
from exactdp.reals.taylor_walk import TaylorWalk
from exactdp.reals.tower_signs import TowerFunction, is_sum_of_nonnegatives
from exactdp.reals.towers import Tower
from exactdp.reals.unexpanded import Unexpanded

Evaluated: TypeAlias = EnclosedForm | CurvedSum | LogSum
"""Functions whose signs are decided by certified numbers."""

_LOOKS = tuple(Fraction(2) ** k for k in (0, 1, 2, 3, 4, 5, 6, -1, -2, -3, -4))
_REACHING = 48  # halvings of the way to an end
_NARROW = Fraction(1, 2**48)  # relative width of a zero that may be rational


def walk_of(function: Evaluated, on: Interval) -> SignWalk:
    """Return the walk over an interval that finds the signs of a function."""
    if isinstance(function, Unexpanded):
        return ChanceWalk(function, on)
    if isinstance(function, RadicalForm):
        return TaylorWalk(RadicalSum(function), on)
    if isinstance(function, Tower):
        return TaylorWalk(TowerFunction(function), on)
    assert isinstance(function, CurvedSum | LogSum)
    return TaylorWalk(function, on)


def evaluated_sign(
    function: Evaluated, on: Interval, *, strict: bool = False
) -> tuple[bool, Fraction | None]:
    """Return whether f ≥ 0, or f > 0, on an interval; if not, a point at which it is not.

    Raises `OpenSignError` if that is not decided.
    """
    if on.is_point:
        point = Fraction(on.lower)
        holds = function.sign_at(point) >= int(strict)
        return holds, None if holds else point
    if _is_zero(function):
        return not strict, on.simple_point() if strict else None
    if not strict and isinstance(function, Tower) and is_sum_of_nonnegatives(function, on):
        return True, None
    walk = walk_of(function, on)
    # First a few points at which a function often is negative if it is anywhere.
    for point in _LOOKS:
        if point in on and walk.quick_sign(point) < 0:
            return False, point
    first_open: Seen | None = None
    for piece in walk.pieces():
        if isinstance(piece, Crossed):
            return False, _beside(function, piece, on)
        if isinstance(piece, Touched):
            if strict and piece.point in on:
                return False, piece.point
        elif piece.sign < 0:
            return False, Interval(piece.lower, piece.upper).simple_point()
        elif piece.sign == 0:
            first_open = first_open or piece
    if first_open is not None:
        raise _open(walk, first_open)
    return True, None


def simplest_negative(function: CurvedSum | LogSum, point: Fraction, on: Interval) -> Fraction:
    """Return a simple point inside an interval at which a function is negative, as at a point."""

    def is_negative(x: Fraction) -> bool:
        return function.coefficient_sign(x, 0) == -1

    ends = []
    for end in (on.lower, on.upper if isinstance(on.upper, Fraction) else 2 * point + 1):
        good, bad = point, Fraction(end)
        for _ in range(_REACHING):  # how far towards the end it seems to stay negative
            middle = (good + bad) / 2
            good, bad = (middle, bad) if is_negative(middle) else (good, middle)
        ends.append(bad)
    left, right = ends
    while left < right:
        candidate = simplest_inside(left, right)
        if is_negative(candidate):
            return candidate
        left, right = (left + point) / 2, (right + point) / 2
    return point


def _is_zero(function: Evaluated) -> bool:
    return isinstance(function, ExponentialSum) and not function.terms


def _open(walk: SignWalk, piece: Seen) -> OpenSignError:
    ends = [f"{float(end):.6g}" for end in (piece.lower, piece.upper)]
    is_narrow = ends[0] == ends[1]
    where = f"near ε = {ends[0]}" if is_narrow else f"for ε between {ends[0]} and {ends[1]}"
    return OpenSignError(
        f"a sign stays open {where}: {piece.why}", rule=walk.rule, way_out=walk.way_out
    )


def _beside(function: Evaluated, piece: Crossed, on: Interval) -> Fraction:
    """Return a simple number next to a crossing at which the function is negative."""
    size = piece.upper - piece.lower
    zero = EvaluatedRoot(piece.lower, piece.upper, 1, eps, function=function).refined(size / 8)
    while zero.upper not in on or zero.lower not in on:  # one of its ends is not in the interval
        zero = zero.refined((zero.upper - zero.lower) / 8)
    if piece.sign > 0:
        return Interval(zero.upper, piece.upper).simple_point()
    return Interval(piece.lower, zero.lower).simple_point()


def evaluated_landscape(function: Evaluated, on: Interval) -> list[Atom]:
    """Return zeros and the stretches between them, in order; raise if a sign stays open."""
    if on.is_point:
        sign = function.sign_at(Fraction(on.lower))
        return [Atom(on.lower, on.lower, False, False, sign)]
    if _is_zero(function):
        return [Atom(on.lower, on.upper, on.lower_open, on.upper_open, 0)]
    if isinstance(function, CurvedSum):
        function = function.reduced
    walk = walk_of(function, on)
    cuts: list[tuple[Boundary, int]] = []
    signs: list[int] = []
    known = 0
    for piece in walk.pieces():
        if isinstance(piece, Crossed):
            cuts.append((_zero(function, walk, piece), 0))
            signs.append(piece.sign)
            known = -piece.sign
        elif isinstance(piece, Touched):
            if piece.point in on:
                cuts.append((piece.point, 0))
                signs += [known] * (piece.point != on.lower)
                known = 0
        elif piece.sign == 0:
            raise _open(walk, piece)
        elif known and known != piece.sign:
            why = "the sign changes at a rational point"
            raise _open(walk, Seen(piece.lower, piece.upper, 0, why))
        else:
            known = piece.sign
    return atoms_of(on, cuts, iter((*signs, known)))


def _zero(function: Evaluated, walk: SignWalk, piece: Crossed) -> Boundary:
    """Return the zero of a crossing, as a number if it is known to be a simple rational."""
    root = EvaluatedRoot(piece.lower, piece.upper, 1, eps, function=function)
    if isinstance(walk, TaylorWalk):
        for width in (piece.upper - piece.lower, _NARROW * max(piece.lower, Fraction(1))):
            root = root.refined(width)
            point = simplest_inside(root.lower, root.upper)
            if walk.function.coefficient_sign(point, 0) == 0:
                return point
    return root


def evaluated_solutions(function: Evaluated, on: Interval) -> SolutionSet:
    """Return the points of an interval of ε ≥ 0 at which a function is nonnegative."""
    return set_of(evaluated_landscape(function, on))
