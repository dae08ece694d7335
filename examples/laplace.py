"""The Laplace mechanism: k numbers, each released with Laplace noise (paper, section 3.1)."""

from exactdp import Mechanism, Real, eps, lap, mechanism


def laplace(k: int = 1, sensitivity: int = 1) -> Mechanism:
    """Release k answers to queries of the given joint sensitivity."""

    @mechanism
    def laplace(q: Real[k]):
        return [lap(eps / sensitivity, q[i]) for i in range(k)]

    return laplace


if __name__ == "__main__":
    print(laplace(2).explain())
