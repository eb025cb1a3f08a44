"""What the posts of a newsgroup say, without what is around it: headers, signatures, quotes."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
