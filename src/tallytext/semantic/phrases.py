"""Phrases: words that stand side by side more often than chance would have it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from tallytext.errors import InputError
from tallytext.progress import progress_bar
from tallytext.semantic.counting import PhraseCounter
from tallytext.semantic.function_words import MOST_DOCUMENTS, function_words
from tallytext.semantic.matching import Matcher
from tallytext.semantic.pairs import Found
from tallytext.semantic.phrase_settings import checked_search
from tallytext.semantic.phrase_values import phrases_from_values, phrases_to_values
from tallytext.semantic.streams import Cutter, RawStreams, WordStreams
from tallytext.text.analysis import Accents
from tallytext.threads import thread_count

__all__ = ["Phrases"]

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
