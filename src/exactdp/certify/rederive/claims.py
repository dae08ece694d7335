"""Certificates of whole claims: a mechanism is (α, β, γ)-accurate at given inputs.

Re-checked is that every input is there, that α and γ follow from the claim and the distance to
disagreement dd, that each sign problem is Pr − 1 + β, and its proof. Re-derived from the claim are
β at α and γ, also in the limit; and from the program's source the ideal output, dd (as far as the
verdict needs it: from above where the claim holds, from below at a counterexample), and Pr. What
cannot be re-derived is taken from the solver, counted and named in the report.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import Any, TypeVar

from ..kernel.cones import Region
from ..kernel.reading import Interval, RejectedError, counted
from ..kernel.signs import Signs
from . import formulas, values
from .derivation import Input, single
from .formulas import Number, Tree
from .obligations import Due, Point, due, follows, top
from .parametric import OnCone
from .ratios import Ratio, UnsupportedError
from .statement import Statement

_RECORD = "input output distance near beta steps obligations"
_OBLIGATION = "alpha alpha_reached gamma gamma_reached probability beta"
_COUNTEREXAMPLE = "input output distance eps alpha gamma probability beta actual required bits"

T = TypeVar("T")


class Record:
    """What the certificate says of one input."""

    def __init__(self, u: Input, program: OnCone, output: Any, dd: Number, beta: Tree) -> None:
        self.input = u
        self.program = program
        self.output = output
        self.dd = dd
        self.beta = beta
        self.is_claimed = False  # whether the claim says anything
        self.shown = 0  # obligations


class Claims(Statement):
    """One pass over the certificate of a claim; what is not proved raises."""

    def __init__(self) -> None:
        self.derived: dict[str, int] = {}
        self.not_derived: dict[str, list[str]] = {}
        self.signs: list[tuple[Ratio, bool]] = []

    @property
    def taken(self) -> tuple[str, ...]:
        """What was not re-derived, with the reason."""
        return tuple(
            f"{what} ({len(reasons)} of {len(reasons) + self.derived.get(what, 0)}): {reasons[0]}"
            for what, reasons in self.not_derived.items()
        )

    def derive(self, what: str, how: Callable[[], T]) -> T | None:
        """Return what is re-derived, or note that it is not."""
        try:
            found = how()
        except UnsupportedError as error:
            self.not_derived.setdefault(what, []).append(str(error))
            return None
        self.derived[what] = self.derived.get(what, 0) + 1
        return found

    # The whole ------------------------------------------------------------------------

    def checked(self, parts: dict[str, Any]) -> str:
        """Check everything and return what was proved, as a sentence."""
        verdict = self.verdict(parts)
        for k, one in enumerate(self.entries(parts["signs"])):
            self.signs.append(self.sign(k, one))
        listed = self.entries(parts["inputs"])
        self.where = "the inputs"
        complete = len(listed) == len(self.inputs)
        self.require(
            complete or (verdict != "holds" and len(listed) < len(self.inputs)), "not all there"
        )
        records = [self.record(k, one, verdict) for k, one in enumerate(listed)]
        self.where = "the claim"
        if verdict == "holds" and any(record.is_claimed for record in records):
            self.hypotheses()
        examples = self.counterexamples(parts["counterexamples"], verdict)
        shown = sum(record.shown for record in records)
        silent = sum(not record.shown for record in records)
        where = counted(len(records), "input")
        what = (
            f"{counted(shown, 'obligation')} at {where} {'was' if shown == 1 else 'were'} checked"
        )
        what += f" (nothing is due at {silent} of them)"
        said = {
            "holds": f"the claim holds: {what}, each is proved",
            "fails": f"the claim fails: {what}, and {counted(examples, 'counterexample')} "
            f"{'is' if examples == 1 else 'are'} proved",
            "undecided": f"the claim is undecided, so nothing is proved of it: {what}",
        }[verdict]
        return f"{said}; {self.account()}"

    def verdict(self, parts: dict[str, Any]) -> str:
        """Read the verdict."""
        verdict, reason = parts["verdict"], parts["reason"]
        self.require(verdict in ("holds", "fails", "undecided"), "the verdict is not known")
        right = isinstance(reason, str) and (reason == "" or verdict == "undecided")
        self.require(right, "the reason does not fit the verdict")
        return str(verdict)

    def counterexamples(self, given: Any, verdict: str) -> int:
        """Check the counterexamples, and return how many there are."""
        examples = self.entries(given)
        self.where = "the counterexamples"
        self.require(bool(examples) == (verdict == "fails"), "do not fit the verdict")
        for k, one in enumerate(examples):
            self.where = f"counterexample {k + 1}"
            self.counterexample(one)
        return len(examples)

    def account(self) -> str:
        """Return what was re-derived and what was not, as a sentence."""
        derived = ", ".join(f"{what} ({count})" for what, count in self.derived.items())
        said = f"re-derived independently: {derived or 'nothing'}"
        taken = "; ".join(self.taken) or "nothing"
        return f"{said}; taken from the solver, not re-derived: {taken}"

    def sign(self, k: int, given: Any) -> tuple[Ratio, bool]:
        """Check one proof of a sign, and return the function and whether it is ≥ 0."""
        claim, verdict, proof = self.fields(given, "claim verdict proof")
        self.where = f"sign {k}"
        checker = self.proved_sign(claim, verdict, proof)
        right = not checker.strict and checker.on == self.epsilon
        self.require(right, "not ≥ 0 for every ε of the claim")
        return Ratio.of(checker.numerator, checker.denominator), verdict == "holds"

    def proved_sign(self, claim: Any, verdict: Any, proof: Any) -> Signs:
        """Check a proof about a function of one variable; what it is about is in the result."""
        checker = Signs()
        checker.work = self.work
        try:
            checker.read_claim(claim)
            checker.proved(verdict, proof)
        except RejectedError as error:
            self.require(False, str(error))
        self.work = checker.work
        return checker

    def hypotheses(self) -> None:
        """Re-derive that β falls where the largest α or γ is to stand for all."""
        if self.beta is not None:
            self.derive("that β falls", lambda: self.falls(self.beta))

    def falls(self, beta: Tree) -> None:
        """Require that β falls in what is not fixed."""
        if follows(*self.levels):
            beta = formulas.bound(beta, "gamma", self.levels[1])
        for name, level in zip(("alpha", "gamma"), self.levels, strict=True):
            if isinstance(level, Interval) and not formulas.falls(beta, name, self.sign_known):
                raise UnsupportedError(f"β is not seen to fall in {name}")

    def sign_known(self, form: Ratio) -> int | None:
        """Return the sign of a closed form at every ε of the claim, by a proof if need be."""
        seen = form.sign()
        if seen is not None:
            return seen
        proved = [function for function, holds in self.signs if holds]
        return 1 if form in proved else -1 if -form in proved else None

    # One input ------------------------------------------------------------------------

    def record(self, k: int, given: Any, verdict: str) -> Record:
        """Check what is said of one input."""
        self.where = f"input {k + 1}"
        parts = dict(zip(_RECORD.split(), self.fields(given, _RECORD), strict=True))
        u = values.an_input(self, parts["input"], self.kinds)
        self.require(u == self.inputs[k], "not the input that is due here")
        beta = self.beta_of(parts["beta"], verdict)
        record = self.point(u, parts["output"], parts["distance"], beta)
        near = parts["near"]
        self.require(near is None or record.dd != inf, "there is no nearest input that disagrees")
        if near is not None or (verdict == "holds" and record.dd != inf):
            what = "distance to disagreement (not larger)"
            self.derive(what, lambda: self.nearest(record, near))
        self.obliged(record, parts["steps"], parts["obligations"], verdict)
        return record

    def point(self, u: Input, output_given: Any, dd_given: Any, beta: Tree) -> Record:
        """Read the ideal output and dd at an input, and re-derive the first."""
        output, dd = values.value(self, output_given), values.distance(self, dd_given)
        found = self.derive("ideal outputs", lambda: (self.derivation.ideal(u),))
        self.require(found is None or found[0] == output, "the ideal output is another one")
        ray = Region(1, self).cut((Fraction(1),))  # only ε moves
        return Record(u, OnCone(self.derivation, ray, single(u)), output, dd, beta)

    def beta_of(self, given: Any, verdict: str) -> Tree:
        """Return the formula for β at an input."""
        if self.beta is not None:
            self.require(given is None, "β is given twice")
            return self.beta
        beta = formulas.read(self, given)
        what = "β as a function of the input"
        self.not_derived.setdefault(what, []).append("it is a Python function")
        if verdict == "holds":
            self.derive("that β falls", lambda: self.falls(beta))
        return beta

    def nearest(self, record: Record, near: Any) -> None:
        """Check that an input that disagrees is no further than stated."""
        if near is None:
            raise UnsupportedError("the certificate names no nearest input")
        at, towards = self.fields(near, "at towards")
        members = self.derivation.members
        v = [values.value(self, one) for one in self.entries(at, len(members))]
        right = all(map(values.is_entry, v, members))
        self.require(right, "the nearest input is not of the kind that the program takes")
        slopes = None
        if towards is not None:
            slopes = [self.rational(one) for one in self.entries(towards, len(v))]
            right = all(m is None for slope, m in zip(slopes, members, strict=True) if slope)
            self.require(right, "an entry of a finite domain cannot move a little")
        found = self.derivation.reached(record.input, record.output, v, slopes)
        self.require(found is not None, "the nearest input that is given does not disagree")
        self.require(found == record.dd, "the nearest input is not as far away as stated")

    def obliged(self, record: Record, steps: Any, obligations: Any, verdict: str) -> None:
        """Check the obligations at one input: all that are due, with their β and their signs."""
        numbers = values.numbers_of(record.input, self.names, self.kinds)
        alpha = top(self.levels[0], record.dd, numbers, closed=self.closed)
        if alpha is None:
            right = obligations is None and steps is None
            self.require(right, "the claim says nothing here, and something is checked")
            return
        record.is_claimed = True
        wanted: list[tuple[Due, list[Ratio] | None]] = []
        for one in due(self.levels, alpha, numbers, self.steps(record, steps)):
            expected = self.betas(record.beta, one.point.alpha, one.point.gamma, numbers)
            if expected != []:
                wanted.append((one, expected))
        here = self.where
        for k, given in enumerate(self.entries(obligations, len(wanted))):
            self.where = f"{here}, obligation {k + 1}"
            one, expected = wanted[k]
            a, a_reached, g, g_reached, chance, alternatives = self.fields(given, _OBLIGATION)
            right = type(a_reached) is bool and type(g_reached) is bool
            self.require(right, "reached is not true or false")
            at = Point(values.distance(self, a), a_reached, values.distance(self, g), g_reached)
            self.require(at == one.point, "α and γ do not follow from the claim")
            probability = self.quotient(chance)
            self.probability(record, one.radius, probability)
            holds = self.alternatives(probability, alternatives, expected)
            self.require(verdict != "holds" or holds, "it is not proved to hold")
            record.shown += 1

    def steps(self, record: Record, given: Any) -> list[Number] | None:
        """Return the values of the output distance, if the claim is about many γ."""
        if not isinstance(self.levels[1], Interval) and not follows(*self.levels):
            self.require(given is None, "values of the output distance are not needed")
            return None
        stated = [values.distance(self, one) for one in self.entries(given)]
        right = stated[:1] == [0] and all(a < b for a, b in pairwise(stated))
        self.require(right, "the values of the output distance are not 0 and rising")
        found = self.derive(
            "values of the output distance",
            lambda: record.program.steps(record.output),
        )
        self.require(found is None or found == stated, "the output distance has other values")
        return stated

    def betas(
        self, beta: Tree, alpha: Number, gamma: Number, numbers: dict[str, Number]
    ) -> list[Ratio] | None:
        """Return the forms of which β is the least, if they can be re-derived."""
        if follows(*self.levels):
            beta = formulas.bound(beta, "gamma", self.levels[1])
        given = {**numbers, "alpha": alpha, "gamma": gamma}
        return self.derive("β at α and γ", lambda: formulas.beta(beta, given))

    def probability(self, record: Record, radius: Number, stated: Ratio) -> None:
        """Compare a closed form with the one that the program has."""
        found = self.derive(
            "closed forms",
            lambda: record.program.ratio(record.output, radius),
        )
        self.require(found is None or found == stated, "the program has another probability")

    def alternatives(self, probability: Ratio, given: Any, expected: list[Ratio] | None) -> bool:
        """Check the forms of β, that each sign is that of Pr − 1 + β, and return if all hold."""
        forms: list[Ratio] = []
        holds = True
        for alternative in self.entries(given):
            form, sign = self.fields(alternative, "form sign")
            beta = self.quotient(form)
            forms.append(beta)
            if sign is None:
                self.require(not holds, "a sign is missing")
                continue
            function, is_proved = self.signs[self.integer(sign, 0, len(self.signs) - 1)]
            right = function == probability - 1 + beta
            self.require(right, "the sign is that of another function")
            holds = holds and is_proved
        self.require(forms, "there is no β")
        self.require(expected is None or _equal(forms, expected), "β is not as claimed")
        return holds

    # Counterexamples ------------------------------------------------------------------

    def counterexample(self, given: Any) -> None:
        """Check that at an input, ε, α and γ of the claim the probability is below 1 − β."""
        parts = dict(zip(_COUNTEREXAMPLE.split(), self.fields(given, _COUNTEREXAMPLE), strict=True))
        u = values.an_input(self, parts["input"], self.kinds)
        self.require(self.has_input(u), "the input is not one of the claim")
        eps, alpha, gamma = (self.rational(parts[name]) for name in ("eps", "alpha", "gamma"))
        self.require(self.epsilon.has(eps), "ε is not one of the claim")
        record = self.point(u, parts["output"], parts["distance"], self.beta)
        numbers = values.numbers_of(u, self.names, self.kinds)
        self.claimed(record, (eps, alpha, gamma), numbers)
        chance, beta = self.quotient(parts["probability"]), self.quotient(parts["beta"])
        self.probability(record, gamma, chance)
        if self.beta is None:
            what = "β as a function of the input"
            self.not_derived.setdefault(what, []).append("it is a Python function")
        else:
            forms = self.betas(self.beta, alpha, gamma, numbers)
            self.require(forms is None or beta in forms, "β is not as claimed")
        ends = parts["actual"], parts["required"]
        self.refuted(eps, self.bits(parts["bits"]), chance, beta, ends)

    def has_input(self, u: Input) -> bool:
        """Whether the claim is about an input."""
        return u in self.inputs

    def claimed(
        self, record: Record, at: tuple[Fraction, Fraction, Fraction], numbers: dict[str, Number]
    ) -> None:
        """Check that the claim is made at this ε, α and γ."""
        eps, alpha, gamma = at
        for name, level, number in zip(("α", "γ"), self.levels, (alpha, gamma), strict=True):
            if isinstance(level, Interval):
                right = level.has(number)
            else:
                right = formulas.number(level, {**numbers, "alpha": alpha}, eps) == number
            self.require(right, f"the claim is not made at this {name}")
        right = alpha < record.dd or (self.closed and alpha == record.dd)
        self.require(right, "the claim is not made at this α")
        within, strict = (alpha, self.closed) if record.dd == inf else (Fraction(record.dd), True)
        agrees = self.derive(
            "distance to disagreement (not smaller)",
            lambda: record.program.agrees(record.output, within, strict=strict),
        )
        self.require(agrees is not False, "an input so close disagrees: nothing is claimed here")


def _equal(one: list[Ratio], two: list[Ratio]) -> bool:
    """Whether two lists have the same forms."""
    return all(form in two for form in one) and all(form in one for form in two)
