"""Small translations for five columns w0 ... w4, of words, of phrases and of both."""

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from tallytext.models import Semantic, Translation

WIDTH = 5
NAMES = np.array([f"w{at}" for at in range(WIDTH)], dtype=object)


def translation(signatures, rows, n_words=WIDTH, phrase_weight=0.5, names=NAMES):
    """A translation of the names up to ``n_words`` as words, the others as phrases."""
    signatures = np.array(signatures, dtype=object)
    words, phrases = names[:n_words], names[n_words:]
    kinds = np.array([0 if name in words else 1 for name in signatures], dtype=np.int8)
    rows = sparse.csr_array(np.array(rows, dtype=float).reshape(len(signatures), n_words))
    return Translation(words, signatures, kinds, rows, phrase_weight, phrases)


WORDS = translation(["w0", "w3"], [[0.5, 0.2, 0.3, 0, 0], [0, 0, 0.1, 0.4, 0.5]])
# Below and above 1e-5, where words are dropped, and not on it: there, rounding decides.
PRUNED = translation(
    ["w0", "w1", "w2"],
    [
        [1 - 6e-6, 6e-6, 0, 0, 0],
        [0, 0.7, 0.3 - 2e-6, 2e-6, 0],
        [1 - 2.27e-5, 0, 0, 9e-6, 1.37e-5],
    ],
)
PHRASES = translation(["w3"], [[0.2, 0.3, 0.5]], n_words=3)
BOTH = translation(
    ["w0", "w2", "w3", "w4"],
    [[0.9, 0.1, 0], [0, 0.4, 0.6], [0.3, 0.3, 0.4], [0, 0, 1]],
    n_words=3,
    phrase_weight=0.7,
)
NOTHING = translation([], [], n_words=4)
SMALL = [WORDS, PRUNED, PHRASES, BOTH, NOTHING]

ELSEWHERE = translation(
    ["w2", "away", "w4", "far away"],
    [[0.5, 0.5, 0, 0], [1, 0, 0, 0], [0, 0.2, 0.4, 0.4], [0, 0, 1, 0]],
    n_words=4,
    names=np.array(["away", "w0", "w1", "w2", "w4", "far away"], dtype=object),
)
"""Of another corpus: some of its words and phrases are not among the columns."""


def smoothings(translations=SMALL):
    """Semantic smoothing, of all kinds."""
    return st.builds(
        Semantic,
        st.sampled_from(translations),
        st.sampled_from([0.0, 0.4, 0.9, 1.0]),
        st.sampled_from([0.5, 0.05, 1.0]),
        min_probability=st.sampled_from([0.0, 1e-5]),
    )
