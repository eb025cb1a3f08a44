import re
from pathlib import Path

import pytest

pytest.importorskip("docs_site", reason="the source distribution has no tools of the site")

from docs_site.commands import commands, section, with_commands

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS = commands()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.words)
def test_some_page_shows_every_command(command):
    pattern = re.compile(rf"\b{re.escape(command.words)}\b")
    assert any(pattern.search(page.read_text(encoding="utf-8")) for page in PAGES)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.words)
def test_every_command_and_each_of_its_options_has_help(command):
    assert command.about.help.strip()
    for each in command.parameters:
        assert each.help.strip().endswith((".", ")")), each.name


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.words)
def test_the_reference_has_every_option(command):
    text = section(command)
    for each in command.parameters:
        for name in each.opts if each.param_type_name == "option" else []:
            assert re.search(rf"^\| `[^`]*(?<![\w-]){re.escape(name)}\b", text, re.M), name


def test_the_page_asks_for_the_reference():
    page = (ROOT / "docs" / "api" / "commands.md").read_text(encoding="utf-8")
    assert page != with_commands(page)
