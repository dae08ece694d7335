# mypy: ignore-errors
# A mechanism is parsed, not executed: mypy does not accept `q: Real[m]` as a type.
"""The programs of the paper's section 7, as printed ("figure") and as executed ("artifact").

The threshold is 0 everywhere, as in the experiments. The two differ in SparseVariant, whose noisy
threshold has rate ε/(2c) in print and rate ε/2 as executed, and in NumericSparse, where the
released number has fresh noise in print, and is the sample that was compared as executed.
"""

from __future__ import annotations

from exactdp import Mechanism, Real, eps, lap, mechanism

ARTIFACT, FIGURE = "artifact", "figure"


def sparse(m: int, c: int) -> Mechanism:
    """Return for each query whether it is above a threshold; redraw the threshold if it is."""

    @mechanism
    def sparse(q: Real[m]):
        bar = lap(eps / (2 * c), 0)
        said, above = [], 0
        for i in range(m):
            if lap(eps / (4 * c), q[i]) < bar:
                said.append(False)
            else:
                said.append(True)
                above += 1
                if above == c:
                    break
                bar = lap(eps / (2 * c), 0)
        return said

    return sparse


def sparse_variant(m: int, c: int, source: str) -> Mechanism:
    """Return for each query whether it is above a threshold, which is drawn once."""
    rate = eps / 2 if source == ARTIFACT else eps / (2 * c)

    @mechanism
    def sparse_variant(q: Real[m]):
        bar = lap(rate, 0)
        said, above = [], 0
        for i in range(m):
            said.append(lap(eps / (4 * c), q[i]) >= bar)
            if said[i]:
                above += 1
                if above == c:
                    break
        return said

    return sparse_variant


def noisy_max(m: int) -> Mechanism:
    """Return the index of the largest noisy query."""

    @mechanism
    def noisy_max(q: Real[m]):
        best, top = 0, lap(eps / 2, q[0])
        for i in range(1, m):
            r = lap(eps / 2, q[i])
            if r > top:
                best, top = i, r
        return best

    return noisy_max


def laplace(k: int) -> Mechanism:
    """Release k noisy numbers."""

    @mechanism
    def laplace(q: Real[k]):
        return [lap(eps, q[i]) for i in range(k)]

    return laplace


def numeric_sparse(m: int, c: int, source: str) -> Mechanism:
    """Release a noisy number for each query above a threshold, which is redrawn after each."""
    fresh = source == FIGURE
    compared = 2 * eps / (9 * c) if fresh else eps / (9 * c)

    @mechanism
    def numeric_sparse(q: Real[m]):
        bar = lap(4 * eps / (9 * c), 0)
        said, above = [], 0
        for i in range(m):
            r = lap(compared, q[i])
            if r < bar:
                said.append(None)
            else:
                if fresh:
                    said.append(lap(eps / (9 * c), q[i]))
                else:
                    said.append(r)
                above += 1
                if above == c:
                    break
                bar = lap(4 * eps / (9 * c), 0)
        return said

    return numeric_sparse


def same_value(u, i, j):
    """Return 0 if the values at two indices are equal, as in Lemma 3, else 1."""
    return 0 if u[i] == u[j] else 1
