"""``tally translate``: what words bring with them. One command per file."""

from __future__ import annotations

import typer

from tallytext.cli.command import Command, Group
from tallytext.cli.grouping import ungrouped
from tallytext.cli.help_text import flowing
from tallytext.cli.translate.cover import cover
from tallytext.cli.translate.learn import learn
from tallytext.cli.translate.show import show

HELP = """Learn from texts without labels which words go together.

    A word, a phrase or a concept brings others with it: texts about the "space program" have
    shuttles and orbits in them. A classifier with few labels can use that. A translation file
    holds such words for every signature, and can be used with other texts.

    \b
    tally translate learn news.jsonl --signatures words+phrases
    tally translate show news.translation "space program"
    tally translate cover news.translation mails.csv --text body
    """

app = typer.Typer(cls=Group, help=flowing(HELP), no_args_is_help=True)
for command in (learn, show, cover):
    app.command(cls=Command, help=flowing(command.__doc__ or ""))(ungrouped(command))
