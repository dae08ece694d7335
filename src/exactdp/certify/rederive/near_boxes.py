"""That no input close to a given one disagrees, for ideals and distances that multiply reals.

A certificate cuts all inputs into boxes. A box is "far" if a lower bound of the distance of its
inputs is not below a radius. A box "agrees" if the ideal, run with intervals, returns an output
that agrees, or is not defined, whatever the answers to its comparisons are.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

from ..kernel.reading import CertificateReader
from .choices import Choices, always
from .derivation import UNDEFINED, Derivation
from .distances import is_beyond, norm
from .linear import is_number
from .moving import End, MovingInterval
from .points import Point
from .ratios import UnsupportedError

InputBox = tuple[tuple[End, End], ...]

_MOST_RUNS = 64  # on a box
_COST = 2_000  # steps of the reader for a box


def agree_on_boxes(
    reader: CertificateReader,
    derivation: Derivation,
    u: Point,
    output: Any,
    near: tuple[Fraction, bool],
    tree: Any,
) -> bool:
    """Whether no input closer than a radius disagrees (if not strict: nor arbitrarily close)."""
    radius, strict = near
    checked = NearBoxes(derivation, u, output, radius, strict=strict)
    waiting: list[tuple[InputBox, Any]] = [(tuple((-inf, inf) for _ in u), tree)]
    while waiting:
        box, node = waiting.pop()
        reader.spend(_COST, 0)
        if isinstance(node, dict):
            axis, cut, below, above = reader.fields(node, "axis at below above")
            k, at = reader.integer(axis, 0, len(box) - 1), reader.rational(cut)
            low, high = box[k]
            reader.require(low < at < high, "a box is cut outside")
            waiting.append(((*box[:k], (low, at), *box[k + 1 :]), below))
            waiting.append(((*box[:k], (at, high), *box[k + 1 :]), above))
        elif not (
            checked.is_far(box) if node == "far" else node == "agrees" and checked.agrees(box)
        ):
            return False
    return True


class NearBoxes:
    """The boxes around one input."""

    def __init__(
        self, derivation: Derivation, u: Point, output: Any, radius: Fraction, *, strict: bool
    ) -> None:
        if any(members is not None for members in derivation.members) or not all(map(is_number, u)):
            raise UnsupportedError("an input has other values than reals")
        self.derivation, self.u, self.output = derivation, u, output
        self.radius, self.strict = radius, strict

    def agrees(self, box: InputBox) -> bool:
        """Whether all inputs of a box are seen to agree."""
        return always(lambda answers: self._agrees(box, answers), _MOST_RUNS)

    def is_far(self, box: InputBox) -> bool:
        """Whether no input of a box is closer than the radius."""
        spec = self.derivation.spec["input_distance"]
        name = spec.get("name")
        if name is None:
            return always(lambda answers: self._is_beyond(box, answers), _MOST_RUNS)
        nearest = [
            min(max(Fraction(x), low), high) for x, (low, high) in zip(self.u, box, strict=True)
        ]
        gaps = [abs(a - b) for a, b in zip(self.u, nearest, strict=True)]
        if name not in ("linf", "l1", "l2", "discrete"):
            raise UnsupportedError("how far it is to disagreement is not re-derived here")
        # Of the discrete distance: only u itself is closer than 1, and it agrees.
        least = Fraction(1) if name == "discrete" else norm(name, gaps)
        return is_beyond(name, least, self.radius, strict=self.strict)

    def _spans(self, box: InputBox, answers: Choices) -> list[MovingInterval]:
        return [MovingInterval(low, high, answers) for low, high in box]

    def _is_beyond(self, box: InputBox, answers: Choices) -> bool:
        """Whether a distance given by its source is not below the radius, in one run."""
        try:
            found = self.derivation.distance_from(self.u, self._spans(box, answers))
        except UnsupportedError:
            return False
        least = found.lower if isinstance(found, MovingInterval) else found
        return is_beyond(None, least, self.radius, strict=self.strict)

    def _agrees(self, box: InputBox, answers: Choices) -> bool:
        """Whether the ideal agrees on a box, or is not defined, in one run."""
        try:
            other = self.derivation.ideal_of(self._spans(box, answers))
            if other is UNDEFINED:
                return True
            differs = self.derivation.differ(self.derivation.assembled(self.u), self.output, other)
        except UnsupportedError:
            return False
        return not differs
