"""What new users wrote, and what they are told: the message is about what was written."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from exactdp import (
    Accuracy,
    ExactdpError,
    Mechanism,
    Real,
    alpha,
    eps,
    lap,
    mechanism,
)

NP: Any = np  # what numpy makes of formulas and other types is what is tested
COUNT = Mechanism.from_source("def count(x: Real): return lap(eps, x)")


def source(body: str, inputs: str = "q: Real") -> Callable[[], Any]:
    """Return what reads a mechanism with a body."""
    return lambda: Mechanism.from_source(f"def f({inputs}):\n    {body}\n")


def with_random() -> Any:
    @mechanism
    def f(q: Real):  # type: ignore[no-untyped-def, valid-type]
        return random.gauss(q, 1)

    return f


def with_numpy() -> Any:
    @mechanism
    def f(q: Real):  # type: ignore[no-untyped-def, valid-type]
        return np.random.normal(q, 1)

    return f


def with_laplace() -> Any:
    @mechanism
    def f(q: Real):  # type: ignore[no-untyped-def, valid-type]
        return np.random.laplace(q, 1)

    return f


def with_argmax() -> Any:
    @mechanism
    def f(q: Real[3]):  # type: ignore[no-untyped-def, valid-type]
        return np.argmax([lap(eps, x) for x in q])  # type: ignore[attr-defined]

    return f


def with_mean() -> Any:
    @mechanism
    def f(q: Real[3]):  # type: ignore[no-untyped-def, valid-type]
        return np.mean([lap(eps, x) for x in q])  # type: ignore[attr-defined]

    return f


#: What was written, what the message holds, and what the way out holds.
MET: dict[str, tuple[Callable[[], Any], str, str]] = {
    "gauss": (source("return gauss(eps, q)"), "Gaussian noise", "lap(eps, q)"),
    "random.gauss": (with_random, "random.gauss is Gaussian noise", "lap(eps, q)"),
    "np.random.normal": (with_numpy, "np.random.normal is Gaussian noise", "lap(eps, q)"),
    "np.random.laplace": (with_laplace, "sampler of another library", "lap(scale=1 / eps, mean=q)"),
    "np.argmax": (with_argmax, "np.argmax is a Python function", "max(range(len(xs))"),
    "np.mean": (with_mean, "np.mean is a Python function", "sum(xs) / len(xs)"),
    "xs.argmax()": (
        source("return [lap(eps, q), 0].argmax()"),
        "the method argmax",
        "max(range(len(xs))",
    ),
    "scipy": (source("return laplace.rvs(q, 1 / eps)"), "another library", "scale=1 / eps, mean=q"),
    "rate first": (source("return lap(q, eps)"), "cannot be a rate", "The rate comes first"),
    "a number for eps": (source("return lap(1.0, q)"), "1 is not a rate", "risk(eps=1)"),
    "np.sqrt(eps)": (lambda: NP.sqrt(eps), "np.sqrt is for numbers", "exp from exactdp"),
    "np.log(eps)": (lambda: NP.log(eps), "np.log is for numbers", "exp from exactdp"),
    "abs of inputs": (
        lambda: Accuracy(COUNT, "5%", input_distance=abs),
        "abs is not a distance on inputs",
        "def distance",
    ),
    "q**2": (source("return lap(eps, q**2)"), r"a real has no \*\*", "abs(x) > 2"),
    "eps1": (source("return lap(eps1, q)"), "eps1 is not known", "one privacy budget, eps"),
    "q[3]": (source("return lap(eps, q[3])", "q: Real[3]"), "index out of range", "the last q[2]"),
    "//": (source("return 7 // lap(eps, q)"), "a real has no //", "Divide by a finite value"),
    "round": (source("return round([lap(eps, q)])"), "a list cannot be rounded", "for x in xs"),
    "math.exp(eps)": (lambda: math.exp(-eps), "-eps is a formula", "exp from exactdp"),
    "np.exp(eps)": (lambda: NP.exp(-eps), "np.exp is for numbers", "exp from exactdp"),
    "np.exp(alpha)": (lambda: NP.exp(-alpha * eps), "np.exp is for numbers", "exp from exactdp"),
    "abs as a distance": (
        lambda: Accuracy(COUNT, "5%", output_distance=abs),
        "abs cannot be called with an input and two outputs",
        "output_distance=sup",
    ),
    "5 percent": (lambda: Accuracy(COUNT, 5), "beta is 5", "'5%'"),
}


@pytest.mark.parametrize("name", MET)
def test_the_message_is_about_what_was_written(name: str) -> None:
    wrong, said, instead = MET[name]
    with pytest.raises(ExactdpError, match=said) as caught:
        wrong()
    assert instead in caught.value.way_out


def test_numbers_of_numpy_are_numbers() -> None:
    """Inputs, bounds, γ and ε: 0.1 is one tenth whichever library made it."""
    ours = COUNT.within("0.1", 2).at("1/2").text(20)
    assert COUNT.within(np.float64(0.1), np.int64(2)).at(np.float64(0.5)).text(20) == ours
    claim = Accuracy(COUNT, NP.float64(0.05), 0, NP.int64(3), epsilon=NP.float64(1))
    assert claim.check()


def test_a_failed_assertion_prints_the_sentence() -> None:
    """`assert claim.check()` shows the representation of the verdict."""
    assert repr(Accuracy(COUNT, "4%", gamma=3, epsilon=1).check()).startswith("<Verdict: Fails: ")
