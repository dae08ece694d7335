"""Finds claims and mechanisms in files, by name.

A target is FILE, FILE::NAME or a folder. NAME is an expression in the names of the file: `claim`,
`claims[0]`, `table['x']`; or a function that returns one, with or without arguments:
`noisy_max(3)`.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any

from exactdp import Accuracy, ErrorBound, Expected, Ideal, Mechanism, Privacy, Study
from exactdp.cli.files import load, place_of, problem
from exactdp.cli.reading import value_of
from exactdp.cli.settings import defaults
from exactdp.errors import ExactdpError, counted, kind_of


@dataclass(frozen=True)
class Found:
    """A claim and where it was found."""

    file: str
    name: str
    claim: Any
    """An `Accuracy`, a `Privacy` or an `Expected`."""

    @property
    def title(self) -> str:
        """The target that denotes only this claim."""
        return f"{self.file}::{self.name}"


def find_claims(
    targets: Sequence[str], substring: str = "", kinds: tuple[type, ...] = (Accuracy,)
) -> list[Found]:
    """Return the claims of targets, in order and without repetition; refuse targets without claims.

    Claims of kinds not asked for are skipped. Without targets, those of [tool.exactdp] in
    pyproject.toml are used.
    """
    targets = targets or defaults().get("check", {}).get("targets", ())
    if not targets:
        raise ExactdpError(
            "no file is named",
            rule="A target is FILE, FILE::NAME or a folder.",
            way_out="Write for example claims.py, or targets = ['claims'] under [tool.exactdp] in "
            "pyproject.toml.",
        )
    found: dict[str, Found] = {}
    for target in targets:
        file, name = _parts(target)
        folder = not name and Path(file).is_dir()
        listed = _in_folder(Path(file)) if folder else _in_file(file, name)
        found.update((one.title, one) for one in listed)
    right = {title: one for title, one in found.items() if isinstance(one.claim, kinds)}
    if found and not right:
        kind = " or ".join(one.__name__ for one in kinds)
        raise ExactdpError(
            f"there is no claim of the kind {kind} in {', '.join(targets)}",
            rule="Each kind of claim has its own questions; `exactdp check` accepts all kinds.",
            way_out="Use `exactdp privacy` for Privacy, `exactdp tighten` or `epsilon` for "
            "Accuracy and Expected.",
        )
    found = right
    chosen = [one for one in found.values() if substring in one.title]
    if not chosen:
        raise ExactdpError(
            f"none of {counted(len(found), 'claim')} has {substring!r} in its name",
            way_out=f"The claims are {_few([one.title for one in found.values()])}.",
        )
    return chosen


def find_claim(target: str) -> Found:
    """Return the single claim that a target denotes."""
    found = find_claims([target])
    if len(found) > 1:
        raise ExactdpError(
            f"{target} has {len(found)} claims, and one is needed",
            way_out=f"Write one of {_few([one.title for one in found])}.",
        )
    return found[0]


def find_mechanism(target: str) -> Mechanism:
    """Return the mechanism that a target denotes; for a claim, its mechanism."""
    file, name = _parts(target)
    module = load(file)
    known = _mechanisms(module)
    if not name:
        noisy = [one for one in known.values() if not isinstance(one, Ideal)]
        if len(noisy) == 1:
            return noisy[0]
        if len(known) == 1:
            return next(iter(known.values()))
        raise ExactdpError(
            f"{file} has {counted(len(known), 'mechanism')}, and one is needed",
            way_out=f"Write {file}::NAME. {_names(module)}",
        )
    value = _named(module, file, name)
    if isinstance(value, Accuracy | ErrorBound | Privacy | Expected):
        return value.mechanism
    if isinstance(value, Mechanism):
        return value
    raise ExactdpError(
        f"{name} in {file} is {kind_of(value)}, not a mechanism",
        rule="A mechanism is made by @mechanism or Mechanism.from_source.",
        way_out=_names(module),
    )


def find_ideal(target: str, name: str | None) -> Any:
    """Return the ideal with a name in the file of a target; without a name, that of its claim.

    For a mechanism, it is the ideal that all claims of the file about it have.
    """
    file, own = _parts(target)
    module = load(file)
    if name is not None:
        return _named(module, file, name)
    value = _named(module, file, own) if own else None
    if isinstance(value, Accuracy | ErrorBound | Expected):
        return value.ideal
    mechanism = find_mechanism(target)
    claims = (claim for _, claim in _public_claims(module) if not isinstance(claim, Privacy))
    ideals = {id(one.ideal): one.ideal for one in claims if one.mechanism == mechanism}
    return next(iter(ideals.values())) if len(ideals) == 1 else None


def find_study(target: str) -> Study:
    """Return the study that a target denotes: a `Study`, or `claims` of the file."""
    file, name = _parts(target)
    module = load(file)
    if name:
        value = _named(module, file, name)
    else:
        known = vars(module)
        found = [one for key, one in known.items() if isinstance(one, Study) and key[0] != "_"]
        if len(found) > 1:
            raise ExactdpError(
                f"{file} has {len(found)} studies, and one is needed",
                way_out=f"Write {file}::NAME. {_names(module)}",
            )
        value = found[0] if found else known.get("claims", known.get("study"))
        if value is None:
            raise ExactdpError(
                f"there is no study in {file}",
                rule="A study is a `Study`, or `claims`: a generator, or a list, of claims or of "
                "pairs of parameters (a dictionary) and a claim.",
                way_out="Write study = Study(claim, m=range(2, 5)).",
            )
    try:
        while inspect.isfunction(value):
            with contextlib.redirect_stdout(sys.stderr):
                value = value()
        return value if isinstance(value, Study) else Study(value)
    except ExactdpError:
        raise
    except Exception as error:
        raise problem(error, file) from error


def _in_folder(folder: Path) -> list[Found]:
    paths = [
        path
        for path in sorted(folder.rglob("*.py"))
        if not any(part.startswith((".", "__")) for part in path.relative_to(folder).parts)
    ]
    if not paths:
        raise ExactdpError(
            f"the folder {folder} contains no Python files",
            rule="A folder is searched for *.py.",
            way_out="Name a file, or `exactdp new NAME` to start one.",
        )
    found = [one for path in paths for one in _claims(str(path))]
    if not found:
        raise ExactdpError(
            f"there are no claims in {folder}, which contains {counted(len(paths), 'Python file')}",
            rule=_RULE,
            way_out="Name a file, or `exactdp new NAME` to start one.",
        )
    return found


def _in_file(file: str, name: str) -> list[Found]:
    found = _claims(file)
    if not name:
        if not found:
            raise ExactdpError(
                f"there are no claims in {file}",
                rule=_RULE,
                way_out=f"Write claim = Accuracy(mechanism, beta=…). {_names(load(file))}",
            )
        return found
    chosen = [one for one in found if one.name == name or one.name.startswith(f"{name}[")]
    if chosen:
        return chosen
    module = load(file)
    value = _named(module, file, name)
    chosen = [Found(file, *one) for one in _walk(name, value, set())]
    if not chosen:
        claims = f"claim = Accuracy({name}, beta=…) or claim = Privacy({name}, budget=eps)"
        raise ExactdpError(
            f"{name} in {file} is {kind_of(value)}, not a claim",
            rule=_RULE,
            way_out=f"Write in the file: {claims}."
            if isinstance(value, Mechanism)
            else _names(module),
        )
    return chosen


#: What a function of a file is called for by name, as in `file.py::claim(3)`.
_MADE = tuple(
    one
    for kind in (Mechanism, Accuracy, Privacy, Expected, ErrorBound)
    for one in (kind, kind.__name__)
)

_RULE = (
    "Claims are `Accuracy`, `ErrorBound`, `Privacy` and `Expected` objects in variables of the "
    "file, also in lists and dictionaries."
)


def _claims(file: str) -> list[Found]:
    module = load(file)
    try:
        return [Found(file, *one) for one in _public_claims(module)]
    except Exception as error:  # iterating over a value of the file failed
        raise problem(error, file) from error


def _public_claims(module: ModuleType) -> Iterator[tuple[str, Accuracy | Privacy | Expected]]:
    seen: set[int] = set()
    for name, value in list(vars(module).items()):
        if not name.startswith("_"):
            yield from _walk(name, value, seen)


def _walk(
    name: str, value: object, seen: set[int]
) -> Iterator[tuple[str, Accuracy | Privacy | Expected]]:
    """Yield the claims in a value with their names, skipping those already seen."""
    kinds = Accuracy, ErrorBound, Privacy, Expected, list, tuple, dict
    if not isinstance(value, kinds) or id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, ErrorBound):
        if value.within is None or value.allowed is None:
            return  # a question, not a claim
        claims = value.claims
        value = claims[0] if len(claims) == 1 else claims
    if isinstance(value, Expected) and value.at_most is None:
        return  # a question, not a claim
    if isinstance(value, Accuracy | Privacy | Expected):
        yield name, value
        return
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield from _walk(f"{name}[{key!r}]", item, seen)


def _mechanisms(module: ModuleType) -> dict[str, Mechanism]:
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, Mechanism) and not name.startswith("_")
    }


def _named(module: ModuleType, file: str, text: str) -> Any:
    """Return the value of a name such as `table['x']` or `noisy_max(3)` in a file."""
    try:
        value = _evaluated(module, ast.parse(text, mode="eval").body)
        # A function without required arguments is called: examples define mechanisms this way.
        if inspect.isfunction(value) and not inspect.iscoroutinefunction(value):
            with contextlib.redirect_stdout(sys.stderr):
                value = value()
    except ExactdpError:
        raise
    except Exception as error:
        if place_of(error, str(Path(file).absolute())) is not None:
            raise problem(error, file) from error
        known = [name for name in vars(module) if not name.startswith("_")]
        known += [name for name, _ in _public_claims(module)]
        close = [] if text in known else get_close_matches(text, known, 1)
        guess = f"Did you mean {close[0]}? " if close else ""
        if text in known or isinstance(error, TypeError):
            what = f"{text} in {file} cannot be used: {error}"
        else:
            why = "" if isinstance(error, LookupError) else f": {_short_reason(error)}"
            what = f"{text} cannot be found in {file}{why}"
        raise ExactdpError(what, way_out=guess + _names(module)) from error
    return value


def _short_reason(error: Exception) -> str:
    return "this is not a name" if isinstance(error, SyntaxError) else str(error)


def _parts(target: str) -> tuple[str, str]:
    """Return the file and the name of a target."""
    file, _, name = target.partition("::")
    if not file:
        raise ExactdpError(
            f"{target!r} names no file",
            rule="A target is FILE, FILE::NAME or a folder.",
            way_out="Write for example claims.py::lemma.",
        )
    return file, name


def _evaluated(module: ModuleType, node: ast.expr) -> Any:
    match node:
        case ast.Name(name):
            return vars(module)[name]
        case ast.Subscript(value, index):
            return _evaluated(module, value)[value_of(index)]
        case ast.Call(ast.Name(name), arguments, keywords):
            named = {one.arg: value_of(one.value) for one in keywords if one.arg}
            with contextlib.redirect_stdout(sys.stderr):
                return vars(module)[name](*map(value_of, arguments), **named)
    raise ValueError("a name, name[key] or name(arguments) is expected")


def _names(module: ModuleType) -> str:
    """Return a sentence that lists the claims and mechanisms of a file."""
    claims = [name for name, _ in _public_claims(module)]
    made = [
        f"{name}()"
        for name, value in vars(module).items()
        if inspect.isfunction(value)
        and value.__module__ == module.__name__
        and value.__annotations__.get("return") in _MADE
    ]
    offers = {"claim": claims, "mechanism": list(_mechanisms(module)), "function": made}
    said = [
        f"{what}{'s'[: len(names) != 1]} {_few(names)}" for what, names in offers.items() if names
    ]
    return f"The file has the {', the '.join(said)}." if said else "The file has nothing to ask."


def _few(names: list[str]) -> str:
    return ", ".join([*names[:8], "…"] if len(names) > 8 else names)
