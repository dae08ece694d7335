"""Claims of accuracy and of privacy: their verdicts, best constants, and the ε they need."""

from exactdp.claims.accuracy import Accuracy
from exactdp.claims.adjacency import hamming, one_entry
from exactdp.claims.breaches import Breach
from exactdp.claims.budgets import Budget
from exactdp.claims.comparing import Contestant, Ranking, compare
from exactdp.claims.conditions import piecewise
from exactdp.claims.counterexamples import Counterexample
from exactdp.claims.curves import ErrorCurve
from exactdp.claims.deltas import DeltaCurve, DeltaPiece
from exactdp.claims.disagreement import Disagreement
from exactdp.claims.distances import discrete, l1, l2, linf, numeric
from exactdp.claims.divergences import Divergence
from exactdp.claims.error_bound import BoundedError, ErrorBound, Risk
from exactdp.claims.excesses import Excess
from exactdp.claims.expected import Expected
from exactdp.claims.expressions import alpha, gamma, maximum, minimum
from exactdp.claims.inputs import AllReals, Box, Grid
from exactdp.claims.kappa import Kappa
from exactdp.claims.levels import ANY, Range
from exactdp.claims.loss_factor import Factor, Leakage
from exactdp.claims.output_distances import score_gap, sup, value_gap
from exactdp.claims.pairs import Pairs
from exactdp.claims.privacy import Privacy
from exactdp.claims.radii import Radius
from exactdp.claims.tightness import Tightness
from exactdp.claims.verdict import Verdict

__all__ = [
    "ANY",
    "Accuracy",
    "AllReals",
    "BoundedError",
    "Box",
    "Breach",
    "Budget",
    "Contestant",
    "Counterexample",
    "DeltaCurve",
    "DeltaPiece",
    "Disagreement",
    "Divergence",
    "ErrorBound",
    "ErrorCurve",
    "Excess",
    "Expected",
    "Factor",
    "Grid",
    "Kappa",
    "Leakage",
    "Pairs",
    "Privacy",
    "Radius",
    "Range",
    "Ranking",
    "Risk",
    "Tightness",
    "Verdict",
    "alpha",
    "compare",
    "discrete",
    "gamma",
    "hamming",
    "l1",
    "l2",
    "linf",
    "maximum",
    "minimum",
    "numeric",
    "one_entry",
    "piecewise",
    "score_gap",
    "sup",
    "value_gap",
]
