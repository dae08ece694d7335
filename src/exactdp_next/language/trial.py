"""Trial runs: whether a variable without a value is read, or the end is reached, on some run.

Data flow finds where that may be; it does not know that `if b` twice takes the same side twice. So
a program is refused only for a run that shows it, on some inputs and all outcomes of chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any

from ..errors import ExactdpError, NotYet, fail
from ..ring.linear import Linear
from .arithmetics import EXACT
from .code import Code, End, Test, assigned
from .interpret import Forked, Interpreter, Sampled, Tied
from .read import Reading
from .types import InputType, sample_of
from .values import List, Value

MOST_INPUTS = 60
"""Inputs that are tried: each value of small domains, and the ends of large ones."""

MOST_STEPS = 60_000
"""Instructions of all trial runs: a second."""


@dataclass
class _Run:
    """A state of a trial run: outcomes of comparisons, and the tests that it has passed."""

    pc: int
    env: dict[str, Value]
    outcomes: dict[object, bool] = field(default_factory=dict)
    tests: tuple[tuple[int, bool], ...] = ()
    noises: int = 0


def confirmed(reading: Reading, suspicious: Mapping[int, Sequence[str]]) -> None:
    """Refuse the program if a trial run reads a variable without a value, or does not return."""
    ends = [pc for pc, one in enumerate(reading.code.instructions) if isinstance(one, End)]
    if not suspicious and not _reachable(reading.code, 0, ends):
        return
    _Trial(reading).run()


def _reachable(code: Code, start: int, goals: Sequence[int]) -> bool:
    seen: set[int] = set()
    todo = [start]
    while todo:
        pc = todo.pop()
        if pc not in seen:
            seen.add(pc)
            todo += code.following(pc)
    return any(one in seen for one in goals)


class _Trial:
    def __init__(self, reading: Reading) -> None:
        self.reading, self.code = reading, reading.code
        self.interpreter = Interpreter(self.code, EXACT)
        self.steps = 0

    def run(self) -> None:
        for env in self._starts():
            todo = [_Run(0, env)]
            while todo and self.steps < MOST_STEPS:
                todo += self._followed(todo.pop())

    def _starts(self) -> list[dict[str, Value]]:
        """Return variables at the start: some values of finite inputs, names of reals."""
        choices = [self._values(x, kind) for x, kind in self.reading.inputs]
        names = [x for x, _ in self.reading.inputs]
        return [
            dict(zip(names, one, strict=True)) for one in islice(product(*choices), MOST_INPUTS)
        ]

    def _values(self, name: str, kind: InputType) -> list[Value]:
        if kind.domain is None:
            forms = [Linear.name(x) for x in kind.coordinates(name)]
            return [List(forms) if kind.length is not None else forms[0]]
        some = sample_of(kind.domain, 4)
        if kind.length is None:
            return some
        return [List(one) for one in islice(product(some, repeat=kind.length), 12)]

    def _followed(self, run: _Run) -> list[_Run]:
        """Run to the next event; return the runs after it. A run that fails otherwise is over."""
        while self.steps < MOST_STEPS:
            self.steps += 1
            try:
                found = self.interpreter.step(run.pc, run.env)
            except NotYet:
                return []
            except ExactdpError as error:
                self._refuse(error, run)
                return []
            if isinstance(found, int):
                if isinstance(self.code[run.pc], Test):
                    run.tests = (*run.tests, (run.pc, found == run.pc + 1))
                run.pc = found
                continue
            match found:
                case Sampled(_, _, _, target, ((to, env),)):
                    noise = Linear.name(run.noises)
                    env = {**env, target: noise}
                    return [_Run(to, env, run.outcomes, run.tests, run.noises + 1)]
                case Forked() | Tied():
                    return self._both(found, run)
            after = [(to, dict(env)) for to, env in found.next]
            return [_Run(to, env, run.outcomes, run.tests, run.noises) for to, env in after[:6]]
        return []

    def _both(self, fork: Forked[Value] | Tied[Value], run: _Run) -> list[_Run]:
        """Return the runs after a comparison; the same one has the same outcome again."""
        key = (type(fork), fork.form)
        sides = (True, False) if key not in run.outcomes else (run.outcomes[key],)
        found = []
        for side in sides:
            to, env = fork.next[not side]
            tests = run.tests
            if isinstance(self.code[run.pc], Test):
                tests = (*tests, (run.pc, to == run.pc + 1))
            outcomes = {**run.outcomes, key: side}
            found.append(_Run(to, dict(env), outcomes, tests, run.noises))
        return found

    def _refuse(self, error: ExactdpError, run: _Run) -> None:
        """Refuse the program for this run, in words for the test that has led to it."""
        if error.code not in ("N04", "I11"):
            return
        place = error.place or self.code.place(run.pc)
        name = str(error.data.get("name", ""))
        at = self._deciding(run, name if error.code == "N04" else None)
        if at is None:
            if name:
                fail("N04", place=place, name=name)
            fail("I11", place=place)
        where, holds = at
        said = self.code.place(where)
        assert said
        condition = said.text[said.column - 1 : said.end_column - 1]
        told: dict[str, Any] = {
            "condition": condition,
            "line": said.line,
            "outcome": "true" if holds else "false",
        }
        if error.code == "N04":
            fail("N03", place=place, name=name, **told)
        fail("I10", place=place, function=self.reading.name, **told)

    def _deciding(self, run: _Run, name: str | None) -> tuple[int, bool] | None:
        """Return the last test of a run whose other side leads to an assignment, or to `return`."""
        for pc, held in reversed(run.tests):
            one = self.code[pc]
            assert isinstance(one, Test)
            other = one.otherwise if held else pc + 1
            if self._leads(other, name):
                return pc, held
        return None

    def _leads(self, start: int, name: str | None) -> bool:
        seen: set[int] = set()
        todo = [start]
        while todo:
            pc = todo.pop()
            if pc in seen:
                continue
            seen.add(pc)
            target = assigned(self.code[pc])
            if name is not None and target and target.partition("#")[0] == name:
                return True
            after = self.code.following(pc)
            if name is None and not after and not isinstance(self.code[pc], End):
                return True
            todo += after
        return False
