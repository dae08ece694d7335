"""The sign of sums of exponentials on polyhedral cones."""

from exactdp.cones.decision import ConeDecision, nonnegative_on
from exactdp.cones.factor import ConeRatio, FactorEnclosure, largest_factor
from exactdp.cones.ordered_sum import OrderedSum
from exactdp.cones.proof import CellProof, ConeProof
from exactdp.cones.window import Window
from exactdp.polyhedra.cone import Cone

__all__ = [
    "CellProof",
    "Cone",
    "ConeDecision",
    "ConeProof",
    "ConeRatio",
    "FactorEnclosure",
    "OrderedSum",
    "Window",
    "largest_factor",
    "nonnegative_on",
]
