"""Parts of certificates that several tests change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]


def regions(document: Json) -> list[Json]:
    """Return the regions of a claim of accuracy; the list itself if there is only one."""
    lists = [found for group in document["regions"] for found in _lists(group)]
    return lists[0] if len(lists) == 1 else [one for found in lists for one in found]


def _lists(node: Json) -> Iterator[list[Json]]:
    """Yield the lists of regions of a group, or of a tree."""
    if "regions" in node:
        yield node["regions"]
        return
    for branch in ("tree", "below", "above"):
        if branch in node:
            yield from _lists(node[branch])
