"""`Mechanism` and `Ideal`: programs, and what can be asked of them.

Claims, pictures and numpy are loaded when a question needs them (PLC0415).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, overload

from exactdp.errors import ExactdpError, ValueRefusedError, folded, folds, shortened
from exactdp.language.budgets import read_epsilon
from exactdp.language.explain import explain
from exactdp.language.labelled import labelled
from exactdp.language.noiseless import noiseless
from exactdp.language.program import DeterministicProgram, Program
from exactdp.language.reading import read_function, read_text
from exactdp.language.sampling import OrderChangesError
from exactdp.language.source import text_source
from exactdp.language.words import OutsideMechanismError
from exactdp.semantics.by_epsilon import (
    distribution_by_epsilon,
    in_parts,
    probability_by_epsilon,
)
from exactdp.semantics.chain import chain
from exactdp.semantics.concrete import run
from exactdp.semantics.distribution import Engine, within

if TYPE_CHECKING:
    from fractions import Fraction

    from exactdp.claims.stated.inputs import AllReals, Box
    from exactdp.language.values import Value
    from exactdp.public.answers import Chain
    from exactdp.reals import ClosedForm
    from exactdp.semantics.concrete import Uniform
    from exactdp.semantics.distribution import Distribution, Hook
    from exactdp.semantics.piecewise import Piecewise


@folds
class Mechanism(Program):
    """A mechanism: made by `@mechanism`, or from text by `Mechanism.from_source`.

    Two mechanisms are equal if their programs and constants are.

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
        """Return the mechanism that a string defines; nothing in the string is run.

        The text may assign constants and define subroutines before; the last `def` is the
        mechanism. `constants` are the outside names it may use.
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
        """Return the program as basic statements, one a line, loops unrolled.

        Real and integer variables are assigned at most once, as in the paper.
        """
        return labelled(self.code, self.checked, self.__name__)

    def explain(self) -> str:
        """Return what the program takes, samples and returns, in words."""
        return explain(self)

    def noiseless(self) -> Ideal:
        """Return det(P): every sample replaced by its mean, `expmech` by the first maximiser."""
        return Ideal(noiseless(self.definition))

    def __call__(self, *args: object, **keywords: object) -> Value:
        """Refuse: a mechanism is run by `run` or called inside another mechanism."""
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

        For `AllReals()` or a `Box`, a formula in the inputs for each of their cells. `progress` is
        called with the `Work` done so far: states, cells and terms.
        """
        if (sides := self._sides(u)) is not None:
            from exactdp.semantics.piecewise import distribution_everywhere  # noqa: PLC0415

            return distribution_everywhere(self, sides)
        if self.moves:
            return distribution_by_epsilon(self, u)
        try:
            return self.kept(Engine).distribution(u, progress)
        except OrderChangesError as error:
            return in_parts(self, error, lambda part: dict(part.kept(Engine).distribution(u)))

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

        In the output, `Real` stands for any real number and an `Interval` for those inside. For
        `AllReals()` or a `Box`, a formula in the inputs for each of their cells.
        """
        if (sides := self._sides(u)) is not None:
            from exactdp.semantics.piecewise import probability_everywhere  # noqa: PLC0415

            return probability_everywhere(self, sides, output)
        if self.moves:
            return probability_by_epsilon(self, u, output)
        try:
            return self.kept(Engine).probability(u, output, progress)
        except OrderChangesError as error:
            return in_parts(self, error, lambda part: part.kept(Engine).probability(u, output))

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

        The ideal is `noiseless()`, another function in the language, or the output itself in a
        tuple or number. The distance is "sup" (the largest difference of numbers, infinite where
        anything else differs) or "discrete" (0 if equal, else 1); by default "sup". For
        `AllReals()` or a `Box`, a formula in the inputs (and in gamma, if that is
        `exactdp.gamma`) for each of their cells.
        """
        wanted = self.noiseless() if ideal is None else ideal
        if (sides := self._sides(u)) is not None:
            from exactdp.semantics.piecewise import within_everywhere  # noqa: PLC0415

            return within_everywhere(self, sides, wanted, gamma, distance or "sup")
        return within(self, u, wanted, gamma, distance or "sup")

    @overload
    def expectation(
        self, u: AllReals | Box, f: object = None, *, ideal: object = None
    ) -> Piecewise[Any]: ...
    @overload
    def expectation(self, u: object = (), f: object = None, *, ideal: object = None) -> Any: ...
    def expectation(self, u: object = (), f: object = None, *, ideal: object = None) -> Any:
        """Return the exact expectation of the output, or of a function of it, in ε.

        `f` is a function of the output, or of the input and the output, that is polynomial on
        pieces; or one of the losses "absolute", "squared" (against the `ideal`, by default the
        mechanism without noise), "wrong" and "regret". Without `f` a list has a tuple of
        expectations. `inf` if it is infinite. For `AllReals()` or a `Box`, a formula in the inputs
        for each of their cells.

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
        try:
            return moments(self, u, f, ideal, central=central)
        except OrderChangesError as error:
            return in_parts(self, error, lambda part: moments(part, u, f, ideal, central=central))

    def _sides(self, u: object) -> list[tuple[Fraction, ...]] | None:
        """Return the sides of a set of real inputs, or None if one input is given."""
        from exactdp.claims.stated.inputs import AllReals, Box, box_sides  # noqa: PLC0415

        return box_sides(self, u) if isinstance(u, AllReals | Box) else None

    @overload
    def chain(self, u: AllReals | Box) -> Piecewise[Chain]: ...  # type: ignore[overload-overlap]
    @overload
    def chain(self, u: object = ()) -> Chain: ...
    def chain(self, u: object = ()) -> Any:
        """Return the parametrised Markov chain of the paper at an input, to walk or to draw.

        For `AllReals()` or a `Box`, a chain for each of their cells, with inputs in the
        probabilities: an input x stands for ε·x there.
        """
        from exactdp.public.answers import Chain  # noqa: PLC0415

        if (sides := self._sides(u)) is None:
            return Chain.of(chain(self, u))
        from exactdp.semantics.piecewise import chain_everywhere  # noqa: PLC0415

        found = chain_everywhere(self, sides)
        pieces = (replace(one, value=Chain.of(one.value)) for one in found)
        return replace(found, pieces=tuple(pieces))

    # Running --------------------------------------------------------------------------

    def run(self, u: object = (), eps: object = None, rng: Uniform | None = None) -> Value:
        """Return one output: exact if the program is deterministic, else one sample.

        `rng` is a `random.Random` or a numpy generator; by default a fresh one.
        """
        return run(self, u, eps, rng)

    def sample(self, u: object, eps: object, size: int, seed: Any = None) -> list[Value]:
        """Return the outputs of `size` independent runs (floats: for looking, not for proof)."""
        from exactdp.semantics.simulate import sample  # noqa: PLC0415

        return sample(self, u, eps, size, seed)


@folds
class Ideal(DeterministicProgram, Mechanism):
    """A deterministic function in the language: it samples nothing and runs exactly.

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
    """Read a Python function as a mechanism (a decorator); the function is never run.

    `@mechanism(epsilon="(0, 1]")` reads one that is defined for these ε only.

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
    """
    try:
        return Ideal(read_function(function, sys._getframe(1).f_locals))
    except ExactdpError as error:
        raise shortened(error) from error.__cause__
