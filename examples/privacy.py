"""Privacy beside accuracy: how private a mechanism is, exactly, and two bugs of a library.

For: a designer who wants both answers from one file, and a reviewer who looks for mistakes.

1. NoisyMax is ε-private and accurate, for all real inputs. Of the six sparse vector techniques in
   `svt_variants.py` (Lyu, Su and Li 2017) each has its exact factor a: it is a·ε-private.
2. OpenDP (issue 2911) reported noisy max with the zCDP budget of the exponential mechanism while it
   drew by permute-and-flip. That budget follows from bounded range (Durfee, Rogers 2019), which
   permute-and-flip does not have: ε-private, but not of bounded range ε.
3. OpenDP (issue 2922) reported for thresholded counts a δ without the mass at the threshold itself.
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
    """One of three candidates by its score."""
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
    """Release a noisy count, if it is 4 or more; of a group without members there is no count."""
    if count == 0:
        return None
    z = dlap(eps, count)
    return min(z, 9) if z >= 4 else None  # a finite output, so that there is a certificate


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
