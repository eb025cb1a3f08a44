"""What words a signature brings with it, estimated from texts or counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from tallytext.errors import CountError, UnknownNameError, VocabularyError, did_you_mean
from tallytext.runtime import thread_count
from tallytext.semantic import serialization as stored
from tallytext.semantic.estimation import Counts, Solver, between, shares, translation_rows, weighed
from tallytext.semantic.signatures import (
    WORD,
    Finder,
    Signatures,
    checked_names,
    chosen,
    found_in,
    kinds_of,
)
from tallytext.text.vectorizer import TextVectorizer
from tallytext.text.vocabulary import Vocabulary

# ------------------------------------------------------------------------------------------------
# The words that a signature brings with it, to read.


class BroughtWords(list[tuple[str, float]]):
    """Words and their probabilities, the most probable first: a list that is shown as a table.

    Parameters
    ----------
    signature : str
        Whose words they are.
    words : iterable of (str, float)

    Examples
    --------
    >>> found = BroughtWords("space", [("shuttle", 0.25), ("orbit", 0.125)])
    >>> found
    [('shuttle', 0.25), ('orbit', 0.125)]
    >>> print(found)
    space
      shuttle  0.250
      orbit    0.125
    """

    def __init__(self, signature: str, words: Iterable[tuple[str, float]]) -> None:
        super().__init__(words)
        self.signature = signature

    def __str__(self) -> str:
        width = max((len(word) for word, _ in self), default=0)
        lines = [f"  {word:<{width}}  {probability:.3f}" for word, probability in self]
        return "\n".join([self.signature, *lines])


# ------------------------------------------------------------------------------------------------
# How much of other texts a translation model knows.


@dataclass(frozen=True)
class Known:
    """How many of some things are known, different ones and all of them.

    Attributes
    ----------
    n_different, n_known : int
        Different ones, and those of them that are known.
    n_all, n_all_known : int
        With each as often as it occurs.
    """

    n_different: int
    n_known: int
    n_all: int
    n_all_known: int


@dataclass(frozen=True)
class Coverage:
    """How much of some texts, or of some names, a translation model knows.

    Attributes
    ----------
    words : Known
        Words that rows can bring: those of the model's vocabulary.
    signatures : Known
        Signatures of the model's kinds, and those of them that have a row.
    n_documents, n_documents_known : int
        Documents, and those with a signature that has a row.

    Examples
    --------
    >>> print(Coverage(Known(200, 150, 1000, 900), Known(20, 5, 80, 60), 10, 9))
    known of      different                 all
      words             200   75.0 %      1,000   90.0 %
      signatures         20   25.0 %         80   75.0 %
      documents          10   90.0 %
    """

    words: Known
    signatures: Known
    n_documents: int
    n_documents_known: int

    def __str__(self) -> str:
        lines = [_line("words", self.words), _line("signatures", self.signatures)]
        if self.n_documents:
            share = _share(self.n_documents_known, self.n_documents)
            lines.append(["  documents", f"{self.n_documents:,}", share, "", ""])
        return "\n".join(map(_laid_out, [["known of", "different", "", "all", ""], *lines]))


def _line(name: str, known: Known) -> list[str]:
    different = [f"{known.n_different:,}", _share(known.n_known, known.n_different)]
    return [f"  {name}", *different, f"{known.n_all:,}", _share(known.n_all_known, known.n_all)]


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}".replace("%", " %") if whole else "-"


def _laid_out(line: list[str]) -> str:
    name, *others = line
    widths = (9, 7, 9, 7)
    return "".join([f"{name:<12}", *map("  {:>{}}".format, others, widths)]).rstrip()


# ------------------------------------------------------------------------------------------------
# Signatures of classes or documents put together to one distribution over words.


def signature_shares(
    counts: Any, kinds: NDArray[np.int8], phrase_weight: float
) -> sparse.csr_array[np.float64]:
    r"""Return :math:`p(t \mid c)` for each row c of counts of signatures.

    Words and phrases are each divided by their own sum. Where a row has both, phrases and concepts
    weigh ``phrase_weight`` and words the rest; a row without any signature stays empty.

    Examples
    --------
    >>> kinds = np.array([0, 0, 1], np.int8)
    >>> signature_shares(np.array([[3, 1, 5], [1, 0, 0], [0, 0, 0]]), kinds, 0.5).toarray()
    array([[0.375, 0.125, 0.5  ],
           [1.   , 0.   , 0.   ],
           [0.   , 0.   , 0.   ]])
    """
    held = sparse.csr_array(counts).astype(np.float64, copy=True)
    is_word = kinds == 0
    words, phrases = held @ is_word.astype(np.float64), held @ (~is_word).astype(np.float64)
    weight = np.where(words > 0, np.where(phrases > 0, phrase_weight, 0.0), 1.0)
    of_words, of_phrases = _divided(1 - weight, words), _divided(weight, phrases)
    row = np.repeat(np.arange(held.shape[0]), np.diff(held.indptr))
    held.data *= np.where(is_word[held.indices], of_words[row], of_phrases[row])
    held.eliminate_zeros()
    return held


def _divided(weight: NDArray[np.float64], total: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(weight, total, out=np.zeros_like(total), where=total > 0)


def rows_to_one(rows: Any) -> sparse.csr_array[np.float64]:
    """Return rows divided by their sums; empty ones stay so.

    Examples
    --------
    >>> rows_to_one(sparse.csr_array([[1.0, 3.0], [0.0, 0.0]])).toarray()
    array([[0.25, 0.75],
           [0.  , 0.  ]])
    """
    made = sparse.csr_array(rows, dtype=np.float64, copy=True)
    sums = np.asarray(made.sum(axis=1)).ravel()
    made.data /= np.repeat(sums, np.diff(made.indptr))
    return made


# ------------------------------------------------------------------------------------------------
# A translation model used with other texts: its words mapped by name, and how many are known.

Model = TypeVar("Model", bound="Translating")


def restricted(model: Model, vocabulary: Any) -> Model:
    """Return a model of the words of another vocabulary; see ``TranslationModel.restricted_to``."""
    vectorizer = _vectorizer(model, vocabulary)
    words = vectorizer.vocabulary_.terms()
    place = vectorizer.vocabulary_.ids(model.words_.tolist())
    background = np.zeros(len(words))
    background[place[place >= 0]] = model.background_[place >= 0]
    columns = _columns(model, place, len(words))
    order = np.argsort(columns, kind="stable")[(columns < 0).sum() :]
    rows = _mapped(model.rows_[order], place, len(words))
    made = clone(model)
    made._take(words, model._others, shares(background), rows, columns[order])
    made.vectorizer_, made.phrases_ = vectorizer, model.phrases_
    return made


def _vectorizer(model: Translating, vocabulary: Any) -> TextVectorizer:
    if isinstance(vocabulary, TextVectorizer):
        vocabulary._check_fitted()
        return copy(vocabulary)
    if not isinstance(vocabulary, Vocabulary):
        names = list(vocabulary)
        vocabulary = Vocabulary(checked_names(names, len(names), "words").tolist())
    vectorizer = clone(model.vectorizer_)
    vectorizer.vocabulary_ = vocabulary
    return vectorizer


def _columns(model: Translating, place: NDArray[np.int32], n_words: int) -> NDArray[Any]:
    """Return the new column of each signature, -1 for words that are not there any more."""
    is_word = model.kinds_ == WORD
    columns = model.columns_ - len(model.words_) + n_words
    columns[is_word] = place[model.columns_[is_word]]
    return columns


def _mapped(rows: Any, place: NDArray[np.int32], n_words: int) -> sparse.csr_array[np.float64]:
    """Return rows with words at other places; words without a place are left out."""
    kept = place[rows.indices] >= 0
    starts = np.append(0, np.cumsum(kept))[rows.indptr]
    arrays = rows.data[kept], place[rows.indices[kept]], starts
    made = sparse.csr_array(arrays, shape=(rows.shape[0], n_words))
    made.sort_indices()
    return rows_to_one(made)


def coverage_of_names(model: Translating, names: Iterable[str]) -> Coverage:
    """Return how many of some names are words, and signatures with a row."""
    if isinstance(names, str):
        raise VocabularyError("names must be several str, not one.")
    listed = list(names)
    return Coverage(_known(listed, model.words_), _known(listed, model.signatures_), 0, 0)


def _known(names: list[str], known: NDArray[np.object_]) -> Known:
    different, those = set(names), set(known.tolist())
    found = [name in those for name in names]
    return Known(len(different), len(different & those), len(names), sum(found))


def coverage_of_texts(model: Translating, texts: Any) -> Coverage:
    """Return how much of some texts is known."""
    texts = texts if hasattr(texts, "__len__") else list(texts)
    words, is_known, has_row = _words_of(model, texts)
    held, with_row = [], []
    if (model.kinds_ == WORD).any():
        held.append(words)
        with_row.append(has_row)
    if model.phrases_ is not None:
        held.append(sparse.csr_array(model.phrases_.transform(texts)))
        with_row.append(np.isin(np.arange(len(model._others)) + len(model.words_), model.columns_))
    signatures = sparse.csr_array(sparse.hstack(held, "csr")) if held else words[:, :0]
    usable = np.concatenate([np.zeros(0, bool), *with_row])
    n_covered = int(((signatures @ usable.astype(np.int64)) > 0).sum())
    counted = _counted(words, is_known), _counted(signatures, usable)
    return Coverage(*counted, words.shape[0], n_covered)


def _words_of(
    model: Translating, texts: Any
) -> tuple[sparse.csr_array[Any], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return counts of all words of texts, which of them are known, and which have a row."""
    reader = clone(model.vectorizer_).set_params(
        vocabulary=None, min_df=1, max_df=1.0, max_features=None
    )
    words = sparse.csr_array(reader.fit_transform(texts))
    place = model.vectorizer_.vocabulary_.ids(reader.get_feature_names_out().tolist())
    return words, place >= 0, np.isin(place, model.columns_)


def _counted(counts: sparse.csr_array[Any], known: NDArray[np.bool_]) -> Known:
    sums = np.asarray(counts.sum(axis=0)).ravel()
    there = sums > 0
    different, all_known = int(there.sum()), int(sums[known].sum())
    return Known(different, int((there & known).sum()), int(sums.sum()), all_known)


# ------------------------------------------------------------------------------------------------
# What a translation model does once it is estimated: count, translate, explain, be reused.


class Translating(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[misc, call-arg]
    """Rows of signatures, and what can be done with them.

    ``_take`` makes it fitted, together with ``vectorizer_`` and ``phrases_``.
    """

    words_: NDArray[np.object_]
    signatures_: NDArray[np.object_]
    kinds_: NDArray[np.int8]
    rows_: sparse.csr_array[np.float64]
    columns_: NDArray[np.int64]
    background_: NDArray[np.float64]
    vectorizer_: TextVectorizer
    phrases_: Finder | None

    #: The names of all phrases and concepts, with a row or without.
    _others: NDArray[np.object_]

    signatures: Signatures
    min_df: int
    phrase_weight: float
    stop_words: str | Iterable[str] | None
    vectorizer: TextVectorizer | None

    def _take(self, words: Any, others: Any, background: Any, rows: Any, columns: Any) -> None:
        """Keep the rows that are not empty; ``columns`` are those of their signatures."""
        there = np.diff(rows.indptr) > 0
        names = np.concatenate([words, others])
        kinds = np.concatenate([np.zeros(len(words), np.int8), kinds_of(others)])
        self.words_, self.background_ = words, background
        self._others = others
        self.columns_ = np.asarray(columns)[there]
        self.signatures_, self.kinds_ = names[self.columns_], kinds[self.columns_]
        self.rows_ = rows if there.all() else rows[there]

    def transform(self, texts: Any) -> sparse.csr_array[Any]:
        """Count words, phrases and concepts.

        Parameters
        ----------
        texts : list, column or iterable of str
            The texts.

        Returns
        -------
        csr_array of shape (n_documents, n_columns)
            Columns are those of :meth:`get_feature_names_out`.
        """
        check_is_fitted(self)
        if self.phrases_ is None and len(self._others):
            raise CountError(
                "this model was given its phrases as counts, so that it cannot find them in texts."
            )
        texts = texts if hasattr(texts, "__len__") else list(texts)
        words = self.vectorizer_.transform(texts)
        if self.phrases_ is None:
            return sparse.csr_array(words)
        return sparse.csr_array(sparse.hstack([words, self.phrases_.transform(texts)], "csr"))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the words, then the names of all phrases and concepts, with a row or without.

        Parameters
        ----------
        input_features : ignored
            Present by convention.
        """
        check_is_fitted(self)
        return np.concatenate([self.words_, self._others])

    def translate(self, counts: Any) -> sparse.csr_array[np.float64]:
        r"""Return the words that signatures bring.

        .. math:: p_t(w \mid c) = \sum_t p(w \mid t)\, p(t \mid c)

        Signatures without a row are left out before :math:`p(t \mid c)` is made to sum to one.

        Parameters
        ----------
        counts : sparse matrix or array of shape (n, n_columns), or texts
            What each class or document c has of the columns of :meth:`get_feature_names_out`.

        Returns
        -------
        csr_array of shape (n, n_words)
            Each row sums to one; it is empty where no signature has a row.
        """
        check_is_fitted(self)
        is_matrix = sparse.issparse(counts) or np.ndim(counts) == 2
        X = counts_of(counts if is_matrix else self.transform(counts))
        if X.shape[1] != len(self.words_) + len(self._others):
            raise CountError(
                f"counts of {X.shape[1]} columns, but this model has {len(self.words_)} words and "
                f"{len(self._others)} phrases and concepts."
            )
        held = X[:, self.columns_]
        shares = signature_shares(held, self.kinds_, self.phrase_weight)
        return rows_to_one(shares @ self.rows_)

    def explain(self, signature: str, n: int | None = 10) -> BroughtWords:
        """Return the words that a signature brings, the most probable first.

        Parameters
        ----------
        signature : str
            A word; a phrase as it is written; or a concept, with ``=`` before its name.
        n : int or None, default=10
            How many words; None for all.

        Raises
        ------
        UnknownNameError
            If the signature has no row.
        """
        check_is_fitted(self)
        found = np.flatnonzero(self.signatures_ == signature)
        if not len(found):
            raise UnknownNameError(self._unknown(signature))
        row = self.rows_[[found[-1]]]  # of a word and a phrase that are spelt alike, the phrase
        order = np.lexsort((row.indices, -row.data))[:n]
        words = self.words_[row.indices[order]].tolist()
        return BroughtWords(signature, zip(words, row.data[order].tolist(), strict=True))

    def _unknown(self, signature: str) -> str:
        if signature in self._others or signature in self.words_:
            return (
                f"the signature {signature!r} has no row: it is in fewer than min_df="
                f"{self.min_df} documents, or brings no word of at least min_probability."
            )
        near = did_you_mean(signature, self.signatures_)
        return f"there is no signature {signature!r} in this model.{near}"

    def coverage(self, texts: Any = None, *, names: Iterable[str] | None = None) -> Coverage:
        """Return how much of other texts this model knows.

        Parameters
        ----------
        texts : list, column or iterable of str
            Documents, whose words and signatures are looked for.
        names : iterable of str
            Instead of texts: signatures, such as the phrases of another corpus.
        """
        check_is_fitted(self)
        if (texts is None) == (names is None):
            raise ValueError("give either texts or names.")
        if names is not None:
            return coverage_of_names(self, names)
        return coverage_of_texts(self, texts)

    def restricted_to(self, vocabulary: Any) -> Self:
        """Return a model of the words of another vocabulary, to be used with other texts.

        Rows keep the words that the vocabulary has, and are made to sum to one again. A row of
        none, and that of a word that the vocabulary lacks, is left out.

        Parameters
        ----------
        vocabulary : TextVectorizer, Vocabulary or iterable of str
            The words, in the order of the columns. A fitted vectorizer also counts words from now
            on; otherwise this model's does.

        Examples
        --------
        >>> from tallytext.semantic import TranslationModel
        >>> model = TranslationModel().fit(["sea salt", "salt sea", "blue sky", "sky blue"])
        >>> model.restricted_to(["blue", "salt", "wave"]).explain("salt")
        [('salt', 1.0)]
        """
        check_is_fitted(self)
        return restricted(self, vocabulary)

    def save(self, path: str | Path) -> None:
        """Write the model to a file, whole or not at all.

        Parameters
        ----------
        path : str or Path
            The file, which is replaced if it is there.

        Raises
        ------
        FileError
            If a setting is a function, or something else that a file cannot hold.
        """
        check_is_fitted(self)
        stored.save(self, path)

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the model as arrays and as values that JSON can hold, for other files.

        Examples
        --------
        >>> from tallytext.semantic import TranslationModel
        >>> model = TranslationModel().fit(["sea salt", "salt sea"])
        >>> TranslationModel.from_arrays(*model.to_arrays()).explain("sea")
        [('sea', 0.5), ('salt', 0.5)]
        """
        check_is_fitted(self)
        return stored.to_arrays(self)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], values: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_arrays` returned, and check all of it.

        Parameters
        ----------
        arrays : mapping of str to ndarray
            The arrays of it.
        values : mapping
            The plain values that came with them.

        Raises
        ------
        FileError
            If it returned nothing of the kind.
        """
        model = cls()
        stored.read_arrays(model, arrays, values)
        return model

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a file that :meth:`save` wrote.

        Parameters
        ----------
        path : str or Path
            The file.

        Raises
        ------
        FileError
            If the file is missing, damaged, of a newer format, or holds something else.
        """
        model = cls()
        stored.load(model, path)
        return model

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "vectorizer_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def counts_of(X: Any) -> sparse.csr_array[Any]:
    """Return a matrix of finite numbers that are not negative."""
    checked = check_array(X, accept_sparse="csr", ensure_min_samples=0, ensure_min_features=0)
    counts = sparse.csr_array(checked)
    if counts.nnz and counts.data.min() < 0:
        raise CountError("Negative values in counts: a count cannot be negative.")
    return counts


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
