"""Probabilities: a graph becomes an exact function of ε."""
