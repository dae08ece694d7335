"""What certificates about listed inputs have in common: the program, the inputs, proved signs."""

from __future__ import annotations

from typing import Any

from . import values
from .claims import Claims
from .derivation import Derivation
from .ratios import Ratio, UnsupportedError

DISCRETE = {"name": "discrete"}


class AtInputs(Claims):
    """One pass over a certificate about listed inputs; what is not proved raises."""

    def __init__(self) -> None:
        super().__init__()
        self.sums: set[object] = set()
        self.functions: list[Ratio] = []

    def read_program(self, spec: dict[str, Any]) -> None:
        """Read the mechanism, ε and the inputs."""
        self.require(isinstance(spec["mechanism"], str), "the mechanism is no source text")
        self.epsilon = self.interval(spec["epsilon"])
        lower = self.epsilon.lower
        right = lower > 0 or (lower == 0 and not self.epsilon.lower_closed)
        self.require(right, "ε is not positive")
        whole = {**spec, "output_distance": DISCRETE, "input_distance": DISCRETE}
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

    def read_verdict(self, parts: dict[str, Any]) -> str:
        """Read the verdict and why it is open, if it is."""
        verdict, reason = parts["verdict"], parts["reason"]
        self.require(verdict in ("holds", "fails", "undecided"), "the verdict is not known")
        right = isinstance(reason, str) and (reason == "" or verdict == "undecided")
        self.require(right, "the reason does not fit the verdict")
        return str(verdict)

    def read_signs(self, given: Any) -> None:
        """Read the functions that are proved to be ≥ 0 for every ε of the claim."""
        for k, one in enumerate(self.entries(given)):
            self.where = f"sign {k}"
            proof = self.sign(one)
            right = proof.size == 1 and self.is_for_all(proof, [0])
            self.require(right, "not of a function of ε, for all ε of the claim")
            self.functions.append(proof.function)
            if proof.function.is_sum:
                self.sums.add(_key(proof.function))

    def is_proved(self, function: Ratio) -> bool:
        """Whether a function is proved to be ≥ 0 for every ε of the claim."""
        if function == 0:
            return True
        if function.is_sum and _key(function) in self.sums:
            return True
        return any(function == one for one in self.functions)


def _key(function: Ratio) -> object:
    return frozenset(function.over.items())
