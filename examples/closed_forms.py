"""Closed forms in ε: decide a sign for every ε, find where it changes, and check the proof.

The paper's section 5.1 gives the probability p₁·p₂ that NumericSparse with two queries answers
within 1 of the truth at the input (−1, 1). Its Corollary 7 bounds the probability
of an error by (2m + 1)·c·e^{−αε/(9c)} = 5·e^{−ε/9}. Is that true for every ε here? Could the rate
be 1/8? What is the best factor?
"""

from exactdp import certify, nonnegative, parse, roots, solution_set, supremum

p1 = parse(
    "1 - 2/3*(exp(-2/9*eps) + exp(-2/9*eps)) + 1/6*(exp(-4/9*eps) + exp(-4/9*eps))"
    " - 1/48*(exp(-8/9*eps) + exp(-8/9*eps)) + 1/4*exp(-4/9*eps)"
)
p2 = parse("1 - exp(-1/9*eps)")
error = 1 - p1 * p2


def main() -> None:
    """Print the answers."""
    print("The probability of an error is", error.pretty())
    print("At ε = 1/2 it is", error.at("1/2", digits=20))
    print()

    claim = parse("5*exp(-1/9*eps)") - error
    decision = nonnegative(claim)
    print(decision)
    print("The certificate was checked again:", certify.check(decision.certificate).reason)
    print()

    wrong = parse("5*exp(-1/8*eps)") - error
    refuted = nonnegative(wrong)
    print(refuted)
    print("The certificate was checked again:", certify.check(refuted.certificate).reason)
    print("It holds exactly for ε in", solution_set(wrong))
    print("because the two sides are equal at ε", *roots(wrong))
    print()

    print("The best factor before e^(−ε/9) is", supremum(error / parse("exp(-1/9*eps)")))


if __name__ == "__main__":
    main()
