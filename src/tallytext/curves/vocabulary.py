"""Error against the number of terms, for several scores and models, on one count of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from tallytext.bayes import BernoulliNB, MultinomialNB
from tallytext.bayes.matrices import in_units, unit_of, vocabulary_for
from tallytext.bayes.model import NaiveBayes
from tallytext.curves.arguments import named, sizes_of
from tallytext.curves.curve import CurveLine, VocabularyCurve
from tallytext.curves.judging import Cut, error_of
from tallytext.curves.splits import Documents, Split, folds_of
from tallytext.errors import LabelError
from tallytext.labels import array_of_labels, sort_labels
from tallytext.matrices import checked_matrix
from tallytext.planes import Plane
from tallytext.progress import progress_bar
from tallytext.selection import TermSelector
from tallytext.smoothing.base import Numbers
from tallytext.tally import Tally
from tallytext.targets import expect_lengths, targets_of


def vocabulary_curve(
    X: Any,
    y: Any,
    X_test: Any = None,
    y_test: Any = None,
    *,
    scores: Iterable[Any] | Mapping[str, Any] = ("ig", "chi", "df"),
    models: Iterable[Any] | Mapping[str, Any] | None = None,
    sizes: Iterable[int] | None = None,
    cv: int = 5,
    min_df: int = 1,
    random_state: int = 0,
    verbose: bool | None = None,
) -> VocabularyCurve:
    """Measure error against the number of terms that are kept.

    Documents are counted once. Naive Bayes is read off the tally of the kept terms, so that a point
    costs no more than judging the documents; normalised documents keep the norm that they had with
    all their terms. Any other classifier is fitted on the kept columns, once for each point.

    Terms are scored on training documents alone: in cross-validation without the fold that is
    judged.

    Parameters
    ----------
    X, y
        Training documents: counts, and one label per document, lists of labels, or an indicator
        matrix.
    X_test, y_test : default=None
        Documents to judge; without them those of ``X`` are judged, fold after fold.
    scores : iterable, or mapping of names, default=("ig", "chi", "df")
        What terms are scored by: each a ``method`` of :class:`~tallytext.selection.TermSelector`.
    models : iterable, or mapping of names, default=None
        Classifiers of count matrices; None for ``MultinomialNB()`` and ``BernoulliNB()``.
    sizes : iterable of int, default=None
        Numbers of terms to keep; None for 10, 20, 50, 100 and so on up to all.
    cv : int, default=5
        Number of folds where there are no documents to judge.
    min_df : int, default=1
        Leave terms of fewer documents out of all lines.
    random_state : int, default=0
        How documents are dealt out to folds.
    verbose : bool, default=None
        Whether to show a progress bar; None: on a terminal, if it takes its time.

    Returns
    -------
    VocabularyCurve

    Examples
    --------
    >>> X = np.array([[2, 1, 0, 0], [1, 0, 1, 0], [3, 1, 0, 1], [0, 1, 2, 1], [0, 0, 1, 2]])
    >>> y = ["X", "X", "X", "Y", "Y"]
    >>> print(vocabulary_curve(X, y, X, y, scores=["ig"], models=[MultinomialNB()]))
    error of 5 held-out documents, lowest 0.0000: 2 terms by ig, MultinomialNB
      terms  ig, MultinomialNB
          1             0.4000
          2             0.0000
          4             0.0000
    """
    methods, classifiers = named(scores, "scores"), named(_or_default(models), "models")
    carrier = TermSelector(min_df=min_df)
    carrier._expect_parameters()
    whole = _documents(carrier, X, y, reset=True)
    held_out = None if X_test is None else _documents(carrier, X_test, y_test, reset=False)
    curve = _Curve(methods, classifiers, whole, held_out, carrier)
    splits = curve.splits(cv, random_state)
    return curve.measured(splits, 1 if held_out else cv, sizes, verbose)


class _Curve:
    """What is tried on which documents."""

    def __init__(
        self,
        methods: Mapping[str, Any],
        models: Mapping[str, Any],
        whole: Documents,
        held_out: Documents | None,
        carrier: TermSelector,
    ) -> None:
        self.methods, self.models, self.whole, self.held_out = methods, models, whole, held_out
        self.vocabulary, self.min_df = vocabulary_for(carrier), carrier.min_df
        self.unit = unit_of(whole.X)
        self.planes = _planes(models.values(), self.unit, whole.targets.several)
        distinct = whole.targets.distinct | (held_out.targets.distinct if held_out else set())
        self.classes = array_of_labels(sort_labels(distinct))

    def splits(self, n_folds: int, random_state: int) -> Iterator[Split]:
        if self.held_out is None:
            yield from folds_of(self.whole, n_folds, random_state, self.counted)
        else:
            yield Split(self.whole, self.counted(self.whole), self.held_out)

    def counted(self, documents: Documents) -> Tally:
        """Return the tally of documents, with all the planes that scores and models read."""
        tally = Tally(self.vocabulary, planes=self.planes)
        return tally.learn(in_units(documents.X, self.unit), documents.targets.labels)

    def measured(
        self, splits: Iterator[Split], n_splits: int, sizes: Any, verbose: bool | None
    ) -> VocabularyCurve:
        kept = sizes_of(sizes, self._n_terms())
        outcomes = np.zeros((len(self.methods), len(self.models), len(kept), 3))
        steps = n_splits * outcomes[..., 0].size
        with progress_bar("Measuring error", steps, verbose) as step:
            for split in splits:
                for at, method in enumerate(self.methods.values()):
                    self._add(outcomes[at], split, method, kept, step)
        judged = self.held_out or self.whole
        return VocabularyCurve(
            sizes=tuple(kept),
            lines=tuple(self._lines(outcomes)),
            measure="1 - micro F1" if self.whole.targets.several else "error",
            method="held-out" if self.held_out else "cross-validation",
            n_documents=judged.X.shape[0],
        )

    def _add(
        self,
        outcomes: Numbers,
        split: Split,
        method: Any,
        sizes: Sequence[int],
        step: Callable[[], None],
    ) -> None:
        """Add up how the models do with the terms that a score holds best."""
        most = len(self.vocabulary)
        selector = TermSelector(method, k=most, min_df=self.min_df)
        whole = isinstance(method, str) and method == "ts"
        best = (selector.fit(split.train.X) if whole else selector.fit_tally(split.tally)).best_
        for at, size in enumerate(sizes):
            cut = Cut(split, best[:size], self.classes, self.unit)
            for which, model in enumerate(self.models.values()):
                outcomes[which, at] += cut.outcome(model)
                step()

    def _lines(self, outcomes: Numbers) -> Iterator[CurveLine]:
        for score, of_score in zip(self.methods, outcomes, strict=True):
            for model, of_model in zip(self.models, of_score, strict=True):
                yield CurveLine(score, model, tuple(map(error_of, of_model)))

    def _n_terms(self) -> int:
        """Return how many terms some training document has, and ``min_df`` leaves."""
        X = self.whole.X
        documents = np.bincount(X.indices[X.data > 0], minlength=X.shape[1])
        return int((documents >= self.min_df).sum())


def _documents(carrier: TermSelector, X: Any, y: Any, reset: bool) -> Documents:
    X, targets = checked_matrix(carrier, X, reset=reset, open_width=False), targets_of(y)
    expect_lengths(X, targets)
    if not targets.distinct:
        raise LabelError("no document has a label: there is no class to tell.")
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return Documents(X, targets)


def _planes(models: Iterable[Any], unit: float, several: bool) -> list[Plane]:
    """Return what the scores and models read besides whole counts."""
    planes = [Plane("binary", shared=True)] if several else []
    for model in models:
        if isinstance(model, NaiveBayes):
            settled = clone(model)
            settled._settle(several)
            columns = settled._columns(unit, False)
            planes += [column for column in columns if isinstance(column, Plane)]
    return planes


def _or_default(models: Any) -> Any:
    return [MultinomialNB(), BernoulliNB()] if models is None else models
