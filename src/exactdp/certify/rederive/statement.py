"""What a claim states: mechanism, ideal, distances, ε and inputs, read from its JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import inf, prod
from typing import Any, TypeVar

from ..kernel.orthants import sum_of
from ..kernel.reading import RealInterval, RejectedError, short
from . import values
from .cones import UndecidedError, Vector
from .derivation import Derivation, Effort, Input, single
from .evaluation import Evaluation, EvaluationPoint
from .orders import Orders
from .programs import InputKind
from .ratios import Ratio, UnsupportedError
from .values import counted

_DEFAULTS = {
    "ideal": {"unused": True},
    "output_distance": {"name": "discrete"},
    "input_distance": {"name": "discrete"},
    "agreement": "equal",
}

T = TypeVar("T")


class Statement(Evaluation):
    """A claim as read, and an account of what is derived again."""

    claim = "no claim could be read"
    derivation: Derivation
    whole: RealInterval  # all ε of the claim
    epsilon: RealInterval  # those that are examined
    kinds: list[InputKind]
    names: list[str]
    inputs: list[Input]
    closed: bool  # whether the claim is also made where dd equals α
    is_listed = True  # whether the inputs are given one by one
    ends: list[tuple[Fraction | float, Fraction | float]] | None = None  # of a box of inputs
    unit: Fraction | None = None  # beside reals: 0 for 1/ε, or the base of a logarithm over ε
    effort: Effort | None = None  # what may be spent on runs and integrals; parts of ε share it

    def __init__(self) -> None:
        self.derived: dict[str, int] = {}
        self.not_derived: dict[str, list[str]] = {}

    @property
    def taken(self) -> tuple[str, ...]:
        """What was not re-derived, with the reason."""
        return tuple(
            f"{what} ({len(reasons)} of {len(reasons) + self.derived.get(what, 0)}): {reasons[0]}"
            for what, reasons in self.not_derived.items()
        )

    def derive(self, what: str, how: Callable[[], T]) -> T | None:
        """Return what is re-derived, or note that it is not."""
        try:
            found = how()
        except UnsupportedError as error:
            self.not_derived.setdefault(what, []).append(str(error))
            return None
        self.derived[what] = self.derived.get(what, 0) + 1
        return found

    def needed(self, what: str, how: Callable[[], T]) -> T:
        """Return what is re-derived, or reject the certificate."""
        try:
            found = how()
        except (UndecidedError, UnsupportedError) as error:
            raise RejectedError(f"{self.where}: {what} are not derived: {error}") from error
        self.derived[what] = self.derived.get(what, 0) + 1
        return found

    def assume(self, orders: Orders) -> None:
        """Examine the claim only at those of its ε at which some functions are ≥ 0."""
        self.derivation.orders = orders

    def account(self) -> str:
        """Return what was re-derived and what was not, as a sentence."""
        derived = ", ".join(f"{what} ({count})" for what, count in self.derived.items())
        said = f"re-derived independently: {derived or 'nothing'}"
        taken = "; ".join(self.taken) or "nothing"
        return f"{said}; taken from the solver, not re-derived: {taken}"

    def read_setting(self, spec: dict[str, Any]) -> None:
        """Read all that is claimed but α, β and γ."""
        for name, allowed in (
            ("boundary", ("skip", "check")),
            ("agreement", ("equal", "output_distance")),
        ):
            self.require(spec[name] in allowed, f"{name} is {short(spec[name])}")
        self.closed = spec["boundary"] == "check"
        self.known(
            spec["ideal"], {"noiseless": (True,), "source": None, "table": None, "python": None}
        )
        named = {"name": ("linf", "l1", "l2", "discrete", "numeric"), "source": None}
        self.known(_without(spec["input_distance"], "threshold"), named)
        if spec["input_distance"].get("name") == "numeric":
            self.rational(spec["input_distance"].get("threshold"))
        named = {
            "name": ("discrete", "sup", "l2", "value_gap", "score_gap"),
            "source": None,
            "python": None,
        }
        if isinstance(spec["output_distance"], dict) and "entries" in spec["output_distance"]:
            kinds = self.entries(self.fields(spec["output_distance"], "entries")[0])
            right = all(one in ("value", "position", "any") for one in kinds)
            self.require(right, "an error of an entry is malformed")
        else:
            self.known(spec["output_distance"], named)
        self.read_program(spec)
        members = self.derivation.members
        if spec["input_distance"].get("name") == "l2" and len(members) == 1:
            self.derivation.spec["input_distance"] = {"name": "linf"}  # of one number
        right = self.derivation.table is None or self.is_listed or None not in members
        self.require(right, "a table is no ideal for all reals")

    def read_program(self, spec: dict[str, Any]) -> None:
        """Read the mechanism, a table of ideal outputs, ε and the inputs."""
        self.require(isinstance(spec["mechanism"], str), "the mechanism is not source text")
        self.whole = self.epsilon = self.interval(spec["epsilon"])
        right = self.epsilon.lower > 0 or (
            self.epsilon.lower == 0 and not self.epsilon.lower_closed
        )
        self.require(right, "ε is not positive")
        self.effort = self.effort or Effort(self.length)
        self.derivation = Derivation(_DEFAULTS | spec, None, self.epsilon, self.effort)
        try:
            self.kinds, self.names = self.derivation.kinds, self.derivation.mechanism.parameters
        except UnsupportedError as error:
            self.require(False, f"the inputs of the program cannot be read: {error}")
        if "table" in self.derivation.spec["ideal"]:
            self.derivation.table = {
                str(values.an_input(self, u, self.kinds)): values.value(self, output)
                for u, output in map(self.pair, self.entries(spec["ideal"]["table"]))
            }
        self.read_inputs(spec["inputs"])

    def read_unit(self, given: Any) -> None:
        """Read what is combined with reals: nothing, 1/ε, or a logarithm over ε."""
        self.unit = None if given is None else self.rational(given)
        self.require(self.unit in (None, 0) or self.unit > 1, "not the base of a logarithm")
        self.derivation.base = self.unit or None

    @property
    def unit_name(self) -> str | None:
        """The name in formulas of the unit: 1, or a logarithm."""
        return None if self.unit is None else f"log({self.unit})" if self.unit else "1"

    def read_inputs(self, given: Any) -> None:
        """Read which inputs the claim is about: a list, a grid, a box, or all reals."""
        self.inputs = []
        if isinstance(given, dict) and set(given) & {"list", "grid"}:
            self.inputs = values.all_inputs(self, given, self.kinds)
            self.require(self.inputs, "there are no inputs")
            return
        self.is_listed = False
        if isinstance(given, dict) and "box" in given:
            (ends,) = self.fields(given, "box")
            self.ends = []
            for pair in self.entries(ends, self.derivation.members.count(None)):
                first, last = self.pair(pair)
                low = -inf if first == "-inf" else self.rational(first)
                high = inf if last == "inf" else self.rational(last)
                self.require(low <= high, "the box is empty")
                self.ends.append((low, high))
        else:
            (every,) = self.fields(given, "reals")
            self.require(every is True, "which inputs are meant is not known")

    def facts(self, spec: dict[str, Any], names: str) -> str:
        """Return parts of the claim as they are in the certificate, each on a line of its own."""
        found = [(name.replace("_", " "), values.shown(spec[name])) for name in names.split()]
        return "".join(f"\n  {name}: {text}".replace(": \n", ":\n") for name, text in found)

    def which(self) -> str:
        """Return the inputs of the claim in words."""
        if self.is_listed:
            return counted(len(self.inputs), "input")
        return "all real inputs" if self.ends is None else "all inputs of a box of reals"

    def has_input(self, u: Input) -> bool:
        """Whether the claim is about an input."""
        if self.is_listed:
            return u in self.inputs
        if self.ends is None:
            return True
        pairs = zip(single(u), self.derivation.members, strict=True)
        real = [x for x, members in pairs if members is None]
        return all(low <= x <= high for x, (low, high) in zip(real, self.ends, strict=True))

    @cached_property
    def entry_names(self) -> list[str]:
        """The names of the single values of the input in formulas."""
        found: list[str] = []
        for one, kind in zip(self.names, self.kinds, strict=True):
            found += [one] if kind.length is None else [f"{one}[{k}]" for k in range(kind.length)]
        return found

    @property
    def reals(self) -> int:
        """How many real inputs move."""
        return 0 if self.is_listed else self.derivation.members.count(None)

    def form(self, given: Any, size: int) -> Vector:
        """Read a linear form."""
        return tuple(self.rational(q) for q in self.entries(given, size))

    def fixed_inputs(self) -> list[list[Any]]:
        """Return the inputs, or the values of their finite entries, with None for reals."""
        if self.is_listed:
            return [single(u) for u in self.inputs]
        kinds = self.derivation.members
        count = prod(1 if m is None else len(m) for m in kinds)
        self.require(count <= values.MOST_INPUTS, "there are too many values of finite inputs")
        return [list(one) for one in product(*((None,) if m is None else m for m in kinds))]

    def known(self, given: Any, allowed: Mapping[str, tuple[object, ...] | None]) -> None:
        """Require an object of one entry: a value that is allowed, or else any text (or table)."""
        right = isinstance(given, dict) and len(given) == 1 and set(given) <= set(allowed)
        for key, one in given.items() if right else ():
            named = allowed[key]
            right = isinstance(one, str) or key == "table" if named is None else one in named
        self.require(right, "an ideal or a distance is malformed")

    def pair(self, value: Any) -> list[Any]:
        """Read a list of two."""
        return self.entries(value, 2)

    def quotient(self, given: Any, size: int = 1) -> Ratio:
        """Read a quotient of sums in so many parameters."""
        over, under = (sum_of(self, one, size) for one in self.pair(given))
        self.require(under, "a denominator is 0")
        return Ratio.lifted(over, under)

    def input_of_claim(self, given: Any) -> Input:
        """Read an input that the claim is about."""
        u = values.an_input(self, given, self.kinds)
        self.require(self.has_input(u), "the input is not one of the claim")
        return u

    def sign_of(self, form: Ratio, at: EvaluationPoint) -> int:
        """Return the sign of a quotient at a point, 0 for a pole."""
        return self.sign_at(at, form.over) * self.sign_at(at, form.under)

    def refuted(
        self, at: EvaluationPoint, chance: Ratio, beta: Ratio, stated: tuple[Any, Any]
    ) -> None:
        """Check that Pr < 1 − β at a point, and both values."""
        self.require(self.sign_of(chance - 1 + beta, at) < 0, "it is none")
        for form, ends in zip((chance, 1 - beta), stated, strict=True):
            low, high = (self.scaled(end) for end in self.pair(ends))
            self.encloses(at, form.over, form.under, (low, high), "a value")


def _without(given: Any, key: str) -> Any:
    return {k: v for k, v in given.items() if k != key} if isinstance(given, dict) else given
