"""What all certificates of verdicts have in common."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any

from exactdp.certify.rederive.orders import Orders
from exactdp.certify.rederive.statement import Statement
from exactdp.claims.stated.inputs import with_zeros
from exactdp.language.program import Program
from exactdp.reals import ClosedForm
from exactdp.reals.certificates import VERSION, Json, seal, terms
from exactdp.semantics.engine import Engine

if TYPE_CHECKING:
    from exactdp.claims.decision.verdict import Verdict

_MOST_FINITE = 1_000  # inputs at which a number with ε is looked for
_TOLD = {True: "holds", False: "fails", None: "undecided"}


def assume_orders(checker: Statement, orders: Sequence[ClosedForm]) -> None:
    """Let a checker that has read a claim examine it where functions of ε are nonnegative."""
    ratios = (checker.quotient(quotient_json(one)) for one in orders)
    checker.assume(Orders(checker.epsilon, tuple(ratios)))


def quotient_json(form: ClosedForm) -> list[Any]:
    """Return a function of ε as a quotient of sums in the only parameter."""
    return [sum_in_eps(part) for part in (form.numerator, form.denominator)]


def sum_in_eps(form: Any) -> list[Any]:
    """Return a sum in ε as one in the only parameter."""
    found = [(k, Fraction(q), [c, [k], [q]]) for c, k, q in terms(form)]
    return [one for _, _, one in sorted(found, key=lambda each: each[:2])]


def unit_of(mechanism: Program) -> str:
    """Return which of 1/ε and log(b)/ε is combined with reals at some finite inputs."""
    some = islice(with_zeros(mechanism), _MOST_FINITE)
    return mechanism.kept(Engine).unit("A certificate is written", *some)


def document(verdict: Verdict, kind: str, claim: Json, parts: Json) -> Json:
    """Return a sealed certificate: the claim, the verdict, and the parts that prove it."""
    body: Json = {
        "format": "exactdp-certificate",
        "version": VERSION,
        "kind": kind,
        "claim": claim,
        "verdict": _TOLD[verdict.holds],
        "reason": verdict.missing if verdict.holds is None else "",
        **parts,
    }
    return {**body, "seal": seal(body)}
