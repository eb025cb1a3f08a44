"""What all naive Bayes models share: a tally that learns, and a scorer read off it."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from tallytext.bayes.base import expect_classes
from tallytext.bayes.explaining import Summands, as_row, explained, names_of, one_document
from tallytext.bayes.learning import Learning
from tallytext.bayes.leave_one_out import leave_one_out
from tallytext.bayes.matrices import transformed
from tallytext.bayes.out_of_sample import OutOfSample
from tallytext.bayes.predicting import Predicting
from tallytext.bayes.reading import Reader, at_one_moment
from tallytext.bayes.weight_cache import Seen
from tallytext.explanation import Explanation
from tallytext.labels import place_of
from tallytext.matrices import checked_matrix
from tallytext.scorer import (
    Documents,
)
from tallytext.smoothing.base import Numbers
from tallytext.targets import expect_lengths, targets_of
from tallytext.vocabulary import Vocabulary


class NaiveBayes(ClassifierMixin, Learning, Predicting):  # type: ignore[misc]
    """Learns into a tally; predicts with weights that are a pure function of it."""

    def leave_one_out(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> OutOfSample:
        """Return how each training document is judged by the model that has forgotten it.

        For each document the same as :meth:`forget` and then :meth:`scores`, but for what was
        chosen from all documents and is held: the parameters of the smoothing, the weights of
        words, the length that documents are brought to, and what documents without labels are
        expected to add. A class of which a document is the
        only one gets minus infinity from it, unless the class was announced. All documents
        together cost a few times as much as judging them. The result has a number for each
        document and class, so thousands of both need gigabytes.

        Parameters
        ----------
        X, y, sample_weight
            Documents that the model has learned, with their labels and weights.

        Raises
        ------
        NegativeCountError
            If the counts tell that a document was never learned with these labels.
        ScoreError
            If models of this kind cannot do it, see ``has_leave_one_out``; ``cross_validate`` can.

        Examples
        --------
        >>> from tallytext.bayes import MultinomialNB
        >>> X, y = [[2, 1, 0], [1, 0, 0], [0, 0, 3], [0, 1, 2]], ["sea", "sea", "sky", "sky"]
        >>> MultinomialNB().fit(X, y).leave_one_out(X, y).accuracy
        1.0
        """
        check_is_fitted(self)
        X = checked_matrix(self, X, reset=False, open_width=self.open_)
        targets = targets_of(y)
        expect_lengths(X, targets)
        return leave_one_out(self, X, targets, sample_weight)

    def explain(
        self,
        x: Any,
        label: Any = None,
        against: Any = None,
        *,
        terms: Vocabulary | Sequence[str] | None = None,
        text: str | None = None,
        vectorizer: Any = None,
    ) -> Explanation:
        """Return what each term of one document adds to the score of a class.

        Parameters
        ----------
        x : matrix of one row, or a row
            The document.
        label : label, default=None
            The class to explain; None for the best.
        against : label, default=None
            The class to compare it with; None for the best of all others, or, for models of
            contrasts and for several labels per document, for all others together.
        terms : Vocabulary or sequence of str, default=None
            The names of the columns; None for those of the vectorizer, if there is one, or of the
            tally.
        text : str, default=None
            What the row was made of, to show its words where they stand. Needs ``vectorizer``.
        vectorizer : TextVectorizer, default=None
            What made the row.

        Examples
        --------
        >>> from tallytext import MultinomialNB, TextVectorizer
        >>> vectorizer = TextVectorizer()
        >>> X = vectorizer.fit_transform(["salt wave", "blue cloud"])
        >>> model = MultinomialNB().fit(X, ["sea", "sky"])
        >>> why = model.explain(vectorizer.transform(["A blue wave, a wave!"]),
        ...                     text="A blue wave, a wave!", vectorizer=vectorizer)
        >>> [(each.term, round(each.value, 2), each.spans) for each in why.contributions]
        [('blue', -1.1, ((2, 6),)), ('wave', 2.2, ((7, 11), (15, 19)))]
        """
        counted = one_document(self._raw_documents(as_row(x)))
        documents = transformed(counted, self.tf_test)
        summands = at_one_moment(self._reader(), lambda reader: self._summands(documents, reader))
        summands = replace(summands, counts=counted.values)
        first, second = (
            None if name is None else place_of(name, summands.classes) for name in (label, against)
        )
        pair = summands.pair(first, second, alone=self._contrasts)
        named = self.tally_.vocabulary if terms is None else terms
        if terms is None and vectorizer is not None:
            named = vectorizer.vocabulary_
        return explained(summands, pair, names_of(documents.terms, named), text, vectorizer)

    def to_sklearn(self) -> Any:
        """Return a fitted scikit-learn estimator that predicts the same without tallytext.

        - Joint models become ``MultinomialNB`` or ``BernoulliNB``.
        - Models of contrasts, and of several labels, become a ``OneVsRestClassifier`` of logistic
          models, whose probabilities are made to sum to one as they are here.
        - ``tf_test="log"`` and ``"binary"`` become a pipeline with a step that does it.

        It is of this moment, and dense: classes times terms, which a tally is not. It can be
        pickled, but not taught: it holds no counts.

        Raises
        ------
        ScoreError
            If the model has a length model, or words of probability zero.

        Examples
        --------
        >>> from tallytext import MultinomialNB
        >>> model = MultinomialNB().fit([[2, 1, 0], [0, 0, 3]], ["sea", "sky"])
        >>> plain = model.to_sklearn()
        >>> type(plain).__module__, plain.predict([[1, 0, 0]])
        ('sklearn.naive_bayes', array(['sea'], dtype='<U3'))
        """
        check_is_fitted(self)
        return self._at_rest()._as_sklearn()

    def _at_rest(self) -> Self:
        """Return the model of this moment, whatever is learned meanwhile."""
        model = copy.copy(self)
        model.tally_ = self.tally_._snapshot()
        if self.open_:
            model.n_features_in_ = len(model.tally_.vocabulary)
        return model

    def _as_sklearn(self) -> Any:
        # Here and below: these models are many, and few users ask for them.
        from tallytext.bayes.export import as_one_vs_rest, behind, dense_weights

        reading = self._reader().read()
        expect_classes(reading)
        weights = self._estimate(reading, self._log_priors(reading))
        table = dense_weights(weights, self.n_features_in_)
        if self._contrasts:
            made = as_one_vs_rest(table, weights.intercept, self, self.multi_label_)
            return behind(self.tf_test, made)
        return self._joint_sklearn(table, weights.intercept)

    def _joint_sklearn(self, table: Numbers, intercept: Numbers) -> Any:
        from tallytext.bayes.export import as_multinomial, behind

        return behind(self.tf_test, as_multinomial(table, intercept, self))

    def _summands(self, documents: Documents, reader: Reader) -> Summands:
        seen_terms = np.unique(documents.terms)
        reading = reader.read(seen_terms)
        expect_classes(reading)
        prior = self._log_priors(reading)
        seen = Seen(self._estimate(reading, prior), seen_terms, reading)
        nothing = np.zeros((1, reading.n_classes))
        return Summands.of(seen, documents, prior, self._lengthened(nothing, documents, reading)[0])

    def __sklearn_tags__(self) -> Any:
        return tags_of_counts(super().__sklearn_tags__())


def tags_of_counts(tags: Any) -> Any:
    """Return scikit-learn's tags of a classifier, for one that takes counts."""
    tags.input_tags.sparse = True
    tags.input_tags.positive_only = True
    tags.classifier_tags.multi_label = True
    # On coordinates of points in the plane, which are no counts.
    tags.classifier_tags.poor_score = True
    return tags
