"""Commands over the examples, output for output: in this process, and those that are given up."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cli.commands import FILES, ROOT, masked, run
from cli.test_golden import agrees
from exactdp.cli.main import run as run_here
from exactdp.cli.records import shown
from language.corpus import FACTORIES, MECHANISMS, as_argument, some_input

EXAMPLES = ROOT / "examples"


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do the work in this process, as where there is no fork; it is quicker for small jobs."""
    monkeypatch.setattr("multiprocessing.get_all_start_methods", lambda: ["spawn"])


def test_reproduce() -> None:
    done = run("reproduce", "--table", "2c", cwd=FILES)
    agrees("reproduce", f"$ exactdp reproduce --table 2c\n{timeless(masked(done.out))}")
    assert done.code == 0


def timeless(text: str) -> str:
    """Return tables of times without the times."""
    text = re.sub(r"\d[\d.,]* ?(ms|s|×|times as long)(?=\W)", "(time)", text)
    return re.sub(r" +|─+", " ", text)


@pytest.mark.usefixtures("here")
def test_commands_that_write_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A file to start from, its certificates, pictures and page: what they say, and their words."""
    monkeypatch.chdir(tmp_path)
    said = ""

    def session(line: str) -> None:
        nonlocal said
        code = run_here(shlex.split(line))
        found = capfd.readouterr()
        said += f"$ exactdp {line}\n{masked(found.out)}"
        assert (code, found.err) == (0, ""), line

    session("new my_mechanism")
    said += (tmp_path / "my_mechanism.py").read_text(encoding="utf-8")
    shutil.copy(FILES / "some_claims.py", tmp_path)
    session("check some_claims.py::lemma 'some_claims.py::claims[0]' --certificates proofs")
    session("certify proofs/some_claims.py-claims-0.json proofs/some_claims.py-lemma.json")
    session("explain some_claims.py::positive --chain chain.svg --input 1")
    said += words(tmp_path / "chain.svg")
    for kind in ("error", "kappa", "simulated"):
        session(f"plot some_claims.py::lemma -o {kind}.svg --kind {kind}")
        said += words(tmp_path / f"{kind}.svg")
    session("report some_claims.py::lemma 'some_claims.py::claims[0]' -o report.html")
    said += page_text((tmp_path / "report.html").read_text(encoding="utf-8"))
    agrees("files", said)


def words(picture: Path) -> str:
    """Return the texts of a picture, sorted."""
    texts = [
        "".join(one.itertext()).strip()
        for one in ElementTree.parse(picture).iter()
        if one.tag.endswith(("}text", "}title"))
    ]
    return "".join(f"  {text}\n" for text in sorted(filter(None, texts)))


def page_text(html: str) -> str:
    """Return what a page says, without pictures, what is always different, and most numbers."""
    for left_out in ("style", "script", "svg"):
        html = re.sub(rf"<{left_out}\b.*?</{left_out}>", "", html, flags=re.DOTALL)
    html = re.sub(r'<table class="values">.*?</table>', "[values]", html, flags=re.DOTALL)
    text = re.sub(r"<[^>]*>", " ", html)
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "(date)", text)
    text = re.sub(r"exactdp \d.*?matplotlib \S+", "(versions)", text)
    text = re.sub(r"\(\d+ kB\)|\(\d+ bytes\)", "(size)", text)
    text = re.sub(r"(time) +\S+ s", r"\1 (seconds)", text)
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "".join(f"{line}\n" for line in lines if line)


#: Name of the golden file → a command, asked of every mechanism of the examples.
OVER_MECHANISMS = {
    "corpus_explain": "explain {target}",
    "corpus_probability": "probability {target} --input {input} --at 1 --digits 9",
    "corpus_simulate": "simulate {target} --input {input} --eps 1 --runs 500",
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("name", OVER_MECHANISMS)
def test_every_mechanism(
    name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.setenv("COLUMNS", "200")
    said = ""
    for mechanism in sorted(MECHANISMS):
        file = Path(FACTORIES[mechanism].__code__.co_filename).name
        given = shown(as_argument(some_input(MECHANISMS[mechanism])))
        line = OVER_MECHANISMS[name].format(target=f"{file}::{mechanism}", input=f"'{given}'")
        assert run_here(shlex.split(line)) == 0
        said += f"$ exactdp {line}\n{masked(capfd.readouterr().out)}\n"
    agrees(name, said)


#: Examples whose claims are quickly decided.
QUICK = ("laplace.py", "propose_test_release.py", "randomized_response.py")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("command", ["check", "tighten", "epsilon"])
def test_claims_of_the_examples(
    command: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(EXAMPLES)
    said = ""
    for file in QUICK:
        code = run_here([command, file])
        found = capfd.readouterr()
        said += f"$ exactdp {command} {file}  # exit code {code}\n{masked(found.out)}{found.err}\n"
    agrees(f"corpus_{command}", said)
