"""Proofs that a sum is nonnegative on a cone, as plain data that another program can check.

`ConeProof.to_json()` returns the variables, the terms of f, the conditions of the cone and, for
each simplicial cell, its rays and the argument. All rationals are strings. To check it:

- the `cover`, a tree of linear forms, cuts the cone into parts, each in the cell that it names;
- on each cell, write θ = Σ sⱼρⱼ and divide by exp(Σ Dⱼsⱼ), D the cell's `dominant`;
- apply the `reductions`: each states that (∂ⱼ + shift)g ≥ 0, or −∂ⱼg ≥ 0 for the face at infinity,
  which the exact coefficients prove, so only the face remains;
- with the proof "ray", a proof of a sign shows that the remaining function of one s is ≥ 0;
- with "coefficients", those of the remaining function are nonnegative on the whole orthant; with
  "boxes", a tree cuts the orthant into boxes, and on each the coefficients of the checker are
  nonnegative, as computed with the bits of precision at the leaf;
- an argument `in_window` reduces only axes along which the variable of the window does not change,
  and its ray is the part that can be inside;
- with "zones", these cover the window, and each has boxes that cover it, in the charts of all axes
  along which the variable changes, or in the cell's own coordinates.

`Completion` finds, with the checker's own steps, what the checker would otherwise have to search:
how to cut, and how many bits are enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from exactdp.cones.completion import Completion, cover
from exactdp.cones.ordered_sum import OrderedSum, Vector
from exactdp.cones.piece import LocalSum
from exactdp.cones.segments import Segment
from exactdp.cones.window import Window
from exactdp.polyhedra.cone import Cone
from exactdp.reals.certificates import without_head
from exactdp.reals.numbers import spell


@dataclass(frozen=True)
class Reduction:
    """g ≥ 0 exactly if g ≥ 0 on the face where sⱼ is 0, or infinite, because of a derivative."""

    axis: int
    to_infinity: bool
    shift: int


Ends: TypeAlias = tuple[tuple[Fraction, Fraction | None], ...]
"""A box by its ends; None is infinity."""


@dataclass(frozen=True)
class Zone:
    """A part of a window, and boxes that cover it: a list for each chart, or for each region."""

    lower: Fraction
    upper: Fraction | float
    in_charts: bool
    boxes: tuple[tuple[Ends, ...], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the zone as plain data."""
        return {
            "lower": spell(self.lower),
            "upper": spell(self.upper) if isinstance(self.upper, Fraction) else None,
            "in_charts": self.in_charts,
            "boxes": [list(boxes) for boxes in self.boxes],
        }


@dataclass(frozen=True)
class CellProof:
    """The argument on one simplicial cell."""

    rays: tuple[Vector, ...]
    dominant: Vector
    reductions: tuple[Reduction, ...]
    boxes: tuple[Ends, ...]
    """Empty if exact coefficients on the whole cell, or the decision on a ray, are the proof."""
    ray: tuple[int, dict[str, Any]] | None = None
    """The one axis left and the certificate of `exactdp.reals` for the function of it."""
    in_window: bool = False
    """Whether the argument is only about points in the window."""
    zones: tuple[Zone, ...] = ()
    """Parts of the window with their own boxes."""

    @classmethod
    def of(
        cls,
        piece: LocalSum,
        reductions: Sequence[Reduction] = (),
        boxes: Iterable[Sequence[Segment]] = (),
        ray: tuple[int, dict[str, Any]] | None = None,
    ) -> CellProof:
        """Return the proof by boxes, by a function of one coordinate, or by exact coefficients."""
        ends = tuple(ends_of(box) for box in boxes)
        return cls(piece.rays, piece.dominant, tuple(reductions), ends, ray)

    @property
    def method(self) -> str:
        """How the cell was closed: "coefficients", "boxes", "zones" or "ray"."""
        if self.ray is not None:
            return "ray"
        if self.zones:
            return "zones"
        return "boxes" if self.boxes else "coefficients"

    def to_json(self) -> dict[str, Any]:
        """Return the proof as plain data; boxes are still listed."""
        proofs: dict[str, list[Any]] = {
            "coefficients": [],
            "boxes": [list(self.boxes)],
            "zones": [[zone.to_json() for zone in self.zones]],
            "ray": [] if self.ray is None else [self.ray[0], without_head(self.ray[1])],
        }
        return {
            "rays": [[spell(entry) for entry in ray] for ray in self.rays],
            "dominant": [spell(entry) for entry in self.dominant],
            "reductions": [
                {
                    "axis": step.axis,
                    "face": "infinity" if step.to_infinity else "zero",
                    "shift": step.shift,
                }
                for step in self.reductions
            ],
            "in_window": self.in_window,
            "proof": [self.method, *proofs[self.method]],
        }


def ends_of(box: Sequence[Segment]) -> Ends:
    """Return a box by its ends."""
    return tuple((part.low, part.high) for part in box)


@dataclass(frozen=True)
class ConeProof:
    """The cells of a cone that are closed, each with its argument."""

    f: OrderedSum
    cone: Cone
    cells: tuple[CellProof, ...]
    window: Window | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the proof as plain data."""
        statement: dict[str, Any] = {
            "variables": [f"x{j}" for j in range(self.cone.size)],
            "terms": [
                [str(c), list(powers), [spell(rate) for rate in rates]]
                for powers, rates, c in sorted(self.f.form.entries(self.f.names))
            ],
            "inequalities": [list(a) for a in self.cone.inequalities],
            "window": None if self.window is None else self.window.to_json(),
        }
        rays = [cell.rays for cell in self.cells]
        return {
            **statement,
            "cover": cover(self.cone, rays),
            "cells": Completion(statement).cells(cell.to_json() for cell in self.cells),
        }
