"""An oracle that shares nothing with exactdp: programs are run by Python, integrals are numbers.

`runs` runs the text of a program with symbols for noise and follows each comparison both ways;
`masses` integrates the noise over what the comparisons leave; `definitions` finds det, dd and the
error of Definitions 1 and 2 by brute force. Everything is in floats but linear conditions.
"""

from __future__ import annotations

from .definitions import Judge
from .formulas import Formula, formula, value
from .masses import Masses
from .runs import Program

__all__ = ["Formula", "Judge", "Masses", "Program", "formula", "value"]
