"""Claims about accuracy, privacy and expected loss: verdicts, best constants, sets of ε."""

from exactdp.claims.accuracy import Accuracy
from exactdp.claims.comparing import Contestant, Ranking, compare
from exactdp.claims.constants.budgets import Budget
from exactdp.claims.constants.curves import ErrorCurve
from exactdp.claims.constants.kappa import Kappa
from exactdp.claims.constants.radii import Radius
from exactdp.claims.constants.risks import Risk
from exactdp.claims.constants.tightness import Tightness
from exactdp.claims.decision.counterexamples import Counterexample
from exactdp.claims.decision.verdict import Verdict
from exactdp.claims.disagreement.nearest import Disagreement
from exactdp.claims.error_bound import BoundedError, ErrorBound
from exactdp.claims.expectations.claim import Expected
from exactdp.claims.expectations.excesses import Excess
from exactdp.claims.private.breaches import Breach
from exactdp.claims.private.claim import Privacy
from exactdp.claims.private.deltas import DeltaCurve, DeltaPiece
from exactdp.claims.private.divergences import Divergence
from exactdp.claims.private.loss_factor import Factor, Leakage
from exactdp.claims.private.pairs import Pairs
from exactdp.claims.stated.adjacency import hamming, one_entry
from exactdp.claims.stated.conditions import piecewise
from exactdp.claims.stated.distances import discrete, l1, l2, linf, numeric
from exactdp.claims.stated.expressions import alpha, gamma, maximum, minimum
from exactdp.claims.stated.inputs import AllReals, Box, Grid
from exactdp.claims.stated.levels import ANY, Range
from exactdp.claims.stated.output_distances import score_gap, sup, value_gap

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
