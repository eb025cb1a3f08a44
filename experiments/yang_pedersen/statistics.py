"""The two collections, beside what the paper says of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.yang_pedersen.corpora import (
    Deal,
    Documents,
    corpus_of,
    dealt,
    documents_of,
    given_split,
    prepared,
)
from tallytext.io import Corpus

HEADING = "The collections"
ABOUT = """The paper used all documents with a topic from Reuters-22173, split at random into 9,610
for training and 3,662 for test, and OHSUMED, references of 1990 for training and of 1991 for test,
with 14,321 MeSH headings. Neither is available here. They are replaced by **Reuters-21578**, the
later and cleaned edition of the same newswire, all documents with a topic, split at random in the
same proportion (three splits with fixed seeds; figures below are of the first); and by the subset
of **OHSUMED** with 13,929 abstracts and 23 classes of diseases, with its published split. Words are
in lower case, of two characters or more, without English stop words (the library's list, not
SMART's), stemmed by Snowball. Title and body are one text."""

PUBLISHED = {
    "reuters": {
        "training documents": 9610,
        "test documents": 3662,
        "classes in training": 92,
        "most classes of a document": 14,
        "classes per document": 1.24,
        "terms": 16039,
        "words per document": 90.6,
        "their standard deviation": 91.6,
        "share of earn": 0.30,
    },
    "ohsumed": {
        "classes in training": 14321,
        "classes per document": 12.0,
        "terms": 72076,
        "words per document": 167.0,
    },
}
NAMES = {"reuters": "Reuters", "ohsumed": "OHSUMED"}


def measure(work: Workplace) -> dict[str, Any]:
    reuters = corpus_of(work, "reuters21578")
    documents = documents_of(work, reuters)
    lengths = _lengths(work, reuters)
    plain = without_digits(work, reuters)
    medical = corpus_of(work, "ohsumed")
    counted = documents_of(work, medical)
    return {
        "reuters": _described(documents, dealt(documents, 0), lengths)
        | {"terms without digits": _n_terms(plain), "share of earn": _share(documents, "earn")},
        "ohsumed": _described(
            counted, given_split(counted, medical.splits), _lengths(work, medical)
        ),
    }


def without_digits(work: Workplace, corpus: Corpus) -> Documents:
    """Count the words that have no digit in them."""
    words = work.counts(corpus.texts, prepared()).words.tolist()
    plain = [not any(sign.isdigit() for sign in word) for word in words]
    documents = documents_of(work, corpus)
    return replace(documents, counts=documents.counts[:, np.flatnonzero(plain)])


def _lengths(work: Workplace, corpus: Corpus) -> Any:
    """Return the words of each document before any is left out."""
    found = documents_of(work, corpus, stop_words=None, language=None, min_length=1)
    return np.asarray(found.counts.sum(axis=1)).ravel()


def _described(documents: Documents, deal: Deal, lengths: Any) -> dict[str, Any]:
    n_labels = [len(given) for given in documents.labels]
    kept = np.asarray(documents.counts.sum(axis=1)).ravel()
    return {
        "training documents": len(deal.train),
        "test documents": len(deal.test),
        "classes in training": len(deal.classes),
        "most classes of a document": max(n_labels),
        "classes per document": float(np.mean(n_labels)),
        "terms": _n_terms(documents),
        "terms of training": int(np.count_nonzero(deal.frequencies)),
        "words per document": float(kept.mean()),
        "their standard deviation": float(kept.std()),
        "words, stop words included": float(lengths.mean()),
    }


def _n_terms(documents: Documents) -> int:
    return len(np.unique(documents.counts.indices))


def _share(documents: Documents, label: str) -> float:
    return float(np.mean([label in given for given in documents.labels]))


def show(found: Record) -> Iterator[Shown]:
    for key, name in NAMES.items():
        ours, theirs = found[key], PUBLISHED[key]
        rows = [(what, theirs.get(what), ours[what]) for what in ours]
        yield Table(name, ("", "published", "ours"), rows, 2)
    yield _on_words(found.reuters)


def _on_words(ours: Record) -> str:
    theirs = PUBLISHED["reuters"]
    away = [
        abs(ours[what] - theirs["words per document"])
        for what in ("words per document", "words, stop words included")
    ]
    nearer = "nearer to" if away[0] < away[1] else "further from"
    with_digits = 1 - ours["terms without digits"] / ours["terms"]
    return (
        "Words per document are counted after stop words are taken out, which on Reuters is "
        f"{nearer} what is published than with them (the line *words, stop words included*). The "
        "list of stop words, the stemmer and what counts as a word are not those of the paper. On "
        f"Reuters {with_digits:.0%} of the terms have a digit in them; without these there are "
        f"{ours['terms without digits'] / theirs['terms']:.2f} times as many terms as in the paper."
    )
