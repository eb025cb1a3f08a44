"""A sample of the documents of a tally: what can be taken out of it again, to judge models on."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallytext.classifier.folds import Rows
from tallytext.classifier.judging import Judge
from tallytext.classifier.labels import expect_as_many
from tallytext.classifier.sample import Drawn, Sample
from tallytext.classifier.uncertain import uncertain_terms
from tallytext.errors import NegativeCountError
from tallytext.tally import Tally
from tallytext.vectorizer import TextVectorizer
from tallytext.vocabulary import Vocabulary


@dataclass(frozen=True)
class Sampled:
    """Documents of a tally, as rows of counts.

    Attributes
    ----------
    drawn : Drawn
        Their words that the tally counts and models are judged by.
    rows : CSR matrix
        All their words, so that each document weighs in fractional planes what it weighed when
        it was counted.
    vocabulary : Vocabulary
        The columns of ``rows``: first those of the tally.
    kept : ndarray of bool
        Which of the columns the tally counts and models are judged by.
    n_uncertain : int
        How many words the tally counts, but fewer of them than there are in the sample, since some
        were dropped to keep a vocabulary small. Models are judged as if there were no such words,
        neither in the tally nor in the documents.
    """

    drawn: Drawn
    rows: Any
    vocabulary: Vocabulary
    kept: NDArray[np.bool_]
    n_uncertain: int = 0

    @classmethod
    def of(
        cls, tally: Tally, vectorizer: TextVectorizer, texts: Any, labels: list[Any], bounded: bool
    ) -> Sampled:
        """Count documents that are in a tally.

        Parameters
        ----------
        tally : Tally
        vectorizer : TextVectorizer
            Its vocabulary is that of the tally; it learns nothing.
        texts : list or column of str
        labels : list
        bounded : bool
            Whether rare words were left out of the tally from time to time, so that it may have
            fewer of them than the sample.

        Raises
        ------
        NegativeCountError
            If the documents are not in the tally.
        """
        rows, vocabulary = _counted(vectorizer, texts)
        expect_as_many(rows.shape[0], labels)
        kept = np.zeros(len(vocabulary), dtype=bool)
        kept[: len(tally.vocabulary)] = tally.live
        if not bounded:
            _expect_known(vocabulary, len(tally.vocabulary))
        part = _part(rows, labels, vocabulary, tally, kept)
        n_known = int(np.count_nonzero(kept))
        if bounded:
            kept[uncertain_terms(tally, part)] = False
            part = part.mask(kept)
        _expect_within(tally, part)
        drawn = _drawn(rows, labels, kept, len(tally.vocabulary))
        n_uncertain = n_known - int(np.count_nonzero(kept))
        return cls(drawn, rows, vocabulary, kept, n_uncertain)

    def certain(self, tally: Tally) -> Tally:
        """Return the tally of all terms but those that were left out here."""
        if not self.n_uncertain:
            return tally
        uncertain = tally.live & ~self.kept[: len(tally.vocabulary)]
        return tally.mask(~uncertain)

    def part(self, rows: Rows, labels: list[Any], tally: Tally) -> Tally:
        """Return what some of the documents that were drawn have put into the tally."""
        X = self.rows[self.drawn.rows[rows]]
        return _part(X, labels, self.vocabulary, tally, self.kept)


@dataclass
class SampleJudge(Judge):
    """A judge who takes documents out of a tally that was there before him.

    Attributes
    ----------
    sampled : Sampled
        The documents.
    """

    sampled: Sampled = field(kw_only=True, repr=False)

    def _rest(self, rows: Rows, labels: list[Any]) -> Tally:
        tally = self.sampled.certain(self.tally)
        return tally - self.sampled.part(rows, labels, tally)


def _counted(vectorizer: TextVectorizer, texts: Any) -> tuple[Any, Vocabulary]:
    """Return rows of counts by a vocabulary that begins with that of the vectorizer."""
    if hasattr(texts, "__len__") and not len(texts):
        return vectorizer.transform([]), vectorizer.vocabulary_
    own = copy.copy(vectorizer)
    own.vocabulary_ = vectorizer.vocabulary_.copy()
    rows = own.partial_fit_transform(texts)
    return rows, own.vocabulary_


def _part(
    rows: Any, labels: list[Any], vocabulary: Vocabulary, tally: Tally, kept: NDArray[np.bool_]
) -> Tally:
    """Return what documents have put into a tally that counts some of their words."""
    part = Tally(vocabulary, planes=tally.planes).learn(rows, labels, terms=vocabulary)
    return part.mask(kept)


def _drawn(rows: Any, labels: list[Any], kept: NDArray[np.bool_], width: int) -> Drawn:
    """Return documents in random order, with the words that are kept."""
    sample = Sample(max(1, len(labels)))
    X = rows.copy()
    X.data[~kept[X.indices]] = 0
    X.eliminate_zeros()
    X.resize(X.shape[0], width)
    sample.add(X, labels)
    return sample.drawn(width)


def _expect_known(vocabulary: Vocabulary, n_known: int) -> None:
    """Refuse words that were never counted; those that were masked since are in the vocabulary."""
    if len(vocabulary) > n_known:
        raise _not_within(f"the tally does not know {vocabulary.term(n_known)!r}")


def _expect_within(tally: Tally, part: Tally) -> None:
    """Refuse documents that are not in a tally."""
    try:
        tally.mask(np.flatnonzero(part.live)) - part
    except NegativeCountError as problem:
        reason = str(problem).removeprefix("cannot forget: ").split(". ")[0]
        raise _not_within(f"without it, {reason}") from None


def _not_within(reason: str) -> NegativeCountError:
    return NegativeCountError(
        f"the sample is not among the documents of the tally: {reason}. Give documents that were "
        "counted, with their labels and with the vectorizer that counted them; or "
        "sample=([], []), and the model is chosen without."
    )
