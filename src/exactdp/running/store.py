"""Stores of finished work, which are refused for now: reading one could run what is in it."""

from __future__ import annotations

from typing import NoReturn

from exactdp.errors import ValueRefusedError


def refuse_store() -> NoReturn:
    """Refuse to keep finished work in a file."""
    raise ValueRefusedError(
        "finished work is not kept in a file for now",
        rule="A store was read in a way that could run code from the file; stores come back as "
        "JSON.",
        way_out="Run with jobs=, and keep answers as certificates: `exactdp check CLAIMS.py "
        "--certificates DIR`.",
    )


class Store:
    """A file of finished work; refused for now.

    >>> try:
    ...     Store("exactdp.store")
    ... except ValueRefusedError as error:
    ...     print(error.message)
    finished work is not kept in a file for now
    """

    def __init__(self, *given: object, **named: object) -> None:
        del given, named
        refuse_store()

    def __repr__(self) -> str:
        return "<Store>"
