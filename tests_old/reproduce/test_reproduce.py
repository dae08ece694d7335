"""`exactdp reproduce`: rows end to end, what it says at the end, and the data it ships."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from io import StringIO
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from claims.published import EXPERIMENTS
from exactdp import certify
from exactdp.cli.output import CommandOutput
from exactdp.cli.reproduce import command
from exactdp.reproduce import show
from exactdp.reproduce.differences import differences
from exactdp.reproduce.programs import ARTIFACT, FIGURE
from exactdp.reproduce.rows import WORDS, Row, Universal, mechanism, rows, sources, universal
from exactdp.reproduce.run import run_everywhere, run_rows
from exactdp.reproduce.show import duration
from exactdp.reproduce.summary import Summary
from language.corpus import FACTORIES

PAPER = Path(__file__).parents[3] / "shared" / "paper"


def reproduce(*arguments: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(command, arguments, obj=CommandOutput(), standalone_mode=False)


def some_rows(*labels: str) -> list[Row]:
    """Return the rows with these labels."""
    found = [row for row in rows() if row.label in labels]
    assert len(found) == len(labels)
    return found


# The data -----------------------------------------------------------------------------


def test_the_shipped_data_are_complete() -> None:
    assert len(rows()) == 66
    assert sum(row.paper_seconds for row in rows()) == 30_531
    assert len({row.label for row in rows()}) == 66


@pytest.mark.skipif(not PAPER.exists(), reason="the paper is not beside the project")
def test_the_data_are_those_of_the_tables_in_the_paper() -> None:
    """Its times, witnesses and κ; three recorded times are 1 or 2 s more than the printed ones."""
    text = (PAPER / "deciding-accuracy-popl21.tex").read_text(encoding="utf-8")
    begin = text.index(r"\label{tab:perf-svt-nmax-lap}")
    text = " ".join(text[begin : text.index(r"\section{Related work}")].split())
    printed = [int(a) + int(b) for a, b in re.findall(r"(\d+)s/ ?(\d+)", text)]
    recorded = [row.paper_seconds for row in rows() if row.table != "2c"]
    more = [(b, b - a) for a, b in zip(printed, recorded, strict=True) if a != b]
    assert more == [(96, 1), (876, 2), (912, 2)]
    laplace = [int(a) for a in re.findall(r"& (\d)s(?!/)", text)]
    assert laplace == [row.paper_seconds for row in rows() if row.table == "2c"]
    best = r"nicefrac\{1\}\{(\d+)\}\$, \$u=(\[.*?\])\$, \$\\epsilon="
    budget = r"(?:\\nicefrac\{(\d+)\}\{(\d+)\}|(\d+))"
    witnesses = [
        (int(kappa), tuple(json.loads(u)), Fraction(int(a or whole), int(b or 1)))
        for kappa, u, a, b, whole in re.findall(best + budget, text)
    ]
    assert witnesses == [
        (row.kappa, row.witness.input, row.witness.eps) for row in rows() if row.witness
    ]


def test_a_row_is_the_claim_that_the_other_tests_check() -> None:
    theirs = [one for one in EXPERIMENTS if one.source == "artifact"]
    for one, other in zip(rows(), theirs, strict=True):
        for source in sources(one.program):
            mine, claim = one.claim(source), other.claim()
            assert str(mine.formula) == str(claim.formula)
            assert (mine.alpha, mine.gamma) == (claim.alpha, claim.gamma)
            assert mine.input_metric == claim.input_metric
            assert mine.output_metric == claim.output_metric
            assert mine.input_set == claim.input_set


@pytest.mark.parametrize("source", [ARTIFACT, FIGURE])
@pytest.mark.parametrize("program", ["sparse", "sparse_variant", "noisy_max", "numeric_sparse"])
def test_programs_are_those_of_the_gallery(program: str, source: str) -> None:
    """They are written differently; the probability of the ideal output is the same function."""
    sizes = ((2, 1), (3, 2)) if program != "noisy_max" else ((3, 1),)
    for m, c in sizes:
        mine = mechanism(program, m, c, source)
        if program == "sparse_variant":
            other = FACTORIES[program](m, c, artifact=source == ARTIFACT)
        elif program == "numeric_sparse":
            other = FACTORIES[program + "_artifact" * (source == ARTIFACT)](m, c)
        else:
            other = FACTORIES[program](*(m, c)[: 1 if program == "noisy_max" else 2])
        for u in product((-1, 1), repeat=m):
            assert mine.within(list(u), 1) == other.within(list(u), 1)


# Rows, end to end ---------------------------------------------------------------------


def test_all_verdicts_are_reproduced_by_the_executed_programs() -> None:
    found = run_rows(row for row in rows() if row.inputs <= 27)
    assert all(one.reproduced for one in found)
    other = [one.row.label for one in found if one.printed.answer != one.row.expect]
    assert other == [
        "4a-sparse_variant-m3-c2-range1-kappa13",
        "4c-numeric_sparse-m3-c1-alpha1-gamma1-range1-kappa4",
        "4c-numeric_sparse-m3-c2-alpha1-gamma1-range1-kappa6",
    ]


def test_differences_say_what_is_true() -> None:
    """One of each kind; the numbers are those of docs/claims.md."""
    found = differences(
        run_rows(
            some_rows(
                "2c-laplace-k2-gamma1-range1-kappa1",
                "3a-numeric_sparse-m1-c1-alpha1-gamma1-range1-kappa1",
                "4a-sparse_variant-m3-c1-range1-kappa7",
                "4a-sparse_variant-m3-c2-range1-kappa13",
                "4a-sparse_variant-m3-c2-range1-kappa14",
                "4b-noisy_max-m3-range1-kappa5",
            )
        )
    )
    by_kind = {one.kind: one for one in found}
    assert list(by_kind) == ["program", "witness", "boundary", "tie", "silent", "misprint"]
    assert len(found) == 6
    assert "12.751685" in by_kind["program"].truth
    assert "13.315907" in by_kind["program"].truth
    assert by_kind["program"].verdict.holds is False
    assert by_kind["witness"].verdict.holds is False
    assert "[-1, -1, 1]" in by_kind["boundary"].truth
    assert by_kind["boundary"].verdict.holds is False
    assert by_kind["tie"].verdict.holds is True
    assert by_kind["silent"].verdict.holds is True
    assert not by_kind["silent"].verdict.vacuous
    assert "is the published one" in by_kind["silent"].truth
    assert by_kind["misprint"].verdict.holds is False


def test_rows_without_a_difference() -> None:
    plain = some_rows("2a-sparse-m2-c2-range1-kappa1", "4b-noisy_max-m4-range1-kappa5")
    assert differences(run_rows(plain)) == []


def test_claims_for_all_real_inputs_have_the_verdicts_of_the_grid() -> None:
    every = universal(every=True)
    assert len(every) == len({one.label for one in every}) == 70
    for row in rows():
        for source in sources(row.program):
            assert Universal(row.program, source, row.m, row.c, row.kappa) in every
    assert set(universal()) < set(every)
    small = [one for one in universal() if one.m <= 2]
    assert {one.program for one in small} == {row.program for row in rows()} - {"noisy_max"}
    assert all(one.answer == "holds" for one in run_everywhere(small))
    max_of_3 = [one for one in universal() if (one.program, one.m) == ("noisy_max", 3)]
    assert [one.kappa for one in max_of_3] == [1, 4, 5]
    assert [one.answer for one in run_everywhere(max_of_3)] == ["holds", "holds", "fails"]


# What is said -------------------------------------------------------------------------


def test_the_summary_is_the_last_line() -> None:
    done = reproduce("--table", "4b", "--table", "2c")
    assert done.return_value == 0
    lines = done.output.splitlines()
    assert re.fullmatch(
        r"10 of 10 rows reproduced in \d+\.\d s \(the authors: 2,161 s, [\d,]+ times as long\); "
        r"in 7 rows the paper's text and its experiments disagree \(1 with a witness that "
        r"miscounts a tie, 6 with a misprinted bound\)\.",
        lines[-1],
    )
    assert any("4.357366…" in line and "154 s" in line for line in lines)
    assert any("u = [-1, 0, 0], ε = 27/82" in line and "dd = α" in line for line in lines)


@pytest.mark.parametrize("width", [80, 120])
def test_tables_fit_the_screen_and_lose_nothing(width: int) -> None:
    found = run_rows(some_rows("4a-sparse_variant-m3-c2-range1-kappa13"))
    failing = run_rows(some_rows("4a-sparse_variant-m3-c2-range1-kappa14"))
    differing = differences([*found, *failing])
    certificates = {one.label: f"folder/{one.label}.json" for one in differing}
    console = Console(width=width, record=True, file=StringIO(), color_system=None)
    for table in (
        *show.tables("4a", [*found, *failing], width),
        show.disagreements(differing, {}, width),
        show.disagreements(differing, certificates, width),
    ):
        console.print(table)
    text = console.export_text()
    assert max(map(len, text.splitlines())) <= width
    for part in ("13.315907…", "12.751685…", "1/14 fails u = [-1, -1, -1], ε = 17/13", "216 s"):
        assert part in text
    for one in certificates:
        assert f"{one}.json" in text
    words = set(re.findall(r"\S+…", text))
    assert words == {"13.315907…", "12.751685…"}  # nothing else is cut off


def test_the_table_of_laplace_has_a_line_for_each_range_as_in_the_paper() -> None:
    found = run_rows(row for row in rows() if row.table == "2c")
    (table,) = show.tables("2c", found, 80)
    assert [str(column.header) for column in table.columns] == ["γ", "1", "2", "3"]
    names = [str(cell) for cell in table.columns[0].cells]
    assert [name for name in names if name[0] != " "] == ["Laplace on [-1,1]", "Laplace on [-2,2]"]


def test_nothing_is_reproduced_if_a_verdict_is_another() -> None:
    """A row that the program contradicts is counted, not hidden."""
    (row,) = some_rows("4b-noisy_max-m3-range1-kappa4")
    (result,) = run_rows([row.__class__(**{**vars(row), "expect": "fails"})])
    assert not result.reproduced
    assert str(Summary((result,), (), ())).startswith("0 of 1 rows reproduced")


def test_json_and_certificates(tmp_path: Path) -> None:
    done = reproduce("--table", "4c", "--json", "--certificates", str(tmp_path))
    document = json.loads(done.output)
    assert document["exit_code"] == done.return_value == 0
    assert document["summary"]["reproduced"] == document["summary"]["rows"] == 4
    assert document["summary"]["disagreeing"] == {"program": 2, "silent": 2}
    for row in document["rows"]:
        assert [one["source"] for one in row["runs"]] == list(WORDS.values())
        published = row["published"]["witness"]
        for run in row["runs"]:
            assert (run["witness"] is None) is (published is None)
            assert certify.check(Path(run["certificate"]).read_text(encoding="utf-8"))
    for one in document["disagreements"]:
        assert certify.check(Path(one["certificate"]).read_text(encoding="utf-8"))
    best = [run["best"]["integer"] for row in document["rows"] for run in row["runs"]]
    assert best == [3, 4, 3, 4, 5, 6, 5, 6]


def test_times() -> None:
    assert [duration(x) for x in (0.0123, 0.9996, 1.25, 12, 30531)] == [
        "12 ms",
        "1.0 s",
        "1.2 s",
        "12 s",
        "30531 s",
    ]


def test_wrong_use(tmp_path: Path) -> None:
    assert "is not one of" in str(reproduce("--table", "5").exception)
    (tmp_path / "file").write_text("")
    done = reproduce("--table", "2c", "--certificates", str(tmp_path / "file" / "inside"))
    assert "cannot be written" in str(done.exception)
