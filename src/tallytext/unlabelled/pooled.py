"""Naive Bayes that learns from labelled documents and from a pool of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import clone

from tallytext.bayes.explaining import Summands
from tallytext.bayes.matrices import documents_of
from tallytext.errors import LabelError
from tallytext.progress import progress_bar
from tallytext.smoothing.base import Numbers
from tallytext.targets import expect_lengths, targets_of
from tallytext.threads import one_blas_thread, thread_count
from tallytext.trained import Arrays, TrainedClassifier
from tallytext.unlabelled.anchor import Anchor
from tallytext.unlabelled.anchored_em import AnchoredEM, Expected
from tallytext.unlabelled.class_model import ClassWords
from tallytext.unlabelled.counts import plain_counts
from tallytext.unlabelled.inputs import (
    checked_folds,
    checked_others,
    expect_one_label,
    expect_parameters,
    expect_room,
)
from tallytext.unlabelled.learned import Learned
from tallytext.unlabelled.pool import Pool
from tallytext.unlabelled.regression import document_weights, expected_regression
from tallytext.unlabelled.topicality import Topicality
from tallytext.unlabelled.trust import Trust
from tallytext.unlabelled.weights import PooledWeights, values_of

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
        Number of threads, see :func:`tallytext.threads.thread_count`. Results do not depend on it
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
    label_distributions_: Numbers
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
        pool = self._expect_pool()
        numbers = np.asarray(rows, dtype=np.intp)
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < pool.n_documents:
            raise LabelError(f"rows must be numbers of the {pool.n_documents} documents at hand.")
        if len(np.unique(numbers)) < numbers.size:
            raise LabelError("a document has its label once: some rows come twice.")
        targets = targets_of(y)
        expect_lengths(numbers, targets)
        truth = self._meet(targets).toarray()
        expect_one_label(truth, self.multi_label)
        with one_blas_thread():
            self._become(pool, numbers, truth)
        return self

    @property
    def transduction_(self) -> NDArray[Any]:
        """The best class of each document without a label."""
        return self.classes_[self.label_distributions_.argmax(axis=1)]

    @property
    def emphasis_(self) -> Numbers:
        """The weight of each word by its topicality."""
        found = np.zeros(self.n_features_in_)
        found[self.weights_.views.columns] = self.weights_.views.emphasis
        return found

    def out_of_sample_scores(self, folds: Any) -> Numbers:
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
        pool = self._expect_pool()
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

    def _expect_pool(self) -> Pool:
        if self.pool_ is None:
            raise LabelError("the pool was dropped, or never in the file: fit the model again.")
        return self.pool_

    def _train(self, X: Any, truth: sparse.csr_array[Any]) -> None:
        self._expect_parameters()
        expect_room(X.shape[1], truth.shape[1])
        labels = truth.toarray()
        expect_one_label(labels, self.multi_label)
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
        self, pool: Pool, rows: Any, truth: Numbers, step: Callable[[], None] = lambda: None
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
        truth: Numbers,
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
        weighed: Numbers,
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

    def _decide(self, X: Any) -> Numbers:
        return self.weights_.scores(plain_counts(X), thread_count(self.n_jobs))

    def _summands(self, row: Any) -> Summands:
        # In the order in which explanations name the words.
        document = documents_of(row)
        parts = document.values, document.terms, document.starts
        return self.weights_.summands(sparse.csr_array(parts, shape=row.shape), self.classes_)

    def _expect_parameters(self) -> None:
        expect_parameters(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = False
        return tags


def _between(ends: tuple[float, float], trust: float) -> float:
    """Return a factor between two, by equal ratios."""
    return ends[0] * (ends[1] / ends[0]) ** trust
