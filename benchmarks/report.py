"""The page docs/benchmarks.md."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path

from benchmarks.tables import Table

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
PACKAGES = ("tallytext", "scikit-learn", "numpy", "scipy", "pyarrow")
HEAD = """# Benchmarks

<!-- Generated: do not edit. -->

Speed, memory and accuracy of tallytext, compared with scikit-learn and other libraries. Look at the
ratios: times depend on the machine. `make bench` measures everything and writes this page;
`make bench ARGS="--only NAME"` measures one part.

The programs compared take turns in one process, in {rounds} rounds unless a section states
otherwise, with the garbage collector off; the best time counts. MB are 10⁶ bytes of UTF-8.
scikit-learn's vectorizers use one thread.

{machine}
"""


def machine() -> str:
    """Say what ran this: the processor and the versions."""
    versions = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    return (
        f"{_processor()}, {os.cpu_count()} cores; Python {platform.python_version()}, {versions}."
    )


def write(sections: Mapping[str, tuple[str, Iterable[Table]]], rounds: int) -> None:
    """Write the page from a text and tables for each heading."""
    parts = [HEAD.format(rounds=rounds, machine=machine())]
    parts += [_section(heading, content) for heading, content in sections.items()]
    PAGE.write_text("\n".join(parts), encoding="utf-8")


def rewrite(sections: Mapping[str, tuple[str, Iterable[Table]]]) -> None:
    """Write these sections of the page anew, and leave the others as they are."""
    page = PAGE.read_text(encoding="utf-8")
    for heading, content in sections.items():
        before, _, rest = page.partition(f"## {heading}\n")
        after = rest.partition("\n## ")[2]
        page = before.rstrip("\n") + "\n\n" + _section(heading, content)
        page += f"\n## {after}" if after else ""
    PAGE.write_text(page, encoding="utf-8")


def fill(page: str, tables: Iterable[Table]) -> None:
    """Write tables into a page that is written by hand, each between the marks with its title."""
    path = PAGE.parent / page
    text = path.read_text(encoding="utf-8")
    for table in tables:
        before, mark, rest = text.partition(f"<!-- table: {table.title} -->\n")
        _, end, after = rest.partition("<!-- end -->")
        if not (mark and end):
            raise ValueError(f"{page} has no place for the table {table.title!r}")
        text = before + mark + "\n" + table.rows_markdown() + "\n\n" + end + after
        _write_drawing(table)
    path.write_text(text, encoding="utf-8")


def _write_drawing(table: Table) -> None:
    if table.drawing:
        (PAGE.parent / table.drawing.file).write_text(table.drawing.svg, encoding="utf-8")


def _section(heading: str, content: tuple[str, Iterable[Table]]) -> str:
    about, tables = content
    tables = list(tables)
    for table in tables:
        _write_drawing(table)
    return "\n".join([f"## {heading}\n\n{about}\n", *(table.markdown() + "\n" for table in tables)])


def _processor() -> str:
    """Return the name of the processor's model, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(iter(names), platform.processor() or platform.machine())
