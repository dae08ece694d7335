"""A set of hashes in memory that forked processes share."""

from __future__ import annotations

import hashlib
import mmap

_SIZE = 16  # bytes of a hash
_SLOTS = 2**18
_TRIES = 8


class SharedHashes:
    """A set that only grows, visible to all processes, without locks.

    If two processes write to one place at the same time, it holds some other hash: their entries
    may be missing, but the set contains nothing that was not added.

    >>> known = SharedHashes()
    >>> known.add(SharedHashes.of("a"))
    >>> SharedHashes.of("a") in known, SharedHashes.of("b") in known
    (True, False)
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SLOTS * _SIZE)

    @staticmethod
    def of(text: str) -> bytes:
        """Return the hash of a text."""
        return hashlib.blake2b(text.encode(), digest_size=_SIZE).digest()

    def _places(self, found: bytes) -> range:
        first = int.from_bytes(found[:8], "little") % (_SLOTS - _TRIES)
        return range(first * _SIZE, (first + _TRIES) * _SIZE, _SIZE)

    def __contains__(self, found: bytes) -> bool:
        return any(self._memory[at : at + _SIZE] == found for at in self._places(found))

    def add(self, found: bytes) -> None:
        """Add a hash, if there is room for it."""
        for at in self._places(found):
            if not any(self._memory[at : at + _SIZE]):
                self._memory[at : at + _SIZE] = found
                return
