"""Docstrings from reStructuredText to Markdown: equations, roles, tables."""

from __future__ import annotations

import re
from collections.abc import Callable

# The first group of what a role names: its target, and whether only its last part is shown.
_ROLE = re.compile(r":(?:py:)?(?:class|func|meth|attr|mod|exc|data|obj):`(~?)([^`]+)`")
_MATH_ROLE = re.compile(r":math:`([^`]+)`", re.DOTALL)
_MATH_LINE = re.compile(r"^( *)\.\. math::(.*)$")
_SEVERAL = re.compile(
    r"^(?P<names>\w+(?:, \w+)+)(?P<kind> : .+)?\n(?P<about>(?:\n*^ +.+$\n?)+)", re.MULTILINE
)
_CHOICES = re.compile(r"^(\w+(?:, \w+)* : [^{}\n]*)\{([^{}\n]+)\}", re.MULTILINE)
_RULE = re.compile(r"^ *=+(?: +=+)+ *$")

Link = Callable[[str, str], str]


def markdown(text: str, link: Link) -> str:
    """Say a docstring in Markdown.

    Parameters
    ----------
    text : str
        The docstring, with its indentation taken off.
    link : callable
        From a name as it is shown and the target of its role to Markdown.

    Examples
    --------
    >>> markdown("See :func:`~a.b`: :math:`x`.", lambda shown, target: f"[{shown}][{target}]")
    'See [b][a.b]: $x$.'
    >>> print(markdown(".. math:: y = x", lambda shown, target: shown))
    <BLANKLINE>
    $$
    y = x
    $$
    <BLANKLINE>
    """
    lines = _with_tables(_with_equations(text.split("\n")))
    # Of choices in braces, the first would be taken for the default.
    text = _CHOICES.sub(lambda match: match[1] + _either(match[2].split(", ")), "\n".join(lines))
    text = _SEVERAL.sub(_one_by_one, text)
    text = _MATH_ROLE.sub(lambda match: f"${' '.join(match[1].split())}$", text)
    return _ROLE.sub(lambda match: link(_shown(match), match[2]), text)


def _either(choices: list[str]) -> str:
    return " or ".join([", ".join(choices[:-1]), choices[-1]]) if choices[1:] else choices[0]


def _one_by_one(several: re.Match[str]) -> str:
    """Say of each of several parameters what is said of all; signatures tell their defaults."""
    kind = re.sub(r", default=.*", "", several["kind"] or "")
    about = several["about"].rstrip("\n") + "\n"
    return "".join(f"{name}{kind}\n{about}" for name in several["names"].split(", "))


def _shown(role: re.Match[str]) -> str:
    return role[2].rpartition(".")[2] if role[1] else role[2]


def _with_equations(lines: list[str]) -> list[str]:
    """Put dollars around the lines of every ``math`` directive."""
    found, at = [], 0
    while at < len(lines):
        directive = _MATH_LINE.match(lines[at])
        at += 1
        if directive is None:
            found.append(lines[at - 1])
            continue
        end = _end_of_block(lines, at, len(directive[1]))
        found += _equations([directive[2], *lines[at:end]], directive[1])
        at = end
    return found


def _end_of_block(lines: list[str], start: int, indent: int) -> int:
    """Find the first line after a directive that is not indented below it."""
    end = start
    for at in range(start, len(lines)):
        line = lines[at]
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        end = at + 1 if line.strip() else end
    return end


def _equations(lines: list[str], indent: str) -> list[str]:
    """Each run of lines is an equation of its own."""
    found: list[str] = []
    for equation in re.split(r"\n\s*\n", "\n".join(line.strip() for line in lines).strip()):
        found += ["", "$$", *equation.strip().split("\n"), "$$", ""]
    return [indent + line if line else "" for line in found]


def _with_tables(lines: list[str]) -> list[str]:
    """Turn simple tables, whose columns are under rules of ``=``, into those of Markdown."""
    rules = [at for at, line in enumerate(lines) if _RULE.match(line)]
    for top, bottom in reversed([*zip(rules[::3], rules[2::3], strict=True)]):
        columns = [match.span() for match in re.finditer(r"=+", lines[top])]
        rows = [_cells(line, columns) for line in lines[top + 1 : bottom] if not _RULE.match(line)]
        rows[1:1] = [" --- |" * len(columns)]
        indent = " " * columns[0][0]
        lines = [*lines[:top], *(indent + "|" + row for row in rows), *lines[bottom + 1 :]]
    return lines


def _cells(line: str, columns: list[tuple[int, int]]) -> str:
    """Cut a line at its columns; the last goes on to the end, and ``..`` stands for nothing."""
    ends = [start for start, _ in columns[1:]] + [len(line)]
    cells = [line[start:end].strip() for (start, _), end in zip(columns, ends, strict=True)]
    return "".join(f" {'' if cell == '..' else cell} |" for cell in cells)
