"""`exactdp report`: an HTML page about claims."""

from __future__ import annotations

import tokenize
from pathlib import Path

from exactdp import Accuracy, Expected, Privacy
from exactdp.cli.jobs import result
from exactdp.cli.loading import find_claims
from exactdp.cli.options import common, file_option, subcommand, targets
from exactdp.cli.output import CommandOutput, Json, refuse_unwritable, writing
from exactdp.cli.reading import Changes
from exactdp.errors import counted
from exactdp.running.conduct import Progress


@subcommand("report", "exactdp report claims.py -o report.html")
@targets()
@file_option(
    "-o",
    "path",
    required=True,
    metavar="OUT.html",
    help="The file to write.",
)
@common(changes=True)
def command(output: CommandOutput, targets: tuple[str, ...], path: Path, changes: Changes) -> int:
    """Write an HTML page with claims, verdicts and curves.

    The page needs no network and no other file. It contains the certificates for `exactdp certify`.
    """
    refuse_unwritable(path)
    from exactdp.report.page import page  # noqa: PLC0415 loaded once the files can be written

    found = find_claims(targets, kinds=(Accuracy, Privacy, Expected))
    files = list(dict.fromkeys(one.file for one in found))
    names = [one.name if len(files) == 1 else one.title for one in found]

    def run(report: Progress) -> Json:
        applied = [changes.applied(one.claim) for one in found]
        claims = dict(zip(names, applied, strict=True))
        return {"page": page(claims, _source(files), progress=report)}

    title = f"the report of {', '.join(targets)}"
    text = result(output, files[0], run, title)["page"]
    with writing(path):
        path.write_text(text, encoding="utf-8")
    output.say(f"Wrote {path} ({counted(len(found), 'claim')}).")
    return output.document(0, claims=[one.title for one in found], path=str(path))


def _source(files: list[str]) -> str:
    """Return the text of the files, with file names if there are several."""
    texts = []
    for file in files:
        with tokenize.open(file) as opened:  # in the encoding that the file declares
            text = opened.read()
        texts.append(text if len(files) == 1 else f"# {file}\n\n{text}")
    return "\n\n".join(texts)
