"""Proofs that sums Σ c·∏ x^k·e^{Σ qx} are not negative, on intervals and on cones.

This is what must be believed of a certificate's inequalities. It imports nothing but itself and
Python's own library. From the bottom up: `limits`, `reading` (JSON in one spelling), `enclosures`
(e^x between integers), `sums` (arithmetic, values at points), `signs` (one variable: every rule of
proof is a method), `cones` (polyhedral cones and what covers them), `orthants` and `boxes` (several
variables).
"""
