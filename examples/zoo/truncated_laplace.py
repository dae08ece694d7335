"""Laplace noise truncated to [-2, 2].

Source: Geng, Ding, Guo and Kumar, "Tight analysis of privacy and utility tradeoff in approximate
differential privacy", AISTATS 2020.
Bound: with A = ln(1 + (e^eps - 1)/(2 delta))/eps it is (eps, delta)-private for sensitivity 1;
solved for delta with A = 2: (e^eps - 1)/(2 (e^(2 eps) - 1)) = 1/(2 (e^eps + 1)).
"""

from exactdp import Privacy, Real, eps, exp, lap, linf, mechanism, observe


@mechanism
def truncated(q: Real):
    """Return a number with noise between -2 and 2."""
    noise = lap(eps, 0)
    observe(-2 <= noise <= 2)
    return q + noise


claim = Privacy(
    truncated, budget=eps, delta=1 / (2 * (exp(eps) + 1)), adjacent=linf(1), inputs=[0, 1]
)
