"""What a page of the web says, without what only programs read."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_HTTP_HEADER = re.compile(
    r"(?:HTTP/[^\n]*\n)?(?:[A-Za-z][\w -]*:[^\n]*\n(?:[ \t]+\S[^\n]*\n)*)+\r?\n"
)
_UNSEEN = ("script", "style")
# What these enclose belongs to the word it is in.
_WITHIN_LINES = {
    *("a", "abbr", "acronym", "b", "bdo", "big", "cite", "code", "dfn", "em", "font", "i", "kbd"),
    *("q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var"),
}


def page_text(page: str) -> str:
    r"""Return the text of a page of HTML: without HTTP header, tags, comments and scripts.

    Entities become the characters they stand for, and any white space a single blank. Damaged
    pages are read as far as they can be; what is in no tag is text.

    Parameters
    ----------
    page : str
        HTML, under the header of the answer that it came in, if there is one.

    Examples
    --------
    >>> page_text("Content-type: text/html\n\n<h1>Ann&#39;s</h1><p>home <b>p</b>age<br>R&amp;D")
    "Ann's home page R&D"
    """
    header = _HTTP_HEADER.match(page)
    reader = _Text()
    reader.feed(page[header.end() :] if header else page)
    reader.close()
    return " ".join("".join(reader.parts).split())


class _Text(HTMLParser):
    """Gathers what is between tags."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._is_seen = True

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._is_seen = tag not in _UNSEEN
        self._end_word(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._end_word(tag)

    def handle_endtag(self, tag: str) -> None:
        self._is_seen = True
        self._end_word(tag)

    def handle_data(self, data: str) -> None:
        if self._is_seen:
            self.parts.append(data)

    def parse_marked_section(self, i: int, report: int = 1) -> int:
        # Of a section that it does not know the parser says that there can be none.
        end = self.rawdata.find(">", i)
        return -1 if end < 0 else end + 1

    def _end_word(self, tag: str) -> None:
        if tag not in _WITHIN_LINES:
            self.parts.append(" ")
