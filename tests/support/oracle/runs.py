"""A program's text run by Python, with symbols for noise, along every way that it can go.

A sample is its mean plus a symbol. A comparison of symbols is decided by a list of decisions; where
the list ends and both answers are possible, one is taken and the other is tried later. So is each
value of a choice. A choice inside a `while` loop is a state of a Markov chain: a run that comes to
the same place with the same variables and conditions goes on as another one did.
"""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import formulas
from .formulas import Exact, Formula, divided, formula
from .linear import Row, feasible, solved

Array = NDArray[np.float64]
_FILE = "<program of the oracle>"
_MOST_RUNS = 20_000


class Noise(NamedTuple):
    """A symbol: the centred noise of the k-th sample of a run, or a number of the input."""

    number: int
    kind: str
    rate: float


class Form:
    """A linear form in symbols; comparing it asks the run."""

    __slots__ = ("constant", "run", "terms")

    def __init__(self, run: Run, terms: dict[Noise, Fraction], constant: Fraction) -> None:
        self.run, self.terms, self.constant = run, terms, constant

    def _plus(self, other: Any, times: int) -> Any:
        if isinstance(other, Formula):
            return NotImplemented
        terms, constant = dict(self.terms), self.constant
        if isinstance(other, Form):
            for v, c in other.terms.items():
                terms[v] = terms.get(v, Fraction(0)) + times * c
            constant += times * other.constant
        else:
            constant += times * Fraction(other)
        terms = {v: c for v, c in terms.items() if c}
        return Form(self.run, terms, constant) if terms else constant

    def __add__(self, other: Any) -> Any:
        return self._plus(other, 1)

    def __sub__(self, other: Any) -> Any:
        return self._plus(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Form):
            raise TypeError("a product of noises is not linear")
        factor = Fraction(other)
        if not factor:
            return Fraction(0)
        return Form(
            self.run, {v: factor * c for v, c in self.terms.items()}, self.constant * factor
        )

    def __truediv__(self, other: Any) -> Any:
        return self * (1 / Fraction(other))

    def __neg__(self) -> Any:
        return self * -1

    def __pos__(self) -> Form:
        return self

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    __radd__, __rmul__ = __add__, __mul__

    def _is_less(self, other: Any, times: int) -> bool:
        """Whether self < other, or self > other if `times` is −1."""
        gap = self._plus(other, -1) * times
        return self.run.is_negative(gap)

    def __lt__(self, other: Any) -> bool:
        return self._is_less(other, 1)

    def __gt__(self, other: Any) -> bool:
        return self._is_less(other, -1)

    def __le__(self, other: Any) -> bool:
        return not self._is_less(other, -1)

    def __ge__(self, other: Any) -> bool:
        return not self._is_less(other, 1)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Form | int | Fraction):
            return False
        return not self._is_less(other, 1) and not self._is_less(other, -1)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    @property
    def key(self) -> tuple[Any, ...]:
        """The form as a value that can be looked up."""
        return "form", tuple(sorted(self.terms.items())), self.constant


class _ChosenError(Exception):
    """A run came to a choice that is not decided yet."""

    def __init__(self, values: list[Any], weights: list[Formula], state: Any) -> None:
        self.values, self.weights, self.state = values, weights, state


def frozen(value: Any) -> Any:
    """Return a value with tuples for lists, forms as they are."""
    if isinstance(value, list | tuple | range):
        return tuple(map(frozen, value))
    return value


def keyed(value: Any) -> Any:
    """Return a value that can be looked up; True and 1 differ."""
    if isinstance(value, Form):
        return value.key
    if isinstance(value, list | tuple | range):
        return tuple(map(keyed, value))
    if isinstance(value, dict):
        return tuple((keyed(k), keyed(v)) for k, v in value.items())
    return (type(value).__name__, value) if isinstance(value, bool | str) else value


class Run:
    """One run: what it decided, and what it found."""

    def __init__(self, ways: Ways, decisions: Sequence[int]) -> None:
        self.ways, self.decisions = ways, tuple(decisions)
        self.taken: list[int] = []
        self.rows: list[Row] = []
        self.drawn = 0

    def symbol(self, kind: str, rate: float = 0.0, number: int | None = None) -> Form:
        """Return a new symbol."""
        if number is None:
            number = self.drawn
            self.drawn += 1
        v = Noise(number, kind, rate)
        if kind == "expo":
            self.rows.append(Row(((v, -1),), 0, True))
        return Form(self, {v: Fraction(1)}, Fraction(0))

    def is_negative(self, gap: Any) -> bool:
        """Decide a comparison with 0."""
        if not isinstance(gap, Form):
            return bool(gap < 0)
        yes = Row.of(gap.terms, gap.constant, True)
        no = yes.negated
        if not self.ways.thin and all(v.kind != "dlap" for v in gap.terms):
            no = Row(no.terms, no.constant, True)  # equality of continuous noise never happens
        possible = [self.ways.possible(self.rows, row) for row in (no, yes)]
        if not all(possible):
            return possible[1]
        answer = bool(self.decide(2))
        self.rows.append(yes if answer else no)
        return answer

    def decide(self, options: int) -> int:
        """Take the next decision from the list; behind its end the first, the others later."""
        done = len(self.taken)
        if done < len(self.decisions):
            self.taken.append(self.decisions[done])
        else:
            self.ways.later += [(*self.taken, k) for k in range(1, options)]
            self.taken.append(0)
        return self.taken[-1]

    def choose(self, values: list[Any], weights: list[Formula]) -> Any:
        """Take a value by the list of decisions, or stop here."""
        done = len(self.taken)
        if done >= len(self.decisions):
            raise _ChosenError(values, weights, self._state())
        self.taken.append(self.decisions[done])
        return values[self.taken[-1]]

    def _state(self) -> Any:
        """Return all that what follows depends on, or what nothing else has."""
        if not self.ways.merges:
            return tuple(self.taken)
        found = []
        frame: Any = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == _FILE:
                found.append((frame.f_lasti, keyed(dict(sorted(frame.f_locals.items())))))
            frame = frame.f_back
        return tuple(found), frozenset(self.rows), self.drawn


@dataclass(frozen=True)
class Outcome:
    """A result, the conditions on noise under which it comes, and its weight as a vector of ε."""

    value: Any
    rows: frozenset[Row]
    weight: Array


class Ways:
    """All ways of a function of a run; `thin` keeps ways on which symbols are exactly equal."""

    def __init__(
        self, function: Callable[[Run], Any], *, thin: bool = False, merges: bool = False
    ) -> None:
        self.thin, self.merges = thin, merges
        self.later: list[tuple[int, ...]] = []
        self._function = function
        self._possible: dict[Any, bool] = {}
        self._ends: dict[Any, int] = {}
        self._results: list[tuple[Any, frozenset[Row]]] = []
        self._states: dict[Any, int] = {}
        self._edges: list[tuple[int, Formula | None, bool, int]] = []
        self._follow()

    def possible(self, rows: list[Row], row: Row) -> bool:
        """Whether a condition can hold beside others."""
        key = frozenset(rows), row
        if key not in self._possible:
            self._possible[key] = feasible([*rows, row])
        return self._possible[key]

    def _follow(self) -> None:
        """Run from the start and from each choice, until every way is known."""
        begun: list[tuple[int, Formula | None, tuple[int, ...]]] = [(-1, None, ())]
        runs = 0
        while begun:
            origin, weight, decisions = begun.pop()
            self.later = [decisions]
            while self.later:
                runs += 1
                if runs > _MOST_RUNS:
                    raise ValueError(f"more than {_MOST_RUNS} ways")
                run = Run(self, self.later.pop())
                try:
                    found = frozen(self._function(run))
                except _ChosenError as choice:
                    is_new = choice.state not in self._states
                    state = self._states.setdefault(choice.state, len(self._states))
                    self._edges.append((origin, weight, False, state))
                    if is_new:
                        begun += [
                            (state, one, (*run.taken, k)) for k, one in enumerate(choice.weights)
                        ]
                else:
                    key = keyed(found), frozenset(run.rows)
                    end = self._ends.setdefault(key, len(self._ends))
                    if end == len(self._results):
                        self._results.append((found, key[1]))
                    self._edges.append((origin, weight, True, end))

    def outcomes(self, eps: Array) -> list[Outcome]:
        """Return the results with their weights at each ε.

        Chances such as 1 − 1/(1 + e^(−80)) need more digits than a float has.
        """
        if not self._states:
            found = [np.ones_like(eps) for _ in self._results]
        else:
            with localcontext(prec=50 + 2 * math.ceil(max(eps))):
                found = list(np.array([self._weights(float(e)) for e in eps]).T)
        return [
            Outcome(value, rows, weight)
            for (value, rows), weight in zip(self._results, found, strict=True)
        ]

    def _weights(self, eps: float) -> list[float]:
        """Return the weight of each result at an ε: those of the states solve a linear system."""
        values = {"eps": Decimal(eps)}
        known = {id(w): w.at(values) for _, w, *_ in self._edges if w is not None}
        known[id(None)] = Decimal(1)
        count = len(self._states)
        system = [[Decimal(int(k == j)) for j in range(count)] + [Decimal(0)] for k in range(count)]
        for origin, weight, is_end, target in self._edges:
            if not is_end:
                # Weight of the target = Σ weight of the origin · chance; from the start it is 1.
                sign = 1 if origin < 0 else -1
                system[target][origin] += sign * known[id(weight)]
        reached = solved(system)
        total = [Decimal(0)] * len(self._results)
        for origin, weight, is_end, target in self._edges:
            if is_end:
                total[target] += (1 if origin < 0 else reached[origin]) * known[id(weight)]
        return [float(x) for x in total]

    @property
    def results(self) -> list[tuple[Any, frozenset[Row]]]:
        """The results with their conditions."""
        return self._results


@dataclass(frozen=True)
class Parameter:
    """An input: its name, how many entries (None: it is no list), and its domain (None: reals)."""

    name: str
    length: int | None
    domain: tuple[Any, ...] | None


@dataclass(frozen=True)
class Program:
    """The text of a program; its last function is the mechanism."""

    text: str

    @cached_property
    def _tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def _definition(self) -> ast.FunctionDef:
        return [one for one in self._tree.body if isinstance(one, ast.FunctionDef)][-1]

    @cached_property
    def _code(self) -> Any:
        tree = Exact().visit(ast.parse(self.text))
        return compile(ast.fix_missing_locations(tree), _FILE, "exec")

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The inputs."""
        found = []
        for argument in self._definition.args.args:
            assert argument.annotation is not None
            text = ast.unparse(argument.annotation)
            found.append(
                Parameter(argument.arg, *eval(text, {"Real": _Type(None), "Dom": _dom})[:])
            )
        return tuple(found)

    @cached_property
    def merges(self) -> bool:
        """Whether a choice in a loop is a state: all that matters stands in variables there."""
        loops = [one for one in ast.walk(self._tree) if isinstance(one, ast.While)]
        inner = [call for loop in loops for call in _choices(loop)]
        plain = [
            one.value
            for loop in loops
            for one in ast.walk(loop)
            if isinstance(one, ast.Assign) and one.value in inner
        ]
        others = (ast.For, ast.ListComp, ast.GeneratorExp)
        hidden = [one for one in ast.walk(self._tree) if isinstance(one, others)]
        return bool(inner) and len(plain) == len(inner) and not any(map(_choices, hidden))

    def run(self, run: Run | None, arguments: Sequence[Any]) -> Any:
        """Run it; without a run every sample is its mean."""
        names = _noisy(run) if run is not None else _NOISELESS
        space: dict[str, Any] = {**names, **_COMMON}
        exec(self._code, space)
        return space[self._definition.name](*arguments)

    def given(self, entries: Sequence[Any]) -> list[Any]:
        """Return the entries of an input as arguments."""
        found: list[Any] = []
        left = list(entries)
        for one in self.parameters:
            size = 1 if one.length is None else one.length
            now, left = left[:size], left[size:]
            found.append(now[0] if one.length is None else now)
        return found

    def entries(self, u: Any) -> tuple[Any, ...]:
        """Return the single values of an input as a user writes it."""
        several = u if len(self.parameters) != 1 else [u]
        found: list[Any] = []
        for one, part in zip(self.parameters, several, strict=True):
            found += [part] if one.length is None else part
        return tuple(Fraction(x) if isinstance(x, int | Fraction) else x for x in found)

    @cached_property
    def domains(self) -> tuple[tuple[Any, ...] | None, ...]:
        """The domain of each entry, None for reals."""
        return tuple(p.domain for p in self.parameters for _ in range(p.length or 1))


def _choices(tree: ast.AST) -> list[ast.Call]:
    return [
        one
        for one in ast.walk(tree)
        if isinstance(one, ast.Call)
        and isinstance(one.func, ast.Name)
        and one.func.id in ("choose", "expmech")
    ]


class _Type(tuple[Any, ...]):
    """(length, domain) of an input; indexing it with a number gives a list of such."""

    def __new__(cls, domain: tuple[Any, ...] | None, length: int | None = None) -> _Type:
        return super().__new__(cls, (length, domain))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return tuple(self)
        return _Type(tuple(self)[1], key)


def _dom(first: Any, last: Any = None) -> _Type:
    return _Type(tuple(first) if last is None else tuple(range(first, last + 1)))


def _rate(rate: Any) -> float:
    return float(rate.at({"eps": Fraction(1)}))


def _noisy(run: Run) -> dict[str, Any]:
    def sampler(kind: str) -> Callable[..., Any]:
        def sample(rate: Any = None, mean: Any = 0, *, scale: Any = None) -> Any:
            return run.symbol(kind, _rate(1 / scale if rate is None else rate)) + mean

        return sample

    def choose(chances: dict[Any, Any]) -> Any:
        return run.choose(list(chances), [formula(p) for p in chances.values()])

    def expmech(rate: Any, score: Callable[[Any], Any], candidates: Any) -> Any:
        values = list(candidates)
        scores = [score(v) for v in values]
        best = max(scores)
        sizes = [formulas.exp(rate * Fraction(s - best)) for s in scores]
        total = sum(sizes[1:], sizes[0])
        return run.choose(values, [one / total for one in sizes])

    kinds = ("lap", "dlap", "expo")
    return {**{kind: sampler(kind) for kind in kinds}, "choose": choose, "expmech": expmech}


def _mean(rate: Any = None, mean: Any = 0, *, scale: Any = None) -> Any:
    del rate, scale
    return mean


def _first_best(rate: Any, score: Callable[[Any], Any], candidates: Any) -> Any:
    del rate
    return max(candidates, key=score)


def _no_mean(chances: object) -> Any:
    raise TypeError(f"choose({chances!r}) has no mean")


_NOISELESS: dict[str, Any] = {
    **dict.fromkeys(("lap", "dlap", "expo"), _mean),
    "expmech": _first_best,
    "choose": _no_mean,
}
_COMMON: dict[str, Any] = {
    "eps": formulas.name("eps"),
    "exp": formulas.exp,
    "Fraction": Fraction,
    "inf": float("inf"),
    "divided_": divided,
}
