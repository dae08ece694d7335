"""Limits on the work that a certificate may require; beyond them it is rejected."""

MAX_TEXT = 50_000_000  # characters of JSON
MAX_DIGITS = 200_000  # characters of a rational number
MAX_DEGREE = 10_000  # k in ε^k, powers of factors, degrees of Taylor polynomials
MAX_ENTRY = 10**100  # of a condition of a cone
MAX_BITS = 1 << 16  # of precision
MAX_EXPONENT_BITS = 20_000  # bits of the whole part of x in e^x
MAX_WORK = 50_000_000  # steps of arithmetic, one or two microseconds each
WORK = 1_000_000, 100  # the same for a short text, and more for each of its characters
