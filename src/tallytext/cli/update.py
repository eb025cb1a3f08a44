"""Documents that enter a model file, or leave it."""

from __future__ import annotations

from functools import reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tallytext.cli import options
from tallytext.cli.io import Documents, check_place, held_back, load, print_json, save, say, told

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier


class Change:
    """A model file that is being changed.

    Parameters
    ----------
    path : Path
        Where the changed model goes.
    classifier : TextClassifier
        The model as it is now.
    save_every : int or None
        After how many documents it is saved; None for when all is done.
    """

    def __init__(self, path: Path, classifier: TextClassifier, save_every: int | None) -> None:
        self._path, self._classifier, self._save_every = path, classifier, save_every
        self._n_done = self._n_saved = 0

    def add(self, n_documents: int) -> None:
        """Count documents that were dealt with, and save if it is time to."""
        self._n_done += n_documents
        if self._save_every is not None and self._n_done - self._n_saved >= self._save_every:
            self.save()

    def save(self) -> None:
        """Rewrite the file, and remember it as one step: an interruption is told the truth."""
        with held_back():
            self._classifier.save(self._path)
            self._n_saved = self._n_done

    def outcome(self) -> str:
        """Return what an interruption has come to."""
        if not self._n_saved:
            return f"Nothing was saved; {str(self._path)!r} was not touched."
        return f"The first {self._n_saved:,} documents are in {str(self._path)!r}."


def change(
    verb: Literal["learn", "forget"],
    model: Path,
    documents: Documents,
    path: Path,
    save_every: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Let a model learn or forget documents, and save it."""
    check_place(path)
    classifier = load(model)
    changed = Change(path, classifier, save_every)
    act = classifier.learn if verb == "learn" else classifier.forget
    with told(changed.outcome):
        for batch in documents:
            act(batch.texts, batch.labels)
            changed.add(len(batch))
        changed.save()
    report = classifier.report()
    if as_json:
        seen = {"documents": documents.n_documents, "skipped": documents.n_skipped}
        print_json({"model": str(path), **seen, **report.to_dict()})
    if not quiet:
        say(f"saved as {path}: {report.n_documents:,} documents, {report.n_classes:,} classes")
    documents.close()


# ------------------------------------------------------------------------------------------------
# ``tally learn``: more documents for a model.


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


# ------------------------------------------------------------------------------------------------
# ``tally forget``: documents taken out of a model.


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


# ------------------------------------------------------------------------------------------------
# ``tally merge``: several models made one.


def merge(
    models: Annotated[
        list[Path], typer.Argument(metavar="MODEL", help="Files that tally train wrote.")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write the model of all; a file of this name is replaced.",
        ),
    ],
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Add up models that were trained apart, with the same settings.

    The result is exactly the model of all documents together, with the probabilities of the first.
    To train with the same settings everywhere, name a model instead of having one chosen.

    \b
    tally train january.csv --model chi-contrast
    tally train february.csv --model chi-contrast
    tally merge january.tally february.tally -o both.tally
    """
    check_place(output)
    with told(lambda: f"Nothing was saved; {str(output)!r} was not touched."):
        merged = reduce(add, map(load, models))
    save(merged, output)
    report = merged.report()
    if as_json:
        print_json({"model": str(output), "merged": list(map(str, models)), **report.to_dict()})
    if not quiet:
        say(f"saved as {output}: {report.n_documents:,} documents, {report.n_classes:,} classes")


# ------------------------------------------------------------------------------------------------
# ``tally recalibrate``: probabilities found anew for a model that has changed.


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
    from tallytext.tally.labels import listed_labels

    path = output or model
    check_place(path)
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
