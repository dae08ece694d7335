"""Standard streams that are closed, full or not read: no verdict is lost, and none is made up."""

from __future__ import annotations

import json
import os
import re
import select
import shlex
import signal
import subprocess
import time
from pathlib import Path
from typing import TypeAlias

import pytest

from cli.commands import COMMAND, FILES, ROOT, run, validator
from exactdp.cli.main import COMMANDS

CLAIMS = FILES / "some_claims.py"
LEMMA, POSITIVE = f"{CLAIMS}::lemma", f"{CLAIMS}::positive"
COUNTS = [
    f"{ROOT}/examples/{name}" for name in ("expected_losses.py::count", "geometric.py::geometric")
]
PRIVATE = f"{ROOT}/examples/privacy.py::counts"

#: Arguments of each command, and the exit code where nothing is wrong with the streams.
CALLS: dict[str, tuple[list[str], int]] = {
    "check": (["check", LEMMA], 0),
    "check that fails": (["check", str(CLAIMS)], 1),
    "probability": (["probability", POSITIVE, "--input", "1"], 0),
    "privacy": (["privacy", PRIVATE], 0),
    "compare": (["compare", *COUNTS, "--inputs", "[0]"], 0),
    "tighten": (["tighten", LEMMA], 0),
    "epsilon": (["epsilon", LEMMA], 0),
    "error": (["error", str(FILES / "bounds.py::count"), "--within", "10", "--risk", "5%"], 0),
    "explain": (["explain", LEMMA], 0),
    "simulate": (["simulate", POSITIVE, "--input", "1", "--eps", "1", "--runs", "10"], 0),
    "plot": (["plot", LEMMA, "-o", "x.svg"], 0),
    "report": (["report", LEMMA, "-o", "x.html"], 0),
    "certify": (["certify", "no.json"], 2),
    "study": (["study", "--help"], 0),
    "new": (["new", "started"], 0),
    "reproduce": (["reproduce", "--help"], 0),
    "help": (["help", "R06"], 0),
    "--help": (["--help"], 0),
}
UNWRITTEN, UNREAD = 5, 141
MESSAGE = "The answer cannot be written to the standard output: "

Numbers: TypeAlias = tuple[int, ...]

#: The numbers of the streams that are closed, and of those that are full.
USUAL: list[tuple[Numbers, Numbers]] = [((0, 2), ()), ((1,), ()), ((), (1,))]
OTHERS: list[tuple[Numbers, Numbers]] = [
    *[((0,), ()), ((2,), ()), ((), (2,))],
    *[((1, 2), ()), ((0, 1, 2), ()), ((2,), (1,)), ((), (1, 2))],
]
ALL_WAYS = ("check", "probability", "certify", "--help")  # other commands write alike


def test_every_command_is_here() -> None:
    assert set(COMMANDS) <= set(CALLS)


@pytest.mark.parametrize(
    ("name", "closed", "full"),
    [
        (name, *streams)
        for name in CALLS
        for streams in ([*USUAL, *OTHERS] if name in ALL_WAYS else USUAL)
    ],
)
def test_closed_and_full(name: str, closed: Numbers, full: Numbers, tmp_path: Path) -> None:
    """Without stderr the verdict is the same; without stdout there is a code for that."""
    arguments, code = CALLS[name]
    lost, silent = 1 in closed + full, 2 in closed + full
    if len(closed + full) > 1 and "--help" not in arguments:
        arguments = [*arguments, "--json"]
    done = run(*arguments, cwd=tmp_path, closed=closed, full=full)
    if lost:
        assert (done.code, done.out) == (UNWRITTEN, "")
        reason = "it is closed" if 1 in closed else "no space left on device"
        assert done.err == ("" if silent else f"{MESSAGE}{reason}.\n")
        if 1 in closed:  # said before anything is done
            assert list(tmp_path.iterdir()) == []
    else:
        assert done.code == code
        assert done.out
        assert done.err == ""
        if "--json" in arguments:
            assert done.document["command"] == arguments[0]


@pytest.mark.parametrize(
    ("streams", "code", "message"),
    [
        ("2>&-", 1, ""),
        (">&-", UNWRITTEN, f"{MESSAGE}it is closed.\n"),
        ("<&- >&- 2>&-", UNWRITTEN, ""),
        (">/dev/full", UNWRITTEN, f"{MESSAGE}no space left on device.\n"),
    ],
)
def test_from_a_shell(streams: str, code: int, message: str) -> None:
    """The same in a process that is started so."""
    line = f"{shlex.join([*COMMAND, 'check', 'some_claims.py'])} {streams}"
    done = shell(line)
    assert (done.returncode, done.stderr) == (code, message)


@pytest.mark.parametrize("arguments", [["check", LEMMA], ["check", LEMMA, "--json"], ["--help"]])
def test_a_reader_that_is_gone(arguments: list[str]) -> None:
    """As a tool that is ended by SIGPIPE: no message, code 141, and never that of a verdict."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*COMMAND, *arguments], stdout=write, stderr=-1, check=False, timeout=60)
    os.close(write)
    assert (done.returncode, done.stderr) == (UNREAD, b"")


def test_what_a_file_prints_may_be_lost(tmp_path: Path) -> None:
    """It goes to stderr, while the file is loaded and while its β is evaluated in a child."""
    (tmp_path / "talks.py").write_text(
        "from exactdp import Accuracy, Real, eps, lap, mechanism\n"
        "@mechanism\ndef m(q: Real):\n    return lap(eps, q) > 0\n"
        "def beta(u):\n    print('evaluated', flush=True)\n    return '1/2'\n"
        "print('loaded', flush=True)\n"
        "claim = Accuracy(m, beta=beta, inputs=[1])\n"
    )
    done = run("check", "talks.py", cwd=tmp_path)
    assert done.err.startswith("loaded\nevaluated\n")
    for closed, full in (((2,), ()), ((), (2,)), ((0, 2), ())):
        again = run("check", "talks.py", cwd=tmp_path, closed=closed, full=full)
        assert (again.code, again.err) == (0, "")
        assert "1 claim: 1 holds." in again.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["plot", LEMMA, "-o", "x.svg"],
        ["explain", LEMMA, "--chain", "x.svg", "--input", "[0, 1]"],
        ["check", LEMMA, "--certificates", "."],
    ],
)
def test_files_on_a_full_disk(arguments: list[str], tmp_path: Path) -> None:
    """The message names the file."""
    certificate = re.sub(r"[^\w.]+", "-", LEMMA).strip("-.")[-100:] + ".json"
    for name in ("x.svg", certificate):
        (tmp_path / name).symlink_to("/dev/full")
    done = run(*arguments, "--json", cwd=tmp_path)
    name = certificate if arguments[0] == "check" else arguments[3]
    assert done.code == 2
    assert f"{name} cannot be written: no space left on device" in done.err
    assert done.document


@pytest.mark.parametrize(
    ("arguments", "command", "message"),
    [
        (["check", LEMMA, "--bogus", "--json"], "check", "No such option '--bogus'."),
        (["check", "--json", "--bogus"], "check", "No such option '--bogus'."),
        (["chekc", "--json"], "", "No such command 'chekc'"),
        (["--json"], "", "No such option '--json'"),
        (["plot", LEMMA, "--json"], "plot", "Missing option '-o'"),
        (["tighten", "--json"], "tighten", "no file is named"),
        (["simulate", POSITIVE, "--eps", "1", "--runs", "x", "--json"], "simulate", "Invalid"),
        (["probability", "no.py::m", "--json"], "probability", "no.py cannot be read"),
        (["reproduce", "--table", "9", "--json"], "reproduce", "Invalid value for '--table'"),
    ],
)
def test_wrong_use_with_json(arguments: list[str], command: str, message: str) -> None:
    """An error is a document, also where reading the options ended before --json."""
    done = run(*arguments)
    assert done.code == 2
    assert done.document["command"] == command
    assert message in done.document["error"]["message"]
    assert message in done.err


def test_ctrl_c_while_a_document_is_written() -> None:
    """The reader has the beginning when Ctrl-C comes: it gets the rest, and nothing else."""
    arguments = ["certify", *["no.json"] * 5_000, "--json"]  # far more than a pipe holds
    process = subprocess.Popen([*COMMAND, *arguments], stdout=-1, stderr=-1, encoding="utf-8")
    with process:
        assert process.stdout is not None
        assert select.select([process.stdout], [], [], 60)[0]
        for _ in range(3):
            process.send_signal(signal.SIGINT)
            time.sleep(0.1)
        out, err = process.communicate(timeout=60)
    document = json.loads(out)
    validator().validate(document)
    assert len(document["certificates"]) == 5_000
    assert document["exit_code"] == process.returncode == 2
    assert err == ""


def shell(line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        cwd=FILES,
        check=False,
    )
