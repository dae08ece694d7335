"""On a terminal: colours, live progress, and Ctrl-C."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from cli.commands import FILES, Terminal, run


def test_colours_are_for_terminals_that_want_them() -> None:
    with Terminal("check", "some_claims.py::table") as terminal:
        assert terminal.end() == 0
        assert "\x1b[32m" in terminal.screen  # green
    with Terminal("check", "some_claims.py::table", NO_COLOR="1") as plain:
        assert plain.end() == 0
        assert "\x1b[32m" not in plain.screen


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_progress_and_ctrl_c(jobs: str) -> None:
    """The first answer is there, the second claim shows how far it is; then Ctrl-C."""
    with Terminal("check", "slow.py", "--jobs", jobs) as terminal:
        terminal.wait_for("Holds: ")
        terminal.wait_for("/117649")  # so many of the 7⁶ inputs are done
        code, seconds = terminal.interrupt()
        assert code == 130
        assert seconds < 1
        assert "1 claim: 1 holds." in terminal.screen
        message = terminal.screen.partition("Stopped: ")[2]
        assert message.startswith(
            "1 of 3 claims done (1 claim: 1 holds), 2 left: slow.py::long (stopped"
        )
        assert "slow.py::never" in message
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
    time.sleep(1.5)
    process.send_signal(2)
    out, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert '"exit_code": 130' in out
    assert '"slow.py::never"' in out
    assert err.startswith("Stopped: ")


def test_nothing_is_left_running() -> None:
    """The children end with the parent, also when it is ended from outside."""
    with Terminal("check", "slow.py::never") as terminal:
        terminal.wait_for("/117649")
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(terminal.pid)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        assert children
        terminal.terminate()
        assert terminal.end() == 143
        time.sleep(0.2)
        left = subprocess.run(["ps", "-p", ",".join(children)], capture_output=True, check=False)
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
    assert "_EXACTDP_COMPLETE" in run(_EXACTDP_COMPLETE=f"{shell}_source").out


def test_completion_of_words() -> None:
    def completed(words: str) -> str:
        last = str(len(words.split()) - 1)
        return run(_EXACTDP_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=last).out

    assert completed("exactdp pro") == "plain,probability\n"
    assert completed("exactdp check --ce") == "plain,--certificates\n"


def test_an_ascii_terminal() -> None:
    done = run("check", "some_claims.py::lemma", PYTHONIOENCODING="ascii")
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
