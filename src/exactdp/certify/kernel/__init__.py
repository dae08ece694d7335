"""Proofs that sums Σ c·∏ x^k·e^{Σ qx} are nonnegative, on intervals and on cones.

This is the trusted part for a certificate's inequalities. It imports only itself and Python's
standard library. From the bottom up: `limits`, `reading` (JSON in one spelling), `enclosures`
(e^x between integers), `sums` (arithmetic), `signs` (one variable: every rule of
proof is a method), `orthants` and `boxes` (several variables: cells that cover a cone).
"""
