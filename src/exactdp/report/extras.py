"""The optional packages for plots and reports, and the error if one is missing."""

from __future__ import annotations

from importlib.util import find_spec

from exactdp.errors import ExactdpError


def require(*packages: str) -> None:
    """Raise an error if packages of the extra `report` are missing."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise ExactdpError(
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed",
            rule="Pictures and reports need the extra `report`.",
            way_out="Install it: pip install 'exactdp[report]'.",
        )
