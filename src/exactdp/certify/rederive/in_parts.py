"""Certificates by parts of ε, where a `min` or `max` of closed forms in the program changes.

A division has a function h of ε, the difference of two arguments of a `min` or `max`, and parts of
ε with a sign each. On a part with sign s, the claim is proved as if s·h ≥ 0, by a certificate of
another kind. An end of a part may be close to an irrational zero of h and beyond it: what is proved
there is not used. So for each ε of the whole either both signs occur among the parts that contain
it, or only one sign s occurs and s·h ≥ 0 is proved there. A division may be divided again. A
division with one part only states a sign that the checker needs and does not see.

At a counterexample, the signs of such functions are proved at its ε.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from ..kernel.reading import RealInterval, RejectedError
from .orders import Orders, covers
from .proofs import Proofs
from .ratios import Ratio
from .values import counted

_DEEPEST = 30

Kinds = Mapping[str, tuple[Callable[[], Proofs], str]]
"""The checker of each kind of certificate, and the names of the parts that prove its verdict."""


class ClaimsInParts(Proofs):
    """One pass over a certificate by parts of ε; raises if something is not proved."""

    def __init__(self, checkers: Kinds) -> None:
        super().__init__()
        self.checkers = checkers
        self.leaves = 0

    def read_claim(self, claim: Any) -> None:
        """Read what is claimed, and of which kind it is."""
        self.where = "the claim"
        self.of, self.given = self.fields(claim, "of claim")
        self.require(self.of in self.checkers, "a claim of a kind that is not known")
        whole = self.checkers[self.of][0]()
        whole.length = self.length
        whole.read_claim(self.given)
        self.effort = whole.effort
        self.claim, self.epsilon = whole.claim, whole.epsilon

    def prepare(self, parts: dict[str, Any], *, is_true: bool) -> None:
        """Require parts of ε exactly if the claim holds."""
        self.where = "the parts"
        self.require(is_true == (parts["tree"] is not None), "do not fit the verdict")

    def holds(self, parts: dict[str, Any]) -> str:
        """Check all parts of ε, and return how the claim is proved."""
        self.says_nothing = True
        self.divided(parts["tree"], Orders(self.epsilon), 0)
        return f"{counted(self.leaves, 'part')} of ε {'is' if self.leaves == 1 else 'are'} proved"

    # Parts ----------------------------------------------------------------------------

    def divided(self, node: Any, orders: Orders, depth: int) -> None:
        """Check that the claim is proved at the ε of an interval where some functions are ≥ 0."""
        self.require(depth < _DEEPEST, "parts are nested too deeply")
        if isinstance(node, dict) and "proof" in node:
            (proof,) = self.fields(node, "proof")
            self.leaves += 1
            self.inner(proof, orders, "holds", f"part {self.leaves}")
            return
        gap, listed, signs = self.fields(node, "order parts signs")
        h = self.quotient(gap)
        proofs = [self.order(one) for one in self.entries(signs)]
        self.without_poles(h, orders.on, proofs)
        parts: list[tuple[RealInterval, int, Any]] = []
        for one in self.entries(listed):
            on, sign, tree = self.fields(one, "on sign tree")
            parts.append((self.interval(on), -1 if self.integer(sign, -1, 1) < 0 else 1, tree))
            self.require(sign != 0, "a sign is 1 or -1")
            self.require(covers(orders.on, parts[-1][0]), "a part beyond the ε of the claim")
        for piece in pieces(orders.on, [on for on, _, _ in parts]):
            found = {sign for on, sign, _ in parts if covers(on, piece)}
            self.require(found, f"the ε in {piece.text()} are left out")
            if len(found) == 1:
                (sign,) = found
                right = any(
                    covers(on, piece) and function == (h if sign == 1 else -h)
                    for function, on in proofs
                )
                self.require(right, f"an order is not proved for the ε in {piece.text()}")
        for on, sign, tree in parts:
            known = (*orders.known, h if sign == 1 else -h)
            self.divided(tree, Orders(on, known), depth + 1)

    def order(self, given: Any) -> tuple[Ratio, RealInterval]:
        """Check one proof of a sign in ε; it shows that the function has no pole."""
        proof = self.sign(given)
        self.require(proof.on is not None, "not a sign in ε")
        assert proof.on is not None
        return proof.function, proof.on

    def without_poles(
        self, h: Ratio, on: RealInterval, proofs: list[tuple[Ratio, RealInterval]]
    ) -> None:
        """Require that a function has a sign at every ε: its denominator is not 0."""
        under = Ratio(h.under)
        if under.sign() in (1, -1):
            return
        right = any(covers(where, on) and one in (1 / under, -1 / under) for one, where in proofs)
        self.require(right, "an order has perhaps a pole")

    def inner(self, proof: Any, orders: Orders, verdict: str, where: str) -> None:
        """Check what proves the claim at the ε of an interval where some functions are ≥ 0."""
        make, names = self.checkers[self.of]
        checker = make()
        checker.work, checker.length = self.work, self.length
        checker.effort = self.effort
        found = dict(zip(names.split(), self.fields(proof, names), strict=True))
        try:
            checker.read_claim({**self.given, "epsilon": as_data(orders.on)})
            checker.assume(orders)
            checker.checked({**found, "verdict": verdict, "reason": ""})
        except RejectedError as error:
            raise RejectedError(f"{where}: {error}") from error
        self.work = checker.work
        self.says_nothing &= checker.says_nothing
        for what, count in checker.derived.items():
            self.derived[what] = self.derived.get(what, 0) + count
        for what, reasons in checker.not_derived.items():
            self.not_derived.setdefault(what, []).extend(reasons)

    # Counterexamples ------------------------------------------------------------------

    def counterexample(self, given: Any) -> None:
        """Check a counterexample, and the orders at its ε."""
        at, signs, proof = self.fields(given, "eps orders proof")
        eps = self.rational(at)
        self.require(self.epsilon.has(eps), "ε is not one of the claim")
        point = RealInterval(eps, True, eps, True)
        known = []
        for one in self.entries(signs):
            function, on = self.order(one)
            self.require(covers(on, point), "an order is proved for another ε")
            known.append(function)
        self.inner(proof, Orders(point, tuple(known)), "fails", self.where)


def pieces(whole: RealInterval, parts: list[RealInterval]) -> list[RealInterval]:
    """Return points and open intervals that make up an interval, none cut by an end of a part."""
    ends = {end for one in (whole, *parts) for end in (one.lower, one.upper)}
    cuts = sorted(end for end in ends if whole.lower <= end <= whole.upper)
    points = [
        RealInterval(end, True, end, True)
        for end in cuts
        if isinstance(end, Fraction) and whole.has(end)
    ]
    between = [RealInterval(a, False, b, False) for a, b in pairwise(cuts)]
    return [*points, *between]


def as_data(on: RealInterval) -> dict[str, Any]:
    """Return an interval as it is written in a certificate."""
    return {
        "lower": str(on.lower),
        "lower_closed": on.lower_closed,
        "upper": str(on.upper),
        "upper_closed": on.upper_closed,
    }
