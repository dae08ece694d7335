# mypy: ignore-errors
"""A claim that is quickly decided, and two that take long."""

import some_claims

from exactdp import Accuracy, Grid, alpha, eps, exp

quick = some_claims.lemma
long = Accuracy(some_claims.noisy_max(6), beta=6 * exp(-alpha * eps / 2), inputs=Grid(-4, 4))
never = Accuracy(some_claims.noisy_max(6), beta=7 * exp(-alpha * eps / 2), inputs=Grid(-4, 4))
