"""EXACTDP_CORE says for a process which tree gives the public names; the trees never mix."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import exactdp_next

OLD_SHARED = {"exactdp"}
"""The one module of the old tree's folder that both columns load."""


def run(column: str | None, code: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of one column."""
    env = {name: value for name, value in os.environ.items() if name != "EXACTDP_CORE"}
    if column is not None:
        env["EXACTDP_CORE"] = column
    command = [sys.executable, *(options or ("-c", code))]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=60)


def said(column: str | None, code: str) -> str:
    """Return what code prints that must succeed."""
    done = run(column, code)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


FILES = """
import json, sys
print(json.dumps({
    name: str(module.__file__).replace(chr(92), "/").split("/src/")[-1]
    for name, module in sys.modules.items()
    if name.split(".")[0] in ("exactdp", "exactdp_next") and module.__file__
}))
"""
ALL = "import exactdp\nfor name in exactdp.__all__: getattr(exactdp, name)\n"


def loaded(column: str | None, code: str) -> dict[str, str]:
    """Return the modules of ours that code loads, each with its file under `src`."""
    found: dict[str, str] = json.loads(said(column, code + FILES).splitlines()[-1])
    return found


@pytest.mark.parametrize("column", [None, "old"])
def test_the_old_tree_loads_nothing_of_the_new_one(column: str | None) -> None:
    files = loaded(column, f"{ALL}from exactdp import certify\nimport exactdp.pytest_plugin\n")
    assert len(files) > 50
    assert {path.split("/")[0] for path in files.values()} == {"exactdp"}


def test_the_new_tree_loads_nothing_of_the_old_one() -> None:
    files = loaded("new", f"{ALL}import exactdp.pytest_plugin, exactdp.cli\n")
    assert {name for name, path in files.items() if path.startswith("exactdp/")} == OLD_SHARED
    assert files["exactdp.cli"] == files["exactdp_next.cli"] == "exactdp_next/cli/__init__.py"


def test_a_module_of_the_new_tree_is_one_object_under_both_names() -> None:
    code = """
import exactdp.errors, exactdp_next.errors
from exactdp import ExactdpError
assert exactdp.errors is exactdp_next.errors and exactdp.errors.ExactdpError is ExactdpError
assert exactdp.errors.__spec__.name == exactdp.errors.__name__ == "exactdp_next.errors"
import exactdp_next.cli, exactdp.cli
assert exactdp.cli is exactdp_next.cli and exactdp.cli.main is exactdp_next.cli.main
"""
    said("new", code)


def test_modules_of_the_old_tree_are_not_found_in_the_new_column() -> None:
    done = run("new", "import exactdp.reals")
    assert "ModuleNotFoundError: No module named 'exactdp.reals'" in done.stderr


@pytest.mark.parametrize("column", ["old", "new"])
def test_names_are_listed(column: str) -> None:
    code = """
import exactdp
assert set(exactdp.__all__) <= set(dir(exactdp)) and "__version__" in dir(exactdp)
names = {}
exec("from exactdp import *", names)
assert set(exactdp.__all__) <= set(names)
print(len(exactdp.__all__), hasattr(exactdp, "no_such_name"))
"""
    number, other = said(column, code).split()
    assert other == "False"
    assert column == "old" or number == "73"


def test_the_command_line_and_the_checker_go_through_the_column() -> None:
    """A whole column has an answer; until then what is missing says so, and is no ExactdpError."""
    assert "Usage" in run("old", "", "-m", "exactdp", "--help").stdout
    assert "not yet: cli" in run("new", "", "-m", "exactdp", "--help").stderr
    entry_point = "from exactdp.cli import main; print(main.__module__)"
    assert said("old", entry_point) == "exactdp.cli"
    assert said("new", entry_point) == "exactdp_next.cli"
    for code in ("import exactdp.certify as one", "from exactdp import certify as one"):
        assert said("old", f"{code}; print(one.__name__)") == "exactdp.certify"
        done = run("new", f"{code}; print(one.accepted.__module__)")
        assert done.stdout.startswith("exactdp_next.certify") or "not yet: certify" in done.stderr


def test_a_name_that_is_not_written_yet_is_refused_when_it_is_used() -> None:
    code = """
from types import new_class
from exactdp_next.errors import ExactdpError, NotYet
from exactdp_next.unwritten import Unwritten
name = Unwritten("Accuracy", "public.claims")
uses = [
    lambda: name(1), lambda: name[3], lambda: name.check, lambda: 2 * name, lambda: name / 2,
    lambda: -name, lambda: name < 1, lambda: name == 1, lambda: isinstance(1, name),
    lambda: bool(name), lambda: list(name), lambda: 1 in name, lambda: new_class("A", (name,)),
]
for use in uses:
    try:
        use()
    except NotYet as error:
        assert error.family == "public" and not isinstance(error, ExactdpError)
    else:
        raise AssertionError
print(name)
"""
    assert said("new", code) == "<Accuracy: not yet>"


def test_a_name_that_is_given_up_says_what_does_it_instead() -> None:
    code = """
from exactdp import ExactdpError
try:
    from exactdp import gumbel
except ExactdpError as error:
    print(error.family, "expmech" in str(error))
"""
    assert said("new", code) == "gumbel True"


def test_every_old_name_is_kept_or_given_up() -> None:
    """`test_names_are_listed` and `tests/docs/test_given_up.py` see the rest."""
    old = said("old", "import exactdp; print(*exactdp.__all__)").split()
    assert set(old) <= exactdp_next.MODULES.keys() | exactdp_next.GIVEN_UP.keys()
    assert not exactdp_next.MODULES.keys() & exactdp_next.GIVEN_UP.keys()


def test_another_column_is_refused_with_the_two_that_there_are() -> None:
    done = run("newer", "import exactdp")
    assert "EXACTDP_CORE is 'newer'; it must be 'old' or 'new'" in done.stderr


def test_a_process_keeps_its_column() -> None:
    code = """
import os, exactdp
os.environ["EXACTDP_CORE"] = "new"
print(exactdp.ExactdpError.__module__)
"""
    assert said("old", code) == "exactdp.errors"
