"""Ideals that multiply reals, but compare products of linear forms: the same with linear tests.

q[0]·q[1] > 0 is a statement about the signs of q[0] and q[1]. All ways through a function are
followed with polynomials as numbers; if each polynomial that it compares is a product of linear
forms, and of polynomials whose coefficients show their sign, the function is written in the
language, with the signs of the linear forms as finite values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq_mpoly

from exactdp.claims.stated.unknowns import Compared
from exactdp.errors import UndefinedError
from exactdp.language.types import RealType
from exactdp.reals.numbers import fraction

_MOST_LINES = 2_000


@dataclass(frozen=True)
class _Test:
    """The sign of a number times a product of linear forms, compared with 0."""

    sign: int
    forms: tuple[tuple[str, int], ...]
    """Linear forms as text, with their powers."""
    op: str


def linear_source(
    call: Callable[[list[Any]], Any], name: str, inputs: Sequence[tuple[str, Any]]
) -> str | None:
    """Return the text of a function of real inputs with linear tests; None if there is none.

    `call` takes all numbers of the inputs, in order, and returns a finite output.
    """
    places = [place for param, kind in inputs for place in _places(param, kind)]
    compared = Compared([f"v{k}" for k in range(len(places))])
    unknowns = [compared.unknown(one) for one in compared.ring.gens()]

    def outcome(given: list[Any]) -> tuple[list[tuple[_Test, bool]], str] | None:
        compared.trail.clear()
        try:
            text = f"return {_literal(call(given))}"
        except UndefinedError:
            text = "assert False, 'the ideal is not defined here'"
        steps = [(_test(over, op, places), answer) for over, op, answer in compared.trail]
        return None if any(test is None for test, _ in steps) else (steps, text)  # type: ignore[return-value]

    try:
        runs = compared.results(outcome, unknowns)
    except _NoLiteralError:
        return None
    if runs is None or None in runs or compared.divides:
        return None
    params = ", ".join(f"{param}: {kind}" for param, kind in inputs)
    lines = [f"def {name}({params}):"]
    written = _FactoredText(lines)
    written.add([(list(steps), text) for steps, text in runs], frozenset(), 1)
    return "\n".join(lines) if len(lines) <= _MOST_LINES else None


def _places(param: str, kind: Any) -> list[str]:
    if isinstance(kind, RealType):
        return [param]
    return [f"{param}[{k}]" for k in range(kind.length)]


class _NoLiteralError(Exception):
    """Raised for an output that cannot be written."""


def _literal(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, Fraction) and value.denominator != 1:
        return f"({value.numerator}) / {value.denominator}"
    if value is None or isinstance(value, bool | int | Fraction | str):
        return str(value) if isinstance(value, Fraction) else repr(value)
    raise _NoLiteralError


def _test(polynomial: fmpq_mpoly, op: str, places: Sequence[str]) -> _Test | None:
    """Return a comparison of a polynomial with 0 as one of linear forms."""
    unit, factors = polynomial.factor()
    sign = 1 if unit > 0 else -1
    forms = []
    for factor, power in factors:
        if factor.total_degree() == 1:
            forms.append((_form(factor, places), int(power)))
        elif (own := _own_sign(factor)) is not None:
            sign *= own ** int(power)
        else:
            return None
    return _Test(sign, tuple(forms), op)


def _own_sign(factor: fmpq_mpoly) -> int | None:
    """Return the sign of a polynomial with even powers, a constant, and coefficients of one sign.

    None for any other.
    """
    terms = factor.to_dict()
    is_even = all(power % 2 == 0 for powers in terms for power in powers)
    signs = {c > 0 for c in terms.values()}
    if not is_even or len(signs) > 1 or not any(not any(powers) for powers in terms):
        return None
    return 1 if signs == {True} else -1


def _form(factor: fmpq_mpoly, places: Sequence[str]) -> str:
    parts = []
    for powers, c in factor.to_dict().items():
        number = f"({fraction(c)})"
        name = next((places[k] for k, power in enumerate(powers) if power), None)
        parts.append(number if name is None else f"{number} * {name}")
    return " + ".join(parts)


_Run = tuple[list[tuple[_Test, bool]], str]


class _FactoredText:
    """The lines of a function."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self._names: dict[str, str] = {}

    def add(self, runs: list[_Run], known: frozenset[str], depth: int) -> None:
        """Write what the runs that begin alike do from here on."""
        indent = "    " * depth
        if len(self.lines) > _MOST_LINES:
            return
        if not runs[0][0]:
            self.lines.append(indent + runs[0][1])
            return
        test = runs[0][0][0][0]
        factors = [str(test.sign)]
        alone = len(test.forms) == 1 and test.forms[0][1] % 2 == 1
        if alone and test.forms[0][0] not in known:
            factors.append(f"({test.forms[0][0]})")  # no sign is needed
        for form, power in test.forms if len(factors) == 1 else ():
            name = self._names.setdefault(form, f"sign_{len(self._names)}")
            if form not in known:
                known |= {form}
                listed = [f"{name} = 0", f"if {form} > 0:", f"    {name} = 1"]
                listed += [f"elif {form} < 0:", f"    {name} = -1"]
                self.lines += [indent + line for line in listed]
            factors += [name] * (1 if power % 2 else 2)
        self.lines.append(f"{indent}if {' * '.join(factors)} {test.op} 0:")
        for answer in (True, False):
            branch = [(steps[1:], text) for steps, text in runs if steps[0][1] is answer]
            self.add(branch, known, depth + 1)
            if answer:
                self.lines.append(f"{indent}else:")
