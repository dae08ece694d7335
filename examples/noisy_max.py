"""NoisyMax: the index of the largest answer (paper, section 3.3 and figure `fig:nmax`)."""

from exactdp import Mechanism, Real, eps, expo, lap, mechanism


def noisy_max(m: int = 3) -> Mechanism:
    """Add Laplace noise to each answer and return the index of the largest."""

    @mechanism
    def noisy_max(q: Real[m]):
        best, top = 0, lap(eps / 2, q[0])
        for i in range(1, m):
            r = lap(eps / 2, q[i])
            if r > top:
                best, top = i, r
        return best

    return noisy_max


def noisy_max_exponential(m: int = 3) -> Mechanism:
    """Return the index of the largest answer after adding one-sided exponential noise."""

    @mechanism
    def noisy_max_exponential(q: Real[m]):
        best, top = 0, expo(eps / 2, q[0])
        for i in range(1, m):
            r = expo(eps / 2, q[i])
            if r > top:
                best, top = i, r
        return best

    return noisy_max_exponential


def noisy_max_figure(m: int = 3) -> Mechanism:
    """Return the index of the largest answer as the paper's figure says: all noise first."""

    @mechanism
    def noisy_max_figure(q: Real[m]):
        noisy = []
        for i in range(m):
            noisy.append(lap(eps / 2, q[i]))
        return max(range(m), key=lambda i: noisy[i])

    return noisy_max_figure


if __name__ == "__main__":
    print(noisy_max().labelled())
