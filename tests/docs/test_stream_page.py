"""The figure of the page about streams is what the page draws."""

import re
import warnings
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_figure_is_what_the_page_draws(tmp_path, monkeypatch):
    page = (DOCS / "stream.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    namespace = {}
    with warnings.catch_warnings():
        for block in re.findall(r"^```python\n(.*?)^```", page, re.M | re.S):
            exec(compile(block, "stream.md", "exec"), namespace)
    drawn, kept = (folder / "stream.svg" for folder in (tmp_path, DOCS))
    assert drawn.read_text(encoding="utf-8") == kept.read_text(encoding="utf-8")
