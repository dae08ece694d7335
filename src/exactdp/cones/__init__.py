"""The sign of sums of exponentials on polyhedral cones."""

from exactdp.cones.decision import ConeDecision, nonnegative_on
from exactdp.cones.exp_sum import ExpSum, exp
from exactdp.cones.factor import FactorEnclosure, Quotient, largest_factor
from exactdp.cones.proof import CellProof, ConeProof
from exactdp.cones.window import Window
from exactdp.polyhedra.cone import Cone

__all__ = [
    "CellProof",
    "Cone",
    "ConeDecision",
    "ConeProof",
    "ExpSum",
    "FactorEnclosure",
    "Quotient",
    "Window",
    "exp",
    "largest_factor",
    "nonnegative_on",
]
