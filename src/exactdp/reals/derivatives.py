"""A fast exact proof that a sum is positive for every ε > 0: by the values of derivatives at 0."""

from __future__ import annotations

import math

from exactdp.reals.exp_poly import ExpPoly

_MOST = 40  # derivatives, about one for each term


def rises_from_zero(form: ExpPoly) -> bool:
    """Whether repeated differentiation proves f(0) ≥ 0, and f(ε) > 0 for every ε > 0.

    With f = Σ pⱼ(ε)·e^{qⱼε}, the signs of f and of g = e^{−qε}·f for the least q are the same. In g
    that term is a polynomial, which vanishes after finitely many derivatives, and so do the other
    terms, one after the other. The last derivative is a constant. If it is positive, and each one
    before is nonnegative at 0, then each of them is positive for ε > 0, by integration.

    False if a value is negative, which proves nothing, or if there are no or many terms.
    """
    number = form.constant()
    if number is not None:
        return number > 0
    if max(len(form._poly), *form._poly.degrees()[:1]) > _MOST:
        return False
    parts = _integer_parts(form)
    if sum(len(p) for _, p in parts) > _MOST:
        return False
    while parts:
        low, first = parts[0]
        for _ in first:
            if sum([p[0] for _, p in parts]) < 0:
                return False
            parts = [(n, _derivative(n - low, p)) for n, p in parts]
        del parts[0]
    return True


def _integer_parts(form: ExpPoly) -> list[tuple[int, list[int]]]:
    """Return pairs (n, p) with f(ε) = c·e^{qε}·Σ p(x)·e^{nx}, for some c > 0, q and x = sε.

    All numbers are integers, s is positive, the smallest n comes first, and the coefficients of
    p begin with the constant one. Only for functions whose one parameter is ε.
    """
    terms, place = form._poly.to_dict(), len(form._names)
    over, under = form._step[0].numerator, form._step[0].denominator
    whole = math.lcm(*[int(c.q) for c in terms.values()])
    top = max([int(key[0]) for key in terms], default=0)
    parts: dict[int, list[int]] = {}
    for key, c in terms.items():
        power, part = int(key[0]), parts.setdefault(int(key[place]), [])
        part += [0] * (power + 1 - len(part))
        part[power] = int(c.p) * (whole // int(c.q)) * under**power * over ** (top - power)
    return sorted(parts.items())


def _derivative(rate: int, polynomial: list[int]) -> list[int]:
    """Return the polynomial q with q(x)·e^{rate·x} = d/dx p(x)·e^{rate·x}."""
    found = [rate * c for c in polynomial]
    for k in range(1, len(found)):
        found[k - 1] += k * polynomial[k]
    return found
