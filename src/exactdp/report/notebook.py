"""Mechanisms, claims, verdicts and progress bars in notebooks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from html import escape
from math import inf
from typing import TYPE_CHECKING, Any

from exactdp.claims.stated.conditions import CaseFormula
from exactdp.claims.stated.expressions import Expression
from exactdp.claims.stated.functions import written
from exactdp.report.formulas import latex, mathml

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy
    from exactdp.claims.decision.claim import Claim
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.language.program import Program

#: A word, a symbol for readers who do not see colours, and a colour with contrast above 4.5.
OUTCOMES = {
    "holds": ("Holds", "✓", "#00624a"),
    "fails": ("Fails", "✗", "#a33a00"),
    "undecided": ("Undecided", "?", "#595959"),
    "vacuous": ("Says nothing", "∅", "#595959"),
}
_PAUSE = 0.1  # seconds between two updates of a progress bar
_PRE = "font-family:monospace;text-align:left;line-height:1.35;margin:.4em 0"


def mechanism_html(program: Program) -> str:
    """Return the program as it was understood."""
    return f'<pre style="{_PRE}">{escape(str(program).strip())}</pre>'


def mechanism_latex(program: Program) -> str:
    """Return the program as lines of typewriter text, which LaTeX and MathJax both read."""
    lines = []
    for line in str(program).strip().splitlines():
        indent = len(line) - len(line.lstrip())
        lines.append(rf"\hspace{{{indent / 2}em}}\texttt{{{_escaped(line.lstrip())}}}")
    return "$$\\begin{array}{l}\n" + " \\\\\n".join(lines) + "\n\\end{array}$$"


def claim_html(claim: Accuracy) -> str:
    """Return the claim as a small table."""
    rows = "".join(
        f'<tr><th style="text-align:left">{name}</th><td style="text-align:left">{value}</td></tr>'
        for name, value in claim_rows(claim)
    )
    return f"<table><caption>Claim (not checked yet)</caption><tbody>{rows}</tbody></table>"


def claim_rows(claim: Accuracy) -> list[tuple[str, str]]:
    """Return the parts of a claim: names and values, in HTML."""
    own = [
        ("error probability at most β", beta_html(claim)),
        ("needed distance to disagreement α", _level_html(claim.alpha_level)),
        ("allowed error γ", _level_html(claim.gamma_level)),
    ]
    return [
        *rows_with(claim, own),
        ("distance of inputs", escape(str(claim.input_metric))),
        ("distance of outputs", escape(str(claim.output_metric))),
    ]


def rows_with(claim: Claim, own: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return what all claims have, around the parts of a kind of claim."""
    given = claim.input_set
    count = len(given) if isinstance(given, tuple) else 0
    several = f"{count} given input{'s' * (count != 1)}" if isinstance(given, tuple) else str(given)
    return [
        ("mechanism", f"<code>{escape(claim.mechanism.__name__)}</code>"),
        *own,
        ("inputs", escape(several)),
        ("privacy budgets ε", escape(str(claim.epsilon))),
    ]


def beta_html(claim: Accuracy) -> str:
    """Return β, typeset where it is a formula."""
    if claim.is_beta_of_input:
        return f"<code>{escape(written(claim.beta))}</code>, a function of the input"
    return mathml(claim.formula)


def _level_html(level: object) -> str:
    return mathml(level) if isinstance(level, Expression) else escape(str(level))


def claim_latex(claim: Accuracy) -> str:
    """Return the claimed bound."""
    by_cases = claim.is_beta_of_input or isinstance(claim.formula, CaseFormula)
    bound = r"\beta(u)" if by_cases else latex(claim.formula)
    return rf"$\Pr(\text{{error}} > \gamma) \le {bound}$"


def verdict_html(verdict: Verdict) -> str:
    """Return the sentence of a verdict, and how it was decided."""
    word, sign, colour = OUTCOMES[verdict.outcome]
    rest = verdict.sentence.partition(":")[2]
    details = "".join(f"<li>{escape(line)}</li>" for line in str(verdict).splitlines()[1:])
    return (
        f'<div style="border-left:.4em solid {colour};padding:.2em .8em">'
        f'<p><strong style="color:{colour}">{sign} {word}:</strong>{escape(rest)}</p>'
        f"<details><summary>How this was found</summary><ul>{details}</ul></details></div>"
    )


def verdict_latex(verdict: Verdict) -> str:
    """Return the outcome and the claimed bound."""
    word = OUTCOMES[verdict.outcome][0]
    return rf"$\text{{{word}: }} {claim_latex(verdict.claim).strip('$')}$"


def _escaped(line: str) -> str:
    special = {"\\": r"\backslash ", "^": r"\^{}", "~": r"\~{}"}
    special |= {sign: f"\\{sign}" for sign in "#$%&_{}"}
    return "".join(special.get(letter, letter) for letter in line)


def progress_bar(title: str = "checked") -> Callable[[int, int], None]:
    """Return a progress bar for `progress=` of check, tightest and epsilons.

    In a notebook it is a display that is updated at most ten times a second; elsewhere it is a line
    on stderr.
    """
    handle = _display_handle()
    last = -inf

    def show(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _PAUSE and done < total:
            return
        last = now
        words = f"{done:,} of {total:,} {title}"
        if handle is not None:
            bar = f'<progress max="{total}" value="{done}" aria-label="progress"></progress>'
            handle.update({"text/html": f"{bar} {words}", "text/plain": words}, raw=True)
        elif sys.stderr.isatty():
            print(f"\r{words}", end="\n" if done == total else "", file=sys.stderr, flush=True)

    return show


def _display_handle() -> Any:
    """Return an updatable display if this runs in a notebook kernel, else None."""
    if "ipykernel" not in sys.modules:
        return None
    from IPython import display, get_ipython  # noqa: PLC0415

    if get_ipython() is None:
        return None
    show: Any = display.display
    return show({"text/plain": "…"}, raw=True, display_id=True)
