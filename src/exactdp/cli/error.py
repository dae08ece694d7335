"""`exactdp error`: how far off, how often, at which ε."""

from __future__ import annotations

from typing import Any

import click

from exactdp import ErrorBound, Interval
from exactdp.claims.error_bound import read_risk, read_within
from exactdp.cli import records
from exactdp.cli.jobs import result
from exactdp.cli.loading import find_ideal, find_mechanism
from exactdp.cli.options import common, subcommand, target
from exactdp.cli.output import CommandOutput, Json
from exactdp.cli.reading import read_inputs, read_interval, read_option
from exactdp.errors import ExactdpError
from exactdp.reals.numbers import inf
from exactdp.running.conduct import Progress


@subcommand(
    "error",
    "exactdp error count.py --within 10 --risk 5%",
    "exactdp error count.py --within 10 --eps 1",
    "exactdp error count.py --risk 5% --eps 1",
    "exactdp error count.py --within 10 --risk 5% --eps 1",
)
@target()
@click.option("--within", metavar="ERROR", help="The allowed error, such as 10.")
@click.option("--risk", metavar="RISK", help="How often it may be exceeded: 5% or 0.05.")
@click.option("--eps", metavar="EPS", help="The privacy budget: a number, or '(0, 1]'.")
@click.option(
    "--inputs", metavar="INPUTS", help="At these inputs: all, grid:-1:1, box:-1:1 or a list."
)
@click.option("--ideal", metavar="NAME", help="A function of the file: the right output.")
@click.option(
    "--each", is_flag=True, help="Bound each of several numbers separately, not all together."
)
@common(timeout=True, sharing=True)
def command(  # noqa: PLR0913 its options
    output: CommandOutput,
    *,
    target: str,
    within: str | None,
    risk: str | None,
    eps: str | None,
    inputs: str | None,
    ideal: str | None,
    each: bool,
) -> int:
    """Find how far off a mechanism is, how often, or at which ε.

    Given two of --within, --risk and --eps, the answer is the third. Given all three, the bound is
    decided. Exit code: 0 there is an answer, 1 the bound fails or no value suffices, 3 undecided,
    2 wrong use.
    """
    asked = {"within": within, "risk": risk, "eps": eps}
    given = [name for name, text in asked.items() if text is not None]
    on = read_option("--eps", eps, read_interval)
    bound = ErrorBound(
        find_mechanism(target),
        read_option("--within", within, read_within),
        read_option("--risk", risk, read_risk),
        ideal=find_ideal(target, ideal),
        inputs=read_option("--inputs", inputs, read_inputs),
        simultaneous=not each,
    )
    is_known = bound.within is not None  # 0, if outputs are only right or wrong
    if sum((is_known, bound.allowed is not None, on is not None)) < 2:
        raise ExactdpError(
            f"only --{given[0]} is given" if given else "--within, --risk and --eps are missing",
            rule="Two of --within, --risk and --eps are given, and the third is the answer.",
            way_out=f"Write for example: exactdp error {target} --within 10 --risk 5%.",
        )
    answer = result(output, target, lambda report: _answer(bound, on, report))
    output.say_verdict(answer.get("verdict", ""), target, answer["sentence"])
    code: int = answer.pop("code")
    return output.document(code, **answer)


def _answer(bound: ErrorBound, eps: Interval | None, report: Progress) -> Json:
    if bound.allowed is None:
        found = bound.risk(eps)
        return {
            "code": 0,
            "question": "risk",
            "sentence": str(found),
            "lower": records.number(found.lower),
            "upper": records.number(found.upper),
            "exact": str(found.exact),
        }
    if bound.within is None:
        radius = bound.smallest_within(eps, progress=report)
        return {
            "code": 0 if radius.exists else 1,
            "question": "within",
            "sentence": str(radius),
            **_ends(radius.lower, radius.upper),
        }
    if eps is None:
        needed = bound.smallest_epsilon(progress=report)
        return {
            "code": 0 if needed.exists else 1,
            "question": "eps",
            "sentence": needed.sentence,
            **_ends(needed.lower, needed.upper),
        }
    verdict = bound.check(eps, progress=report)
    codes = {"holds": 0, "fails": 1, "undecided": 3, "vacuous": 4}
    return {
        "code": codes[verdict.outcome],
        "question": "check",
        "verdict": verdict.outcome,
        "sentence": verdict.sentence,
    }


def _ends(lower: Any, upper: Any) -> Json:
    return {
        "lower": None if lower == inf else records.number(lower),
        "upper": None if upper == inf else records.number(upper),
    }
