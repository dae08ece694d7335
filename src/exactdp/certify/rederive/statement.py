"""What a claim states: mechanism, ideal, β, α, γ, distances, ε and inputs, read from its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ..kernel.reading import Interval, counted, short
from ..kernel.sums import Sums
from . import formulas, values
from .derivation import Derivation, Input
from .formulas import Tree
from .programs import Kind
from .ratios import Ratio, UnsupportedError
from .values import Level

_PARTS = (
    "mechanism ideal beta alpha gamma input_distance output_distance boundary agreement epsilon "
    "inputs"
)


class Statement(Sums):
    """A claim as read."""

    claim = "no claim could be read"
    derivation: Derivation
    beta: Tree | None  # None if it differs from input to input
    levels: tuple[Level, Level]  # α and γ
    epsilon: Interval
    kinds: list[Kind]
    names: list[str]
    inputs: list[Input]
    closed: bool  # whether the claim is also made where dd equals α

    def read_claim(self, claim: Any) -> None:
        """Read what is claimed."""
        self.where = "the claim"
        spec = dict(zip(_PARTS.split(), self.fields(claim, _PARTS), strict=True))
        self.require(isinstance(spec["mechanism"], str), "the mechanism is no source text")
        for name, allowed in (
            ("boundary", ("skip", "check")),
            ("agreement", ("equal", "output_distance")),
        ):
            self.require(spec[name] in allowed, f"{name} is {short(spec[name])}")
        self.closed = spec["boundary"] == "check"
        self.known(
            spec["ideal"], {"noiseless": (True,), "source": None, "table": None, "python": None}
        )
        named = {"name": ("linf", "l1", "discrete", "numeric"), "source": None}
        self.known(_without(spec["input_distance"], "threshold"), named)
        if spec["input_distance"].get("name") == "numeric":
            self.rational(spec["input_distance"].get("threshold"))
        named = {
            "name": ("discrete", "sup", "value_gap", "score_gap"),
            "source": None,
            "python": None,
        }
        self.known(spec["output_distance"], named)
        self.beta = None if spec["beta"] is None else formulas.read(self, spec["beta"])
        self.levels = values.level(self, spec["alpha"]), values.level(self, spec["gamma"])
        self.epsilon = self.interval(spec["epsilon"])
        right = self.epsilon.lower > 0 or (
            self.epsilon.lower == 0 and not self.epsilon.lower_closed
        )
        self.require(right, "ε is not positive")
        self.derivation = Derivation(spec, None)
        try:
            self.kinds, self.names = self.derivation.kinds, self.derivation.mechanism.parameters
        except UnsupportedError as error:
            self.require(False, f"the inputs of the program cannot be read: {error}")
        if "table" in spec["ideal"]:
            self.derivation.table = {
                str(values.an_input(self, u, self.kinds)): values.value(self, output)
                for u, output in map(self.pair, self.entries(spec["ideal"]["table"]))
            }
        self.read_inputs(spec["inputs"])
        self.claim = self.sentence(spec)

    def read_inputs(self, given: Any) -> None:
        """Read which inputs the claim is about."""
        self.inputs = values.all_inputs(self, given, self.kinds)
        self.require(self.inputs, "there are no inputs")

    def which(self) -> str:
        """Return the inputs of the claim in words."""
        return counted(len(self.inputs), "input")

    def sentence(self, spec: dict[str, Any]) -> str:
        """Return the claim in a sentence."""
        function = self.derivation.mechanism.function
        assert function is not None
        alpha, gamma = (
            f"{name} in {level.text()}"
            if isinstance(level, Interval)
            else f"{name} = {formulas.say(level)}"
            for name, level in zip("αγ", self.levels, strict=True)
        )
        beta = "a function of the input" if self.beta is None else formulas.say(self.beta)
        ways = [spec[name].get("name", "own") for name in ("input_distance", "output_distance")]
        return (
            f"{short(function.name)} is (α, β, γ)-accurate with {alpha}, {gamma} and β = {beta} "
            f"at {self.which()}, for every ε in {self.epsilon.text()} "
            f"(distances: {short(ways[0])} on inputs, {short(ways[1])} on outputs)"
        )

    def known(self, given: Any, allowed: Mapping[str, tuple[object, ...] | None]) -> None:
        """Require an object of one entry: a value that is allowed, or else any text (or table)."""
        right = isinstance(given, dict) and len(given) == 1 and set(given) <= set(allowed)
        for key, one in given.items() if right else ():
            named = allowed[key]
            right = isinstance(one, str) or key == "table" if named is None else one in named
        self.require(right, "an ideal or a distance is not as it must be")

    def pair(self, value: Any) -> list[Any]:
        """Read a list of two."""
        return self.entries(value, 2)

    def quotient(self, given: Any) -> Ratio:
        """Read a closed form."""
        over, under = self.pair(given)
        below = self.terms(under)
        self.require(below, "a denominator is 0")
        return Ratio.of(self.terms(over), below)

    def refuted(
        self, eps: Fraction, bits: int, chance: Ratio, beta: Ratio, stated: tuple[Any, Any]
    ) -> None:
        """Check that Pr < 1 − β at an ε, and both values, with this precision."""
        forms = chance - 1 + beta, chance, 1 - beta
        signs = [self.sign_at(eps, bits, form.terms()[1]) for form in forms]
        self.require(all(signs), "the probability is not defined")
        right = signs[0] * self.sign_at(eps, bits, forms[0].terms()[0]) < 0
        self.require(right, "it is none")
        for form, sign, ends in zip(forms[1:], signs[1:], stated, strict=True):
            low, high = (self.scaled(end) for end in self.pair(ends))
            self.encloses(eps, bits, form.terms(), (low, high), sign, "a value")


def _without(given: Any, key: str) -> Any:
    return {k: v for k, v in given.items() if k != key} if isinstance(given, dict) else given
