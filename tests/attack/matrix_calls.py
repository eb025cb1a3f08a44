"""Every public method and function that takes a matrix of counts, and malformed matrices for them.

Methods of the public classes are found by the names of their parameters, so that a new one is tried
as soon as there is one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

import tallytext
import tallytext.sklearn
import tallytext.text
from tallytext import TextVectorizer, features, models, semantic, tally
from tallytext.models import Topicality
from tallytext.models.pool import DocumentPool
from tallytext.semantic import TranslationModel
from tallytext.semantic.estimation import translation_rows, weight_counts
from tallytext.text.duplicates import document_keys, has_near_duplicate

#: The names of parameters that are matrices of counts.
MATRICES = ("X", "x", "documents", "counts")

Change = Callable[[Any], Any]

LABELS = ["sea", "sky", "sun"] * 4
WORDS = ["salt", "wave", "blue", "cloud", "warm", "the"]


def counts() -> Any:
    """Twelve documents over six terms."""
    rng = np.random.default_rng(7)
    dense = rng.integers(0, 4, (12, 6)) * (rng.random((12, 6)) < 0.7)
    dense[np.arange(12), np.arange(12) % 3] += 5
    return sparse.csr_array(dense)


#: Values of other parameters, by name.
OTHERS: dict[str, Any] = {
    "y": LABELS,
    "labels": LABELS,
    "label": "sea",
    "k": 2,
    "names": WORDS,
    "terms": WORDS,
    "n_components": 2,
    "min_df": 1,
    "beta": 0.5,
    "n_threads": 1,
    "topicality": Topicality(),
}


@cache
def estimators() -> dict[str, Callable[[], Any]]:
    """Return how each class with such methods is made, fitted if it can be."""
    made: dict[str, Callable[[], Any]] = {
        name: (lambda cls=cls: cls().fit(counts(), LABELS))
        for name, cls in vars(tallytext).items()
        if name in ("BernoulliNB", "MultinomialNB", "PoissonNB", "PooledNB", "SmartWeighting")
        or name in ("LLSF", "L1Selector", "FisherFeatures")
    }
    return made | {
        "Calibrated": lambda: models.Calibrated(models.MultinomialNB()).fit(counts(), LABELS),
        "CosineKNN": lambda: models.CosineKNN(3).fit(counts(), LABELS),
        "LinearDiscriminant": lambda: models.LinearDiscriminant().fit(counts(), LABELS),
        "RefinedNB": lambda: models.RefinedNB().fit(counts(), LABELS),
        "RotationForest": lambda: models.RotationForest(n_estimators=2).fit(counts(), LABELS),
        "TermSelector": lambda: features.TermSelector(k=3).fit(counts(), LABELS),
        "Concepts": lambda: semantic.Concepts({"salt": "sea"}).fit(),
        "TextVectorizer": lambda: TextVectorizer().fit([" ".join(WORDS)]),
        "CountVectorizer": lambda: tallytext.sklearn.CountVectorizer().fit([" ".join(WORDS)]),
        "TfidfVectorizer": lambda: tallytext.sklearn.TfidfVectorizer().fit([" ".join(WORDS)]),
        "Tally": lambda: tally.Tally.from_counts(counts(), LABELS, terms=WORDS),
        "GatheredTally": lambda: tally.GatheredTally.from_counts(counts(), LABELS, terms=WORDS),
        "SelectedTally": lambda: features.SelectedTally(
            tally.Tally.from_counts(counts(), LABELS, terms=WORDS), features.TermSelector(k=3)
        ),
        "TranslationModel": lambda: TranslationModel(min_df=1).fit_counts(counts(), WORDS),
        "DocumentPool": lambda: DocumentPool,
        "Topicality": Topicality,
        "ExpectationMaximisation": models.ExpectationMaximisation,
    }


#: Classes with parameters of these names that are no matrices from a user.
OTHER_CLASSES = {
    "Anchor", "AnchoredEM", "Comparison", "CorpusStatistics", "Documents", "PCut", "PredictionSets",
}  # fmt: skip


#: Methods whose parameters of these names are texts, or come from a file.
OTHER_METHODS = {
    "TermSelector.restore", "DocumentPool.append", "TranslationModel.fit_transform",
    "Concepts.fit", "Concepts.fit_transform", "Concepts.transform",
}  # fmt: skip


def public_classes() -> Iterator[type]:
    modules = (tallytext, models, features, semantic, tally, tallytext.sklearn, tallytext.text)
    seen = {}
    for module in modules:
        for name in module.__all__:
            found = getattr(module, name, None)
            if inspect.isclass(found) and name not in OTHER_CLASSES:
                seen[name] = found
    yield from seen.values()


def methods() -> Iterator[tuple[str, str, str]]:
    """Yield class, method and parameter for each public method that takes a matrix."""
    for cls in public_classes():
        for name, method in inspect.getmembers(cls, callable):
            if name.startswith("_") or issubclass(cls, models.Smoothing):
                continue
            if f"{cls.__name__}.{name}" in OTHER_METHODS:
                continue
            try:
                parameters = inspect.signature(method).parameters
            except ValueError:
                continue
            for parameter in MATRICES:
                if parameter in parameters:
                    yield cls.__name__, name, parameter


@cache
def fitted(cls: str) -> Any:
    """Return a fitted object, for calls that do not change it."""
    return estimators()[cls]()


def method_call(
    cls: str, name: str, parameter: str, change: Change = lambda X: X, subject: Any = None
) -> Any:
    """Call a method of a fitted object with a changed matrix, and plain values for the rest."""
    X = counts()
    if subject is None:
        subject = estimators()[cls]()
        if name == "forget_unlabelled":
            subject.learn_unlabelled(X)
    method = getattr(subject, name)
    if parameter == "x":
        X = X[[0]]
    elif name == "inverse_transform" and cls.endswith("Selector"):
        X = X[:, : int(subject.get_support().sum())]
    others = {}
    for other, of in inspect.signature(method).parameters.items():
        needed = of.default is of.empty and of.kind not in (of.VAR_KEYWORD, of.VAR_POSITIONAL)
        if other != parameter and (needed or other in ("y", "labels", "terms")):
            others[other] = _other(other)
    return method(**{parameter: change(X)}, **others)


def _other(name: str) -> Any:
    if name == "model":
        return tallytext.MultinomialNB().fit(counts(), LABELS)
    if name == "tally":
        return tally.Tally.from_counts(counts(), LABELS, terms=WORDS)
    return OTHERS[name]


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "cross_validate": lambda X: models.cross_validate(models.MultinomialNB(), X, LABELS, folds=2),
    "tune": lambda X: tallytext.tune(X, LABELS, folds=2),
    "vocabulary_curve": lambda X: tallytext.vocabulary_curve(X, LABELS, cv=2, verbose=False),
    "choose_per_class": lambda X: models.choose_per_class(
        models.PoissonNB(), X, LABELS, folds=2, alphas=(1.0,)
    ),
    "document_frequencies": features.document_frequencies,
    "smart_weights": lambda X: features.smart_weights(X, "ltc", np.ones(6), 12),
    "related_pairs": lambda X: features.related_pairs(X, verbose=False),
    "term_strength": lambda X: features.term_strength(X, verbose=False),
    "term_strength_from_pairs": lambda X: features.term_strength_from_pairs(X, [(0, 1)]),
    "function_words": semantic.function_words,
    "document_keys": document_keys,
    "has_near_duplicate": lambda X: has_near_duplicate(X, np.arange(12) % 2),
    "translation_rows": lambda X: translation_rows(X, np.full(6, 1 / 6)),
    "weight_counts": lambda X: weight_counts(X, "log"),
    "classes of an indicator matrix": lambda X: models.MultinomialNB().fit(counts(), X),
    "unlabelled documents": lambda X: models.PooledNB().fit(counts(), LABELS, unlabelled=X),
    "documents for EM": lambda X: models.MultinomialNB().fit(counts(), LABELS, unlabelled=X),
}


def function_call(name: str, change: Change = lambda X: X) -> Any:
    """Call a function with a changed matrix."""
    X = counts()
    if name == "classes of an indicator matrix":
        X.data[:] = 1
    return FUNCTIONS[name](change(X))


def _set(X: Any, name: str, at: int, value: int, dtype: Any = None) -> None:
    array = getattr(X, name).astype(dtype or getattr(X, name).dtype)
    array[at] = value
    setattr(X, name, array)


def _starts(at: int, value: int, dtype: Any = None) -> Callable[[Any], None]:
    return lambda X: _set(X, "indptr", at, value, dtype)


def _indices(at: int, value: int, dtype: Any = None) -> Callable[[Any], None]:
    return lambda X: _set(X, "indices", at, value, dtype)


def _replace(name: str, make: Callable[[Any], Any]) -> Callable[[Any], None]:
    return lambda X: setattr(X, name, make(getattr(X, name)))


#: Ways to be malformed that every entry refuses. Each can be seen in the first row or in the whole.
MALFORMED: dict[str, Callable[[Any], None]] = {
    "starts descend": _starts(1, 10**6),
    "starts below zero": _starts(1, -1),
    "starts far below zero": _starts(1, -(2**63), np.int64),
    "starts beyond 63 bits": _starts(1, 2**63 - 1, np.int64),
    "starts not from zero": _starts(0, 1),
    "starts are fractions": _replace("indptr", lambda a: a + 0.5),
    "starts are text": _replace("indptr", lambda a: a.astype(str)),
    "starts have two dimensions": _replace("indptr", lambda a: a[np.newaxis]),
    "starts are too few": _replace("indptr", lambda a: a[:1]),
    "no starts": _replace("indptr", lambda a: a[:0]),
    "starts are too many": _replace("indptr", lambda a: np.append(a, a[-1])),
    "an index below zero": _indices(0, -1),
    "an index too large": _indices(0, 6),
    "an index far too large": _indices(0, 2**31 - 1),
    "an index beyond 32 bits": _indices(0, 2**32, np.int64),
    "an index beyond 40 bits": _indices(0, 2**40, np.int64),
    "indices are fractions": _replace("indices", lambda a: a + 0.5),
    "indices are objects": _replace("indices", lambda a: a.astype(object)),
    "too few indices": _replace("indices", lambda a: a[:-1]),
    "no indices": _replace("indices", lambda a: a[:0]),
    "too few values": _replace("data", lambda a: a[:-1]),
    "too many values": _replace("data", lambda a: np.append(a, 1)),
    "values of two dimensions": _replace("data", lambda a: a[np.newaxis]),
    "values are objects": _replace("data", lambda a: a.astype(object)),
    "values are complex": _replace("data", lambda a: a.astype(complex)),
}


def malformed(name: str) -> Change:
    """Return a function that makes the arrays of a matrix contradict each other."""

    def change(X: Any) -> Any:
        bad = sparse.csr_array(X, copy=True)
        MALFORMED[name](bad)
        return bad

    return change
