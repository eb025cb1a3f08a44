"""The rows of Table 5 on Korean corpora: one label for each document."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

import numpy as np

from experiments.kim.judging import Judged, judged, judged_labels
from experiments.kim.jury import ALPHA, Jury
from experiments.kim.published import STAR, UM, WEIGHTINGS
from experiments.kim.split import UNEVEN, Split, articles, headlines, uneven_headlines
from experiments.kim.star import chosen
from experiments.reproduction.workplace import Workplace
from tallytext import MultinomialNB, PoissonNB
from tallytext.models import Laplace

SEEDS = 5
Rows = dict[str, Judged]


def splits(work: Workplace, corpus: str) -> list[Split]:
    """Return all splits of a corpus, by the name that it has here."""
    if corpus == "headlines":
        return [headlines(work)]
    make: Callable[[Workplace, int], Split]
    make, n = {"articles": (articles, SEEDS), "uneven": (uneven_headlines, len(UNEVEN))}[corpus]
    return [make(work, seed) for seed in range(1 if work.quick else n)]


@lru_cache(maxsize=16)
def rows_of(work: Workplace, corpus: str) -> list[Rows]:
    """Return the decisions of each row, for each split: the class with the highest score."""
    return [_rows(work, split) for split in splits(work, corpus)]


def _rows(work: Workplace, split: Split) -> Rows:
    sides, test = (split.train.counts, split.train.labels), split.test.counts
    found = {UM: MultinomialNB(Laplace(1)).fit(*sides).predict(test)}
    model = PoissonNB(alpha=ALPHA).fit(*sides)
    for row, weighting in WEIGHTINGS.items():
        found[row] = model.set_params(weighting=weighting).predict(test)
    found[STAR] = chosen(work, split).model.predict(test)
    return {row: judged_labels(split, given) for row, given in found.items()}


def rows_by_threshold(split: Split) -> dict[str, dict[str, float]]:
    """Return the averages of each row if classes are given by thresholds, as on Reuters."""
    unigram = Jury.of(MultinomialNB(Laplace(1)), split).scores(MultinomialNB.evidence)
    poisson = Jury.of(PoissonNB(alpha=ALPHA), split)
    found = {UM: judged(split, unigram).averages}
    for row, weighting in WEIGHTINGS.items():
        scores = poisson.scores(PoissonNB.z_star, weighting=weighting)
        found[row] = judged(split, scores).averages
    return found


def curve(split: Split, alphas: Iterable[float]) -> dict[str, list[float]]:
    """Return micro- and macro-F1 without weights over α."""
    model = PoissonNB().fit(split.train.counts, split.train.labels)
    given = [model.set_params(alpha=alpha).predict(split.test.counts) for alpha in alphas]
    found = [judged_labels(split, each) for each in given]
    return {"micro": [each.micro for each in found], "macro": [each.macro for each in found]}


def mean_averages(found: list[Rows], row: str) -> dict[str, float]:
    """Return the averages of a row, averaged over splits."""
    return {
        name: float(np.mean([rows[row].averages[name] for rows in found]))
        for name in ("micro", "macro")
    }
