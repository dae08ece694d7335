"""The words of the language: samplers, `eps`, `exp`, `inf`, and the Python builtins it knows.

`lap` and the other samplers exist as Python objects so that imports and editors work; they have a
meaning only in the source of a mechanism, and raise an error when called elsewhere.
"""

from __future__ import annotations

import builtins
import math
from dataclasses import dataclass
from fractions import Fraction
from types import ModuleType
from typing import Any, Final

from exactdp.errors import ExactdpError
from exactdp.language.operations import FUNCTIONS
from exactdp.language.terms import log as term_log
from exactdp.language.types import Dom, Real
from exactdp.language.values import freeze
from exactdp.reals import ClosedForm
from exactdp.reals.logarithm import Logarithm


class OutsideMechanismError(ExactdpError, TypeError):
    """A sampler was called by running Python code instead of being read from a source."""

    of_a_program = True


@dataclass(frozen=True)
class SamplerWord:
    """A word that samples in the source of a mechanism.

    >>> from exactdp import Mechanism
    >>> coin = Mechanism.from_source("def coin(): return choose({0: 1 / 4, 1: 3 / 4})")
    >>> print(coin.probability((), 1))
    3/4
    """

    word: str
    usage: str

    def __call__(self, *args: object, **keywords: object) -> Any:
        """Refuse: a sampler has a meaning only in the source of a mechanism."""
        del args, keywords
        raise OutsideMechanismError(
            f"{self.word} was called outside a mechanism",
            rule=f"`{self.usage}` has a meaning only in the source of a function decorated "
            "with @mechanism, which is read and never run.",
            way_out="Decorate the function with @mechanism, and sample with "
            "`mechanism.run(u, eps, rng)`.",
        )

    def __repr__(self) -> str:
        return self.word


@dataclass(frozen=True, repr=False)
class NoiseWord(SamplerWord):
    """A word that samples a number, with everything that the passes need to know about it.

    >>> from exactdp import Mechanism
    >>> above = Mechanism.from_source("def above(q: Real): return lap(eps, q) > 0")
    >>> print(above.probability(-1, True))
    1/2*exp(-eps)
    """

    described: str
    """The name of a sample in the output of `explain`."""
    second: str = "mean"
    """The meaning of the second argument; the first is a rate, except for `unif`."""
    is_whole: bool = False
    is_above: bool = False
    """Whether a sample is never below its second argument."""

    @property
    def has_ends(self) -> bool:
        """Whether the arguments are the ends of a range, not a rate and a mean."""
        return self.second == "hi"


lap: Final = NoiseWord("lap", "lap(a * eps, mean)", "a Laplace sample (real)")
dlap: Final = NoiseWord(
    "dlap", "dlap(a * eps, mean)", "a discrete Laplace sample (integer)", is_whole=True
)
expo: Final = NoiseWord(
    "expo",
    "expo(a * eps, start)",
    "a one-sided exponential sample (real)",
    second="start",
    is_above=True,
)
geometric: Final = NoiseWord(
    "geometric",
    "geometric(a * eps, start)",
    "a one-sided geometric sample (integer)",
    second="start",
    is_whole=True,
    is_above=True,
)
unif: Final = NoiseWord("unif", "unif(lo, hi)", "a uniform sample (real)", second="hi")
gumbel: Final = NoiseWord("gumbel", "gumbel(a * eps, mean)", "a Gumbel sample (only compared)")
observe: Final = SamplerWord("observe", "observe(condition)")
bernoulli: Final = SamplerWord("bernoulli", "bernoulli(p)")


@dataclass(frozen=True, repr=False)
class LogWord(SamplerWord):
    """`log`, of a number as a constant of a mechanism, or of a closed form as a budget.

    >>> from exactdp import eps, exp, log
    >>> print(log((1 + exp(eps)) / 2))
    log(1/2*exp(eps) + 1/2)
    """

    def __call__(self, *args: object, **keywords: object) -> Any:
        """Return the logarithm of a closed form, or of a number as in `1 + log(20) / eps`."""
        if len(args) == 1 and isinstance(args[0], ClosedForm) and not keywords:
            return Logarithm(args[0])
        if len(args) == 1 and isinstance(args[0], int | Fraction | float) and not keywords:
            number = freeze(args[0])
            if isinstance(number, int | Fraction) and number > 0:
                return term_log(number)
        return super().__call__(*args, **keywords)


log: Final = LogWord("log", "log(r) / eps")
expmech: Final = SamplerWord("expmech", "expmech(a * eps, score, candidates)")
choose: Final = SamplerWord("choose", "choose({value: probability, …})")

NOISES: Final = {noise.word: noise for noise in (lap, dlap, expo, geometric, unif, gumbel)}
"""The kinds of noise; no other module lists them."""

SAMPLERS: Final[dict[str, SamplerWord]] = {
    **NOISES,
    **{sampler.word: sampler for sampler in (expmech, choose, bernoulli, observe)},
}

#: Words that denote a value.
VALUES: Final = ("eps", "inf")

#: Python functions of the language, applied to finite values.
BUILTINS: Final[dict[str, Any]] = {
    "Fraction": Fraction,
    **{name: getattr(builtins, name) for name in FUNCTIONS if hasattr(builtins, name)},
    **{name: getattr(math, name) for name in ("floor", "ceil", "sqrt", "trunc")},
}

_KNOWN: Final = {id(found): word for word, found in {**BUILTINS, "Real": Real, "Dom": Dom}.items()}

#: Names that a program cannot use for anything else.
RESERVED: Final = frozenset((*SAMPLERS, *VALUES, "exp", "log", "Real", "Dom"))

#: Python names that users may try, and what to write instead.
INSTEAD: Final = {
    "float": "Write the number exactly: Fraction(1, 3), 0.5 or '0.1'; inf for infinity.",
    "set": "Use a tuple or a list.",
    "print": "A mechanism has no effect but its output: return the value.",
    "input": "Make it an input: `def mechanism(x: Dom(0, 9)): …`.",
    "map": "Use a comprehension.",
    "filter": "Use a comprehension.",
    "pow": "Write a ** b.",
    "isinstance": "Compare with None, or keep a truth value beside it.",
}

#: Functions of exactdp that are words of the language under a name of their own.
OWN_FUNCTIONS: Final = {"exp": "exp", "sqrt": "sqrt", "minimum": "min", "maximum": "max"}

#: Functions of numpy that round one number as the language does.
_NUMPY: Final = {
    "floor": "floor",
    "ceil": "ceil",
    "trunc": "trunc",
    "rint": "round",
    "sqrt": "sqrt",
}

MISSING: Final = object()


def denotes(found: object) -> str | None:
    """Return the word of the language that a Python object denotes, or None."""
    if isinstance(found, SamplerWord):
        return found.word
    if id(found) in _KNOWN:
        return _KNOWN[id(found)]
    if isinstance(found, float) and found == math.inf:
        return "inf"
    module = getattr(type(found), "__module__", "")
    if module == "numpy" and type(found).__name__ == "ufunc":
        return _NUMPY.get(found.__name__)  # type: ignore[attr-defined]
    if isinstance(module, str) and module.startswith("exactdp.") and not callable(found):
        return "eps" if str(found) == "eps" else None
    word = OWN_FUNCTIONS.get(str(getattr(found, "__name__", ""))) if callable(found) else None
    if word is not None:
        home = getattr(found, "__module__", "")
        return word if isinstance(home, str) and home.partition(".")[0] == "exactdp" else None
    return None


def attribute(module: object, name: str) -> object:
    """Return a name of a module, or `MISSING`."""
    return getattr(module, name, MISSING) if isinstance(module, ModuleType) else MISSING
