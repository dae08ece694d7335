"""NumericSparse: the answers above the threshold, with noise (paper, figure `algo-numeric`)."""

from exactdp import Mechanism, Real, eps, lap, mechanism


def numeric_sparse(m: int = 2, c: int = 1, threshold: int = 0) -> Mechanism:
    """Release a fresh noisy number for each answer above the threshold, None for the others."""

    @mechanism
    def numeric_sparse(q: Real[m]):
        noisy_threshold = lap(4 * eps / (9 * c), threshold)
        out = []
        count = 0
        for i in range(m):
            r = lap(2 * eps / (9 * c), q[i])
            if r >= noisy_threshold:
                out.append(lap(eps / (9 * c), q[i]))
                count += 1
                if count >= c:
                    break
                noisy_threshold = lap(4 * eps / (9 * c), threshold)
            else:
                out.append(None)
        return out

    return numeric_sparse


def numeric_sparse_artifact(m: int = 2, c: int = 1, threshold: int = 0) -> Mechanism:
    """Compare and release one and the same sample, as the authors' artifact ran it."""

    @mechanism
    def numeric_sparse_artifact(q: Real[m]):
        noisy_threshold = lap(4 * eps / (9 * c), threshold)
        out = []
        count = 0
        for i in range(m):
            r = lap(eps / (9 * c), q[i])
            if r >= noisy_threshold:
                out.append(r)
                count += 1
                if count >= c:
                    break
                noisy_threshold = lap(4 * eps / (9 * c), threshold)
            else:
                out.append(None)
        return out

    return numeric_sparse_artifact


if __name__ == "__main__":
    print(numeric_sparse().labelled())
