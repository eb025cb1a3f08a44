"""Phrases: words that stand side by side more often than chance would have it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import inf, isfinite
from numbers import Integral, Real
from sys import float_info
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from tallytext.errors import CountError, FileError, InputError, SettingsError, did_you_mean
from tallytext.runtime import progress_bar, thread_count
from tallytext.semantic.matching import (
    METHODS,
    Cutter,
    Found,
    Matcher,
    PairSearch,
    PhraseCounter,
    RawStreams,
    WordStreams,
    checked_settings,
    find_by_pairs,
    plain_settings,
    strings_in,
)
from tallytext.semantic.xtract import XtractSearch
from tallytext.text.analysis import Accents

# ------------------------------------------------------------------------------------------------
# Words that any text may have, whatever it is about, found from the texts themselves.

MOST_DOCUMENTS = 10_000
"""How many documents are looked at."""

_FEWEST_DOCUMENTS = 100
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
        few to tell, or if no words depend on each other.

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
    sample = _evenly(counts, MOST_DOCUMENTS)
    words, documents = _frequent(sample)
    share = documents / sample.shape[0]
    excess = _dependence(sample, words, documents)
    usual = float(np.median(excess)) if len(words) else 0.0
    if usual > 0:
        limit = (float(dependence) + 2 * share) * usual
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


# ------------------------------------------------------------------------------------------------
# The settings of Phrases, checked, as a search for phrases.

_NAMES = (*METHODS, "xtract")
_STRENGTH = 1.0


def checked_search(settings: Any, n_threads: int) -> Callable[[WordStreams], Found]:
    """Return how phrases are found, as the parameters of a ``Phrases`` say.

    Raises
    ------
    SettingsError
        If one of them is none of what it may be.
    """
    _check(settings)
    if settings.method == "xtract":
        return _xtract(settings, n_threads).find
    method = METHODS[settings.method]
    threshold = method.threshold if settings.threshold is None else float(settings.threshold)
    search = PairSearch(method, threshold, int(settings.min_count), n_threads)
    return lambda streams: find_by_pairs(streams, search, int(settings.max_words))


def _xtract(settings: Any, n_threads: int) -> XtractSearch:
    return XtractSearch(
        strength=_STRENGTH if settings.threshold is None else float(settings.threshold),
        peak=float(settings.peak),
        spread=float(settings.spread),
        share=float(settings.share),
        window=int(settings.window),
        min_count=int(settings.min_count),
        max_words=int(settings.max_words),
        n_threads=n_threads,
        verbose=settings.verbose,
    )


def _check(settings: Any) -> None:
    method = settings.method
    if not isinstance(method, str) or method not in _NAMES:
        raise SettingsError(
            f"method must be one of {', '.join(map(repr, _NAMES))}, not {method!r:.80}."
            + did_you_mean(method, _NAMES)
        )
    if settings.threshold is not None:
        _check_number("threshold", settings.threshold)
    _check_whole("min_count", settings.min_count, 1, 2**31 - 1)
    _check_whole("max_words", settings.max_words, 2, 4)
    _check_whole("window", settings.window, 1, 1000)
    _check_number("peak", settings.peak)
    _check_number("spread", settings.spread, 0)
    _check_number("share", settings.share, 0, 1)


def is_number(value: Any) -> bool:
    """Whether this is a number that is finite, and small enough to be a float.

    Examples
    --------
    >>> is_number(1), is_number(float("nan")), is_number(10**400), is_number(True)
    (True, False, False, False)
    """
    real = isinstance(value, Real) and not isinstance(value, bool)
    return real and -float_info.max <= value <= float_info.max


def _check_whole(name: str, value: Any, least: int, most: int) -> None:
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        raise SettingsError(
            f"{name} must be a whole number from {least} to {most}, not {value!r:.80}."
        )


def _check_number(name: str, value: Any, least: float = -inf, most: float = inf) -> None:
    if not is_number(value) or not least <= value <= most:
        limits = f" from {least} to {most}" if isfinite(most) else f" from {least} on"
        limits = limits if isfinite(least) else ""
        raise SettingsError(f"{name} must be a number{limits}, not {value!r:.80}.")


# ------------------------------------------------------------------------------------------------
# Phrases as plain values, and back. What is read is checked, since files may hold anything.

_NAMES_of_phrase_values = {"settings", "phrases", "scores", "counts", "stop_words"}
Checked = tuple[dict[str, Any], dict[str, float], dict[str, int], NDArray[np.object_]]


def phrases_to_values(model: Any) -> dict[str, Any]:
    """Return a fitted ``Phrases`` as strings, numbers, lists and one dict of settings."""
    return {
        "settings": plain_settings(model),
        "phrases": list(model.phrases_),
        "scores": [float(score) for score in model.phrases_.values()],
        "counts": [int(count) for count in model.counts_.values()],
        "stop_words": [str(word) for word in model.stop_words_],
    }


def phrases_from_values(values: Any, cls: type) -> Checked:
    """Return settings, phrases with scores, counts, and stop words, all checked."""
    if not isinstance(values, Mapping) or set(values) != _NAMES_of_phrase_values:
        raise FileError("these are no phrases: other values are there than should be.")
    settings = checked_settings(values["settings"], cls, lambda model: checked_search(model, 1))
    phrases = strings_in(values, "phrases")
    _check_phrases(phrases, settings["max_words"])
    scores = _numbers(values, "scores", float, len(phrases))
    counts = _numbers(values, "counts", int, len(phrases))
    stop_words = np.array([None, *strings_in(values, "stop_words")], dtype=object)[1:]
    return (
        settings,
        dict(zip(phrases, scores, strict=True)),
        dict(zip(phrases, counts, strict=True)),
        stop_words,
    )


def _check_phrases(phrases: list[str], max_words: int) -> None:
    if len(set(phrases)) != len(phrases):
        raise FileError("a phrase comes twice.")
    for phrase in phrases:
        words = phrase.split(" ")
        if not 2 <= len(words) <= max_words or not all(words):
            raise FileError(f"{phrase!r:.80} is no phrase of two to {max_words} words.")


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
    r"""Find phrases of two to four words in texts, and count them in others.

    Words of a phrase are neighbours: nothing stands between them but spaces, at most one line feed
    (mails are wrapped), apostrophes, or one hyphen that touches both. All other punctuation, a
    blank line, a stop word and a word that is too short keep words apart, so that no phrase runs
    across the end of a sentence or holds a stop word.

    Parameters
    ----------
    method : {"npmi", "likelihood", "gensim", "xtract"}, default="npmi"
        How neighbours are judged, with :math:`n_{ab}`, :math:`n_a`, :math:`n_b` and :math:`N` the
        counts of the pair, of its words and of all words, stop words not counted.

        - ``"npmi"``: :math:`\log \frac{n_{ab} N}{n_a n_b} / \log \frac{N}{n_{ab}}`, from -1 to 1.
        - ``"likelihood"``: Dunning's log-likelihood ratio, of pairs that are more frequent than
          by chance.
        - ``"gensim"``: :math:`(n_{ab} - n_{\min}) |V| / (n_a n_b)`, where :math:`n_{\min}` is
          ``min_count``, and :math:`|V|` counts different words and different pairs, as in gensim.
        - ``"xtract"``: Smadja's Xtract, from where words stand to each other.
    threshold : float or None, default=None
        The score that makes a phrase. None: 0.3 for npmi, 10.83 for likelihood, 10 for gensim
        (which must be exceeded), 1 for xtract (the strength, :math:`k_0`).
    min_count : int, default=5
        How often a phrase must occur.
    max_words : {2, 3, 4}, default=4
        The longest phrase. Words beyond the second come from a second pass, which joins neighbours
        that may be pairs already.
    stop_words : "auto", str, iterable of str or None, default="auto"
        Words that no phrase holds: those that :func:`function_words` finds in the texts, in
        whatever language they are; or what :class:`tallytext.TextVectorizer` takes.
    tokens : {"words", "sklearn"}, default="words"
        How words are cut, as in :class:`tallytext.TextVectorizer`.
    lowercase, min_length, language, strip_accents, encoding, decode_error
        As in :class:`tallytext.TextVectorizer`. Korean words are taken whole.
    window : int, default=5
        For xtract: how far a word's collocates may stand from it.
    peak, spread : float, default=1.0 and 10.0
        For xtract: the height of a peak, :math:`k_1`, and the least spread, :math:`U_0`.
    share : float, default=0.75
        For xtract: how often, at least, a word must stand beside a pair to join it, T.
    n_jobs : int or None, default=None
        Threads; None means all cores this process may use. The result does not depend on it.
    verbose : bool or None, default=None
        Whether a bar shows how far the work is; None: on a terminal, when it takes long.

    Attributes
    ----------
    phrases_ : dict of str to float
        The phrases, words joined by one space, with their scores, the highest first, ties by the
        code points of the phrases. Their order is that of the columns.
    counts_ : dict of str to int
        How often :meth:`transform` finds each phrase in the texts it was fitted on. Phrases that
        longer ones always hide are not kept.
    stop_words_ : ndarray of str
        The words that ``stop_words="auto"`` found, sorted; empty for any other setting.

    See Also
    --------
    Concepts : Counts phrases from a list, by what they mean.

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
            If a setting is none of what it may be.
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
        return self._counted(self._fit(raw_documents))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the phrases, in the order of the columns."""
        self._fitted_matcher()
        return np.array(list(self.phrases_), dtype=object)

    def to_values(self) -> dict[str, Any]:
        """Return the settings and the phrases as plain values, for files.

        Raises
        ------
        SettingsError
            If ``strip_accents`` is a function, which no file can hold.
        """
        self._fitted_matcher()
        return phrases_to_values(self)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Phrases:
        """Read what :meth:`to_values` returned, and check all of it.

        Parameters
        ----------
        values : mapping
            What it returned.

        Raises
        ------
        FileError
            If it returned nothing of the kind.

        Examples
        --------
        >>> texts = ["the red planet", "a red planet"] * 5
        >>> phrases = Phrases(stop_words="english").fit(texts)
        >>> Phrases.from_values(phrases.to_values()).phrases_
        {'red planet': 1.0}
        """
        settings, phrases, counts, stop_words = phrases_from_values(values, cls)
        model = cls(**settings)
        model._keep(phrases, counts, stop_words)
        return model

    def _fit(self, raw_documents: Any) -> RawStreams:
        n_threads, cutter = thread_count(self.n_jobs), self._cutter()
        find = checked_search(self, n_threads)
        with progress_bar("finding phrases", 4, self.verbose) as step:
            raw = cutter.cut(cutter.batches(raw_documents), n_threads)
            if len(raw.starts) == 1:
                raise InputError("cannot find phrases: there are no texts.")
            step()
            streams, stop_words = self._without_function_words(cutter.numbered(raw))
            step()
            found = find(streams)
            step()
            self._keep_matched(_named(found, streams), stop_words, raw)
            step()
        return raw

    def _without_function_words(
        self, streams: WordStreams
    ) -> tuple[WordStreams, NDArray[np.object_]]:
        if not self._finds_stop_words:
            return streams, np.empty(0, dtype=object)
        # No more are looked at, and the counts of all would take more memory than the texts.
        unwanted = function_words(streams.sample(MOST_DOCUMENTS).counts())
        return streams.without(unwanted), np.sort(streams.names[unwanted])

    def _keep_matched(
        self, phrases: dict[str, float], stop_words: NDArray[np.object_], raw: RawStreams
    ) -> None:
        """Keep the phrases that are found in these texts."""
        self._keep(phrases, dict.fromkeys(phrases, 0), stop_words)
        counts = np.asarray(self._counted(raw).sum(axis=0)).ravel().tolist()
        found = {phrase: n for phrase, n in zip(phrases, counts, strict=True) if n}
        self._keep({phrase: phrases[phrase] for phrase in found}, found, stop_words)

    def _keep(
        self, phrases: dict[str, float], counts: dict[str, int], stop_words: NDArray[np.object_]
    ) -> None:
        self.phrases_, self.counts_, self.stop_words_ = phrases, counts, stop_words
        words = [phrase.split(" ") for phrase in phrases]
        self._matcher = Matcher(words, np.arange(len(words), dtype=np.int32))

    @property
    def _finds_stop_words(self) -> bool:
        return isinstance(self.stop_words, str) and self.stop_words == "auto"

    def _cutter(self) -> Cutter:
        return Cutter(
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
            raise NotFittedError("This Phrases is not fitted yet: call fit first.")
        return self._matcher

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "phrases_")


def _named(found: Found, streams: WordStreams) -> dict[str, float]:
    """Spell phrases out, the highest score first, ties by code points."""
    spelt = [(" ".join(streams.names[list(words)]), score) for words, score in found.items()]
    return dict(sorted(spelt, key=lambda item: (-item[1], item[0])))
