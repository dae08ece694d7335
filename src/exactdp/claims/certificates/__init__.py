"""Verdicts written down for the independent checker."""
