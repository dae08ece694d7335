"""A row for each sampler: how it is called, and what noise it draws."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sampler:
    """A function of a mechanism that draws noise.

    `noise` names its distribution in the core program.
    """

    noise: str
    parameters: tuple[str, ...]

    def __call__(self, *_arguments: object) -> object:
        """Refuse to run: a mechanism is read, not executed."""
        raise TypeError(f"{self.noise} stands in a mechanism, which is read and never executed")


lap = Sampler("lap", ("rate", "mean"))
