"""Mechanisms that claims of several tests are about."""

from __future__ import annotations

from exactdp import Mechanism

LARGER = Mechanism.from_source("""
def larger(q: Real[2]):
    return 0 if lap(eps / 2, q[0]) >= lap(eps / 2, q[1]) else 1
""")
"""At a distance d of both numbers, the error is (1/2 + x/4)·e^(−x) with x = εd."""

NOISY = Mechanism.from_source("def noisy(q: Real): return lap(eps, q)")
