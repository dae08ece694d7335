"""Claims as tests, for pytest.

    @pytest.mark.exactdp
    def test_lemma():
        return Accuracy(noisy_max(3), beta=3 * exp(-alpha * eps / 2), inputs=Grid(-1, 1))

    def test_with_the_fixture(exactdp_check):
        verdict = exactdp_check(lemma)

A marked test returns a claim (`Accuracy`, `ErrorBound`, `Privacy` or `Expected`), or claims in
lists and dictionaries; it passes if all of them hold. A claim that fails, is undecided or says
nothing fails the test with its sentence. Fixtures and parametrize work as usual.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

if TYPE_CHECKING:
    from exactdp import (
        Accuracy,
        ErrorBound,
        Expected,
        ExpectedVerdict,
        Privacy,
        PrivacyVerdict,
        Verdict,
    )

    Asked: TypeAlias = Accuracy | ErrorBound | Privacy | Expected
    Answered: TypeAlias = Verdict | PrivacyVerdict | ExpectedVerdict


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", "exactdp: the test returns claims, and passes if they hold.")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a marked test and check the claims it returns."""
    if pyfuncitem.get_closest_marker("exactdp") is None or iscoroutinefunction(pyfuncitem.obj):
        return None  # coroutines are left to other plugins
    names = pyfuncitem._fixtureinfo.argnames
    sentences = []
    file, line, _ = pyfuncitem.location
    where = f"{file}:{1 + (line or 0)}: "
    with _Quietly(where):
        returned = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
        for name, claim in _claims(returned):
            verdict = claim.check()
            if not verdict:
                sentences.append(f"{name}: {verdict.sentence}" if name else verdict.sentence)
    if sentences:
        pytest.fail("\n".join(where + one for one in sentences), pytrace=False)
    return True


@pytest.fixture
def exactdp_check() -> Callable[[Asked], Answered]:
    """Return a function that checks a claim and returns its verdict; unless it holds, fail."""

    def check(claim: Asked) -> Answered:
        caller = sys._getframe(1)
        where = f"{caller.f_code.co_filename}:{caller.f_lineno}: "
        with _Quietly(where):
            if not _is_bound(claim):
                _refuse_unless_claim(claim)
            verdict = claim.check()
        if not verdict:
            pytest.fail(where + verdict.sentence, pytrace=False)
        return verdict

    return check


def _claims(value: Any) -> list[tuple[str, Accuracy | Privacy | Expected]]:
    """Return the claims returned by a test, each with its position in lists and dictionaries."""
    found = list(_walk("", value))
    if not found:
        _refuse_unless_claim(value)
    return found


def _walk(name: str, value: Any) -> Iterator[tuple[str, Accuracy | Privacy | Expected]]:
    if isinstance(value, dict | list | tuple):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _walk(f"{name}[{key!r}]", item)
    elif _is_bound(value):
        claims = value.claims
        yield from _walk(name, claims[0] if len(claims) == 1 else claims)
    else:
        _refuse_unless_claim(value)
        yield name, value


def _is_bound(value: Any) -> bool:
    from exactdp import ErrorBound  # noqa: PLC0415  as below

    return isinstance(value, ErrorBound)


def _refuse_unless_claim(value: Any) -> None:
    from exactdp import Accuracy, Expected, Privacy  # noqa: PLC0415  pytest loads this file even where no test uses it
    from exactdp.errors import ValueRefusedError, shown  # noqa: PLC0415  as above

    if not isinstance(value, Accuracy | Privacy | Expected):
        raise ValueRefusedError(
            f"{shown(value)} is not a claim",
            rule="A claim is an Accuracy, ErrorBound, Privacy or Expected.",
            way_out="Return the claim from the marked test, or give it to exactdp_check.",
        )


class _Quietly:
    """Turn an error of exactdp into a test failure with its message, without a traceback."""

    def __init__(self, where: str) -> None:
        self._where = where

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        from exactdp.errors import ExactdpError  # noqa: PLC0415  as above

        if isinstance(error, ExactdpError):
            told = f"{'' if error.place else self._where}{error}"
            raise pytest.fail.Exception(told, pytrace=False) from None
