"""The checks: data flow over the kinds of variables, which is every rule of DiPWhile+.

One environment of kinds for each instruction, joined over the runs that lead to it. Environments
only lose knowledge, and kinds have finite height but for known values and lengths, which are given
up where runs meet; so the work list empties.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..errors import ExactdpError, fail
from .abstract import Kinds
from .code import (
    Append,
    Apply,
    Assigning,
    End,
    Fail,
    Instruction,
    Name,
    Sample,
    Set,
    Test,
    assigned,
    expressions,
    names,
)
from .interpret import Interpreter, Returned, Sampled
from .kinds import ANY, GIVEN, NOISE, Kind, join, joined, noise_in, of_input
from .read import Reading
from .samplers import WHOLE
from .trial import confirmed

MUTATING = ("replace", "extend", "+=", "*=")
"""Operations that change a list in place in Python; here they are assigned to its variable."""

VISITS = 40
"""How often the kinds before an instruction change before known values are given up there."""

CERTAIN = "#certain"
"""A name of no variable: whether each run gets to an instruction, as far as its kinds show."""

Env = dict[str, Kind]


@dataclass(frozen=True)
class Checked:
    """The kinds before each instruction that a run can get to, and those of the outputs."""

    before: Mapping[int, Env]
    output: Kind


def check(reading: Reading) -> Checked:
    """Return the kinds of a program, or refuse it."""
    return _Check(reading).run()


class _Check:
    def __init__(self, reading: Reading) -> None:
        self.reading, self.code = reading, reading.code
        self.kinds = Kinds()
        self.interpreter = Interpreter(self.code, self.kinds)
        self.before: dict[int, Env] = {}
        self.visits: dict[int, int] = {}
        self.suspicious: dict[int, set[str]] = {}
        self.outputs: list[tuple[int, Kind]] = []
        self.ends: list[int] = []

    def run(self) -> Checked:
        start: Env = {x: of_input(kind) for x, kind in self.reading.inputs}
        start[CERTAIN] = Kind(frozenset({"bool"}), (True,))
        self.before[0] = start
        todo = [0]
        while todo:
            pc = todo.pop()
            for to, env in self._after(pc):
                if self._meet(to, env) and to not in todo:
                    todo.append(to)
            todo.sort(reverse=True)
        self._check_loops()
        self._check_output()
        confirmed(self.reading, {pc: sorted(xs) for pc, xs in self.suspicious.items()})
        kinds = [kind for _, kind in self.outputs]
        return Checked(self.before, joined(kinds) or ANY)

    def _meet(self, pc: int, env: Env) -> bool:
        """Join an environment into that before an instruction; return whether it has changed."""
        live = self.code.live[pc]
        env = {x: k for x, k in env.items() if x in live or x == CERTAIN}
        old = self.before.get(pc)
        if old is None:
            self.before[pc] = env
            return True
        new: Env = {}
        for x in old.keys() | env.keys():
            a, b = old.get(x), env.get(x)
            if a is None or b is None:
                one = a or b
                assert one
                new[x] = replace(one, unset=True)
            else:
                new[x] = join(a, b)
        if new == old:
            return False
        self.visits[pc] = self.visits.get(pc, 0) + 1
        if self.visits[pc] > VISITS:
            new = {x: _vague(k) if k != old.get(x) else k for x, k in new.items()}
        self.before[pc] = new
        return True

    def _after(self, pc: int) -> list[tuple[int, Env]]:
        """Return the instructions after one, with the kinds there."""
        env = dict(self.before[pc])
        self.kinds.pc = pc
        one = self.code[pc]
        if isinstance(one, End):
            self.ends.append(pc)
            return []
        self._check_set(pc, one, env)
        certain = env[CERTAIN].known is not None
        if isinstance(one, Fail):
            said = self.interpreter.value(one.message, env)
            if said.holds(*NOISE):
                fail("R23", place=self.code.place(pc), what=noise_in(said))
        try:
            self._check_change(pc, one, env)
            if (target := assigned(one)) and not isinstance(one, Append):
                self._age(pc, env, target)
            found = self.interpreter.step(pc, env)
        except ExactdpError as error:
            if error.code[0] in "FL" and error.code not in ("L04", "L01") and not certain:
                return []  # a run may never get here: it will be refused where it does
            raise
        if isinstance(one, Set) and "function" in env[one.target].types:
            fail("N24", place=self.code.place(pc))
        if isinstance(found, int):
            return [(found, env)]
        match found:
            case Sampled(noise, _, _, target, ((to, env),)):
                kind = "integer" if noise in WHOLE else "real"
                return [(to, {**env, target: Kind(frozenset({kind}), sampled=True)})]
            case Returned(output):
                self._returned(pc, output)
                return []
        branches = [(to, dict(env)) for to, env in found.next]
        for _, after in branches:
            if len(branches) > 1:
                after[CERTAIN] = Kind(frozenset({"bool"}))
            self._learn(one, after)
        return branches

    def _check_set(self, pc: int, one: Instruction, env: Env) -> None:
        """Note the variables that may have no value here; a trial run will show whether they do."""
        read = {x for e in expressions(one) for x in names(e)}
        if isinstance(one, Assigning) and not isinstance(one, Set | Sample):
            read |= {assigned(one) or ""} & env.keys()
        for x in read:
            if x not in env or env[x].unset:
                self.suspicious.setdefault(pc, set()).add(x)
                env[x] = replace(env.get(x, ANY), unset=False)

    def _learn(self, one: Instruction, env: Env) -> None:
        """After a comparison integer noise may be one of finitely many values."""
        if isinstance(one, Test):
            for side in (one.left, one.right):
                if isinstance(side, Name) and side.name in env and env[side.name].noisy:
                    env[side.name] = replace(env[side.name], compared=True)

    # -- lists with two names

    def _age(self, pc: int, env: Env, target: str) -> None:
        """Mark the lists that this instruction has made before as not its newest one."""
        for x, kind in env.items():
            if x != target and any((pc, False) in one.sites for one in kind.all()):
                env[x] = _aged(kind, pc)

    def _check_change(self, pc: int, one: Instruction, env: Env) -> None:
        """Refuse to change a list that another variable may be, or hold: it would not change."""
        target = assigned(one)
        match one:
            case Append():
                pass
            case Set(value=Apply(op, (Name(first), *_))) if op in MUTATING and first == target:
                pass
            case _:
                return
        changed = env.get(str(target))
        if changed is None or "list" not in changed.types or str(target).startswith("#"):
            return
        name = str(target).partition("#")[0]
        if GIVEN in changed.sites:
            fail("L01", place=self.code.place(pc), name=name)
        for x, kind in sorted(env.items()):
            if x == target or x not in self.code.live[pc + 1]:
                continue
            if any(one.sites & changed.sites for one in kind.all()):
                other = "what the loop goes over" if x.startswith("#") else x.partition("#")[0]
                fail("L04", place=self.code.place(pc), name=name, other=other)

    # -- noise in loops

    def _check_loops(self) -> None:
        """Refuse a `while` loop that carries noise from one round to the next."""
        for top, end in self.reading.whiles:
            inside = [pc for pc in range(top, end) if pc in self.before]
            flows: dict[str, set[str]] = {}
            for pc in inside:
                one = self.code[pc]
                target = assigned(one)
                if target and not isinstance(one, Sample) and self._noisy_after(pc, target):
                    read = {x for e in expressions(one) for x in names(e)}
                    noisy = {x for x in read if self._noisy(pc, x)}
                    if isinstance(one, Append):
                        noisy.add(target)
                    flows.setdefault(target, set()).update(noisy)
            for pc in inside:
                target = assigned(self.code[pc])
                if target and target in flows and _reaches(flows, target, target):
                    self._refuse_loop(pc, target, top, end)

    def _refuse_loop(self, pc: int, target: str, top: int, end: int) -> None:
        for at in range(top, end):
            if isinstance(self.code[at], Test):
                break
            if isinstance(self.code[at], Sample) and at < pc:
                place, here = self.code.place(at), self.code.place(pc)
                if place and here and place.line != here.line:
                    fail("R29", place=place)
        kind = self.before[pc].get(target)
        integer = kind is not None and kind.types == {"integer"}
        what = "an integer noise" if integer else "a real"
        fail("R01", place=self.code.place(pc), what=what)

    def _noisy(self, pc: int, x: str) -> bool:
        kind = self.before[pc].get(x)
        return kind is not None and any(one.types & NOISE and one.sampled for one in kind.all())

    def _noisy_after(self, pc: int, target: str) -> bool:
        return any(self._noisy(to, target) for to in self.code.following(pc) if to in self.before)

    # -- outputs

    def _returned(self, pc: int, output: Kind) -> None:
        if output.holds("function"):
            fail("N16", place=self.code.place(pc))
        if output.holds("formula") and output.holds(*NOISE):
            fail("R12", place=self.code.place(pc))
        self.outputs.append((pc, output))

    def _check_output(self) -> None:
        """Refuse outputs that are a number of noise on one path and a list on another."""
        if not self.outputs and self.ends:
            fail("I11", place=self.code.place(len(self.code) - 1))
        seen = self.outputs[0][1] if self.outputs else ANY
        for pc, kind in self.outputs[1:]:
            for one, other in ((seen, kind), (kind, seen)):
                if one.types & NOISE and other.types & {"list", "tuple"}:
                    fail("I12", place=self.code.place(pc))
            seen = join(seen, kind)


def _vague(kind: Kind) -> Kind:
    """Give up what is known of a value but its kind, and where lists were made."""
    each = kind.each and _vague(kind.each)
    return replace(kind, known=None, entries=None, each=each)


def _aged(kind: Kind, pc: int) -> Kind:
    sites = frozenset((at, True) if at == pc else (at, old) for at, old in kind.sites)
    entries = None if kind.entries is None else tuple(_aged(one, pc) for one in kind.entries)
    each = kind.each and _aged(kind.each, pc)
    return replace(kind, sites=sites, entries=entries, each=each)


def _reaches(flows: Mapping[str, set[str]], start: str, goal: str) -> bool:
    """Whether noise in one variable comes from another."""
    seen: set[str] = set()
    todo = list(flows.get(start, ()))
    while todo:
        x = todo.pop()
        if x == goal:
            return True
        if x not in seen:
            seen.add(x)
            todo += flows.get(x, ())
    return False
