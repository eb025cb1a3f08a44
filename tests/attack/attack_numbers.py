"""Corpora at the edge of what can be counted, through every learner, model, smoothing and rule.

Probabilities must be numbers, lie from 0 to 1 and sum to one; the label must be the most probable
one; forgetting must undo learning; a sum beyond 64 bits must be refused and change nothing. NumPy
must not warn: its warnings are errors here, except for numbers that are too small to matter.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse
from trial import Trial

from tallytext import (
    BernoulliNB,
    MultinomialNB,
    Plane,
    PoissonNB,
    RotationForest,
    Tally,
    TextClassifier,
)
from tallytext.classifier import learners
from tallytext.decision import Isotonic, PCut, Platt, RCut, SCut, Temperature, TopLabel
from tallytext.errors import CountOverflowError, TallytextError
from tallytext.models import (
    LLSF,
    AbsoluteDiscount,
    Background,
    Calibrated,
    CosineKNN,
    Dirichlet,
    Laplace,
    LinearDiscriminant,
    PooledNB,
    RefinedNB,
    Unsmoothed,
)

LARGEST = 2**63 - 1
QUERIES = ["sea", "sea sky sky", "unheard of", "", "sea " * 3000]
SOME = ["sea wave", "sky blue", "sea salt", "sky cloud", "land road", "land tree"] * 3
OF_SOME = ["sea", "sky", "sea", "sky", "land", "land"] * 3

# Name, texts and labels.
CORPORA: dict[str, tuple[list[str], list[Any]]] = {
    "one class": (SOME, ["a"] * len(SOME)),
    "a class without words": ([*SOME, "", "", ""], [*OF_SOME, "none", "none", "none"]),
    "documents without words": ([*SOME, "", "", ""], [*OF_SOME, "sea", "sky", "land"]),
    "no words at all": ([""] * 6, ["a", "b"] * 3),
    "all documents equal": (["sea sky"] * 12, ["a", "b"] * 6),
    "equal, with several labels": (["sea sky"] * 12, [["a"], ["a", "b"], []] * 4),
    "every label on every document": (SOME, [["a", "b"]] * len(SOME)),
    "no labels but of one document": (SOME, [["a"], *[[] for _ in SOME[1:]]]),
    "one word": (["sea", "sea sea", "sea sea sea"] * 4, ["a", "b", "a", "a"] * 3),
    "labels that are spelt alike": (SOME, [1, "1", 2.5, "2.5", 1, "1"] * 3),
    "true, one and their names": (SOME, [True, "True", 7, "7", False, "False"] * 3),
    "two documents": (["sea", "sky"], ["a", "b"]),
    "one document each": (SOME[:6], list("abcdef")),
    "very long documents": (["sea " * 5000, "sky " * 5000] * 6, ["sea", "sky"] * 6),
    "one very long document": ([*SOME, "sea " * 100_000], [*OF_SOME, "sky"]),
    "one class of nearly all": (["sea"] * 400 + ["sky", "sky"], ["a"] * 400 + ["b", "b"]),
}


SMOOTHINGS = [
    *(Laplace(), Laplace(1e-9), Laplace(1e9), Background(), Background(1e-9), Background(1.0)),
    *(Dirichlet(), Dirichlet(1e-9), Dirichlet(1e12), AbsoluteDiscount(), AbsoluteDiscount(1.0)),
    Unsmoothed(),
]
PRIORS = ["ml", "smoothed", "uniform"]
FORMS: list[dict[str, Any]] = [
    *({}, {"complement": True}, {"complement": "only"}, {"length_model": True}),
    *({"weighting": "chi"}, {"weighting": "prr", "weight_by_class": True}),
    *({"tf": "log", "normalize": "l2"}, {"tf": "binary"}, {"class_weight": "balanced"}),
]

# Rows of counts, and the label of each.
TABLES: dict[str, tuple[Any, list[Any]]] = {
    "ordinary": ([[2, 1, 0], [0, 1, 2], [1, 0, 0], [0, 0, 3]], ["a", "b", "a", "b"]),
    "one class": ([[2, 1, 0], [0, 1, 2]], ["a", "a"]),
    "a class without words": ([[2, 1, 0], [0, 0, 0], [1, 0, 0]], ["a", "b", "a"]),
    "no words": ([[0, 0], [0, 0]], ["a", "b"]),
    "one word": ([[3], [1], [2]], ["a", "b", "b"]),
    "equal": ([[1, 1]] * 4, ["a", "b", "a", "b"]),
    "large counts": ([[2**31, 1, 0], [0, 1, 2**31], [1, 2**31, 0]], ["a", "b", "b"]),
    "counts near 2**63": ([[2**61, 0], [0, 2**61], [1, 1]], ["a", "b", "a"]),
    "apart": ([[10**6, 0], [0, 10**6]] * 2, ["a", "b"] * 2),
}

# Scores that a calibrator may see, and which of them are right.
SCORES: dict[str, tuple[list[float], list[bool]]] = {
    "ordinary": ([-3, -2, -1, 0, 1, 2], [False, True, False, True, False, True]),
    "all right": ([-1, 0, 1], [True] * 3),
    "all wrong": ([-1, 0, 1], [False] * 3),
    "equal": ([1.0] * 4, [True, False] * 2),
    "apart": ([-1e6, -1e6, 1e6, 1e6], [False, False, True, True]),
    "the wrong way round": ([-5, -4, 4, 5], [True, True, False, False]),
    "huge": ([-1e300, -1.0, 1.0, 1e300], [False, True, False, True]),
    "tiny": ([-5e-324, 0.0, 5e-324, 1e-300], [False, True, False, True]),
    "one": ([0.5], [True]),
    "many": (
        [at / 7 for at in range(-300, 300)],
        [at % 3 > 0 or at > 0 for at in range(-300, 300)],
    ),
}


@contextlib.contextmanager
def strict_numbers() -> Iterator[None]:
    """Raise what NumPy would warn of."""
    with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        yield


def attack(trial: Trial) -> None:
    """Try every corpus with every learner, every table with every model, and every rule."""
    attack_classifiers(trial)
    attack_models(trial)
    attack_calibrators(trial)
    attack_sums(trial)
    attack_many_classes(trial)


# ---------------------------------------------------------------------- classifiers


def attack_classifiers(trial: Trial) -> None:
    names = ["auto", *(learner.name for learner in learners())]
    slow = {"auto", "pooled", "rotation"}
    for (corpus, (texts, labels)), name in itertools.product(CORPORA.items(), names):
        if trial.quick and (name in slow or "long" in corpus):
            continue
        case = f"{name} of {corpus}"
        with trial.case(case, TallytextError), strict_numbers():
            model = RotationForest(n_estimators=3) if name == "rotation" else name
            classifier = TextClassifier(model, budget=1e9).fit(texts, labels)
            check_probabilities(trial, case, classifier, QUERIES)
            check_forgetting(trial, case, classifier, texts[:3], labels[:3])


def check_probabilities(trial: Trial, case: str, model: Any, X: Any) -> None:
    """Check the probabilities of documents, and the labels that are predicted from them."""
    proba, labels = model.predict_proba(X), model.predict(X)
    inside = bool(np.isfinite(proba).all() and (proba >= 0).all() and (proba <= 1).all())
    trial.expect(inside, f"{case}: these are no probabilities: {proba}")
    if model.multi_label_:
        return
    sums = proba.sum(axis=1)
    trial.expect(bool((abs(sums - 1) < 1e-9).all()), f"{case}: probabilities sum to {sums}")
    known = model.classes_.tolist()
    for document, (row, label) in enumerate(zip(proba, labels.tolist(), strict=True)):
        at = known.index(label)
        is_best = row[at] >= row.max() - 1e-8 or is_tied(model, X, document, at)
        found = f"{case}: predicts {label!r} where {known} have {row}"
        trial.expect(type(known[at]) is type(label) and is_best, f"{found:.400}")


def is_tied(model: Any, X: Any, document: int, at: int) -> bool:
    """Return True if a class has the best score but for rounding: of these any may be predicted."""
    if isinstance(model, TextClassifier):
        model, X = model.model_, model.vectorizer_.transform(X)
    scores = model.scores(X)[document]
    return bool(scores[at] >= scores.max() - 1e-9 * max(1.0, abs(scores.max())))


def check_forgetting(
    trial: Trial, case: str, classifier: TextClassifier, texts: list[str], labels: list[Any]
) -> None:
    """Learn and forget documents; counts must be those before, and so must probabilities."""
    learner = classifier.learner_
    if not (learner.additive or learner.incremental):
        return
    tally, before = classifier.tally_.copy(), classifier.predict_proba(QUERIES)
    classifier.learn(texts, labels)
    check_probabilities(trial, f"{case}, after learning", classifier, QUERIES)
    classifier.forget(texts, labels)
    trial.expect(classifier.tally_ == tally, f"{case}: learning cannot be undone")
    if learner.additive:
        after = classifier.predict_proba(QUERIES)
        trial.expect(np.allclose(before, after, atol=1e-9), f"{case}: {before} became {after}")


# ---------------------------------------------------------------------- models of counts


def models() -> Iterator[Any]:
    for smoothing, prior in itertools.product(SMOOTHINGS, PRIORS):
        for form in FORMS:
            yield MultinomialNB(smoothing, prior=prior, **form)
    for prior in PRIORS:
        yield from (BernoulliNB(prior=prior), BernoulliNB(1e-9, prior=prior, complement=True))
        yield from (PoissonNB(prior=prior), PoissonNB(weighting="chi", prior=prior))
    yield from (RefinedNB(), CosineKNN(), LLSF(), LinearDiscriminant(), PooledNB())
    yield from (Calibrated(), Calibrated(method="platt"), Calibrated(BernoulliNB()))


def attack_models(trial: Trial) -> None:
    chosen = list(models())
    if trial.quick:
        chosen = chosen[::7]
    for (table, (rows, labels)), model in itertools.product(TABLES.items(), chosen):
        X = sparse.csr_array(np.array(rows, dtype=np.int64))
        queries = sparse.csr_array(np.vstack([X[[0]].toarray(), np.zeros_like(X[[0]].toarray())]))
        case = f"{model} of {table}"
        # A refusal is of this package or, as in scikit-learn, a ValueError.
        with trial.case(case, ValueError), strict_numbers():
            fitted = type(model)(**model.get_params(deep=False)).fit(X, labels)
            if not isinstance(model, Calibrated):
                check_probabilities(trial, case, fitted, queries)
                continue
            proba = fitted.predict_proba(queries)
            trial.expect(
                bool((abs(proba.sum(axis=1) - 1) < 1e-9).all()), f"{case}: they are {proba}"
            )


# ---------------------------------------------------------------------- calibrators and rules


def attack_calibrators(trial: Trial) -> None:
    ascending = np.array([-math.inf, -1e308, -1e6, *np.linspace(-9, 9, 41), 1e6, 1e308, math.inf])
    for name, (scores, truth) in SCORES.items():
        column, right = np.array(scores, float)[:, None], np.array(truth)[:, None]
        for kind in (Platt, Isotonic):
            case = f"{kind.__name__} of {name} scores"
            with trial.case(case, TallytextError), strict_numbers():
                proba = kind.fit(column, right).proba(ascending[1:-1, None])[:, 0]
                check_rising(trial, case, proba)
        pairs = np.hstack([column, -column])
        classes = np.where(truth, 0, 1)
        for fit in (Temperature.fit, TopLabel.fit):
            case = f"{fit.__self__.__name__} of {name} scores"
            with trial.case(case, TallytextError), strict_numbers():
                fitted: Any = fit(pairs, np.ones(len(pairs)), classes)
                finite = ascending[2:-2]
                logs = fitted.log_proba(np.c_[finite, -finite], np.ones(len(finite)))
                proba = np.exp(logs)
                trial.expect(np.allclose(proba.sum(axis=1), 1, atol=1e-9), f"{case}: no sum of one")
                check_rising(trial, case, proba[:, 0])
        for rule in (SCut(), RCut(1), PCut()):
            with trial.case(f"{rule} of {name} scores", TallytextError), strict_numbers():
                both = np.hstack([right, ~right])
                fitted_rule = rule.fit(both) if isinstance(rule, PCut) else rule
                if isinstance(rule, SCut):
                    fitted_rule = rule.fit(pairs, both)
                chosen = fitted_rule.decide(pairs)
                trial.expect(chosen.shape == pairs.shape, f"{rule}: decides {chosen.shape}")


def check_rising(trial: Trial, case: str, proba: Any) -> None:
    inside = bool(np.isfinite(proba).all() and (proba >= 0).all() and (proba <= 1).all())
    trial.expect(inside, f"{case}: these are no probabilities: {proba}")
    falls = np.diff(proba).min(initial=0)
    trial.expect(falls >= -1e-12, f"{case}: a higher score has a probability lower by {-falls}")


# ---------------------------------------------------------------------- sums


def attack_sums(trial: Trial) -> None:
    """Learn counts until a sum would exceed 64 bits."""
    planes = [[], [Plane("log", "l2")], [Plane("binary", weighted=True)]]
    changes: dict[str, Callable[[Tally], Any]] = {
        "a count": lambda t: t.learn({"sea": LARGEST}, "a"),
        "two counts": lambda t: t.learn({"sea": 2**62, "sky": 2**62}, "b"),
        "a count of another class": lambda t: t.learn({"sea": LARGEST}, "b"),
        "two classes": lambda t: t.learn({"sea": 2**62}, ["a", "b"]),
        "a matrix": lambda t: t.learn(np.full((2, 2), 2**62), ["a", "b"], terms=["sea", "sky"]),
        "a count beyond 64 bits": lambda t: t.learn({"sea": 2**63}, "a"),
        "an unsigned count": lambda t: t.learn(
            np.array([[2**63, 1]], np.uint64), ["a"], terms=["sea", "sky"]
        ),
        "a float count": lambda t: t.learn(np.array([[1e300, 1]]), ["a"], terms=["sea", "sky"]),
        "an infinite count": lambda t: t.learn(
            np.array([[np.inf, 1]]), ["a"], terms=["sea", "sky"]
        ),
        "a huge weight": lambda t: t.learn({"sea": 1}, "a", sample_weight=1e300),
        "an infinite weight": lambda t: t.learn({"sea": 1}, "a", sample_weight=np.inf),
        "a weight that is no number": lambda t: t.learn({"sea": 1}, "a", sample_weight=np.nan),
        "itself": lambda t: t.__iadd__(t),
        "a copy": lambda t: t.__iadd__(t.copy()),
        "forgetting the unlearned": lambda t: t.forget({"sea": LARGEST}, "a"),
        "forgetting too much": lambda t: t.__isub__(t + t),
    }
    for (name, change), first, made in itertools.product(
        changes.items(), [1, 2**62, LARGEST - 1], planes
    ):
        case = f"{name} after {first} with {made}"
        with trial.case(case, TallytextError), strict_numbers():
            tally = Tally(planes=made)
            with contextlib.suppress(CountOverflowError):  # a plane may not hold the first
                tally.learn({"sea": first, "salt": 1}, "a")
            before = tally.copy()
            try:
                change(tally)
            except TallytextError:
                trial.expect(tally == before, f"{case}: was refused, and changed the tally")
                raise
            again = Tally.from_arrays(*tally.to_arrays())
            trial.expect(again == tally, f"{case}: does not come back from arrays")
            trial.expect(min([0, *tally.class_tokens]) >= 0, f"{case}: a sum is negative")


def attack_many_classes(trial: Trial) -> None:
    """Learn a class for each document."""
    n = trial.some(quick=300, full=10_000)
    texts = [f"word{at} word{at // 2} sea" for at in range(n)]
    labels = [f"class {at}" for at in range(n)]
    for name in ("chi-contrast", "multinomial", "bernoulli", "poisson", "neighbours", "refined"):
        if name == "refined" and not trial.quick:
            texts, labels = texts[:1000], labels[:1000]
        case = f"{name} of {len(texts):,} classes"
        with trial.case(case, TallytextError), strict_numbers():
            classifier = TextClassifier(name).fit(texts, labels)
            check_probabilities(trial, case, classifier, [*QUERIES, texts[7]])
            check_forgetting(trial, case, classifier, texts[:2], labels[:2])
