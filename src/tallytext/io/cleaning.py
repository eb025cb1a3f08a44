"""What a page of the web says, without what only programs read."""

from __future__ import annotations

import re
from collections.abc import Iterable
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


# ------------------------------------------------------------------------------------------------
# What the posts of a newsgroup say, without what is around it: headers, signatures, quotes.

_FIELD = re.compile(r"^([^\s:]+):.*(?:\n[ \t].*)*", re.M)
_EMPTY_LINE = re.compile(r"\n\n|\r\n\r\n")
_QUOTE = re.compile(r"^In article|^Quoted from|^\||^>|writes in|(?:writes|wrote|says|said):")


def without_headers(post: str, keep: Iterable[str] = ()) -> str:
    r"""Return what follows the first empty line of a post, under some fields of its header.

    The fields Newsgroups, Xref and Path give away which group a post is from.

    Parameters
    ----------
    post : str
        A header, an empty line, and a text; without an empty line, nothing is left.
    keep : iterable of str, default=()
        Names of fields to keep; capitals and small letters are the same.

    Examples
    --------
    >>> post = "From: ann@example.org\nPath: a!b\nSubject: Re: engines\n\nTwo strokes will do.\n"
    >>> without_headers(post)
    'Two strokes will do.\n'
    >>> print(without_headers(post, keep=("From", "Subject")))
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


def stripped(post: str) -> str:
    r"""Return a post without header, signature and quotes.

    As ``sklearn.datasets.fetch_20newsgroups(remove=("headers", "footers", "quotes"))`` has it.

    Parameters
    ----------
    post : str
        A header, an empty line, and a text.

    Examples
    --------
    >>> stripped("From: ann\n\nbob wrote:\n> How many strokes?\nTwo will do.\n\n--\nAnn, Ohio")
    'Two will do.\n'
    """
    text = without_headers(post)
    lines = text.strip().split("\n")
    # A signature is what follows the last line that is empty or has dashes only.
    ends = [i for i, line in enumerate(lines) if not line.strip().strip("-")]
    own = lines[: ends[-1]] if ends and ends[-1] > 0 else text.split("\n")
    return "\n".join(line for line in own if not _QUOTE.search(line))
