"""Corners: worst inputs found by order, against all cells of inputs, and against probabilities."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from exactdp import Accuracy, AllReals, Box, Mechanism, alpha, eps, exp, gamma, numeric, sup
from exactdp.claims.regions.of_claim import regions_of
from exactdp.errors import ExactdpError
from exactdp.language.layout import entry_names
from exactdp.reproduce.programs import FIGURE, noisy_max, numeric_sparse, sparse
from exactdp.semantics.engine import Engine
from exactdp.semantics.order import MonotoneDirections
from support.examples import TIMES

OPS = ("<", "<=", ">", ">=")
_WIDTH = Fraction(1, 1000)
NUMBERS = ("0", "1", "-1", "1 / 2", "-1 / 3")


def made(random: Random, sizes: tuple[int, ...] = (2, 3)) -> str:
    """Return a program that compares noisy inputs with each other and with numbers."""
    size = random.choice(sizes)
    names = "abct"[:size]
    lines = [f"def program(q: Real[{size}]):"]
    for k, name in enumerate(names):
        mean = random.choice(
            (f"q[{k}]",) * 6 + ("q[0]", f"2 * q[{k}]", f"-q[{k}]", f"q[{k}] + q[0]")
        )
        rate = random.choice(("eps", "eps / 2", "2 * eps"))
        lines.append(f"    {name} = {random.choice(('lap', 'lap', 'expo'))}({rate}, {mean})")
    if random.random() < 0.4:
        lines.append(f"    t = lap(eps, {random.choice(NUMBERS)})")
        names += "t"

    def compared() -> str:
        one, two = random.sample(names, 2)
        return f"{one} {random.choice(OPS)} {random.choice((two, two, *NUMBERS[:3]))}"

    kind = random.randrange(4)
    if kind == 0:
        lines.append(f"    return [{compared()}, {compared()}]")
    elif kind == 1:
        lines.append(
            f"    return {random.choice(('max', 'min'))}(range(2), key=lambda i: [a, b][i])"
        )
    elif kind == 2:
        lines += ["    k = 0"]
        for _ in range(2):
            lines += [f"    if {compared()}:", "        k += 1"]
        lines.append("    return k")
    else:
        lines += [f"    if {compared()}:", f"        return 1 if {compared()} else 0"]
        lines.append(f"    return {random.choice(('0', '2', f'3 if {compared()} else 0'))}")
    return "\n".join(lines)


def asked(random: Random) -> dict[str, Any]:
    """Return what a claim says beside its mechanism and inputs."""
    factor = Fraction(random.choice(("1", "2", "1/2", "3/4")))
    rate = Fraction(random.choice(("1/2", "1/4", "1/3")))
    given: dict[str, Any] = {"beta": factor * exp(-alpha * eps * rate)}
    given["input_distance"] = random.choice(("linf", "linf", "l1", "discrete"))
    given["boundary"] = random.choice(("skip", "skip", "check"))
    if random.random() < 0.3:
        given["alpha"] = random.choice((0, 1, ("1/2", 2)))
    if random.random() < 0.3:
        given["epsilon"] = random.choice(("(0, 1]", "[1/2, 4]", "[1, inf)", "[2, 2]"))
    given["inputs"] = random.choice((AllReals(),) * 4 + (Box(-2, 2),))
    return given


SLOW = {2, 8, 11}  # on cells


@pytest.mark.parametrize("number", [n for n in range(10 * TIMES) if n not in SLOW])
def test_corners_decide_as_all_cells_do(number: int) -> None:
    """Verdicts and best constants of random claims are the same at corners and on all cells."""
    random = Random(f"corner {number}")
    while True:
        claim = Accuracy(Mechanism.from_source(made(random, (2,))), **asked(random))
        ((region, *_),) = regions_of(claim)
        if region.corner is not None:
            break
    verdict, other = claim.check(), claim.by_cells().check()
    assert "undecided" in (verdict.outcome, other.outcome) or verdict.outcome == other.outcome
    try:
        one, two = (each.tightest(width=_WIDTH).kappa for each in (claim, claim.by_cells()))
    except ExactdpError:
        return
    assert one.lower <= two.upper + _WIDTH
    assert two.lower <= one.upper + _WIDTH


@pytest.mark.parametrize("number", range(12 * TIMES))
def test_what_is_said_to_grow_grows(number: int) -> None:
    """Probabilities at random inputs do not fall where the order says that they do not."""
    random = Random(f"order {number}")
    mechanism = Mechanism.from_source(made(random))
    engine = mechanism.kept(Engine)
    size = len(entry_names(mechanism.inputs))
    names = [f"q[{k}]" for k in range(size)]
    assert engine.outputs is not None
    for output in engine.outputs[:2]:
        order = MonotoneDirections(engine.plan(mechanism.read_input([0] * size), output)[0].graph)
        if not order.is_known:
            continue
        ways = [(order.grows_with(names, sign), sign) for sign in (1, -1)]
        shifted = order.grows_along(dict.fromkeys(names, 1))
        for _ in range(2):
            u = [Fraction(random.randint(-8, 8), 4) for _ in names]
            for grows, sign in (*ways, (frozenset(names) if shifted else frozenset(), 0)):
                moved = [
                    x + (sign * Fraction(random.randint(0, 8), 4) if sign else 1)
                    if name in grows
                    else x
                    for x, name in zip(u, names, strict=True)
                ]
                gap = mechanism.probability(moved, output) - mechanism.probability(u, output)
                assert all(gap.at(e).sign >= 0 for e in ("1/4", 1, 3)), (output, u, moved)


def test_ideal_outputs_without_room() -> None:
    """At q[0] = 0, the side of a box, three outputs are ideal, and dd is 1 there."""
    mechanism = Mechanism.from_source(
        """
def program(q: Real[3]):
    if lap(eps, q[0]) > 0:
        return 1
    if lap(eps, q[1]) > 1:
        return 4 if lap(eps, q[2]) > 1 else 3
    return 2
"""
    )
    claim = Accuracy(
        mechanism,
        beta="3/4",
        input_distance="discrete",
        inputs=Box([0, "-inf", "-inf"], [2, "inf", "inf"]),
    )
    assert claim.check().outcome == "fails"


def test_the_corner_of_noisy_max() -> None:
    """The rivals of k are 2·dd below it: the worst inputs, as the issue works out by hand."""
    claim = Accuracy(noisy_max(3), beta=3 * exp(-alpha * eps / 2), inputs=AllReals())
    (regions,) = regions_of(claim)
    assert [region.names for region in regions] == [("eps", "dd")] * 3
    (found,) = (
        region for region in regions if region.corner is not None and region.corner.pattern == 1
    )
    assert [one.form for one in found.entries] == [(0, -2), (0, 0), (0, -2)]
    assert "worst input" in claim.check().route


def test_the_corners_of_sparse() -> None:
    """Each answer is dd above or below the threshold, 0; where sparse stopped, any number is."""
    claim = Accuracy(sparse(3, 1), beta=6 * exp(-alpha * eps / 8), inputs=AllReals())
    (regions,) = regions_of(claim)
    corners = {tuple(one.form[1] for one in region.entries) for region in regions}
    assert corners == {(1, 0, 0), (-1, 1, 0), (-1, -1, 1), (-1, -1, -1)}


def test_numbers_that_are_released() -> None:
    """The noise of a released number is as large wherever its mean is."""
    claim = Accuracy(
        numeric_sparse(3, 2, FIGURE),
        beta=12 * exp(-alpha * eps / 18) + 2 * exp(-gamma * eps / 18),
        gamma=alpha,
        input_distance=numeric,
        output_distance=sup,
        inputs=AllReals(),
    )
    (regions,) = regions_of(claim)
    assert {region.names for region in regions} == {("eps", "dd", "alpha")}
    assert claim.check().holds


BETWEEN = "def between(q: Real[2]): return -1 < lap(eps, q[0]) < 1 and lap(eps, q[1]) > 0"
BARE = "def bare(q: Real[2]): return lap(eps, q[0]) > 0 and q[1] > 0"
OWN = """
def own(q: Real[2]):
    r = lap(eps, q[0])
    if r > 0:
        return lap(eps, q[1]) > 0
    return lap(2 * eps, q[1]) > 1
"""


@pytest.mark.parametrize("text", [BETWEEN, BARE, OWN])
def test_what_is_not_known_to_grow_is_decided_on_cells(text: str) -> None:
    """A number in an interval, an input without noise, branches that are not ordered."""
    claim = Accuracy(Mechanism.from_source(text), beta=exp(-alpha * eps / 2), inputs=AllReals())
    ((region, *_),) = regions_of(claim)
    assert region.corner is None


def test_a_counterexample_is_an_input() -> None:
    claim = Accuracy(noisy_max(12), beta=exp(-alpha * eps / 2), inputs=AllReals())
    found = claim.check().counterexample
    assert found is not None
    assert not Accuracy(noisy_max(12), found.beta, found.alpha, inputs=[found.input]).check().holds


def test_fourteen_queries() -> None:
    """14! orders of inputs, 14 worst ones, of which one stands for all: one ray."""
    claim = Accuracy(noisy_max(14), beta=14 * exp(-alpha * eps / 2), inputs=AllReals())
    verdict = claim.check()
    assert verdict.holds
    assert verdict.inputs == 1
    assert claim.by_each_output().check().inputs == 14


PEELED = """
def peeled(q: Real[{m}]):
    first = [lap(eps / 2, x) for x in q]
    a = first.index(max(first))
    second = [lap(eps / 2, x) for x in q]
    return a, max([i for i in range({m}) if i != a], key=lambda i: second[i])
"""


def test_an_entry_that_helps_and_hinders_is_fixed() -> None:
    """The second of two selections hinders the first and helps itself: all others are beside it."""
    claim = Accuracy(
        Mechanism.from_source(PEELED.format(m=3)), 6 * exp(-alpha * eps / 2), inputs=AllReals()
    )
    (regions,) = regions_of(claim)
    assert [region.names for region in regions] == [("eps", "dd")] * 6
    (found,) = (
        region
        for region in regions
        if region.corner is not None and region.corner.pattern == (2, 0)
    )
    assert [one.form for one in found.entries] == [(0, 0), (0, -2), (0, 2)]
    one, two = (each.tightest(width=_WIDTH).kappa for each in (claim, claim.by_cells()))
    assert one.lower <= two.upper
    assert two.lower <= one.upper


@pytest.mark.parametrize("box", [Box(0, 3), Box(-1, "inf")])
def test_a_selection_in_a_box(box: Box) -> None:
    """In a box inputs cannot be shifted: the largest one stays free, its rivals are below it."""
    claim = Accuracy(noisy_max(3), 3 * exp(-alpha * eps / 2), inputs=box)
    (regions,) = regions_of(claim)
    assert {region.names for region in regions} == {("eps", f"q[{k}]", "dd") for k in range(3)}
    one, two = (each.tightest(width=_WIDTH).kappa for each in (claim, claim.by_cells()))
    assert one.lower <= two.upper + _WIDTH
    assert two.lower <= one.upper + _WIDTH


def test_a_box_with_many_vertices() -> None:
    """The box of 13 numbers has 2^13 vertices, which nothing lists; nor does dd under l1."""
    for more in ({"inputs": Box(0, 10)}, {"inputs": AllReals(), "input_distance": "l1"}):
        claim = Accuracy(noisy_max(13), beta=13 * exp(-alpha * eps / 4), **more)
        assert claim.check().holds
        assert "worst input" in claim.check().route


@pytest.mark.parametrize("more", [0, 11])
def test_parameters_with_the_names_of_entries(more: int) -> None:
    """With 13 numbers, of which two matter, dd was 0: the names of u were those of its neighbour.

    If both are just below 0, one of the two is above the threshold with probability 2/3.
    """
    either = Mechanism.from_source(
        f"def either(q: Real[{2 + more}]): return max(lap(eps, q[0]), lap(eps, q[1])) > lap(eps, 0)"
    )
    claim = Accuracy(either, beta=exp(-alpha * eps / 2), inputs=AllReals())
    assert claim.check().holds
    few = Accuracy(either, beta=3 * exp(-alpha * eps / 2) / 5, inputs=AllReals())
    assert few.check().outcome == "fails"
    assert claim.disagreement([3, -1, *[0] * more]).distance == 3


SELECTED = """
def selected(q: Real[8]):
    best, top = {out}, {noise}
    for i in range(1, 8):
        r = {noise_i}
        if r {op} top:
            best, top = {out_i}, r
    return best
"""


def _selected(**changes: str) -> Mechanism:
    """Return a running maximum of eight noisy numbers, with some parts replaced."""
    given = {"out": "0", "out_i": "i", "op": ">", "noise_i": "lap(eps / 2, q[i])", **changes}
    noise = given["noise_i"].replace("q[i]", "q[0]").replace("i == 3", "False")
    return Mechanism.from_source(SELECTED.format(**{"noise": noise, **given}))


@pytest.mark.parametrize(
    ("mechanism", "more", "is_one"),
    [
        (_selected(), {}, True),
        (_selected(op="<="), {}, True),
        (_selected(noise_i="expo(eps / 2, q[i])"), {"input_distance": "l1"}, True),
        (_selected(out="'a'", out_i="'abcdefgh'[i]"), {}, True),
        (_selected(), {"input_distance": "discrete", "alpha": 0, "epsilon": "[1, inf)"}, True),
        (_selected(noise_i="lap(eps / 4 if i == 3 else eps / 2, q[i])"), {}, False),
        (_selected(noise_i="lap(eps / 2, q[i] + (1 if i == 3 else 0))"), {}, False),
        (_selected(), {"ideal": _selected(op="<").noiseless()}, False),
        (_selected(), {"ideal": _selected(op=">=").noiseless(), "boundary": "check"}, True),
    ],
)
def test_one_output_stands_for_all(
    mechanism: Mechanism, more: dict[str, object], is_one: bool
) -> None:
    """The verdict is that of all outputs, one by one."""
    claim = Accuracy(mechanism, beta=exp(-alpha * eps / 2), inputs=AllReals(), **more)  # type: ignore[arg-type]
    corners = [region.corner for group in regions_of(claim) for region in group]
    assert [one is not None and one.selects is not None for one in corners] == [is_one] * (
        1 if is_one else len(corners)
    )
    for factor in ("1/2", 2, 8) if is_one else ():
        tried = replace(claim, beta=Fraction(factor) * exp(-alpha * eps / 2))
        assert tried.check().outcome == tried.by_each_output().check().outcome
