"""Programs whose output tells which of their numbers is the best: the largest, or the smallest.

The numbers are the entries of the input, or samples around them, one around each, all with the same
noise. The hypothesis (a, b) says that number a is the first of the best ones, and b the last. At
every input exactly one of these is true; of samples, almost surely one with a = b. A comparison of
two numbers is followed under the hypotheses that allow its answer, any other one under all. If each
output is reached only under hypotheses (a, b) with k = a or k = b, for a number k that no other
output has, then it is returned only where number k is one of the best.

So exchanging two entries of the input exchanges the probabilities of two outputs. The proof is in
`docs/theory.md`.
"""

from __future__ import annotations

from typing import Any

from .linear import LinearForm, forms_in, spelled_key
from .merged import Goto, Law, MergedNode, MergedRuns, Output
from .ratios import UnsupportedError
from .runs import Picked

_MOST_NUMBERS = 300
_MOST_STATES = 4  # of one node, by which samples it holds

Held = tuple[int | None, ...]
"""For each sample of a node, the entry it is drawn around; None if it is another one."""


class Hypotheses:
    """Sets of hypotheses (a, b) with a ≤ b, as bits a·n + b."""

    def __init__(self, size: int, *, sign: int) -> None:
        """Look at the largest number, with the sign −1 at the smallest."""
        if size > _MOST_NUMBERS:
            raise UnsupportedError("a selection from too many numbers")
        self.sign = sign
        first = [((1 << size) - (1 << a)) << (a * size) for a in range(size)]
        last = [sum(1 << (a * size + b) for a in range(b + 1)) for b in range(size)]
        self.strict = [1 << (a * size + a) for a in range(size)]
        """For each number, that it is the only best one."""
        self.best = [one | two for one, two in zip(first, last, strict=True)]
        """For each number, that it is known to be one of the best."""
        self.every = sum(first)
        self.worse: list[int] = []
        """For each number, that it is known to be none of the best: it is before a, or after b."""
        after, before = self.every, 0
        for one, two in zip(first, last, strict=True):
            after &= ~one  # all with a > k
            self.worse.append(after | before)
            before |= two  # all with b < k

    def allowing(self, one: int, two: int, op: str) -> tuple[int, int]:
        """Return the hypotheses under which x − y op 0 may be true, and may be false."""
        if self.sign < 0:
            one, two = two, one
        best, other = self.best[one], self.best[two]
        above, below = best & self.worse[two], other & self.worse[one]
        surely = {
            ">": (above, other),
            ">=": (best, below),
            "<": (below, best),
            "<=": (other, above),
            "==": (best & other, above | below),
            "!=": (above | below, best & other),
        }
        true, false = surely[op]
        return self.every & ~false, self.every & ~true


class SelectedOutputs:
    """The outputs of a program for each number that it selects from."""

    def __init__(self, runs: MergedRuns, size: int, *, sign: int, ties: bool) -> None:
        """Look at runs, with `ties` also where numbers are equal; raise if nothing is seen.

        With noise and `ties`, each sample is its mean.
        """
        if ties and runs.ignores_ties:
            raise UnsupportedError("ties are ignored")
        self._known = Hypotheses(size, sign=sign)
        self._noisy = runs.noisy
        self._laws: set[object] = set()
        self._ends: dict[object, tuple[Any, int]] = {}
        self._states: dict[int, dict[tuple[Held, int], int]] = {}
        known = self._known
        self._states[0] = {((), 0): known.every if ties else sum(known.strict)}
        for k in reversed(runs.order):
            here = self._states.get(k, {})  # none if no hypothesis allows a run to it
            if len(here) > _MOST_STATES:
                raise UnsupportedError("a state of a selection holds different samples")
            for (held, used), active in here.items():
                self._follow(runs.nodes[k], held, used, active)
        self.outputs = self._by_number(size)

    def _entry(self, law: Law) -> int | None:
        mean = law.mean
        if (
            not isinstance(mean, LinearForm)
            or mean.constant
            or [*mean.coefficients.values()] != [1]
        ):
            return None
        (name,) = mean.coefficients
        if name >= 0:
            return None
        self._laws.add((law.kind, law.rate))
        return -name - 1

    def _follow(self, node: MergedNode, held: Held, used: int, active: int) -> None:
        """Follow runs to the next nodes; samples around the entries `used` were compared."""
        if isinstance(node.question, Picked):
            raise UnsupportedError("a selection chooses at random")
        entries = {name: held[name] for name in node.introduced}
        entries |= {name: self._entry(law) for name, law in node.laws.items()}
        for answer, way in enumerate(node.ways):
            own = way.laws.keys() - entries.keys()
            here = entries | {name: self._entry(way.laws[name]) for name in own}
            left = active
            if node.question is not None:
                if answer == 0:
                    used = self._with_new(node.after() - node.introduced, here, used)
                form, op = node.question
                pair = self._pair(form, here)
                left &= -1 if pair is None else self._known.allowing(*pair, op)[answer]
            if left:
                self._reach(way.end, here, used, left)

    def _reach(
        self, end: Output | Goto, entries: dict[int, int | None], used: int, active: int
    ) -> None:
        """Come to an output, or to the next node."""
        if isinstance(end, Goto):
            held = tuple(entries[name] for name in end.names)
            there = self._states.setdefault(end.node, {})
            there[held, used] = there.get((held, used), 0) | active
            return
        if any(True for _ in forms_in(end.value)):
            raise UnsupportedError("a selection returns numbers")
        key = spelled_key(end.value)
        _, known = self._ends.get(key, (None, 0))
        self._ends[key] = end.value, known | active

    def _with_new(self, names: frozenset[int], entries: dict[int, int | None], used: int) -> int:
        """Return the entries whose samples were compared: one sample around each."""
        for name in names:
            entry = entries[name]
            if entry is not None:
                if used >> entry & 1:
                    raise UnsupportedError("two samples are drawn around an entry")
                used |= 1 << entry
        return used

    def _pair(self, form: LinearForm, entries: dict[int, int | None]) -> tuple[int, int] | None:
        """Return two numbers if a positive multiple of their difference is compared with 0."""
        if form.constant or len(form.coefficients) != 2:
            return None
        (one, c), (two, d) = form.coefficients.items()
        if c != -d or one < 0 or two < 0:
            return None
        found = [entries[name] if self._noisy else name for name in (one, two)]
        if c < 0:
            found.reverse()
        x, y = found
        return None if x is None or y is None or x == y else (x, y)

    def _by_number(self, size: int) -> list[Any]:
        """Return the output for each number, if it tells that this is one of the best."""
        known = self._known
        if len(self._laws) != self._noisy:
            raise UnsupportedError("a selection from samples with different laws")
        found: dict[int, Any] = {}
        for output, active in self._ends.values():
            own = [k for k in range(size) if active & known.strict[k]]
            if len(own) != 1 or own[0] in found or active & ~known.best[own[0]]:
                raise UnsupportedError("an output does not tell which number is the best")
            found[own[0]] = output
        if len({*found.values()}) != size:
            raise UnsupportedError("an output does not tell which number is the best")
        return [found[k] for k in range(size)]
