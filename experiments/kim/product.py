"""The weighted models as the library trains them, beside the decisions of Table 4."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from experiments.kim.judging import Judged, judged
from experiments.kim.jury import ALPHA, N_FOLDS, Jury, Scores
from experiments.kim.published import CHI, REUTERS, WEIGHTINGS
from experiments.kim.split import ENGLISH, reuters, reuters_texts
from experiments.reproduction.paper import Shown
from experiments.reproduction.record import Record
from experiments.reproduction.tables import Table
from experiments.reproduction.workplace import Workplace
from tallytext import PoissonNB, TextClassifier, TextVectorizer

HEADING = "The same models in the product"
ABOUT = """`TextClassifier(PoissonNB(weighting="chi"))` learns the same rates and weights as Table
4, but its decisions differ. Table 4 ranks by z* (eq. 15) and fits a threshold for each class to the
scores of all training documents in five folds. The library uses log-odds per word (eq. 14),
converts them to probabilities, and fits thresholds to the probabilities of held-out documents. Here
one setting is changed after the other: the number of folds; the score; then the product itself,
with the words of Table 4 and with its own. Added after the product had turned out to have another
macro-F1 than this page."""
FOLDS = (3, 10, 20)
Z_STAR, ODDS = "z*", "log-odds per word"


def measure(work: Workplace) -> dict[str, Any]:
    rows = [CHI] if work.quick else [*WEIGHTINGS]
    # One row tells how much folds matter; the others would take a minute more.
    folds = {CHI: () if work.quick else FOLDS}
    return {row: _ways(work, row, folds.get(row, ())) for row in work.track(rows, "product")}


def _ways(work: Workplace, row: str, folds: tuple[int, ...]) -> dict[str, Any]:
    model = PoissonNB(ALPHA, weighting=WEIGHTINGS[row], multi_label=True)
    split = reuters(work)
    ways: dict[str, Judged] = {}
    for n in (N_FOLDS, *folds):
        jury = Jury.of(model, split, n)
        ways[f"{Z_STAR}, {n} folds"] = judged(split, jury.scores(PoissonNB.z_star))
        if n == N_FOLDS:
            ways[f"{ODDS}, {n} folds"] = judged(split, _finite(jury.scores(_odds_per_word)))
    for name, vectorizer in {
        "the product, the same words": TextVectorizer(**dict(ENGLISH)),
        "the product, its own words": None,
    }.items():
        ways[name] = _in_product(work, model, vectorizer)
    return {name: each.averages for name, each in ways.items()}


def _odds_per_word(model: PoissonNB, X: Any) -> Any:
    scores, lengths = model.scores_and_lengths(X)
    return model.log_odds(scores) / np.maximum(lengths, 1)[:, None]


def _finite(scores: Scores) -> Scores:
    return Scores(*(np.nan_to_num(each, nan=-np.inf, neginf=-np.inf) for each in scores))


def _in_product(work: Workplace, model: PoissonNB, vectorizer: TextVectorizer | None) -> Judged:
    train, test = reuters_texts(work)
    split = reuters(work)
    classifier = TextClassifier(model, vectorizer=vectorizer, multi_label=True, verbose=False)
    classifier.fit(train.texts, split.train.labels)
    place = {label: at for at, label in enumerate(split.classes)}
    decided = np.zeros_like(split.test.truth)
    for at, labels in enumerate(classifier.predict(test.texts)):
        decided[at, [place[label] for label in labels]] = True
    return Judged.of(split, decided)


def show(found: Record) -> Iterable[Shown]:
    for kind, name in enumerate(("micro", "macro")):
        rows: list[tuple[Any, ...]] = [("published", *(REUTERS[row][kind] for row in found))]
        for way in found[CHI]:
            rows.append(
                (way, *(each[way][name] if way in each else None for each in found.values()))
            )
        yield Table(f"{name}-F1 of Reuters", ("", *found), rows, 4)
    chi = found[CHI]
    table4, odds = chi[f"{Z_STAR}, {N_FOLDS} folds"].macro, chi[f"{ODDS}, {N_FOLDS} folds"].macro
    product = chi["the product, the same words"].macro
    tried = [each.macro for name, each in chi.items() if name.startswith(Z_STAR)]
    yield (
        f"Macro-F1 of PNB-CHI is {table4:.3f} in Table 4 and {product:.3f} in the product with the "
        f"same words. Of the difference the score makes {odds - table4:+.3f}, and what the product "
        f"does with it, probabilities and thresholds on these, {product - odds:+.3f}. With other "
        f"folds alone Table 4 would have from {min(tried):.3f} to {max(tried):.3f}: thresholds of "
        "classes with few documents depend on which of them are held out together."
    )
