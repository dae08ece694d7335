"""The public classes of answers: those of the lower layers, with plots.

Plotting modules are loaded on first use (PLC0415).
"""

from __future__ import annotations

from dataclasses import fields
from html import escape
from typing import TYPE_CHECKING, Any, Self

from exactdp import claims
from exactdp.claims.disagreement import everywhere as disagreement_everywhere
from exactdp.errors import ValueRefusedError
from exactdp.semantics import chain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactdp.public.accuracy import Accuracy
    from exactdp.public.expected import Expected
    from exactdp.public.privacy import Privacy
    from exactdp.reals.numbers import Number


class Answer:
    """A frozen dataclass of a lower layer, with more methods."""

    @classmethod
    def of(cls, found: Any) -> Self:
        """Convert an answer of the lower layer to this class."""
        return cls(**{one.name: getattr(found, one.name) for one in fields(found)})


class Verdict(Answer, claims.Verdict):
    """Whether a claim holds, why, and how it was decided.

    >>> from exactdp import Mechanism
    >>> larger = Mechanism.from_source(
    ...     "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
    ... )
    >>> from exactdp import Accuracy, alpha, eps, exp
    >>> verdict = Accuracy(larger, beta=exp(-alpha * eps / 2), inputs=[[0, 2]]).check()
    >>> verdict.outcome, bool(verdict)
    ('holds', True)
    """

    claim: Accuracy

    def plot(self, ax: Axes | None = None, *, u: object = None) -> Axes:
        """Plot the exact error, the claimed and tight bounds and the counterexample against ε."""
        from exactdp.report.plots import plot_verdict  # noqa: PLC0415

        return plot_verdict(self, ax, u=u)

    def _repr_html_(self) -> str:
        from exactdp.report.notebook import verdict_html  # noqa: PLC0415

        return verdict_html(self)

    def _repr_latex_(self) -> str:
        from exactdp.report.notebook import verdict_latex  # noqa: PLC0415

        return verdict_latex(self)


class _Sentences(Answer, claims.Verdict):
    """A verdict displayed as its sentences."""

    def _repr_html_(self) -> str:
        first, *rest = map(escape, str(self).splitlines())
        return f"<p><b>{first}</b></p>" + "".join(f"<p>{line}</p>" for line in rest)


class PrivacyVerdict(_Sentences):
    """Whether a privacy claim holds, why, and how it was decided.

    >>> from exactdp import Mechanism, Privacy
    >>> coin = Mechanism.from_source(
    ...     "def coin(b: Dom(0, 1)): return choose({b: 3 / 4, 1 - b: 1 / 4})"
    ... )
    >>> verdict = Privacy(coin).check()
    >>> print(verdict.counterexample)
    at the inputs 0 and 1 and ε = 1 the output 0 has the probabilities 3/4 and 1/4, and the claim \
allows 0.6796 for the first
    >>> one, two = verdict.simulated(4000, seed=1)
    >>> 0.7 < one < 0.8, 0.2 < two < 0.3
    (True, True)
    """

    claim: Privacy

    def simulated(self, size: int = 10_000, seed: Any = None) -> tuple[float, float]:
        """Estimate both probabilities of the counterexample from `size` runs."""
        if self.counterexample is None:
            raise ValueRefusedError(
                "there is no counterexample",
                rule="A simulation is of the counterexample of a claim that fails.",
                way_out="Use mechanism.sample(u, eps, size) at an input.",
            )
        found: tuple[float, float] = self.counterexample.simulated(self.claim.mechanism, size, seed)
        return found

    def _repr_latex_(self) -> str:
        from exactdp.report.private import privacy_latex  # noqa: PLC0415

        return privacy_latex(self)


class ExpectedVerdict(_Sentences):
    """Whether a claim about an expected loss holds, why, and how it was decided.

    >>> from exactdp import Expected, Mechanism, eps
    >>> count = Mechanism.from_source("def count(x: Real): return lap(eps, x)")
    >>> Expected(count, at_most=1 / eps, inputs=[0]).check().holds
    True
    """

    claim: Expected


class DeltaCurve(Answer, claims.DeltaCurve):
    """The smallest δ as an exact, piecewise function of ε.

    >>> from exactdp import Mechanism, Privacy, hamming
    >>> coin = Mechanism.from_source(
    ...     "def coin(b: Dom(0, 1)): return choose({b: 3 / 4, 1 - b: 1 / 4})"
    ... )
    >>> curve = Privacy(coin, adjacent=hamming(1)).smallest_delta()
    >>> curve.at(1).text(4)
    '0.07043'
    """

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Plot the smallest δ against ε."""
        from exactdp.report.private import plot_delta  # noqa: PLC0415

        return plot_delta(self, ax, **options)


class ErrorCurve(Answer, claims.ErrorCurve):
    """The probability of an error above γ at an input: exact, and as claimed.

    >>> from exactdp import Mechanism
    >>> larger = Mechanism.from_source(
    ...     "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
    ... )
    >>> from exactdp import Accuracy
    >>> print(Accuracy(larger, "5%", inputs=[[0, 2]]).error_probability([0, 2]).exact)
    1/2*exp(-eps) + 1/4*eps*exp(-eps)
    """

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Plot the exact error probability and the claimed bound against ε."""
        from exactdp.report.plots import plot_curve  # noqa: PLC0415

        return plot_curve(self, ax, **options)


class PiecewiseDistance(Answer, disagreement_everywhere.PiecewiseDistance):
    """The distance to disagreement: a linear form on each of finitely many pieces."""

    def plot(self, ax: Axes | None = None, *, lower: Number = -4, upper: Number = 4) -> Axes:
        """Plot the distance over one or two inputs between `lower` and `upper`."""
        from exactdp.report.distances import draw_distance  # noqa: PLC0415

        return draw_distance(self, ax, lower, upper)


class Chain(Answer, chain.Chain):
    """A finite Markov chain whose probabilities are closed forms; state 0 is the initial state."""

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot the chain and return the axes."""
        from exactdp.report.chains import draw_chain  # noqa: PLC0415

        return draw_chain(self, ax)
