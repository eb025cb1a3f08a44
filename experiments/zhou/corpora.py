"""The documents: those of the paper where they are to be had, and others in place of the rest."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.reproduction.texts import single_labels
from experiments.reproduction.workplace import Workplace
from tallytext.io import Corpus, strip_headers

NAMES = {
    "newsgroups": "20newsgroups",
    "ohsumed": "ohsumed",
    "ag_news": "ag-news-20k",
    "reuters": "reuters21578",
    "ynat": "klue-ynat",
}
TITLES = {
    "newsgroups": "20 Newsgroups",
    "ohsumed": "OHSUMED",
    "ag_news": "AG News",
    "reuters": "Reuters",
    "ynat": "YNAT",
}
JUDGED = ("newsgroups", "ohsumed", "ag_news", "ynat")
KEPT_FIELDS = ("From", "Subject")
LARGEST = 10  # topics of Reuters
QUICK = 400


class Documents(NamedTuple):
    """Texts, and the one label of each."""

    texts: list[str]
    labels: NDArray[Any]


@lru_cache(maxsize=5)
def documents(work: Workplace, name: str) -> Documents:
    """Return the documents of a corpus, a random part of them for a quick look.

    Newsgroups without the headers that name the group; of corpora with several labels, the
    documents with one; of Reuters, those of the ten largest topics.
    """
    corpus = single_labels(work.load(NAMES[name]))
    if name == "reuters":
        corpus = largest_classes(corpus, LARGEST)
    if work.quick:
        corpus = part(corpus, QUICK)
    texts = [*map(header_kept, corpus.texts)] if name == "newsgroups" else corpus.texts
    return Documents(texts, np.array(corpus.labels))


def header_kept(post: str) -> str:
    """Return a post with two fields of its header: others name the group."""
    return strip_headers(post, keep=KEPT_FIELDS)


def largest_classes(corpus: Corpus, n: int) -> Corpus:
    """Return the documents of the n classes that have most of them."""
    largest = {label for label, _ in Counter(corpus.labels).most_common(n)}
    return corpus.where(label in largest for label in corpus.labels)


def part(corpus: Corpus, n: int) -> Corpus:
    """Return n documents by chance, in their order; all where there are no more."""
    if len(corpus) <= n:
        return corpus
    return corpus.take(np.sort(np.random.default_rng(0).choice(len(corpus), n, False)).tolist())
