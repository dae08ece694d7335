"""On a terminal: colours, live progress, and Ctrl-C."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.commands import FILES, Terminal, run, run_alone, validator


def test_colours_are_for_terminals_that_want_them() -> None:
    with Terminal("check", "some_claims.py::lemma") as terminal:
        assert terminal.end() == 0
        assert "\x1b[32m" in terminal.screen  # green
    with Terminal("check", "some_claims.py::lemma", NO_COLOR="1") as plain:
        assert plain.end() == 0
        assert "\x1b[32m" not in plain.screen


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_progress_and_ctrl_c(jobs: str) -> None:
    """The first answer is there, the second claim shows how far it is; then Ctrl-C."""
    with Terminal("check", "slow.py", "--jobs", jobs) as terminal:
        terminal.wait_for("Holds: ")
        terminal.wait_for("/531441")  # so many of the 9⁶ inputs are done
        code, seconds = terminal.interrupt()
        assert code == 130
        assert seconds < 1
        assert "1 claim: 1 holds." in terminal.screen
        message = terminal.screen.partition("Stopped: ")[2]
        # With two jobs it is chance which of the two claims was the first to tell how far it is.
        assert message.startswith("1 of 3 claims done (1 claim: 1 holds), 2 left: slow.py::long")
        assert "slow.py::never" in message
        assert "(stopped at" in message
        assert "Traceback" not in terminal.screen


@pytest.mark.parametrize("command", ["tighten", "epsilon"])
def test_ctrl_c_in_other_questions(command: str) -> None:
    with Terminal(command, "slow.py::quick", "slow.py::never") as terminal:
        terminal.wait_for("slow.py::quick\x1b[0m: ")
        time.sleep(0.3)
        code, seconds = terminal.interrupt()
        assert code == 130
        assert seconds < 1
        assert "1 left: slow.py::never" in terminal.screen


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        ("simulate some_claims.py::positive --input 1 --eps 1 --runs 99999999", "of 99,999,999)"),
        ("report slow.py::quick slow.py::never -o /dev/null", "(stopped at 1 of 2)"),
    ],
)
def test_ctrl_c_where_there_is_one_answer(arguments: str, left: str) -> None:
    """The document says how far it was, and no page or table is begun."""
    with Terminal(*arguments.split(), "--json") as terminal:
        terminal.wait_for("/99999999" if "runs" in arguments else "1/2")
        code, seconds = terminal.interrupt()
        assert code == 130
        assert seconds < 1
        document = json.loads(terminal.screen[terminal.screen.rindex("\n{") :])
        validator().validate(document)
        assert left in document["left"][0]
        assert f"Stopped: {document['left'][0]} is not done." in terminal.screen


def test_ctrl_c_with_json() -> None:
    """The document says what was done and what was left; progress stays on stderr."""
    script = "from exactdp.cli.main import run; import sys; sys.exit(run())"
    arguments = ["check", "slow.py", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        cwd=FILES,
    )
    while not children(process.pid):
        time.sleep(0.1)
    process.send_signal(2)
    out, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert '"exit_code": 130' in out
    assert '"slow.py::never"' in out
    assert err.startswith("Stopped: ")


def children(pid: int) -> list[str]:
    """Return the processes that a process has begun and that are not over."""
    call = ["ps", "-o", "pid=", "--ppid", str(pid)]
    return subprocess.run(call, capture_output=True, text=True, check=False).stdout.split()


def test_ctrl_c_while_it_is_loaded() -> None:
    """As early as Python can hear it: one message and no traceback."""
    for wait in (0.15, 0.3):
        script = "import exactdp.cli, sys; print(1, flush=True); exactdp.cli.main()"
        process = subprocess.Popen(
            [sys.executable, "-c", script, "check", "slow.py"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            cwd=FILES,
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(wait)
        process.send_signal(2)
        _, err = process.communicate(timeout=10)
        assert process.returncode == 130
        assert "Stopped: " in err
        assert "Traceback" not in err


@pytest.mark.parametrize(
    "body",
    [
        "def __del__(self):\n        raise KeyboardInterrupt\nPart()",
        "def __set_name__(self, *names):\n        raise KeyboardInterrupt\n"
        "class Whole:\n    part = Part()",
    ],
    ids=["dropped", "wrapped"],
)
def test_ctrl_c_that_python_hides(body: str, tmp_path: Path) -> None:
    """Ctrl-C counts also where Python drops an exception or raises another one instead."""
    text = f"import time\nclass Part:\n    {body}\nfor _ in range(40):\n    time.sleep(0.05)\n"
    (tmp_path / "interrupted.py").write_text(text)
    done = run_alone("check", "interrupted.py", cwd=tmp_path)
    assert (done.code, done.err.strip()) == (130, "Stopped: there is no answer yet.")


def test_nothing_is_left_running() -> None:
    """The children end with the parent, also when it is ended from outside."""
    with Terminal("check", "slow.py::never") as terminal:
        terminal.wait_for("/531441")
        begun = children(terminal.pid)
        assert begun
        terminal.terminate()
        assert terminal.end() == 143
        time.sleep(0.2)
        left = subprocess.run(["ps", "-p", ",".join(begun)], capture_output=True, check=False)
        assert left.returncode == 1


def test_help_is_quick_and_loads_no_solver() -> None:
    code = (
        "import sys; from exactdp.cli.main import run; run(['--help'])\n"
        "print(*[name for name in sys.modules if name.split('.')[0] in ('flint', 'numpy', 'rich')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.splitlines()[-1] == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str) -> None:
    assert "_EXACTDP_COMPLETE" in run_alone(_EXACTDP_COMPLETE=f"{shell}_source").out


def test_completion_of_words() -> None:
    def completed(words: str) -> str:
        last = str(len(words.split()) - 1)
        return run(_EXACTDP_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=last).out

    assert completed("exactdp pro") == "plain,probability\n"
    assert completed("exactdp check --ce") == "plain,--certificates\n"
    assert completed("exactdp check some") == "file,some\n"
    assert completed("exactdp plot some_claims.py::le") == "plain,some_claims.py::lemma\n"
    # bash takes FILE::NAME for three words
    assert completed("exactdp check some_claims.py :: ta") == "plain,table\n"
    assert completed("exactdp check no_such_file.py :: ta").strip() == ""


def test_an_ascii_terminal() -> None:
    done = run_alone("check", "some_claims.py::lemma", PYTHONIOENCODING="ascii")
    assert done.code == 0
    assert "for every \\u03b5 in (0, \\u221e)" in done.out


def test_a_reader_that_has_seen_enough() -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m exactdp check some_claims.py --all | head -1"],
        capture_output=True,
        encoding="utf-8",
        cwd=FILES,
        check=False,
    )
    assert done.stdout.startswith("some_claims.py::lemma: Holds")
    assert done.stderr == ""
    done = subprocess.run(  # one that is gone before the first word; it is no failing claim
        [
            "bash",
            "-c",
            f"{sys.executable} -m exactdp check some_claims.py | true; echo ${{PIPESTATUS[0]}}",
        ],
        capture_output=True,
        encoding="utf-8",
        cwd=FILES,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("141\n", "")


def test_a_narrow_terminal() -> None:
    """What does not fit is not a table; no word is cut."""
    with Terminal("check", "some_claims.py::lemma", COLUMNS="40", NO_COLOR="1") as terminal:
        assert terminal.end() == 0
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.screen)
    assert "\r\nsome_claims.py::lemma\r\n  verdict: holds\r\n  inputs: 9\r\n" in text
