"""Files of classifiers to be bent, and everything that one which was read must be able to do."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from subjects import Subject, expect

from tallytext import (
    LLSF,
    MultinomialNB,
    PoissonNB,
    RotationForest,
    TermSelector,
    TextClassifier,
    TextVectorizer,
)
from tallytext.errors import CountOverflowError, FileError, NotAdditiveError
from tallytext.features import FisherFeatures, L1Selector
from tallytext.models import (
    AbsoluteDiscount,
    Dirichlet,
    LinearDiscriminant,
    Semantic,
    Unsmoothed,
)

WORDS = {"sea": "salt wave ship", "sky": "cloud blue wind", "land": "tree road hill"}
QUERIES = ["salt wave", "blue hill and a naïve word", ""]
UNUSUAL = TextVectorizer(
    tokens=re.compile(r"\w\w+", re.IGNORECASE),
    stop_words={"and", "the"},
    ngram_range=(1, 2),
    strip_accents="unicode",
    min_df=2,
    dtype=np.float32,
)


def corpus(n: int) -> tuple[list[str], list[str]]:
    """Return documents of three classes, most of their words being of their class."""
    rng = np.random.default_rng(7)
    labels = [list(WORDS)[number] for number in rng.integers(0, 3, n)]
    everything = " ".join(WORDS.values()).split()
    texts = [
        " ".join([*rng.choice(WORDS[label].split(), 3), *rng.choice(everything, 3)])
        for label in labels
    ]
    return [*texts, texts[0], texts[1]], [*labels, labels[0], labels[2]]


def multi_label(n: int) -> tuple[list[str], list[list[str]]]:
    """Return the same, where documents have one label, two or none."""
    texts, labels = corpus(n)
    pairs = [sorted({*pair}) for pair in zip(labels, labels[1:] + labels[:1], strict=True)]
    joint = [f"{a} {b}" for a, b in zip(texts, texts[1:] + texts[:1], strict=True)]
    return [*joint, "nothing of note"], [*pairs, []]


def classifiers() -> Iterator[TextClassifier]:
    yield TextClassifier(budget=1e9).fit(*corpus(60))
    yield TextClassifier("chi-contrast").fit(*corpus(90)).learn(["new word"], ["new class"])
    yield TextClassifier("poisson").fit(*corpus(40))
    yield TextClassifier("chi-contrast").fit(*multi_label(200))
    stale = TextClassifier(MultinomialNB(AbsoluteDiscount()), vectorizer=UNUSUAL).fit(
        *multi_label(30)
    )
    yield stale.learn(["salt new"], [["new", "sea"]]).forget(
        *(part[:1] for part in multi_label(30))
    )
    yield TextClassifier("bernoulli").fit(["a b", "c"], np.array([[1, 0, 1], [0, 0, 1]]))
    yield TextClassifier("multinomial").fit(["ab cd", "cd ef", "gh", "ij"], [True, 7, 0.5, "x"])
    yield from naive_bayes_classifiers()
    yield from trained_classifiers()
    yield TextClassifier("chi-contrast", select="ig").fit(*multi_label(60))


def naive_bayes_classifiers() -> Iterator[TextClassifier]:
    """Yield naive Bayes models with the settings that others do not have."""
    yield TextClassifier("contrast").fit(*corpus(40))
    yield TextClassifier("complement", thresholds="macro").fit(*multi_label(60))
    yield TextClassifier(PoissonNB(per_class=True)).fit(*multi_label(60))
    for smoothing in (Dirichlet(), Unsmoothed(), Semantic()):
        yield TextClassifier(MultinomialNB(smoothing)).fit(*corpus(40))
    texts, labels = corpus(60)
    weights = {"sea": 2.0, "sky": 1.0, "land": 0.5}
    weighted = TextClassifier("chi-contrast", class_weight=weights)
    yield weighted.fit(texts, labels, sample_weight=[1 + at % 3 for at in range(len(texts))])
    shares = {"sea": 0.3, "sky": 0.5, "land": 0.9}
    yield TextClassifier("contrast", thresholds=shares).fit(*multi_label(60))
    # So large that arrays of the file are packed.
    rng = np.random.default_rng(3)
    words = [f"{one}{other}" for one in "abcdefghijklmnopqrst" for other in "uvwxyzäöüß"]
    many = [" ".join(rng.choice(words, 20)) for _ in range(60)]
    yield TextClassifier("chi-contrast").fit(many, [f"class {at % 7}" for at in range(60)])


def trained_classifiers() -> Iterator[TextClassifier]:
    """Yield one of each learner that is trained on documents."""
    few = RotationForest(n_estimators=3, n_blocks=2, n_components=2)
    yield TextClassifier("refined").fit(*corpus(60))
    yield TextClassifier("refined", select=TermSelector("chi", k=5)).fit(*multi_label(60))
    yield TextClassifier("refined", select=L1Selector()).fit(*corpus(60))
    yield TextClassifier("refined", keep="counts").fit(*corpus(40))
    yield TextClassifier("refined").fit(*corpus(40)).learn(["new word"], ["new class"])
    yield TextClassifier("neighbours").fit(*corpus(40)).learn(["new word"], ["new class"])
    yield TextClassifier("neighbours").fit(*multi_label(60))
    yield TextClassifier("llsf").fit(*multi_label(60))
    yield TextClassifier(LLSF("svd", n_components=3)).fit(*corpus(40))
    yield TextClassifier(LLSF(keep="documents")).fit(*corpus(40))
    yield TextClassifier(few).fit(*corpus(40))
    yield TextClassifier("discriminant").fit(*corpus(40))
    yield TextClassifier(LinearDiscriminant(FisherFeatures(n_components=2))).fit(*multi_label(60))
    texts, labels = corpus(40)
    yield TextClassifier("pooled").fit(texts[:20], labels[:20], unlabelled=texts[20:])
    yield TextClassifier("pooled").fit(texts[:20], labels[:20]).learn(["new word"], ["new class"])


def classifier_subjects(path: Path) -> Iterator[Subject]:
    """Yield files of classifiers."""
    for classifier in classifiers():
        classifier.save(path)
        yield Subject(path.read_bytes(), TextClassifier.load, use_classifier, glance_classifier)


def use_classifier(classifier: TextClassifier) -> Any:
    """Ask all that can be asked; return what was said."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        said = [packed_twice(classifier), *answers(classifier)]
        if classifier.learner_.additive or classifier.learner_.incremental:
            check_learning(classifier)
    return said


def glance_classifier(classifier: TextClassifier) -> None:
    """Ask for probabilities and for a file."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if len(classifier.classes_):
            check_probabilities(classifier)
        packed_twice(classifier)


def check_probabilities(classifier: TextClassifier) -> Any:
    proba = classifier.predict_proba(QUERIES)
    expect(bool(((proba >= 0) & (proba <= 1)).all()), f"these are no probabilities: {proba}")
    sums = proba.sum(axis=1)
    expect(classifier.multi_label_ or np.allclose(sums, 1, atol=1e-9), f"they sum to {sums}")
    return proba


def answers(classifier: TextClassifier) -> list[Any]:
    report = classifier.report()
    said: list[Any] = [str(report), report.to_dict()]
    if not len(classifier.classes_):
        return said
    proba = check_probabilities(classifier)
    label = classifier.classes_.tolist()[0]
    expect(not np.isnan(classifier.rank(QUERIES, label)).any(), "a rank is not a number")
    said += [proba.tolist(), classifier.predict(QUERIES).tolist(), classifier.top_k(QUERIES)]
    said += [repr(classifier)]
    if not isinstance(classifier.model_, RotationForest):  # which words cannot explain
        said += [classifier.terms(label), str(classifier.explain(QUERIES[1]))]
    if classifier.calibration_ is not None:
        said.append(classifier.predict_set(QUERIES, by_class=True))
    return said


def packed_twice(classifier: TextClassifier) -> bytes:
    """Return the file of a classifier, which must give the same classifier and the same file."""
    content = classifier.to_bytes()
    again = TextClassifier.from_bytes(content)
    expect(again.tally_ == classifier.tally_, "a tally does not come back")
    expect(again.to_bytes() == content, "a classifier does not come back")
    return content


def check_learning(classifier: TextClassifier) -> None:
    before, columns = classifier.tally_.copy(), classifier.n_columns_
    label = classifier.classes_.tolist()[0] if columns is not None else "a class of its own"
    try:
        classifier.learn(QUERIES, [label] * len(QUERIES))
        classifier.predict_proba(QUERIES)
        classifier.forget(QUERIES, [label] * len(QUERIES))
    except (CountOverflowError, FileError, NotAdditiveError):
        pass  # a sum that was as large as can be, or stored documents that are damaged
    expect(classifier.tally_ == before, "learning cannot be undone")
