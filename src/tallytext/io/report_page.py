"""Self-contained pages of reports: sections, tables that scroll, and a style sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from tallytext.io.html import html_page

#: The identifier, the title and the HTML of a section; None if it has nothing to show.
Section = tuple[str, str, str] | None

_STYLE_ELEMENT = re.compile(r"<style>.*?</style>\s*", re.DOTALL)


def report_page(
    title: str,
    note: str,
    sections: Iterable[Section],
    about: Mapping[str, str] | None = None,
    style: str = "",
    script: str = "",
) -> str:
    """Return a page of sections with a table of contents.

    Parameters
    ----------
    title, note : str
        Plain text of the header, which is escaped.
    sections : iterable of Section
        Those that are None are left out.
    about : mapping of str to str, default=None
        Where the report comes from: names and values, which are escaped.
    style, script : str, default=""
        More rules, and JavaScript.

    Examples
    --------
    >>> page = report_page("Sea", "3 waves", [("a", "Waves", "<p>high</p>"), None], {"file": "<x>"})
    >>> "<dd>&lt;x&gt;</dd>" in page, page.count("<section")
    (True, 1)
    """
    shown = [section for section in sections if section]
    links = "".join(f'<li><a href="#{name}">{head}</a></li>' for name, head, _ in shown)
    body = "\n".join(
        f'<section id="{name}" aria-labelledby="h-{name}"><h2 id="h-{name}">{head}</h2>'
        f"{content}</section>"
        for name, head, content in shown
    )
    origin = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in (about or {}).items()
    )
    return html_page(
        title,
        f'<header><h1>{escape(title)}</h1><p class="note">{escape(note)}</p>'
        f"{f'<dl>{origin}</dl>' if origin else ''}</header>"
        f'<nav aria-label="Contents"><ol>{links}</ol></nav>\n<main>{body}</main>',
        _STYLE + style,
        script,
    )


def figure(drawing: str) -> str:
    """Return a drawing for the page, without its own style sheet.

    The rules of a style element in a drawing would apply to the whole page.
    """
    return f'<figure class="drawing" tabindex="0">{_STYLE_ELEMENT.sub("", drawing)}</figure>'


def html_table(name: str, heads: Sequence[str], rows: Iterable[Sequence[str]], kind: str) -> str:
    """Return an HTML table, scrollable if it is too wide; cells are markup, escaped already.

    Examples
    --------
    >>> html_table("Classes", ["class", "documents"], [["sea", "3"]], "plain").count("<th ")
    3
    """
    head = "".join(f'<th scope="col">{each}</th>' for each in heads)
    body = "".join(_table_row(row) for row in rows)
    return scrollable(
        name,
        f'<table class="{kind}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>',
    )


def _table_row(cells: Sequence[str]) -> str:
    others = "".join(f"<td>{cell}</td>" for cell in cells[1:])
    return f'<tr><th scope="row">{cells[0]}</th>{others}</tr>'


def scrollable(name: str, content: str) -> str:
    """Return a region that scrolls sideways if its content is too wide, and says so when narrow."""
    # The tabindex lets the keyboard focus and scroll the region.
    return (
        '<p class="sideways">If columns are cut off, scroll the table sideways.</p>'
        f'<div class="wide" role="region" aria-label="{name}" tabindex="0">{content}</div>'
    )


# The style sheet: for light and dark screens, and for paper. The classes of drawings are those of
# tallytext.io.svg and of its users; here they have the colours of the page.

_GROUND = """
:root { --ground: #fff; --ink: #1c2430; --quiet: #59626f; --rule: #dfe4ec; --link: #1f6fb2;
  --line: #0072b2; --ahead: #c75600; --band: rgba(0,114,178,0.12); --pale: #9dbce6;
  --raised: #f6f8fb }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14181f; --ink: #e6e9ee; --quiet: #9aa4b2; --rule: #2e3643; --link: #6cb1ee;
    --line: #56a8e0; --ahead: #f0883e; --band: rgba(86,168,224,0.17); --pale: #2f5582;
    --raised: #1b212a }
}
* { box-sizing: border-box }
html { scroll-behavior: smooth; scroll-padding-top: 1rem }
body { font: 15px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  color: var(--ink); background: var(--ground); max-width: 66rem; margin: 0 auto;
  padding: 2rem 1.5rem 4rem }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0; letter-spacing: -0.01em }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 0 0 0.6rem }
p { max-width: 46rem; margin: 0 0 0.9rem }
/* A label cannot reverse the direction of the sentence around it; words in a text belong to it. */
b, small { unicode-bidi: isolate } pre b { unicode-bidi: normal }
a { color: var(--link); text-decoration: none }
a:hover, a:focus { text-decoration: underline }
header { margin-bottom: 1rem } header .note { margin: 0.3rem 0 0 }
header dl { display: flex; flex-wrap: wrap; gap: 0.1rem 1.4rem; margin: 0.5rem 0 0;
  font-size: 0.87em; color: var(--quiet) }
header dl div { display: flex; gap: 0.4rem; min-width: 0 } header dd { margin: 0;
  color: var(--ink); overflow-wrap: anywhere; min-width: 0 }
section { border-top: 1px solid var(--rule); padding-top: 1.6rem; margin-top: 2rem }
main > section:first-child { border: 0; padding-top: 0.4rem; margin-top: 0 }
nav ol { list-style: none; margin: 0 0 1.4rem; padding: 0; display: flex; flex-wrap: wrap;
  gap: 0.2rem 1.2rem; font-size: 0.93em }
.lead { font-size: 1.2em; line-height: 1.5 }
.note, small { color: var(--quiet); font-size: 0.87em }
.warning { border-left: 4px solid var(--ahead); border-radius: 0 6px 6px 0;
  padding: 0.6em 1em; background: var(--raised) }
@media (min-width: 84rem) {
  body { max-width: 82rem; display: grid; grid-template-columns: 13rem minmax(0, 1fr);
    column-gap: 3rem }
  header { grid-column: 2 }
  nav { position: sticky; top: 2rem; align-self: start; grid-row: 2 }
  nav ol { flex-direction: column; gap: 0.5rem }
  main { grid-column: 2 }
}
"""

_TABLES = """
.wide { overflow-x: auto; margin: 0 0 1rem }
.sideways { display: none; color: var(--quiet); font-size: 0.87em; margin: 0 0 0.3rem }
@media (max-width: 44rem) {
  body { padding: 1.2rem 1rem 3rem } .sideways { display: block }
  .wide { border: 1px solid var(--rule); border-radius: 6px; padding: 0 0.6rem }
}
table { border-collapse: collapse }
.plain th, .plain td { padding: 0.3rem 1.1rem 0.3rem 0; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--rule); font-variant-numeric: tabular-nums }
.plain thead th { color: var(--quiet); font-weight: 500; font-size: 0.87em; vertical-align: bottom }
.plain tbody th { font-weight: 500 }
.plain tr > :first-child, .named td:nth-child(2), .named th:nth-child(2),
.classes td:last-child, .classes th:last-child { text-align: left }
.plain tbody tr:hover { background: var(--raised) }
.learners { font-size: 0.93em } .learners th:first-child { min-width: 14rem }
.learners small { display: block; white-space: normal; font-weight: 400; line-height: 1.35 }
.learners tbody tr:first-child { background: var(--band) }
.learners .remark { color: var(--ahead); font-weight: 400; white-space: normal; font-size: 0.87em }
.classes .terms { color: var(--quiet); white-space: normal; display: block; min-width: 16rem;
  font-size: 0.93em }
.whiskers { display: block } .whiskers text { font-size: 11px; fill: var(--quiet) }
.whiskers .rule { stroke: var(--quiet) } .whiskers .band { fill: var(--band) }
.whiskers .whisker { fill: none; stroke: var(--line); stroke-width: 1.5 }
.whiskers .score { fill: var(--line); stroke: var(--ground) }
.map { font-size: 11.5px; font-variant-numeric: tabular-nums }
.map td { min-width: 2.6em; height: 2.1em; padding: 0 2px; text-align: center;
  border: 1px solid var(--rule) }
.map th { font-weight: 400; text-align: right; padding: 0 8px 0 0; white-space: nowrap }
.map tbody th { position: sticky; left: 0; background: var(--ground) }
.map tbody tr:hover th, .map tbody tr:hover td {
  box-shadow: inset 0 1px var(--quiet), inset 0 -1px var(--quiet) }
.map .corner { border: 0; vertical-align: bottom; color: var(--quiet); font-weight: 500 }
.map .over { text-align: center; color: var(--quiet); font-weight: 500; padding-bottom: 0.5em }
.map .up { vertical-align: bottom; text-align: left; padding: 0 0 6px }
.map .up span { writing-mode: vertical-rl; transform: rotate(180deg); display: inline-block }
"""

_DRAWINGS = """
.drawing { margin: 0; overflow-x: auto }
.drawing svg { display: block; max-width: 100%; min-width: 21rem; height: auto }
.drawing text { fill: var(--ink); font-family: inherit }
.drawing .paper { fill: none } .drawing .grid { stroke: var(--rule) }
.drawing .frame { fill: none; stroke: var(--quiet) }
.drawing .tick, .drawing .side, .drawing .count, .drawing .note { fill: var(--quiet);
  font-size: 11px }
.drawing .tick, .drawing .name, .drawing .count { text-anchor: middle }
.drawing .side { text-anchor: end } .drawing .count { font-size: 9px }
.drawing .name { font-size: 13px } .drawing .entry, .drawing .note { font-size: 12px }
.drawing .head { font-weight: 600 }
.drawing .line { fill: none; stroke-width: 2; stroke-linejoin: round }
.drawing .dot { stroke: var(--ground) }
.drawing .learned { stroke: var(--line) } .drawing .point { fill: var(--line) }
.drawing .ahead { fill: none; stroke: var(--ahead); stroke-width: 2; stroke-dasharray: 6 4 }
.drawing .unsure { fill: none; stroke: var(--ahead); stroke-width: 1.5 }
.drawing .guess { fill: var(--ahead) }
.drawing .bar { fill: var(--pale); stroke: var(--line) }
.drawing .gap { fill: none; stroke: var(--ahead); stroke-width: 2 }
.drawing .mean { fill: var(--ahead) }
.drawing .ideal { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 5 4 }
"""

_DOCUMENTS = """
details { border-bottom: 1px solid var(--rule); padding: 0.5rem 0 }
summary { cursor: pointer; overflow-wrap: anywhere }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--rule);
  padding: 0.7rem; border-radius: 6px; font-size: 0.87em; margin: 0.6rem 0 }
article { border-bottom: 1px solid var(--rule); padding: 0.7rem 0; overflow-wrap: anywhere }
article p { margin: 0 0 0.3rem; max-width: none } article pre { margin: 0.3rem 0 0;
  max-height: 12em; overflow: auto }
article small { margin-left: 0.4rem }
.words span { display: inline-block; margin-right: 0.9rem; font-size: 0.87em;
  font-variant-numeric: tabular-nums }
pre b, .words bdi, p > .p3, p > .n3 { border-radius: 3px; padding: 1px 2px; font-weight: inherit }
.p1 { background: rgba(46,160,67,0.18) } .p2 { background: rgba(46,160,67,0.32) }
.p3 { background: rgba(46,160,67,0.46) } .p4 { background: rgba(46,160,67,0.62) }
.n1 { background: rgba(248,81,73,0.18) } .n2 { background: rgba(248,81,73,0.32) }
.n3 { background: rgba(248,81,73,0.46) } .n4 { background: rgba(248,81,73,0.62) }
.for { background-color: rgba(46,160,67,0.35); border-radius: 3px; padding: 1px 3px }
.against { background-color: rgba(248,81,73,0.35); border-radius: 3px; padding: 1px 3px }
.tallytext-explanation > div:nth-child(2) { max-height: 22em; overflow: auto }
.tallytext-explanation { overflow-x: auto }
"""

_PRINT = """
@media print {
  :root { --ground: #fff; --ink: #000; --quiet: #444; --rule: #ccc; --line: #0072b2;
    --ahead: #c75600; --pale: #9dbce6; --band: rgba(0,114,178,0.12); --raised: #f6f8fb }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact }
  body { display: block; max-width: none; padding: 0; font-size: 10pt }
  nav, .sideways, .tools { display: none }
  .wide, .drawing { overflow: visible } .learners, .map { font-size: 7.5pt }
  .drawing svg { min-width: 0; max-width: 16cm }
  figure, tr, .map, .warning { break-inside: avoid } h2 { break-after: avoid }
  details::details-content { content-visibility: visible; height: auto }
  .tallytext-explanation > div:nth-child(2) { max-height: none }
}
"""

_STYLE = _GROUND + _TABLES + _DRAWINGS + _DOCUMENTS + _PRINT
