"""Long computations in units of work: workers and transfer.

This package does not depend on claims. A unit is a picklable value; its answer is bytes.
"""

from exactdp.running.conduct import ALONE, Conduct, How, conduct, conduct_of
from exactdp.running.crew import Crew, LostUnitError, UnsendableError
from exactdp.running.packing import pack, unpack
from exactdp.running.store import Store

__all__ = [
    "ALONE",
    "Conduct",
    "Crew",
    "How",
    "LostUnitError",
    "Store",
    "UnsendableError",
    "conduct",
    "conduct_of",
    "pack",
    "unpack",
]
