"""exactdp decides whether a mechanism is as accurate as claimed, for every ε > 0.

The whole public API can be imported from here. Names are loaded on first use, so that
`import exactdp` is fast and `exactdp.certify` never loads the solver whose results it checks.

Two trees are behind these names until one replaces the other: this one, and `exactdp_next`. The
environment variable EXACTDP_CORE (`old`, the default, or `new`) says for a whole process which one
gives all names and all modules `exactdp.…`; no module of the other tree is loaded.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from exactdp.claims import (
        ANY,
        AllReals,
        Box,
        Breach,
        Budget,
        Contestant,
        Counterexample,
        DeltaPiece,
        Disagreement,
        Divergence,
        Excess,
        Factor,
        Grid,
        Kappa,
        Leakage,
        Pairs,
        Radius,
        Range,
        Risk,
        Tightness,
        alpha,
        discrete,
        gamma,
        hamming,
        l1,
        l2,
        linf,
        maximum,
        minimum,
        numeric,
        one_entry,
        piecewise,
        score_gap,
        sup,
        value_gap,
    )
    from exactdp.errors import (
        ArgumentRefusedError,
        ExactdpError,
        ParseError,
        Place,
        ProgramError,
        VacuousClaimError,
        ValueRefusedError,
    )
    from exactdp.language import (
        Dom,
        Real,
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
    from exactdp.measure.work import Work
    from exactdp.public.accuracy import Accuracy
    from exactdp.public.answers import (
        DeltaCurve,
        ErrorCurve,
        ExpectedVerdict,
        PrivacyVerdict,
        Verdict,
    )
    from exactdp.public.comparing import Ranking, compare
    from exactdp.public.error_bound import ErrorBound
    from exactdp.public.examples import example
    from exactdp.public.expected import Expected
    from exactdp.public.mechanism import Ideal, Mechanism, ideal, mechanism
    from exactdp.public.privacy import Privacy, plot_tradeoff
    from exactdp.public.study import Study, StudyTable
    from exactdp.reals import (
        ClosedForm,
        Decision,
        Enclosure,
        ExpPoly,
        ExpRatio,
        Extremum,
        Interval,
        Root,
        SolutionSet,
        Stretch,
        eps,
        inf,
        infimum,
        nonnegative,
        parse,
        positive,
        roots,
        solution_set,
        supremum,
    )
    from exactdp.reals.radical_form import sqrt
    from exactdp.reals.towers import exp
    from exactdp.running.store import Store
    from exactdp.semantics.by_epsilon import ByEpsilon, EpsilonPiece
    from exactdp.semantics.piecewise import Piece, Piecewise

__version__ = "0.1.0"

__all__ = [
    "ANY",
    "Accuracy",
    "AllReals",
    "ArgumentRefusedError",
    "Box",
    "Breach",
    "Budget",
    "ByEpsilon",
    "ClosedForm",
    "Contestant",
    "Counterexample",
    "Decision",
    "DeltaCurve",
    "DeltaPiece",
    "Disagreement",
    "Divergence",
    "Dom",
    "Enclosure",
    "EpsilonPiece",
    "ErrorBound",
    "ErrorCurve",
    "ExactdpError",
    "Excess",
    "ExpPoly",
    "ExpRatio",
    "Expected",
    "ExpectedVerdict",
    "Extremum",
    "Factor",
    "Grid",
    "Ideal",
    "Interval",
    "Kappa",
    "Leakage",
    "Mechanism",
    "Pairs",
    "ParseError",
    "Piece",
    "Piecewise",
    "Place",
    "Privacy",
    "PrivacyVerdict",
    "ProgramError",
    "Radius",
    "Range",
    "Ranking",
    "Real",
    "Risk",
    "Root",
    "SolutionSet",
    "Store",
    "Stretch",
    "Study",
    "StudyTable",
    "Tightness",
    "VacuousClaimError",
    "ValueRefusedError",
    "Verdict",
    "Work",
    "alpha",
    "bernoulli",
    "choose",
    "compare",
    "discrete",
    "dlap",
    "eps",
    "example",
    "exp",
    "expmech",
    "expo",
    "gamma",
    "geometric",
    "gumbel",
    "hamming",
    "ideal",
    "inf",
    "infimum",
    "l1",
    "l2",
    "lap",
    "linf",
    "log",
    "maximum",
    "mechanism",
    "minimum",
    "nonnegative",
    "numeric",
    "observe",
    "one_entry",
    "parse",
    "piecewise",
    "plot_tradeoff",
    "positive",
    "roots",
    "score_gap",
    "solution_set",
    "sqrt",
    "sup",
    "supremum",
    "unif",
    "value_gap",
]

_MODULES = (
    "exactdp.errors",
    "exactdp.reals.towers",  # its `exp` is the public one
    "exactdp.reals.radical_form",
    "exactdp.reals",
    "exactdp.language",
    "exactdp.public.mechanism",
    "exactdp.public.error_bound",
    "exactdp.public.accuracy",
    "exactdp.public.privacy",
    "exactdp.public.study",
    "exactdp.public.expected",
    "exactdp.public.comparing",
    "exactdp.public.examples",
    "exactdp.public.answers",
    "exactdp.claims",
    "exactdp.measure.work",
    "exactdp.semantics.by_epsilon",
    "exactdp.semantics.piecewise",
    "exactdp.running.store",
)


class _NewTree:
    """Finds and loads `exactdp.X` as the module `exactdp_next.X`: one object under both names."""

    def find_spec(self, name: str, *_where: object) -> ModuleSpec | None:
        """Return how a module `exactdp.X` is loaded; `python -m` reads a `__main__` by itself."""
        if not name.startswith("exactdp.") or name.endswith(".__main__"):
            return None
        try:
            module = import_module(f"exactdp_next{name.removeprefix('exactdp')}")
        except ModuleNotFoundError as error:
            if error.name is None or error.name.split(".")[0] != "exactdp_next":
                raise
            exactdp_next.refuse_unwritten(name.removeprefix("exactdp."))
            return None
        found = ModuleSpec(name, self, is_package=hasattr(module, "__path__"))  # type: ignore[arg-type]
        found.loader_state = module, module.__spec__
        return found

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module of the new tree."""
        return spec.loader_state[0]  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own specification back: importing has just replaced it."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state[1]


_CORE = os.environ.get("EXACTDP_CORE", "old")
if _CORE == "new":
    import exactdp_next

    __all__[:] = exactdp_next.__all__
    __path__ = exactdp_next.__path__  # no module of this tree can be found any more
    sys.meta_path.insert(0, _NewTree())
elif _CORE != "old":
    raise ImportError(f"EXACTDP_CORE is {_CORE!r}; it must be 'old' or 'new'")


def __getattr__(name: str) -> Any:
    if _CORE == "new":
        if name in exactdp_next.MODULES or name in exactdp_next.GIVEN_UP:
            return getattr(exactdp_next, name)
    elif name in __all__:
        for name_of_module in _MODULES:
            module = import_module(name_of_module)
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module 'exactdp' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
