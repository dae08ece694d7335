"""The public names of exactdp, from the tree that is being written; see docs/internals.md.

A name is loaded on first use, from the module that holds it. Where that is not written yet, the
name is an object that raises `NotYet` when it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .errors import GivenUp, NotYet
from .unwritten import Unwritten

_NAMES = {
    "claims.disagreement": "Disagreement",
    "claims.distances": "linf l1 l2 discrete numeric sup value_gap score_gap"
    " hamming one_entry add_remove",
    "claims.inputs": "AllReals Box Grid Pairs",
    "claims.levels": "ANY Range",
    "claims.verdict": "Answer Counterexample Verdict",
    "errors": "ExactdpError ProgramError ParseError ArgumentRefusedError ValueRefusedError"
    " VacuousClaimError StoreError",
    "language.samplers": "lap dlap expo unif choose expmech bernoulli geometric observe",
    "language.types": "Dom Int Real",
    "pages": "example",
    "public.claims": "Accuracy ErrorBound Expected Privacy",
    "public.mechanism": "Ideal Mechanism ideal mechanism",
    "questions.compare": "compare",
    "questions.curves": "ErrorCurve",
    "questions.radii": "confidence_interval",
    "questions.signs": "infimum nonnegative positive roots solution_set supremum",
    "ring.enclose": "Enclosure",
    "ring.epsilon": "Interval Pieces SolutionSet inf",
    "ring.expr": "eps alpha gamma exp log sqrt maximum minimum piecewise",
    "ring.text": "parse",
}
MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}
MODULES["certify"] = "certify"
"""The module of each public name; `certify` is a module itself."""

_GIVEN_UP = {
    "study": "Study StudyTable plot_tradeoff",
    "crew": "Store StoreWarning StoredRun",
    "gumbel": "gumbel",
    "compare-claims": "Contestant Ranking",
    "public-names": "Breach Budget ByEpsilon ClosedForm Decision DeltaCurve DeltaPiece Divergence"
    " EpsilonPiece Excess ExpPoly ExpRatio ExpectedVerdict Extremum Factor Kappa Leakage Piece"
    " Piecewise Place PrivacyVerdict Radius Risk Root Stretch Tightness Work",
}
GIVEN_UP = {name: family for family, names in _GIVEN_UP.items() for name in names.split()}
"""The public names of the old tree that this one does not have (docs/given-up.md)."""

FAMILIES = {
    *("certify", "claims", "cli", "decide", "geometry", "graph", "language", "measure"),
    *("public", "pytest_plugin", "questions", "reduce", "report", "ring", "store"),
}
"""What may be missing today, by the name of the package."""

__all__ = sorted(MODULES.keys() - {"certify"})  # noqa: PLE0605


def refuse_unwritten(module: str) -> None:
    """Raise `NotYet` for a module of a package that is planned."""
    family = module.split(".", maxsplit=1)[0]
    if family in FAMILIES:
        raise NotYet(family)


def __getattr__(name: str) -> Any:
    if name in GIVEN_UP:
        raise GivenUp(GIVEN_UP[name])
    if name not in MODULES:
        raise AttributeError(f"module 'exactdp' has no attribute {name!r}")
    path = f"{__name__}.{MODULES[name]}"
    try:
        module = import_module(path)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{path}.".startswith(f"{error.name}."):
            raise  # something else is missing, for example flint
        return Unwritten(name, MODULES[name])
    if name == "certify":
        return module
    return getattr(module, name, Unwritten(name, MODULES[name]))


def __dir__() -> list[str]:
    return sorted([*globals(), *MODULES])
