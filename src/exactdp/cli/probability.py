"""`exactdp probability`: exact probabilities at an input."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from exactdp import Mechanism
from exactdp.cli import records
from exactdp.cli.jobs import result
from exactdp.cli.loading import find_mechanism
from exactdp.cli.options import common, input_option, subcommand, target
from exactdp.cli.output import CommandOutput, Json
from exactdp.cli.reading import read_budget, read_option, read_value
from exactdp.errors import ProgramError
from exactdp.reals import ClosedForm, Interval
from exactdp.reals.interval import POSITIVE
from exactdp.reals.numbers import spell
from exactdp.running.conduct import Progress


@subcommand(
    "probability",
    "exactdp probability noisy_max.py::noisy_max --input '[1, 0, -1]'",
    "exactdp probability sparse.py::sparse --input '[1]' --output '[Interval(0, 2)]' --at 1/2",
)
@target("FILE::MECHANISM")
@input_option
@click.option(
    "--output",
    "event",
    metavar="OUTPUT",
    help="Only this output; Real matches any number, Interval(0, 1) one in between. Default: all.",
)
@click.option("--at", "eps", metavar="EPS", help="Evaluate at this ε, to certified digits.")
@click.option(
    "--digits",
    default=30,
    type=click.IntRange(1, 10_000),
    show_default=True,
    metavar="N",
    help="The number of certified digits for --at.",
)
@click.option("--latex", is_flag=True, help="Show the closed forms in LaTeX.")
@common()
def command(
    output: CommandOutput,
    target: str,
    given: str,
    event: str | None,
    eps: str | None,
    digits: int,
    latex: bool,
) -> int:
    """Show exact probabilities of outputs, in closed form.

    The probabilities are functions of ε, exact for every ε > 0. With --at, also show their values
    at one ε; all digits are certified.
    """
    mechanism = find_mechanism(target)
    u = read_option("--input", given, partial(read_value, what="an input"))
    wanted = read_option("--output", event, partial(read_value, what="an output"))
    at = read_option("--at", eps, read_budget)
    if at is not None:
        mechanism.on(Interval(at, at))

    def entry(one: Any, chance: ClosedForm) -> Json:
        value = None if at is None else records.enclosure(chance.at(at, digits), digits)
        return {"output": records.shown(one), "probability": records.form(chance), "value": value}

    def run(report: Progress) -> Json:
        del report
        try:
            return asked(mechanism)
        except ProgramError:
            if at is None:
                raise
            return asked(mechanism.on(Interval(at, at)))

    def asked(program: Mechanism) -> Json:
        on = "> 0" if program.epsilon == POSITIVE else f"in {program.epsilon}"
        if event is not None:
            return {"on": on, "outputs": [entry(wanted, program.probability(u, wanted))]}
        listed = program.distribution(u).items()
        return {"on": on, "outputs": [entry(*one) for one in listed]}

    answer = result(output, target, run)
    found = answer["outputs"]
    where = records.shown(u) if mechanism.inputs else "its only input"
    output.say(f"{mechanism.__name__} at {where}, for every ε {answer['on']}:")
    for one in found:
        form = one["probability"]["latex" if latex else "pretty"]
        output.say(f"Pr({one['output']}) = {form}")
        if at is not None:
            output.say(f"  at ε = {spell(at)}: {one['value']['digits']}")
    facts = {"mechanism": mechanism.__name__, "input": records.shown(u)}
    return output.document(0, **facts, eps=records.number(at), outputs=found)
