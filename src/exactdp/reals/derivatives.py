"""A fast exact proof that a sum is positive for every ε > 0: by the values of derivatives at 0."""

from __future__ import annotations

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
    parts = form.integer_parts()
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


def _derivative(rate: int, polynomial: list[int]) -> list[int]:
    """Return the polynomial q with q(x)·e^{rate·x} = d/dx p(x)·e^{rate·x}."""
    found = [rate * c for c in polynomial]
    for k in range(1, len(found)):
        found[k - 1] += k * polynomial[k]
    return found
