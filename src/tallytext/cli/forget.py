"""``tally forget``: documents taken out of a model."""

from __future__ import annotations

from tallytext.cli import options
from tallytext.cli.changing import change
from tallytext.cli.documents import Documents


def forget(
    model: options.Model,
    sources: options.Sources,
    output: options.ChangedOutput = None,
    text: options.TextColumn = "text",
    label: options.LabelColumn = "label",
    format: options.Format = None,
    label_separator: options.LabelSeparator = None,
    on_error: options.Errors = options.OnError.fail,
    encoding: options.Encoding = "utf-8",
    match: options.Match = None,
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
    documents = Documents(
        sources,
        quiet,
        text=text,
        label=label,
        format=format,
        label_separator=label_separator,
        on_error=on_error,
        encoding=encoding,
        match=match,
    )
    change("forget", model, documents, output or model, None, quiet, as_json)
