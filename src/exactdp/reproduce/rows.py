"""The rows of the paper's tables as claims; the notes in `experiments.toml` explain the rows."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Grid,
    Mechanism,
    alpha,
    discrete,
    eps,
    exp,
    gamma,
    numeric,
    sup,
)
from exactdp.reproduce import programs
from exactdp.reproduce.programs import ARTIFACT, FIGURE

TABLES = ("2a", "2b", "2c", "3a", "3b", "4a", "4b", "4c")
WORDS = {ARTIFACT: "executed", FIGURE: "printed"}
NAMES = {
    "sparse": "Sparse",
    "sparse_variant": "SparseVariant",
    "noisy_max": "NoisyMax",
    "laplace": "Laplace",
    "numeric_sparse": "NumericSparse",
}


def sources(program: str) -> tuple[str, ...]:
    """Return the sources of a program, the executed one first."""
    return (ARTIFACT, FIGURE) if program in ("sparse_variant", "numeric_sparse") else (ARTIFACT,)


def mechanism(program: str, m: int, c: int, source: str) -> Mechanism:
    """Return a program of the paper with m queries and cut-off c."""
    make: Any = getattr(programs, program)
    found: Mechanism
    if program in ("noisy_max", "laplace"):
        found = make(m)
    else:
        found = make(m, c) if program == "sparse" else make(m, c, source)
    return found


def bound(program: str, m: int, c: int) -> Any:
    """Return the β of the experiments."""
    if program in ("sparse", "sparse_variant"):
        return 2 * m * c * exp(-alpha * eps / (8 * c))
    if program == "noisy_max":
        return m * exp(-alpha * eps / 2)
    if program == "laplace":
        return m * exp(-gamma * eps)
    return (2 * m + 1) * c * exp(-alpha * eps / (9 * c))


@dataclass(frozen=True)
class Witness:
    """An input and an ε that the paper prints for a claim that fails."""

    input: tuple[int, ...]
    eps: Fraction


@dataclass(frozen=True)
class Row:
    """One experiment: its parameters, what was published, and how long it took."""

    table: str
    program: str
    m: int
    """The number of queries; the paper's k for Laplace."""
    c: int
    grid: tuple[int, int]
    kappa: int
    inputs: int
    """The number of inputs checked."""
    expect: str
    """The published verdict: holds or fails."""
    paper_seconds: int
    alpha: int = 0
    gamma: int = 0
    witness: Witness | None = None

    @classmethod
    def read(cls, facts: dict[str, Any]) -> Row:
        """Return a row of `experiments.toml`."""
        facts = dict(facts)
        facts["m"] = facts.pop("k", facts.get("m"))
        facts["grid"] = tuple(facts.pop("range"))
        if "witness_input" in facts:
            u, budget = facts.pop("witness_input"), facts.pop("witness_eps")
            facts["witness"] = Witness(tuple(u), Fraction(budget))
        return cls(**{"c": 1, **facts})

    @property
    def subject(self) -> tuple[object, ...]:
        """Everything but κ."""
        return self.program, self.m, self.c, self.alpha, self.gamma, self.grid

    @property
    def label(self) -> str:
        """A short unique name, suitable for a file name."""
        size = f"k{self.m}" if self.program == "laplace" else f"m{self.m}-c{self.c}"
        if self.program == "noisy_max":
            size = f"m{self.m}"
        levels = f"-alpha{self.alpha}" * (self.alpha > 0) + f"-gamma{self.gamma}" * (self.gamma > 0)
        return f"{self.table}-{self.program}-{size}{levels}-range{self.grid[1]}-kappa{self.kappa}"

    def claim(self, source: str = ARTIFACT, **changes: Any) -> Accuracy:
        """Return the claim about a program, with any changes applied.

        Inputs whose distance to disagreement equals α are checked, as the authors did.
        """
        given: dict[str, Any] = {
            "beta": bound(self.program, self.m, self.c) / self.kappa,
            "inputs": Grid(*self.grid),
            "boundary": "check",
        }
        if self.program == "laplace":
            given |= {"alpha": 0, "gamma": self.gamma, "input_distance": discrete}
        if self.program == "numeric_sparse":
            given |= {"alpha": self.alpha, "gamma": alpha, "input_distance": numeric}
        if self.program in ("laplace", "numeric_sparse"):
            given["output_distance"] = sup
        return Accuracy(
            mechanism(self.program, self.m, self.c, source),
            **(given | changes),
        )


@cache
def rows() -> tuple[Row, ...]:
    """Return the rows of the paper's tables 2 to 4, in order."""
    text = files("exactdp.reproduce").joinpath("experiments.toml").read_text(encoding="utf-8")
    return tuple(Row.read(facts) for facts in tomllib.loads(text)["row"])


@dataclass(frozen=True)
class Universal:
    """The claim of a row for all real inputs, and for all its possible α and γ."""

    program: str
    source: str
    m: int
    c: int
    kappa: int = 1

    @property
    def label(self) -> str:
        """A short unique name, suitable for a file name."""
        size = f"m{self.m}-c{self.c}-kappa{self.kappa}"
        return f"reals-{self.program}-{size}-{WORDS[self.source]}"

    def claim(self) -> Accuracy:
        """Return what is claimed.

        For NumericSparse, it is Theorem 6 if κ = 1, and otherwise its corollary with γ = α.
        """
        given: dict[str, Any] = {
            "beta": bound(self.program, self.m, self.c) / self.kappa,
            "inputs": AllReals(),
        }
        if self.program == "laplace":
            given |= {"alpha": 0, "gamma": ANY, "input_distance": discrete, "output_distance": sup}
        if self.program == "numeric_sparse":
            given |= {"gamma": alpha, "input_distance": numeric, "output_distance": sup}
            if self.kappa == 1:
                m, c = self.m, self.c
                given["gamma"] = ANY
                given["beta"] = 2 * m * c * exp(-alpha * eps / (9 * c)) + c * exp(
                    -gamma * eps / (9 * c)
                )
        return Accuracy(mechanism(self.program, self.m, self.c, self.source), **given)


def universal(*, every: bool = False) -> tuple[Universal, ...]:
    """Return the distinct claims of the rows, to be decided for all real inputs.

    Unless `every`, omit those about Sparse, SparseVariant and NumericSparse with four queries:
    they take minutes.
    """
    sizes = sorted({(list(NAMES).index(row.program), row.m, row.c) for row in rows()})
    found = []
    for number, m, c in sizes:
        program = list(NAMES)[number]
        if m == 4 and program != "noisy_max" and not every:
            continue
        kappas = {row.kappa for row in rows() if (row.program, row.m, row.c) == (program, m, c)}
        found += [
            Universal(program, source, m, c, kappa)
            for source in sources(program)
            for kappa in sorted(kappas)
        ]
    return tuple(found)
