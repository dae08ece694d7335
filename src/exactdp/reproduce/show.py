"""The results as tables, laid out as in the paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from exactdp.reproduce.differences import KINDS, Difference, kappa
from exactdp.reproduce.programs import ARTIFACT
from exactdp.reproduce.rows import NAMES, WORDS, Row, Universal, bound, sources
from exactdp.reproduce.run import Everywhere, Result, Run

Line: TypeAlias = dict[str, str | Text]
"""The cells of a line of a table, by column."""

CAPTIONS = {
    "2a": "Sparse and SparseVariant on [-1, 1], β = 2mc·exp(−αε/(8c))",
    "2b": "NoisyMax with m = 3, β = m·exp(−αε/2)",
    "2c": "Laplace with k = 2, β = k·exp(−γε)",
    "3a": "NumericSparse with c = 1 and γ = α, β = (2m+1)c·exp(−αε/(9c))",
    "3b": "NumericSparse with c = 2 and γ = α, β = (2m+1)c·exp(−αε/(9c))",
    "4a": "better bounds β/κ of Sparse and SparseVariant, m = 3, on [-1, 1]",
    "4b": "better bounds β/κ of NoisyMax on [-1, 1]",
    "4c": "better bounds β/κ of NumericSparse, m = 3, α = γ = 1, on [-1, 1]",
}
_HEADS = {"2a": "m c", "2b": "range", "2c": "γ", "3a": "m α range", "3b": "m α range"}
_STYLES = {"holds": "green", "fails": "red", "undecided": "yellow"}
_NUMBERS = {
    "best whole κ",
    "best κ",
    "error there",
    "β/κ there",
    "authors",
    "ours",
    "faster",
    "cells",
}
"""The columns that hold numbers."""
_TOGETHER = (
    ("best whole κ", "best κ"),
    ("exactdp", "error there", "β/κ there"),
    ("a witness?", "authors", "ours", "faster"),
    ("authors", "ours", "faster"),
)
"""Columns that stay together when a table is split."""
_LABEL, _CELL = 28, 10
"""The widths of the first and the other columns, in tables with one column per experiment."""
_NARROW, _SENTENCES = 120, 160
"""The least width at which sentences get columns of their own; the largest table width."""


def tables(name: str, results: list[Result], width: int) -> Iterator[Table]:
    """Yield the parts of a table of the paper, if possible none wider than the console."""
    title = f"Table {name}: {CAPTIONS[name]}"
    if name in _HEADS:
        yield from _across(title, _HEADS[name].split(), results, width)
    else:
        yield from _best(title, [one for one in results if one.row.witness is None], width)
        yield from _witnesses([one for one in results if one.row.witness is not None], width)


# A column for each experiment ---------------------------------------------------------


def _across(title: str, heads: list[str], results: list[Result], width: int) -> Iterator[Table]:
    """Yield tables 2 and 3: parameters above, times and verdicts below, as in the paper."""
    columns = list(dict.fromkeys(_parameters(one.row, heads) for one in results))
    at = {(*_section(one.row, heads), _parameters(one.row, heads)): one for one in results}
    sections = list(dict.fromkeys(_section(one.row, heads) for one in results))
    room = max(1, (width - _LABEL) // _CELL)
    for first in range(0, len(columns), room):
        shown = columns[first : first + room]
        table = _table(title)
        table.add_column("\n".join(heads), no_wrap=True, min_width=_LABEL - 4)
        for column in shown:
            table.add_column("\n".join(column), justify="right", no_wrap=True)
        for program, on in sections:
            listed = [at[program, on, column] for column in shown]
            for number, source in enumerate(sources(program)):
                table.add_row(Text(program_name(program, source) + on, "bold"))
                for label, cells in _lines(listed, number):
                    table.add_row(f"  {label}", *cells)
        yield table
        title = "(continued)"


def _lines(results: list[Result], number: int) -> Iterator[tuple[str, list[Text]]]:
    runs = [one.runs[number] for one in results]
    if number == 0:
        yield "published", [_verdict(one.row.expect) for one in results]
    yield "exactdp", [_compared(a, b.row.expect) for a, b in zip(runs, results, strict=True)]
    if number == 0:
        yield "authors' time", [Text(duration(one.row.paper_seconds)) for one in results]
    yield "our time", [Text(duration(run.seconds)) for run in runs]
    if number == 0:
        yield "times faster", [Text(_faster(one)) for one in results]


def _section(row: Row, heads: list[str]) -> tuple[str, str]:
    """Return the section of a table that a row belongs to; table 2c has one for each range."""
    return row.program, f" on {_range(row)}" if heads == ["γ"] else ""


def _parameters(row: Row, heads: list[str]) -> tuple[str, ...]:
    known = {"m": row.m, "c": row.c, "α": row.alpha, "γ": row.gamma, "range": _range(row)}
    return tuple(str(known[head]) for head in heads)


# A line for each experiment -----------------------------------------------------------


def _best(title: str, results: list[Result], width: int) -> Iterator[Table]:
    """Yield the left half of a table 4: the published best whole κ, and the actual best κ."""
    lines: list[Line] = []
    for one in results:
        for run in one.runs:
            assert run.best is not None
            lines.append(
                {
                    **_subject(one.row, run.source),
                    "β": _beta(one.row),
                    "published": Text.assemble(f"1/{one.row.kappa} ", _verdict(one.row.expect)),
                    "exactdp": _compared(run, one.row.expect),
                    "best whole κ": str(run.best.integer),
                    "best κ": kappa(run.best),
                    **_times(one, run),
                }
            )
    yield from _lined(title, lines, width)


def _witnesses(results: list[Result], width: int) -> Iterator[Table]:
    """Yield the right half of a table 4: the next κ fails at the printed witness."""
    lines: list[Line] = []
    for one in results:
        witness = one.row.witness
        assert witness is not None
        at = f" u = {list(witness.input)}, ε = {witness.eps}"
        published = Text.assemble(f"1/{one.row.kappa} ", _verdict(one.row.expect), at)
        for run in one.runs:
            assert run.examined is not None
            lines.append(
                {
                    **_subject(one.row, run.source),
                    "published": published,
                    "exactdp": _compared(run, one.row.expect),
                    "error there": run.examined.error.text(8),
                    "β/κ there": run.examined.bound.text(8),
                    "a witness?": _judged(one.row, run),
                    **_times(one, run),
                }
            )
    yield from _lined("Counterexamples", lines, width)


def _subject(one: Row | Universal, source: str) -> Line:
    return {"program": program_name(one.program, source), "m, c": _size(one)}


def _times(one: Result, run: Run) -> Line:
    executed = run.source == ARTIFACT
    return {
        "authors": duration(one.row.paper_seconds) if executed else "",
        "ours": duration(run.seconds),
        "faster": _faster(one) if executed else "",
    }


def _judged(row: Row, run: Run) -> Text:
    examined = run.examined
    assert examined is not None
    if not examined.violates:
        return Text("no", "bold")
    return Text(f"yes, dd = α = {row.alpha}" if examined.distance == row.alpha else "yes")


def everywhere(found: list[Everywhere], results: Iterable[Result], width: int) -> Iterator[Table]:
    """Yield the claims for all real inputs, with their verdicts on the paper's grids."""
    on_grid: dict[tuple[object, ...], str] = {}
    for result in results:
        row = result.row
        for run in result.runs:
            key = row.program, row.m, row.c, row.kappa, run.source
            if on_grid.get(key, "holds") == "holds":  # of all grids: what is not holds, stays
                on_grid[key] = run.answer
    lines: list[Line] = []
    for one in found:
        subject, claim = one.subject, one.verdict.claim
        key = subject.program, subject.m, subject.c, subject.kappa, subject.source
        lines.append(
            {
                **_subject(subject, subject.source),
                "γ": _greek(str(claim.gamma_level)),
                "β": _greek(str(claim.formula)),
                "exactdp": _verdict(one.answer),
                "on the grid": _verdict(on_grid[key]) if key in on_grid else "–",
                "cells": str(one.verdict.inputs),
                "ours": duration(one.seconds),
            }
        )
    yield from _lined("The same claims for all real inputs", lines, width)


def disagreements(found: list[Difference], certificates: dict[str, str], width: int) -> Table:
    """Return the differences between text and experiments, with similar rows grouped."""
    table = _table("Where the paper's text and its experiments disagree")
    table.show_lines, table.width = True, min(width, _SENTENCES)
    names = ["rows", "the difference", "why", "what is true"]
    names += ["certificate"] * bool(certificates)
    narrow = width < _NARROW or bool(certificates)  # file names are long
    for name in ("rows", "") if narrow else names:
        table.add_column(name, overflow="fold", width=_LABEL - 7 if narrow and name else None)
    for (kind, truth), group in groupby(found, key=lambda one: (one.kind, one.truth)):
        listed = list(group)
        cells = [_which(listed), KINDS[kind], _why(listed), truth]
        if certificates:
            paths = [Path(certificates.get(one.label, "none")).name for one in listed]
            cells.append(paths[0] + f" and {len(paths) - 1} more" * (len(paths) > 1))
        if narrow:
            said = [f"{name}: {cell}" for name, cell in zip(names, cells, strict=True)]
            cells = [cells[0], "\n".join(said[1:])]
        table.add_row(*cells)
    return table


def _which(listed: list[Difference]) -> str:
    if len(listed) == 1:
        row = listed[0].row
        return f"{row.table} {NAMES[row.program]} {_size(row)} κ = {row.kappa}, {row.expect}"
    said = []
    for table, group in groupby(listed, key=lambda one: one.row.table):
        said.append(f"{table} ({len(list(group))} rows)")
    return f"{NAMES[listed[0].row.program]}: {', '.join(said)}"


def _why(listed: list[Difference]) -> str:
    return "; ".join(dict.fromkeys(one.why for one in listed))


# Words --------------------------------------------------------------------------------


def program_name(program: str, source: str) -> str:
    """Return the name of a program, with its source if there are two."""
    which = f", {WORDS[source]}" if len(sources(program)) > 1 else ""
    return f"{NAMES[program]}{which}"


def duration(seconds: float) -> str:
    """Return a time with about two digits."""
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 9.95 and seconds != int(seconds) else f"{seconds:.0f} s"


def _faster(one: Result) -> str:
    return f"{one.row.paper_seconds / one.executed.seconds:,.0f}×"


def _verdict(word: str) -> Text:
    return Text(word, _STYLES[word])


def _compared(run: Run, published: str) -> Text:
    """Return our verdict, marked if it is not the published one."""
    if run.answer == published:
        return _verdict(run.answer)
    return Text(f"{run.answer} ≠", "bold " + _STYLES[run.answer])


def _size(one: Row | Universal) -> str:
    return f"{one.m}, {one.c}" if "sparse" in one.program else str(one.m)


def _beta(row: Row) -> str:
    return _greek(str(bound(row.program, row.m, row.c)))


def _greek(formula: str) -> str:
    for word, letter in (("alpha", "α"), ("gamma", "γ"), ("eps", "ε"), ("*", "·"), ("-", "−")):
        formula = formula.replace(word, letter)
    return formula


def _range(row: Row) -> str:
    return f"[{row.grid[0]},{row.grid[1]}]"


def _lined(title: str, lines: list[Line], width: int) -> Iterator[Table]:
    """Yield a table, split if it is too wide; each part begins with the first two columns."""
    sizes = {
        name: 3 + max(cell_len(str(cell)) for cell in (name, *(line[name] for line in lines)))
        for name in lines[0]
    }
    first, second, *rest = sizes
    parts: list[list[str]] = []
    room = 0
    for name in rest:
        group = next((one for one in _TOGETHER if one[0] == name), (name,))
        if room < sum(sizes.get(other, 0) for other in group):
            parts.append([first, second])
            room = width - sizes[first] - sizes[second]
        parts[-1].append(name)
        room -= sizes[name]
    for part in parts:
        table = _table(title)
        for name in part:
            table.add_column(name, justify="right" if name in _NUMBERS else "left")
        for line in lines:
            table.add_row(*(line[name] for name in part))
        yield table
        title = "(continued)"


def _table(title: str) -> Table:
    whole = Text(title, no_wrap=True, overflow="ignore")  # also where the table is narrower
    return Table(title=whole, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
