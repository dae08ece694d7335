"""Python files loaded as modules, as a test runner does; what goes wrong, as errors of users."""

from __future__ import annotations

import contextlib
import importlib.util
import linecache
import os
import sys
import traceback
from collections.abc import Iterator
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from exactdp.errors import ExactdpError, Place, ProgramError


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
        error.place = place_of(error.__cause__, str(Path(file).absolute()))
    return error


def problem(error: BaseException, file: str) -> ExactdpError:
    """Convert an exception raised in a file to an error that shows the line of the file."""
    path = str(Path(file).absolute())
    if isinstance(error, ExactdpError):
        if error.place is not None:
            return error
        kind = ProgramError if error.of_a_program else ExactdpError
        place = place_of(error, path)
        return kind(error.message, place=place, rule=error.rule, way_out=error.way_out)
    if isinstance(error, SyntaxError) and error.lineno:  # of a file that this one imports
        return _not_python(error, error.filename or file)
    if isinstance(error, SystemExit):
        return ExactdpError(
            f"{file} ends Python (exit code {error.code or 0})",
            place=place_of(error, path),
            way_out='Put what runs as a program under `if __name__ == "__main__":`.',
        )
    where = place_of(error, path)
    way_out = ""
    if isinstance(error, ImportError) and "relative import" in str(error):
        way_out = "Import it by its name: the folder of the file is searched."
    message = short(error) if where else f"{file}: {short(error)}"
    return ExactdpError(message, place=where, way_out=way_out)


def place_of(error: BaseException, path: str) -> Place | None:
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


def short(error: BaseException) -> str:
    """Return an exception in one line."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
