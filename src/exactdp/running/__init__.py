"""Long work in units: who does them, what is sent, and what is kept on disk.

Nothing here knows what a claim is. A unit is a value that pickles; its answer comes as bytes.
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
