"""Smoothing and words: what the paper does not say, tried."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from experiments.kim.judging import FBR, Judged, both
from experiments.kim.jury import ALPHA, THETA, Scores, poisson_jury, unigram_scores
from experiments.kim.published import CHI, PNB, REUTERS, UM
from experiments.kim.split import ENGLISH, Split, Words, reuters
from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from tallytext import PoissonNB
from tallytext.decision import PCut, SCut
from tallytext.evaluation import f_measures

HEADING = "Other smoothing, other words"
ABOUT = """The paper does not state θ, the count that is added to each word of each document, nor
stop words, stemming and the minimum number of documents of a word. The table has Reuters with other
choices, and otherwise the settings of Table 4. Θ = θ|V| is the total of pseudo-words per document;
θ = 1, as in Laplace, means as many as there are words in the vocabulary. The columns "folds" are F1
of held-out training documents, with thresholds fitted to these scores: a basis for choices without
test documents. "Break-even" and "oracle" are as above."""
THETAS = (1.0, 3.0, 10.0, 30.0, 100.0)
WORDS: dict[str, Words] = {
    "no stop words, in two documents or more": ENGLISH,
    "all words": (),
    "stop words kept": (("min_df", 2),),
    "words of one document kept": (("stop_words", "english"),),
    "in five documents or more": (("min_df", 5), ("stop_words", "english")),
    "stemmed": (("language", "english"), ("min_df", 2), ("stop_words", "english")),
}
MODELS = {PNB: None, CHI: "chi"}


def measure(work: Workplace) -> dict[str, Any]:
    thetas = THETAS[2:3] if work.quick else THETAS
    n_words = reuters(work).train.counts.shape[1]
    masses = {f"Θ = {theta:g}": theta for theta in thetas}
    if not work.quick:
        masses[f"θ = 1 (Θ = {n_words:,})"] = float(n_words)
    smoothed = {
        name: _models(work, masses[name], ENGLISH) for name in work.track(masses, "smoothing")
    }
    kinds = [*WORDS][:2] if work.quick else [*WORDS]
    return {
        "smoothing": smoothed,
        "words": {kind: _words(work, WORDS[kind]) for kind in work.track(kinds)},
    }


def _words(work: Workplace, words: Words) -> dict[str, Any]:
    split = reuters(work, words)
    unigram = _measured(split, unigram_scores(work, words))
    return {"n_words": split.train.counts.shape[1], UM: unigram, **_models(work, THETA, words)}


def _models(work: Workplace, theta: float, words: Words) -> dict[str, Any]:
    jury = poisson_jury(work, theta, words)
    return {
        name: _measured(jury.split, jury.scores(PoissonNB.z_star, weighting=weighting, alpha=ALPHA))
        for name, weighting in MODELS.items()
    }


def _measured(split: Split, scores: Scores) -> dict[str, float]:
    rule = SCut(fbr=FBR).fit(scores.train, split.train.truth)
    folds = f_measures(split.train.truth, rule.decide(scores.train))
    even = Judged.of(split, PCut().fit(split.test.truth).decide(scores.test))
    return both(split, scores) | {
        "folds_micro": folds.micro_f1,
        "folds_macro": folds.macro_f1,
        "even_micro": even.micro,
        "even_macro": even.macro,
    }


_COLUMNS = {
    "folds_micro": "folds, micro",
    "folds_macro": "folds, macro",
    "micro": "micro",
    "macro": "macro",
    "even_micro": "break-even, micro",
    "even_macro": "break-even, macro",
    "oracle_macro": "oracle, macro",
}


def show(found: Record) -> Iterable[Shown]:
    for key, models in (("smoothing", tuple(MODELS)), ("words", (UM, *MODELS))):
        for model in models:
            yield _table(found[key], key, model)


def _table(found: Record, key: str, model: str) -> Table:
    micro, macro = REUTERS[model]
    published = ("published", None, None, micro, macro, micro, macro, macro)
    rows = [(name, *(each[model][one] for one in _COLUMNS)) for name, each in found.items()]
    return Table(f"{model} with other {key}", ("", *_COLUMNS.values()), [published, *rows])
