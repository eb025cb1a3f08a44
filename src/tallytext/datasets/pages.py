"""What a page of the web says, without what only programs read."""

from __future__ import annotations

import re
from html import unescape

_HTTP_HEADER = re.compile(
    r"(?:HTTP/[^\n]*\n)?(?:[A-Za-z][\w -]*:[^\n]*\n(?:[ \t]+\S[^\n]*\n)*)+\r?\n"
)
# No part looks for its end beyond the next "<" unless it is sure to be found, or takes all of the
# rest: so the time grows with the length of a page, whatever is in it.
_MARKUP = re.compile(
    r"""
    <!--.*?--> | <[!?][^<>]*>?
    | <(?P<unseen>script|style)\b[^<>]*(?<!/)> .*? (?:</(?P=unseen)\s*> | \Z)
    | </?(?P<tag>[a-z][^\s<>/]*)
      (?: [^<>"']* (?: (?:"[^"<]*"|'[^'<]*') [^<>"']* )* > | [^<>]*>? )
    """,
    re.I | re.S | re.X,
)
# What these enclose belongs to the word it is in.
_WITHIN_LINES = {
    *("a", "abbr", "acronym", "b", "bdo", "big", "cite", "code", "dfn", "em", "font", "i", "kbd"),
    *("q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var"),
}


def page_text(page: str) -> str:
    r"""Return the text of a page of HTML: without HTTP header, tags, comments and scripts.

    Entities become the characters they stand for, and any white space a single blank. A tag
    without an end ends before the next one.

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
    spoken = _MARKUP.sub(_gap, _with_ended_comments(page[header.end() :] if header else page))
    return " ".join(unescape(spoken).split())


def _with_ended_comments(page: str) -> str:
    """Return a page in which no comment begins after the last end of one."""
    end = max(page.rfind("-->"), 0)
    return page[:end] + page[end:].replace("<!--", "<!")


def _gap(markup: re.Match[str]) -> str:
    """Return what parts the words before and after: nothing, if they may be one word."""
    tag = markup["tag"]
    is_within = tag.lower() in _WITHIN_LINES if tag else not markup["unseen"]
    return "" if is_within else " "
