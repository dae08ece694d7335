"""The kinds of the results of known functions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NoReturn

from exactdp.language.kinds import (
    FINITE,
    NOTHING,
    SINGLE,
    TERM,
    ValueKind,
    join,
    joined,
    number,
    sequence,
    whole_number,
)
from exactdp.language.rules import COMPARE_IT, LINEAR, refuse
from exactdp.language.tree import arguments, called, where

NO_RANGE = "{} cannot bound a loop", "A `for` loop goes over finite values.", COMPARE_IT

Made = Callable[[], frozenset[int]]


def call_kind(node: ast.Call, kinds: list[ValueKind], made: Made) -> ValueKind:
    """Return the kind of a known function's result for arguments of the given kinds.

    `made` is called if the function makes a list.
    """
    name = called(node)
    first = kinds[0] if kinds else NOTHING
    own = _of_anything(node, kinds, made)
    if own is not None:
        return own
    for part, kind in zip(arguments(node), kinds, strict=True):
        if kind.holds_noise:
            _no_noise(name, part, kind.word)
    if name == "sorted":
        return sequence(join(FINITE, first.entry), made())
    if name in ("min", "max"):
        plain = kinds[: len(node.args)]
        return joined(plain) if len(plain) > 1 else join(FINITE, first.entry)
    if name == "dict":
        # The lists that it holds stay known, so that they cannot be changed meanwhile.
        return join(FINITE, sequence(first.entry.entry))
    if name in ("all", "any", "bool"):
        return SINGLE
    return TERM if name in ("exp", "log", "sqrt") else FINITE


def _no_noise(name: str, part: ast.expr, word: str) -> NoReturn:
    """Refuse reals and noise as arguments of a function of finite values."""
    condition = (f"{word} is not a condition", "Compare each entry, such as `r > 0`.")
    messages = {
        "dict": (f"a dictionary cannot hold {word}", "Dictionaries hold finite values only."),
        "exp": (f"exp of {word} is not in the language", LINEAR),
        "log": (f"log of {word} is not in the language", LINEAR),
        "sqrt": (f"a root of {word} is not in the language", LINEAR),
        "any": condition,
        "all": condition,
        "bool": condition,
    }
    if name in ("ceil", "floor", "int", "round", "trunc"):
        refuse(
            where(part),
            "a list cannot be rounded",
            "Numbers are rounded one by one, to a number of digits that is a finite value.",
            "Write `[round(x) for x in xs]`.",
        )
    message, rule = messages.get(name, (f"{name} cannot be called with {word}", LINEAR))
    refuse(where(part), message, rule, COMPARE_IT)


def _of_anything(node: ast.Call, kinds: list[ValueKind], made: Made) -> ValueKind | None:
    """Return the kind of the result of a function that also takes noise; None for the others."""
    first, plain = kinds[0] if kinds else NOTHING, kinds[: len(node.args)]
    match called(node):
        # The sites are those of the list that is gone over: it cannot be changed meanwhile.
        case "enumerate" if isinstance(first.items, tuple):
            return sequence(tuple(sequence((FINITE, item)) for item in first.items), first.sites)
        case "enumerate":
            return sequence(sequence((FINITE, first.entry)), first.sites)
        case "zip":
            sites = frozenset().union(*(kind.sites for kind in plain))
            return sequence(sequence(tuple(kind.entry for kind in plain)), sites)
        case "reversed":
            return sequence(first.entry, first.sites)
        case "list" | "tuple" as name:
            items = first.items if first.items is not None and not first.finite else first.entry
            return sequence(items, made() if name == "list" else frozenset())
        case "sum":
            total = number(kinds[1]) if len(kinds) > 1 else FINITE
            return number(join(first.entry, total))
        case "floor" | "ceil" if first.noise and first.items is None:
            return whole_number(first)
        case "round" if first.noise and first.items is None:
            if len(kinds) > 1 and kinds[1].holds_noise:
                return None
            return whole_number(first)
        case "divmod" if len(kinds) == 2 and first.noise and not kinds[1].holds_noise:
            return sequence((whole_number(first), number(first)))
        case "len" if first.noise and first.items is None and not first.finite:
            refuse(
                where(node),
                f"{first.word} has no length",
                "Only lists, tuples, strings, ranges and tables have a length.",
                "Ask for the length of the list that it came from.",
            )
        case "len":
            return FINITE
    return None
