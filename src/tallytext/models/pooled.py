"""Naive Bayes that learns from labelled documents and from a pool of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import clone

from tallytext._typing import FloatArray
from tallytext._validation import check_between, check_whole, checked_matrix
from tallytext.errors import CountError, FileError, LabelError
from tallytext.features.svd import Products
from tallytext.io.array_checks import check_parts
from tallytext.models.anchor import Anchor, Trust, document_weights, expected_regression
from tallytext.models.anchored_em import AnchoredEM, ClassWords, Expected
from tallytext.models.explaining import Summands
from tallytext.models.pool import Pool, Rows, Topicality, Views, plain_counts, single_part
from tallytext.models.reading import documents_of
from tallytext.models.trained import Arrays, TrainedClassifier
from tallytext.runtime import one_blas_thread, progress_bar, thread_count
from tallytext.tally.labels import check_lengths, targets_of

# ------------------------------------------------------------------------------------------------
# What PooledNB can be given, checked before any work is done.

MOST_BYTES = 2**31
"""The most that a table of all words and classes may take."""


def check_parameters(model: Any) -> None:
    """Refuse parameters of a model that cannot be."""
    if model.translation not in (True, False, "auto"):
        raise ValueError(f"translation must be True, False or 'auto', not {model.translation!r}.")
    for name in ("n_components", "min_df", "rounds"):
        check_whole(name, getattr(model, name), 1)
    check_whole("random_state", model.random_state, 0)
    for name in ("cost", "length", "penalty", "labelled_weight"):
        check_between(name, getattr(model, name), 1e-9, 1e9)
    for name in ("topicality", "concentration"):
        check_between(name, getattr(model, name), 0.0, 1e6)
    check_between("beta", model.beta, 0.0, 0.999)
    check_between("annealing", model.annealing, 1e-6, 1.0)
    if model.trust is not None:
        check_between("trust", model.trust, 0.0, 1.0)
    check_between("doubt", model.doubt, 0.0, 1e6)


def check_one_label(truth: FloatArray, multi_label: bool | None) -> None:
    """Refuse documents with several labels or none, and to be told that there will be some."""
    ambiguous = np.flatnonzero(truth.sum(axis=1) != 1)
    if not (ambiguous.size or multi_label):
        return
    found = "multi_label=True was asked for"
    if ambiguous.size:
        found = f"document {ambiguous[0]} has {int(truth[ambiguous[0]].sum())} labels"
    raise LabelError(
        f"{found}, and PooledNB takes documents with one label each. Documents without a label go "
        "into unlabelled; for several labels per document use RefinedNB or MultinomialNB."
    )


def check_room(n_terms: int, n_classes: int) -> None:
    """Refuse more words and classes than tables of them have room for."""
    needed = 8 * n_terms * n_classes
    if needed > MOST_BYTES:
        raise CountError(
            f"{n_terms:,} columns times {n_classes:,} classes are a table of {needed / 2**30:.1f} "
            f"GiB, and PooledNB takes no more than {MOST_BYTES / 2**30:.0f}. Keep fewer words, by "
            "min_df or max_features of the vectorizer, or use MultinomialNB."
        )


def checked_others(model: Any, unlabelled: Any) -> Rows[Any]:
    """Return counts of documents without labels, of which there may be none."""
    shape = unlabelled.shape if hasattr(unlabelled, "shape") else np.shape(unlabelled)
    n_terms = model.n_features_in_
    if len(shape) == 2 and shape[1] != n_terms:
        raise CountError(
            f"unlabelled has {shape[1]} columns, but the documents with labels have {n_terms}. "
            "Were both counted by the same vectorizer?"
        )
    if shape[:1] == (0,):
        return sparse.csr_array((0, n_terms))
    return sparse.csr_array(checked_matrix(model, unlabelled, reset=False, open_width=False))


def checked_folds(folds: Any, n_documents: int) -> NDArray[np.int64]:
    """Return a fold for each labelled document."""
    found = np.asarray(folds)
    if found.shape != (n_documents,) or found.dtype.kind not in "iu":
        raise ValueError(
            f"folds must be {n_documents} whole numbers, one for each labelled document, not "
            f"{found.dtype} of shape {found.shape}."
        )
    return found.astype(np.int64)


# ------------------------------------------------------------------------------------------------
# What a pooled model has come to: weights of words, in the three views of a document.

_PARTS = {"columns", "emphasis", "idf", "directions", "units", "shares", "latent", "bias"}
_VALUES = {"n_features", "trust", "translated", "notes"}


@dataclass(frozen=True)
class PooledWeights:
    r"""Linear scores of documents, whose words can be told apart.

    .. math:: s_c(d) = b_c + \sum_w v_w A_{wc} + \sum_w u_w B_{wc} + \sum_i z_i C_{ic}

    Attributes
    ----------
    views : Views
        What makes v, u and z of a document.
    units, shares : ndarray of shape (n_terms, n_classes)
        A and B.
    latent : ndarray of shape (n_components, n_classes)
        C.
    bias : ndarray of shape (n_classes,)
    """

    views: Views
    units: FloatArray
    shares: FloatArray
    latent: FloatArray
    bias: FloatArray

    @classmethod
    def rounded(
        cls,
        views: Views,
        units: FloatArray,
        shares: FloatArray,
        latent: FloatArray,
        bias: FloatArray,
    ) -> Self:
        """Return weights as precise as a file holds them, so that it changes nothing."""
        parts = (units, shares, latent, bias)
        return cls(views, *(part.astype(np.float32).astype(np.float64) for part in parts))

    def scores(self, counts: Rows[Any], n_threads: int) -> FloatArray:
        """Return what each class gets for each document."""
        counts = self.views.narrowed(counts)
        units = Products(self.views.units(counts), n_threads)
        shares = Products(self.views.shares(counts), n_threads)
        found = units.times(self.units) + shares.times(self.shares)
        return found + self.views.latent(units) @ self.latent + self.bias

    def pool_scores(self, pool: Pool, rows: Any) -> FloatArray:
        """Return the same for some documents of the pool that the weights are of."""
        found = pool.units.matrix[rows] @ self.units + pool.shares.matrix[rows] @ self.shares
        return found + pool.latent[rows] @ self.latent + self.bias

    def summands(self, row: Rows[Any], classes: NDArray[Any]) -> Summands:
        """Return what adds up to the scores of one document."""
        weighed, places = _places(row.indices, self.views.columns)
        parts = row.data[weighed], places, np.array([0, len(places)])
        counting = sparse.csr_array(parts, shape=(1, len(self.views.columns)))
        each, nothing = np.zeros((len(weighed), len(classes))), np.zeros(len(classes))
        each[weighed] = self._terms(counting)
        return Summands(
            classes=classes,
            counts=row.data,
            # Words that are too common or too rare to have a weight are no strangers.
            known=np.ones(len(weighed), dtype=bool),
            terms=each,
            prior=self.bias,
            constant=nothing,
            length=nothing,
            scores=each.sum(axis=0) + self.bias,
        )

    def _terms(self, row: Rows[Any]) -> FloatArray:
        """Return what each word of a document adds for each class."""
        units, shares = self.views.units(row), self.views.shares(row)
        each = units.data[:, None] * self.units[row.indices]
        each += shares.data[:, None] * self.shares[row.indices]
        # A word moves the document in the latent space; how far it is scaled is the document's.
        moves = units.data[:, None] * self.views.directions[row.indices]
        length = np.sqrt(np.square(moves.sum(axis=0)).sum())
        return each + (moves / length if length > 0 else moves) @ self.latent

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return all parts by name, for a file."""
        names = ("units", "shares", "latent", "bias")
        parts = {name: getattr(self, name).astype(np.float32) for name in names}
        return {**self.views.to_arrays(), **parts}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], n_features: int, n_classes: int
    ) -> Self:
        """Read what :meth:`to_arrays` wrote.

        Raises
        ------
        FileError
            If these arrays cannot be weights of so many columns and classes.
        """
        check_parts(arrays, _PARTS)
        views = Views.from_arrays(arrays, n_features)
        n_terms, n_components = views.directions.shape

        def part(name: str, *shape: int) -> FloatArray:
            return single_part(arrays, name, shape)

        return cls(
            views,
            units=part("units", n_terms, n_classes),
            shares=part("shares", n_terms, n_classes),
            latent=part("latent", n_components, n_classes),
            bias=part("bias", n_classes),
        )


def _places(terms: Any, columns: NDArray[np.int64]) -> tuple[Any, Any]:
    """Return which of some terms are among the columns, and the places of those that are."""
    places = np.minimum(np.searchsorted(columns, terms), max(len(columns) - 1, 0))
    known = columns[places] == terms if len(columns) else np.zeros(len(terms), dtype=bool)
    return known, places[known]


def values_of(values: Mapping[str, Any]) -> tuple[int, float, bool, list[str]]:
    """Return the number of columns, trust, whether words were translated, and notes of a file.

    Raises
    ------
    FileError
        If these cannot be the values of a pooled model.

    Examples
    --------
    >>> values_of({"n_features": 9, "trust": 0.5, "translated": True, "notes": ["learned"]})
    (9, 0.5, True, ['learned'])
    """
    if not isinstance(values, Mapping) or set(values) != _VALUES:
        raise FileError(f"these are not the values of a pooled model: {values!r:.80}.")
    n_features, trust = values["n_features"], values["trust"]
    translated, notes = values["translated"], values["notes"]
    fits = isinstance(trust, int | float) and 0 <= trust <= 1 and isinstance(translated, bool)
    fits = fits and type(n_features) is int and 0 < n_features < 2**31
    if not fits or not (isinstance(notes, list) and all(isinstance(each, str) for each in notes)):
        raise FileError(f"these are not the values of a pooled model: {values!r:.80}.")
    return n_features, float(trust), translated, notes


# ------------------------------------------------------------------------------------------------
# What some labelled documents and a pool come to.


class Learned(NamedTuple):
    """A model, and how it was found.

    Attributes
    ----------
    weights : PooledWeights
        What judges documents.
    expected : Expected
        What the pool was found to hold.
    trust : float
        How far the anchor was trusted.
    measured : Trust
        What held-out documents said.
    translated : bool
        Whether words were translated.
    """

    weights: PooledWeights
    expected: Expected
    trust: float
    measured: Trust
    translated: bool

    def notes(self, n_labelled: int, n_documents: int) -> list[str]:
        """Return what was done, in sentences."""
        found = f"the anchor was trusted {self.trust:.2f} of 1"
        if self.measured.is_known:
            found += (
                f": on labelled documents held out it was right {self.measured.anchor:.0%} of the "
                f"time, naive Bayes {self.measured.words:.0%}"
            )
        others = n_documents - n_labelled
        return [
            f"learned from {n_labelled:,} labelled and {others:,} other documents",
            found,
            f"words {'stood' if self.translated else 'did not stand'} for others they come with",
        ]


_SCALE = 8.0  # of the regression's scores
# Between no trust in the anchor and full trust: its weight while the pool is shared out, and when
# a document is judged; and the weight of naive Bayes there, at most.
_HELD = (1.0, 12.0)
_JUDGED = (0.25, 1.0)
_WORDS = 0.5


class PooledNB(TrainedClassifier):
    r"""Naive Bayes for few labels: it learns from documents without labels, too.

    Once for the pool of all documents: words are weighed by their :class:`Topicality`, documents
    placed in a latent space, and words translated into those that they bring with them. Then, from
    the labelled documents: an *anchor*, a logistic regression; a naive Bayes model of words and
    what they stand for; :class:`AnchoredEM`, which shares the pool out among the classes; a least
    squares regression on these shares. A new document is judged by the sum

    .. math:: s_c(d) = 8\, v_d \cdot B_c + \omega_a\, s^{\text{anchor}}_c(d)
              + \omega_e \left(L \sum_w u_{dw} \ln p(w \mid c) + \kappa\, z_d \cdot m_c
              + \ln \pi_c\right)

    which adds up from words, so that every answer can be explained. How far the anchor is trusted
    is asked of labelled documents held out: where it is right more often than naive Bayes, it
    weighs more, in EM and in the sum.

    For documents with one label each. Needs memory for a few tables of words by classes.

    Parameters
    ----------
    topicality : float, default=0.05
        Where a word has half its weight, see :class:`Topicality`; 0 to weigh all words alike.
    translation : bool or "auto", default="auto"
        Whether words stand for others that they come with; "auto": if held-out labelled documents
        are judged no worse so.
    beta : float, default=0.8
        How much of the company of a word is put down to the background.
    n_components : int, default=100
        Dimensions of the latent space.
    min_df : int, default=2
        Words of fewer documents of the pool do not count.
    anchor : classifier, default=None
        A linear classifier of scikit-learn; None for a logistic regression.
    cost : float, default=10.0
        What errors cost the logistic regression.
    trust : float, default=None
        How far the anchor is trusted, from 0 to 1; None to ask held-out documents.
    doubt : float, default=0.5
        So many standard errors are taken off the lead that the anchor has on held-out documents.
        More is better where labelled documents are few and of a class more often than of another:
        drawn at random, or asked for because they are hard.
    rounds, length, concentration, annealing
        Of :class:`AnchoredEM`.
    penalty : float, default=3.0
        Of the regression on the pool's shares.
    labelled_weight : float, default=20.0
        What a labelled document weighs in it, beside one for others.
    random_state : int, default=0
        Decides where the search for the latent space begins.
    multi_label : bool, default=None
        Documents with several labels are refused.
    n_jobs : int, default=None
        Number of threads, see :func:`tallytext.runtime.thread_count`. Results do not depend on it
        but for rounding in the linear algebra of others.
    verbose : bool, default=None
        Whether to show a bar; None: on a terminal, if it takes long.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    label_distributions_ : ndarray of shape (n_unlabelled, n_classes)
        The probability of each class for each document without a label.
    transduction_ : ndarray of shape (n_unlabelled,)
        The best class of each.
    trust_ : float
        How far the anchor was trusted.
    translated_ : bool
        Whether words were translated.
    emphasis_ : ndarray of shape (n_features,)
        The weight of each word by its topicality.
    notes_ : list of str
        What was done, in sentences.

    Examples
    --------
    >>> from tallytext import TextVectorizer
    >>> vectorizer = TextVectorizer()
    >>> pool = ["salt sea", "sea wave", "deep sea fish", "fish swim", "blue cloud", "cloud and sky",
    ...         "sky high", "high as a kite", "a kite in the sky"]
    >>> P = vectorizer.fit_transform(pool)
    >>> model = PooledNB().fit(vectorizer.transform(["salt sea", "blue cloud"]), ["sea", "sky"], P)
    >>> model.predict(vectorizer.transform(["fish", "kite"]))
    array(['sea', 'sky'], dtype='<U3')
    """

    contrasts = False

    weights_: PooledWeights
    trust_: float
    translated_: bool
    notes_: list[str]
    label_distributions_: FloatArray
    pool_: Pool | None = None

    def __init__(
        self,
        *,
        topicality: float = 0.05,
        translation: bool | Literal["auto"] = "auto",
        beta: float = 0.8,
        n_components: int = 100,
        min_df: int = 2,
        anchor: Any = None,
        cost: float = 10.0,
        trust: float | None = None,
        doubt: float = 0.5,
        rounds: int = 12,
        length: float = 20.0,
        concentration: float = 10.0,
        annealing: float = 0.2,
        penalty: float = 3.0,
        labelled_weight: float = 20.0,
        random_state: int = 0,
        multi_label: bool | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ) -> None:
        self.topicality = topicality
        self.translation = translation
        self.beta = beta
        self.n_components = n_components
        self.min_df = min_df
        self.anchor = anchor
        self.cost = cost
        self.trust = trust
        self.doubt = doubt
        self.rounds = rounds
        self.length = length
        self.concentration = concentration
        self.annealing = annealing
        self.penalty = penalty
        self.labelled_weight = labelled_weight
        self.random_state = random_state
        self.multi_label = multi_label
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, unlabelled: Any = None) -> Self:
        """Learn from documents, forgetting any learned before.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts of documents with labels.
        y : sequence of length n_documents
            One label per document.
        unlabelled : sparse matrix, sparse array or array-like of shape (n_unlabelled, n_terms)
            Counts of documents without labels, from the same source; the more, the better. None
            for none.

        Returns
        -------
        self
        """
        self._others = unlabelled
        try:
            return super().fit(X, y)
        finally:
            del self._others

    def refit(self, rows: ArrayLike, y: Any) -> Self:
        """Learn anew from the documents at hand, of which others have labels now.

        What is done once for a pool is not done again, so that labels can come one by one.

        Parameters
        ----------
        rows : array-like of int of shape (n_labels,)
            Which documents have labels: numbers in the order of :meth:`fit`, those with labels
            first and then those without. All others are taken as without.
        y : sequence of length n_labels
            One label per row.

        Raises
        ------
        LabelError
            If the pool is no longer there, a document is not in it, or comes twice.

        Examples
        --------
        >>> rows = [[2, 1, 0, 0], [1, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 2], [1, 1, 0, 0]]
        >>> counts = np.array(rows)
        >>> model = PooledNB(min_df=1).fit(counts[:2], ["sea", "sky"], counts[2:])
        >>> model.refit([0, 2], ["sea", "sky"]).transduction_
        array(['sea', 'sky', 'sea'], dtype='<U3')
        """
        pool = self._check_pool()
        numbers = np.asarray(rows, dtype=np.intp)
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < pool.n_documents:
            raise LabelError(f"rows must be numbers of the {pool.n_documents} documents at hand.")
        if len(np.unique(numbers)) < numbers.size:
            raise LabelError("a document has its label once: some rows come twice.")
        targets = targets_of(y)
        check_lengths(numbers, targets)
        truth = self._meet(targets).toarray()
        check_one_label(truth, self.multi_label)
        with one_blas_thread():
            self._become(pool, numbers, truth)
        return self

    @property
    def transduction_(self) -> NDArray[Any]:
        """The best class of each document without a label."""
        return self.classes_[self.label_distributions_.argmax(axis=1)]

    @property
    def emphasis_(self) -> FloatArray:
        """The weight of each word by its topicality."""
        found = np.zeros(self.n_features_in_)
        found[self.weights_.views.columns] = self.weights_.views.emphasis
        return found

    def out_of_sample_scores(self, folds: Any) -> FloatArray:
        """Return scores of the labelled documents by models that knew them without their labels.

        What is done once for a pool is not done again.

        Parameters
        ----------
        folds : array-like of int of shape (n_documents,)
            Documents of one fold are held out together; those of fold -1 never are, and their
            scores are those of the model itself.

        Raises
        ------
        LabelError
            If the pool is no longer there: in a model that was loaded, or told to drop it.
        """
        pool = self._check_pool()
        truth, rows = self._truth, self._rows
        numbers = checked_folds(folds, len(truth))
        found = self.weights_.pool_scores(pool, rows)
        for fold in np.unique(numbers[numbers >= 0]):
            held = numbers == fold
            known = truth[~held].any(axis=0)
            found[held] = -np.inf
            if known.any():
                with one_blas_thread():
                    learned = self._learned(
                        pool, rows[~held], truth[~held][:, known], unseen=rows[held]
                    )
                scores = learned.weights.pool_scores(pool, rows[held])
                found[np.ix_(held, known)] = scores
        return found

    def drop_pool(self) -> Self:
        """Let go of the documents of the pool; the model answers as before."""
        self.pool_ = None
        return self

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return what was learned, for a file; the documents of the pool are not kept."""
        values = {
            "n_features": self.n_features_in_,
            "trust": self.trust_,
            "translated": self.translated_,
            "notes": self.notes_,
        }
        return self.weights_.to_arrays(), values

    def read_arrays(self, arrays: Arrays, values: Mapping[str, Any]) -> Self:
        """Become what :meth:`to_arrays` was taken of; ``classes_`` and its kin are set before."""
        self.n_features_in_, self.trust_, self.translated_, self.notes_ = values_of(values)
        n_classes = len(self.classes_)
        self.weights_ = PooledWeights.from_arrays(arrays, self.n_features_in_, n_classes)
        self.label_distributions_ = np.zeros((0, len(self.classes_)))
        return self

    def _check_pool(self) -> Pool:
        if self.pool_ is None:
            raise LabelError("the pool was dropped, or never in the file: fit the model again.")
        return self.pool_

    def _train(self, X: Any, truth: sparse.csr_array[Any]) -> None:
        self._check_parameters()
        check_room(X.shape[1], truth.shape[1])
        labels = truth.toarray()
        check_one_label(labels, self.multi_label)
        self.multi_label_ = False
        counts = [sparse.csr_array(X)]
        if self._others is not None:
            counts.append(checked_others(self, self._others))
        bar = progress_bar("learning from the pool", 3 + self.rounds, self.verbose)
        with bar as step, one_blas_thread():
            pool = Pool.of(
                sparse.vstack(counts, format="csr"),
                Topicality(self.topicality, seed=self.random_state),
                self.n_components,
                self.min_df,
                self.beta,
                thread_count(self.n_jobs),
            )
            step()
            self._become(pool, np.arange(len(labels)), labels, step)

    def _become(
        self, pool: Pool, rows: Any, truth: FloatArray, step: Callable[[], None] = lambda: None
    ) -> None:
        learned = self._learned(pool, rows, truth, step)
        self.pool_, self._rows, self._truth = pool, rows, truth
        self.weights_, self.trust_ = learned.weights, learned.trust
        self.translated_ = learned.translated
        others = np.setdiff1d(np.arange(pool.n_documents), rows)
        self.label_distributions_ = learned.expected.shares[others]
        self.notes_ = learned.notes(len(truth), pool.n_documents)

    def _learned(
        self,
        pool: Pool,
        rows: Any,
        truth: FloatArray,
        step: Callable[[], None] = lambda: None,
        unseen: Any = (),
    ) -> Learned:
        """Learn from some documents of the pool that have labels, and from others.

        Those ``unseen`` take part in the pool, but not in the regression: it would know them from
        documents that are new.
        """
        measured = Trust.measured(pool, rows, truth, translate=bool(self.translation))
        translate = measured.translates if self.translation == "auto" else bool(self.translation)
        estimator = None if self.anchor is None else clone(self.anchor)
        anchor = Anchor.trained(pool, rows, truth, self.cost, estimator)
        step()
        words = ClassWords.of(pool, rows, truth, translate)
        em = AnchoredEM(self.rounds, self.length, self.concentration, self.annealing)
        said = anchor.log_probabilities(pool)

        def shared_out(trust: float) -> Expected:
            return em.run(pool, rows, truth, words, _between(_HELD, trust) * said, step)

        trust = measured.of_anchor(1.0, self.doubt) if self.trust is None else float(self.trust)
        expected = shared_out(trust)
        evenness = expected.evenness
        if self.trust is None and measured.of_anchor(evenness, self.doubt) > trust:
            trust = measured.of_anchor(evenness, self.doubt)
            expected = shared_out(trust)
        words_weight = _WORDS * measured.of_words(evenness)
        weighed = document_weights(pool, rows, self.labelled_weight, unseen)
        weights = self._weights(pool, weighed, anchor, expected, trust, words_weight)
        step()
        return Learned(weights, expected, trust, measured, translate)

    def _weights(
        self,
        pool: Pool,
        weighed: FloatArray,
        anchor: Anchor,
        expected: Expected,
        trust: float,
        words: float,
    ) -> PooledWeights:
        """Return the sum of what regression, anchor and naive Bayes say."""
        regression, _ = expected_regression(pool, expected.shares, weighed, self.penalty)
        held = _between(_JUDGED, trust)
        # What a word adds to all classes alike says nothing, and would cost digits.
        told = expected.words - expected.words.mean(axis=1, keepdims=True)
        return PooledWeights.rounded(
            pool.views,
            units=_SCALE * regression + held * anchor.units,
            shares=words * self.length * told,
            latent=held * anchor.latent + words * self.concentration * expected.places,
            bias=held * anchor.bias + words * expected.log_sizes,
        )

    def _decide(self, X: Any) -> FloatArray:
        return self.weights_.scores(plain_counts(X), thread_count(self.n_jobs))

    def _summands(self, row: Any) -> Summands:
        # In the order in which explanations name the words.
        document = documents_of(row)
        parts = document.values, document.terms, document.starts
        return self.weights_.summands(sparse.csr_array(parts, shape=row.shape), self.classes_)

    def _check_parameters(self) -> None:
        check_parameters(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = False
        return tags


def _between(ends: tuple[float, float], trust: float) -> float:
    """Return a factor between two, by equal ratios."""
    return ends[0] * (ends[1] / ends[0]) ** trust
