"""`exactdp check`: decide claims."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import click

from exactdp import Accuracy, Expected, Privacy, Verdict
from exactdp.cli import records
from exactdp.cli.asking import collect, done
from exactdp.cli.loading import Found, find_claims
from exactdp.cli.matching import github, sarif
from exactdp.cli.options import certificates_option, common, subcommand, targets
from exactdp.cli.output import CommandOutput, Json, error_record, writing
from exactdp.cli.reading import Changes
from exactdp.cli.settings import defaults
from exactdp.cli.watching import watch
from exactdp.errors import ExactdpError, TimeoutRefusedError, counted
from exactdp.running.conduct import Progress

WORDS = (
    "α: how far an input is from another answer; β: the probability of an error above γ; "
    "γ: the error that is allowed."
)

PRIVATE = (
    "ε: the budget that the program's noise is scaled by; pairs are of adjacent inputs, in both "
    "directions."
)

EXPECTED = "A loss tells how bad an output is; its expectation is an exact function of ε."

_WORDS = {"accuracy": WORDS, "privacy": PRIVATE, "expected": EXPECTED}

_UNANSWERED: Json = {
    "verdict": "undecided",
    "kind": "accuracy",
    "vacuous": False,
    "route": "",
    "inputs": 0,
    "silent": 0,
    "trivial": 0,
    "counted": "inputs",
    "assumptions": [],
    "counterexamples": [],
    "seconds": 0.0,
    "error": None,
    "certificate": None,
    "note": "",
}
"""The record of a claim that timed out, without its sentence."""
_LONGEST_NAME = 100  # characters in a file name


@subcommand(
    "check",
    "exactdp check claims.py",
    "exactdp check claims.py::lemma --inputs all",
    "exactdp check claims.py::table --eps '(0, 1]' --kappa 2 --jobs 2",
)
@targets(required=False)
@click.option("-k", "substring", default="", metavar="TEXT", help="Only names that contain TEXT.")
@click.option("--all", "every", is_flag=True, help="List every failing input, not only the first.")
@certificates_option
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "github", "sarif"]),
    default="text",
    show_default=True,
    help="github: also annotations for a pull request; sarif: one SARIF document instead.",
)
@click.option("--watch", "watching", is_flag=True, help="Check again whenever a file changes.")
@common(timeout=True, sharing=True, changes=True)
def command(  # noqa: PLR0913 its options
    output: CommandOutput,
    targets: tuple[str, ...],
    *,
    substring: str,
    every: bool,
    certificates: Path | None,
    style: str,
    watching: bool,
    changes: Changes,
) -> int:
    """Decide the claims of files, for every ε.

    A claim is an `Accuracy`, a `Privacy` or an `Expected` in a variable of the file, possibly in a
    list or dictionary; a folder is searched for *.py. The answer to each claim is a sentence. For a
    claim that fails, it states an input (or two adjacent inputs) and an ε at which the claim is
    false. Exit code: 0 all hold, 1 one fails, 3 one is undecided, 4 one says nothing, 2 wrong use.
    """
    if watching:
        return watch(output.arguments, targets or defaults().get("check", {}).get("targets", ()))
    found = find_claims(targets, substring, (Accuracy, Privacy, Expected))
    quiet = output.json
    output.json = output.json or style == "sarif"  # print only the document
    paths: dict[str, Path] = {}
    if certificates is not None:
        paths = _paths(found, certificates)
        with writing(certificates):
            certificates.mkdir(parents=True, exist_ok=True)
    answers: list[Json] = []

    def question(one: Found, report: Progress) -> Json:
        verdict = changes.applied(one.claim).check(all=every, progress=report)
        record = {**records.verdict(verdict), "error": None, "certificate": None, "note": ""}
        return record if certificates is None else record | _certificate(verdict, paths[one.title])

    def use(one: Found, answer: Json | ExactdpError) -> None:
        record = {"file": one.file, "name": one.name, **_record(one.title, answer)}
        answers.append(record)
        _say(output, one, record, every)

    left = collect(output, found, question, use, answers)
    _say_table(output, answers)
    if left is not None:
        counts = f" ({_counts(answers)})" if answers else ""
        return output.stopped(left, done(answers, found) + counts, claims=answers)
    outcomes = {one["verdict"] for one in answers}
    order = {"error": 2, "fails": 1, "undecided": 3, "vacuous": 4}
    code = next((order[one] for one in order if one in outcomes), 0)
    if style == "github":
        output.say(github(answers))
    if style == "sarif" and not quiet:
        output.write(json.dumps(sarif(answers), indent=2, ensure_ascii=False))
        return code
    return output.document(code, claims=answers, left=[])


def _certificate(found: Verdict, path: Path) -> Json:
    """Write a certificate; return its path, or the reason why there is none."""
    if found.holds is None:
        return {"note": "No certificate: the claim is undecided."}
    try:
        text = json.dumps(found.certificate)
    except ExactdpError as error:
        return {"note": f"No certificate: {error.message}."}
    with writing(path):
        path.write_text(text, encoding="utf-8")
    return {"certificate": str(path)}


def _record(title: str, answer: Json | ExactdpError) -> Json:
    if isinstance(answer, TimeoutRefusedError):
        missing = answer.message.removeprefix(f"{title}: ")
        return {**_UNANSWERED, "sentence": f"Undecided: {missing}.", "missing": missing}
    if isinstance(answer, ExactdpError):
        return {"verdict": "error", "sentence": str(answer), "error": error_record(answer)}
    return answer


def _say(output: CommandOutput, one: Found, record: Json, every: bool) -> None:
    if record["verdict"] == "error":
        output.note(record["sentence"], "red")
        return
    output.say_verdict(record["verdict"], one.title, record["sentence"])
    if every and len(record["counterexamples"]) > 1:
        for failing in record["counterexamples"]:
            output.say(f"  {failing['sentence']}")
    if record["certificate"]:
        output.say(f"  Certificate: {record['certificate']}")
    if record["note"]:
        output.note(f"{one.title}: {record['note']}")


def _say_table(output: CommandOutput, answers: list[Json]) -> None:
    decided = [one for one in answers if one["verdict"] != "error"]
    if decided:
        rows = [
            [
                f"{one['file']}::{one['name']}",
                one["verdict"],
                _looked_at(one),
                f"{one['silent'] + one['trivial']:,}",
                f"{one['seconds']:.2f}",
            ]
            for one in decided
        ]
        columns = ["claim", "verdict", "inputs", "silent", "seconds"]
        output.table(columns, rows, right="inputs silent seconds")
        output.say(f"{_counts(answers)}.")
        kinds = {one["kind"] for one in decided}
        words = next(text for kind, text in _WORDS.items() if kind in kinds)
        output.say(f"{words} Silent: inputs at which the claim says nothing.", "dim")


def _looked_at(one: Json) -> str:
    if one["counted"] == "inputs":
        return f"{one['inputs']:,}"
    return counted(one["inputs"], one["counted"].removesuffix("s"))


def _counts(answers: list[Json]) -> str:
    counts = Counter(one["verdict"] for one in answers)
    forms = {
        "holds": ("holds", "hold"),
        "fails": ("fails", "fail"),
        "undecided": ("is undecided", "are undecided"),
        "vacuous": ("says nothing", "say nothing"),
        "error": ("is wrong", "are wrong"),
    }
    said = [f"{counts[one]} {forms[one][counts[one] != 1]}" for one in forms if counts[one]]
    return f"{counted(len(answers), 'claim')}: {', '.join(said)}"


def _paths(found: list[Found], folder: Path) -> dict[str, Path]:
    """Return a distinct path for the certificate of each claim, by title."""
    paths: dict[str, Path] = {}
    for one in found:
        name = re.sub(r"[^\w.]+", "-", one.title).strip("-.")[-_LONGEST_NAME:]
        path, count = folder / f"{name}.json", 1
        while path in paths.values():
            count += 1
            path = folder / f"{name}-{count}.json"
        paths[one.title] = path
    return paths
