"""``TextClassifier``: from text to labels, with everything in between."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable, Iterator
from numbers import Integral, Real
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from tallytext._typing import FloatArray
from tallytext.classifier import model_file
from tallytext.classifier.calibration import Calibration
from tallytext.classifier.from_tally import Counted, origin_of, planes_needed, vectorizer_of
from tallytext.classifier.labels import (
    as_indicator,
    as_lists,
    check_as_many,
    check_columns,
    check_labels,
    check_single,
    labels_of,
    shared,
)
from tallytext.classifier.model_selection import Fitted, Pending, Trial, most_judged
from tallytext.classifier.registry import Learner
from tallytext.classifier.report import Changes, Pool, Report, in_few_words
from tallytext.classifier.sampling import random_keys
from tallytext.classifier.term_selection import Selector
from tallytext.classifier.training import Training
from tallytext.decision.explanation import Explanation
from tallytext.decision.out_of_sample import OutOfSample
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
from tallytext.models.naive_bayes import NaiveBayes
from tallytext.models.trained import TrainedClassifier
from tallytext.runtime import progress_bar
from tallytext.tally.labels import targets_as, truth_of
from tallytext.tally.planes import Plane
from tallytext.tally.tally import Tally
from tallytext.text.duplicates import Duplicates
from tallytext.text.sources import pieces
from tallytext.text.vectorizer import TextVectorizer

# ------------------------------------------------------------------------------------------------
# What a fitted classifier consists of.

# One for all: a classifier is settled once, and waits for others rarely.
SETTLING = Lock()


class ClassifierBase(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Parts of a classifier: how texts become terms, the model, and what makes it reliable."""

    vectorizer_: TextVectorizer
    model_: Any
    tally_: Tally
    selector_: Selector | None
    learner_: Learner
    multi_label_: bool
    trials_: list[Trial]
    changes_: Changes
    duplicates_: Duplicates | None
    pool_: Pool
    origin_: list[str]
    n_columns_: int | None

    # Counts of all terms, where the model reads those of some.
    _selected: SelectedTally | None = None
    _pending: Pending | None = None
    _calibration: Calibration | None = None

    @property
    def calibration_(self) -> Calibration | None:
        """What probabilities are made with; None if there was nothing to learn it from."""
        if self._pending is not None:
            self._settle()
        return self._calibration

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted."""
        if "model_" not in vars(self):
            check_is_fitted(self)  # says so in words, where the attribute would not
        return self.model_.classes_

    def report(self) -> Report:
        """Return what was chosen and why, how well it does, and what to be wary of."""
        check_is_fitted(self)
        tally, calibration = self.tally_, self.calibration_
        return Report(
            learner=self.learner_.name,
            setting=self._setting(),
            multi_label=self.multi_label_,
            n_documents=int(tally.n_documents),
            n_classes=len(tally.classes),
            n_terms=int(tally.n_terms),
            n_tokens=int(tally.n_tokens),
            trials=self.trials_,
            score=None if calibration is None else calibration.score,
            n_judged=0 if calibration is None else calibration.n_documents,
            method="" if calibration is None else calibration.method,
            changes=self.changes_,
            duplicates=self.duplicates_,
            n_unlabelled=self.pool_.n_documents,
            reason=self.pool_.reason,
            notes=list(self.pool_.notes),
            origin=list(self.origin_),
        )

    def terms(self, label: Any, n: int = 10) -> list[str]:
        """Return the terms that are most typical of a class, by log-likelihood ratio.

        Parameters
        ----------
        label : label
        n : int, default=10
            How many.
        """
        from tallytext.features.selector import typical_terms

        check_is_fitted(self)
        tally = self.tally_
        self.model_.class_number(label)  # says which classes there are
        return next(typical_terms(tally, [tally.classes.index(label)], n))

    def _take(self, fitted: Fitted, columns: int | None) -> Self:
        """Consist of these parts from now on."""
        self.vectorizer_, self.model_ = fitted.vectorizer, fitted.model
        self.tally_, self._selected = fitted.tally, fitted.selected
        self.selector_ = fitted.selector
        self.learner_, self.multi_label_ = fitted.learner, fitted.multi_label
        self._calibration, self._pending = None, fitted.pending
        self.trials_ = fitted.trials
        self.changes_, self.duplicates_ = Changes(), fitted.duplicates
        self.pool_, self.origin_ = fitted.pool, list(fitted.origin)
        self.n_columns_ = columns
        if self.learner_.judged_by == "refitting":
            self._settle()  # what it holds on to is all documents
        if not self.learner_.additive:
            self.model_.open_ = self.learner_.learns
            if isinstance(self.selector_, TermSelector):
                self.selector_.open_ = self.learner_.learns
        return self

    def _setting(self) -> str:
        """What was chosen, and, where there was a choice of terms, what it is trained on."""
        chosen = self.trials_[0].setting if self.trials_ else ""
        return in_few_words(self.model_) if self.learner_.additive else chosen

    def _judged(self, X: Any) -> tuple[FloatArray, FloatArray, NDArray[Any]]:
        """Return scores, lengths and classes of one moment, though another thread may learn."""
        model = self.model_
        if not X.shape[0]:
            classes = model.classes_
            return np.empty((0, len(classes))), np.empty(0), classes
        if isinstance(model, NaiveBayes | TrainedClassifier):
            return model.scores_lengths_classes(X)
        return (*model.scores_and_lengths(X), model.classes_)

    def _settle(self) -> None:
        """Fit the calibration, if that is still to be done: before anything changes."""
        with SETTLING:
            if self._pending is not None:
                self._calibration = self._pending.settled()
                self._pending = None
                self._drop_documents()

    def _drop_documents(self) -> None:
        """Let go of the documents by which a model judges itself, when that is done."""
        if hasattr(self.model_, "drop_pool"):
            self.model_.drop_pool()

    def _counts(self) -> Tally | SelectedTally:
        """Return what learns and forgets."""
        return self.tally_ if self._selected is None else self._selected

    def _all_counts(self) -> Tally:
        return self.tally_ if self._selected is None else self._selected.all

    def _select(self, X: Any) -> Any:
        """Return documents as a model takes them that is trained on those of chosen terms."""
        if self.selector_ is None or self.learner_.additive or not X.shape[0]:
            return X
        return self.selector_.masked(X)

    def _follow(self, selected: SelectedTally) -> None:
        """Read the chosen terms of other counts from now on."""
        self._selected, self.selector_ = selected, selected.selector
        self._read(selected.tally)

    def _read(self, tally: Tally) -> None:
        """Read another tally from now on."""
        self.tally_, self.model_ = tally, self.model_.with_tally(tally)
        self.vectorizer_ = copy.copy(self.vectorizer_)
        self.vectorizer_.vocabulary_ = tally.vocabulary

    def _check_additive(self, verb: str) -> None:
        check_is_fitted(self)
        if not self.learner_.additive:
            self._refuse(verb)
        self._settle()

    def _check_learning(self, verb: str) -> None:
        check_is_fitted(self)
        if not (self.learner_.additive or self.learner_.learns):
            self._refuse(verb)
        self._settle()

    def _refuse(self, verb: str) -> NoReturn:
        without = ", without unlabelled=," if self.pool_.n_documents else ","
        raise NotAdditiveError(
            f"cannot {verb}: this classifier is {self.learner_.name!r}, which is trained once and "
            f'for all. Train it anew on all documents, or use model="auto"{without} which takes '
            "learners that can."
        )

    def __getstate__(self) -> dict[str, Any]:
        if hasattr(self, "model_"):
            self._settle()
        state: dict[str, Any] = super().__getstate__()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if self._selected is not None:
            self._follow(self._selected)  # which has made a tally of its own

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")


# ------------------------------------------------------------------------------------------------
# Answers in several pieces, between which another thread may have learned.


class Said(NamedTuple):
    """A number for each document and class, and which classes these are."""

    values: NDArray[Any]
    classes: NDArray[Any]


def joined(parts: list[Said], missing: float) -> Said:
    """Return all parts, for the classes of the last.

    Parameters
    ----------
    parts : list of Said
    missing : float
        What is said of a class that was not there yet.

    Examples
    --------
    >>> before = Said(np.array([[1.0]]), np.array(["sky"]))
    >>> after = Said(np.array([[0.3, 0.7]]), np.array(["sea", "sky"]))
    >>> joined([before, after], 0.0).values
    array([[0. , 1. ],
           [0.3, 0.7]])
    """
    classes = parts[-1].classes
    return Said(np.concatenate([_for(classes, part, missing) for part in parts]), classes)


def _for(classes: NDArray[Any], part: Said, missing: float) -> NDArray[Any]:
    if np.array_equal(classes, part.classes):
        return part.values
    place = {label: at for at, label in enumerate(part.classes.tolist())}
    padded = np.hstack([part.values, np.full((len(part.values), 1), missing)])
    arranged: NDArray[Any] = padded[:, [place.get(label, -1) for label in classes.tolist()]]
    return arranged


# ------------------------------------------------------------------------------------------------
# What a classifier says of texts.

_PIECE_of_answering = 16_384
_MOST_NUMBERS = 1 << 22  # documents times classes that are looked at together


class Answer(NamedTuple):
    """A label, and how likely it is."""

    label: Any
    probability: float


class Answering(ClassifierBase):
    """Labels, probabilities, sets, ranks and reasons, a batch of texts at a time."""

    def predict(self, texts: Any, *, min_confidence: float | None = None) -> NDArray[Any]:
        """Return the label of each text, or its labels where it may have several.

        Parameters
        ----------
        texts : list, column or iterable of str
        min_confidence : float, default=None
            Rather say nothing (None, or no label) than something less likely than this.

        Returns
        -------
        ndarray of shape (n_documents,)
            Labels; or lists of labels where there may be several. Where those were given as an
            indicator matrix, such a matrix.
        """
        check_probability(min_confidence)
        if not self._is_several() and min_confidence is None:
            return np.concatenate([self._best(X) for X in self._rows(texts, _PIECE_of_answering)])
        self._warn_if_stale()
        least = 0.0 if min_confidence is None else float(min_confidence)
        if not self.multi_label_:
            calibration = self.calibration_
            return np.concatenate([_sure(said, least) for said in self._likely(texts, calibration)])
        found = self._lists(texts, least)
        return found if self.n_columns_ is None else as_indicator(found, self.n_columns_)

    def predict_proba(self, texts: Any) -> FloatArray:
        """Return how likely each class is, calibrated on documents kept from the model.

        Columns are those of ``classes_``. They sum to one, unless documents may have several
        labels: then each class is a question of its own.

        Parameters
        ----------
        texts : list, column or iterable of str
            The texts.
        """
        self._warn_if_stale()
        return joined([*self._likely(texts, self.calibration_)], 0.0).values

    def predict_log_proba(self, texts: Any) -> FloatArray:
        """Return the logarithms of :meth:`predict_proba`.

        Parameters
        ----------
        texts : list, column or iterable of str
            The texts.
        """
        self._warn_if_stale()
        with np.errstate(divide="ignore"):
            return np.log(joined([*self._likely(texts, self.calibration_)], 0.0).values)

    def predict_set(
        self,
        texts: Any,
        coverage: float = 0.95,
        *,
        by_class: bool = False,
        never_empty: bool = False,
    ) -> list[list[Any]]:
        """Return for each text the labels among which the right one is, as often as asked for.

        Parameters
        ----------
        texts : list, column or iterable of str
        coverage : float, default=0.95
            How often the right label is to be in the set, on documents like those learned.
        by_class : bool, default=False
            Whether this is to hold for each class on its own, where it has documents enough.
        never_empty : bool, default=False
            Whether the likeliest label is in the set in any case. Where the model is right more
            often than is asked for, the sets of texts that it is least sure of are empty without.

        Returns
        -------
        list of list of labels
            The likeliest first.
        """
        calibration = self._check_calibration()
        self._warn_if_stale()
        found: list[list[Any]] = []
        for proba, classes in self._likely(texts, calibration):
            names = classes.tolist()
            sets = calibration.sets.sets(
                proba, coverage, classes=names, by_class=by_class, never_empty=never_empty
            )
            for row, chosen in zip(proba, sets, strict=True):
                inside = np.flatnonzero(chosen)
                found.append([names[c] for c in inside[np.argsort(-row[inside], kind="stable")]])
        return found

    def top_k(self, texts: Any, k: int = 3) -> list[list[Answer]]:
        """Return the k likeliest labels of each text, with their probabilities.

        Parameters
        ----------
        texts : list, column or iterable of str
            The texts.
        k : int, default=3
            How many labels.
        """
        if not isinstance(k, Integral) or k < 1:
            raise ScoreError(f"k must be a whole number from 1 up, not {k!r}.")
        self._warn_if_stale()
        found: list[list[Answer]] = []
        for proba, classes in self._likely(texts, self.calibration_):
            names, order = classes.tolist(), np.argsort(-proba, axis=1, kind="stable")[:, :k]
            for ranked, row in zip(order, proba, strict=True):
                found.append([Answer(names[c], float(row[c])) for c in ranked])
        return found

    def scores(self, texts: Any) -> FloatArray:
        """Return the raw score of each text for each class, a pure function of the counts.

        Parameters
        ----------
        texts : list, column or iterable of str
            The texts.
        """
        said = ((scores, classes) for scores, _, classes in map(self._judged, self._rows(texts)))
        return joined([Said(*each) for each in said], -np.inf).values

    def rank(self, texts: Any, label: Any) -> FloatArray:
        """Return by how much each text speaks for a class, to sort by.

        Its log-odds, or what the model has instead: see the ``rank`` of the model.

        Parameters
        ----------
        texts : list, column or iterable of str
            The texts.
        label : label
            A class.
        """
        check_is_fitted(self)
        self.model_.class_number(label)
        return np.concatenate(
            [self.model_.rank(X, label) if X.shape[0] else np.empty(0) for X in self._rows(texts)]
        )

    def explain(self, text: str, label: Any = None, against: Any = None) -> Explanation:
        """Return what each word of a text says for a class.

        Parameters
        ----------
        text : str
        label : label, default=None
            The class to explain; None for the best.
        against : label, default=None
            The class to compare it with; None for the next best, or for all others.
        """
        if not isinstance(text, str):
            raise InputError(f"explain takes one text, not {text!r:.60}")
        check_is_fitted(self)
        vectorizer = self.vectorizer_
        x = self._select(vectorizer.transform([text]))
        return self.model_.explain(x, label, against, text=text, vectorizer=vectorizer)

    def score(self, texts: Any, labels: Any) -> float:
        """Return the accuracy; micro-averaged F1 where documents may have several labels.

        Parameters
        ----------
        texts : list, column or iterable of str
            The texts.
        labels : list, column or array
            Their true labels, as for :meth:`fit`.
        """
        listed, _ = labels_of(labels)
        check_labels(listed)
        if not self._is_several():
            found = self.predict(texts).tolist()
            check_as_many(len(found), listed)
            pairs = zip(found, check_single(listed), strict=True)
            return float(np.mean([label == right for label, right in pairs]))
        self._warn_if_stale()
        lists = self._lists(texts, 0.0).tolist()
        check_as_many(len(lists), listed)
        right, given, wanted = shared(lists, listed)
        return 2 * right / max(given + wanted, 1)

    def _is_several(self) -> bool:
        check_is_fitted(self)
        return self.multi_label_

    def _rows(self, texts: Any, size: int | None = None) -> Iterator[Any]:
        """Yield counts of texts, of so many that numbers for all classes fit into memory."""
        check_is_fitted(self)
        if size is None:
            size = max(1, min(_PIECE_of_answering, _MOST_NUMBERS // max(1, len(self.classes_))))
        vectorizer, empty = self.vectorizer_, True
        for some in pieces(texts, size):
            empty = False
            yield self._select(vectorizer.transform(some))
        if empty:
            yield vectorizer.transform([])

    def _best(self, X: Any) -> NDArray[Any]:
        return self.model_.predict(X) if X.shape[0] else self.classes_[:0]

    def _likely(self, texts: Any, calibration: Calibration | None) -> Iterator[Said]:
        """Yield probabilities, piece by piece; all by one calibration, though it be replaced."""
        model = self.model_
        for X in self._rows(texts):
            scores, lengths, classes = self._judged(X)
            if calibration is None:
                yield Said(np.exp(model.posteriors(scores)), classes)
            else:
                found = calibration.probabilities(scores, lengths, classes, model.log_odds)
                yield Said(found, classes)

    def _lists(self, texts: Any, least: float) -> NDArray[np.object_]:
        """Return the labels of texts that may have several."""
        calibration = self.calibration_
        found = []
        for proba, classes in self._likely(texts, calibration):
            chosen = proba >= 0.5 if calibration is None else calibration.decided(proba, classes)
            found.append(as_lists(chosen & (proba >= least), classes))
        return np.concatenate(found)

    def _check_calibration(self) -> Calibration:
        check_is_fitted(self)
        calibration = self.calibration_
        if calibration is None:
            raise ScoreError(
                "there is no calibration to make sets with: there were too few documents. Call "
                "recalibrate(texts, labels) with documents that were not learned."
            )
        return calibration

    def _warn_if_stale(self) -> None:
        check_is_fitted(self)
        if self.calibration_ is not None and self.changes_:
            warnings.warn(
                f"probabilities, sets and thresholds are stale: {self.changes_} since they were "
                "found. Call recalibrate(texts, labels).",
                StaleWarning,
                stacklevel=3,
            )


def _sure(said: Said, least: float) -> NDArray[np.object_]:
    """Return the likeliest label of each document; None where it is less likely than this."""
    proba, classes = said
    found = classes.astype(object)[proba.argmax(axis=1)]
    found[proba.max(axis=1, initial=0.0) < least] = None
    return found


def check_probability(least: Any) -> None:
    """Refuse a least probability that is none.

    Raises
    ------
    ScoreError

    Examples
    --------
    >>> check_probability(90)
    Traceback (most recent call last):
    tallytext.errors.ScoreError: min_confidence must lie from 0 to 1, not 90.
    """
    if least is not None and not (isinstance(least, Real) and 0 <= float(least) <= 1):
        raise ScoreError(f"min_confidence must lie from 0 to 1, not {least!r}.")


# ------------------------------------------------------------------------------------------------
# How a fitted classifier learns more, forgets, and is calibrated anew.


class Learning(ClassifierBase):
    """Moves counts; what was found out from training documents stays, and is marked stale."""

    def learn(self, texts: Any, labels: Any) -> Self:
        """Learn more documents; new words and new classes are welcome.

        Parameters
        ----------
        texts : list, column or iterable of str; or one str
        labels : as for :meth:`fit`; or the label of one str

        Returns
        -------
        self
        """
        self._check_learning("learn")
        X, listed = self._counted(texts, labels)
        self._counts().learn(X, listed, terms=self.vectorizer_.vocabulary_)
        if not self.learner_.additive and X.shape[0]:
            self.model_.learn(self._select(X), targets_as(listed, self.multi_label_))
        self.changes_ = self.changes_.more("learned", X.shape[0])
        return self

    def forget(self, texts: Any, labels: Any) -> Self:
        """Take documents out that were learned, exactly.

        Parameters
        ----------
        texts, labels
            As they were learned.

        Raises
        ------
        NegativeCountError
            If the counts tell that these were never learned. Nothing changes then.
        """
        self._check_learning("forget")
        X, listed = self._counted(texts, labels)
        self._counts().forget(X, listed, terms=self.vectorizer_.vocabulary_)
        if not self.learner_.additive and X.shape[0]:
            self._forget_documents(X, listed)
        self.changes_ = self.changes_.more("forgotten", X.shape[0])
        return self

    def _forget_documents(self, X: Any, labels: list[Any]) -> None:
        """Have a model forget that has kept documents; it refuses more than sums can."""
        try:
            self.model_.forget(self._select(X), targets_as(labels, self.multi_label_))
        except NegativeCountError:
            self._counts().learn(X, labels, terms=self.vectorizer_.vocabulary_)
            raise

    def reselect(self) -> Self:
        """Choose terms anew, by all that was learned meanwhile; only with ``select``.

        Terms that came after the last choice have their chance now.

        Raises
        ------
        SettingsError
            If no terms are selected.
        NotAdditiveError
            If the model is no function of counts.
        """
        self._check_additive("reselect")
        if self._selected is None:
            raise SettingsError(
                'there is nothing to choose anew: this classifier reads all terms. Say select="ig" '
                "to have some selected."
            )
        before = {*self._selected.ids.tolist()}
        self._follow(self._selected.reselect())
        exchanged = len(before ^ {*self._selected.ids.tolist()})
        self.changes_ = self.changes_.more("exchanged", exchanged)
        return self

    def recalibrate(self, texts: Any, labels: Any) -> Self:
        """Find probabilities, sets and thresholds anew.

        Parameters
        ----------
        texts, labels
            Documents that the classifier has not learned. Where numbers for all of them and all
            classes would fill memory, some are drawn.
        """
        check_is_fitted(self)
        X, listed = self._counted(texts, labels, grow=False)
        check_labels(listed)
        if not X.shape[0]:
            raise LabelError("there is no document to calibrate on.")
        rows = np.argsort(random_keys(0, len(listed)))[: most_judged(len(self.classes_))]
        calibration = Calibration.fit(self._seen(X[rows], [listed[row] for row in rows]))
        if calibration is None:
            raise ScoreError(
                "nothing to calibrate on: these documents have no label that the model knows, or "
                "it knows one only."
            )
        with SETTLING:  # or what is being fitted to training documents would replace it
            self._calibration, self._pending, self.changes_ = calibration, None, Changes()
            self._drop_documents()
        return self

    def _counted(self, texts: Any, labels: Any, grow: bool = True) -> tuple[Any, list[Any]]:
        if isinstance(texts, str):
            texts, labels = [texts], [labels]
        listed, columns = labels_of(labels)
        check_columns(listed, columns, self.n_columns_)
        if not self.multi_label_:
            listed = check_single(listed)
        if hasattr(texts, "__len__"):  # before words of a refused batch are in the vocabulary
            check_as_many(len(texts), listed)
        count = self.vectorizer_.partial_fit_transform if grow else self.vectorizer_.transform
        X = count(texts)
        check_as_many(X.shape[0], listed)
        return X, listed

    def _seen(self, X: Any, labels: list[Any]) -> OutOfSample:
        scores, lengths, classes = self._judged(self._select(X))
        return OutOfSample(
            scores=scores,
            lengths=lengths,
            truth=truth_of(labels, classes),
            classes=classes,
            contrasts=self.model_.contrasts,
            multi_label=self.multi_label_,
            method="held out",
        )


# ------------------------------------------------------------------------------------------------
# Whether two classifiers can be added up.

# How results are reached, and not what they are.
_NO_MATTER = {"n_jobs", "verbose", "budget"}


def check_equal_settings(ours: ClassifierBase, theirs: ClassifierBase) -> None:
    """Refuse to merge classifiers that count or read differently, naming the first difference.

    Raises
    ------
    SettingsError
    NotAdditiveError
        If one of them is no function of counts.
    """
    ours._check_additive("merge")
    theirs._check_additive("merge")
    for what, mine, other in _differences(ours, theirs):
        raise SettingsError(
            f"cannot merge: {what} is {mine!r} here and {other!r} there. Train both with the same "
            "settings, for example the second with the model of the first: "
            "TextClassifier(model=first.model_, vectorizer=first.vectorizer_, select=first.select)."
        )


def _differences(
    ours: ClassifierBase, theirs: ClassifierBase
) -> Iterator[tuple[str, object, object]]:
    if ours.multi_label_ != theirs.multi_label_:
        yield "multi_label", ours.multi_label_, theirs.multi_label_
    for name in ("model_", "vectorizer_", "selector_"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        if mine is None and other is None:
            continue
        if type(mine) is not type(other):
            yield name.strip("_"), type(mine).__name__, type(other).__name__
        yield from _of_parameters(name.strip("_"), mine, other)
    mine, other = (each.vectorizer_ for each in (ours, theirs))
    if mine.is_limited and mine.vocabulary_ != other.vocabulary_:
        # Each left out words of its own choice, so that sums would be of neither.
        sizes = f"{len(mine.vocabulary_):,} words", f"{len(other.vocabulary_):,} others"
        yield "the vocabulary that min_df, max_df and max_features left", *sizes
    if ours.n_columns_ != theirs.n_columns_:
        yield "the number of columns of labels", ours.n_columns_, theirs.n_columns_


def _of_parameters(owner: str, mine: Any, other: Any) -> Iterator[tuple[str, object, object]]:
    theirs = other.get_params(deep=False)
    for name, value in mine.get_params(deep=False).items():
        if name not in _NO_MATTER and not _same(value, theirs.get(name)):
            yield f"{owner}.{name}", value, theirs.get(name)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and np.array_equal(one, other)
    return one is other or (type(one) is type(other) and bool(one == other))


# ------------------------------------------------------------------------------------------------
# A classifier of counts that are there already.


class OfTally(ClassifierBase):
    """Makes itself of a tally, and says what that has to count."""

    @classmethod
    def from_tally(cls, tally: Tally, *, sample: Any = None, **parameters: Any) -> Self:
        """Return a classifier of documents that were counted before, in many places perhaps.

        Its counts are those that :meth:`fit` would have made, with the same vectorizer: it learns,
        forgets, merges and is saved like any other. What needs documents is done on a sample of
        them: which model is chosen, and how probabilities are calibrated, follows from it. Without
        a sample, the first model is taken whose planes were counted, with what sums alone can
        tell, and probabilities are raw. The report says which.

        Parameters
        ----------
        tally : Tally
            What was counted. It is not changed, and not shared.
        sample : (texts, labels), default=None
            Some of the documents that were counted; they are taken out of the tally in folds,
            and models judged on them. None for the sample that came with a tally of
            :func:`~tallytext.distributed.dask_tally` or
            :func:`~tallytext.distributed.spark_tally`; ``([], [])`` for none.
        **parameters
            Those of the constructor. The vectorizer is the one that counted: by default that of
            the sample's origin, or ``TextVectorizer()``, as :meth:`Tally.from_texts` has it.

        Raises
        ------
        NotAdditiveError
            If the model is no function of sums.
        RecipeError
            If the tally has not counted what the model reads: see :meth:`planes`.
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
        origin = origin_of(tally)
        vectorizer = vectorizer_of(parameters.get("vectorizer"), origin)
        classifier = cls(**{**parameters, "vectorizer": vectorizer})
        counted = Counted(classifier, tally, origin)
        if sample is None:
            texts, labels = ([], []) if origin is None else (origin.texts, origin.labels)
            return classifier._take(counted.finished(texts, labels), None)
        texts, labels = sample
        listed, columns = labels_of(labels)
        return classifier._take(counted.finished(texts, listed), columns)

    def planes(self) -> list[Plane]:
        """Return what a tally must count for :meth:`from_tally` with these settings.

        With "auto", and "best", all that any of the models reads which are compared. A tally that
        counts less does for those models that read less.

        Examples
        --------
        >>> from tallytext import TextClassifier
        >>> TextClassifier("multinomial").planes()
        []
        >>> TextClassifier("chi-contrast").planes()
        [Plane(tf='raw', norm='l2', theta=None, weighted=False, shared=False)]
        """
        return planes_needed(self)


# ------------------------------------------------------------------------------------------------
# A classifier as a file, or as bytes: counts, settings, calibration; no code.


class Storing(ClassifierBase):
    """Writes itself to files and reads itself from them."""

    def save(self, path: str | Path) -> None:
        """Write the classifier to a file: counts, settings, calibration; no code.

        No documents either, but for models that consist of them, such as "neighbours".

        The file appears whole or not at all; a file of that name is replaced.

        Parameters
        ----------
        path : str or Path
            Where to.

        Raises
        ------
        FileError
            If a setting is a Python function, which no file can hold.
        OSError
            If the folder does not exist, cannot be written to, or is full.
        """
        check_is_fitted(self)
        model_file.save(self, path)

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
            If the file is missing, cut short, damaged, of a newer release, or something else.

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

        For databases and caches, and to send a classifier to other processes.

        Raises
        ------
        FileError
            If a setting is a Python function, which no file can hold.

        Examples
        --------
        >>> from tallytext import TextClassifier
        >>> packed = TextClassifier("multinomial").fit(["to be"], ["verb"]).to_bytes()
        >>> TextClassifier.from_bytes(packed).classes_
        array(['verb'], dtype='<U4')
        """
        check_is_fitted(self)
        return model_file.pack(self)

    @classmethod
    def from_bytes(cls, packed: bytes) -> Self:
        """Read what :meth:`to_bytes` returned, or the contents of a file, and check all of it.

        Parameters
        ----------
        packed : bytes
            They run no code, whoever made them.

        Raises
        ------
        FileError
            If they are cut short, damaged, of a newer release, or something else.
        """
        classifier = cls()
        model_file.unpack(classifier, packed)
        return classifier


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
        - the name of a learner, see :func:`tallytext.classifier.learners`: its usual setting.
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
        check_equal_settings(self, other)
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
    check_as_many(at, labels)


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
    _check_none_missing(given, "groups" if time is None else "time")
    distinct, number = np.unique(given, return_inverse=True)
    if time is None:
        return random_keys(0, len(distinct))[number]
    return (len(distinct) - 1 - number).astype(np.uint64)


def _check_none_missing(given: NDArray[Any], name: str) -> None:
    none = np.array([each is None for each in given.tolist()], dtype=bool)
    missing = np.flatnonzero(none | (given != given))  # NaN and NaT differ from themselves
    if len(missing):
        raise ValueError(f"{name} lacks a value for document {missing[0]}.")
