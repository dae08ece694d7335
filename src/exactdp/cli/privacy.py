"""`exactdp privacy`: how private mechanisms are, exactly."""

from __future__ import annotations

from exactdp import Privacy
from exactdp.cli import records
from exactdp.cli.asking import ask
from exactdp.cli.options import common, subcommand, targets, width_option
from exactdp.cli.output import CommandOutput, Json
from exactdp.cli.reading import Changes, read_option
from exactdp.reals.numbers import positive_width
from exactdp.running.conduct import Progress


@subcommand(
    "privacy",
    "exactdp privacy claims.py",
    "exactdp privacy claims.py::private --inputs all",
)
@targets()
@width_option("1e-6", "a")
@common(sharing=True, changes=True)
def command(output: CommandOutput, targets: tuple[str, ...], width: str, changes: Changes) -> int:
    """Find the exact budget and δ of privacy claims.

    Each `Privacy` of the files is decided. Without δ, find the smallest a such that the mechanism
    is a·ε-private, with the pair of inputs, the output and the ε that determine it. With δ and
    listed inputs, find the smallest δ for the budget as a function of ε.
    """
    read_option("--width", width, positive_width)

    def question(claim: Privacy, report: Progress) -> Json:
        found = records.verdict(claim.check(progress=report))
        best = curve = None
        if not claim.delta_form:
            best = records.leakage(claim.tightest(width=width, progress=report))
        elif not claim.scope.free:
            curve = records.delta_curve(claim.smallest_delta(progress=report))
        return {**found, "best": best, "delta": curve}

    def say(title: str, answer: Json) -> None:
        output.say_verdict(answer["verdict"], title, answer["sentence"])
        if answer["best"]:
            output.say(f"  {answer['best']['sentence']}")
            if answer["best"]["saving"]:
                output.say(f"  {answer['best']['saving']}")
        if answer["delta"]:
            output.say(f"  The smallest δ: {answer['delta']['sentence']}")

    return ask(output, targets, changes, question, say, (Privacy,))
