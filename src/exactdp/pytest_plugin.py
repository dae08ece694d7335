"""Claims as tests, for pytest.

    @pytest.mark.exactdp
    def test_lemma():
        return Accuracy(noisy_max(3), beta=3 * exp(-alpha * eps / 2), inputs=Grid(-1, 1))

    def test_with_the_fixture(exactdp_check):
        verdict = exactdp_check(lemma)

A marked test returns a claim, or a list or dictionary of claims; it passes if they hold. A claim
that fails or is undecided fails the test with its sentence. Fixtures and parametrize work as ever.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from exactdp import Accuracy, Verdict


class VacuousClaimWarning(pytest.PytestWarning):
    """A claim holds because it says nothing at any of its inputs."""


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known."""
    config.addinivalue_line(
        "markers", "exactdp: the test returns claims of accuracy, and passes if they hold."
    )


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a marked test and check the claims it returns."""
    if pyfuncitem.get_closest_marker("exactdp") is None:
        return None
    names = pyfuncitem._fixtureinfo.argnames
    sentences = []
    with _Quietly():
        returned = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
        for claim in _claims(returned):
            verdict = _checked(claim)
            if not verdict:
                sentences.append(verdict.sentence)
    if sentences:
        pytest.fail("\n".join(sentences), pytrace=False)
    return True


@pytest.fixture
def exactdp_check() -> Callable[[Accuracy], Verdict]:
    """Return a function that checks a claim, fails the test if it does not hold, and answers."""

    def check(claim: Accuracy) -> Verdict:
        with _Quietly():
            (one,) = _claims(claim)
            verdict = _checked(one)
        if not verdict:
            pytest.fail(verdict.sentence, pytrace=False)
        return verdict

    return check


def _claims(value: Any) -> list[Accuracy]:
    from exactdp import Accuracy  # noqa: PLC0415  pytest loads this file even where no test uses it

    listed = list(value.values()) if isinstance(value, dict) else value
    listed = list(listed) if isinstance(listed, list | tuple) else [listed]
    wrong = [one for one in listed if not isinstance(one, Accuracy)]
    if wrong or not listed:
        shown = f"{wrong[0]!r}" if wrong else "no claim"
        pytest.fail(f"a claim (Accuracy) is expected, but this is {shown}", pytrace=False)
    return listed


def _checked(claim: Accuracy) -> Verdict:
    verdict = claim.check()
    if verdict.vacuous:
        warnings.warn(VacuousClaimWarning(verdict.sentence), stacklevel=1)
    return verdict


class _Quietly:
    """An error of exactdp fails the test with its own message, without a traceback."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        from exactdp.errors import ExactdpError  # noqa: PLC0415  as above

        if isinstance(error, ExactdpError):
            pytest.fail(str(error), pytrace=False)
