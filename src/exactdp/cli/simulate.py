"""`exactdp simulate`: exact probabilities compared with simulated frequencies."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from functools import partial
from typing import Any

import click

from exactdp import Mechanism
from exactdp.cli import records
from exactdp.cli.jobs import result
from exactdp.cli.loading import find_mechanism
from exactdp.cli.options import common, input_option, subcommand, target
from exactdp.cli.output import STYLES, CommandOutput, Json
from exactdp.cli.reading import read_budget, read_option, read_value
from exactdp.errors import counted
from exactdp.language.nested import mapped
from exactdp.language.types import Real, RealType
from exactdp.reals import ExpPoly, Interval
from exactdp.reals.numbers import spell
from exactdp.running.conduct import Progress

_PILOT = 1000  # runs that determine the cut points of a real number
_CHUNK = 100_000  # runs in memory at a time
_FAR = 1_000_003  # difference between the seeds of two chunks


@subcommand("simulate", "exactdp simulate noisy_max.py::noisy_max --input '[1, 0, -1]' --eps 1")
@target("FILE::MECHANISM")
@input_option
@click.option("--eps", required=True, metavar="EPS", help="The privacy budget ε of the runs.")
@click.option(
    "--runs",
    default=100_000,
    type=click.IntRange(1, 10**8),
    show_default=True,
    metavar="N",
    help="The number of runs.",
)
@click.option(
    "--seed", default=0, type=click.IntRange(0), show_default=True, help="The random seed."
)
@common()
def command(output: CommandOutput, target: str, given: str, eps: str, runs: int, seed: int) -> int:
    """Compare exact probabilities with simulated runs.

    For each output, show the exact probability, the frequency in the runs with an error bar of two
    standard deviations, and by how many standard deviations they differ. For a real number in an
    output, also compare the probabilities of being below the quartiles of the runs. Exit code: 1 if
    the simulation contradicts an exact probability.
    """
    mechanism = find_mechanism(target)
    u = read_option("--input", given, partial(read_value, what="an input"))
    budget = read_option("--eps", eps, read_budget)
    mechanism = mechanism.on(Interval(budget, budget))

    def run(report: Progress) -> Json:
        return {"rows": _rows(mechanism, u, budget, runs, seed, report)}

    rows = result(output, target, run)["rows"]
    where = records.shown(u) if mechanism.inputs else "its only input"
    output.say(f"{mechanism.__name__} at {where}, ε = {spell(budget)}, {counted(runs, 'run')}:")
    table = [
        [
            one["event"],
            one["exact"]["digits"],
            f"{one['share']:.5f} ± {2 * one['deviation']:.5f}",
            "∞" if one["apart"] is None else f"{one['apart']:+.1f}",
        ]
        for one in rows
    ]
    output.table(["output", "exact", "simulated", "apart (σ)"], table)
    wrong = [one for one in rows if one["contradicts"]]
    for one in wrong:
        output.note(
            f"The simulation contradicts the exact probability of {one['event']}: "
            f"{one['share']:.5f} of the runs, exactly {one['exact']['digits']}.",
            STYLES["error"],
        )
    if wrong:
        output.note(
            "By chance this happens less than once in 10¹² simulations: it is a mistake in "
            "exactdp. Please report it with the file and the command."
        )
    facts = {"mechanism": mechanism.__name__, "input": records.shown(u)}
    settings = {"eps": records.number(budget), "runs": runs, "seed": seed}
    return output.document(int(bool(wrong)), **facts, **settings, rows=rows)


def _rows(
    mechanism: Mechanism, u: Any, eps: Fraction, runs: int, seed: int, report: Progress
) -> list[Json]:
    found = mechanism.distribution(u)
    tally = _Tally(found)
    for done in range(0, runs, _CHUNK):
        size = min(_CHUNK, runs - done)
        tally.add(mechanism.sample(u, eps, size, seed + done // _CHUNK * _FAR))
        report(done + size, runs)
    rows = []
    for pattern, chance in found.items():
        rows.append(_row(records.shown(pattern), chance.at(eps), tally.counts[pattern], runs))
        for (position, cut), count in tally.below[pattern].items():
            name = records.shown(pattern)
            if not isinstance(pattern, RealType):
                name += f", number {position + 1}"
            exact = found.cumulative(pattern, cut, position).at(eps)
            rows.append(_row(f"{name} ≤ {float(cut):g}", exact, count, runs))
    if tally.counts[None] and None not in found:  # has probability 0
        rows.append(_row("any other", ExpPoly(0).at(eps), tally.counts[None], runs))
    return rows


class _Tally:
    """The number of runs with each output, and with its real numbers below each cut point."""

    def __init__(self, patterns: Iterable[Any]) -> None:
        self._patterns = list(patterns)
        self._homes: dict[Any, Any] = {}
        self.counts: Counter[Any] = Counter()
        self.below: dict[Any, dict[tuple[int, Fraction], int]] = {}

    def add(self, outputs: Iterable[Any]) -> None:
        """Count some runs; the first ones determine the cut points."""
        groups: dict[Any, list[Any]] = {pattern: [] for pattern in self._patterns}
        for one in outputs:
            shape = _shape(one)
            if shape not in self._homes:
                fitting = [p for p in self._patterns if _fits(shape, p)]
                self._homes[shape] = shape if shape in fitting else next(iter(fitting), None)
            groups.setdefault(self._homes[shape], []).append(one)
        for pattern, members in groups.items():
            self.counts[pattern] += len(members)
            columns = _columns(members, pattern)
            cuts = self.below.setdefault(
                pattern,
                {(k, cut): 0 for k, column in enumerate(columns) for cut in _cuts(column[:_PILOT])},
            )
            for position, cut in cuts:
                cuts[position, cut] += sum(value <= cut for value in columns[position])


def _row(event: str, exact: Any, count: int, runs: int) -> Json:
    p, share = float(exact), count / runs
    deviation = math.sqrt(max(p * (1 - p), 0) / runs)
    apart = (share - p) / deviation if deviation else 0.0 if share == p else math.inf
    return {
        "event": event,
        "exact": records.enclosure(exact, 6),
        "count": count,
        "share": share,
        "deviation": deviation,
        "apart": apart if math.isfinite(apart) else None,
        "contradicts": _contradicts(count, p, runs),
    }


def _contradicts(count: int, p: float, runs: int) -> bool:
    """Whether a count at least this extreme has a probability below 1e-12/2.

    Chernoff's bound: the frequency s of runs deviates from p at least this much with probability at
    most exp(−runs·KL(s, p)), KL(s, p) = s·ln(s/p) + (1 − s)·ln((1 − s)/(1 − p)).
    """
    share = count / runs
    distance = 0.0
    for part, expected in ((share, p), (1 - share, 1 - p)):
        if part:
            distance += part * math.log(part / expected) if expected > 0 else math.inf
    return runs * distance > 28.4


def _shape(output: Any) -> Any:
    """Return an output of a run with `Real` for its floats."""
    return mapped(output, lambda one: Real if isinstance(one, float) else one)


def _fits(shape: Any, pattern: Any) -> bool:
    if isinstance(shape, tuple) and isinstance(pattern, tuple):
        return len(shape) == len(pattern) and all(map(_fits, shape, pattern))
    if pattern is int:
        return isinstance(shape, int | Fraction) and not isinstance(shape, bool)
    return bool(shape == pattern)


def _columns(members: list[Any], pattern: Any) -> list[list[float]]:
    """Return the values of each real number of a pattern."""
    if isinstance(pattern, RealType):
        return [members]
    if not isinstance(pattern, tuple):
        return []
    columns = []
    for place, item in enumerate(pattern):
        columns += _columns([one[place] for one in members], item)
    return columns


def _cuts(column: list[float]) -> list[Fraction]:
    """Return short numbers near the quartiles, fewer if the column is small."""
    if len(column) < 20:
        return []
    listed = sorted(column)
    return sorted({Fraction(f"{listed[len(listed) * k // 4]:.2g}") for k in (1, 2, 3)})
