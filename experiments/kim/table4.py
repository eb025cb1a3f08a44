"""Table 4: weighted words on Reuters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from experiments.kim.grid import row_judged, row_scores
from experiments.kim.judging import Judged, both
from experiments.kim.published import CHI, PRR, REUTERS, ROWS, STAR
from experiments.kim.split import Split, reuters
from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from tallytext.evaluation import micro_sign_test

HEADING = "Table 4: weighted words on Reuters"
ABOUT = """Each word has a weight for each class: its information gain (IG), χ² (CHI), or the sum of
the ratio of its probabilities inside and outside the class and of the inverse ratio (PrR). α = .8
as in the paper. PrR is undefined for words that occur on one side only, which the paper does not
mention; here half a document is added to each cell.

The published PNB* takes for each of five bins of classes the weighting that was best *on the test
documents*. Here PNB* chooses weighting and α of each class on training documents only (three rounds
of folds). "Oracle" columns have thresholds fitted to the test documents.

The last row is a linear support vector machine on tf-idf (scikit-learn, C = 1, decisions at 0),
because the paper says that PNB* reaches the best of its time. Macro-F1 is a mean over 90 classes,
many with one or two test documents. Standard errors are from resampling the test documents, and p
is that of the micro sign test on the decisions of two rows."""
PAIRS = ((CHI, PRR), (STAR, CHI), (STAR, PRR))
SAMPLES = 300


def measure(work: Workplace) -> dict[str, Any]:
    split = reuters(work)
    found = {row: row_judged(work, row) for row in work.track(ROWS)}
    return {
        "rows": {row: both(split, row_scores(work, row)) for row in ROWS},
        "errors": {row: standard_errors(split, each) for row, each in found.items()},
        "svm": _svm(split).averages,
        "pairs": {f"{a}, {b}": _compared(split, found[a], found[b]) for a, b in PAIRS},
    }


def standard_errors(split: Split, each: Judged) -> list[float]:
    """Return the standard errors of micro- and macro-F1 under other test documents."""
    return np.std(_redrawn(split, each), axis=0).tolist()


def _redrawn(split: Split, each: Judged) -> Any:
    """Return micro- and macro-F1 on test documents drawn with replacement."""
    rng, n = np.random.default_rng(0), len(split.test.truth)
    right = (split.test.truth & each.decided).astype(float)
    given = split.test.truth.astype(float) + each.decided
    draws = rng.multinomial(n, np.full(n, 1 / n), SAMPLES).astype(float)
    tops, bottoms = 2 * (draws @ right), draws @ given
    macro = (tops / np.maximum(bottoms, 1)).mean(axis=1)
    return np.column_stack([tops.sum(axis=1) / bottoms.sum(axis=1), macro])


def _compared(split: Split, a: Judged, b: Judged) -> dict[str, float]:
    differences = _redrawn(split, a) - _redrawn(split, b)
    return {
        "micro": a.micro - b.micro,
        "macro": a.macro - b.macro,
        "micro_error": float(differences[:, 0].std()),
        "macro_error": float(differences[:, 1].std()),
        "p": float(micro_sign_test(a.decided, b.decided, split.test.truth).p_value),
    }


def _svm(split: Split) -> Judged:
    tfidf = TfidfTransformer(sublinear_tf=True)
    model = OneVsRestClassifier(LinearSVC(C=1.0, random_state=0))
    model.fit(tfidf.fit_transform(split.train.counts), split.train.truth.astype(int))
    return Judged.of(split, model.predict(tfidf.transform(split.test.counts)).astype(bool))


def show(found: Record) -> Iterable[Shown]:
    columns = (
        "",
        "micro: paper",
        "ours",
        "difference",
        "oracle",
        "macro: paper",
        "ours",
        "difference",
        "oracle",
    )
    rows = [(row, *_side(found, row, 0), *_side(found, row, 1)) for row in ROWS]
    svm = ("SVM", None, found.svm.micro, None, None, None, found.svm.macro, None, None)
    yield Table("F1 of 90 classes, α = .8", columns, [*rows, svm], 4)
    columns = ("", "micro", "standard error", "p", "macro", "standard error")
    yield Table("One row less another", columns, [*map(_pair, found.pairs.items())], 4)
    errors = found.errors[CHI]
    yield (
        f"The standard error of {CHI} alone is {errors[0]:.4f} in micro-F1 and {errors[1]:.4f} in "
        "macro-F1."
    )
    pair, published = found.pairs[f"{CHI}, {PRR}"], REUTERS[PRR][0] - REUTERS[CHI][0]
    so = ", so the published order says little" if published < 2 * pair.micro_error else ""
    yield (
        f"PrR was published {published:.4f} above CHI in micro-F1; here CHI less PrR is "
        f"{pair.micro:+.4f}. The standard error of such a difference is {pair.micro_error:.4f}"
        f"{so}. The sign test on our decisions gives p = {pair.p:.2f}."
    )


def _side(found: Record, row: str, at: int) -> tuple[Any, ...]:
    name, published = ("micro", "macro")[at], REUTERS[row][at]
    ours = found.rows[row][name]
    return published, ours, f"{ours - published:+.4f}", found.rows[row][f"oracle_{name}"]


def _pair(item: tuple[str, Record]) -> tuple[Any, ...]:
    pair, each = item
    first, second = pair.split(", ")
    p = f"{each.p:.4f}" if each.p >= 1e-4 else "< .0001"
    head = f"{first} less {second}"
    return head, f"{each.micro:+.4f}", each.micro_error, p, f"{each.macro:+.4f}", each.macro_error
