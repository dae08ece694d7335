"""Closed forms in ε, and decisions about them."""

from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.evaluation import Enclosure
from exactdp.reals.exp_poly import ExpPoly, eps, exp, parameter
from exactdp.reals.exp_ratio import ExpRatio
from exactdp.reals.exp_term import ExpTerm
from exactdp.reals.extrema import Extremum, infimum, supremum
from exactdp.reals.interval import Interval
from exactdp.reals.numbers import inf
from exactdp.reals.parsing import parse
from exactdp.reals.signs import Decision, nonnegative, positive
from exactdp.reals.solutions import SolutionSet, Stretch, solution_set
from exactdp.reals.zeros import Root, roots

__all__ = [
    "ClosedForm",
    "Decision",
    "Enclosure",
    "ExpPoly",
    "ExpRatio",
    "ExpTerm",
    "Extremum",
    "Interval",
    "Root",
    "SolutionSet",
    "Stretch",
    "eps",
    "exp",
    "inf",
    "infimum",
    "nonnegative",
    "parameter",
    "parse",
    "positive",
    "roots",
    "solution_set",
    "supremum",
]
