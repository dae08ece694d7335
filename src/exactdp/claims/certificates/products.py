"""What certificates contain for ideals and distances that multiply reals: sources and boxes.

That an input disagrees is shown by an input. That no closer one does is shown by boxes around the
input, on which the checker runs the ideal with intervals (`exactdp.certify.rederive.near_boxes`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp.certify.rederive.near_boxes import InputBox, NearBoxes
from exactdp.certify.rederive.statement import Statement
from exactdp.claims.stated.distances import NonlinearDistance
from exactdp.claims.stated.ideals import NonlinearIdeal
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.language.printer import print_definition
from exactdp.language.reading import read_function
from exactdp.language.types import InputType
from exactdp.reals.certificates import Json
from exactdp.reals.numbers import inf, simplest_inside, spell

if TYPE_CHECKING:
    from exactdp.claims.stated.statement import AccuracyStatement

_MOST_BOXES = 4_000
_DEEPEST = 120


def source_of(function: Callable[..., Any], what: str, types: Sequence[InputType | None]) -> str:
    """Return the text of a Python function that multiplies reals."""
    try:
        return print_definition(read_function(function, {}, types, lambdas=True))
    except ExactdpError as error:
        raise ValueRefusedError(
            f"{what} is a Python function that a certificate cannot contain: {error.message}",
            rule="A certificate contains the text of a function in the language, which may "
            "multiply reals.",
            way_out="Write it as one function, without calls of others.",
        ) from None


def multiplies(claim: AccuracyStatement) -> bool:
    """Whether the ideal or the distance on inputs multiplies reals."""
    is_own = isinstance(claim.input_metric, NonlinearDistance)
    return is_own or isinstance(claim.ideal_function, NonlinearIdeal)


def between(alpha: Fraction, distance: Any) -> Any:
    """Return a simple distance above α and below dd; dd itself if there is no room or no dd."""
    if distance == inf or not alpha < distance:
        return distance
    return simplest_inside((3 * alpha + distance) / 4, (alpha + 3 * distance) / 4)


def boxes(setting: Json, u: Sequence[Any], output: Any, alpha: Fraction, distance: Any) -> Any:
    """Return a tree of boxes on which the checker sees that no input is closer than a distance."""
    statement = Statement()
    statement.read_setting(setting)
    closed = setting["boundary"] == "check"
    near = (alpha, closed) if distance == inf else (Fraction(distance), True)
    return _Tree(NearBoxes(statement.derivation, list(u), output, near[0], strict=near[1])).grown()


class _Tree:
    """A tree of boxes that is cut until the checker sees each of them."""

    def __init__(self, seen: NearBoxes) -> None:
        self.seen = seen
        self.left = _MOST_BOXES

    def grown(self) -> Any:
        """Return the tree of all inputs."""
        return self._tree(tuple((-inf, inf) for _ in self.seen.u), 0)

    def _tree(self, box: InputBox, depth: int) -> Any:
        self.left -= 1
        if self.left < 0 or depth > _DEEPEST:
            raise ValueRefusedError(
                "no certificate is written: too many boxes are needed to show how far "
                "disagreement is",
                rule="Around a counterexample, an ideal that multiplies reals is examined on at "
                f"most {_MOST_BOXES:,} boxes.",
                way_out="Claim less, so that there is a counterexample with a smaller α.",
            )
        if self.seen.is_far(box):
            return "far"
        if self.seen.agrees(box):
            return "agrees"
        axis = self._axis(box)
        low, high = box[axis]
        at = self._middle(axis, low, high)
        return {
            "axis": axis,
            "at": spell(at),
            "below": self._tree((*box[:axis], (low, at), *box[axis + 1 :]), depth + 1),
            "above": self._tree((*box[:axis], (at, high), *box[axis + 1 :]), depth + 1),
        }

    def _axis(self, box: InputBox) -> int:
        """Return the axis along which a box is widest."""
        return max(range(len(box)), key=lambda k: box[k][1] - box[k][0])

    def _middle(self, axis: int, low: Any, high: Any) -> Fraction:
        """Return where a box is cut: at the radius where it is endless, else in the middle."""
        x, radius = Fraction(self.seen.u[axis]), max(self.seen.radius, Fraction(1, 1000))
        if low == -inf and high == inf:
            return x - radius
        if high == inf:
            return x + radius if low < x + radius else Fraction(2 * (low - x) + x)
        if low == -inf:
            return x - radius if high > x - radius else Fraction(2 * (high - x) + x)
        return Fraction(low + high) / 2
