"""`Study`: the answers to one question for a family of claims, as a table."""

from __future__ import annotations

import csv
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from exactdp.errors import ExactdpError, ValueRefusedError, counted, shown
from exactdp.reals.numbers import inf
from exactdp.reals.told import table
from exactdp.running.conduct import Conduct, How, conduct, conduct_of
from exactdp.running.crew import Forked
from exactdp.running.packing import pack, unpack

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactdp.running.conduct import Progress

Row: TypeAlias = dict[str, Any]

QUESTIONS = ("check", "tightest", "smallest_epsilon")


class Study:
    """A family of claims over parameters, all asked the same question.

    `claims` is a function that returns a claim for given parameters (or None to skip them), an
    iterable of claims, or an iterable of pairs of parameters and a claim.

    >>> from exactdp import Accuracy, Mechanism, Study, alpha, eps, exp
    >>> def claim(rate):
    ...     text = f"def noisy(x: Real): return lap({rate} * eps, x) > 0"
    ...     return Accuracy(Mechanism.from_source(text), exp(-alpha * eps), inputs=[2])
    >>> table = Study(claim, rate=[1, 2]).run("tightest")
    >>> [(row["rate"], row["kappa"]) for row in table]
    [(1, 2.0), (2, 2.0)]
    """

    def __init__(self, claims: Any, **parameters: Iterable[Any]) -> None:
        self.rows: list[tuple[Row, Any]] = list(_rows(claims, parameters))
        if not self.rows:
            raise ValueRefusedError("the study has no claims", way_out="Give at least one.")

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        names = dict.fromkeys(name for row, _ in self.rows for name in row)
        over = f" over {', '.join(names)}" if names else ""
        return f"<Study: {counted(len(self), 'claim')}{over}>"

    def run(
        self, ask: str = "check", *, progress: Progress | None = None, **how: Unpack[How]
    ) -> StudyTable:
        """Ask each claim "check", "tightest" or "smallest_epsilon".

        With several jobs, rows are computed in parallel.
        """
        if ask not in QUESTIONS:
            raise ValueRefusedError(
                f"ask is {shown(ask)}", rule=f"It is {' or '.join(map(repr, QUESTIONS))}."
            )
        work = _Answering(self.rows, ask, conduct_of(conduct(progress, how)))
        return StudyTable(tuple(work.table()))


def _rows(claims: Any, parameters: Mapping[str, Iterable[Any]]) -> Iterator[tuple[Row, Any]]:
    if callable(claims):
        names = list(parameters)
        if not names:
            yield from _rows(claims(), {})
            return
        for values in product(*map(list, parameters.values())):
            row = dict(zip(names, values, strict=True))
            made = claims(**row)
            if made is not None:
                yield row, made
        return
    if isinstance(claims, Mapping):
        claims = [({"claim": key}, one) for key, one in claims.items()]
    if not isinstance(claims, Iterable):
        claims = [claims]
    for number, one in enumerate(claims):
        row, claim = one if isinstance(one, tuple) else ({"claim": number}, one)
        if not isinstance(row, Mapping) or not hasattr(claim, "check"):
            raise ValueRefusedError(
                f"{shown(one)} is not a claim",
                rule="A study has claims, or pairs of parameters (a dictionary) and a claim.",
            )
        yield dict(row), claim


class _Answering:
    """Computes the rows of a study, sequentially or in parallel."""

    def __init__(self, rows: Sequence[tuple[Row, Any]], ask: str, how: Conduct) -> None:
        self._rows, self._ask, self._how = rows, ask, how

    def table(self) -> Iterator[Row]:
        """Yield the rows in order."""
        found: dict[int, Row] = {}
        left = [*range(len(self._rows))]
        self._tell(0)
        many = self._how.executor is None and not self._how.is_alone and len(left) > 1
        for number, answer in self._forked(left) if many else self._one_by_one(left):
            found[number] = answer
            self._tell(len(found))
        for number, (row, _) in enumerate(self._rows):
            yield {**row, **found[number]}

    def _tell(self, done: int) -> None:
        self._how(done, len(self._rows))

    def _one_by_one(self, left: list[int]) -> Iterator[tuple[int, Row]]:
        return ((number, self._answer(number, self._how.quiet)) for number in left)

    def _forked(self, left: list[int]) -> Iterator[tuple[int, Row]]:
        crew = Forked(self._serve, self._how.jobs, self._how.slots)
        waiting = list(reversed(left))
        under_way = 0
        try:
            while waiting or under_way:
                while waiting and (lane := crew.lane) is not None:
                    number = waiting.pop()
                    crew.give(number, str(number).encode(), lane)
                    under_way += 1
                for number, news in crew.news():
                    under_way -= 1
                    row = unpack(news) if isinstance(news, bytes) else _wrong(news)
                    yield number, row
        finally:
            crew.close()

    def _serve(self, number: bytes) -> bytes:
        return pack(self._answer(int(number), Conduct()))

    def _answer(self, number: int, how: Conduct) -> Row:
        begin = time.process_time()
        try:
            found = _asked(self._rows[number][1], self._ask, how)
        except ExactdpError as error:
            found = _wrong(error)
        except MemoryError:
            raise
        except Exception as error:  # the other rows are still answered
            found = _wrong(ExactdpError(f"{type(error).__name__}: {error}"))
        return {**found, "seconds": round(time.process_time() - begin, 3)}


def _asked(claim: Any, ask: str, how: Conduct) -> Row:
    """Return the answer for a claim as the entries of a row."""
    if not hasattr(claim, ask):
        raise ExactdpError(f"{type(claim).__name__} has no answer to {ask!r}")
    if ask == "check":
        verdict = claim.check(progress=how)
        return {"outcome": verdict.outcome, "sentence": verdict.sentence, "error": ""}
    if ask == "tightest":
        best = claim.tightest(progress=how)
        ends = best.kappa if hasattr(best, "kappa") else best.factor
        name = "kappa" if hasattr(best, "kappa") else "factor"
    else:
        best = ends = claim.smallest_epsilon(progress=how)
        name = "epsilon"
    row = {name: float(ends.lower if name == "kappa" else ends.upper)}
    row |= {"lower": _told(ends.lower), "upper": _told(ends.upper)}  # type: ignore[dict-item]
    return {**row, "sentence": getattr(best, "sentence", str(best)), "error": ""}


def _told(value: Fraction | float) -> str:
    return "inf" if value == inf else str(value)


def _wrong(error: ExactdpError) -> Row:
    return {"sentence": "", "error": error.message}


@dataclass(frozen=True, repr=False)
class StudyTable(Sequence[Row]):
    """The answers of a study: a row is a dictionary of parameters and answers.

    >>> from exactdp import StudyTable
    >>> table = StudyTable(({"m": 2, "kappa": 3},))
    >>> table[0]["kappa"]
    3
    """

    rows: tuple[Row, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        """Return a row."""
        return self.rows[index]

    def __str__(self) -> str:
        """Return the table as aligned text, without the column of sentences."""
        names = [name for name in self.columns if name != "sentence"]
        cells = [names] + [[str(row.get(name, "")) for name in names] for row in self.rows]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = (
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
            for line in cells
        )
        return "\n".join(line.rstrip() for line in lines)

    def __repr__(self) -> str:
        rows = counted(len(self), "row")
        return f"<StudyTable: {rows} of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        rows = ([escape(str(row.get(name, ""))) for name in self.columns] for row in self.rows)
        return table(map(escape, self.columns), rows, numbers_from=len(self.columns))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns, parameters first."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row))

    def to_csv(self, path: str | Path) -> None:
        """Write the table as CSV; exact bounds are rational numbers such as 1/3."""
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, self.columns)
            writer.writeheader()
            writer.writerows(self.rows)

    def to_pandas(self) -> Any:
        """Return the table as a pandas data frame."""
        return _imported("pandas").DataFrame(list(self.rows), columns=list(self.columns))

    def to_parquet(self, path: str | Path) -> None:
        """Write the table as Parquet, with exact numbers as text; requires the extra `table`."""
        require_tables()
        frame = self.to_pandas()
        for name in frame.columns:
            kinds = {type(row[name]) for row in self.rows if row.get(name) is not None}
            if len(kinds) > 1 or not kinds <= {str, int, float, bool}:
                told = [None if row.get(name) is None else str(row[name]) for row in self.rows]
                frame[name] = told
        frame.to_parquet(path)

    def plot(self, x: str, y: str, by: str = "", ax: Axes | None = None) -> Axes:
        """Plot column `y` against column `x`, with one line for each value of column `by`."""
        from exactdp.report.studies import plot_study  # noqa: PLC0415

        return plot_study(self.rows, x, y, by, ax)


def require_tables() -> None:
    """Raise an error unless the packages that write Parquet are installed."""
    for name in ("pandas", "pyarrow"):
        _imported(name)


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise ExactdpError(
            f"{name} is not installed",
            way_out="Install it: pip install 'exactdp[table]'; or write CSV.",
        ) from None
