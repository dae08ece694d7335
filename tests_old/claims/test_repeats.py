"""Grid inputs that share obligations, against each input in a claim of its own."""

# mypy: disable-error-code="valid-type, no-untyped-def, index, misc, name-defined"
from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.piecewise import source, trees
from exactdp import Accuracy, Grid, Mechanism, alpha, eps, exp, l1, linf, numeric, sup
from exactdp.claims.stated.ideal_paths import IdealPaths
from exactdp.language.layout import entries
from exactdp.reproduce.programs import (
    ARTIFACT,
    noisy_max,
    numeric_sparse,
    sparse,
    sparse_variant,
)
from semantics.random_programs import Program, programs
from support.examples import examples

GRID = Grid(-1, 1)


def against_single_inputs(claim: Accuracy) -> None:
    """Compare all that must be proved with a mechanism that has never seen another input."""
    verdict = claim.check(all=True)
    for finding in verdict.findings:
        u = list(finding.region.entries)
        alone = replace(claim, inputs=[u])
        (other,) = alone.check(all=True).findings
        ((one,), (two,)) = ([cell.result for cell in some.cells] for some in (finding, other))
        assert one == two, u
        assert finding.contents == other.contents
        signs = [[sign.holds for _, sign in some.decided] for some in (finding, other)]
        assert signs[0] == signs[1]
        for problem, _ in finding.decided:
            assert problem.region is finding.region
            assert list(problem.obligation.input[0]) == u
        assert [str(one) for one in finding.failures] == [str(one) for one in other.failures]


@examples(30)
@given(trees(2), st.sampled_from([linf, l1, numeric]))
def test_piecewise_ideals(tree: Any, distance: Any) -> None:
    """The ideal output and dd at each input, from the definition of the function and by search."""
    mechanism = Mechanism.from_source(source(tree, 2))
    claim = Accuracy(
        mechanism, "1/2", inputs=GRID, input_distance=distance, output_distance=sup,
        boundary="check",
    )  # fmt: skip
    for finding in claim.check(all=True).findings:
        u = finding.region.entries
        (cell,) = finding.cells
        for one in cell.result or ():
            assert one.output == tree.at(u)
            assert one.distance == claim.disagreement(list(u)).distance


@examples(20)
@given(programs(3, terms=3))
def test_random_programs(program: Program) -> None:
    """Probabilities of the ideal outputs, from the distribution at each input."""
    mechanism = program.mechanism()
    claim = Accuracy(mechanism, exp(-alpha * eps), inputs=GRID, boundary="check")
    for finding in claim.check(all=True).findings:
        chances = program.mechanism().distribution(finding.region.entries)
        for one in finding.cells[0].result or ():
            assert one.probability == chances[one.output]


@pytest.mark.parametrize(
    "claim",
    [
        Accuracy(sparse(3, 2), 12 * exp(-alpha * eps / 16) / 13, inputs=GRID),
        Accuracy(
            sparse_variant(3, 1, ARTIFACT), 6 * exp(-alpha * eps / 8), inputs=GRID, boundary="check"
        ),
        Accuracy(noisy_max(3), 3 * exp(-alpha * eps / 2) / 5, inputs=GRID, boundary="check"),
        Accuracy(sparse(3, 1), 6 * exp(-alpha * eps / 8), inputs=[[1, 0, 1], [1, 1, 0], [1, 0, 0]]),
        Accuracy(
            numeric_sparse(2, 1, ARTIFACT),
            5 * exp(-alpha * eps / 9),
            alpha=1,
            gamma=alpha,
            inputs=Grid(-2, 2),
            boundary="check",
            input_distance=numeric,
            output_distance=sup,
        ),
    ],
    ids=str,
)
def test_paper(claim: Accuracy) -> None:
    against_single_inputs(claim)


@pytest.mark.parametrize(
    "body",
    [
        "a = unif(q[0] - 1, q[0] + 3)\n return a > q[1]",
        "a = expo(eps, q[0])\n b = lap(eps, a)\n return [a > q[1], b < 1, a]",
        "a = lap(eps, 2)\n b = lap(eps, a)\n return q[0] > a if b > 1 else False",
        "z = dlap(eps, 2)\n return lap(eps, q[0]) > z if z > 1 else False",
        "z = expmech(eps, lambda k: -k * k, [2, 1, 0])\n return lap(eps, q[z - 1]) > 0",
    ],
)
def test_runs_with_means_as_samples(body: str) -> None:
    """A mechanism along its paths, with means as samples, is the mechanism without noise."""
    mechanism = Mechanism.from_source(f"def f(q: Real[2]):\n {body}")
    paths, ideal = IdealPaths(mechanism), mechanism.noiseless()
    for u in product((-2, -1, 0, 1, Fraction(3, 2), 2, 3), repeat=2):
        path = paths.find(entries(mechanism.read_input(list(u))))
        assert path is not None
        found, wanted = path.output(u), ideal(list(u))
        assert found == wanted
        assert repr(found) == repr(wanted)
