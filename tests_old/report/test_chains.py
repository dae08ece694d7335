"""The Markov chain as a picture with matplotlib."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from exactdp import Mechanism
from exactdp.semantics.chain_picture import layout, short
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


@pytest.mark.parametrize(
    "text",
    [
        "def f(x: Dom(0, 2)):\n    y = choose({0: 1 / 4, 1: 1 / 4, 2: 1 / 4, 3: 1 / 4})\n"
        "    return y + expmech(eps, lambda c: -abs(c - x), range(5))",
        "def f(x: Dom(0, 2)):\n    y = x\n    while y < 3:\n"
        "        y = choose({0: exp(-eps) / 2, 1: exp(-eps) / 4, 3: 1 - 3 * exp(-eps) / 4})\n"
        "    return y",
    ],
)
def test_labels_and_boxes_do_not_overlap(text: str) -> None:
    chain = Mechanism.from_source(text).chain(1)
    found = layout(chain)
    labels = []
    for one, route in zip(chain.transitions, found.routes, strict=True):
        wide = len(short(one.probability.pretty())) * 5.5  # less than is reserved
        x, y = route.label
        labels.append((x - wide / 2, y - 11, wide, 14.0))
    for (x, y, w, h), (x2, y2, w2, h2) in combinations([*labels, *found.boxes], 2):
        assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y
    assert all(x >= 0 and x + w <= found.width and y + h <= found.height for x, y, w, h in labels)
