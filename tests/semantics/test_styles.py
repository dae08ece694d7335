"""The same selection written in several ways: equal answers, at about the same cost."""

from __future__ import annotations

import time
from itertools import product
from random import Random

import pytest

from exactdp import Accuracy, Mechanism, alpha, eps, exp
from soak.programs import Writer

FIRST = {
    "running": """
def first(q: Real[{m}]):
    best, top = 0, lap(eps / 2, q[0])
    for i in range(1, {m}):
        r = lap(eps / 2, q[i])
        if r > top:
            best, top = i, r
    return best
""",
    "index of max": """
def first(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    return noisy.index(max(noisy))
""",
    "index of sorted": """
def first(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    return noisy.index(sorted(noisy)[-1])
""",
    "max by key": """
def first(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    return max(range({m}), key=lambda i: noisy[i])
""",
    "sampled by key": """
def first(q: Real[{m}]):
    return max(range({m}), key=lambda i: lap(eps / 2, q[i]))
""",
    "sorted by key": """
def first(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    return sorted(range({m}), key=lambda i: noisy[i], reverse=True)[0]
""",
    "minus": """
def first(q: Real[{m}]):
    noisy = [-lap(eps / 2, x) for x in q]
    return noisy.index(min(noisy))
""",
    "minus sorted": """
def first(q: Real[{m}]):
    noisy = [-lap(eps / 2, x) for x in q]
    return sorted(range({m}), key=lambda i: noisy[i])[0]
""",
}
LAST = {
    "running": FIRST["running"].replace("r > top", "r >= top"),
    "sorted by key": """
def last(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    return sorted(range({m}), key=lambda i: noisy[i])[-1]
""",
    "minus sorted": """
def last(q: Real[{m}]):
    noisy = [-lap(eps / 2, x) for x in q]
    return sorted(range({m}), key=lambda i: noisy[i], reverse=True)[-1]
""",
}


def read(text: str, m: int) -> Mechanism:
    return Mechanism.from_source(text.format(m=m))


@pytest.mark.parametrize("styles", [FIRST, LAST])
def test_styles_mean_the_same(styles: dict[str, str]) -> None:
    """Ideal outputs with all ties, distances to disagreement, and probabilities are equal."""
    plain, *others = (read(text, 3) for text in styles.values())
    for u in product((0, 1, 2), repeat=3):
        given = list(u)
        for other in others:
            assert other.noiseless().run(given) == plain.noiseless().run(given)
        if u in ((0, 1, 2), (1, 1, 0), (2, 2, 2), (0, 2, 1)):
            for k, other in product(range(3), others):
                assert other.probability(given, k) == plain.probability(given, k)
            dd = [Accuracy(f, "5%", inputs=[given]).disagreement(given) for f in (plain, *others)]
            assert len({one.distance for one in dd}) == 1


@pytest.mark.parametrize("style", list(FIRST))
def test_styles_cost_about_the_same(style: str) -> None:
    """A claim about forty inputs takes about as long as with a running maximum."""

    def spent(text: str) -> float:
        claim = Accuracy(
            read(text, 40), 40 * exp(-alpha * eps / 2), inputs=[[0] * 20 + [2] + [1] * 19]
        )
        begin = time.process_time()
        assert claim.check()
        return time.process_time() - begin

    least = min(spent(FIRST["running"]) for _ in range(2))
    assert min(spent(FIRST[style]) for _ in range(2)) < 4 * least + 0.05


@pytest.mark.parametrize("seed", range(25))
def test_samples_may_be_drawn_when_they_are_looked_at(seed: int) -> None:
    """The probability of an output is the one in the distribution, where nothing is drawn late."""
    random = Random(seed)
    made = Writer(random).real()
    while made.outputs != "finite":
        made = Writer(random).real()
    found = Mechanism.from_source(made.text)
    u = [random.randint(low, high) for low, high in made.domains]
    reals = [random.choice((0, 1, -1)) for _ in range(made.reals)]
    given = [*u, reals if "Real[" in made.text else reals[0]]
    asked = given[0] if len(given) == 1 else given
    for output, chance in found.distribution(asked).items():
        assert found.probability(asked, output) == chance
