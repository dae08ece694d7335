"""Wrong files, names and options of every kind: one message, exit code 2, no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.commands import run

HEAD = "from exactdp import Accuracy, Grid, Real, eps, lap, mechanism\n"
MECHANISM = "@mechanism\ndef m(q: Real):\n    return lap(eps, q) > 0\n"

#: What is in the file, and the lines that the message holds.
FILES: dict[str, tuple[str | bytes, list[str]]] = {
    "empty": ("", ["there are no claims in wrong.py", "The file has none."]),
    "binary": (b"\x00\x01\x02\xff", ["wrong.py is not Python"]),
    "other_binary": (b"\x7fELF\x1b[31m", ["wrong.py:1:1: not Python", "    1 | �ELF�[31m"]),
    "other_encoding": ("x = 'é'".encode("latin-1"), ["wrong.py", "not Python"]),
    "syntax": ("x = 1\ndef f(:\n", ["wrong.py:2:7: not Python", "    2 | def f(:", "^"]),
    "import": ("import no_such\n", ["wrong.py:1:1: ModuleNotFoundError: No module", "^^^^"]),
    "raises": ("x = [\n  1 / 0]\n", ["wrong.py:2:3: ZeroDivisionError: division", "^^^^^"]),
    "recursion": ("def f():\n    f()\nf()\n", ["wrong.py:2:5: RecursionError"]),
    "exit": ("import sys\nsys.exit()\n", ["wrong.py:2:1: wrong.py ends Python", "__main__"]),
    "no_claims": (HEAD + MECHANISM, ["there are no claims in wrong.py", "the mechanisms m."]),
    "no_mechanism": (
        HEAD + "claim = Accuracy(3, beta=1)\n",
        ["wrong.py:2:9: 3 is not a mechanism", "^^^^^^^^^^^^^^", "A claim is about a mechanism."],
    ),
    "mechanism": (
        HEAD + "@mechanism\ndef m(q: Real):\n    import os\n    return 1\n",
        ["wrong.py:4:5: ", "    4 |     import os"],
    ),
    "claim_raises": (
        HEAD + MECHANISM + "claim = Accuracy(m, beta=lambda u: u / 0, inputs=[1])\n",
        ["wrong.py::claim: beta failed at the input 1: division by zero"],
    ),
    "claim_refuses": (
        HEAD + MECHANISM + "claim = Accuracy(m, beta=eps.at, inputs=Grid(0, 1))\n",
        ["wrong.py"],
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_files(name: str, tmp_path: Path) -> None:
    text, lines = FILES[name]
    (tmp_path / "wrong.py").write_bytes(text if isinstance(text, bytes) else text.encode())
    done = run("check", "wrong.py", cwd=tmp_path)
    assert done.code == 2
    assert done.out == ""
    for line in lines:
        assert line in done.err
    assert done.err.count("wrong.py") <= 2


#: Arguments and what the message holds.
USES: dict[str, tuple[list[str], str]] = {
    "no command": (["chekc"], "No such command 'chekc'"),
    "no file": (["check"], "Missing argument"),
    "missing": (["check", "no.py"], "no.py cannot be read: no such file"),
    "folder": (["check", "."], "holds no Python files"),
    "folder and name": (["check", ".::x"], ". cannot be read: is a directory"),
    "name": (["check", "{}::lema"], "Did you mean lemma? The file has the claims lemma, claims[0]"),
    "not a name": (["check", "{}::lemma+1"], "a name, name[key] or name(arguments) is expected"),
    "not a claim": (["check", "{}::positive"], "positive in"),
    "not a mechanism": (["explain", "{}::table"], "is a dict, not a mechanism"),
    "which": (["plot", "{}", "-o", "x.svg"], "5 claims, and one is needed"),
    "-k": (["check", "{}", "-k", "nix"], "none of the 5 claims has 'nix' in its name"),
    "--eps": (["check", "{}", "--eps", "(1, 0]"], "the interval between 1 and 0 is reversed"),
    "--inputs": (["check", "{}", "--inputs", "grid"], "'grid' are not inputs"),
    "--inputs list": (["check", "{}", "--inputs", "[1, x]"], "'[1, x]' is not a list of inputs"),
    "--inputs size": (["check", "{}::lemma", "--inputs", "[[1]]"], "1 value given where 2 are"),
    "--kappa": (["check", "{}", "--kappa", "0"], "κ is 0"),
    "--jobs": (["check", "{}", "--jobs", "0"], "Invalid value for '--jobs'"),
    "--input": (["probability", "{}::positive", "--input", "os"], "'os' is not an input"),
    "input": (["probability", "{}::positive", "--input", "'a'"], "the input q of positive"),
    "--at": (["probability", "{}::positive", "--input", "1", "--at", "x"], "is not a value of ε"),
    "eps": (["simulate", "{}::positive", "--input", "1", "--eps", "0"], "eps is 0"),
    "--chain": (["explain", "{}::positive", "--chain", "x.svg"], "--chain needs --input"),
    "new": (["new", "two words"], "cannot be the name of a mechanism"),
}


@pytest.mark.parametrize("name", USES)
def test_uses(name: str, tmp_path: Path) -> None:
    arguments, message = USES[name]
    file = str(Path(__file__).parent / "files" / "some_claims.py")
    done = run(*(one.replace("{}", file) for one in arguments), cwd=tmp_path)
    assert done.code == 2
    assert done.out == ""
    assert message in done.err
    assert list(tmp_path.iterdir()) == []


def test_a_mistake_in_exactdp_is_said_to_be_one(tmp_path: Path) -> None:
    """A ValueError from inside is not blamed on the file."""
    patch = "import exactdp.claims.accuracy as a\n\ndef raises(*x, **y):\n    int('x')\n"
    (tmp_path / "patch.py").write_text(patch + "a.decide = raises\n")
    (tmp_path / "fine.py").write_text(
        "import patch\n" + HEAD + MECHANISM + "claim = Accuracy(m, beta=1, inputs=[1])\n"
    )
    done = run("check", "fine.py", cwd=tmp_path)
    assert done.code == 2
    assert done.err.startswith("fine.py::claim: ValueError: invalid literal for int()")
    assert "This is a mistake in exactdp" in done.err


def test_an_imported_file_with_a_syntax_error(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("x = (\n")
    (tmp_path / "main.py").write_text("import helper\n")
    done = run("check", "main.py", cwd=tmp_path)
    assert done.code == 2
    assert done.err.startswith("helper.py:1:5: not Python: '(' was never closed\n")


def test_a_function_of_the_file_that_raises(tmp_path: Path) -> None:
    (tmp_path / "maker.py").write_text("def make(n):\n    return 1 / n\n")
    done = run("check", "maker.py::make(0)", cwd=tmp_path)
    assert done.code == 2
    assert done.err.startswith("maker.py:2:12: ZeroDivisionError: division by zero\n    2 | ")


def test_a_process_that_dies(tmp_path: Path) -> None:
    beta = "def beta(u):\n    import os\n    os.abort()\n"
    claims = "bad = Accuracy(m, beta=beta, inputs=[1])\ngood = Accuracy(m, beta=1, inputs=[1])\n"
    (tmp_path / "dies.py").write_text(HEAD + MECHANISM + beta + claims)
    done = run("check", "dies.py", cwd=tmp_path)
    assert done.code == 2
    assert "dies.py::bad: the process that worked on it ended (code -6)" in done.err
    assert "2 claims: 1 holds, 1 is wrong." in done.out


def test_a_wrong_claim_does_not_hide_the_others(tmp_path: Path) -> None:
    good = "good = Accuracy(m, beta='1/2', inputs=[1])\n"
    bad = "bad = Accuracy(m, beta=lambda u: u / 0, inputs=[1])\n"
    (tmp_path / "mixed.py").write_text(HEAD + MECHANISM + bad + good)
    done = run("check", "mixed.py", cwd=tmp_path)
    assert done.code == 2
    assert "2 claims: 1 holds, 1 is wrong." in done.out
    assert "mixed.py::bad: beta failed" in done.err
