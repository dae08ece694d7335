"""Check exactdp certificates, using only integers and fractions.

Two parts: `kernel` checks proofs of inequalities; `rederive` derives from the text of a program
which inequalities a claim needs.

There are several kinds of certificates. One of kind "sign" states that for every ε in an interval
the quotient of two finite sums Σ c·ε^k·e^{qε} (c, q rational) is ≥ 0, or > 0, or that this fails,
and has a proof (see `rederive.sign_claims`). One of kind "claim" states that a claim of accuracy
holds, or fails, at given inputs or for all real ones; see `rederive.claims` for what is re-derived
from the program and what is not. One of kind "privacy" states that a mechanism is differentially
private at listed inputs or for all reals, or not; see `rederive.privacy`. One of kind "expected"
states that an expected loss is at most a bound, or not; see `rederive.expected`. One of kind
"in_parts" consists of such certificates for parts of ε, between which a `min` or `max` of the
program changes; see `rederive.in_parts`. The format is published as
docs/schema/certificate-v2.json.

Why an acceptance can be trusted: all arithmetic is exact or rounded to the safe side, so too little
precision can only cause a rejection. Each rule of proof is one method with its inequality in the
docstring. The certificate specifies where to cut and which precision to use; nothing is searched.
Whatever is not understood, or exceeds a limit, is rejected, or it is taken from the solver, and the
report names it. Then the certificate is conditional, not accepted: whoever wrote it may have put
anything there. Nothing else of exactdp is imported.

The directory also runs alone: python certify CERTIFICATE.json
(exit code 0: accepted, 1: rejected, 2: not readable as a certificate, 3: conditional, 5: the answer
cannot be written).
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from .collection import seldom_collected
from .kernel import limits
from .kernel.enclosures import PositiveEnclosure, exp_enclosure, floor, total
from .kernel.limits import MAX_BITS, MAX_DEGREE, MAX_DIGITS, MAX_EXPONENT_BITS, MAX_TEXT, MAX_WORK
from .kernel.reading import RejectedError, short
from .rederive.claims import Claims
from .rederive.expected import ExpectedLosses
from .rederive.in_parts import ClaimsInParts, Kinds
from .rederive.orders import UnseenSignError
from .rederive.privacy import Privacies
from .rederive.proofs import Proofs
from .rederive.ratios import MalformedError, UnsupportedError, WrongProgramError
from .rederive.sign_claims import SignClaims

__all__ = [
    "KINDS",
    "MAX_BITS",
    "MAX_DEGREE",
    "MAX_DIGITS",
    "MAX_EXPONENT_BITS",
    "MAX_TEXT",
    "MAX_WORK",
    "UNWRITTEN",
    "PositiveEnclosure",
    "Report",
    "check",
    "exp_enclosure",
    "floor",
    "main",
    "total",
]

UNWRITTEN = 5
"""The exit code where the answer could not be written."""

KINDS: Kinds = {
    "claim": (Claims, "regions counterexamples signs"),
    "privacy": (Privacies, "slopes distributions regions counterexamples signs"),
    "expected": (ExpectedLosses, "regions counterexamples signs"),
}
"""The checker of each kind of certificate of a claim, and the parts that prove its verdict."""
_AGAIN = (
    "is not read: write it again with this version of exactdp, "
    "`exactdp check CLAIMS.py --certificates DIR`"
)
_FAILURES = (
    RejectedError,
    MalformedError,
    UnseenSignError,
    UnsupportedError,
    WrongProgramError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


class Report(NamedTuple):
    """What `check` found: a certificate is accepted, conditional or rejected.

    A proved refutation ("the claim fails") is accepted, too.
    """

    accepted: bool
    """Whether the verdict that the certificate states is proved, with nothing taken on trust."""
    reason: str
    claim: str
    taken: tuple[str, ...] = ()
    """What was taken from the solver and not re-derived: the verdict is proved if it is right."""

    @property
    def outcome(self) -> str:
        """The report in a word: "accepted", "conditional" or "rejected"."""
        return "accepted" if self.accepted else "conditional" if self.taken else "rejected"

    def __bool__(self) -> bool:
        return self.accepted


def check(certificate: Mapping[str, Any] | str) -> Report:
    """Check a certificate (a mapping or JSON text); never raise, always terminate.

    Accepted exactly if the verdict that it states is proved by it; conditional if it is proved
    apart from what is `taken`.
    """
    with seldom_collected():
        return _check(certificate)


def _check(certificate: Mapping[str, Any] | str) -> Report:
    checker: SignClaims | Proofs = SignClaims()
    try:
        text: Any = certificate
        if isinstance(certificate, Mapping):
            text = json.dumps(dict(certificate), allow_nan=False)
        right = isinstance(text, str) and len(text) <= limits.MAX_TEXT
        checker.require(right, "not a text, or too long")
        try:
            document = json.loads(text, object_pairs_hook=_unique)
        except json.JSONDecodeError as error:
            checker.require(False, f"not JSON, as a certificate is: {error}")
        kind = document.get("kind") if isinstance(document, dict) else None
        names = "claim verdict proof"
        if kind == "in_parts":
            checker, names = ClaimsInParts(KINDS), "claim verdict reason tree counterexamples"
        elif isinstance(kind, str) and kind in KINDS:
            checker, names = KINDS[kind][0](), f"claim verdict reason {KINDS[kind][1]}"
        checker.length = len(text)
        names = f"format version kind {names} seal"
        if isinstance(document, dict) and document.get("version") == 1:
            checker.require(False, f"version 1 {_AGAIN}")
        right = kind is None or kind in ("sign", "in_parts", *KINDS)
        checker.require(right, f"a certificate of the kind {short(kind)} {_AGAIN}")
        parts = dict(zip(names.split(), checker.fields(document, names), strict=True))
        checker.integer(parts["version"], 2, 2)
        right = parts["format"] == "exactdp-certificate"
        checker.require(right, "not an exactdp certificate of version 2")
        checker.read_claim(parts["claim"])
        checker.where = "the certificate"
        checker.require(
            parts["seal"] == _seal(document), "the seal does not fit, so something was changed"
        )
        if isinstance(checker, Proofs):
            reason, taken = checker.checked(parts), checker.taken
            if taken:
                reason = f"if what is taken from the solver is right, {reason}"
            return Report(not taken, reason, checker.claim, taken)
        return Report(True, checker.proved(parts["verdict"], parts["proof"]), checker.claim)
    except _FAILURES as error:
        return Report(False, str(error), checker.claim)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key is repeated")
    return dict(pairs)


def _seal(document: dict[str, Any]) -> str:
    sealed = {name: document[name] for name in document if name != "seal"}
    text = json.dumps(sealed, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def main(arguments: list[str]) -> int:
    """Check the certificate in a file, say in a sentence what was found, return the exit code."""
    try:
        (path,) = arguments
        with open(path, encoding="utf-8") as file:
            report = check(file.read(limits.MAX_TEXT + 1))
    except (OSError, ValueError) as error:
        report = Report(False, f"{error} (usage: certify CERTIFICATE.json)", SignClaims.claim)
    code = {"accepted": 0, "conditional": 3, "rejected": 1}[report.outcome]
    verdict = report.outcome
    if code == 1 and report.claim == SignClaims.claim:
        code, verdict = 2, "not a readable certificate"
    try:
        encoding = sys.stdout.encoding or "utf-8"
        text = f"{verdict}: {report.reason}\nclaim: {report.claim}"
        print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)
    except (AttributeError, OSError) as error:  # stdout is closed (None) or full
        if sys.stderr is not None:
            print(f"The answer cannot be written to the standard output: {error}", file=sys.stderr)
        return UNWRITTEN
    return code
