"""Wrong files, names and options of every kind: one message, exit code 2, no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli import commands
from cli.commands import run, run_alone
from exactdp.cli.main import run as run_here

HEAD = "from exactdp import Accuracy, Grid, Real, eps, lap, mechanism\n"
MECHANISM = "@mechanism\ndef m(q: Real):\n    return lap(eps, q) > 0\n"

#: What is in the file, and the lines that the message holds.
FILES: dict[str, tuple[str | bytes, list[str]]] = {
    "empty": ("", ["there are no claims in wrong.py", "The file has nothing to ask."]),
    "binary": (b"\x00\x01\x02\xff", ["wrong.py is not Python"]),
    "other_binary": (b"\x7fELF\x1b[31m", ["wrong.py:1:1: not Python", "    1 | �ELF�[31m"]),
    "other_encoding": ("x = 'é'".encode("latin-1"), ["wrong.py", "not Python"]),
    "syntax": ("x = 1\ndef f(:\n", ["wrong.py:2:7: not Python", "    2 | def f(:", "^"]),
    "import": ("import no_such\n", ["wrong.py:1:1: ModuleNotFoundError: No module", "^^^^"]),
    "raises": ("x = [\n  1 / 0]\n", ["wrong.py:2:3: ZeroDivisionError: division", "^^^^^"]),
    "recursion": ("def f():\n    f()\nf()\n", ["wrong.py:2:5: RecursionError"]),
    "exit": ("import sys\nsys.exit()\n", ["wrong.py:2:1: wrong.py ends Python", "__main__"]),
    "silent_exit": (
        "import os\nos._exit(0)\n",
        ["wrong.py:2:1: wrong.py ends Python (exit code 0)"],
    ),
    "no_claims": (HEAD + MECHANISM, ["there are no claims in wrong.py", "the mechanism m."]),
    "no_mechanism": (
        HEAD + "claim = Accuracy(3, beta='1/2')\n",
        ["wrong.py:2:9: 3 is not a mechanism", "^^^^^^^^^^^^^^", "A claim is about a mechanism."],
    ),
    "mechanism": (
        HEAD + "@mechanism\ndef m(q: Real):\n    import os\n    return 1\n",
        ["wrong.py:4:5: ", "    4 |     import os"],
    ),
    "claim_raises": (
        HEAD + MECHANISM + "claim = Accuracy(m, beta=lambda u: u / 0, inputs=[1])\n",
        ["wrong.py:5:36: wrong.py::claim: beta failed at the input 1: division by zero", "^^^^^"],
    ),
    "claim_exits": (
        HEAD + MECHANISM + "claim = Accuracy(m, beta=lambda u: quit(), inputs=[1])\n",
        ["wrong.py:5:36: wrong.py ends Python (exit code 0)"],
    ),
    "claim_interrupts": (
        HEAD
        + MECHANISM
        + "def beta(u):\n    raise KeyboardInterrupt\nclaim = Accuracy(m, beta=beta, inputs=[1])\n",
        ["wrong.py:6:5: KeyboardInterrupt"],
    ),
    "list_raises": (
        "class L(list):\n    def __iter__(self):\n        raise ValueError(3)\nclaims = L([1])\n",
        ["wrong.py:3:9: ValueError: 3"],
    ),
    "relative": ("from . import x\n", ["wrong.py:1:1: ImportError", "Import it by its name"]),
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
    "no file": (["check"], "no file is named"),
    "missing": (["check", "no.py"], "no.py cannot be read: no such file"),
    "folder": (["check", "."], "contains no Python files"),
    "folder and name": (["check", ".::x"], ". cannot be read: is a directory"),
    "no file in a target": (["check", "::x"], "'::x' names no file"),
    "key": (["check", "{}::table['nmber']"], "Did you mean table['a number']?"),
    "not a value": (["check", "{}::table[x]"], "x is not a value"),
    "arguments": (["check", "{}::fails(1, 2)"], "cannot be used: fails() takes 1 positional"),
    "name": (["check", "{}::lema"], "Did you mean lemma? The file has the claims lemma, claims[0]"),
    "not a name": (["check", "{}::lemma+1"], "a name, name[key] or name(arguments) is expected"),
    "not a claim": (["check", "{}::positive"], "positive in"),
    "not a mechanism": (["explain", "{}::table"], "is a dict, not a mechanism"),
    "which": (["plot", "{}", "-o", "x.svg"], "5 claims, and one is needed"),
    "-k": (["check", "{}", "-k", "nix"], "none of 5 claims has 'nix' in its name"),
    "--eps": (
        ["check", "{}", "--eps", "(1, 0]"],
        "--eps: the interval between 1 and 0 is reversed",
    ),
    "--eps 0": (["check", "{}", "--eps", "[0, 1]"], "--eps: the ε in [0, 1] are not all positive"),
    "--eps text": (["check", "{}", "--eps", "x"], "--eps: 'x' (str) is not an interval of ε"),
    "--width": (["tighten", "{}", "--width", "0"], "--width: the width is not positive"),
    "--beta": (["epsilon", "{}", "--beta", "x"], "--beta: 'x' (str) is not a probability"),
    "--inputs": (["check", "{}", "--inputs", "grid"], "'grid' are not inputs"),
    "--inputs list": (["check", "{}", "--inputs", "[1, x]"], "'[1, x]' is not a list of inputs"),
    "--inputs size": (["check", "{}::lemma", "--inputs", "[[1]]"], "1 value given where 2 are"),
    "--kappa": (["check", "{}", "--kappa", "0"], "κ is 0"),
    "--jobs": (["check", "{}", "--jobs", "0"], "Invalid value for '--jobs'"),
    "--input": (["probability", "{}::positive", "--input", "os"], "'os' is not an input"),
    "input": (["probability", "{}::positive", "--input", "'a'"], "the input q of positive"),
    "--at": (["probability", "{}::positive", "--input", "1", "--at", "x"], "is not a value of ε"),
    "--at -1": (["probability", "{}::positive", "--input", "1", "--at", "-1"], "--at: ε is -1"),
    "--beta 2": (["epsilon", "{}::lemma", "--beta", "2"], "--beta: the probability is 2"),
    "no folder": (["plot", "{}::lemma", "-o", "no/x.svg"], "there is no folder no"),
    "not a picture": (["plot", "{}::lemma", "-o", "x.txt"], "x.txt is not a picture"),
    "kappa of all": (
        ["plot", "{}::claims[0]", "-o", "x.svg", "--kind", "kappa"],
        "(--inputs grid:-1:1)",
    ),
    "eps": (["simulate", "{}::positive", "--input", "1", "--eps", "0"], "--eps: ε is 0"),
    "--chain": (["explain", "{}::positive", "--chain", "x.svg"], "--chain needs --input"),
    "new": (["new", "two words"], "cannot be the name of a mechanism"),
    "help": (["help", "Z99"], "there is no page Z99"),
}


@pytest.mark.parametrize("name", USES)
def test_uses(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """In this process, because starting one takes longer than finding the mistake."""
    arguments, message = USES[name]
    file = str(commands.FILES / "some_claims.py")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("multiprocessing.get_all_start_methods", lambda: ["spawn"])
    code = run_here([one.replace("{}", file) for one in arguments])
    done = capfd.readouterr()
    assert code == 2
    assert done.out == ""
    assert message in done.err
    assert "Traceback" not in done.err
    assert list(tmp_path.iterdir()) == []


def test_a_mistake_in_exactdp_is_said_to_be_one(tmp_path: Path) -> None:
    """A ValueError from inside is not blamed on the file."""
    patch = "import exactdp.claims.decision.claim as a\n\ndef raises(*x, **y):\n    int('x')\n"
    (tmp_path / "patch.py").write_text(patch + "a.decide = raises\n")
    (tmp_path / "fine.py").write_text(
        "import patch\n" + HEAD + MECHANISM + "claim = Accuracy(m, beta='1/2', inputs=[1])\n"
    )
    done = run("check", "fine.py", cwd=tmp_path)
    assert done.code == 2
    assert done.err.startswith("fine.py::claim: ValueError: invalid literal for int()")
    assert "This is a bug in exactdp" in done.err


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
    claims = (
        "bad = Accuracy(m, beta=beta, inputs=[1])\ngood = Accuracy(m, beta='1/2', inputs=[1])\n"
    )
    (tmp_path / "dies.py").write_text(HEAD + MECHANISM + beta + claims)
    done = run("check", "dies.py", cwd=tmp_path)
    assert done.code == 2
    assert "dies.py::bad: its process ended (code -6)" in done.err
    assert "2 claims: 1 holds, 1 is wrong." in done.out


def test_a_wrong_claim_does_not_hide_the_others(tmp_path: Path) -> None:
    good = "good = Accuracy(m, beta='1/2', inputs=[1])\n"
    bad = "bad = Accuracy(m, beta=lambda u: u / 0, inputs=[1])\n"
    (tmp_path / "mixed.py").write_text(HEAD + MECHANISM + bad + good)
    done = run("check", "mixed.py", cwd=tmp_path)
    assert done.code == 2
    assert "2 claims: 1 holds, 1 is wrong." in done.out
    assert "mixed.py::bad: beta failed" in done.err


def test_files_with_the_same_name_and_names_of_pythons_own(tmp_path: Path) -> None:
    """Two files of one name are two files; a file `json.py` hides nothing from others."""
    for folder, beta in (("one", "1/2"), ("two", "1/8")):
        (tmp_path / folder).mkdir()
        claim = f"claim = Accuracy(m, beta='{beta}', inputs=[1])\n"
        (tmp_path / folder / "same.py").write_text(HEAD + MECHANISM + claim)
        (tmp_path / folder / "json.py").write_text(HEAD + MECHANISM + claim)
    done = run_alone("check", "one", "two", "--json", cwd=tmp_path)
    found = {(one["file"], one["verdict"]) for one in done.document["claims"]}
    verdicts = {"one": "holds", "two": "fails"}
    assert found == {
        (f"{folder}/{file}.py", verdict)
        for folder, verdict in verdicts.items()
        for file in ("same", "json")
    }


def test_a_file_in_a_package(tmp_path: Path) -> None:
    """Relative imports work where there is an `__init__.py`; the encoding is the declared one."""
    (tmp_path / "pack" / "deep").mkdir(parents=True)
    for folder in (tmp_path / "pack", tmp_path / "pack" / "deep"):
        (folder / "__init__.py").write_text("")
    (tmp_path / "pack" / "bounds.py").write_text("BOUND = '1/2'\n")
    text = "# coding: latin-1\n" + HEAD + "from ..bounds import BOUND\n" + MECHANISM
    text += "claim_\xe9 = Accuracy(m, beta=BOUND, inputs=[1])\n"
    (tmp_path / "pack" / "deep" / "claims.py").write_bytes(text.encode("latin-1"))
    done = run("check", "pack/deep/claims.py", "--json", cwd=tmp_path)
    assert [one["name"] for one in done.document["claims"]] == ["claim_é"]
    assert done.code == 0


def test_a_report_of_several_files_has_all_claims(tmp_path: Path) -> None:
    """Claims that are called the same in two files are both there."""
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        text = HEAD + MECHANISM + "claim = Accuracy(m, beta='1/2', inputs=[1])\n"
        (tmp_path / folder / "same.py").write_text(text)
    done = run("report", "one", "two", "-o", "r.html", "--json", cwd=tmp_path)
    assert done.document["claims"] == ["one/same.py::claim", "two/same.py::claim"]
    assert (tmp_path / "r.html").read_text(encoding="utf-8").count('<section class="claim"') == 2


def test_a_beta_that_is_a_function_is_shown_as_it_is_written(tmp_path: Path) -> None:
    functions = (
        'def bound(u):\n    """Say it."""\n    return \'1/2\'\n'
        "def longer(u):\n    x = 1\n    return x\n"
        "claims = [Accuracy(m, beta=b, inputs=[1]) for b in (\n"
        "    lambda u: 1 - 0 * u, lambda u: eps * 0 + 1, bound, longer)]\n"
    )
    (tmp_path / "functions.py").write_text(HEAD + MECHANISM + functions)
    done = run("check", "functions.py", "--json", cwd=tmp_path)
    sentences = [one["sentence"] for one in done.document["claims"]]
    shown = [one.partition("β = ")[2].partition(" on 1 given")[0] for one in sentences]
    assert shown == ["1 - 0 * u", "eps * 0 + 1", "'1/2'", "longer(u)"]
    done = run("check", "functions.py::claims[1]", "--kappa", "2", "--json", cwd=tmp_path)
    assert "β = (eps * 0 + 1)/2 on" in done.document["claims"][0]["sentence"]
