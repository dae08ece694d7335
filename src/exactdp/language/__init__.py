"""The language: DiPWhile+ in Python syntax, from source to flat code."""

from exactdp.language.types import Dom, Real
from exactdp.language.words import (
    bernoulli,
    choose,
    dlap,
    expmech,
    expo,
    geometric,
    gumbel,
    lap,
    log,
    observe,
    unif,
)

__all__ = [
    "Dom",
    "Real",
    "bernoulli",
    "choose",
    "dlap",
    "expmech",
    "expo",
    "geometric",
    "gumbel",
    "lap",
    "log",
    "observe",
    "unif",
]
