"""Clean texts: the text of HTML pages, and posts without headers, signatures and quotes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape

_HTTP_HEADER = re.compile(
    r"(?:HTTP/[^\n]*\n)?(?:[A-Za-z][\w -]*:[^\n]*\n(?:[ \t]+\S[^\n]*\n)*)+\r?\n"
)
# No alternative searches beyond the next "<", unless its end exists or it takes the rest of the
# page. So the time is linear in the length of a page, whatever it contains.
_MARKUP = re.compile(
    r"""
    <!--.*?--> | <[!?][^<>]*>?
    | <(?P<unseen>script|style)\b[^<>]*(?<!/)> .*? (?:</(?P=unseen)\s*> | \Z)
    | </?(?P<tag>[a-z][^\s<>/]*)
      (?: [^<>"']* (?: (?:"[^"<]*"|'[^'<]*') [^<>"']* )* > | [^<>]*>? )
    """,
    re.I | re.S | re.X,
)
# Inline elements: their tags do not separate words.
_INLINE_TAGS = {
    *("a", "abbr", "acronym", "b", "bdo", "big", "cite", "code", "dfn", "em", "font", "i", "kbd"),
    *("q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var"),
}


def html_text(page: str) -> str:
    r"""Return the text of an HTML page without HTTP header, tags, comments and scripts.

    Entities are decoded, and white space is collapsed into single blanks. A tag that is not
    closed ends before the next one.

    Parameters
    ----------
    page : str
        HTML, with or without the header of its HTTP response.

    Examples
    --------
    >>> html_text("Content-type: text/html\n\n<h1>Ann&#39;s</h1><p>home <b>p</b>age<br>R&amp;D")
    "Ann's home page R&D"
    """
    header = _HTTP_HEADER.match(page)
    body = page[header.end() :] if header else page
    text = _MARKUP.sub(_replacement, _without_open_comments(body))
    return " ".join(unescape(text).split())


def _without_open_comments(page: str) -> str:
    """Return a page in which no comment starts after the end of the last comment."""
    # The pattern of a comment would search for its end to the end of the page, once for each
    # "<!--".
    end = max(page.rfind("-->"), 0)
    return page[:end] + page[end:].replace("<!--", "<!")


def _replacement(markup: re.Match[str]) -> str:
    """Return a blank, or '' if the words before and after the markup may be one word."""
    tag = markup["tag"]
    is_inline = tag.lower() in _INLINE_TAGS if tag else not markup["unseen"]
    return "" if is_inline else " "


_FIELD = re.compile(r"^([^\s:]+):.*(?:\n[ \t].*)*", re.M)
_EMPTY_LINE = re.compile(r"\n\n|\r\n\r\n")
_QUOTE = re.compile(r"^In article|^Quoted from|^\||^>|writes in|(?:writes|wrote|says|said):")


def strip_headers(post: str, keep: Iterable[str] = ()) -> str:
    r"""Remove the header of a post, except for some fields.

    The fields Newsgroups, Xref and Path reveal the group of a post.

    Parameters
    ----------
    post : str
        A header, an empty line and a text; the result is empty if there is no empty line.
    keep : iterable of str, default=()
        Names of the fields to keep, in any case.

    Examples
    --------
    >>> post = "From: ann@example.org\nPath: a!b\nSubject: Re: engines\n\nTwo strokes will do.\n"
    >>> strip_headers(post)
    'Two strokes will do.\n'
    >>> print(strip_headers(post, keep=("From", "Subject")))
    From: ann@example.org
    Subject: Re: engines
    <BLANKLINE>
    Two strokes will do.
    <BLANKLINE>
    """
    header, *texts = _EMPTY_LINE.split(post, maxsplit=1)
    text = "".join(texts)
    wanted = {name.lower() for name in keep}
    fields = (field for field in _FIELD.finditer(header) if field[1].lower() in wanted)
    kept = "".join(f"{field[0]}\n" for field in fields)
    return f"{kept}\n{text}" if kept else text


def strip_post(post: str) -> str:
    r"""Remove header, signature and quotes of a post.

    The result is that of
    ``sklearn.datasets.fetch_20newsgroups(remove=("headers", "footers", "quotes"))``.

    Parameters
    ----------
    post : str
        A header, an empty line, and a text.

    Examples
    --------
    >>> strip_post("From: ann\n\nbob wrote:\n> How many strokes?\nTwo will do.\n\n--\nAnn, Ohio")
    'Two will do.\n'
    """
    text = strip_headers(post)
    lines = text.strip().split("\n")
    # The signature starts after the last line that is empty or has only dashes.
    ends = [i for i, line in enumerate(lines) if not line.strip().strip("-")]
    # The unstripped text in the second case, as scikit-learn does.
    own = lines[: ends[-1]] if ends and ends[-1] > 0 else text.split("\n")
    return "\n".join(line for line in own if not _QUOTE.search(line))
