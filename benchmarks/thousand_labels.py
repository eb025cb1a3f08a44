"""``TextClassifier`` trained on 1,000 labels, beside published figures of pretrained models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from benchmarks.corpora import Corpus, Documents
from benchmarks.default import DRAWS, few_labels
from benchmarks.single_label import load
from benchmarks.tables import Table
from benchmarks.timing import Clock
from tallytext import TextClassifier
from tallytext.io import strip_post

FOLDER = True
#: Accuracy in percent at 1,000 labels, from the results page of model2vec: tf-idf and logistic
#: regression, model2vec fine-tuned, SetFit on all-MiniLM-L6-v2, and logistic regression on vectors
#: of bge-base-en-v1.5.
PUBLISHED = {
    "20ng_bydate": (50.7, 57.9, 61.3, 67.4),
    "ag_news_20k": (81.7, 87.2, 88.0, 89.0),
}
ABOUT = """Accuracy in percent on the whole test half after training on 1,000 labels. The figures
of the first four columns are published, on the results page of
[model2vec](https://github.com/MinishLab/model2vec/tree/main/results#training-results): tf-idf with
logistic regression, model2vec fine-tuned, SetFit on all-MiniLM-L6-v2, and logistic regression on
the vectors of bge-base-en-v1.5. The others are measured here, with the default settings: the mean
of three draws (seeds 0 to 2) of 1,000 training documents in which every class has its share, and
half the distance between the best and the worst draw. With a pool, the texts of all other training
documents are given without labels.

The test documents are the standard ones: 7,532 posts and 7,600 news. The training documents are a
sample of our own. Header, signature and quotes are removed from posts; the published page does not
mention this. The training half of AG News is a sample of 20,000 documents of the 120,000, which
matters for the pool only. The column "tf-idf + LR, here" shows how far the same method differs
between their measurement and ours."""


def measure(folder: Path, clock: Clock) -> Iterator[Table]:
    corpora = [_stripped(corpus) for corpus in load(folder, PUBLISHED)]
    if not corpora:
        return
    columns = ("", "tf-idf + LR", "model2vec", "SetFit", "bge-base + LR")
    measured = ("tf-idf + LR, here", "tallytext", "tallytext, with a pool")
    rows = [_row(corpus, clock) for corpus in corpora]
    yield Table("1,000 labels, accuracy in percent", (*columns, *measured), rows)


def _stripped(corpus: Corpus) -> Corpus:
    """Return newsgroups without headers, signatures and quotes, and other corpora unchanged."""
    if corpus.name != "20ng_bydate":
        return corpus
    halves = [
        Documents([strip_post(text) for text in half.texts], half.labels)
        for half in (corpus.train, corpus.held_out)
    ]
    return replace(corpus, train=halves[0], held_out=halves[1])


def _row(corpus: Corpus, clock: Clock) -> tuple[str, ...]:
    found = []
    for draw in range(DRAWS):
        clock.say(f"{corpus.name}: draw {draw + 1} of {DRAWS}")
        few, pool = few_labels(corpus, draw)
        peer = make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000))
        alone = TextClassifier().fit(*few.train)
        pooled = TextClassifier().fit(*few.train, unlabelled=pool)
        fitted = peer.fit(*few.train), alone, pooled
        found.append([100 * each.score(*few.held_out) for each in fitted])
    means, half_ranges = np.mean(found, axis=0), np.ptp(found, axis=0) / 2
    ours = [f"{mean:.1f} ± {half:.1f}" for mean, half in zip(means, half_ranges, strict=True)]
    return corpus.name, *(f"{each:.1f}" for each in PUBLISHED[corpus.name]), *ours
