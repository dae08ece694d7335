"""`Mechanism` and `Ideal`: programs, and the questions that can be asked about them.

Claims, plots and numpy are loaded on first use (PLC0415).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, cast, overload

from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.language.budgets import read_epsilon
from exactdp.language.explain import explain
from exactdp.language.labelled import labelled
from exactdp.language.noiseless import noiseless
from exactdp.language.program import DeterministicProgram, Program, typed_program
from exactdp.language.reading import read_function, read_text
from exactdp.language.rules import LINEAR
from exactdp.language.source import text_source
from exactdp.language.words import OutsideMechanismError
from exactdp.public.calls import folded, folds, shortened
from exactdp.semantics.by_epsilon import ByEpsilon, chain_by_epsilon, in_parts
from exactdp.semantics.chain import chain
from exactdp.semantics.concrete import run
from exactdp.semantics.patterns import read_pattern, within_pattern
from exactdp.semantics.term_outputs import distribution_at_input, probability_at_input

if TYPE_CHECKING:
    from fractions import Fraction

    from exactdp.claims.stated.inputs import AllReals, Box
    from exactdp.language.values import Value
    from exactdp.measure.work import Hook
    from exactdp.public.answers import Chain
    from exactdp.reals import ClosedForm
    from exactdp.semantics.concrete import Uniform
    from exactdp.semantics.distribution import Distribution
    from exactdp.semantics.piecewise import Piecewise


@folds
class Mechanism(Program):
    """A mechanism, created by `@mechanism` or from a string by `Mechanism.from_source`.

    Two mechanisms are equal if their programs and constants are equal.

    >>> from exactdp import Mechanism
    >>> above = Mechanism.from_source("def above(x: Real): return lap(eps, x) > 0")
    >>> print(above.probability(2, True))
    1 - 1/2*exp(-2*eps)
    """

    @classmethod
    def from_source(
        cls,
        text: str,
        constants: Mapping[str, object] | None = None,
        name: str = "<mechanism>",
    ) -> Self:
        """Return the mechanism defined by a string; the string is never executed.

        The last `def` is the mechanism; constants and subroutines may be defined before it.
        `constants` are further names that it may use.
        """
        if not isinstance(text, str):
            raise ValueRefusedError(
                f"a source is a string, not {type(text).__name__}",
                rule="from_source reads the source of a mechanism.",
                way_out="Read the file first, or use @mechanism on the function.",
            )
        try:
            return cls(read_text(text_source(text, name), dict(constants or {})))
        except ExactdpError as error:
            raise shortened(error) from error.__cause__

    def labelled(self) -> str:
        """Return the program as basic statements, one per line, with loops unrolled.

        Each real or integer variable is assigned at most once, as in the paper.
        """
        return labelled(self.code, self.checked, self.__name__)

    def explain(self) -> str:
        """Describe in words what the program takes, samples and returns."""
        return explain(self)

    def noiseless(self) -> Ideal:
        """Return det(P): each sample is replaced by its mean, `expmech` by the first maximiser."""
        return Ideal(noiseless(self.definition))

    def __call__(self, *args: object, **keywords: object) -> Value:
        """Raise an error: use `run`, or call the mechanism inside another mechanism."""
        del args, keywords
        raise OutsideMechanismError(
            f"{self.__name__} is a mechanism, and was called like a function",
            rule="A mechanism samples, so its output depends on eps and on chance.",
            way_out="Use run(u, eps, rng) or sample(u, eps, size); inside another mechanism "
            "it can be called by name.",
        )

    def _repr_html_(self) -> str:
        from exactdp.report.notebook import mechanism_html  # noqa: PLC0415

        return mechanism_html(self)

    def _repr_latex_(self) -> str:
        from exactdp.report.notebook import mechanism_latex  # noqa: PLC0415

        return mechanism_latex(self)

    # Exact probabilities --------------------------------------------------------------

    @overload
    def distribution(  # type: ignore[overload-overlap]
        self, u: AllReals | Box, progress: Hook | None = None
    ) -> Piecewise[dict[Value, ClosedForm]]: ...
    @overload
    def distribution(self, u: object = (), progress: Hook | None = None) -> Distribution: ...
    def distribution(self, u: object = (), progress: Hook | None = None) -> Any:
        """Return the exact distribution of the output at an input: output → closed form in ε.

        For `AllReals()` or a `Box`, return a formula in the inputs for each of finitely many cells.
        `progress` is called with the `Work` done so far: states, cells and terms.
        """
        if (sides := self._sides(u)) is not None:
            from exactdp.semantics.piecewise import distribution_everywhere  # noqa: PLC0415

            return distribution_everywhere(self, sides)
        return distribution_at_input(self, u, progress)

    @overload
    def probability(  # type: ignore[overload-overlap]
        self, u: AllReals | Box, output: object, progress: Hook | None = None
    ) -> Piecewise[ClosedForm]: ...
    @overload
    def probability(
        self, u: object, output: object, progress: Hook | None = None
    ) -> ClosedForm: ...
    def probability(self, u: object, output: object, progress: Hook | None = None) -> Any:
        """Return the exact probability of an output at an input, as a closed form in ε.

        In the output, `Real` matches any real number and an `Interval` matches its elements. For
        `AllReals()` or a `Box`, return a formula in the inputs for each of finitely many cells.
        """
        if (sides := self._sides(u)) is not None:
            from exactdp.semantics.piecewise import probability_everywhere  # noqa: PLC0415

            return probability_everywhere(self, sides, output)
        return probability_at_input(self, u, read_pattern(output), progress)

    @overload
    def within(  # type: ignore[overload-overlap]
        self,
        u: AllReals | Box,
        gamma: object,
        *,
        ideal: object = None,
        distance: str | None = None,
    ) -> Piecewise[ClosedForm]: ...
    @overload
    def within(
        self, u: object, gamma: object, *, ideal: object = None, distance: str | None = None
    ) -> ClosedForm: ...
    def within(
        self, u: object, gamma: object, *, ideal: object = None, distance: str | None = None
    ) -> Any:
        """Return the probability that the output is within gamma of the ideal output.

        The ideal is `noiseless()` by default, another function in the language, or the ideal output
        itself as a tuple or number. The distance is "sup" (the default: the largest difference of
        numbers, infinite if anything else differs) or "discrete" (0 if equal, else 1). For
        `AllReals()` or a `Box`, return a formula in the inputs (and in gamma, if that is
        `exactdp.gamma`) for each of finitely many cells. With a + b / eps beside reals, and if
        outputs are expressions in ε, return a closed form on each of some intervals of ε.
        """
        wanted = self.noiseless() if ideal is None else ideal
        if callable(ideal) and not isinstance(ideal, Program):
            wanted = typed_program(ideal, [one.type for one in self.inputs], lambdas=True)
        if (sides := self._sides(u)) is not None:
            from exactdp.semantics.piecewise import within_everywhere  # noqa: PLC0415

            return within_everywhere(self, sides, wanted, gamma, distance or "sup")
        pattern = within_pattern(u, wanted, gamma, distance or "sup")
        return probability_at_input(self, u, pattern)

    @overload
    def expectation(
        self, u: AllReals | Box, f: object = None, *, ideal: object = None
    ) -> Piecewise[Any]: ...
    @overload
    def expectation(self, u: object = (), f: object = None, *, ideal: object = None) -> Any: ...
    def expectation(self, u: object = (), f: object = None, *, ideal: object = None) -> Any:
        """Return the exact expectation of the output, or of a function of it, as a function of ε.

        `f` is a piecewise polynomial function of the output, or of the input and the output; or one
        of the losses "absolute", "squared" (relative to `ideal`, by default the mechanism without
        noise), "wrong" and "regret". Without `f`, the expectation of a list is a tuple. An infinite
        expectation is `inf`. For `AllReals()` or a `Box`, return a formula in the inputs for each
        of finitely many cells.

        >>> from exactdp import Mechanism
        >>> count = Mechanism.from_source("def count(x: Real): return lap(eps, x)")
        >>> print(count.expectation(3), count.expectation(3, lambda y: y**2))
        3 (2 + 9*eps^2)/eps^2
        """
        return self._moments(u, f, ideal, central=False)

    @overload
    def variance(
        self, u: AllReals | Box, f: object = None, *, ideal: object = None
    ) -> Piecewise[Any]: ...
    @overload
    def variance(self, u: object = (), f: object = None, *, ideal: object = None) -> Any: ...
    def variance(self, u: object = (), f: object = None, *, ideal: object = None) -> Any:
        """Return the exact variance of the output, or of a function of it (see `expectation`).

        >>> from exactdp import Mechanism
        >>> count = Mechanism.from_source("def count(x: Real): return lap(eps, x)")
        >>> print(count.variance(3))
        2/eps^2
        """
        return self._moments(u, f, ideal, central=True)

    def _moments(self, u: object, f: object, ideal: object, *, central: bool) -> Any:
        from exactdp.claims.expectations.moments import (  # noqa: PLC0415
            moments,
            moments_by_epsilon,
            moments_everywhere,
        )

        if (sides := self._sides(u)) is not None:
            return moments_everywhere(self, sides, f, ideal, central=central)
        if self.moves:
            return moments_by_epsilon(self, u, f, ideal, central=central)
        return in_parts(self, lambda part: moments(part, u, f, ideal, central=central))

    def _sides(self, u: object) -> list[tuple[Fraction, ...]] | None:
        """Return the sides of a set of real inputs, or None if `u` is a single input."""
        from exactdp.claims.stated.inputs import AllReals, Box  # noqa: PLC0415
        from exactdp.claims.stated.scope import Scope  # noqa: PLC0415

        return Scope(self, u).sides if isinstance(u, AllReals | Box) else None

    @overload
    def chain(self, u: AllReals | Box) -> Piecewise[Chain]: ...  # type: ignore[overload-overlap]
    @overload
    def chain(self, u: object = ()) -> Chain: ...
    def chain(self, u: object = ()) -> Any:
        """Return the parametrised Markov chain of the paper at an input.

        With a + b / eps beside reals, return a chain for each of some intervals of ε.
        For `AllReals()` or a `Box`, return a chain for each of finitely many cells. Its
        probabilities are formulas in the inputs, in which an input x denotes ε·x.
        """
        from exactdp.public.answers import Chain  # noqa: PLC0415

        found: Any
        if (sides := self._sides(u)) is not None:
            from exactdp.semantics.piecewise import chain_everywhere  # noqa: PLC0415

            found = chain_everywhere(self, sides)
        elif self.moves:
            found = chain_by_epsilon(self, u)
        else:
            found = in_parts(self, lambda part: chain(part, u))
            if not isinstance(found, ByEpsilon):
                return Chain.of(found)
        pieces = (replace(one, value=Chain.of(one.value)) for one in found)
        return replace(found, pieces=tuple(pieces))

    # Running --------------------------------------------------------------------------

    def run(self, u: object = (), eps: object = None, rng: Uniform | None = None) -> Value:
        """Return one output: the exact one if the program is deterministic, else a sample.

        `rng` is a `random.Random` or a numpy generator; by default, a new one is created.
        """
        return run(self, u, eps, rng)

    def sample(self, u: object, eps: object, size: int, seed: Any = None) -> list[Value]:
        """Return the outputs of `size` independent runs, as floats (not suitable for proofs)."""
        from exactdp.semantics.simulate import sample  # noqa: PLC0415

        return sample(self, u, eps, size, seed)


@folds
class Ideal(DeterministicProgram, Mechanism):
    """A deterministic function in the language: it does not sample and is evaluated exactly.

    >>> from exactdp import Ideal
    >>> largest = Ideal.from_source("def largest(q: Real[2]): return max(q)")
    >>> largest.run([1, 2])
    2
    """


@overload
def mechanism(function: Callable[..., Any]) -> Mechanism: ...
@overload
def mechanism(*, epsilon: object) -> Callable[[Callable[..., Any]], Mechanism]: ...
def mechanism(function: Callable[..., Any] | None = None, *, epsilon: object = None) -> Any:
    """Read a Python function as a mechanism (a decorator); the function is never executed.

    `@mechanism(epsilon="(0, 1]")` declares that it is defined for these ε only.

    >>> from exactdp import Real, eps, lap, mechanism
    >>> @mechanism
    ... def count(x: Real):
    ...     return lap(eps, x)
    >>> count
    <mechanism count(x: Real)>
    """
    local = sys._getframe(1).f_locals
    interval = None if epsilon is None else read_epsilon(epsilon)

    def read(function: Any) -> Mechanism:
        return Mechanism(replace(read_function(function, local), epsilon=interval))

    if function is None and interval is not None:
        return folded(read)
    try:
        return read(function)
    except ExactdpError as error:
        raise shortened(error) from error.__cause__


def ideal(function: Callable[..., Any]) -> Ideal:
    """Read a Python function as a deterministic function in the language (a decorator).

    >>> from exactdp import ideal
    >>> @ideal
    ... def larger(x, y):
    ...     return max(x, y)
    >>> larger(1, 2)
    2

    A function that multiplies reals is returned unchanged: it is not in the language, but a claim
    at listed inputs accepts it as its ideal.
    """
    try:
        found = Ideal(read_function(function, sys._getframe(1).f_locals))
        found.python = function
    except ExactdpError as error:
        if error.rule == LINEAR:
            return cast(Ideal, function)
        raise shortened(error) from error.__cause__
    return found
