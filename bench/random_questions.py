"""Random questions on public names, each with what the outside oracle sees of it.

The programs are those of the soak (`tests/soak/programs.py`), and so are the claims of accuracy;
the bounds of all claims are near the truth that the oracle finds by quadrature. The oracle looks at
some ε only, and computes with floats: it refutes, and never proves.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from bench.questions import Question

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from soak.claims import COARSE, GRID, Asker, Claim
from soak.compare import Array, Bench, least_ratio, near_truth
from soak.programs import Made, Writer

KINDS = ("accuracy", "errors", "privacy", "losses", "probabilities")
SHARES = (0.0, 0.1, -0.1, 0.01, -0.01, 1e-3, -1e-3, 0.5)
"""How far a bound is from the truth, in relation to it."""
_CLOSE = 1e-6
_TINY = 1e-60
_SECONDS = 10.0


@dataclass(frozen=True)
class Posed:
    """A question, and what the oracle sees."""

    question: Question
    least: float | None = None
    """The least of bound/truth that the oracle sees: below 1, a claim fails."""
    number: float | None = None
    """The number that is asked for."""

    def refutes(self, told: dict[str, Any]) -> str:
        """Return what the oracle has against an answer, or ""."""
        if self.number is not None and "number" in told:
            low, high = map(float, map(Fraction, told["number"]))
            slack = _CLOSE * max(1.0, abs(self.number))
            if not low - slack <= self.number <= high + slack:
                return f"it is {self.number!r}"
        if self.least is not None and told.get("outcome") == "holds" and self.least < 1 - _CLOSE:
            return f"bound/truth is {self.least!r} somewhere"
        return ""


class Poser:
    """Makes up questions; all that is random comes from one generator."""

    def __init__(self, seed: str) -> None:
        self.random = Random(seed)
        self.id = seed

    def posed(self, kind: str) -> Posed | None:
        """Return a question of a kind, or None if the program that was made up is of no use."""
        make: Callable[[Made, Bench], Posed | None] = getattr(self, f"_{kind}")
        writer = Writer(self.random)
        made = writer.program()
        while kind == "errors" and not _is_number(made):
            made = writer.known()
        return make(made, Bench(made.text, COARSE if made.hard else GRID))

    def _question(self, made: Made, ask: str) -> Question:
        program = (
            f"from fractions import Fraction\nfrom exactdp import *\n\n@mechanism\n{made.text}"
        )
        if made.ideal:
            program += f"\n@ideal\n{made.ideal}"
        return Question(self.id, program, ask, {"told": True}, "oracle: quadrature", _SECONDS)

    def _points(self, made: Made, few: int) -> list[tuple[Any, ...]]:
        asker = Asker(self.random, made)
        return list(dict.fromkeys(asker.entry() for _ in range(few)))

    def _shown(self, bench: Bench, points: list[tuple[Any, ...]]) -> list[str]:
        given = [bench.program.given(u) for u in points]
        return [repr(one[0] if len(one) == 1 else tuple(one)) for one in given]

    def _near(self, least: float | None) -> tuple[Fraction, float | None]:
        """Return by what a bound is scaled to be near the truth, and the least ratio after it."""
        if least is None:
            return Fraction(1), None
        scale = Fraction((1 + self.random.choice(SHARES)) / least).limit_denominator(10**7)
        return scale, float(scale) * least

    def _bound(self) -> tuple[str, Callable[[Array], Array]]:
        """Return a bound in ε as text, and as a function."""
        k = self.random.choice((1, 2, 4))
        bounds: list[tuple[str, Callable[[Array], Array]]] = [
            ("1", np.ones_like),
            (f"exp(-eps / {k})", lambda eps: np.exp(-eps / k)),
            (f"{k} / (1 + eps)", lambda eps: k / (1 + eps)),
            (f"exp(-{k} * eps) + Fraction(1, 10)", lambda eps: np.exp(-k * eps) + 0.1),
        ]
        return self.random.choice(bounds)

    # The kinds ----------------------------------------------------------------------------

    def _accuracy(self, made: Made, bench: Bench) -> Posed:
        asked = Asker(self.random, made).question()
        if self.random.random() < 0.9:
            asked, _ = near_truth(bench, asked, self.random.choice(SHARES))
        claim = asked.claim
        end = ".check()" if self.random.random() < 0.8 else ".tightest(width=Fraction(1, 1000))"
        ideal = "" if made.ideal is None else "ideal=wanted, "
        ask = (
            f"Accuracy(program, {claim.beta}, {claim.alpha}, {claim.gamma}, {ideal}"
            f"input_distance={claim.input_distance!r}, output_distance={claim.output_distance!r}, "
            f"inputs={claim.inputs}, epsilon={claim.epsilon!r}, boundary={claim.boundary!r}, "
            f"agreement={claim.agreement!r}){end}"
        )
        return Posed(self._question(made, ask), least_ratio(bench, asked)[0])

    def _errors(self, made: Made, bench: Bench) -> Posed:
        (u,) = self._points(made, 1)
        within = self.random.choice(("Fraction(1, 2)", "1", "2", "5"))
        claim = Claim(made.text, "1", output_distance="sup", input_distance="discrete")
        gamma = eval(within)
        (shown,) = self._shown(bench, [u])
        at = self.random.choice((Fraction(1, 2), Fraction(1), Fraction(4)))
        error = float(bench.at((at,)).error(claim, u, gamma)[0])
        start = f"ErrorBound(program, within={within}, inputs=[{shown}]"
        if self.random.random() < 0.5 or not 1e-3 < error < 0.6:
            return Posed(self._question(made, f"{start}).risk(eps={at!r})"), number=error)
        risk, least = self._near(1 / error)
        return Posed(self._question(made, f"{start}, risk={risk!r}).check(eps={at!r})"), least)

    def _privacy(self, made: Made, bench: Bench) -> Posed | None:
        points = self._points(made, 3)
        if made.outputs == "numbers" or len(points) < 2:
            return None
        multiple = self.random.choice((1, 2, 4))
        judge = bench.judge(Claim(made.text, "1", ideal=made.ideal))
        chances = [judge.distribution(u, bench.masses) for u in points]
        factor = np.exp(multiple * bench.eps)
        pairs = ", ".join(f"({a}, {b})" for a, b in permutations(self._shown(bench, points), 2))
        start = f"Privacy(program, {multiple} * eps, inputs=Pairs({pairs})"
        both = list(permutations(chances, 2))
        if self.random.random() < 0.3:
            most = max(float(np.max(sum(_excess(p, q, factor)))) for p, q in both)
            scale, least = self._near(1 / most if most > 1e-9 else None)
            delta = scale if least and scale < 1 else Fraction(1, 100)
            ask = f"{start}, delta={delta!r}).check()"
            return Posed(self._question(made, ask), float(delta) / most if most > 1e-9 else None)
        shares = [
            float(np.max(over / np.maximum(chance, _TINY)))
            for p, q in both
            for chance, over in zip(p.values(), _excess(p, q, factor), strict=True)
        ]
        return Posed(self._question(made, f"{start}).check()"), 1 - max(shares))

    def _losses(self, made: Made, bench: Bench) -> Posed | None:
        if made.outputs == "numbers":
            return None
        (u,) = self._points(made, 1)
        claim = Claim(made.text, "1", ideal=made.ideal)
        judge = bench.judge(claim)
        chances = judge.distribution(u, bench.masses)
        numbers = [o for o in chances if isinstance(o, int) and not isinstance(o, bool)]
        if self.random.random() < 0.5 or len(numbers) < len(chances):
            loss, expected = "'wrong'", bench.error(claim, u, Fraction(0))
        else:
            loss = self.random.choice(("lambda o: (o - 1) ** 2", "lambda o: abs(o) / 2"))
            expected = sum((float(eval(loss)(o)) * p for o, p in chances.items()), 0 * bench.eps)
        text, bound = self._bound()
        scale, least = self._near(_least(bound(bench.eps), expected))
        ideal = "" if made.ideal is None else "ideal=wanted, "
        (shown,) = self._shown(bench, [u])
        at_most = f"({text}) * {scale!r}"
        ask = f"Expected(program, {loss}, at_most={at_most}, {ideal}inputs=[{shown}]).check()"
        return Posed(self._question(made, ask), least)

    def _probabilities(self, made: Made, bench: Bench) -> Posed | None:
        if made.outputs == "numbers":
            return None
        (u,) = self._points(made, 1)
        at = self.random.choice((Fraction(1, 2), Fraction(1), Fraction(4)))
        there = bench.at((at,))
        chances = there.judge(Claim(made.text, "1", ideal=made.ideal)).distribution(u, there.masses)
        output = self.random.choice(sorted(chances, key=repr))
        (shown,) = self._shown(bench, [u])
        written = list(output) if isinstance(output, tuple) else output
        ask = f"program.probability({shown}, {written!r}).at({at!r})"
        return Posed(self._question(made, ask), number=float(chances[output][0]))


def _is_number(made: Made) -> bool:
    """Return whether outputs are numbers with noise, never None and never a list that grows."""
    return made.outputs == "numbers" and not ("None" in made.text or "out = []" in made.text)


def _least(bound: Array, truth: Array) -> float | None:
    """Return the least of bound/truth, None where it is not known or beyond floats."""
    if np.any(np.isnan(truth)) or not np.any(truth > _TINY):
        return None
    least = float(np.min(bound[truth > _TINY] / truth[truth > _TINY]))
    return least if 1e-6 < least < 1e6 else None


def _excess(one: dict[Any, Array], other: dict[Any, Array], factor: Array) -> Iterator[Array]:
    """Yield for each output by how much its probability is above a factor times the other's."""
    for output, p in one.items():
        yield np.maximum(0.0, p - factor * other.get(output, np.zeros_like(p)))
