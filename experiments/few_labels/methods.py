"""What is compared: each method gets some documents with labels, and judges others."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from time import perf_counter
from typing import Any

import numpy as np
from benchmarks.corpora import Corpus
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from experiments.few_labels.draws import drawn
from experiments.few_labels.results import Result, Task
from tallytext import (
    ExpectationMaximisation,
    MultinomialNB,
    PooledNB,
    TextClassifier,
    TextVectorizer,
)
from tallytext.errors import LabelError
from tallytext.models import AbsoluteDiscount, Background, Laplace, Semantic, Smoothing
from tallytext.semantic import TranslationModel

RECIPE = "recipe"
KOREAN = ("klue_ynat", "korean_news8_1600")
#: Counts of documents without labels are known to the background, and to no class.
BACKGROUND_ONLY = ExpectationMaximisation(rounds=0)


class Prepared:
    """A corpus, with what is done once for all draws.

    Parameters
    ----------
    corpus : Corpus
    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.labels = np.array(corpus.train.labels)
        self.truth = np.array(corpus.held_out.labels)
        self.vectorizer = TextVectorizer(hangul="words+bigrams", min_length=1, min_df=2)
        self.counts = self.vectorizer.fit_transform(corpus.train.texts)
        self.test_counts = self.vectorizer.transform(corpus.held_out.texts)

    def __str__(self) -> str:
        return (
            f"{self.corpus.name}: {len(self.labels):,} training and {len(self.truth):,} test "
            f"documents, {len(np.unique(self.labels))} classes, {self.counts.shape[1]:,} words"
        )

    def drawn(self, k: int, seed: int) -> NDArray[np.intp]:
        """Return which documents have labels."""
        return drawn(self.labels, np.diff(self.counts.indptr), k, seed)

    @cached_property
    def translation(self) -> TranslationModel:
        """What words stand for, learned from all training documents without their labels."""
        model = TranslationModel(min_probability=0.001, max_entries=200, verbose=False)
        return model.fit_counts(self.counts, self.vectorizer.get_feature_names_out())

    @cached_property
    def tfidf(self) -> tuple[Any, Any]:
        """Weights of words in training and test documents, as scikit-learn has them."""
        if self.corpus.name in KOREAN:
            weigh = TfidfTransformer(sublinear_tf=True)
            return weigh.fit_transform(self.counts), weigh.transform(self.test_counts)
        read = TfidfVectorizer(sublinear_tf=True, min_df=2, token_pattern=r"\w+")
        train = read.fit_transform(self.corpus.train.texts)
        return train, read.transform(self.corpus.held_out.texts)


@dataclass(frozen=True)
class Draw:
    """Documents with labels, and all others."""

    prepared: Prepared
    labelled: NDArray[np.intp]

    @property
    def labels(self) -> NDArray[Any]:
        return self.prepared.labels[self.labelled]

    @property
    def others(self) -> NDArray[np.intp]:
        return np.setdiff1d(np.arange(len(self.prepared.labels)), self.labelled)


Fitted = tuple[Callable[[], Any], dict[str, Any]]  # what judges the test half, and what it notes
Method = Callable[[Draw], Fitted]


def measured(prepared: Prepared, task: Task) -> Result:
    """Fit a method on a draw and judge the test half."""
    draw = Draw(prepared, prepared.drawn(task.k, task.seed))
    # Matrices are too small here for threads of linear algebra to help, and they slow each other
    # down badly where others use the cores as well.
    with threadpool_limits(1, "blas"):
        start = perf_counter()
        judge, notes = METHODS[task.method].fit(draw)
        seconds = perf_counter() - start
        accuracy = float(np.mean(judge() == prepared.truth))
    return Result(task, accuracy, round(seconds, 3), notes)


def _bayes(
    smoothing: Callable[[Prepared], Smoothing], em: ExpectationMaximisation | None = None
) -> Method:
    def fit(draw: Draw) -> Fitted:
        counts = draw.prepared.counts
        others = {} if em is None else {"unlabelled": counts[draw.others], "em": em}
        model = MultinomialNB(smoothing(draw.prepared))
        model.fit(counts[draw.labelled], draw.labels, **others)
        return lambda: model.predict(draw.prepared.test_counts), {}

    return fit


def _recipe(draw: Draw, descriptions: Any = None) -> Fitted:
    train, test = draw.prepared.corpus.train, draw.prepared.corpus.held_out
    labelled, others = ([train.texts[i] for i in rows] for rows in (draw.labelled, draw.others))
    classifier = TextClassifier(verbose=False, descriptions=descriptions)
    classes = [] if labelled else np.unique(draw.prepared.labels).tolist()
    try:
        classifier.fit(labelled, draw.labels, unlabelled=others, classes=classes)
    except LabelError:  # no word of a name occurs in the texts
        return lambda: np.full(len(test.texts), None), {"learner": ""}
    notes: dict[str, Any] = {"learner": classifier.learner_.name}
    if isinstance(classifier.model_, PooledNB):
        trust, translated = classifier.model_.trust_, classifier.model_.translated_
        notes |= {"trust": trust, "translated": translated}
    return lambda: classifier.predict(test.texts), notes


def _regression(draw: Draw) -> Fitted:
    train, test = draw.prepared.tfidf
    model = LogisticRegression(C=10, max_iter=1000)
    with warnings.catch_warnings():
        # One label per class looks to scikit-learn as if labels were numbers.
        warnings.filterwarnings("ignore", "The number of unique classes")
        model.fit(train[draw.labelled], draw.labels)
    return lambda: model.predict(test), {}


@dataclass(frozen=True)
class Compared:
    """A method and what it is called."""

    title: str
    fit: Method


def _semantic(prepared: Prepared) -> Smoothing:
    return Semantic(prepared.translation, min_probability=1e-5)


METHODS = {
    "laplace": Compared("Laplace", _bayes(lambda _: Laplace(1.0))),
    "background": Compared("background", _bayes(lambda _: Background(0.5), BACKGROUND_ONLY)),
    "discount": Compared(
        "absolute discounting", _bayes(lambda _: AbsoluteDiscount(), BACKGROUND_ONLY)
    ),
    "semantic": Compared("semantic", _bayes(_semantic, BACKGROUND_ONLY)),
    "semantic_em": Compared("semantic + EM", _bayes(_semantic, ExpectationMaximisation())),
    RECIPE: Compared("recipe", _recipe),
    "nameless": Compared("recipe, names ignored", partial(_recipe, descriptions=False)),
    "lr": Compared("tf-idf + LR", _regression),
}
