"""Accuracy claims: their verdicts, their best constants, and the ε that they need."""

from exactdp.claims.accuracy import Accuracy
from exactdp.claims.budgets import Budget
from exactdp.claims.counterexamples import Counterexample
from exactdp.claims.curves import ErrorCurve
from exactdp.claims.disagreement import Disagreement
from exactdp.claims.distances import discrete, l1, linf, numeric
from exactdp.claims.error_bound import BoundedError, ErrorBound, Risk
from exactdp.claims.expressions import alpha, gamma, minimum
from exactdp.claims.inputs import AllReals, Box, Grid
from exactdp.claims.kappa import Kappa
from exactdp.claims.levels import ANY
from exactdp.claims.output_distances import score_gap, sup, value_gap
from exactdp.claims.radii import Radius
from exactdp.claims.tightness import Tightness
from exactdp.claims.verdict import Verdict

__all__ = [
    "ANY",
    "Accuracy",
    "AllReals",
    "BoundedError",
    "Box",
    "Budget",
    "Counterexample",
    "Disagreement",
    "ErrorBound",
    "ErrorCurve",
    "Grid",
    "Kappa",
    "Radius",
    "Risk",
    "Tightness",
    "Verdict",
    "alpha",
    "discrete",
    "gamma",
    "l1",
    "linf",
    "minimum",
    "numeric",
    "score_gap",
    "sup",
    "value_gap",
]
