"""The definitions of `abs`, `min`, `max`, `sorted`, `in`, `index` and `count` on noise.

They are written in the language itself and inlined like any subroutine, so a case split
consists of the comparisons below.
"""

from __future__ import annotations

from functools import cache

from exactdp.language.reader import FunctionReader
from exactdp.language.source import given, text_source
from exactdp.language.tree import Definition

_TEXTS = {
    "abs": """
def abs(x):
    return x if x >= 0 else -x
""",
    "trunc": """
def trunc(x):
    return floor(x) if x >= 0 else ceil(x)
""",
    "max": """
def max(items):
    assert len(items) > 0, "max of nothing"
    best = items[0]
    for item in items:
        if item > best:
            best = item
    return best
""",
    "max_by": """
def max_by(items, keys):
    assert len(items) > 0, "max of nothing"
    best, top = items[0], keys[0]
    for item, key in zip(items, keys):
        if key > top:
            best, top = item, key
    return best
""",
    "max_index": """
def max_index(items):
    assert len(items) > 0, "max of nothing"
    best, top = 0, items[0]
    for i, item in enumerate(items):
        if item > top:
            best, top = i, item
    return best
""",
    "sorted_by": """
def sorted_by(items, keys):
    order = []
    for i in range(len(items)):
        place = 0
        for j in order:
            if keys[j] > keys[i]:
                break
            place += 1
        order = order[:place] + [i] + order[place:]
    return [items[j] for j in order]
""",
    "first_by": """
def first_by(items, keys, most):
    found, tops = [], []
    for item, key in zip(items, keys):
        place = 0
        for top in tops:
            if top > key:
                break
            place += 1
        found = (found[:place] + [item] + found[place:])[:most]
        tops = (tops[:place] + [key] + tops[place:])[:most]
    return found
""",
    "contains": """
def contains(items, x):
    for item in items:
        if item == x:
            return True
    return False
""",
    "index": """
def index(items, x):
    for i in range(len(items)):
        if items[i] == x:
            return i
    assert False, "the value is not in the list"
    return 0
""",
    "count": """
def count(items, x):
    found = 0
    for item in items:
        if item == x:
            found += 1
    return found
""",
}


@cache
def prelude(name: str) -> Definition:
    """Return the definition of a function of the prelude."""
    text = _TEXTS[name.replace("min", "max").replace("last", "first")]
    if name.startswith("min"):  # the same with the comparisons reversed
        text = text.replace("max", "min").replace("> top", "< top").replace("> best", "< best")
    if name.startswith("last"):
        text = text.replace("first_by", name).replace("[:most]", "[-most:]")
    source = text_source(text.strip("\n"), f"<{name}>")
    reader = FunctionReader(source, given({}))
    return reader.function(source.parse().body[0], {})  # type: ignore[arg-type]
