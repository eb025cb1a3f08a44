import ast
import re
from pathlib import Path

import pytest

pytest.importorskip("docs_site", reason="the source distribution has no tools of the site")

from docs_site.docstrings import markdown

SOURCES = sorted((Path(__file__).parents[2] / "src" / "tallytext").rglob("*.py"))


def said(text):
    return markdown(text, lambda shown, target: f"<{shown}|{target}>")


def docstrings(source):
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    tree = ast.parse(source.read_text(encoding="utf-8"))
    found = [ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, kinds)]
    return [text for text in found if text]


@pytest.fixture(scope="module")
def html():
    """Markdown to HTML, with equations."""
    pytest.importorskip("math_core")
    from markdown import Markdown

    return Markdown(extensions=["docs_site.equations", "fenced_code", "tables"]).convert


@pytest.mark.parametrize(
    "text, there",
    [
        (":class:`Tally` and :meth:`~a.b.fit`", "<Tally|Tally> and <fit|a.b.fit>"),
        ("so :math:`x\n  + y` is", "so $x + y$ is"),
        ("``plain`` *stays* `so`", "``plain`` *stays* `so`"),
        ("a\n\n.. math:: x\n\nb", "a\n\n\n$$\nx\n$$\n\n\nb"),
        (".. math::\n\n    x\n    y\n\n    z\nb", "\n$$\nx\ny\n$$\n\n\n$$\nz\n$$\n\nb"),
        ("n : int\n    .. math:: x\n\n    b", "n : int\n\n    $$\n    x\n    $$\n\n\n    b"),
        ("==  ==\n..  b\n==  ==\nc   d e\n==  ==", "|  | b |\n| --- | --- |\n| c | d e |"),
        ("a, b : int, default=1 and 2\n    Both.\n", "a : int\n    Both.\nb : int\n    Both.\n"),
        ("a, b\n    Both.\n\n    Yes.", "a\n    Both.\n\n    Yes.\nb\n    Both.\n\n    Yes.\n"),
        ("a : {1, 2, 3}, default=2\n    It.", "a : 1, 2 or 3, default=2\n    It."),
        ('a : {"b"} or None\n    It.', 'a : "b" or None\n    It.'),
        ("one, two\nthree", "one, two\nthree"),
    ],
)
def test_docstrings_become_markdown(text, there):
    assert said(text) == there


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_no_role_or_directive_is_left_in_any_docstring(source):
    for text in docstrings(source):
        assert not re.search(r":[a-z]+:`|^ *\.\. |^ *=+ +=+", said(text), re.M)


def test_every_equation_of_a_docstring_can_be_shown(html):
    for text in [text for source in SOURCES for text in docstrings(source)]:
        prose = re.sub(r"^ *>>> .*?(?=\n\n|\Z)", "", said(text), flags=re.M | re.S)
        words = "\n".join(line.strip() for line in prose.split("\n"))
        shown = html(words)
        assert shown.count("<math") == (words.count("$") - words.count("$$")) // 2
        assert not re.search(r"<math[^>]*>[^\\]*?\\.*?</math>", shown)


@pytest.mark.parametrize(
    "text, equations",
    [
        ("of $x$, and $y_1$-th", 2),
        ("$$x$$", 1),
        ("$$\nx\n= y\n$$", 1),
        ("1. a\n\n    $$x$$\n\n2. b", 1),
        ("| a | b |\n| - | - |\n| $x$ | $y$ |", 2),
        ("from $5 to $6", 0),
        ("$HOME and $PATH", 0),
        ("`$x$` and ``$y$``", 0),
        ("```\n$$x$$\n```", 0),
        (r"\$x\$", 0),
    ],
)
def test_dollars_are_equations_as_on_github(html, text, equations):
    assert html(text).count("<math") == equations


def test_an_equation_may_hold_what_markdown_would_change(html):
    assert "<em>" not in html("$a_1 * b_2 * c_3$ and $d_{x}*e_{y}$")
    assert "&lt;" in html("$a < b$")


@pytest.mark.parametrize("latex", [r"\nonsense", r"\frac{1}", "{", r"\left( x"])
def test_what_cannot_be_shown_is_refused_by_name(html, latex):
    from docs_site.equations import EquationError

    with pytest.raises(EquationError, match=re.escape(repr(latex)[1:-1])):
        html(f"so ${latex}$ is")
