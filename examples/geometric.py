"""Integer noise: a counting query with discrete Laplace noise, and a noisy majority."""

from exactdp import Dom, Mechanism, dlap, eps, mechanism


def counting(most: int = 5) -> Mechanism:
    """Release a count with discrete Laplace noise, kept within 0 … most."""

    @mechanism
    def counting(count: Dom(0, most)):
        return min(max(dlap(eps, count), 0), most)

    return counting


def majority(n: int = 3) -> Mechanism:
    """Say whether more than half of n bits are set, judged by noisy counts of both kinds."""

    @mechanism
    def majority(bits: Dom(0, 1)[n]):
        ones = dlap(eps / 2, sum(bits))
        zeros = dlap(eps / 2, n - sum(bits))
        return ones > zeros

    return majority


if __name__ == "__main__":
    print(majority().labelled())
