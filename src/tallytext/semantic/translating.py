"""What a translation model does once it is estimated: count, translate, explain, be reused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from tallytext.errors import CountError, UnknownNameError, did_you_mean
from tallytext.semantic import stored
from tallytext.semantic.brought_words import BroughtWords
from tallytext.semantic.coverage import Coverage
from tallytext.semantic.mixing import rows_to_one, signature_shares
from tallytext.semantic.reuse import coverage_of_names, coverage_of_texts, restricted
from tallytext.semantic.signatures import Finder, Signatures, kinds_of
from tallytext.vectorizer import TextVectorizer


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
