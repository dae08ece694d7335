"""The language: DiPWhile+ in Python's own syntax, from source to flat code."""

from exactdp.language.types import Dom, Real
from exactdp.language.words import choose, dlap, expmech, expo, lap

__all__ = [
    "Dom",
    "Real",
    "choose",
    "dlap",
    "expmech",
    "expo",
    "lap",
]
