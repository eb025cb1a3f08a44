"""Every learner judged by the same documents, and a look into the best."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from numpy.typing import ArrayLike

from tallytext.classifier import TextClassifier
from tallytext.classifier.labels import (
    expect_as_many,
    expect_labels,
    expect_single,
    is_single,
    labels_of,
)
from tallytext.comparison.comparison import Comparison
from tallytext.comparison.judging import Documents, Trial
from tallytext.comparison.learning_curve import SHARES, learning_curve
from tallytext.comparison.near_duplicates import near_duplicates
from tallytext.comparison.racing import judge_all
from tallytext.comparison.ranking import best_of, ranked
from tallytext.comparison.splits import Splits, splits_of
from tallytext.curves import VocabularyCurve, vocabulary_curve
from tallytext.errors import InputError, LabelError
from tallytext.learners import Learner, find_learner
from tallytext.learners import learners as registered
from tallytext.progress import progress_bar
from tallytext.selection.typical import typical_terms
from tallytext.tally import Tally
from tallytext.text.sources import as_texts
from tallytext.vectorizer import TextVectorizer

_FOLDS = 5
_CLASSES, _TERMS = 100, 12
# Learning from documents without labels is no use here, and slow where labels are many.
_POOLED = "pooled"


def compare(
    texts: Any,
    labels: Any,
    *,
    learners: Iterable[str] | None = None,
    folds: int = _FOLDS,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    vectorizer: TextVectorizer | None = None,
    budget: float | None = None,
    n_jobs: int | None = None,
    seed: int = 0,
    verbose: bool | None = None,
) -> Comparison:
    """Judge every learner by the same documents, each kept from it while it learned.

    Parameters
    ----------
    texts : list, column or iterable of str
    labels : list, column or array
        One label per text, or a list of labels per text.
    learners : iterable of str, default=None
        Names of learners, see :func:`tallytext.learners.learners`; None for all that can do what
        is asked, but for "pooled", which is for documents without labels.
    folds : int, default=5
        How often documents are dealt out.
    groups : array-like of shape (n_documents,), default=None
        Documents of one group (thread, author, near duplicates) are kept together. A document
        without a value is a group of its own.
    time : array-like of shape (n_documents,), default=None
        Documents are judged by models of earlier ones only: numbers, dates, or anything else that
        can be put in order (strings are, letter by letter). Those of one moment are kept together.
    vectorizer : TextVectorizer, default=None
        How texts become terms; None: as :class:`~tallytext.TextClassifier` does by itself.
    budget : float, default=None
        Seconds for judging on all folds but the first; None for as many as it takes. Learners that
        would need more to learn once, as a tenth of the documents tells, are left out, unless they
        are named. Where time is short, those stop first that are behind the best by more
        than chance, and of these the slowest.
    n_jobs : int, default=None
        Number of threads; None for all cores. Scores do not depend on it.
    seed : int, default=0
        How documents are dealt out.
    verbose : bool, default=None
        Whether to show a progress bar; None: on a terminal, if it takes its time.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> texts = ["cheap pills", "lunch at noon", "cheap watches", "noon, for lunch"] * 5
    >>> found = compare(texts, ["spam", "ham"] * 10, learners=["multinomial", "bernoulli"])
    >>> found.best.name, found.best.score
    ('multinomial', 1.0)
    """
    documents = _documents(texts, labels)
    splits = splits_of(
        documents.labels, documents.several, folds, groups=groups, time=time, seed=seed
    )

    def make(learner: Learner) -> TextClassifier:
        several = documents.several
        return TextClassifier(
            learner.name, vectorizer=vectorizer, multi_label=several, n_jobs=n_jobs, verbose=False
        )

    trials = [Trial(learner, documents, make) for learner in _chosen(learners, documents)]
    with progress_bar("Comparing", len(trials) * len(splits) + len(SHARES) + 2, verbose) as step:
        judge_all(trials, splits, budget, step, all_wanted=learners is not None)
        if not any(trial.folds for trial in trials):
            raise InputError(f"no learner could be judged. {trials[0].failure}")
        return _looked_into(trials, splits, vectorizer, seed, step)


def _looked_into(
    trials: list[Trial],
    splits: Splits,
    vectorizer: TextVectorizer | None,
    seed: int,
    step: Callable[[], None],
) -> Comparison:
    best = best_of(trials, splits.units)
    suspects, terms = best.suspects(), _telling(best.classifier(0).tally_)
    best.let_go()
    documents = best.documents
    curve = learning_curve(lambda: best.make(best.learner), documents, splits, step, seed=seed)
    sizes = _sizes(documents, splits, vectorizer)
    step()
    alike = near_duplicates(documents.texts, splits, seed, best.outcomes)
    step()
    return Comparison(
        ranked(trials, splits.units),
        "micro-F1" if documents.several else "accuracy",
        splits,
        documents,
        alike,
        curve,
        sizes,
        suspects,
        best.evaluation,
        terms,
    )


def _sizes(
    documents: Documents, splits: Splits, vectorizer: TextVectorizer | None
) -> VocabularyCurve:
    first = splits.splits[0]
    (learned, theirs), (new, truth) = documents.some(first.learned), documents.some(first.judged)
    counting = TextVectorizer() if vectorizer is None else vectorizer
    X = counting.fit_transform(learned)
    if not X.shape[1]:
        raise InputError("documents have no words that could be counted.")
    return vocabulary_curve(X, theirs, counting.transform(new), truth, verbose=False)


def _telling(tally: Tally) -> dict[Any, list[str]]:
    """Return the most telling terms of the largest classes."""
    by_size = sorted(range(len(tally.classes)), key=lambda c: -int(tally.class_documents[c]))
    shown = by_size[:_CLASSES]
    terms = typical_terms(tally, shown, _TERMS)
    return {tally.classes[c]: some for c, some in zip(shown, terms, strict=True)}


def _documents(texts: Any, labels: Any) -> Documents:
    listed, _ = labels_of(labels)
    expect_labels(listed)
    read = as_texts(texts).strings()
    expect_as_many(len(read), listed)
    if not any(map(str.strip, read)):
        raise InputError("all documents are empty. Is this the column of the texts?")
    several = not all(map(is_single, listed))
    documents = Documents(read, listed if several else expect_single(listed), several)
    _expect_classes(documents)
    return documents


def _expect_classes(documents: Documents) -> None:
    """Refuse labels that nothing can be learned from."""
    labels = documents.labels
    distinct = {label for each in labels for label in (each if documents.several else [each])}
    if len(distinct) < 2:
        raise LabelError(
            f"all documents have the label {[*distinct]!r:.80}: nothing to tell apart."
        )
    if not documents.several and len(distinct) == len(labels):
        raise LabelError(
            f"no two of the {len(labels)} documents have the same label: nothing can be learned "
            "from one and judged by another. Is this the column of the labels?"
        )


def _chosen(names: Iterable[str] | None, documents: Documents) -> list[Learner]:
    """Return the learners to compare, in the order of their names' registration."""
    able = registered(multi_label=documents.several)
    if names is None:
        return [learner for learner in able if learner.name != _POOLED]
    chosen = [find_learner(name) for name in dict.fromkeys(names)]
    if not chosen:
        raise InputError("there is no learner to compare.")
    for learner in chosen:
        if learner not in able:
            raise InputError(f"{learner.name!r} cannot give a document several labels.")
    return chosen
