"""The state of a run, and the events at which it stops."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from exactdp.language.linear import Scalar
from exactdp.language.quotients import Denominator
from exactdp.language.terms import EpsTerm
from exactdp.language.values import Symbolic, Value, alike
from exactdp.language.wholes import Whole

if TYPE_CHECKING:
    from exactdp.language.stored import StoredAnswer
    from exactdp.language.terms import Number


class State(NamedTuple):
    """The next statement and the value of every slot.

    States are equal if no run can tell them apart: True differs from 1 here.
    """

    pc: int
    env: tuple[Value, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and tuple.__eq__(self, other) and alike(self.env, other.env)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return tuple.__hash__(self)


def distinct(values: Iterable[Value]) -> tuple[Value, ...]:
    """Return the values without repetitions; True and 1 are two of them."""
    return tuple(state.env[0] for state in dict.fromkeys(State(-1, (one,)) for one in values))


@dataclass(frozen=True)
class Draw:
    """The program samples `noise` (of `words.NOISES`) with rate·ε and the given mean.

    Uniform noise has a width instead of a rate; neither its width nor its mean depends on noise.
    """

    state: State
    noise: str
    rate: Fraction
    mean: Value
    width: Value = None
    base: EpsTerm | None = None
    """The base of integer noise with the rate k·log(base), whose `rate` is k."""

    @property
    def ends(self) -> tuple[Value, Value]:
        """The ends of uniform noise."""
        half = self.width / Fraction(2)
        return self.mean - half, self.mean + half


@dataclass(frozen=True)
class Selection:
    """The program picks one of `values`.

    For the exponential mechanism the weight of a value is exp(q·ε) for its q in
    `exponents`; for `choose` its probability is the term in `chances`. One of the two is None.
    Exponents are `rate` times the scores: numbers, or forms in real inputs.
    """

    state: State
    values: tuple[Value, ...]
    exponents: tuple[Scalar, ...] | None
    chances: tuple[EpsTerm | Number, ...] | None
    rate: Fraction | None = None


@dataclass(frozen=True)
class Compare:
    """The program asks whether `difference` op 0; op is one of < <= == != >= >.

    For a whole number (`about`), the event asks whether it is at least some number, as a comparison
    of the real that it rounds; then the statement is run again with this answer known.
    """

    state: State
    op: str
    difference: Symbolic
    about: tuple[Whole, int] | Denominator | StoredAnswer | None = None


@dataclass(frozen=True)
class Settle:
    """The program needs the value of a column; occurs only in runs on columns."""

    state: State
    value: Symbolic


@dataclass(frozen=True)
class Done:
    """The program returned `output`, with lists as tuples."""

    state: State
    output: Value


Event = Draw | Selection | Compare | Done
