"""`exactdp new`: a commented file to start from."""

from __future__ import annotations

from keyword import iskeyword
from pathlib import Path

import click

from exactdp.cli.output import Output, examples, json_option, pass_output, writing
from exactdp.errors import ExactdpError

STARTER = '''"""Is {name} as accurate as claimed? Check with: exactdp check {file}"""

from exactdp import Accuracy, AllReals, Grid, Real, alpha, eps, exp, lap, mechanism

M = 3  # the number of queries


# A mechanism is a Python function that exactdp reads and never runs. It may use if, while, for over
# a constant range, lists, and noise: lap, dlap, expo, expmech, choose.
@mechanism
def {name}(q: Real[M]):
    """Return the index of the largest answer, after adding noise to each."""
    best, top = 0, lap(eps / 2, q[0])  # lap(rate, mean): here the scale is 2/eps
    for i in range(1, M):
        r = lap(eps / 2, q[i])
        if r > top:
            best, top = i, r
    return best


# A claim: at an input that is more than alpha away from another ideal answer, the output is wrong
# with probability at most beta. The ideal is the mechanism without its noise.
on_a_grid = Accuracy({name}, beta=M * exp(-alpha * eps / 2), inputs=Grid(-1, 1))

# The same for all real inputs at once.
everywhere = Accuracy({name}, beta=M * exp(-alpha * eps / 2), inputs=AllReals())

# What else can be asked:
#   exactdp tighten {file}::on_a_grid             how much better is it really?
#   exactdp epsilon {file}::on_a_grid --beta 0.1  which eps gives at most 10 % errors?
#   exactdp probability {file}::{name} --input '[1, 0, 0]' --at 1
#   exactdp simulate {file}::{name} --input '[1, 0, 0]' --eps 1
'''


@click.command(
    "new",
    epilog=examples(
        "exactdp new my_mechanism",
        "exactdp check my_mechanism.py",
    ),
)
@click.argument("name")
@json_option
@pass_output
def command(output: Output, name: str) -> int:
    """Write a commented file to start from.

    NAME is the name of a mechanism; the file is NAME.py, which `exactdp check` accepts.
    """
    path = Path(name).with_suffix(".py") if name.endswith(".py") else Path(f"{name}.py")
    if not path.stem.isidentifier() or iskeyword(path.stem):
        raise ExactdpError(
            f"{path.stem!r} cannot be the name of a mechanism",
            rule="It names a Python function of the file: letters, digits and _.",
            way_out="Write for example `exactdp new my_mechanism`.",
        )
    with writing(path):
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(STARTER.format(name=path.stem, file=path.name))
        except FileExistsError:
            raise ExactdpError(
                f"{path} is there already", way_out="Choose another name, or remove the file first."
            ) from None
    output.say(f"Wrote {path}. Now: exactdp check {path}")
    return output.document(0, path=str(path))
