"""Table 1: how large the corpora are, and how many phrases are found in them."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean
from typing import Any

import numpy as np

from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from experiments.zhou import published
from experiments.zhou.corpora import NAMES, TITLES, documents
from experiments.zhou.learned import Learned, learned, new_model, new_phrases
from tallytext import TextVectorizer
from tallytext.io import strip_headers

HEADING = "Table 1: the corpora"
ABOUT = """The paper has four corpora. 20 Newsgroups is the same here. OHSUMED is its part with one
label per document, of the first 20,000 abstracts of 1991: 7,400 documents, exactly as many as in
the paper, but in 23 classes, where the paper has 14. TDT2 and the Los Angeles Times are not
available; AG News and the ten largest topics of Reuters-21578, documents with one label, replace
them. Korean headlines (YNAT) test another language.

Of the headers of newsgroups only From and Subject are kept, because others name the group. English
stop words are removed. There is no stemming. The paper does not describe its preparation; the row
below the table, of bodies without any header and with stemmed words, compares its counts.

Phrases are adjacent words with a normalised mutual information of .3 or more that occur five times,
the default of `Phrases`. The paper used Xtract with a tagger, and UMLS concepts for OHSUMED, which
are not available here. A separate column has the phrases found by Xtract without a tagger."""

COLUMNS = (
    "classes",
    "documents",
    "phrases",
    "phrases / document",
    "different",
    "words",
    "words / document",
    "different",
)


def measure(work: Workplace) -> dict[str, Any]:
    """Count documents, phrases and words."""
    found = {}
    for name in work.track(NAMES):
        read, known = documents(work, name), learned(work, name)
        finder = new_phrases(name, "xtract").fit(read.texts)
        classes = len(np.unique(read.labels))
        found[name] = {"classes": classes, **statistics(known), "xtract": len(finder.phrases_)}
    return {"corpora": found, "stems": statistics(_bodies(work))}


def statistics(known: Learned) -> dict[str, Any]:
    """Return sizes, and means per document."""
    made: dict[str, Any] = {"documents": known.counts.shape[0]}
    for kind, counts in (("phrases", known.phrases), ("words", known.words)):
        made[kind] = counts.shape[1]
        made[f"{kind}_per_document"] = counts.sum() / counts.shape[0]
        made[f"different_{kind}"] = counts.nnz / counts.shape[0]
    return made


def _bodies(work: Workplace) -> Learned:
    posts = work.load(NAMES["newsgroups"]).texts
    texts = [strip_headers(post) for post in posts[:: 40 if work.quick else 1]]
    stems = TextVectorizer(stop_words="english", language="en")
    return Learned.of(new_model("newsgroups", vectorizer=stems), texts)


def show(found: Record) -> Iterator[Any]:
    """Put our corpora below those of the paper."""
    ours = [(TITLES[name], *_cells(row), row.xtract) for name, row in found.corpora.items()]
    stems = {**found.stems, "classes": found.corpora.newsgroups.classes}
    ours.insert(1, ("20 Newsgroups, bodies, stems", *_cells(Record.of(stems)), None))
    theirs = [(f"{name}, published", *row, None) for name, row in published.STATISTICS.items()]
    yield Table("Sizes", ("", *COLUMNS, "phrases by Xtract"), [*theirs, *ours], 1)
    yield _nearer(found)


def _nearer(found: Record) -> str:
    """Say how far two preparations of posts are from the published counts of words."""
    printed = published.STATISTICS[TITLES["newsgroups"]][-3:]
    prepared = {"with From and Subject": found.corpora.newsgroups, "bodies, stems": found.stems}
    said = [f"{name} {_away(_cells_of_words(row), printed):.0%}" for name, row in prepared.items()]
    return (
        "20 Newsgroups: counts of words (in all, per document, different ones) differ from the "
        f"published ones, on average by: {'; '.join(said)}."
    )


def _away(ours: tuple[float, ...], printed: tuple[float, ...]) -> float:
    return fmean(abs(own / other - 1) for own, other in zip(ours, printed, strict=True))


def _cells_of_words(row: Record) -> tuple[float, ...]:
    return row.words, row.words_per_document, row.different_words


def _cells(row: Record) -> tuple[Any, ...]:
    sizes = row.classes, row.documents
    phrases = row.phrases, row.phrases_per_document, row.different_phrases
    return *sizes, *phrases, *_cells_of_words(row)
