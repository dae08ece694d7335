"""What a program means: its runs, simulated or exact, and its probabilities."""

from exactdp.measure.work import Work

__all__ = ["Work"]
