"""Certificates: decisions in a form that `exactdp.certify` can check.

The format is described in `docs/schema/certificate-v2.json`. The checker does not search for a
precision: this module finds it, with the checker's own steps.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from exactdp.certify.kernel.limits import MAX_BITS, MAX_DEGREE
from exactdp.certify.kernel.reading import RejectedError
from exactdp.certify.rederive.sign_claims import SignClaims
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.evaluation import Enclosure
from exactdp.reals.exp_poly import ExpPoly
from exactdp.reals.expansion import DEGREE
from exactdp.reals.interval import End, Interval
from exactdp.reals.numbers import spell
from exactdp.reals.radical_form import RadicalForm, no_radical_certificate
from exactdp.reals.sign_walk import Crossed, Seen
from exactdp.reals.zeros import FactorSurvey, Root

Json: TypeAlias = dict[str, Any]

VERSION = 2
_PRECISIONS = [1 << n for n in range(6, MAX_BITS.bit_length())]


def certificate(f: ClosedForm, on: Interval, relation: str, verdict: str, proof: Json) -> Json:
    """Return the sealed certificate of a decision about f on an interval."""
    claim: Json = {
        "relation": relation,
        "numerator": terms(f.numerator),
        "denominator": terms(f.denominator),
        "on": {
            "lower": _end(on.lower),
            "lower_closed": not on.lower_open,
            "upper": _end(on.upper),
            "upper_closed": not on.upper_open,
        },
    }
    body: Json = {
        "format": "exactdp-certificate",
        "version": VERSION,
        "kind": "sign",
        "claim": claim,
        "verdict": verdict,
        "proof": _completed(claim, verdict, proof),
    }
    return {**body, "seal": seal(body)}


def without_head(whole: Json) -> Json:
    """Return the proof that a sign holds as a part of another certificate."""
    assert whole["verdict"] == "holds"
    return {"claim": whole["claim"], "proof": whole["proof"]}


def precision(is_enough: Callable[[int], object]) -> int:
    """Return the first number of bits that the checker accepts, or the largest."""
    for bits in _PRECISIONS:
        with contextlib.suppress(RejectedError):
            if is_enough(bits):
                return bits
    return _PRECISIONS[-1]


def _completed(claim: Json, verdict: str, proof: Json) -> Json:
    """Return a proof with the precision that its parts need."""

    def checker() -> SignClaims:
        one = SignClaims()
        one.read_claim(claim)
        return one

    def piece(factor: Json, one: list[Any]) -> list[Any]:
        if one[0] not in ("start", "near"):
            return one
        own = checker()
        read = {key: factor["sign"] * c for key, c in own.terms(factor["terms"]).items()}
        groups = own.groups(read)
        if one[0] == "start":
            _, upper, degree = one
            end = own.rational(upper)
            bits = precision(lambda bits: checker().start(read, groups, end, degree, bits))
            return ["start", upper, degree, bits]
        _, lower, upper = one
        low, end = own.rational(lower), own.rational(upper)

        def is_enough(bits: int) -> bool:
            return checker().box(groups, bits + 32, low, end - low, _degree(bits), "lower", 0) > 0

        bits = precision(is_enough)
        return ["box", upper, "0", _degree(bits), bits, "lower"]

    def pieces(factor: Json) -> Json:
        return {**factor, "pieces": [piece(factor, one) for one in factor["pieces"]]}

    if verdict == "fails":
        if "pole" in proof:
            return proof
        return {**proof, "bits": precision(lambda bits: checker().fails({**proof, "bits": bits}))}
    return {
        name: half
        and {side: [pieces(factor) for factor in factors] for side, factors in half.items()}
        for name, half in proof.items()
    }


def _degree(bits: int) -> int:
    """Return the degree of an expansion that is wide as compared with its distance from 0."""
    return min(DEGREE * bits // _PRECISIONS[0], MAX_DEGREE)


def seal(body: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the canonical JSON of a certificate without its seal."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def half(over: list[tuple[FactorSurvey, int]], under: list[tuple[FactorSurvey, int]]) -> Json:
    """Return the proof on one side of 0 from surveys with the signs of their factors."""
    return {
        "numerator": [_factor(survey, sign) for survey, sign in over],
        "denominator": [_factor(survey, sign) for survey, sign in under],
    }


def value_at(point: Fraction, value: Enclosure) -> Json:
    """Return the refutation by a value."""
    ends = value.lower_mantissa, value.upper_mantissa
    if value.exponent == 0:
        shown = [spell(end) for end in ends]
    else:
        shown = [f"{spell(end)}*2^{value.exponent}" for end in ends]
    return {"at": spell(point), "value": shown}


def pole_at(point: Fraction) -> Json:
    """Return the refutation by a rational pole."""
    return {"pole": spell(point)}


def zero_between(part: str, root: Root, cofactor: ExpPoly) -> Json:
    """Return the refutation by an irrational zero of the numerator or the denominator."""
    return {
        "zero_of": part,
        "factor": terms(root.factor),
        "cofactor": terms(cofactor),
        "between": [spell(root.lower), spell(root.upper)],
    }


def terms(form: ExpPoly) -> list[list[Any]]:
    """Return Σ c·ε^k·e^{qε} as [[c, k, q], …], sorted by q and k."""
    if isinstance(form, RadicalForm):
        raise no_radical_certificate()
    listed = sorted((term.rate, term.power, term.coefficient) for term in form.terms)
    return [[spell(c), k, spell(q)] for q, k, c in listed]


def _factor(survey: FactorSurvey, sign: int) -> Json:
    if survey.is_linear:
        pieces: list[list[Any]] = [["linear"]]
    else:
        pieces = [_piece(piece) for piece in survey.pieces]
    return {
        "terms": terms(survey.factor),
        "power": survey.power,
        "sign": sign,
        "pieces": pieces if sign else [],
    }


def _piece(piece: Seen | Crossed) -> list[Any]:
    """Return how a sign is proved; near 0 that becomes a box."""
    assert isinstance(piece, Seen)
    return [spell(one) if isinstance(one, Fraction) else one for one in piece.proof]


def _end(end: End) -> str:
    return spell(end) if isinstance(end, Fraction) else str(end)
