"""What words a signature brings with it, estimated from texts or counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import clone

from tallytext.errors import CountError
from tallytext.semantic.estimation import Solver, between, translation_rows
from tallytext.semantic.signatures import Signatures, checked_names, chosen, found_in
from tallytext.semantic.translating import Translating, counts_of
from tallytext.semantic.weighing import Counts, weighed
from tallytext.threads import thread_count
from tallytext.vectorizer import TextVectorizer
from tallytext.vocabulary import Vocabulary


class TranslationModel(Translating, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    r"""What words a word, a phrase or a concept brings with it, learned from texts without labels.

    A *signature* t is what a text is recognised by: a word, a phrase such as "space program", or a
    concept. The texts that hold t count :math:`c_t(w)` of each word w. Part of that is what every
    text has, the background :math:`p(w)`; the rest is what t stands for:

    .. math:: \max_{p(\cdot \mid t)} \sum_w c_t(w) \log[(1 - \beta)\, p(w \mid t) + \beta\, p(w)]

    So a class or a document whose signatures are :math:`p(t \mid c)` has the words
    :math:`\sum_t p(w \mid t)\, p(t \mid c)`, also those that it never showed
    (Zhou, Zhang and Hu, 2008).

    Parameters
    ----------
    signatures : str, Phrases, Concepts or list of such, default="words"
        ``"words"``, ``"phrases"`` or ``"words+phrases"``; or what finds phrases or concepts, which
        is copied and fitted, unless it is in a ``sklearn.frozen.FrozenEstimator``.
    beta : float, default=0.5
        The share of the background, from 0 to 0.999999.
    solver : {"exact", "em"}, default="exact"
        The maximum itself, or ``n_steps`` of expectation and maximisation towards it.
    n_steps : int, default=15
        How many.
    min_probability : float, default=0.001
        Smaller probabilities are left out of a row.
    max_entries : int or None, default=200
        Words of a row, at most: the most probable.
    min_df : int, default=2
        A signature of fewer documents has no row.
    counts : {"occurrences", "documents", "log"}, default="occurrences"
        What a word of a document counts: its occurrences; one; or :math:`\ln(1 + x)`, divided by
        the sum of these in its document.
    trim : bool, default=False
        Whether words of less than the mean count are left out before a row is solved.
    phrase_weight : float, default=0.5
        The share of phrases and concepts beside words, where there are both.
    stop_words : str, iterable of str or None, default=None
        Words to leave out, as for :class:`~tallytext.TextVectorizer`.
    vectorizer : TextVectorizer or None, default=None
        How texts become words; it is copied. None: a ``TextVectorizer`` with these ``stop_words``.
    n_jobs : int or None, default=None
        Threads; None means all cores this process may use. The result does not depend on it.
    verbose : bool or None, default=None
        Whether to show a bar; None: once it takes long, on a terminal.

    Attributes
    ----------
    words_ : ndarray of str of shape (n_words,)
        The words that rows are made of.
    signatures_ : ndarray of str of shape (n_signatures,)
        The signatures that have a row: words, then phrases and concepts.
    kinds_ : ndarray of int8 of shape (n_signatures,)
        0 for a word, 1 for a phrase, 2 for a concept.
    rows_ : csr_array of shape (n_signatures, n_words)
        :math:`p(w \mid t)`; each row sums to one.
    columns_ : ndarray of shape (n_signatures,)
        The column of each signature in what :meth:`transform` returns.
    background_ : ndarray of shape (n_words,)
        :math:`p(w)`.
    vectorizer_ : TextVectorizer
        What counts words.
    phrases_ : Phrases, Concepts, or several of them; or None
        What finds phrases and concepts.

    Notes
    -----
    Estimating takes time in proportion to the sum, over documents, of their different words times
    their different signatures; memory for the documents and the rows.

    Examples
    --------
    >>> texts = ["the shuttle left its orbit", "a shuttle in orbit", "the bus left", "a late bus"]
    >>> model = TranslationModel(stop_words="english").fit(texts)
    >>> print(model.explain("shuttle"))
    shuttle
      shuttle  0.444
      orbit    0.444
      left     0.111
    >>> model.words_
    array(['shuttle', 'left', 'orbit', 'bus', 'late'], dtype=object)
    >>> model.translate(["a shuttle"]).toarray().round(3)
    array([[0.444, 0.111, 0.444, 0.   , 0.   ]])
    >>> print(model.coverage(["a new shuttle", "late again"]))
    known of      different                 all
      words               3   66.7 %          3   66.7 %
      signatures          3   33.3 %          3   33.3 %
      documents           2   50.0 %
    """

    def __init__(
        self,
        signatures: Signatures = "words",
        *,
        beta: float = 0.5,
        solver: Solver = "exact",
        n_steps: int = 15,
        min_probability: float = 0.001,
        max_entries: int | None = 200,
        min_df: int = 2,
        counts: Counts = "occurrences",
        trim: bool = False,
        phrase_weight: float = 0.5,
        stop_words: str | Iterable[str] | None = None,
        vectorizer: TextVectorizer | None = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ) -> None:
        self.signatures = signatures
        self.beta = beta
        self.solver = solver
        self.n_steps = n_steps
        self.min_probability = min_probability
        self.max_entries = max_entries
        self.min_df = min_df
        self.counts = counts
        self.trim = trim
        self.phrase_weight = phrase_weight
        self.stop_words = stop_words
        self.vectorizer = vectorizer
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, texts: Any, y: Any = None) -> Self:
        """Learn from texts; labels are not looked at.

        Parameters
        ----------
        texts : list, column or iterable of str
            The documents.
        y : ignored
            Present by convention.
        """
        vectorizer = self._new_vectorizer()
        wanted = chosen(self.signatures)
        texts = texts if hasattr(texts, "__len__") else list(texts)
        X = vectorizer.fit_transform(texts)
        finder, held = found_in(texts, wanted.finders, vectorizer, self.verbose)
        names: Any = [] if finder is None else finder.get_feature_names_out()
        self._estimate(X, vectorizer.get_feature_names_out(), held, names, wanted.words)
        self.vectorizer_, self.phrases_ = vectorizer, finder
        return self

    def fit_counts(
        self, X: Any, names: Iterable[str], signatures: Any = None, signature_names: Any = ()
    ) -> Self:
        """Learn from counts.

        Words are signatures if the parameter ``signatures`` says so; counts of others, phrases
        say, can be given besides.

        Parameters
        ----------
        X : sparse matrix or array of shape (n_documents, n_words)
            Counts of words, not negative.
        names : iterable of str
            The words.
        signatures : sparse matrix or array of shape (n_documents, n_others), default=None
            Counts of phrases or concepts.
        signature_names : iterable of str
            Their names; that of a concept begins with "=".

        Examples
        --------
        >>> X = [[2, 1, 0, 0], [1, 0, 1, 0], [0, 1, 2, 1]]
        >>> model = TranslationModel().fit_counts(X, ["a", "b", "c", "d"])
        >>> model.explain("a")
        [('a', 0.8), ('b', 0.1555...), ('c', 0.0444...)]
        """
        counts = counts_of(X)
        words = checked_names(names, counts.shape[1], "words")
        held = None if signatures is None else counts_of(signatures)
        others = checked_names(signature_names, 0 if held is None else held.shape[1], "signatures")
        with_words = chosen(self.signatures).words
        if held is None and not with_words:
            raise CountError(f"signatures={self.signatures!r:.80}, but counts of words only.")
        vectorizer = self._new_vectorizer()
        self._estimate(counts, words, held, others, with_words)
        vectorizer.vocabulary_ = Vocabulary(words.tolist())
        self.vectorizer_, self.phrases_ = vectorizer, None
        return self

    def _new_vectorizer(self) -> TextVectorizer:
        if self.vectorizer is None:
            return TextVectorizer(stop_words=self.stop_words, n_jobs=self.n_jobs)
        if self.stop_words is not None:
            raise ValueError("stop_words is for the default vectorizer: give them to yours.")
        return clone(self.vectorizer)

    def _estimate(self, X: Any, words: Any, held: Any, others: Any, with_words: bool) -> None:
        between("phrase_weight", self.phrase_weight, 0, 1)
        documents, background = weighed(X, self.counts)
        rows = translation_rows(
            documents,
            background,
            signatures=_marks(documents, held, with_words),
            beta=self.beta,
            solver=self.solver,
            n_steps=self.n_steps,
            min_probability=self.min_probability,
            max_entries=self.max_entries,
            min_df=self.min_df,
            trim=self.trim,
            n_threads=thread_count(self.n_jobs),
            progress=self.verbose,
        )
        others = np.asarray(others, dtype=object)
        first = 0 if with_words else len(words)
        self._take(words, others, background, rows, np.arange(first, len(words) + len(others)))


def _marks(documents: Any, held: Any, with_words: bool) -> Any:
    """Return which documents hold which signature; None if words are all there are."""
    if held is None:
        return None
    return sparse.hstack([documents, held], "csr") if with_words else held
