"""Questions about programs in which a `min` or `max` changes with ε: answered on parts of ε.

On a part, each of them equals one of its arguments, so that probabilities are closed forms. Which
functions of ε are compared is seen only in runs, as they may contain values of the program; so a
question is asked first, and divided where an order changes. There are finitely many orders.

An end of a part may be irrational. Then the question is asked on an interval with rational ends
that is larger by less than 10⁻³⁰, with the closed forms of the part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeVar

from exactdp.language.sampling import OrderChangesError
from exactdp.reals import ClosedForm, Stretch
from exactdp.reals.spans import Span, parts_by_sign


class Divisible(Protocol):
    """What a question is about, such as a program or a claim."""

    @property
    def span(self) -> Span:
        """The ε that it is about; an end may be irrational."""

    def on_part(self, part: Stretch) -> Self:
        """Return the same on a part of these ε."""


D = TypeVar("D", bound=Divisible)
T = TypeVar("T")


@dataclass(frozen=True)
class Division(Generic[D]):
    """A program or claim on the parts of its ε between which a function changes its sign."""

    whole: D
    gap: ClosedForm

    def __iter__(self) -> Iterator[tuple[Stretch, D]]:
        for part in parts_by_sign(self.gap, self.whole.span):
            yield part, self.whole.on_part(part)


def by_parts(whole: D, ask: Callable[[D], T], combine: Callable[[Division[D]], T]) -> T:
    """Return the answer to a question: its answers on parts of ε, combined, if an order changes.

    `combine` asks again on each part, which may itself be divided.
    """
    try:
        return ask(whole)
    except OrderChangesError as error:
        return combine(Division(whole, error.gap))
