"""Naive Bayes from text to predictions, leave-one-out, and one document at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB as TheirNB
from sklearn.pipeline import Pipeline, make_pipeline

from benchmarks.corpora import Corpus
from benchmarks.tables import Table, duration, figure
from benchmarks.timing import Clock, Contestant, on
from tallytext import MultinomialNB, TextVectorizer
from tallytext.models import AbsoluteDiscount, Background, Laplace

ABOUT = """A pipeline of vectorizer and multinomial naive Bayes with Laplace(1): `fit` on the
training texts, `predict` on the held-out ones, tallytext on two threads. Leave-one-out: scores of
every training document by the model without it, compared with one `predict_log_proba` of the same
documents, with cached weights and with weights recomputed from the counts, as in leave-one-out. One
at a time: `partial_fit` of one document, then `predict` of another, amortised over 500 pairs, with
a model of the whole corpus."""
PAIRS = 500
SMOOTHINGS = (Laplace(1.0), Background(0.5), AbsoluteDiscount())


def measure(corpora: Sequence[Corpus], clock: Clock) -> Iterator[Table]:
    for corpus in corpora:
        yield _pipelines(corpus, clock)
    X, labels, new = _counted(corpora[0])
    yield _leave_one_out(corpora[0].name, X, labels, clock)
    yield _one_at_a_time(corpora[0].name, X, labels, new, clock)


def _pipelines(corpus: Corpus, clock: Clock) -> Table:
    makers = {"CountVectorizer + MultinomialNB, scikit-learn": _theirs, "tallytext": _ours}
    fits = {name: Contestant(partial(_fit, corpus), make) for name, make in makers.items()}
    train = clock.best(f"bayes, training on {corpus.name}", fits)
    fitted = {name: _fit(corpus, make()) for name, make in makers.items()}
    predicts = {name: pipeline.predict for name, pipeline in fitted.items()}
    texts = corpus.held_out.texts
    predict = clock.best(f"bayes, predicting {corpus.name}", on(texts, predicts))
    slow_train, slow_predict = next(iter(train.values())), next(iter(predict.values()))
    rows = [
        (
            name,
            duration(train[name]),
            figure(slow_train / train[name]),
            duration(predict[name]),
            figure(slow_predict / predict[name]),
        )
        for name in makers
    ]
    columns = ("", "train", "times as fast", f"predict {len(texts):,}", "times as fast")
    return Table(str(corpus), columns, rows)


def _theirs() -> Pipeline:
    return make_pipeline(CountVectorizer(), TheirNB())


def _ours() -> Pipeline:
    return make_pipeline(TextVectorizer(n_jobs=2), MultinomialNB(Laplace(1.0), n_jobs=2))


def _fit(corpus: Corpus, pipeline: Pipeline) -> Pipeline:
    return pipeline.fit(corpus.train.texts, corpus.train.labels)


def _counted(corpus: Corpus) -> tuple[Any, Any, Any]:
    vectorizer = TextVectorizer()
    X = vectorizer.fit_transform(corpus.train.texts)
    return X, np.array(corpus.train.labels), vectorizer.transform(corpus.held_out.texts)


def _leave_one_out(name: str, X: Any, labels: Any, clock: Clock) -> Table:
    rows = []
    for smoothing in SMOOTHINGS:
        model = MultinomialNB(smoothing, n_jobs=2).fit(X, labels)
        settings = {"smoothing": smoothing, "n_jobs": 2}
        runs = {
            "predict": model.predict_log_proba,
            "anew": partial(_from_counts, model.tally_, settings),
            "leave-one-out": partial(_left_out, model, labels),
        }
        seconds = clock.best(f"bayes, leave-one-out, {smoothing}", on(X, runs))
        once, anew, out = seconds.values()
        ratios = figure(out / once), figure(out / anew)
        accuracy = f"{model.leave_one_out(X, labels).accuracy:.4f}"
        times = duration(once), duration(anew), duration(out)
        rows.append((type(smoothing).__name__, *times, *ratios, accuracy))
    columns = (
        "smoothing",
        "prediction pass",
        "… weights made anew",
        "leave-one-out",
        "passes",
        "… made anew",
        "its accuracy",
    )
    return Table(f"Leave-one-out, {name}: {X.shape[0]:,} documents", columns, rows)


def _from_counts(tally: Any, settings: dict[str, Any], X: Any) -> Any:
    return MultinomialNB.from_tally(tally, **settings).predict_log_proba(X)


def _left_out(model: Any, labels: Any, X: Any) -> Any:
    return model.leave_one_out(X, labels)


def _one_at_a_time(name: str, X: Any, labels: Any, new: Any, clock: Clock) -> Table:
    lessons = [(X[at], labels[at : at + 1]) for at in range(min(PAIRS, X.shape[0]))]
    questions = [new[at] for at in range(min(len(lessons), new.shape[0]))]
    rows = []
    for smoothing in SMOOTHINGS:
        run = partial(_learn_and_predict, lessons, questions)
        prepare = partial(MultinomialNB(smoothing, n_jobs=1).fit, X, labels)
        kind = type(smoothing).__name__
        taken = clock.best(f"bayes, one at a time, {kind}", {kind: Contestant(run, prepare)})
        rows.append((kind, duration(taken[kind] / len(questions))))
    return Table(f"One at a time, {name}", ("smoothing", "learn one and predict one"), rows)


def _learn_and_predict(lessons: list[Any], questions: list[Any], model: Any) -> None:
    for (document, label), question in zip(lessons, questions, strict=False):
        model.partial_fit(document, label)
        model.predict(question)
