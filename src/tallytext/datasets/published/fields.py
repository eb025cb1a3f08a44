"""Fields in the headers of posts and of pages, and the dates in them."""

from __future__ import annotations

import re
from datetime import UTC

_HEADER_END = re.compile(r"\n[ \t\r]*\n")


def header_field(document: str, name: str) -> str | None:
    r"""Return the value of a field of the header, which ends at the first blank line; or None.

    Examples
    --------
    >>> header_field("Path: a!b\nDate: 5 Apr 93 12:42:16 -0600\n\nDate: never", "Date")
    '5 Apr 93 12:42:16 -0600'
    """
    header = _HEADER_END.split(document, maxsplit=1)[0]
    found = re.search(rf"^{re.escape(name)}:(.*)", header, re.M)
    return found[1].strip() if found else None


def in_utc(date: str | None) -> str | None:
    """Return the date of a mail, or of an answer of a web server, in ISO 8601; or None.

    One without a time zone is taken for UTC.

    Examples
    --------
    >>> in_utc("5 Apr 93 12:42:16 -0600"), in_utc("Sunday, 01-Dec-96 19:26:46 GMT")
    ('1993-04-05T18:42:16Z', '1996-12-01T19:26:46Z')
    >>> in_utc("yesterday")
    """
    from email.utils import parsedate_to_datetime

    try:
        when = parsedate_to_datetime(date or "")
        when = when.astimezone(UTC) if when.tzinfo else when
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return when.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"
