"""Classifiers trained by a command: on documents read here, or on what others have counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import typer

from tallytext.cli.console import warn
from tallytext.cli.documents import Documents
from tallytext.cli.engine_options import Counting, Many
from tallytext.cli.options import Reading
from tallytext.cli.unlabelled import unlabelled_documents

if TYPE_CHECKING:
    from tallytext import TextClassifier


class Learned(NamedTuple):
    """A classifier, how many rows were left out, and what tells how long it took."""

    classifier: TextClassifier
    skipped: dict[str, int]
    close: Callable[[], None]


def learned_here(
    classifier: TextClassifier,
    sources: list[str],
    reading: Reading,
    unlabelled: list[str],
    quiet: bool,
) -> Learned:
    """Return a classifier that has learned from documents, which are read here."""
    documents = Documents(sources, reading, quiet)
    pool = unlabelled_documents(unlabelled, sources, reading, quiet)
    classifier.fit_batches(documents.pairs(), unlabelled=pool.texts() if unlabelled else None)
    if unlabelled and not pool.n_documents:
        warn(f"there is no document in {', '.join(unlabelled)}: learned from those with labels.")
    skipped = {"skipped": documents.n_skipped, "skipped_unlabelled": pool.n_skipped}
    return Learned(classifier, skipped, lambda: documents.close(pool))


def learned_by_many(
    settings: TextClassifier,
    sources: list[str],
    reading: Reading,
    many: Many,
    counting: Counting,
    quiet: bool,
) -> Learned:
    """Return a classifier with the settings of another, made of what an engine has counted."""
    from tallytext.classifier.candidates import candidates_for, vectorizer_for
    from tallytext.cli.shared_work import SharedWork

    planes = settings.planes()  # refuses settings that need documents
    vectorizer = vectorizer_for(settings, candidates_for(settings)[0].features)
    work = SharedWork(sources, reading, many, quiet)
    tally = work.tally(vectorizer=vectorizer, planes=planes, **counting.given())
    params = settings.get_params(deep=False)
    del params["vectorizer"]
    classifier = type(settings).from_tally(tally, **params)
    return Learned(classifier, {"skipped": work.n_skipped, "skipped_unlabelled": 0}, work.close)


def expect_sums(model: str, select: str | None) -> None:
    """Refuse a model that is not made of counts, and terms that are not chosen by them.

    Examples
    --------
    >>> expect_sums("multinomial", "ig:2000")
    """
    from tallytext.learners import find_learner, learners

    if select is not None and select.partition(":")[0] == "ts":
        raise typer.BadParameter(
            "--select ts compares documents with each other: with --engine, take another score."
        )
    if model == "auto" or (model != "best" and find_learner(model).additive):
        return
    sums = ", ".join(["auto", *(learner.name for learner in learners(additive=True))])
    raise typer.BadParameter(
        f"--model {model} needs all documents in one place: with --engine, take one of {sums}."
    )
