"""Resolve the names in a source: variables, words of the language, constants from outside.

This module also refuses every construct outside the language, by its name.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from exactdp.errors import ExactdpError, Place, ProgramError
from exactdp.language.chance import DRAW_INSTEAD, NO_CHANCE, source_of_chance
from exactdp.language.source import Source
from exactdp.language.tree import Definition, name
from exactdp.language.values import freeze
from exactdp.language.words import (
    BUILTINS,
    INSTEAD,
    MISSING,
    OWN_FUNCTIONS,
    RESERVED,
    attribute,
    denotes,
)

_NO_WAITING = "A mechanism waits for nothing: leave it out."
_SEE = "Use what the language has: exactdp help language."

#: The names of Python's other constructs, and the way out.
_OUTSIDE: dict[type[ast.AST], tuple[str, str]] = {
    ast.AsyncFor: ("an async loop", "Use a plain `for`."),
    ast.AsyncFunctionDef: ("an async function", "Use a plain `def`."),
    ast.AsyncWith: ("async with", _NO_WAITING),
    ast.Await: ("await", _NO_WAITING),
    ast.ClassDef: ("a class", "Use tuples and lists."),
    ast.Delete: ("del", "Assign a new value instead."),
    ast.FormattedValue: ("a formatted string", "Return the values themselves."),
    ast.FunctionDef: ("a function inside a block", "Define it before the block."),
    ast.Global: ("global", "A mechanism changes nothing outside itself."),
    ast.Import: ("an import", "Import outside the mechanism."),
    ast.ImportFrom: ("an import", "Import outside the mechanism."),
    ast.JoinedStr: ("a formatted string", "Return the values themselves."),
    ast.Match: ("match", "Use if / elif / else."),
    ast.NamedExpr: ("an assignment inside an expression (:=)", "Assign on a line of its own."),
    ast.Nonlocal: ("nonlocal", "A mechanism changes nothing outside itself."),
    ast.Raise: ("raise", "Use `assert`, which makes a failed condition an error of the program."),
    ast.Set: ("a set", "Use a tuple or a list."),
    ast.SetComp: ("a set comprehension", "Use a list comprehension."),
    ast.Starred: ("a starred expression", "Name the parts one by one."),
    ast.Try: ("try", "A mechanism has no exceptions: test the condition with `if`."),
    ast.With: ("with", "A mechanism opens nothing: leave the `with` out."),
    ast.Yield: ("yield", "Append to a list and return it."),
    ast.YieldFrom: ("yield from", "Append to a list and return it."),
}
#: Library names of noise whose probabilities are not sums of exponentials.
_GAUSSIAN = ("gauss", "gaussian", "normal", "normalvariate", "randn", "standard_normal", "Gaussian")
_FOREIGN = {
    **dict.fromkeys((*_GAUSSIAN, "discrete_gaussian", "dgauss"), "Gaussian"),
    **dict.fromkeys(("cauchy", "standard_cauchy"), "Cauchy"),
    **dict.fromkeys(("student_t", "standard_t"), "Student"),
}
RULE = "The language is the paper's DiPWhile+ in Python's own syntax."


@dataclass(frozen=True)
class Nested:
    """A function defined inside a mechanism.

    It is a subroutine that takes the variables of the mechanism that it uses, `closure`, as
    additional arguments, with their values at the time of each call, as in Python.
    """

    node: ast.FunctionDef
    closure: tuple[str, ...]


class NameReader:
    """Reads names; `lookup` returns the object that an outside name is bound to."""

    def __init__(self, source: Source, lookup: Callable[[str], object]) -> None:
        self.source = source
        self.lookup = lookup
        self.constants: dict[str, object] = {}
        self.notes: list[str] = []
        self.name = ""
        self.locals: set[str] = set()
        self.inner: list[str] = []  # variables of enclosing comprehensions and lambdas
        self.nested: dict[str, Nested] = {}
        self.own: set[str] = set()  # of a nested function: its variables hide outer ones
        self.loops = 0
        self.depth = 0

    def refuse(self, node: ast.AST | Place, message: str, rule: str, way_out: str) -> NoReturn:
        """Raise the located error."""
        place = node if isinstance(node, Place) else self.source.place(node)
        raise ProgramError(message, place=place, rule=rule, way_out=way_out)

    def outside(self, node: ast.AST) -> NoReturn:
        """Refuse a construct that is not in the language, by its name."""
        what, way_out = _OUTSIDE.get(type(node), (f"Python's {type(node).__name__}", _SEE))
        self.refuse(node, f"{what} is not in the language", RULE, way_out)

    def closure(self, word: str, node: ast.AST) -> tuple[str, ...]:
        """Return the variables that a nested function uses, if they mean the same here."""
        for used in self.nested[word].closure:
            if used in self.inner or used in self.own:
                self.refuse(
                    node,
                    f"{used} means something else here than in {word}",
                    "A function inside a mechanism uses the variables that are around it there.",
                    f"Rename one of the variables {used}.",
                )
        return self.nested[word].closure

    def check_name(self, name: str, node: ast.AST) -> None:
        """Refuse a variable that is a word of the language."""
        if name in RESERVED:
            what = "the privacy budget" if name == "eps" else "a word of the language"
            self.refuse(
                node,
                f"{name} is {what} and cannot be a variable",
                "The words of the language mean the same in every mechanism.",
                "Rename the variable.",
            )

    def resolve(self, node: ast.expr) -> ast.Name:
        """Return a name as a variable, a word of the language, or a constant from outside."""
        place = self.source.place(node)
        match node:
            case ast.Name(written):
                if written in self.inner or written in self.locals:
                    return name(written, place)
                if written in self.nested:
                    return name(written, place)
                found = self.lookup(written)
            case ast.Attribute(ast.Name(base), last) if (
                base not in self.locals and base not in self.inner
            ):
                written = f"{base}.{last}"
                found = attribute(self.lookup(base), last)
                if found is MISSING:
                    self.refuse(
                        node,
                        f"{written} is not known",
                        "Only names of modules can be read with a dot.",
                        "Assign it to a name outside the mechanism.",
                    )
            case ast.Attribute(_, last):
                self.refuse(
                    node,
                    f"the attribute {last} is not in the language",
                    RULE,
                    "Compute it in a Python function of finite values, or use a variable.",
                )
            case _:
                self.outside(node)
        return name(self.outside_name(node, written, found), place)

    def outside_name(self, node: ast.AST, written: str, found: object) -> str:
        """Return the name under which an outside object is known, and remember its value."""
        short = written.rpartition(".")[2]
        if found is MISSING:
            if written in RESERVED or written in BUILTINS:
                return written
            if written in OWN_FUNCTIONS:
                return OWN_FUNCTIONS[written]
            if written == self.name:
                self.refuse(
                    node,
                    f"{written} calls itself",
                    "Recursion is not in the language: a mechanism ends after a bounded "
                    "number of samples.",
                    "Use a `for` loop.",
                )
            self.refuse_sampler(node, written)
            self.refuse(
                node,
                f"{written} is not known",
                "A name is a variable of the mechanism or a constant from outside, "
                "taken when it is defined.",
                "There is one privacy budget, eps: write for example eps / 2 for a part of it."
                if written.startswith(("eps", "ε"))
                else f"Assign it before the mechanism, or give constants={{{written!r}: …}}.",
            )
        word = denotes(found)
        if word is not None:
            if word != short and short in RESERVED:
                self.bound(node, short, found)
            return word
        if short in RESERVED:
            if short != written:
                self.refuse(
                    node,
                    f"{written} is not the {short} of the language",
                    "In a mechanism eps is a symbol, and functions of math and numpy are for "
                    "numbers.",
                    f"Import {short} from exactdp, and write {short} for {written}.",
                )
            self.bound(node, short, found)
        if written not in self.constants:
            self.constants[written] = self.take(node, written, found)
        return written

    def bound(self, node: ast.AST, word: str, found: object) -> NoReturn:
        """Refuse a word of the language that is bound to something else outside."""
        what = "the privacy budget" if word == "eps" else "a word of the language"
        shown = repr(found)
        shown = shown if len(shown) < 60 else f"a {type(found).__name__}"
        self.refuse(
            node,
            f"{word} is {what}, but outside the mechanism it is bound to {shown}",
            "The words of the language mean the same in every mechanism.",
            f"Rename the outside name, or import {word} from exactdp.",
        )

    def refuse_sampler(self, node: ast.AST, name: str) -> None:
        """Refuse the samplers of other libraries; ignore all other names."""
        last = name.removesuffix(".rvs").rpartition(".")[2]
        if last in _FOREIGN:
            self.refuse(
                node,
                f"{name} is {_FOREIGN[last]} noise, which is not in the language",
                "Exact answers need probabilities that are sums of exponentials: Laplace, "
                "exponential and discrete Laplace noise.",
                "Use lap(eps, q), or lap(scale=2 / eps, mean=q).",
            )
        if last in ("laplace", "default_rng"):
            mean, scale = "q", "2 / eps"
            if isinstance(node, ast.Call) and len(node.args) >= 2:  # of numpy and of SciPy
                mean, scale = (ast.unparse(part) for part in node.args[:2])
                if not any(isinstance(part, ast.Name) for part in ast.walk(node.args[1])):
                    scale = f"{scale} / eps"  # a number alone is no scale of the language
            self.refuse(
                node,
                f"{name} is a sampler of another library",
                "A mechanism is read and not run, so noise is written in words of the language.",
                f"Write lap(scale={scale}, mean={mean}).",
            )

    def take(self, node: ast.AST, name: str, found: object) -> object:
        """Return an outside object as a constant: a value, a function or a subroutine."""
        definition = getattr(found, "definition", found)
        if isinstance(definition, Definition):
            return definition
        origin = source_of_chance(found)
        if origin is not None:
            self.refuse_sampler(node, origin)
            what = (
                f"{name} uses {origin}"
                if name != origin
                else f"{name} is not a function of its arguments"
            )
            self.refuse(node, what, NO_CHANCE, DRAW_INSTEAD)
        if callable(found):
            if found is getattr(builtins, name, MISSING):
                self.refuse(
                    node,
                    f"{name} is not in the language",
                    RULE,
                    INSTEAD.get(name, "Compute it in a Python function of finite values outside."),
                )
            return found
        try:
            return freeze(found, lambda text: self.notes.append(f"{name}: {text}"))
        except ExactdpError as error:
            self.refuse(
                node, f"{name} cannot be a constant: {error.message}", error.rule, error.way_out
            )

    def is_module_name(self, base: ast.expr) -> bool:
        """Whether `base.name` reads a name of a module."""
        return (
            isinstance(base, ast.Name)
            and base.id not in self.locals
            and base.id not in self.inner
            and attribute(self.lookup(base.id), "__name__") is not MISSING
        )
