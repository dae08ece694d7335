"""The unit beside reals: 1, or a logarithm, between numbers; a cone around its value at an ε."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from ..kernel.enclosures import exp_enclosure
from ..kernel.reading import CertificateReader
from .cones import PolyhedralCone, Vector
from .evaluation import EvaluationPoint
from .parameter_spaces import ParameterSpace
from .parametric import At
from .ratios import Ratio, variable
from .statement import Statement

_BITS = 256  # with which logarithms are compared with numbers


def unit_is_between(unit: Fraction, lower: Fraction, upper: Fraction | float) -> bool:
    """Whether 1 (if the unit is 0), or the logarithm of a base, is between two numbers."""
    if not unit:
        return lower <= 1 <= upper
    low = exp_enclosure(lower, _BITS)
    right = low.high * Fraction(2) ** low.exponent <= unit
    if isinstance(upper, Fraction):
        high = exp_enclosure(upper, _BITS)
        right = right and high.low * Fraction(2) ** high.exponent >= unit
    return right


def point_at(reader: Statement, given: Any, eps: Fraction, bits: int) -> EvaluationPoint:
    """Return a point, with bounds on the logarithm that the unit is, which are checked."""
    if not reader.unit:
        reader.require(given is None, "there is no logarithm")
        return EvaluationPoint(eps, bits)
    return EvaluationPoint(eps, bits, log_bounds(reader, given))


def log_bounds(reader: Statement, given: Any) -> tuple[Fraction, Fraction]:
    """Read bounds on the logarithm that the unit is."""
    low, high = (reader.rational(end) for end in reader.pair(given))
    right = bool(reader.unit) and 0 < low < high
    right = right and unit_is_between(reader.unit or Fraction(0), low, high)
    reader.require(right, "not bounds on the logarithm")
    return low, high


class PointLevel(NamedTuple):
    """α or γ at a point: a number plus a multiple of the logarithm that the unit is."""

    number: Fraction
    slope: Fraction

    @classmethod
    def read(cls, reader: CertificateReader, given: Any) -> PointLevel:
        """Read a rational number, or a list of a number and a factor of the logarithm."""
        listed = given if isinstance(given, list) else [given, "0"]
        return cls(*(reader.rational(q) for q in reader.entries(listed, 2)))

    def at(self, point: EvaluationPoint, size: int) -> Vector:
        """Return it as a form in the parameters of `cone_at`, divided by ε."""
        return (self.number, self.slope * point.eps)[:size]

    @property
    def ratio(self) -> Ratio:
        """The number, where the variable 1 is the logarithm."""
        return Ratio.number(self.number) + variable(1) * self.slope


def cone_at(reader: Statement, entries: list[Any], at: EvaluationPoint) -> ParameterSpace:
    """Return the ray of an input; with a logarithm, a cone around (ε, log b) for this ε."""
    if at.log is None:
        ray = PolyhedralCone(1, reader).cut((Fraction(1),))
        one = None if reader.unit is None else At((1 / at.eps,))
        return ParameterSpace(1, entries, None, None, ray, unit=one)
    region = PolyhedralCone(2, reader).cut((Fraction(1), Fraction(0)))
    region = region.cut((-at.log[0], at.eps)).cut((at.log[1], -at.eps))
    unit = At((Fraction(0), Fraction(1)))
    return ParameterSpace(2, entries, None, None, region, unit=unit)
