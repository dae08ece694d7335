"""AboveThreshold: is there an answer at or above the threshold? (paper, section 3.4)."""

from exactdp import Mechanism, Real, eps, lap, mechanism


def above_threshold(m: int = 3, threshold: int = 0) -> Mechanism:
    """Say False for each answer below the threshold, and True at the first that is not."""

    @mechanism
    def above_threshold(q: Real[m]):
        noisy_threshold = lap(eps / 2, threshold)
        out = []
        for i in range(m):
            r = lap(eps / 4, q[i])
            if r >= noisy_threshold:
                out.append(True)
                return out
            out.append(False)
        return out

    return above_threshold


if __name__ == "__main__":
    print(above_threshold(2).labelled())
