"""Verdicts in formats for editors and pull requests: GitHub's workflow commands and SARIF."""

from __future__ import annotations

from pathlib import Path

from exactdp import __version__
from exactdp.cli.completing import defined
from exactdp.cli.output import Json

_LEVELS = {"fails": "error", "error": "error", "undecided": "warning", "vacuous": "warning"}
_RULES = {
    "fails": "A claim is false.",
    "undecided": "A claim is not decided.",
    "vacuous": "A claim says nothing, or nothing that could fail.",
    "error": "A claim or a program is wrong.",
}


def place(record: Json) -> tuple[str, int]:
    """Return the file and the line that a verdict is about: where the claim is assigned."""
    if record.get("error") and record["error"]["place"]:
        at = record["error"]["place"]
        return at["file"], at["line"]
    name = record["name"].partition("[")[0].partition("(")[0]
    return record["file"], defined(record["file"]).get(name, 1)


def github(records: list[Json]) -> str:
    """Return a workflow command for each claim that does not hold."""
    lines = []
    for one in records:
        level = _LEVELS.get(one["verdict"])
        if level is not None:
            file, line = place(one)
            title = f"exactdp: {one['name']} {_said(one['verdict'])}"
            where = f"file={_property(file)},line={line},title={_property(title)}"
            lines.append(f"::{level} {where}::{_data(one['sentence'])}")
    return "\n".join(lines)


def sarif(records: list[Json]) -> Json:
    """Return the claims that do not hold as SARIF 2.1.0."""
    results = []
    for one in records:
        level = _LEVELS.get(one["verdict"])
        if level is None:
            continue
        file, line = place(one)
        at = {"artifactLocation": {"uri": Path(file).as_posix()}, "region": {"startLine": line}}
        results.append(
            {
                "ruleId": one["verdict"],
                "level": level,
                "message": {"text": f"{one['name']}: {one['sentence']}"},
                "locations": [{"physicalLocation": at}],
            }
        )
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in _RULES.items()]
    driver = {"name": "exactdp", "version": __version__, "rules": rules}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def _said(verdict: str) -> str:
    return {"undecided": "is undecided", "vacuous": "says nothing", "error": "is wrong"}.get(
        verdict, verdict
    )


def _data(text: str) -> str:
    """Return a string as the data of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Return a string as a property of a workflow command."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
