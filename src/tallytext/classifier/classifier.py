"""``TextClassifier``: learns labels of texts, and predicts them with probabilities and reasons."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from itertools import groupby
from numbers import Real
from pathlib import Path
from traceback import clear_frames
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from tallytext._estimators import BaseEstimator, ClassifierMixin, check_is_fitted, clone
from tallytext._typing import FloatArray
from tallytext._validation import check_whole
from tallytext.classifier import model_file
from tallytext.classifier.calibration import (
    Calibration,
    ConfidenceCheck,
    assign_labels,
    count_scores,
)
from tallytext.classifier.class_names import check_descriptions
from tallytext.classifier.from_tally import (
    TallyTraining,
    planes_needed,
    tally_origin,
    tally_vectorizer,
)
from tallytext.classifier.labels import (
    check_indicator_columns,
    check_label_count,
    check_labels,
    count_matches,
    document_weights,
    label_lists,
    lists_to_indicator,
    read_labels,
    single_labels,
)
from tallytext.classifier.model_selection import (
    CalibrationUpdate,
    Candidate,
    CandidateScore,
    FittedParts,
    LazyCalibration,
    Selector,
    n_scored_documents,
    random_keys,
    set_terms,
)
from tallytext.classifier.novelty import KnownShares, expected_unknown_share, novelty_scores
from tallytext.classifier.registry import Learner, ModelName
from tallytext.classifier.report import (
    Changes,
    HeldOutDuplicates,
    Report,
    UnlabelledSummary,
    baseline_score,
    describe_chosen,
    describe_features,
    describe_model,
)
from tallytext.classifier.training import TRAINING_BATCH, Training, retrain
from tallytext.decision.calibrators import AccuracyPrior, OutOfSample, align_columns
from tallytext.decision.explanation import Explanation, sum_onto_words
from tallytext.decision.score_histograms import ScoreHistograms
from tallytext.decision.thresholds import ThresholdRule, check_threshold_rule
from tallytext.errors import (
    InputError,
    LabelError,
    NegativeCountError,
    NotAdditiveError,
    ScoreError,
    SettingsError,
    StaleWarning,
    VocabularyError,
)
from tallytext.features.selected_tally import SelectedTally
from tallytext.features.selector import TermSelector
from tallytext.models.base import TrainedClassifier
from tallytext.models.naive_bayes import NaiveBayes
from tallytext.models.refined import RefinedNB
from tallytext.runtime import progress_bar, rows_per_block
from tallytext.semantic.matching import PhraseCounter
from tallytext.semantic.serialization import finders_to_bytes
from tallytext.semantic.signatures import CombinedFinder
from tallytext.tally.labels import (
    distinct_labels,
    indicator_matrix,
    label_array,
    list_labels,
    sort_labels,
    targets_from_labels,
)
from tallytext.tally.planes import Plane
from tallytext.tally.tally import Tally
from tallytext.text.duplicates import Duplicates
from tallytext.text.sources import as_texts, split_documents
from tallytext.text.vectorizer import TextVectorizer
from tallytext.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from tallytext.evaluation.report import EvaluationReport

_PREDICTION_BATCH = 16_384  # documents
# Fewer documents are learned at once, even if they are more than an eighth of those learned before.
_MIN_LEARNING_STEP = 32

# The first documents that are learned are all scored before, then one of 32; and so many scores
# are kept at most.
_FIRST_CHECKED, _CHECKED_EVERY, _CHECKED_TOGETHER = 16, 32, 256
_MAX_CHECKED_SCORES = 1 << 22  # of the documents that are checked together

_STALE = (
    "probabilities, sets and thresholds are stale: the model has changed since they were fitted, "
    "and they no longer match it. Call recalibrate(texts, labels)."
)

# Parameters that change how results are computed but not the results.
_PARAMETERS_WITHOUT_EFFECT = {"n_jobs", "verbose", "budget"}


class ScoredDocuments(NamedTuple):
    """Scores of documents before they were learned, and True where the best class was right."""

    scores: FloatArray
    lengths: FloatArray
    right: NDArray[np.bool_]


class LabelProbability(NamedTuple):
    """A label and its probability."""

    label: Any
    probability: float


class TextClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Text classifier that learns and forgets, with model selection and explanations.

    It stores counts, so documents can be learned and forgotten one at a time, and classifiers that
    were trained on different machines can be added up. New words and new classes can come at any
    time. The texts of documents are never stored. Unless ``keep="counts"``, the word counts of each
    document are, because the most accurate learners need them.

    Parameters
    ----------
    model : str or model, default="auto"
        - "auto": compare the settings of all learners that are fast enough, and take the one with
          the best held-out score; "best" means the same.
        - "additive": compare learners that are functions of class counts only.
        - the name of a learner, see :func:`tallytext.classifier.learners`: its default setting.
        - an expression such as ``"multinomial(smoothing=laplace(0.1))"`` or ``"knn(k=45)"``, see
          :func:`tallytext.classifier.build_estimator`.
        - a model such as ``MultinomialNB(Laplace(0.1))``.
    vectorizer : TextVectorizer, default=None
        Counts the terms of texts; None to compare words, pairs of words and strings of characters.
    select : TermSelector, L1Selector or str, default=None
        Selects the terms that the model reads: an expression such as "ig", "chi(keep=0.02)" or
        "l1(strength=2)", or ``TermSelector("chi", k=2000)``; None for all. With an expression no
        document becomes empty (``nonempty=true``): a document without any selected term keeps its
        best one, at training and at prediction. Models of sums select the best term of each
        such document of the sample that models are compared on, and read nothing of other
        documents without a selected term. All terms are counted, so that
        :meth:`reselect` can select again. An ``L1Selector``, and term strength, need documents:
        use them with learners that are trained on documents.
    multi_label : bool, default=None
        True if documents may have several labels or none; None to infer it from the labels.
    thresholds : {"micro", "macro", "per-class"}, float or mapping, default="micro"
        The lowest probability at which a label is assigned, if documents may have several labels.
        "micro": one threshold for all classes, with the best micro-averaged F1. "macro": one for
        each class, with the best F1 that its probabilities predict. "per-class": one for each
        class, with the best F1 on held-out documents. A number: one threshold for all classes. A
        mapping from some labels to their thresholds: these, and "micro" for the other labels.
    keep : {"documents", "counts"}, default="documents"
        "documents": store the word counts of each document for learners that need them to learn and
        forget, up to 1 GiB in memory. "counts": store class counts only; "auto" then compares
        additive learners, and a learner such as "refined" cannot be updated.
    class_weight : {"balanced"} or mapping, default=None
        The weight of the documents of each class, if each document has one label: "balanced" for
        the same total of all classes, or a mapping from some labels to their weights; 1 for the
        others. Multiplies ``sample_weight`` of :meth:`fit`.
    descriptions : mapping of str or False, default=None
        Words for some labels, as in ``{"refund": "wants money back"}``. With unlabelled texts and
        few labels, the words of the labels themselves and of their descriptions are knowledge: each
        counts as a document of its class, as far as it agrees with the labelled documents. False to
        ignore the words of labels.
    budget : float, default=None
        Seconds after which no more models are tried. None for about the time that other libraries
        take to count the words, estimated from counts and not from the clock, so that the same
        documents give the same model everywhere.
    n_jobs : int, default=None
        Number of threads; None for all cores. It does not change the results.
    verbose : bool, default=None
        True to show a progress bar while models are compared and trained; None: on a terminal, if
        it takes longer than a second or two.

    Attributes
    ----------
    model_ : NaiveBayes
        The fitted model.
    vectorizer_ : TextVectorizer
        The fitted vectorizer.
    selector_ : TermSelector or None
        The fitted selector of terms.
    calibration_ : Calibration or None
        Turns scores into probabilities.
    classes_ : ndarray
        The labels, sorted.
    multi_label_ : bool
        True if documents may have several labels.
    pool_ : UnlabelledSummary
        The number of documents without labels, and their use.
    origin_ : list of str
        The origin of the counts, if the classifier was made from a tally.
    weighted_ : bool
        True if it was trained with weights of documents or classes.

    Notes
    -----
    Several threads can predict at the same time, also while another one learns. If documents may
    have several labels, thresholds may then lag behind scores by the documents just being learned.

    Methods that take texts also take one text, and return the same as for a list of one; only
    :meth:`fit` needs a list.

    The model that was chosen stays the same kind of model, on the same kind of terms, while it
    learns; only :meth:`fit` chooses again.

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

    vectorizer_: TextVectorizer
    model_: Any
    tally_: Tally
    selector_: Selector | None
    learner_: Learner
    multi_label_: bool
    trials_: list[CandidateScore]
    changes_: Changes
    duplicates_: Duplicates | None
    pool_: UnlabelledSummary
    origin_: list[str]
    weighted_: bool
    n_columns_: int | None

    # The vectorizer and the model, which are replaced together.
    _reading: tuple[TextVectorizer, Any]
    # Counts of all terms, if the model reads the counts of selected terms.
    _selected: SelectedTally | None = None
    # The calibration, or the data to fit it on when it is first needed.
    _calibration: Calibration | None = None
    _pending: LazyCalibration | CalibrationUpdate | None = None
    # Scores of documents before they were learned, if documents may have several labels.
    _histograms: ScoreHistograms | None = None
    _near_duplicates: HeldOutDuplicates | None = None
    # Those that the calibration has not been checked on yet, if each document has one label.
    _unchecked: tuple[ScoredDocuments, ...] = ()
    # Whether the calibration holds, for these changes.
    _verdict: tuple[Changes, bool] | None = None
    _has_warned: bool = False
    # Documents that came or went since the training, whatever was calibrated or retrained since.
    _updates: Changes = Changes()

    def __init__(
        self,
        model: ModelName | str | BaseEstimator = "auto",
        *,
        vectorizer: TextVectorizer | None = None,
        select: Any = None,
        multi_label: bool | None = None,
        thresholds: Any = "micro",
        keep: Literal["documents", "counts"] = "documents",
        class_weight: Any = None,
        descriptions: Any = None,
        budget: float | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ) -> None:
        self.model = model
        self.vectorizer = vectorizer
        self.select = select
        self.multi_label = multi_label
        self.thresholds = thresholds
        self.keep = keep
        self.class_weight = class_weight
        self.descriptions = descriptions
        self.budget = budget
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        texts: Any,
        labels: Any,
        *,
        unlabelled: Any = None,
        classes: Any = None,
        groups: ArrayLike | None = None,
        time: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Train on labelled texts; anything learned before is dropped.

        Parameters
        ----------
        texts : list, column or iterable of str
            Also a pandas, polars or Arrow column, or a NumPy array.
        labels : list, column or array
            One label per text; or a list of labels per text, or an indicator matrix, for texts
            with several labels or none.
        unlabelled : list, column or iterable of str, default=None
            Texts of the same kind without labels, which help if there are few labels. "auto" and
            "best" then take "pooled" if there are at most 1,000 labels, and 50 per class (the
            median), and compare it with the other learners if there are more. With few labels, a
            pool of fewer documents than those with labels is not used, since it lowers the
            accuracy. These texts are in no class and not among the counts, except with
            :class:`~tallytext.models.Semantic` smoothing: it counts their words in the background,
            and learns its translation from them if it has none. None and missing values are not
            labels, and -1 is a label like any other, so texts without labels must be given here.
        classes : list of labels, default=None
            Classes that need no labelled documents, because words of their names or descriptions
            occur in the unlabelled texts. With ``fit([], [], unlabelled=texts, classes=[...])``
            nothing is labelled, and the expected accuracy is a guess.
        groups : array-like of shape (n_documents,), default=None
            Documents of one group (thread, author, near duplicates) are held out together, so that
            the expected accuracy is not too high.
        time : array-like of shape (n_documents,), default=None
            Models are scored on the latest documents and trained on earlier ones only.
        sample_weight : array-like of shape (n_documents,), default=None
            The weight of each document: 2 is the same as giving it twice, 0 as leaving it out. The
            expected accuracy counts each document once. A classifier that was trained with weights
            cannot learn, forget or be merged afterwards.

        Returns
        -------
        self

        Raises
        ------
        SettingsError
            If there are weights, and the learner cannot use them.
        """
        listed, columns = read_labels(labels)
        check_descriptions(self.descriptions)
        weights = document_weights(listed, sample_weight, self.class_weight)
        declared = _read_classes(classes)
        training = Training(self, _is_not_empty(unlabelled), weights is not None, declared)
        keys = _sampling_keys(len(listed), groups, time)
        if weights is not None and not weights.all():
            # Dropped, not counted as zero: their labels and words must not become known.
            strings, kept = training.as_strings(texts), np.flatnonzero(weights)
            check_label_count(len(strings), listed)
            texts, listed = [strings[row] for row in kept], [listed[row] for row in kept]
            weights, keys = weights[kept], None if keys is None else keys[kept]
        if training.learns_translation:
            texts, unlabelled = training.learn_translation(texts, unlabelled)
        if training.vectorizer.is_limited and _is_not_empty(unlabelled):
            texts, unlabelled = training.fit_vocabulary(texts, unlabelled)
        training.add(texts, listed, keys, weights)
        if unlabelled is not None:
            _add_unlabelled(training, unlabelled, self.verbose)
        parts = training.finish(columns is not None, groups is not None, time is not None)
        return self._set_fitted(parts, columns)

    def fit_batches(
        self,
        batches: Iterable[tuple[Any, Any]],
        *,
        unlabelled: Iterable[Any] | None = None,
        classes: Any = None,
    ) -> Self:
        """Train on batches of labelled texts, which need not fit into memory together.

        Parameters
        ----------
        batches : iterable of (texts, labels)
            Each as for :meth:`fit`.
        unlabelled : iterable of lists or columns of str, default=None
            Batches of texts without labels, as for :meth:`fit`. They are read last; the counts of
            all documents are then in memory while the classifier is trained.
        classes : list of labels, default=None
            Classes that need no labelled documents, as for :meth:`fit`.

        Examples
        --------
        >>> batches = [(["to be", "or not"], ["a", "b"]), (["to do", "or so"], ["a", "b"])]
        >>> TextClassifier("multinomial").fit_batches(batches).predict(["to"])
        array(['a'], dtype='<U1')
        """
        _refuse_class_weight(self)
        check_descriptions(self.descriptions)
        declared, widths = _read_classes(classes), set[int | None]()
        training = Training(self, _is_not_empty(unlabelled), declared=declared)
        if training.vectorizer.is_limited and _is_not_empty(unlabelled):
            raise VocabularyError(
                "min_df, max_df and max_features need all documents at once, including those "
                "without labels: use fit, or a vectorizer without limits."
            )
        if training.learns_translation:
            batches, unlabelled = _learn_translation(training, batches, unlabelled)
        for texts, labels in batches:
            listed, columns = read_labels(labels)
            widths.add(columns)
            training.add(texts, listed)
        if declared and not widths:
            training.add([], [])
        if len(widths) > 1:
            raise LabelError(f"labels of batches have different numbers of columns: {widths}.")
        for texts in () if unlabelled is None else unlabelled:
            training.add_unlabelled(texts)
        columns = next(iter(widths), None)
        return self._set_fitted(training.finish(columns is not None, False, False), columns)

    @classmethod
    def from_tally(cls, tally: Tally, *, sample: Any = None, **parameters: Any) -> Self:
        """Return a classifier of documents that are already counted, perhaps on many machines.

        Its counts are those of :meth:`fit` with the same vectorizer: it learns, forgets, merges and
        is saved like any other classifier. Models are compared and probabilities are calibrated on
        a sample of the documents. Without a sample, the first model whose planes were counted is
        taken, and probabilities are not calibrated. The report shows which of the two was done.

        Parameters
        ----------
        tally : Tally
            The counts; not changed and not shared.
        sample : (texts, labels), default=None
            Some of the counted documents; they are subtracted from the tally in folds, and models
            are scored on them. None for the sample that came with a tally of
            :func:`~tallytext.distributed.dask_tally` or
            :func:`~tallytext.distributed.spark_tally`; ``([], [])`` for no sample.
        **parameters
            Those of the constructor. The vectorizer is the one that counted: by default that of
            the sample's origin, or ``TextVectorizer()`` as in :meth:`Tally.from_texts`.

        Raises
        ------
        NotAdditiveError
            If the model is not a function of counts.
        RecipeError
            If the tally lacks planes that the model reads: see :meth:`planes`.
        NegativeCountError
            If the sample was not counted.

        Examples
        --------
        >>> from tallytext import TextClassifier
        >>> texts = ["cheap pills, buy now", "lunch at noon?", "buy watches", "see you at lunch"]
        >>> labels = ["spam", "ham", "spam", "ham"]
        >>> tally = Tally.from_texts(texts, labels, planes=TextClassifier().planes())
        >>> clf = TextClassifier.from_tally(tally, sample=(texts, labels))
        >>> clf.predict(["lunch at noon", "buy pills"])
        array(['ham', 'spam'], dtype='<U4')
        """
        origin = tally_origin(tally)
        vectorizer = tally_vectorizer(parameters.get("vectorizer"), origin)
        classifier = cls(**{**parameters, "vectorizer": vectorizer})
        _refuse_class_weight(classifier)
        training = TallyTraining(classifier, tally, origin)
        if sample is None:
            texts, labels = ([], []) if origin is None else (origin.texts, origin.labels)
            return classifier._set_fitted(training.finish(texts, labels), None)
        texts, labels = sample
        listed, columns = read_labels(labels)
        return classifier._set_fitted(training.finish(texts, listed), columns)

    def planes(self) -> list[Plane]:
        """Return the planes that a tally must count for :meth:`from_tally` with these settings.

        With "auto" and "best" these are the planes of all models that are compared. A tally with
        fewer planes can be used for the models that do not read the others.

        Examples
        --------
        >>> from tallytext import TextClassifier
        >>> TextClassifier("multinomial").planes()
        []
        >>> TextClassifier("chi-contrast").planes()
        [Plane(tf='raw', norm='l2', theta=None, weighted=False, shared=False)]
        """
        return planes_needed(self)

    def partial_fit(self, texts: Any, labels: Any, classes: Iterable[Any] | None = None) -> Self:
        """Fit on the first call and learn on later ones, as in scikit-learn.

        Parameters
        ----------
        texts : list, column or iterable of str
            The texts.
        labels : list, column or array
            Their labels, as for :meth:`fit`.
        classes : ignored
            Present by convention: new classes can come at any time.
        """
        return self.learn(texts, labels) if hasattr(self, "model_") else self.fit(texts, labels)

    def learn(self, texts: Any, labels: Any) -> Self:
        """Learn more documents, which may have new words and new classes.

        Parameters
        ----------
        texts : list, column or iterable of str; or one str
        labels : as for :meth:`fit`; or the label of one str

        Returns
        -------
        self
        """
        self._check_updatable("learn")
        texts, listed = self._read_documents(texts, labels)
        vocabulary = self.vectorizer_.vocabulary_
        # A refused document must leave no words in the vocabulary. Texts in memory are all read
        # before the first is counted; an iterator can fail, or end early, at any text.
        if isinstance(texts, list | tuple | np.ndarray):
            X = self.vectorizer_.partial_fit_transform(texts)
        else:
            X, terms = self._count_documents(texts, listed)
            X = _move_columns(X, vocabulary.merge(terms), len(vocabulary))
        histograms, n_learned, unchecked = self._histograms, 0, self._unchecked
        try:
            unchecked = (*unchecked, *self._score_some(X, listed))
            for rows in self._learning_steps(int(self._all_counts.n_documents), X.shape[0]):
                part, labels = X[rows], listed[rows]
                if histograms is not None:
                    # Scored before they are learned, so that thresholds follow what is learned.
                    histograms = histograms + self._score_histograms(part, labels)
                self._learn_counted(part, labels, vocabulary)
                n_learned = rows.stop
        except Exception as problem:
            if n_learned:
                clear_frames(problem.__traceback__)
                self._forget_counted(X[:n_learned], listed[:n_learned], vocabulary)
            raise
        self._set_histograms(histograms)
        self._unchecked = unchecked
        if sum(len(each.right) for each in unchecked) >= self._checked_together():
            self._check_calibration()
        self._count_change("learned", X.shape[0])
        return self

    def forget(self, texts: Any, labels: Any) -> Self:
        """Forget documents: subtract exactly what was learned from them.

        Parameters
        ----------
        texts, labels
            As they were learned.

        Raises
        ------
        NegativeCountError
            If the counts show that the documents were never learned. Nothing changes then.
        """
        self._check_updatable("forget")
        texts, listed = self._read_documents(texts, labels)
        X, terms = self._count_documents(texts, listed)
        n, histograms, first = X.shape[0], self._histograms, X.shape[0]
        steps = self._learning_steps(max(int(self._all_counts.n_documents) - n, 0), n)
        try:
            # The steps in which they would be learned now, in reverse: so documents that were
            # learned last are scored by the same models as then, and their scores taken back.
            for rows in reversed(steps):
                part, labels = X[rows], listed[rows]
                self._forget_counted(part, labels, terms)
                first = rows.start
                # The steps of a refined model change scores too much for those of then.
                if histograms is not None and not isinstance(self.model_, RefinedNB):
                    part = self._own_columns(part, terms)
                    histograms = histograms.subtract(self._score_histograms(part, labels))
        except Exception as problem:
            if first < n:
                clear_frames(problem.__traceback__)
                self._learn_counted(X[first:], listed[first:], terms)
            raise
        self._set_histograms(histograms)
        self._count_change("forgotten", n)
        return self

    def settle(self) -> Self:
        """Retrain from scratch on the current documents; :meth:`save` does this first.

        Learning and forgetting single documents leaves a model that is close to the one trained on
        all of them. After ``settle`` it is that model, bit for bit, whatever was learned and
        forgotten in between: the learner and its terms are those chosen by :meth:`fit`. Words that
        no document has are dropped, and probabilities are calibrated again. Additive models are
        settled at any time. A "pooled" model stays calibrated as it was, and keeps the
        numbers of its words, on which its last digits depend.

        Returns
        -------
        self

        Examples
        --------
        >>> from tallytext import TextClassifier
        >>> clf = TextClassifier("refined").fit(["salt sea", "blue sky", "sea"], [1, 2, 1])
        >>> clf.learn(["grey sky"], [2]).settle().n_kept
        4
        """
        check_is_fitted(self)
        model = self.model_
        if getattr(model, "is_settled", True):
            return self
        if not isinstance(model, RefinedNB):
            model.settle()
        elif model.n_documents_:
            self._retrain(*model.documents(), self.vectorizer_)
        return self

    @property
    def n_kept(self) -> int:
        """Number of documents whose counts are stored; 0 for models of class counts."""
        stored = getattr(self.model_, "documents_", None)
        return int(getattr(self.model_, "n_documents_", 0) if stored is None else len(stored))

    def is_learned(self, texts: Any, labels: Any) -> NDArray[np.bool_]:
        """Return True for each document that was learned with these labels.

        Parameters
        ----------
        texts, labels
            As for :meth:`fit`.

        Raises
        ------
        NotAdditiveError
            If the classifier stores no documents.
        """
        check_is_fitted(self)
        if not self.n_kept:
            raise NotAdditiveError("this classifier stores class counts and no documents.")
        texts, listed = self._read_documents(texts, labels)
        X, terms = self._count_documents(texts, listed)
        is_new = self.vectorizer_.vocabulary_.locate(terms) < 0
        rows = np.flatnonzero(X @ is_new.astype(np.int64) == 0)
        is_learned = np.zeros(X.shape[0], dtype=bool)
        if len(rows):
            targets = targets_from_labels([listed[row] for row in rows], self.multi_label_)
            own = self._mask(self._own_columns(X[rows], terms))
            model = self.model_
            is_learned[rows] = (
                model.is_learned(own, targets)
                if isinstance(model, RefinedNB)
                else model.documents_.holds(own, targets.labels, model.labels_)
            )
        return is_learned

    def learn_unlabelled(self, texts: Any) -> Self:
        """Learn more documents without labels; only with "pooled".

        Parameters
        ----------
        texts : list, column or iterable of str; or one str
            Texts of the same kind as the labelled ones. Give many at a time.

        Raises
        ------
        NotAdditiveError
            If the model cannot use documents without labels, or cannot be updated.

        Examples
        --------
        >>> from tallytext import TextClassifier
        >>> clf = TextClassifier("pooled").fit(["salt sea", "blue sky"], ["sea", "sky"])
        >>> more = ["fish in the sea", "salt and fish", "kite in the sky", "blue kite"]
        >>> clf.learn_unlabelled(more).predict(["fish", "kite"])
        array(['sea', 'sky'], dtype='<U3')
        >>> clf.forget_unlabelled(more[:1]).report().n_unlabelled
        3
        """
        self._check_unlabelled_updatable("learn")
        X, terms = self._count_documents([texts] if isinstance(texts, str) else texts)
        vocabulary = self.vectorizer_.vocabulary_
        if terms is not vocabulary:
            X = _move_columns(X, vocabulary.merge(terms), len(vocabulary))
        self.model_.learn_unlabelled(self._mask(X))
        self._count_unlabelled(X.shape[0])
        return self

    def forget_unlabelled(self, texts: Any) -> Self:
        """Remove documents without labels; only with "pooled".

        Parameters
        ----------
        texts : list, column or iterable of str; or one str
            As they were learned.

        Raises
        ------
        NegativeCountError
            If one of them was not learned without a label. Nothing changes then.
        NotAdditiveError
            If the model cannot use documents without labels, or cannot be updated.
        """
        self._check_unlabelled_updatable("forget")
        X, terms = self._count_documents([texts] if isinstance(texts, str) else texts)
        unknown = np.flatnonzero(self.vectorizer_.vocabulary_.locate(terms) < 0)
        if len(unknown):
            raise NegativeCountError(
                f"cannot forget: the word {terms.terms()[unknown[0]]!r} was never learned. Was "
                "this document learned by this model?"
            )
        self.model_.forget_unlabelled(self._mask(self._own_columns(X, terms)))
        self._count_unlabelled(-X.shape[0])
        return self

    def reselect(self) -> Self:
        """Select terms again, by all documents learned so far; only with ``select``.

        Terms that came after the last selection can be selected now.

        Raises
        ------
        SettingsError
            If the classifier reads all terms.
        NotAdditiveError
            If the model is not a function of counts.
        """
        self._check_updatable("reselect", additive=True)
        if self._selected is None:
            raise SettingsError(
                "cannot reselect: this classifier reads all terms. Train it with select=, for "
                'example select="ig".'
            )
        before = {*self._selected.ids.tolist()}
        self._read_selected(self._selected.reselect())
        n_exchanged = len(before ^ {*self._selected.ids.tolist()})
        self.changes_ = self.changes_.more("exchanged", n_exchanged)
        return self

    def recalibrate(self, texts: Any, labels: Any) -> Self:
        """Fit probabilities, prediction sets and thresholds on other documents.

        Parameters
        ----------
        texts, labels
            Documents that the classifier has not learned. If their scores for all classes would
            not fit into memory, a sample of them is used.
        """
        check_is_fitted(self)
        texts, listed = self._read_documents(texts, labels)
        X = self.vectorizer_.transform(texts)
        check_label_count(X.shape[0], listed)
        if not X.shape[0]:
            raise LabelError("there is no document to calibrate on.")
        n = n_scored_documents(len(listed), len(self.classes_), self.multi_label_)
        rows = np.argsort(random_keys(0, len(listed)))[:n]
        sample = self._out_of_sample(X[rows], [listed[row] for row in rows], self.classes_)
        histograms = count_scores(sample) if self.multi_label_ else None
        prior = AccuracyPrior(
            n_classes=max(len(self.classes_), 1),
            labels_per_class=int(self._all_counts.n_documents) / max(len(self.classes_), 1),
            pooled=self.learner_.unlabelled and self.pool_.n_documents > 0,
        )
        calibration = Calibration.fit(sample, self.thresholds, histograms, prior)
        if calibration is None:
            raise ScoreError(
                "cannot calibrate: no document has a label that the model knows, or the model "
                "knows only one label."
            )
        pending = self._pending
        # Another thread may be fitting the first calibration, which must not replace this one.
        with nullcontext() if pending is None else pending.locks.lock():
            self._calibration, self._pending, self._histograms = calibration, None, histograms
            self._reset_changes()
            self._drop_pool()
        return self

    def set_thresholds(self, thresholds: ThresholdRule) -> Self:
        """Choose other thresholds, if documents may have several labels.

        Parameters
        ----------
        thresholds : {"micro", "macro", "per-class"}, float or mapping
            As for the constructor. A mapping gives the probability of some labels, as in
            ``{"spam": 0.9}``.

        Raises
        ------
        SettingsError
            If each document has one label, or the classifier is from a file that does not hold the
            scores that thresholds are chosen by.
        UnknownNameError
            If there is no such label.
        """
        check_is_fitted(self)
        check_threshold_rule(thresholds)
        if not self.multi_label_:
            raise SettingsError(
                "there are no thresholds: each document gets its most probable label. Use "
                "predict(..., min_confidence=...) to get no label below a probability."
            )
        for label in thresholds if isinstance(thresholds, Mapping) else ():
            self.model_.class_number(label)  # raises for an unknown label
        calibration = self.calibration_
        if self._histograms is None:
            raise SettingsError(
                "the file of this classifier lacks the scores that thresholds are chosen by. Call "
                "recalibrate(texts, labels) first."
            )
        self.thresholds = thresholds
        if calibration is not None:
            self._set_histograms(self._histograms)
        return self

    def __add__(self, other: object) -> TextClassifier:
        """Return the classifier of the documents of both."""
        if not isinstance(other, TextClassifier):
            return NotImplemented
        _check_mergeable(self, other)
        merged = copy.copy(self)
        if isinstance(self.model_, RefinedNB):
            return merged._merge_documents(other)
        ours, theirs = self._all_counts, other._all_counts
        # With a vocabulary of its own, so that what it learns does not show in either.
        both = Tally(ours.vocabulary.copy(), planes=ours.planes) + ours + theirs
        if self._selected is None:
            merged._read_tally(both)
        else:
            merged._read_selected(SelectedTally.from_fitted(both, self._selected.selector))
        merged._count_change("merged", int(other.tally_.n_documents))
        merged._has_warned = False
        if self._histograms is not None and other._histograms is not None:
            merged._set_histograms(self._histograms + other._histograms, other)
        return merged

    def _merge_documents(self, other: TextClassifier) -> Self:
        """Train on the documents of both; this classifier is a copy that nobody else reads."""
        (X, labels), (Z, more) = self.model_.documents(), other.model_.documents()
        vectorizer = copy.copy(self.vectorizer_)
        vocabulary = vectorizer.vocabulary_ = self.vectorizer_.vocabulary_.copy()
        Z = _move_columns(Z, vocabulary.merge(other.vectorizer_.vocabulary_), len(vocabulary))
        X.resize(X.shape[0], len(vocabulary))
        self._retrain(sparse.vstack([X, Z], format="csr"), [*labels, *more], vectorizer)
        self._updates = self._updates.more("merged", len(more))
        return self

    def predict(
        self, texts: Any, *, min_confidence: float | None = None, always: bool = True
    ) -> NDArray[Any]:
        """Return the label of each text, or its labels if it may have several.

        Parameters
        ----------
        texts : list, column or iterable of str; or one str
        min_confidence : float, default=None
            Return None, or no label, instead of a label below this probability.
        always : bool, default=True
            True to return the most frequent label for a text without a known word, as
            scikit-learn's classifiers do; False to return None, or no label.

        Returns
        -------
        ndarray of shape (n_documents,)
            Labels; or lists of labels if documents may have several. An indicator matrix if the
            training labels were one. One text gives an array of one label.

        Examples
        --------
        >>> from tallytext import TextClassifier
        >>> clf = TextClassifier("multinomial").fit(["buy now", "lunch?"], ["spam", "ham"])
        >>> clf.predict("lunch now, or later for lunch?")
        array(['ham'], dtype='<U4')
        """
        check_min_confidence(min_confidence)
        check_is_fitted(self)
        if not self.multi_label_ and min_confidence is None:
            # Calibration leaves the best class the best, so that it need not be fitted for this.
            return np.concatenate(
                [
                    self._predict_counted(model, X, always)
                    for model, X in self._count_batches(texts, _PREDICTION_BATCH)
                ]
            )
        self._warn_if_stale()
        threshold = 0.0 if min_confidence is None else float(min_confidence)
        if self.multi_label_:
            found = self._predict_lists(texts, threshold, always)
            return found if self.n_columns_ is None else lists_to_indicator(found, self.n_columns_)
        batches = []
        for proba, classes, unknown in self._probabilities(texts, self.calibration_):
            labels = classes.astype(object)[proba.argmax(axis=1)]
            labels[proba.max(axis=1, initial=0.0) < threshold] = None
            if not always:
                labels[unknown] = None
            batches.append(labels)
        return np.concatenate(batches)

    def predict_proba(self, texts: Any) -> FloatArray:
        """Return the probability of each class for each text, calibrated on held-out documents.

        Columns are those of ``classes_``. Rows sum to one, unless documents may have several
        labels: then the probability of each class is independent of the others. A text without a
        known word gets the share of each class in the training documents (the prior).

        Parameters
        ----------
        texts : list, column or iterable of str; or one str
            The texts; one text counts as a list of one.
        """
        self._warn_if_stale()
        return concatenate_batches(self._class_values(texts), 0.0).values

    def predict_log_proba(self, texts: Any) -> FloatArray:
        """Return the logarithms of :meth:`predict_proba`.

        Parameters
        ----------
        texts : list, column or iterable of str; or one str
            The texts; one text counts as a list of one.
        """
        self._warn_if_stale()
        batches = self._class_values(texts)
        # A probability of 0 is not an error, and its logarithm is -inf.
        with np.errstate(divide="ignore"):
            return np.log(concatenate_batches(batches, 0.0).values)

    def predict_set(
        self,
        texts: Any,
        coverage: float = 0.95,
        *,
        by_class: bool = False,
        never_empty: bool = False,
    ) -> list[list[Any]]:
        """Return label sets that contain the right label with probability ``coverage``.

        Parameters
        ----------
        texts : list, column or iterable of str; or one str
        coverage : float, default=0.95
            Share of documents like the training documents whose set contains the right label.
        by_class : bool, default=False
            True to reach the coverage for each class that has enough documents.
        never_empty : bool, default=False
            True to include the most probable label in every set. Otherwise, if the accuracy of the
            model is above the coverage, the sets of the most uncertain texts are empty.

        Returns
        -------
        list of list of labels
            The most probable first.
        """
        check_is_fitted(self)
        calibration = self.calibration_
        if calibration is None:
            raise ScoreError(
                "this model has no prediction sets, because it had too few documents to calibrate "
                "them on. Call recalibrate(texts, labels) with documents that were not learned."
            )
        self._warn_if_stale()
        found: list[list[Any]] = []
        for proba, classes, _ in self._probabilities(texts, calibration):
            names = classes.tolist()
            sets = calibration.sets.sets(
                proba, coverage, classes=names, by_class=by_class, never_empty=never_empty
            )
            for row, chosen in zip(proba, sets, strict=True):
                inside = np.flatnonzero(chosen)
                found.append([names[c] for c in inside[np.argsort(-row[inside], kind="stable")]])
        return found

    def top_k(self, texts: Any, k: int = 3) -> list[list[LabelProbability]]:
        """Return the k most probable labels of each text, with their probabilities.

        Parameters
        ----------
        texts : list, column or iterable of str; or one str
            The texts; one text counts as a list of one.
        k : int, default=3
            Number of labels.
        """
        check_whole("k", k, 1, error=ScoreError)
        self._warn_if_stale()
        found: list[list[LabelProbability]] = []
        for proba, classes, _ in self._probabilities(texts, self.calibration_):
            names, order = classes.tolist(), np.argsort(-proba, axis=1, kind="stable")[:, :k]
            for ranked, row in zip(order, proba, strict=True):
                found.append([LabelProbability(names[c], float(row[c])) for c in ranked])
        return found

    def scores(self, texts: Any) -> FloatArray:
        """Return the score of each text for each class, before calibration.

        Parameters
        ----------
        texts : list, column or iterable of str; or one str
            The texts; one text counts as a list of one.
        """
        batches = []
        for model, X in self._count_batches(texts):
            scores, _, classes = _scores_lengths_classes(model, X)
            batches.append(ClassValues(scores, classes))
        return concatenate_batches(batches, -np.inf).values

    def decision_function(self, texts: Any) -> FloatArray:
        """Return the decision values of each class, in the form of scikit-learn.

        These are log-odds before calibration, or the decision values of a model that is trained
        on documents, such as the margins of "refined".

        They rank texts within a class, for measures such as the area under the ROC curve; the
        largest belongs to the label that :meth:`predict` gives if each document has one label.

        Parameters
        ----------
        texts : list, column or iterable of str; or one str
            The texts; one text counts as a list of one.

        Returns
        -------
        ndarray of shape (n_documents, n_classes) or (n_documents,)
            Columns are those of ``classes_``. For two classes of which each document has one: a
            single number per text, positive for the second class.

        Examples
        --------
        >>> clf = TextClassifier("multinomial").fit(["buy now", "lunch?"], ["spam", "ham"])
        >>> clf.decision_function(["buy", "lunch"]) > 0
        array([ True, False])
        """
        model, batches = self.model_, []
        for model, X in self._count_batches(texts):
            values, _, classes = _scores_lengths_classes(model, X)
            if isinstance(model, TrainedClassifier) and X.shape[0]:
                # Its scores may contain priors, which its predictions do not.
                values = model._decide(model._check_counts(X))
            batches.append(ClassValues(values, classes))
        found = concatenate_batches(batches, -np.inf).values
        # Of two classes the difference of joint scores is the log-odds, too.
        if found.shape[1] == 2 and not self.multi_label_:
            return found[:, 1] - found[:, 0]
        if isinstance(model, TrainedClassifier) or not len(found):
            return found
        return model.log_odds(found)

    def known_share(self, texts: Any) -> FloatArray:
        """Return the share of the words of each text that occur in learned documents.

        Words are single words, also if the classifier counts pairs of words and strings of
        characters; in Korean also pairs of syllables, in Japanese and Chinese pairs of characters.
        A text without any word has the share 0.

        Parameters
        ----------
        texts : list, column or iterable of str; or one str

        Examples
        --------
        >>> from tallytext import TextClassifier
        >>> clf = TextClassifier("multinomial").fit(["buy now", "lunch?"], ["spam", "ham"])
        >>> clf.known_share(["buy lunch later", "an owl", ""]).round(2)
        array([0.67, 0.  , 0.  ])
        """
        return np.concatenate([shares.words for _, shares in self._known_shares(texts)])

    def novelty(self, texts: Any) -> FloatArray:
        """Return the novelty of each text, from 0 to 1: how likely it belongs to no known class.

        It is a function of the largest probability and of the share of unknown terms, beyond the
        share that is expected of new documents. Above 0.5, a text looks more like texts of classes
        that were left out of training; the figure assumes that these are as frequent as others. A
        text without a known word has the novelty 1.

        Parameters
        ----------
        texts : list, column or iterable of str; or one str

        Examples
        --------
        >>> from tallytext import TextClassifier
        >>> texts = ["buy cheap pills", "lunch at noon", "buy pills now", "lunch or dinner"]
        >>> clf = TextClassifier("multinomial").fit(texts, ["spam", "ham", "spam", "ham"])
        >>> seen, partly, never = clf.novelty(["buy pills", "buy a saxophone", "a saxophone"])
        >>> seen < partly < never
        np.True_
        """
        self._warn_if_stale()
        calibration = self.calibration_
        expected = expected_unknown_share(self._all_counts)
        return np.concatenate(
            [
                novelty_scores(
                    concatenate_batches(self._class_values(batch, calibration), 0.0).values,
                    shares.terms,
                    expected,
                )
                for batch, shares in self._known_shares(texts)
            ]
        )

    def rank(self, texts: Any, label: Any, normalize: bool | None = None) -> FloatArray:
        """Return a score for each text, to sort texts by how well they fit a class.

        These are log-odds for most models; see the method ``rank`` of the model.

        Parameters
        ----------
        texts : list, column or iterable of str; or one str
            The texts; one text counts as a list of one.
        label : label
            A class.
        normalize : bool, default=None
            True to divide log-odds by the length of the text, which ranks better if texts differ
            in length; False not to; None for the default of the model.
        """
        check_is_fitted(self)
        self.model_.class_number(label)  # raises for an unknown label, also without texts
        options = {} if normalize is None else {"normalize": normalize}
        return np.concatenate(
            [
                model.rank(X, label, **options) if X.shape[0] else np.empty(0)
                for model, X in self._count_batches(texts)
            ]
        )

    def explain(
        self,
        text: str,
        label: Any = None,
        against: Any = None,
        *,
        by: Literal["word", "feature"] = "word",
    ) -> Explanation:
        """Return the contribution of each word of a text to the score of a class.

        Parameters
        ----------
        text : str
        label : label, default=None
            The class to explain; None for the most probable.
        against : label, default=None
            The class to compare it with; None for the next best, or for all others.
        by : {"word", "feature"}, default="word"
            "word": contributions of pairs of words and of strings of characters are summed onto
            the words of the text; in Japanese and Chinese, onto runs of characters. "feature":
            each pair and each string by itself. The total is the same.

        Examples
        --------
        >>> from tallytext import TextClassifier, TextVectorizer
        >>> vectorizer = TextVectorizer(ngram_range=(1, 2), chars=(2, 4))
        >>> clf = TextClassifier("multinomial", vectorizer=vectorizer)
        >>> clf = clf.fit(["cheap pills", "long lunch"], ["spam", "ham"])
        >>> [each.term for each in clf.explain("cheap lunch").contributions]
        ['cheap', 'lunch']
        >>> [each.term for each in clf.explain("cheap lunch", by="feature").top(3)]
        ['lunch', '# l', '#lu']
        """
        if not isinstance(text, str):
            raise InputError(f"explain takes one text, not {text!r:.60}")
        if by not in ("word", "feature"):
            raise InputError(f"by must be 'word' or 'feature', not {by!r}.")
        check_is_fitted(self)
        vectorizer, model = self._reading
        x = self._mask(vectorizer.transform([text]))
        best = self._most_probable(text, against) if label is None else label
        found = model.explain(x, best, against, text=text, vectorizer=vectorizer)
        return sum_onto_words(found, vectorizer.build_analyzer()) if by == "word" else found

    def _most_probable(self, text: str, other: Any) -> Any:
        """Return the most probable class but ``other``; None if there is no other."""
        # Not the class of the highest score: a text without a known word has the probabilities of
        # the class frequencies.
        proba, classes, _ = next(iter(self._probabilities([text], self.calibration_)))
        names = classes.tolist()
        ranked = (names[c] for c in np.argsort(-proba[0], kind="stable"))
        return next((name for name in ranked if name != other), None)

    def terms(self, label: Any, n: int = 10) -> list[str]:
        """Return the terms that are most typical of a class, by log-likelihood ratio.

        Strings of characters are left out if the model also counts the words that they are from.

        Parameters
        ----------
        label : label
        n : int, default=10
            Number of terms.
        """
        from tallytext.features.term_scores import typical_terms

        check_is_fitted(self)
        tally = self.tally_
        self.model_.class_number(label)  # raises for an unknown label, and lists the known ones
        number, has_strings = tally.classes.index(label), self.vectorizer_.chars is not None
        return next(typical_terms(tally, [number], n, without_strings=has_strings))

    def score(self, texts: Any, labels: Any) -> float:
        """Return the accuracy, or the micro-averaged F1 if documents may have several labels.

        Parameters
        ----------
        texts : list, column or iterable of str; or one str
            The texts; one text counts as a list of one.
        labels : list, column or array
            Their true labels, as for :meth:`fit`; or the label of one str.
        """
        if isinstance(texts, str):
            texts, labels = [texts], [labels]
        listed, _ = read_labels(labels)
        check_labels(listed)
        check_is_fitted(self)
        if not self.multi_label_:
            found = self.predict(texts).tolist()
            check_label_count(len(found), listed)
            pairs = zip(found, single_labels(listed), strict=True)
            return float(np.mean([label == right for label, right in pairs]))
        self._warn_if_stale()
        lists = self._predict_lists(texts, 0.0).tolist()
        check_label_count(len(lists), listed)
        n_right, n_predicted, n_true = count_matches(lists, listed)
        return 2 * n_right / max(n_predicted + n_true, 1)

    def evaluate(self, texts: Any, labels: Any, *, ranking: bool = False) -> EvaluationReport:
        """Return the report of ``tally evaluate`` on labelled texts.

        Accuracy with its interval, precision, recall and F1 of each class, the error of the
        probabilities, and the most frequent confusions. Labels that the classifier does not know
        count as errors.

        Parameters
        ----------
        texts : list, column or iterable of str; or one str
            Texts that the classifier has not learned.
        labels : list, column or array
            Their true labels, as for :meth:`fit`; or the label of one str.
        ranking : bool, default=False
            True for average precision and break-even point, too.

        Raises
        ------
        LabelError
            If there are not as many labels as texts.
        ScoreError
            If there are no texts.

        Examples
        --------
        >>> clf = TextClassifier("multinomial").fit(["buy now", "lunch?"], ["spam", "ham"])
        >>> found = clf.evaluate(["buy", "lunch now for lunch"], ["spam", "ham"])
        >>> found.accuracy, [each.label for each in found.classes]
        (1.0, ['ham', 'spam'])
        """
        from tallytext.classifier.evaluation import evaluate_classifier
        from tallytext.evaluation.report import EvaluationReport

        check_is_fitted(self)
        if isinstance(texts, str):
            texts, labels = [texts], [labels]
        listed, columns = read_labels(labels)
        check_indicator_columns(listed, columns, self.n_columns_)
        check_labels(listed)
        vectorizer, start = self.vectorizer_, 0
        decoding = {"encoding": vectorizer.encoding, "decode_error": vectorizer.decode_error}
        batches = []
        for batch in split_documents(texts, _PREDICTION_BATCH):
            strings = as_texts(batch, **decoding).strings()
            batches.append((strings, listed[start : start + len(strings)]))
            start += len(strings)
        check_label_count(start, listed)
        return EvaluationReport.from_evaluation(evaluate_classifier(self, batches, ranking=ranking))

    def report(self) -> Report:
        """Return a report: expected accuracy, verdict, next step, data and model."""
        check_is_fitted(self)
        tally, calibration, setting = self.tally_, self.calibration_, describe_model(self.model_)
        if not self.learner_.additive:  # the setting at training, which includes the features
            setting = self.trials_[0].setting if self.trials_ else ""
        baseline, most_frequent = baseline_score(tally, self.multi_label_)
        title = self.learner_.title or self.learner_.name
        return Report(
            learner=self.learner_.name,
            setting=setting,
            multi_label=self.multi_label_,
            n_documents=int(tally.n_documents - (0 if self.multi_label_ else tally.n_unlabelled)),
            n_classes=max(len(tally.classes), len(self.classes_)),
            n_terms=int(tally.n_terms),
            n_tokens=int(tally.n_tokens),
            trials=self.trials_,
            # Without documents, nothing is left of what was measured.
            score=calibration.score
            if calibration and calibration.n_documents and baseline is not None
            else None,
            n_evaluated=0 if calibration is None else calibration.n_documents,
            method="" if calibration is None else calibration.method,
            changes=self.changes_,
            updates=self._updates,
            n_single=self._n_not_held_out(calibration),
            duplicates=self.duplicates_,
            # Known after training only: a model file does not hold it.
            near_duplicates=self._near_duplicates,
            n_unlabelled=self.pool_.n_documents,
            reason=self.pool_.reason,
            # Those of the model follow what it learns and forgets.
            notes=list(getattr(self.model_, "notes_", self.pool_.notes)),
            origin=list(self.origin_),
            thresholds=self._thresholds_by_label(),
            is_stale=self._is_stale,
            check=None if self.multi_label_ else self._confidence_check(),
            chosen=describe_chosen(self.model_),
            select="" if self.selector_ is None else describe_model(self.selector_),
            description=f"{title} on {describe_features(self.vectorizer_)}",
            baseline=baseline,
            most_frequent=most_frequent,
        )

    def _n_not_held_out(self, calibration: Calibration | None) -> int:
        """Return the number of documents that a model left out of its own cross-validation."""
        if calibration is None or self.multi_label_ or self.learner_.validation != "self":
            return 0
        n_single = int((self.tally_.class_documents == 1).sum())
        # Other differences have other reasons: a sample, or documents that came later.
        is_reason = calibration.n_documents + n_single == self.tally_.n_documents
        return n_single if is_reason and calibration.method == "cross-validation" else 0

    def save(self, path: str | Path) -> None:
        """Write the classifier to a file: counts, settings and calibration, but no code.

        The file holds the word counts of documents if the classifier does, and never their texts.
        The classifier is settled first (:meth:`settle`), so that nothing is left in the file of
        documents that were forgotten. It appears as a whole or not at all; an existing file is
        replaced. If several processes change one file, use :func:`tallytext.io.lock_file` from
        loading to saving.

        Parameters
        ----------
        path : str or Path
            The file.

        Raises
        ------
        FileError
            If a setting is a Python function, which cannot be stored.
        OSError
            If the folder does not exist, cannot be written to, or is full.
        """
        model_file.save(self.settle(), path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a file that :meth:`save` wrote, and check all of it.

        Parameters
        ----------
        path : str or Path
            The file.

        Raises
        ------
        FileError
            If the file is missing, truncated, damaged, of a newer release, or not a model.

        Examples
        --------
        >>> import tempfile
        >>> from tallytext import TextClassifier
        >>> path = Path(tempfile.mkdtemp()) / "mails.tally"
        >>> TextClassifier("multinomial").fit(["buy now", "lunch?"], ["spam", "ham"]).save(path)
        >>> TextClassifier.load(path).predict(["lunch now, or later for lunch?"])
        array(['ham'], dtype='<U4')
        """
        classifier = cls()
        model_file.load(classifier, path)
        return classifier

    def to_bytes(self) -> bytes:
        """Return the bytes of the file that :meth:`save` would write.

        Use it for databases and caches, and to send a classifier to other processes.

        Raises
        ------
        FileError
            If a setting is a Python function, which cannot be stored.

        Examples
        --------
        >>> from tallytext import TextClassifier
        >>> packed = TextClassifier("multinomial").fit(["to be"], ["verb"]).to_bytes()
        >>> TextClassifier.from_bytes(packed).classes_
        array(['verb'], dtype='<U4')
        """
        return model_file.pack(self.settle())

    @classmethod
    def from_bytes(cls, packed: bytes) -> Self:
        """Read the result of :meth:`to_bytes`, or the contents of a file, and check all of it.

        Parameters
        ----------
        packed : bytes
            Safe to read from any source: no code in them is run.

        Raises
        ------
        FileError
            If they are truncated, damaged, of a newer release, or not a model.
        """
        classifier = cls()
        model_file.unpack(classifier, packed)
        return classifier

    @property
    def calibration_(self) -> Calibration | None:
        """The calibration of probabilities; None if there were no documents to fit it on."""
        if self._pending is not None:
            self._finish_calibration()
        return self._calibration

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted."""
        if "model_" not in vars(self):
            check_is_fitted(self)  # raises NotFittedError instead of AttributeError
        return self.model_.classes_

    @property
    def _counts(self) -> Tally | SelectedTally:
        """The counts that learn and forget update."""
        return self.tally_ if self._selected is None else self._selected

    @property
    def _all_counts(self) -> Tally:
        """The counts of all terms, including those that the model does not read."""
        return self.tally_ if self._selected is None else self._selected.all

    def _set_fitted(self, parts: FittedParts, columns: int | None) -> Self:
        """Set the fitted attributes."""
        if not parts.learner.additive:
            # Before readers in other threads can see the model.
            parts.model.open_ = parts.learner.incremental
            if isinstance(parts.selector, TermSelector):
                parts.selector.open_ = parts.learner.incremental
        self._set_reading(parts.vectorizer, parts.model)
        self.tally_, self._selected = parts.tally, parts.selected
        self.selector_ = parts.selector
        self.learner_, self.multi_label_ = parts.learner, parts.multi_label
        self._calibration, self._pending, self._histograms = None, parts.calibration, None
        self.trials_, self.duplicates_ = parts.scores, parts.duplicates
        self._reset_changes()
        self._updates = Changes()
        self.pool_, self.origin_ = parts.pool, list(parts.origin)
        self.weighted_ = parts.weighted
        self.n_columns_ = columns
        if self.learner_.validation == "refitting":
            self._finish_calibration()  # which would otherwise hold all training documents
        return self

    def _set_reading(self, vectorizer: TextVectorizer, model: Any) -> None:
        """Set the vectorizer and the model, which readers in other threads need to match."""
        set_terms(model, vectorizer, self.descriptions)
        self.vectorizer_, self.model_ = vectorizer, model
        self._reading = vectorizer, model

    def _retrain(self, X: Any, labels: list[Any], vectorizer: TextVectorizer) -> None:
        """Train the same kind of model from scratch on counted documents."""
        trials, duplicates, pool = self.trials_, self.duplicates_, self.pool_
        origin, selector, before = self.origin_, self.selector_, self.calibration_
        changes, updates = self.changes_, self._updates
        candidate = Candidate(self.learner_, clone(self.model_))
        parts = retrain(
            self, candidate, vectorizer, (X, labels), self.multi_label_, selector is None
        )
        if before is not None and before.method in ("groups", "time"):
            # Groups and times of documents are not stored, so that these are held out no more.
            parts = replace(parts, calibration=None)
        self._set_fitted(parts, self.n_columns_)
        self.trials_, self.duplicates_, self.pool_ = trials, duplicates, pool
        self.origin_, self.selector_, self._updates = origin, selector, updates
        if parts.calibration is None:
            self._calibration, self.changes_ = before, changes

    def _count_change(self, name: str, n_documents: int) -> None:
        """Count documents that were learned, forgotten or merged."""
        self.changes_ = self.changes_.more(name, n_documents)
        self._updates = self._updates.more(name, n_documents)

    def _reset_changes(self) -> None:
        """Start to count changes anew: the calibration is that of the model as it is now."""
        self.changes_, self._unchecked = Changes(), ()
        self._verdict, self._has_warned = None, False

    def _finish_calibration(self) -> None:
        """Fit the calibration if that has not been done: before any change of the counts."""
        pending = self._pending
        if pending is None:
            return
        with pending.locks.lock():
            # Another thread may have fitted it while this one waited for the lock.
            if self._pending is pending:
                calibration, histograms, near_duplicates = pending.fit()
                # In this order: readers look at _pending without the lock, and take None to mean
                # that the calibration is there.
                self._calibration = calibration
                if isinstance(pending, LazyCalibration):
                    self._histograms = histograms
                    self._near_duplicates = near_duplicates
                    self._drop_pool()
                # A thread that learns may have replaced it meanwhile.
                if self._pending is pending:
                    self._pending = None

    def _set_histograms(
        self, histograms: ScoreHistograms | None, merged: TextClassifier | None = None
    ) -> None:
        """Let the calibration follow scores of documents that have been learned or forgotten."""
        if histograms is None:
            return
        found = []
        for each in (self,) if merged is None else (self, merged):
            last = each._pending if each._pending is not None else each._calibration
            if isinstance(last, CalibrationUpdate | Calibration):
                found.append((last.method, last.optimism))
        # Of two that are merged, the more careful estimate, whichever comes first.
        method = max((method for method, _ in found), default="")
        optimism = max((optimism for _, optimism in found), default=0.0)
        self._histograms = histograms
        self._pending = CalibrationUpdate(histograms, self.thresholds, method, optimism)

    def _learning_steps(self, n_before: int, n: int) -> list[slice]:
        """Return the steps in which documents are learned; one if no scores are counted.

        A step is at most an eighth of the documents learned before, so that the model that scores
        documents is nearly the one that has learned them.
        """
        if self._histograms is None:
            return [slice(0, n)]
        steps, start = [], 0
        while start < n:
            size = max(_MIN_LEARNING_STEP, (n_before + start) // 8)
            steps.append(slice(start, min(start + size, n)))
            start += size
        return steps

    def _learn_counted(self, X: Any, labels: list[Any], terms: Vocabulary) -> None:
        """Learn documents that are counted by the columns of ``terms``."""
        self._counts.learn(X, labels, terms=terms)
        if self.learner_.additive or not X.shape[0]:
            return
        try:
            targets = targets_from_labels(labels, self.multi_label_)
            self.model_.learn(self._mask(self._own_columns(X, terms)), targets)
        except Exception as problem:
            clear_frames(problem.__traceback__)  # frees memory, which the next line may need
            self._counts.forget(X, labels, terms=terms)
            raise

    def _forget_counted(self, X: Any, labels: list[Any], terms: Vocabulary) -> None:
        """Forget documents that are counted by the columns of ``terms``, or raise and change none.

        Raises
        ------
        NegativeCountError
            If the counts show that the documents were never learned.
        """
        self._counts.forget(X, labels, terms=terms)
        if self.learner_.additive or not X.shape[0]:
            return
        try:
            targets = targets_from_labels(labels, self.multi_label_)
            self.model_.forget(self._mask(self._own_columns(X, terms)), targets)
        except Exception as problem:
            # The model stores documents, so that it can refuse what sums cannot.
            clear_frames(problem.__traceback__)
            self._counts.learn(X, labels, terms=terms)
            raise

    def _own_columns(self, X: Any, terms: Vocabulary) -> Any:
        """Return counts with the columns of the classifier's vocabulary."""
        vocabulary = self.vectorizer_.vocabulary_
        if terms is vocabulary:
            return X
        return _move_columns(X, vocabulary.locate(terms), len(vocabulary))

    def _score_histograms(self, X: Any, labels: list[Any]) -> ScoreHistograms:
        """Count the scores of documents by the model as it is now."""
        found = ScoreHistograms.empty()
        size = rows_per_block(max(len(self.classes_), 1))
        for first in range(0, X.shape[0], size):
            part = labels[first : first + size]
            known = self.classes_.tolist()
            classes = label_array(sort_labels({*known, *distinct_labels(part)}))
            found = found + count_scores(
                self._out_of_sample(X[first : first + size], part, classes)
            )
        return found

    def _out_of_sample(self, X: Any, labels: list[Any], classes: NDArray[Any]) -> OutOfSample:
        """Return the scores of documents that the model has not learned, with their labels."""
        if len(self.classes_):
            scores, lengths, known = _scores_lengths_classes(self.model_, self._mask(X))
        else:
            scores, lengths, known = np.empty((X.shape[0], 0)), np.ones(X.shape[0]), self.classes_
        return OutOfSample(
            scores=align_columns(scores, known, classes),
            lengths=lengths,
            truth=indicator_matrix(labels, classes),
            classes=classes,
            contrasts=self.model_.contrasts,
            multi_label=self.multi_label_,
            method="held out",
        )

    def _score_some(self, X: Any, labels: list[Any]) -> list[ScoredDocuments]:
        """Score documents that are about to be learned, if each has one label, to check confidence.

        The first ones are all scored, and later one of 32, at most some hundreds at once, so
        that learning takes hardly longer for it.
        """
        if self.multi_label_ or self._calibration is None or not X.shape[0]:
            return []
        numbers = self.changes_.learned + np.arange(X.shape[0])
        rows = np.flatnonzero((numbers < _FIRST_CHECKED) | (numbers % _CHECKED_EVERY == 0))
        rows = rows[:: -(-len(rows) // self._checked_together()) or 1]
        if not len(rows) or len(self.classes_) < 2:
            return []
        part = X if len(rows) == X.shape[0] else X[rows]
        scores, lengths, classes = _scores_lengths_classes(self.model_, self._mask(part))
        best = classes.tolist()
        right = [
            best[at] == labels[row]
            for at, row in zip(scores.argmax(axis=1).tolist(), rows.tolist(), strict=True)
        ]
        return [ScoredDocuments(scores, lengths, np.array(right, dtype=bool))]

    def _checked_together(self) -> int:
        """Return the number of documents that are checked at once: their scores fit into memory."""
        return min(_CHECKED_TOGETHER, rows_per_block(len(self.classes_), _MAX_CHECKED_SCORES))

    def _checked_calibration(self) -> Calibration | None:
        """Return the calibration, checked on all documents that were scored."""
        calibration, unchecked = self._calibration, self._unchecked
        if calibration is None:
            return None
        # Documents that were learned one by one are checked together, unless a class came between.
        for _, group in groupby(unchecked, key=lambda each: each.scores.shape[1]):
            scores, lengths, right = map(np.concatenate, zip(*group, strict=True))
            calibration = calibration.add_check(scores, lengths, right, self.model_.log_odds)
        return calibration

    def _confidence_check(self) -> ConfidenceCheck | None:
        calibration = self._checked_calibration()
        return calibration.check if calibration and calibration.check.n_documents else None

    def _check_calibration(self) -> None:
        """Store the check of the calibration, so that the scores need not be kept."""
        self._calibration, self._unchecked = self._checked_calibration(), ()

    @property
    def _is_stale(self) -> bool:
        """True if the model has changed, and the calibration neither follows nor still holds."""
        changes = self.changes_
        if not changes or self._histograms is not None or self._calibration is None:
            return bool(changes.exchanged)
        if self.multi_label_ or changes.exchanged:
            return True
        verdict = self._verdict
        if verdict is None or verdict[0] is not changes:
            calibration = self._checked_calibration()
            n_now = int(self._all_counts.n_documents)
            n_then = n_now - changes.learned + changes.forgotten - changes.merged
            # Documents that were learned are checked, so that only others count: merged ones, and
            # those forgotten that no learned one has replaced.
            growth = min(n_now, n_then + changes.merged) / max(n_then, 1)
            verdict = changes, calibration is None or calibration.holds(growth)
            self._verdict = verdict
        return not verdict[1]

    def _thresholds_by_label(self) -> dict[Any, float] | None:
        calibration = self.calibration_
        if calibration is None or not self.multi_label_:
            return None
        values = calibration.class_thresholds(self.classes_).tolist()
        return dict(zip(self.classes_.tolist(), values, strict=True))

    def _drop_pool(self) -> None:
        """Drop the documents that a model stores for its own cross-validation."""
        if hasattr(self.model_, "drop_pool"):
            self.model_.drop_pool()

    def _check_updatable(self, verb: str, additive: bool = False) -> None:
        """Raise NotAdditiveError if the model cannot be updated; finish its calibration."""
        check_is_fitted(self)
        learner = self.learner_
        if self.weighted_:
            raise NotAdditiveError(
                f"cannot {verb}: this model was trained with sample_weight or class_weight, and "
                "the weights of its documents are not stored. Retrain it on all documents."
            )
        # A closed model comes from a file of an earlier release, without its documents.
        able = learner.additive or (learner.incremental and not additive and self.model_.open_)
        if isinstance(self.model_, RefinedNB):
            able = self.n_kept > 0 and verb != "reselect"
        if not able:
            without = ", without unlabelled=," if self.pool_.n_documents else ","
            raise NotAdditiveError(
                f"cannot {verb}: this model ({learner.name!r}) stores no documents and is not "
                "computed from class counts, so it cannot be updated. Retrain it on all "
                f'documents, or use model="auto"{without} which can be updated.'
            )
        if isinstance(self._pending, LazyCalibration):
            self._finish_calibration()

    def _read_documents(self, texts: Any, labels: Any) -> tuple[Any, list[Any]]:
        """Return texts and their labels as lists, and check the labels."""
        if isinstance(texts, str):
            texts, labels = [texts], [labels]
        listed, columns = read_labels(labels)
        check_indicator_columns(listed, columns, self.n_columns_)
        if not self.multi_label_:
            listed = single_labels(listed)
        if hasattr(texts, "__len__"):
            check_label_count(len(texts), listed)
        check_labels(listed)
        return texts, listed

    def _check_unlabelled_updatable(self, verb: str) -> None:
        """Raise NotAdditiveError if the model cannot learn or forget unlabelled documents."""
        check_is_fitted(self)
        if not self.learner_.unlabelled:
            raise NotAdditiveError(
                f"cannot {verb} documents without labels: this model ({self.learner_.name!r}) does "
                'not use them. Train one that does, with model="pooled".'
            )
        self._check_updatable(verb)

    def _count_unlabelled(self, n_more: int) -> None:
        """Let the report follow the documents without labels."""
        self.pool_ = replace(self.pool_, n_documents=self.pool_.n_documents + n_more)
        self._updates = self._updates.more("learned" if n_more > 0 else "forgotten", abs(n_more))

    def _count_documents(
        self, texts: Any, labels: list[Any] | None = None
    ) -> tuple[Any, Vocabulary]:
        """Return counts, and a vocabulary of their columns; that of the classifier stays."""
        vectorizer = self.vectorizer_
        if vectorizer._is_open:
            vectorizer = copy.copy(vectorizer)
            vectorizer.vocabulary_ = Vocabulary()
        X = vectorizer.partial_fit_transform(texts)
        if labels is not None:
            check_label_count(X.shape[0], labels)
        return X, vectorizer.vocabulary_

    def _count_batches(self, texts: Any, size: int | None = None) -> Iterator[tuple[Any, Any]]:
        """Yield the counts of batches of texts, small enough for the scores of all classes.

        Each comes with the model that reads these counts: another thread may replace both.
        """
        check_is_fitted(self)
        if size is None:
            size = min(_PREDICTION_BATCH, rows_per_block(len(self.classes_)))
        is_empty = True
        for batch in split_documents([texts] if isinstance(texts, str) else texts, size):
            is_empty = False
            vectorizer, model = self._reading
            yield model, self._mask(vectorizer.transform(batch))
        # One batch at least, so that results without texts have the right shape and type.
        if is_empty:
            vectorizer, model = self._reading
            yield model, vectorizer.transform([])

    def _mask(self, X: Any) -> Any:
        """Return documents with the selected terms only, for models that are trained on these."""
        if self.selector_ is None or self.learner_.additive or not X.shape[0]:
            return X
        return self.selector_.mask(X)

    def _probabilities(
        self, texts: Any, calibration: Calibration | None
    ) -> Iterator[tuple[FloatArray, NDArray[Any], NDArray[np.bool_]]]:
        """Yield probabilities, classes and rows without a known term, by the same calibration."""
        for model, X in self._count_batches(texts):
            scores, lengths, classes = _scores_lengths_classes(model, X)
            if calibration is None:
                proba = np.exp(model.posteriors(scores))
            else:
                proba = calibration.probabilities(scores, lengths, classes, model.log_odds)
            unknown = self._without_known_terms(X)
            if unknown.any():
                proba[unknown] = self._class_priors(classes)
            yield proba, classes, unknown

    def _class_values(
        self, texts: Any, calibration: Calibration | None = None
    ) -> list[ClassValues]:
        """Return probabilities of all batches, by the calibration of the classifier."""
        calibration = self.calibration_ if calibration is None else calibration
        return [ClassValues(*each[:2]) for each in self._probabilities(texts, calibration)]

    def _proba_and_unknown(self, texts: Any) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Return :meth:`predict_proba`, and True for texts without a known term."""
        self._warn_if_stale()
        batches = [*self._probabilities(texts, self.calibration_)]
        values = concatenate_batches([ClassValues(*each[:2]) for each in batches], 0.0).values
        return values, np.concatenate([unknown for _, _, unknown in batches])

    def _predict_counted(self, model: Any, X: Any, always: bool) -> NDArray[Any]:
        """Return the best label of each document, None for one without a known term if asked."""
        labels: NDArray[Any] = model.predict(X) if X.shape[0] else model.classes_[:0]
        unknown = self._without_known_terms(X)
        if always and unknown.any():
            classes = self.classes_
            labels[unknown] = classes[self._class_priors(classes).argmax()]
        elif not always:
            labels = labels.astype(object)
            labels[unknown] = None
        return labels

    def _predict_lists(
        self, texts: Any, threshold: float, always: bool = True
    ) -> NDArray[np.object_]:
        """Return the labels of texts that may have several."""
        calibration = self.calibration_
        found = []
        for proba, classes, unknown in self._probabilities(texts, calibration):
            assigned = self._assign_labels(proba, classes, calibration) & (proba >= threshold)
            if not always:
                assigned[unknown] = False
            found.append(label_lists(assigned, classes))
        return np.concatenate(found)

    def _without_known_terms(self, X: Any) -> NDArray[np.bool_]:
        """Return True for documents of which no term is left in the counts."""
        n_terms: NDArray[Any] = np.diff(X.indptr)
        tally = self.tally_
        # Words of unlabelled documents are known to the model, and not among the counts; and
        # without forgotten terms, all terms of the vocabulary are.
        if self.pool_.n_documents or int(tally.n_terms) >= len(tally.vocabulary):
            return n_terms == 0
        learned = self._learned_terms(tally)
        terms = X.indices
        inside = terms < len(learned)
        known = np.zeros(len(terms), dtype=bool)
        known[inside] = learned[terms[inside]]
        row = np.repeat(np.arange(X.shape[0]), n_terms)
        return np.bincount(row[known], minlength=X.shape[0]) == 0

    def _learned_terms(self, tally: Tally) -> NDArray[np.bool_]:
        """Return True for the terms of the vocabulary that some learned document has."""
        if self.pool_.n_documents:
            return np.ones(len(tally.vocabulary), dtype=bool)
        return tally.term_documents > 0

    def _class_priors(self, classes: NDArray[Any]) -> FloatArray:
        """Return the share of each class in the learned documents."""
        tally = self.tally_
        values = tally.class_documents / max(tally.n_documents, 1)
        # Another thread may have learned a class meanwhile.
        share = dict(zip(tally.classes, values.tolist(), strict=False))
        priors = np.array([share.get(label, 0.0) for label in classes.tolist()])
        total = priors.sum()
        return priors if self.multi_label_ or not total else priors / total

    def _known_shares(self, texts: Any) -> Iterator[tuple[Any, KnownShares]]:
        """Yield batches of texts with the shares of their known words and terms."""
        check_is_fitted(self)
        analyzer, vocabulary = self.vectorizer_.build_analyzer(), self.vectorizer_.vocabulary_
        learned = self._learned_terms(self._all_counts)
        size = min(_PREDICTION_BATCH, rows_per_block(len(self.classes_)))
        is_empty = True
        for batch in split_documents([texts] if isinstance(texts, str) else texts, size):
            is_empty = False
            yield batch, KnownShares.from_texts(batch, analyzer, vocabulary, learned)
        if is_empty:
            yield [], KnownShares(np.empty(0), np.empty(0))

    def _assign_labels(
        self, proba: FloatArray, classes: NDArray[Any], calibration: Calibration | None
    ) -> NDArray[np.bool_]:
        """Return True for the labels of each document, which may have several."""
        # If every document that was learned had a label, every document gets one.
        always = not self._all_counts.n_unlabelled
        thresholds = 0.5 if calibration is None else calibration.class_thresholds(classes)
        return assign_labels(proba, thresholds, always)

    def _warn_if_stale(self) -> None:
        check_is_fitted(self)
        if not self._has_warned and self.calibration_ is not None and self._is_stale:
            # Once for each model, and always the same text, so that it does not fill the screen.
            self._has_warned = True
            warnings.warn(_STALE, StaleWarning, stacklevel=3)  # the caller of the public method

    def _read_selected(self, selected: SelectedTally) -> None:
        """Let the model read the selected terms of other counts."""
        self._selected, self.selector_ = selected, selected.selector
        self._read_tally(selected.tally)

    def _read_tally(self, tally: Tally) -> None:
        """Let the model read another tally."""
        vectorizer = copy.copy(self.vectorizer_)
        vectorizer.vocabulary_ = tally.vocabulary
        self.tally_ = tally
        self._set_reading(vectorizer, self.model_.with_tally(tally))

    def __getstate__(self) -> dict[str, Any]:
        if hasattr(self, "model_"):
            # A pending calibration holds training documents, and locks cannot be pickled.
            self._finish_calibration()
            self._check_calibration()
        state: dict[str, Any] = super().__getstate__()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if self._selected is not None:
            self._read_selected(self._selected)  # unpickled with another tally than the model

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.classifier_tags.multi_label = True
        return tags


def check_min_confidence(min_confidence: Any) -> None:
    """Raise ScoreError unless ``min_confidence`` is None or a probability.

    Examples
    --------
    >>> check_min_confidence(90)
    Traceback (most recent call last):
    tallytext.errors.ScoreError: min_confidence must lie from 0 to 1, not 90.
    """
    if min_confidence is None:
        return
    if not (isinstance(min_confidence, Real) and 0 <= float(min_confidence) <= 1):
        raise ScoreError(f"min_confidence must lie from 0 to 1, not {min_confidence!r}.")


def _scores_lengths_classes(model: Any, X: Any) -> tuple[FloatArray, FloatArray, NDArray[Any]]:
    """Return scores, lengths and classes that match, even if another thread learns."""
    if not X.shape[0]:
        classes = model.classes_
        return np.empty((0, len(classes))), np.empty(0), classes
    if isinstance(model, NaiveBayes | TrainedClassifier):
        return model.scores_lengths_classes(X)
    return (*model.scores_and_lengths(X), model.classes_)


def _refuse_class_weight(classifier: TextClassifier) -> None:
    if classifier.class_weight is not None:
        raise SettingsError(
            "class_weight needs all documents at once: use fit, or train without class_weight."
        )


def _learn_translation(
    training: Training, batches: Iterable[tuple[Any, Any]], unlabelled: Iterable[Any] | None
) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """Learn the translation of semantic smoothing; return all batches, to be read again."""
    stored = [(as_texts(texts).strings(), labels) for texts, labels in batches]
    pool = [as_texts(texts).strings() for texts in unlabelled or ()]
    labelled = [text for texts, _ in stored for text in texts]
    training.learn_translation(labelled, [text for texts in pool for text in texts])
    return stored, pool


def _add_unlabelled(training: Training, texts: Any, verbose: bool | None) -> None:
    n_batches = -(-len(texts) // TRAINING_BATCH) if hasattr(texts, "__len__") else 1
    with progress_bar("Counting unlabelled texts", n_batches, verbose) as step:
        for batch in split_documents(texts, TRAINING_BATCH):
            training.add_unlabelled(batch)
            step()


def _read_classes(classes: Any) -> list[Any]:
    """Return the labels of ``classes=``."""
    if isinstance(classes, str):
        raise LabelError(f"classes must be a list of labels, not the text {classes!r:.80}.")
    declared = [] if classes is None else list_labels(classes)
    check_labels(declared)
    return declared


def _is_not_empty(unlabelled: Any) -> bool:
    """Return True if there may be documents without labels; an iterator might have some."""
    return unlabelled is not None and not (hasattr(unlabelled, "__len__") and not len(unlabelled))


def _sampling_keys(n: int, groups: Any, time: Any) -> NDArray[np.uint64] | None:
    """Return keys that sample documents by group or the latest first; None for at random."""
    if groups is not None and time is not None:
        raise ValueError("give groups or time, not both: blocks of time cannot keep groups whole.")
    if groups is None and time is None:
        return None
    name, given = ("groups", groups) if time is None else ("time", time)
    values = np.asarray(given)
    if values.shape != (n,):
        raise ValueError(f"{n} documents, but {name} of shape {values.shape}.")
    is_none = np.array([each is None for each in values.tolist()], dtype=bool)
    missing = np.flatnonzero(is_none | (values != values))  # NaN and NaT differ from themselves
    if len(missing):
        raise ValueError(f"{name} lacks a value for document {missing[0]}.")
    distinct, number = np.unique(values, return_inverse=True)
    if time is None:
        # One key for each group, so that a group is sampled as a whole.
        return random_keys(0, len(distinct))[number]
    # The lowest keys are sampled, so the latest documents get them.
    return (len(distinct) - 1 - number).astype(np.uint64)


def _move_columns(X: Any, ids: NDArray[np.int32], width: int) -> Any:
    """Return counts whose column ``c`` has moved to column ``ids[c]``."""
    # A copy, because sorting the columns of one matrix would change the values of the other.
    data = X.data.copy()
    moved: Any = sparse.csr_matrix((data, ids[X.indices], X.indptr), shape=(X.shape[0], width))
    moved.sort_indices()
    return moved


class ClassValues(NamedTuple):
    """A number for each document and class of a batch, with the classes of the columns."""

    values: NDArray[Any]
    classes: NDArray[Any]


def concatenate_batches(batches: list[ClassValues], missing: float) -> ClassValues:
    """Concatenate batches, with the classes of the last one.

    The classes of batches differ if another thread has learned a new class in the meantime.

    Parameters
    ----------
    batches : list of ClassValues
    missing : float
        The value of a class that a batch does not have.

    Examples
    --------
    >>> before = ClassValues(np.array([[1.0]]), np.array(["sky"]))
    >>> after = ClassValues(np.array([[0.3, 0.7]]), np.array(["sea", "sky"]))
    >>> concatenate_batches([before, after], 0.0).values
    array([[0. , 1. ],
           [0.3, 0.7]])
    """
    classes, aligned = batches[-1].classes, []
    for values, own in batches:
        if not np.array_equal(classes, own):
            column_of = {label: at for at, label in enumerate(own.tolist())}
            padded = np.hstack([values, np.full((len(values), 1), missing)])
            values = padded[:, [column_of.get(label, -1) for label in classes.tolist()]]
        aligned.append(values)
    return ClassValues(np.concatenate(aligned), classes)


def _check_mergeable(ours: TextClassifier, theirs: TextClassifier) -> None:
    """Raise SettingsError if classifiers have different settings, naming the first difference."""
    ours._check_updatable("merge", additive=True)
    theirs._check_updatable("merge", additive=True)
    for setting, mine, other in _differences(ours, theirs):
        raise SettingsError(
            f"cannot merge: {setting} is {mine!r} here and {other!r} there. Train both with the "
            "same settings, for example the second with the model of the first: "
            "TextClassifier(model=first.model_, vectorizer=first.vectorizer_, select=first.select)."
        )


def _differences(
    ours: TextClassifier, theirs: TextClassifier
) -> Iterator[tuple[str, object, object]]:
    """Yield the settings that differ, with both values."""
    if ours.multi_label_ != theirs.multi_label_:
        yield "multi_label", ours.multi_label_, theirs.multi_label_
    for name in ("model_", "vectorizer_", "selector_"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        if mine is None and other is None:
            continue
        if type(mine) is not type(other):
            yield name.strip("_"), type(mine).__name__, type(other).__name__
        given = other.get_params(deep=False)
        for parameter, value in mine.get_params(deep=False).items():
            if parameter not in _PARAMETERS_WITHOUT_EFFECT and not _is_equal(
                value, given.get(parameter)
            ):
                yield f"{name.strip('_')}.{parameter}", value, given.get(parameter)
    mine, other = (each.vectorizer_ for each in (ours, theirs))
    if mine.is_limited and mine.vocabulary_ != other.vocabulary_:
        # Each has dropped other words, so that the sums would be complete for neither.
        sizes = f"{len(mine.vocabulary_):,} words", f"{len(other.vocabulary_):,} others"
        yield "the vocabulary that min_df, max_df and max_features left", *sizes
    if ours.n_columns_ != theirs.n_columns_:
        yield "the number of columns of labels", ours.n_columns_, theirs.n_columns_


def _is_equal(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and np.array_equal(one, other)
    if one is other or type(one) is not type(other):
        return one is other
    if isinstance(one, PhraseCounter | CombinedFinder):
        # A classifier that was loaded finds the same phrases by an object of its own.
        return np.array_equal(finders_to_bytes(one), finders_to_bytes(other))
    return bool(one == other)
