"""Benchmarks, as ratios measured in one run on one machine."""
