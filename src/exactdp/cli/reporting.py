"""Plots and reports, which need optional packages and are loaded on first use."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from exactdp.errors import ExactdpError


def part(module: str, name: str) -> Callable[..., Any]:
    """Return a function of `exactdp.report`, or raise an error that states what is missing."""
    try:
        found: Callable[..., Any] = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ExactdpError(
            f"pictures and reports are not available here: {error}",
            way_out="They need matplotlib: pip install matplotlib.",
        ) from error
    return found
