"""Long computations in units of work: workers, transfer, and storage on disk.

This package does not depend on claims. A unit is a picklable value; its answer is bytes.
"""

from exactdp.running.conduct import ALONE, Conduct, How, conduct, conduct_of
from exactdp.running.crew import Crew, LostUnitError, UnsendableError
from exactdp.running.packing import pack, unpack
from exactdp.running.store import Store, StoreError, StoreWarning

__all__ = [
    "ALONE",
    "Conduct",
    "Crew",
    "How",
    "LostUnitError",
    "Store",
    "StoreError",
    "StoreWarning",
    "UnsendableError",
    "conduct",
    "conduct_of",
    "pack",
    "unpack",
]
