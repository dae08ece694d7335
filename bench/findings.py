"""The proofs of docs/findings.md that take seconds: worst expected regrets, for all real inputs."""

from __future__ import annotations

from fractions import Fraction

from exactdp import Expected, Mechanism, eps

TEXT = """
def {noise}_max(q: Real[3]):
    best, top = 0, {noise}(eps / 2, q[0])
    for i in range(1, 3):
        noisy = {noise}(eps / 2, q[i])
        if noisy > top:
            best, top = i, noisy
    return best
"""
BOUNDS = {"lap": Fraction(90540, 10**5), "expo": Fraction(65146, 10**5)}


def main() -> None:
    """Decide the bounds, and print what was found."""
    for noise, bound in BOUNDS.items():
        mechanism = Mechanism.from_source(TEXT.format(noise=noise))
        verdict = Expected(mechanism, "regret", at_most=bound / eps).check()
        print(
            f"{noise}: the expected regret of {mechanism.__name__} is at most {float(bound):.5f}/ε "
            f"for all real inputs: {verdict.outcome}"
        )


if __name__ == "__main__":
    main()
