"""Equations as MathML: made when the site is built, shown by browsers without a script."""

from __future__ import annotations

import re
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.blockprocessors import BlockProcessor
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from math_core import LatexError, LatexToMathML

# As GitHub has it: no space inside the dollars and no word or digit after them, so that prices
# are left alone. A dollar may be escaped.
_INLINE = r"(?<![\\$\w])\$(?![\s$])((?:\\.|[^\\$])+?)(?<!\s)\$(?![\w$])"
_BLOCK = re.compile(r"\s*\$\$(.+)\$\$\s*", re.DOTALL)
_converter = LatexToMathML(fancy_error=False)


class EquationError(ValueError):
    """An equation that cannot be shown."""


def mathml(latex: str, *, block: bool = False) -> str:
    r"""Say an equation in MathML.

    Parameters
    ----------
    latex : str
        The equation, without dollars.
    block : bool, default=False
        Whether it stands on a line of its own.

    Examples
    --------
    >>> mathml("x^2")
    '<math><msup><mi>x</mi><mn>2</mn></msup></math>'
    >>> mathml(r"\nonsense")
    Traceback (most recent call last):
        ...
    docs_site.equations.EquationError: ...
    """
    try:
        found = _converter.convert_with_local_state(latex.strip(), displaystyle=block)
    except LatexError as error:
        raise EquationError(f"cannot show the equation {latex.strip()!r}: {error}") from error
    # Without a mathematical font, browsers draw such accents through the letter.
    return found.replace(' accent="true"', "")


class _Inline(InlineProcessor):
    """``$x$`` within a line."""

    def handleMatch(self, match: re.Match[str], data: str) -> tuple[str, int, int]:
        stashed = self.md.htmlStash.store(mathml(match[1]))
        return stashed, match.start(0), match.end(0)


class _Block(BlockProcessor):
    """``$$x$$`` as a paragraph of its own, which may have several lines."""

    def test(self, parent: Element, block: str) -> bool:
        return _BLOCK.fullmatch(block) is not None

    def run(self, parent: Element, blocks: list[str]) -> None:
        latex = _BLOCK.fullmatch(blocks.pop(0))[1]
        # An equation wider than the page is scrolled by itself.
        frame = SubElement(parent, "div", {"class": "equation"})
        frame.text = self.parser.md.htmlStash.store(mathml(latex, block=True))


class Equations(Extension):
    """The extension of Markdown."""

    def extendMarkdown(self, md: Markdown) -> None:
        """Look for equations after code, and before escapes and emphasis."""
        md.inlinePatterns.register(_Inline(_INLINE, md), "equation", 185)
        md.parser.blockprocessors.register(_Block(md.parser), "equations", 75)


def makeExtension(**settings: Any) -> Equations:
    """Make the extension, as Markdown asks for it."""
    return Equations(**settings)
