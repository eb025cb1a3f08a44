"""``tally learn``, ``forget``, ``merge``, ``recalibrate``, ``thresholds``: update model files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial, reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tallytext.cli import options
from tallytext.cli.io import (
    InputDocuments,
    delay_interrupts,
    load_model,
    lock_output,
    note_on_interrupt,
    print_json,
    result_console,
    save_model,
    show_message,
)
from tallytext.cli.label_hygiene import (
    LabelCheck,
    LabelOptions,
    MergeLabels,
    count_classes,
    model_label_check,
    suggest_label,
)
from tallytext.errors import NegativeCountError, SettingsError

if TYPE_CHECKING:
    from tallytext.classifier.classifier import TextClassifier
    from tallytext.classifier.report import Report
    from tallytext.io.batches import Batch


_MAX_BATCH_DOCUMENTS = 16_384
_MAX_LABELS_SHOWN = 10
_TOO_HIGH = ", so that the expected accuracy is too high"


class LearnedDocuments:
    """What is unusual about documents that a model learns, for a message.

    Parameters
    ----------
    classifier : TextClassifier
        The model, before it learns.
    """

    def __init__(self, classifier: TextClassifier) -> None:
        self._classifier = classifier
        self._known = set(classifier.classes_.tolist())
        self._counts: Counter[Any] = Counter()
        self._n_again = 0

    def add(self, texts: Any, labels: list[Any]) -> None:
        """Count the documents of a batch that will be learned next."""
        from tallytext.classifier.label_checks import count_labels

        self._counts.update(count_labels(labels))
        if self._classifier.n_kept:
            self._n_again += int(self._classifier.is_learned(texts, labels).sum())

    def notes(self) -> list[str]:
        """Return a sentence about new labels, and one about documents learned twice."""
        notes = []
        new = [(label, n) for label, n in self._counts.most_common() if label not in self._known]
        if new:
            shown = ", ".join(f"{label} ({n:,})" for label, n in new[:_MAX_LABELS_SHOWN])
            more = len(new) - _MAX_LABELS_SHOWN
            shown += f" and {more:,} more" * (more > 0)
            notes.append(f"new label{'s' * (len(new) != 1)}: {shown}")
        if self._n_again == 1:
            notes.append(f"1 document had been learned before, and counts twice now{_TOO_HIGH}")
        elif self._n_again:
            notes.append(
                f"{self._n_again:,} documents had been learned before, and count twice "
                f"now{_TOO_HIGH}"
            )
        return notes


class ModelUpdate:
    """A model file that is being updated.

    Parameters
    ----------
    path : Path
        File of the updated model.
    classifier : TextClassifier
        The model.
    save_every : int or None
        Number of documents between two saves; None to save at the end only.
    """

    def __init__(self, path: Path, classifier: TextClassifier, save_every: int | None) -> None:
        self._path, self._classifier, self._save_every = path, classifier, save_every
        self._n_done = self._n_saved = 0

    def add(self, n_documents: int) -> None:
        """Count documents that were learned or forgotten, and save the model if it is due."""
        self._n_done += n_documents
        if self._save_every is not None and self._n_done - self._n_saved >= self._save_every:
            self.save()

    def save(self) -> None:
        """Replace the file."""
        # Saving and counting are one step, so that the note of an interruption is right.
        with delay_interrupts():
            self._classifier.save(self._path)
            self._n_saved = self._n_done

    def outcome(self) -> str:
        """Return a message about the documents saved before an interruption."""
        if not self._n_saved:
            return f"Nothing was saved; {str(self._path)!r} was not changed."
        return f"The first {self._n_saved:,} documents are in {str(self._path)!r}."


def update_model(
    verb: Literal["learn", "forget"],
    model: Path,
    documents: InputDocuments,
    path: Path,
    save_every: int | None,
    quiet: bool,
    as_json: bool,
    label_check: Callable[[TextClassifier], LabelCheck],
) -> None:
    """Learn or forget documents, and save the model."""
    classifier = load_model(model)
    changed = ModelUpdate(path, classifier, save_every)
    labels = label_check(classifier)
    learned = LearnedDocuments(classifier)
    with note_on_interrupt(changed.outcome):
        for source, read in documents.by_source():
            batch = labels.merge_batch(read)
            if verb == "learn":
                # Before the batch is learned: after an error, the model has none of it.
                labels.check()
            if batch.labels and verb == "learn":
                if not quiet:
                    learned.add(batch.texts, batch.labels)
                classifier.learn(batch.texts, batch.labels)
            elif batch.labels:
                _forget_batch(classifier, source, batch)
            changed.add(len(batch))
        changed.save()
    report = classifier.report()
    if as_json:
        seen = {"documents": documents.n_documents, "skipped": documents.n_skipped}
        print_json({"model": str(path), **seen, **report.to_dict()})
    for note in learned.notes():
        show_message(note)
    if not quiet:
        show_message(f"saved as {path}: {_sizes(report)}")
    documents.close()


def _forget_batch(classifier: TextClassifier, source: str, batch: Batch) -> None:
    """Forget the documents of a batch; an error names the first row that was never learned."""
    known = count_classes(classifier.tally_)
    for place, label in zip(batch.places, batch.labels or [], strict=True):
        for each in label if isinstance(label, list) else [label]:
            if each not in known:
                question = suggest_label(each, known, "tally forget")
                raise NegativeCountError(
                    f"cannot forget {source}, {_place(place)}: the model has no label {each!r}. "
                    f"{question or 'Was this document ever learned by this model?'} "
                    "Nothing was forgotten."
                )
    try:
        classifier.forget(batch.texts, batch.labels)
    except NegativeCountError as problem:
        if len(batch) == 1:
            reason = str(problem).removeprefix("cannot forget: ").replace("tally", "model")
            raise NegativeCountError(
                f"cannot forget {source}, {_place(batch.places[0])}: {reason} Nothing was "
                "forgotten."
            ) from None
        # Nothing has changed: the first half fails too, or what is left of the second.
        middle = len(batch) // 2
        _forget_batch(classifier, source, batch.take(range(middle)))
        _forget_batch(classifier, source, batch.take(range(middle, len(batch))))


def _place(place: object) -> str:
    """Return a row in words, or the name of a file in a folder."""
    return f"row {place:,}" if isinstance(place, int) else str(place)


def _sizes(report: Report) -> str:
    return f"{report.n_documents:,} documents, {report.n_classes:,} classes"


def learn(
    model: options.Model,
    sources: options.Sources,
    *,
    output: options.ChangedOutput = None,
    wait: options.Wait = options.DEFAULT_WAIT,
    save_every: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Save the model after every N documents, so that an error loses at most N "
            "documents.",
            show_default="at the end",
        ),
    ] = None,
    reading: options.ReadingOptions,
    hygiene: LabelOptions,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Learn more documents, which may have new words and new labels.

    The result equals a model trained on all documents together. The model file is replaced in one
    step: after an error or Ctrl-C, the old one is still there. Probabilities usually stay valid. If
    the predictions for the new documents, before these are learned, are clearly worse or better
    than their probabilities say, a warning asks for tally recalibrate; tally info shows how many
    documents were learned since. A new label that looks like a typo of a known one stops the
    command, and so do several labels of which the model knows none: see --yes and --merge-labels.

    \b
    tally learn mails.tally monday.csv tuesday.csv --text body --label folder
    tally learn mails.tally - --save-every 1000 < stream.jsonl
    """
    size = min(save_every or _MAX_BATCH_DOCUMENTS, _MAX_BATCH_DOCUMENTS)
    documents = InputDocuments(sources, reading, quiet, max_documents=size)
    label_check = partial(model_label_check, hygiene, sources, reading, quiet)
    path = output or model
    with lock_output(path, wait, quiet):
        update_model("learn", model, documents, path, save_every, quiet, as_json, label_check)


def forget(
    model: options.Model,
    sources: options.Sources,
    *,
    output: options.ChangedOutput = None,
    wait: options.Wait = options.DEFAULT_WAIT,
    reading: options.ReadingOptions,
    merge_labels: MergeLabels = False,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Forget documents: remove exactly what the model learned from them.

    Give the documents with the labels they were learned with; if these were merged in training, add
    --merge-labels here, too. If the counts show that one of them was never learned, the model is
    not changed. The model file is replaced in one step.

    \b
    tally forget mails.tally wrong.csv --text body --label folder
    tally forget mails.tally wrong.jsonl -o corrected.tally
    """
    documents = InputDocuments(sources, reading, quiet)
    hygiene = LabelOptions(merge_labels=merge_labels)
    label_check = partial(model_label_check, hygiene, sources, reading, quiet)
    path = output or model
    with lock_output(path, wait, quiet):
        update_model("forget", model, documents, path, None, quiet, as_json, label_check)


def merge(
    models: Annotated[
        list[Path], typer.Argument(metavar="MODEL", help="Model files, written by tally train.")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File to write the merged model to. An existing model is replaced.",
        ),
    ],
    wait: options.Wait = options.DEFAULT_WAIT,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Merge models that were trained separately, with the same settings.

    The result equals a model trained on all documents together, with the calibration of the first
    model. To train with the same settings everywhere, name the model with --model.

    \b
    tally train january.csv --model chi-contrast
    tally train february.csv --model chi-contrast
    tally merge january.tally february.tally -o both.tally
    """
    with lock_output(output, wait, quiet):
        with note_on_interrupt(lambda: f"Nothing was saved; {str(output)!r} was not changed."):
            merged = reduce(add, map(load_model, models))
        save_model(merged, output)
    report = merged.report()
    if as_json:
        print_json({"model": str(output), "merged": list(map(str, models)), **report.to_dict()})
    if not quiet:
        show_message(f"saved as {output}: {_sizes(report)}")


def recalibrate(
    model: options.Model,
    sources: options.Sources,
    *,
    output: options.ChangedOutput = None,
    wait: options.Wait = options.DEFAULT_WAIT,
    reading: options.ReadingOptions,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Recalibrate the probabilities of a model that has changed since training.

    Prediction sets and thresholds are recalibrated, too; the counts of the model stay the same.
    Give a few hundred to a few thousand labelled documents that the model has not learned. They
    are held in memory.

    \b
    tally recalibrate mails.tally recent.csv --text body --label folder
    """
    documents = InputDocuments(sources, reading, quiet)
    from tallytext.tally.labels import list_labels

    path = output or model
    with lock_output(path, wait, quiet):
        classifier = load_model(model, sources)
        batches = list(documents)
        texts = [text for batch in batches for text in list_labels(batch.texts)]
        classifier.recalibrate(texts, [label for batch in batches for label in batch.labels or []])
        save_model(classifier, path)
    if as_json:
        print_json({"model": str(path), **classifier.report().to_dict()})
    if not quiet:
        show_message(f"saved as {path}: calibrated on {documents.n_documents:,} documents")
    documents.close()


def thresholds(
    model: options.Model,
    rules: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RULE]...",
            help="micro, macro, per-class, a probability, or LABEL=PROBABILITY for some labels.",
        ),
    ] = None,
    *,
    output: options.ChangedOutput = None,
    wait: options.Wait = options.DEFAULT_WAIT,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Show or set the thresholds of a multi-label model.

    A threshold is the lowest probability at which a label is assigned. micro: one threshold for
    all labels, with the best micro-averaged F1. macro: one for each label, with the best F1 that
    its probabilities predict. per-class: the best F1 on held-out documents. Without a rule, the
    thresholds are shown, and nothing changes.

    \b
    tally thresholds news.tally
    tally thresholds news.tally macro
    tally thresholds news.tally earn=0.8 ship=0.2
    """
    path = output or model
    with lock_output(path, wait, quiet) if rules else nullcontext():
        classifier = load_model(model, [])
        if rules:
            classifier.set_thresholds(options.parse_thresholds(rules))
            save_model(classifier, path)
    chosen = classifier.report().thresholds
    if chosen is None:
        raise SettingsError(
            "this model has no thresholds: each document gets its most probable label, or "
            "probabilities are not calibrated."
        )
    if as_json:
        print_json(
            {"model": str(path), "thresholds": {str(label): v for label, v in chosen.items()}}
        )
    elif not quiet:
        console = result_console()
        for label, value in sorted(chosen.items(), key=lambda each: (each[1], str(each[0]))):
            console.print(f"{_format_threshold(value)}  {label}", soft_wrap=True)


def _format_threshold(threshold: float) -> str:
    # A threshold above 1 is that of a label that no held-out document was rightly given.
    return f"{threshold:.4f}" if threshold <= 1 else "never "
