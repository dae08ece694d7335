"""Signs of exact sums on a line: complete.

A sum f(ε) = P(ε, e^{ε/N}) ≥ 0 on a window is decided by its first derivative that is not 0 at 0,
its dominant term at ∞, and boxes between them. If a box does not get clear, f is divided by
squares: the roots ε ≠ 0 of what is left are simple (Lindemann), so there either every box gets
clear or a sign changes.
"""

from __future__ import annotations

from fractions import Fraction

from ..geometry.domain import Domain
from ..messages import Reason
from ..ring.enclose import Taylor, ball, degree_for, point, precision, sign
from ..ring.expsum import ExpSum
from ..run import progress
from .goal import Goal, Open, Proof, Square, Walk, Witness, Zero

CLOSE = 30
"""Halvings of a box before squares are divided out.

A simple root is seldom closer to a box's end than 2^−30 of it.
"""

DEEPEST = CLOSE << 9
"""Halvings after which a sign is given up: two roots that are closer than 2^−15,000 do not occur.

Only sums whose roots may be multiple (with constants, or of a huge degree) come here.
"""


def decide(goal: Goal) -> Proof | Witness | Open:
    """Return whether the gap is ≥ 0 for every ε of the window."""
    f = goal.gap
    if not f:
        return Zero()
    answer = _walk(f, goal.on, CLOSE)
    if answer is not None:
        return answer
    odd, root = f.odd_part()
    depth = CLOSE
    while answer is None and depth <= DEEPEST:
        answer, depth = _walk(odd, goal.on, depth), 2 * depth
    if isinstance(answer, Walk):
        return Square(odd, root, answer)
    return answer or Open(Reason.TOO_TIGHT)


def _walk(f: ExpSum, on: Domain, depth: int) -> Walk | Witness | None:
    """Return a proof, a witness, or None where a box is not clear after `depth` halvings.

    For a sum with simple roots some depth is enough: around a point where f is not 0 boxes get
    clear, around a simple root some middle is on the negative side.
    """
    _, b = f.dominant()
    f = f * ExpSum.exp(-Fraction(b, f.unit))
    with precision(64 + max(0, f.bits()) + 4 * depth):
        return _walked(f, on, depth, degree_for(f.bits()))


def _walked(f: ExpSum, on: Domain, depth: int, degree: int) -> Walk | Witness | None:
    low, high = on.ends
    order, near, far, start = 0, None, None, low
    if low == 0:
        order, near, positive = _near(f)
        start = near
        if not positive:
            return Witness(_simple(near / 2, near) if high is None else min(near, high) / 2)
    if high is None:
        high = far = _far(f, max(start, Fraction(1)))
        if sign(f.lead.value()) < 0:
            return Witness(far)
    if start >= high:
        return Walk(order, near, far, (), degree)
    taylor = Taylor(f, degree)
    stack, ends = [(start, high, depth)], [start]
    while stack:
        a, b, left = stack.pop()
        progress(len(ends), None, "finding the sign on interval")
        seen = sign(taylor.over(a, b))
        if seen > 0:
            ends.append(b)
            continue
        if seen < 0:
            return Witness(_simple(a, b))
        if left == 0:
            return None
        middle = (a + b) / 2
        if sign(taylor.value(middle)) < 0:
            return Witness(_simple_near(middle, (b - a) / 4, taylor))
        stack += [(middle, b, left - 1), (a, middle, left - 1)]
    return Walk(order, near, far, tuple(ends), degree)


def _near(f: ExpSum) -> tuple[int, Fraction, bool]:
    """Return the order of the first derivative g that is not 0 at 0, a point, and its sign.

    Up to the point g has one sign; it is returned whether it is positive. Terminates: f is not 0,
    so `order_at_zero` ends, and g is continuous.
    """
    order, g, near = f.order_at_zero(), f, Fraction(1)
    for _ in range(order):
        g = g.derivative()
    while not (seen := sign(g.value(ball(0, near)))):
        near /= 2
    return order, near, seen > 0


def _far(f: ExpSum, start: Fraction) -> Fraction:
    """Return a point beyond which the dominant term, c·ε^k, is larger than all others together.

    Each quotient of another term and the dominant one must decrease from there on; then it is
    enough that their sum is below 1 at the point. Terminates because all of them tend to 0.
    """
    top, _ = f.dominant()
    lead = f.lead.value()
    others = [
        (k - top, Fraction(b, f.unit), abs(c.value() / lead))
        for (k, b), c in f.coefficients().items()
        if (k, b) != (top, 0)
    ]
    far = start
    while True:
        if all(k <= -b * far for k, b, _ in others):
            x = point(far)
            if sum((c * x**k * (x * point(b)).exp() for k, b, c in others), point(0)) < 1:
                return far
        far *= 2


def _simple(a: Fraction, b: Fraction) -> Fraction:
    """Return the positive rational of [a, b] with the smallest power of two as its denominator."""
    n = 1
    while not 0 < (k := -(-a.numerator * n // a.denominator)) <= b * n:
        n *= 2
    return Fraction(k, n)


def _simple_near(m: Fraction, radius: Fraction, taylor: Taylor) -> Fraction:
    """Return a simple rational near a point where a sum is negative, where it is negative too."""
    found = _simple(m - radius, m + radius)
    return found if sign(taylor.value(found)) < 0 else m
