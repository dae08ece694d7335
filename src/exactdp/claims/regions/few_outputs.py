"""A few ideal outputs that stand for all others, for one of two reasons.

**Exchanged entries.** If mechanism and ideal select the best of their inputs, with noise of one law
on each, then exchanging two inputs exchanges two outputs, and changes neither the probability of
the ideal output nor dd. So the corner of one output stands for those of all. Ties have probability
0 with noise; without noise, the selected number must be one of the best.

**Independent entries.** If the entries of the output depend on different inputs and on noise of
their own, the probability of a list o is ∏ pᵢ(oᵢ), and dd is the least dd of an entry. So the
corner of o consists of corners of its entries. It suffices to compute the corner of one list, and
of those that differ from it in one entry. If all these corners have the same probability p(a), so
has the corner of every list: pᵢ(v) is the same function for all values v of an entry, because the
other factors are the same.

The proofs are in `docs/theory.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from exactdp.claims.disagreement.reaches import told_apart
from exactdp.claims.regions.dominance import CornerPiece, SignedOrder
from exactdp.language.values import Value
from exactdp.semantics.entries import IndependentEntry
from exactdp.semantics.selected import Selected


@dataclass(frozen=True)
class SampledOutputs:
    """One list of values, those that differ from it in one entry, and how many lists there are."""

    outputs: tuple[Value, ...]
    changed: tuple[int, ...]
    """For each list but the first, the entry in which it differs."""
    parts: tuple[frozenset[str], ...]
    """The inputs that each entry depends on."""
    total: int

    @classmethod
    def of(
        cls, noisy: Sequence[IndependentEntry], ideal: Sequence[IndependentEntry]
    ) -> SampledOutputs | None:
        """Return the sample; None if two entries depend on the same input."""
        if len(noisy) != len(ideal):
            return None
        parts = tuple(a.inputs | b.inputs for a, b in zip(noisy, ideal, strict=True))
        if sum(map(len, parts)) != len(frozenset[str]().union(*parts)):
            return None
        first = tuple(one.values[0] for one in ideal)
        outputs, changed = [first], []
        for k, one in enumerate(ideal):
            for value in one.values[1:]:
                outputs.append((*first[:k], value, *first[k + 1 :]))
                changed.append(k)
        total = prod(len(one.values) for one in ideal)
        return cls(tuple(outputs), tuple(changed), parts, total)

    def are_alike(self, pieces: Sequence[CornerPiece], orders: Sequence[SignedOrder]) -> bool:
        """Whether each corner differs from the first one only in the inputs of its entry.

        Each entry of a corner must have a row of its own part, so that corners of other lists
        consist of the same rows.
        """
        first = pieces[0]
        for k, piece in zip((None, *self.changed), pieces, strict=True):
            own = frozenset[str]() if k is None else self.parts[k]
            if (
                piece.free
                or piece.fixed is not None
                or piece.entries.keys() != first.entries.keys()
            ):
                return False
            if any(piece.entries[n] != first.entries[n] for n in piece.entries.keys() - own):
                return False
            if len(piece.sides) != 1 or piece.sides != first.sides:
                return False
            for name, row in piece.rows.items():
                if not any(name in part and row.names <= part for part in self.parts):
                    return False
        return not any(order.shifted for order in orders)


def exchanged_outputs(
    noisy: Selected, ideal: Selected, names: tuple[Sequence[str], Sequence[str]]
) -> tuple[Value, ...] | None:
    """Return the output for each input, if exchanging inputs exchanges these, and nothing else.

    `names` are those of the inputs of the mechanism and of the ideal, in the same order.
    """
    laws = {(one.law.noise, one.law.rate) for one in noisy.numbers if one.law is not None}
    if len(laws) != 1 or noisy.is_largest is not ideal.is_largest:
        return None
    if ideal.ties is None or ideal.ties.has_output:
        return None
    first, second = (one.by_input(own) for one, own in zip((noisy, ideal), names, strict=True))
    if first is None or second is None:
        return None
    are_same = [*map(told_apart, first)] == [*map(told_apart, second)]
    return tuple(first) if are_same and len({*first}) == len(first) else None
