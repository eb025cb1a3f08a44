"""Which key gives which label."""

from __future__ import annotations

from collections.abc import Iterable

#: What keys do that give no label.
COMMANDS = {
    "n": "new label",
    "s": "skip",
    "u": "undo",
    "?": "help",
    "q": "end",
}
MORE, BACK = " ", "-"

_KEYS = "123456789" + "".join(sorted({*"abcdefghijklmnopqrstuvwxyz"} - {*COMMANDS}))


def label_keys(labels: Iterable[str]) -> dict[str, str]:
    """Return the label of each key.

    Digits come first and then letters, in the order of the labels; a label of one character is its
    own key, where that is free. A label's key depends on those before it alone, so that it stays
    when others come. Labels without a key are typed.

    Examples
    --------
    >>> label_keys(["sport", "world", "x", "n"])
    {'1': 'sport', '2': 'world', 'x': 'x', '3': 'n'}
    >>> label_keys(["0", "1"])
    {'0': '0', '1': '1'}
    """
    found: dict[str, str] = {}
    for label in dict.fromkeys(labels):
        key = label if _can_be_key(label) and label not in found else _free(found)
        if key is not None:
            found[key] = label
    return found


def _can_be_key(label: str) -> bool:
    return len(label) == 1 and label.isalnum() and label not in COMMANDS


def _free(taken: Iterable[str]) -> str | None:
    return next((key for key in _KEYS if key not in taken), None)
