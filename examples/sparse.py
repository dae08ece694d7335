"""Sparse and its variant: up to c answers above the threshold (paper, figure `algo-svt2`)."""

from exactdp import Mechanism, Real, eps, lap, mechanism


def sparse(m: int = 3, c: int = 1, threshold: int = 0) -> Mechanism:
    """Say for each answer whether it is above; stop after c of them.

    The threshold is drawn again after each answer above it.
    """

    @mechanism
    def sparse(q: Real[m]):
        noisy_threshold = lap(eps / (2 * c), threshold)
        out = []
        count = 0
        for i in range(m):
            r = lap(eps / (4 * c), q[i])
            if r >= noisy_threshold:
                out.append(True)
                count += 1
                if count >= c:
                    break
                noisy_threshold = lap(eps / (2 * c), threshold)
            else:
                out.append(False)
        return out

    return sparse


def sparse_variant(
    m: int = 3, c: int = 1, threshold: int = 0, *, artifact: bool = False
) -> Mechanism:
    """Say for each answer whether it is above, with one noisy threshold for all.

    As printed in the paper the threshold has rate eps/(2c); the authors' artifact ran it
    with eps/2.
    """
    share = 2 if artifact else 2 * c

    @mechanism
    def sparse_variant(q: Real[m]):
        noisy_threshold = lap(eps / share, threshold)
        out = []
        count = 0
        for i in range(m):
            r = lap(eps / (4 * c), q[i])
            if r >= noisy_threshold:
                out.append(True)
                count += 1
                if count >= c:
                    break
            else:
                out.append(False)
        return out

    return sparse_variant


if __name__ == "__main__":
    print(sparse(2).labelled())
