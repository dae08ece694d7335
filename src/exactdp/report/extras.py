"""What pictures and reports need beside exactdp itself, and what to say where it is missing."""

from __future__ import annotations

from importlib.util import find_spec

from exactdp.errors import ExactdpError


def require(*packages: str) -> None:
    """Refuse to go on without packages of the extra `report`."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise ExactdpError(
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed",
            rule="Pictures and reports need the extra `report`.",
            way_out="Install it: pip install 'exactdp[report]'.",
        )
