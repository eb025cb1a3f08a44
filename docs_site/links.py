"""Links of pages that are read both in the repository and on the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

# Pages that lie beside the folder of pages, and where the site has them.
OUTSIDE = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
_PLACES = OUTSIDE | {"README.md": "index.md"}
_FOLDER = "docs/"
_FENCE = re.compile(r"^( *)(```|~~~).*?^\1\2\s*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\((?!\w+:|#|/)([^()\s#]+)(#[^()\s]*)?\)")


def for_site(text: str, page: str) -> str:
    """Lead the links of a page to pages of the site; what has none is named instead.

    Parameters
    ----------
    text : str
        The page.
    page : str
        Its path in the repository.

    Examples
    --------
    >>> for_site("See [how](../CONTRIBUTING.md#tests).", "docs/a.md")
    'See [how](contributing.md#tests).'
    >>> for_site("See [the sources](../src/x.py) and [this](b.md).", "docs/a.md")
    'See the sources (`src/x.py`) and [this](b.md).'
    """

    def lead(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), match[2]))
        place = site_place(path)
        if place is None:
            return _named(match[1], path)
        here = posixpath.dirname(site_place(page) or "")
        return f"[{match[1]}]({posixpath.relpath(place, here or '.')}{match[3] or ''})"

    return _outside_fences(text, lambda part: _LINK.sub(lead, part))


def site_place(path: str) -> str | None:
    """Say where the site has a file of the repository, if it has.

    Parameters
    ----------
    path : str
        The file's path in the repository.

    Examples
    --------
    >>> site_place("docs/papers/kim.md"), site_place("CHANGELOG.md"), site_place("Makefile")
    ('papers/kim.md', 'changelog.md', None)
    """
    return path.removeprefix(_FOLDER) if path.startswith(_FOLDER) else _PLACES.get(path)


def _named(shown: str, path: str) -> str:
    """Say a name and the path it stands for, once if they are the same."""
    bare = shown.strip("`")
    return (
        f"`{path}`"
        if bare.rstrip("/") in (path, posixpath.basename(path))
        else f"{shown} (`{path}`)"
    )


def _outside_fences(text: str, change: Callable[[str], str]) -> str:
    parts, at = [], 0
    for fence in _FENCE.finditer(text):
        parts += [change(text[at : fence.start()]), fence[0]]
        at = fence.end()
    return "".join([*parts, change(text[at:])])
