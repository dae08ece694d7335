"""The pages and examples, in a checkout and beside the package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from exactdp_next import pages
from exactdp_next.errors import ValueRefusedError

ROOT = Path(__file__).parents[2]


def test_all_sections_of_a_checkout() -> None:
    found = list(pages.sections())
    texts = [page.read_text(encoding="utf-8") for page in (ROOT / "docs/errors").glob("*.md")]
    assert len(found) == sum(len(re.findall(r"^## ", text, re.MULTILINE)) for text in texts)
    title = {code: title for code, title, _ in found}
    assert title["P30"] == "** in a call is not in the language"
    assert all("Right:" in text for code, _, text in found if code == "N01")


def test_topics_and_examples() -> None:
    assert {"language", "command-line"} <= pages.topics().keys()
    files = {path.stem for path in (ROOT / "examples").glob("*.py")}
    assert files <= pages.examples().keys()


def test_beside_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "exactdp" / "documents"
    (inside / "errors").mkdir(parents=True)
    (inside / "examples" / "more").mkdir(parents=True)
    (inside / "errors" / "names.md").write_text("# Names\n\n## N01: … is not known\n\ntext\n")
    (inside / "examples" / "more" / "one.py").write_text("claims = {'one': 1}\n")
    monkeypatch.setattr(pages, "__file__", str(tmp_path / "exactdp" / "pages.py"))
    assert list(pages.sections()) == [("N01", "… is not known", "text")]
    assert pages.topics() == {}
    assert pages.example("more/one").claims == {"one": 1}


@pytest.mark.parametrize("name", ["laplas", 3, ["laplace"]])
def test_an_unknown_example(name: str) -> None:
    with pytest.raises(ValueRefusedError, match="there is no example") as caught:
        pages.example(name)
    assert "laplace" in caught.value.rule
