"""Settings for all tests, old and new: a plugin of `conftest.py` in each of their folders."""

from __future__ import annotations

import gc
import os
import signal
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import settings

from support.examples import TIMES

# CI must not fail by chance on a machine where nobody looks; everywhere else every run tries
# other examples.
settings.register_profile("default", max_examples=20, deadline=None, print_blob=True)
settings.register_profile("ci", max_examples=20, deadline=None, print_blob=True, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

# A shell starts what runs in the background deaf to Ctrl-C, and tests of Ctrl-C would wait.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


SAMPLED = {
    "certify/test_everywhere.py::test_": 4,
    "certify/test_in_parts.py::test_": 4,
    "certify/test_near_boxes.py::test_": 4,
    "claims/test_best_constants.py::test_": 4,
    "claims/test_classes.py::test_": 4,
    "claims/test_disagreement.py::test_": 4,
    "claims/test_everywhere.py::test_": 4,
    "claims/test_paper_claims.py::test_": 4,
    "claims/test_nonlinear_ideals.py::test_": 2,
    "claims/test_paper_rows.py::test_": 4,
    "claims/test_privacy.py::test_": 4,
    "claims/test_random_claims.py::test_programs_and_claims": 4,
    "claims/test_symbolic_runs.py::test_against_every_path": 4,
    "cli/test_streams.py::test_closed_and_full": 5,
    "gallery/test_gallery.py::test_": 4,
    "language/test_corpus.py::test_one_by_one_and_vectorised_runs_agree": 5,
    "report/test_pictures.py::test_every_picture_of_every_claim": 4,
    "running/test_units.py::test_answers_are_the_same": 4,
    "semantics/test_quadrature.py::test_": 4,
    "semantics/test_simulated.py::test_examples": 8,
    "semantics/test_styles.py::test_styles_cost_about_the_same": 4,
    "certify/test_cases.py::test_": 3,
    "certify/test_corners.py::test_": 2,
    "certify/test_boundaries.py::test_": 2,
    "claims/test_corners.py::test_": 2,
    "claims/test_exact_distances.py::test_": 3,
    "claims/test_spellings.py::test_": 3,
    "claims/test_released_terms.py::test_": 2,
    "claims/test_errors_on_intervals.py::test_": 2,
    "claims/test_integer_thresholds.py::test_": 2,
    "claims/test_admissible.py::test_": 2,
    "semantics/test_selected.py::test_": 4,
    "semantics/test_logarithms.py::test_": 2,
    "certify/test_mutations.py::test_": 2,
    "certify/test_privacy.py::test_accepted": 2,
    "certify/test_privacy_on_cones.py::test_accepted": 2,
    "certify/test_rederived.py::test_": 2,
    "claims/test_chamber.py::test_": 2,
    "claims/test_epsilon_sets.py::test_": 2,
    "claims/test_far_out.py::test_": 2,
    "claims/test_mixed_conditions.py::test_": 2,
    "claims/test_privacy_search.py::test_": 2,
    "claims/test_random_conditions.py::test_": 2,
    "claims/test_score_gap.py::test_": 2,
    "claims/test_several_logarithms.py::test_": 2,
    "claims/test_slices.py::test_": 2,
    "claims/test_tight.py::test_tables": 3,
    "reals/test_certificates.py::test_accepted": 2,
    "reals/test_huge_points.py::test_proofs": 2,
    "semantics/test_both_kinds.py::test_": 2,
    "semantics/test_endless_loops.py::test_growth": 2,
    "semantics/test_simulated.py::test_larger_examples": 2,
    "semantics/test_summaries.py::test_": 2,
    "semantics/test_truth_values.py::test_claims": 2,
}
"""Sweeps of which every n-th case runs; EXACTDP_EXAMPLES=10 runs all of them."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out cases of large sweeps, to keep `make test` below five minutes."""
    if TIMES > 1 or any("::" in one for one in config.args):
        return
    seen: Counter[str] = Counter()
    left: list[pytest.Item] = []
    for item in items:
        inside = item.nodeid.partition("/")[2]  # of tests or tests_old
        name = next((one for one in SAMPLED if inside.startswith(one)), None)
        if name is not None and "[" in item.nodeid:
            seen[name] += 1
            if seen[name] % SAMPLED[name] != 1:
                left.append(item)
    config.hook.pytest_deselected(items=left)
    gone = set(left)
    items[:] = [item for item in items if item not in gone]


@pytest.fixture(autouse=True)
def _heard_ctrl_c() -> Iterator[None]:
    """Undo that a command ignores Ctrl-C once it has written its answer."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def pytest_collection_finish() -> None:
    """Keep the garbage collector from looking through all modules again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
