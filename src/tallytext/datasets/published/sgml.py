"""As much of SGML as Reuters-21578 is written in: every element has both its tags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TAG = re.compile(r"<(/?)([A-Za-z][\w.-]*)((?:\s[^<>]*)?)>")
_ATTRIBUTE = re.compile(r"""([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))""")
_ENTITY = re.compile(r"&(?:#(\d{1,7})|(lt|gt|amp|quot));")
_CHARACTERS = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
_CONTROLS = dict.fromkeys([*range(9), *range(11, 32), 127])


class MarkupError(Exception):
    """Tags that do not belong together; the reader tells of which file."""


@dataclass
class Element:
    """An element: its name in capitals, attributes, own text, and the elements in it.

    Examples
    --------
    >>> [element] = elements('<note kind="a">one<d>x</d><d>y</d> &lt;two></note>', "NOTE")
    >>> element.attributes, element.text, element.texts("D")
    ({'KIND': 'a'}, 'one <two>', ['x', 'y'])
    """

    name: str
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def markup(self) -> str:
        """What it says itself, as it is written."""
        return "".join(self.pieces)

    @property
    def text(self) -> str:
        """What it says itself, without control characters."""
        return _ENTITY.sub(_character, self.markup).translate(_CONTROLS)

    def texts(self, name: str) -> list[str]:
        """Return the texts of the elements of a name in it."""
        return [child.text for child in self.children if child.name == name]

    def child(self, name: str) -> Element:
        """Return the first element of a name in it; an empty one if there is none."""
        named = (child for child in self.children if child.name == name)
        return next(named, Element(name, {}))


def elements(markup: str, name: str) -> Iterator[Element]:
    """Yield the elements of a name, one after the other.

    Raises
    ------
    MarkupError
        If a tag is missing.
    """
    within: list[Element] = []
    end = 0
    for tag in _TAG.finditer(markup):
        if within:
            within[-1].pieces.append(markup[end : tag.start()])
        end = tag.end()
        if not tag[1]:
            within.append(Element(tag[2].upper(), _attributes(tag[3])))
        elif (closed := _closed(within, tag[2].upper())).name == name:
            yield closed
    if within:
        raise MarkupError(f"<{within[-1].name}> has no end")


def _closed(within: list[Element], name: str) -> Element:
    if not within or within[-1].name != name:
        raise MarkupError(f"</{name}> ends what did not begin")
    element = within.pop()
    if within:
        within[-1].children.append(element)
    return element


def _attributes(markup: str) -> dict[str, str]:
    given = _ATTRIBUTE.finditer(markup)
    return {each[1].upper(): each[2] or each[3] or each[4] or "" for each in given}


def _character(entity: re.Match[str]) -> str:
    if entity[2]:
        return _CHARACTERS[entity[2]]
    number = int(entity[1])
    return chr(number) if number < 0xD800 else "\ufffd"
