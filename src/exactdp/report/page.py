"""Reports: a self-contained HTML page about some claims."""

from __future__ import annotations

import base64
import datetime
import io
import json
import platform
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

from exactdp.claims.accuracy import Accuracy
from exactdp.claims.constants.curves import ErrorCurve
from exactdp.claims.decision.counterexamples import Counterexample
from exactdp.claims.decision.verdict import Verdict
from exactdp.claims.expectations.claim import Expected
from exactdp.claims.private.claim import Privacy
from exactdp.claims.stated.levels import Range
from exactdp.errors import ExactdpError, counted
from exactdp.reals import ClosedForm, Enclosure, ExpPoly
from exactdp.reals.logs import LogForm
from exactdp.reals.numbers import inf, spell
from exactdp.reals.printing import mathml, term_mathml
from exactdp.reals.radicals import told
from exactdp.report.extras import require
from exactdp.report.losses import expected_rows, how_large
from exactdp.report.notebook import OUTCOMES, claim_rows
from exactdp.report.offered import OfferedCurve, choices
from exactdp.report.private import how_private, privacy_rows
from exactdp.report.shown import Shown, readings, text
from exactdp.semantics.by_epsilon import ByEpsilon

_DIGITS = 12
_LARGEST_FORM = 60  # terms; longer closed forms are not shown


def write_report(
    claims: Mapping[str, Accuracy | Privacy | Expected],
    path: str | Path,
    source_text: str,
    *,
    verdicts: Mapping[str, Verdict] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Write the report on some claims, by name; those without a verdict are checked.

    `source_text` is the text of their file. `progress` is called with the number of claims done.
    """
    Path(path).write_text(
        page(claims, source_text, verdicts=verdicts, progress=progress), encoding="utf-8"
    )


def page(
    claims: Mapping[str, Accuracy | Privacy | Expected],
    source_text: str,
    *,
    verdicts: Mapping[str, Verdict] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> str:
    """Return the report as HTML."""
    require("jinja2", "matplotlib")
    import jinja2  # noqa: PLC0415 only for reports

    here = Path(__file__).parent
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(here),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    sections = []
    for number, (name, claim) in enumerate(claims.items(), 1):
        if progress is not None:
            progress(number - 1, len(claims))
        verdict = verdicts.get(name) if verdicts is not None else None
        try:
            found = claim.check() if verdict is None else verdict  # which is false if it fails
            beside = [one for one in claims.values() if isinstance(one, Accuracy)]
            sections.append(_section(number, name, claim, found, beside))
        except ExactdpError as error:
            error.message = f"{name}: {error.message}"
            raise
    if progress is not None:
        progress(len(claims), len(claims))
    return environment.get_template("page.html").render(
        sections=sections,
        source=source_text.strip("\n"),
        versions=_versions(),
        made=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        style=(here / "page.css").read_text(encoding="utf-8"),
        script=(here / "page.js").read_text(encoding="utf-8"),
    )


def _section(
    number: int, name: str, claim: Any, verdict: Verdict, beside: Sequence[Accuracy]
) -> dict[str, Any]:
    """Return the section about one claim."""
    word, sign, _ = OUTCOMES[verdict.outcome]
    noun = verdict.nouns[0]
    where = f"{counted(verdict.inputs, noun)} looked at{verdict.as_classes}"
    if empty := verdict.silent + verdict.trivial:
        where += f"; the claim says nothing at {empty:,} of them"
    rows, heading, told = _told(claim, beside)
    is_plain = not heading
    return {
        "id": f"claim-{number}",
        "name": name,
        "kind": verdict.outcome,
        "word": word,
        "sign": sign,
        "sentence": verdict.sentence.partition(": ")[2],
        "rows": rows,
        "route": verdict.route,
        "where": where,
        "assumptions": verdict.assumptions,
        "program": str(claim.mechanism).strip(),
        "counterexamples": [_counterexample(claim, one) for one in verdict.counterexamples]
        if is_plain
        else [],
        "breaches": [] if is_plain else [f"{one}." for one in verdict.counterexamples],
        "heading": heading,
        "told": told,
        "seconds": f"{verdict.seconds:.2g}",
        "file": f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', name).strip('-')[:80]}.certificate.json",
        "certificate": _certificate(verdict),
        **(_curves(f"claim-{number}", claim, verdict) if is_plain else {}),
    }


def _told(claim: Any, beside: Sequence[Accuracy]) -> tuple[list[tuple[str, str]], str, list[str]]:
    """Return the parts of a claim and, if it has no curves, a heading and sentences."""
    if isinstance(claim, Privacy):
        return privacy_rows(claim), "How private it is", how_private(claim, beside)
    if isinstance(claim, Expected):
        return expected_rows(claim), "How large the expected loss is", how_large(claim)
    return claim_rows(claim), "", []


# The curve ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Reading:
    """Certified values at one ε, as text, and the position of the exact one in the plot."""

    eps: str
    exact: str
    claimed: str
    tight: str
    holds: bool | None
    x: float
    y: float
    y_claimed: float

    @property
    def verdict(self) -> str:
        """Whether the claim is true at this input and ε."""
        if self.holds is None:
            return "says nothing"
        return "true" if self.holds else "false"

    def data(self) -> list[object]:
        """Return the data for the script of the page."""
        return [
            self.eps,
            self.exact,
            self.claimed,
            self.tight,
            self.verdict,
            self.x,
            self.y,
            self.y_claimed,
        ]


def _curves(name: str, claim: Accuracy, verdict: Verdict) -> dict[str, Any]:
    """Return the curves offered to the reader, or the reason why there are none."""
    try:
        found = choices(claim, verdict)
        panels = [_curve(f"{name}-{k}", claim, one) for k, one in enumerate(found.all, 1)]
    except ExactdpError as error:
        return {"missing": str(error), "panels": [], "inputs": [], "left_out": ""}
    inputs = [
        (panel["id"], label, f"{label} ({special})" if special else label)
        for panel, one in zip(panels, found.all, strict=True)
        for label, special in one.inputs.items()
    ]
    return {"missing": "", "panels": panels, "inputs": inputs, "left_out": found.left_out}


def _curve(name: str, claim: Accuracy, choice: OfferedCurve) -> dict[str, Any]:
    """Return the plot of one curve, its readings and its closed forms."""
    shown = choice.shown
    svg, place = _picture(shown, name)
    values = [reading(shown, eps, place) for eps in readings(shown)]
    curve = shown.curve
    start = len(values) // 2
    if shown.counterexample is not None:
        texts = [one.eps for one in values]
        start = texts.index(_decimal(shown.counterexample.eps))
    alpha = "" if curve.alpha is None else f"α = {text(curve.alpha)}"
    if alpha and isinstance(claim.alpha_level, Range) and shown.counterexample is None:
        alpha = f"any α below {text(curve.alpha)}"
    several = list(choice.inputs)
    return {
        "id": name,
        "input": several[0],
        "several": ", ".join(several) if len(several) > 1 else "",
        "heading": _heading(several),
        "gamma": text(curve.gamma),
        "alpha": alpha,
        "svg": svg,
        "readings": values,
        "start": start,
        "data": json.dumps([one.data() for one in values], ensure_ascii=False),
        "exact": _typeset(curve.exact),
        "chance": _typeset(
            1 - curve.exact
            if isinstance(curve.exact, ClosedForm)
            else curve.exact.mapped(lambda one: 1 - one)
        ),
        "claimed": [_typeset(form) for form in curve.claimed],
        "tight": _tight(shown),
    }


def _heading(inputs: list[str]) -> str:
    if len(inputs) == 1:
        return f"At the input {inputs[0]}"
    more = f" and {len(inputs) - 3:,} more" if len(inputs) > 4 else ""
    return f"At the inputs {', '.join(inputs[: 3 if more else 4])}{more}"


def reading(
    shown: Shown, eps: Fraction, place: Callable[[float, float], tuple[float, float]]
) -> Reading:
    """Return the certified values of a curve at a rational ε; the comparison is exact."""
    curve = shown.curve
    exact = curve.at(eps)
    claimed = least(curve.claimed, eps, 1)
    holds = all(_is_below(curve, form, eps) for form in curve.claimed)
    tight = least(curve.claimed, eps, shown.kappa) if shown.kappa is not None else ("—", 0.0)
    x, y = place(float(eps), float(exact))
    return Reading(
        _decimal(eps),
        exact.text(_DIGITS),
        claimed[0] if curve.claimed else "—",
        tight[0] if curve.claimed else "—",
        holds if curve.claimed else None,
        x,
        y,
        place(float(eps), claimed[1])[1],
    )


def least(forms: Iterable[ClosedForm], eps: Fraction, kappa: Fraction | int) -> tuple[str, float]:
    """Return the least of 1 and some bounds divided by κ, as certified text and as a float."""
    best: ClosedForm = ExpPoly(1)
    for form in forms:
        bound = form * (1 / Fraction(kappa))
        if (bound - best).at(eps).sign < 0:
            best = bound
    value = best.at(eps)
    return value.text(_DIGITS), float(value)


def _picture(shown: Shown, name: str) -> tuple[str, Callable[[float, float], tuple[float, float]]]:
    """Return the curve as SVG with a cursor, and a function from its points to positions."""
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    from exactdp.report.plots import plot_shown  # noqa: PLC0415
    from exactdp.report.styles import STYLE  # noqa: PLC0415

    with mpl.rc_context({**STYLE, "svg.hashsalt": name, "font.family": "sans-serif"}):
        # Small enough to be legible on a phone; the layout is fixed, so nothing is measured.
        figure = Figure(figsize=(5.2, 3.7))
        figure.subplots_adjust(left=0.15, right=0.97, top=0.92, bottom=0.13)
        ax = plot_shown(shown, figure.subplots())
        ax.set_title(shown.claim.mechanism.__name__, parse_math=False)  # the page names the input
        written = io.StringIO()
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    scale = 72 / figure.dpi
    height = figure.get_figheight() * 72
    to_pixels = ax.transData.transform
    (left, bottom), (right, top) = ax.transAxes.transform([(0, 0), (1, 1)]) * scale

    def place(x: float, y: float) -> tuple[float, float]:
        lowest = ax.get_ylim()[0]
        across, up = to_pixels((x, max(y, lowest))) * scale
        return round(float(across), 2), round(height - float(min(max(up, bottom), top)), 2)

    svg = written.getvalue()
    svg = svg[svg.index("<svg") :]
    # Several plots share the page, so their ids must differ.
    svg = re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{name}-", svg)
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    input_shown = text(shown.curve.input)
    label = f"Error probability against epsilon at the input {input_shown}; values in the table"
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{escape(label)}" ', 1)
    cursor = (
        f'<g class="cursor" visibility="hidden"><line y1="{height - top:.2f}" '
        f'y2="{height - bottom:.2f}"/><circle class="exact" r="4.5"/>'
        '<rect class="claimed" width="8" height="8"/></g>'
    )
    assert left < right
    return svg.replace("</svg>", f"{cursor}</svg>"), place


def _tight(shown: Shown) -> str:
    if shown.best is None:
        return ""
    best = shown.best
    if best.input is None:
        return str(best)
    whole = f"; the largest whole κ is {best.integer}" if best.integer is not None else ""
    return f"β/κ is true for every κ up to {best.kappa.limits}{whole}."


def _is_below(curve: ErrorCurve, bound: ClosedForm, eps: Fraction) -> bool:
    """Whether the error probability is at most a bound at an ε."""
    if isinstance(curve.exact, ClosedForm):
        return (bound - curve.exact).at(eps).sign >= 0
    gap: Enclosure = curve.exact.mapped(lambda one: bound - one).at(eps)
    return gap.sign >= 0


def _typeset(form: ClosedForm | ByEpsilon[ClosedForm]) -> str:
    if isinstance(form, ByEpsilon):
        return form._repr_html_()
    terms = len(form.numerator.terms) + len(form.denominator.terms)
    if terms > _LARGEST_FORM:
        return f"a closed form of {counted(terms, 'term')}, not shown"
    return mathml(form)


def _decimal(value: Fraction) -> str:
    """Return a rational as a decimal if it has a short one, else as a quotient."""
    number = f"{float(value):.6g}"
    return number if Fraction(number) == value else spell(value)


# Counterexamples ----------------------------------------------------------------------


def _counterexample(claim: Accuracy, one: Counterexample) -> dict[str, Any]:
    """Return a counterexample with its arithmetic: every summand with its value."""
    short = (1 - one.beta - one.probability).at(one.eps)
    nearest = ""
    if one.distance != inf:
        found = claim.obligations.disagreement(claim.mechanism.read_input(one.input))
        how = "include" if found.attained else "are arbitrarily close to"
        nearest = f"nearest inputs with another ideal output {how} {text(found.input)}"
    return {
        "input": text(one.input),
        "eps": spell(one.eps),
        "alpha": told(one.alpha),
        "gamma": told(one.gamma),
        "output": text(one.output),
        "distance": text(one.distance),
        "nearest": nearest,
        "actual": one.actual.text(_DIGITS),
        "required": one.required.text(_DIGITS),
        "short": short.text(_DIGITS),
        "sums": [
            _sum(f"Pr(within γ = {told(one.gamma)})", one.probability, one.eps),
            _sum(f"β at α = {told(one.alpha)}", one.beta, one.eps),
        ],
    }


def _sum(name: str, form: ClosedForm | LogForm, eps: Fraction) -> dict[str, Any]:
    """Return a closed form with the value of each summand at an ε."""
    if isinstance(form, LogForm):
        value = form.at(eps).text(_DIGITS)
        return {"name": name, "formula": escape(form.pretty()), "value": value, "parts": []}
    parts = [] if form.is_irrational else [("", form.numerator)]
    if form.denominator != 1 and parts:
        parts = [("above the bar", form.numerator), ("below the bar", form.denominator)]
    return {
        "name": name,
        "formula": _typeset(form),
        "value": form.at(eps).text(_DIGITS),
        "parts": [
            {
                "name": part,
                "terms": [
                    (term_mathml(term), ExpPoly([term]).at(eps).text(_DIGITS))
                    for term in poly.terms
                ],
                "value": poly.at(eps).text(_DIGITS),
            }
            for part, poly in parts
            if len(poly.terms) <= _LARGEST_FORM
        ],
    }


# Attachments --------------------------------------------------------------------------


def _certificate(verdict: Verdict) -> dict[str, str]:
    """Return the certificate as a data URL, or the reason why there is none."""
    if verdict.holds is None:
        return {"missing": "An undecided claim has no certificate."}
    try:
        content = json.dumps(verdict.certificate, ensure_ascii=False, indent=1).encode()
    except Exception as error:  # the page is useful without a certificate
        return {"missing": f"There is no certificate: {getattr(error, 'message', error)}."}
    size = f"{len(content) / 1000:,.0f} kB" if len(content) >= 1000 else f"{len(content)} bytes"
    encoded = base64.b64encode(content).decode("ascii")
    return {"missing": "", "url": f"data:application/json;base64,{encoded}", "size": size}


def _versions() -> dict[str, str]:
    found = {"exactdp": version("exactdp"), "Python": platform.python_version()}
    return found | {name: version(name) for name in ("python-flint", "matplotlib")}
