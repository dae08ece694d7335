"""Report noisy max with exponential noise, which is permute-and-flip.

Source: McKenna and Sheldon, "Permute-and-flip", NeurIPS 2020; Ding, Kifer, Saghaian, Steinke,
Wang, Xiao and Zhang, "The permute-and-flip mechanism is identical to report-noisy-max with
exponential noise" (2021).
Bound: never worse than the exponential mechanism, whose error at distance alpha between three
candidates is at most 2 exp(-alpha eps) (Dwork and Roth 2014, theorem 3.11).
"""

from exactdp import Accuracy, AllReals, Real, alpha, eps, exp, expo, mechanism


@mechanism
def flipped(q: Real[3]):
    """Return the index of the largest score with exponential noise."""
    best, top = 0, expo(eps / 2, q[0])
    for i in range(1, 3):
        r = expo(eps / 2, q[i])
        if r > top:
            best, top = i, r
    return best


claim = Accuracy(flipped, 2 * exp(-alpha * eps), inputs=AllReals())
