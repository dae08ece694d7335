"""The Markov chain as a picture with matplotlib."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt

from language.corpus import FACTORIES


def test_the_chain_as_axes(tmp_path: Path) -> None:
    chain = FACTORIES["numeric_sparse"](1).chain([1])
    axes = chain.plot()
    assert len(axes.patches) == len(chain.states)
    shown = {text.get_text() for text in axes.texts}
    assert any("e^" in text for text in shown)
    axes.figure.savefig(tmp_path / "chain.png")
    assert (tmp_path / "chain.png").stat().st_size > 1000
    plt.close("all")
