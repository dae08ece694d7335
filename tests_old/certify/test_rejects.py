"""Wrong proofs are rejected although they are sealed: the seal is not the mathematics."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from exactdp import certify

from .specimens import (
    ALL,
    EPS_MINUS_1,
    EXP_MINUS_1_MINUS_EPS,
    EXP_MINUS_2,
    EXP_MINUS_2_SQUARED,
    LINEAR,
    ONE_MINUS_EXP,
    TO_INFINITY,
    certificate,
    factor,
    half,
    interval,
    proof,
    seal,
)

Json = Any

REMAINDER = "e^ε > 1 + ε above 0"
LINE = "ε − 1 ≥ 0 from 1 on"
QUOTIENT = "(1 − e^{−ε})/ε > 0, also at 0"
SQUARE = "(e^ε − 2)² ≥ 0 by its even power"
REFLECTED = "−ε·e^ε > 0 on [−3, −1]"
PRODUCT = "(ε − 1)·(e^ε − 2) ≥ 0 on [1, 5/2)"
GROWS = "e^ε > ε from 1/4 on, where ε·e^{−ε} still grows"
LOWER = "e^ε > 1 from 10⁻⁶ on, expanded at the lower end"
UPPER = "e^{−ε} > 1/8 up to 2, expanded at the upper end"
POINT = "e^ε > 2 at the point 1"
VALUE = "3ε·e^{−ε} ≤ 1 at 1"
EXACT = "1 ≥ 2ε at 1, where the value is exactly −1"
POLE = "1/(ε − 1)² has a pole"
POLE_AT_0 = "(e^ε − 1)/ε² has a pole at 0"
ZERO_OF = "(e^ε − 2)² > 0 fails at ln 2"
HUGE = "−e^{−10⁶·ε} ≥ 0 at 1, in powers of two"

FIRST = ("proof", "positive", "numerator", 0)
PIECES = (*FIRST, "pieces")
ON = ("claim", "on")

# What is wrong: (the specimen that is changed, where, to what).
WRONG: dict[str, tuple[str, tuple[str | int, ...], Json]] = {
    "the claim is false at 0": (REMAINDER, (*ON, "lower_closed"), True),
    "the negative half is missing": (REMAINDER, (*ON, "lower"), "-1"),
    "a half for no points": (REMAINDER, ("proof", "negative"), half()),
    "the positive half is missing": (REMAINDER, ("proof", "positive"), None),
    "a gap: no piece from 0 on": (REMAINDER, (*PIECES, 0), ["box", "1", "1", 8, 53, "middle"]),
    "a gap: nothing up to infinity": (REMAINDER, (*PIECES, 2), ["box", "9", "1", 30, 53, "middle"]),
    "a gap at the end": (PRODUCT, (*FIRST[:3], 1, "pieces", 1, 1), "9/4"),
    "beyond the end": (PRODUCT, (*FIRST[:3], 1, "pieces", 1, 1), "3"),
    "a box backwards": (REMAINDER, (*PIECES, 1, 1), "1/2"),
    "a box of no width": (REMAINDER, (*PIECES, 1, 1), "1"),
    "two starts": (REMAINDER, (*PIECES, 1), ["start", "2", 12, 64]),
    "a start of no width": (REMAINDER, (*PIECES, 0, 1), "0"),
    "a start on the wrong side": (REMAINDER, (*PIECES, 0, 1), "-1"),
    "a start where the interval does not": (
        REFLECTED,
        ("proof", "negative", "numerator", 0, "pieces", 0),
        ["start", "3", 30, 64],
    ),
    "a tail of a finite interval": (PRODUCT, (*FIRST[:3], 1, "pieces", 1), TO_INFINITY),
    "a tail in the middle": (REMAINDER, (*PIECES, 1), TO_INFINITY),
    "a tail from 0 on": (REMAINDER, PIECES, [TO_INFINITY]),
    "a tail too early": (REMAINDER, PIECES, [["start", "1/2", 6, 64], TO_INFINITY]),
    "a tail with a term that is not the dominant one": (
        REMAINDER,
        (*PIECES, 2),
        ["span", "inf", 1, "0", 53],
    ),
    "a tail from before the other term is largest": (GROWS, (*FIRST, "terms", 0, 0), "-3"),
    "a degree too low at the start": (REMAINDER, (*PIECES, 0, 2), 1),
    "a degree too low to bound the rest at the start": (
        REMAINDER,
        PIECES,
        [["start", "2", 2, 64], TO_INFINITY],
    ),
    "a degree too low in a box": (REMAINDER, (*PIECES, 1, 3), 0),
    "a shift that makes the box useless": (REMAINDER, (*PIECES, 1, 2), "40"),
    "at the lower end, called the middle": (LOWER, (*PIECES, 0, 5), "middle"),
    "at the lower end, called the upper": (LOWER, (*PIECES, 0, 5), "upper"),
    "at the upper end, called the middle": (UPPER, (*PIECES, 0, 5), "middle"),
    "at the upper end, called the lower": (UPPER, (*PIECES, 0, 5), "lower"),
    "a box at no point": (UPPER, (*PIECES, 0, 5), "end"),
    "a box at a list of points": (UPPER, (*PIECES, 0, 5), ["upper"]),
    "a box that does not say where": (UPPER, (*PIECES, 0), ["box", "2", "0", 9, 20]),
    "false at the lower end": (LOWER, (*ON, "lower"), "-1/1000000"),
    "a degree too low at the lower end": (LOWER, (*PIECES, 0, 3), 3),
    "too few bits at the lower end": (
        LOWER,
        ("claim", "on"),
        interval("[1/1000000000000000000000000000000000000, 2]"),
    ),
    "false at the upper end": (UPPER, (*FIRST, "terms", 1, 0), "-1/7"),
    "a degree too low at the upper end": (UPPER, (*PIECES, 0, 3), 2),
    "no pieces": (REMAINDER, PIECES, []),
    "no pieces at a single point": (POINT, PIECES, []),
    "an unknown piece": (REMAINDER, (*PIECES, 1), ["magic", "2"]),
    "a rule of an earlier version": (REMAINDER, (*PIECES, 2), ["tail", 53]),
    "an empty piece": (REMAINDER, (*PIECES, 1), []),
    "linear among others": (LINE, PIECES, [["linear"], ["linear"]]),
    "linear, but it is not": (REMAINDER, PIECES, LINEAR),
    "linear, but it changes its sign": (LINE, (*ON, "lower"), "1/2"),
    "linear, but it is negative": (LINE, (*FIRST, "sign"), -1),
    "linear, but 0 at an end and > is claimed": (LINE, ("claim", "relation"), ">"),
    "a wrong sign": (REMAINDER, (*FIRST, "sign"), -1),
    "the sign 0 of what is not squared": (REMAINDER, FIRST, factor(EXP_MINUS_1_MINUS_EPS, [], 0)),
    "the sign 0 for a strict claim": (SQUARE, ("claim", "relation"), ">"),
    "the sign 2": (REMAINDER, (*FIRST, "sign"), 2),
    "the sign true": (REMAINDER, (*FIRST, "sign"), True),
    "an odd power without a sign": (SQUARE, (*FIRST, "power"), 3),
    "the power 0": (SQUARE, (*FIRST, "power"), 0),
    "factors of something else": (SQUARE, (*FIRST, "terms"), [["-3", 0, "0"], ["1", 0, "1"]]),
    "a numerator that is not the claim's": (REMAINDER, ("claim", "numerator", 0, 0), "-2"),
    "a denominator without proof": (QUOTIENT, ("proof", "positive", "denominator"), []),
    "a denominator that may be 0": (QUOTIENT, ("proof", "positive", "denominator", 0, "sign"), 0),
    "a negative quotient": (QUOTIENT, ("claim", "denominator", 0, 0), "-1"),
    "a factor that is 0": ("0 ≥ 0", ("proof", "positive", "numerator"), [factor([], LINEAR)]),
    "0 > 0": ("0 ≥ 0", ("claim", "relation"), ">"),
    "division by 0": (QUOTIENT, ("claim", "denominator"), []),
    "the other verdict, the same proof": (REMAINDER, ("verdict",), "fails"),
    "a refutation called a proof": (VALUE, ("verdict",), "holds"),
    "a verdict of another kind": (VALUE, ("verdict",), "undecided"),
    "a witness outside the interval": (VALUE, (*ON, "upper"), "1"),
    "a witness that is none": (VALUE, ("proof", "at"), "5"),
    "a value too high": (VALUE, ("proof", "value"), ["-10363/100000", "-518/5000"]),
    "a value that is slightly off": (VALUE, ("proof", "value"), ["-2591/25000", "-103639/1000000"]),
    "a value that is too vague": (VALUE, ("proof", "value"), ["-1/9", "-1/10"]),
    "a positive value": (VALUE, ("proof", "value"), ["-2591/25000", "1/9"]),
    "a value upside down": (VALUE, ("proof", "value"), ["-10363/100000", "-2591/25000"]),
    "an exact value that is off": (EXACT, ("proof", "value"), ["-1001/1000", "-1001/1000"]),
    "the value 0 against ≥": ("(ε − 1)·e^ε > 0 at 1, exactly 0", ("claim", "relation"), ">="),
    "a value that is not 0": (VALUE, ("proof", "value"), ["0", "0"]),
    "an interval from −1 to 0 as a value": ("e^ε > 1 at 0", ("proof", "value"), ["-1", "0"]),
    "the value at a pole": (POLE, ("proof",), {"at": "1", "value": ["-1", "-1"]}),
    "the value at a pole at 0": (POLE_AT_0, ("proof",), {"at": "0", "value": ["-1", "-1"]}),
    "a huge exponent that is off by 1": (HUGE, ("proof", "value", 0), "-127410*2^-1442713"),
    "huge exponents that are wrong": (
        HUGE,
        ("proof", "value"),
        ["-127410*2^-9999999999999", "-127409*2^-9999999999999"],
    ),
    "an exponent without end": (HUGE, ("proof", "value", 0), "-1*2^" + "9" * 7000),
    "no pole there": (POLE, ("proof", "pole"), "1/2"),
    "no pole at 0": (POLE, ("proof", "pole"), "0"),
    "a pole outside": (POLE, (*ON, "upper"), "1/2"),
    "only a removable pole at 0": (POLE_AT_0, ("claim", "denominator"), [["1", 1, "0"]]),
    "a zero against ≥": (ZERO_OF, ("claim", "relation"), ">="),
    "no change of sign": (ZERO_OF, ("proof", "between"), ["3/4", "1"]),
    "a change of sign outside": (ZERO_OF, ("proof", "between"), ["1/2", "2"]),
    "between in the wrong order": (ZERO_OF, ("proof", "between"), ["1", "1/2"]),
    "the cofactor is wrong": (ZERO_OF, ("proof", "cofactor"), EPS_MINUS_1),
    "a zero of neither": (ZERO_OF, ("proof", "zero_of"), "cofactor"),
    "a zero of the other": (ZERO_OF, ("proof", "zero_of"), "denominator"),
    "an unknown key": (REMAINDER, ("comment",), "trust me"),
    "an unknown key in a factor": (REMAINDER, (*FIRST, "comment"), "trust me"),
    "an unknown key in a refutation": (POLE, ("proof", "comment"), "trust me"),
    "another version": (REMAINDER, ("version",), 3),
    "the version true": (REMAINDER, ("version",), True),
    "another kind": (REMAINDER, ("kind",), "cone"),
    "another relation": (REMAINDER, ("claim", "relation"), "<"),
    "a number not in lowest terms": (QUOTIENT, (*PIECES, 0, 1), "2/2"),
    "a denominator of 1": (QUOTIENT, (*PIECES, 0, 1), "1/1"),
    "a leading zero": (QUOTIENT, (*PIECES, 0, 1), "01"),
    "a plus": (QUOTIENT, (*PIECES, 0, 1), "+1"),
    "minus zero": (POLE, (*ON, "lower"), "-0"),
    "a decimal": (QUOTIENT, (*PIECES, 0, 1), "1.0"),
    "a blank": (QUOTIENT, (*PIECES, 0, 1), "1 "),
    "a line end": (QUOTIENT, (*PIECES, 0, 1), "1\n"),
    "digits of another script": (QUOTIENT, (*PIECES, 0, 1), "١"),
    "division by 0 in a number": (QUOTIENT, (*PIECES, 0, 1), "1/0"),
    "a number instead of a text": (QUOTIENT, (*PIECES, 0, 1), 1),
    "a float as a degree": (QUOTIENT, (*PIECES, 0, 2), 4.0),
    "terms out of order": (LINE, ("claim", "numerator"), EPS_MINUS_1[::-1]),
    "a term twice": (LINE, ("claim", "numerator"), [["-1", 0, "0"], ["1", 1, "0"], ["1", 1, "0"]]),
    "a term that is 0": (LINE, ("claim", "numerator"), [*EPS_MINUS_1, ["0", 0, "1"]]),
    "a negative power of ε": (LINE, ("claim", "numerator"), [["1", -1, "0"]]),
    "a term of two": (LINE, ("claim", "numerator"), [["1", 0]]),
    "an empty interval": (LINE, (*ON, "upper"), "0"),
    "an empty half-open point": (LINE, (*ON, "upper"), "1"),
    "a closed infinite end": (REMAINDER, (*ON, "upper_closed"), True),
    "infinity on the wrong side": (REMAINDER, (*ON, "lower"), "inf"),
    "closed is not a truth value": (LINE, (*ON, "upper_closed"), 1),
}
# "an empty half-open point" must be half open to be empty.
ALSO = {
    "an empty half-open point": ((*ON, "upper_closed"), False),
    "a tail from before the other term is largest": (("claim", "numerator", 0, 0), "-3"),
}


def changed(certificate: Json, path: tuple[str | int, ...], value: Json) -> dict[str, Json]:
    """Return a copy with one place changed."""
    result = copy.deepcopy(certificate)
    place = result
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return dict(result)


@pytest.mark.parametrize("name", WRONG)
def test_wrong_proof_is_rejected(name: str) -> None:
    specimen, path, value = WRONG[name]
    wrong = changed(ALL[specimen], path, value)
    wrong = changed(wrong, *ALSO[name]) if name in ALSO else wrong
    report = certify.check(seal(wrong))
    assert not report.accepted
    assert "the seal does not fit" not in report.reason


@pytest.mark.parametrize(("on", "upper"), [("[1, inf)", "inf"), ("[1, 20]", "20")])
def test_a_constant_does_not_dominate_what_grows(on: str, upper: str) -> None:
    """10 − ε is positive at 1, and negative from 10 on."""
    terms = [["10", 0, "0"], ["-1", 1, "0"]]
    wrong = certificate(
        "holds", terms, ">", on, proof(half(factor(terms, [["span", upper, 0, "0", 53]])))
    )
    assert not certify.check(wrong).accepted
    close = certificate(
        "holds", terms, ">", "[1, 9]", proof(half(factor(terms, [["span", "9", 0, "0", 53]])))
    )
    assert not certify.check(close).accepted  # the values at both ends are added
    right = certificate(
        "holds", terms, ">", "[1, 8]", proof(half(factor(terms, [["span", "8", 0, "0", 53]])))
    )
    assert certify.check(right).accepted


def test_a_denominator_must_not_vanish_at_a_closed_end() -> None:
    one_over = [factor(EPS_MINUS_1, LINEAR)]
    for relation in (">", ">="):
        wrong = certificate(
            "holds", [["1", 0, "0"]], relation, "[1, 2]", proof(half(over=one_over)), EPS_MINUS_1
        )
        right = certificate(
            "holds", [["1", 0, "0"]], relation, "(1, 2]", proof(half(over=one_over)), EPS_MINUS_1
        )
        assert not certify.check(wrong)
        assert certify.check(right)


def test_a_degenerate_box_needs_a_single_point() -> None:
    pieces = [["box", "1", "1", 0, 30, "middle"], ["box", "2", "1", 8, 30, "middle"]]
    wrong = certificate(
        "holds", EXP_MINUS_2, ">", "[1, 2]", proof(half(factor(EXP_MINUS_2, pieces)))
    )
    right = certificate(
        "holds", EXP_MINUS_2, ">", "[1, 2]", proof(half(factor(EXP_MINUS_2, pieces[1:])))
    )
    assert not certify.check(wrong)
    assert certify.check(right)


def test_even_powers_do_not_hide_a_pole() -> None:
    """1/(e^ε − 2)² ≥ 0 is false: at ln 2 it is undefined."""
    bad = half(over=[factor(EXP_MINUS_2, [], sign=0, power=2)])
    on = "(0, inf)"
    assert not certify.check(
        certificate("holds", [["1", 0, "0"]], ">=", on, proof(bad), EXP_MINUS_2_SQUARED)
    )


def test_a_false_box_is_rejected_at_any_degree_and_precision() -> None:
    """(1 − e^{−ε}) − 1/2 is negative on [1/2, 2/3] and changes its sign on [1/2, 1]."""
    terms = [ONE_MINUS_EXP[0], ["1/2", 0, "0"]]
    for upper in ("2/3", "1"):
        for degree in (0, 1, 5, 20):
            for bits in (1, 10, 60, 200):
                for at in ("lower", "middle", "upper"):
                    pieces = [["box", upper, "0", degree, bits, at]]
                    bad = proof(half(factor(terms, pieces)))
                    on = f"[1/2, {upper}]"
                    assert not certify.check(certificate("holds", terms, ">", on, bad))


def test_the_reason_names_the_place() -> None:
    path = (*FIRST[:3], 1, "pieces", 1, 1)
    report = certify.check(seal(changed(ALL[PRODUCT], path, "9/4")))
    assert "the positive half, numerator factor 2" in report.reason
    report = certify.check(seal(changed(ALL[PRODUCT], path, "5/03")))
    assert "piece 2" in report.reason
    assert "5/03" in report.reason


def test_version_1_is_refused_with_the_way_to_write_it_again() -> None:
    for kind in ("sign", "claim", "everywhere"):
        report = certify.check({**ALL[REMAINDER], "version": 1, "kind": kind})
        assert not report
        assert "exactdp check CLAIMS.py --certificates DIR" in report.reason


def test_what_is_no_longer_read_says_how_to_write_it_again() -> None:
    for version, kind in (
        (1, "sign"),
        (1, "claim"),
        (2, "expected_on_cones"),
        (2, "claim_by_cases"),
    ):
        head = {"format": "exactdp-certificate", "version": version, "kind": kind}
        reason = certify.check({**head, "claim": {}}).reason
        assert "write it again" in reason
