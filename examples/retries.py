"""A `while` loop: finite choices are repeated until they agree with a comparison of noise."""

from exactdp import Dom, Mechanism, choose, eps, lap, mechanism


def retries(threshold: int = 1) -> Mechanism:
    """Return the parity of the coin flips before the first that agrees with a noisy comparison."""

    @mechanism
    def retries(x: Dom(0, 2)):
        above = lap(eps, x) >= threshold
        odd = False
        while choose({True: 0.5, False: 0.5}) != above:
            odd = not odd
        return odd

    return retries


if __name__ == "__main__":
    print(retries().labelled())
