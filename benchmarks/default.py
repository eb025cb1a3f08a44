"""The default of ``TextClassifier`` beside linear support vector machines, and while it learns."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import FeatureUnion
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.svm import LinearSVC

from benchmarks.corpora import Corpus, Documents

PAIRS, STRINGS = "words, pairs", "words, pairs, strings"
COSTS = (0.1, 0.3, 1.0, 3.0, 10.0)
FOLDS = 3
#: Largest number of training documents that the cost of a peer is chosen on.
MAX_SEARCHED = {PAIRS: 20_000, STRINGS: 5_000}
FEW_LABELS = 1_000


# ------------------------------------------------------------------------- peers


class PeerFigures:
    """Figures of peers by a key; stored in a file, if one is given, so that they are found again.

    Parameters
    ----------
    path : Path or None
        A file of JSON, written after each figure.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._found: dict[str, Any] = json.loads(path.read_text()) if path and path.exists() else {}

    def get(self, key: str, measure: Callable[[], Any]) -> Any:
        """Return the figures of a key, measured unless they are known."""
        if key not in self._found:
            self._found[key] = measure()
            if self._path:
                self._path.write_text(json.dumps(self._found, indent=1))
        return self._found[key]


class SvcFigures(TypedDict):
    """Figures of tf-idf and LinearSVC; seconds are those of a processor, from text."""

    accuracy: float
    cost: float
    seconds: float  # with the default cost
    search_seconds: float  # with the choice of the cost
    default_accuracy: float


def svc_figures(corpus: Corpus, peer: str) -> SvcFigures:
    """Choose the cost of a peer on training documents, and measure it on the held-out ones."""
    with _quiet():
        start = time.process_time()
        cost = _best_cost(corpus.train, peer)
        searched = time.process_time()
        X, Z, vectorizing = _tfidf(corpus, peer)
        fits = {}
        for each in {1.0, cost}:
            before = time.process_time()
            model = LinearSVC(C=each, random_state=0).fit(X, corpus.train.labels)
            fits[each] = time.process_time() - before, model.score(Z, corpus.held_out.labels)
    return {
        "accuracy": fits[cost][1],
        "cost": cost,
        "seconds": vectorizing + fits[1.0][0],
        "search_seconds": searched - start + vectorizing + fits[cost][0],
        "default_accuracy": fits[1.0][1],
    }


def _tfidf(corpus: Corpus, peer: str) -> tuple[Any, Any, float]:
    """Return training and held-out documents as tf-idf, and the seconds of the former."""
    vectorizer, start = tfidf_vectorizer(peer), time.process_time()
    X = vectorizer.fit_transform(corpus.train.texts)
    seconds = time.process_time() - start
    return X, vectorizer.transform(corpus.held_out.texts), seconds


def tfidf_vectorizer(peer: str) -> Any:
    words = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2))
    if peer == PAIRS:
        return words
    strings = TfidfVectorizer(sublinear_tf=True, analyzer="char_wb", ngram_range=(2, 4))
    return FeatureUnion([("words", words), ("strings", strings)])


def _best_cost(train: Documents, peer: str) -> float:
    """Return the cost with the highest accuracy in cross-validation; of equals the smallest."""
    texts, labels = sampled(train, MAX_SEARCHED[peer], 0)
    right = np.zeros(len(COSTS))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    for known, held_out in folds.split(texts, labels):
        parts = [
            Documents([texts[i] for i in rows], [labels[i] for i in rows])
            for rows in (known, held_out)
        ]
        X, Z, _ = _tfidf(Corpus("", *parts), peer)
        for at, cost in enumerate(COSTS):
            model = LinearSVC(C=cost, random_state=0).fit(X, parts[0].labels)
            right[at] += np.sum(model.predict(Z) == np.array(parts[1].labels))
    return COSTS[int(right.argmax())]


def sampled(documents: Documents, n: int, draw: int) -> Documents:
    """Return n documents in the order of all, as many of each class as its share, by chance."""
    rows = sampled_rows(documents.labels, n, draw)
    return Documents([documents.texts[i] for i in rows], [documents.labels[i] for i in rows])


def sampled_rows(labels: Sequence[str], n: int, draw: int) -> list[int]:
    if len(labels) <= n:
        return list(range(len(labels)))
    random = np.random.default_rng([draw, 20])
    # Equal steps through documents that are sorted by class take the same share of each class.
    by_class = np.lexsort((random.random(len(labels)), labels))
    places = ((np.arange(n) + random.random()) * (len(labels) / n)).astype(int)
    rows: list[int] = np.sort(by_class[places]).tolist()
    return rows


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        # Classes with fewer documents than folds, and costs for which liblinear stops early.
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def few_labels(corpus: Corpus, draw: int) -> tuple[Corpus, list[str]]:
    """Return a corpus with few training documents, and the texts of the other ones."""
    rows = sampled_rows(corpus.train.labels, FEW_LABELS, draw)
    texts, labels = corpus.train
    train = Documents([texts[i] for i in rows], [labels[i] for i in rows])
    others = np.setdiff1d(np.arange(len(texts)), rows).tolist()
    return replace(corpus, train=train), [texts[i] for i in others]


def svc_key(corpus: Corpus, peer: str, draw: int | None = None) -> str:
    sizes = f"{len(corpus.train.texts)} + {len(corpus.held_out.texts)} documents"
    return f"{corpus.name}, {sizes}{'' if draw is None else f', draw {draw}'}: {peer}"


# ------------------------------------------------------------------------- several labels


class MultiLabelFigures(TypedDict):
    """Micro-F1 of one model per label on tf-idf of words and pairs."""

    svc: float
    svc_cost: float
    regression: float
    seconds: float  # of a processor: LinearSVC with its default cost, from text


def multi_label_figures(corpus: Any) -> MultiLabelFigures:
    """Measure LinearSVC, its cost chosen, and LogisticRegression with the threshold 0.2."""
    (texts, labels), (new, truth) = corpus.train, corpus.held_out
    binarizer = MultiLabelBinarizer().fit([*labels, *truth])
    Y, T = binarizer.transform(labels), binarizer.transform(truth)
    with _quiet():
        cost = _best_multi_label_cost(texts, Y)
        vectorizer, start = tfidf_vectorizer(PAIRS), time.process_time()
        X = vectorizer.fit_transform(texts)
        model = OneVsRestClassifier(LinearSVC(random_state=0)).fit(X, Y)
        seconds = time.process_time() - start
        if cost != 1:
            model = OneVsRestClassifier(LinearSVC(C=cost, random_state=0)).fit(X, Y)
        Z = vectorizer.transform(new)
        regression = OneVsRestClassifier(LogisticRegression(solver="liblinear")).fit(X, Y)
        likely = regression.predict_proba(Z) >= 0.2
    return {
        "svc": micro_f1(T, model.predict(Z)),
        "svc_cost": cost,
        "regression": micro_f1(T, likely),
        "seconds": seconds,
    }


def _best_multi_label_cost(texts: list[str], Y: Any) -> float:
    """Return the cost with the highest micro-F1 on a third of at most 5,000 documents."""
    rows = np.random.default_rng(0).permutation(len(texts))[: MAX_SEARCHED[STRINGS]]
    held_out, known = np.array_split(rows, [len(rows) // FOLDS])
    vectorizer = tfidf_vectorizer(PAIRS)
    X = vectorizer.fit_transform([texts[i] for i in known])
    Z = vectorizer.transform([texts[i] for i in held_out])
    found = []
    for cost in COSTS:
        model = OneVsRestClassifier(LinearSVC(C=cost, random_state=0)).fit(X, Y[known])
        found.append(micro_f1(Y[held_out], model.predict(Z)))
    return COSTS[int(np.argmax(found))]


def micro_f1(truth: Any, given: Any) -> float:
    right = np.sum((truth > 0) & (given > 0))
    return float(2 * right / (np.sum(truth > 0) + np.sum(given > 0)))
