"""``tally learn``: more documents for a model."""

from __future__ import annotations

from typing import Annotated

import typer

from tallytext.cli import options
from tallytext.cli.changing import change
from tallytext.cli.documents import Documents


def learn(
    model: options.Model,
    sources: options.Sources,
    *,
    output: options.ChangedOutput = None,
    save_every: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Save after every N documents, so that no more than these are lost.",
            show_default="when all is learned",
        ),
    ] = None,
    reading: options.Reading,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Learn more documents; new words and new labels are welcome.

    The result is exactly the model of all documents together. The model file is rewritten in one
    step, so that an error or Ctrl-C leaves the old one. Probabilities stay those found in
    training, and tally info tells how many documents have come since.

    \b
    tally learn mails.tally monday.csv tuesday.csv --text body --label folder
    tally learn mails.tally - --save-every 1000 < stream.jsonl
    """
    documents = Documents(sources, reading, quiet, max_documents=min(save_every or 16_384, 16_384))
    change("learn", model, documents, output or model, save_every, quiet, as_json)
