"""Documents in the order of their dates, and profiles that want some of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.reproduction.texts import subject_and_body
from experiments.reproduction.workplace import Workplace
from tallytext import TextVectorizer
from tallytext.io import Corpus

N_START, N_EXAMPLES = 1000, 5


@dataclass(frozen=True, eq=False)
class Stream:
    """Counts by date, and which document is relevant to which profile.

    The first ``n_start`` documents come before the stream: each profile is given a few relevant
    ones of them as examples, and of all others the words only.
    """

    counts: Any
    truth: NDArray[np.bool_]
    profiles: list[str]
    n_start: int

    def examples(self, profile: int) -> NDArray[np.intp]:
        """Return the first relevant documents of a profile."""
        return np.flatnonzero(self.truth[: self.n_start, profile])[:N_EXAMPLES]


@lru_cache(maxsize=3)
def news(work: Workplace, first: int = 0, last: int = 15) -> Stream:
    """Return Reuters: documents that somebody has looked at for topics, the largest as profiles."""
    corpus = work.load("reuters21578")
    judged = corpus.where(each == "YES" for each in corpus.columns["topics_attr"])
    sizes = Counter(label for given in judged.labels for label in given)
    ranked = sorted(sizes, key=lambda label: (-sizes[label], label))
    return _stream(work, judged, judged.texts, ranked[first:last])


@lru_cache(maxsize=1)
def newsgroups(work: Workplace) -> Stream:
    """Return 20 Newsgroups: subject and body, each group a profile."""
    corpus = work.load("20newsgroups")
    dated = corpus.where(corpus.columns["date"])
    if work.quick:
        dated = dated.take(range(0, len(dated), 20))
    texts = [subject_and_body(text) for text in dated.texts]
    return _stream(work, dated, texts, dated.classes)


def _stream(work: Workplace, corpus: Corpus, texts: list[str], profiles: list[str]) -> Stream:
    order = np.argsort(np.array(corpus.columns["date"]), kind="stable")
    if work.quick:
        order, profiles = order[:: max(1, len(order) // 1000)], profiles[:4]
    counts = work.counts(
        [texts[row] for row in order], TextVectorizer(stop_words="english", min_df=5)
    )
    given = [corpus.labels[row] for row in order]
    labels = [{each} if isinstance(each, str) else {*each} for each in given]
    truth = np.array([[profile in each for profile in profiles] for each in labels])
    n_start = min(N_START, len(order) // 3)
    enough = [at for at in range(len(profiles)) if truth[:n_start, at].sum() >= min(3, N_EXAMPLES)]
    return Stream(counts.matrix, truth[:, enough], [profiles[at] for at in enough], n_start)
