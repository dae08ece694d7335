"""Certificates of signs: the kernel's proof that one holds, or a point that refutes it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..kernel.enclosures import EXACTLY_1, total
from ..kernel.reading import Sum, Terms, short
from ..kernel.signs import SignProof
from ..kernel.sums import ONE
from .evaluation import ZERO, Evaluation, EvaluationPoint
from .formulas import say_sum


def as_sum(terms: Terms) -> Sum:
    """Return a sum in ε as one in several variables."""
    return {((k,), (q,)): c for (q, k), c in terms.items()}


class SignClaims(Evaluation, SignProof):
    """One pass over one statement and its proof or refutation; raises if that is wrong."""

    claim = "no claim could be read"

    def read_claim(self, claim: Any) -> None:
        """Read the inequality and the interval."""
        super().read_claim(claim)
        over, under = (say_sum(part) for part in (self.numerator, self.denominator))
        relation, where = ">" if self.strict else ">=", self.on.text()
        self.claim = f"({over}) / ({under}) {relation} 0 for every ε in {where}"

    def proved(self, verdict: Any, proof: Any) -> str:
        """Check the proof of the claim that was read, and return what it proves."""
        self.require(verdict in ("holds", "fails"), "the verdict is neither 'holds' nor 'fails'")
        self.where = "the proof"
        if verdict == "fails":
            return self.fails(proof)
        self.holds(proof)
        return "the claim holds, as proved in the certificate"

    def fails(self, proof: Any) -> str:
        """Check a refutation in one of its three forms."""
        match proof:
            case {"at": at, "value": value, "bits": bits, **rest} if not rest:
                return self.fails_at(at, self.entries(value, 2), self.bits(bits))
            case {"pole": at, **rest} if not rest:
                return self.fails_at(at, None, 64)  # a zero is seen exactly
        return self.fails_between(*self.fields(proof, "zero_of factor cofactor between bits"))

    def fails_at(self, at: Any, value: Any, bits: int) -> str:
        """Check that f(at) lies between the two numbers in value, below 0; or that it is a pole."""
        x, n, d = self.rational(at), self.numerator, self.denominator
        self.require(self.on.has(x), f"{short(at)} is not in the interval")
        if x == 0:  # the value there is rational or a pole: go on with a constant, elsewhere
            constant, x = self.at_zero(), Fraction(1)
            n = {(Fraction(0), 0): constant} if constant else {}
            d = {} if constant is None else ONE
        point, over, under = EvaluationPoint(x, bits), as_sum(n), as_sum(d)
        if value is None:
            self.require(self.sign_at(point, under) == 0, f"{short(at)} is not a pole")
            return f"the claim fails at ε = {short(at)}, where the quotient is not defined"
        low, high = (self.scaled(end) for end in value)
        if low == high == ZERO:
            self.require(self.strict, "the value 0 does not contradict ≥ 0")
        else:
            width = [(*high, EXACTLY_1), (low[0] * Fraction(-999, 1000), low[1], EXACTLY_1)]
            right = high[0] < 0 and total(width, 128)[1] <= 0
            self.require(right, "the value is not enclosed below 0 to one part in a thousand")
        self.encloses(point, over, under, (low, high), f"the value at {short(at)}")
        return f"the claim fails at ε = {short(at)}, where the value is as stated"

    def fails_between(
        self, zero_of: Any, factor: Any, cofactor: Any, between: Any, bits: Any
    ) -> str:
        """Check that a factor of D, or of N if f > 0 is claimed, changes its sign inside I."""
        right = zero_of == "denominator" or (zero_of == "numerator" and self.strict)
        self.require(right, f"a zero of the {short(zero_of)} does not refute the claim")
        terms, others = self.terms(factor), self.terms(cofactor)
        whole = self.numerator if zero_of == "numerator" else self.denominator
        self.require(self.times(terms, others) == whole, f"these are not factors of the {zero_of}")
        low, high = (self.rational(x) for x in self.entries(between, 2))
        right = self.on.has(low) and self.on.has(high) and low < high and low * high > 0
        self.require(right, "not between two points of the interval on one side of 0")
        points = [EvaluationPoint(x, self.bits(bits)) for x in (low, high)]
        one, two = (self.sign_at(point, as_sum(terms)) for point in points)
        self.require(one * two < 0, "the factor does not change its sign between the points")
        return f"the claim fails between {short(between[0])} and {short(between[1])}"
