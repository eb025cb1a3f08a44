"""A classifier of counts that are there already."""

from __future__ import annotations

from typing import Any, Self

from tallytext.classifier.base import ClassifierBase
from tallytext.classifier.counted import Counted, origin_of, planes_needed, vectorizer_of
from tallytext.classifier.labels import labels_of
from tallytext.planes import Plane
from tallytext.tally import Tally


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
