"""Generated text: words of topics, words of none, and a pool that few labels are known of."""

from typing import NamedTuple

import numpy as np
from scipy import sparse


class Generated(NamedTuple):
    """Counts, the topic of each document, and which words are function words."""

    counts: sparse.csr_array
    topics: np.ndarray
    n_function: int


def topical(n=400, n_topics=4, n_words=30, n_function=20, length=30, share=0.5, seed=0):
    """Documents of which a share is function words, the rest those of one topic.

    The first ``n_function`` columns are function words; then each topic has ``n_words``.
    """
    random = np.random.default_rng(seed)
    topics = np.arange(n) % n_topics
    own = np.zeros((n_topics, n_function + n_topics * n_words))
    own[:, :n_function] = share / n_function
    for topic in range(n_topics):
        first = n_function + topic * n_words
        own[topic, first : first + n_words] = (1 - share) / n_words
    lengths = random.integers(length // 2, 2 * length, n)
    rows = [
        random.multinomial(size, own[topic]) for size, topic in zip(lengths, topics, strict=True)
    ]
    return Generated(sparse.csr_array(np.array(rows, dtype=np.float64)), topics, n_function)


def few_labels(made, k):
    """The labelled documents, their labels, and all others: k of each topic have one."""
    labelled = np.concatenate([np.flatnonzero(made.topics == c)[:k] for c in set(made.topics)])
    others = np.setdiff1d(np.arange(len(made.topics)), labelled)
    return made.counts[labelled], made.topics[labelled], made.counts[others]
