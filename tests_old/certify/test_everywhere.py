"""Certificates of claims about all real inputs: accepted if right, rejected if not."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import jsonschema
import pytest

from certify.parts import regions
from claims.formulas import exp
from cones.test_proofs import CASES
from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Box,
    Verdict,
    alpha,
    certify,
    discrete,
    eps,
    gamma,
    ideal,
    lap,
    mechanism,
    numeric,
    sup,
    value_gap,
)
from exactdp.certify.kernel.orthants import ConeSign
from exactdp.certify.kernel.reading import CertificateReader, RejectedError
from exactdp.cones import nonnegative_on
from exactdp.language import Dom, Real

from .claim_specimens import make
from .specimens import seal
from .test_mutations import leaves, spread, variants
from .test_schema import VALIDATOR

Json = Any
ALL = AllReals()


@mechanism
def shifted(x: Dom(0, 1), q: Real):  # type: ignore[no-untyped-def, valid-type]
    return lap(eps, q) > x


@mechanism
def jumping(q: Real):  # type: ignore[no-untyped-def, valid-type]
    if q == 0:
        return lap(eps, 0) > 0
    return lap(eps, 0) > -10


@ideal
def always(q: Real):  # type: ignore[no-untyped-def, valid-type]  # noqa: ARG001
    return True


@mechanism
def above_half(q: Real):  # type: ignore[no-untyped-def, valid-type]
    return q + lap(eps, 0) >= 0.5


HOLDING: dict[str, Callable[[], Accuracy]] = {
    "NoisyMax m=2": lambda: Accuracy(
        make("noisy_max", 2), beta=2 * exp(-alpha * eps / 2), inputs=ALL
    ),
    "NoisyMax m=3, κ=4": lambda: Accuracy(
        make("noisy_max", 3), beta=3 * exp(-alpha * eps / 2) / 4, inputs=ALL
    ),
    "Sparse m=2": lambda: Accuracy(
        make("sparse", 2, 1), beta=4 * exp(-alpha * eps / 8), inputs=ALL
    ),
    "Sparse m=3, κ=6": lambda: Accuracy(
        make("sparse", 3, 1), beta=exp(-alpha * eps / 8), inputs=ALL
    ),
    "Sparse m=3 c=2": lambda: Accuracy(
        make("sparse", 3, 2), beta=12 * exp(-alpha * eps / 16), inputs=ALL
    ),
    "NumericSparse m=2, all α and γ": lambda: Accuracy(
        make("numeric_sparse", 2),
        beta=4 * exp(-alpha * eps / 9) + exp(-gamma * eps / 9),
        gamma=ANY,
        input_distance=numeric,
        output_distance=sup,
        inputs=ALL,
    ),
    "NumericSparse m=2, γ = α": lambda: Accuracy(
        make("numeric_sparse", 2),
        beta=5 * exp(-alpha * eps / 9),
        gamma=alpha,
        input_distance=numeric,
        output_distance=sup,
        inputs=ALL,
    ),
    "Laplace k=2, all γ": lambda: Accuracy(
        make("laplace", 2),
        beta=2 * exp(-gamma * eps),
        alpha=0,
        gamma=ANY,
        input_distance=discrete,
        output_distance=sup,
        inputs=ALL,
    ),
    "NoisyMax m=3, ties looked at": lambda: Accuracy(
        make("noisy_max", 3),
        beta=3 * exp(-gamma * eps / 4),
        alpha=0,
        gamma=ANY,
        input_distance=discrete,
        output_distance=value_gap,
        inputs=ALL,
    ),
    "NoisyMax m=3, agreement by gaps": lambda: Accuracy(
        make("noisy_max", 3),
        beta=3 * exp(-gamma * eps / 4),
        gamma=ANY,
        output_distance=value_gap,
        agreement="output_distance",
        inputs=ALL,
    ),
    "a β that does not fall": lambda: Accuracy(
        make("noisy_max", 2), beta=(1 + alpha * eps) * exp(-alpha * eps / 2), inputs=ALL
    ),
    "a box": lambda: Accuracy(
        make("noisy_max", 2), beta=2 * exp(-alpha * eps / 2), inputs=Box(-1, 1)
    ),
    "a box in which nothing is claimed": lambda: Accuracy(
        make("noisy_max", 2), beta=exp(-eps / 2), alpha=1, inputs=Box(0, 1)
    ),
    "a finite input beside": lambda: Accuracy(shifted, beta=exp(-alpha * eps) / 2, inputs=ALL),
    "the general route at given inputs": lambda: Accuracy(
        make("noisy_max", 3),
        beta=(1 + alpha * eps) * 3 * exp(-alpha * eps / 2),
        inputs=[[0, 1, 2], [1, 0, 0]],
    ),
}
FAILING: dict[str, Callable[[], Accuracy]] = {
    "NoisyMax m=3, κ=5": lambda: Accuracy(
        make("noisy_max", 3), beta=3 * exp(-alpha * eps / 2) / 5, inputs=ALL
    ),
    "true on the grid, false between": lambda: Accuracy(
        above_half, beta=exp(-eps / 2) / 2, alpha=0, inputs=ALL
    ),
    "in a box": lambda: Accuracy(above_half, beta=exp(-eps / 2) / 2, alpha=0, inputs=Box(0, 1)),
}
NOT_DERIVED = {"NumericSparse m=2, all α and γ", "NumericSparse m=2, γ = α"}


@cache
def verdict(name: str) -> Verdict:
    return (HOLDING | FAILING)[name]().check()


def certificate(name: str) -> Json:
    return copy.deepcopy(verdict(name).certificate)


@cache
def in_cells(name: str) -> Verdict:
    """Return the verdict of a claim that is decided at all inputs, not at corners."""
    return HOLDING[name]().by_cells().check()


@pytest.mark.parametrize("name", HOLDING)
def test_what_holds_is_accepted(name: str) -> None:
    assert verdict(name).holds is True
    written = json.loads(json.dumps(certificate(name)))
    VALIDATOR.validate(written)
    report = certify.check(written)
    assert "the claim holds: " in report.reason
    if name in NOT_DERIVED and "corner" not in regions(written)[0]:
        assert report.outcome == "conditional", report.reason
        (only,) = report.taken
        assert only.startswith("sides of cells on which dd jumps")
    else:
        assert report.outcome == "accepted", report.reason


@pytest.mark.parametrize("name", FAILING)
def test_what_fails_is_accepted_with_its_counterexample(name: str) -> None:
    written = certificate(name)
    VALIDATOR.validate(written)
    report = certify.check(written)
    assert report.accepted, report.reason
    assert report.reason.startswith("the claim fails: 1 counterexample is proved")
    assert report.taken == ()
    written["counterexamples"][0]["eps"] = "1/1000000"
    assert not certify.check(seal(written))


def test_a_counterexample_outside_the_box_is_none() -> None:
    wrong = certificate("in a box")
    wrong["claim"]["inputs"] = {"box": [["5", "6"]]}
    assert "the input is not one of the claim" in certify.check(seal(wrong)).reason


def test_an_undecided_claim_proves_nothing() -> None:
    wrong = certificate("NoisyMax m=2") | {
        "verdict": "undecided",
        "reason": "3 of 7 problems are left",
        "regions": [],
        "signs": [],
    }
    VALIDATOR.validate(seal(wrong))
    report = certify.check(seal(wrong))
    assert report.outcome == "rejected"
    assert "nothing is proved" in report.reason


# What is wrong ------------------------------------------------------------------------


def cells(tree: Json) -> Iterator[Json]:
    """Yield the places of cells in a tree."""
    if "cell" in tree:
        if tree["cell"] is not None:
            yield tree
        return
    yield from cells(tree["above"])
    yield from cells(tree["below"])


def first(tree: Json) -> Json:
    return next(place["cell"] for place in cells(tree) if place["cell"]["obligations"])


def drop_a_cell(wrong: Json) -> None:
    next(cells(regions(wrong)[0]["tree"]))["cell"] = None


def skip_a_comparison(wrong: Json) -> None:
    space = regions(wrong)[0]
    space["tree"] = space["tree"]["above"]


def turn_a_form(wrong: Json) -> None:
    tree = regions(wrong)[0]["tree"]
    tree["above"], tree["below"] = tree["below"], tree["above"]


def silence_a_cell(wrong: Json) -> None:
    first(regions(wrong)[0]["tree"])["obligations"] = None


def halve_the_distance(wrong: Json) -> None:
    cell = first(regions(wrong)[0]["tree"])
    cell["distance"] = [str(Fraction(q) / 2) for q in cell["distance"]]


def halve_distance_and_alpha(wrong: Json) -> None:
    halve_the_distance(wrong)
    one = first(regions(wrong)[0]["tree"])["obligations"][0]
    one["alpha"] = [str(Fraction(q) / 2) for q in one["alpha"]]


def another_output(wrong: Json) -> None:
    first(regions(wrong)[0]["tree"])["output"] = "7"


def a_larger_beta(wrong: Json) -> None:
    one = first(regions(wrong)[0]["tree"])["obligations"][0]
    one["beta"][0]["form"][0][0][0] = "9"


def a_larger_probability(wrong: Json) -> None:
    one = first(regions(wrong)[0]["tree"])["obligations"][0]
    one["probability"][0][0][0] = "1/100"


def a_smaller_claim(wrong: Json) -> None:
    wrong["claim"]["cases"][0]["beta"] = [["form", [["1", 0, "-1"]], [["1", 0, "0"]]]]


def swap_a_renaming(wrong: Json) -> None:
    one = first(regions(wrong)[0]["tree"])["obligations"][0]["beta"][0]
    size = len(regions(wrong)[0]["names"])
    one["kept"] = [(k + 1) % size for k in one["kept"]]


def another_coefficient(wrong: Json) -> None:
    term = wrong["signs"][0]["terms"][0]
    term[0] = str(Fraction(term[0]) * 2)


def a_cone_that_is_too_small(wrong: Json) -> None:
    wrong["signs"][0]["inequalities"].append([-1] * len(wrong["signs"][0]["variables"]))


def a_part_less(wrong: Json) -> None:
    wrong["signs"][0]["cells"].pop()


def another_ray(wrong: Json) -> None:
    rays = wrong["signs"][0]["cells"][0]["rays"]
    rays[0] = [str(-Fraction(q)) for q in rays[0]]


def no_space(wrong: Json) -> None:
    wrong["regions"] = []


def a_wider_box(wrong: Json) -> None:
    wrong["claim"]["inputs"] = {"list": [["1"]]}


def another_nearest_input(wrong: Json) -> None:
    """Give an input that is closer, but does not disagree: the one itself."""
    region = regions(wrong)[0]
    place = first(region["tree"])["parts"]
    while "form" in place:
        place = place["above"]
    place["near"] = {"at": region["input"], "towards": None, "germs": False}


def no_nearest_input(wrong: Json) -> None:
    place = first(regions(wrong)[0]["tree"])["parts"]
    while "form" in place:
        place = place["above"]
    place["near"] = None


@pytest.mark.parametrize(
    "change",
    [
        another_nearest_input,
        no_nearest_input,
        drop_a_cell,
        skip_a_comparison,
        turn_a_form,
        silence_a_cell,
        halve_the_distance,
        halve_distance_and_alpha,
        another_output,
        a_larger_beta,
        a_larger_probability,
        a_smaller_claim,
        swap_a_renaming,
        another_coefficient,
        a_cone_that_is_too_small,
        a_part_less,
        another_ray,
        no_space,
        a_wider_box,
    ],
)
@pytest.mark.parametrize("name", ["NoisyMax m=2", "Sparse m=2", "a β that does not fall"])
def test_a_change_is_rejected(name: str, change: Callable[[Json], None]) -> None:
    wrong = copy.deepcopy(in_cells(name).certificate)
    change(wrong)
    report = certify.check(seal(wrong))
    assert not report.accepted, report.reason
    assert not certify.check(wrong)  # nor without a new seal


@pytest.mark.parametrize("which", range(1, 5))
def test_a_tie_must_not_be_left_out(which: int) -> None:
    wrong = certificate("NoisyMax m=3, ties looked at")
    del regions(wrong)[which]
    report = certify.check(seal(wrong))
    assert report.reason == "group 1: a tie, at which the claim may jump, is not examined"


def test_a_value_of_a_finite_input_must_not_be_left_out() -> None:
    wrong = certificate("a finite input beside")
    del wrong["regions"][1]
    reason = "the regions: a region is missing, or is too many"
    assert certify.check(seal(wrong)).reason == reason


def test_an_input_must_not_be_left_out() -> None:
    wrong = certificate("the general route at given inputs")
    del wrong["regions"][1]
    reason = "the regions: a region is missing, or is too many"
    assert certify.check(seal(wrong)).reason == reason


def test_a_table_is_no_ideal_for_all_reals() -> None:
    """It has an output at single inputs, and a cell, inside which there is none, hides them."""
    claim = Accuracy(above_half, beta=exp(-alpha * eps) / 2, inputs=ALL)
    wrong = copy.deepcopy(claim.check().certificate)
    wrong["claim"]["ideal"] = {"table": [[["0"], True], [["1"], False]]}
    wrong["claim"]["cases"][0]["beta"] = [["form", [], [["1", 0, "0"]]]]
    rest = dict.fromkeys(("distance", "steps", "obligations"))
    cell = {"output": {"undefined": True}, **rest, "parts": {"near": None}}
    regions(wrong)[0]["tree"] = {"cell": cell}
    wrong["signs"] = []
    report = certify.check(seal(wrong))
    assert not report.accepted
    assert "a table is no ideal for all reals" in report.reason


def test_a_claim_about_more_than_was_proved_is_rejected() -> None:
    """A claim about a box that is proved at the corners of all reals is about these, too."""
    wrong = certificate("a box in which nothing is claimed")
    at_corners = "corner" in regions(wrong)[0]
    for inputs in ({"box": [["0", "3"], ["0", "3"]]}, {"reals": True}):
        wrong["claim"]["inputs"] = inputs
        assert certify.check(seal(wrong)).accepted == at_corners
    wrong["claim"]["cases"][0]["beta"] = [["form", [["1", 0, "-2"]], [["1", 0, "0"]]]]
    assert not certify.check(seal(wrong))


def test_a_jump_of_the_mechanism_is_not_overlooked() -> None:
    """At q = 0 alone the mechanism does something else; the ideal does not jump there."""
    claim = Accuracy(jumping, ideal=always, beta=exp(-10 * eps) / 2, alpha=0, inputs=ALL)
    found = claim.check()
    report = certify.check(found.certificate)
    assert not (report.accepted and found.holds)


def test_certificates_of_other_claims_do_not_fit() -> None:
    one, two = certificate("NoisyMax m=2"), certificate("Sparse m=2")
    for part in ("claim", "regions", "signs"):
        assert not certify.check(seal(one | {part: two[part]}))


def test_a_cell_must_be_cut_where_comparisons_have_two_answers() -> None:
    """Without its cuts a cell is rejected; with more of them it is still accepted."""
    wrong = copy.deepcopy(in_cells("Sparse m=2").certificate)
    places = [place["cell"] for place in cells(regions(wrong)[0]["tree"])]
    cut = next(one for one in places if "form" in one["parts"])
    tree = cut["parts"]
    while "form" in tree:
        tree = tree["above"] if tree["above"].get("near", True) else tree["below"]
    whole, cut["parts"] = cut["parts"], tree
    assert not certify.check(seal(wrong))
    cut["parts"] = {"form": whole["form"], "above": whole, "below": whole}
    assert certify.check(seal(wrong))


# Slips of the pen ---------------------------------------------------------------------


def harmless(path: tuple[Any, ...], right: Json) -> bool:
    """Whether a change that is accepted is one of spelling, or of what is proved another way.

    Names, positive factors, another exponential divided out; another input as near; a region in
    other coordinates; a claim about fewer ε or α, or another box; γ = 0 spelled otherwise.
    """
    match path:
        case ("regions", *_, "names", _) | ("signs", _, "variables", _):
            return True
        case ("signs", _, "cells", _, "dominant" | "rays" | "reductions", *_):
            return True
        case ("signs", _, "cells", _, "proof", *_):
            return True  # another precision, or a place where a box may be cut as well
        case ("signs", _, "cover", *_):
            return True  # another cut, after which the cells are still in the same parts
        case ("signs", _, "inequalities", *_):
            return True
        case ("regions", _, "tree", "regions", _, "input", *_):
            return True
        case ("regions", _, "tree", "regions", _, "tree", *_):
            return "near" in path or (path[-2] == "form" and "output" not in path)
        case ("claim", "epsilon", *_):
            return True
        case ("claim", "cases", 0, "alpha", "range", "lower" | "lower_closed"):
            return True
        case ("claim", "inputs", "box", *_):
            return True  # NoisyMax has the same cells in every box
        case ("claim", "cases", 0, "gamma", "formula", *_):
            return bool(right["claim"]["cases"][0]["gamma"]["formula"][1] == [])
    return False


@pytest.mark.parametrize("name", ["NoisyMax m=2", "a β that does not fall", "a box", "Sparse m=2"])
def test_changes_are_accepted_only_if_they_do_no_harm(name: str) -> None:
    right = certificate(name)
    changes = [
        (path, change)
        for path, value in leaves({key: one for key, one in right.items() if key != "seal"})
        for change in variants(value)
    ]
    for path, change in spread(changes, 1, name):
        wrong = copy.deepcopy(right)
        place = wrong
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = change
        report = certify.check(seal(wrong))
        if report.accepted and report.taken == ():
            assert harmless(path, right), (path, change)


# Proofs of signs on cones -------------------------------------------------------------


def read(proof: Json) -> dict[str, int]:
    sign = ConeSign(CertificateReader())
    sign.read(json.loads(json.dumps(proof)))
    return sign.methods


@pytest.mark.parametrize("name", CASES)
def test_all_rules_of_proof_are_checked(name: str) -> None:
    decision = nonnegative_on(*CASES[name])
    proof = decision.proof.to_json()
    schema = {"$ref": "#/$defs/cone_sign", "$defs": VALIDATOR.schema["$defs"]}
    jsonschema.Draft202012Validator(schema).validate(proof)
    methods = read(proof)
    if name in ("coefficients", "boxes", "ray"):
        assert name in methods
    for factor in (-1, 2):
        wrong = copy.deepcopy(proof)
        for term in wrong["terms"][: None if factor < 0 else 1]:
            term[0] = str(Fraction(term[0]) * factor)
        if factor < 0 or name == "ray":  # a positive factor of one term may leave it true
            with pytest.raises(RejectedError):
                read(wrong)


def test_boxes_must_cover_and_prove() -> None:
    proof = nonnegative_on(*CASES["boxes"]).proof.to_json()
    (cell,) = proof["cells"]

    def nodes(tree: Json) -> Iterator[Json]:
        if isinstance(tree, dict):
            yield tree
            yield from nodes(tree["below"])
            yield from nodes(tree["above"])

    count = len(list(nodes(cell["proof"][1])))
    assert count > 5
    for k in range(0, count, 5):
        for change, reason in (
            ({"above": None}, "a box is left out"),
            ({"at": "-1"}, "a box is cut outside"),
            ({"at": "1000000"}, "."),
        ):
            wrong = copy.deepcopy(proof)
            list(nodes(wrong["cells"][0]["proof"][1]))[k].update(change)
            with pytest.raises(RejectedError, match=reason):
                read(wrong)
    for leaf in ([256, []], [1024, [0, 1]]):
        wrong = copy.deepcopy(proof)
        wrong["cells"][0]["proof"][1] = leaf
        with pytest.raises(RejectedError, match="the sign in a box is not proved"):
            read(wrong)


def test_cells_must_cover() -> None:
    proof = nonnegative_on(*CASES["cells"]).proof.to_json()
    assert len(proof["cells"]) == 4
    wrong = copy.deepcopy(proof)
    assert set(wrong["cover"]) == {"form", "above", "below"}
    for cover in (None, {**proof["cover"], "below": None}, {**proof["cover"], "below": 0}):
        with pytest.raises(RejectedError, match="not an object"):
            read({**proof, "cover": cover})
    with pytest.raises(RejectedError, match="do not cover"):
        read({**proof, "cover": {**proof["cover"], "below": proof["cover"]["above"]}})
    for factor, problem in ((-1, "a multiple is negative"), (2, "do not cover"), (0, "not cover")):
        leaf = wrong["cover"]
        while "cell" not in leaf:
            leaf = leaf["above"]
        was = leaf["multiples"]
        leaf["multiples"] = [[[k, str(factor * Fraction(q))] for k, q in row] for row in was]
        with pytest.raises(RejectedError, match=problem):
            read(wrong)
        leaf["multiples"] = was
    read(wrong)
    for k in range(4):
        wrong = copy.deepcopy(proof)
        wrong["cells"][k]["rays"].pop()
        wrong["cells"][k]["dominant"].pop()
        with pytest.raises(RejectedError):
            read(wrong)


def test_a_ray_must_be_about_the_same_function() -> None:
    proof = nonnegative_on(*CASES["ray"]).proof.to_json()
    wrong = copy.deepcopy(proof)
    ray = next(cell["proof"] for cell in wrong["cells"] if cell["proof"][0] == "ray")
    ray[2]["claim"]["numerator"][0][0] = "1000"
    with pytest.raises(RejectedError):
        read(wrong)


@pytest.mark.parametrize("box", [Box([1, -1], [1, 2]), Box([1, 1], [1, 1])])
def test_a_flat_box(box: Box) -> None:
    """Where an input has one value only, no parameter is left for it; nor may another one be."""
    claim = Accuracy(make("noisy_max", 2), beta=2 * exp(-alpha * eps / 2), inputs=box)
    found = json.loads(json.dumps(claim.check().certificate))
    assert certify.check(found).accepted
    for wider in (["0", "1"], ["1", "2"]):
        wrong = copy.deepcopy(found)
        wrong["claim"]["inputs"]["box"][0] = wider
        assert not certify.check(seal(wrong)).accepted
