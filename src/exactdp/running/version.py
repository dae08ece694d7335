"""The version of exactdp, and the refusal of a different one."""

from __future__ import annotations

import sys

from exactdp.errors import ExactdpError


class VersionError(ExactdpError):
    """A worker runs another version of exactdp."""


def version() -> str:
    """Return the version of exactdp."""
    return str(sys.modules["exactdp"].__version__)


def require_same(theirs: str) -> None:
    """Refuse work submitted by another version of exactdp."""
    if theirs != version():
        raise VersionError(
            f"a worker has exactdp {version()}, and the work comes from exactdp {theirs}",
            rule="All workers need the same version, so that their answers agree.",
            way_out=f"Install exactdp=={theirs} on the workers.",
        )
