"""Phrases: neighbouring words that occur together more often than by chance.

:class:`Phrases` finds and counts them; :func:`function_words` finds the words that no phrase holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import inf, isfinite
from numbers import Real
from sys import float_info
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tallytext._validation import check_sparse, check_whole
from tallytext.errors import CountError, FileError, InputError, SettingsError, did_you_mean
from tallytext.runtime import progress_bar, thread_count
from tallytext.semantic.matching import (
    PAIR_METHODS,
    Matcher,
    PairSearch,
    PhraseCounter,
    RawTokenStreams,
    ScoredPhrases,
    StreamTokenizer,
    TokenStreams,
    check_settings,
    check_strings,
    find_by_pairs,
    settings_to_plain,
)
from tallytext.semantic.xtract import XtractSearch
from tallytext.text.analysis import Accents

MAX_DOCUMENTS = 10_000
"""The maximal number of documents in which :func:`function_words` counts."""

_MIN_DOCUMENTS = 100
_MAX_WORDS = 1000
_MIN_DOCUMENT_SHARE = 0.005
_MAX_GROUPS = 16
_MIN_GROUP_SIZE = 50  # documents; with fewer than 800 documents there are fewer groups


def function_words(
    X: Any, *, min_share: float = 0.02, dependence: float = 0.5
) -> NDArray[np.bool_]:
    r"""Find function words, which occur independently of the topic of a text.

    A content word changes the probabilities of other words in its document; a function word does
    not. So frequent words are scored by their dependence on the other words of the same documents.
    Let :math:`O_{wv}` be the number of documents that contain both w and v, :math:`E_{wv}` and
    :math:`\sigma^2_{wv}` its mean and variance if the two words were independent among documents
    of similar length, and :math:`d_w` the number of documents, out of N, that contain w. Then

    .. math::

        D_w = \frac{1}{d_w} \sum_{v \ne w}
              \left( \frac{(O_{wv} - E_{wv})^2}{\sigma^2_{wv}} - 1 \right), \qquad
        w \text{ is a function word if } D_w \le \left(c + 2 \frac{d_w}{N}\right)
              \operatorname{median}_v D_v.

    The method does not depend on the language. It finds words that are uninformative in these
    texts: often "new", and perhaps "patient" in medical texts.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_documents, n_words)
        Counts.
    min_share : float, default=0.02
        The minimal share of documents that contain a function word.
    dependence : float, default=0.5
        :math:`c`: the higher, the more words are found.

    Returns
    -------
    ndarray of bool, of shape (n_words,)
        True for function words. All False if there are fewer than 100 documents, which are too
        few to decide, or if no words depend on each other.

    Notes
    -----
    Only the 1,000 words with the highest document frequency, of at least 0.5 %, are considered,
    in at most 10,000 evenly spaced documents, so it takes about a second for any number of texts.
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
            raise SettingsError(f"{name} must be a number, at least 0, not {value!r:.80}.")
    counts = sp.csr_matrix(check_sparse(X))
    if counts.nnz and counts.data.min() < 0:
        raise CountError("function words are found from counts, but some of these are negative.")
    found = np.zeros(counts.shape[1], dtype=bool)
    if counts.shape[0] < _MIN_DOCUMENTS:
        return found
    sample = _sample_rows(counts, MAX_DOCUMENTS)
    words, documents = _frequent_words(sample)
    share = documents / sample.shape[0]
    excess = _dependence(sample, words, documents)
    usual = float(np.median(excess)) if len(words) else 0.0
    # If the median word depends on no other, there is nothing to compare function words with.
    if usual > 0:
        limit = (float(dependence) + 2 * share) * usual
        found[words] = (share >= min_share) & (excess <= limit)
    return found


def _sample_rows(counts: sp.csr_matrix, most: int) -> sp.csr_matrix:
    n = counts.shape[0]
    return counts if n <= most else counts[np.arange(most) * n // most]


def _frequent_words(counts: sp.csr_matrix) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return the words with the highest document frequencies, and these frequencies."""
    documents = np.bincount(counts.indices[counts.data > 0], minlength=counts.shape[1])
    enough = np.flatnonzero(documents >= max(5, _MIN_DOCUMENT_SHARE * counts.shape[0]))
    words = enough[np.argsort(-documents[enough], kind="stable")][:_MAX_WORDS]
    return words, documents[words]


def _dependence(
    counts: sp.csr_matrix, words: NDArray[np.intp], documents: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the dependence :math:`D_w` of each word on the other words."""
    holds = (counts[:, words] > 0).astype(np.float64)
    groups = _groups_by_length(counts)
    in_group = (groups @ holds).toarray()
    share = in_group / np.asarray(groups.sum(axis=1))
    expected = in_group.T @ share
    variance = (in_group * (1 - share)).T @ (share * (1 - share))
    observed = (holds.T @ holds).toarray()
    # A word in all documents of every group has no variance and depends on no other word.
    squares = np.divide(
        (observed - expected) ** 2, variance, out=np.ones_like(expected), where=variance > 1e-9
    )
    # The sum is over v ≠ w, and a square of 1 adds nothing to it.
    np.fill_diagonal(squares, 1.0)
    return (squares - 1).sum(axis=1) / documents


def _groups_by_length(counts: sp.csr_matrix) -> sp.csr_matrix:
    """Return the indicator matrix of groups by documents."""
    n = counts.shape[0]
    n_groups = min(_MAX_GROUPS, max(1, n // _MIN_GROUP_SIZE))
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    rank = np.empty(n, dtype=np.int64)
    # By rank, so that groups have equal sizes whatever the distribution of lengths.
    rank[np.argsort(lengths, kind="stable")] = np.arange(n)
    return sp.csr_matrix((np.ones(n), (rank * n_groups // n, np.arange(n))), (n_groups, n))


_METHOD_NAMES = (*PAIR_METHODS, "xtract")
_XTRACT_STRENGTH = 1.0


def phrase_search(settings: Any, n_threads: int) -> Callable[[TokenStreams], ScoredPhrases]:
    """Return the search function for the parameters of a ``Phrases``.

    Raises
    ------
    SettingsError
        If a parameter is invalid.
    """
    _check_settings(settings)
    if settings.method == "xtract":
        return _xtract_search(settings, n_threads).find
    method = PAIR_METHODS[settings.method]
    threshold = method.threshold if settings.threshold is None else float(settings.threshold)
    search = PairSearch(method, threshold, int(settings.min_count), n_threads)
    return lambda streams: find_by_pairs(streams, search, int(settings.max_words))


def _xtract_search(settings: Any, n_threads: int) -> XtractSearch:
    return XtractSearch(
        strength=_XTRACT_STRENGTH if settings.threshold is None else float(settings.threshold),
        peak=float(settings.peak),
        spread=float(settings.spread),
        share=float(settings.share),
        window=int(settings.window),
        min_count=int(settings.min_count),
        max_words=int(settings.max_words),
        n_threads=n_threads,
        verbose=settings.verbose,
    )


def _check_settings(settings: Any) -> None:
    method = settings.method
    if not isinstance(method, str) or method not in _METHOD_NAMES:
        raise SettingsError(
            f"method must be one of {', '.join(map(repr, _METHOD_NAMES))}, not {method!r:.80}."
            + did_you_mean(method, _METHOD_NAMES)
        )
    if settings.threshold is not None:
        _check_number("threshold", settings.threshold)
    check_whole("min_count", settings.min_count, 1, 2**31 - 1, SettingsError)
    check_whole("max_words", settings.max_words, 2, 4, SettingsError)
    check_whole("window", settings.window, 1, 1000, SettingsError)
    _check_number("peak", settings.peak)
    _check_number("spread", settings.spread, 0)
    _check_number("share", settings.share, 0, 1)


def is_number(value: Any) -> bool:
    """Return True for a finite number that fits into a float.

    Examples
    --------
    >>> is_number(1), is_number(float("nan")), is_number(10**400), is_number(True)
    (True, False, False, False)
    """
    real = isinstance(value, Real) and not isinstance(value, bool)
    return real and -float_info.max <= value <= float_info.max


def _check_number(name: str, value: Any, least: float = -inf, most: float = inf) -> None:
    if not is_number(value) or not least <= value <= most:
        limits = f" from {least} to {most}" if isfinite(most) else f", at least {least}"
        limits = limits if isfinite(least) else ""
        raise SettingsError(f"{name} must be a number{limits}, not {value!r:.80}.")


_FILE_KEYS = {"settings", "phrases", "scores", "counts", "stop_words"}
_StoredPhrases = tuple[dict[str, Any], dict[str, float], dict[str, int], NDArray[np.object_]]


def phrases_to_values(model: Any) -> dict[str, Any]:
    """Return a fitted ``Phrases`` as JSON values."""
    return {
        "settings": settings_to_plain(model),
        "phrases": list(model.phrases_),
        "scores": [float(score) for score in model.phrases_.values()],
        "counts": [int(count) for count in model.counts_.values()],
        "stop_words": [str(word) for word in model.stop_words_],
    }


def phrases_from_values(values: Any, cls: type) -> _StoredPhrases:
    """Return settings, phrases with scores, counts and stop words, validated.

    Files come from anywhere, so every value is checked before it is used.
    """
    if not isinstance(values, Mapping) or set(values) != _FILE_KEYS:
        raise FileError("these are no phrases: the names of the stored values are wrong.")
    settings = check_settings(values["settings"], cls, lambda model: phrase_search(model, 1))
    phrases = check_strings(values, "phrases")
    _check_phrases(phrases, settings["max_words"])
    scores = _numbers(values, "scores", float, len(phrases))
    counts = _numbers(values, "counts", int, len(phrases))
    stop_words = np.array([None, *check_strings(values, "stop_words")], dtype=object)[1:]
    return (
        settings,
        dict(zip(phrases, scores, strict=True)),
        dict(zip(phrases, counts, strict=True)),
        stop_words,
    )


def _check_phrases(phrases: list[str], max_words: int) -> None:
    if len(set(phrases)) != len(phrases):
        raise FileError("a phrase is stored twice.")
    for phrase in phrases:
        words = phrase.split(" ")
        if not 2 <= len(words) <= max_words or not all(words):
            raise FileError(f"{phrase!r:.80} is not a phrase of two to {max_words} words.")


def _numbers(values: Mapping[str, Any], name: str, kind: type, n: int) -> list[Any]:
    found = values[name]
    whole = kind is int
    good = isinstance(found, list) and all(
        is_number(item) and (not whole or (isinstance(item, int) and item >= 0)) for item in found
    )
    if not good or len(found) != n:
        raise FileError(f"{name!r} must be {n:,} numbers, one for each phrase.")
    return [kind(item) for item in found]


Method = Literal["npmi", "likelihood", "gensim", "xtract"]


class Phrases(PhraseCounter, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    r"""Find phrases of two to four words in texts, and count them in other texts.

    The words of a phrase are neighbours: there is nothing between them but spaces, at most one line
    feed (mails are wrapped), apostrophes, or one hyphen without spaces. All other punctuation,
    blank lines, stop words and words that are too short separate words, so no phrase crosses the
    end of a sentence or contains a stop word.

    Parameters
    ----------
    method : {"npmi", "likelihood", "gensim", "xtract"}, default="npmi"
        The score of neighbouring words, with :math:`n_{ab}`, :math:`n_a`, :math:`n_b` and :math:`N`
        the counts of the pair, of its words and of all words, without stop words.

        - ``"npmi"``: :math:`\log \frac{n_{ab} N}{n_a n_b} / \log \frac{N}{n_{ab}}`, from -1 to 1.
        - ``"likelihood"``: Dunning's log-likelihood ratio, of pairs that are more frequent than
          by chance.
        - ``"gensim"``: :math:`(n_{ab} - n_{\min}) |V| / (n_a n_b)`, where :math:`n_{\min}` is
          ``min_count``, and :math:`|V|` counts distinct words and distinct pairs, as in gensim.
        - ``"xtract"``: Smadja's Xtract, from the relative positions of words.
    threshold : float or None, default=None
        The minimal score of a phrase. None: 0.3 for npmi, 10.83 for likelihood, 10 for gensim
        (which must be exceeded), 1 for xtract (the strength, :math:`k_0`).
    min_count : int, default=5
        The minimal number of occurrences of a phrase.
    max_words : {2, 3, 4}, default=4
        The maximal number of words in a phrase. A second pass, in which neighbours can be pairs
        of the first pass, finds phrases of three and four words.
    stop_words : "auto", str, iterable of str or None, default="auto"
        Words that no phrase contains. ``"auto"``: the words that :func:`function_words` finds in
        the texts, in any language; otherwise as in :class:`tallytext.TextVectorizer`.
    tokens : {"words", "sklearn"}, default="words"
        The tokenizer, as in :class:`tallytext.TextVectorizer`.
    lowercase, min_length, language, strip_accents, encoding, decode_error
        As in :class:`tallytext.TextVectorizer`. Korean words are not split.
    window : int, default=5
        For xtract: the maximal distance between a word and its collocates.
    peak, spread : float, default=1.0 and 10.0
        For xtract: the height of a peak, :math:`k_1`, and the minimal spread, :math:`U_0`.
    share : float, default=0.75
        For xtract: the minimum share T of a pair's occurrences with the same adjacent word, for the
        word to join the phrase.
    n_jobs : int or None, default=None
        Threads; None means all cores this process may use. The result does not depend on it.
    verbose : bool or None, default=None
        True to show a progress bar; None: on a terminal, if the work takes long.

    Attributes
    ----------
    phrases_ : dict of str to float
        The phrases, words joined by one space, with their scores, in the order of the columns:
        the highest score first, ties by the code points of the phrases.
    counts_ : dict of str to int
        The number of matches of each phrase in the training texts. A phrase that only occurs
        within longer phrases is removed.
    stop_words_ : ndarray of str
        The words that ``stop_words="auto"`` found, sorted; empty for any other setting.

    See Also
    --------
    Concepts : Counts phrases from a list, by their meaning.

    Examples
    --------
    >>> texts = ["The space shuttle is in orbit.", "A space shuttle; the red planet"] * 5
    >>> phrases = Phrases(stop_words="english").fit(texts)
    >>> phrases.phrases_
    {'red planet': 1.0, 'space shuttle': 1.0}
    >>> phrases.transform(["Two space shuttles", "Space-shuttle", "space. Shuttle"]).toarray()
    array([[0, 0],
           [0, 1],
           [0, 0]])
    """

    phrases_: dict[str, float]
    counts_: dict[str, int]
    stop_words_: NDArray[np.object_]

    def __init__(
        self,
        method: Method = "npmi",
        *,
        threshold: float | None = None,
        min_count: int = 5,
        max_words: int = 4,
        stop_words: str | Iterable[str] | None = "auto",
        tokens: str = "words",
        lowercase: bool = True,
        min_length: int = 2,
        language: str | None = None,
        strip_accents: Accents = None,
        window: int = 5,
        peak: float = 1.0,
        spread: float = 10.0,
        share: float = 0.75,
        encoding: str = "utf-8",
        decode_error: Literal["strict", "ignore", "replace"] = "strict",
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ) -> None:
        self.method = method
        self.threshold = threshold
        self.min_count = min_count
        self.max_words = max_words
        self.stop_words = stop_words
        self.tokens = tokens
        self.lowercase = lowercase
        self.min_length = min_length
        self.language = language
        self.strip_accents = strip_accents
        self.window = window
        self.peak = peak
        self.spread = spread
        self.share = share
        self.encoding = encoding
        self.decode_error = decode_error
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, raw_documents: Any, y: Any = None) -> Phrases:
        """Find the phrases of some texts.

        Parameters
        ----------
        raw_documents : list, column or iterable of str
            The documents; an iterable is read once.
        y : ignored
            Present by convention.

        Raises
        ------
        InputError
            If there are no documents.
        SettingsError
            If a setting is invalid.
        """
        self._fit(raw_documents)
        return self

    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """Find the phrases of some texts and return their counts, reading the texts once.

        Parameters
        ----------
        raw_documents : list, column or iterable of str
            The documents.
        """
        return self._count_streams(self._fit(raw_documents))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the phrases, in the order of the columns."""
        self._fitted_matcher()
        return np.array(list(self.phrases_), dtype=object)

    def to_values(self) -> dict[str, Any]:
        """Return the settings and the phrases as JSON values, for files.

        Raises
        ------
        SettingsError
            If ``strip_accents`` is a function, which cannot be stored.
        """
        self._fitted_matcher()
        return phrases_to_values(self)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Phrases:
        """Return the phrases stored by :meth:`to_values`, with every value validated.

        Parameters
        ----------
        values : mapping
            The stored values.

        Raises
        ------
        FileError
            If a value is missing or invalid.

        Examples
        --------
        >>> texts = ["the red planet", "a red planet"] * 5
        >>> phrases = Phrases(stop_words="english").fit(texts)
        >>> Phrases.from_values(phrases.to_values()).phrases_
        {'red planet': 1.0}
        """
        settings, phrases, counts, stop_words = phrases_from_values(values, cls)
        model = cls(**settings)
        model._set_fitted(phrases, counts, stop_words)
        return model

    def _fit(self, raw_documents: Any) -> RawTokenStreams:
        n_threads, tokenizer = thread_count(self.n_jobs), self._tokenizer()
        find = phrase_search(self, n_threads)
        with progress_bar("finding phrases", 4, self.verbose) as step:
            raw = tokenizer.tokenize(tokenizer.batches(raw_documents), n_threads)
            if len(raw.starts) == 1:
                raise InputError("cannot find phrases: there are no texts.")
            step()
            streams, stop_words = self._without_function_words(tokenizer.number_words(raw))
            step()
            found = find(streams)
            step()
            self._set_matched(_spell_phrases(found, streams), stop_words, raw)
            step()
        return raw

    def _without_function_words(
        self, streams: TokenStreams
    ) -> tuple[TokenStreams, NDArray[np.object_]]:
        if not self._finds_stop_words:
            return streams, np.empty(0, dtype=object)
        # Counts of all documents would take more memory than the texts, and only a sample is used.
        unwanted = function_words(streams.sample(MAX_DOCUMENTS).counts())
        return streams.mask_words(unwanted), np.sort(streams.names[unwanted])

    def _set_matched(
        self, phrases: dict[str, float], stop_words: NDArray[np.object_], raw: RawTokenStreams
    ) -> None:
        """Set the phrases that the matcher finds in these texts, with their counts."""
        self._set_fitted(phrases, dict.fromkeys(phrases, 0), stop_words)
        counts = np.asarray(self._count_streams(raw).sum(axis=0)).ravel().tolist()
        # A phrase may have no match of its own, if longer phrases always cover it.
        found = {phrase: n for phrase, n in zip(phrases, counts, strict=True) if n}
        self._set_fitted({phrase: phrases[phrase] for phrase in found}, found, stop_words)

    def _set_fitted(
        self, phrases: dict[str, float], counts: dict[str, int], stop_words: NDArray[np.object_]
    ) -> None:
        self.phrases_, self.counts_, self.stop_words_ = phrases, counts, stop_words
        words = [phrase.split(" ") for phrase in phrases]
        self._matcher = Matcher(words, np.arange(len(words), dtype=np.int32))

    @property
    def _finds_stop_words(self) -> bool:
        return isinstance(self.stop_words, str) and self.stop_words == "auto"

    def _tokenizer(self) -> StreamTokenizer:
        return StreamTokenizer(
            tokens=self.tokens,
            lowercase=self.lowercase,
            min_length=self.min_length,
            stop_words=None if self._finds_stop_words else self.stop_words,
            language=self.language,
            strip_accents=self.strip_accents,
            encoding=self.encoding,
            decode_error=self.decode_error,
        )

    def _fitted_matcher(self) -> Matcher:
        if not hasattr(self, "phrases_"):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError("This Phrases is not fitted yet: call fit first.")
        return self._matcher

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "phrases_")


def _spell_phrases(found: ScoredPhrases, streams: TokenStreams) -> dict[str, float]:
    """Return the phrases as strings, the highest score first, ties by code points."""
    spelled = [(" ".join(streams.names[list(words)]), score) for words, score in found.items()]
    return dict(sorted(spelled, key=lambda item: (-item[1], item[0])))
