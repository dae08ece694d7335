"""Programs that select the largest or the smallest of several noisy numbers, however written.

Let f_1, …, f_n be numbers with one sample each, or inputs of a program without samples. The
hypothesis H(a, b) says that f_a is the first largest number and f_b the last one. In every run, one
of these hypotheses is true. If the program has one output under each (`hypotheses`), and this is
that of H(a, a), or that of H(b, b), or the same for all ties, then the program is equivalent to one
that goes over the numbers once and keeps the best so far. That one is analysed instead. If nothing
is known about ties, this is so with probability 1.

The numbers are guessed from a few runs; a wrong guess proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

from exactdp.language.layout import entry_names
from exactdp.language.linear import Linear, Scalar
from exactdp.language.program import Program
from exactdp.language.reader import FunctionReader
from exactdp.language.source import given, text_source
from exactdp.language.types import ListType, RealType
from exactdp.language.values import Value, alike
from exactdp.reals.operators import COMPARED, FLIPPED
from exactdp.semantics.hypotheses import HypotheticalRuns, SampleLaw
from exactdp.semantics.unsure import TooUnsureError

Name = object

_FEWEST = 2  # numbers to select from

_FOLLOWS = {
    ">": {">": True, ">=": True, "!=": True, "<": False, "<=": False, "==": False},
    ">=": {">=": True, "<": False},
    "==": {">": False, ">=": True, "!=": False, "<": False, "<=": True, "==": True},
    "<=": {"<=": True, ">": False},
    "<": {"<": True, "<=": True, "!=": True, ">": False, ">=": False, "==": False},
}
"""For each relation, the comparisons whose answers follow from it."""


@dataclass(frozen=True)
class Ties:
    """What a program returns if several numbers are the largest."""

    last_wins: bool = False
    output: Value = None
    """The output of all ties, if they have one of their own."""
    has_output: bool = False


@dataclass(frozen=True)
class Selected:
    """Numbers of which one is selected, with the output for each."""

    numbers: tuple[Number, ...]
    outputs: tuple[Value, ...]
    is_largest: bool
    ties: Ties | None
    """None if it is not known what happens at ties."""

    def by_input(self, names: Sequence[str]) -> list[Value] | None:
        """Return the output for each input; None if not exactly the inputs are selected from."""
        found = {one.mean: output for one, output in zip(self.numbers, self.outputs, strict=True)}
        symbols = [Linear.symbol(name) for name in names]
        is_by_input = len(found) == len(self.numbers) and {*found} == {*symbols}
        return [found[one] for one in symbols] if is_by_input else None

    def end(self, names: Sequence[str]) -> int:
        """Return 1 if the output is always a position of the largest input, −1 if of the smallest.

        Each position is the output at some input. 0 if neither is known.
        """
        outputs = self.by_input(names)
        if outputs is None or self.ties is None or self.ties.has_output:
            return 0
        if any(type(one) is not int for one in outputs):
            return 0
        sign = 1 if self.is_largest else -1
        if outputs == [1, 0]:  # the smaller of two is that of which the other one is larger
            return -sign
        return sign if outputs == [*range(len(names))] else 0

    def program(self, original: Program) -> Program | None:
        """Return the program that keeps the best so far; None if it cannot be written."""
        ties = self.ties or Ties()
        if not all(map(_is_plain, (*self.outputs, ties.output))):
            return None
        inputs = ", ".join(f"{one.name}: {one.type}" for one in original.inputs)
        own = _Variables.besides({one.name for one in original.inputs})
        lines = [f"def {original.definition.name}({inputs}):"]
        lines.append(f"    {own.best}, {own.top} = {self.outputs[0]!r}, {self.numbers[0].text}")
        lines += self._loop(own) or [
            f"    {line}"
            for number, output in zip(self.numbers[1:], self.outputs[1:], strict=True)
            for line in self._round(own, number.text, repr(output))
        ]
        source = text_source("\n".join([*lines, f"    return {own.best}"]), "<selection>")
        found = FunctionReader(source, given({})).function(source.parse().body[0], {})  # type: ignore[arg-type]
        definition = original.definition
        changed = replace(found, epsilon=definition.epsilon, asked=definition.asked)
        return Program(replace(changed, part=definition.part, params=definition.params))

    def _loop(self, own: _Variables) -> list[str]:
        """Return the loop over the entries of a list; nothing if the numbers are others."""
        (word, places), *others = {
            (one.text_at("{}"), None if one.place is None else one.place[0]) for one in self.numbers
        }
        if others or places is None:
            return []
        rest = [one.place[1] for one in self.numbers[1:] if one.place is not None]
        pairs = [*zip(rest, self.outputs[1:], strict=True)]
        head, output = f"for {own.i}, {own.o} in {tuple(pairs)!r}:", own.o
        body = self._round(own, word.format(f"{places}[{own.i}]"), output)
        return [f"    {head}", *(f"        {line}" for line in body)]

    def _round(self, own: _Variables, value: str, output: str) -> Iterator[str]:
        """Yield the statements for one more number."""
        ties = self.ties or Ties()
        word = (">" if self.is_largest else "<") + "=" * ties.last_wins
        yield f"{own.r} = {value}"
        yield f"if {own.r} {word} {own.top}:"
        yield f"    {own.best}, {own.top} = {output}, {own.r}"
        if ties.has_output:
            yield f"elif {own.r} == {own.top}:"
            yield f"    {own.best} = {ties.output!r}"


class _Variables(NamedTuple):
    """The variables of the program that keeps the best so far."""

    best: str = "best"
    top: str = "top"
    i: str = "i"
    o: str = "o"
    r: str = "r"

    @classmethod
    def besides(cls, inputs: Set[str]) -> _Variables:
        """Return variables with other names than the inputs."""
        found = cls()
        while inputs & {*found}:
            found = cls(*(f"{name}_" for name in found))
        return found


@dataclass(frozen=True)
class Number:
    """A number that may be selected: an input, or a sample around it."""

    law: SampleLaw | None
    mean: Scalar

    @property
    def text(self) -> str:
        """The number as an expression of the language."""
        return self.text_at(_text(self.mean))

    def text_at(self, mean: str) -> str:
        """Return the same with another mean."""
        if self.law is None:
            return mean
        return f"{self.law.noise}({Fraction(self.law.rate)} * eps, {mean})"

    @property
    def place(self) -> tuple[str, int] | None:
        """The list and the position, if the mean is an entry of an input."""
        mean = self.mean
        if not isinstance(mean, Linear) or mean.constant or [*mean.coefficients.values()] != [1]:
            return None
        (name,) = mean.coefficients
        word, _, position = str(name).partition("[")
        return (word, int(position[:-1])) if position else None


def selected(program: Program, inputs: tuple[Value, ...]) -> Selected | None:
    """Return what a program selects from, if this is proved; its real inputs are symbols."""
    if not all(_is_real(one.type) for one in program.inputs) or program.uses_roots:
        return None
    if program.meets_eps or program.checked.settles or program.checked.output.holds_noise:
        return None
    try:
        return _SelectionSearch(
            HypotheticalRuns(program, inputs), entry_names(program.inputs)
        ).found()
    except TooUnsureError:
        return None


class _SelectionSearch:
    """The search for a selection."""

    def __init__(self, runs: HypotheticalRuns, names: Sequence[str]) -> None:
        self._runs, self._names = runs, names
        self._compared: dict[Linear, None] = {}

    def found(self) -> Selected | None:
        """Return the selection, None if there is none."""
        output = self._run(_spread)
        forms = _contestants([*self._compared], self._runs.laws, self._names)
        if len(forms) < _FEWEST:
            return None
        size = len(forms)
        is_largest = _same(self._run(_reversed(forms, largest=True)), output)
        if not is_largest and not _same(self._run(_reversed(forms, largest=False)), output):
            return None
        known = _Hypotheses(forms, is_largest=is_largest)
        try:
            table = _table(self._runs.outputs(known.answers, known.every), size)
            ties = _ties(table, size)
        except TooUnsureError:
            table, ties = _table(self._runs.outputs(known.answers, known.strict), size), None
        outputs = tuple(table[k, k] for k in range(size))
        laws = self._runs.laws
        numbers = tuple(
            Number(laws[head], laws[head].mean + (form - Linear.symbol(head)))
            if laws
            else Number(None, form)
            for head, form in forms.items()
        )
        return Selected(numbers, outputs, is_largest, ties)

    def _run(self, value: Callable[[Name], int | Fraction]) -> Value:
        """Return the output where every symbol has a value."""

        def answers(op: str, difference: Linear) -> tuple[int, int]:
            self._compared[difference] = None
            total = sum(value(name) * q for name, q in difference.coefficients.items())
            return (1, 0) if COMPARED[op](total + difference.constant, 0) else (0, 1)

        (output,) = self._runs.outputs(answers, 1)
        return output


def _spread(name: Name) -> int:
    """Return a number for a symbol, most likely different from those of others."""
    return hash(("a symbol", name)) % 1_000_003


def _reversed(forms: Mapping[Name, Linear], *, largest: bool) -> Callable[[Name], int | Fraction]:
    """Return other numbers: the order of all contestants but the largest one is reversed.

    Otherwise, of all but the smallest one.
    """
    values: dict[Name, Any] = {
        head: sum(_spread(name) * q for name, q in form.coefficients.items()) + form.constant
        for head, form in forms.items()
    }
    order = sorted(values, key=values.__getitem__)
    others = order[:-1] if largest else order[1:]
    known = {
        head: _spread(head) + values[there] - values[head]
        for head, there in zip(others, reversed(others), strict=True)
    }
    return lambda name: known[name] if name in known else _spread(name)


def _contestants(
    differences: Sequence[Linear], laws: Mapping[Name, SampleLaw], names: Sequence[str]
) -> dict[Name, Linear]:
    """Return numbers whose differences are compared, by the sample or input in each."""
    offsets: dict[Name, Scalar] = {}
    beside: dict[Name, dict[Name, Linear]] = {}
    for one in differences:
        factors = one.coefficients
        heads = [name for name in factors if not laws or name in laws]
        if len(heads) == 2 and factors[heads[0]] == -factors[heads[1]]:
            for a, b in (heads, heads[::-1]):
                beside.setdefault(a, {}).setdefault(b, one)
    if not beside:
        return {}
    start = max(beside, key=lambda head: len(beside[head]))
    offsets[start], waiting = Fraction(0), [start]
    while waiting:
        here = waiting.pop()
        for there, one in beside[here].items():
            if there not in offsets:
                rest = one * (Fraction(1) / one.coefficients[there])
                offsets[there] = offsets[here] + (rest - Linear.symbol(there) + Linear.symbol(here))
                waiting.append(there)
    common = _common([offset for head, offset in offsets.items() if head != start])
    order = [head for head in (laws or names) if head in offsets]
    return {head: Linear.symbol(head) + (offsets[head] - common) for head in order}


def _common(forms: Sequence[Scalar]) -> Scalar:
    """Return the part that all forms have in common."""
    parts = [
        (form.coefficients, form.constant) if isinstance(form, Linear) else ({}, form)
        for form in forms
    ]
    if not parts:
        return Fraction(0)
    first, constant = parts[0]
    shared = {n: q for n, q in first.items() if all(c.get(n) == q for c, _ in parts)}
    return Linear.build(shared, constant if all(c == constant for _, c in parts) else 0)


class _Hypotheses:
    """For each two contestants a ≤ b, that they are the first and the last largest one.

    The bit of (a, b) is a·n + b.
    """

    def __init__(self, forms: Mapping[Name, Linear], *, is_largest: bool) -> None:
        self._forms, self._is_largest = forms, is_largest
        self._places = {head: place for place, head in enumerate(forms)}
        self._offset = {head: form - Linear.symbol(head) for head, form in forms.items()}
        self._known: dict[tuple[str, Linear], tuple[int, int]] = {}
        size = self._size = len(forms)
        self._column = [0]
        for a in range(size):
            self._column.append(self._column[-1] | 1 << a * size)
        self.every = sum(self._first(a, a, size) for a in range(size))
        self.strict = sum(self._first(a, a, a + 1) for a in range(size))

    def _first(self, a: int, low: int, high: int) -> int:
        """Return the mask of (a, b) for low ≤ b < high."""
        return ((1 << max(high - low, 0)) - 1) << (a * self._size + low)

    def _last(self, b: int, low: int, high: int) -> int:
        """Return the mask of (a, b) for low ≤ a < high."""
        return (self._column[high] ^ self._column[low]) << b if low < high else 0

    def answers(self, op: str, difference: Linear) -> tuple[int, int]:
        """Return the hypotheses under which a comparison may be true, and may be false."""
        key = op, difference
        if key not in self._known:
            self._known[key] = self._answers(op, difference)
        return self._known[key]

    def _is_difference(self, one: Name, two: Name, q: int | Fraction, form: Linear) -> bool:
        """Whether a form is q times the difference of two contestants."""
        if self._offset[one] == self._offset[two]:
            return form.coefficients == {one: q, two: -q} and not form.constant
        return bool((self._forms[one] - self._forms[two]) * q == form)

    def _answers(self, op: str, difference: Linear) -> tuple[int, int]:
        heads = [name for name in difference.coefficients if name in self._places]
        if len(heads) != 2:
            return self.every, self.every
        one, two = sorted(heads, key=self._places.__getitem__)
        q = difference.coefficients[one]
        if not self._is_difference(one, two, q, difference):
            return self.every, self.every
        if (q > 0) is not self._is_largest:
            op = FLIPPED[op]
        i, j, size = self._places[one], self._places[two], self._size
        relations = {
            "==": self._first(i, j, j + 1),
            ">": self._first(i, i, j) | self._last(i, 0, i),
            ">=": self._first(i, j + 1, size),
            "<": self._last(j, i + 1, j + 1) | self._first(j, j + 1, size),
            "<=": self._last(j, 0, i),
        }
        true = false = self.every
        for relation, mask in relations.items():
            answer = _FOLLOWS[relation].get(op)
            if answer is True:
                false &= ~mask
            elif answer is False:
                true &= ~mask
        return true, false


def _table(found: Mapping[Value, int], size: int) -> dict[tuple[int, int], Value]:
    """Return the outputs by hypothesis."""
    table = {}
    for output, mask in found.items():
        for bit in range(size * size):
            if mask >> bit & 1:
                table[divmod(bit, size)] = output
    return table


def _ties(table: Mapping[tuple[int, int], Value], size: int) -> Ties:
    """Return what happens at ties, if it is simple."""
    of_ties = {pair: output for pair, output in table.items() if pair[0] < pair[1]}
    if all(_same(output, table[a, a]) for (a, _), output in of_ties.items()):
        return Ties()
    if all(_same(output, table[b, b]) for (_, b), output in of_ties.items()):
        return Ties(last_wins=True)
    first = table[0, size - 1]
    if all(_same(output, first) for output in of_ties.values()):
        return Ties(output=first, has_output=True)
    raise TooUnsureError


def _same(one: Value, other: Value) -> bool:
    return one == other and alike(one, other)


def _is_real(kind: object) -> bool:
    return isinstance(kind.item if isinstance(kind, ListType) else kind, RealType)


def _is_plain(value: Value) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return value is None or type(value) in (int, bool, str)


def _text(form: Scalar) -> str:
    """Return a form in inputs as an expression of the language."""
    if not isinstance(form, Linear):
        return f"({Fraction(form)})"
    parts = [
        f"({Fraction(q)}) * {name}" if q != 1 else str(name)
        for name, q in form.coefficients.items()
    ]
    return " + ".join([*parts, f"({Fraction(form.constant)})"] if form.constant else parts)
