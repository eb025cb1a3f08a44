"""TextVectorizer: the scikit-learn transformer from texts to term counts."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tallytext._estimators import BaseEstimator, TransformerMixin
from tallytext._validation import check_array
from tallytext.errors import VocabularyError
from tallytext.runtime import thread_count
from tallytext.text.analysis import (
    Accents,
    Analyzer,
    Hangul,
    TermAnalysis,
    TermCounts,
    TermFilter,
    Tokens,
    check_ngram_range,
)
from tallytext.text.sources import read_batches
from tallytext.text.vocabulary import Vocabulary, fixed_vocabulary


class TextVectorizer(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[misc, call-arg]
    r"""Turn texts into a sparse matrix of term counts, over a vocabulary that can grow.

    Texts can be a list of str, a NumPy, pandas, polars or Arrow column, or any iterable of str;
    an iterable is read in batches of bounded size. A document that is empty or missing (None)
    gives an empty row.

    Parameters
    ----------
    tokens : {"words", "sklearn", "chars"}, compiled pattern or callable, default="words"
        The definition of a token.

        - ``"words"``: letters with their combining marks, digits and underscores, in lower case.
          A word has ``min_length`` characters or more, accents not counted. Runs of Han, Kana,
          Thai, Lao, Khmer and Myanmar, which are written without spaces, become overlapping pairs
          of grapheme clusters; there, and in Hangul, a single character is a word.
        - ``"sklearn"``: exactly the tokens of scikit-learn's ``CountVectorizer()``.
        - ``"chars"``: character n-grams inside words padded with a space on each side.
        - a compiled regular expression, whose matches are the tokens, or a callable that takes a
          text and returns its tokens. Slower, as tokenization runs in Python.
    ngram_range : tuple of int, default=None
        Shortest and longest n-gram, of words or, for ``tokens="chars"``, of characters. None
        means (1, 1) for words and (2, 4) for characters.
    chars : tuple of int or None, default=None
        Shortest and longest character n-gram to count in addition to words and word n-grams, in
        the same matrix. They are the terms of ``tokens="chars"`` with a leading ``"#"``, which no
        word contains. ``(2, 4)`` is usual, and helps where words have many forms or are misspelt.
        Only with tokens of "words" and "sklearn".
    lowercase : bool, default=True
        True to lower-case the text first. A callable gets the text unchanged.
    hangul : {"words", "words+bigrams"}, default="words"
        ``"words+bigrams"`` adds the pairs of syllables of each Korean word.
    min_length : {1, 2}, default=2
        The shortest word, in characters, accents not counted. 1 keeps words such as "I" and "5";
        with ``tokens="sklearn"`` it gives the tokens of ``token_pattern=r"(?u)\b\w+\b"``. Only with
        tokens of "words" and "sklearn".
    stop_words : str, iterable of str or None, default=None
        Terms to drop, or a language that has a list (``"english"``, ``"de"``, …).
    language : str or None, default=None
        Language of the Snowball stemmer; None does not stem.
    strip_accents : {"ascii", "unicode"}, callable or None, default=None
        Stripping of accents from terms, as in scikit-learn.
    term_filter : callable or None, default=None
        Takes a term and returns the term to use instead, or None to drop it.
    min_df, max_df : int or float, default=1 and 1.0
        Drop terms that fewer, or more, documents contain; a float is a share of the documents.
    max_features : int or None, default=None
        Keep this many terms, the most frequent ones; ties are broken by code points.
    binary : bool, default=False
        True to set all counts to 1.
    vocabulary : Vocabulary, mapping, iterable of str or None, default=None
        The terms to count, in the order of the columns; ``fit`` adds no terms then.
    dtype : dtype, default=numpy.int64
        The type of the counts.
    encoding, decode_error : str, default="utf-8" and "strict"
        The decoding of documents that are bytes objects. Arrow columns of bytes are UTF-8.
    n_jobs : int or None, default=None
        Number of threads; None for all cores that this process may use. The result does not
        depend on it.

    Attributes
    ----------
    vocabulary_ : Vocabulary
        The terms; the id of a term is its column.

    Notes
    -----
    Stop words, stems, accents and filters are applied to each distinct term once, not to each
    token, so a slow analysis costs little.

    With ``chars``, the entries of a row and the columns of new terms come in this order: words,
    word n-grams, character n-grams of each document. Character n-grams include punctuation; only
    accents are stripped from them. Stop words, stems and filters apply to words only.

    ``min_df``, ``max_df`` and ``max_features`` are evaluated by ``fit`` (and by a ``partial_fit``
    that comes first). Terms first seen later are ignored until the next ``fit``. Without such
    limits, ``partial_fit`` appends new terms, and the columns of earlier terms never change.

    Lone surrogates, NUL and, in columns of bytes, invalid UTF-8 separate words; with
    ``tokens="chars"`` they are characters like others (three bytes that encode a lone surrogate
    are one character, every other invalid byte is U+FFFD). There is no limit on the length of a
    word. A document of more than 2 GiB is an error.

    Examples
    --------
    >>> vectorizer = TextVectorizer()
    >>> vectorizer.fit_transform(["To be, or not to be", "To do is to be"]).toarray()
    array([[2, 2, 1, 1, 0, 0],
           [2, 1, 0, 0, 1, 1]])
    >>> vectorizer.get_feature_names_out()
    array(['to', 'be', 'or', 'not', 'do', 'is'], dtype=object)
    >>> vectorizer.partial_fit(["Do be do be do"]).transform(["Do be do"]).toarray()
    array([[0, 1, 0, 0, 2, 0]])

    Character n-grams in addition to words:

    >>> TextVectorizer(min_length=1, chars=(2, 3)).fit(["Is 5!"]).get_feature_names_out()
    array(['is', '5', '# i', '#is', '#s ', '# is', '#is ', '# 5', '#5!',
           '#! ', '# 5!', '#5! '], dtype=object)
    """

    vocabulary_: Vocabulary

    def __init__(
        self,
        *,
        tokens: Tokens = "words",
        ngram_range: tuple[int, int] | None = None,
        chars: tuple[int, int] | None = None,
        lowercase: bool = True,
        hangul: Hangul = "words",
        min_length: int = 2,
        stop_words: str | Iterable[str] | None = None,
        language: str | None = None,
        strip_accents: Accents = None,
        term_filter: TermFilter = None,
        min_df: int | float = 1,
        max_df: int | float = 1.0,
        max_features: int | None = None,
        binary: bool = False,
        vocabulary: Vocabulary | Mapping[str, int] | Iterable[str] | None = None,
        dtype: DTypeLike = np.int64,
        encoding: str = "utf-8",
        decode_error: Literal["strict", "ignore", "replace"] = "strict",
        n_jobs: int | None = None,
    ) -> None:
        self.tokens = tokens
        self.ngram_range = ngram_range
        self.chars = chars
        self.lowercase = lowercase
        self.hangul = hangul
        self.min_length = min_length
        self.stop_words = stop_words
        self.language = language
        self.strip_accents = strip_accents
        self.term_filter = term_filter
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.binary = binary
        self.vocabulary = vocabulary
        self.dtype = dtype
        self.encoding = encoding
        self.decode_error = decode_error
        self.n_jobs = n_jobs

    def fit(self, raw_documents: Any, y: Any = None) -> TextVectorizer:
        """Learn the vocabulary of the documents, replacing any earlier one.

        Parameters
        ----------
        raw_documents : list, column or iterable of str
            The documents.
        y : ignored
            Present by convention.
        """
        if self.vocabulary is None and self.is_limited:
            self.fit_transform(raw_documents)  # the limits need all counts at once
            return self
        grow = self.vocabulary is None
        vocabulary = Vocabulary() if self.vocabulary is None else fixed_vocabulary(self.vocabulary)
        self._collect_terms(raw_documents, vocabulary, grow)
        self.vocabulary_ = vocabulary
        return self

    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """Learn the vocabulary and return the counts in one pass over the documents.

        Parameters
        ----------
        raw_documents : list, column or iterable of str
            The documents.

        Returns
        -------
        X : sparse matrix of shape (n_documents, n_terms)
            Counts. The entries of a row are in order of first appearance in its document; SciPy's
            ``X.sort_indices()`` sorts them by column.
        """
        if self.vocabulary is not None:
            self.vocabulary_ = fixed_vocabulary(self.vocabulary)
            return self.transform(raw_documents)
        vocabulary = Vocabulary()
        rows = TermCounts.stack(self._count_batches(raw_documents, vocabulary, grow=True))
        if self.is_limited:
            rows, vocabulary = self._apply_limits(rows, vocabulary)
        self.vocabulary_ = vocabulary
        return rows.to_matrix(len(vocabulary), self.dtype, self.binary)

    def partial_fit(self, raw_documents: Any, y: Any = None) -> TextVectorizer:
        """Add the new terms of the documents; the columns of known terms do not change.

        No terms are added to a vocabulary that was given as a parameter, frozen, or limited by
        ``min_df``, ``max_df`` or ``max_features``.

        Parameters
        ----------
        raw_documents : list, column or iterable of str
            The documents.
        y : ignored
            Present by convention.
        """
        if not hasattr(self, "vocabulary_"):
            return self.fit(raw_documents)
        self._collect_terms(raw_documents, self.vocabulary_, grow=self._is_open)
        return self

    def partial_fit_transform(self, raw_documents: Any) -> Any:
        """Add the new terms of the documents and return the counts, in one pass.

        Parameters
        ----------
        raw_documents : list, column or iterable of str
            The documents.

        Returns
        -------
        X : sparse matrix of shape (n_documents, n_terms)
            Counts, as by :meth:`fit_transform`.
        """
        if not hasattr(self, "vocabulary_"):
            return self.fit_transform(raw_documents)
        return self._count(raw_documents, grow=self._is_open)

    def transform(self, raw_documents: Any) -> Any:
        """Return the counts of the known terms; other terms are ignored.

        Parameters
        ----------
        raw_documents : list, column or iterable of str
            The documents.

        Returns
        -------
        X : sparse matrix of shape (n_documents, n_terms)
            Counts, as by :meth:`fit_transform`.
        """
        self._check_fitted()
        return self._count(raw_documents, grow=False)

    def inverse_transform(self, X: Any) -> list[NDArray[np.object_]]:
        """Return the terms with a count in each row.

        Parameters
        ----------
        X : sparse matrix, sparse array or array-like of shape (n_documents, n_terms)
            Counts.
        """
        self._check_fitted()
        rows = check_array(X, accept_sparse="csr")
        names = self.vocabulary_.terms()
        return [names[np.unique(rows[[i]].nonzero()[-1])] for i in range(rows.shape[0])]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the terms, in the order of the columns.

        Parameters
        ----------
        input_features : ignored
            Present by convention.
        """
        self._check_fitted()
        return self.vocabulary_.terms()

    def build_analyzer(self) -> Analyzer:
        """Return the analyzer with these parameters."""
        default = (2, 4) if self.tokens == "chars" else (1, 1)
        ngram_range = default if self.ngram_range is None else check_ngram_range(self.ngram_range)
        stop_words, language = self.stop_words, self.language
        if self.tokens == "chars" and (stop_words is not None or language is not None):
            warnings.warn("stop_words and language are not used with tokens='chars'.", stacklevel=2)
            stop_words = language = None
        return Analyzer(
            tokens=self.tokens,
            ngram_range=ngram_range,
            lowercase=self.lowercase,
            hangul=self.hangul,
            min_length=self.min_length,
            chars=None if self.chars is None else check_ngram_range(self.chars, "chars"),
            analysis=TermAnalysis.from_settings(
                stop_words=stop_words,
                language=language,
                strip_accents=self.strip_accents,
                term_filter=self.term_filter,
            ),
        )

    def _count_batches(
        self, raw_documents: Any, vocabulary: Vocabulary, grow: bool
    ) -> Iterator[TermCounts]:
        analyzer, n_threads = self.build_analyzer(), thread_count(self.n_jobs)
        sources = read_batches(
            raw_documents, encoding=self.encoding, decode_error=self.decode_error
        )
        for texts in sources:
            yield analyzer.count(texts, vocabulary, grow=grow, n_threads=n_threads)

    def _count(self, raw_documents: Any, grow: bool) -> Any:
        vocabulary = self.vocabulary_
        rows = TermCounts.stack(self._count_batches(raw_documents, vocabulary, grow))
        # Read after the last batch: the vocabulary grows while the batches are counted.
        return rows.to_matrix(len(vocabulary), self.dtype, self.binary)

    def _collect_terms(self, raw_documents: Any, vocabulary: Vocabulary, grow: bool) -> None:
        """Add the terms of documents to a vocabulary, without storing their counts."""
        # Counting adds the terms; each batch of counts is dropped before the next one is made.
        for _ in self._count_batches(raw_documents, vocabulary, grow):
            pass

    @property
    def _is_open(self) -> bool:
        return self.vocabulary is None and not self.vocabulary_.is_frozen and not self.is_limited

    @property
    def is_limited(self) -> bool:
        """True if ``min_df``, ``max_df`` or ``max_features`` can drop a term.

        Examples
        --------
        >>> TextVectorizer().is_limited, TextVectorizer(min_df=2).is_limited
        (False, True)
        >>> TextVectorizer(max_df=1).is_limited  # at most one document, not a share of 1.0
        True
        """
        all_frequent = self.min_df == 0 or (isinstance(self.min_df, Integral) and self.min_df == 1)
        none_too_frequent = not isinstance(self.max_df, Integral) and self.max_df == 1.0
        return not (all_frequent and none_too_frequent and self.max_features is None)

    def _apply_limits(
        self, rows: TermCounts, vocabulary: Vocabulary
    ) -> tuple[TermCounts, Vocabulary]:
        kept = select_by_frequency(rows, vocabulary, self.min_df, self.max_df, self.max_features)
        column_of = np.full(len(vocabulary), -1, dtype=np.int32)
        column_of[kept] = np.arange(len(kept), dtype=np.int32)
        # A new vocabulary, since ids are never reused and must be the columns of the matrix.
        return rows.select_columns(column_of), Vocabulary(vocabulary.terms(kept).tolist())

    def _check_fitted(self) -> None:
        if hasattr(self, "vocabulary_"):
            return
        if self.vocabulary is None:
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(
                "This TextVectorizer is not fitted yet: call fit or partial_fit first."
            )
        self.vocabulary_ = fixed_vocabulary(self.vocabulary)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "vocabulary_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = self.vocabulary is None
        return tags


def select_by_frequency(
    rows: TermCounts,
    vocabulary: Vocabulary,
    min_df: int | float,
    max_df: int | float,
    max_features: int | None,
) -> NDArray[np.intp]:
    """Return the ids of the terms to keep, ascending.

    A float is a share of the documents. If more than ``max_features`` terms remain, the most
    frequent ones are kept; ties are broken by code points.

    Raises
    ------
    VocabularyError
        If the limits contradict each other, or no term remains.
    """
    n_documents = len(rows.starts) - 1
    least = _document_limit(min_df, n_documents, "min_df")
    most = _document_limit(max_df, n_documents, "max_df")
    if most < least:
        raise VocabularyError(
            f"max_df={max_df} is {most:g} documents, fewer than the {least:g} of min_df={min_df}."
        )
    # A term comes once in a row, so that its entries are its documents.
    frequency = np.bincount(rows.terms, minlength=len(vocabulary))
    kept = np.flatnonzero((frequency >= least) & (frequency <= most))
    if max_features is not None and len(kept) > max_features:
        kept = _most_frequent(kept, rows, vocabulary, max_features)
    if not len(kept):
        raise VocabularyError("no terms remain: try a lower min_df or a higher max_df.")
    return kept


def _document_limit(limit: int | float, n_documents: int, name: str) -> float:
    if not isinstance(limit, Real) or isinstance(limit, bool):  # True would be one document
        raise VocabularyError(f"{name} must be a number, not {limit!r}.")
    if limit < 0 or (not isinstance(limit, Integral) and limit > 1):
        raise VocabularyError(
            f"{name} must be a number of documents, or a share from 0.0 to 1.0, not {limit!r}."
        )
    return float(limit) if isinstance(limit, Integral) else limit * n_documents


def _most_frequent(
    kept: NDArray[np.intp], rows: TermCounts, vocabulary: Vocabulary, n: int
) -> NDArray[np.intp]:
    if n < 1:
        raise VocabularyError(f"max_features must be at least 1, not {n}.")
    occurrences = np.bincount(rows.terms, weights=rows.counts, minlength=len(vocabulary))
    rank = np.empty(len(vocabulary), dtype=np.intp)
    rank[vocabulary.sorted_ids()] = np.arange(len(vocabulary))
    order = np.lexsort((rank[kept], -occurrences[kept]))
    return np.sort(kept[order[:n]])  # columns stay in order of first appearance
