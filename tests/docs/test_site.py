import doctest
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from browser import find_browser
from public_names import described

pytest.importorskip("docs_site", reason="the source distribution has no tools of the site")

from docs_site.links import for_site

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
SETTINGS = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
# The site is built by "make docs" and "make check", which install what it takes.
DOCS = ["mkdocs", "material", "mkdocstrings", "griffe", "math_core"]


def in_words(html):
    """What is left of a page without code, equations and tags."""
    text = re.sub(r"<(pre|code|math|script|style)\b.*?</\1>", "", html, flags=re.S)
    return re.sub(r"<[^>]*>", "", text)


def test_every_page_is_in_the_navigation_once():
    nav = SETTINGS.partition("\nnav:\n")[2]
    listed = re.findall(r"([\w/.-]+\.md)$", nav, re.M)
    inside = [page.relative_to(ROOT / "docs").as_posix() for page in PAGES]
    assert sorted(listed) == sorted([*inside, "contributing.md", "changelog.md"])


@pytest.mark.parametrize("name", ["commands", "docstrings", "equations", "links", "references"])
def test_the_examples_of_the_tools_hold(name):
    for package in DOCS:
        pytest.importorskip(package)
    module = importlib.import_module(f"docs_site.{name}")
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    found = doctest.testmod(module, optionflags=flags)
    assert found.attempted and not found.failed


@pytest.mark.parametrize(
    "text, there",
    [
        ("[a](b.md)", "[a](b.md)"),
        ("[a](../../CHANGELOG.md)", "[a](../changelog.md)"),
        ("[a](../../README.md#why)", "[a](../index.md#why)"),
        ("[a](../api/tally.md)", "[a](../api/tally.md)"),
        ("[`run.py`](../../experiments/kim/run.py)", "`experiments/kim/run.py`"),
        ("[this](../../benchmarks/)", "this (`benchmarks`)"),
        (
            "![a](b.svg), [a](https://b.org/c), [a](#b)",
            "![a](b.svg), [a](https://b.org/c), [a](#b)",
        ),
        ("```\n[a](../../Makefile)\n```", "```\n[a](../../Makefile)\n```"),
        ("[![a](b.svg)](c.md)", "[![a](b.svg)](c.md)"),
    ],
)
def test_links_lead_to_pages_of_the_site_or_name_a_file(text, there):
    assert for_site(text, "docs/papers/kim.md") == there


def test_links_of_pages_outside_the_folder_lead_into_it():
    assert for_site("[a](docs/papers/kim.md#b)", "CHANGELOG.md") == "[a](papers/kim.md#b)"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built as 'make docs' does, unless TALLYTEXT_SITE names one built just before."""
    if built := os.environ.get("TALLYTEXT_SITE"):
        return ROOT / built
    for package in DOCS:
        pytest.importorskip(package)
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


def pages_of(site):
    return {
        path.relative_to(site).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(site.rglob("*.html"))
    }


def test_the_site_shows_every_public_name_where_the_reference_has_it(site):
    pages = pages_of(site)
    for page, path in described():
        assert f'id="{path}"' in pages[f"api/{page.removesuffix('.md')}.html"]
    # A function may have the name of the module that it is written in.
    assert not any("doc-symbol-module" in html for html in pages.values())


def test_names_in_docstrings_lead_to_their_place(site):
    tally = (site / "api" / "tally.html").read_text(encoding="utf-8")
    bayes = (site / "api" / "bayes.html").read_text(encoding="utf-8")
    assert 'href="#tallytext.Tally.live"' in tally  # a base class without a page has it
    assert 'href="selection.html#tallytext.features.score_terms"' in bayes


def test_nothing_of_equations_and_roles_is_left_as_it_was_written(site):
    for page, html in pages_of(site).items():
        article = re.search(r"<article.*</article>", html, re.S)
        words = in_words(article[0]) if article else ""
        assert not re.findall(r".*(?:\\[a-zA-Z]+|:[a-z]+:`|\.\. [a-z]+::|`|\$\$).*", words), page
        assert not re.findall(r"<math[^>]*>[^\\]*\\.*?</math>", html), page


def test_every_equation_of_the_pages_becomes_one(site):
    pages = pages_of(site)
    for source in PAGES:
        text = re.sub(
            r"^( *)```.*?^\1```$|`[^`\n]*`",
            "",
            source.read_text(encoding="utf-8"),
            flags=re.M | re.S,
        )
        place = source.relative_to(ROOT / "docs").as_posix().replace("README.md", "index.md")
        html = pages[place.removesuffix(".md") + ".html"]
        assert html.count('class="equation"') >= len(re.findall(r"^\s*\$\$", text, re.M)) // 2
        assert not text.count("$") or "<math" in html


def test_the_site_asks_for_nothing_from_elsewhere(site):
    for page, html in pages_of(site).items():
        asked = re.findall(
            r"<(?:script|link|img|iframe)[^>]*(?:src|href)=\"?(?:https?:)?//[^>]*", html
        )
        assert not [each for each in asked if 'rel="canonical"' not in each], page
    for style in site.rglob("*.css"):
        assert not re.findall(r"url\([\"']?(?:https?:)?//", style.read_text(encoding="utf-8"))


def test_pages_opened_from_disk_can_be_searched(site):
    index = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    assert index.startswith("var __index") and "tallytext.TextClassifier" in index
    assert 'src="assets/iframe-worker.js"' in (site / "index.html").read_text(encoding="utf-8")


@pytest.mark.skipif(not find_browser(), reason="needs Chromium")
def test_a_page_opened_from_disk_finds_what_is_searched_for(site, tmp_path):
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    options += [f"--user-data-dir={tmp_path}", "--enable-logging=stderr"]
    page = (site / "api" / "tally.html").as_uri() + "?q=laplace"
    shown = subprocess.run(
        [find_browser(), *options, "--virtual-time-budget=10000", "--dump-dom", page],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert re.search(r"\d+ matching documents", shown.stdout)
    assert "CONSOLE" not in shown.stderr
