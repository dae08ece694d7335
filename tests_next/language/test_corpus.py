"""All mechanisms of examples/ are read, but those with Gumbel noise, which is given up.

The files are run with a module in place of exactdp that reads mechanisms and answers no question.
"""

from __future__ import annotations

import dataclasses
import runpy
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests_next.outside import front

import exactdp_next
from exactdp_next.errors import GivenUp
from exactdp_next.language.code import Code
from exactdp_next.language.program import Program
from exactdp_next.language.source import Source

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = sorted(one for one in EXAMPLES.rglob("*.py") if one.name != "demo.py")
GUMBEL = {"gumbel_max.py", "top_k_gumbel.py"}


class Anything:
    """The answer to every question."""

    def __init__(self, *_given: object, **_named: object) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __format__(self, _wish: str) -> str:
        return "anything"

    def __hash__(self) -> int:
        return 1

    def _anything(self, *_given: object, **_named: object) -> Any:
        return Anything()

    __call__ = __getitem__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = (
        _anything
    )
    __truediv__ = __rtruediv__ = __neg__ = __lt__ = __le__ = __gt__ = __ge__ = _anything
    __pow__ = __rpow__ = _anything

    def __float__(self) -> float:
        return 1.0

    def __index__(self) -> int:
        return 1

    __int__ = __len__ = __index__


class Read(Anything):
    """A mechanism that is read, and asked nothing."""

    found: list[Read] = []  # noqa: RUF012

    def __init__(self, source: Source) -> None:
        self.program = Program.of_source(source)
        Read.found.append(self)

    @classmethod
    def from_source(
        cls, text: str, constants: Any = None, name: str = "<m>", **_named: object
    ) -> Read:
        """Read a text."""
        return cls(Source.of_text(text, constants, name))


def mechanism(function: Any = None, **_named: object) -> Any:
    if function is None:
        return mechanism
    return Read(Source.of(function))


@pytest.fixture
def _instead_of_exactdp(monkeypatch: pytest.MonkeyPatch) -> None:
    fake: Any = types.ModuleType("exactdp")
    for name in exactdp_next.MODULES:
        setattr(fake, name, getattr(front, name, Anything))
    fake.Accuracy = fake.Study = Anything
    fake.mechanism = fake.ideal = mechanism
    fake.Mechanism = fake.Ideal = Read
    fake.gumbel = Anything
    monkeypatch.setitem(sys.modules, "exactdp", fake)
    monkeypatch.setattr(dataclasses, "replace", Anything)


@pytest.mark.usefixtures("_instead_of_exactdp")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_mechanisms_are_read(path: Path) -> None:
    Read.found = []
    if path.name in GUMBEL:
        with pytest.raises(GivenUp):
            runpy.run_path(str(path))
        return
    runpy.run_path(str(path))
    for one in Read.found:
        code = one.program.code
        if "call(" not in str(code):  # the table of a Python function is kept beside the text
            assert Code.parse(str(code)) == code
            assert Code.of_json(code.json()) == code
