"""The report as a document: whole, alone, with the right numbers, and nothing to inject."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import mpmath
import pytest

from exactdp import Verdict
from exactdp.report.page import page, write_report
from report.claims_to_show import BUDGET, CLAIMS, FAILS, HOLDS, NOISY_MAX, QUOTIENT, SILENT


@pytest.fixture(scope="module")
def html() -> str:
    return page(CLAIMS, NOISY_MAX)


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


def values(html: str, claim: int) -> list[list[str]]:
    found = re.search(rf'id="claim-{claim}-data">(.*?)</script>', html)
    assert found
    read: list[list[str]] = json.loads(found.group(1))
    return read


def test_the_values_are_right_to_the_last_digit(html: str) -> None:
    """The Laplace mechanism errs by more than 1 with probability e^{−ε}; claimed is 1/20."""
    rows = values(html, 5)
    assert len(rows) > 15
    for eps, exact, claimed, _tight, verdict, *_ in rows:
        error = mpmath.exp(-mpmath.mpf(eps))
        assert mpmath.almosteq(mpmath.mpf(exact), error, 1e-11)
        assert claimed == "1/20"
        assert verdict == ("true" if error <= mpmath.mpf(1) / 20 else "false")


def test_the_table_and_the_script_show_the_same(html: str) -> None:
    for claim in range(1, len(CLAIMS) + 1):
        section = html[html.index(f'id="claim-{claim}-title"') :].partition("</section>")[0]
        table = re.findall(r'<th scope="row" class="number">(.*?)</th>(.*?)</tr>', section)
        shown = [[eps, *re.findall(r"<td.*?>(.*?)</td>", rest)] for eps, rest in table]
        assert shown == [row[:5] for row in values(html, claim)]


def test_a_counterexample_shows_its_arithmetic() -> None:
    """The summands in the table add up to the probability and to β."""
    verdict = FAILS.check()
    found = verdict.counterexample
    assert found is not None
    text = page({"fails": FAILS}, "", verdicts={"fails": verdict})
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
    verdict = HOLDS.check()
    monkeypatch.setattr(Verdict, "certificate", {"kind": "accuracy", "β": [1, 2]})
    text = page({"my claim": HOLDS}, "", verdicts={"my claim": verdict})
    name, content = re.findall(r'download="(.*?)" href="data:application/json;base64,(.*?)"', text)[
        0
    ]
    assert name == "my-claim.certificate.json"
    assert json.loads(base64.b64decode(content)) == {"kind": "accuracy", "β": [1, 2]}


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
    assert heard == [(1, 2), (2, 2)]
    assert "<script>alert" not in text
