"""``TextClassifier``: from text to labels, with everything in between."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallytext.classifier.answering import Answering
from tallytext.classifier.labels import expect_as_many, labels_of
from tallytext.classifier.learning import Learning
from tallytext.classifier.merging import expect_equal_settings
from tallytext.classifier.of_tally import OfTally
from tallytext.classifier.sample import random_keys
from tallytext.classifier.storing import Storing
from tallytext.classifier.training import Training
from tallytext.errors import LabelError, VocabularyError
from tallytext.progress import progress_bar
from tallytext.selection import SelectedTally
from tallytext.tally import Tally
from tallytext.text.sources import pieces
from tallytext.vectorizer import TextVectorizer

_PIECE = 65_536


class TextClassifier(Learning, Answering, OfTally, Storing):
    """Learn which labels texts have: exactly, one by one if need be, and with reasons.

    What it learns are counts, so documents can be added and taken out again one at a time, and
    classifiers that were trained apart can be added up. Words and classes that are new are
    welcome at any time. Training documents are not kept, but by models that consist of them, such
    as "neighbours".

    Parameters
    ----------
    model : str or model, default="auto"
        - "auto": try the settings of all learners that are additive, and take what does best on
          documents that were kept from it.
        - "best": consider also those that cannot learn, forget and merge afterwards.
        - the name of a learner, see :func:`tallytext.learners.learners`: its usual setting.
        - a model such as ``MultinomialNB(Laplace(0.1))``.
    vectorizer : TextVectorizer, default=None
        How texts become terms; None for words, and for pairs of syllables besides in Korean.
        With "best", also for pairs of words and strings of characters, if these do better.
    select : TermSelector, L1Selector or str, default=None
        Which terms a model reads: those that do best by a score, such as "ig" or
        ``TermSelector("chi", k=2000)``; None for all. All terms are counted, so that
        :meth:`reselect` can choose anew. An ``L1Selector``, and term strength, look at documents:
        for learners that are trained on these.
    multi_label : bool, default=None
        Whether documents may have several labels or none; None: if one of them has.
    budget : float, default=None
        Seconds after which no further model is tried. None for about the time that other
        libraries take to count the words, by an estimate that does not look at the clock: the
        same documents then give the same model everywhere.
    n_jobs : int, default=None
        Number of threads; None for all cores. Results do not depend on it.
    verbose : bool, default=None
        Whether to show a progress bar while models are tried and trained; None: on a terminal, if
        it takes longer than a second or two.

    Attributes
    ----------
    model_ : NaiveBayes
        The fitted model.
    vectorizer_ : TextVectorizer
        How texts become terms, with the vocabulary so far.
    selector_ : TermSelector or None
        What has chosen the terms that the model reads.
    calibration_ : Calibration or None
        What probabilities are made with.
    classes_ : ndarray
        The labels, sorted.
    multi_label_ : bool
        Whether documents may have several labels.
    pool_ : Pool
        How many documents without labels there were, and what became of them.
    origin_ : list of str
        Where its counts are from, if it was made of a tally.

    Notes
    -----
    Predictions from several threads at a time are safe, also while another one learns.

    Examples
    --------
    >>> texts = ["cheap pills, buy now", "lunch at noon?", "buy cheap watches", "see you at lunch"]
    >>> clf = TextClassifier(model="multinomial").fit(texts, ["spam", "ham", "spam", "ham"])
    >>> clf.predict(["cheap lunch", "buy watches now"])
    array(['ham', 'spam'], dtype='<U4')
    >>> clf.learn(["your parcel is waiting"], ["parcel"]).classes_
    array(['ham', 'parcel', 'spam'], dtype='<U6')
    >>> clf.forget(["your parcel is waiting"], ["parcel"]).classes_
    array(['ham', 'spam'], dtype='<U4')
    """

    def __init__(
        self,
        model: Any = "auto",
        *,
        vectorizer: TextVectorizer | None = None,
        select: Any = None,
        multi_label: bool | None = None,
        budget: float | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ) -> None:
        self.model = model
        self.vectorizer = vectorizer
        self.select = select
        self.multi_label = multi_label
        self.budget = budget
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        texts: Any,
        labels: Any,
        *,
        unlabelled: Any = None,
        groups: ArrayLike | None = None,
        time: ArrayLike | None = None,
    ) -> Self:
        """Learn from labelled texts, forgetting any learned before.

        Parameters
        ----------
        texts : list, column or iterable of str
            Also a pandas, polars or Arrow column, or a NumPy array.
        labels : list, column or array
            One label per text; or a list of labels per text, or an indicator matrix, for texts
            with several labels or none.
        unlabelled : list, column or iterable of str, default=None
            Texts like the others whose labels are not known, to learn from them, too: for where
            labels are few. Then "auto" and "best" take "pooled" if classes have 50 labels or fewer
            (the median), and compare it with the others if they have more. They are in no class,
            and not among the counts; None and missing values are no labels, and -1 is one like
            any other, so that such texts must be given here.
        groups : array-like of shape (n_documents,), default=None
            Documents of one group (thread, author, near duplicates) are kept from models
            together, so that what is expected of new ones is not too rosy.
        time : array-like of shape (n_documents,), default=None
            Models are judged on the latest documents, having seen earlier ones only.

        Returns
        -------
        self
        """
        training = Training(self, _is_some(unlabelled))
        listed, columns = labels_of(labels)
        keys = _keys(len(listed), groups, time)
        if training.at_once and _is_some(unlabelled):
            texts, unlabelled = training.read(texts), training.read(unlabelled)
            training.vectorizer.fit([*texts, *unlabelled])
        _add(training, texts, listed, keys)
        if unlabelled is not None:
            _add_unlabelled(training, unlabelled, self.verbose)
        return self._become(training, columns, groups is not None, time is not None)

    def fit_batches(
        self, batches: Iterable[tuple[Any, Any]], *, unlabelled: Iterable[Any] | None = None
    ) -> Self:
        """Learn from labelled texts that need not fit into memory.

        Parameters
        ----------
        batches : iterable of (texts, labels)
            Each as for :meth:`fit`.
        unlabelled : iterable of lists or columns of str, default=None
            Batches of texts whose labels are not known, as for :meth:`fit`. They are read last;
            counts of all documents are then kept in memory while the classifier is trained.

        Examples
        --------
        >>> batches = [(["to be", "or not"], ["a", "b"]), (["to do", "or so"], ["a", "b"])]
        >>> TextClassifier("multinomial").fit_batches(batches).predict(["to"])
        array(['a'], dtype='<U1')
        """
        training, widths = Training(self, _is_some(unlabelled)), set[int | None]()
        if training.at_once and _is_some(unlabelled):
            raise VocabularyError(
                "min_df, max_df and max_features need all documents at once, those without labels, "
                "too: use fit, or a vectorizer without limits."
            )
        for texts, labels in batches:
            listed, columns = labels_of(labels)
            widths.add(columns)
            _add(training, texts, listed)
        if len(widths) > 1:
            raise LabelError(f"labels of batches have different numbers of columns: {widths}.")
        for texts in () if unlabelled is None else unlabelled:
            training.add_unlabelled(texts)
        return self._become(training, next(iter(widths), None))

    def partial_fit(self, texts: Any, labels: Any, classes: Iterable[Any] | None = None) -> Self:
        """Fit if this is the first call, and learn more after that, as scikit-learn has it.

        ``classes`` need not be announced.

        Parameters
        ----------
        texts : list, column or iterable of str
            The texts.
        labels : list, column or array
            Their labels, as for :meth:`fit`.
        classes : ignored
            Present by convention: new classes are welcome at any time.
        """
        return self.learn(texts, labels) if hasattr(self, "model_") else self.fit(texts, labels)

    def __add__(self, other: object) -> TextClassifier:
        """Return the classifier of the documents of both."""
        if not isinstance(other, TextClassifier):
            return NotImplemented
        expect_equal_settings(self, other)
        merged = copy.copy(self)
        ours, theirs = self._all_counts(), other._all_counts()
        # Words of its own, so that what it learns does not show in either.
        both = Tally(ours.vocabulary.copy(), planes=ours.planes) + ours + theirs
        if self._selected is None:
            merged._read(both)
        else:
            merged._follow(SelectedTally.chosen(both, self._selected.selector))
        merged.changes_ = self.changes_.more("merged", int(other.tally_.n_documents))
        return merged

    def _become(
        self,
        training: Training,
        columns: int | None,
        grouped: bool = False,
        timed: bool = False,
    ) -> Self:
        return self._take(training.finished(columns is not None, grouped, timed), columns)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.classifier_tags.multi_label = True
        return tags


def _add(training: Training, texts: Any, labels: list[Any], keys: Any = None) -> None:
    """Add documents piece by piece."""
    at = 0
    for some in pieces(texts, len(labels) + 1 if training.at_once else _PIECE):
        end = at + len(some)
        training.add(some, labels[at:end], None if keys is None else keys[at:end])
        at = end
    expect_as_many(at, labels)


def _add_unlabelled(training: Training, texts: Any, verbose: bool | None) -> None:
    """Add documents without labels, piece by piece."""
    n_pieces = -(-len(texts) // _PIECE) if hasattr(texts, "__len__") else 1
    with progress_bar("Counting unlabelled texts", n_pieces, verbose) as step:
        for some in pieces(texts, _PIECE):
            training.add_unlabelled(some)
            step()


def _is_some(unlabelled: Any) -> bool:
    """Whether there may be documents without labels; of what can be read once nobody knows yet."""
    return unlabelled is not None and not (hasattr(unlabelled, "__len__") and not len(unlabelled))


def _keys(n: int, groups: Any, time: Any) -> NDArray[np.uint64] | None:
    """Return what documents are drawn by: at random, group by group, or the latest first."""
    if groups is not None and time is not None:
        raise ValueError("give groups or time, not both: blocks of time cannot keep groups whole.")
    if groups is None and time is None:
        return None
    given = np.asarray(groups if time is None else time)
    if given.shape != (n,):
        name = "groups" if time is None else "time"
        raise ValueError(f"{n} documents, but {name} of shape {given.shape}.")
    _expect_none_missing(given, "groups" if time is None else "time")
    distinct, number = np.unique(given, return_inverse=True)
    if time is None:
        return random_keys(0, len(distinct))[number]
    return (len(distinct) - 1 - number).astype(np.uint64)


def _expect_none_missing(given: NDArray[Any], name: str) -> None:
    none = np.array([each is None for each in given.tolist()], dtype=bool)
    missing = np.flatnonzero(none | (given != given))  # NaN and NaT differ from themselves
    if len(missing):
        raise ValueError(f"{name} lacks a value for document {missing[0]}.")
