"""Names in docstrings lead to their place in the reference, if they have one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import griffe

from docs_site.docstrings import markdown

PAGES = Path(__file__).parents[1] / "docs" / "api"
_DIRECTIVE = re.compile(r"^::: (\S+)$", re.MULTILINE)


def documented(pages: Path = PAGES) -> list[str]:
    """List the names that pages of the reference describe, in their order.

    Parameters
    ----------
    pages : Path
        The folder of the pages.

    Examples
    --------
    >>> "tallytext.Tally" in documented()
    True
    """
    texts = (page.read_text(encoding="utf-8") for page in sorted(pages.glob("*.md")))
    return [name for text in texts for name in _DIRECTIVE.findall(text)]


class Docstrings(griffe.Extension):
    """Docstrings in Markdown, their roles as references."""

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        """Rewrite the docstrings of a package once all of it is known."""
        everything = list(objects(pkg))
        for each in everything:
            if each.is_module:
                uncover(each)
        places = Places(pkg)
        for each in everything:
            if each.docstring is not None:
                text = each.docstring.value
                each.docstring.value = markdown(
                    text, lambda shown, of, at=each: places.link(shown, of, at)
                )


def uncover(package: griffe.Object) -> None:
    """Let a name mean the function that a package exports, and not the module of that name in it.

    Parameters
    ----------
    package : griffe.Module
        The package, which is changed.
    """
    for name in map(str, package.exports or []):
        member = package.members.get(name)
        if member is not None and member.is_module and name in member.members:
            package.members[name] = griffe.Alias(name, member.members[name], parent=package)


class Places:
    """Where the names of a package are described.

    Parameters
    ----------
    package : griffe.Module
        The package, loaded.
    names : list of str, optional
        The names described; those of the reference by default.
    """

    def __init__(self, package: griffe.Module, names: list[str] | None = None) -> None:
        self._package = package
        names = documented() if names is None else names
        self._place = {self._at(name).canonical_path: name for name in names}
        self._place |= self._halves()

    def link(self, shown: str, target: str, at: griffe.Object) -> str:
        """Refer to a name from the docstring of an object; as code if it has no place.

        Parameters
        ----------
        shown, target : str
            The name as it is shown, and as it is written.
        at : griffe.Object
            The object whose docstring refers to it.
        """
        place = self._find(target, at)
        return f"[`{shown}`][{place}]" if place else f"`{shown}`"

    def _find(self, target: str, at: griffe.Object) -> str | None:
        for path in _scopes(target, at):
            try:
                found = self._at(path)
                return self._place_of(found)
            except (KeyError, griffe.AliasResolutionError, griffe.CyclicAliasError):
                continue
        return None

    def _place_of(self, found: griffe.Object | griffe.Alias) -> str | None:
        """Take the name described, or that of its class with its own behind it."""
        if found.canonical_path in self._place:
            return self._place[found.canonical_path]
        if found.parent is None or not found.parent.is_class or not found.docstring:
            return None
        place = self._place.get(found.parent.canonical_path)
        return f"{place}.{found.name}" if place else None

    def _halves(self) -> dict[str, str]:
        """A class without a place of its own has that of the only class that inherits from it."""
        heirs: dict[str, list[str]] = {}
        for name in self._place.values():
            found = self._at(name)
            for base in found.mro() if found.is_class else []:
                heirs.setdefault(base.canonical_path, []).append(name)
        return {
            path: names[0]
            for path, names in heirs.items()
            if len(names) == 1 and path not in self._place
        }

    def _at(self, path: str) -> griffe.Object | griffe.Alias:
        """Look a path up, among inherited members too."""
        found: griffe.Object | griffe.Alias = self._package
        first, *rest = path.split(".")
        if first != self._package.name:
            raise KeyError(path)
        for name in rest:
            found = found.all_members[name]
        return found


def objects(at: griffe.Object) -> Iterator[griffe.Object]:
    """Walk over an object and all that is defined in it.

    Parameters
    ----------
    at : griffe.Object
        Where to begin.
    """
    yield at
    for member in at.members.values():
        if not member.is_alias:
            yield from objects(member)


def _scopes(target: str, at: griffe.Object) -> Iterator[str]:
    """Say what a name may mean, from the class and the module it is written in outwards."""
    scope: griffe.Object | None = at
    while scope is not None:
        yield f"{scope.path}.{target}"
        scope = scope.parent
    yield target
