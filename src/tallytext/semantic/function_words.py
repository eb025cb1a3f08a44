"""Words that any text may have, whatever it is about, found from the texts themselves."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tallytext.errors import CountError, SettingsError

_FEWEST_DOCUMENTS = 100
_MOST_DOCUMENTS = 10_000
_MOST_WORDS = 1000
_LEAST_SHARE = 0.005
_MOST_GROUPS = 16
_GROUP = 50  # documents in a group, where there are too few for that many groups


def function_words(
    X: Any, *, min_share: float = 0.02, dependence: float = 0.5
) -> NDArray[np.bool_]:
    r"""Tell words that any text may have from words that are about something.

    A word that is about something brings others with it; a function word keeps company with
    whatever there is. So the words that are in many documents are judged by how far the words
    beside them, in the same documents, are from chance. With :math:`O_{wv}` the documents that hold
    both w and v, :math:`E_{wv}` and :math:`\sigma^2_{wv}` what they would be, and how much they
    would vary, if the two were independent among documents of about the same length, and
    :math:`d_w` the documents that hold w, out of N,

    .. math::

        D_w = \frac{1}{d_w} \sum_{v \ne w}
              \left( \frac{(O_{wv} - E_{wv})^2}{\sigma^2_{wv}} - 1 \right), \qquad
        w \text{ is a function word if } D_w \le \left(c + 2 \frac{d_w}{N}\right)
              \operatorname{median}_v D_v.

    No language is assumed. What is found are words that tell nothing in these texts; "new" is often
    among them, and "patient" in texts of medicine may be.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_documents, n_words)
        Counts.
    min_share : float, default=0.02
        The least share of the documents that a function word is in.
    dependence : float, default=0.5
        :math:`c`: the higher, the more words are found.

    Returns
    -------
    ndarray of bool, of shape (n_words,)
        Which words are function words; none if there are fewer than 100 documents, which are too
        few to tell.

    Notes
    -----
    The 1,000 words that are in most documents, and in one of 200 at least, are looked at, in at
    most 10,000 documents, evenly chosen, so that it takes about a second however many there are.
    Documents are divided by length into up to 16 groups of equal size.

    Examples
    --------
    >>> from tallytext import TextVectorizer
    >>> things = "sea salt", "sky cloud", "war peace", "king queen", "cat dog", "sun moon"
    >>> texts = ["the {} and the {}".format(*pair.split()) for pair in things] * 20
    >>> vectorizer = TextVectorizer()
    >>> found = function_words(vectorizer.fit_transform(texts))
    >>> vectorizer.get_feature_names_out()[found].tolist()
    ['the', 'and']
    """
    for name, value in (("min_share", min_share), ("dependence", dependence)):
        if not isinstance(value, Real) or not value >= 0:
            raise SettingsError(f"{name} must be a number from 0 on, not {value!r:.80}.")
    counts = sp.csr_matrix(X)
    if counts.nnz and counts.data.min() < 0:
        raise CountError("function words are found by counts, but some of these are negative.")
    found = np.zeros(counts.shape[1], dtype=bool)
    if counts.shape[0] < _FEWEST_DOCUMENTS:
        return found
    sample = _evenly(counts, _MOST_DOCUMENTS)
    words, documents = _frequent(sample)
    if len(words):
        share = documents / sample.shape[0]
        excess = _dependence(sample, words, documents)
        limit = (float(dependence) + 2 * share) * np.median(excess)
        found[words] = (share >= min_share) & (excess <= limit)
    return found


def _evenly(counts: sp.csr_matrix, most: int) -> sp.csr_matrix:
    n = counts.shape[0]
    return counts if n <= most else counts[np.arange(most) * n // most]


def _frequent(counts: sp.csr_matrix) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return the words that are in many documents, and in how many."""
    documents = np.bincount(counts.indices[counts.data > 0], minlength=counts.shape[1])
    enough = np.flatnonzero(documents >= max(5, _LEAST_SHARE * counts.shape[0]))
    words = enough[np.argsort(-documents[enough], kind="stable")][:_MOST_WORDS]
    return words, documents[words]


def _dependence(
    counts: sp.csr_matrix, words: NDArray[np.intp], documents: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return how far the company of each word is from chance."""
    holds = (counts[:, words] > 0).astype(np.float64)
    groups = _groups_by_length(counts)
    in_group = (groups @ holds).toarray()
    share = in_group / np.asarray(groups.sum(axis=1))
    expected = in_group.T @ share
    variance = (in_group * (1 - share)).T @ (share * (1 - share))
    observed = (holds.T @ holds).toarray()
    # A word that is in all documents of every group depends on nothing.
    squares = np.divide(
        (observed - expected) ** 2, variance, out=np.ones_like(expected), where=variance > 1e-9
    )
    np.fill_diagonal(squares, 1.0)
    return (squares - 1).sum(axis=1) / documents


def _groups_by_length(counts: sp.csr_matrix) -> sp.csr_matrix:
    """Return which documents are in which group, groups by documents."""
    n = counts.shape[0]
    n_groups = min(_MOST_GROUPS, max(1, n // _GROUP))
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    rank = np.empty(n, dtype=np.int64)
    rank[np.argsort(lengths, kind="stable")] = np.arange(n)
    return sp.csr_matrix((np.ones(n), (rank * n_groups // n, np.arange(n))), (n_groups, n))
