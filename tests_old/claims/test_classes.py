"""Inputs of a grid of which a claim says the same: classes against every input on its own."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from time import process_time

import pytest

from exactdp import Accuracy, Grid, Mechanism, alpha, certify, eps, exp
from exactdp.claims.regions import classes
from exactdp.claims.regions.classes import classes_of
from exactdp.language.layout import assembled
from soak.programs import Writer


@pytest.fixture(autouse=True)
def _small_grids_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for classes of small grids, too."""
    monkeypatch.setattr(classes, "FEW", 0)


def noisy_max(m: int, op: str = ">", rates: str = "eps / 2", order: str = "") -> Mechanism:
    return Mechanism.from_source(
        f"""
def noisy_max(q: Real[{m}]):
    best, top = 0, lap({rates.format(i=0)}, q[0])
    for i in [{order or ", ".join(map(str, range(1, m)))}]:
        r = lap({rates.format(i="i")}, q[i])
        if r {op} top:
            best, top = i, r
    return best
"""
    )


SPARSE = """
def sparse(q: Real[{m}]):
    out = []
    count = 0
    t = lap(eps / 2, {t})
    for i in range({m}):
        if count < {c}:
            r = lap(eps / 8, q[i])
            if r >= t:
                out.append(True)
                count += 1
                {again}
            else:
                out.append(False)
    return out
"""


def sparse(m: int, c: int, again: str = "t = lap(eps / 2, 0)", t: int = 0) -> Mechanism:
    return Mechanism.from_source(SPARSE.format(m=m, c=c, again=again, t=t))


def written(random: Random) -> str:
    """Return a program in which some inputs are interchangeable and others nearly so."""
    m = random.choice((2, 3, 3))
    rates = [random.choice(("eps", "eps", "eps", "eps / 2")) for _ in range(m)]
    means = [f"q[{k}]" if random.random() < 0.9 else f"q[{k}] + 1" for k in range(m)]
    draws = [f"    r{k} = lap({r}, {q})" for k, (r, q) in enumerate(zip(rates, means, strict=True))]
    op = random.choice((">", ">=", "<"))
    names = [f"r{k}" for k in range(m)]
    random.shuffle(names)
    other = random.choice(("0", "q[1]"))
    ends = {
        "max": [f"    top, best = {names[0]}, '{names[0]}'"]
        + [f"    if {n} {op} top:\n        top, best = {n}, '{n}'" for n in names[1:]]
        + ["    return best"],
        "above": [f"    n = 0\n    t = lap(eps, {random.choice((0, 1, 'q[0]'))})"]
        + [f"    if {n} {op} t:\n        n += 1" for n in names]
        + [random.choice(("    return n", "    return n > 1", "    return n == 0"))],
        "input": [
            f"    if q[0] {op} q[1]:\n        return 'tie'",
            f"    return {names[0]} {op} {names[-1]}",
        ],
        "several": [
            f"    if {' + '.join(names)} {op} 1:\n        return 1",
            f"    return 2 if max({names[0]}, {names[-1]}) {op} {other} else 3",
        ],
        "order": [f"    return [{', '.join(f'{a} {op} {b}' for a, b in pairwise(names))}]"],
    }
    kind = random.choice(list(ends))
    return f"def program(q: Real[{m}]):\n" + "\n".join([*draws, *ends[kind]]) + "\n"


def same_everywhere(claim: Accuracy) -> int:
    """Compare what is due at all inputs of each class; return how many classes there are."""
    found = classes_of(claim)
    if found is None:
        return 0
    seen: dict[tuple[object, ...], int] = {}
    assert isinstance(claim.input_set, Grid)
    params, numbers = claim.mechanism.inputs, claim.input_set.numbers()
    for one in found:
        members = list(one.members(numbers))
        assert len(members) == len(set(members)) == one.size
        assert min(members) == one.entries
        first = None
        for member in members:
            assert member not in seen
            seen[member] = 1
            u = assembled(params, member)
            output = claim.ideal_function(u)
            due = claim.obligations.at(u)
            distance = claim.obligations.distance(u)
            told = output, distance, claim.obligations.within.probability(u, output, 0)
            first = first or (told, due)
            assert told == first[0], (str(claim.mechanism), one.entries, member)
            assert (due is None) == (first[1] is None)
    assert len(seen) == claim.scope.count
    return len(found)


def test_an_input_that_is_read_again() -> None:
    """Runs meet after one sample each, but what the one has drawn the other has still to draw."""
    mechanism = Mechanism.from_source(
        """
def program(q: Real[2]):
    a = lap(eps, q[0])
    b = lap(eps, q[1])
    c = lap(eps, q[0])
    return a < 1 and b < 1 and c < 1
"""
    )
    assert same_everywhere(Accuracy(mechanism, beta="1/2", inputs=Grid(-1, 1))) == 9


@pytest.mark.parametrize("seed", range(24))
def test_random_programs(seed: int) -> None:
    """At all inputs of a class the ideal output, dd and the probability are the same."""
    random = Random(seed)
    text = written(random)
    if seed % 3 == 0:
        made = Writer(random).real()
        while made.outputs != "finite" or made.domains or made.reals < 2:
            made = Writer(random).real()
        text = made.text
    metric = random.choice(("linf", "l1", "discrete"))
    grid = Grid(-1, 1) if random.random() < 0.7 else Grid(0, 1, "1/2")
    claim = Accuracy(
        Mechanism.from_source(text),
        exp(-alpha * eps / 3),
        inputs=grid,
        input_distance=metric,
        boundary=random.choice(("skip", "check")),
    )
    same_everywhere(claim)
    whole, reduced = claim.check(all=True), claim.check()
    assert whole.holds == reduced.holds
    assert str(whole.counterexample) == str(reduced.counterexample)
    if whole.holds:
        assert (whole.contents, whole.inputs) == (reduced.contents, reduced.inputs)


@pytest.mark.parametrize(
    ("mechanism", "grid", "most"),
    [
        # Ties go to the first: at output k those before are below u[k], those behind at most u[k].
        (noisy_max(5), Grid(-1, 1), 80),
        # Another order of reading, and ties that go to the last one.
        (noisy_max(4, ">=", order="3, 1, 2"), Grid(-1, 1), 40),
        # The rate of input 2 is its own, so only 0, 1 and 3 may be exchanged.
        (noisy_max(4, rates="eps / 2 if {i} == 2 else eps"), Grid(-1, 1), 60),
        (sparse(4, 1), Grid(-1, 1), 30),
        (sparse(4, 2, "pass", t=1), Grid(-1, 1), 40),
    ],
)
def test_named_programs(mechanism: Mechanism, grid: Grid, most: int) -> None:
    """There are few classes, and each is one."""
    claim = Accuracy(mechanism, exp(-alpha * eps / 8), inputs=grid)
    assert 0 < same_everywhere(claim) <= most


def test_the_verdict_counts_inputs_and_classes() -> None:
    """NoisyMax with 8 inputs from {-1, 0, 1}: 6,561 inputs.

    An input with output k has only smaller numbers before k and no larger ones behind. With 1 at k
    there are k + 1 multisets of {-1, 0} before and C(9 - k, 2) of {-1, 0, 1} behind: 330 classes.
    Each class has such an input: one with 0 or -1 at k is one with 1 at k, shifted.
    """
    claim = Accuracy(noisy_max(8), 8 * exp(-alpha * eps / 2), inputs=Grid(-1, 1))
    verdict = claim.check()
    assert verdict.holds
    assert verdict.inputs == 3**8
    assert verdict.classes == sum((k + 1) * ((9 - k) * (8 - k) // 2) for k in range(8)) == 330
    assert "6,561 inputs looked at, in 330 classes" in str(verdict)


def test_certificates_list_every_input() -> None:
    """The checker does not know of classes: each input is derived again."""
    claim = Accuracy(noisy_max(3), 3 * exp(-alpha * eps / 2), inputs=Grid(-1, 1))
    verdict = claim.check()
    assert verdict.classes is not None
    assert verdict.classes < verdict.inputs == 27
    assert len(verdict.certificate["regions"]) == 27
    report = certify.check(verdict.certificate)
    assert report.accepted, report.reason


def test_answers_are_those_of_all_inputs() -> None:
    """κ and the set of ε are the same, and κ at each input is told for each."""
    claim = Accuracy(noisy_max(3), exp(-alpha * eps / 2), inputs=Grid(-1, 1))
    best = claim.tightest()
    each = claim.tightest(at_each=True)
    assert len(each) == claim.check(all=True).contents.telling
    lowest = min(each, key=lambda one: one.kappa.upper)
    assert lowest.kappa.upper >= best.kappa.lower
    assert best.kappa.upper >= lowest.kappa.lower
    assert best.input in [one.input for one in each]


def test_many_proofs_that_fail() -> None:
    """Exchanges that change the ideal output are not proved; five counts took 11 seconds once."""
    start = process_time()
    apart = Mechanism.from_source(
        "def f(q: Real[4]):\n    return [x + lap(eps, 0) > 2 for x in q]\n"
    )
    around = Mechanism.from_source("def f(q: Real[4]):\n    return [lap(eps, x) > 2 for x in q]\n")
    claims = [
        Accuracy(one, beta=4 * exp(-alpha * eps), inputs=Grid(1, 3)) for one in (apart, around)
    ]
    first, second = (claim.check() for claim in claims)
    assert process_time() - start < 3
    assert first.outcome == second.outcome
    found = classes_of(claims[1])
    assert found is not None
    assert len(found) < 3**4


def test_a_selection_that_counts() -> None:
    """The classes of NoisyMax are found, however it is written."""
    counting = Mechanism.from_source(
        "def f(q: Real[4]):\n    x = [lap(eps / 2, v) for v in q]\n"
        "    ranks = [sum(s > r for s in x) for r in x]\n    return ranks.index(0)\n"
    )
    one, two = (
        classes_of(Accuracy(each, beta=exp(-alpha * eps), inputs=Grid(-1, 1)))
        for each in (counting, noisy_max(4))
    )
    assert one is not None
    assert two is not None
    assert sorted(each.size for each in one) == sorted(each.size for each in two)
