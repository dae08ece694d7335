"""What all certificates of verdicts have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.reals.certificates import VERSION, Json, seal

if TYPE_CHECKING:
    from exactdp.claims.decision.verdict import Verdict

_TOLD = {True: "holds", False: "fails", None: "undecided"}


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
