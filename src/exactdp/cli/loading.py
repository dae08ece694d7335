"""Loads files with claims and mechanisms, as a test runner does, and finds these by name.

A target is FILE, FILE::NAME or a folder. NAME is an expression in the names of the file: `claim`,
`claims[0]`, `table['x']`; or a function that returns one, with or without arguments:
`noisy_max(3)`.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import inspect
import linecache
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from exactdp import Accuracy, ErrorBound, Expected, Ideal, Mechanism, Privacy, Study
from exactdp.cli.reading import value_of
from exactdp.cli.settings import defaults
from exactdp.errors import ExactdpError, Place, ProgramError, counted, kind_of


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


# Finding ------------------------------------------------------------------------------


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


def find_study(target: str) -> tuple[str, Study]:
    """Return the file and the study that a target denotes: a `Study`, or `claims` of the file."""
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
        return file, value if isinstance(value, Study) else Study(value)
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
        if _place(error, str(Path(file).absolute())) is not None:
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


def _short(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


# Loading ------------------------------------------------------------------------------


@cache
def load(file: str) -> ModuleType:
    """Return a file as a module, loaded once; any failure is raised as an `ExactdpError`.

    The file's folder is on `sys.path`, in first place during loading, as for a script. For a file
    in a package (with `__init__.py`) it is the folder of the package, so that relative imports
    work. The file's output goes to stderr, because stdout is for answers.
    """
    path = Path(file).absolute()
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ExactdpError(
            f"{file} cannot be read: {(error.strerror or str(error)).lower()}",
            way_out="Name a Python file with claims, or write one with `exactdp new NAME`.",
        ) from None
    package, folder = _package(path)
    name = f"{package}_exactdp_file_{load.cache_info().currsize}_{path.stem}"
    loader = SourceFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    try:
        # Compiled here and not by the loader, so that a stale bytecode file is never read.
        code = loader.source_to_code(data, str(path))
    except (SyntaxError, ValueError) as error:  # ValueError: null bytes
        raise _not_python(error, file) from error
    sys.modules[name] = module
    sys.path.insert(0, folder)
    try:
        with contextlib.redirect_stdout(sys.stderr), _no_silent_end():
            exec(code, module.__dict__)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error.__cause__, KeyboardInterrupt):  # while Python 3.11 makes a class
            raise error.__cause__ from None
        raise problem(error, file) from error
    finally:
        # Last on the path: a file `numbers.py` must not shadow the standard library.
        sys.path.remove(folder)
        if folder not in sys.path:
            sys.path.append(folder)
    return module


@contextlib.contextmanager
def _no_silent_end() -> Iterator[None]:
    """Intercept `os._exit`: a silent exit with code 0 would mean that all claims hold."""
    end, here = os._exit, os.getpid()

    def heard(status: int) -> NoReturn:
        if os.getpid() == here:
            raise SystemExit(status)
        end(status)  # in a process forked by the file

    os._exit = heard
    try:
        yield
    finally:
        os._exit = end


def _package(path: Path) -> tuple[str, str]:
    """Return the package of a file ("a.b." or "") and the folder from which it is imported."""
    folder, package = path.parent, ""
    while (folder / "__init__.py").is_file() and folder.name.isidentifier():
        folder, package = folder.parent, f"{folder.name}.{package}"
    return package, str(folder)


def with_place(error: ExactdpError, file: str) -> ExactdpError:
    """Return an error with the line of the file that caused it, if there is one."""
    if error.place is None and error.__cause__ is not None:
        error.place = _place(error.__cause__, str(Path(file).absolute()))
    return error


def problem(error: BaseException, file: str) -> ExactdpError:
    """Convert an exception raised in a file to an error that shows the line of the file."""
    path = str(Path(file).absolute())
    if isinstance(error, ExactdpError):
        if error.place is not None:
            return error
        kind = ProgramError if error.of_a_program else ExactdpError
        place = _place(error, path)
        return kind(error.message, place=place, rule=error.rule, way_out=error.way_out)
    if isinstance(error, SyntaxError) and error.lineno:  # of a file that this one imports
        return _not_python(error, error.filename or file)
    if isinstance(error, SystemExit):
        return ExactdpError(
            f"{file} ends Python (exit code {error.code or 0})",
            place=_place(error, path),
            way_out='Put what runs as a program under `if __name__ == "__main__":`.',
        )
    where = _place(error, path)
    way_out = ""
    if isinstance(error, ImportError) and "relative import" in str(error):
        way_out = "Import it by its name: the folder of the file is searched."
    message = _short(error) if where else f"{file}: {_short(error)}"
    return ExactdpError(message, place=where, way_out=way_out)


def _place(error: BaseException, path: str) -> Place | None:
    """Return the innermost line of the file in the traceback of an error."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if one.filename == path]
    if not frames or frames[-1].lineno is None:
        return None
    last = frames[-1]
    line = last.lineno or 1
    text = linecache.getline(path, line).rstrip("\n")
    begin = len(text) - len(text.lstrip())
    end = len(text)
    if last.end_lineno == line and last.colno is not None and last.end_colno is not None:
        begin, end = last.colno, last.end_colno
    return Place(_shown(path), line, begin + 1, end + 1, text)


def _not_python(error: SyntaxError | ValueError, file: str) -> ExactdpError:
    if not isinstance(error, SyntaxError) or not error.lineno or error.text is None:
        return ExactdpError(
            f"{file} is not Python: {getattr(error, 'msg', error)}",
            way_out="Name a Python file with claims.",
        )
    begin = max(1, error.offset or 1)
    end = error.end_offset if error.end_lineno == error.lineno else None
    # A binary file may contain control characters for the terminal.
    text = "".join(c if c.isprintable() or c == "\t" else "�" for c in error.text.rstrip("\n"))
    shown = _shown(str(Path(file).absolute()))
    place = Place(shown, error.lineno, begin, max(begin + 1, end or 0), text)
    return ExactdpError(f"not Python: {error.msg}", place=place)


def _shown(path: str) -> str:
    """Return a path relative to the working directory if it is inside that."""
    with contextlib.suppress(ValueError):
        return str(Path(path).relative_to(Path.cwd()))
    return path
