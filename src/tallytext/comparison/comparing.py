"""Every learner judged by the same documents, and a look into the best."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import clone

from tallytext.classifier import TextClassifier
from tallytext.comparison.comparison import Comparison
from tallytext.comparison.documents import Documents, documents_of, expect_words
from tallytext.comparison.judging import Trial
from tallytext.comparison.learning_curve import SHARES, learning_curve
from tallytext.comparison.near_duplicates import near_duplicates
from tallytext.comparison.racing import judge_all
from tallytext.comparison.ranking import best_of, ranked
from tallytext.comparison.splits import Splits, splits_of
from tallytext.curves import VocabularyCurve, vocabulary_curve
from tallytext.errors import InputError, TallytextError
from tallytext.learners import Learner, find_learner
from tallytext.learners import learners as registered
from tallytext.progress import progress_bar
from tallytext.selection.typical import typical_terms
from tallytext.tally import Tally
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
        Seconds for judging on all folds but the first, which is for everyone; None for as many as
        it takes. Where time is short, those stop first that are behind the best by more than
        chance, and of these the slowest. Left out altogether, unless they are named, are learners
        that would need more to learn once, and more than a minute, as a tenth of the documents
        tells. The curves of the best are made after that, and are not part of it.
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
    documents = documents_of(texts, labels)
    splits = splits_of(
        documents.labels, documents.several, folds, groups=groups, time=time, seed=seed
    )

    def make(learner: Learner) -> TextClassifier:
        several = documents.several
        return TextClassifier(
            learner.name, vectorizer=vectorizer, multi_label=several, n_jobs=n_jobs, verbose=False
        )

    trials = [Trial(learner, documents, make) for learner in _chosen(learners, documents)]
    expect_words(documents.texts, _counting(vectorizer, min_length=1))
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
    # It may have failed on others, or there was no time for them.
    known = replace(splits, splits=tuple(fold.split for fold in best.folds))
    curve = learning_curve(lambda: best.make(best.learner), documents, known, step, seed=seed)
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
) -> VocabularyCurve | None:
    """Return the vocabulary curve of the first split; None if nothing can be learned there."""
    first, counting = splits.splits[0], _counting(vectorizer)
    (learned, theirs), (new, truth) = documents.some(first.learned), documents.some(first.judged)
    try:
        X = counting.fit_transform(learned)
        if not X.shape[1]:
            return None
        return vocabulary_curve(X, theirs, counting.transform(new), truth, verbose=False)
    except (
        TallytextError
    ):  # no terms within limits, or no labels: learners were judged all the same
        return None


def _counting(vectorizer: TextVectorizer | None, **by_default: Any) -> TextVectorizer:
    """Return a vectorizer to be fitted; what users have given stays as it is."""
    return TextVectorizer(**by_default) if vectorizer is None else clone(vectorizer)


def _telling(tally: Tally) -> dict[Any, list[str]]:
    """Return the most telling terms of the largest classes."""
    by_size = sorted(range(len(tally.classes)), key=lambda c: -int(tally.class_documents[c]))
    shown = by_size[:_CLASSES]
    terms = typical_terms(tally, shown, _TERMS)
    return {tally.classes[c]: some for c, some in zip(shown, terms, strict=True)}


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
