"""Certificates written by hand that prove something false, or that keep the checker busy."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence

import pytest

from exactdp_next import certify
from exactdp_next.certify.formula import read_formula

Json = object
ZERO: Json = {"kind": "zero"}
REAL = (("q", "Real"),)


def const(v: Json) -> Json:
    return ["const", v]


def name(x: str) -> Json:
    return ["name", x]


def drawn(x: str, mean: Json = None, rate: str = "eps") -> Json:
    return ["sample", x, "lap", const({"expr": rate}), mean or name("q")]


def claim(
    code: Sequence[Json],
    inputs: Sequence[Sequence[str]] = REAL,
    *,
    at: Sequence[Json] = (0,),
    beta: str = "0",
    radius: Json = 0,
    direction: Sequence[int] = (1,),
    graph: Json = None,
    proof: Json = ZERO,
    program: str = "p",
) -> Json:
    """Return a certificate with one input; without a graph nothing is claimed there."""
    place = None if graph is None else 0
    return {
        "format": "exactdp certificate",
        "version": 3,
        "outcome": "holds",
        "statement": {
            "kind": "accuracy",
            "program": {"name": program, "inputs": inputs, "code": code},
            "beta": beta,
            "inputs": [at],
            "window": [0, None],
            "alpha": "any",
            "gamma": 0,
            "input_distance": "linf",
            "output_distance": "discrete",
            "boundary": "skip",
        },
        "graphs": [] if graph is None else [graph],
        "parts": [{"radius": radius, "direction": direction, "graph": place, "proof": place}],
        "proofs": [] if graph is None else [proof],
    }


SIGN: list[Json] = [
    drawn("x"),
    ["test", ">", name("q"), const(0), 3],
    ["return", const(0)],
    ["return", const(1)],
]
"""The output is 0 for q > 0, else 1; the noise is not used."""

SIGN_GRAPH: dict[str, Json] = {
    "output": 1,
    "nodes": [["test", {"q": 1}, True, [0], [1], 0]],
    "states": [[2], [2], [0], [1]],
}


def sign(
    beta: str = "0", *, proof: Json = ZERO, graph: Json = SIGN_GRAPH, program: str = "p"
) -> Json:
    """Return a certificate that the output at q = −2 is 1."""
    return claim(SIGN, at=(-2,), beta=beta, radius=2, graph=graph, proof=proof, program=program)


def rejected(forged: Json, why: str) -> None:
    with pytest.raises(certify.Rejected, match=why):
        certify.accepted(json.dumps(forged))


def test_the_pattern_of_the_forgeries_is_accepted() -> None:
    found = certify.accepted(json.dumps(sign()))
    assert found.trusted == ()
    assert "unless q > 0 goto 3" in found.text


def test_a_run_that_may_never_end_does_not_win() -> None:
    """While x > 0 nothing happens: Pr(0) is Pr(x ≤ 0), and not 1."""
    code = [
        drawn("x"),
        ["test", ">", name("x"), const(0), 3],
        ["jump", 1],
        ["test", ">", name("q"), const(-7), 5],
        ["return", const(0)],
        ["return", const(1)],
    ]
    graph = {
        "output": 0,
        "nodes": [["test", {"q": 1, "": 7}, True, [1], [0], 0]],
        "states": [[2], [2], [2], [2], [1], [0]],
    }
    forged = claim(code, at=(-5,), radius=2, direction=(-1,), graph=graph)
    rejected(forged, "a circle")


def test_one_formula_is_not_two_outputs() -> None:
    """The ideal output is ε for q ≤ 0, and ε for q > 0: so dd(0) is 5, and not 0."""
    code = [
        drawn("x"),
        ["test", ">", name("x"), const(5), 3],
        ["return", const(3)],
        ["test", ">", name("q"), const(0), 5],
        ["return", const({"expr": "eps"})],
        ["return", const([1, {"expr": "eps"}])],
    ]
    rejected(claim(code), "an output that is a formula")


def test_one_name_is_not_two_inputs() -> None:
    """The sample around q[0] exceeds v − 1: with q[0] = −1/2 and v = 0, Pr is 1 − e^{−ε/2}/2.

    With v in the place of q[0] it is 1 − e^{−ε}/2.
    """
    code = [
        drawn("x", ["index", name("q"), const(0)]),
        ["test", ">", name("x"), ["-", name("q[0]"), const(1)], 3],
        ["return", const(1)],
        ["return", const(0)],
    ]
    graph = {
        "output": 1,
        "nodes": [
            ["test", {"#0": 1, "q[0]": -1, "": 1}, True, [1], [0], 1],
            ["sample", "lap", 1, {"q[0]": 1}, [2, 0], 0],
        ],
        "states": [[3], [2, 0], [1], [0]],
    }
    inputs = (("q", "Real[1]"), ("q[0]", "Real"))
    forged = claim(
        code,
        inputs,
        at=("-1/2", 0),
        beta="exp(-eps)/2",
        radius="1/4",
        direction=(-1, 1),
        graph=graph,
    )
    rejected(forged, "a name that reads as something else")


@pytest.mark.parametrize("bad", ["", "0", "1/2", "True", "q[0]", "x\nβ = 0", "x y", "#1"])
def test_an_input_has_a_name_that_reads_as_nothing_else(bad: str) -> None:
    code = [["test", ">", name(bad), const(0), 2], ["return", const(0)], ["return", const(1)]]
    rejected(claim(code, ((bad, "Real"),)), "a name that reads as something else")


@pytest.mark.parametrize("bad", ["0", "None", "x = 1\n", "#x"])
def test_so_has_a_variable(bad: str) -> None:
    rejected(claim([["set", bad, const(0)], *SIGN]), "a name that reads as something else")


@pytest.mark.parametrize("bad", ["p\nis true for β = 0", "", "p(q: Real)"])
def test_so_has_a_program(bad: str) -> None:
    rejected(sign(program=bad), "a name that reads as something else")


@pytest.mark.parametrize("beta", ["0#", "(0\n)", "0\r", "(0 # 1\n)", "\uff45xp(eps)"])
def test_a_formula_is_printed_as_it_is_read(beta: str) -> None:
    rejected(sign(beta), "a formula with other characters")


@pytest.mark.parametrize(
    ("beta", "falls"),
    [
        ("exp(-alpha*eps)/(1 + alpha)", True),
        ("-(1 + alpha)/exp(-alpha*eps)", True),
        ("-1/(1 - alpha)", False),  # it falls to −∞ at 1, and is positive beyond
        ("1/(0-1-alpha)", False),
        ("(1 - exp(-alpha*eps))/2", False),
        ("(1 + alpha)/(1 + alpha)", False),  # it does not grow, but that is not shown
        ("(1 - alpha)*(1 - alpha)", False),
    ],
)
def test_a_bound_falls_in_alpha_only_if_that_is_shown(beta: str, falls: bool) -> None:
    try:
        assert read_formula(beta).falls_in("alpha") == falls
    except certify.Rejected:
        assert not falls


def test_letters_that_look_like_others_are_printed_by_their_numbers() -> None:
    found = certify.accepted(json.dumps(sign(program="\u0440")))  # a Cyrillic p
    assert "\n    \\u0440(q: Real)\n" in found.text


@pytest.mark.parametrize("taken", ["eps", "alpha"])
def test_a_name_in_a_formula_and_in_the_program_are_told_apart(taken: str) -> None:
    test: list[Json] = ["test", ">", name(taken), const(0), 2]
    code = [test, ["return", const(0)], ["return", const(1)]]
    graph = {
        "output": 1,
        "nodes": [["test", {taken: 1}, True, [0], [1], 0]],
        "states": [[2], [0], [1]],
    }
    found = claim(code, ((taken, "Real"),), at=(-2,), radius=2, graph=graph)
    assert f"unless #{taken} > 0 goto 2" in certify.accepted(json.dumps(found)).text


def test_a_claim_that_says_nothing_does_not_hold() -> None:
    rejected(claim(SIGN), "nothing is claimed")
    rejected(claim(SIGN, beta="print(1)"), "outside the language")


@pytest.mark.parametrize("unknown", ["z", "beside", "#12345678901", "#" + "9" * 5000])
def test_a_node_that_no_state_meets_causes_no_error(unknown: str) -> None:
    unused: list[Json] = [["sample", "lap", 1, {unknown: 1}, [0], 0]]
    graph = {**SIGN_GRAPH, "nodes": [*unused, ["test", {"q": 1}, True, [0], [1], 0]]}
    graph["states"] = [[3], [3], [0], [1]]
    rejected(sign(graph=graph), "an unknown input")


# -- work


def for_ever(*body: Json, before: Sequence[Json] = ()) -> Json:
    return claim([*before, *body, ["jump", len(before)], ["return", const(0)]])


def nested(n: int) -> Json:
    found = const(1)
    for _ in range(n):
        found = ["+", found, const(1)]
    return found


def pairs(n: int) -> Json:
    """Return a graph in which 2^n ways lead to a node with two noises."""
    code: list[Json] = [drawn("x"), drawn("y", const(0))]
    code += [["test", ">", name("x"), ["+", name("y"), const(i)], 3 + i] for i in range(n)]
    code += [["test", ">", name("x"), ["+", name("y"), const(n)], n + 4]]
    code += [["return", const(0)], ["return", const(1)]]
    nodes: list[Json] = [["test", {"#0": 1, "#1": -1, "": -n}, True, [0], [1], 2]]
    for i in reversed(range(n)):
        to = [len(nodes) + 1, 0, 1]
        nodes.append(["test", {"#0": 1, "#1": -1, "": -i}, True, to, to, 2])
    top = len(nodes) + 1
    nodes += [["sample", "lap", 1, 0, [top, 0, 1], 1]]
    nodes += [["sample", "lap", 1, {"q": 1}, [top + 1, 0], 0]]
    ways: list[Json] = [[top - i, 0, 1] for i in range(n + 1)]
    states: list[Json] = [[top + 2], [top + 1, 0], *ways, [0], [1]]
    graph = {"output": 1, "nodes": nodes, "states": states}
    return claim(code, at=(-2,), beta="1", radius=n + 2, graph=graph)


def walk(**other: Json) -> Json:
    return {
        "kind": "walk",
        "order": 0,
        "near": 1,
        "far": 2,
        "ends": [1, 2],
        "degree": 5,
        **other,
    }


TINY = "1/1" + "0" * 250
HIGH = "1" + "".join(f"+exp(-{i}*eps)*eps**1999" for i in range(1, 9))

BUSY = {
    "a number that doubles": for_ever(
        ["set", "x", ["+", name("x"), name("x")]], before=[["set", "x", const(3)]]
    ),
    "a form that doubles": for_ever(["set", "q", ["+", name("q"), name("q")]]),
    "a long expression": for_ever(["set", "x", nested(30)]),
    "many inputs": claim([["return", const(0)]], [(f"q{i}", "Real[99999]") for i in range(30)]),
    "a high power": sign("(3/2)**60000+(5/7)**20000*(3/11)**10000"),
    "an exponent of 30,000 digits": sign("1+exp(-eps*3**60000)", proof=walk()),
    "a unit of 30,000 digits": sign("1+exp(-eps/3**60000)+exp(-eps)", proof=walk()),
    "powers at a point of many digits": sign(
        HIGH, proof=walk(near=TINY, ends=[TINY, 1, 2], degree=200)
    ),
    "a far end": sign("1+eps**1999*exp(-eps)", proof=walk(far=10**300, ends=[1, 10**300])),
    "2^20 ways": pairs(20),
}


@pytest.mark.parametrize("busy", BUSY)
def test_a_short_certificate_stops_soon(busy: str) -> None:
    written = json.dumps(BUSY[busy])
    start = time.process_time()
    with pytest.raises(certify.Rejected):
        certify.accepted(written)
    assert time.process_time() - start < 1 + len(written) / 1000
