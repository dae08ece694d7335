"""The default distances, chosen to fit the outputs of a mechanism."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import islice, zip_longest

from exactdp.claims.stated.distances import InputDistance, discrete, linf, numeric
from exactdp.claims.stated.ideals import IdealFunction, IdealProgram
from exactdp.claims.stated.inputs import as_given, every_input, has_reals, how_many
from exactdp.claims.stated.output_distances import (
    ErrorOfEntries,
    OutputDistance,
    discrete_outputs,
    score_gap,
    sup,
    value_gap,
)
from exactdp.claims.stated.pieces import condition, pieces
from exactdp.claims.stated.scores import begins_with_scores, candidate_scores
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.language.kinds import ValueKind
from exactdp.language.layout import entry_names
from exactdp.language.linear import Linear
from exactdp.language.nested import leaves
from exactdp.language.program import DeterministicProgram, Program
from exactdp.language.reading import read_text
from exactdp.language.source import text_source
from exactdp.language.tree import ExpMech
from exactdp.language.types import ListType, RealType
from exactdp.language.values import List, Value
from exactdp.polyhedra.elimination import feasible
from exactdp.semantics.engine import Engine
from exactdp.semantics.patterns import is_number

_MOST_PIECES = 300  # of an ideal that may select
_MOST_INPUTS = 2_000  # examined inputs of a finite domain


# For accuracy claims ------------------------------------------------------------------


def input_distance_for(output: ValueKind) -> InputDistance:
    """Return the distance on inputs that fits outputs of this kind.

    The ideal of a noisy number changes with every change of the input, so under a norm a claim
    would say nothing. Lists in which an entry may be a number or another value are like those of
    the paper's NumericSparse.
    """
    if not output.holds_noise:
        return linf
    return numeric if _mixes(output) else discrete


def output_distance_for(output: ValueKind) -> OutputDistance:
    """Return the distance on outputs that fits outputs of this kind."""
    return sup if output.holds_noise or output.holds("term") else discrete_outputs


def _mixes(kind: ValueKind) -> bool:
    """Whether the same entry of a list may be a noisy number or a finite value."""
    parts = (kind.items,) if isinstance(kind.items, ValueKind) else kind.items or ()
    return any((one.noise and one.finite) or _mixes(one) for one in parts)


# For error bounds ---------------------------------------------------------------------


def error_for(mechanism: Program, ideal: IdealFunction) -> OutputDistance:
    """Return the error of an output, as a distance.

    For numbers, it is their distance. For a position, if the ideal one is proved to be that of the
    largest or smallest value of the input, it is the difference of the values. For a candidate of
    `expmech`, it is the difference of the scores. Any other output is right or wrong.
    """
    output = mechanism.checked.output
    if mechanism.checked.releases_eps:
        return sup
    if output.holds_noise:
        return _error_of_tuple(mechanism, ideal) or sup
    outputs = mechanism.kept(Engine).outputs
    if outputs is not None and _selects(mechanism, ideal, (), outputs):
        return value_gap
    if follows_scores(mechanism, ideal):
        return score_gap
    if outputs is not None and all(map(_is_of_numbers, outputs)):
        return sup
    return discrete_outputs


def may_select(mechanism: Program) -> bool:
    """Whether outputs could be or contain positions of the input, judged by their values.

    Programs return the length of the input or −1 for "none of them".
    """
    outputs = mechanism.kept(Engine).outputs
    kind = mechanism.inputs[0].type if len(mechanism.inputs) == 1 else None
    if outputs is None or len(outputs) < 2 or not isinstance(kind, ListType):
        return False
    return all(
        type(one) is int and -1 <= one <= kind.length
        for output in outputs
        for one in leaves(output)
    )


def may_have_position(mechanism: Program, ideal: IdealFunction) -> bool:
    """Whether an entry next to noisy numbers could be a position of the input."""
    return any(_are_positions(mechanism, found) for found in _finite_entries(ideal))


def _finite_entries(ideal: IdealFunction) -> Iterator[set[Value]]:
    """Yield the possible values of each entry of an ideal output that is not a real number."""
    if not isinstance(ideal, IdealProgram) or len(ideal.program.inputs) != 1:
        return
    kind = ideal.program.inputs[0].type
    if not isinstance(kind, ListType) or not isinstance(kind.item, RealType):
        return
    values = List([Linear.symbol(f"q[{k}]") for k in range(kind.length)])
    try:
        found = list(islice(pieces(ideal.function.machine, (values,)), _MOST_PIECES + 1))
    except ExactdpError:
        return
    outputs = {one.output for one in found if isinstance(one.output, tuple)}
    for column in zip_longest(*outputs):
        entries = {value for value in column if value is not None}
        if len(entries) > 1 and not any(isinstance(value, tuple) for value in entries):
            yield entries


def errors_of_entries(
    mechanism: Program, whole: OutputDistance, *, has_own_ideal: bool
) -> tuple[OutputDistance | DeterministicProgram, ...]:
    """Return the error of each entry of the output, given the error of the whole output."""
    lengths, are_all = mechanism.kept(Engine).output_lengths
    count = max((length or 0 for length in lengths), default=0)
    if None in lengths or count == 0:
        raise ValueRefusedError(
            "the output is not a list",
            rule="simultaneous=False bounds the error of each entry of a list separately.",
            way_out="Leave out simultaneous.",
        )
    if whole not in (sup, discrete_outputs) and not isinstance(whole, ErrorOfEntries):
        raise ValueRefusedError(
            f"{whole} is a distance between whole outputs",
            rule="simultaneous=False bounds the error of each entry of a list separately.",
            way_out="Leave out simultaneous, or output_distance.",
        )
    is_plain = has_own_ideal and are_all and len(lengths) == 1
    if whole == sup and is_plain and _holds_only_noise(mechanism.checked.output):
        return tuple(map(_error_of_number, range(count)))
    kinds = whole.entries if isinstance(whole, ErrorOfEntries) else ("value",) * count
    return tuple(
        ErrorOfEntries(
            tuple(kind if k == own else "any" for k, kind in enumerate(kinds)), name=f"entry_{own}"
        )
        for own in range(count)
    )


def _holds_only_noise(output: ValueKind) -> bool:
    return all(one.noise and not one.finite and one.items is None for one in output.parts)


def _error_of_number(index: int) -> DeterministicProgram:
    """Return the error of one number of the output, as a function that a certificate can hold."""
    name = f"entry_{index}"
    text = f"def {name}(u, one, two):\n    return abs(one[{index}] - two[{index}])\n"
    return DeterministicProgram(read_text(text_source(text, f"<{name}>"), {}))


def _is_of_numbers(output: Value) -> bool:
    return all(map(is_number, leaves(output)))


def _are_positions(mechanism: Program, outputs: Iterable[Value]) -> bool:
    kind = mechanism.inputs[0].type if len(mechanism.inputs) == 1 else None
    return isinstance(kind, ListType) and all(
        type(one) is int and 0 <= one < kind.length for one in outputs
    )


def selects_largest(mechanism: Program, ideal: IdealFunction) -> bool:
    """Whether the ideal output is proved to be the position of the largest value."""
    outputs = mechanism.kept(Engine).outputs
    return outputs is not None and _selects(mechanism, ideal, (), outputs) > 0


def _selects(
    mechanism: Program, ideal: IdealFunction, path: tuple[int, ...], outputs: Iterable[Value]
) -> int:
    """Return 1 if the ideal position is proved to be that of the largest value at every input.

    −1 if it is that of the smallest, 0 if neither is proved. The position is the output, or the
    entry of it at `path`; `outputs` are its possible values.
    """
    others = tuple(outputs)
    if len(others) < 2 or not _are_positions(mechanism, others):
        return 0
    kind = mechanism.inputs[0].type
    assert isinstance(kind, ListType)
    largest = smallest = True
    if isinstance(kind.item, RealType):
        values = [Linear.symbol(f"q[{k}]") for k in range(kind.length)]
        if not isinstance(ideal, IdealProgram):
            return 0
        try:
            selection = None if path else ideal.program.kept(Engine).selection
            if selection is not None and (end := selection.end(entry_names(ideal.program.inputs))):
                return end
            every = pieces(ideal.function.machine, (List(values),))
            found = list(islice(every, _MOST_PIECES + 1))
        except ExactdpError:
            return 0
        if len(found) > _MOST_PIECES:
            return 0
        for piece in found:
            own = _entry(piece.output, path)
            if type(own) is not int or own not in others:
                return 0
            for other in others:
                gap = values[other] - values[own]
                if gap != 0:
                    largest = largest and not feasible((*piece.rows, *condition(gap, ">")[0]))
                    smallest = smallest and not feasible((*piece.rows, *condition(gap, "<")[0]))
            if not largest and not smallest:
                return 0
        return 1 if largest else -1
    if how_many(mechanism, 1) > _MOST_INPUTS:
        return 0
    for u in kind.values():
        own = _entry(ideal((u,)), path)
        if (
            type(own) is not int
            or own not in others
            or not all(is_number(u[other]) for other in others)
        ):
            return 0
        largest = largest and all(u[own] >= u[other] for other in others)
        smallest = smallest and all(u[own] <= u[other] for other in others)
    return 1 if largest else -int(smallest)


def follows_scores(mechanism: Program, ideal: IdealFunction) -> bool | None:
    """Whether the ideal output is a candidate of `expmech` with the largest score.

    None if there are too many inputs to see.
    """
    if _is_expmech_alone(mechanism, ideal):
        return True
    if mechanism.checked.scores_reals or not mechanism.inputs or has_reals(mechanism):
        return False
    if how_many(mechanism, 1) > _MOST_INPUTS:
        return None if begins_with_scores(mechanism) else False
    return all(has_best_score(mechanism, ideal, u) for u in every_input(mechanism))


def has_best_score(mechanism: Program, ideal: IdealFunction, u: tuple[Value, ...]) -> bool:
    """Whether the ideal output at an input is a candidate of `expmech` with the largest score."""
    try:
        scores = candidate_scores(mechanism, as_given(mechanism, u))
        return bool(scores.get(ideal(u)) == max(scores.values()))
    except ExactdpError:
        return False


def _is_expmech_alone(mechanism: Program, ideal: IdealFunction) -> bool:
    """Whether a mechanism returns the choice of `expmech`, and the ideal is its first maximiser."""
    match mechanism.definition.body:
        case [ast.Return(ExpMech())]:
            if isinstance(ideal, IdealProgram):
                return str(ideal.function) == str(mechanism.noiseless())
    return False


def _error_of_tuple(mechanism: Program, ideal: IdealFunction) -> OutputDistance | None:
    """Return the error of an output that is a position with numbers; None for other outputs."""
    items = mechanism.checked.output.items
    if not isinstance(items, tuple) or not any(one.finite for one in items):
        return None
    if any(one.finite == one.noise or one.may_be_list for one in items):
        return None
    kind = mechanism.inputs[0].type if len(mechanism.inputs) == 1 else None
    if not isinstance(kind, ListType):
        return None
    entries = tuple(
        "position"
        if not item.noise and _selects(mechanism, ideal, (k,), range(kind.length))
        else "value"
        for k, item in enumerate(items)
    )
    return ErrorOfEntries(entries) if "position" in entries else None


def _entry(output: Value, path: tuple[int, ...]) -> Value:
    """Return the entry of an output at a path; None if it is not a list that has one."""
    for k in path:
        if not isinstance(output, list | tuple) or k >= len(output):
            return None
        output = output[k]
    return output
