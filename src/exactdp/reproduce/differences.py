"""Differences between the paper's text and its experiments, and what is true in each case.

There is no list of known cases: each difference is found by deciding the claim as stated in the
text, and has the verdict that proves it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactdp import ANY, Interval, Tightness, Verdict, eps, exp, gamma
from exactdp.reproduce.programs import FIGURE, same_value
from exactdp.reproduce.rows import WORDS, Row
from exactdp.reproduce.run import Result, Run, answer

KINDS = {
    "program": "the printed program has another verdict",
    "witness": "the witness is not one of the printed program",
    "boundary": "the witness has dd = 0; Definition 2 asks for dd > α, and no α is below 0",
    "tie": "the witness counts one of two tied answers, Lemma 3 both",
    "silent": "Definition 2 asks for dd > α, which no input has; section 7 takes dd ≥ α",
    "misprint": "section 7 prints β = k·exp(−γ/ε), its caption k·exp(−γε)",
}


@dataclass(frozen=True)
class Difference:
    """A row about which text and experiment disagree."""

    kind: str
    """A key of `KINDS`."""
    row: Row
    why: str
    """The program or convention that causes the difference."""
    truth: str
    """What is true."""
    verdict: Verdict
    """The verdict on the claim as stated in the text."""

    @property
    def label(self) -> str:
        """The file name of the certificate."""
        same = self.kind in ("program", "witness")  # the verdict of the row, as printed
        return f"{self.row.label}-{WORDS[FIGURE] if same else self.kind}"


def differences(results: Iterable[Result]) -> list[Difference]:
    """Return all differences, the most serious first."""
    found = [one for result in results for one in _differences(result)]
    return sorted(found, key=lambda one: list(KINDS).index(one.kind))


def _differences(result: Result) -> Iterator[Difference]:
    row, executed, printed = result.row, result.executed, result.printed
    if printed.answer != executed.answer:
        yield _other_program(result)
    elif printed.examined and executed.examined and not printed.examined.violates:
        yield _other_witness(row, printed)
    strict = row.claim(FIGURE, boundary="skip")
    if row.program == "numeric_sparse" and strict.check().vacuous:
        yield _silent(row)
    elif executed.examined and executed.examined.distance == row.alpha:
        yield (_tie if row.program == "noisy_max" else _boundary)(row, strict.check())
    if row.program == "laplace":
        yield _misprint(row, executed)


def _other_program(result: Result) -> Difference:
    row, executed, printed = result.row, result.executed, result.printed
    if row.program == "sparse_variant":
        why = "threshold with rate ε/(2c) in print, ε/2 when executed"
    else:
        why = "the released number has fresh noise in print; executed, it was the compared sample"
    truth = f"Printed: {_proved(printed)}; executed: {_proved(executed)}"
    return Difference("program", row, why, truth, printed.verdict)


def _other_witness(row: Row, printed: Run) -> Difference:
    assert printed.examined is not None
    error, bound = (one.text(6) for one in (printed.examined.error, printed.examined.bound))
    why = f"at {_witness(row)} the printed program errs with {error}, and {bound} is allowed"
    truth = f"The verdict stands: the printed program {_proved(printed)}"
    return Difference("witness", row, why, truth, printed.verdict)


def _silent(row: Row) -> Difference:
    """Decide the row for every α, as in Corollary 7, under Definition 2."""
    verdict = row.claim(alpha=ANY, boundary="skip").check()
    same = "is the published one" if answer(verdict) == row.expect else "is not the published one"
    truth = (
        "With every α, as in Corollary 7, the definition speaks of all inputs with "
        f"dd > 0, and the verdict {same}."
    )
    why = f"α = {row.alpha} on {_range(row)}: dd is at most {row.alpha}"
    return Difference("silent", row, why, truth, verdict)


def _boundary(row: Row, strict: Verdict) -> Difference:
    why = f"{_witness(row)} has dd = {row.alpha}"
    return Difference("boundary", row, why, _by_definition(strict), strict)


def _tie(row: Row, strict: Verdict) -> Difference:
    assert row.witness is not None
    u = list(row.witness.input)
    lemma = row.claim(
        FIGURE, inputs=[u], output_distance=same_value, agreement="output_distance"
    ).check()
    tied = [i for i, x in enumerate(u) if x == max(u)]
    word = "true" if lemma.holds else "false"
    both = " and ".join(map(str, tied))
    why = f"at u = {u} the indices {both} are both right; only one was counted"
    truth = f"With both, the claim is {word} at {u} for every ε. {_by_definition(strict)}"
    return Difference("tie", row, why, truth, lemma)


def _misprint(row: Row, executed: Run) -> Difference:
    """Decide the claim with β = k·exp(−γ/ε) at ε = 1/2, where γ/ε = 4γε."""
    half = Interval(Fraction(1, 2), Fraction(1, 2))
    verdict = row.claim(FIGURE, beta=row.m * exp(-4 * gamma * eps), epsilon=half).check()
    found = verdict.counterexample
    truth = f"The caption's bound was checked, and it {_word(executed)}."
    if found is not None:
        truth += f" The other is false, for example at ε = {found.eps}."
    return Difference("misprint", row, "a misprint in the running text", truth, verdict)


def _by_definition(strict: Verdict) -> str:
    found = strict.counterexample
    if found is None:
        return "By the definitions the claim holds."
    at = ", ".join(map(str, found.input))
    return f"By the definitions the row fails too, at u = [{at}], ε = {found.eps}."


def _word(run: Run) -> str:
    return {"holds": "holds", "fails": "fails"}.get(run.answer, "is undecided")


def _proved(run: Run) -> str:
    """Return the verdict of a run, with the counterexample and the best κ."""
    found, said = run.verdict.counterexample, _word(run)
    if found is not None:
        at = ", ".join(map(str, found.input))
        said += f" (u = [{at}], ε = {found.eps})"
    return f"{said}, best κ = {kappa(run.best)}" if run.best is not None else said


def kappa(best: Tightness) -> str:
    """Return the best κ, exactly if it is known, and to six decimals rounded down."""
    lower: Any = best.kappa.lower
    if not isinstance(lower, Fraction):
        return "∞"
    digits = f"{int(lower * 10**6) / 10**6:.6f}…"
    return f"{lower} = {digits}" if lower == best.kappa.upper else digits


def _witness(row: Row) -> str:
    assert row.witness is not None
    return f"u = {list(row.witness.input)}, ε = {row.witness.eps}"


def _range(row: Row) -> str:
    return f"[{row.grid[0]}, {row.grid[1]}]"
