"""``tally recalibrate``: probabilities found anew for a model that has changed."""

from __future__ import annotations

from tallytext.cli import options
from tallytext.cli.console import print_json, say
from tallytext.cli.documents import Documents
from tallytext.cli.models import expect_place, load, save


def recalibrate(
    model: options.Model,
    sources: options.Sources,
    *,
    output: options.ChangedOutput = None,
    reading: options.Reading,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Find probabilities anew, once a model has learned or forgotten.

    Prediction sets and thresholds are found anew, too. Give documents that the model has not
    learned: a few hundred to a few thousand, which are held in memory. What the model has counted
    stays as it is.

    \b
    tally recalibrate mails.tally recent.csv --text body --label folder
    """
    documents = Documents(sources, reading, quiet)
    from tallytext.labels import listed_labels

    path = output or model
    expect_place(path)
    classifier = load(model, sources)
    batches = list(documents)
    texts = [text for batch in batches for text in listed_labels(batch.texts)]
    classifier.recalibrate(texts, [label for batch in batches for label in batch.labels or []])
    save(classifier, path)
    if as_json:
        print_json({"model": str(path), **classifier.report().to_dict()})
    if not quiet:
        say(f"saved as {path}: calibrated on {documents.n_documents:,} documents")
    documents.close()
