"""Random claims about a program: near the truth, where a wrong answer would show."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from random import Random
from typing import Any

import exactdp
from exactdp import Accuracy, Mechanism
from support.oracle import Program, value

from .programs import Made

inf = float("inf")
SMALL = ("1/1000", "1/100", "1/20", "1/8", "1/4", "1/2", "3/4")
LARGE = ("1", "3/2", "2", "3", "4", "6", "8", "12", "20", "40", "80")
GRID = tuple(map(Fraction, (*SMALL, *LARGE)))
COARSE = tuple(map(Fraction, ("1/20", "1/2", "1", "2", "4", "12")))
"""For programs whose integrals take long; every window of ε has some of them."""
WINDOWS = ("(0, 1]", "[1/2, 4]", "[1, inf)", "[2, 2]", "(1/4, 8)")
NUMBERS = tuple(map(Fraction, ("0", "0", "1", "1", "2", "-1", "1/2", "-1/2", "3", "1/3", "-2")))


@dataclass(frozen=True)
class Claim:
    """A claim in words that both sides read: texts of formulas, names of distances."""

    program: str
    beta: str
    alpha: str = "ANY"
    gamma: str = "Fraction(0)"
    ideal: str | None = None
    input_distance: str = "linf"
    output_distance: str = "discrete"
    inputs: str = "None"
    epsilon: str = "(0, inf)"
    boundary: str = "skip"
    agreement: str = "equal"

    def accuracy(self, mechanism: Mechanism | None = None) -> Accuracy:
        """Return the claim as exactdp takes it."""
        names = {name: getattr(exactdp, name) for name in exactdp.__all__} | {"Fraction": Fraction}

        def read(text: str) -> Any:
            return eval(text, names)

        return Accuracy(
            mechanism or Mechanism.from_source(self.program),
            read(self.beta),
            read(self.alpha),
            read(self.gamma),
            ideal=None if self.ideal is None else exactdp.Ideal.from_source(self.ideal),
            input_distance=self.input_distance,
            output_distance=self.output_distance,
            inputs=read(self.inputs),
            epsilon=self.epsilon,
            boundary=self.boundary,
            agreement=self.agreement,
        )

    def __str__(self) -> str:
        parts = [f"{name}={getattr(self, name)!r}" for name in list(vars(self))[1:]]
        return f"{self.program}{', '.join(parts)}"


@lru_cache(4096)
def level(text: str) -> Any:
    """Return α or γ: a formula, or the ends of a range."""
    return value(text, ANY=(Fraction(0), inf))


def window(text: str) -> tuple[Fraction, Any]:
    """Return the ends of an interval of ε."""
    low, high = text.strip("([])").split(",")
    return Fraction(low), inf if high.strip() == "inf" else Fraction(high.strip())


@dataclass(frozen=True)
class Question:
    """A claim, and inputs of it at which the oracle looks."""

    claim: Claim
    points: tuple[tuple[Any, ...], ...]
    is_listed: bool
    """Whether these are all inputs."""


class Asker:
    """Makes up claims about a program."""

    def __init__(self, random: Random, made: Made) -> None:
        self.random, self.made = random, made
        self.program = Program(made.text)

    def pick(self, *options: str) -> str:
        """Return one of the options."""
        return self.random.choice(options)

    def question(self) -> Question:
        """Return a claim with a bound that is not yet near the truth."""
        made = self.made
        inputs, points, is_listed = self.inputs()
        claim = Claim(
            made.text,
            "Fraction(1)",
            ideal=made.ideal,
            inputs=inputs,
            boundary=self.pick("skip", "skip", "check"),
            epsilon=self.pick(*WINDOWS) if self.random.random() < 0.25 else "(0, inf)",
            alpha=self.pick(
                "ANY", "ANY", "Fraction(0)", "Fraction(1, 4)", "(0, 1)", "(Fraction(1, 4), 2)"
            ),
            input_distance=self.pick("linf", "linf", "linf", "l1", "discrete"),
        )
        if made.outputs == "numbers":
            claim = replace(
                claim,
                output_distance="sup",
                input_distance=self.pick("discrete", "discrete", "discrete", "linf", "numeric"),
                alpha=self.pick("Fraction(0)", "Fraction(0)", "ANY", "(0, Fraction(1, 2))"),
                gamma=self.pick(
                    "Fraction(1)", "Fraction(1, 2)", "Fraction(2)", "ANY", "Fraction(0)"
                ),
            )
            if is_listed and level(claim.gamma) == level("ANY"):
                claim = replace(claim, gamma="Fraction(3, 2)")  # all γ are for all inputs only
            elif self.random.random() < 0.03:
                claim = replace(claim, gamma=self.pick("2 / eps", "Fraction(1, 2) / eps"))
        elif self.random.random() < 0.2:
            claim = replace(
                claim,
                output_distance=self.pick("sup", "discrete"),
                gamma=self.pick("Fraction(0)", "Fraction(1)", "ANY", "(0, 1)", "Fraction(1, 2)"),
            )
        if made.outputs == "positions" and self.random.random() < 0.4:
            claim = replace(
                claim,
                output_distance="value_gap",
                gamma=self.pick("Fraction(0)", "alpha", "Fraction(1, 2)", "ANY", "2 * alpha"),
                agreement=self.pick("equal", "output_distance"),
            )
        if self.random.random() < 0.01:
            claim = replace(claim, alpha=self.pick("1 / eps", "Fraction(1, 3) / eps"))
        return Question(replace(claim, beta=self.bound(claim)), points, is_listed)

    def bound(self, claim: Claim) -> str:
        """Return a bound that falls with α, γ and ε, mostly."""
        rate = self.pick("", "", " / 2", " / 4", " / 8", " * 2")
        names = ["alpha"] if "alpha" not in claim.gamma or self.random.random() < 0.5 else ["gamma"]
        if "Fraction(0)" not in claim.gamma and claim.output_distance != "discrete":
            names.append("gamma")
        main = f"exp(-{self.pick(*names)} * eps{rate})"
        other = f"exp(-{self.pick(*names)} * eps{self.pick('', ' / 3', ' / 2')})"
        number = self.pick("Fraction(1, 10)", "Fraction(1, 3)", "Fraction(1, 100)")
        return self.pick(
            main,
            main,
            f"{main} + {number}",
            f"{main} + {other}",
            f"2 * {main} / (1 + eps)",
            f"{number} + exp(-eps)",
            f"(1 + eps) * {main}",
            "Fraction(1, 2)",
            f"minimum({main}, 3 * {other})",
            f"minimum({main} + {number}, 2 * {other})",
        )

    # Inputs -----------------------------------------------------------------------------

    def number(self) -> Fraction:
        """Return a real number of an input."""
        return self.random.choice(NUMBERS)

    def entry(self) -> tuple[Any, ...]:
        """Return a random input."""
        domains = self.program.domains
        return tuple(self.number() if d is None else self.random.choice(d) for d in domains)

    def inputs(self) -> tuple[str, tuple[tuple[Any, ...], ...], bool]:
        """Return inputs as text, some of them as points, and whether these are all."""
        made, kind = self.made, self.random.random()
        if not made.reals and kind < 0.5:
            points = list(product(*(d for d in self.program.domains if d is not None)))
            return "None", tuple(points), True
        if made.reals and kind < 0.025 and not made.hard:
            points = [self.entry() for _ in range(4)]
            return "AllReals()", tuple(points), False
        if made.reals and kind < 0.05 and not made.hard:
            low = self.random.choice((-1, 0, Fraction(1, 2)))
            inside = [self._within(low, low + 2) for _ in range(4)]
            return f"Box({low!r}, {low + 2!r})", tuple(inside), False
        if made.reals == 1 and kind < 0.13:
            points = list(
                product(
                    *(
                        [Fraction(k) for k in (-1, 0, 1)] if d is None else d
                        for d in self.program.domains
                    )
                )
            )
            return "Grid(-1, 1)", tuple(points), True
        count = self.random.choice((1, 1, 1, 2))
        points = list(dict.fromkeys(self.entry() for _ in range(count)))
        return f"[{', '.join(map(self.written, points))}]", tuple(points), True

    def _within(self, low: Any, high: Any) -> tuple[Any, ...]:
        return tuple(
            low + (high - low) * Fraction(self.random.randint(0, 12), 12)
            if d is None
            else self.random.choice(d)
            for d in self.program.domains
        )

    def written(self, entries: tuple[Any, ...]) -> str:
        """Return an input as a user writes it."""
        given = self.program.given(entries)
        return repr(given[0] if len(given) == 1 else tuple(given))
