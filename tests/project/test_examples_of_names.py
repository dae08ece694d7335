"""Every public name has an example."""

from __future__ import annotations

import pytest

import exactdp

#: Names whose examples are on the pages that explain them.
ELSEWHERE = {"Divergence", "Store", "inf"}


@pytest.mark.parametrize("name", sorted(set(exactdp.__all__) - ELSEWHERE))
def test_every_public_name_has_an_example(name: str) -> None:
    """In its docstring, or that of its type; `test_docstrings_run` runs them."""
    assert ">>>" in (getattr(exactdp, name).__doc__ or "")
