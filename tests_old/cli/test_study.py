"""`exactdp study`: a family of claims in a file, as a table and a picture."""

from __future__ import annotations

from pathlib import Path

from cli.commands import run

FAMILY = """
from exactdp import Accuracy, Mechanism, alpha, eps, exp


def claims():
    for rate in (1, 2):
        for shift in (1, 3):
            text = f"def noisy(x: Real): return lap({rate} * eps, x) > 0"
            bound = exp(-alpha * eps)
            yield {"rate": rate, "shift": shift}, Accuracy(
                Mechanism.from_source(text), bound, inputs=[shift]
            )
"""


def test_a_study(tmp_path: Path) -> None:
    """Rows, a table and a picture."""
    (tmp_path / "family.py").write_text(FAMILY)
    command = ["study", "family.py", "--ask", "tightest", "--json"]
    first = run(*command, cwd=tmp_path)
    rows = first.document["rows"]
    assert [(row["rate"], row["shift"], row["kappa"]) for row in rows] == [
        (1, 1, 2.0),
        (1, 3, 2.0),
        (2, 1, 2.0),
        (2, 3, 2.0),
    ]
    files = ["-o", "t.csv", "-o", "t.svg", "--plot", "shift,kappa,rate"]
    again = run(*command, *files, cwd=tmp_path)
    kappas = [row["kappa"] for row in again.document["rows"]]
    assert kappas == [row["kappa"] for row in rows]
    assert (tmp_path / "t.csv").read_text().startswith("rate,shift,kappa,lower,upper,")
    assert "<svg" in (tmp_path / "t.svg").read_text()
    assert "4 rows." in run("study", "family.py", cwd=tmp_path).out
    assert "are not named" in run("study", "family.py", "-o", "x.svg", cwd=tmp_path).err
    assert "neither a table" in run("study", "family.py", "-o", "x.doc", cwd=tmp_path).err
    (tmp_path / "none.py").write_text("x = 1\n")
    assert "there is no study in none.py" in run("study", "none.py", cwd=tmp_path).err
