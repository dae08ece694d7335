"""The report as a document: whole, alone, with the right numbers, and nothing to inject."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import mpmath
import pytest

from exactdp import (
    Accuracy,
    Expected,
    Grid,
    Mechanism,
    Privacy,
    Verdict,
    alpha,
    certify,
    discrete,
    eps,
    exp,
    sup,
)
from exactdp.report.losses import expected_rows
from exactdp.report.notebook import claim_rows
from exactdp.report.offered import choices as curves_of
from exactdp.report.page import page, write_report
from exactdp.report.private import privacy_rows
from report.claims_to_show import (
    BUDGET,
    CLAIMS,
    FAILS,
    HOLDS,
    QUOTIENT,
    SILENT,
    laplace,
    written_once,
)


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written_once(tmp_path_factory).read_text(encoding="utf-8")


class Elements(HTMLParser):
    """All elements with their attributes, and a check that they are closed in order."""

    VOID = frozenset({"meta", "link", "input", "br", "path", "use", "line", "circle", "rect"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element that is opened."""
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element without content."""
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """Check that the last one opened is closed."""
        if tag not in self.VOID:
            assert self.open.pop() == tag


def test_the_page_is_well_formed_and_alone(html: str) -> None:
    elements = Elements(html)
    assert elements.open == []
    ids = Counter(attrs["id"] for _, attrs in elements.found if "id" in attrs)
    assert [name for name, count in ids.items() if count > 1] == []
    for tag, attrs in elements.found:
        for name in ("src", "href", "xlink:href"):
            target = attrs.get(name) or "#"
            assert target.startswith(("#", "data:")), (tag, target)
            assert not target.startswith("#") or len(target) == 1 or target[1:] in ids
    assert "url(http" not in html
    assert "@import" not in html


def test_every_claim_has_its_verdict(html: str) -> None:
    badges = re.findall(r'<span class="badge (\w+)">(.*?)</span></h2>', html)
    kinds = [kind for kind, _ in badges]
    assert kinds == ["holds", "fails", "holds", "vacuous", "fails", "fails"]
    assert "says &lt;nothing&gt; &amp; more" in html
    assert "<nothing>" not in html


def values(html: str, claim: int, panel: int = 1) -> list[list[str]]:
    found = re.search(rf'id="claim-{claim}-{panel}-data">(.*?)</script>', html)
    assert found
    read: list[list[str]] = json.loads(found.group(1))
    return read


def test_the_values_are_right_to_the_last_digit(html: str) -> None:
    """The Laplace mechanism errs by more than 1 with probability e^{−ε}; claimed is 1/20."""
    rows = values(html, 5)
    assert len(rows) > 15
    for epsilon, exact, claimed, _tight, verdict, *_ in rows:
        error = mpmath.exp(-mpmath.mpf(epsilon))
        assert mpmath.almosteq(mpmath.mpf(exact), error, 1e-11)
        assert claimed == "1/20"
        assert verdict == ("true" if error <= mpmath.mpf(1) / 20 else "false")


def test_the_table_and_the_script_show_the_same(html: str) -> None:
    for claim in range(1, len(CLAIMS) + 1):
        for panel in range(1, html.count(f'data-claim="claim-{claim}"') + 1):
            section = html[html.index(f'id="claim-{claim}-{panel}"') :].partition("</table>")[0]
            table = re.findall(r'<th scope="row" class="number">(.*?)</th>(.*?)</tr>', section)
            shown = [[eps, *re.findall(r"<td.*?>(.*?)</td>", rest)] for eps, rest in table]
            assert shown == [row[:5] for row in values(html, claim, panel)]


def choices(html: str, claim: int) -> list[tuple[int, str, str]]:
    """Return the panel, the input and the label of each choice of a claim."""
    pattern = rf'<option value="claim-{claim}-(\d+)" data-input="(.*?)">(.*?)</option>'
    return [(int(panel), u, label) for panel, u, label in re.findall(pattern, html)]


def test_every_input_of_a_small_grid_can_be_chosen(html: str) -> None:
    for claim in (1, 2):
        found = choices(html, claim)
        assert {u for _, u, _ in found} == {
            f"[{a}, {b}, {c}]" for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)
        }
        assert len({panel for panel, _, _ in found}) < 9  # one for all inputs with the same curve
    # κ is the same at [-1, -1, 0] and [-1, -1, 1], whose errors differ by the scale of ε alone.
    assert choices(html, 2)[0][2] == "[-1, -1, 0] (a counterexample, the least κ)"


def test_the_values_are_right_at_every_input(html: str) -> None:
    """NoisyMax of two answers that are d apart errs with probability (1/2 + εd/8)·e^(−εd/2)."""
    found = choices(html, 3)
    assert len(found) == 9
    for panel, u, _ in found:
        first, second = json.loads(u)
        d = mpmath.mpf(abs(first - second))
        rows = values(html, 3, panel)
        assert len(rows) > 10
        for epsilon, exact, claimed, tight, verdict, *_ in rows:
            e = mpmath.mpf(epsilon)
            assert mpmath.almosteq(
                mpmath.mpf(exact) if "/" not in exact else mpmath.mpf(1) / 2,
                (mpmath.mpf(1) / 2 + e * d / 8) * mpmath.exp(-e * d / 2),
                1e-10,
            )
            if not d:
                assert (claimed, tight, verdict) == ("—", "—", "says nothing")
                continue
            bound = min(mpmath.mpf(1), 3 * mpmath.exp(-e * d / 4))
            assert mpmath.almosteq(mpmath.mpf(claimed), bound, 1e-10)
            assert verdict == "true"


def test_what_is_not_shown_is_said() -> None:
    many = replace(HOLDS, inputs=Grid(-2, 2))
    found = curves_of(many, many.check())
    assert found.left_out == "Other inputs are not shown: there are many."
    some = replace(HOLDS, inputs=[[k, 0, 0] for k in range(1, 12)])
    found = curves_of(some, some.check())
    assert found.left_out == "3 more inputs are not shown."
    assert len(found.all) == 8


def test_a_counterexample_shows_its_arithmetic() -> None:
    """The summands in the table add up to the probability and to β."""
    claim = replace(FAILS, inputs=[[-1, -1, 0]])
    verdict = claim.check()
    found = verdict.counterexample
    assert found is not None
    text = page({"fails": claim}, "", verdicts={"fails": verdict})
    tables = re.findall(r'<table class="sum">(.*?)</table>', text, re.DOTALL)
    sums = []
    for table in tables:
        summands = re.findall(r'</math></td><td class="number">(.*?)</td>', table)
        total = re.findall(r'sum</th><td class="number">(.*?)</td>', table)
        assert float(total[0]) == pytest.approx(sum(map(float, summands)), abs=1e-10)
        sums.append(float(total[0]))
    assert sums == pytest.approx([float(found.actual), 1 - float(found.required)], abs=1e-10)


def test_a_quotient_shows_both_of_its_sums() -> None:
    """Geometric noise exceeds 1 with probability 2·e^{−2ε}/(1 + e^{−ε})."""
    found = QUOTIENT.check().counterexample
    assert found is not None
    text = page({"quotient": QUOTIENT}, "")
    assert "above the bar" in text
    assert "below the bar" in text
    x = mpmath.exp(-mpmath.mpf(found.eps.numerator) / found.eps.denominator)
    (shown,) = re.findall(r"The quotient is ([^<\s]+)\.\s*</li>", text)
    assert mpmath.almosteq(mpmath.mpf(shown), 1 - 2 * x**2 / (1 + x), 1e-11)


def test_a_given_verdict_is_not_decided_again(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = BUDGET.check()
    monkeypatch.setattr(type(BUDGET), "check", lambda _self: pytest.fail("checked again"))
    assert "Fails" in page({"x": BUDGET}, "", verdicts={"x": verdict})


def test_certificates_are_attached(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = BUDGET.check()
    monkeypatch.setattr(Verdict, "certificate", {"kind": "accuracy", "β": [1, 2]})
    text = page({"my claim": BUDGET}, "", verdicts={"my claim": verdict})
    name, content = re.findall(r'download="(.*?)" href="data:application/json;base64,(.*?)"', text)[
        0
    ]
    assert name == "my-claim.certificate.json"
    assert json.loads(base64.b64decode(content)) == {"kind": "accuracy", "β": [1, 2]}


def test_attached_certificates_are_proofs(html: str) -> None:
    found = re.findall(r'download=".*?" href="data:application/json;base64,(.*?)"', html)
    assert len(found) == len(CLAIMS)
    for one in found:
        assert certify.check(base64.b64decode(one).decode())


def test_an_undecided_claim_is_on_the_page() -> None:
    count = Mechanism.from_source("def count(x: Dom(0, 9)):\n    return dlap(eps, x)\n")
    beta, square = exp(-alpha * eps), alpha * alpha
    claim = Accuracy(count, beta=beta, gamma=square, output_distance=sup, inputs=[4])
    text = page({"x": claim}, "")
    assert '<span class="badge undecided">? Undecided</span>' in text
    assert "An undecided claim has no certificate." in text


def test_texts_of_a_domain_are_escaped() -> None:
    """Inputs may be any texts: markup, and what matplotlib reads as a formula."""
    wild = ("<b>&x", "$\\frac$", "</script><script>alert(1)</script>")
    source = "def same(x: Dom(values)):\n    return choose({x: 1 - exp(-eps), 0: exp(-eps)})"
    same = Mechanism.from_source(source, constants={"values": wild})
    text = page(
        {"<i>": Accuracy(same, beta="9/10", ideal=lambda x: x, input_distance=discrete)}, ""
    )
    Elements(text)
    assert "<b>&x" not in text
    assert "<b>&amp;x" not in text
    assert "<script>alert" not in text
    assert "&lt;b&gt;&amp;x" in text


def test_one_input_is_told_in_the_singular() -> None:
    expected = Expected(laplace, at_most=1 / eps, inputs=[0])
    private = Privacy(laplace, inputs=[0])
    for rows in (claim_rows(SILENT), expected_rows(expected), privacy_rows(private)):
        assert dict(rows)["inputs"] == "1 given input"


def test_a_missing_certificate_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_verdict: Verdict) -> None:
        raise NotImplementedError("not written yet")

    monkeypatch.setattr(Verdict, "certificate", property(refuse))
    assert "There is no certificate: not written yet." in page({"x": SILENT}, "")


def test_what_was_assumed_and_the_source_are_there(html: str) -> None:
    assert "no conjecture is used" in html
    assert "Definition 2" in html
    assert html.count("best, top = 0, lap(eps / 2, q[0])") >= len(CLAIMS) // 2
    assert re.search(r"exactdp \d", html)
    assert re.search(r"python-flint \d", html)


def test_the_page_is_written(tmp_path: Path) -> None:
    heard: list[tuple[int, int]] = []
    write_report(
        {"a": BUDGET, "b": SILENT},
        tmp_path / "r.html",
        "x = '</script><script>alert(1)</script>'",
        progress=lambda done, total: heard.append((done, total)),
    )
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert heard == [(0, 2), (1, 2), (2, 2)]
    assert "<script>alert" not in text


def test_a_counterexample_with_a_logarithm() -> None:
    """Its probability has no summands to show, only a formula and a value."""
    above = Mechanism.from_source("def above(q: Real): return lap(eps, q) > log(20) / (2 * eps)")
    ideal = Mechanism.from_source("def ideal(q: Real): return q > 0")
    text = page({"above": Accuracy(above, "20%", ideal=ideal, inputs=[3])}, "")
    assert "Fails" in text
    assert "log(20)" in text
