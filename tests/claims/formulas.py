"""`exp` as formulas use it: of α and γ, which the type of `exactdp.exp` does not know."""

from __future__ import annotations

from typing import Any

import exactdp

exp: Any = exactdp.exp
