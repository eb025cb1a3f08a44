"""How many terms are needed: error against their number, for three scores and three models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sklearn.naive_bayes import ComplementNB

from benchmarks.corpora import Corpus
from benchmarks.tables import Drawing, Table
from benchmarks.timing import Clock
from tallytext import BernoulliNB, MultinomialNB, TextVectorizer, vocabulary_curve
from tallytext.tuning import VocabularyCurve

ABOUT = """Error rate on held-out documents, for the best terms by information gain,
χ² (the largest over the classes) and document frequency. Terms were scored on the training
documents. `vocabulary_curve` measures all of it in one call; `MultinomialNB()` and `BernoulliNB()`
are computed from masked tallies, scikit-learn's `ComplementNB()` is refitted for each point."""
SIZES = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 10**9)
MODELS = {
    "multinomial": MultinomialNB(),
    "Bernoulli": BernoulliNB(),
    "ComplementNB": ComplementNB(),
}


def measure(corpora: Sequence[Corpus], clock: Clock) -> Iterator[Table]:
    corpus, vectorizer = corpora[0], TextVectorizer()
    clock.say(f"vocabulary curve, {corpus.name}: {3 * len(MODELS) * len(SIZES)} points")
    X, held_out = (
        vectorizer.fit_transform(corpus.texts),
        vectorizer.transform(corpus.held_out.texts),
    )
    curve = vocabulary_curve(
        X,
        corpus.train.labels,
        held_out,
        corpus.held_out.labels,
        models=MODELS,
        sizes=SIZES,
        verbose=False,
    )
    yield from _tables(corpus, curve)


def _tables(corpus: Corpus, curve: VocabularyCurve) -> Iterator[Table]:
    about = f"Error against the number of terms, {corpus.name}"
    for model in MODELS:
        lines = [line for line in curve.lines if line.model == model]
        rows = [
            [f"{size:,}", *(f"{line.errors[at]:.4f}" for line in lines)]
            for at, size in enumerate(curve.sizes)
        ]
        drawing = Drawing("vocabulary-curve.svg", about, curve.figure())
        last = model == [*MODELS][-1]
        columns = ("terms", *(line.score for line in lines))
        yield Table(f"{model}, {corpus.name}", columns, rows, drawing if last else None)
