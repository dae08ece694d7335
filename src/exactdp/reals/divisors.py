"""Common divisors and squarefree parts of sums of exponentials.

A sum is a polynomial in ε and y = e^{step·ε}, up to a unit. When its degree in y is large,
as for e^{ε/9973} + e^{1000ε}, dense polynomial algorithms are too slow. Such a sum is first
lifted: the exponents are written as integer combinations of a few generators so that only short
relations between them are kept, and each generator becomes a separate variable. A common
divisor of the lifted polynomials is one of the sums; it may not be the greatest, so callers
that need the greatest pass `relations=0` for the dense computation.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import Ordering, fmpq, fmpq_mat, fmpq_mpoly, fmpq_mpoly_ctx, fmpq_poly, fmpz_mat
from flint.utils.flint_exceptions import DomainError

from exactdp.errors import ValueRefusedError
from exactdp.reals import native
from exactdp.reals.exp_poly import ExpPoly, eps, exp, same_steps
from exactdp.reals.exp_term import ExpTerm
from exactdp.reals.numbers import common_step, fraction, is_square

if TYPE_CHECKING:
    from collections.abc import Sequence

_DENSE_DEGREE = 300
_MOST_LIFTED_EXPONENTS = 60
SHORT = 4
"""The length of a + b = c + d, a relation between the exponents of a product of sums."""
_MOST_DENSE = 3_000_000  # largest degree in y for the dense algorithms, without ε …
_MOST_DENSE_WITH_EPS = 40_000  # … and with powers of ε
_MOST_IN_MANY = 10_000  # degree up to which common divisors in several parameters are computed


def lowest_terms(over: ExpPoly, under: ExpPoly, relations: int = SHORT) -> tuple[ExpPoly, ExpPoly]:
    """Return over/g and under/g for a common divisor g.

    It is the greatest if `relations` is 0, and otherwise unless degrees are large; it is 1 if
    finding one would take too long.
    """
    if not over:
        return over, ExpPoly(1)
    if under.is_unit or over.is_unit:
        return over, under
    above, below = same_steps(over, under)
    degree = max(int(n) for form in (above, below) for n in form._poly.degrees())
    if degree > _DENSE_DEGREE and set(over.parameters) | set(under.parameters) <= {"eps"}:
        return _lifted_lowest_terms(over, under, relations)
    slow = relations and native.seconds(above._poly, below._poly) > native.A_SECOND
    if degree > _MOST_IN_MANY or slow:
        return over, under
    common = native.gcd(above._poly, below._poly)
    return above._like(above._poly / common), below._like(below._poly / common)


def _lifted_lowest_terms(over: ExpPoly, under: ExpPoly, relations: int) -> tuple[ExpPoly, ExpPoly]:
    """Return the same for sums of large degree in ε alone."""
    frame = ExponentLattice.of([over, under], relations)
    above, below = (frame.polynomial(form) for form in (over, under))
    if relations and native.seconds(above, below) > native.A_SECOND:
        return over, under
    common = native.gcd(above, below)
    if common.is_constant():
        return over, under
    # The polynomials are the sums up to units e^{qε}, which the quotients get back.
    lifts = (_unit(over, frame.form(above)), _unit(under, frame.form(below)))
    return frame.form(above / common) * lifts[0], frame.form(below / common) * lifts[1]


def is_large(form: ExpPoly) -> bool:
    """Whether lifting may help: the degree in y is large and the terms are few."""
    frame = ExponentLattice.of([form], 0, dense=False)
    return max(frame.vectors) > _DENSE_DEGREE


def squarefree(form: ExpPoly, relations: int) -> list[tuple[ExpPoly, int]]:
    """Return [(Fⱼ, mⱼ)] with form = ∏ Fⱼ^mⱼ, the Fⱼ squarefree and pairwise coprime.

    With `relations` > 0 this is true of the lifted polynomials only: the product is right, but an
    Fⱼ may still have a multiple zero.
    """
    frame = ExponentLattice.of([form], relations)
    constant, factors = native.squarefree(frame.polynomial(form))
    if not factors:  # c·e^{qε}
        return [(form, 1)]
    found = [(frame.form(factor), power) for factor, power in factors]
    # The polynomial is the form up to e^{qε}; the first factor absorbs that.
    gap = form.terms[0].rate - sum(power * factor.terms[0].rate for factor, power in found)
    first, power = found[0]
    found[0] = first * exp(eps * (gap / power)), power
    return found if constant == 1 else [(ExpPoly(fraction(constant)), 1), *found]


def square_root(form: ExpPoly) -> tuple[Fraction, ExpPoly] | None:
    """Return (c, F) with form = c·F², None if there is no such F; fast for any degree."""
    parts = form.exponentials()
    ends = parts[max(parts)], parts[min(parts)]
    if any(p.degree() % 2 for p in ends):
        return None
    # The outermost terms of c·F² are c·f² and c·g².
    if not is_square(fraction(ends[0][ends[0].degree()] * ends[1][ends[1].degree()])):
        return None
    frame = ExponentLattice.of([form], 0, dense=False)
    polynomial = frame.polynomial(form)
    leading = polynomial.leading_coefficient()
    try:
        root = frame.form((polynomial / leading).sqrt())
    except DomainError:
        return None
    gap = form.terms[0].rate - 2 * root.terms[0].rate
    return fraction(leading), root * exp(eps * (gap / 2))


def _unit(form: ExpPoly, other: ExpPoly) -> ExpPoly:
    """Return form/other, known to be e^{qε}."""
    return exp(eps * (form.terms[0].rate - other.terms[0].rate))


def content(form: ExpPoly) -> fmpq_poly:
    """Return the greatest common divisor of the p in Σ p(ε)·e^{qε}, monic.

    Its zeros are the algebraic zeros of the form other than 0: where ε ≠ 0 is algebraic, the
    e^{qε} are linearly independent over the algebraic numbers (Lindemann–Weierstrass).
    """
    common = fmpq_poly()
    for polynomial in form.exponentials().values():
        common = common.gcd(polynomial)
        if common.degree() == 0:
            break
    return common


@dataclass(frozen=True)
class ExponentLattice:
    """Coordinates for exponents: q = low + step·(weights · exponent vector)."""

    ring: fmpq_mpoly_ctx
    step: Fraction
    weights: tuple[int, ...]
    vectors: dict[int, tuple[int, ...]]

    @classmethod
    def of(cls, forms: Sequence[ExpPoly], relations: int, *, dense: bool = True) -> ExponentLattice:
        """Return a frame in which all the forms are polynomials, with few large exponents.

        Lifted exponents satisfy the relations up to a length; with 0 nothing is lifted, and
        unless `dense` is False, a degree too large for dense algorithms is refused.
        """
        offsets = set()
        step = Fraction(0)
        for form in forms:
            rates = list(form.exponentials())
            step = common_step([step, *(rate - rates[0] for rate in rates)])
        step = step or Fraction(1)
        for form in forms:
            rates = list(form.exponentials())
            offsets |= {int((rate - rates[0]) / step) for rate in rates}
        exponents = sorted(offsets)
        weights: tuple[int, ...] = (1,)
        vectors: dict[int, tuple[int, ...]] = {n: (n,) for n in exponents}
        if exponents[-1] > _DENSE_DEGREE and relations:
            if len(exponents) <= _MOST_LIFTED_EXPONENTS:
                weights, vectors = _lifted(exponents, relations)
        elif dense:
            _refuse_hopeless(forms, exponents[-1])
        names = ("eps", *(f"y{j}" for j in range(len(weights))))
        return cls(fmpq_mpoly_ctx.get(names, Ordering.lex), step, weights, vectors)

    def polynomial(self, form: ExpPoly) -> fmpq_mpoly:
        """Return the form, up to a unit, as a polynomial of the frame without monomial factors."""
        parts = form.exponentials()
        lowest = min(parts)
        entries: dict[tuple[int, ...], fmpq] = {}
        for rate, polynomial in parts.items():
            vector = self.vectors[int((rate - lowest) / self.step)]
            for k, coefficient in enumerate(polynomial.coeffs()):
                if coefficient:
                    entries[(k, *vector)] = coefficient
        least = [min(key[j] for key in entries) for j in range(1, len(self.weights) + 1)]
        return self.ring.from_dict(
            {
                (key[0], *(n - m for n, m in zip(key[1:], least, strict=True))): value
                for key, value in entries.items()
            }
        )

    def form(self, polynomial: fmpq_mpoly) -> ExpPoly:
        """Return the sum that a polynomial of the frame represents."""
        terms = []
        for key, coefficient in polynomial.to_dict().items():
            n = sum(int(a) * b for a, b in zip(key[1:], self.weights, strict=True))
            rate = n * self.step
            terms.append(ExpTerm(fraction(coefficient), (("eps", int(key[0])),), (("eps", rate),)))
        return ExpPoly(terms)


def _refuse_hopeless(forms: Sequence[ExpPoly], degree: int) -> None:
    flat = all(p.degree() == 0 for form in forms for p in form.exponentials().values())
    if degree > (_MOST_DENSE if flat else _MOST_DENSE_WITH_EPS):
        raise ValueRefusedError(
            f"the exponents of this function span {degree} steps, and it seems to have a zero or "
            "a common divisor that only computations of that degree could show",
            rule="Sums with far apart exponents are decided where they are products of sparse "
            "sums, or have simple zeros only.",
            way_out="Give the factors one by one, or round the exponents to a common denominator.",
        )


def _lifted(
    exponents: list[int], relations: int
) -> tuple[tuple[int, ...], dict[int, tuple[int, ...]]]:
    """Return weights w and a vector v(n) for each exponent n with n = w · v(n).

    The vectors satisfy every short integer relation between the exponents and no long one.
    """
    rows = _integer_kernel([exponents])
    short = [row for row in rows if sum(map(abs, row)) <= relations]
    if short:
        basis = _integer_kernel(short)
    else:
        basis = [[int(i == j) for j in range(len(exponents))] for i in range(len(exponents))]
    # The vector of all exponents satisfies the relations: solve for it in the basis.
    columns = [list(column) for column in zip(*basis, strict=True)]
    weights = _solve(columns, exponents)
    return weights, {n: tuple(column) for n, column in zip(exponents, columns, strict=True)}


def _integer_kernel(rows: list[list[int]]) -> list[list[int]]:
    """Return a reduced basis of the integer vectors v with row · v = 0 for every row."""
    size = len(rows[0])
    heavy = 4**size * max(max(map(abs, row)) for row in rows) ** 2 + 1
    lattice = fmpz_mat(
        [[int(i == j) for j in range(size)] + [heavy * row[i] for row in rows] for i in range(size)]
    )
    kernel = []
    for row in lattice.lll().tolist():
        entries = [int(entry) for entry in row]
        if not any(entries[size:]):
            kernel.append(entries[:size])
    return kernel


def _solve(rows: list[list[int]], right: list[int]) -> tuple[int, ...]:
    """Return the integer w with row · w = right for all rows, known to exist and to be unique."""
    matrix = fmpq_mat([[fmpq(entry) for entry in row] for row in rows])
    normal = matrix.transpose() * matrix
    side = matrix.transpose() * fmpq_mat([[fmpq(entry)] for entry in right])
    return tuple(int(row[0].numerator) for row in normal.solve(side).tolist())


def polynomial_form(polynomial: fmpq_poly) -> ExpPoly:
    """Return a polynomial in ε as a sum without exponentials."""
    return ExpPoly(
        ExpTerm(fraction(c), (("eps", k),)) for k, c in enumerate(polynomial.coeffs()) if c
    )


def divided(form: ExpPoly, divisor: fmpq_poly) -> ExpPoly:
    """Return form/divisor for a polynomial in ε that divides it."""
    return ExpPoly(
        ExpTerm(fraction(c), (("eps", k),), (("eps", rate),))
        for rate, polynomial in form.exponentials().items()
        for k, c in enumerate((polynomial / divisor).coeffs())
        if c
    )
