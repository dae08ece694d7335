"""The common part of all certificates of claims: proved signs, and the verdict.

A claim of any kind needs that some functions are not negative on parts of spaces of parameters.
Each of them refers to a sign that the kernel proves. With a unit (1/ε, or log(b)/ε, beside reals)
the parameter after ε is the unit, and a sign may be proved only where it has its value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from ..kernel.orthants import ConeSign, sum_of
from ..kernel.reading import RealInterval
from ..kernel.signs import proved_sign
from .cones import PolyhedralCone, dot, leaves
from .near_logs import unit_is_between
from .orders import covers
from .ratios import Ratio
from .spaces import Spaces
from .values import counted


class Proved(NamedTuple):
    """A function that is nonnegative on a cone; with a window, or an interval, of one variable."""

    function: Ratio
    size: int
    sides: Sequence[tuple[int, ...]]
    window: tuple[int, Fraction, Fraction | float] | None
    on: RealInterval | None


class Proofs(Spaces):
    """One pass over the certificate of a claim; raises if something is not proved."""

    says_nothing = False  # whether a claim that holds is made nowhere

    def __init__(self) -> None:
        super().__init__()
        self.signs: list[Proved] = []
        self.methods: dict[str, int] = {}

    def read_claim(self, claim: Any) -> None:
        """Read what is claimed."""
        raise NotImplementedError

    # The verdict ----------------------------------------------------------------------

    def checked(self, parts: dict[str, Any]) -> str:
        """Check everything and return what was proved, as a sentence."""
        verdict, reason = parts["verdict"], parts["reason"]
        self.require(verdict in ("holds", "fails", "undecided"), "the verdict is not known")
        right = isinstance(reason, str) and (reason == "" or verdict == "undecided")
        self.require(right, "the reason does not fit the verdict")
        examples = self.entries(parts["counterexamples"])
        self.where = "the counterexamples"
        self.require(bool(examples) == (verdict == "fails"), "do not fit the verdict")
        self.prepare(parts, is_true=verdict == "holds")
        self.where = "the verdict"
        self.require(verdict != "undecided", "the claim is undecided, so nothing is proved of it")
        if verdict == "holds":
            how = self.holds(parts)
            said = "says nothing, so it is true" if self.says_nothing else "holds"
            return f"the claim {said}: {how}; {self.account()}"
        for k, one in enumerate(examples):
            self.where = f"counterexample {k + 1}"
            self.counterexample(one)
        many = f"{counted(len(examples), 'counterexample')} {'is' if len(examples) == 1 else 'are'}"
        return f"the claim fails: {many} proved; {self.account()}"

    def prepare(self, parts: dict[str, Any], *, is_true: bool) -> None:
        """Read the signs; a claim that is not seen to hold has neither signs nor regions."""
        regions, signs = self.entries(parts["regions"]), self.entries(parts["signs"])
        self.where = "the regions"
        self.require(is_true or not (regions or signs), "nothing else is proved")
        self.read_signs(signs)

    def holds(self, parts: dict[str, Any]) -> str:
        """Check that the claim holds, and return how that is proved."""
        raise NotImplementedError

    def counterexample(self, given: Any) -> None:
        """Check a counterexample."""
        raise NotImplementedError

    # Signs ----------------------------------------------------------------------------

    def read_signs(self, given: list[Any]) -> None:
        """Check all proofs of signs."""
        for k, one in enumerate(given):
            self.where = f"sign {k}"
            self.signs.append(self.sign(one))

    def sign(self, given: Any) -> Proved:
        """Check one proof of a sign."""
        if isinstance(given, dict) and "claim" in given:
            one = proved_sign(self, given)
            self.require(not one.strict, "not of a sign ≥ 0")
            function = Ratio.of(one.numerator, one.denominator)
            return Proved(function, 1, [(1,)], None, one.on)
        if isinstance(given, dict) and "order" in given:
            order, factor = self.fields(given, "order factor")
            known = self.derivation.orders.known
            other = self.sign(factor)
            self.require(other.on is not None, "not a sign in ε")
            least = known[self.integer(order, 0, len(known) - 1)]  # ≥ 0 where it is examined
            return other._replace(function=other.function * least)
        proof = ConeSign(self)
        proof.read(given)
        for name, count in proof.methods.items():
            self.methods[name] = self.methods.get(name, 0) + count
        return Proved(Ratio.lifted(proof.function), proof.size, proof.sides, proof.window, None)

    def is_for_all(self, proof: Proved, places: Sequence[int]) -> bool:
        """Whether a sign is proved for all ε that are examined; `places` are of its variables."""
        if proof.on is not None:
            return list(places) == [0] and covers(proof.on, self.epsilon)
        if proof.window is None:
            return True
        variable, lower, upper = proof.window
        if places[variable] == 0:
            return lower <= self.epsilon.lower and upper >= self.epsilon.upper
        is_unit = places[variable] == 1 and self.unit is not None
        return is_unit and unit_is_between(self.unit or Fraction(0), lower, upper)

    def as_proved(self, function: Ratio) -> Ratio:
        """Return a function as signs state it: e^{unit} is a number where the unit is its log."""
        return function.without_powers(1, self.unit) if self.unit else function

    def bound_is_proved(self, part: PolyhedralCone, function: Ratio, given: Any) -> None:
        """Check that a function is proved not to be negative on a part: [D, sign, places].

        The sign is that of function·D², with D = 1 where it is null. So it is where only ε moves:
        there a proof of a quotient shows that it has no poles. Null: the function is 0. A fourth
        entry is an origin v: the sign is that of the function in θ − v·unit, where whole powers of
        e^{unit} are numbers at v.
        """
        if given is None:
            self.require(function == 0, "a bound has no proof")
            return
        length = 4 if isinstance(given, list) and len(given) == 4 else 3
        under, sign, kept, *origin = self.entries(given, length)
        if under is not None:
            self.require(part.size > 1, "a denominator is left out")
            square = Ratio.lifted(sum_of(self, under, part.size))
            self.require(square.over, "a denominator is 0")
            function = function * square * square
        proof = self.signs[self.integer(sign, 0, len(self.signs) - 1)]
        places = [self.integer(k, 0, part.size - 1) for k in self.entries(kept, proof.size)]
        self.require(len(set(places)) == len(places), "a parameter occurs twice")
        self.require(self.is_for_all(proof, places), "the sign is proved for other ε")
        stated, sides = proof.function.renamed(places), _in_all(proof.sides, places, part.size)
        if origin:
            v = self.origin(origin, part.size, proof, places)
            function = function.shifted(v)
            sides = [(side[0], side[1] - dot(side, v), *side[2:]) for side in sides]
        right = stated == function or stated == self.as_proved(function)
        self.require(right, "the sign is that of another function")
        right = part.is_within(sides)
        self.require(right, "the sign is proved on a cone that leaves out a part of the cell")

    def origin(
        self, given: list[Any], size: int, proof: Proved, places: Sequence[int]
    ) -> list[Fraction]:
        """Read a multiple of the unit that is the origin of a proof, which then is for all ε."""
        self.require(self.unit is not None and size > 1 and len(given) == 1, "there is no unit")
        v = [self.rational(q) for q in self.entries(given[0], size)]
        self.require(not v[1], "the unit is moved by itself")
        right = proof.on is None and (proof.window is None or places[proof.window[0]] == 1)
        self.require(right, "the sign is proved for some ε, which are others at another origin")
        return v

    def bounds_are_proved(self, part: PolyhedralCone, functions: list[Ratio], given: Any) -> None:
        """Check that functions are proved not to be negative on a part."""
        for function, one in zip(functions, self.entries(given, len(functions)), strict=True):
            self.bound_is_proved(part, function, one)

    def parts_are_proved(
        self,
        region: PolyhedralCone,
        tree: Any,
        name: str,
        required: Callable[[PolyhedralCone, Any], list[Ratio]],
    ) -> int:
        """Check the functions required on each part of a tree, and return how many parts it has.

        A part states the proofs of these (`bounds`) and something else that they depend on.
        """
        where, count = self.where, 0
        for part, leaf in leaves(region, tree):
            self.where = f"{where}, part {count + 1}"
            stated, bounds = self.fields(leaf, f"{name} bounds")
            if not part.is_full:
                self.require(stated is None and bounds == [], "a part without points")
                continue
            count += 1
            self.bounds_are_proved(part, required(part, stated), bounds)
        return count

    def never_negative(self, form: Ratio) -> bool:
        """Whether a function of ε is seen or proved not to be negative at the ε examined."""
        number = form.constant()
        if number is not None:
            return number >= 0
        return form.sign() == 1 or any(
            one.on is not None and covers(one.on, self.epsilon) and one.function == form
            for one in self.signs
        )

    def sign_known(self, form: Ratio) -> int | None:
        """Return the sign of a closed form at every ε examined, by a proof if need be."""
        seen = form.sign()
        if seen is not None:
            return seen
        return 1 if self.never_negative(form) else -1 if self.never_negative(-form) else None


def _in_all(
    sides: Sequence[Sequence[int]], places: Sequence[int], size: int
) -> list[tuple[Any, ...]]:
    """Return sides in some variables, by their places, as sides in all."""
    return [
        tuple(side[places.index(k)] if k in places else 0 for k in range(size)) for side in sides
    ]
