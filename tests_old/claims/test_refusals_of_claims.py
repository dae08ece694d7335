"""What is refused: one ExactdpError with the rule or a way out, never another exception."""

# mypy: disable-error-code="valid-type, no-untyped-def, index, misc, name-defined"
from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claims.formulas import exp
from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Dom,
    ErrorBound,
    ExactdpError,
    Expected,
    Grid,
    Ideal,
    Interval,
    Mechanism,
    Privacy,
    Real,
    Verdict,
    alpha,
    discrete,
    eps,
    gamma,
    ideal,
    inf,
    l1,
    lap,
    linf,
    log,
    mechanism,
    minimum,
    numeric,
    score_gap,
    sup,
    value_gap,
)
from language.corpus import FACTORIES

NOISY_MAX = FACTORIES["noisy_max"](3)
LAPLACE = FACTORIES["laplace"](2)
RESPONSE = FACTORIES["randomized_response"](2)
MEDIAN = FACTORIES["median"]()

BOUND = 3 * exp(-alpha * eps / 2)


def about(program: Mechanism = NOISY_MAX, beta: Any = BOUND, **given: Any) -> Accuracy:
    if program is NOISY_MAX:
        given.setdefault("inputs", Grid(-1, 1))
    if program in (LAPLACE,):
        given.setdefault("inputs", [[-1, 1]])
    return Accuracy(program, beta, **given)


def decided(program: Mechanism = NOISY_MAX, beta: Any = BOUND, **given: Any) -> Verdict:
    return about(program, beta, **given).check()


@ideal
def first(q: Real[3]):
    return 0 if q[0] > 0 else 1


@mechanism
def sampled(u: Real[3], v: Real[3]):
    return lap(eps, u[0] - v[0])


def squared(u: Real[3], v: Real[3]):
    return (u[0] - v[0]) * (u[0] - v[0])


def with_noise(u: Real[3], v: Real[3]):
    return abs(u[0] - lap(eps, v[0]))


def of_three(u: Real[3], v: Real[3], w: Real[3]):
    return abs(u[0] - v[0] + w[0])


def a_text(u: Real[3], v: Real[3]):
    return "far" if u[0] > v[0] else 0


def below_zero(u: Real[3], v: Real[3]):
    return max(u[0] - v[0], -1)


def unbounded_below(u: Real[3], v: Real[3]):
    return u[0] - v[0]


def never_zero(u: Real[3], v: Real[3]):
    return 1 + abs(u[0] - v[0])


def one_sided(u: Real[3], v: Real[3]):
    return max(0, u[0] - v[0], u[1] - v[1], u[2] - v[2])


def shorter(q: Real[2]):
    return 0 if q[0] > 0 else 1


def finite(q: Dom(0, 1)[3]):
    return q[0]


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    # β
    "β is a text": (lambda: about(beta="3 * exp(-alpha"), "is no expression"),
    "β is nothing": (lambda: about(beta=None), "beta is None"),
    "β is not finite": (lambda: about(beta=float("inf")), "beta is inf"),
    "β is not a number": (lambda: about(beta=float("nan")), "beta is nan"),
    "β is true": (lambda: about(beta=True), "beta is True"),
    "β of unknown inputs": (lambda: about(LAPLACE, beta=_symbol("q[7]")), "uses q[7]"),
    "a fractional power": (lambda: alpha ** Fraction(1, 2), "whole number"),  # type: ignore[operator]
    "a comparison": (lambda: bool(alpha), "neither true nor false"),
    "a minimum of nothing": (minimum, "minimum() of nothing"),
    "β negative": (lambda: decided(beta=-1), "beta is -1"),
    "β negative somewhere": (lambda: decided(beta=eps - 1), "is negative at eps = 1/2"),
    "β not defined": (lambda: decided(beta=1 / (1 - eps) ** 2), "is not defined"),
    "β divides by 0": (lambda: decided(beta=1 / (eps - eps)), "by"),
    "β divides by α = 0": (lambda: decided(alpha=0, beta=1 / alpha), "by"),
    "β fails": (lambda: decided(beta=lambda u: u[9]), "beta failed at the input"),
    "β gives no formula": (lambda: decided(beta=lambda _: "x"), "beta is a string"),
    # α, γ
    "α negative": (lambda: about(alpha=-1), "alpha is -1"),
    "γ negative": (lambda: about(gamma=Fraction(-1, 2)), "gamma is -1/2"),
    "a range below 0": (lambda: about(alpha=Interval(-1, 1)), "not negative"),
    "a reversed range": (lambda: about(alpha=(2, 1)), "reversed"),
    "α negative at an input": (lambda: decided(alpha=_symbol("q[0]")), "is -1 at an input"),
    "α is α": (lambda: about(alpha=alpha), "uses alpha"),
    "γ is γ": (lambda: about(gamma=gamma), "uses gamma"),
    "α by γ": (lambda: about(alpha=gamma), "uses gamma"),
    "α is a text": (lambda: about(alpha="much"), "alpha cannot be read: much is not known"),
    "value_gap of real outputs": (
        lambda: decided(LAPLACE, alpha=0, input_distance=discrete, output_distance=value_gap),
        "contain noise",
    ),
    # Distances
    "no distance": (lambda: about(input_distance=3), "not a distance on inputs"),
    "no such distance": (lambda: about(input_distance="l3"), "not a distance on inputs"),
    "a mechanism as distance": (lambda: about(input_distance=sampled), "not a distance on inputs"),
    "a distance with noise": (lambda: about(input_distance=with_noise), "samples"),
    "a quadratic distance": (
        lambda: about(input_distance=squared, inputs=AllReals()),
        "multiplies reals",
    ),
    "a distance of three": (lambda: about(input_distance=of_three), "has 3 inputs"),
    "a distance of texts": (lambda: decided(input_distance=a_text), "'far'"),
    "a negative distance": (lambda: decided(input_distance=below_zero), "negative"),
    "an unbounded distance": (lambda: decided(input_distance=unbounded_below), "negative"),
    "a distance from itself": (lambda: decided(input_distance=never_zero), "never_zero"),
    "a one-sided distance": (lambda: decided(input_distance=one_sided), "one_sided"),
    "a lambda as distance": (
        lambda: decided(input_distance=lambda u, v: 0 * (u, v)),
        "is () somewhere",
    ),
    "no output distance": (lambda: about(output_distance=3), "not a distance on outputs"),
    "an input distance": (lambda: about(output_distance=l1), "not a distance on outputs"),
    "a failing output distance": (
        lambda: decided(output_distance=lambda u, a, b: u / (a - b)),
        "failed at",
    ),
    "a negative output distance": (
        lambda: decided(output_distance=lambda _u, _a, _b: -1),
        "-1",
    ),
    "an output distance of texts": (
        lambda: decided(output_distance=lambda _u, _a, _b: "far"),
        "'far'",
    ),
    "value_gap of no positions": (
        lambda: decided(
            FACTORIES["above_threshold"](2), inputs=Grid(-1, 1), output_distance=value_gap
        ),
        "positions",
    ),
    "score_gap without scores": (lambda: decided(output_distance=score_gap), "expmech"),
    "no score": (lambda: score_gap(3), "is not a score"),  # type: ignore[arg-type]
    # Inputs
    "inputs are a number": (lambda: about(inputs=3), "not a list of inputs"),
    "no inputs": (lambda: about(inputs=[]), "empty"),
    "an empty grid": (lambda: Grid(1, -1), "empty"),
    "a grid without step": (lambda: Grid(0, 1, 0), "step"),
    "a huge grid": (lambda: about(inputs=Grid(0, 1000)), "1,003,003,001 inputs"),
    "too short": (lambda: about(inputs=[[1, 2]]), "2 values given where 3 are needed"),
    "too long": (lambda: about(inputs=[[1, 2, 3, 4]]), "4 values"),
    "not finite": (lambda: about(inputs=[[1, 2, float("inf")]]), "not a finite number"),
    "not a number": (lambda: about(inputs=[[1, 2, float("nan")]]), "not a number"),
    "outside the domain": (lambda: about(RESPONSE, ideal=lambda u: u, inputs=[[0, 2]]), "2"),
    "asked outside the domain": (
        lambda: about(RESPONSE, ideal=lambda u: u).disagreement([0, 2]),
        "2",
    ),
    "asked too short": (lambda: about().error_probability([1, 2]), "2 values"),
    # Ideals
    "an ideal that samples": (lambda: about(ideal=NOISY_MAX), "samples"),
    "a number as ideal": (lambda: about(ideal=3), "not an ideal"),
    "an ideal of fewer inputs": (lambda: about(ideal=shorter), "Real[2]"),
    "an ideal of other inputs": (lambda: about(ideal=finite), "Dom"),
    "a table for reals": (lambda: about(ideal={(0, 0, 0): 1}), "the inputs are real"),
    "an ideal that fails": (lambda: decided(MEDIAN, ideal=lambda u: u[5]), "failed at"),
    "an ideal of another kind": (
        lambda: decided(ideal=Ideal.from_source("def f(q: Real[3]):\n    return [0]\n")),
        "the mechanism returns a number",
    ),
    "a real ideal for indices": (
        lambda: decided(ideal=Ideal.from_source("def f(q: Real[3]):\n    return 'top'\n")),
        "the mechanism returns a number",
    ),
    # The rest
    "no mechanism": (lambda: Accuracy(max, BOUND), "is not a mechanism"),  # type: ignore[arg-type]
    "ε from below 0": (lambda: about(epsilon=(-1, 1)), "positive"),
    "ε is 0": (lambda: about(epsilon="[0, 1]"), "positive"),
    "ε is no interval": (lambda: about(epsilon=[3]), "not an interval"),
    "no such boundary": (lambda: about(boundary="open"), "boundary is 'open'"),
    "no such agreement": (lambda: about(agreement=True), "agreement is True"),
    "no width": (lambda: about().tightest(width=0), "width is not positive"),
    "a curve for each γ": (
        lambda: about(gamma=ANY, output_distance=value_gap).error_probability([0, 1, 3]),
        "one curve for each gamma",
    ),
    "α by ε has no best constant": (lambda: about(alpha=1 / eps).tightest(), "depends on eps"),
}


def _symbol(name: str) -> Any:
    from exactdp.claims.stated.expressions import Symbol  # noqa: PLC0415

    return Symbol(name)


@pytest.mark.parametrize("name", list(REFUSED))
def test_refused(name: str) -> None:
    """The message says what is wrong; a rule or a way out stands beside it."""
    wrong, words = REFUSED[name]
    with pytest.raises(ExactdpError) as caught:
        wrong()
    assert words in str(caught.value)
    assert caught.value.rule or caught.value.way_out
    assert "Traceback" not in str(caught.value)


def test_where_the_mistake_is() -> None:
    """A wrong function is shown with its line and a caret."""
    with pytest.raises(ExactdpError) as caught:
        about(output_distance=with_noise, input_distance=with_noise)
    assert caught.value.place is not None
    assert "lap(eps" in str(caught.value)
    assert "^" in str(caught.value)


def test_the_rule_names_only_what_is_allowed() -> None:
    """α may not use γ, so the rule must not offer it."""
    with pytest.raises(ExactdpError) as caught:
        about(alpha=gamma)
    assert "gamma" not in caught.value.rule


def test_a_distance_without_annotations() -> None:
    """`def distance(u, v)` is what the way out of another refusal offers."""

    def largest(u, v):
        return max(abs(u[0] - v[0]), abs(u[1] - v[1]), abs(u[2] - v[2]))

    assert about(input_distance=largest).disagreement([0, 1, 6]).distance == Fraction(5, 2)


def test_missing_hypotheses_are_named() -> None:
    """Where no theorem applies the verdict is undecided and says why; nothing is guessed."""
    verdict = decided(beta=alpha * eps)
    if verdict.holds is None:
        assert "fall in alpha" in verdict.missing
        assert verdict.sentence.startswith("Undecided: ")
        assert not verdict
    else:
        assert verdict.holds is False  # α = 0 claims certainty


def test_a_claim_cannot_be_changed() -> None:
    claim = about()
    with pytest.raises(AttributeError):
        claim.beta = 1


# Anything at all ----------------------------------------------------------------------

odd = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.fractions(-2, 2, max_denominator=5),
    st.floats(),
    st.complex_numbers(),
    st.text(max_size=5),
    st.sampled_from(
        [ANY, inf, -inf, alpha, gamma, eps, BOUND, exp(-eps), 1 / eps, minimum(1, alpha)]
    ),
    st.sampled_from([linf, l1, discrete, numeric, sup, value_gap, score_gap, Grid, Grid(0, 1)]),
    st.sampled_from(["1/3", "(0, 1]", "[1, 2]", "linf", "sup", "skip", "check", "equal"]),
    st.sampled_from([len, max, lambda: 0, lambda _: 1, lambda *_: 0]),
    st.sampled_from([NOISY_MAX, MEDIAN, first, object(), int, squared, {}, set()]),
    st.lists(st.one_of(st.integers(-2, 2), st.none(), st.floats()), max_size=3),
    st.lists(st.lists(st.integers(-1, 1), max_size=3), max_size=2),
    st.tuples(st.integers(-1, 2), st.integers(-1, 2)),
)
NAMES = [
    "alpha",
    "gamma",
    "ideal",
    "input_distance",
    "output_distance",
    "inputs",
    "epsilon",
    "boundary",
    "agreement",
]


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from([NOISY_MAX, RESPONSE, FACTORIES["laplace"](1)]),
    st.one_of(st.just(BOUND), odd),
    st.dictionaries(st.sampled_from(NAMES), odd, max_size=3),
)
def test_anything_is_read_or_refused(program: Mechanism, beta: Any, given_: dict[str, Any]) -> None:
    """Only ExactdpError, from the reading of a claim to every question about it."""
    size = len(program.read_input([0] * _length(program))[0])
    u = [0, 1, 1][:size]
    given_.setdefault("inputs", [u])
    try:
        claim = Accuracy(program, beta, **given_)
    except ExactdpError:
        return
    questions: list[Callable[[], object]] = [
        lambda: str(claim),
        lambda: str(claim.check()),
        lambda: claim.check(all=True).counterexamples,
        lambda: str(claim.disagreement(u)),
        lambda: str(claim.error_probability(u)),
        lambda: str(claim.epsilons()),
        lambda: str(claim.tightest(width="1/10")),
    ]
    if isinstance(claim.inputs, Grid) or claim.inputs == [u]:
        for question in questions:
            with suppress(ExactdpError):
                question()


def _length(program: Mechanism) -> int:
    return int(getattr(program.inputs[0].type, "length", 1))


def test_comparisons_of_closed_forms_say_how_a_condition_is_written() -> None:
    with pytest.raises(ExactdpError, match="as text"):
        _ = eps < 1
    with pytest.raises(ExactdpError, match="solution_set"):
        _ = 1 / eps <= 1
    assert str(eps <= alpha) == "alpha >= eps"
    with pytest.raises(ExactdpError, match="multiplication"):
        decided(gamma=ANY, region="alpha * gamma**2 <= 1")


@pytest.mark.parametrize("kind", [Accuracy, ErrorBound, Privacy])
def test_inputs_without_types(kind: Callable[..., object]) -> None:
    """A claim about a function whose inputs have no types names the first of them."""
    untyped = Mechanism.from_source("def untyped(q): return lap(eps, q)")
    with pytest.raises(ExactdpError, match="the input q has no type") as caught:
        kind(untyped, 1 if kind is ErrorBound else eps if kind is Privacy else "5%")
    assert "q: Real" in caught.value.way_out


def test_an_empty_array_is_no_input() -> None:
    """NumPy compares an empty array with () as an array, which has no truth value."""
    for source in (
        "def m(q: Real[2]): return lap(eps, q[0]) > 0",
        "def m(q: Real, x: Dom(0, 1)): return lap(eps, q) > x",
        "def m(x: Dom(0, 1)): return x",
    ):
        with pytest.raises(ExactdpError):
            Accuracy(Mechanism.from_source(source), "1/2", inputs=[np.array([])])


@pytest.mark.parametrize(
    ("level", "told"),
    [
        (lambda u: log(20) / eps + abs(u), "gamma=ANY and beta=k"),
        ("log(20) / eps + abs(q)", "with a logarithm: q is not known"),
    ],
)
@pytest.mark.parametrize("inputs", [[3], AllReals()])
def test_logarithms_in_levels(level: Any, told: str, inputs: Any) -> None:
    """A function is called with symbolic inputs: the error is about the logarithm all the same."""
    noisy = Mechanism.from_source("def noisy(q: Real): return lap(eps, q)")
    with pytest.raises(ExactdpError, match=told):
        Accuracy(noisy, exp(-gamma * eps), alpha=0, gamma=level, inputs=inputs).check()


def test_losses_that_compare_noise_with_eps() -> None:
    """The way out is to subtract the number in the mechanism: E|L − 1/ε| = (1 + 1/e)/ε."""
    noisy = Mechanism.from_source("def noisy(q: Real): return lap(eps, q)")
    with pytest.raises(ExactdpError, match="return lap\\(eps, x\\) - 1 / eps"):
        Expected(noisy, lambda u, o: abs(o - u - 1 / eps), at_most=2 / eps, inputs=[0]).check()
    moved = Mechanism.from_source("def moved(q: Real): return lap(eps, q) - 1 / eps")
    for times, holds in (("1.368", True), ("1.367", False)):
        claim = Expected(moved, lambda u, o: abs(o - u), at_most=Fraction(times) / eps, inputs=[0])
        assert claim.check().holds is holds


def test_a_quotient_as_ideal() -> None:
    """The divisor may be 0: an assertion leaves out such inputs."""
    two = Mechanism.from_source("def two(q: Real[2]): return lap(eps, q[0]) > lap(eps, q[1])")
    claim = Accuracy(
        two, 2 * exp(-alpha * eps / 2), ideal=lambda q: q[0] / q[1] > 1, inputs=[[3, 1]]
    )
    with pytest.raises(ExactdpError, match=r"division by zero[\s\S]*assert q > 0"):
        claim.check()

    def defined(q):
        assert q[1] > 0
        return q[0] / q[1] > 1

    for inputs in ([[3, 1]], AllReals()):
        assert Accuracy(two, 2 * exp(-alpha * eps / 2), ideal=defined, inputs=inputs).check().holds
