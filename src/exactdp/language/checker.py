"""Check that flat code is a program of the language, and compute the kinds at every point.

`check` follows all paths at once: at each statement it keeps the kinds that the variables
may have there, and iterates until nothing changes.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from exactdp.errors import Place, ProgramError
from exactdp.language.abstract import Abstract, Kinds
from exactdp.language.code import (
    Branch,
    Check,
    Code,
    Enter,
    FallOff,
    Next,
    Pick,
    Release,
    Require,
    Sample,
    Set,
    Test,
)
from exactdp.language.flow import Flow
from exactdp.language.kinds import (
    FINITE,
    INTEGER,
    NOTHING,
    REAL,
    SHARED,
    SINGLE,
    UNKNOWN,
    ValueKind,
    join,
    sequence,
)
from exactdp.language.redrawn import carries
from exactdp.language.rules import AROUND_INTEGERS, CALL_IT, NOT_A_VALUE, fail, refuse
from exactdp.language.sampling import NOISY, SCORE
from exactdp.language.tree import Choose, ExpMech, NoiseCall, source_text, where
from exactdp.language.types import DomType, InputType, ListType, RecordType
from exactdp.language.words import NOISES

BOUNDED = "DiPWhile+ assigns reals a bounded number of times (paper, section 5.2)."
UNROLLED = "Use `for i in range(<constant>)`, which is unrolled."
FINITE_ONLY = "Only finite values can be used here, never reals or noise."
LEAVE_OUT = "Leave the noise out here; what it decides, decide by a comparison before."
COMPARED = "Compare uniform noise with it: `unif(0, 1) < q` is true with probability q."
NUMBER_THEM = "Pick a position, and index the list by it afterwards."


@dataclass(frozen=True)
class CheckedCode:
    """What is known of a checked program: kinds before each statement, and of the output."""

    before: tuple[Kinds | None, ...]
    output: ValueKind
    doubts: Mapping[Place, ProgramError] = field(default_factory=dict)
    """Errors that occur only if a run can take the path that they name, by place."""
    meets_eps: bool = False
    """Whether a + b/ε may stand beside reals."""
    releases_eps: bool = False
    """Whether an output may be an expression in ε."""
    scores_reals: bool = False
    """Whether a score of `expmech` may depend on real inputs."""
    settles: bool = False
    """Whether integer noise is used as a finite value."""
    steps_with_eps: bool = False
    """Whether integer noise may be compared with a + b/ε, so that probabilities jump at some ε."""


def input_kind(kind: InputType | None) -> ValueKind:
    """Return the kind of an input of a type."""
    if kind is None:
        return ValueKind(finite=True, sites=frozenset({SHARED}))
    if isinstance(kind, ListType):
        item = input_kind(kind.item)
        return sequence((item,) * kind.length if kind.length <= 64 else item, _SHARED)
    if isinstance(kind, RecordType):
        return sequence(tuple(map(input_kind, kind.entries)), _SHARED)
    if isinstance(kind, DomType):
        single = all(isinstance(one, bool) or one is None for one in kind.members)
        return SINGLE if single else FINITE
    return REAL


_SHARED = frozenset({SHARED})


def check(code: Code, flow: Flow) -> CheckedCode:
    """Return the kinds of a well-formed program, or raise the first error in it."""
    return Checker(code, flow).run()


class Checker:
    """The analysis of all paths."""

    def __init__(self, code: Code, flow: Flow) -> None:
        self.code, self.flow = code, flow
        self.abstract = Abstract(code, flow)
        self.output = NOTHING
        self.releases_eps = False
        self.steps_with_eps = False
        self.scores_reals = False
        self.noisy: dict[int, tuple[str, str]] = {}
        """The slots that noise statements assign inside `while` loops, and their names."""

    def run(self) -> CheckedCode:
        """Return the kinds at every statement; refuse what is wrong in every run."""
        abstract = self.abstract
        try:
            found = self._rounds()
        except ProgramError:
            if not abstract.sure:
                raise
        for place, doubt in abstract.doubts.items():
            if place in abstract.sure:
                raise doubt
        return found

    def _rounds(self) -> CheckedCode:
        """Iterate until the kinds at every statement cover all that can arrive there.

        Terminates because kinds only grow and the lattice has finite height.
        """
        abstract = self.abstract
        before: list[Kinds | None] = [None] * len(self.code.instructions)
        start: Kinds = dict.fromkeys(self.code.slots, UNKNOWN)
        start.update({name: input_kind(kind) for name, kind in self.code.inputs})
        before[0] = start
        waiting = {0}
        while waiting:
            pc = min(waiting)
            waiting.remove(pc)
            arrived = before[pc]
            assert arrived is not None
            for there, after in self.step(pc, dict(arrived)):
                known = before[there]
                merged = after if known is None else _merge(known, after)
                if known is None or merged != known:
                    before[there] = merged
                    waiting.add(there)
        self.refuse_carried()
        found = abstract.meets_eps, self.releases_eps, self.scores_reals, abstract.settles
        return CheckedCode(tuple(before), self.output, abstract.doubts, *found, self.steps_with_eps)

    def step(self, pc: int, env: Kinds) -> list[tuple[int, Kinds]]:
        """Return where control goes after a statement, with the kinds there."""
        one, abstract = self.code.instructions[pc], self.abstract
        abstract.env, abstract.pc = env, pc
        match one:
            case Set(slot, value):
                kind = abstract.kind(value)
                if kind.function:
                    refuse(
                        where(value),
                        "a function cannot be stored in a variable",
                        NOT_A_VALUE,
                        "Call it by its own name.",
                    )
                if kind.holds_noise:
                    what = "a real variable" if kind.holds("real") else "an integer noise variable"
                    self.noisy[pc] = slot, what
                env[slot] = kind
            case Sample():
                env[one.slot] = self.sample(pc, one)
            case Pick(slot, choice):
                env[slot] = self.pick(choice)
            case Test():
                self.test(one)
                env[one.slot] = SINGLE
            case Branch(test):
                abstract.truth(test)
            case Enter(items, counter, value):
                abstract.iterated(value)
                env[items] = abstract.kind(value)
                env[counter] = FINITE
            case Next(items, _, slot):
                taken = dict(env)
                taken[slot] = env[items].entry
                after = [(one.body, taken)]
                return after if one.leave is None else [*after, (one.leave, env)]
            case Require(test, message):
                abstract.truth(test)
                if message is not None:
                    abstract.finite(message, "a message cannot hold {}", FINITE_ONLY, LEAVE_OUT)
            case Check():
                env[one.slot] = self.declared(one, env[one.slot])
            case Release(value):
                kind = abstract.kind(value)
                if kind.holds("term"):
                    self.releases_eps = True
                    if kind.holds_noise:
                        abstract.no_term(value, kind)
                self.return_(kind, where(value))
            case FallOff():
                self.fall_off(pc, one)
        return [(there, env) for there in self.code.successors[pc]]

    def refuse_carried(self) -> None:
        """Refuse `while` loops that carry noise from one iteration to the next."""
        for loop in self.code.loops:
            own = {pc: one for pc, one in self.noisy.items() if loop.start <= pc < loop.end}
            slots = frozenset(slot for slot, _ in own.values())
            if loop.counter is not None or not carries(self.code, self.flow, loop, slots):
                continue
            for pc in sorted(own):
                one, (_, what) = self.code.instructions[pc], own[pc]
                if isinstance(one, Sample) and not source_text(one.place).isidentifier():
                    message = "noise cannot be sampled inside a while loop"
                    refuse(one.place, message, BOUNDED, UNROLLED)
                if isinstance(one, Sample) or (isinstance(one, Set) and one.binds):
                    message = f"{what} cannot be assigned inside a while loop"
                    refuse(one.place, message, BOUNDED, UNROLLED)

    def sample(self, pc: int, one: Sample) -> ValueKind:
        """Check a sample of real or integer noise."""
        draw, whole = one.draw, NOISES[one.draw.noise].is_whole
        if NOISES[draw.noise].has_ends:
            self.number(draw, draw.rate)
        else:
            self.abstract.finite(
                draw.rate,
                "{} cannot be a rate",
                "A rate is a positive rational number times eps.",
                "The rate comes first, as in lap(eps / 2, q), and depends on no input or noise.",
            )
        self.number(draw, draw.mean)
        self.noisy[pc] = one.slot, "an integer noise variable" if whole else "a real variable"
        return INTEGER if whole else REAL

    def number(self, draw: NoiseCall, part: ast.expr) -> None:
        """Check the mean of a sample, or an end of its range."""
        whole, second = NOISES[draw.noise].is_whole, NOISES[draw.noise].second
        name = "an end" if second == "hi" else f"the {second}"
        mean = self.abstract.kind(part)
        may_be_number = mean.finite or mean.noise
        if (mean.items is not None and not may_be_number) or mean.function:
            refuse(
                where(part),
                f"{name} of a sample is a number, not a list",
                "One sample is one number.",
                "Sample each entry: "
                + ("`[unif(x, x + 1)" if second == "hi" else f"`[{draw.noise}(eps, x)")
                + " for x in xs]`.",
            )
        if whole or mean.items is not None:
            self.abstract.no_term(part, mean)
        elif mean.term:
            self.abstract.meets_eps = True
        if whole and mean.real:
            refuse(
                where(part),
                f"{name} of {draw.noise} is an integer, and this may be a real",
                AROUND_INTEGERS,
                "Use lap, or an input of type Dom(lo, hi).",
            )

    def pick(self, choice: ExpMech | Choose) -> ValueKind:
        """Check a choice among finitely many values."""
        abstract = self.abstract
        if isinstance(choice, ExpMech):
            abstract.finite(choice.rate, "{} cannot be a rate", FINITE_ONLY, LEAVE_OUT)
            score = abstract.kind(choice.score)
            if score.holds("integer"):
                refuse(where(choice.score), f"a score cannot depend on {score.word}", SCORE, NOISY)
            if score.holds("real"):
                self.scores_reals = True
            if not score.function and score.items is None:
                refuse(
                    where(choice.score),
                    "the score must be a function",
                    SCORE,
                    "Write expmech(a * eps, score, candidates).",
                )
            message = "the candidates of expmech are finite values"
            found = abstract.finite(choice.candidates, message, FINITE_ONLY, NUMBER_THEM)
            return join(FINITE, found.entry)
        found = NOTHING
        if choice.table is not None:
            found = FINITE
            message = "a table of probabilities cannot hold {}"
            abstract.finite(choice.table, message, FINITE_ONLY, LEAVE_OUT)
        for value, chance in (pair.elts for pair in choice.outcomes):
            message = "{} cannot be a key: choose picks among finite values"
            kind = abstract.finite(value, message, FINITE_ONLY, NUMBER_THEM)
            abstract.no_term(value, kind)
            found = join(found, kind)
            abstract.finite(chance, "a probability cannot depend on {}", FINITE_ONLY, COMPARED)
        return found

    def test(self, one: Test) -> None:
        """Check a comparison in which a side may be noise."""
        left, right = self.abstract.kind(one.left), self.abstract.kind(one.right)
        for part, kind in ((one.left, left), (one.right, right)):
            if kind.term and kind.items is None and (left.noise or right.noise):
                self.abstract.meets_eps = True
                self.steps_with_eps |= left.integer or right.integer
            else:
                self.abstract.no_term(part, kind)
            if kind.function:
                refuse(where(part), "a function cannot be compared", NOT_A_VALUE, CALL_IT)
            if kind.items is not None and kind.holds_noise:
                refuse(
                    where(part),
                    f"lists that hold {kind.word} cannot be compared",
                    "A comparison is between two numbers.",
                    "Compare the entries.",
                )

    def declared(self, one: Check, kind: ValueKind) -> ValueKind:
        """Check a variable or parameter with a declared type."""
        if one.type.finite and kind.holds_noise:
            refuse(
                one.place,
                f"{one.name} is {one.type}, and {kind.word} is not a finite value",
                "A variable or input with a declared domain holds one of its values.",
                "Leave the declaration out, or write `Real`.",
            )
        if kind.holds("integer"):
            refuse(
                one.place,
                f"{one.name} is {one.type}, and an unbounded integer is not",
                "`Real` declares a real input or real noise.",
                "Leave the declaration out.",
            )
        return kind

    def return_(self, kind: ValueKind, place: Place) -> None:
        """Check an output, and that all outputs so far have the same shape."""
        if kind.holds("function"):
            refuse(place, "a function cannot be an output", NOT_A_VALUE, CALL_IT)
        self.output = join(self.output, kind)
        if _undetermined(self.output):
            refuse(
                place,
                "the shape of the output cannot be determined",
                "At each position an output is a number, None or a finite value, or it is a "
                "list; not a real on one path and a list on another.",
                "Return the same structure on every path.",
            )

    def fall_off(self, pc: int, one: FallOff) -> None:
        """Refuse a function that can end without `return`."""
        path = self.flow.path_without("", pc)
        when = f" when {path}" if path else ""
        doubt = fail(
            one.place,
            f"{one.name} ends without `return`{when}",
            "The output of a mechanism is the value that it returns, on every path.",
            "Return the output at the end; `return None` if there is nothing to say.",
        )
        if not when:
            self.abstract.sure.add(one.place)
        self.abstract.doubts[one.place] = doubt


def _merge(known: Kinds, arrived: Kinds) -> Kinds:
    return {
        slot: kind if (other := arrived[slot]) is kind else join(kind, other)
        for slot, kind in known.items()
    }


def _undetermined(kind: ValueKind) -> bool:
    if kind.noise and kind.items is not None:
        return True
    return any(map(_undetermined, kind.parts))
