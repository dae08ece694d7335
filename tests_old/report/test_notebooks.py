"""The notebooks run, and what they show is what is stored; and how things look in a notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from exactdp.report.notebook import progress_bar
from report.claims_to_show import CLAIMS, FAILS, HOLDS, SILENT, noisy_max

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def shown(notebook: Any) -> list[list[object]]:
    """Return what each cell shows: text as it is, of pictures only that there is one.

    What is printed arrives in one piece or in several, as the kernel finds time.
    """
    cells = []
    for cell in notebook.cells:
        outputs: list[object] = []
        for one in cell.get("outputs", []):
            if one.output_type == "stream":
                before = outputs[-1] if outputs else None
                if isinstance(before, list) and before[0] == one.name:
                    before[1] += one.text
                else:
                    outputs.append([one.name, one.text])
                continue
            data = one.data
            text = data.get("text/html") or data.get("text/plain")
            outputs.append((sorted(data), "" if "image/png" in data else text))
        cells.append(outputs)
    return cells


def test_there_are_two() -> None:
    assert [path.stem for path in NOTEBOOKS] == [
        "is-my-mechanism-as-accurate-as-i-think",
        "which-epsilon-do-i-need",
    ]


def test_printed_text_may_come_in_pieces() -> None:
    def cell(*texts: str) -> Any:
        outputs = [nbformat.v4.new_output("stream", name="stdout", text=text) for text in texts]
        cells = [nbformat.v4.new_code_cell(outputs=outputs)]
        return nbformat.v4.new_notebook(cells=cells)

    assert shown(cell("one\n", "two\n")) == shown(cell("one\ntwo\n"))
    assert shown(cell("one\n", "two\n")) != shown(cell("one\n"))


@pytest.mark.filterwarnings("default")  # of the machinery that runs notebooks
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_show_what_they_store(path: Path) -> None:
    stored = nbformat.read(path, as_version=4)
    nbformat.validate(stored)
    again = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(again, timeout=60, kernel_name="python3").execute()
    assert shown(again) == shown(stored)
    assert any("image/png" in o.get("data", {}) for c in stored.cells for o in c.get("outputs", []))


def test_a_mechanism_is_its_program() -> None:
    assert "if r &gt; top:" in noisy_max._repr_html_()
    lines = noisy_max._repr_latex_().splitlines()
    assert len(lines) == len(str(noisy_max).strip().splitlines()) + 2
    assert r"\texttt{def noisy\_max(q: Real[3]):}" in lines[1]


@pytest.mark.parametrize("name", CLAIMS)
def test_claims_and_verdicts_have_both_looks(name: str) -> None:
    claim = CLAIMS[name]
    verdict = claim.check()
    for thing in (claim, verdict):
        assert thing._repr_html_().startswith("<")
        assert thing._repr_latex_().startswith("$")
        assert thing._repr_latex_().endswith("$")


def test_a_verdict_says_first_what_it_is() -> None:
    assert "✓ Holds:" in HOLDS.check()._repr_html_()
    assert "✗ Fails:" in FAILS.check()._repr_html_()
    assert "∅ Says nothing:" in SILENT.check()._repr_html_()
    assert r"\text{Fails: }" in FAILS.check()._repr_latex_()


def test_a_closed_form_is_typeset() -> None:
    assert noisy_max.probability([0, 0, 0], 0)._repr_html_().startswith("<math")


def test_progress_is_shown_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many inputs make few messages, and the last one says that all is done."""
    shown: list[dict[str, str]] = []

    class Handle:
        def update(self, data: dict[str, str], *, raw: bool) -> None:
            assert raw
            shown.append(data)

    monkeypatch.setattr("exactdp.report.notebook._display_handle", Handle)
    report = progress_bar()
    for done in range(1, 100_001):
        report(done, 100_000)
    assert len(shown) < 50
    assert shown[-1]["text/plain"] == "100,000 of 100,000 checked"
    assert '<progress max="100000" value="100000"' in shown[-1]["text/html"]


def test_progress_is_silent_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    HOLDS.check(progress=progress_bar())
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""
