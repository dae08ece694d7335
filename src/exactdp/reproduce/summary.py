"""The totals of the reproduction, and a summary sentence."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from exactdp.reproduce.differences import KINDS, Difference
from exactdp.reproduce.rows import Row
from exactdp.reproduce.run import Everywhere, Result

_SHORT = {
    "program": "{n} with another verdict for the printed program",
    "witness": "{n} with a witness of another program",
    "boundary": "{n} with a witness where the definition claims nothing",
    "tie": "{n} with a witness that miscounts a tie",
    "silent": "{n} that take dd ≥ α for dd > α",
    "misprint": "{n} with a misprinted bound",
}


@dataclass(frozen=True)
class Summary:
    """The totals of the reproduction."""

    results: tuple[Result, ...]
    differences: tuple[Difference, ...]
    everywhere: tuple[Everywhere, ...]

    @property
    def reproduced(self) -> int:
        """The number of rows with the published verdict, inputs and witness."""
        return sum(result.reproduced for result in self.results)

    @property
    def disputed(self) -> Counter[str]:
        """The number of rows by kind of difference; each row counts under its most serious one."""
        gravest: dict[Row, str] = {}
        for one in self.differences:
            gravest.setdefault(one.row, one.kind)
        return Counter(gravest.values())

    @property
    def seconds(self) -> float:
        """Our time for the rows, with the executed programs."""
        return sum(result.executed.seconds for result in self.results)

    @property
    def paper_seconds(self) -> int:
        """The authors' time for the same rows."""
        return sum(result.row.paper_seconds for result in self.results)

    @property
    def ratio(self) -> float:
        """The authors' time divided by ours."""
        return self.paper_seconds / self.seconds if self.seconds else 0.0

    def __str__(self) -> str:
        parts = []
        if self.results:
            parts.append(
                f"{self.reproduced} of {len(self.results)} rows reproduced in {self.seconds:.1f} s "
                f"(the authors: {self.paper_seconds:,} s, {self.ratio:,.0f} times as long)"
            )
            disputed = self.disputed
            said = [_SHORT[kind].format(n=disputed[kind]) for kind in KINDS if disputed[kind]]
            parts.append(
                f"in {disputed.total()} rows the paper's text and its experiments disagree"
                + (f" ({', '.join(said)})" if said else "")
            )
        if self.everywhere:
            counts = Counter(one.answer for one in self.everywhere)
            forms = {"holds": "hold", "fails": "fail", "undecided": "are undecided"}
            said = [f"{counts[word]} {form}" for word, form in forms.items() if counts[word]]
            spent = sum(one.seconds for one in self.everywhere)
            parts.append(
                f"{len(self.everywhere)} claims for all real inputs decided in {spent:.1f} s "
                f"({', '.join(said)})"
            )
        return f"{'; '.join(parts)}."
