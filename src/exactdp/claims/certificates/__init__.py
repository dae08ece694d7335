"""Writes certificates of verdicts for the independent checker."""
