"""A row for each sampler: how it is called, and what noise it draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ..errors import fail


@dataclass(frozen=True)
class Sampler:
    """A function of a mechanism that draws noise, or a word of the language that is called.

    `noise` names its distribution in the core program; `parameters` are its arguments in order,
    `usage` is how it is written in a message; its support is the reals or the whole numbers.
    """

    noise: str
    parameters: tuple[str, ...]
    usage: str
    whole: bool = False

    def __call__(self, *_arguments: object, **_named: object) -> object:
        """Refuse to run: a mechanism is read, not executed."""
        fail("N22", what=self.noise, usage=self.usage)

    def __repr__(self) -> str:
        return self.noise


_NOISE = ("rate", "mean", "scale")
_START = ("rate", "start", "scale")

lap = Sampler("lap", _NOISE, "lap(a * eps, mean)")
dlap = Sampler("dlap", _NOISE, "dlap(a * eps, mean)", whole=True)
expo = Sampler("expo", _START, "expo(a * eps, start)")
geometric = Sampler("geometric", _START, "geometric(a * eps, start)", whole=True)
unif = Sampler("unif", ("lo", "hi"), "unif(lo, hi)")
choose = Sampler("choose", ("table",), "choose({value: probability, …})")
bernoulli = Sampler("bernoulli", ("probability",), "bernoulli(p)")
expmech = Sampler(
    "expmech", ("rate", "score", "candidates", "scale"), "expmech(a * eps, score, candidates)"
)
observe = Sampler("observe", ("condition",), "observe(condition)")

SAMPLERS: Mapping[str, Sampler] = MappingProxyType(
    {
        one.noise: one
        for one in (lap, dlap, expo, geometric, unif, choose, bernoulli, expmech, observe)
    }
)
NOISES = ("lap", "dlap", "expo", "geometric")
"""Those that are drawn around a mean, or from a start on, at a rate."""

WHOLE = frozenset(one.noise for one in SAMPLERS.values() if one.whole)
"""Noise on the whole numbers."""
