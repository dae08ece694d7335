"""`exactdp simulate`: exact probabilities beside shares of many runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import click

from exactdp.cli import records
from exactdp.cli.loading import find_mechanism
from exactdp.cli.output import Json, Output, examples, json_option, pass_output
from exactdp.cli.reading import read_value
from exactdp.cli.work import Job, Report, result
from exactdp.language import Mechanism
from exactdp.language.types import Real, RealType
from exactdp.reals.numbers import rational, spell

_PILOT = 1000  # runs that choose where to cut a real number


@click.command(
    "simulate",
    epilog=examples(
        "exactdp simulate noisy_max.py::noisy_max --input '[1, 0, -1]' --eps 1",
    ),
)
@click.argument("target", metavar="FILE::MECHANISM")
@click.option("--input", "given", default="()", metavar="INPUT", help="The input: '[-1, 1/2]'.")
@click.option("--eps", required=True, metavar="EPS", help="The privacy budget ε of the runs.")
@click.option(
    "--runs", default=100_000, type=click.IntRange(1, 10**8), show_default=True, metavar="N"
)
@click.option("--seed", default=0, show_default=True, help="Of the random numbers.")
@json_option
@pass_output
def command(output: Output, target: str, given: str, eps: str, runs: int, seed: int) -> int:
    """Compare exact probabilities with many runs.

    For each output: the exact probability, the share of the runs with an error bar of two standard
    deviations, and how many standard deviations they are apart. A real number in an output is also
    cut where a quarter, a half and three quarters of the runs lie below.
    """
    mechanism = find_mechanism(target)
    u, budget = read_value(given, "an input"), rational(eps, "a value of ε")

    def run(report: Report) -> Json:
        del report
        return {"rows": list(_rows(mechanism, u, budget, runs, seed))}

    rows = result(Job(target, target.partition("::")[0], run), output)["rows"]
    where = records.shown(u) if mechanism.inputs else "its only input"
    output.say(f"{mechanism.__name__} at {where}, ε = {spell(budget)}, {runs:,} runs:")
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
    facts = {"mechanism": mechanism.__name__, "input": records.shown(u)}
    settings = {"eps": records.number(budget), "runs": runs, "seed": seed}
    return output.document(0, **facts, **settings, rows=rows)


def _rows(mechanism: Mechanism, u: Any, eps: Fraction, runs: int, seed: int) -> Iterator[Json]:
    found = mechanism.distribution(u)
    groups: dict[Any, list[Any]] = {pattern: [] for pattern in found}
    homes: dict[Any, Any] = {}
    for one in mechanism.sample(u, eps, runs, seed):
        shape = _shape(one)
        if shape not in homes:
            homes[shape] = next((p for p in groups if _fits(shape, p)), None)
        groups.setdefault(homes[shape], []).append(one)
    for pattern, chance in found.items():
        members = groups[pattern]
        yield _row(records.shown(pattern), chance.at(eps), len(members), runs)
        for position, column in enumerate(_columns(members, pattern)):
            name = records.shown(pattern)
            if not isinstance(pattern, RealType):
                name += f", number {position + 1}"
            for cut in _cuts(column[:_PILOT]):
                exact = found.cumulative(pattern, cut, position).at(eps)
                count = sum(value <= cut for value in column)
                yield _row(f"{name} ≤ {float(cut):g}", exact, count, runs)
    if None in groups and None not in found:  # an output of probability 0: not seen in practice
        yield _row("any other", (0 * found[next(iter(found))]).at(eps), len(groups[None]), runs)


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
    }


def _shape(output: Any) -> Any:
    """Return an output of a run with `Real` for its floats."""
    if isinstance(output, tuple):
        return tuple(map(_shape, output))
    return Real if isinstance(output, float) else output


def _fits(shape: Any, pattern: Any) -> bool:
    if isinstance(shape, tuple) and isinstance(pattern, tuple):
        return len(shape) == len(pattern) and all(map(_fits, shape, pattern))
    if pattern is int:
        return isinstance(shape, int) and not isinstance(shape, bool)
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
