"""Documents that enter a model file, or leave it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tallytext.cli.console import print_json, say
from tallytext.cli.documents import Documents
from tallytext.cli.interrupts import held_back, told
from tallytext.cli.models import expect_place, load

if TYPE_CHECKING:
    from tallytext import TextClassifier


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
    expect_place(path)
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
