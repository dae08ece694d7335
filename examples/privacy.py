"""Privacy and accuracy: exactly how private a mechanism is, and two bugs in a library.

For: a designer who wants both answers from one file, and a reviewer who looks for mistakes.

1. NoisyMax is ε-private and accurate, for all real inputs. Each of the six sparse vector techniques
   in `svt_variants.py` (Lyu, Su and Li 2017) is a·ε-private with an exact factor a.
2. OpenDP (issue 2911) gave noisy max the zCDP budget of the exponential mechanism, but sampled
   by permute-and-flip. That budget follows from bounded range (Durfee, Rogers 2019), which
   permute-and-flip does not have: it is ε-private, but its range is not bounded by ε.
3. OpenDP (issue 2922) reported a δ for thresholded counts that omits the mass at the threshold.
"""

from exactdp import (
    Accuracy,
    AllReals,
    Dom,
    Grid,
    Mechanism,
    Privacy,
    Real,
    alpha,
    dlap,
    eps,
    exp,
    expmech,
    expo,
    lap,
    mechanism,
)


def report_max(m: int = 3) -> Mechanism:
    """Return the index of the largest of m answers with Laplace noise."""

    @mechanism
    def report_max(q: Real[m]):
        best, top = 0, lap(eps / 2, q[0])
        for i in range(1, m):
            r = lap(eps / 2, q[i])
            if r > top:
                best, top = i, r
        return best

    return report_max


accurate = Accuracy(report_max(3), beta=3 * exp(-alpha * eps / 2), inputs=AllReals())
private = Privacy(report_max(3), inputs=AllReals())


def flipped_max(m: int = 3) -> Mechanism:
    """Return permute-and-flip, which is a noisy maximum with exponential noise."""

    @mechanism
    def flipped_max(q: Real[m]):
        best, top = 0, expo(eps / 2, q[0])
        for i in range(1, m):
            r = expo(eps / 2, q[i])
            if r > top:
                best, top = i, r
        return best

    return flipped_max


@mechanism
def exponential(x: Dom(-1, 1), y: Dom(-1, 1), z: Dom(-1, 1)):
    """Return one of three candidates by the exponential mechanism."""
    return expmech(eps / 2, lambda k: x if k == 0 else y if k == 1 else z, range(3))


draws = {
    "permute-and-flip is private": Privacy(flipped_max(3), inputs=Grid(-1, 1)),
    "permute-and-flip has bounded range": Privacy(
        flipped_max(3), inputs=Grid(-1, 1), measure="bounded_range"
    ),
    "the exponential mechanism has bounded range": Privacy(exponential, measure="bounded_range"),
}


@mechanism
def thresholded(count: Dom(0, 3)):
    """Release a noisy count if it is 4 or more; a group without members has no count."""
    if count == 0:
        return None
    z = dlap(eps, count)
    return min(z, 9) if z >= 4 else None  # finitely many outputs


s = exp(-eps)

counts = {
    "with the mass at the threshold": Privacy(thresholded, delta=s**3 / (1 + s)),
    "without the mass at the threshold": Privacy(thresholded, delta=s**4 / (1 + s)),
}


if __name__ == "__main__":
    for claim in (accurate, private, *draws.values(), *counts.values()):
        print(claim.check().sentence)
    print(private.tightest())
    print(Privacy(thresholded).smallest_delta())
