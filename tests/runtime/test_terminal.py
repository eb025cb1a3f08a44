"""No character of a text reaches a terminal as a command."""

import ast
import io
import json
import re
import sys
import unicodedata
from contextlib import redirect_stderr
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table

import tallytext
from tallytext.distributed.progress import LineProgress
from tallytext.runtime import progress_bar
from tallytext.terminal import console, escape_controls, write_line

SOURCE = Path(tallytext.__file__).parent
HOSTILE = "\x1b]0;title\x07 \x1b[2J\x9b31m\x90\x00\b\r\x7f\x85\u061c\u200e\u202e\u2028\u2067\ud800"
#: Colours, which rich writes itself.
COLOURS = re.compile(r"\x1b\[[\d;]*m")


BIDIRECTIONAL = ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI")


def is_obeyed(char):
    if char in "\u061c\u200e\u200f" or unicodedata.bidirectional(char) in BIDIRECTIONAL:
        return True
    return char != "\n" and unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")


def test_every_control_character_is_escaped():
    for code in range(0x110000):
        char = chr(code)
        assert (escape_controls(char) != char) == is_obeyed(char), hex(code)


@given(st.text())
def test_escaping_twice_is_escaping_once(text):
    once = escape_controls(text)
    assert not any(map(is_obeyed, once))
    assert escape_controls(once) == once
    assert "\n" not in escape_controls(text, keep="")


@given(st.text())
def test_json_stays_the_same_value(text):
    assert json.loads(escape_controls(json.dumps(text, ensure_ascii=False))) == text


def table():
    shown = Table(title=HOSTILE)
    shown.add_column(HOSTILE)
    shown.add_row(HOSTILE)
    return shown


@pytest.mark.parametrize("shown", [HOSTILE, f"[bold]{HOSTILE}", table()])
@pytest.mark.parametrize("settings", [{}, {"force_terminal": True, "color_system": "truecolor"}])
def test_a_console_escapes_all_that_it_prints(shown, settings):
    file = io.StringIO()
    console(file, width=60, highlight=False, **settings).print(shown, style="bold")
    printed = file.getvalue()
    assert "␛]0;title" in printed
    assert bool(COLOURS.search(printed)) == bool(settings)
    assert not any(map(is_obeyed, COLOURS.sub("", printed)))


def test_lines_of_progress_are_escaped():
    file = io.StringIO()
    with redirect_stderr(file):
        lines = LineProgress(f"reading {HOSTILE}")
        lines.show("3 documents")
        lines.write()
        write_line(HOSTILE)
    assert file.getvalue().count("␛]0;title") == 2
    assert not any(map(is_obeyed, file.getvalue()))


def test_progress_bars_are_escaped(monkeypatch):
    class Screen(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", Screen())
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar(HOSTILE, 3, show=True) as step:
        step()
    printed = sys.stderr.getvalue()
    assert "␛]0;title" in printed
    assert "\x1b]" not in printed and "\x07" not in printed and "\x9b" not in printed


def writes_by_itself(node):
    """Return True for calls that make a console, or write to a standard stream."""
    if not isinstance(node, ast.Call):
        return False
    written = ast.unparse(node.func)
    return written in ("print", "Console", "rich.print", "typer.echo") or re.fullmatch(
        r"sys\.std(out|err)(\.buffer)?\.write", written
    )


def test_output_has_one_way_to_the_terminal():
    found = {
        (path.relative_to(SOURCE).as_posix(), ast.unparse(node.func))
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if writes_by_itself(node)
    }
    assert found == {
        ("terminal.py", "sys.stderr.write"),
        ("cli/__init__.py", "typer.echo"),  # the version
        ("cli/io.py", "sys.stdout.write"),  # JSON, escaped on a terminal
        ("cli/io.py", "sys.stdout.buffer.write"),  # rows, escaped on a terminal
    }
