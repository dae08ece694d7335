"""The statement: it is read, printed whole, and its goals are made anew."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .code import Program, Value, read_program, read_value, same
from .document import Rejected, Work, fields, listed, natural, need, rational, row
from .formula import Formula, read_formula
from .graph import Graph, replayed
from .ideal import agreed_output
from .integrate import probability
from .signs import Window, nonnegative
from .sums import number

STATEMENT = (
    "kind",
    "program",
    "beta",
    "inputs",
    "window",
    "alpha",
    "gamma",
    "input_distance",
    "output_distance",
    "boundary",
)
CONVENTIONS = {
    "kind": "accuracy",
    "alpha": "any",
    "gamma": 0,
    "input_distance": "linf",
    "output_distance": "discrete",
    "boundary": "skip",
}


@dataclass(frozen=True)
class Statement:
    """Accuracy at listed inputs, for every α."""

    program: Program
    code: tuple[str, ...]
    beta: Formula
    beta_text: str
    inputs: tuple[tuple[Fraction, ...], ...]
    window: Window

    def __str__(self) -> str:
        low, high = self.window
        inputs = "\n".join(f"    [{', '.join(map(str, u))}]" for u in self.inputs)
        upper = "" if high is None else f" < {high}"
        head = ", ".join(f"{shown_name(x)}: {_kind(n)}" for x, n in self.program.inputs)
        code = "\n".join(f"    {line}" for line in self.code)
        return f"""For every ε with {low} < ε{upper}, at each of the inputs
{inputs}
and for each α ≥ 0 below the distance (linf) from the input to the inputs at which the ideal output
is another one, the output of the core program
    {shown_name(self.program.name)}({head})
{code}
is the ideal output, that of the program with each sample replaced by its mean,
with probability at least 1 − β, where β = {self.beta_text}.
There alpha is α; a sample lap(r, m) has the density r/2·e^(−r·|x − m|)."""


def _kind(length: int | None) -> str:
    return "Real" if length is None else f"Real[{length}]"


def read_statement(x: object) -> Statement:
    """Read a statement."""
    values = dict(zip(STATEMENT, fields(x, STATEMENT, "a statement"), strict=True))
    for name, value in CONVENTIONS.items():
        need(
            values[name] == value and type(values[name]) is type(value),
            f"{name} is none that is covered",
        )
    program = read_program(values["program"])
    inputs = tuple(
        tuple(rational(v, "a number") for v in listed(u, "an input"))
        for u in listed(values["inputs"], "inputs")
    )
    need(all(len(u) == len(program.coordinates) for u in inputs), "an input of another size")
    low, high = row(values["window"], 2, "a window")
    window = rational(low, "an end"), None if high is None else rational(high, "an end")
    need(window[0] >= 0 and (window[1] is None or window[1] > window[0]), "an empty window")
    beta = values["beta"]
    need(type(beta) is str, "β")
    assert isinstance(beta, str)
    code = tuple(f"{i:3}  {_shown(one)}" for i, one in enumerate(program.code))
    return Statement(program, code, read_formula(beta), beta, inputs, window)


def _shown(x: object) -> str:
    """Print an instruction or an expression of the core program."""
    if not isinstance(x, tuple):
        return str(x)
    match x:
        case ("const", v):
            return ast_text(v)
        case ("name", v):
            return shown_name(str(v))
        case ("set", v, e):
            return f"{shown_name(str(v))} = {_shown(e)}"
        case ("sample", v, noise, rate, mean):
            return f"{shown_name(str(v))} ~ {noise}({_shown(rate)}, {_shown(mean)})"
        case ("test", op, a, b, to):
            return f"unless {_shown(a)} {op} {_shown(b)} goto {to}"
        case ("jump", to):
            return f"goto {to}"
        case ("return", e):
            return f"return {_shown(e)}"
        case (op, *args):
            return f"{op}({', '.join(map(_shown, args))})"
    raise Rejected("an unknown instruction")


def ast_text(v: object) -> str:
    """Print a constant."""
    if isinstance(v, Formula):
        return str(v)
    if isinstance(v, tuple):
        return f"({', '.join(map(ast_text, v))}{',' * (len(v) == 1)})"
    return ascii(v) if isinstance(v, str) else str(v)


def shown_name(name: str) -> str:
    """Print a name: not as a name in a formula, and other letters by their numbers."""
    mark = "#" if name in ("eps", "exp", "alpha", "gamma") else ""
    return mark + name.encode("ascii", "backslashreplace").decode()


def check_parts(statement: Statement, document: dict[str, object], work: Work) -> None:
    """Reject unless each input has a part.

    A proof of its goal, or that nothing is claimed there.
    """
    need(statement.beta.falls_in("alpha"), "β that is not shown to fall in α")
    statement.beta.lowered({"alpha": Fraction(0), "gamma": Fraction(0)}, work)
    ideal = statement.program.ideal()
    graphs = listed(document["graphs"], "graphs")
    proofs = listed(document["proofs"], "proofs")
    parts = listed(document["parts"], "parts")
    need(len(parts) == len(statement.inputs) and parts, "a part for each input")
    known: dict[int, tuple[Value, Graph]] = {}
    silent = True
    for u, part in zip(statement.inputs, parts, strict=True):
        radius, direction, graph, proof = fields(
            part, ("radius", "direction", "graph", "proof"), "a part"
        )
        r = rational(radius, "a radius")
        steps = [d if type(d) is int else 2 for d in listed(direction, "a direction")]
        output = agreed_output(ideal, list(u), r, steps, work)
        if r == 0:
            need(graph is None and proof is None, "a proof of nothing")
            continue
        silent = False
        i, j = natural(graph, "a graph"), natural(proof, "a proof")
        need(i < len(graphs) and j < len(proofs), "a number of a graph or proof")
        if i not in known:
            target, nodes, states = fields(graphs[i], ("output", "nodes", "states"), "a graph")
            event = read_value(target)
            known[i] = event, replayed(statement.program, event, nodes, states, work)
        event, replay = known[i]
        need(same(event, output), "a graph of another output")
        inputs = dict(zip(statement.program.coordinates, u, strict=True))
        p = probability(replay, inputs, work)
        beta = statement.beta.lowered({"alpha": r, "gamma": Fraction(0)}, work)
        nonnegative(beta - number(Fraction(1)) + p, statement.window, proofs[j], work)
    need(not silent, "nothing is claimed")
