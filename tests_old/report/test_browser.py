"""The report in a real browser: Debian's Chromium, headless, driven by playwright."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from report.claims_to_show import CLAIMS, written_once

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chrome")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None,
    reason="no Chromium: run `make browser`, or set CHROMIUM to the path of one",
)
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written_once(tmp_path_factory)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        # Root in a container has no sandbox; the page is our own.
        found = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


class Opened:
    """A page that was opened, and everything that went wrong or over the network."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())

    def reads(self, claim: int) -> list[str]:
        """Return what stands below the slider of a claim."""
        names = ("eps", "exact", "claimed", "tight", "verdict")
        place = f'#claim-{claim} .reader:visible [data-value="%s"]'
        return [self.page.inner_text(place % name) for name in names]


@pytest.fixture
def opened(browser: Any, report: Path) -> Iterator[Opened]:
    found = Opened(browser, report, viewport={"width": 1000, "height": 900})
    yield found
    found.context.close()


def test_it_loads_without_errors_and_without_network(opened: Opened, report: Path) -> None:
    assert opened.problems == []
    assert opened.requests == [report.as_uri()]
    assert opened.page.locator(".reader:visible").count() == len(CLAIMS)


def test_the_slider_shows_the_right_values(opened: Opened) -> None:
    """By keyboard and by hand, on every claim; the values are those of the table."""
    for claim in range(1, len(CLAIMS) + 1):
        data = json.loads(opened.page.locator(f"#claim-{claim}-1-data").text_content() or "")
        slider = opened.page.locator(f"#claim-{claim}-1-eps")
        start = int(slider.input_value())
        assert opened.reads(claim) == data[start][:5]
        slider.focus()
        opened.page.keyboard.press("ArrowRight")
        assert opened.reads(claim) == data[min(start + 1, len(data) - 1)][:5]
        opened.page.keyboard.press("Home")
        assert opened.reads(claim) == data[0][:5]
        slider.fill(str(len(data) - 1))
        assert opened.reads(claim) == data[-1][:5]
        assert data[-1][0] in slider.get_attribute("aria-valuetext")
    assert opened.problems == []


def test_another_input_can_be_chosen(opened: Opened) -> None:
    """NoisyMax of two answers that are d apart errs with probability (1/2 + εd/8)·e^(−εd/2)."""
    page = opened.page
    page.locator("#claim-3-1-eps").focus()
    page.keyboard.press("ArrowRight")
    eps = opened.reads(3)[0]
    inputs = page.eval_on_selector_all("#claim-3-input option", "all => all.map(o => o.text)")
    assert len(inputs) == 9
    for number, label in enumerate(inputs):
        page.select_option("#claim-3-input", index=number)
        u = label.partition(" (")[0]
        assert page.inner_text("#claim-3 .panel:visible .at") == u
        first, second = json.loads(u)
        d, e = abs(first - second), float(eps)
        found = opened.reads(3)
        assert found[0] == eps  # the reader stays at the same ε
        error = 0.5 if found[1] == "1/2" else float(found[1])
        assert error == pytest.approx((1 / 2 + e * d / 8) * math.exp(-e * d / 2))
        assert found[4] == ("true" if d else "says nothing")
    assert page.locator("#claim-3 .panel:visible").count() == 1
    # With the keyboard: the next input of the list.
    page.select_option("#claim-3-input", index=0)
    page.locator("#claim-3-input").focus()
    page.keyboard.press("ArrowDown")
    assert page.inner_text("#claim-3 .panel:visible .at") == inputs[1]
    assert opened.problems == []


def test_the_cursor_stands_on_the_curve(opened: Opened) -> None:
    """In the picture of e^{−ε} the circle is where the drawn curve is."""
    slider = opened.page.locator("#claim-5-1-eps")
    chart = '.chart[data-for="claim-5-1"]'
    drawn = opened.page.evaluate(
        """(chart) => [...document.querySelectorAll(chart + ' path')]
             .filter(p => (p.getAttribute('style') || '').includes('#0072b2'))
             .map(p => p.getAttribute('d'))[0]""",
        chart,
    )
    points = [(float(x), float(y)) for x, y in re.findall(r"[ML] (\S+) (\S+)", drawn)]
    assert len(points) > 20
    for position in (2, 5, 8):
        slider.fill(str(position))
        circle = opened.page.locator(f"{chart} .cursor .exact")
        x, y = (float(circle.get_attribute(name) or "nan") for name in ("cx", "cy"))
        near = min(points, key=lambda point: abs(point[0] - x))
        left = max((p for p in points if p[0] <= x), default=near)
        right = min((p for p in points if p[0] >= x), default=near)
        assert min(left[1], right[1]) - 1 <= y <= max(left[1], right[1]) + 1


@pytest.mark.parametrize("width", [320, 375, 1000])
def test_it_fits_a_phone(browser: Any, report: Path, width: int) -> None:
    """Everything is on the screen, in opened details too; only formulas scroll in their boxes."""
    opened = Opened(browser, report, viewport={"width": width, "height": 800})
    opened.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    beyond = opened.page.evaluate(
        "[...document.querySelectorAll('body *')].filter(one => !one.closest('math') &&"
        " one.getBoundingClientRect().width > 0 &&"
        f" one.getBoundingClientRect().right > {width} + 1).map(one => one.outerHTML.slice(0, 90))"
    )
    assert beyond == []
    opened.context.close()


def test_it_is_accessible(opened: Opened) -> None:
    """No rule of axe-core is violated: labels, contrast, landmarks, keyboard."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    opened.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    found = axe.Axe().run(opened.page)
    assert found.violations_count == 0, found.generate_report()


def test_every_control_is_reached_with_the_keyboard(opened: Opened) -> None:
    reached = set()
    for _ in range(200):
        opened.page.keyboard.press("Tab")
        name = opened.page.evaluate("document.activeElement.id || document.activeElement.tagName")
        if name == "BODY":
            break
        reached.add(name)
    sliders = {f"claim-{k}-1-eps" for k in range(1, len(CLAIMS) + 1)}
    assert sliders | {"claim-1-input", "SUMMARY", "A"} <= reached


def test_it_works_without_scripts(browser: Any, report: Path) -> None:
    opened = Opened(browser, report, java_script_enabled=False)
    assert opened.page.locator(".reader:visible").count() == 0
    assert opened.page.locator(".chooser:visible").count() == 0
    assert opened.page.locator(".chart svg:visible").count() == len(CLAIMS)
    opened.page.locator("#claim-5 summary").first.click()
    assert opened.page.locator("#claim-5 table.values:visible").count() == 1
    inputs = opened.page.locator("#claim-3 details.panel > summary")
    assert inputs.count() == 3  # 1, 0 and 2 apart
    for k in (1, 2):  # the first is open
        inputs.nth(k).click()
    assert opened.page.locator("#claim-3 .chart svg:visible").count() == 3
    opened.context.close()


def test_it_prints(opened: Opened, tmp_path: Path) -> None:
    """Tables that were closed are on paper, the slider is not."""
    opened.page.emulate_media(media="print")
    assert opened.page.locator(".reader:visible").count() == 0
    assert opened.page.locator("table.values:visible").count() == len(CLAIMS)
    assert opened.page.locator(".panel:visible").count() == len(CLAIMS)  # the chosen inputs
    opened.page.pdf(path=tmp_path / "r.pdf")
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF")


def test_a_certificate_is_downloaded(opened: Opened, tmp_path: Path) -> None:
    links = opened.page.locator("a[download]")
    assert links.count()
    with opened.page.expect_download() as waiting:
        links.first.click()
    waiting.value.save_as(tmp_path / "c.json")
    assert json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))["kind"]
    assert opened.problems == []
