"""What can be done about a row or a file that cannot be read."""

from __future__ import annotations

import re

_UTF_16 = "UTF-16"
_SKIP = "Rows like this one are left out with on_error='skip' (--on-error skip)."
_LINES = "Make a line of each object: jq -c '.[]' list.json > lines.jsonl."
_FOLDERS = "Put files into folders that are named after their labels, such as spam/1.txt."
_BEFORE_READING = f"Convert it to UTF-8 first: iconv -f {_UTF_16} -t UTF-8 old.csv > new.csv."

# Reasons, as they are told, and what helps. The first that fits is taken.
_REMEDIES = (
    (re.compile(r"not \S+: byte 0x(ff|fe) at 0$"), f"Is it {_UTF_16}? {_BEFORE_READING}"),
    (
        re.compile(r"not \S+: byte 0x"),
        "Is it in another encoding? Name that, as in encoding='cp1252' (--encoding cp1252).",
    ),
    (re.compile(r"not an object, but '\["), _LINES),
    (re.compile(r"not JSON: Expecting value, column [12]$"), f"Is it a list? {_LINES}"),
    (re.compile(r"not in a folder"), _FOLDERS),
)

_FORMATS = {
    **dict.fromkeys(("xls", "xlsx", "ods", "numbers"), "Save the sheet as CSV, and read that."),
    **dict.fromkeys(("doc", "docx", "odt", "pdf", "rtf"), "Only plain text can be read."),
    **dict.fromkeys(("html", "htm", "xml"), "Take the text out of it first."),
    "tally": "It is a model, by its name; a model comes before the documents: MODEL INPUT.",
    "zip": "Unpack it first.",
}


def remedy(reason: str) -> str:
    """Return what to do about a row, by the reason why it cannot be read.

    Examples
    --------
    >>> remedy("not an object, but '[1, 2]'").split(". ")[0]
    "Make a line of each object: jq -c '.[]' list.json > lines.jsonl"
    >>> remedy("the label is empty")
    "Rows like this one are left out with on_error='skip' (--on-error skip)."
    """
    return " ".join([*_known(reason), _SKIP])


def remedy_of_header(reason: str) -> str:
    """Return what to do about a header line that cannot be read, or nothing."""
    return "".join(f" {known}" for known in _known(reason))


def remedy_of_format(suffix: str) -> str:
    """Return what to do about a file of a kind that cannot be read, or nothing.

    Examples
    --------
    >>> remedy_of_format("xlsx"), remedy_of_format("py")
    ('Save the sheet as CSV, and read that.', '')
    """
    return _FORMATS.get(suffix, "")


def _known(reason: str) -> list[str]:
    return [text for pattern, text in _REMEDIES if pattern.match(reason)][:1]
