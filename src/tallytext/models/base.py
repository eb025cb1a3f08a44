"""Base class of all classifiers of term counts: documents in, labels and probabilities out.

A classifier *counts* or stores documents, *estimates* weights from them, and *scores* documents
with the weights. :class:`~.naive_bayes.NaiveBayes` and :class:`TrainedClassifier` differ in these
steps. Both inherit the step from scores to predictions from :class:`CountClassifier`.

The parts of a prediction stand before the classes that use them, in the order of the data:

- :class:`DocumentRows`: documents as rows of term numbers and counts.
- :class:`SparseWeights` and :class:`RowWeights`: scores that are linear in these counts.
- :class:`WeightCache`: weights that are estimated once for each version of a tally.
- :class:`Summands`: one score as a sum over the terms of a document, for explanations.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._core import add_rows, score_sparse, top_sparse
from tallytext._estimators import BaseEstimator, ClassifierMixin, check_is_fitted
from tallytext._typing import FloatArray
from tallytext._validation import check_matrix, check_sparse, check_whole
from tallytext.decision.calibrators import log_odds, log_probabilities
from tallytext.decision.explanation import Contribution, Explanation, locate_terms
from tallytext.errors import (
    CountError,
    FileError,
    InputError,
    LabelError,
    ScoreError,
    VocabularyError,
)
from tallytext.models.class_counts import ClassCounts, CountsReader, Made, with_snapshot
from tallytext.runtime import rows_per_block
from tallytext.tally.labels import (
    LabelIndex,
    Targets,
    check_lengths,
    class_position,
    label_array,
    read_targets,
)
from tallytext.tally.tally import read_rows
from tallytext.text.analysis import Analyzer
from tallytext.text.vocabulary import Vocabulary

FRACTION = 2.0**-20
"""The unit of counts that are not whole numbers."""

# Weights of all terms cost about as much as those of a batch this many times smaller than the
# vocabulary, since the distinct terms of a batch have to be found first.
_BATCHES_PER_VOCABULARY = 8

ArraysByName = Mapping[str, NDArray[Any]]
MakeRows: TypeAlias = Callable[[int, int], FloatArray]
Pair = tuple[int, int | None]
Spans = tuple[tuple[int, int], ...]


class DocumentRows(NamedTuple):
    """Documents as rows of term numbers and of the values of these terms, as in a CSR matrix.

    Attributes
    ----------
    starts : ndarray of shape (n_documents + 1,)
        Document i has the entries from ``starts[i]`` up to ``starts[i + 1]``.
    terms, values : ndarray of shape (n_entries,)
        The number of a term, and its count in the document, which may be transformed.
    tokens : ndarray of shape (n_documents,) or None
        The length of each document, if values are no longer counts.
    """

    starts: NDArray[np.int64]
    terms: NDArray[np.int32]
    values: FloatArray
    tokens: FloatArray | None = None

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return len(self.starts) - 1

    @property
    def row(self) -> NDArray[np.intp]:
        """The document that each entry belongs to."""
        return np.repeat(np.arange(self.n_documents), np.diff(self.starts))

    @property
    def sizes(self) -> FloatArray:
        """Number of tokens of each document."""
        return sum_rows(self.values, self.starts) if self.tokens is None else self.tokens

    def some(self, first: int, last: int) -> DocumentRows:
        """Return the documents from ``first`` up to ``last``."""
        start, stop = self.starts[first], self.starts[last]
        starts = self.starts[first : last + 1] - start
        tokens = None if self.tokens is None else self.tokens[first:last]
        return DocumentRows(starts, self.terms[start:stop], self.values[start:stop], tokens)


def to_documents(X: Any) -> DocumentRows:
    """Return a CSR matrix in the form of the scorer: each term of a document once, no zeros."""
    # Whole counts are read as the tally reads them, so that both accept the same matrices.
    if X.data.dtype.kind in "iub":
        rows = read_rows(X)
        return DocumentRows(rows.starts, rows.terms, rows.counts.astype(np.float64))
    if not X.has_canonical_format or not X.data.all():
        # Both operations work in place, and the matrix belongs to the caller.
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
    return DocumentRows(
        np.ascontiguousarray(X.indptr, dtype=np.int64),
        np.ascontiguousarray(X.indices, dtype=np.int32),
        np.ascontiguousarray(X.data, dtype=np.float64),
    )


def count_unit(X: Any) -> float:
    """Return the unit of the counts of a matrix: 1 if all are whole numbers, else 2⁻²⁰."""
    data = X.data
    whole = data.dtype.kind in "iub" or bool((data == np.floor(data)).all())
    return 1.0 if whole else FRACTION


def to_units(X: Any, unit: float) -> Any:
    """Return the matrix in whole units; raise CountError for fractions of the unit 1."""
    if unit == 1.0:
        if count_unit(X) != 1.0:
            raise CountError(
                "these counts are fractional, but the model was started with whole numbers. Fit "
                "it on the fractional counts from the beginning."
            )
        return X
    # Rounded to whole units, a document that is subtracted later leaves nothing behind.
    scaled = np.rint(X.data.astype(np.float64) / unit)
    return X.__class__((scaled, X.indices, X.indptr), shape=X.shape)


def transform_counts(documents: DocumentRows, tf: str) -> DocumentRows:
    """Replace each count x by ln(1 + x) for "log" and by 1 for "binary"."""
    if tf == "raw":
        return documents
    if tf not in ("log", "binary"):
        raise ValueError(f"tf_test must be 'raw', 'log' or 'binary', not {tf!r}.")
    # The length stays the number of tokens: length models and evidence per token need it.
    values = documents.values
    made = np.log1p(values) if tf == "log" else np.ones_like(values)
    return documents._replace(values=made, tokens=documents.sizes)


def sum_rows(values: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the sum of each row, zero for an empty one.

    Examples
    --------
    >>> sum_rows(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2, 3]))
    array([3., 0., 4.])
    """
    # reduceat returns the first value of the next row for an empty one: leave those out.
    sums = np.zeros(len(starts) - 1)
    some = np.flatnonzero(np.diff(starts))
    if some.size:
        sums[some] = np.add.reduceat(values, starts[some], dtype=np.float64)
    return sums


def vocabulary_for(estimator: Any) -> Vocabulary:
    """Return the feature names of a fitted estimator, or x0, x1 and so on, as a vocabulary."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return numbered_vocabulary(estimator.n_features_in_)
    vocabulary = Vocabulary(list(names))
    vocabulary.freeze()
    return vocabulary


@lru_cache(maxsize=4)
def numbered_vocabulary(n_terms: int) -> Vocabulary:
    """Return a vocabulary of x0, x1 and so on."""
    vocabulary = Vocabulary([f"x{at}" for at in range(n_terms)])
    vocabulary.freeze()
    return vocabulary


class TopClasses(NamedTuple):
    """The best classes of each document, best first, and their scores."""

    classes: NDArray[np.int32]
    scores: FloatArray


@dataclass(frozen=True)
class SparseWeights:
    r"""Weights that differ from a common weight only in the classes that have a term.

    .. math:: s_c(d) = b_c + a_c \sum_w x_w m_w + \sum_w x_w (g_w + v_{cw})

    Attributes
    ----------
    intercept, slope : ndarray of shape (n_classes,)
        :math:`b_c` and :math:`a_c`, the weight of the length of a document.
    common, mass : ndarray of shape (n_terms,)
        :math:`g_w`, and :math:`m_w`, the length of one occurrence of a term.
    starts, classes, values : ndarray
        :math:`v_{cw}`: those of term i belong to ``classes[starts[i]:starts[i + 1]]``, all others
        are zero.
    """

    intercept: FloatArray
    slope: FloatArray
    common: FloatArray
    mass: FloatArray
    starts: NDArray[np.int64]
    classes: NDArray[np.int32]
    values: FloatArray

    def cast(self, dtype: Any) -> SparseWeights:
        """Return the weights in another precision."""
        intercept, slope, common, mass, values = (
            np.ascontiguousarray(part, dtype=dtype)
            for part in (self.intercept, self.slope, self.common, self.mass, self.values)
        )
        return SparseWeights(intercept, slope, common, mass, self.starts, self.classes, values)

    def fill_frequent_terms(self) -> SparseWeights:
        """Return the same weights, with a value for every class for terms of most classes.

        The scorer adds such a row as a vector, without looking up the class of each value. This
        pays off for weights that score many documents.
        """
        starts, classes, values = fill_rows(
            self.starts, self.classes, self.values, len(self.intercept)
        )
        return replace(self, starts=starts, classes=classes, values=values)

    def scores(self, documents: DocumentRows, n_threads: int) -> tuple[FloatArray, FloatArray]:
        """Return the score of each document for each class, and the length of each document."""
        return self._run(score_sparse, documents, n_threads)

    def top(
        self, documents: DocumentRows, k: int, order: NDArray[np.int32], n_threads: int
    ) -> TopClasses:
        """Return the k best classes of each document; ties are broken by ``order``."""
        # The kernel never stores the scores of all classes, which are documents by classes.
        return TopClasses(*self._run(top_sparse, documents, order, k, n_threads))

    def rows(self, first: int, last: int) -> FloatArray:
        """Return the weight of one occurrence of each term, with that of its length."""
        weights = self.mass[first:last, None] * self.slope + self.common[first:last, None]
        cells = slice(self.starts[first], self.starts[last])
        term = np.repeat(np.arange(last - first), np.diff(self.starts[first : last + 1]))
        weights[term, self.classes[cells]] += self.values[cells]
        return weights

    def _run(self, kernel: Callable[..., Any], documents: DocumentRows, *more: Any) -> Any:
        # Scores have the precision of the weights: counts are cast, since they are fewer.
        values = documents.values.astype(self.values.dtype, copy=False)
        cells = self.starts, self.classes, self.values
        vectors = self.common, self.mass, self.intercept, self.slope
        return kernel(documents.starts, documents.terms, values, *cells, *vectors, *more)


@dataclass(frozen=True)
class RowWeights:
    """Weights that differ in every class, computed in blocks of terms, since they are dense.

    Attributes
    ----------
    intercept, slope, mass : ndarray
        As in :class:`SparseWeights`.
    make : callable
        ``make(first, last)`` returns the weights of a range of terms, terms by classes.
    dtype : dtype
        The precision of scores.
    """

    intercept: FloatArray
    slope: FloatArray
    mass: FloatArray
    make: MakeRows
    dtype: Any = np.float64

    def cast(self, dtype: Any) -> RowWeights:
        """Return the weights in another precision."""
        return RowWeights(self.intercept, self.slope, self.mass, self.make, dtype)

    def scores(self, documents: DocumentRows, n_threads: int) -> tuple[FloatArray, FloatArray]:
        """Return the score of each document for each class, and the length of each document."""
        # Documents may have terms that the weights lack: they read the zero at the end.
        mass = np.append(self.mass, 0.0)
        inside = (documents.terms >= 0) & (documents.terms < len(self.mass))
        at = np.where(inside, documents.terms, len(self.mass))
        lengths = sum_rows(documents.values * mass[at], documents.starts)
        scores = (self.intercept + self.slope * lengths[:, None]).astype(self.dtype)
        values = documents.values.astype(self.dtype, copy=False)
        # Terms in the outer loop: each block of weights is made once and used by all documents.
        step = rows_per_block(len(self.intercept))
        for first in range(0, len(self.mass), step):
            last = min(first + step, len(self.mass))
            rows = np.ascontiguousarray(self.make(first, last), dtype=self.dtype)
            add_rows(documents.starts, documents.terms, values, rows, first, scores, n_threads)
        return scores, lengths.astype(self.dtype, copy=False)

    def top(
        self, documents: DocumentRows, k: int, order: NDArray[np.int32], n_threads: int
    ) -> TopClasses:
        """Return the k best classes of each document; ties are broken by ``order``."""
        scores, _ = self.scores(documents, n_threads)
        return top_classes(scores, k, order)

    def rows(self, first: int, last: int) -> FloatArray:
        """Return the weight of one occurrence of each term, with that of its length."""
        return self.mass[first:last, None] * self.slope + self.make(first, last)


Weights: TypeAlias = SparseWeights | RowWeights


def top_classes(scores: FloatArray, k: int, order: NDArray[np.int32]) -> TopClasses:
    """Return the k best columns of each row; of equal ones the first in ``order``.

    Examples
    --------
    >>> top_classes(np.array([[1.0, 3.0, 3.0]]), 2, np.array([0, 2, 1])).classes
    array([[2, 1]], dtype=int32)
    """
    # Columns are put into the order that breaks ties, which a stable sort by score then keeps.
    ranked = np.argsort(order, kind="stable")
    by = np.argsort(-scores[:, ranked], axis=1, kind="stable")[:, :k]
    classes = ranked[by].astype(np.int32)
    return TopClasses(classes, np.take_along_axis(scores, classes, axis=1))


def tie_order(intercept: NDArray[Any]) -> NDArray[np.int32]:
    """Return the rank of each class by its intercept, which decides between equal scores.

    Examples
    --------
    >>> tie_order(np.array([-2.0, -1.0]))
    array([1, 0], dtype=int32)
    """
    order = np.empty(len(intercept), dtype=np.int32)
    order[np.argsort(-intercept, kind="stable")] = np.arange(len(order))
    return order


def fill_rows(
    starts: NDArray[np.int64], classes: NDArray[np.int32], values: FloatArray, n_classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], FloatArray]:
    """Return cells by term in which terms of more than half of the classes have all of them.

    Examples
    --------
    >>> fill_rows(np.array([0, 2, 3]), np.array([0, 2], np.int32).repeat([1, 2]),
    ...             np.array([1.0, 2.0, 3.0]), 3)
    (array([0, 3, 4]), array([0, 1, 2, 2], dtype=int32), array([1., 0., 2., 3.]))
    """
    sizes = np.diff(starts)
    full = 2 * sizes > n_classes
    new_sizes = np.where(full, n_classes, sizes)
    new_starts = np.append(0, np.cumsum(new_sizes))
    # In a full row a cell moves to the position of its class; otherwise it keeps its offset.
    first = np.repeat(new_starts[:-1], sizes)
    offset = np.arange(len(classes)) - np.repeat(starts[:-1], sizes)
    place = first + np.where(np.repeat(full, sizes), classes, offset)
    new_values = np.zeros(new_starts[-1], dtype=values.dtype)
    new_values[place] = values
    within = np.arange(new_starts[-1]) - np.repeat(new_starts[:-1], new_sizes)
    new_classes = within.astype(np.int32)
    new_classes[place] = classes
    return new_starts, new_classes, new_values


class EstimatedWeights(NamedTuple):
    """Weights, the terms that they belong to (None for all), and the counts behind them."""

    weights: Weights
    terms: NDArray[np.int32] | None
    class_counts: ClassCounts

    def localize(self, documents: DocumentRows) -> DocumentRows:
        """Return documents with terms numbered as in the weights."""
        if self.terms is None:
            return documents
        # Terms are sorted and include those of the documents: every search is a hit.
        at = np.searchsorted(self.terms, documents.terms)
        return documents._replace(terms=at.astype(np.int32))


def freeze_parameter(value: Any) -> Any:
    """Return the contents of a mapping, sequence or array as a tuple; any other value as it is.

    A user may change such a parameter in place, which only its contents show.

    Examples
    --------
    >>> freeze_parameter({"sea": 2.0}), freeze_parameter("balanced")
    ((('sea', 2.0),), 'balanced')
    """
    if value is None or isinstance(value, str | float | int):
        return value
    if isinstance(value, Mapping):
        return tuple((key, freeze_parameter(item)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return tuple(map(freeze_parameter, value))
    if hasattr(value, "__array__") and not isinstance(value, type):
        array = np.asarray(value)  # also of a column of a data frame
        return array.shape, array.dtype.str, array.tobytes()
    return value


class _CacheEntry(NamedTuple):
    """A value that was computed at a version of the tally, with these settings."""

    version: int
    settings: tuple[Any, ...]
    value: Any

    def is_current(self, version: int, settings: tuple[Any, ...]) -> bool:
        """Return True if the version and all settings are still the same."""
        # Frozen contents are tuples, compared by value. All other settings are immutable, and
        # identity is enough: comparing the translations of two smoothings by value would take
        # longer than predicting a document.
        return (
            self.version == version
            and len(self.settings) == len(settings)
            and all(
                old is new or (type(old) is tuple and type(new) is tuple and old == new)
                for old, new in zip(self.settings, settings, strict=True)
            )
        )


class WeightCache:
    """Stores the weights of all terms until the tally or a parameter of the model changes.

    Several threads may use it at a time: entries are replaced, never changed.
    """

    def __init__(self) -> None:
        self._entry: _CacheEntry | None = None
        self._constants: dict[str, _CacheEntry] = {}

    def weights(
        self,
        reader: CountsReader,
        terms: NDArray[np.int32],
        estimate: Callable[[ClassCounts], Weights],
        settings: tuple[Any, ...] = (),
    ) -> EstimatedWeights:
        """Return weights of at least these terms; of all terms, and cached, if these are many.

        Parameters
        ----------
        reader : CountsReader
        terms : ndarray of int
        estimate : callable
            From counts to weights.
        settings : tuple
            Everything that weights depend on besides the counts, see :func:`freeze_parameter`.
        """
        entry = self._entry
        if entry is not None and entry.is_current(reader.tally.version, settings):
            cached: EstimatedWeights = entry.value
            return cached
        many = len(terms) * _BATCHES_PER_VOCABULARY >= len(reader.tally.vocabulary)
        chosen = None if many else np.unique(terms)

        def read_and_estimate(reader: CountsReader) -> EstimatedWeights:
            class_counts = reader.read(chosen)
            return EstimatedWeights(estimate(class_counts), chosen, class_counts)

        estimated = with_snapshot(reader, read_and_estimate)
        if many:
            if isinstance(estimated.weights, SparseWeights):
                estimated = estimated._replace(weights=estimated.weights.fill_frequent_terms())
            # The version is that of the counts, not of now: if the tally changed meanwhile, old
            # weights must not look current.
            self._entry = _CacheEntry(estimated.class_counts.version, settings, estimated)
        return estimated

    def constants(
        self,
        version: int,
        compute: Callable[[], Made],
        settings: tuple[Any, ...] = (),
        name: str = "constants",
    ) -> Made:
        """Return a value that the weights of all terms share, computed once per version."""
        entry = self._constants.get(name)
        if entry is None or not entry.is_current(version, settings):
            self._constants[name] = entry = _CacheEntry(version, settings, compute())
        value: Made = entry.value
        return value

    def __reduce__(self) -> tuple[type[WeightCache], tuple[()]]:
        # A copy of a model starts with an empty cache.
        return WeightCache, ()


@dataclass(frozen=True)
class Summands:
    """The summands of the scores of one document, for each class.

    Attributes
    ----------
    classes : ndarray
        The labels of all columns below.
    counts : ndarray of shape (n_terms,)
    known : ndarray of bool of shape (n_terms,)
        True for terms that the model knows.
    terms : ndarray of shape (n_terms, n_classes)
        The summand of each term.
    prior, constant, length : ndarray of shape (n_classes,)
        The summands that do not depend on the terms: the prior, the constant of a document without
        any term, and the summand of the document length.
    scores : ndarray of shape (n_classes,)
    """

    classes: NDArray[Any]
    counts: FloatArray
    known: NDArray[np.bool_]
    terms: FloatArray
    prior: FloatArray
    constant: FloatArray
    length: FloatArray
    scores: FloatArray

    @classmethod
    def from_weights(
        cls,
        estimated: EstimatedWeights,
        documents: DocumentRows,
        prior: FloatArray,
        length: FloatArray,
    ) -> Summands:
        """Split the scores of a document by the weights of its terms."""
        weights, local = estimated.weights, estimated.localize(documents)
        class_counts = estimated.class_counts
        each = documents.values[:, None] * weights.rows(0, class_counts.n_terms)[local.terms]
        scores = weights.scores(local, 1)[0][0]
        if not (scores > -np.inf).any():
            # No class can have generated this document: only the prior is left.
            each, scores = np.zeros_like(each), weights.intercept
        # A class without documents has an intercept and a prior of -inf: their difference is no
        # constant.
        with np.errstate(invalid="ignore"):
            constant = np.nan_to_num(weights.intercept - prior)
        # A term that occurred may have no mass: if its weight is zero in all classes.
        known = ((weights.mass > 0) | (class_counts.term_totals[-1] > 0))[local.terms]
        classes = class_counts.order.classes
        return cls(classes, documents.values, known, each, prior, constant, length, scores + length)

    def pair(self, label: int | None, against: int | None, alone: bool) -> Pair:
        """Return the class to explain and the class to compare it with, None for all others.

        Parameters
        ----------
        label, against : int or None
            The positions of the classes that the user chose.
        alone : bool
            True if a score is itself a comparison with all other classes.
        """
        order = tie_order(self.prior + self.constant)
        ranked = top_classes(self.scores[None], len(order), order).classes[0].tolist()
        if label is None:
            label = next((c for c in ranked if c != against), ranked[0])
        if label == against:
            raise LabelError(
                f"class {self.classes.tolist()[label]!r} cannot be compared with itself."
            )
        if against is None and not alone:
            against = next((c for c in ranked if c != label), None)
        return label, against

    def difference(self, values: FloatArray, pair: Pair) -> FloatArray:
        """Return values of the first class minus those of the second."""
        label, against = pair
        if against is None:
            return values[..., label]
        with np.errstate(invalid="ignore"):
            # A term that neither class can generate is no evidence for either: inf - inf is 0.
            return np.nan_to_num(
                values[..., label] - values[..., against], posinf=np.inf, neginf=-np.inf
            )


def build_explanation(
    summands: Summands, pair: Pair, names: list[str], text: str | None, vectorizer: Any
) -> Explanation:
    """Return the difference of the scores of two classes as an :class:`Explanation`."""
    label, against = pair
    spans = {} if text is None else _term_spans(text, vectorizer)
    differences = {
        name: float(summands.difference(getattr(summands, name), pair))
        for name in ("prior", "constant", "length", "scores")
    }
    values = summands.difference(summands.terms, pair).tolist()
    known = summands.known.tolist()
    rows = zip(names, summands.counts.tolist(), values, known, strict=True)
    terms = [Contribution(*row, spans.get(row[0], ())) for row in rows]
    unknown = [
        Contribution(term, float(len(found)), 0.0, False, found)
        for term, found in spans.items()
        if term not in set(names)
    ]
    classes = summands.classes.tolist()
    return Explanation(
        label=classes[label],
        against=None if against is None else classes[against],
        score=float(summands.scores[label]),
        other_score=0.0 if against is None else float(summands.scores[against]),
        difference=differences["scores"],
        prior=differences["prior"],
        contributions=(*terms, *unknown),
        absent=differences["constant"] if summands.constant.any() else None,
        length=differences["length"] if summands.length.any() else None,
        text=text,
    )


def to_row(x: Any) -> Any:
    """Return a row as a matrix; ``X[i]`` of an array has lost its second dimension.

    Examples
    --------
    >>> to_row(np.array([2, 0, 1])).shape
    (1, 3)
    """
    row: Any = check_sparse(x) if sparse.issparse(x) else np.asarray(x)
    return row.reshape(1, -1) if row.ndim == 1 else x


def term_names(columns: NDArray[np.int32], terms: Vocabulary | Sequence[str]) -> list[str]:
    """Return the names of columns; a column beyond the vocabulary is named by its number.

    Examples
    --------
    >>> term_names(np.array([2, 0]), ["salt", "wave", "blue"])
    ['blue', 'salt']
    """
    if isinstance(terms, Vocabulary):
        inside = columns < len(terms)
        named = iter(terms.terms(columns[inside]).tolist())
        return [
            next(named) if there else f"x{column}"
            for column, there in zip(columns.tolist(), inside.tolist(), strict=True)
        ]
    if len(columns) and columns.max() >= len(terms):
        raise VocabularyError(
            f"{len(terms)} terms were given, but the document has a term in column "
            f"{columns.max()}. Are these the names of the columns?"
        )
    return [str(terms[column]) for column in columns.tolist()]


def _term_spans(text: str, vectorizer: Any) -> dict[str, Spans]:
    analyzer = vectorizer.build_analyzer() if hasattr(vectorizer, "build_analyzer") else None
    if not isinstance(analyzer, Analyzer):
        raise InputError(
            "to locate terms in the text, pass the TextVectorizer that counted them as vectorizer, "
            f"not {vectorizer!r:.80}."
        )
    if not isinstance(text, str):
        raise InputError(f"text must be one document, not {text!r:.80}.")
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for place in locate_terms(analyzer, text):
        found[place.term].append((place.start, place.end))
    return {term: tuple(spans) for term, spans in found.items()}


class CountClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""A classifier of count matrices that predicts from a score per document and class.

    With :attr:`contrasts` a score is the log-odds of a class against its complement, otherwise the
    joint log-probability of document and class:

    .. math:: s_c(d) = \log \frac{p(c \mid d)}{p(\bar c \mid d)}
              \qquad\text{or}\qquad s_c(d) = \log p(c, d)

    Probabilities are then :math:`\sigma(s_c)`, normalised over classes if a document has exactly
    one label, or :math:`e^{s_c} / \sum_k e^{s_k}`.

    A subclass implements :meth:`scores_lengths_classes` and :meth:`_top_classes`, and
    :meth:`_summands` if its scores are sums over terms.
    """

    multi_label: bool | None
    n_jobs: int | None

    multi_label_: bool
    n_features_in_: int
    #: True if matrices may have more columns than the training matrix; further terms are unknown.
    open_: bool

    @property
    def contrasts(self) -> bool:
        """True if scores are log-odds of each class against its complement."""
        raise NotImplementedError

    def scores_lengths_classes(self, X: Any) -> tuple[FloatArray, FloatArray, NDArray[Any]]:
        """Return :meth:`scores`, document lengths and the labels of the columns, of one snapshot.

        Between separate calls another thread may learn a class, which moves the columns.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        raise NotImplementedError

    def _top_classes(self, X: Any, k: int) -> tuple[TopClasses, NDArray[Any]]:
        """Return the k best classes of each document, and the labels of all classes."""
        raise NotImplementedError

    def _summands(self, row: Any) -> Summands:
        """Return the summands of the score of one document, given as a checked matrix."""
        raise ScoreError(
            f"the scores of {type(self).__name__} are not sums over terms, so its predictions "
            "cannot be explained by terms."
        )

    @property
    def _explains_contrasts(self) -> bool:
        """True if :meth:`explain` compares a class with its complement by default."""
        return self.multi_label_

    def _term_names(self) -> Vocabulary | Sequence[str]:
        """Return the names of the columns of count matrices."""
        names = getattr(self, "feature_names_in_", None)
        return [f"x{at}" for at in range(self.n_features_in_)] if names is None else list(names)

    def _check_counts(self, X: Any) -> Any:
        """Return the counts of documents to predict as a CSR matrix of the fitted width."""
        check_is_fitted(self)
        return check_matrix(self, X, reset=False, open_width=self.open_)

    def scores(self, X: Any) -> FloatArray:
        """Return the score of each document for each class.

        Log-odds of each class against its complement if :attr:`contrasts`, otherwise joint
        log-probabilities of document and class.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        return self.scores_lengths_classes(X)[0]

    def scores_and_lengths(self, X: Any) -> tuple[FloatArray, FloatArray]:
        """Return :meth:`scores` and the length of each document, which calibration needs.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        return self.scores_lengths_classes(X)[:2]

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the best class of each document, or an indicator matrix of its classes.

        Of classes with equal scores, naive Bayes prefers the one with the larger intercept and a
        trained classifier the one with more training documents; then the first in ``classes_``.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.

        Returns
        -------
        ndarray
            Labels; or, for multi-label documents, an indicator matrix with the columns of
            ``classes_``: 1 where a class is more likely than not.
        """
        # An unfitted model gets its NotFittedError from the check of X.
        if getattr(self, "multi_label_", False):
            return (self.scores(X) > 0).astype(np.int64)
        top, classes = self._top_classes(X, 1)
        return classes[top.classes[:, 0]]

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithms of :meth:`predict_proba`.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        return self.posteriors(self.scores(X))

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the uncalibrated probability of each class; too extreme for long documents.

        They sum to one, except for multi-label documents, where each class is compared with its
        absence. :class:`~tallytext.models.Calibrated` calibrates them.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        return np.exp(self.predict_log_proba(X))

    def top_k(self, X: Any, k: int) -> TopClasses:
        """Return the positions in ``classes_`` and the scores of the k best classes, best first.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        k : int
            Number of classes; all if there are fewer.
        """
        check_whole("k", k, 1)
        return self._top_classes(X, int(k))[0]

    def rank(self, X: Any, label: Any, normalize: bool = False) -> FloatArray:
        """Return the log-odds of a class for each document, to sort documents by.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        label : label
            A class.
        normalize : bool, default=False
            True to divide by the length of the document, so that long documents, whose log-odds
            are extreme, do not come first and last. Scores of trained models do not grow with the
            length, so that this changes nothing.
        """
        scores, lengths, classes = self.scores_lengths_classes(X)
        odds = self.log_odds(scores)[:, class_position(label, classes)]
        return odds / np.maximum(lengths, 1.0) if normalize else odds

    def posteriors(self, scores: FloatArray) -> FloatArray:
        """Return the log-probabilities of classes for given :meth:`scores`.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            The scores of each document.
        """
        return log_probabilities(scores, self.contrasts, self.multi_label_)

    def log_odds(self, scores: FloatArray) -> FloatArray:
        """Return the log-odds of each class against its complement for given :meth:`scores`.

        Parameters
        ----------
        scores : array-like of shape (n_documents, n_classes)
            The scores of each document.
        """
        return scores if self.contrasts else log_odds(scores)

    def class_number(self, label: Any) -> int:
        """Return the position of a label in ``classes_``.

        Parameters
        ----------
        label : label
            A class.
        """
        return class_position(label, self.classes_)

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
        """Return the contribution of each term of one document to the score of a class.

        Parameters
        ----------
        x : matrix of one row, or a row
            The document.
        label : label, default=None
            The class to explain; None for the best.
        against : label, default=None
            The class to compare it with. None for the best of all others; for multi-label
            documents, and for naive Bayes that scores contrasts, all others together.
        terms : Vocabulary or sequence of str, default=None
            The names of the columns; None for those of the vectorizer, if it is given, or of the
            model.
        text : str, default=None
            The text of the document, to locate its terms in. Needs ``vectorizer``.
        vectorizer : TextVectorizer, default=None
            The vectorizer that counted the text.

        Raises
        ------
        ScoreError
            If the scores of the model are not sums over terms.

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
        row = self._check_counts(to_row(x))
        if row.shape[0] != 1:
            raise CountError(
                f"one document can be explained at a time, not {row.shape[0]}: give one row, such "
                "as X[[i]]."
            )
        summands = self._summands(row)
        first, second = (
            None if name is None else class_position(name, summands.classes)
            for name in (label, against)
        )
        pair = summands.pair(first, second, alone=self._explains_contrasts)
        if terms is None:
            terms = self._term_names() if vectorizer is None else vectorizer.vocabulary_
        names = term_names(to_documents(row).terms, terms)
        return build_explanation(summands, pair, names, text, vectorizer)

    def _check_multi_label(self) -> None:
        """Raise ValueError unless ``multi_label`` is True, False or None."""
        if self.multi_label not in (None, True, False):
            raise ValueError(f"multi_label must be True, False or None, not {self.multi_label!r}.")

    def __sklearn_tags__(self) -> Any:
        return count_tags(super().__sklearn_tags__())


def count_tags(tags: Any) -> Any:
    """Set the scikit-learn tags of a classifier of count matrices; return them."""
    tags.input_tags.sparse = True
    tags.input_tags.positive_only = True
    tags.classifier_tags.multi_label = True
    # scikit-learn would check the accuracy on points in the plane, which are not counts.
    tags.classifier_tags.poor_score = True
    return tags


class TrainedClassifier(CountClassifier):
    """Base class of classifiers of count matrices that are trained on documents.

    A subclass implements the training (:meth:`_train`) and the decision values of the published
    method (:meth:`_decide`), and, if zero is not the even chance, their conversion to log-odds
    (:meth:`_odds`). If its decision values are sums over terms, it implements :meth:`_summands`; if
    it can be saved, :meth:`to_arrays` and :meth:`read_arrays`.
    """

    classes_: NDArray[Any]
    class_documents_: NDArray[np.int64]
    open_ = False

    #: Scores are log-odds of each class against its complement, or approximate them.
    contrasts = True

    def fit(self, X: Any, y: Any) -> Self:
        """Train on documents; an earlier training is discarded.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        y : sequence of length n_documents
            One label per document; or, for multi-label documents, a list of labels per document
            or an indicator matrix.

        Returns
        -------
        self
        """
        X = check_matrix(self, X, reset=True, open_width=False)
        targets = read_targets(y)
        check_lengths(X, targets)
        self._train(X, self._set_classes_from(targets))
        return self

    # Implemented by subclasses.

    def _check_parameters(self) -> None:
        """Raise ValueError for parameters that are invalid or contradict each other."""

    def _train(self, X: Any, truth: sparse.csr_array[Any]) -> None:
        """Train on counts and an indicator matrix of classes (float64, zeros and ones)."""
        raise NotImplementedError

    def _decide(self, X: Any) -> FloatArray:
        """Return the decision value of each document for each class."""
        raise NotImplementedError

    def _odds(self, decisions: FloatArray) -> FloatArray:
        """Convert decision values to log-odds, or to numbers with zero as the even chance."""
        return decisions

    def _log_odds(self, X: Any) -> FloatArray:
        """Return the log-odds of documents; override it if they need more than decision values."""
        return self._odds(self._decide(X))

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the fitted state for a file: arrays by name, and values for JSON.

        Raises
        ------
        FileError
            If models of this class cannot be saved.
        """
        raise FileError(f"a {type(self).__name__} cannot be saved.")

    def read_arrays(self, arrays: ArraysByName, values: Mapping[str, Any]) -> Self:
        """Restore the state that :meth:`to_arrays` returned; ``classes_`` must be set before.

        Parameters
        ----------
        arrays : mapping of str to ndarray
            The arrays.
        values : mapping
            The values for JSON.

        Raises
        ------
        FileError
            If they are not the state of such a model, or contradict each other.
        """
        raise FileError(f"a {type(self).__name__} cannot be loaded.")

    # Score.

    def decision_function(self, X: Any) -> FloatArray:
        """Return the decision values of the published method, with the columns of ``classes_``.

        For two classes of which a document has exactly one, a single number per document: the
        value of the second class minus that of the first.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        found = self._decide(self._check_counts(X))
        if len(self.classes_) == 2 and not self.multi_label_:
            return found[:, 1] - found[:, 0]
        return found

    def scores_lengths_classes(self, X: Any) -> tuple[FloatArray, FloatArray, NDArray[Any]]:
        """Return :meth:`scores`, lengths of one, and the labels of the columns.

        The scores of trained models do not grow with the length of a document, so that every
        length is one.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        scores = self._log_odds(self._check_counts(X))
        return scores, np.ones(len(scores)), self.classes_

    def _top_classes(self, X: Any, k: int) -> tuple[TopClasses, NDArray[Any]]:
        decisions = self._decide(self._check_counts(X))
        # Of equal classes the one with more training documents is better.
        order = tie_order(self.class_documents_)
        return top_classes(decisions, k, order), self.classes_

    def _set_classes_from(self, targets: Targets) -> sparse.csr_array[Any]:
        """Set ``classes_`` and the like from the labels; return them as an indicator matrix."""
        self._check_multi_label()
        if self.multi_label is False:
            check_one_label(targets)
        names = targets.classes
        if not names:
            raise LabelError("there is no class to learn: no document has a label.")
        starts, ids = LabelIndex(names).encode(targets.labels, len(targets.labels))
        shape = len(targets.labels), len(names)
        truth = sparse.csr_array((np.ones(len(ids)), ids, starts), shape=shape)
        self.multi_label_ = (
            targets.multi_label if self.multi_label is None else bool(self.multi_label)
        )
        self.classes_ = label_array(names)
        self.class_documents_ = np.bincount(truth.indices, minlength=len(names))
        return truth

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classes_")


def check_one_label(targets: Targets) -> None:
    """Raise LabelError unless each document has exactly one label."""
    if not targets.multi_label:
        return
    for at, given in enumerate(targets.labels):
        if len(given) != 1:
            raise LabelError(
                f"document {at} has {len(given)} labels, but multi_label=False requires one each."
            )
