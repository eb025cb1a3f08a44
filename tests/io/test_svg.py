"""SVG charts: elements are escaped, and drawings are well-formed XML."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallytext.io.svg import (
    PlotArea,
    element,
    polyline,
    save_drawing,
    svg_drawing,
    text,
    tick_step,
    tooltip,
)

SVG = "{http://www.w3.org/2000/svg}"
printable = st.text(st.characters(exclude_categories=["Cc", "Cs", "Cn"], exclude_characters="\r"))


@given(printable, printable)
def test_content_and_attributes_survive_escaping(content, value):
    shape = element("circle", tooltip(content), class_=value)
    root = ElementTree.fromstring(shape)
    assert (root[0].text or "", root.get("class")) == (content, value)
    assert ElementTree.fromstring(text(content)).text or content == ""


@pytest.mark.parametrize("style", [None, "\n  .bar { fill: #000 }\n"])
def test_a_drawing_is_well_formed(style):
    area = PlotArea(50, 10, 200, 100)
    line = element("path", d=polyline([(area.x(0), area.y(0)), (area.x(1), area.y(1))]))
    parts = [area.frame(), area.x_tick(area.x(0.5), "1 < 2"), area.y_title("R&D", 20), line]
    root = ElementTree.fromstring(svg_drawing(parts, 300, 150, "a & b", style))
    assert root.tag == f"{SVG}svg"
    assert root.find(f"{SVG}title").text == "a & b"
    assert (root.find(f"{SVG}style") is None) == (style is None)
    assert [each.text for each in root.iter(f"{SVG}text")] == ["1 < 2", "R&D"]
    assert root.find(f"{SVG}path").get("d") == "M50 110L250 10"


@given(st.floats(0.001, 0.6))
def test_ticks_divide_a_span_into_at_most_six_intervals(span):
    steps = (0.01, 0.02, 0.05, 0.1)
    step = tick_step(span, steps)
    assert step in steps and span / step <= 6 + 1e-9
    assert all(span / smaller > 6 for smaller in steps if smaller < step)


def test_a_drawing_is_saved_only_to_a_path(tmp_path):
    assert save_drawing("<svg/>", None) == "<svg/>"
    assert save_drawing("<svg/>", tmp_path / "a.svg") == "<svg/>"
    assert (tmp_path / "a.svg").read_text() == "<svg/>"
