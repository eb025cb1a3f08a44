"""The corpora: which words are counted, and which documents are learned from."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from experiments.reproduction.counts import Counts
from experiments.reproduction.workplace import Workplace
from tallytext import TextVectorizer
from tallytext.io import Corpus, html_text, strip_headers

NAMES = {
    "newsgroups": "20 Newsgroups",
    "universities": "4 Universities",
    "sections": "Debian sections",
}
UNIVERSITIES = ("cornell", "texas", "washington", "wisconsin")
PAGES = ("course", "faculty", "project", "student")
SEED = 2004

_N_TRAIN = 800  # of each newsgroup, by date
_TEST_SHARE = 0.2
_QUICK_SHARES = {"newsgroups": 0.025, "universities": 0.06, "sections": 0.005}

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Split:
    """Training documents and test documents, in the words of the former.

    ``groups`` says what training documents have in common with others: their source, their
    university, or, for posts, their date.
    """

    train: sparse.csr_array
    labels: NDArray[Any]
    test: sparse.csr_array
    truth: NDArray[Any]
    groups: NDArray[Any]

    @property
    def mean_length(self) -> float:
        """Of the training documents."""
        return float(self.train.sum() / self.train.shape[0])


def words(**options: Any) -> TextVectorizer:
    """Return what counts words: runs of two letters or more, without stop words."""
    usual: dict[str, Any] = {"tokens": re.compile("[a-z]{2,}"), "stop_words": "english"}
    return TextVectorizer(**(usual | options))


def newsgroups(
    work: Workplace, clean: Callable[[str], str] | None = None, *, dated: bool = True
) -> Corpus:
    """Return the posts with From and Subject for a header, or cleaned in another way."""
    return _changed(_posts(work, dated), clean or from_and_subject)


@lru_cache(maxsize=2)
def _posts(work: Workplace, dated: bool) -> Corpus:
    corpus = _sample(work, "newsgroups", work.load("20newsgroups"))
    return corpus.where(corpus.columns["date"]) if dated else corpus


def from_and_subject(post: str) -> str:
    return strip_headers(post, keep=("From", "Subject"))


@lru_cache(maxsize=2)
def universities(work: Workplace, clean: Callable[[str], str] = html_text) -> Corpus:
    """Return the text of pages of the four largest classes but for "other"."""
    whole = work.load("webkb")
    pages = whole.where(label in PAGES for label in whole.labels)
    return _changed(_sample(work, "universities", pages), clean)


def sections(work: Workplace) -> Corpus:
    """Return descriptions of packages."""
    return _sample(work, "sections", work.load("debian-sections"))


CORPORA = {"newsgroups": newsgroups, "universities": universities, "sections": sections}


@lru_cache(maxsize=4)
def splits_of(name: str, work: Workplace) -> list[Split]:
    """Return a corpus as the paper divides it: into two parts, or leaving out each university."""
    corpus = CORPORA[name](work)
    counts = work.counts(corpus.texts, words())
    kinds = ("source", "university", "date")
    groups = next(corpus.columns[kind] for kind in kinds if kind in corpus.columns)
    sides = _sides(name, corpus)[: 1 if work.quick else None]
    return [split(counts, corpus.labels, *rows, groups) for rows in sides]


def split(
    counts: Counts, labels: Sequence[str], train: Rows, test: Rows, groups: Any = None
) -> Split:
    """Divide counts; words that no document to learn from has are left out."""
    known = np.asarray(labels)
    learned = counts.matrix[train]
    seen = np.flatnonzero(np.bincount(learned.indices, minlength=learned.shape[1]))
    grouped = np.arange(len(labels)) if groups is None else np.asarray(groups)
    judged = counts.matrix[test][:, seen]
    return Split(learned[:, seen], known[train], judged, known[test], grouped[train])


def first_of_each(labels: Sequence[str], order: Sequence[Any], n: int) -> tuple[Rows, Rows]:
    """Return the first documents of each class by some order, and all others.

    Examples
    --------
    >>> first_of_each(["a", "b", "a", "a"], [3, 1, 2, 1], 1)
    (array([1, 3]), array([0, 2]))
    """
    known, rank = np.asarray(labels), np.empty(len(labels), dtype=np.intp)
    rank[sorted(range(len(labels)), key=lambda row: order[row])] = np.arange(len(labels))
    is_first = np.zeros(len(labels), dtype=bool)
    for label in np.unique(known):
        rows = np.flatnonzero(known == label)
        is_first[rows[np.argsort(rank[rows])][:n]] = True
    return np.flatnonzero(is_first), np.flatnonzero(~is_first)


def n_train(corpus: Corpus) -> int:
    """Return how many posts of each newsgroup are learned from; four fifths of a sample."""
    return min(_N_TRAIN, round(0.8 * len(corpus) / len(corpus.classes)))


def random_groups(groups: Sequence[Any], share: float, seed: int) -> NDArray[np.bool_]:
    """Return which documents are drawn, so that all of a group are or none is."""
    names, number = np.unique(np.asarray(groups), return_inverse=True)
    drawn = np.random.default_rng(seed).random(len(names)) < share
    return drawn[number]


def held_out(name: str, split: Split) -> NDArray[np.bool_]:
    """Return training documents that differ from the others as those to judge do.

    The latest fifth of each newsgroup, the other three universities, a fifth of the sources.
    """
    if name == "newsgroups":
        earlier = round(0.8 * len(split.labels) / len(np.unique(split.labels)))
        late = first_of_each(split.labels, split.groups, earlier)[1]
        return np.isin(np.arange(len(split.labels)), late)
    if name == "universities":
        return split.groups != "misc"
    return random_groups(split.groups, _TEST_SHARE, SEED + 1)


def _sides(name: str, corpus: Corpus) -> list[tuple[Rows, Rows]]:
    if name == "newsgroups":
        return [first_of_each(corpus.labels, corpus.columns["date"], n_train(corpus))]
    if name == "universities":
        where = np.asarray(corpus.columns["university"])
        return [_rows(where == university) for university in UNIVERSITIES]
    return [_rows(random_groups(corpus.columns["source"], _TEST_SHARE, SEED))]


def _rows(judged: NDArray[np.bool_]) -> tuple[Rows, Rows]:
    return np.flatnonzero(~judged), np.flatnonzero(judged)


def _sample(work: Workplace, name: str, corpus: Corpus) -> Corpus:
    if not work.quick:
        return corpus
    return corpus.where(np.random.default_rng(SEED).random(len(corpus)) < _QUICK_SHARES[name])


def _changed(corpus: Corpus, clean: Callable[[str], str]) -> Corpus:
    return Corpus(
        corpus.name,
        [clean(text) for text in corpus.texts],
        corpus.labels,
        corpus.ids,
        corpus.splits,
        corpus.columns,
    )
