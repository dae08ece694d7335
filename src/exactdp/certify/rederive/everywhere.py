"""Certificates of claims about all real inputs, or about all α and γ at given ones.

Everything is scaled by ε: θ = (ε, εx, …, εα, εγ). A space of parameters is cut by a tree of linear
forms, each with a branch where it is not negative and one where it is not positive, so the leaves
cover it. At a leaf the ideal output, dd (not larger than stated), the probability and β are
re-derived as functions on its whole cone (see `parametric`), α and γ follow from them, and the
sign of Pr − 1 + β is that of a sum which is proved not to be negative on a cone around the leaf.
What holds inside a cone holds on its sides by continuity, as long as the same is claimed there.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import Any

from ..kernel.cones import Region, UndecidedError, Vector
from ..kernel.orthants import ConeSign, sum_of
from ..kernel.reading import Interval, RejectedError, Sum, Terms, counted
from . import formulas, values
from .formulas import Tree
from .linear import Form, is_number, plain
from .obligations import Due, Point, due, follows, top
from .parametric import At, Inside, OnCone, number_of, parts, vector_of
from .ratios import Ratio, UnsupportedError, plus, times
from .spaces import Space, Spaces

_LEAF = "output distance steps obligations"
_OBLIGATION = "alpha alpha_reached gamma gamma_reached probability beta"
_DEEPEST = 400

_ZERO = Fraction(0)


class Everywhere(Spaces):
    """One pass over the certificate of a claim on cones; what is not proved raises."""

    def __init__(self) -> None:
        super().__init__()
        self.cones: list[ConeSign] = []
        self.leaves = 0
        self.silent = 0

    # The whole ------------------------------------------------------------------------

    def checked(self, parts: dict[str, Any]) -> str:
        """Check everything and return what was proved, as a sentence."""
        verdict = self.verdict(parts)
        examples = self.counterexamples(parts["counterexamples"], verdict)
        listed, signs = self.entries(parts["spaces"]), self.entries(parts["signs"])
        self.where = "the spaces"
        self.require(verdict == "holds" or not (listed or signs), "nothing else is proved")
        if verdict == "fails":
            many = counted(examples, "counterexample")
            what = f"the claim fails: {many} {'is' if examples == 1 else 'are'} proved"
            return f"{what}; {self.account()}"
        if verdict == "undecided":
            return "the claim is undecided, so nothing is proved of it"
        for k, one in enumerate(signs):
            self.where = f"sign {k}"
            proof = ConeSign(self)
            proof.read(one)
            self.cones.append(proof)
        spaces = [self.space(k, one) for k, one in enumerate(listed)]
        self.where = "the spaces"
        faces = self.all_there(spaces)
        self.falling(spaces)
        for k, (space, one) in enumerate(zip(spaces, listed, strict=True)):
            self.where = f"space {k + 1}"
            self.tree(space, space.region, one["tree"], 0)
            flats = {other.flat() for other in spaces}
            self.jumps(space, flats)
            self.least(space, flats)
        return f"{self.said(len(spaces))}; {faces}; {self.account()}"

    def said(self, spaces: int) -> str:
        """Return what was checked, as a sentence."""
        methods: dict[str, int] = {}
        for proof in self.cones:
            for name, count in proof.methods.items():
                methods[name] = methods.get(name, 0) + count
        how = ", ".join(f"{count} by {name}" for name, count in sorted(methods.items()))
        return (
            f"the claim holds: {counted(self.leaves, 'cell')} of {counted(spaces, 'space')} "
            f"{'covers' if self.leaves == 1 else 'cover'} the inputs, "
            f"it says nothing on {self.silent} of them, the others are proved by "
            f"{counted(len(self.cones), 'sign')} on cones (simplicial parts: {how or 'none'})"
        )

    def falling(self, spaces: list[Space]) -> None:
        """Check that β falls where the largest α or γ is to stand for all."""
        fixed = [name for name in ("alpha", "gamma") if getattr(spaces[0], name) is None]
        if self.beta is None:
            raise UnsupportedError("β is a Python function")
        beta = self.beta
        if follows(*self.levels):
            beta = formulas.bound(beta, "gamma", self.levels[1])
        for name, level in zip(("alpha", "gamma"), self.levels, strict=True):
            if name in fixed and isinstance(level, Interval):
                right = formulas.falls(beta, name, self.sign_known)
                self.require(right, f"β is not seen to fall in {name}")

    def sign_known(self, form: Ratio) -> int | None:
        """Return the sign of a closed form at every ε of the claim, by a proof if need be.

        A quotient has the sign of the product of its parts, wherever it is defined. A proof will do
        if it is about ε alone, for every ε of the claim, and about the same function up to a
        factor c·ε^k·e^{qε} with c > 0.
        """
        seen = form.sign()
        if seen is not None:
            return seen
        over, under = form.terms()
        wanted = self.times(over, under)
        for proof in self.cones:
            if proof.size != 1 or any(side < 0 for (side,) in proof.sides):
                continue
            if not self.is_for_all(proof, [0]):
                continue
            shown = {(q, k): c for ((k,), (q,)), c in proof.function.items()}
            for sign in (1, -1):
                if _direction(shown) == _direction({key: sign * c for key, c in wanted.items()}):
                    return sign
        return None

    def is_for_all(self, proof: ConeSign, places: list[int]) -> bool:
        """Whether a sign is proved for all ε of the claim; `places` are those of its variables."""
        if proof.window is None:
            return True
        variable, lower, upper = proof.window
        inside = lower <= self.epsilon.lower and upper >= self.epsilon.upper
        return places[variable] == 0 and inside

    # Cells ----------------------------------------------------------------------------

    def tree(self, space: Space, region: Region, given: Any, depth: int) -> None:
        """Check a tree of comparisons down to its leaves."""
        self.require(depth < _DEEPEST, "too deep")
        self.require(isinstance(given, dict), "not a tree")
        if "form" in given:
            form, above, below = self.fields(given, "form above below")
            side = self.form(form, space.size)
            self.require(any(side), "a comparison of equal forms")
            self.tree(space, region.cut(side), above, depth + 1)
            self.tree(space, region.cut([-q for q in side]), below, depth + 1)
            return
        (cell,) = self.fields(given, "cell")
        if cell is None:
            self.require(not region.is_full, "a cell is left out")
            return
        self.require(region.is_full, "a cell has no inputs inside")
        self.leaves += 1
        here = self.where
        self.where = f"{here}, cell {self.leaves}"
        try:
            self.cell(space, region, cell)
        except UndecidedError as error:
            self.require(False, str(error))
        self.where = here

    def value(self, given: Any, size: int) -> Any:
        """Read an output, whose numbers may be forms."""
        if isinstance(given, list):
            return tuple(self.value(one, size) for one in given)
        if isinstance(given, dict) and "form" in given:
            form = self.form(self.fields(given, "form")[0], size)
            return At(form) if any(form[1:]) else plain(form[0])
        return values.value(self, given)

    def number(self, given: Any, region: Region) -> Any:
        """Read a form, as a number to calculate with, or "inf"."""
        return inf if given == "inf" else number_of(self.form(given, region.size), Inside(region))

    def cell(self, space: Space, region: Region, given: Any) -> None:
        """Check what is said of one cell."""
        output, distance, steps, obligations = self.fields(given, _LEAF)
        size = space.size
        ideal, dd = self.value(output, size), self.number(distance, region)
        found = self.derive(
            "ideal outputs on cells",
            lambda: parts(region, lambda part: self.on(space, part).ideal() == ideal),
        )
        self.require(found is None or all(found), "the ideal output is another one")
        if dd != inf:
            space.distances.add(self.beyond(space, region, dd))
            self.derive(
                "distances to disagreement (not larger) on cells",
                lambda: self.near(space, region, ideal, vector_of(dd, size)),
            )
        wanted = self.due(space, region, dd, steps)
        if wanted is None:
            self.require(obligations is None and steps is None, "nothing is claimed here")
            self.silent += 1
            return
        self.obligations(space, region, ideal, wanted, steps, obligations)

    def beyond(self, space: Space, region: Region, dd: Any) -> Vector:
        """Return dd minus the least α, as a form."""
        level = self.levels[0]
        is_range = isinstance(level, Interval)
        least = level.lower if is_range else self.line(level, space, Inside(region), {})
        return vector_of(dd - least, space.size)

    def on(self, space: Space, region: Region) -> OnCone:
        """Return the program on a cone."""
        return OnCone(self.derivation, region, space.entries)

    def near(self, space: Space, region: Region, ideal: Any, limit: Vector) -> None:
        """Check that inputs that disagree are no further than stated."""
        right = parts(region, lambda part: self.on(space, part).is_near(ideal, limit))
        if not all(right):
            right = parts(region, lambda part: self.on(space, part).can_be_near(ideal, limit))
            self.require(all(right), "no input that disagrees is as near as stated")
            raise UnsupportedError("no set of inputs that disagree is near on all of a cell")

    def due(self, space: Space, region: Region, dd: Any, steps: Any) -> list[Due] | None:
        """Return what must be shown on a cell; None if the claim says nothing there."""
        judge = Inside(region)
        level, gamma = self.levels
        if space.alpha is not None:
            alpha = number_of(space.alpha.form, judge)
            right = alpha < dd or (self.closed and alpha == dd)
            if not (right and _is_in(level, alpha)):
                return None
            highest: tuple[Any, bool] | None = (alpha, True)
        elif isinstance(level, Interval):
            highest = top(level, dd, {}, closed=self.closed)
        else:
            fixed = self.line(level, space, judge, {})
            right = fixed < dd or (self.closed and fixed == dd)
            highest = (fixed, True) if right else None
        if highest is None:
            return None
        if space.gamma is not None:
            radius = number_of(space.gamma.form, judge)
            if not _is_in(gamma, radius):
                return None
            return [Due(Point(*highest, radius, True), radius)]
        if isinstance(gamma, Interval):
            listed = [self.number(one, region) for one in self.entries(steps)]
            right = listed[:1] == [0]
            right = right and all(a < b for a, b in pairwise(listed))
            self.require(right, "the values of the output distance are not 0 and rising")
            return list(due(self.levels, highest, {}, listed))
        moves = follows(*self.levels) and space.alpha is None
        self.require(steps is None and not moves, "γ moves with α")
        radius = self.line(gamma, space, judge, {"alpha": highest[0]})
        return [Due(Point(*highest, radius, True), radius)]

    def line(self, tree: Tree, space: Space, judge: Inside, more: dict[str, Any]) -> Any:
        """Return the value of a formula that is linear in the input and α."""
        match tree:
            case ("form", Ratio() as form):
                number = form.constant()
                if number is None:
                    raise RejectedError(f"{self.where}: α or γ depends on ε")
                return plain(number)
            case ("name", name):
                if name in more:
                    return more[name]
                return self.entry(name, space, judge)
            case ("+", left, right):
                return self.line(left, space, judge, more) + self.line(right, space, judge, more)
            case ("*" | "/" as op, left, right):
                one = self.line(left, space, judge, more)
                two = self.line(right, space, judge, more)
                return one * two if op == "*" else Fraction(1) * one / Fraction(two)
        raise RejectedError(f"{self.where}: α or γ is not linear")

    def entry(self, name: str, space: Space, judge: Inside) -> Any:
        """Return a number of the input by its name in formulas."""
        self.require(name in self.entry_names, "a name in a formula is not known")
        found = space.entries[self.entry_names.index(name)]
        return number_of(found.form, judge) if isinstance(found, At) else found

    def obligations(
        self,
        space: Space,
        region: Region,
        ideal: Any,
        wanted: list[Due],
        steps: Any,
        given: Any,
    ) -> None:
        """Check all that is due on a cell: its closed forms, β, and the signs."""
        size = space.size
        betas = [self.betas_on(one.point, size) for one in wanted]
        pairs = [
            (one, beta) for one, beta in zip(wanted, betas, strict=True) if beta is None or beta
        ]
        stated: list[Any] = []
        for one, (due_here, expected) in zip(self.entries(given, len(pairs)), pairs, strict=True):
            a, a_reached, g, g_reached, chance, alternatives = self.fields(one, _OBLIGATION)
            right = type(a_reached) is bool and type(g_reached) is bool
            at = Point(self.number(a, region), a_reached, self.number(g, region), g_reached)
            self.require(right and at == due_here.point, "α and γ do not follow from the claim")
            probability = self.quotient_on(chance, size)
            stated.append((due_here.radius, probability))
            self.signs_on(region, probability, alternatives, expected)
        found = self.derive(
            "closed forms on cells",
            lambda: parts(region, lambda part: self.agrees(space, part, ideal, steps, stated)),
        )
        self.require(found is None or all(found), "the program has another probability")

    def agrees(
        self, space: Space, region: Region, ideal: Any, steps: Any, stated: list[Any]
    ) -> bool:
        """Whether the program has the probabilities that are stated, on a part of a cell."""
        program = self.on(space, region)
        judge = Inside(region)
        for radius, (over, under) in stated:
            here = number_of(vector_of(radius, region.size), judge) if radius != inf else inf
            if times(program.sum(ideal, here), under) != over:
                return False
        space.compared |= program.mechanism.compared
        if steps is None:
            return True
        listed = [self.number(one, region) for one in steps]
        found = program.steps(ideal)
        return len(listed) == len(found) and all(
            bool(a == b) for a, b in zip(listed, found, strict=True)
        )

    def quotient_on(self, given: Any, size: int) -> tuple[Sum, Sum]:
        """Read a quotient of sums."""
        over, under = (sum_of(self, one, size) for one in self.pair(given))
        self.require(under, "a denominator is 0")
        return over, under

    def betas_on(self, point: Point, size: int) -> list[tuple[Sum, Sum]] | None:
        """Return the forms of which β is the least on a cell."""

        def derived() -> list[tuple[Sum, Sum]]:
            beta = self.beta
            if follows(*self.levels):
                beta = formulas.bound(beta, "gamma", self.levels[1])
            others = formulas.names(beta) - {"alpha", "gamma"}
            self.require(others <= set(self.entry_names), "a name in β is not known")
            if others:
                raise UnsupportedError("β depends on the input")
            given = {
                name: Fraction(value) if is_number(value) else value
                for name, value in (("alpha", point.alpha), ("gamma", point.gamma))
            }
            forms: list[Vector | None] = [None]
            forms += [
                vector_of(value, size) if isinstance(value, Form) else None
                for value in given.values()
            ]
            return [substituted(one, forms, size) for one in formulas.beta(beta, given)]

        return self.derive("β on cells", derived)

    def signs_on(
        self,
        region: Region,
        probability: tuple[Sum, Sum],
        given: Any,
        expected: list[tuple[Sum, Sum]] | None,
    ) -> None:
        """Check the forms of β, and that Pr − 1 + β ≥ 0 for each of them is proved."""
        forms: list[tuple[Sum, Sum]] = []
        size = region.size
        for alternative in self.entries(given):
            form, gap, sign, kept = self.fields(alternative, "form gap sign kept")
            beta = self.quotient_on(form, size)
            forms.append(beta)
            (p, q), (b, d) = probability, beta
            over = plus(times(b, q), times(d, plus(p, _minus(q))))
            under = times(d, q)
            if gap is not None:
                top_, below = self.quotient_on(gap, size)
                self.require(times(top_, under) == times(over, below), "not Pr − 1 + β")
                over, under = top_, below
            proof = self.cones[self.integer(sign, 0, len(self.cones) - 1)]
            places = [self.integer(k, 0, size - 1) for k in self.entries(kept, proof.size)]
            self.require(len(set(places)) == len(places), "a parameter is there twice")
            self.require(self.is_for_all(proof, places), "the sign is proved for other ε")
            function: Sum = {}
            for (powers, rates), c in proof.function.items():
                key = [0] * size, [_ZERO] * size
                for k, power, rate in zip(places, powers, rates, strict=True):
                    key[0][k], key[1][k] = power, rate
                function[tuple(key[0]), tuple(key[1])] = c
            right = function == times(over, under)
            self.require(right, "the sign is that of another function")
            right = region.is_within(proof.sides, places)
            self.require(right, "the sign is proved on a cone that leaves out a part of the cell")
        self.require(forms, "there is no β")
        if expected is not None:
            right = all(any(_equal(a, b) for b in expected) for a in forms)
            right = right and all(any(_equal(a, b) for b in forms) for a in expected)
            self.require(right, "β is not as claimed")


def _is_in(level: Interval, number: Any) -> bool:
    """Whether a number, perhaps a form, is in a range."""
    above = number > level.lower or (level.lower_closed and number == level.lower)
    below = number < level.upper or (level.upper_closed and number == level.upper)
    return bool(above and below)


def _direction(one: Terms) -> Terms:
    """Return a sum in ε up to a factor c·ε^k·e^{qε} with c > 0."""
    first = min(one)
    least = min(k for _, k in one)
    return {(q - first[0], k - least): c / abs(one[first]) for (q, k), c in one.items()}


def _minus(one: Sum) -> Sum:
    return {key: -c for key, c in one.items()}


def _equal(one: tuple[Sum, Sum], two: tuple[Sum, Sum]) -> bool:
    return times(one[0], two[1]) == times(two[0], one[1])


def substituted(form: Ratio, forms: list[Vector | None], size: int) -> tuple[Sum, Sum]:
    """Return a quotient in (ε, αε, γε) with linear forms for αε and γε."""
    least = [
        min((key[0][v] for part in (form.over, form.under) for key in part), default=0)
        for v in range(3)
    ]
    shift = [-min(k, 0) for k in least]
    unit = tuple(Fraction(k == 0) for k in range(size))
    images = [unit, *forms[1:]]
    found: list[Sum] = []
    for part in (form.over, form.under):
        total: Sum = {}
        for (powers, rates), c in part.items():
            rate = [_ZERO] * size
            term: Sum = {((0,) * size, (_ZERO,) * size): c}
            for v, image in enumerate(images):
                power, slope = powers[v] + shift[v], rates[v]
                if image is None:
                    if powers[v] or slope:
                        raise UnsupportedError("β has no value at an infinite α or γ")
                    continue
                rate = [a + slope * b for a, b in zip(rate, image, strict=True)]
                for _ in range(power):
                    term = times(term, _linear(image))
            moved = {(key[0], tuple(rate)): d for key, d in term.items()}
            total = plus(total, moved)
        found.append(total)
    return found[0], found[1]


def _linear(form: Vector) -> Sum:
    size = len(form)
    flat = (_ZERO,) * size
    return {(tuple(int(j == k) for j in range(size)), flat): q for k, q in enumerate(form) if q}
