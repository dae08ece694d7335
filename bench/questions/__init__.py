"""Questions with their right answers: loading them, and judging an answer (see README.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
KINDS = ("outcome", "number", "set", "is", "says", "refused")
"""The kinds of right answers; an answer has exactly one of these keys."""
BESIDE = {"outcome": {"certificate"}, "number": {"width"}, "says": {"not"}, "refused": {"says"}}
"""The keys that an answer may have in addition."""
RESULTS = ("right", "refused", "undecided", "wrong", "slow", "error", "given up", "not yet")
"""What the result of a question begins with."""
WIDTH = Fraction(1, 100)
"""An enclosure wider than this share of its size is no answer: it would contain many numbers."""
_INSIDE = ("kappa", "factor", "value", "enclosure")
"""Attributes that hold the number of an answer which has more than a number."""


@dataclass(frozen=True)
class Question:
    """A question in Python text, its right answer, and where that comes from."""

    id: str
    program: str
    ask: str
    answer: dict[str, Any]
    source: str
    seconds: float = 5
    old: str = ""
    file: str = field(default="", compare=False)

    @property
    def kind(self) -> str:
        """The kind of the right answer; "refused" may have words beside it, so it comes first."""
        (kind,) = [one for one in reversed(KINDS) if one in self.answer][:1]
        return kind

    def complaint(self) -> str:
        """Return what is wrong with the format, or ""."""
        if not all(isinstance(one, str) and one for one in (self.id, self.ask, self.source)):
            return "id, ask and source are texts that are not empty"
        if not isinstance(self.program, str) or not 0 < self.seconds <= 600:
            return "program is a text, and seconds are at most 600"
        if not any(one in self.answer for one in KINDS):
            return f"an answer has one of the keys {', '.join(KINDS)}"
        if more := set(self.answer) - {self.kind} - BESIDE.get(self.kind, set()):
            return f"unknown keys in the answer: {', '.join(sorted(more))}"
        if self.old and self.old.split(":")[0] not in RESULTS:
            return f"old begins with one of {', '.join(RESULTS)}"
        return ""


def load(path: Path) -> list[Question]:
    """Return the questions of a file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Question(**json.loads(one), file=path.stem) for one in lines if one.strip()]


def files() -> list[Path]:
    """Return all files of questions."""
    return sorted(FOLDER.glob("*.jsonl"))


def save(path: Path, questions: list[Question]) -> None:
    """Write the questions of a file, one a line."""
    rows = [{k: v for k, v in vars(one).items() if k != "file"} for one in questions]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")


def judge(answer: dict[str, Any], value: Any) -> str:
    """Return "right", "wrong: …" or "undecided: …" for the value of an expression."""
    if "refused" in answer:
        return "wrong: not refused"
    if "outcome" in answer:
        return _judge_outcome(answer, value)
    if "number" in answer:
        return _judge_number(answer, value)
    if "set" in answer:
        return _judge_set(answer["set"], value)
    if "is" in answer:
        found = plain(value)
        same = json.dumps(found) == json.dumps(answer["is"])  # 1, 1.0 and True differ
        return "right" if same else f"wrong: {_short(found)}"
    missing = [one for one in answer["says"] if one not in str(value)]
    extra = [one for one in answer.get("not", ()) if one in str(value)]
    said = [f"without {one!r}" for one in missing] + [f"says {one!r}" for one in extra]
    return "wrong: " + ", ".join(said) if said else "right"


def judge_error(answer: dict[str, Any], error: BaseException) -> str:
    """Return the result of a question that raised an error."""
    name, message = type(error).__name__, str(error)
    if name == "NotYet":
        return f"not yet: {getattr(error, 'family', '')}"
    if name == "GivenUp" and "refused" not in answer:
        return f"given up: {getattr(error, 'family', '')}"
    names = {one.__name__ for one in type(error).__mro__} | {getattr(error, "code", "") or name}
    first = (message.splitlines() or [""])[0]
    if "refused" in answer:
        missing = [one for one in answer.get("says", ()) if one not in message]
        if answer["refused"] in names and not missing:
            return "right"
        if "ExactdpError" in names:
            return f"wrong: {name}: {first}" + f" (without {missing})" * bool(missing)
    return f"refused: {name}: {first}" if "ExactdpError" in names else f"error: {name}: {first}"


def recorded(result: str) -> str:
    """Return a result without the parts that depend on words or on the version of Python."""
    kind = result.split(":", maxsplit=1)[0]
    if kind == "error":
        return ":".join(result.split(":")[:2])
    return result if kind in ("wrong", "not yet") else kind


def _judge_outcome(answer: dict[str, Any], verdict: Any) -> str:
    outcome = getattr(verdict, "outcome", None)
    if outcome != answer["outcome"]:
        return "undecided" if outcome == "undecided" else f"wrong: {outcome or _short(verdict)}"
    if "certificate" in answer:
        from exactdp import certify  # noqa: PLC0415 - judging needs no solver otherwise

        check = getattr(certify, "accepted", None) or certify.check
        try:
            report = check(json.loads(json.dumps(verdict.certificate)))
        except Exception as error:  # whatever happens to the checker, it has not accepted
            return f"wrong: certificate: {type(error).__name__}"
        if getattr(report, "taken", ()):
            return "undecided: certificate conditional"
        if not getattr(report, "accepted", True):
            return "wrong: certificate rejected"
    return "right"


def _judge_number(answer: dict[str, Any], value: Any) -> str:
    for name in _INSIDE:
        if not hasattr(value, "lower") and hasattr(value, name):
            value = getattr(value, name)
    lower = upper = value
    if hasattr(value, "lower") and hasattr(value, "upper"):
        lower, upper = value.lower, value.upper
    if not (_is_proven(lower) and _is_proven(upper)):
        return f"wrong: not a number with proven ends, but {_short(value)}"
    number = answer["number"]
    lowest, highest = (inf, inf) if number == "inf" else map(Fraction, number)
    if upper < lowest or lower > highest:
        return f"wrong: {_digits(lower)} to {_digits(upper)}"
    share = Fraction(answer.get("width", WIDTH))
    if lower == upper:
        return "right"
    if inf in (-lower, upper) or upper - lower > share * max(abs(lower), abs(upper)):
        return f"undecided: {_digits(lower)} to {_digits(upper)}"
    return "right"


def _is_proven(end: Any) -> bool:
    """Whether an end is a rational or infinite: another float says nothing about its error."""
    if isinstance(end, float):
        return abs(end) == inf
    return isinstance(end, int | Fraction) and not isinstance(end, bool)


def _judge_set(members: dict[str, list[str]], value: Any) -> str:
    missing = [one for one in members.get("in", ()) if Fraction(one) not in value]
    extra = [one for one in members.get("out", ()) if Fraction(one) in value]
    said = [f"without {one}" for one in missing] + [f"with {one}" for one in extra]
    return "wrong: " + ", ".join(said) if said else "right"


def plain(value: Any) -> Any:
    """Return a value as JSON: lists for tuples, "p/q" for rationals that are not whole."""
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(plain(key)): plain(one) for key, one in value.items()}
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else str(value)
    return value if isinstance(value, bool | int | float | str | None) else _short(value)


def _digits(end: Any) -> str:
    return f"{float(end):.6g}"


def _short(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 80 else text[:79] + "…"


def chosen(names: list[str]) -> Iterator[Question]:
    """Yield the questions with these files or beginnings of ids; all without names."""
    left = {Path(one).name.removesuffix(".jsonl") for one in names}
    used = set()
    for path in files():
        for one in load(path):
            hits = {name for name in left if name == one.file or one.id.startswith(name)}
            used |= hits
            if hits or not names:
                yield one
    if left - used:
        raise SystemExit(f"no file or question begins with {', '.join(sorted(left - used))}")
