"""Certificates written by hand: one or more of every rule, each the shortest that shows it."""

from __future__ import annotations

import copy
import hashlib
import json
from typing import Any

Json = Any

ONE = [["1", 0, "0"]]
LINEAR = [["linear"]]


def seal(certificate: dict[str, Json]) -> dict[str, Json]:
    """Return a copy with the seal that fits its present content."""
    sealed = {name: value for name, value in certificate.items() if name != "seal"}
    text = json.dumps(sealed, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return copy.deepcopy(sealed) | {"seal": hashlib.sha256(text.encode()).hexdigest()}


def interval(text: str) -> dict[str, Json]:
    """Read "(0, inf)", "[1, 2]" and the like."""
    lower, upper = text[1:-1].split(", ")
    return {
        "lower": lower,
        "lower_closed": text[0] == "[",
        "upper": upper,
        "upper_closed": text[-1] == "]",
    }


def certificate(
    verdict: str,
    numerator: Json,
    relation: str,
    on: str,
    proof: Json,
    denominator: Json = ONE,
) -> dict[str, Json]:
    """Assemble and seal a certificate."""
    claim = {
        "relation": relation,
        "numerator": numerator,
        "denominator": denominator,
        "on": interval(on),
    }
    head = {"format": "exactdp-certificate", "version": 2, "kind": "sign"}
    return seal(head | {"claim": claim, "verdict": verdict, "proof": proof})


def factor(terms: Json, pieces: Json, sign: int = 1, power: int = 1) -> dict[str, Json]:
    return {"terms": terms, "power": power, "sign": sign, "pieces": pieces}


def half(*numerator: Json, over: Json = ()) -> dict[str, Json]:
    """Return a half whose denominator is 1 unless something is said about it."""
    return {"numerator": list(numerator), "denominator": list(over)}


def proof(positive: Json = None, negative: Json = None) -> dict[str, Json]:
    return {"positive": positive, "negative": negative}


# Sums that occur more than once.
EXP_MINUS_1_MINUS_EPS = [["-1", 0, "0"], ["-1", 1, "0"], ["1", 0, "1"]]
EXP_MINUS_1 = [["-1", 0, "0"], ["1", 0, "1"]]
EXP_MINUS_2 = [["-2", 0, "0"], ["1", 0, "1"]]
EXP_MINUS_2_SQUARED = [["4", 0, "0"], ["-4", 0, "1"], ["1", 0, "2"]]
EXP_MINUS_2_REFLECTED = [["1", 0, "-1"], ["-2", 0, "0"]]
EPS_MINUS_1 = [["-1", 0, "0"], ["1", 1, "0"]]
TO_INFINITY = ["span", "inf", 0, "1", 53]  # e^ε dominates
ONE_MINUS_EXP = [["-1", 0, "-1"], ["1", 0, "0"]]  # 1 − e^{−ε}

HOLDS = {
    "ε·e^{−ε} ≤ 1": certificate(
        "holds",
        below_one := [["-1", 1, "-1"], ["1", 0, "0"]],
        ">=",
        "[0, inf)",
        proof(
            half(
                factor(
                    below_one,
                    [
                        ["start", "1/2", 6, 64],
                        ["box", "1", "0", 8, 53, "middle"],
                        ["box", "2", "0", 8, 53, "middle"],
                        ["span", "inf", 0, "0", 53],
                    ],
                )
            )
        ),
    ),
    "e^ε > 1 + ε above 0": certificate(
        "holds",
        EXP_MINUS_1_MINUS_EPS,
        ">",
        "(0, inf)",
        proof(
            half(
                factor(
                    EXP_MINUS_1_MINUS_EPS,
                    [["start", "1", 6, 64], ["box", "2", "1", 8, 53, "middle"], TO_INFINITY],
                )
            )
        ),
    ),
    "e^ε ≥ 1 + ε everywhere": certificate(
        "holds",
        EXP_MINUS_1_MINUS_EPS,
        ">=",
        "(-inf, inf)",
        proof(
            half(
                factor(
                    EXP_MINUS_1_MINUS_EPS,
                    [["start", "1", 6, 64], ["box", "2", "1", 8, 53, "middle"], TO_INFINITY],
                )
            ),
            half(
                factor(
                    [["1", 0, "-1"], ["-1", 0, "0"], ["1", 1, "0"]],
                    [
                        ["start", "1", 6, 64],
                        ["box", "2", "0", 8, 53, "middle"],
                        ["span", "inf", 1, "0", 53],
                    ],
                )
            ),
        ),
    ),
    "(e^ε − 2)² ≥ 0 by its even power": certificate(
        "holds",
        EXP_MINUS_2_SQUARED,
        ">=",
        "(-inf, inf)",
        proof(
            half(factor(EXP_MINUS_2, [], sign=0, power=2)),
            half(factor(EXP_MINUS_2_REFLECTED, [], sign=0, power=2)),
        ),
    ),
    "ε − 1 ≥ 0 from 1 on": certificate(
        "holds", EPS_MINUS_1, ">=", "[1, 2]", proof(half(factor(EPS_MINUS_1, LINEAR)))
    ),
    "ε > 0 on (0, ∞)": certificate(
        "holds",
        [["1", 1, "0"]],
        ">",
        "(0, inf)",
        proof(half(factor([["1", 1, "0"]], LINEAR))),
    ),
    "(1 − e^{−ε})/ε > 0, also at 0": certificate(
        "holds",
        ONE_MINUS_EXP,
        ">",
        "[0, inf)",
        proof(
            half(
                factor(ONE_MINUS_EXP, [["start", "1", 4, 64], ["span", "inf", 0, "0", 53]]),
                over=[factor([["1", 1, "0"]], LINEAR)],
            )
        ),
        denominator=[["1", 1, "0"]],
    ),
    "a quotient of negative constants": certificate(
        "holds",
        [["-2", 0, "0"]],
        ">",
        "(-1/2, 3]",
        proof(
            half(
                factor([["-2", 0, "0"]], LINEAR, sign=-1),
                over=[factor([["-1", 0, "1"]], [["start", "3", 12, 64]], sign=-1)],
            ),
            half(
                factor([["-2", 0, "0"]], LINEAR, sign=-1),
                over=[factor([["-1", 0, "-1"]], [["start", "1/2", 3, 64]], sign=-1)],
            ),
        ),
        denominator=[["-1", 0, "1"]],
    ),
    "−ε·e^ε > 0 on [−3, −1]": certificate(
        "holds",
        [["-1", 1, "1"]],
        ">",
        "[-3, -1]",
        proof(None, half(factor([["1", 1, "-1"]], [["box", "3", "-1", 1, 20, "middle"]]))),
    ),
    "(ε − 1)·(e^ε − 2) ≥ 0 on [1, 5/2)": certificate(
        "holds",
        [["2", 0, "0"], ["-2", 1, "0"], ["-1", 0, "1"], ["1", 1, "1"]],
        ">=",
        "[1, 5/2)",
        proof(
            half(
                factor(EPS_MINUS_1, LINEAR),
                factor(
                    EXP_MINUS_2,
                    [["box", "3/2", "1/2", 6, 40, "middle"], ["box", "5/2", "1", 6, 40, "middle"]],
                ),
            )
        ),
    ),
    "e^{1000ε} > ε^50 from 1 on": certificate(
        "holds",
        [["-1", 50, "0"], ["1", 0, "1000"]],
        ">",
        "[1, inf)",
        proof(half(factor([["-1", 50, "0"], ["1", 0, "1000"]], [["span", "inf", 0, "1000", 30]]))),
    ),
    "e^ε > ε from 1/4 on, where ε·e^{−ε} still grows": certificate(
        "holds",
        [["-1", 1, "0"], ["1", 0, "1"]],
        ">",
        "[1/4, inf)",
        proof(half(factor([["-1", 1, "0"], ["1", 0, "1"]], [TO_INFINITY]))),
    ),
    "e^ε > 1 from 10⁻⁶ on, expanded at the lower end": certificate(
        "holds",
        EXP_MINUS_1,
        ">",
        "[1/1000000, 2]",
        proof(half(factor(EXP_MINUS_1, [["box", "2", "0", 20, 53, "lower"]]))),
    ),
    "e^{−ε} > 1/8 up to 2, expanded at the upper end": certificate(
        "holds",
        above_an_eighth := [["1", 0, "-1"], ["-1/8", 0, "0"]],
        ">",
        "[1, 2]",
        proof(half(factor(above_an_eighth, [["box", "2", "0", 9, 20, "upper"]]))),
    ),
    "9ε² + 1 > 6ε + 1/9 beyond 1/3, expanded at every point": certificate(
        "holds",
        [["8/9", 0, "0"], ["-6", 1, "0"], ["9", 2, "0"]],
        ">",
        "[2/3, 8]",
        proof(
            half(
                factor(
                    [["-8/9", 0, "0"], ["6", 1, "0"], ["-9", 2, "0"]],
                    [
                        ["box", "1", "0", 2, 9, "lower"],
                        ["box", "2", "0", 2, 9, "lower"],
                        ["box", "3", "0", 1, 9, "middle"],
                        ["box", "4", "1", 9, 9, "upper"],
                        ["box", "8", "-1/9", 9, 30, "lower"],
                    ],
                    sign=-1,
                ),
                factor([["-1", 0, "0"]], LINEAR, sign=-1),
            )
        ),
    ),
    "e^ε > 2 at the point 1, called the lower end": certificate(
        "holds",
        EXP_MINUS_2,
        ">",
        "[1, 1]",
        proof(half(factor(EXP_MINUS_2, [["box", "1", "1", 0, 30, "lower"]]))),
    ),
    "e^ε > 2 at the point 1": certificate(
        "holds",
        EXP_MINUS_2,
        ">",
        "[1, 1]",
        proof(half(factor(EXP_MINUS_2, [["box", "1", "1", 0, 30, "middle"]]))),
    ),
    "ε − 1 ≥ 0 at the point 1": certificate(
        "holds", EPS_MINUS_1, ">=", "[1, 1]", proof(half(factor(EPS_MINUS_1, LINEAR)))
    ),
    "e^ε > 0 at the point 0": certificate("holds", [["1", 0, "1"]], ">", "[0, 0]", proof()),
    "0 ≥ 0": certificate("holds", [], ">=", "(-inf, inf)", proof(half(), half())),
    "0/(−e^{−ε}) ≥ 0": certificate(
        "holds",
        [],
        ">=",
        "(1, 2)",
        proof(
            half(over=[factor([["-1", 0, "-1"]], [["box", "2", "-1", 0, 9, "middle"]], sign=-1)])
        ),
        denominator=[["-1", 0, "-1"]],
    ),
    "e^{ε/9973} > 1 − 10⁻⁴⁰·ε": certificate(
        "holds",
        tiny := [["-1", 0, "0"], ["1/1" + "0" * 40, 1, "0"], ["1", 0, "1/9973"]],
        ">",
        "(0, 1]",
        proof(half(factor(tiny, [["start", "1", 3, 64]]))),
    ),
}

FAILS = {
    "3ε·e^{−ε} ≤ 1 at 1": certificate(
        "fails",
        [["-3", 1, "-1"], ["1", 0, "0"]],
        ">=",
        "(0, inf)",
        {"at": "1", "value": ["-2591/25000", "-10363/100000"], "bits": 64},  # 1 − 3/e = −0.103638…
    ),
    "−e^{−10⁶·ε} ≥ 0 at 1, in powers of two": certificate(
        "fails",
        [["-1", 0, "-1000000"]],
        ">=",
        "(0, inf)",
        {"at": "1", "value": ["-127410*2^-1442712", "-127409*2^-1442712"], "bits": 64},
    ),
    "1 ≥ 2ε at 1, where the value is exactly −1": certificate(
        "fails",
        [["1", 0, "0"], ["-2", 1, "0"]],
        ">=",
        "[0, 1]",
        {"at": "1", "value": ["-1", "-1"], "bits": 64},
    ),
    "a value that is rational though its parts are not": certificate(
        "fails",
        [["-1", 1, "1"], ["-1", 2, "2"]],
        ">=",
        "(-5, 5)",
        {"at": "3/2", "value": ["-3*2^-1", "-3/2"], "bits": 64},
        denominator=[["1", 0, "1"], ["1", 1, "2"]],
    ),
    "(ε − 1)·e^ε > 0 at 1, exactly 0": certificate(
        "fails",
        [["-1", 0, "1"], ["1", 1, "1"]],
        ">",
        "(0, 2)",
        {"at": "1", "value": ["0", "0"], "bits": 64},
    ),
    "e^ε > 1 at 0": certificate(
        "fails",
        [["-1", 0, "0"], ["1", 0, "1"]],
        ">",
        "[0, 1]",
        {"at": "0", "value": ["0", "0"], "bits": 64},
    ),
    "(1 − e^ε)/(2ε) ≥ 0 at 0, by continuity": certificate(
        "fails",
        [["1", 0, "0"], ["-1", 0, "1"]],
        ">=",
        "[0, 1]",
        {"at": "0", "value": ["-1/2", "-1/2"], "bits": 64},
        denominator=[["2", 1, "0"]],
    ),
    "1/(ε − 1)² has a pole": certificate(
        "fails",
        ONE,
        ">=",
        "[0, 2]",
        {"pole": "1"},
        denominator=[["1", 0, "0"], ["-2", 1, "0"], ["1", 2, "0"]],
    ),
    "(e^ε − 1)/ε² has a pole at 0": certificate(
        "fails",
        [["-1", 0, "0"], ["1", 0, "1"]],
        ">=",
        "[0, 2]",
        {"pole": "0"},
        denominator=[["1", 2, "0"]],
    ),
    "(e^ε − 2)² > 0 fails at ln 2": certificate(
        "fails",
        EXP_MINUS_2_SQUARED,
        ">",
        "(0, 1]",
        {
            "zero_of": "numerator",
            "factor": EXP_MINUS_2,
            "cofactor": EXP_MINUS_2,
            "between": ["1/2", "1"],
            "bits": 64,
        },
    ),
    "1/(e^{−ε} − 2)² is undefined at −ln 2": certificate(
        "fails",
        ONE,
        ">=",
        "[-1, 0]",
        {
            "zero_of": "denominator",
            "factor": EXP_MINUS_2_REFLECTED,
            "cofactor": EXP_MINUS_2_REFLECTED,
            "between": ["-1", "-1/2"],
            "bits": 64,
        },
        denominator=[["1", 0, "-2"], ["-4", 0, "-1"], ["4", 0, "0"]],
    ),
}

ALL = HOLDS | FAILS
