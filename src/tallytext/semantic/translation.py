"""Translation models: the words that go with a word, phrase or concept, for semantic smoothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tallytext._estimators import BaseEstimator, TransformerMixin, check_is_fitted, clone
from tallytext._validation import check_array, check_between
from tallytext.errors import CountError, UnknownNameError, VocabularyError, did_you_mean
from tallytext.runtime import thread_count
from tallytext.semantic import serialization as stored
from tallytext.semantic.estimation import Counts, Solver, to_shares, translation_rows, weight_counts
from tallytext.semantic.signatures import (
    WORD,
    Finder,
    Signatures,
    SignatureVectorizer,
    check_names,
    fit_finders,
    parse_signatures,
    signature_kinds,
)
from tallytext.text.vectorizer import TextVectorizer
from tallytext.text.vocabulary import Vocabulary

_NO_FINDER = "this model was fitted on counts of phrases, so it cannot find phrases in texts."


class TranslatedWords(list[tuple[str, float]]):
    """List of words with their probabilities given a signature, printed as a table.

    Parameters
    ----------
    signature : str
        The word, phrase or concept.
    words : iterable of (str, float)
        Words and probabilities, the most probable first.

    Examples
    --------
    >>> found = TranslatedWords("space", [("shuttle", 0.25), ("orbit", 0.125)])
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


@dataclass(frozen=True)
class CoverageCounts:
    """Numbers of words or signatures, and how many of them a translation model knows.

    Attributes
    ----------
    n_different, n_known : int
        Distinct ones, and the known ones among them.
    n_all, n_all_known : int
        Occurrences, and occurrences of known ones.
    """

    n_different: int
    n_known: int
    n_all: int
    n_all_known: int


@dataclass(frozen=True)
class Coverage:
    """Coverage of texts, or of a list of names, by a translation model.

    Attributes
    ----------
    words : CoverageCounts
        Words, and the words of the model's vocabulary among them.
    signatures : CoverageCounts
        Signatures of the model's kinds, and the ones with a row among them.
    n_documents, n_documents_known : int
        Documents, and documents with at least one signature that has a row.

    Examples
    --------
    >>> print(Coverage(CoverageCounts(200, 150, 1000, 900), CoverageCounts(20, 5, 80, 60), 10, 9))
    known of      different                 all
      words             200   75.0 %      1,000   90.0 %
      signatures         20   25.0 %         80   75.0 %
      documents          10   90.0 %
    """

    words: CoverageCounts
    signatures: CoverageCounts
    n_documents: int
    n_documents_known: int

    def __str__(self) -> str:
        lines = [_coverage_line("words", self.words), _coverage_line("signatures", self.signatures)]
        if self.n_documents:
            share = _format_share(self.n_documents_known, self.n_documents)
            lines.append(["  documents", f"{self.n_documents:,}", share, "", ""])
        return "\n".join(map(_format_line, [["known of", "different", "", "all", ""], *lines]))


def _coverage_line(name: str, known: CoverageCounts) -> list[str]:
    different = [f"{known.n_different:,}", _format_share(known.n_known, known.n_different)]
    return [
        f"  {name}",
        *different,
        f"{known.n_all:,}",
        _format_share(known.n_all_known, known.n_all),
    ]


def _format_share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}".replace("%", " %") if whole else "-"


def _format_line(line: list[str]) -> str:
    name, *others = line
    widths = (9, 7, 9, 7)
    return "".join([f"{name:<12}", *map("  {:>{}}".format, others, widths)]).rstrip()


class TranslationModel(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[misc, call-arg]
    r"""Word probabilities given a word, phrase or concept, learned from unlabelled texts.

    A *signature* t is a word, a phrase such as "space program", or a concept. The word counts
    :math:`c_t(w)` of all texts that contain t are modelled as a mixture of the background
    :math:`p(w)`, which every text shares, and of the translation :math:`p(w \mid t)`:

    .. math:: \max_{p(\cdot \mid t)} \sum_w c_t(w) \log[(1 - \beta)\, p(w \mid t) + \beta\, p(w)]

    A class or a document with the signatures :math:`p(t \mid c)` then has the word distribution
    :math:`\sum_t p(w \mid t)\, p(t \mid c)`, which also covers words that do not occur in it
    (Zhou, Zhang and Hu, 2008).

    Parameters
    ----------
    signatures : str, Phrases, Concepts or list of such, default="words"
        ``"words"``, ``"phrases"`` or ``"words+phrases"``; or a transformer that counts phrases or
        concepts, which is cloned and fitted, unless it is in a ``sklearn.frozen.FrozenEstimator``.
    beta : float, default=0.5
        The share of the background, from 0 to 0.999999.
    solver : {"exact", "em"}, default="exact"
        The closed-form maximum, or ``n_steps`` of expectation maximisation.
    n_steps : int, default=15
        The number of steps of expectation maximisation.
    min_probability : float, default=0.0001
        Smaller probabilities are removed from a row.
    max_entries : int or None, default=1000
        The maximal number of words in a row; the most probable ones stay. Fewer make the model
        smaller and drop more of the mass: a row of a frequent word has tens of thousands.
    min_df : int, default=2
        A signature that occurs in fewer documents has no row.
    counts : {"occurrences", "documents", "log"}, default="occurrences"
        The weight of a word in a document: its number of occurrences x; one; or
        :math:`\ln(1 + x)`, divided by the sum of these over the document.
    trim : bool, default=False
        True to remove words with a count below the mean before a row is solved.
    phrase_weight : float, default=0.5
        The weight of phrases and concepts in a text that has both these and words.
    stop_words : str, iterable of str or None, default=None
        Words to leave out, as for :class:`~tallytext.TextVectorizer`.
    vectorizer : TextVectorizer or None, default=None
        Splits texts into words; it is cloned. None: a ``TextVectorizer`` with these ``stop_words``.
    n_jobs : int or None, default=None
        Threads; None means all cores this process may use. The result does not depend on it.
    verbose : bool or None, default=None
        True to show a progress bar; None: on a terminal, if the work takes long.

    Attributes
    ----------
    words_ : ndarray of str of shape (n_words,)
        The words of the vocabulary.
    signatures_ : ndarray of str of shape (n_signatures,)
        The signatures that have a row: words, then phrases and concepts.
    kinds_ : ndarray of int8 of shape (n_signatures,)
        0 for a word, 1 for a phrase, 2 for a concept.
    rows_ : csr_array of shape (n_signatures, n_words)
        :math:`p(w \mid t)`; each row sums to one.
    columns_ : ndarray of shape (n_signatures,)
        The column of each signature in the result of :meth:`transform`.
    background_ : ndarray of shape (n_words,)
        :math:`p(w)`.
    vectorizer_ : TextVectorizer
        The vectorizer that counts words.
    phrases_ : Phrases, Concepts, several of them, or None
        The transformer that counts phrases and concepts.

    Notes
    -----
    The time of an estimate is proportional to the sum, over documents, of distinct words times
    distinct signatures. It needs memory for the documents and the rows.

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

    words_: NDArray[np.object_]
    signatures_: NDArray[np.object_]
    kinds_: NDArray[np.int8]
    rows_: sparse.csr_array[np.float64]
    columns_: NDArray[np.int64]
    background_: NDArray[np.float64]
    vectorizer_: TextVectorizer
    phrases_: Finder | None

    #: The names of all phrases and concepts, with a row or without.
    _phrase_names: NDArray[np.object_]

    def __init__(
        self,
        signatures: Signatures = "words",
        *,
        beta: float = 0.5,
        solver: Solver = "exact",
        n_steps: int = 15,
        min_probability: float = 0.0001,
        max_entries: int | None = 1000,
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
        """Estimate the model from texts. Labels are ignored.

        Parameters
        ----------
        texts : list, column or iterable of str
            The documents.
        y : ignored
            Present by convention.
        """
        vectorizer = self._new_vectorizer()
        wanted = parse_signatures(self.signatures)
        # Texts are read twice, by the vectorizer and by the finders, and an iterator only once.
        texts = texts if hasattr(texts, "__len__") else list(texts)
        X = vectorizer.fit_transform(texts)
        finder, held = fit_finders(texts, wanted.finders, vectorizer, self.verbose)
        names: Any = [] if finder is None else finder.get_feature_names_out()
        self._estimate(X, vectorizer.get_feature_names_out(), held, names, wanted.words)
        self.vectorizer_, self.phrases_ = vectorizer, finder
        return self

    def fit_counts(
        self, X: Any, names: Iterable[str], signatures: Any = None, signature_names: Any = ()
    ) -> Self:
        """Estimate the model from counts.

        Words are signatures if the parameter ``signatures`` includes them. Counts of other
        signatures, such as phrases, can be given in addition.

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
        counts = check_counts(X)
        words = check_names(names, counts.shape[1], "words")
        held = None if signatures is None else check_counts(signatures)
        others = check_names(signature_names, 0 if held is None else held.shape[1], "signatures")
        with_words = parse_signatures(self.signatures).words
        if held is None and not with_words:
            raise CountError(
                f"signatures={self.signatures!r:.80}, but there are counts of words only: pass "
                "counts of phrases or concepts as signatures."
            )
        vectorizer = self._new_vectorizer()
        self._estimate(counts, words, held, others, with_words)
        vectorizer.vocabulary_ = Vocabulary(words.tolist())
        self.vectorizer_, self.phrases_ = vectorizer, None
        return self

    def _new_vectorizer(self) -> TextVectorizer:
        if self.vectorizer is None:
            return TextVectorizer(stop_words=self.stop_words, n_jobs=self.n_jobs)
        if self.stop_words is not None:
            raise ValueError(
                "stop_words applies to the default vectorizer only: set stop_words of the "
                "vectorizer instead."
            )
        return clone(self.vectorizer)

    def _estimate(self, X: Any, words: Any, held: Any, others: Any, with_words: bool) -> None:
        check_between("phrase_weight", self.phrase_weight, 0, 1)
        documents, background = weight_counts(X, self.counts)
        rows = translation_rows(
            documents,
            background,
            signatures=_document_signatures(documents, held, with_words),
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
        self._set_fitted(
            words, others, background, rows, np.arange(first, len(words) + len(others))
        )

    def new_vectorizer(self, vectorizer: TextVectorizer | None = None) -> TextVectorizer:
        """Return an unfitted vectorizer that counts words and the signatures of this model.

        Phrases and concepts are separate terms, with the names of
        :meth:`get_feature_names_out`.

        Parameters
        ----------
        vectorizer : TextVectorizer, default=None
            Splits texts into words; None for that of this model, without limits of its vocabulary.

        Raises
        ------
        CountError
            If the model was fitted on counts of phrases, so that it cannot find them in texts.

        Examples
        --------
        >>> model = TranslationModel(stop_words=["the"]).fit(["the sea", "the salt sea"])
        >>> model.new_vectorizer().fit(["the sea"]).get_feature_names_out()
        array(['sea'], dtype=object)
        """
        check_is_fitted(self)
        if self.phrases_ is None and len(self._phrase_names):
            raise CountError(_NO_FINDER)
        if vectorizer is None:
            vectorizer = clone(self.vectorizer_).set_params(min_df=1, max_df=1.0, max_features=None)
        if self.phrases_ is None:
            return clone(vectorizer)
        return SignatureVectorizer.from_vectorizer(vectorizer, self.phrases_)

    def _set_fitted(
        self, words: Any, phrase_names: Any, background: Any, rows: Any, columns: Any
    ) -> None:
        """Set the fitted attributes except ``vectorizer_`` and ``phrases_``, without empty rows.

        ``columns`` holds the column of the signature of each row.
        """
        has_row = np.diff(rows.indptr) > 0
        names = np.concatenate([words, phrase_names])
        kinds = np.concatenate([np.zeros(len(words), np.int8), signature_kinds(phrase_names)])
        self.words_, self.background_ = words, background
        self._phrase_names = phrase_names
        self.columns_ = np.asarray(columns)[has_row]
        self.signatures_, self.kinds_ = names[self.columns_], kinds[self.columns_]
        self.rows_ = rows if has_row.all() else rows[has_row]

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
        if self.phrases_ is None and len(self._phrase_names):
            raise CountError(_NO_FINDER)
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
        return np.concatenate([self.words_, self._phrase_names])

    def translate(self, counts: Any) -> sparse.csr_array[np.float64]:
        r"""Return the word distribution that follows from the signatures of classes or documents.

        .. math:: p_t(w \mid c) = \sum_t p(w \mid t)\, p(t \mid c)

        Signatures without a row are ignored; :math:`p(t \mid c)` of the others sums to one.

        Parameters
        ----------
        counts : sparse matrix or array of shape (n, n_columns), or texts
            Counts of each class or document c; columns as in :meth:`get_feature_names_out`.

        Returns
        -------
        csr_array of shape (n, n_words)
            Each row sums to one; it is empty if no signature of it has a row.
        """
        check_is_fitted(self)
        is_matrix = sparse.issparse(counts) or np.ndim(counts) == 2
        X = check_counts(counts if is_matrix else self.transform(counts))
        if X.shape[1] != len(self.words_) + len(self._phrase_names):
            raise CountError(
                f"counts of {X.shape[1]} columns, but this model has {len(self.words_)} words and "
                f"{len(self._phrase_names)} phrases and concepts."
            )
        held = X[:, self.columns_]
        shares = signature_distribution(held, self.kinds_, self.phrase_weight)
        return normalise_rows(shares @ self.rows_)

    def explain(self, signature: str, n: int | None = 10) -> TranslatedWords:
        """Return the most probable words given a signature.

        Parameters
        ----------
        signature : str
            A word; a phrase as it is written; or a concept, with ``=`` before its name.
        n : int or None, default=10
            The number of words; None for all.

        Raises
        ------
        UnknownNameError
            If the signature has no row.
        """
        check_is_fitted(self)
        # One by one, since NumPy compares strings without the zeros at their ends.
        found = np.flatnonzero([each == signature for each in self.signatures_])
        if not len(found):
            raise UnknownNameError(self._missing_row_message(signature))
        # A word and a phrase can be spelt alike; the phrase comes last and takes precedence.
        row = self.rows_[[found[-1]]]
        order = np.lexsort((row.indices, -row.data))[:n]
        words = self.words_[row.indices[order]].tolist()
        return TranslatedWords(signature, zip(words, row.data[order].tolist(), strict=True))

    def _missing_row_message(self, signature: str) -> str:
        if signature in self._phrase_names or signature in self.words_:
            return (
                f"the signature {signature!r} has no row: it occurs in fewer than min_df="
                f"{self.min_df} documents, or gives no word at least min_probability."
            )
        near = did_you_mean(signature, self.signatures_)
        return f"there is no signature {signature!r} in this model.{near}"

    def coverage(self, texts: Any = None, *, names: Iterable[str] | None = None) -> Coverage:
        """Return the numbers of words, signatures and documents that are known to this model.

        Parameters
        ----------
        texts : list, column or iterable of str
            Documents; their words and signatures are looked up in the model.
        names : iterable of str
            Signatures to look up instead of texts, such as the phrases of another corpus.
        """
        check_is_fitted(self)
        if (texts is None) == (names is None):
            raise ValueError("pass either texts or names, not both and not neither.")
        return self._text_coverage(texts) if names is None else self._name_coverage(names)

    def _name_coverage(self, names: Iterable[str]) -> Coverage:
        if isinstance(names, str):
            raise VocabularyError("names must be a list of str, not a single str.")
        listed = list(names)
        return Coverage(
            _count_names(listed, self.words_), _count_names(listed, self.signatures_), 0, 0
        )

    def _text_coverage(self, texts: Any) -> Coverage:
        texts = texts if hasattr(texts, "__len__") else list(texts)
        words, is_known, has_row = self._count_all_words(texts)
        held, with_row = [], []
        if (self.kinds_ == WORD).any():
            held.append(words)
            with_row.append(has_row)
        if self.phrases_ is not None:
            held.append(sparse.csr_array(self.phrases_.transform(texts)))
            columns = np.arange(len(self._phrase_names)) + len(self.words_)
            with_row.append(np.isin(columns, self.columns_))
        signatures = sparse.csr_array(sparse.hstack(held, "csr")) if held else words[:, :0]
        usable = np.concatenate([np.zeros(0, bool), *with_row])
        n_covered = int(((signatures @ usable.astype(np.int64)) > 0).sum())
        return Coverage(
            _count_columns(words, is_known),
            _count_columns(signatures, usable),
            words.shape[0],
            n_covered,
        )

    def _count_all_words(
        self, texts: Any
    ) -> tuple[sparse.csr_array[Any], NDArray[np.bool_], NDArray[np.bool_]]:
        """Count all words of texts; return masks of the known words and those with a row, too."""
        # A vectorizer without this vocabulary also counts the words that the model lacks.
        reader = clone(self.vectorizer_).set_params(
            vocabulary=None, min_df=1, max_df=1.0, max_features=None
        )
        words = sparse.csr_array(reader.fit_transform(texts))
        word_ids = self.vectorizer_.vocabulary_.ids(reader.get_feature_names_out().tolist())
        return words, word_ids >= 0, np.isin(word_ids, self.columns_)

    def restricted_to(self, vocabulary: Any) -> Self:
        """Return a model restricted to the words of another vocabulary, for use with its texts.

        Rows keep the words of the vocabulary and are normalised again. A row that becomes empty
        is removed, and so is the row of a word that is not in the vocabulary.

        Parameters
        ----------
        vocabulary : TextVectorizer, Vocabulary or iterable of str
            The words, in the order of the columns. A fitted vectorizer replaces the vectorizer of
            this model; otherwise the new model keeps that one.

        Examples
        --------
        >>> from tallytext.semantic import TranslationModel
        >>> model = TranslationModel().fit(["sea salt", "salt sea", "blue sky", "sky blue"])
        >>> model.restricted_to(["blue", "salt", "wave"]).explain("salt")
        [('salt', 1.0)]
        """
        check_is_fitted(self)
        vectorizer = self._vectorizer_for(vocabulary)
        words = vectorizer.vocabulary_.terms()
        new_ids = vectorizer.vocabulary_.ids(self.words_.tolist())
        background = np.zeros(len(words))
        background[new_ids[new_ids >= 0]] = self.background_[new_ids >= 0]
        columns = self._renumber_columns(new_ids, len(words))
        # Ascending columns, without the first ones: -1, words that the vocabulary lacks.
        order = np.argsort(columns, kind="stable")[(columns < 0).sum() :]
        rows = _renumber_words(self.rows_[order], new_ids, len(words))
        model = clone(self)
        model._set_fitted(words, self._phrase_names, to_shares(background), rows, columns[order])
        model.vectorizer_, model.phrases_ = vectorizer, self.phrases_
        return model

    def _vectorizer_for(self, vocabulary: Any) -> TextVectorizer:
        if isinstance(vocabulary, TextVectorizer):
            vocabulary._check_fitted()
            return copy(vocabulary)
        if not isinstance(vocabulary, Vocabulary):
            names = list(vocabulary)
            vocabulary = Vocabulary(check_names(names, len(names), "words").tolist())
        vectorizer = clone(self.vectorizer_)
        vectorizer.vocabulary_ = vocabulary
        return vectorizer

    def _renumber_columns(self, new_ids: NDArray[np.int32], n_words: int) -> NDArray[Any]:
        """Return the new column of each signature, -1 for words that the vocabulary lacks."""
        is_word = self.kinds_ == WORD
        columns = self.columns_ - len(self.words_) + n_words
        columns[is_word] = new_ids[self.columns_[is_word]]
        return columns

    def save(self, path: str | Path) -> None:
        """Write the model to a file, atomically.

        Parameters
        ----------
        path : str or Path
            The file. An existing file is replaced.

        Raises
        ------
        FileError
            If a setting cannot be stored in a file, for example a function.
        """
        check_is_fitted(self)
        stored.save(self, path)

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Return the model as arrays and JSON values, to store it within another file.

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
        """Return the model stored by :meth:`to_arrays`, with every value validated.

        Parameters
        ----------
        arrays : mapping of str to ndarray
            The arrays.
        values : mapping
            The JSON values.

        Raises
        ------
        FileError
            If an array or a value is missing or invalid.
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


def check_counts(X: Any) -> sparse.csr_array[Any]:
    """Return a matrix of finite numbers that are not negative."""
    checked = check_array(X, accept_sparse="csr", ensure_min_samples=0, ensure_min_features=0)
    counts = sparse.csr_array(checked)
    if counts.nnz and counts.data.min() < 0:
        raise CountError("Negative values in counts: a count cannot be negative.")
    return counts


def signature_distribution(
    counts: Any, kinds: NDArray[np.int8], phrase_weight: float
) -> sparse.csr_array[np.float64]:
    r"""Return :math:`p(t \mid c)` for each row c of counts of signatures.

    Words and phrases are normalised separately. In a row with both, phrases and concepts have the
    weight ``phrase_weight`` and words the complement; a row without signatures stays empty.

    Examples
    --------
    >>> kinds = np.array([0, 0, 1], np.int8)
    >>> signature_distribution(np.array([[3, 1, 5], [1, 0, 0], [0, 0, 0]]), kinds, 0.5).toarray()
    array([[0.375, 0.125, 0.5  ],
           [1.   , 0.   , 0.   ],
           [0.   , 0.   , 0.   ]])
    """
    held = sparse.csr_array(counts).astype(np.float64, copy=True)
    is_word = kinds == 0
    words, phrases = held @ is_word.astype(np.float64), held @ (~is_word).astype(np.float64)
    weight = np.where(words > 0, np.where(phrases > 0, phrase_weight, 0.0), 1.0)
    of_words, of_phrases = _safe_divide(1 - weight, words), _safe_divide(weight, phrases)
    row = np.repeat(np.arange(held.shape[0]), np.diff(held.indptr))
    held.data *= np.where(is_word[held.indices], of_words[row], of_phrases[row])
    held.eliminate_zeros()
    return held


def _safe_divide(weight: NDArray[np.float64], total: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(weight, total, out=np.zeros_like(total), where=total > 0)


def normalise_rows(rows: Any) -> sparse.csr_array[np.float64]:
    """Return rows divided by their sums; empty rows stay empty.

    Examples
    --------
    >>> normalise_rows(sparse.csr_array([[1.0, 3.0], [0.0, 0.0]])).toarray()
    array([[0.25, 0.75],
           [0.  , 0.  ]])
    """
    made = sparse.csr_array(rows, dtype=np.float64, copy=True)
    sums = np.asarray(made.sum(axis=1)).ravel()
    made.data /= np.repeat(sums, np.diff(made.indptr))
    return made


def _renumber_words(
    rows: Any, new_ids: NDArray[np.int32], n_words: int
) -> sparse.csr_array[np.float64]:
    """Return rows with the new ids of their words, without words that have none (-1)."""
    kept = new_ids[rows.indices] >= 0
    starts = np.append(0, np.cumsum(kept))[rows.indptr]
    arrays = rows.data[kept], new_ids[rows.indices[kept]], starts
    made = sparse.csr_array(arrays, shape=(rows.shape[0], n_words))
    # Words have another order in the new vocabulary, and rows of a file must ascend.
    made.sort_indices()
    return normalise_rows(made)


def _count_names(names: list[str], known: NDArray[np.object_]) -> CoverageCounts:
    distinct, known_names = set(names), set(known.tolist())
    n_all_known = sum(name in known_names for name in names)
    return CoverageCounts(len(distinct), len(distinct & known_names), len(names), n_all_known)


def _count_columns(counts: sparse.csr_array[Any], known: NDArray[np.bool_]) -> CoverageCounts:
    sums = np.asarray(counts.sum(axis=0)).ravel()
    occurs = sums > 0
    n_distinct, n_all_known = int(occurs.sum()), int(sums[known].sum())
    return CoverageCounts(n_distinct, int((occurs & known).sum()), int(sums.sum()), n_all_known)


def _document_signatures(documents: Any, held: Any, with_words: bool) -> Any:
    """Return the signatures of each document; None if the words are the only signatures."""
    if held is None:
        return None
    return sparse.hstack([documents, held], "csr") if with_words else held
