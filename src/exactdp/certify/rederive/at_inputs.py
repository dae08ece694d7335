"""The common part of certificates about listed inputs: the program, the inputs, proved signs."""

from __future__ import annotations

from typing import Any

from ..kernel.cones import PolyhedralCone
from ..kernel.orthants import sum_of
from . import values
from .claims import Claims
from .derivation import Derivation
from .ratios import Ratio, UnsupportedError

DISCRETE = {"name": "discrete"}

_PRIME = 2**61 - 1
_BASE, _POINT = 1234567890123456789, 987654321987654321
_FINE = 720720  # a multiple of the denominators that rates usually have


class AtInputs(Claims):
    """One pass over a certificate about listed inputs; raises if something is not proved."""

    def __init__(self) -> None:
        super().__init__()
        self.sums: set[object] = set()
        self.functions: dict[int | None, list[Ratio]] = {}

    def read_program(self, spec: dict[str, Any]) -> None:
        """Read the mechanism, ε and the inputs."""
        self.require(isinstance(spec["mechanism"], str), "the mechanism is not source text")
        self.epsilon = self.interval(spec["epsilon"])
        lower = self.epsilon.lower
        right = lower > 0 or (lower == 0 and not self.epsilon.lower_closed)
        self.require(right, "ε is not positive")
        whole = {
            **spec,
            "output_distance": DISCRETE,
            "input_distance": DISCRETE,
            "agreement": "equal",
        }
        self.derivation = Derivation(whole, None, self.epsilon)
        try:
            self.kinds, self.names = self.derivation.kinds, self.derivation.mechanism.parameters
        except UnsupportedError as error:
            self.require(False, f"the inputs of the program cannot be read: {error}")
        self.read_inputs(spec["inputs"])

    def read_inputs(self, given: Any) -> None:
        """Read the inputs: a list or a grid."""
        self.inputs = values.all_inputs(self, given, self.kinds)
        self.require(self.inputs, "there are no inputs")

    def read_signs(self, given: Any) -> None:
        """Read the functions that are proved to be ≥ 0 for every ε of the claim."""
        for k, one in enumerate(self.entries(given)):
            self.where = f"sign {k}"
            proof = self.sign(one)
            self.signs.append(proof)
            if proof.size > 1:  # of densities
                continue
            right = self.is_for_all(proof, [0])
            self.require(right, "not of a function of ε, for all ε of the claim")
            self.functions.setdefault(_residue(proof.function), []).append(proof.function)
            if proof.function.is_sum:
                self.sums.add(_key(proof.function))

    def is_proved(self, function: Ratio) -> bool:
        """Whether a function is proved to be ≥ 0 for every ε of the claim."""
        if function == 0:
            return True
        if function.is_sum and _key(function) in self.sums:
            return True
        residue = _residue(function)
        some = self.functions.values() if residue is None else [self.functions.get(residue, [])]
        return any(function == one for like in some for one in like) or (
            residue is not None and any(function == one for one in self.functions.get(None, []))
        )

    def bound_is_proved(self, part: PolyhedralCone, function: Ratio, given: Any) -> None:
        """Check that a function is proved not to be negative on a part: (f·D², sign, places)."""
        if given is None:
            self.require(function == 0, "a bound has no proof")
            return
        under, sign, kept = self.entries(given, 3)
        if under is not None:
            square = Ratio.lifted(sum_of(self, under, part.size))
            self.require(square.over, "a denominator is 0")
            function = function * square * square
        proof = self.signs[self.integer(sign, 0, len(self.signs) - 1)]
        places = [self.integer(k, 0, part.size - 1) for k in self.entries(kept, proof.size)]
        self.require(len(set(places)) == len(places), "a parameter occurs twice")
        self.require(self.is_for_all(proof, places), "the sign is proved for other ε")
        stated = proof.function.renamed(places)
        right = stated == function or stated == self.as_proved(function)
        self.require(right, "the sign is that of another function")
        right = part.is_within(proof.sides, places)
        self.require(right, "the sign is proved on a cone that leaves out a part of the cell")


def _residue(function: Ratio) -> int | None:
    """Return a hash of a function of ε, or None; only functions with equal hashes are compared.

    It is the value modulo a prime at numbers for ε and e^{ε/_FINE}.
    """
    found = []
    for part in function.terms():
        total = 0
        for (rate, power), c in part.items():
            exponent = rate * _FINE
            if exponent.denominator != 1 or c.denominator % _PRIME == 0:
                return None
            value = pow(_BASE, exponent.numerator % (_PRIME - 1), _PRIME)
            value = value * pow(_POINT, power, _PRIME) * c.numerator
            total += value * pow(c.denominator, -1, _PRIME)
        found.append(total % _PRIME)
    over, under = found
    return over * pow(under, -1, _PRIME) % _PRIME if under else None


def _key(function: Ratio) -> object:
    return frozenset(function.over.items())
