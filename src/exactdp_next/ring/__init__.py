"""Exact numbers and functions of ε: linear forms, sums of exponentials, quotients, enclosures."""
