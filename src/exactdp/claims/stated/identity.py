"""Claims as bytes, without cached results."""

from __future__ import annotations

import contextlib
import pickle
import sys
from dataclasses import fields
from typing import Any

from exactdp.claims.stated.words import Words
from exactdp.errors import ValueRefusedError
from exactdp.running.crew import unsendable


def remade(kind: type, given: dict[str, Any]) -> Any:
    """Return a claim created from its arguments."""
    return kind(**given)


def as_given_only(claim: Any) -> tuple[object, ...]:
    """Reduce a claim, for pickling, to its arguments, without cached results."""
    return remade, (type(claim), {one.name: getattr(claim, one.name) for one in fields(claim)})


def blob_of(claim: object) -> bytes:
    """Return a claim as bytes for another process; refuse one that cannot be pickled."""
    try:
        cloudpickle: Any = __import__("cloudpickle")
    except ImportError:
        cloudpickle = None
    try:
        if cloudpickle is None:
            return pickle.dumps(claim)
        with _by_value(cloudpickle, claim):
            return bytes(cloudpickle.dumps(claim))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise unsendable(error) from error


class _by_value:  # noqa: N801 a context
    """Pickles functions by value if their modules exist only in this process."""

    def __init__(self, cloudpickle: Any, claim: object) -> None:
        words = Words()
        with contextlib.suppress(ValueRefusedError):
            list(words.of(claim))
        names = {one.__module__ for one in words.code} - {"__main__"}
        self._modules = [sys.modules[name] for name in names if name in sys.modules]
        self._cloudpickle = cloudpickle

    def __enter__(self) -> None:
        for module in self._modules:
            self._cloudpickle.register_pickle_by_value(module)

    def __exit__(self, *_: object) -> None:
        for module in self._modules:
            self._cloudpickle.unregister_pickle_by_value(module)


def claim_of(data: bytes) -> Any:
    """Return a claim from bytes that a process of the same user sent."""
    return pickle.loads(data)
