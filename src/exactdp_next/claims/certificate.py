"""Certificate: a verdict as JSON, version 3, for `certify.accepted`.

It contains the statement, and the choices that the checker cannot compute: for each graph its nodes
and the node of each state, in the order of exploration; for each input the radius and direction of
a neighbour; the steps of each sign.
"""

from __future__ import annotations

from ..decide.goal import Proof, Square, Walk, Zero
from ..errors import NotYet
from ..graph.event import Equals
from ..graph.graph import Arrow, Graph, SampleNode, TestNode
from ..graph.model import graph, model
from ..language.values import Value, json_of, key
from ..ring.expsum import ExpSum
from ..ring.linear import Linear, Rational
from .accuracy import AtInput
from .disagreement import disagreement
from .proved import Proved
from .statement import AccuracyStatement

FORMAT, VERSION = "exactdp certificate", 3


def certificate(
    outcome: str, statement: AccuracyStatement, proved: tuple[Proved, ...]
) -> dict[str, object]:
    """Return the certificate of a verdict."""
    if outcome != "holds":
        raise NotYet("certify")
    return {
        "format": FORMAT,
        "version": VERSION,
        "outcome": outcome,
        **_Writer(statement, proved).written(),
    }


class _Writer:
    """Collects graphs and proofs; each is written once."""

    def __init__(self, statement: AccuracyStatement, proved: tuple[Proved, ...]) -> None:
        self.statement = statement
        self.proved = {one.part.inputs: one for one in proved}
        self.graphs: dict[object, int] = {}
        self.outputs = list[Value]()
        self.proofs: dict[Proof, int] = {}

    def written(self) -> dict[str, object]:
        parts = [self._part(u) for u in self.statement.inputs]
        meaning = model(self.statement.program)
        return {
            "statement": _statement_json(self.statement),
            "graphs": [_graph_json(o, graph(meaning, Equals(o))) for o in self.outputs],
            "parts": parts,
            "proofs": [_proof_json(proof) for proof in self.proofs],
        }

    def _part(self, u: tuple[Rational, ...]) -> dict[str, object]:
        if u not in self.proved:
            dd = disagreement(model(self.statement.program).ideal, u)
            neighbour = {"radius": _number(dd.distance or 0), "direction": list(dd.direction)}
            return {**neighbour, "graph": None, "proof": None}
        proved = self.proved[u]
        made = proved.goal.recipe
        assert isinstance(made, AtInput)
        return {
            "radius": _number(made.alpha),
            "direction": list(made.found.direction),
            "graph": self._graph(made.found.output),
            "proof": self.proofs.setdefault(proved.proof, len(self.proofs)),
        }

    def _graph(self, output: Value) -> int:
        if key(output) not in self.graphs:
            self.graphs[key(output)] = len(self.outputs)
            self.outputs.append(output)
        return self.graphs[key(output)]


def _statement_json(one: AccuracyStatement) -> dict[str, object]:
    return {
        "kind": "accuracy",
        "program": one.program.json(),
        "beta": str(one.beta),
        "inputs": [[_number(x) for x in u] for u in one.inputs],
        "window": [None if end is None else _number(end) for end in one.on.ends],
        "alpha": one.alpha,
        "gamma": _number(one.gamma),
        "input_distance": one.input_distance,
        "output_distance": one.output_distance,
        "boundary": one.boundary,
    }


def _graph_json(output: Value, graph: Graph) -> dict[str, object]:
    nodes = list[object]()
    for node in graph.nodes[2:]:
        match node:
            case SampleNode(noise, rate, mean, (arrow,), arity):
                nodes.append(["sample", noise, _number(rate), _form(mean), _arrow(arrow), arity])
            case TestNode(form, strict, (yes, no), arity):
                nodes.append(["test", _form(form), strict, _arrow(yes), _arrow(no), arity])
    return {"output": json_of(output), "nodes": nodes, "states": [_arrow(a) for a in graph.states]}


def _arrow(arrow: Arrow) -> list[int]:
    return [arrow.to, *arrow.noise]


def _form(form: Linear | Rational) -> object:
    if not isinstance(form, Linear):
        return _number(form)
    parts = {f"#{x}" if isinstance(x, int) else str(x): _number(c) for x, c in form.parts.items()}
    return {"": _number(form.constant), **parts}


def _number(q: Rational) -> int | str:
    return int(q) if q.denominator == 1 else str(q)


def _proof_json(proof: Proof) -> dict[str, object]:
    match proof:
        case Zero():
            return {"kind": "zero"}
        case Square(odd, root, walk):
            return {
                "kind": "square",
                "odd": _sum(odd),
                "root": _sum(root),
                "proof": _proof_json(walk),
            }
        case Walk(order, near, far, ends, degree):
            return {
                "kind": "walk",
                "order": order,
                "near": None if near is None else _number(near),
                "far": None if far is None else _number(far),
                "ends": [_number(x) for x in ends],
                "degree": degree,
            }


def _sum(f: ExpSum) -> dict[str, object]:
    """Return a sum in ε alone."""
    terms = list[list[object]]()
    for (k, b), c in sorted(f.coefficients().items(), key=lambda term: term[0]):
        coefficient = c.rational()
        if coefficient is None:
            raise NotYet("certify")
        terms.append([k, b, _number(coefficient)])
    return {"unit": f.unit, "terms": terms}
