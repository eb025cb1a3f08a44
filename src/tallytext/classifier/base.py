"""What a fitted classifier consists of."""

from __future__ import annotations

import copy
from threading import Lock
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from tallytext.bayes.model import NaiveBayes
from tallytext.classifier.calibration import Calibration
from tallytext.classifier.choosing import Trial
from tallytext.classifier.contest import Fitted
from tallytext.classifier.pending import Pending
from tallytext.classifier.pool import Pool
from tallytext.classifier.report import Changes, Report
from tallytext.classifier.selecting import Selector
from tallytext.classifier.wording import in_few_words
from tallytext.duplicates import Duplicates
from tallytext.errors import NotAdditiveError
from tallytext.learners import Learner
from tallytext.selection import SelectedTally, TermSelector
from tallytext.smoothing.base import Numbers
from tallytext.tally import Tally
from tallytext.trained import TrainedClassifier
from tallytext.vectorizer import TextVectorizer

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
            several=self.multi_label_,
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
        from tallytext.selection.typical import typical_terms

        check_is_fitted(self)
        tally = self.tally_
        self.model_.class_number(label)  # says which classes there are
        return next(typical_terms(tally, [tally.classes.index(label)], n))

    def _take(self, fitted: Fitted, columns: int | None) -> Self:
        """Consist of these parts from now on."""
        self.vectorizer_, self.model_ = fitted.vectorizer, fitted.model
        self.tally_, self._selected = fitted.tally, fitted.selected
        self.selector_ = fitted.selector
        self.learner_, self.multi_label_ = fitted.learner, fitted.several
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

    def _judged(self, X: Any) -> tuple[Numbers, Numbers, NDArray[Any]]:
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

    def _expect_additive(self, verb: str) -> None:
        check_is_fitted(self)
        if not self.learner_.additive:
            self._refuse(verb)
        self._settle()

    def _expect_learning(self, verb: str) -> None:
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
