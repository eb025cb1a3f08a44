"""SVG charts: escaped elements, plot areas with ticks and grid lines, and complete drawings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from tallytext.io.atomic import save_text
from tallytext.io.html import replace_forbidden

_MAX_TICK_INTERVALS = 6

# Rules for the classes of the elements that PlotArea draws.
_AXES_STYLE = """
  .paper { fill: #fff }
  .grid { stroke: #e3e7ee; stroke-width: 1 }
  .frame { fill: none; stroke: #5b6472; stroke-width: 1 }
  .head { font-weight: 600; fill: #1c2430 }
  .name { font-size: 13px; fill: #1c2430; text-anchor: middle }
  .tick { font-size: 11px; fill: #4a5360; text-anchor: middle }
  .side { font-size: 11px; fill: #4a5360; text-anchor: end }
"""


def element(name: str, *children: str, **attributes: object) -> str:
    """Return an element in SVG or HTML, with escaped attributes in the order given.

    Parameters
    ----------
    name : str
        The name of the element.
    *children : str
        Its content: markup, which is not escaped. See :func:`text` and :func:`tooltip`.
    **attributes : object
        The values of attributes. An underscore in a name stands for a hyphen; ``class_`` is the
        attribute ``class``.

    Examples
    --------
    >>> element("rect", class_="bar", x=1.5, stroke_width=2)
    '<rect class="bar" x="1.5" stroke-width="2"/>'
    >>> element("circle", tooltip("a < b"), r=4)
    '<circle r="4"><title>a &lt; b</title></circle>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(f"{value}")}"'
        for key, value in attributes.items()
    )
    if not children:
        return f"<{name}{given}/>"
    return f"<{name}{given}>{''.join(children)}</{name}>"


def text(content: str, **attributes: object) -> str:
    """Return a text element; the content is escaped.

    Examples
    --------
    >>> text("R&D", class_="tick", x=3)
    '<text class="tick" x="3">R&amp;D</text>'
    """
    return element("text", escape(content), **attributes)


def tooltip(content: str) -> str:
    """Return a child element that browsers show while the pointer is over its parent."""
    return element("title", escape(content))


def polyline(points: Iterable[tuple[float, float]]) -> str:
    """Return the path data of straight lines through points.

    Examples
    --------
    >>> polyline([(1, 2), (3, 4), (5, 0)])
    'M1 2L3 4L5 0'
    """
    return "M" + "L".join(f"{x} {y}" for x, y in points)


def tick_step(span: float, steps: Sequence[float]) -> float:
    """Return the smallest step that divides a span into at most six intervals, else the last.

    Examples
    --------
    >>> tick_step(0.25, (0.02, 0.05, 0.1)), tick_step(9, (0.02, 0.05, 0.1))
    (0.05, 0.1)
    """
    # 1e-9: a span of exactly six steps may be slightly more in floating point.
    fitting = (step for step in steps if span / step <= _MAX_TICK_INTERVALS + 1e-9)
    return next(fitting, steps[-1])


@dataclass(frozen=True)
class PlotArea:
    """The rectangle of a chart that holds the data, with its frame, grid lines and labels.

    Attributes
    ----------
    left, top, width, height : float
        Its place in the drawing.
    digits : int, default=2
        Decimal places of coordinates.

    Examples
    --------
    >>> area = PlotArea(50, 10, 200, 100)
    >>> area.x(0.25), area.y(0.25), area.right_edge, area.bottom_edge
    (100.0, 85.0, 250, 110)
    >>> area.horizontal_line(area.y(0.5))
    '<line class="grid" x1="50" x2="250" y1="60.0" y2="60.0"/>'
    """

    left: float
    top: float
    width: float
    height: float
    digits: int = 2

    @property
    def right_edge(self) -> float:
        """The coordinate of the right edge."""
        return self.left + self.width

    @property
    def bottom_edge(self) -> float:
        """The coordinate of the bottom edge."""
        return self.top + self.height

    def x(self, share: float) -> float:
        """Return the coordinate of a share of the width, from the left."""
        # Rounded, so that the bytes of a drawing do not depend on the last bits of a float.
        return round(self.left + self.width * share, self.digits)

    def y(self, share: float) -> float:
        """Return the coordinate of a share of the height, from below."""
        return round(self.top + self.height * (1 - share), self.digits)

    def frame(self) -> str:
        """Return the outline."""
        size = {"width": self.width, "height": self.height}
        return element("rect", class_="frame", x=self.left, y=self.top, **size)

    def vertical_line(self, x: float, bottom: float | None = None) -> str:
        """Return a grid line, down to ``bottom`` if it crosses another area below."""
        end = self.bottom_edge if bottom is None else bottom
        return element("line", class_="grid", x1=x, x2=x, y1=self.top, y2=end)

    def horizontal_line(self, y: float) -> str:
        """Return a grid line."""
        return element("line", class_="grid", x1=self.left, x2=self.right_edge, y1=y, y2=y)

    def x_tick(self, x: float, label: str, distance: float = 18) -> str:
        """Return the label of a tick, this far below the area."""
        return text(label, class_="tick", x=x, y=self.bottom_edge + distance)

    def y_tick(self, y: float, label: str, distance: float = 8) -> str:
        """Return the label of a tick, this far to the left of the area."""
        # Four units down: the baseline of a centred label lies below its middle.
        return text(label, class_="side", x=self.left - distance, y=y + 4)

    def x_title(self, name: str, distance: float) -> str:
        """Return the title of the horizontal axis, this far below the area."""
        middle = self.left + self.width / 2
        return text(name, class_="name", x=middle, y=self.bottom_edge + distance)

    def y_title(self, name: str, x: float) -> str:
        """Return the title of the vertical axis, upright at ``x``."""
        place = f"translate({x} {self.top + self.height / 2}) rotate(-90)"
        return text(name, class_="name", transform=place)


def svg_drawing(
    parts: Iterable[str], width: float, height: float, title: str, style: str | None = None
) -> str:
    """Return a complete drawing.

    Parameters
    ----------
    parts : iterable of str
        Its elements.
    width, height : float
        Its size.
    title : str
        A description, which is escaped. Screen readers read it aloud.
    style : str, default=None
        CSS rules besides those of axes, for a drawing that is a file of its own; None for one in
        a page, which has the fonts and colours of the page.

    Examples
    --------
    >>> print(svg_drawing([element("path", d="M0 0h9")], 9, 1, "a line"), end="")
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 1" width="9" height="1" role="img">
    <title>a line</title>
    <path d="M0 0h9"/>
    </svg>
    """
    attributes: dict[str, object] = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": f"0 0 {width} {height}",
        "width": width,
        "height": height,
        "role": "img",
    }
    begin = [tooltip(title)]
    if style is not None:
        attributes |= {"font_family": "system-ui, sans-serif", "font_size": 14}
        begin.append(element("style", _AXES_STYLE.rstrip() + style))
        begin.append(element("rect", class_="paper", width=width, height=height))
    return (
        replace_forbidden(element("svg", "\n".join(["", *begin, *parts, ""]), **attributes)) + "\n"
    )


def is_drawing(path: str | Path) -> bool:
    """Return True if :func:`svg_drawing` may have written the file, by its first bytes."""
    with Path(path).open("rb") as file:
        return file.read(4) == b"<svg"


def save_drawing(drawing: str, path: str | Path | None) -> str:
    """Return a drawing, after writing it to a file if ``path`` is not None.

    Parameters
    ----------
    drawing : str
        The drawing in SVG.
    path : str, Path or None
        The file. It is written completely or not at all.
    """
    if path is not None:
        save_text(path, drawing)
    return drawing
