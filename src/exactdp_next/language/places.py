"""Places: an error that is found without one gets the place where it was caused."""

from __future__ import annotations

from typing import Any, NoReturn

from ..errors import ExactdpError, GivenUp, Place, fail


def refused_at(error: ExactdpError, place: Place | None) -> NoReturn:
    """Raise an error that was found without a place, with its place."""
    if isinstance(error, GivenUp):
        raise GivenUp(error.family, place)
    data: dict[str, Any] = dict(error.data)
    fail(error.code, place=place, **data)
