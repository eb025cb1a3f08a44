"""Labelling sessions: query a document, record its label, retrain the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallytext._typing import FloatArray
from tallytext._validation import check_whole
from tallytext.classifier.classifier import TextClassifier
from tallytext.decision.explanation import Explanation, sum_onto_words
from tallytext.errors import FileError, InputError, quote_value
from tallytext.labelling.journal import Annotation, Journal
from tallytext.labelling.query_strategy import QueryStrategy, class_margins
from tallytext.models.pooled import PooledNB
from tallytext.text.vectorizer import TextVectorizer

_ANALYSIS: dict[str, Any] = {"hangul": "words+bigrams", "min_length": 1}
# Queries are hard documents, so their labels are weak evidence of how far to trust the anchor.
_DOUBT = 1.5
# The model is refitted when the number of labels has grown by this many per cent.
_REFIT_GROWTH_PERCENT = 5


class PredictedLabel(NamedTuple):
    """The most probable class of a document.

    Attributes
    ----------
    label : str
        The most probable class.
    probability : float
        Its probability.
    """

    label: str
    probability: float


class Query(NamedTuple):
    """A document to be labelled.

    Attributes
    ----------
    row : int
        Its number.
    text : str
        The document.
    guess : PredictedLabel or None
        The model's prediction; None before it knows two classes.
    at_random : bool
        True if the document was sampled at random, False if the query strategy selected it.
    """

    row: int
    text: str
    guess: PredictedLabel | None
    at_random: bool


class Accuracy(NamedTuple):
    """Accuracy of the predictions on randomly sampled documents, made before each was labelled.

    Attributes
    ----------
    n_correct : int
        Number of correct predictions.
    n_scored : int
        Number of predictions.
    """

    n_correct: int
    n_scored: int


class Session:
    """A labelling session with active learning, which can be ended and resumed at any time.

    Parameters
    ----------
    texts : sequence of str
        All documents, with and without labels.
    journal : Journal
        The file of annotations. The session resumes after those that it contains.
    given : mapping of int to str, default=None
        Known labels by row. The model is trained on them; they are not queried and not written to
        the journal. An annotation of the same document takes precedence.
    random_every : int, default=5
        Every n-th query is a document sampled at random, to estimate the accuracy; 1 for all.
    seed : int, default=0
        Seed of the random sample.
    n_jobs : int, default=None
        Number of threads; None for all cores.

    Raises
    ------
    FileError
        If the journal has annotations of documents that are not among the texts.
    InputError
        If there are fewer than two documents, or none contains a word.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> texts = ["salt sea", "blue sky", "deep sea fish", "kite in the sky", "sea wave", "high sky"]
    >>> with Journal(Path(tempfile.mkdtemp()) / "texts.labels.jsonl") as journal:
    ...     session = Session(texts, journal)
    ...     for _ in range(3):
    ...         query = session.query()
    ...         session.annotate("sea" if "sea" in query.text else "sky")
    >>> session.classes, session.n_annotations
    (['sea', 'sky'], 3)
    """

    def __init__(
        self,
        texts: Sequence[str],
        journal: Journal,
        *,
        given: Mapping[int, str] | None = None,
        random_every: int = 5,
        seed: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        check_whole("random_every", random_every, 1)
        if len(texts) < 2:
            count = "one document" if len(texts) else "no document"
            raise InputError(f"labelling needs at least two documents, and there is {count}.")
        self.texts, self.journal = texts, journal
        self._n_jobs, self._random_every = n_jobs, random_every
        self._vectorizer = TextVectorizer(**_ANALYSIS)
        self._counts = self._vectorizer.fit_transform(texts)
        if not self._counts.nnz:
            raise InputError(
                f"none of the {len(texts):,} documents has a word in it, so no model can be "
                f"trained; the first is {quote_value(texts[0])}. Is this the column of the texts "
                "(--text)?"
            )
        self._model = PooledNB(doubt=_DOUBT, n_jobs=n_jobs, verbose=False)
        # This prepares the pool once, with a placeholder label; refit() sets the real labels.
        self._model.fit(self._counts[:1], [""], self._counts[1:])
        pool = self._model.pool_
        assert pool is not None
        self._strategy = QueryStrategy(pool.latent[self._model.pool_rows_], seed)
        self._random_order = np.random.default_rng(seed).permutation(len(texts))
        # Each skip with the number of annotations before it, so that undo() takes back whichever
        # came last.
        self._skipped: list[tuple[int, Query]] = []
        self._query: Query | None = None
        self._check_journal()
        annotated = ((annotation.row, annotation.label) for annotation in journal.annotations)
        self._labels = TrainingLabels(given or {}, annotated)
        # The labels that the model is fitted on; empty while there is no model.
        self._fitted_labels: dict[int, str] = {}
        self._refit_if_due()

    @property
    def n_annotations(self) -> int:
        """Number of annotations in the journal."""
        return len(self.journal.annotations)

    @property
    def n_remaining(self) -> int:
        """Number of documents that are neither labelled nor skipped."""
        return int((~self._excluded_mask()).sum())

    @property
    def labels(self) -> Mapping[int, str]:
        """All labels by row, given or annotated; a view that changes with the session."""
        return self._labels.by_row

    @property
    def classes(self) -> list[str]:
        """The distinct labels, sorted."""
        return sorted(set(self.labels.values()))

    @property
    def accuracy(self) -> Accuracy:
        """Accuracy of the predictions on randomly sampled documents."""
        correct = LabellingStats(self.journal.annotations).random_correct
        return Accuracy(sum(correct), len(correct))

    @property
    def is_complete(self) -> bool:
        """True if every document is labelled or skipped."""
        return bool(self._excluded_mask().all())

    def query(self) -> Query:
        """Return the document to label next; the same one until it is annotated or skipped.

        Raises
        ------
        InputError
            If no document is left.
        """
        if self._query is None:
            if self.is_complete:
                raise InputError("every document has a label or was skipped.")
            excluded = self._excluded_mask()
            at_random = self.n_annotations % self._random_every == self._random_every - 1
            if at_random:
                # One permutation for the whole session: the sample is uniform among the documents
                # that are left, and is the same after undo() and after a restart.
                row = int(next(row for row in self._random_order if not excluded[row]))
            else:
                row = self._most_informative(excluded)
            self._query = Query(row, self.texts[row], self._predict_row(row), at_random)
        return self._query

    def annotate(self, label: str, *, key: str | None = None) -> None:
        """Label the document of the query; the label is on disk when this returns.

        Parameters
        ----------
        label : str
            A class, known or new.
        key : str, default=None
            The key of the label, which is stored with it.
        """
        if not label.strip():
            raise InputError("a label has a letter, a digit or another sign.")
        query = self.query()
        guess = None if query.guess is None else query.guess.label
        # First on disk and then in memory. If writing fails, the session is as it was.
        self.journal.add(Annotation(query.row, query.text, label, query.at_random, guess, key))
        self._labels.add(query.row, label)
        self._query = None
        self._refit_if_due()

    def skip(self) -> None:
        """Leave the document of the query out, for this session."""
        self._skipped.append((self.n_annotations, self.query()))
        self._query = None

    def undo(self) -> Query:
        """Undo the last annotation and query its document again, with the earlier model.

        If a document was skipped since, undo the skip instead.

        Raises
        ------
        InputError
            If there is nothing to undo.
        """
        if self._skipped and self._skipped[-1][0] == self.n_annotations:
            self._query = self._skipped.pop()[1]
            return self._query
        if not self.journal.annotations:
            raise InputError("there is no answer to undo.")
        annotation = self.journal.undo()
        # The journal is the state: if its undo() raises an error, no label is removed.
        self._labels.remove(annotation.row)
        self._query = None
        self._refit_if_due()
        guess = self._predict_row(annotation.row)
        self._query = Query(annotation.row, annotation.text, guess, annotation.at_random)
        return self._query

    def explain(self) -> Explanation | None:
        """Explain the prediction for the query; None without a prediction."""
        query = self.query()
        if query.guess is None:
            return None
        row = self._counts[[query.row]]
        found = self._model.explain(row, text=query.text, vectorizer=self._vectorizer)
        return sum_onto_words(found, self._vectorizer.build_analyzer())

    def predict(self, texts: Sequence[str]) -> NDArray[Any]:
        """Predict the classes of other documents with the current model.

        Parameters
        ----------
        texts : sequence of str

        Raises
        ------
        InputError
            If there are no two distinct labels yet.
        """
        if not self._fitted_labels:
            raise InputError("there is no model yet: it needs answers of two labels.")
        return self._model.predict(self._vectorizer.transform(texts))

    def classifier(self) -> TextClassifier:
        """Train a classifier on all labels, with all other documents as unlabelled ones."""
        labels = self.labels
        unlabelled = [text for row, text in enumerate(self.texts) if row not in labels]
        texts = [self.texts[row] for row in labels]
        classifier = TextClassifier(n_jobs=self._n_jobs)
        return classifier.fit(texts, [*labels.values()], unlabelled=unlabelled)

    def _most_informative(self, excluded: NDArray[np.bool_]) -> int:
        candidates = self._strategy.sample_candidates(excluded)
        probabilities = self._probabilities(candidates)
        margins = None if probabilities is None else class_margins(probabilities)
        return self._strategy.select(candidates, margins, [*self.labels])

    def _predict_row(self, row: int) -> PredictedLabel | None:
        probabilities = self._probabilities([row])
        if probabilities is None:
            return None
        best = int(probabilities[0].argmax())
        return PredictedLabel(str(self._model.classes_[best]), float(probabilities[0, best]))

    def _probabilities(self, rows: NDArray[np.intp] | list[int]) -> FloatArray | None:
        """Return the class probabilities of some documents; None while there is no model."""
        return self._model.predict_proba(self._counts[rows]) if self._fitted_labels else None

    def _excluded_mask(self) -> NDArray[np.bool_]:
        excluded = np.zeros(len(self.texts), dtype=bool)
        excluded[[*self.labels]] = True
        excluded[[query.row for _, query in self._skipped]] = True
        return excluded

    def _refit_if_due(self) -> None:
        """Refit the model if the labels it should be fitted on have changed."""
        due = self._labels.training_set
        if due and due != self._fitted_labels:
            self._model.refit([*due], [*due.values()])
        self._fitted_labels = due

    def _check_journal(self) -> None:
        for annotation in self.journal.annotations:
            inside = 0 <= annotation.row < len(self.texts)
            # Rows are positions, so a line inserted into the input would shift all labels.
            if not inside or self.texts[annotation.row] != annotation.text:
                raise FileError(
                    f"{str(self.journal.path)!r} has an answer for document {annotation.row}, but "
                    "its text is not the one in the input: was the input changed? Give the input "
                    "that was labelled, or another file for the answers."
                )


@dataclass(frozen=True)
class LabellingStats:
    """Accuracy of the predictions before each annotation, and counts of the labels.

    Only randomly sampled documents give an unbiased accuracy, because the query strategy selects
    hard documents.

    Parameters
    ----------
    annotations : sequence of Annotation
        In the order in which they were made.

    Examples
    --------
    >>> sampled = [Annotation(row, "", "sea", True, "sea" if row else "sky") for row in range(10)]
    >>> stats = LabellingStats([*sampled, Annotation(10, "", "sky", False, "sea")])
    >>> sum(stats.random_correct), len(stats.random_correct)
    (9, 10)
    >>> stats.block_accuracies(block=5)
    [0.8, 1.0]
    """

    annotations: Sequence[Annotation]

    @property
    def random_correct(self) -> list[bool]:
        """For each prediction on a randomly sampled document, True if it was correct."""
        return [
            annotation.guess == annotation.label
            for annotation in self.annotations
            # The guess was made before the label was known, so this accuracy is out of sample.
            if annotation.at_random and annotation.guess is not None
        ]

    @property
    def label_counts(self) -> dict[str, int]:
        """Number of annotations with each label, in the order of first occurrence."""
        counts: dict[str, int] = {}
        for annotation in self.annotations:
            counts[annotation.label] = counts.get(annotation.label, 0) + 1
        return counts

    def block_accuracies(self, block: int) -> list[float]:
        """Return the accuracy in each block of randomly sampled documents.

        The last block has up to twice as many documents, so that no block is short.

        Parameters
        ----------
        block : int
            Number of documents in a block.
        """
        correct = self.random_correct
        starts = range(0, max(len(correct) - block, 0) + 1, block)
        ends = [*list(starts)[1:], len(correct)]
        parts = [correct[start:end] for start, end in zip(starts, ends, strict=True)]
        return [sum(part) / len(part) for part in parts if part]


class TrainingLabels:
    """The labels of documents in order, and the prefix of them that the model is fitted on.

    Parameters
    ----------
    given : mapping of int to str
        Known labels by row; they come first.
    annotated : iterable of (int, str)
        Rows and labels, in order; they take precedence over given ones.

    Examples
    --------
    >>> labels = TrainingLabels({4: "sea"}, [(7, "sea")])
    >>> labels.training_set  # a single class: there is nothing to train on
    {}
    >>> labels.add(2, "sky")
    >>> labels.training_set
    {4: 'sea', 7: 'sea', 2: 'sky'}
    >>> labels.remove(2)
    >>> labels.by_row
    mappingproxy({4: 'sea', 7: 'sea'})
    """

    def __init__(self, given: Mapping[int, str], annotated: Iterable[tuple[int, str]]) -> None:
        self._given = dict(given)
        self._by_row = self._given | dict(annotated)

    @property
    def by_row(self) -> Mapping[int, str]:
        """The label of each labelled document."""
        return MappingProxyType(self._by_row)

    @property
    def training_set(self) -> dict[int, str]:
        """The labels to fit the model on; empty while there are not two classes.

        They depend on the labels alone, not on their history, so that a model after an undo or a
        resumed session equals the one before.
        """
        first = self._first_size()
        n = 0 if first is None else training_size(len(self._by_row), first)
        return dict(islice(self._by_row.items(), n))

    def add(self, row: int, label: str) -> None:
        """Set the label of a document."""
        self._by_row[row] = label

    def remove(self, row: int) -> None:
        """Remove the label that was added last; a given label of the document is restored.

        Parameters
        ----------
        row : int
            Its document.
        """
        # Assignment keeps the position in the dict, so the order of the labels is restored as well.
        if row in self._given:
            self._by_row[row] = self._given[row]
        else:
            del self._by_row[row]

    def _first_size(self) -> int | None:
        """Return the number of labels of the first model: all given ones, and two classes."""
        first_class = next(iter(self._by_row.values()), None)
        numbered = enumerate(self._by_row.values(), 1)
        size = next((n for n, label in numbered if label != first_class), None)
        return None if size is None else max(size, len(self._given))


def training_size(n: int, first: int) -> int:
    """Return the number of labels, at most n, that the model is fitted on.

    The model is refitted after each of the first twenty labels, and then when their number has
    grown by a twentieth.

    Parameters
    ----------
    n : int
        Number of labels.
    first : int
        Number of labels of the first model.

    Examples
    --------
    >>> [training_size(n, 2) for n in (2, 3, 20, 21, 22, 23, 60)]
    [2, 3, 20, 21, 21, 23, 59]
    """
    size = first
    # Integer arithmetic, rounded up: growth is at least one label, and exact on any machine.
    while (after := size - (-size * _REFIT_GROWTH_PERCENT // 100)) <= n:
        size = after
    return size
