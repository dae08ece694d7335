"""The experiments of the paper's section 7 as claims; `experiments.toml` says what rows mean."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from claims.formulas import exp
from exactdp import Accuracy, Grid, alpha, discrete, eps, gamma, numeric, sup
from language.corpus import SHARED

#: Rows whose verdict is another one for the pseudocode that the paper prints: (program, m, c, κ).
OTHERWISE_IN_THE_FIGURE = {
    ("sparse_variant", 3, 2, 13): "fails",
    ("numeric_sparse", 3, 1, 4): "holds",
    ("numeric_sparse", 3, 2, 6): "holds",
}


@dataclass(frozen=True)
class Experiment:
    """A row of a table, for the program that the artifact ran or the one that the figure shows."""

    table: str
    program: str
    source: str
    """artifact or figure."""
    m: int
    c: int
    grid: tuple[int, int]
    kappa: int
    inputs: int
    expect: str
    alpha: int = 0
    gamma: int = 0
    witness: tuple[tuple[int, ...], Fraction] | None = None

    @property
    def mechanism(self) -> Any:
        """The program."""
        artifact = self.source == "artifact"
        if self.program == "sparse_variant":
            return SHARED["sparse_variant"](self.m, self.c, artifact=artifact)
        if self.program == "numeric_sparse":
            return SHARED["numeric_sparse" + "_artifact" * artifact](self.m, self.c)
        if self.program == "sparse":
            return SHARED["sparse"](self.m, self.c)
        return SHARED[self.program](self.m)

    def claim(self, kappa: object = None, **changes: Any) -> Accuracy:
        """Return what is checked, with another κ and other conventions if they are given."""
        m, c = self.m, self.c
        beta: Any
        given: dict[str, Any] = {"boundary": "check"}
        if self.program in ("sparse", "sparse_variant"):
            beta = 2 * m * c * exp(-alpha * eps / (8 * c))
        elif self.program == "noisy_max":
            beta = m * exp(-alpha * eps / 2)
        elif self.program == "laplace":
            beta = m * exp(-gamma * eps)
            given = {"alpha": 0, "gamma": self.gamma, "input_distance": discrete}
            given["output_distance"] = sup
        else:
            beta = (2 * m + 1) * c * exp(-alpha * eps / (9 * c))
            given |= {"alpha": self.alpha, "gamma": alpha, "input_distance": numeric}
            given["output_distance"] = sup
        beta = beta / (self.kappa if kappa is None else kappa)
        given["inputs"] = Grid(*self.grid)
        return Accuracy(self.mechanism, beta, **(given | changes))

    def __str__(self) -> str:
        size = f"{self.program} {self.source} {self.m},{self.c} α={self.alpha} γ={self.gamma}"
        return f"{self.table} {size} {list(self.grid)} κ={self.kappa}"


ROWS = Path(__file__).parents[2] / "src" / "exactdp" / "reproduce" / "experiments.toml"


def _experiments() -> list[Experiment]:
    text = ROWS.read_text(encoding="utf-8")
    found = []
    for row in tomllib.loads(text)["row"]:
        two = row["program"] in ("sparse_variant", "numeric_sparse")
        for source in ("artifact", "figure") if two else ("artifact",):
            key = row["program"], row.get("m"), row.get("c"), row["kappa"]
            expect = row["expect"]
            if source == "figure":
                expect = OTHERWISE_IN_THE_FIGURE.get(key, expect)
            witness = None
            if "witness_input" in row:
                witness = tuple(row["witness_input"]), Fraction(row["witness_eps"])
            found.append(
                Experiment(
                    table=row["table"],
                    program=row["program"],
                    source=source,
                    m=row.get("m", row.get("k")),
                    c=row.get("c", 1),
                    grid=tuple(row["range"]),
                    kappa=row["kappa"],
                    inputs=row["inputs"],
                    expect=expect,
                    alpha=row.get("alpha", 0),
                    gamma=row.get("gamma", 0),
                    witness=witness,
                )
            )
    return found


EXPERIMENTS = _experiments()
