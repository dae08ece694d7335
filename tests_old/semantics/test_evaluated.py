"""Probabilities that are evaluated and not expanded, against the same ones expanded."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx

from exactdp import Accuracy, Interval, Mechanism, alpha, eps, exp, infimum, nonnegative
from exactdp.errors import ValueRefusedError
from exactdp.reals import ClosedForm, solution_set
from exactdp.reals.evaluated_zeros import OpenSignError
from exactdp.reals.least_ratio import least_ratio
from exactdp.reals.limits import dominant
from exactdp.reals.numbers import exact
from exactdp.reals.unexpanded import Unexpanded, ball_at
from exactdp.semantics import chances, engine, plan

_ALL = Interval(0, lower_open=True)

_MAX = """
def largest(q: Real[{m}]):
    best, top = 0, {noise}(eps / {rate}, q[0])
    for i in range(1, {m}):
        r = {noise}(eps / {rate}, q[i])
        if r > top:
            best, top = i, r
    return best
"""

_ABOVE = """
def above(q: Real[{m}]):
    t = lap(eps / 2, 0)
    out = []
    for i in range({m}):
        out = out + [{noise}(eps / {rate}, q[i]) >= t]
    return out
"""

_COUNT = """
def count(q: Real[{m}]):
    n = 0
    for i in range({m}):
        if {noise}(eps / {rate}, q[i]) >= 1:
            n = n + 1
    return n
"""


def _both(
    source: str, q: list[Fraction], output: object, monkeypatch: pytest.MonkeyPatch
) -> tuple[ClosedForm, Unexpanded]:
    """Return the same probability expanded and not expanded."""
    expanded = Mechanism.from_source(source).probability(q, output)
    with monkeypatch.context() as patch:
        patch.setattr(engine, "_MOST_TERMS", -1)
        patch.setattr(plan, "_MANY", 0)
        evaluated = Mechanism.from_source(source).probability(q, output)
    assert isinstance(evaluated, Unexpanded)
    return expanded, evaluated


def _case(seed: int) -> tuple[str, list[Fraction], object]:
    """Return a random program with its input and an output; some inputs are equal."""
    pick = random.Random(seed)
    m = pick.randint(2, 6)
    q = [Fraction(pick.randint(-30, 30), pick.choice((1, 2, 3, 7))) for _ in range(m)]
    if pick.random() < 0.3:
        q[-1] = q[0]
    program = pick.choice((_MAX, _ABOVE, _COUNT))
    source = program.format(m=m, noise=pick.choice(("lap", "expo")), rate=pick.choice((1, 2, 3)))
    if program is _MAX:
        return source, q, max(range(m), key=q.__getitem__)
    if program is _ABOVE:
        return source, q, [x >= 0 for x in q]
    return source, q, sum(x >= 1 for x in q)


@pytest.mark.parametrize("seed", [0, 1, 2, 7])
def test_against_expansion(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values, behaviour at 0 and ∞, signs, sets of ε and least quotients are those expanded."""
    form, other = _both(*_case(seed), monkeypatch)
    monkeypatch.setattr(chances, "_MOST_EXPANDED", -1)
    (chance, _), *_ = other.parts
    for point in ("1/1000000", "1", "13", "300"):
        for one, two in ((form, other), (1 - form, 1 - other)):
            exact, value = one.at(point), two.at(point)
            assert exact.lower <= value.upper
            assert value.lower <= exact.upper
    with ctx.workprec(200):
        for number in (1, 300):
            missed = chance.value(arb(number), True)
            assert missed.rel_accuracy_bits() > 100
            assert missed.overlaps(ball_at(1 - form, Fraction(number)))
    slope = form.derivative()
    assert chance.start == (form.limit(0), slope.limit(0))
    for cost, one in zip(chance.costs, (form, 1 - form), strict=True):
        assert cost <= -dominant(one.numerator)[0]
    for point in ("1/1000", "1", "5"):
        if chance.slope is not None:
            assert abs(float(slope.at(point))) <= chance.slope * (1 + 1e-9)
        if chance.bend is not None:
            assert abs(float(slope.derivative().at(point))) <= chance.bend * (1 + 1e-9)
    cost, start = chance.costs[1], 1 - chance.start[0]
    betas = [2 * exp(-cost * eps / 2), exp(-2 * cost * eps), start * exp(-eps / 8)]
    decided = 0
    for beta in betas:
        gap, evaluated = form - 1 + beta, other - 1 + beta
        try:
            found = nonnegative(evaluated)
            assert found.holds == nonnegative(gap).holds
            if found.witness is not None:
                assert gap.at(found.witness).sign < 0
            assert found.holds == (found.witness is None)
            assert str(solution_set(evaluated)) == str(solution_set(gap))
            decided += 1
        except OpenSignError:
            pass
    assert decided
    try:
        least = least_ratio(betas[0], 1 - other, _ALL, Fraction(1, 10**9))
    except OpenSignError:
        return
    exact_least = infimum(betas[0] / (1 - form))
    assert least.lower <= exact_least.upper
    assert exact_least.lower <= least.upper


_COINS = """
def coins(q: Real[3]):
    t = choose({{1: 1/3, 2: 1/2, 30: 1/6}})
    r = lap(eps / 2, q[0])
    if r > t:
        return 0
    s = {noise}(eps, q[1])
    if r > s or choose({{True: 1/4, False: 3/4}}):
        return 1
    return 2 if lap(eps, q[2]) > s else 1
"""


@pytest.mark.parametrize("noise", ["lap", "expo"])
@pytest.mark.parametrize("output", [0, 1, 2])
def test_what_misses_an_event(noise: str, output: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The complement is found from what leaves the paths to an event, also at choices."""
    q = [Fraction(10), Fraction(1, 3), Fraction(-2)]
    form, other = _both(_COINS.format(noise=noise), q, output, monkeypatch)
    ((chance, _),) = other.parts
    with ctx.workprec(100):
        for point in (Fraction(1, 100), Fraction(1), Fraction(40)):
            missed = chance.value(arb(exact(point)), True)
            assert missed.rel_accuracy_bits() > 60
            assert missed.overlaps(ball_at(1 - form, point))


_GAP = """
def gap(q: Real[3]):
    x = [lap(eps / 2, y) for y in q]
    best = 0
    for i in range(1, 3):
        if x[i] > x[best]:
            best = i
    return [best, x[best] - max([x[i] for i in range(3) if i != best])]
"""


def test_a_difference_of_noise_is_expanded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The density of a released difference is no function of one variable: it is not evaluated."""
    program, wanted = Mechanism.from_source(_GAP), [2, Interval(0, 1)]
    expected = program.probability([0, 1, 2], wanted)
    monkeypatch.setattr(engine, "_MOST_TERMS", -1)
    monkeypatch.setattr(plan, "_MANY", 0)
    found = Mechanism.from_source(_GAP).probability([0, 1, 2], wanted)
    assert found == expected
    monkeypatch.setattr(chances, "_MOST_EXPANDED", -1)
    with pytest.raises(ValueRefusedError, match="too many terms"):
        Mechanism.from_source(_GAP).probability([0, 1, 2], wanted)


def test_far_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of about e^{−5000} has its digits without thousands of bits.

    The difference of two Laplace variables of rate a exceeds g with probability
    (1/2 + a·g/4)·e^{−a·g}; here g = 10,000 and a = 1/2, and the third input is never the largest.
    """
    q = [Fraction(10**4), Fraction(0), Fraction(-(10**7), 3)]
    _, other = _both(_MAX.format(m=3, noise="lap", rate=2), q, 0, monkeypatch)
    ((chance, _),) = other.parts
    with ctx.workprec(100):
        missed = chance.value(arb(1), True)
        assert missed.rel_accuracy_bits() > 80
        expected = (arb(1) / 2 + 1250) * arb(-5000).exp()
        assert abs(missed / expected - 1) < arb(10) ** -25
    assert mpmath.log((1 - other).at(1, 5).lower) < -4990
    pick = random.Random(1)
    far = [Fraction(pick.randint(-(10**6), 10**6), pick.randint(1, 1000)) for _ in range(30)]
    largest = Mechanism.from_source(_MAX.format(m=30, noise="lap", rate=2))
    assert Accuracy(largest, beta=30 * exp(-alpha * eps / 2), inputs=[far]).check()


@pytest.mark.parametrize("gap", [10**6, 10**12, Fraction(1, 10**4)])
def test_the_least_quotient_at_a_distant_scale(
    gap: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The least quotient is found at any scale of the inputs, and enclosed as asked.

    The error is (1/2 + t/4)·e^{−t} with t = gap·ε/2. With β = e^{−3t/4}, the quotient
    e^{t/4}/(1/2 + t/4) is least at t = 2: it is e^{1/2} at ε = 4/gap.
    """
    q = [Fraction(gap), Fraction(0)]
    _, chance = _both(_MAX.format(m=2, noise="lap", rate=2), q, 0, monkeypatch)
    width = Fraction(1, 10**6)
    found = least_ratio(exp(-Fraction(3, 8) * gap * eps), 1 - chance, _ALL, width)
    with mpmath.workdps(60):
        assert found.lower <= Fraction(str(mpmath.exp(0.5))) <= found.upper
    assert found.upper - found.lower <= 2 * width
    assert float(found.at) * float(gap) == pytest.approx(4, rel=1e-2)


def _general(m: int) -> tuple[Mechanism, list[Fraction]]:
    pick = random.Random(m)
    q = [Fraction(pick.randint(-1000, 1000), pick.randint(100, 200)) for _ in range(m)]
    return Mechanism.from_source(_MAX.format(m=m, noise="lap", rate=2)), q


def test_general_position_against_quadrature() -> None:
    """Twenty inputs nobody could expand: the value is ∫ f_k ∏ F_i, found by mpmath."""
    mechanism, q = _general(20)
    k = max(range(20), key=q.__getitem__)
    chance = mechanism.probability(q, k)
    assert isinstance(chance, Unexpanded)
    for eps_value in (Fraction(1, 3),):
        rate = mpmath.mpf(eps_value.numerator) / eps_value.denominator / 2
        means = [mpmath.mpf(x.numerator) / x.denominator for x in q]

        def below(x: mpmath.mpf, mean: mpmath.mpf, rate: mpmath.mpf = rate) -> mpmath.mpf:
            half = mpmath.exp(-rate * abs(x - mean)) / 2
            return half if x < mean else 1 - half

        def density(
            x: mpmath.mpf, rate: mpmath.mpf = rate, means: list[mpmath.mpf] = means
        ) -> mpmath.mpf:
            own = rate / 2 * mpmath.exp(-rate * abs(x - means[k]))
            others = (below(x, mean, rate) for j, mean in enumerate(means) if j != k)
            return own * mpmath.fprod(others)

        ends = [-mpmath.inf, *sorted(means)[-6:], means[k] + 4 / rate, mpmath.inf]
        assert abs(float(chance.at(eps_value)) - mpmath.quad(density, ends)) < 1e-9


def test_claims_in_general_position() -> None:
    """Verdict, best constant, set of ε and curve; the constant at ε → 0 is m/(m − 1) by symmetry.

    With equal chances 1/m at ε = 0 the error is 1 − 1/m there, and β = e^{−αε/4} is 1.
    """
    mechanism, q = _general(18)
    claim = Accuracy(mechanism, beta=exp(-alpha * eps / 4), inputs=[q])
    verdict = claim.check()
    assert verdict.outcome == "holds"
    assert "certified arithmetic" in verdict.route
    with pytest.raises(ValueRefusedError, match="no certificate"):
        verdict.certificate  # noqa: B018
    assert claim.tightest().kappa.lower == claim.tightest().kappa.upper == Fraction(18, 17)
    assert str(claim.epsilons()) == "(0, ∞)"
    small = Accuracy(mechanism, beta=Fraction(1, 100), inputs=[q], alpha=0)
    found = small.check()
    assert found.outcome == "fails"
    assert found.counterexample.error.lower > found.counterexample.allowed.upper
    budget = small.smallest_epsilon()
    curve = small.error_probability(q)
    assert curve.at(budget.lower).lower >= Fraction(1, 100) - Fraction(1, 10**9)
    assert curve.at(budget.upper).upper <= Fraction(1, 100) + Fraction(1, 10**9)


def test_what_stays_open_is_said() -> None:
    """Of a β with the exponent of the error itself the best constant is not known."""
    mechanism, q = _general(18)
    claim = Accuracy(mechanism, beta=1000 * exp(-alpha * eps), inputs=[q], epsilon="[1, inf)")
    verdict = claim.check()
    assert verdict.outcome in ("undecided", "fails")
    if verdict.holds is None:
        assert "same exponent" in verdict.missing
