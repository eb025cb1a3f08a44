"""``tally translate``: what words bring with them. One command per file."""

from __future__ import annotations

import typer

from tallytext.cli.grouping import ungrouped
from tallytext.cli.help_text import flowing
from tallytext.cli.translate.cover import cover
from tallytext.cli.translate.learn import learn
from tallytext.cli.translate.show import show

HELP = """Learn from texts without labels what words a word, a phrase or a concept brings with it.

    Texts about the "space program" have shuttles and orbits in them; a classifier with few labels
    can use that. A translation file holds such words for every signature, and can be used with
    other texts.

    \b
    tally translate learn news.jsonl --signatures words+phrases
    tally translate show news.translation "space program"
    tally translate cover news.translation mails.csv --text body
    """

app = typer.Typer(help=flowing(HELP), no_args_is_help=True)
for command in (learn, show, cover):
    app.command(help=flowing(command.__doc__ or ""))(ungrouped(command))
