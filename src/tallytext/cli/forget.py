"""``tally forget``: documents taken out of a model."""

from __future__ import annotations

from tallytext.cli import options
from tallytext.cli.changing import change
from tallytext.cli.documents import Documents


def forget(
    model: options.Model,
    sources: options.Sources,
    *,
    output: options.ChangedOutput = None,
    reading: options.Reading,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Take documents out again that were learned, exactly.

    Give them with the labels they were learned with. Where the counts tell that a document was
    never learned, nothing changes at all. The model file is rewritten in one step.

    \b
    tally forget mails.tally wrong.csv --text body --label folder
    tally forget mails.tally wrong.jsonl -o corrected.tally
    """
    documents = Documents(sources, reading, quiet)
    change("forget", model, documents, output or model, None, quiet, as_json)
